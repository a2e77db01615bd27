"""Standard deviations of a joint fit, without simulation.

The score equations make the ratings a function of the results, so their
covariance is the sandwich H^-1 V H^-1: H is the derivative of the expected
points, V the covariance of the points under the draw model. It equals what
thousands of simulated replays converge to. Under maximum likelihood V equals H
and the sandwich is the inverse information. With `clusters`, V is estimated from
the residuals of games that belong together instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError
from yardstone.ratings._draws import squared_spread
from yardstone.ratings.result import Estimate, JointRatings, Status

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import PairCounts, Pool
    from yardstone.ratings._setup import Setup

    Floats = NDArray[np.float64]

__all__ = ["Clusters", "clusters", "with_deviations"]

#: Up to so many players the whole covariance matrix is computed (8 bytes an entry).
FULL_MATRIX_LIMIT = 4000


@dataclass(frozen=True)
class Clusters:
    """Games that belong together: `number` names the cluster of each game of `pool`."""

    pool: Pool
    number: NDArray[np.int64]


def clusters(pool: Pool, columns: Sequence[str]) -> Clusters:
    """Group the games of each two players by further columns of the pool.

    Raises InputError if a column is missing.
    """
    missing = [name for name in columns if name not in pool.columns]
    if missing:
        raise InputError(f"the games have no column {missing[0]!r}")
    low, high = np.minimum(pool.first, pool.second), np.maximum(pool.first, pool.second)
    key = low.astype(np.int64) * len(pool.players) + high
    for name in columns:
        _, code = np.unique(pool.columns[name], return_inverse=True)
        _, key = np.unique(key * (int(code.max(initial=0)) + 1) + code, return_inverse=True)
    return Clusters(pool, key)


@dataclass(frozen=True)
class _Pairs:
    """Per used pair: p, v = p(1 - p), S of Davidson's law, games, and the two weights."""

    p: Floats
    variance: Floats
    root: Floats
    games: Floats
    slope: Floats
    meat: Floats


def _pair_terms(used: PairCounts, rating: Floats, ratings: JointRatings, likelihood: bool) -> _Pairs:
    advantage = ratings.first_advantage.value
    logit = (rating[used.first] + advantage - rating[used.second]) / ratings.points_per_logit
    p = np.exp(-np.logaddexp(0.0, -logit))
    variance = p * (1.0 - p)
    u2 = squared_spread(ratings.draw_rate.value)
    games = used.games
    if u2 < 0.0:
        root = np.full_like(p, np.inf)
        slope = meat = games * variance
    else:
        root = np.sqrt(np.maximum(1.0 + 4.0 * (u2 - 1.0) * variance, 0.0))
        share = root / (1.0 + root)  # variance of one game's score over p(1 - p)
        with np.errstate(divide="ignore"):
            slope = games * variance / share if likelihood else games * variance
        meat = slope if likelihood else games * variance * share
    return _Pairs(p, variance, root, games, slope, meat)


def _scatter(used: PairCounts, weight: Floats, size: int) -> Floats:
    """Sum over pairs of weight (e_first - e_second + e_w)(same)^T, shape (size + 1, size + 1)."""
    matrix = np.zeros((size + 1, size + 1))
    cell = used.first.astype(np.int64) * size + used.second
    between = np.bincount(cell, weight, size * size).reshape(size, size)
    matrix[:size, :size] = -(between + between.T)
    border = np.bincount(used.first, weight, size) - np.bincount(used.second, weight, size)
    degree = np.bincount(used.first, weight, size) + np.bincount(used.second, weight, size)
    matrix[np.arange(size), np.arange(size)] += degree
    matrix[:size, size] = matrix[size, :size] = border
    matrix[size, size] = weight.sum()
    return matrix


def _clustered_meat(setup: Setup, ratings: JointRatings, grouped: Clusters, row: NDArray[np.int64]) -> Floats:
    """Sum over clusters of the outer product of their summed residuals."""
    pool = grouped.pool
    kept = (row[pool.first] >= 0) & (row[pool.second] >= 0)
    kept &= setup.component[pool.first] == setup.component[pool.second]
    i, j, score = pool.first[kept], pool.second[kept], pool.score[kept]
    rating = ratings.rating
    logit = (rating[i] + ratings.first_advantage.value - rating[j]) / ratings.points_per_logit
    residual = score - np.exp(-np.logaddexp(0.0, -logit))
    _, where, number = np.unique(grouped.number[kept], return_index=True, return_inverse=True)
    sign = np.where(i < j, 1.0, -1.0)
    lower = np.bincount(number, sign * residual)  # residual of the player of lower number
    forward = np.bincount(number, residual)  # residual of the side that moved first
    low = row[np.minimum(i, j)[where]]
    high = row[np.maximum(i, j)[where]]
    size = int(row.max()) + 1
    matrix = np.zeros((size + 1, size + 1))
    between = np.bincount(low * size + high, lower * lower, size * size).reshape(size, size)
    matrix[:size, :size] = -(between + between.T)
    matrix[np.arange(size), np.arange(size)] += between.sum(axis=0) + between.sum(axis=1)
    cross = lower * forward
    border = np.bincount(low, cross, size) - np.bincount(high, cross, size)
    matrix[:size, size] = matrix[size, :size] = border
    matrix[size, size] = float(forward @ forward)
    return matrix


def with_deviations(
    ratings: JointRatings, setup: Setup, grouped: Clusters | None, *, tau_free: bool
) -> JointRatings:
    """The same ratings with deviations, and the covariance if it is not too large.

    Perfect scorers and players alone in their component get NaN.
    """
    n = len(ratings)
    rated = np.flatnonzero(ratings.status == Status.NORMAL)
    if not len(rated):
        return ratings
    if len(rated) > FULL_MATRIX_LIMIT:
        from yardstone.ratings.large import with_deviations_large

        return with_deviations_large(ratings, setup, tau_free=tau_free)
    size = len(rated)
    row = np.full(n, -1, np.int64)
    row[rated] = np.arange(size)
    used = replace(
        setup.used,
        players=size,
        first=row[setup.used.first].astype(np.int32),
        second=row[setup.used.second].astype(np.int32),
    )
    likelihood = setup.likelihood
    pairs = _pair_terms(used, ratings.rating[rated], ratings, likelihood)
    bread = _scatter(used, pairs.slope, size)
    precision = np.append(setup.prior_precision[rated], setup.prior_precision[n])
    bread[np.arange(size + 1), np.arange(size + 1)] += precision
    _add_relations(bread, setup, row)
    meat = bread.copy() if likelihood else _scatter(used, pairs.meat, size)
    if grouped is not None:
        meat = _clustered_meat(setup, ratings, grouped, row)
        if likelihood:
            raise InputError("paired deviations are computed under the score equations only")

    component = setup.component[rated]
    for number in np.flatnonzero(setup.floating):
        members = np.flatnonzero(component == number)
        level = max(float(np.trace(bread[np.ix_(members, members)])), 1.0) / len(members) ** 2
        bread[np.ix_(members, members)] += level
    solved = np.append(~setup.fixed[rated], setup.free[n])
    inverse = np.zeros_like(bread)
    inner = np.ix_(solved, solved)
    inverse[inner] = np.linalg.inv(bread[inner])
    covariance = inverse @ meat @ inverse
    covariance = 0.5 * (covariance + covariance.T)

    logit = ratings.points_per_logit
    advantage = replace(
        ratings.first_advantage, deviation=logit * float(np.sqrt(max(covariance[size, size], 0.0)))
    )
    draw_rate = _draw_rate_deviation(ratings, setup, used, pairs, inverse, tau_free=tau_free)
    spread = covariance[:size, :size] * logit**2
    spread = _relative_to_anchor(spread, setup, row, component)
    full = np.full((n, n), np.nan)
    full[np.ix_(rated, rated)] = spread
    lonely = np.bincount(component, minlength=setup.component_count)[component] == 1
    lonely &= ~setup.fixed[rated] & (setup.prior_precision[rated] == 0.0)
    full[rated[lonely], :] = full[:, rated[lonely]] = np.nan
    deviation = np.sqrt(np.maximum(np.diag(full), 0.0))
    return replace(
        ratings, covariance=full, deviation=deviation, first_advantage=advantage, draw_rate=draw_rate
    )


def _add_relations(bread: Floats, setup: Setup, row: NDArray[np.int64]) -> None:
    i, j = row[setup.relation_player], row[setup.relation_other]
    weight = setup.relation_precision
    np.add.at(bread, (i, i), weight)
    np.add.at(bread, (j, j), weight)
    np.subtract.at(bread, (i, j), weight)
    np.subtract.at(bread, (j, i), weight)


def _relative_to_anchor(
    covariance: Floats, setup: Setup, row: NDArray[np.int64], component: NDArray[np.int32]
) -> Floats:
    """Covariance of the differences from the anchor, in the anchor's component."""
    if setup.reference != "anchor" or not setup.holds_anchor() or setup.anchor is None:
        return covariance
    at = row[setup.anchor]
    if at < 0:  # a perfect scorer: there is no deviation to refer to
        return covariance
    move = np.zeros((len(component), len(component)))
    move[component == component[at], at] = 1.0
    shift = np.eye(len(component)) - move
    return shift @ covariance @ shift.T


def _draw_rate_deviation(
    ratings: JointRatings,
    setup: Setup,
    used: PairCounts,
    pairs: _Pairs,
    inverse: Floats,
    *,
    tau_free: bool,
) -> Estimate:
    """Deviation of an estimated draw rate; 0 where it was given or lies at an edge.

    Under the score equations the estimate answers to the draws and, through the
    ratings, to the scores: with s a game's score and 1_D its draw, the influence
    of a game is (1_D - c s)/slope, c the response of the expected draws.
    """
    rate = ratings.draw_rate.value
    if not setup.draw_rate_estimated or not 0.0 < rate < 1.0:
        return ratings.draw_rate
    u2 = squared_spread(rate)
    draw = 4.0 * pairs.variance / (1.0 + pairs.root)
    steep = 1.0 / (rate * (1.0 - rate))  # -d tau / d rate
    if tau_free:
        m = 1.0 - 2.0 * pairs.p
        high = pairs.root + np.abs(m)
        low = 4.0 * pairs.variance * u2 / high
        above, below = np.where(m >= 0, high, low), np.where(m >= 0, low, high)
        win = pairs.p * below / (1.0 + pairs.root)
        loss = (1.0 - pairs.p) * above / (1.0 + pairs.root)
        mean = above * below / (pairs.root * (1.0 + pairs.root))
        information = pairs.games * (
            win * (above / pairs.root) ** 2 + loss * (below / pairs.root) ** 2 - mean**2
        )
        total = float(information.sum()) * steep**2 + setup.prior_precision[-1]
        return Estimate(rate, float(total**-0.5))
    slope = float(np.sum(pairs.games * u2 * draw**2 / pairs.root)) * steep
    response = pairs.games * 2.0 * (1.0 - 2.0 * pairs.p) * pairs.variance / pairs.root
    size = used.players
    toward = np.append(
        np.bincount(used.first, response, size) - np.bincount(used.second, response, size),
        response.sum(),
    )
    solution = inverse @ toward
    c = solution[used.first] - solution[used.second] + solution[size]
    share = pairs.variance * pairs.root / (1.0 + pairs.root)
    spread = pairs.games * (
        draw * (1.0 - draw) - 2.0 * c * draw * (0.5 - pairs.p) + c**2 * share
    )
    return Estimate(rate, float(np.sqrt(max(spread.sum(), 0.0))) / slope)
