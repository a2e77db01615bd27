"""Intervals in words, those included that lack an end."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["interval_words", "rank_words"]


def interval_words(low: float | None, high: float | None, written: Callable[[float], str]) -> str:
    """Two ends, or a bound.

    Parameters
    ----------
    low, high : float or None
        None where the interval has no end.
    written : callable
        How a number is written.

    Examples
    --------
    >>> [interval_words(*ends, str) for ends in ((1, 2), (None, 2), (1, None), (None, None))]
    ['1 to 2', 'below 2', 'above 1', 'none']
    """
    if low is None:
        return "none" if high is None else f"below {written(high)}"
    return f"above {written(low)}" if high is None else f"{written(low)} to {written(high)}"


def rank_words(low: str | None, high: str | None) -> str:
    """The ranks of the ends of an interval, of which at least one is there.

    Examples
    --------
    >>> [rank_words(*ends) for ends in (("1k", "2d"), (None, "5k"), ("9d", None), ("3d", "3d"))]
    ['1k to 2d', '5k or weaker', '9d or stronger', '3d']
    """
    if low is None:
        return f"{high} or weaker"
    if high is None:
        return f"{low} or stronger"
    return low if low == high else f"{low} to {high}"
