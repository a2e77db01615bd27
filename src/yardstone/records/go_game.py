"""`GoGame`: one game of Go as a record has it, and what the texts in such records mean.

Results, komi, dates, names with ranks in them, and handicap stones however they are given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from yardstone.grades import split_grade
from yardstone.records.dates import date_span
from yardstone.records.results import left_out_reason, meanings

#: Colours of points, moves and winners.
EMPTY = 0
BLACK = 1
WHITE = 2
#: The move that puts no stone.
PASS = -1
#: Values of `GoGame.winner` beside the colours: no result that counts, and jigo.
UNKNOWN = 0
DRAWN = -1


def _no_points() -> NDArray[np.int16]:
    return np.empty(0, np.int16)


@dataclass(frozen=True, slots=True, eq=False)
class GoGame:
    """One game: its place, players, result, stones set up and moves.

    A point is ``row * size + column``, both from 0; row 0 is the top row (SGF ``a``),
    column 0 the left one. On 19x19, SGF ``pd`` is column 15 of row 3: point 72.
    """

    file: str = ""  #: The file, or ``archive.zip/member.sgf``; '' if the game was not read.
    line: int = 0  #: The line at which it begins, from 1; 0 if unknown.
    number: int = 1  #: Its number within the file, from 1.
    size: int = 19  #: Lines of the board, 2 to 19.
    #: Points that White gets; what servers write in other units is repaired. None if the record
    #: does not say.
    komi: float | None = None
    handicap: int = 0  #: Stones that Black put before White's first move; 0 in an even game.
    rules: str = ""  #: As written; '' if absent.
    #: `setup_black`, `setup_white`: stones on the board before the first move.
    setup_black: NDArray[np.int16] = field(default_factory=_no_points)
    setup_white: NDArray[np.int16] = field(default_factory=_no_points)
    to_play: int = BLACK  #: The colour that moves first: 1 Black, 2 White.
    #: Points of the main line; -1 is a pass.
    moves: NDArray[np.int16] = field(default_factory=_no_points)
    #: Who made each move: 1 Black, 2 White.
    colours: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, np.int8))
    black: str = ""  #: `black`, `white`: names; '' if absent.
    white: str = ""
    #: `black_rank`, `white_rank`, `black_team`, `white_team`: as written; '' if absent.
    black_rank: str = ""
    white_rank: str = ""
    black_team: str = ""
    white_team: str = ""
    result: str = ""  #: As written; '' if absent.
    winner: int = UNKNOWN  #: 1 Black, 2 White, -1 a draw (jigo), 0 none or unknown.
    #: [s]: when it was played, or began; NaT if unknown.
    date: np.datetime64 = field(default_factory=lambda: np.datetime64("NaT", "s"))
    event: str = ""  #: `event`, `place`: as written; '' if absent.
    place: str = ""
    #: Seconds that the mover had left after each move, NaN where the record does not say; None if
    #: it never does.
    time_left: NDArray[np.float32] | None = None
    #: Everything the record says of the game as a whole, decoded.
    properties: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))


#: Attributes of a game that are texts, and the properties that hold them.
TEXTS = {
    "black_rank": "BR", "white_rank": "WR", "black_team": "BT", "white_team": "WT",
    "rules": "RU", "event": "EV", "place": "PC",
}  # fmt: skip

_HANDICAP_AS_MOVES = "handicap stones played as moves"
HANDICAP_MISSING = "handicap stones not placed: the standard points were used"
_HANDICAP_UNSAID = "handicap not stated: the stones set up were counted"
_THIRDS: tuple[Literal["upper left", "lower right"], ...] = ("upper left", "lower right")
#: More stones than this in a row are no handicap.
_MOST = 9


@dataclass(frozen=True, slots=True)
class HandicapSetup:
    """Handicap stones as they stand before the first move."""

    handicap: int
    black: NDArray[np.int16]  #: where they are
    keep: slice | NDArray[np.bool_]  #: which of the moves remain moves
    hint: str  #: what was put right


def standard_stones(
    size: int, stones: int, *, third: Literal["upper left", "lower right"] = "upper left"
) -> NDArray[np.int16] | None:
    """The points where `stones` handicap stones stand by custom; None if there is none.

    2 to 9 stones on odd boards from 9 lines on, up to 4 on even ones and on 7 lines;
    in the order of GTP's ``fixed_handicap``, save that customs differ on the third.

    Examples:
        >>> standard_stones(19, 2).tolist()  # Q16 and D4
        [72, 288]
    """
    if size < 7 or not 2 <= stones <= (9 if size % 2 and size >= 9 else 4):
        return None
    near = 3 if size >= 13 else 2
    far, middle = size - 1 - near, size // 2
    others = [(near, near), (far, far)]
    corners = [(near, far), (far, near), *(others if third == "upper left" else others[::-1])]
    sides = [(middle, near), (middle, far), (near, middle), (far, middle)]
    places = corners[: min(stones, 4)]
    if stones >= 6:
        places += sides[: 2 if stones < 8 else 4]
    if stones >= 5 and stones % 2:
        places.append((middle, middle))
    return np.sort(np.array([row * size + column for row, column in places], np.int16))


def handicap_setup(
    size: int,
    handicap: int,
    black: NDArray[np.int16],
    white: NDArray[np.int16],
    moves: NDArray[np.int16],
    colours: NDArray[np.int8],
    to_play: int,
) -> HandicapSetup | None:
    """Put the handicap stones of a game where they belong: on the board before it begins.

    Some programs write them as moves, with or without passes of White between them;
    some say how many there are but not where; some set them up without saying so.
    `black` and `white` are stones set up, `to_play` who moves first if the record says so, else 0.
    Returns None where they stand right, or there are none.
    """
    if len(black) or len(white):
        first = to_play or (int(colours[0]) if len(colours) else 0)
        if handicap == 0 and not len(white) and len(black) >= 2 and first == WHITE:
            return HandicapSetup(len(black), black, slice(None), _HANDICAP_UNSAID)
    elif len(moves) and colours[0] == BLACK:
        end, stones = _leading_stones(handicap, moves, colours)
        if len(stones) >= 2:
            return HandicapSetup(len(stones), np.sort(stones), slice(end, None), _HANDICAP_AS_MOVES)
    elif len(moves) and handicap >= 2:
        for third in _THIRDS:
            points = standard_stones(size, handicap, third=third)
            # Where one of the first moves stands on such a point, the stones were elsewhere.
            if points is not None and not np.isin(moves[: 2 * _MOST], points).any():
                return HandicapSetup(handicap, points, slice(None), HANDICAP_MISSING)
    return None


def _leading_stones(
    handicap: int, moves: NDArray[np.int16], colours: NDArray[np.int8]
) -> tuple[int, NDArray[np.int16]]:
    """Where White's first real move is, and the stones Black put before it, if a handicap."""
    none = np.empty(0, np.int16)
    if len(colours) < 2 or (colours[1] == WHITE and (handicap < 2 or moves[1] != PASS)):
        return 0, none  # nearly all games end here
    stones: list[int] = []
    for place, (move, colour) in enumerate(zip(moves.tolist(), colours.tolist(), strict=True)):
        if colour == BLACK and move != PASS and len(stones) < max(handicap, _MOST):
            stones.append(move)
            if len(set(stones)) == handicap >= 2:
                return place + 1, np.array(stones, np.int16)
        elif colour == WHITE and move == PASS and handicap >= 2:
            continue
        elif colour == WHITE and handicap < 2 and len(set(stones)) == len(stones):
            return place, np.array(stones, np.int16)
        else:
            break
    return 0, none


#: The program (AP) of records in which a rank at the end of a name belongs to it.
WRITER = "Yardstone"
#: What messages and reports call each repair.
_KOMI_IN_HUNDREDTHS = "komi written without its decimal point"
_KOMI_IN_STONES = "komi counted in stones (子), doubled"
_KOMI_UNREADABLE = "komi is not a number"
_WINNERS = {1: WHITE, -1: BLACK, 0: DRAWN, None: UNKNOWN}


@lru_cache(maxsize=4096)
def parse_winner(text: str) -> int:
    """The winner that a result names: 1 Black, 2 White, -1 a draw, 0 none or unknown.

    Examples:
        >>> [parse_winner(text) for text in ("B+3.5", "W+Resign", "白中盘胜", "Jigo", "Void")]
        [1, 2, 2, -1, 0]
        >>> parse_winner("Black wins by resignation"), parse_winner("White resigns")
        (1, 1)
    """
    said = {} if left_out_reason(text) is not None else meanings(text)
    return _WINNERS[said.get("", said.get("colour"))]


_NUMBER = re.compile(r"[-+−]?\s*+(?:\d+(?:[.,]\d*)?|[.,]\d+)")
_FRACTIONS = {
    "½": ".5", "¼": ".25", "¾": ".75",
    " 1/2": ".5", "又1/2": ".5", "又1/4": ".25", "又3/4": ".75",
}  # fmt: skip
_CHINESE_NUMBER = re.compile(r"[一二三四五六七八九](?=[目子])")


@lru_cache(maxsize=4096)
def parse_komi(text: str) -> tuple[float | None, str | None]:
    """Komi in points, and what had to be repaired.

    Servers write 6.5 points as ``650``; and 7.5 points as 3.75, since under Chinese
    rules White is given 3.75 stones of the area, which shifts the margin by twice that.

    Examples:
        >>> parse_komi("6.5")
        (6.5, None)
        >>> parse_komi("375")[0], parse_komi("3.75")[0], parse_komi("六目半")[0]
        (7.5, 7.5, 6.5)
    """
    plain = text.strip()
    for written, digits in _FRACTIONS.items():
        plain = plain.replace(written, digits)
    if not plain:
        return None, None
    plain = _CHINESE_NUMBER.sub(lambda sign: str(1 + "一二三四五六七八九".index(sign[0])), plain)
    match = _NUMBER.match(plain)
    if match is None:
        return None, _KOMI_UNREADABLE
    number = match[0].replace("−", "-").replace(",", ".").replace(" ", "")
    rest = plain[match.end() :]
    value = float(number)
    if "." not in number and "半" in rest:
        value += 0.5
    repair = None
    if abs(value) >= 100 and value % 25 == 0 and abs(value) <= 2000:
        value /= 100
        repair = _KOMI_IN_HUNDREDTHS
    elif value in (45, 55, 65, 75, 85):
        value /= 10
        repair = _KOMI_IN_HUNDREDTHS
    if "子" in rest or abs(value * 2 % 1) == 0.5:
        value *= 2
        repair = repair or _KOMI_IN_STONES
    if abs(value) > 361 or value * 2 % 1:
        return None, _KOMI_UNREADABLE
    return value, repair


_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = "(?P<month>" + "|".join(_MONTHS) + ")[a-z]*"
#: Days as they are written, the likeliest first.
_DAYS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})\s*[-./年년]\s*(?P<month>\d{1,2})\s*[-./月월]\s*(?P<day>\d{1,2})(?!\d)",
        r"(?<!\d)(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})(?!\d)",
        rf"\b{_MONTH}\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})",
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[.\s-]+{_MONTH}\.?,?[\s-]+(?P<year>\d{{4}})",
    )
]
_CLOCK = re.compile(r"[T\s](\d{1,2}:\d{2}(?::\d{2})?)")


@lru_cache(maxsize=4096)
def parse_go_date(text: str) -> np.datetime64:
    """The first day that a DT property names, with the time of day if it has one; else NaT.

    Lists and ranges (``1996-05-06,07``) mean their first day; a month or a year
    alone is no day.

    Examples:
        >>> parse_go_date("1996-05-06,07,08"), parse_go_date("2005-11-02 10:48")
        (np.datetime64('1996-05-06T00:00:00'), np.datetime64('2005-11-02T10:48:00'))
        >>> parse_go_date("Nov 2, 2005") == parse_go_date("2005年11月2日"), parse_go_date("1996-05")
        (np.True_, np.datetime64('NaT','s'))
    """
    match = next(filter(None, (pattern.search(text) for pattern in _DAYS)), None)
    if match is None:
        return np.datetime64("NaT", "s")
    month = match["month"].lower()
    if month in _MONTHS:
        month = str(1 + _MONTHS.index(month))
    clock = _CLOCK.match(text[match.end() :])
    time = "" if clock is None else f" {clock[1]}"
    return date_span(f"{match['year']}-{month}-{match['day']}{time}")[0]


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

    Examples:
        >>> split_rank("Ann Lee 3d", ""), split_rank("古力九段", "")
        (('Ann Lee', '3d'), ('古力', '九段'))
        >>> split_rank("Ann (3 dan)", "3d")
        ('Ann', '3d')
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

    Examples:
        >>> parse_board_size("19"), parse_board_size("9:13"), parse_board_size("big")
        ((19, 19), (9, 13), None)
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        return None
    return int(match[1]), int(match[2] or match[1])
