"""What the values of a whole column of results mean.

The notation that knows most of the values is taken. Where two know equally many and
do not agree, or a value may be the one player's or the other's, the caller is asked:
an `InputError` says what the readings are and how to choose.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from yardstone.errors import InputError
from yardstone.records.column_names import label, tells_winner, words
from yardstone.records.result_questions import (
    ResultColumn,
    check_numbers,
    names_or_results,
    two_readings,
    whose,
)
from yardstone.records.results import (
    NOTATIONS,
    SCORES,
    WON,
    left_out_reason,
    meanings,
    normalized,
    points_of,
)

__all__ = ["Reading", "WinnerNames", "read_column"]

#: Notations whose texts tell the result of one side, which must be known.
_OF_ONE_SIDE = frozenset(
    {"record", "points", "pair", "number", "sign", "match points", "truth", "per game site"}
)
_WON = re.compile(rf"(?:^|[ _]){WON}$|(?<=[a-z])(?:wins?|won)$")


@dataclass(frozen=True)
class WinnerNames:
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


def read_column(column: ResultColumn, names: Callable[[], WinnerNames] | None = None) -> Reading:
    """What the values of a column of results mean.

    Parameters
    ----------
    column : ResultColumn
    names : callable, optional
        Counts how many values are names of players; called only where that matters.

    Raises
    ------
    InputError
        If the values can be read in two ways that do not agree.
    """
    known, left_out, open_counts = _understood(column)
    by_text = {text: _meanings(text, column, open_counts) for text in open_counts}
    covered = _coverage(by_text, open_counts, column)
    best = max(covered.values(), default=0)
    total = sum(open_counts.values())
    notations = [name for name, number in covered.items() if number == best and best]
    draws = {text: 0.5 for text, meaning in by_text.items() if "" in meaning}
    if names is not None and (best < total or tells_winner(column.name)):
        by_name = _by_names(column, names(), draws, open_counts, best, by_text, notations)
        if by_name is not None:
            scores = {**known, **draws}
            return Reading(scores, left_out, by_name, by_name=True, notation="names")
    check_numbers(column, by_text, notations[0] if notations else "", open_counts)
    readings = {name: _scores_of(name, by_text, column) for name in notations}
    if len({tuple(sorted(scores.items())) for scores in readings.values()}) > 1:
        raise two_readings(column, readings)
    scores = next(iter(readings.values()), draws)
    unknown = Counter({t: n for t, n in open_counts.items() if t not in scores})
    notation = notations[0] if notations else ""
    both_zero = _nothing_each(scores, by_text, column) if notation == "pair" else {}
    scores = {text: score for text, score in scores.items() if text not in both_zero}
    return Reading({**known, **scores}, {**left_out, **both_zero}, unknown, notation=notation)


def _understood(
    column: ResultColumn,
) -> tuple[dict[str, float], dict[str, str], dict[str, int]]:
    """What the caller or the text alone tells, and what is left to be read."""
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
    return known, left_out, rest


def _meanings(text: str, column: ResultColumn, counts: Mapping[str, int]) -> dict[str, int]:
    """Meanings by notation; those of sides, colours and numbers as seen from `first`."""
    by_notation = dict(meanings(text))
    if column.colour is None:
        by_notation.pop("colour", None)
    elif "colour" in by_notation and column.colour == "black":
        by_notation["colour"] = -by_notation["colour"]
    side = _side(text, column, counts)
    if side is not None:
        by_notation["sides"] = side
    if "number" in by_notation and column.labels in (("2", "1"), ("away", "home")):
        by_notation["number"] = -by_notation["number"]
    return by_notation


def _side(text: str, column: ResultColumn, counts: Mapping[str, int]) -> int | None:
    """Whether a text names the side of `first` (1) or of `second` (-1)."""
    key = _WON.sub("", normalized(text)).strip(" _")
    if not key:
        return None
    for place, player in enumerate(column.players):
        if key == player.lower() or words(key) == words(player):
            return 1 - 2 * place
    known = label(key) if len(key) > 1 or key in "h12" else None
    name = known[0] if known is not None else None
    labels = set(column.labels)
    lettered = "h" in {normalized(each) for each in counts} or "away" in labels
    if words(key)[-1:] == ["a"]:
        name = "away" if lettered else "a"
    elif words(key)[-1:] == ["b"] and labels.isdisjoint({"white", "black"}):
        name = "b"
    if name is None:
        return None
    if name in labels:
        return 1 if name == column.labels[0] else -1
    if not labels.isdisjoint({"white", "black", "blue", "red"}):
        return None
    return {"home": 1, "away": -1, "a": 1, "b": -1, "first": 1, "second": -1}.get(name)


def _coverage(
    by_text: Mapping[str, Mapping[str, int]], counts: Mapping[str, int], column: ResultColumn
) -> dict[str, int]:
    """How many records each notation that can be meant explains."""
    keys = {normalized(text) for text in by_text}
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
        "per game site" in m and m["per game site"] < 0 for m in by_text.values()
    ):
        possible -= {"per game site"}
    if column.colour is None:
        possible -= {"colour"}
    covered: dict[str, int] = {}
    for name in NOTATIONS:
        known = [t for t, m in by_text.items() if name in m]
        if name in possible and known:
            covered[name] = sum(counts[t] for t, m in by_text.items() if name in m or "" in m)
    return covered


def _scores_of(
    notation: str, by_text: Mapping[str, Mapping[str, int]], column: ResultColumn
) -> dict[str, float]:
    """Points of `first` by text in one notation."""
    turned = False
    if notation in _OF_ONE_SIDE - {"number"}:
        subject = column.pair_subject if notation == "pair" else column.subject
        if subject is None and any(m.get(notation, 0) for m in by_text.values()):
            raise whose(column, notation, by_text)
        turned = subject == 1
    scores = {}
    for text, meaning in by_text.items():
        value = meaning.get(notation, meaning.get(""))
        if value is not None:
            scores[text] = SCORES[-value if turned else value]
    keys = {normalized(text) for text in by_text}
    index = notation == "points" and keys <= {"0", "1", "0.0", "1.0"} and len(keys) > 1
    if (notation == "truth" or (index and tells_winner(column.name))) and not column.sure:
        raise whose(column, notation, by_text)
    return scores


def _by_names(
    column: ResultColumn,
    names: WinnerNames,
    draws: Mapping[str, float],
    counts: Mapping[str, int],
    best: int,
    by_text: Mapping[str, Mapping[str, int]],
    notations: list[str],
) -> Counter[str] | None:
    """The values that are no names, if names explain the column best; else None."""
    covered = names.rows + sum(counts[text] for text in draws)
    if not names.rows or covered < best:
        return None
    if covered == best and notations:
        readings = {name: _scores_of(name, by_text, column) for name in notations}
        if notations == ["sides"] and tells_winner(column.name):
            return Counter({text: n for text, n in counts.items() if text not in draws})
        if any(names.differ(scores) for scores in readings.values()):
            raise names_or_results(column, notations[0])
        return None
    return Counter({text: number for text, number in counts.items() if text not in draws})


def _nothing_each(
    scores: Mapping[str, float], by_text: Mapping[str, Mapping[str, int]], column: ResultColumn
) -> dict[str, str]:
    """``0-0`` is a draw of goals, but in chess two losses: decided by the other values."""
    nil = [text for text in scores if re.fullmatch(r"\(?0\s*[-:]\s*0\)?", normalized(text))]
    if not nil:
        return {}
    halves = any("" in by_text[text] or "½" in normalized(text) or ".5" in text for text in scores)
    plain = all(
        re.fullmatch(r"[01½]\s*[-:]\s*[01½]", normalized(text)) or "" in by_text[text]
        for text in scores
    )
    if halves and plain:
        return dict.fromkeys(nil, "lost by both (0-0)")
    if plain and not any(re.fullmatch(r"1\s*[-:]\s*1", normalized(text)) for text in scores):
        raise InputError(
            f"{nil[0]!r} in {column.name!r} may be a draw without goals, or a game that both lost",
            file=column.file,
            hint=f"choose with results: {nil[0]}=draw or {nil[0]}=skip",
        )
    return {}
