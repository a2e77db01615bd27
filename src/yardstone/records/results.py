"""What the text of a result says, without looking at the rest of its column.

A text such as ``1`` or ``W`` means different things in different columns. So each
text has a meaning in every *notation* that knows it, and
`yardstone.records.result_column` chooses the notation that fits the whole column.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from yardstone.errors import UsageError
from yardstone.records.go_game import WHITE
from yardstone.records.sgf_values import parse_winner

__all__ = [
    "FORFEIT",
    "NOTATIONS",
    "SCORES",
    "is_total",
    "Side",
    "stated_scores",
    "left_out_reason",
    "meanings",
    "normalized",
    "points_of",
]

Side = Literal["white", "black"]

#: Why a game that was not played does not count.
FORFEIT = "decided by forfeit"
#: What notations are called in messages.
NOTATIONS: Mapping[str, str] = {
    "colour": "colours",
    "record": "wins and losses",
    "points": "points",
    "pair": "points of both",
    "sides": "names of the sides",
    "number": "numbers of the sides",
    "sign": "a sign",
    "match points": "match points (2 for a win, 1 for a draw)",
    "truth": "true and false",
    "per game site": "how each side ended",
}

#: The score of the first side by the number that a text means.
SCORES: Mapping[int, float] = {1: 1.0, 0: 0.5, -1: 0.0}
_STATED = {
    "win": 1.0, "won": 1.0, "1": 1.0, "draw": 0.5, "0.5": 0.5, "½": 0.5, "tie": 0.5,
    "loss": 0.0, "lost": 0.0, "0": 0.0, "skip": None,
}  # fmt: skip
#: A longer text is no result.
_LONGEST = 200
_DASHES = str.maketrans("‐‑‒–—−", "------")
_NUMBER = r"(?:\d+(?:\.\d+)?|\.\d+|\d*½|1/2)"
_PAIR = re.compile(rf"\(?\s*({_NUMBER})\s*[-:]\s*({_NUMBER})\s*\)?(?:\s*\(?(?:ot|so|aet)\d?\)?)?")
_SET = re.compile(rf"({_NUMBER})\s*[-:]\s*({_NUMBER})(?:\s*\(\d+(?:-\d+)?\))?")
_PER_CENT = re.compile(r"(\d+(?:\.\d+)?)\s*(?:%|per ?cent)")
_PLUS = re.compile(r"(w|b|white|black)\s*\+\s*(.*)", re.DOTALL)
_WON = r"(?: ?(?:wins?|won|victory|winner)\b.*)"
_COLOUR_WON = re.compile(rf"(w|b|white|black){_WON}?")
_COLOUR_LOST = re.compile(
    r"(white|black) (?:resigns?|resigned|loses?|lost|timeout|timed out|checkmated).*"
)
#: Texts in which `parse_winner` may find a colour, in any language.
_MAY_NAME_COLOUR = re.compile(r"(?:black|white|schwarz|weiss|noir|blanc|negr)\b|[^\x00-\x7f]")
_FORFEIT = re.compile(
    r"(?:1\s*[-:]\s*0|0\s*[-:]\s*1|½\s*[-:]\s*½|[wl])\s*\(?\s*(?:f|ff|forfeit)\s*\)?"
    r"|\+\s*[-/:]\s*-?|-\s*[-/:]?\s*\+|\+-|-\s*[-/:]\s*-|.*_?by_?def(?:ault)?|forfeit(?:ed)?"
    r"|w/?o|walk-?over|bye|half bye|½-bye"
)
_DRAW = re.compile(
    r"(?:game )?draws?\b.*|(?:game )?drawn\b.*|tied?\b.*|both ?bad|remis|jigo|equal|even"
    r"|½|=|=-=|=:="
)
_DRAW_WORDS = frozenset(
    "agreed repetition stalemate insufficient 50move timevsinsufficient threefold empate nul "
    "unentschieden pareggio patta".split()
)
#: A game without a result, or none that counts.
_UNFINISHED = frozenset(
    {"", "*", "?", "-", "--", "na", "n/a", "nan", "null", "none", "nil", "void", "tbd", "unknown"}
    | {"unfinished", "unterminated", "ongoing", "in progress", "started", "created", "scheduled"}
    | {"not started", "not played", "adjourned", "postponed", "cancelled", "canceled", "aborted"}
    | {"annulled", "no result", "noresult", "no contest", "nr", "nc", "pending", "live"}
)
_WINS = frozenset("w win wins won winner victory victorious 1st".split())
_LOSSES = frozenset("l loss losses lose loses lost loser defeat defeated".split())
_LOSSES_OF_SITES = frozenset(
    "checkmated timeout resigned abandoned kingofthehill threecheck bughousepartnerlose".split()
)


def normalized(text: str) -> str:
    """The text in lower case with plain dashes, points and blanks, and one sign for a half.

    Examples
    --------
    >>> normalized(" 1/2 – 1/2 "), normalized("0,5"), normalized("B+R")
    ('½ - ½', '0.5', 'b+r')
    """
    key = " ".join(text.translate(_DASHES).lower().split())
    key = re.sub(r"(?<=\d),(?=\d)", ".", key)
    return re.sub(r"(?<![\d.])1/2(?!\d)", "½", key)


def points_of(text: str) -> float | None:
    """The number that a normalized text is, ½ included; None if it is none."""
    if text.endswith("½"):
        whole = text[:-1]
        return float(whole or 0) + 0.5 if not whole or whole.isdecimal() else None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value == value and abs(value) != float("inf") else None


def left_out_reason(text: str) -> str | None:
    """Why a game with this result does not count although its text is understood.

    Examples
    --------
    >>> left_out_reason("*"), left_out_reason("+/-"), left_out_reason("1-0")
    ('unfinished (result *)', 'decided by forfeit', None)
    """
    key = normalized(text[: _LONGEST + 1])
    if key == "*":
        return "unfinished (result *)"
    if key in _UNFINISHED:
        return "no result"
    return FORFEIT if _FORFEIT.fullmatch(key) else None


def meanings(text: str) -> dict[str, int]:
    """What a text says in each notation that knows it: 1 for the first side, -1, or 0 (draw).

    The first side is White among colours, the winner among wins and losses, and the
    one named first elsewhere. A word for a draw is known in all notations (``""``).

    Examples
    --------
    >>> meanings("B+3.5"), meanings("2:1"), meanings("½"), meanings("X")
    ({'colour': -1}, {'pair': 1}, {'': 0}, {'sides': 0, 'number': 0})
    >>> meanings("W")
    {'colour': 1, 'record': 1}
    """
    if len(text) > _LONGEST:
        return {}
    key = normalized(text)
    by_notation = _numeric(key)
    words = " ".join(re.findall(r"[a-z]+|[^\W\d_a-z]+|\d+", key.removeprefix("result_")))
    if _DRAW.fullmatch(key) or _DRAW.fullmatch(words) or key in _DRAW_WORDS:
        return {"": 0}
    if (match := _PLUS.fullmatch(key)) is not None or (
        match := _COLOUR_WON.fullmatch(words)
    ) is not None:
        by_notation["colour"] = 1 if match[1][0] == "w" else -1
    elif (match := _COLOUR_LOST.fullmatch(words)) is not None:
        by_notation["colour"] = -1 if match[1][0] == "w" else 1
    elif not by_notation and _MAY_NAME_COLOUR.match(key) and (winner := parse_winner(text)) > 0:
        by_notation["colour"] = 1 if winner == WHITE else -1
    if key in _WINS or key in _LOSSES:
        by_notation["record"] = 1 if key in _WINS else -1
    if key == "win" or key in _LOSSES_OF_SITES:
        by_notation["per game site"] = 1 if key == "win" else -1
    if key in ("true", "false", "yes", "no"):
        by_notation["truth"] = 1 if key in ("true", "yes") else -1
    if key == "n":  # nul, between 1 and 2
        by_notation["number"] = 0
    if key in ("x", "d", "t"):
        by_notation |= {"sides": 0, "number": 0}
        if key != "x":
            by_notation |= {"record": 0, "colour": 0, "points": 0, "pair": 0}
    return by_notation


def _numeric(key: str) -> dict[str, int]:
    if (match := _PER_CENT.fullmatch(key)) is not None:
        return _of(float(match[1]), {100.0: 1, 50.0: 0, 0.0: -1}, "points")
    if (pair := _pair(key)) is not None:
        return {"pair": pair}
    value = points_of(key)
    if value is None:
        return {}
    if value == 0.5:
        return {"": 0}
    return {
        **_of(value, {1.0: 1, 0.0: -1}, "points"),
        **_of(value, {1.0: 1, 2.0: -1, 0.0: 0}, "number"),
        **_of(value, {1.0: 1, 0.0: 0, -1.0: -1}, "sign"),
        **_of(value, {2.0: 1, 1.0: 0, 0.0: -1}, "match points"),
        **({"colour": 0} if value == 0.0 else {}),
    }


def _of(value: float, known: Mapping[float, int], notation: str) -> dict[str, int]:
    return {notation: known[value]} if value in known else {}


def _pair(key: str) -> int | None:
    """Who has more in ``2-1``, or has won more sets in ``6-4 3-6 7-5``."""
    if (match := _PAIR.fullmatch(key)) is not None:
        return _compared(match[1], match[2])
    sets = list(_SET.finditer(key))
    between = _SET.sub("", key)
    if len(sets) < 2 or between.strip(" ,;/"):
        return None
    total = sum(_compared(match[1], match[2]) for match in sets)
    return (total > 0) - (total < 0) if total else None


def _compared(one: str, other: str) -> int:
    a, b = points_of(one.replace("1/2", "½")), points_of(other.replace("1/2", "½"))
    if a is None or b is None:
        return 0
    return (a > b) - (a < b)


def is_total(text: str) -> bool:
    """Whether the points of both, as in ``12.5-7.5``, are of several games: halves beyond one.

    Examples
    --------
    >>> is_total("12½ : 7½"), is_total("½-½"), is_total("184-180.5")
    (True, False, False)
    """
    match = _PAIR.fullmatch(normalized(text[:_LONGEST]))
    points = (
        [points_of(part.replace("1/2", "½")) or 0.0 for part in match.groups()] if match else []
    )
    return all(value % 1.0 == 0.5 for value in points) and max(points, default=0.0) > 1.0


def stated_scores(results: Mapping[str, object] | str | None) -> dict[str, float | None]:
    """What a caller says that values mean, by normalized text.

    Parameters
    ----------
    results : mapping or str, optional
        Points of the first player by value (1, 0.5, 0 or None to leave such records
        out), or the words win, draw, loss and skip; a text such as
        ``"H=win,D=draw,A=loss"`` says the same.

    Raises
    ------
    UsageError
        If a meaning is none of these.

    Examples
    --------
    >>> stated_scores("H=win, A=loss, P=skip")
    {'h': 1.0, 'a': 0.0, 'p': None}
    """
    if results is None:
        return {}
    if isinstance(results, str):
        pairs: dict[str, object] = {}
        for part in results.split(","):
            text, equals, word = part.rpartition("=")
            if not equals:
                raise UsageError(f"results {part.strip()!r}: write it as VALUE=win")
            pairs[text] = word
        results = pairs
    scores = {}
    for each, meaning in results.items():
        value = str(each)
        key = "skip" if meaning is None else normalized(str(meaning))
        if isinstance(meaning, int | float):
            key = f"{float(meaning):g}"
        if key not in _STATED:
            raise UsageError(
                f"results {value!r}: {meaning!r} must be win, draw, loss or skip "
                "(for the first player)"
            )
        scores[normalized(value)] = _STATED[key]
    return scores
