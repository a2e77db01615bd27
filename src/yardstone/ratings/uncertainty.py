"""Standard deviations of a joint fit, without simulation.

The score equations make the ratings a function of the results, so their
covariance is the sandwich H^-1 V H^-1: H is the derivative of the expected
points, V the covariance of the points under the draw model. It equals what
thousands of simulated replays converge to. Under maximum likelihood V equals H
and the sandwich is the inverse information. With `clusters`, V allows for the
correlation of games that belong together (`_clustered`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, ModelError, UsageError
from yardstone.ratings._clustered import clustered_meat
from yardstone.ratings._draws import squared_spread
from yardstone.ratings._spread import Spread
from yardstone.ratings.result import ALL_DRAWN, Estimate, JointRatings
from yardstone.winprob.logistic import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import PairCounts, Pool
    from yardstone.ratings._setup import Setup

    Floats = NDArray[np.float64]

__all__ = ["DEVIATION_ERROR", "Clusters", "clusters", "with_deviations"]

#: The relative error that 99 of 100 sampled deviations keep within, among the extras of ratings.
DEVIATION_ERROR = "error of deviations"
#: Up to so many players the whole covariance matrix is computed (8 bytes an entry).
FULL_MATRIX_LIMIT = 4000
#: An advantage whose variance is so many times that of known ratings is not determined.
_UNDETERMINED = 1e10


@dataclass(frozen=True)
class Clusters:
    """Games that belong together: `number` names the cluster of each game of `pool`."""

    pool: Pool
    number: NDArray[np.int64]


def clusters(pool: Pool, columns: Sequence[str]) -> Clusters:
    """Group the games of each two players by further columns of the pool.

    A game with an empty or unknown (``?``) entry belongs to no other. Raises
    InputError if a column is missing.
    """
    missing = [name for name in columns if name not in pool.columns]
    if missing:
        raise InputError(f"the games have no column {missing[0]!r}")
    low, high = np.minimum(pool.first, pool.second), np.maximum(pool.first, pool.second)
    key = low.astype(np.int64) * len(pool.players) + high
    alone = np.zeros(len(pool), np.bool_)
    for name in columns:
        values, code = np.unique(pool.columns[name], return_inverse=True)
        unknown = [str(value).strip() in ("", "?", "nan", "None", "NaT") for value in values]
        alone |= np.array(unknown, np.bool_)[code]
        _, key = np.unique(key * len(values) + code, return_inverse=True)
    key[alone] = int(key.max(initial=0)) + 1 + np.arange(int(alone.sum()))
    return Clusters(pool, key)


@dataclass(frozen=True)
class _Pairs:
    """Per used pair: p, v = p(1 - p), S of Davidson's law (inf without draws), games."""

    p: Floats
    variance: Floats
    root: Floats
    games: Floats


def _pair_terms(used: PairCounts, ratings: JointRatings) -> _Pairs:
    difference = ratings.rating[used.first] + ratings.first_advantage.value
    p = _expected((difference - ratings.rating[used.second]) / ratings.points_per_logit)
    variance = p * (1.0 - p)
    u2 = squared_spread(ratings.draw_rate.value)
    if u2 < 0.0:
        root = np.full_like(p, np.inf)
    else:
        root = np.sqrt((1.0 - 2.0 * p) ** 2 + 4.0 * u2 * variance)
    return _Pairs(p, variance, root, used.games)


def _expected(logit: Floats) -> Floats:
    return logistic(logit)


def _weights(setup: Setup, ratings: JointRatings) -> tuple[Floats, Floats]:
    """Weights of the pairs in H and in V, which are one under maximum likelihood."""
    slope = np.zeros(len(setup.used.first))
    meat = slope if setup.likelihood else np.zeros_like(slope)
    begin = 0
    for part in setup.used.blocks():
        pairs = _pair_terms(part, ratings)
        at = slice(begin, begin + len(part.first))
        begin = at.stop
        plain = pairs.games * pairs.variance
        inverse = np.divide(1.0, pairs.root, where=pairs.root > 0, out=np.full_like(plain, 1e300))
        share = np.divide(1.0, 1.0 + inverse)
        played = pairs.games > 0.0
        if setup.likelihood:
            slope[at][played] = (plain / np.maximum(share, 1e-300))[played]
        else:
            slope[at][played] = plain[played]
            meat[at][played] = (plain * share)[played]
    return slope, meat


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


def with_deviations(
    ratings: JointRatings, setup: Setup, grouped: Clusters | None, *, tau_free: bool
) -> JointRatings:
    """The same ratings with deviations, and the covariance if it is not too large.

    Perfect scorers and players alone in their component get NaN, and so does everybody
    if an estimated draw rate is 1: draws alone do not say how much luck there is.
    """
    rated = int(setup.rated.sum())
    if not rated:
        return replace(
            ratings,
            first_advantage=_undetermined(ratings.first_advantage, estimated=setup.free[-2]),
            draw_rate=_undetermined(ratings.draw_rate, estimated=setup.draw_rate_estimated),
        )
    slope, meat = _weights(setup, ratings)
    if rated > FULL_MATRIX_LIMIT:
        if grouped is not None:
            raise UsageError(f"paired deviations need at most {FULL_MATRIX_LIMIT} players")
        from yardstone.ratings.sampling import spread_of_large

        spread = spread_of_large(setup, slope, meat)
    else:
        spread = _spread_of_dense(
            setup,
            slope,
            meat,
            None
            if grouped is None
            else lambda inverse: clustered_meat(setup, ratings, grouped, inverse),
        )
    logit = ratings.points_per_logit
    if setup.draw_rate_estimated and ratings.draw_rate.value >= ALL_DRAWN:
        # As if every game to come were drawn: the equations then know no luck.
        return replace(ratings, draw_rate=replace(ratings.draw_rate, deviation=np.nan))
    return replace(
        ratings,
        deviation=logit * spread.deviation,
        extras={} if spread.error is None else {DEVIATION_ERROR: spread.error},
        covariance=None if spread.covariance is None else logit**2 * spread.covariance,
        first_advantage=replace(ratings.first_advantage, deviation=logit * spread.advantage),
        draw_rate=_draw_rate_deviation(ratings, setup, spread.response, tau_free=tau_free),
    )


def _undetermined(value: Estimate, *, estimated: bool) -> Estimate:
    return replace(value, deviation=np.nan) if estimated else value


def _inverse(matrix: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.inv(matrix), np.float64)
    except np.linalg.LinAlgError:
        raise _no_advantage() from None


def _no_advantage() -> ModelError:
    return ModelError(
        "the games do not determine the first-move advantage: no two players, and no circle "
        "of players, have met with sides exchanged; fix it, or give it a prior"
    )


def _spread_of_dense(
    setup: Setup,
    slope: Floats,
    meat_weight: Floats,
    clustered: Callable[[Floats], Floats] | None,
) -> Spread:
    """Invert the whole matrix, with the common level of floating components filled in.

    `clustered` gives the covariance of the equations by clusters from the inverse.
    """
    n = setup.used.players
    bread = _scatter(setup.used, slope, n)
    _add_priors(bread, setup)
    lonely = setup.lonely()
    for number in np.flatnonzero(setup.floating):
        members = np.flatnonzero(setup.rated & (setup.component == number))
        block = np.ix_(members, members)
        bread[block] += max(float(np.trace(bread[block])), 1.0) / len(members) ** 2
    solved = np.append(setup.rated & ~setup.fixed & ~lonely, setup.free[n])
    inner = np.ix_(solved, solved)
    inverse = np.zeros_like(bread)
    inverse[inner] = _inverse(bread[inner])
    if setup.free[n] and abs(inverse[n, n]) * bread[n, n] > _UNDETERMINED:
        raise _no_advantage()
    meat = None if setup.likelihood else _scatter(setup.used, meat_weight, n)
    if clustered is not None:
        meat = clustered(inverse)
        _add_priors(meat, setup)
    # With V = H the sandwich is the inverse, but for the levels that were filled in.
    total = inverse.copy() if meat is None else inverse @ meat @ inverse
    if meat is None:
        for number in np.flatnonzero(setup.floating):
            members = np.flatnonzero(setup.rated & (setup.component == number))
            total[members, :] -= total[members, :].mean(axis=0)
            total[:, members] -= total[:, members].mean(axis=1, keepdims=True)
    total = 0.5 * (total + total.T)
    covariance = _relative_to_anchor(total[:n, :n], setup)
    unknown = ~setup.rated | lonely
    covariance[unknown, :] = covariance[:, unknown] = np.nan
    deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    advantage = float(np.sqrt(max(total[n, n], 0.0)))
    return Spread(deviation, covariance, advantage, lambda right: inverse @ right)


def _add_priors(matrix: Floats, setup: Setup) -> None:
    """Add the precision of all priors and relations, which is also their covariance."""
    n = len(matrix) - 1
    matrix[np.arange(n + 1), np.arange(n + 1)] += setup.beliefs.precision[: n + 1]
    i, j, _, weight = setup.beliefs.relations
    np.add.at(matrix, (i, i), weight)
    np.add.at(matrix, (j, j), weight)
    np.subtract.at(matrix, (i, j), weight)
    np.subtract.at(matrix, (j, i), weight)


def _relative_to_anchor(covariance: Floats, setup: Setup) -> Floats:
    """Covariance of the differences from the anchor, in the anchor's component."""
    if setup.reference != "anchor" or setup.anchor is None or not setup.holds_anchor():
        return covariance
    if not setup.rated[setup.anchor]:  # a perfect scorer: there is no deviation to refer to
        return covariance
    members = setup.component == setup.component[setup.anchor]
    shifted = covariance.copy()
    shifted[members, :] -= covariance[setup.anchor, :]
    column = shifted[:, setup.anchor].copy()
    shifted[:, members] -= column[:, None]
    return shifted


def _draw_rate_deviation(
    ratings: JointRatings,
    setup: Setup,
    response: Callable[[Floats], Floats],
    *,
    tau_free: bool,
) -> Estimate:
    """Deviation of an estimated draw rate; 0 where it was given, NaN at an edge.

    Under the score equations the estimate answers to the draws and, through the
    ratings, to the scores: with s a game's score and 1_D its draw, the influence
    of a game is (1_D - c s)/slope, c the response of the expected draws.
    """
    rate = ratings.draw_rate.value
    if not setup.draw_rate_estimated:
        return ratings.draw_rate
    if (setup.likelihood and not tau_free) or not 0.0 < rate < 1.0:
        return Estimate(rate, np.nan)
    u2 = squared_spread(rate)
    steep = 1.0 / (rate * (1.0 - rate))  # -d tau / d rate
    if tau_free:
        total = 0.0
        for part in setup.used.blocks():
            total += _draw_information(_pair_terms(part.select(part.games > 0.0), ratings), u2)
        return Estimate(rate, float((total * steep**2 + setup.beliefs.precision[-1]) ** -0.5))
    pairs = _pair_terms(setup.used, ratings)
    draw = 4.0 * pairs.variance / (1.0 + pairs.root)
    slope = float(np.sum(pairs.games * u2 * draw**2 / pairs.root)) * steep
    used, n = setup.used, setup.used.players
    push = pairs.games * 2.0 * (1.0 - 2.0 * pairs.p) * pairs.variance / pairs.root
    toward = np.bincount(used.first, push, n) - np.bincount(used.second, push, n)
    solution = response(np.append(toward, push.sum()))
    c = solution[used.first] - solution[used.second] + solution[n]
    share = pairs.variance * pairs.root / (1.0 + pairs.root)
    spread = pairs.games * (draw * (1.0 - draw) - 2.0 * c * draw * (0.5 - pairs.p) + c**2 * share)
    return Estimate(rate, float(np.sqrt(max(spread.sum(), 0.0))) / slope)


def _draw_information(pairs: _Pairs, u2: float) -> float:
    """What games of some pairs say of the draw parameter tau."""
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
    return float(information.sum())
