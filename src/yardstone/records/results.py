"""What the text of a result says, without looking at the rest of its column.

A text such as ``1`` or ``W`` means different things in different columns. So each
text has a meaning in every *notation* that knows it, and
`yardstone.records.result_column` chooses the notation that fits the whole column.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Literal

from yardstone.errors import UsageError

__all__ = [
    "FORFEIT",
    "NOTATIONS",
    "SCORES",
    "is_total",
    "WON",
    "Side",
    "stated_scores",
    "left_out_reason",
    "meanings",
    "normalized",
    "pair_of",
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
#: One sign for each dash, and full-width letters and signs as ASCII.
_PLAIN = str.maketrans({**dict.fromkeys("‐‑‒–—−", "-"), "\u3000": " "}) | {
    0xFEE0 + code: code for code in range(0x21, 0x7F)
}
_NUMBER = r"(?:\d+(?:\.\d+)?|\.\d+|\d*½|1/2)"
_PAIR = re.compile(rf"\(?\s*({_NUMBER})\s*[-:]\s*({_NUMBER})\s*\)?(?:\s*\(?(?:ot|so|aet)\d?\)?)?")
_SIGNS = re.compile(r"([+=-]) ?[-:/]? ?([+=-])")
_SET = re.compile(rf"({_NUMBER})\s*[-:]\s*({_NUMBER})(?:\s*\(\d+(?:-\d+)?\))?")
_PER_CENT = re.compile(r"(\d+(?:\.\d+)?)\s*(?:%|per ?cent)")

# Who won, with the colours named: the grammar of one text, matched whole. It is written for
# normalized text.
_SIDES = {
    "black": r"black|b(?![^\W\d_])|schwarz|noirs?|negras?|negro|ч[её]рные|黑[棋方]?|黒番?|흑",
    "white": r"white|w(?![^\W\d_])|wei(?:ß|ss)|blancs?|blancas?|blanco|белые|白[棋方番]?|백",
}
_MARGIN = (
    r"(?:(?:\d{1,3}(?:\.\d{0,9})?|\.\d{1,9}|(?:\d{1,3} ?)?(?:[½¼¾]|[13]/4))"
    r"(?: ?(?:points?|pts?|moku|stones?|punkten?|puntos?|очк(?:о|а|ов)))?|half a point)"
)
#: Points in words of China, Japan and Korea; may be empty.
_MOKU = (
    r"(?:(?:\d{1,3}(?:\.\d{1,9})?|[一二三四五六七八九十百]{1,5})? ?(?:[目子点點집점]? ?又)? ?"
    r"(?:½|[13]/4|[二四]分之[一三])? ?[目子点點집점]? ?[半반]? ?[目子집점]?)"
)
_HOW = (
    r"(?:r|res|resign(?:s|ed|ing|ation)?|t|time|time ?out|timed out|overtime|f|forfeit(?:s|ed|ure)?"
    r"|offline|disconnect(?:ed|ion)?|abandon(?:ed|ment)?|adjudicat(?:ed|ion)|penalt(?:y|ies)|pens"
    r"|checkmate|mate|ot|so|reg(?:ulation)?|aet|extra time|shoot-?out|t?ko|decision|submission"
    r"|illegal move|(?:moderator|referee|server) decision|count(?:ing)?|score|points|aufgabe|zeit"
    r"|temps|abandono|tiempo)"
)
_CJK_HOW = r"(?:中[盘盤]|中押し?|超[时時]|[时時][间間](?:切れ)?|反[则則]|불계|시간|기권|반칙)"
_PHRASE = (
    r"(?:,? (?:(?:by|on|via|with|through|due to|durch|um|mit|auf|nach|par|aux?|de|por|по|на) )?"
    rf"(?:the )?(?:LOSER['’]s )?(?:{_HOW}|{_MARGIN}))"
)
#: What may stand behind the name of a winner; for RE2 as well.
WON = (
    r"(?:wins?|won|victory)(?: (?:the )?(?:game|match))?"
    + _PHRASE.replace("(?:LOSER['’]s )?", "")
    + r"{0,2}\.?"
)
_NAMED = r"(?: ?\([^()]{1,60}\))?[ :,]{0,2}"
_WINNERS = {
    winner: re.compile(
        rf"(?:{one}) ?\+ ?(?:{_HOW}|{_MARGIN}|{_CJK_HOW}?{_MOKU})|(?:{one})(?: {_MARGIN})?"
        rf"|(?:the )?winner(?: is)?[ :=]{{0,2}}(?:{one})"
        rf"|(?:{one}){_NAMED}(?:has |is the )?(?:wins?|won|victory|victorious|winner|gewinnt|gewann"
        r"|gewonnen|gagne(?:nt)?|ganan?|ganó|выиграли|выигрывают"
        rf"|(?:beats?|defeats|defeated) (?:{other}))(?: (?:the )?(?:game|match))?"
        rf"{phrase}{{0,2}}"
        rf"|(?:{other}){_NAMED}(?:has )?(?:resigns|resigned|loses|lost|forfeits|forfeited|times out"
        r"|timed out|(?:ran|runs) out of time|timeout|(?:is |was )?checkmated|gibt auf|verliert"
        rf"|abandonne(?:nt)?|abandonan?|perd|pierden?|сдались)(?: to (?:{one}))?{phrase}{{0,2}}"
        rf"|(?:{one}){_NAMED}[の番]? ?(?:{_CJK_HOW} ?|{_MOKU})?[胜勝赢贏승][利ち]? ?{_MOKU}"
        rf"|(?:{other}){_NAMED}[の番]? ?(?:{_CJK_HOW} ?|{_MOKU})?"
        rf"(?:认输|認輸|投了|[负負]け?|[败敗]北?|패) ?{_MOKU}"
    )
    for winner, loser in (("black", "white"), ("white", "black"))
    for one, other in [(_SIDES[winner], _SIDES[loser])]
    for phrase in [_PHRASE.replace("LOSER", f"(?:{other})")]
}  # fmt: skip
_REMARK = re.compile(r"(.*\S) ?\(([^()]*)\)")
_NEUTRAL = re.compile(rf"{_HOW}|{_MARGIN}|(?:by|on) {_HOW}|(?:after )?\d+ moves?|move \d+")
_FORFEIT = re.compile(
    r"(?:[01½] ?f? ?[-:] ?[01½]|[wl]) ?\(?(?:ff?|forfeit|!)\)?"
    r"|\+ ?[-/:] ?-?|- ?[-/:]? ?\+|\+-|- ?[-/:] ?-|.*by[_ ]?def(?:ault)?\)?|forfeit(?:ed)?"
    r"|w/?o|walk-?over|bye|half bye|½-bye"
)
_DRAW_BY = (
    r"agreement|(?:(?:three|3)-?fold )?repetition|stalemate|insufficient (?:mating )?material"
    r"|(?:the )?(?:50|fifty)[ -]moves?(?: rule)?|perpetual check|triple ko|adjudication"
)
_DRAW = re.compile(
    r"(?:(?:the )?game (?:is |was )?)?(?:a )?(?:draw[ns]?|ties?|tied)"
    rf"(?: agreed|,? (?:by )?(?:mutual )?(?:{_DRAW_BY}))?"
    rf"|(?:tie )?both ?bad|remis|jigo|equal|even|持[碁棋]|和[棋局]?|平局|무승부|빅|ничья"
    r"|½|=|=[-:]=|(?:½|0?\.5) ?[-:] ?(?:½|0?\.5)|agreed|(?:threefold )?repetition|threefold"
    r"|stalemate|insufficient(?: material)?|50move|timevsinsufficient|empate|unentschieden"
    r"|(?:match |partie )?nulle?|pareggio|patta"
)
_OPEN = re.compile(
    r"(?:void|no ?result|no contest|unfinished|unterminated|suspended|adjourned|annulled|cancell?ed"
    r"|aborted|both(?: sides| players)? los[et]"
    r"|[双雙]方.*|無勝負|无胜负|中断|打ち?掛け?|打挂|封盘|未完|未終局"
    r"|無効|무효)(?: ?\(.*\))?"
)
#: A game without a result, or none that counts.
_UNFINISHED = frozenset(
    {"", "*", "?", "-", "--", "na", "n/a", "nan", "null", "none", "nil", "tbd", "unknown", "live"}
    | {"ongoing", "in progress", "started", "created", "scheduled", "pending", "nr", "nc"}
    | {"not started", "not played", "postponed"}
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
    key = " ".join(unicodedata.normalize("NFC", text).translate(_PLAIN).lower().split())
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
    if key in _UNFINISHED or _OPEN.fullmatch(key):
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
    said = re.sub(r"(?<=[a-z])[_-](?=[a-z])", " ", key.removeprefix("result_"))
    said = re.sub(r"^(black|white)(?=wins?$|won$)", r"\1 ", said)
    winner = _winner(said)
    if winner == "":
        return {"": 0}
    by_notation = _numeric(key)
    if winner is not None:
        by_notation["colour"] = 1 if winner == "white" else -1
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
            by_notation |= {"record": 0, "points": 0, "pair": 0}
        if key == "d":
            by_notation["colour"] = 0
    return by_notation


def _winner(text: str) -> str | None:
    """The colour that a text says has won, empty for a draw; None if it is not understood."""
    if _DRAW.fullmatch(text):
        return ""
    for colour, grammar in _WINNERS.items():
        if grammar.fullmatch(text):
            return colour
    if (match := _REMARK.fullmatch(text)) is not None:
        said, remark = _winner(match[1]), _winner(match[2])
        agrees = remark == said or (remark is None and (not said or _NEUTRAL.fullmatch(match[2])))
        return said if agrees else None
    parts = [part for part in re.split(r"[.;,]+ |[.;]$", text) if part]
    said_by = {_winner(part) for part in parts if part != text}
    return said_by.pop() if len(said_by) == 1 else None


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


def pair_of(key: str) -> tuple[float, float] | None:
    """The points of both in a normalized text such as ``1-0``, with or without signs.

    Examples
    --------
    >>> pair_of("½:½"), pair_of("+--"), pair_of("1")
    ((0.5, 0.5), (1.0, 0.0), None)
    """
    if (match := _SIGNS.fullmatch(key)) is not None and key != "--":
        signs = {"+": 1.0, "=": 0.5, "-": 0.0}
        return signs[match[1]], signs[match[2]]
    if (match := _PAIR.fullmatch(key)) is None:
        return None
    one, other = (points_of(number.replace("1/2", "½")) for number in match.groups())
    return None if one is None or other is None else (one, other)


def _pair(key: str) -> int | None:
    """Who has more in ``2-1``, or has won more sets in ``6-4 3-6 7-5``."""
    if (points := pair_of(key)) is not None:
        if points.count(0.5) == 1:  # half a point for one alone is no win
            return None
        return (points[0] > points[1]) - (points[0] < points[1])
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
    points = pair_of(normalized(text[:_LONGEST])) or ()
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
