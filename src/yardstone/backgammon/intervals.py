"""Intervals over matches: of luck-adjusted results by Student's t, of losses by their size.

What a player loses in a match, in rating points, is positive and skew: most matches are
better than his mean, a few far worse. Student's t about the mean of a few such numbers
holds the truth too seldom, and errs to the player's advantage. A loss scatters in
proportion to its size, and in much the same proportion for most people, so the intervals
of losses are those of a scale: the cube root of the mean loss over the true one is nearly
normal (Wilson and Hilferty), with a spread that is the matches' own, drawn towards that
of people in general while there are few of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, inf, nan, sqrt
from typing import TYPE_CHECKING

import numpy as np

from yardstone.winprob import fibs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "MatchEstimate",
    "loss_interval",
    "luck_adjusted_difference",
    "mean_interval",
    "ratio_interval",
    "t_reach",
]

#: Spread of a match's loss over its mean, for one person: 0.60 over 188 people with two to
#: eight matches (348 degrees of freedom), 0.61 over the 1,135 matches of another one.
USUAL_SPREAD = 0.6
#: What that is worth beside the matches' own spread, in matches.
USUAL_WEIGHT = 4.0


@dataclass(frozen=True, slots=True)
class MatchEstimate:
    """An estimate with its interval.

    Attributes
    ----------
    value : float
        NaN where nothing is known.
    low, high : float
        NaN where a single match gives no idea of the spread; infinite where there is
        no bound. Not always as far from the value on both sides.
    error : float
        Standard error; NaN as above.
    number : int
        Of matches.
    """

    value: float = nan
    low: float = nan
    high: float = nan
    error: float = nan
    number: int = 0

    def moved(self, by: float, sign: float = 1.0) -> MatchEstimate:
        """`by` plus the estimate, or with `sign` -1 minus it."""
        low, high = sorted((by + sign * self.low, by + sign * self.high))
        return MatchEstimate(by + sign * self.value, low, high, self.error, self.number)

    def widened(self, error: float | None, level: float) -> MatchEstimate:
        """With an independent doubt of this standard error in the interval too; None adds none."""
        if not error:
            return self
        from scipy.special import ndtri

        reach = float(ndtri(0.5 + 0.5 * level)) * error
        return MatchEstimate(
            self.value,
            self.value - hypot(self.value - self.low, reach),
            self.value + hypot(self.high - self.value, reach),
            hypot(self.error, error),
            self.number,
        )


def t_reach(number: int, level: float) -> float:
    """Standard errors on either side that make up an interval of this level (0 to 1)."""
    if number < 2:
        return nan
    from scipy.special import stdtrit

    return float(stdtrit(number - 1, 0.5 + level / 2.0))


def _around(value: float, error: float, number: int, level: float) -> MatchEstimate:
    reach = t_reach(number, level) * error
    return MatchEstimate(value, value - reach, value + reach, error, number)


def mean_interval(values: ArrayLike, level: float = 0.9) -> MatchEstimate:
    """The mean of independent values, one a match, with Student's t interval.

    Van den Doel's appendix I used the normal distribution and wished for this one.
    Values that are NaN are left out.

    Examples
    --------
    >>> estimate = mean_interval([1800, 1850, 1840])
    >>> round(estimate.value), round(estimate.low), round(estimate.high)
    (1830, 1785, 1875)
    """
    x = np.asarray(values, np.float64)
    x = x[~np.isnan(x)]
    n = len(x)
    if not n:
        return MatchEstimate()
    error = float(x.std(ddof=1) / sqrt(n)) if n > 1 else nan
    return _around(float(x.mean()), error, n, level)


def _of_scale(value: float, variance: float, number: int, level: float) -> MatchEstimate:
    """MatchEstimate of a positive mean of `number` skew values of this sample variance."""
    if number < 2 or not value > 0.0:
        return MatchEstimate(value, nan, nan, nan, number)
    from scipy.special import stdtrit

    freedom = USUAL_WEIGHT + number - 1.0
    own = (number - 1.0) * variance / value**2
    share = (USUAL_WEIGHT * USUAL_SPREAD**2 + own) / freedom / number
    middle = 1.0 - share / 9.0
    reach = float(stdtrit(freedom, 0.5 + level / 2.0)) * sqrt(share / 9.0)
    high = value / (middle - reach) ** 3 if middle > reach else inf
    return MatchEstimate(value, value / (middle + reach) ** 3, high, value * sqrt(share), number)


def loss_interval(values: ArrayLike, level: float = 0.9) -> MatchEstimate:
    """The mean of positive, skew values, one a match, with an interval for a scale.

    Values that are NaN are left out. A single match has no interval, nor has a player
    who lost nothing.

    Examples
    --------
    >>> estimate = loss_interval([250, 200, 210])
    >>> round(estimate.value), round(estimate.low), round(estimate.high)
    (220, 135, 420)
    """
    x = np.asarray(values, np.float64)
    x = x[~np.isnan(x)]
    if not len(x):
        return MatchEstimate()
    variance = float(x.var(ddof=1)) if len(x) > 1 else nan
    return _of_scale(float(x.mean()), variance, len(x), level)


def ratio_interval(
    parts: list[tuple[NDArray[np.float64], NDArray[np.float64]]], level: float = 0.9
) -> MatchEstimate:
    """A sum of ratios of totals, each over all matches: sum(above)/sum(below).

    The variance is that of the linearised ratios, the interval that of `loss_interval`.
    A part without anything below counts as 0.
    """
    n = len(parts[0][0])
    value, residual = 0.0, np.zeros(n)
    known = False
    for above, below in parts:
        whole = float(below.sum())
        if whole <= 0.0:
            continue
        known = True
        ratio = float(above.sum()) / whole
        value += ratio
        residual += (above - ratio * below) * (n / whole)
    if not known:
        return MatchEstimate()
    variance = float(residual.var(ddof=1)) if n > 1 else nan
    return _of_scale(value, variance, n, level)


def luck_adjusted_difference(
    adjusted: ArrayLike, length: ArrayLike, level: float = 0.9
) -> MatchEstimate:
    """Rating difference from luck-adjusted results, averaged before any logarithm.

    Solves mean(P(D, N)) = mean(adjusted) for D, with P the curve of FIBS: for matches
    of one length that is the inverse of the curve at the mean. The interval's ends
    solve the same for the ends of the mean's interval.

    Parameters
    ----------
    adjusted : array_like
        Luck-adjusted results as probabilities; they may leave 0 to 1. NaN is left out.
    length : array_like
        Points to win, of each match.
    level : float
        Of the interval.

    Examples
    --------
    >>> estimate = luck_adjusted_difference([0.62, 0.55, 0.63, 0.60], 5)
    >>> round(estimate.value), round(estimate.low), round(estimate.high)
    (158, 91, 227)
    """
    p, points = np.broadcast_arrays(
        np.asarray(adjusted, np.float64), np.asarray(length, np.float64)
    )
    kept = ~np.isnan(p)
    p, points = p[kept], points[kept]
    if not len(p):
        return MatchEstimate()
    mean = mean_interval(p, level)
    ends = [_solve(share, points) for share in (mean.value, mean.low, mean.high)]
    value, low, high = ends
    slope = nan
    if np.isfinite(value):
        chance = fibs.probability(value, 0.0, points)
        slope = float((chance * (1.0 - chance) * fibs.steepness(points)).mean())
    return MatchEstimate(value, low, high, mean.error / slope, mean.number)


def _solve(share: float, length: NDArray[np.float64]) -> float:
    """The difference at which the mean probability is `share`."""
    if np.isnan(share):
        return nan
    if share <= 0.0 or share >= 1.0:
        return inf if share >= 1.0 else -inf
    from scipy.optimize import brentq

    # The answer lies between those for the shortest and the longest match.
    ends = sorted(float(fibs.difference(share, n)) for n in (length.min(), length.max()))
    if ends[1] - ends[0] < 1e-9:
        return ends[0]
    return float(
        brentq(lambda d: float(fibs.probability(d, 0.0, length).mean()) - share, *ends, xtol=1e-9)
    )
