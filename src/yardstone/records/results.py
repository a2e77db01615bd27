"""What results say: one text alone, and the values of a whole column.

A text such as ``1`` or ``W`` means different things in different columns, so `meanings` gives
all that one may mean, `read_column` decides by the whole column, and what it cannot decide
is asked (`ResultColumn`). `read_points` reads two columns with the points of the sides.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from yardstone.errors import InputError, UsageError
from yardstone.records.columns import label, tells_winner, words
from yardstone.records.options import MOST_UNREAD, listed_values

Side = Literal["white", "black"]

#: Why a game that was not played does not count.
FORFEIT = "decided by forfeit"
_LOST_BY_BOTH = "lost by both (0-0)"
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
# normalized text, and compiled when a text needs it: that takes longer than to read a small file.
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
    winner: (
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
#: What most records of Go say, all of it part of that grammar.
_USUAL = re.compile(r"([bw])\+(?:r(?:es(?:ign)?)?|t(?:ime)?|\d{1,3}(?:\.\d{1,9})?)")
_REMARK = re.compile(r"(.*\S) ?\(([^()]*)\)")
_NEUTRAL = rf"{_HOW}|{_MARGIN}|(?:by|on) {_HOW}|(?:after )?\d+ moves?|move \d+"
_FORFEIT = (
    r"(?:[01½] ?f? ?[-:] ?[01½]|[wl]) ?\(?(?:ff?|forfeit|!)\)?"
    r"|\+ ?[-/:] ?-?|- ?[-/:]? ?\+|\+-|- ?[-/:] ?-|.*by[_ ]?def(?:ault)?\)?|forfeit(?:ed)?"
    r"|w/?o|walk-?over|bye|half bye|½-bye"
)
_DRAW_BY = (
    r"agreement|(?:(?:three|3)-?fold )?repetition|stalemate|insufficient (?:mating )?material"
    r"|(?:the )?(?:50|fifty)[ -]moves?(?: rule)?|perpetual check|triple ko|adjudication"
)
_DRAW = (
    r"(?:(?:the )?game (?:is |was )?)?(?:a )?(?:draw[ns]?|ties?|tied)"
    rf"(?: agreed|,? (?:by )?(?:mutual )?(?:{_DRAW_BY}))?"
    rf"|(?:tie )?both ?bad|remis|jigo|equal|even|持[碁棋]|和[棋局]?|平局|무승부|빅|ничья"
    r"|½|=|=[-:]=|(?:½|0?\.5) ?[-:] ?(?:½|0?\.5)|agreed|(?:threefold )?repetition|threefold"
    r"|stalemate|insufficient(?: material)?|50move|timevsinsufficient|empate|unentschieden"
    r"|(?:match |partie )?nulle?|pareggio|patta"
)
_OPEN = (
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

    Examples:
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

    Examples:
        >>> left_out_reason("*"), left_out_reason("+/-"), left_out_reason("1-0")
        ('unfinished (result *)', 'decided by forfeit', None)
    """
    key = normalized(text[: _LONGEST + 1])
    if key == "*":
        return "unfinished (result *)"
    if key in _UNFINISHED or re.fullmatch(_OPEN, key):
        return "no result"
    return FORFEIT if re.fullmatch(_FORFEIT, key) else None


def meanings(text: str) -> dict[str, int]:
    """What a text says in each notation that knows it: 1 for the first side, -1, or 0 (draw).

    The first side is White among colours, the winner among wins and losses, and the
    one named first elsewhere. A word for a draw is known in all notations (``""``).

    Examples:
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
    if (usual := _USUAL.fullmatch(text)) is not None:
        return "black" if usual[1] == "b" else "white"
    if re.fullmatch(_DRAW, text):
        return ""
    for colour, grammar in _WINNERS.items() if any(map(str.isalpha, text)) else ():
        if re.fullmatch(grammar, text):
            return colour
    if (match := _REMARK.fullmatch(text)) is not None:
        said, remark = _winner(match[1]), _winner(match[2])
        agrees = remark == said or (
            remark is None and (not said or re.fullmatch(_NEUTRAL, match[2]))
        )
        return said if agrees else None
    parts = [part for part in re.split(r"[.;,]+ |[.;]$", text) if part]
    said_by = {_winner(part) for part in parts if part != text}
    return said_by.pop() if len(said_by) == 1 else None


#: What a number means in each notation that knows it.
_NUMBERS: Mapping[str, Mapping[float, int]] = {
    "points": {1.0: 1, 0.0: -1},
    "number": {1.0: 1, 2.0: -1, 0.0: 0},
    "sign": {1.0: 1, 0.0: 0, -1.0: -1},
    "match points": {2.0: 1, 1.0: 0, 0.0: -1},
    "colour": {0.0: 0},
}


def _numeric(key: str) -> dict[str, int]:
    if (match := _PER_CENT.fullmatch(key)) is not None:
        share = {100.0: 1, 50.0: 0, 0.0: -1}.get(float(match[1]))
        return {} if share is None else {"points": share}
    if (pair := _pair(key)) is not None:
        return {"pair": pair}
    if (value := points_of(key)) is None:
        return {}
    if value == 0.5:
        return {"": 0}
    return {name: known[value] for name, known in _NUMBERS.items() if value in known}


def pair_of(key: str) -> tuple[float, float] | None:
    """The points of both in a normalized text such as ``1-0``, with or without signs.

    Examples:
        >>> pair_of("½:½"), pair_of("+--"), pair_of("1")
        ((0.5, 0.5), (1.0, 0.0), None)
    """
    if (match := _SIGNS.fullmatch(key)) is not None and key != "--":
        signs = {"+": 1.0, "=": 0.5, "-": 0.0}
        return signs[match[1]], signs[match[2]]
    if (match := _PAIR.fullmatch(key)) is None:
        return None
    return _numbers(match)


def _numbers(match: re.Match[str]) -> tuple[float, float] | None:
    one, other = (points_of(number.replace("1/2", "½")) for number in match.groups())
    return None if one is None or other is None else (one, other)


def _compared(points: tuple[float, float] | None) -> int:
    return 0 if points is None else (points[0] > points[1]) - (points[0] < points[1])


def _pair(key: str) -> int | None:
    """Who has more in ``2-1``, or has won more sets in ``6-4 3-6 7-5``."""
    if (points := pair_of(key)) is not None:
        # Half a point for one alone is no win.
        return None if points.count(0.5) == 1 else _compared(points)
    sets = list(_SET.finditer(key))
    between = _SET.sub("", key)
    if len(sets) < 2 or between.strip(" ,;/"):
        return None
    total = sum(_compared(_numbers(match)) for match in sets)
    return (total > 0) - (total < 0) if total else None


def is_total(text: str) -> bool:
    """Whether the points of both, as in ``12.5-7.5``, are of several games: halves beyond one.

    Examples:
        >>> is_total("12½ : 7½"), is_total("½-½"), is_total("184-180.5")
        (True, False, False)
    """
    points = pair_of(normalized(text[:_LONGEST])) or ()
    return all(value % 1.0 == 0.5 for value in points) and max(points, default=0.0) > 1.0


def stated_scores(results: Mapping[str, object] | str | None) -> dict[str, float | None]:
    """What a caller says that values mean, by normalized text.

    `results` gives the points of the first player by value (1, 0.5, 0 or None to leave such
    records out), or the words win, draw, loss and skip; a text such as ``"H=win,D=draw,A=loss"``
    says the same. Raises UsageError if a meaning is none of these.

    Examples:
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


#: So many values are shown in a message.
_SHOWN = 6
#: Notations whose texts tell the result of one side, which must be known.
_OF_ONE_SIDE = frozenset({*NOTATIONS} - {"colour", "sides", "number"})
_WON = rf"(?:^|[ _]){WON}$|(?<=[a-z])(?:wins?|won)$"
_COLOURS = frozenset({"white", "black", "blue", "red"})


@dataclass(frozen=True)
class WinnerNames:
    """How far the values of a column are names of the players of their rows."""

    rows: int  #: whose value is the name of one of the two
    #: whether scores of texts contradict the names in any row
    differ: Callable[[Mapping[str, float]], bool]


@dataclass(frozen=True)
class Reading:
    """What the values of a column mean."""

    scores: Mapping[str, float]  #: points of `first` by text
    left_out: Mapping[str, str]  #: texts that are understood but no result, and why
    #: not understood; where names of the players tell who won, those that no row explains as well
    unknown: Counter[str]
    notation: str = ""  #: one of `NOTATIONS`, or ``names`` of the players


@dataclass(frozen=True)
class ResultColumn:
    """A column of results and what is known about it."""

    name: str
    counts: Mapping[str, int]  #: its values and how often each occurs
    labels: tuple[str, str]  #: what the columns of `first` and `second` are called (`Roles.labels`)
    players: tuple[str, str]  #: names of those columns
    file: str
    #: the side whose result a text such as ``1`` or ``win`` tells; None asks
    subject: int | None = 0
    pair_subject: int | None = 0  #: the side whose points stand first in ``2-1``; None asks
    sure: bool = False  #: whether the caller, or the column's name, says whose result it tells
    colour: Side | None = None  #: of `first`, if it is known
    #: what the caller says of values, in lower case
    stated: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def common(self) -> str:
        """The commonest values, for messages."""
        return listed_values(Counter(self.counts), most=_SHOWN)

    def error(self, reason: str, hint: str) -> InputError:
        """An error of this file, with how to go on."""
        return InputError(reason, file=self.file, hint=hint)


def read_column(column: ResultColumn, names: Callable[[], WinnerNames] | None = None) -> Reading:
    """What the values of a column of results mean.

    `names` counts how many values are names of players; it is called only where that matters.
    Raises InputError if the values can be read in two ways that do not agree.
    """
    known: dict[str, float] = {}
    left_out: dict[str, str] = {}
    rest: dict[str, int] = {}
    for text, number in column.counts.items():
        key = normalized(text)
        if key in column.stated:
            score = column.stated[key]
            if score is None:
                left_out[text] = "left out on request"
            else:
                known[text] = score
        elif (reason := left_out_reason(text)) is not None:
            left_out[text] = reason
        else:
            rest[text] = number
    values = _OpenValues(column, rest)
    draws = values.draws()
    covered = values.coverage()
    best = max(covered.values(), default=0)
    notations = [name for name, number in covered.items() if number == best and best]
    by_name = names is not None and (best < sum(rest.values()) or tells_winner(column.name))
    if names is not None and by_name and values.are_names(names(), best, notations):
        unknown = Counter({text: n for text, n in rest.items() if text not in draws})
        return Reading({**known, **draws}, left_out, unknown, "names")
    notation = notations[0] if notations else ""
    values.check_numbers(notation)
    readings = {name: values.scores(name) for name in notations}
    if len({tuple(sorted(scores.items())) for scores in readings.values()}) > 1:
        raise values.two_readings(readings)
    scores = readings.get(notation, draws)
    unknown = Counter({text: n for text, n in rest.items() if text not in scores})
    both_zero = values.nothing_each(scores) if notation == "pair" else {}
    scores = {text: score for text, score in scores.items() if text not in both_zero}
    return Reading({**known, **scores}, {**left_out, **both_zero}, unknown, notation=notation)


class _OpenValues:
    """The values of a column that say neither by themselves nor by the caller what they mean."""

    def __init__(self, column: ResultColumn, counts: Mapping[str, int]) -> None:
        self.column = column
        self.counts = counts
        self.keys = {text: normalized(text) for text in counts}
        self.meanings = {text: self._meanings(text) for text in counts}
        pairs = {text: pair for text, key in self.keys.items() if (pair := pair_of(key))}
        if (0.5, 0.5) in pairs.values():  # shares of one game, so 2-0 is not of one
            for text in (text for text, pair in pairs.items() if sum(pair) > 1.0):
                self.meanings[text].pop("pair", None)

    def _meanings(self, text: str) -> dict[str, int]:
        """Meanings by notation; those of sides, colours and numbers as seen from `first`."""
        said, column = meanings(text), self.column
        if column.colour is None:
            said.pop("colour", None)
        elif "colour" in said and column.colour == "black":
            said["colour"] = -said["colour"]
        if (side := self._side(self.keys[text])) is not None:
            said["sides"] = side
        if "number" in said and column.labels in (("2", "1"), ("away", "home")):
            said["number"] = -said["number"]
        return said

    def _side(self, key: str) -> int | None:
        """Whether a text names the side of `first` (1) or of `second` (-1)."""
        key = re.sub(_WON, "", key).strip(" _")
        if not key:
            return None
        doubtful = "?" in key or "+" in key  # or half of a result: only a whole name has these
        for place, player in enumerate(self.column.players):
            if key == player.lower() or (not doubtful and words(key) == words(player)):
                return 1 - 2 * place
        if doubtful:
            return None
        known = label(key) if len(key) > 1 or key in "h12" else None
        name = known[0] if known is not None else None
        labels = set(self.column.labels)
        if words(key)[-1:] == ["a"]:
            name = "away" if "h" in self.keys.values() or "away" in labels else "a"
        elif words(key)[-1:] == ["b"] and labels.isdisjoint({"white", "black"}):
            name = "b"
        if name is None:
            return None
        if name in labels:
            return 1 if name == self.column.labels[0] else -1
        if not labels.isdisjoint(_COLOURS):
            return None
        return {"home": 1, "away": -1, "a": 1, "b": -1, "first": 1, "second": -1}.get(name)

    def _read_by(self, notation: str) -> list[str]:
        return [text for text, said in self.meanings.items() if notation in said]

    def draws(self) -> dict[str, float]:
        """The texts that are a draw in any notation."""
        return dict.fromkeys(self._read_by(""), 0.5)

    def coverage(self) -> dict[str, int]:
        """How many records each notation that can be meant explains."""
        column, keys = self.column, {*self.keys.values()}
        numbers = {points_of(key) for key in keys}
        sided = column.labels in (("1", "2"), ("2", "1")) and 0.0 not in numbers
        lost = any(said.get("per game site", 0) < 0 for said in self.meanings.values())
        impossible = {
            "number": 2.0 not in numbers and "x" not in keys,
            "match points": 2.0 not in numbers or sided or tells_winner(column.name),
            "sign": -1.0 not in numbers,
            "per game site": "win" not in keys or not lost,
            "colour": column.colour is None,
        }
        return {
            name: sum(self.counts[text] for text in {*self._read_by(name), *self._read_by("")})
            for name in NOTATIONS
            if not impossible.get(name) and any(self._read_by(name))
        }

    def scores(self, notation: str) -> dict[str, float]:
        """Points of `first` by text in one notation."""
        column, turned = self.column, False
        if notation in _OF_ONE_SIDE:
            subject = column.pair_subject if notation == "pair" else column.subject
            if subject is None and any(said.get(notation, 0) for said in self.meanings.values()):
                raise self._whose(notation)
            turned = subject == 1
        keys = {*self.keys.values()}
        index = notation == "points" and keys <= {"0", "1", "0.0", "1.0"} and len(keys) > 1
        if (notation == "truth" or (index and tells_winner(column.name))) and not column.sure:
            raise self._whose(notation)
        told = {text: m.get(notation, m.get("")) for text, m in self.meanings.items()}
        return {
            text: SCORES[-value if turned else value]
            for text, value in told.items()
            if value is not None
        }

    def are_names(self, names: WinnerNames, best: int, notations: Sequence[str]) -> bool:
        """Whether names explain the column best."""
        column = self.column
        covered = names.rows + sum(self.counts[text] for text in self.draws())
        if not names.rows or covered < best:
            return False
        if covered > best or not notations:
            return True
        readings = [self.scores(name) for name in notations]
        if notations == ["sides"] and tells_winner(column.name):
            return True
        if any(names.differ(scores) for scores in readings):
            raise column.error(
                f"the values of {column.name!r} ({column.common}) may be names of the players or "
                f"{NOTATIONS[notations[0]]}",
                "say what they mean with results, as in 1=win,0=loss",
            )
        return False

    def check_numbers(self, notation: str) -> None:
        """Ask about numbers that no notation knows."""
        column = self.column
        odd = sum(
            self.counts[text]
            for text, said in self.meanings.items()
            if notation not in said and "" not in said and points_of(self.keys[text]) is not None
        )
        if odd > MOST_UNREAD * sum(self.counts.values()):
            raise column.error(
                f"the numbers in {column.name!r} ({column.common}) may be the margin of "
                f"{column.players[0]!r}, its points alone, or something else",
                f"choose with columns: margin={column.name}, or first_score=… and second_score=… "
                "for points in two columns; or what each value means with results, as in "
                "3=win,1=draw",
            )

    def two_readings(self, readings: Mapping[str, Mapping[str, float]]) -> InputError:
        """Values of which several notations know equally many, and do not agree."""
        column = self.column
        means = {1.0: "win", 0.5: "draw", 0.0: "loss"}
        ways = []
        for name, scores in readings.items():
            ordered = sorted(scores, key=lambda text: -column.counts[text])[:_SHOWN]
            given = ",".join(f"{text}={means[scores[text]]}" for text in ordered)
            ways.append(f"{NOTATIONS[name]} ({given})")
        return column.error(
            f"the values of {column.name!r} ({column.common}) can be read as "
            + " or as ".join(ways),
            "choose with results, as in the brackets; win and loss are those of "
            f"{column.players[0]!r}",
        )

    def _whose(self, notation: str) -> InputError:
        """Values that tell the result of one side, and nothing says which."""
        column = self.column
        telling = (text for text, said in self.meanings.items() if said.get(notation, 0))
        text = max(telling, key=lambda text: column.counts[text])
        one, other = column.players
        return column.error(
            f"{text!r} in {column.name!r} may tell the result of {one!r} or of {other!r}",
            f"choose with columns: first={one},second={other},first_score={column.name} or "
            f"first={one},second={other},second_score={column.name}",
        )

    def nothing_each(self, scores: Mapping[str, float]) -> dict[str, str]:
        """``0-0`` is a draw of goals, but in chess two losses: decided by the other values."""
        keys = {text: self.keys[text] for text in scores}
        nil = [text for text, key in keys.items() if re.fullmatch(r"\(?0\s*[-:]\s*0\)?", key)]
        draws = {text for text in scores if "" in self.meanings[text]}
        plain = all(
            text in draws or re.fullmatch(r"[01½]\s*[-:]\s*[01½]", key)
            for text, key in keys.items()
        )
        if not nil or not plain:
            return {}
        if draws or any("½" in key or ".5" in text for text, key in keys.items()):
            return dict.fromkeys(nil, _LOST_BY_BOTH)
        if any(re.fullmatch(r"1\s*[-:]\s*1", key) for key in keys.values()):
            return {}
        name = self.column.name
        raise self.column.error(
            f"{nil[0]!r} in {name!r} may be a draw without goals, or a game that both lost",
            f"choose with results: {nil[0]}=draw or {nil[0]}=skip",
        )


def read_points(
    counts: Mapping[tuple[str, str], int], columns: tuple[str, str], file: str, *, wins: bool
) -> dict[tuple[str, str], float | str]:
    """Points of `first` for each pair of points of both, or why such a pair does not count.

    `counts` says how often each pair occurs; with `wins` the columns say of each side whether
    it won, so that nothing for both is a draw.
    """
    values = {text: _value(text) for pair in counts for text in pair}
    numbers = [value for value in values.values() if value is not None]
    most, least = max(numbers, default=0.0), min(numbers, default=0.0)
    known = [pair for pair in counts if None not in (values[pair[0]], values[pair[1]])]
    shares = any(values[one] == values[other] == 0.5 for one, other in known)
    nil_is_open = ("1", "1") not in known and len(known) > 1
    words = not any(points_of(normalized(text)) is not None for text in values)
    told: dict[tuple[str, str], float | str] = {}
    for pair in counts:
        one, other = (values[text] for text in pair)
        if one is None or other is None:
            reasons = [left_out_reason(text) for text in pair]
            if None not in reasons or "no result" in reasons:
                told[pair] = next(reason for reason in reasons if reason is not None)
        elif (words and one + other != 1.0) or (shares and one + other > 1.0):
            continue  # both say that they won, or lost; or it is not one game
        elif (one == 0.5) != (other == 0.5):
            continue  # half a point for one alone is no win
        elif -1.0 in (one, other) and least == -1.0:
            told[pair] = FORFEIT  # so servers write that a player was disqualified
        elif one == other == 0.0 and most <= 1.0 and not wins and 0.5 in numbers:
            told[pair] = _LOST_BY_BOTH
        elif one == other == 0.0 and most <= 1.0 and not wins and nil_is_open:
            raise InputError(
                f"0 in both {columns[0]!r} and {columns[1]!r} may be a draw without goals, "
                "or a game that both lost",
                file=file,
                hint="leave such rows out, or write the results in one column",
            )
        else:
            told[pair] = 0.5 + 0.5 * ((one > other) - (one < other))
    return told


def _value(text: str) -> float | None:
    """A number, or what a word such as win or checkmated is worth."""
    if (number := points_of(normalized(text))) is not None:
        return number
    said = meanings(text)
    if "" in said:
        return 0.5
    known = (said[each] for each in ("record", "per game site", "truth") if each in said)
    return next((SCORES[meaning] for meaning in known), None)
