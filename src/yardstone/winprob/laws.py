"""The logistic and the normal law for arrays, and Davidson's law of draws.

The logistic law gives an expected score from a difference of ratings (Ordo 1.2.6 manual,
equations 2 to 4; Neubauer 2024, equation 3.1). Inside loops it stands in `_laws.pxd`.

Davidson's law is in the form Ordo uses. The expected score p fixes W + D/2; the draw rate of
equal opponents fixes how much of it is draws, through D^2 = nu^2 W L with nu constant (Ordo
1.2.6 manual, equations 13 to 33; its nu is 1/phi, not phi^-2). With u = (1 - d0)/d0 and
a = u^2 - 1, equation 30 gives D = 4pq / (1 + sqrt(1 + 4apq)), a form that is also right at
d0 = 1/2, where equation 36 reads 0/0 and D = 2pq.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from yardstone.arrays import Floats


#: Elo's scale: 400 points for a factor of ten in the odds.
ELO_POINTS_PER_LOGIT = 400.0 / log(10.0)


#: The EGF's law since 2021: log odds are differences of -7 ln(3300 - rating), up to 3290.
EGF_POLE, EGF_CEILING, EGF_STEEPNESS = 3300.0, 3290.0, 7.0


def egf_probability(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return the EGF's expected score of a player rated `first` against `second`."""
    one, two = (EGF_POLE - np.minimum(rating, EGF_CEILING) for rating in (first, second))
    return logistic(EGF_STEEPNESS * np.log(two / one))


def bisect(
    beyond: Callable[[Any], ArrayLike], low: ArrayLike, high: ArrayLike, halvings: int = 60
) -> Floats:
    """Return the places between `low` and `high` from which on `beyond` is true."""
    for _ in range(halvings):
        middle = 0.5 * np.add(low, high)
        there = beyond(middle)
        low, high = np.where(there, low, middle), np.where(there, middle, high)
    return np.asarray(0.5 * np.add(low, high))


def points_per_logit(points: float = 202.0, *, expected: float = 0.76) -> float:
    """Rating points for one unit of log odds, from one point of the curve.

    Ordo fixes its scale by the difference at which the stronger player scores 76 %: 202 points by
    default, close to Elo's normal curve. This is 1/beta of the manual's equation 4.
    """
    return points / log(expected / (1.0 - expected))


def logistic(x: ArrayLike) -> Floats:
    """1/(1 + exp(-x)), the probability from log odds. Never overflows."""
    return np.exp(log_logistic(x))


def log_logistic(x: ArrayLike) -> Floats:
    """Logarithm of `logistic`, exact where that is 0 or 1 to all digits."""
    with np.errstate(invalid="ignore"):  # NaN stays NaN
        return np.asarray(-np.logaddexp(0.0, np.negative(x)), np.float64)


def logit(probability: ArrayLike) -> Floats:
    """Log odds, the inverse of `logistic`: infinite at 0 and 1."""
    p = np.asarray(probability, np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p) - np.log1p(-p), np.float64)


def normal_cdf(x: ArrayLike) -> Floats:
    """Probability that a standard normal value lies below `x`."""
    return _normal(x, logarithm=False)


def normal_log_cdf(x: ArrayLike) -> Floats:
    """Logarithm of `normal_cdf`, exact where that is 0 or 1 to all digits."""
    return _normal(x, logarithm=True)


def _normal(x: ArrayLike, *, logarithm: bool) -> Floats:
    from yardstone.winprob._normal import fill

    values = np.asarray(x, np.float64, order="C")
    found = np.empty(values.shape)
    fill(values.ravel(), found.ravel(), logarithm)
    return found


def win_probability(
    difference: ArrayLike, *, points_per_logit: float = ELO_POINTS_PER_LOGIT
) -> Floats:
    """Expected score (0 to 1) of a player who is `difference` points stronger.

    Equation 4 of the Ordo manual.
    """
    return logistic(np.asarray(difference, np.float64) / points_per_logit)


def rating_difference(
    expected: ArrayLike, *, points_per_logit: float = ELO_POINTS_PER_LOGIT
) -> Floats:
    """Inverse of `win_probability`: infinite at 0 and 1."""
    return points_per_logit * logit(expected)


def _root(expected: Floats, spread: Floats) -> Floats:
    """sqrt(1 + 4apq) with a = spread - 1, free of cancellation."""
    root: Floats = np.sqrt((1.0 - 2.0 * expected) ** 2 + 4.0 * spread * expected * (1.0 - expected))
    return root


def draw_probability(expected: ArrayLike, draw_rate: ArrayLike) -> Floats:
    """Probability of a draw between players of the given expected score (0 to 1).

    `draw_rate` is that of equal opponents, 0 to 1; shapes broadcast. Ordo manual, equation 36.
    """
    p = np.asarray(expected, np.float64)
    d0 = np.asarray(draw_rate, np.float64)
    variance = p * (1.0 - p)
    with np.errstate(divide="ignore", invalid="ignore"):
        draw = 4.0 * variance / (1.0 + _root(p, ((1.0 - d0) / d0) ** 2))
    return np.where(d0 > 0.0, draw, 0.0)


def win_draw_loss(expected: ArrayLike, draw_rate: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Probabilities of win, draw and loss; they sum to 1 and W + D/2 is `expected`.

    The smaller of win and loss is computed without cancellation, so that it
    stays positive at any difference of strength. Arguments as in
    `draw_probability`; Ordo manual, equations 19 and 31 to 33.
    """
    p, d0 = np.broadcast_arrays(np.asarray(expected, np.float64), np.asarray(draw_rate, np.float64))
    q = 1.0 - p
    draw = draw_probability(p, d0)
    small = np.minimum(p, q)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = ((1.0 - d0) / d0) ** 2
        root = _root(p, spread)
        rest = small * 4.0 * spread * p * q / ((1.0 + root) * (root + np.abs(p - q)))
    rest = np.where(d0 > 0.0, np.where(np.isnan(rest), 0.0, rest), small)
    other = 1.0 - draw - rest
    return np.where(p >= q, other, rest), draw, np.where(p >= q, rest, other)
