"""The logistic law: expected score from a difference of ratings. The one place of it.

Ordo 1.2.6 manual, equations 2 to 4; Neubauer 2024, equation 3.1. Loops have the same
from `yardstone.winprob.logistic_kernels`.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "ELO_POINTS_PER_LOGIT",
    "log_logistic",
    "logistic",
    "logit",
    "points_per_logit",
    "rating_difference",
    "win_probability",
]

#: Elo's scale: 400 points for a factor of ten in the odds.
ELO_POINTS_PER_LOGIT = 400.0 / log(10.0)


def points_per_logit(points: float = 202.0, *, expected: float = 0.76) -> float:
    """Rating points for one unit of log odds, from one point of the curve.

    Ordo fixes its scale by the difference at which the stronger player scores
    76 %: 202 points by default, close to Elo's normal curve. This is 1/beta of
    the manual's equation 4.
    """
    return points / log(expected / (1.0 - expected))


def logistic(x: ArrayLike) -> NDArray[np.float64]:
    """1/(1 + exp(-x)), the probability from log odds. Never overflows."""
    return np.exp(log_logistic(x))


def log_logistic(x: ArrayLike) -> NDArray[np.float64]:
    """Logarithm of `logistic`, exact where that is 0 or 1 to all digits."""
    with np.errstate(invalid="ignore"):  # NaN stays NaN
        return np.asarray(-np.logaddexp(0.0, np.negative(x)), np.float64)


def logit(probability: ArrayLike) -> NDArray[np.float64]:
    """Log odds, the inverse of `logistic`: infinite at 0 and 1."""
    p = np.asarray(probability, np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p) - np.log1p(-p), np.float64)


def win_probability(
    difference: ArrayLike, *, points_per_logit: float = ELO_POINTS_PER_LOGIT
) -> NDArray[np.float64]:
    """Expected score (0 to 1) of a player who is `difference` points stronger.

    Equation 4 of the Ordo manual.
    """
    return logistic(np.asarray(difference, np.float64) / points_per_logit)


def rating_difference(
    expected: ArrayLike, *, points_per_logit: float = ELO_POINTS_PER_LOGIT
) -> NDArray[np.float64]:
    """Inverse of `win_probability`: infinite at 0 and 1."""
    return points_per_logit * logit(expected)
