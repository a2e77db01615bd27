"""What the values of a whole column of results mean.

The notation that knows most of the values is taken. Where two know equally many and
do not agree, or a value may be the one player's or the other's, the caller is asked:
an `InputError` says what the readings are and how to choose.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from yardstone.errors import InputError, UsageError
from yardstone.records.column_names import label, tells_winner, words
from yardstone.records.results import (
    NOTATIONS,
    Side,
    left_out_reason,
    meanings,
    normalized,
    points_of,
)
from yardstone.records.skipped_records import MOST_UNREAD, listed_values

__all__ = ["Column", "Names", "Reading", "given_scores", "read_column", "read_points"]

_SCORES = {1: 1.0, 0: 0.5, -1: 0.0}
_GIVEN = {
    "win": 1.0, "won": 1.0, "1": 1.0, "draw": 0.5, "0.5": 0.5, "½": 0.5, "tie": 0.5,
    "loss": 0.0, "lost": 0.0, "0": 0.0, "skip": None,
}  # fmt: skip
#: Notations whose texts tell the result of one side, which must be known.
_OF_ONE_SIDE = frozenset(
    {"record", "points", "pair", "number", "sign", "match points", "truth", "per game site"}
)
_WON = re.compile(r"[ _]?\b(?:wins?|won|victory)\b.*|(?<=[a-z])(?:wins?|won)$")
#: So many values are shown in a message.
_SHOWN = 6


@dataclass(frozen=True)
class Column:
    """A column of results and what is known about it.

    Attributes
    ----------
    name : str
    counts : mapping of str to int
        Its values and how often each occurs.
    labels : pair of str
        What the columns of `first` and `second` are called (`Roles.labels`).
    players : pair of str
        Names of those columns.
    file : str
        For messages.
    subject : {0, 1}, optional
        The side whose result a text such as ``1`` or ``win`` tells; None asks.
    pair_subject : {0, 1}, optional
        The side whose points stand first in ``2-1``; None asks.
    colour : {"white", "black"}, optional
        The colour of `first`, if it is known.
    sure : bool
        Whether the caller, or the column's name, says whose result it tells.
    given : mapping of str to float or None
        What the caller says of values, in lower case.
    """

    name: str
    counts: Mapping[str, int]
    labels: tuple[str, str]
    players: tuple[str, str]
    file: str
    subject: int | None = 0
    pair_subject: int | None = 0
    colour: Side | None = None
    sure: bool = False
    given: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Names:
    """How far the values of a column are names of the players of their rows.

    Attributes
    ----------
    rows : int
        Rows whose value is the name of one of the two.
    differ : callable
        Whether scores of texts contradict the names in any row.
    """

    rows: int
    differ: Callable[[Mapping[str, float]], bool]


@dataclass(frozen=True)
class Reading:
    """What the values of a column mean.

    Attributes
    ----------
    scores : mapping of str to float
        Points of `first` by text.
    left_out : mapping of str to str
        Texts that are understood but no result, and why.
    unknown : Counter of str
        Values that are not understood; with `by_name` those that no row explains are
        among them.
    by_name : bool
        Whether the names of the players tell who won.
    notation : str
    """

    scores: Mapping[str, float]
    left_out: Mapping[str, str]
    unknown: Counter[str]
    by_name: bool = False
    notation: str = ""


def given_scores(results: Mapping[str, object] | str | None) -> dict[str, float | None]:
    """What a caller says that values mean, for `Column.given`.

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
    >>> given_scores("H=win, A=loss, P=skip")
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
    found = {}
    for each, meaning in results.items():
        value = str(each)
        key = "skip" if meaning is None else normalized(str(meaning))
        if isinstance(meaning, int | float):
            key = f"{float(meaning):g}"
        if key not in _GIVEN:
            raise UsageError(
                f"results {value!r}: {meaning!r} is none of win, draw, loss and skip "
                "(for the first player)"
            )
        found[normalized(value)] = _GIVEN[key]
    return found


def read_column(column: Column, names: Callable[[], Names] | None = None) -> Reading:
    """What the values of a column of results mean.

    Parameters
    ----------
    column : Column
    names : callable, optional
        Counts how many values are names of players; called only where that matters.

    Raises
    ------
    InputError
        If the values can be read in two ways that do not agree.
    """
    known, left_out, open_counts = _understood(column)
    said = {text: _meanings(text, column, open_counts) for text in open_counts}
    covered = _coverage(said, open_counts, column)
    best = max(covered.values(), default=0)
    total = sum(open_counts.values())
    notations = [name for name, number in covered.items() if number == best and best]
    draws = {text: 0.5 for text, meaning in said.items() if "" in meaning}
    if names is not None and (best < total or tells_winner(column.name)):
        by_name = _by_names(column, names(), draws, open_counts, best, said, notations)
        if by_name is not None:
            scores = {**known, **draws}
            return Reading(scores, left_out, by_name, by_name=True, notation="names")
    _check_numbers(column, said, notations[0] if notations else "", open_counts)
    readings = {name: _scores_of(name, said, column) for name in notations}
    if len({tuple(sorted(scores.items())) for scores in readings.values()}) > 1:
        raise _two_readings(column, readings)
    scores = next(iter(readings.values()), draws)
    unknown = Counter({t: n for t, n in open_counts.items() if t not in scores})
    notation = notations[0] if notations else ""
    both_zero = _nothing_each(scores, said, column) if notation == "pair" else {}
    scores = {text: score for text, score in scores.items() if text not in both_zero}
    return Reading({**known, **scores}, {**left_out, **both_zero}, unknown, notation=notation)


def _understood(
    column: Column,
) -> tuple[dict[str, float], dict[str, str], dict[str, int]]:
    """What the caller or the text alone tells, and what is left to be read."""
    known: dict[str, float] = {}
    left_out: dict[str, str] = {}
    rest: dict[str, int] = {}
    for text, number in column.counts.items():
        key = normalized(text)
        if key in column.given:
            score = column.given[key]
            if score is None:
                left_out[text] = "left out as asked"
            else:
                known[text] = score
        elif (reason := left_out_reason(text)) is not None:
            left_out[text] = reason
        else:
            rest[text] = number
    return known, left_out, rest


def _meanings(text: str, column: Column, counts: Mapping[str, int]) -> dict[str, int]:
    """Meanings by notation; those of sides, colours and numbers as seen from `first`."""
    said = dict(meanings(text))
    if column.colour is None:
        said.pop("colour", None)
    elif "colour" in said and column.colour == "black":
        said["colour"] = -said["colour"]
    side = _side(text, column, counts)
    if side is not None:
        said["sides"] = side
    if "number" in said and column.labels in (("2", "1"), ("away", "home")):
        said["number"] = -said["number"]
    return said


def _side(text: str, column: Column, counts: Mapping[str, int]) -> int | None:
    """Whether a text names the side of `first` (1) or of `second` (-1)."""
    key = _WON.sub("", normalized(text)).strip(" _")
    if not key:
        return None
    for place, player in enumerate(column.players):
        if key == player.lower() or words(key) == words(player):
            return 1 - 2 * place
    known = label(key) if len(key) > 1 or key in "h12" else None
    said = known[0] if known is not None else None
    labels = set(column.labels)
    lettered = "h" in {normalized(each) for each in counts} or "away" in labels
    if words(key)[-1:] == ["a"]:
        said = "away" if lettered else "a"
    elif words(key)[-1:] == ["b"] and labels.isdisjoint({"white", "black"}):
        said = "b"
    if said is None:
        return None
    if said in labels:
        return 1 if said == column.labels[0] else -1
    if not labels.isdisjoint({"white", "black", "blue", "red"}):
        return None
    return {"home": 1, "away": -1, "a": 1, "b": -1, "first": 1, "second": -1}.get(said)


def _coverage(
    said: Mapping[str, Mapping[str, int]], counts: Mapping[str, int], column: Column
) -> dict[str, int]:
    """How many records each notation that can be meant explains."""
    keys = {normalized(text) for text in said}
    numbers = {points_of(key) for key in keys}
    possible = set(NOTATIONS)
    if not {2.0} & numbers and "x" not in keys:
        possible -= {"number"}
    sided = column.labels in (("1", "2"), ("2", "1")) and 0.0 not in numbers
    if 2.0 not in numbers or sided or tells_winner(column.name):
        possible -= {"match points"}
    if -1.0 not in numbers:
        possible -= {"sign"}
    if "win" not in keys or not any(
        "per game site" in m and m["per game site"] < 0 for m in said.values()
    ):
        possible -= {"per game site"}
    if column.colour is None:
        possible -= {"colour"}
    covered: dict[str, int] = {}
    for name in NOTATIONS:
        known = [t for t, m in said.items() if name in m]
        if name in possible and known:
            covered[name] = sum(counts[t] for t, m in said.items() if name in m or "" in m)
    return covered


def _scores_of(
    notation: str, said: Mapping[str, Mapping[str, int]], column: Column
) -> dict[str, float]:
    """Points of `first` by text in one notation."""
    turned = False
    if notation in _OF_ONE_SIDE - {"number"}:
        subject = column.pair_subject if notation == "pair" else column.subject
        if subject is None and any(m.get(notation, 0) for m in said.values()):
            raise _whose(column, notation, said)
        turned = subject == 1
    scores = {}
    for text, meaning in said.items():
        value = meaning.get(notation, meaning.get(""))
        if value is not None:
            scores[text] = _SCORES[-value if turned else value]
    keys = {normalized(text) for text in said}
    index = notation == "points" and keys <= {"0", "1", "0.0", "1.0"} and len(keys) > 1
    if (notation == "truth" or (index and tells_winner(column.name))) and not column.sure:
        raise _whose(column, notation, said)
    return scores


def _by_names(
    column: Column,
    names: Names,
    draws: Mapping[str, float],
    counts: Mapping[str, int],
    best: int,
    said: Mapping[str, Mapping[str, int]],
    notations: list[str],
) -> Counter[str] | None:
    """The values that are no names, if names explain the column best; else None."""
    covered = names.rows + sum(counts[text] for text in draws)
    if not names.rows or covered < best:
        return None
    if covered == best and notations:
        readings = {name: _scores_of(name, said, column) for name in notations}
        if notations == ["sides"] and tells_winner(column.name):
            return Counter({text: n for text, n in counts.items() if text not in draws})
        if any(names.differ(scores) for scores in readings.values()):
            raise InputError(
                f"the values of {column.name!r} ({_shown(column.counts)}) may be names of the "
                f"players or {NOTATIONS[notations[0]]}",
                file=column.file,
                mend="say what they mean with results, as in 1=win,0=loss",
            )
        return None
    return Counter({text: number for text, number in counts.items() if text not in draws})


def _nothing_each(
    scores: Mapping[str, float], said: Mapping[str, Mapping[str, int]], column: Column
) -> dict[str, str]:
    """``0-0`` is a draw of goals, but in chess two losses: decided by the other values."""
    nil = [text for text in scores if re.fullmatch(r"\(?0\s*[-:]\s*0\)?", normalized(text))]
    if not nil:
        return {}
    halves = any("" in said[text] or "½" in normalized(text) or ".5" in text for text in scores)
    plain = all(
        re.fullmatch(r"[01½]\s*[-:]\s*[01½]", normalized(text)) or "" in said[text]
        for text in scores
    )
    if halves and plain:
        return dict.fromkeys(nil, "lost by both (0-0)")
    if plain and not any(re.fullmatch(r"1\s*[-:]\s*1", normalized(text)) for text in scores):
        raise InputError(
            f"{nil[0]!r} in {column.name!r} may be a draw without goals, or a game that both lost",
            file=column.file,
            mend=f"say which with results: {nil[0]}=draw or {nil[0]}=skip",
        )
    return {}


def _check_numbers(
    column: Column,
    said: Mapping[str, Mapping[str, int]],
    notation: str,
    counts: Mapping[str, int],
) -> None:
    """Ask about numbers that no notation knows."""
    odd = sum(
        counts[text]
        for text, meaning in said.items()
        if notation not in meaning and "" not in meaning and points_of(normalized(text)) is not None
    )
    if odd <= MOST_UNREAD * sum(counts.values()):
        return
    raise InputError(
        f"the numbers in {column.name!r} ({_shown(column.counts)}) may be the margin of "
        f"{column.players[0]!r}, its points alone, or something else",
        file=column.file,
        mend=f"say which with columns: margin={column.name}, or first_score=… and second_score=… "
        "for points in two columns; or what each value means with results, as in 3=win,1=draw",
    )


def _two_readings(column: Column, readings: Mapping[str, Mapping[str, float]]) -> InputError:
    ways = [f"{NOTATIONS[name]} ({_as_given(column, scores)})" for name, scores in readings.items()]
    return InputError(
        f"the values of {column.name!r} ({_shown(column.counts)}) can be read as "
        + " or as ".join(ways),
        file=column.file,
        mend="say which with results, as in the brackets; win and loss are those of "
        f"{column.players[0]!r}",
    )


def _whose(column: Column, notation: str, said: Mapping[str, Mapping[str, int]]) -> InputError:
    text = max(
        (text for text, meaning in said.items() if meaning.get(notation, 0)),
        key=lambda text: column.counts[text],
    )
    one, other = column.players
    return InputError(
        f"{text!r} in {column.name!r} may tell the result of {one!r} or of {other!r}",
        file=column.file,
        mend=f"say which with columns: first={one},second={other},first_score={column.name} or "
        f"first={one},second={other},second_score={column.name}",
    )


def _as_given(column: Column, scores: Mapping[str, float]) -> str:
    name = {1.0: "win", 0.5: "draw", 0.0: "loss"}
    ordered = sorted(scores, key=lambda text: -column.counts[text])[:_SHOWN]
    return ",".join(f"{text}={name[scores[text]]}" for text in ordered)


def _shown(counts: Mapping[str, int]) -> str:
    return listed_values(Counter(counts), most=_SHOWN)


def read_points(
    counts: Mapping[tuple[str, str], int], columns: tuple[str, str], file: str, *, wins: bool
) -> tuple[dict[tuple[str, str], float], dict[tuple[str, str], str]]:
    """Points of `first` for each pair of points of both, and pairs that do not count.

    Parameters
    ----------
    counts : mapping
        Pairs of values and how often each occurs.
    columns : pair of str
        For messages.
    file : str
    wins : bool
        Whether the columns say of each side whether it won, so that nothing for both
        is a draw.
    """
    values = {text: _value(text, counts) for pair in counts for text in pair}
    known = [pair for pair in counts if values[pair[0]] is not None and values[pair[1]] is not None]
    most = max((value for value in values.values() if value is not None), default=0.0)
    halves = any(value == 0.5 for value in values.values())
    scores: dict[tuple[str, str], float] = {}
    left_out: dict[tuple[str, str], str] = {}
    for pair in counts:
        one, other = (values[text] for text in pair)
        if one is None or other is None:
            reasons = [left_out_reason(text) for text in pair]
            if None not in reasons or any(r == "no result" for r in reasons):
                left_out[pair] = next(r for r in reasons if r is not None)
        elif one == other == 0.0 and most <= 1.0 and not wins:
            if halves:
                left_out[pair] = "lost by both (0-0)"
            elif (("1", "1") not in known) and len(known) > 1:
                raise InputError(
                    f"0 in both {columns[0]!r} and {columns[1]!r} may be a draw without goals, "
                    "or a game that both lost",
                    file=file,
                    mend="leave such rows out, or write the results in one column",
                )
            else:
                scores[pair] = 0.5
        else:
            scores[pair] = 1.0 if one > other else 0.0 if one < other else 0.5
    return scores, left_out


def _value(text: str, counts: Mapping[tuple[str, str], int]) -> float | None:
    """A number, or what a word such as win or checkmated is worth."""
    key = normalized(text)
    if (number := points_of(key)) is not None:
        return number
    said = meanings(text)
    if "" in said:
        return 0.5
    for notation in ("record", "per game site", "truth"):
        if notation in said:
            return _SCORES[said[notation]]
    return None
