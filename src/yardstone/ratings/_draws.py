"""The draw rate of equal opponents, from the draws that were played.

Ordo's estimate makes the expected number of draws equal the observed one
(manual, equations 34 to 37).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.kernels import kernel
from yardstone.ratings._newton import pair_probabilities
from yardstone.ratings.result import Estimate
from yardstone.winprob.logistic import logistic, logit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import PairCounts
    from yardstone.ratings.result import JointRatings

    Floats = NDArray[np.float64]

__all__ = ["draw_rate_interval", "fit_draw_rate", "squared_spread", "unbiased_draw_rate"]

#: tau = ln((1 - d0)/d0) is looked for between -_EDGE and _EDGE.
_EDGE = 40.0


def squared_spread(draw_rate: float) -> float:
    """((1 - d0)/d0)^2, the parameter of the kernels; -1 ("no draws") at d0 = 0."""
    return ((1.0 - draw_rate) / draw_rate) ** 2 if draw_rate > 0.0 else -1.0


def unbiased_draw_rate(ratings: JointRatings, counts: PairCounts) -> Estimate:
    """The draw rate freed of what fitting the ratings did to it.

    Fitted ratings differ more than the true ones do, so draws look too frequent for them:
    with six games a player by several points. The correction is the one step of the
    likelihood adjusted for its other parameters (Cox and Reid 1987), which the draw
    parameter is orthogonal to. Rates that were given, or lie at an edge, stay as they are.
    """
    rate, deviation = ratings.draw_rate.value, ratings.draw_rate.deviation
    if not (deviation > 0.0 and 0.0 < rate < 1.0):
        return ratings.draw_rate
    points, u2 = ratings.points_per_logit, squared_spread(rate)
    push = 0.0
    for part in counts.blocks():
        i, j = part.first, part.second
        x = (ratings.rating[i] + ratings.first_advantage.value - ratings.rating[j]) / points
        spread = ratings.deviation[i] ** 2 + ratings.deviation[j] ** 2
        if ratings.covariance is not None:
            spread = spread - 2.0 * ratings.covariance[i, j]
        same = ratings.component[i] == ratings.component[j]
        known = np.isfinite(x) & np.isfinite(spread) & same
        p = logistic(x[known])
        variance = p * (1.0 - p)
        root = np.sqrt((1.0 - 2.0 * p) ** 2 + 4.0 * u2 * variance)
        fall = part.games[known] * 4.0 * u2 * variance**2 / root**3
        push += float(fall @ (spread[known] + ratings.first_advantage.deviation**2) / points**2)
    step = 0.5 * push * (deviation / (rate * (1.0 - rate))) ** 2
    corrected = logistic(logit(rate) - min(step, 1.0))
    scale = corrected * (1.0 - corrected) / (rate * (1.0 - rate))
    return Estimate(float(corrected), float(deviation * scale))


def draw_rate_interval(
    ratings: JointRatings, counts: PairCounts, confidence: float
) -> tuple[float, float]:
    """Ends of the interval of the draw rate of equal opponents, 0 to 1.

    Symmetric in the log odds, so that it stays within 0 and 1. Where no game was drawn,
    from 0 to the rate at which that had the probability 1 - `confidence`.
    """
    from yardstone.ratings.superiority import half_width

    estimate = unbiased_draw_rate(ratings, counts)
    rate, deviation = estimate.value, estimate.deviation
    if deviation > 0.0 and 0.0 < rate < 1.0:
        reach = half_width(confidence) * deviation / (rate * (1.0 - rate))
        low, high = logistic(logit(rate) + np.array([-reach, reach]))
        return float(low), float(high)
    if deviation == 0.0:
        return rate, rate
    if rate > 0.0:
        return 0.0, 1.0
    gap = ratings.rating[counts.first] + ratings.first_advantage.value
    x = (gap - ratings.rating[counts.second]) / ratings.points_per_logit
    known = np.isfinite(x)
    p = logistic(x[known])
    variance, games = p * (1.0 - p), counts.games[known]
    below, above = 0.0, 1.0
    for _ in range(50):
        middle = 0.5 * (below + above)
        root = np.sqrt((1.0 - 2.0 * p) ** 2 + 4.0 * squared_spread(middle) * variance)
        none = float((games * np.log1p(-4.0 * variance / (1.0 + root))).sum())
        if none > np.log(1.0 - confidence):
            below = middle
        else:
            above = middle
    return 0.0, above


@kernel
def _expected_draws(variance: Floats, games: Floats, tau: float) -> tuple[float, float]:
    """Expected number of draws and its derivative with respect to tau."""
    u2 = np.exp(2.0 * tau)
    total, slope = 0.0, 0.0
    for k in range(len(games)):
        root = np.sqrt(max(1.0 - 4.0 * variance[k], 0.0) + 4.0 * u2 * variance[k])
        draw = 4.0 * variance[k] / (1.0 + root)
        total += games[k] * draw
        if root > 0.0:
            slope -= games[k] * u2 * draw * draw / root
    return total, slope


@kernel
def fit_draw_rate(
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    games: Floats,
    draws: float,
    x: Floats,
) -> float:
    """Draw rate (0 to 1) at which `draws` are expected; `x` are ratings and advantage.

    Newton's method on tau, kept inside a bracket by bisection.
    """
    advantage = x[len(x) - 2]
    variance = np.empty(len(first))
    for k in range(len(first)):
        p, q, _, _ = pair_probabilities(x[first[k]] + advantage - x[second[k]], -1.0)
        variance[k] = p * q
    if draws <= 0.0:
        return 0.0
    if draws >= _expected_draws(variance, games, -_EDGE)[0] * (1.0 - 1e-12):
        return 1.0
    low, high, tau = -_EDGE, _EDGE, 0.0
    for _ in range(200):
        expected, slope = _expected_draws(variance, games, tau)
        if expected > draws:
            low = tau
        else:
            high = tau
        newton = tau - (expected - draws) / slope if slope < 0.0 else low
        step = newton if low < newton < high else 0.5 * (low + high)
        if abs(step - tau) < 1e-13 * (1.0 + abs(tau)):
            tau = step
            break
        tau = step
    return float(1.0 / (1.0 + np.exp(tau)))
