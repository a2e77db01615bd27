"""What the texts in Go records mean: results, komi, dates, names with ranks in them.

Servers, programs and people write them in their own ways. Each function takes one
text, gives its meaning, and says what it had to repair.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from yardstone.grades import split_grade
from yardstone.records.dates import parse_date
from yardstone.records.go_game import BLACK, DRAWN, UNKNOWN, WHITE
from yardstone.records.results import left_out_reason, meanings

__all__ = [
    "WRITER",
    "parse_board_size",
    "parse_go_date",
    "parse_komi",
    "parse_winner",
    "split_rank",
]

#: The program (AP) of records in which a rank at the end of a name belongs to it.
WRITER = "Yardstone"
#: What messages and reports call each repair.
KOMI_IN_HUNDREDTHS = "komi written without its decimal point"
KOMI_IN_STONES = "komi counted in stones (子), doubled"
KOMI_UNREADABLE = "komi is not a number"
_WINNERS = {1: WHITE, -1: BLACK, 0: DRAWN, None: UNKNOWN}


@lru_cache(maxsize=4096)
def parse_winner(text: str) -> int:
    """The winner that a result names: 1 Black, 2 White, -1 a draw, 0 none or unknown.

    Examples
    --------
    >>> [parse_winner(text) for text in ("B+3.5", "W+Resign", "白中盘胜", "Jigo", "Void")]
    [1, 2, 2, -1, 0]
    >>> parse_winner("Black wins by resignation"), parse_winner("White resigns")
    (1, 1)
    """
    said = {} if left_out_reason(text) is not None else meanings(text)
    return _WINNERS[said.get("", said.get("colour"))]


_NUMBER = re.compile(r"[-+−]?\s*+(?:\d+(?:[.,]\d*)?|[.,]\d+)")
_FRACTIONS = {
    "½": ".5",
    "¼": ".25",
    "¾": ".75",
    " 1/2": ".5",
    "又1/2": ".5",
    "又1/4": ".25",
    "又3/4": ".75",
}
_CHINESE_NUMBER = re.compile(r"[一二三四五六七八九](?=[目子])")


@lru_cache(maxsize=4096)
def parse_komi(text: str) -> tuple[float | None, str | None]:
    """Komi in points, and what had to be repaired.

    Servers write 6.5 points as ``650``; and 7.5 points as 3.75, since under Chinese
    rules White is given 3.75 stones of the area, which shifts the margin by twice that.

    Examples
    --------
    >>> parse_komi("6.5")
    (6.5, None)
    >>> parse_komi("375")[0], parse_komi("3.75")[0], parse_komi("650")[0], parse_komi("六目半")[0]
    (7.5, 7.5, 6.5, 6.5)
    """
    plain = text.strip()
    for written, digits in _FRACTIONS.items():
        plain = plain.replace(written, digits)
    if not plain:
        return None, None
    plain = _CHINESE_NUMBER.sub(lambda sign: str(1 + "一二三四五六七八九".index(sign[0])), plain)
    match = _NUMBER.match(plain)
    if match is None:
        return None, KOMI_UNREADABLE
    number = match[0].replace("−", "-").replace(",", ".").replace(" ", "")
    rest = plain[match.end() :]
    value = float(number)
    if "." not in number and "半" in rest:
        value += 0.5
    repair = None
    if abs(value) >= 100 and value % 25 == 0 and abs(value) <= 2000:
        value /= 100
        repair = KOMI_IN_HUNDREDTHS
    elif value in (45, 55, 65, 75, 85):
        value /= 10
        repair = KOMI_IN_HUNDREDTHS
    if "子" in rest or abs(value * 2 % 1) == 0.5:
        value *= 2
        repair = repair or KOMI_IN_STONES
    if abs(value) > 361 or value * 2 % 1:
        return None, KOMI_UNREADABLE
    return value, repair


_DAY = re.compile(r"(?<!\d)(\d{4})\s*[-./年년]\s*(\d{1,2})\s*[-./月월]\s*(\d{1,2})(?!\d)")
_COMPACT = re.compile(r"(?<!\d)(\d{4})(\d{2})(\d{2})(?!\d)")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = "(" + "|".join(_MONTHS) + ")[a-z]*"
_MONTH_FIRST = re.compile(
    rf"\b{_MONTH}\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})", re.IGNORECASE
)
_DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?[.\s-]+{_MONTH}\.?,?[\s-]+(\d{{4}})", re.IGNORECASE
)
_CLOCK = re.compile(r"[T\s](\d{1,2}:\d{2}(?::\d{2})?)")


@lru_cache(maxsize=4096)
def parse_go_date(text: str) -> np.datetime64:
    """The first day that a DT property names, with the time of day if it has one; else NaT.

    Lists and ranges (``1996-05-06,07``) mean their first day; a month or a year
    alone is no day.

    Examples
    --------
    >>> parse_go_date("1996-05-06,07,08"), parse_go_date("2005-11-02 10:48")
    (np.datetime64('1996-05-06T00:00:00'), np.datetime64('2005-11-02T10:48:00'))
    >>> parse_go_date("Nov 2, 2005") == parse_go_date("2005年11月2日"), parse_go_date("1996-05")
    (np.True_, np.datetime64('NaT','s'))
    """
    if (match := _DAY.search(text) or _COMPACT.search(text)) is not None:
        year, month, day = match.groups()
    elif (match := _MONTH_FIRST.search(text)) is not None:
        name, day, year = match.groups()
        month = str(1 + _MONTHS.index(name.lower()))
    elif (match := _DAY_FIRST.search(text)) is not None:
        day, name, year = match.groups()
        month = str(1 + _MONTHS.index(name.lower()))
    else:
        return np.datetime64("NaT", "s")
    clock = _CLOCK.match(text[match.end() :])
    return parse_date(f"{year}-{month}-{day}", "" if clock is None else clock[1])


_RANK_WORDS = r"(?:dan|kyu|[dkp]|段|级|級|단|급)"
_DIGITS = r"(?:\d{1,2}|[初一二三四五六七八九十])"
_RANKED = re.compile(
    rf"(.*\S)(?:\s++|\s*+[(\[（,]\s*+)((?:[pP])?{_DIGITS}\s*+{_RANK_WORDS})[\s)\]）]*+",
    re.IGNORECASE | re.DOTALL,
)
_RANKED_CJK = re.compile(r"(.*[^\x00-\x7f\s])([初一二三四五六七八九\d][段단])", re.DOTALL)


@lru_cache(maxsize=65536)
def split_rank(name: str, rank: str) -> tuple[str, str]:
    """A name and a rank from a name that may have the rank in it.

    Examples
    --------
    >>> split_rank("Ann Lee 3d", ""), split_rank("古力九段", ""), split_rank("Ann (3 dan)", "3d")
    (('Ann Lee', '3d'), ('古力', '九段'), ('Ann', '3d'))
    >>> split_rank("Player 1d", "5k"), split_rank("3d", "")
    (('Player 1d', '5k'), ('3d', ''))
    """
    match = _RANKED.fullmatch(name)
    if match is None and not rank:
        match = _RANKED_CJK.fullmatch(name)
    if match is None:
        return name, rank
    in_name = match[2].strip()
    if rank and not _same_rank(rank, in_name):
        return name, rank
    return match[1].rstrip(" ,，"), rank or in_name


def _same_rank(one: str, other: str) -> bool:
    """Whether two ranks are one; a professional's dan may be written as any dan."""
    first, second = split_grade(one), split_grade(other)
    if first is None or second is None:
        return one.strip().lower() == other.strip().lower()
    return first[0] == second[0] and (first[1] == "kyu") == (second[1] == "kyu")


_SIZE = re.compile(r"\s*(\d{1,4})\s*(?:[:xX×*]\s*(\d{1,4})\s*)?")


@lru_cache(maxsize=256)
def parse_board_size(text: str) -> tuple[int, int] | None:
    """Columns and rows that SZ names; None if it is no size.

    Examples
    --------
    >>> parse_board_size("19"), parse_board_size("9:13"), parse_board_size("big")
    ((19, 19), (9, 13), None)
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        return None
    return int(match[1]), int(match[2] or match[1])
