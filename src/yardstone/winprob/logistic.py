"""The logistic law: expected score from a difference of ratings.

Ordo 1.2.6 manual, equations 2 to 4; Neubauer 2024, equation 3.1.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ELO_POINTS_PER_LOGIT", "expected_score", "points_per_logit", "rating_difference"]

#: Elo's scale: 400 points for a factor of ten in the odds.
ELO_POINTS_PER_LOGIT = 400.0 / log(10.0)


def points_per_logit(points: float = 202.0, *, expected: float = 0.76) -> float:
    """Rating points for one unit of log odds, from one point of the curve.

    Ordo fixes its scale by the difference at which the stronger player scores
    76 %: 202 points by default, close to Elo's normal curve. This is 1/beta of
    the manual's equation 4.
    """
    return points / log(expected / (1.0 - expected))


def expected_score(
    difference: ArrayLike, *, points_per_logit: float = ELO_POINTS_PER_LOGIT
) -> NDArray[np.float64]:
    """Expected score (0 to 1) of a player who is `difference` points stronger.

    Equation 4 of the Ordo manual. Never overflows.
    """
    logit = np.asarray(difference, np.float64) / points_per_logit
    return np.exp(-np.logaddexp(0.0, -logit))


def rating_difference(
    expected: ArrayLike, *, points_per_logit: float = ELO_POINTS_PER_LOGIT
) -> NDArray[np.float64]:
    """Inverse of `expected_score`: infinite at 0 and 1."""
    score = np.asarray(expected, np.float64)
    with np.errstate(divide="ignore"):
        return points_per_logit * (np.log(score) - np.log1p(-score))
