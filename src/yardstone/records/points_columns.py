"""What the values of two columns with the points of the sides mean."""

from __future__ import annotations

from collections.abc import Mapping

from yardstone.errors import InputError
from yardstone.records.results import SCORES, left_out_reason, meanings, normalized, points_of

__all__ = ["read_points"]


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
    words = not any(points_of(normalized(text)) is not None for text in values)
    scores: dict[tuple[str, str], float] = {}
    left_out: dict[tuple[str, str], str] = {}
    for pair in counts:
        one, other = (values[text] for text in pair)
        if one is None or other is None:
            reasons = [left_out_reason(text) for text in pair]
            if None not in reasons or any(r == "no result" for r in reasons):
                left_out[pair] = next(r for r in reasons if r is not None)
        elif words and one + other != 1.0:
            continue  # both say that they won, or lost
        elif one == other == 0.0 and most <= 1.0 and not wins:
            if halves:
                left_out[pair] = "lost by both (0-0)"
            elif (("1", "1") not in known) and len(known) > 1:
                raise InputError(
                    f"0 in both {columns[0]!r} and {columns[1]!r} may be a draw without goals, "
                    "or a game that both lost",
                    file=file,
                    hint="leave such rows out, or write the results in one column",
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
    by_notation = meanings(text)
    if "" in by_notation:
        return 0.5
    for notation in ("record", "per game site", "truth"):
        if notation in by_notation:
            return SCORES[by_notation[notation]]
    return None
