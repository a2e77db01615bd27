"""Results compared by what they hold, arrays and all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

__all__ = ["equal_fields"]


def equal_fields(one: Any, other: Any) -> bool:
    """Whether two dataclasses of one type hold the same; unknown numbers are equal.

    Examples
    --------
    >>> from yardstone.ratings.result import Estimate
    >>> equal_fields(Estimate(1.0, float("nan")), Estimate(1.0, float("nan")))
    True
    """
    return type(one) is type(other) and all(
        _same(getattr(one, part.name), getattr(other, part.name))
        for part in fields(one)
        if part.compare
    )


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        one, other = np.asarray(one), np.asarray(other)
        unknown = one.dtype.kind in "fcmM" and other.dtype.kind in "fcmM"
        return bool(np.array_equal(one, other, equal_nan=unknown))
    if is_dataclass(one) and not isinstance(one, type):
        return equal_fields(one, other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, Sequence) and not isinstance(one, str) and isinstance(other, Sequence):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other or (one != one and other != other))
