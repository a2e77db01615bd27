"""A column of results as the reader of tables knows it, and what must be asked about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from yardstone.errors import InputError
from yardstone.records.results import NOTATIONS, Side, normalized, points_of
from yardstone.records.skipped_records import MOST_UNREAD, listed_values

__all__ = ["ResultColumn", "check_numbers", "names_or_results", "two_readings", "whose"]

#: So many values are shown in a message.
_SHOWN = 6


@dataclass(frozen=True)
class ResultColumn:
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
    stated : mapping of str to float or None
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
    stated: Mapping[str, float | None] = field(default_factory=dict)


def check_numbers(
    column: ResultColumn,
    by_text: Mapping[str, Mapping[str, int]],
    notation: str,
    counts: Mapping[str, int],
) -> None:
    """Ask about numbers that no notation knows."""
    odd = sum(
        counts[text]
        for text, meaning in by_text.items()
        if notation not in meaning and "" not in meaning and points_of(normalized(text)) is not None
    )
    if odd <= MOST_UNREAD * sum(counts.values()):
        return
    raise InputError(
        f"the numbers in {column.name!r} ({_common(column.counts)}) may be the margin of "
        f"{column.players[0]!r}, its points alone, or something else",
        file=column.file,
        hint=f"choose with columns: margin={column.name}, or first_score=… and second_score=… "
        "for points in two columns; or what each value means with results, as in 3=win,1=draw",
    )


def names_or_results(column: ResultColumn, notation: str) -> InputError:
    """Values that may be names of players, or a result in a notation."""
    return InputError(
        f"the values of {column.name!r} ({_common(column.counts)}) may be names of the players or "
        f"{NOTATIONS[notation]}",
        file=column.file,
        hint="say what they mean with results, as in 1=win,0=loss",
    )


def two_readings(column: ResultColumn, readings: Mapping[str, Mapping[str, float]]) -> InputError:
    """Values of which several notations know equally many, and do not agree."""
    ways = [f"{NOTATIONS[name]} ({_as_given(column, scores)})" for name, scores in readings.items()]
    return InputError(
        f"the values of {column.name!r} ({_common(column.counts)}) can be read as "
        + " or as ".join(ways),
        file=column.file,
        hint="choose with results, as in the brackets; win and loss are those of "
        f"{column.players[0]!r}",
    )


def whose(
    column: ResultColumn, notation: str, by_text: Mapping[str, Mapping[str, int]]
) -> InputError:
    """Values that tell the result of one side, and nothing says which."""
    text = max(
        (text for text, meaning in by_text.items() if meaning.get(notation, 0)),
        key=lambda text: column.counts[text],
    )
    one, other = column.players
    return InputError(
        f"{text!r} in {column.name!r} may tell the result of {one!r} or of {other!r}",
        file=column.file,
        hint=f"choose with columns: first={one},second={other},first_score={column.name} or "
        f"first={one},second={other},second_score={column.name}",
    )


def _as_given(column: ResultColumn, scores: Mapping[str, float]) -> str:
    name = {1.0: "win", 0.5: "draw", 0.0: "loss"}
    ordered = sorted(scores, key=lambda text: -column.counts[text])[:_SHOWN]
    return ",".join(f"{text}={name[scores[text]]}" for text in ordered)


def _common(counts: Mapping[str, int]) -> str:
    return listed_values(Counter(counts), most=_SHOWN)
