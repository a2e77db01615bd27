"""How far results vary where games belong together, such as two of one opening.

The equations that fix the ratings answer to the residuals of the games, and residuals
of one cluster are correlated. Its covariance is known in two ways: from the cluster
itself, by the outer product of its summed residuals, which needs many clusters of the
same players to say anything (intervals held in a quarter of cases with one, in four fifths
with three); and from
the correlation common to all clusters, which even a newcomer's single pair can use. Both
are averaged, in proportion to what the players have played.

All players of a cluster are two, so its residuals live in two directions: towards the
player of the lower number, d = e_low - e_high, and towards the side that moves first, e_w.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.ratings._draws import squared_spread
from yardstone.winprob.logistic import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings._setup import Setup
    from yardstone.ratings.result import JointRatings
    from yardstone.ratings.uncertainty import Clusters

    Floats = NDArray[np.float64]

__all__ = ["clustered_meat"]

#: Clusters of a player's own at which they weigh as much as what is common to all.
OWN_CLUSTERS = 30.0
#: Clusters of no correlation, added to those that the common correlation comes from.
_CAUTION = 2.0


@dataclass(frozen=True)
class _Sums:
    """Per cluster, over the games in which the lower player moved first, and the others.

    `residual`, its `square`, the `variance` of the model and its root (`deviation`),
    each (2, clusters).
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    residual: Floats
    square: Floats
    variance: Floats
    deviation: Floats


def _sums(setup: Setup, ratings: JointRatings, grouped: Clusters) -> _Sums:
    pool = grouped.pool
    kept = setup.rated[pool.first] & setup.rated[pool.second]
    kept &= setup.component[pool.first] == setup.component[pool.second]
    i, j, score = pool.first[kept], pool.second[kept], pool.score[kept]
    rating = ratings.rating
    logit = (rating[i] + ratings.first_advantage.value - rating[j]) / ratings.points_per_logit
    p = logistic(logit)
    u2 = squared_spread(ratings.draw_rate.value)
    root = np.full_like(p, np.inf)
    if u2 >= 0.0:
        root = np.sqrt((1.0 - 2.0 * p) ** 2 + 4.0 * u2 * p * (1.0 - p))
    spread = 1.0 / (1.0 + 1.0 / np.maximum(root, 1e-9))  # variance of a score over p (1 - p)
    weight = 1.0 / spread if setup.likelihood else np.ones_like(spread)
    residual = weight * (score - p)
    variance = weight**2 * spread * p * (1.0 - p)
    _, where, number = np.unique(grouped.number[kept], return_index=True, return_inverse=True)
    side = np.where(i < j, 0, 1)
    cell = side * len(where) + number

    def total(values: Floats) -> Floats:
        summed: Floats = np.bincount(cell, values, 2 * len(where)).astype(np.float64)
        return summed.reshape(2, len(where))

    return _Sums(
        np.minimum(i, j)[where].astype(np.int64),
        np.maximum(i, j)[where].astype(np.int64),
        total(residual),
        total(residual**2),
        total(variance),
        total(np.sqrt(variance)),
    )


def _common_correlations(sums: _Sums, inverse: Floats) -> tuple[float, float]:
    """Correlation of two games of a cluster: moved first by the same player, and by each.

    From the products of their residuals, and what fitting the ratings took from these.
    """
    n = len(inverse) - 1
    low, high = sums.low, sums.high
    between = inverse[low, low] + inverse[high, high] - 2.0 * inverse[low, high]
    forward = inverse[n, n]
    mixed = inverse[low, n] - inverse[high, n]
    variance, deviation = sums.variance, sums.deviation
    within = deviation**2 - variance
    reach = between + forward + np.array([2.0, -2.0])[:, None] * mixed
    # The games of a cluster in which one player moved first all have the same variance.
    of_one = variance**2 / np.maximum(deviation**2, 1e-300)
    same = sums.residual**2 - sums.square + reach * within * of_one
    taken_other = 2.0 * (forward - between) * variance[0] * variance[1]
    other = 2.0 * sums.residual[0] * sums.residual[1] + taken_other
    correlations = []
    for product, scale in (
        (same.sum(axis=0), within.sum(axis=0)),
        (other, 2.0 * deviation[0] * deviation[1]),
    ):
        present = scale > 0.0
        number = int(present.sum())
        if not number:
            correlations.append(0.0)
            continue
        estimate = float(product[present].sum() / scale[present].sum())
        shrunk = estimate * number / (number + _CAUTION)
        correlations.append(min(max(shrunk, -0.95), 0.95))
    return correlations[0], correlations[1]


def clustered_meat(
    setup: Setup, ratings: JointRatings, grouped: Clusters, inverse: Floats
) -> Floats:
    """Covariance of the equations of all players and of the advantage.

    `inverse` is that of the slope, for the same unknowns: (players + 1, players + 1).
    """
    sums = _sums(setup, ratings, grouped)
    same, other = _common_correlations(sums, inverse)
    variance = sums.variance
    each = variance + same * (sums.deviation**2 - variance)
    across = other * 2.0 * sums.deviation[0] * sums.deviation[1]
    total = each.sum(axis=0)
    common = (np.maximum(total - across, 0.0), each[0] - each[1], np.maximum(total + across, 0.0))

    size = len(inverse) - 1
    low, high = sums.low, sums.high
    played = np.bincount(low, minlength=size) + np.bincount(high, minlength=size)
    own = np.minimum(played[low], played[high]) - 1.0
    share = own / (own + OWN_CLUSTERS)
    scale = (own + 1.0) / np.maximum(own, 1.0)
    toward = sums.residual[0] - sums.residual[1]
    forward = sums.residual[0] + sums.residual[1]
    observed = (toward**2, toward * forward, forward**2)
    first, mixed, advantage = (
        share * scale * empirical + (1.0 - share) * expected
        for empirical, expected in zip(observed, common, strict=True)
    )
    matrix = np.zeros((size + 1, size + 1))
    between = np.bincount(low * size + high, first, size * size).reshape(size, size)
    matrix[:size, :size] = -(between + between.T)
    matrix[np.arange(size), np.arange(size)] += between.sum(axis=0) + between.sum(axis=1)
    border = np.bincount(low, mixed, size) - np.bincount(high, mixed, size)
    matrix[:size, size] = matrix[size, :size] = border
    matrix[size, size] = float(advantage.sum())
    return matrix
