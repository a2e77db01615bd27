"""Standard deviations of a joint fit, without simulation.

The score equations make the ratings a function of the results, so their covariance is the sandwich
H^-1 V H^-1: H is the derivative of the expected points, V the covariance of the points under the
draw model. It equals what thousands of simulated replays converge to. Under maximum likelihood V
equals H and the sandwich is the inverse information. With `clusters`, V allows for the correlation
of games that belong together (`_clustered`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from yardstone import parallel
from yardstone.choices import checked_arguments
from yardstone.clusters import half_width
from yardstone.errors import InputError, ModelError, UsageError
from yardstone.pool import MANY_PAIRS, PairCounts, Pool
from yardstone.ratings._joint import (
    SYSTEMS,
    add_ends,
    add_pairs,
    centre,
    conjugate_gradients,
    count_ranks,
    raise_levels,
)
from yardstone.ratings.graph import Graph, Relations, direct_solver
from yardstone.ratings.joint import Setup, davidson_root, squared_spread
from yardstone.ratings.result import ALL_DRAWN, Estimate, JointRatings, Ratings, Status
from yardstone.winprob.laws import logistic, normal_cdf

if TYPE_CHECKING:
    from numpy.random import Generator

    from yardstone.arrays import Floats, Ints, Longs

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
    number: Longs


def clusters(pool: Pool, columns: Sequence[str]) -> Clusters:
    """Group the games of each two players by further columns of the pool.

    A game with an empty or unknown (``?``) entry belongs to no other. InputError without a column.
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


def _pair_terms(used: PairCounts, ratings: JointRatings) -> tuple[Floats, Floats, Floats]:
    """Per used pair: p, v = p(1 - p), S of Davidson's law (inf without draws)."""
    p = logistic(ratings.logits(used))
    return p, p * (1.0 - p), davidson_root(p, squared_spread(ratings.draw_rate.value))


def _weights(setup: Setup, ratings: JointRatings) -> tuple[Floats, Floats]:
    """Weights of the pairs in H and in V, which are one under maximum likelihood."""
    slope = np.zeros(len(setup.used.first))
    meat = slope if setup.system.likelihood else np.zeros_like(slope)
    begin = 0
    for part in setup.used.blocks():
        _, variance, root = _pair_terms(part, ratings)
        at = slice(begin, begin + len(part.first))
        begin = at.stop
        plain, played = part.games * variance, part.games > 0.0
        inverse = np.divide(1.0, root, where=root > 0, out=np.full_like(plain, 1e300))
        share = np.divide(1.0, 1.0 + inverse)
        if setup.system.likelihood:
            slope[at][played] = (plain / np.maximum(share, 1e-300))[played]
        else:
            slope[at][played] = plain[played]
            meat[at][played] = (plain * share)[played]
    return slope, meat


def _scatter(
    one: Ints, two: Ints, size: int, weight: Floats, mixed: Floats, total: float
) -> Floats:
    """Sum over pairs of (e_one - e_two)(same)^T, its `mixed` terms with e_w, and `total` of e_w."""
    matrix = np.zeros((size + 1, size + 1))
    add_pairs(one, two, weight, mixed, matrix)
    matrix[size, size] = total
    return matrix


_BLOCK = 256  #: Rows that are swept together.


def inverse_of(matrix: Floats) -> Floats:
    """Invert a positive definite matrix in place; LinAlgError where it is singular.

    Blocks of its lower triangle are swept one after another, which takes n^3 operations where
    `numpy.linalg.inv` takes 8/3 n^3.
    """
    size = len(matrix)
    blocks = [slice(start, min(start + _BLOCK, size)) for start in range(0, size, _BLOCK)]
    for here in blocks:
        column = np.concatenate([matrix[here, : here.start].T, matrix[here.start :, here]])
        pivot = np.linalg.inv(column[here])
        moved = column @ pivot
        column[here] = 0.0
        for rows in blocks:
            if rows != here:
                matrix[rows, : rows.stop] -= moved[rows] @ column[: rows.stop].T
        matrix[here, : here.start] = moved[: here.start].T
        matrix[here.stop :, here] = moved[here.stop :]
        matrix[here, here] = -pivot
    for rows in blocks:
        matrix[rows, rows.stop :] = matrix[rows.stop :, rows].T
    return np.negative(matrix, out=matrix)


def with_deviations(
    ratings: JointRatings,
    setup: Setup,
    grouped: Clusters | None,
    *,
    tau_free: bool,
    sway: Floats | None = None,
) -> JointRatings:
    """The same ratings with deviations, and the covariance if it is not too large.

    `sway` (any, players + 1) is what the errors of effects add to those of the ratings, as a root:
    its rows' outer products sum to a covariance.

    NaN for perfect scorers, for players alone in their component, and for all if an estimated draw
    rate is 1: draws alone do not say how much luck there is.
    """
    rated = int(setup.rated.sum())
    if not rated:
        estimated = {"first_advantage": setup.free[-2], "draw_rate": setup.draw_rate_estimated}
        names = [name for name, is_estimated in estimated.items() if is_estimated]
        return replace(
            ratings, **{n: replace(getattr(ratings, n), deviation=np.nan) for n in names}
        )
    slope, meat = _weights(setup, ratings)
    if rated > FULL_MATRIX_LIMIT:
        if grouped is not None:
            raise UsageError(f"paired deviations need at most {FULL_MATRIX_LIMIT} players")
        spread = spread_of_large(setup, slope, meat)
    else:
        clustered = None if grouped is None else partial(clustered_meat, setup, ratings, grouped)
        spread = _spread_of_dense(setup, slope, meat, clustered)
    if sway is not None:
        spread = _swayed(spread, setup, sway[:, :-1])
    logit = ratings.points_per_logit
    if setup.draw_rate_estimated and ratings.draw_rate.value >= ALL_DRAWN:
        # As if every game to come were drawn: the equations then know no luck.
        return replace(ratings, draw_rate=replace(ratings.draw_rate, deviation=np.nan))
    return replace(
        ratings,
        deviation=logit * spread.deviation,
        extras={} if spread.error is None else {DEVIATION_ERROR: spread.error},
        covariance=None if spread.covariance is None else logit**2 * spread.covariance,
        first_advantage=ratings.first_advantage
        if ratings.effects
        else replace(ratings.first_advantage, deviation=logit * spread.advantage),
        draw_rate=_draw_rate_deviation(ratings, setup, spread.response, tau_free=tau_free),
    )


def _swayed(spread: Spread, setup: Setup, sway: Floats) -> Spread:
    """Add to a spread at known effects what their errors do to the ratings."""
    sway = sway.copy()
    if setup.reference == "anchor" and setup.anchor is not None and setup.holds_anchor():
        sway[:, setup.component == setup.component[setup.anchor]] -= sway[:, [setup.anchor]]
    deviation = np.sqrt(spread.deviation**2 + (sway**2).sum(axis=0))
    covariance = None if spread.covariance is None else spread.covariance + sway.T @ sway
    return replace(spread, deviation=deviation, covariance=covariance)


def _scatter_of(used: PairCounts, weight: Floats) -> Floats:
    return _scatter(used.first, used.second, used.players, weight, weight, float(weight.sum()))


def inverse_at(setup: Setup, weight: Floats) -> tuple[Floats, float]:
    """Return the inverse of H at these weights of the pairs, and the variance of the advantage.

    That is in terms of what it would be if all ratings were known, and infinite if H is singular.
    Groups whose level is free have one that was filled in.
    """
    n = setup.used.players
    bread = _scatter_of(setup.used, weight)
    _add_priors(bread, setup)
    raise_levels(bread, setup.level)
    solved = np.append(setup.rated & ~setup.fixed & ~setup.lonely(), setup.free[n])
    inner = np.ix_(solved, solved)
    inverse = np.zeros_like(bread)
    try:
        inverse[inner] = inverse_of(bread[inner])
    except np.linalg.LinAlgError:
        return inverse, np.inf
    return inverse, float(abs(inverse[n, n]) * bread[n, n]) if setup.free[n] else 0.0


def _spread_of_dense(
    setup: Setup, slope: Floats, meat_weight: Floats, clustered: Callable[[Floats], Floats] | None
) -> Spread:
    """Invert the whole matrix; `clustered` gives the covariance of the equations from that."""
    used, n, lonely = setup.used, setup.used.players, setup.lonely()
    inverse, advantage = inverse_at(setup, slope)
    if advantage > _UNDETERMINED:
        raise ModelError(
            "the games do not determine the first-move advantage: no two players, and no circle "
            "of players, have met with sides exchanged; fix it, or give it a prior"
        )
    meat = None if setup.system.likelihood else _scatter_of(used, meat_weight)
    if clustered is not None:
        meat = clustered(inverse)
        _add_priors(meat, setup)
    # With V = H the sandwich is the inverse, but for the levels that were filled in.
    total = inverse.copy() if meat is None else inverse @ meat @ inverse
    if meat is None:
        centre(total, setup.level)
        total = total.T.copy()
        centre(total, setup.level)
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
    ratings: JointRatings, setup: Setup, response: Callable[[Floats], Floats], *, tau_free: bool
) -> Estimate:
    """Deviation of an estimated draw rate; 0 where it was given, NaN at an edge."""
    rate = ratings.draw_rate.value
    if not setup.draw_rate_estimated:
        return ratings.draw_rate
    if (setup.system.likelihood and not tau_free) or not 0.0 < rate < 1.0:
        return Estimate(rate, np.nan)
    u2 = squared_spread(rate)
    steep = 1.0 / (rate * (1.0 - rate))  # -d tau / d rate
    if tau_free:
        total = 0.0
        for part in setup.used.blocks():
            total += _draw_information(part.select(part.games > 0.0), ratings, u2)
        return Estimate(rate, float((total * steep**2 + setup.beliefs.precision[-1]) ** -0.5))
    used, games, n = setup.used, setup.used.games, setup.used.players
    p, variance, root = _pair_terms(used, ratings)
    draw = 4.0 * variance / (1.0 + root)
    slope = float(np.sum(games * u2 * draw**2 / root)) * steep
    push = games * 2.0 * (1.0 - 2.0 * p) * variance / root
    toward = np.bincount(used.first, push, n) - np.bincount(used.second, push, n)
    solution = response(np.append(toward, push.sum()))
    # A game's influence on the score equations is (1_D - c s)/slope: score s, draw 1_D.
    c = solution[used.first] - solution[used.second] + solution[n]
    share = variance * root / (1.0 + root)
    spread = games * (draw * (1.0 - draw) - 2.0 * c * draw * (0.5 - p) + c**2 * share)
    return Estimate(rate, float(np.sqrt(max(spread.sum(), 0.0))) / slope)


def _draw_information(used: PairCounts, ratings: JointRatings, u2: float) -> float:
    """What games of some pairs say of the draw parameter tau."""
    p, variance, root = _pair_terms(used, ratings)
    m = 1.0 - 2.0 * p
    high = root + np.abs(m)
    low = 4.0 * variance * u2 / high
    above, below = np.where(m >= 0, high, low), np.where(m >= 0, low, high)
    win, loss = p * below / (1.0 + root), (1.0 - p) * above / (1.0 + root)
    mean = above * below / (root * (1.0 + root))
    information = win * (above / root) ** 2 + loss * (below / root) ** 2 - mean**2
    return float((used.games * information).sum())


#: Clusters of a player's own at which they weigh as much as what is common to all.
_OWN_CLUSTERS = 30.0
#: Clusters of no correlation, added to those that the common correlation comes from.
_CAUTION = 2.0


def _sums(setup: Setup, ratings: JointRatings, grouped: Clusters) -> tuple[Ints, Ints, Floats]:
    """The lower and the higher player of each cluster, and sums over its games: (4, 2, clusters).

    Of residuals, their squares, variances and deviations; first over the games in which the lower
    player moved first, then over the others.
    """
    pool = grouped.pool
    kept = setup.rated[pool.first] & setup.rated[pool.second]
    kept &= setup.component[pool.first] == setup.component[pool.second]
    i, j, score = pool.first[kept], pool.second[kept], pool.score[kept]
    ahead = ratings.rating[i] + ratings.first_advantage.value
    p = logistic((ahead - ratings.rating[j]) / ratings.points_per_logit)
    root = davidson_root(p, squared_spread(ratings.draw_rate.value))
    spread = 1.0 / (1.0 + 1.0 / np.maximum(root, 1e-9))  # variance of a score over p (1 - p)
    weight = 1.0 / spread if setup.system.likelihood else np.ones_like(spread)
    residual = weight * (score - p)
    variance = weight**2 * spread * p * (1.0 - p)
    _, where, number = np.unique(grouped.number[kept], return_index=True, return_inverse=True)
    cell = np.where(i < j, 0, 1) * len(where) + number
    summed = [
        np.bincount(cell, values, 2 * len(where)).astype(np.float64).reshape(2, len(where))
        for values in (residual, residual**2, variance, np.sqrt(variance))
    ]
    low, high = (side(i, j)[where] for side in (np.minimum, np.maximum))
    return low, high, np.array(summed)


def _shrunk(product: Floats, scale: Floats) -> float:
    """The correlation common to clusters, drawn towards none where they are few."""
    present = scale > 0.0
    number = int(present.sum())
    if not number:
        return 0.0
    estimate = float(product[present].sum() / scale[present].sum())
    return min(max(estimate * number / (number + _CAUTION), -0.95), 0.95)


def clustered_meat(
    setup: Setup, ratings: JointRatings, grouped: Clusters, inverse: Floats
) -> Floats:
    """Covariance of the equations by clusters; `inverse` is that of their slope."""
    size = len(inverse) - 1
    low, high, (residual, square, variance, deviation) = _sums(setup, ratings, grouped)
    apart = inverse[low, low] + inverse[high, high] - 2.0 * inverse[low, high]
    forward = inverse[size, size]
    mixed = inverse[low, size] - inverse[high, size]
    within = deviation**2 - variance
    within[within < 1e-9 * variance] = 0.0  # a single game has nothing to go with but rounding
    reach = apart + forward + np.array([2.0, -2.0])[:, None] * mixed
    # The games of a cluster in which one player moved first all have the same variance.
    of_one = variance**2 / np.maximum(deviation**2, 1e-300)
    by_same = residual**2 - square + reach * within * of_one
    taken_other = 2.0 * (forward - apart) * variance[0] * variance[1]
    by_other = 2.0 * residual[0] * residual[1] + taken_other
    # Correlation of two games of a cluster: moved first by the same player, and by each.
    same = _shrunk(by_same.sum(axis=0), within.sum(axis=0))
    other = _shrunk(by_other, 2.0 * deviation[0] * deviation[1])
    each = variance + same * within
    across = other * 2.0 * deviation[0] * deviation[1]
    total = each.sum(axis=0)
    common = (np.maximum(total - across, 0.0), each[0] - each[1], np.maximum(total + across, 0.0))

    played = np.bincount(low, minlength=size) + np.bincount(high, minlength=size)
    own = np.minimum(played[low], played[high]) - 1.0
    share = own / (own + _OWN_CLUSTERS)
    scale = (own + 1.0) / np.maximum(own, 1.0)
    toward, forward = residual[0] - residual[1], residual[0] + residual[1]
    observed = (toward**2, toward * forward, forward**2)
    first, mixed, advantage = (
        share * scale * empirical + (1.0 - share) * expected
        for empirical, expected in zip(observed, common, strict=True)
    )
    return _scatter(low, high, size, first, mixed, float(advantage.sum()))


@dataclass(frozen=True)
class Spread:
    """Deviations of all players (NaN without one), in the reference of the fit.

    `advantage` is that of moving first; `response` gives H^-1 times a vector, up to a shift of
    floating groups. 99 of 100 sampled deviations have a relative standard error below `error`.
    """

    deviation: Floats
    covariance: Floats | None
    advantage: float
    response: Callable[[Floats], Floats]
    error: float | None = None


SAMPLES = 100  #: Samples taken; the standard error of a deviation is at most 1/sqrt(2 SAMPLES).
#: Of very many pairs no more are taken once 99 of 100 deviations are known so well.
ENOUGH = 0.02
_PRECISION = 1e-4
_FINE = 1e-9  #: Relative residual of what the sizes of effects rest on.
_SEED = 20151006


def _ends(first: Ints, second: Ints, value: Floats, players: int) -> tuple[Floats, Floats]:
    """Sums of a number of each pair over the pairs of each player, as first and as second."""
    one, two = (np.asarray(np.bincount(side, value, players), float) for side in (first, second))
    return one, two


def _fill_diagonal(graph: Graph) -> None:
    """Fill in diagonal and border of H from its edges."""
    n, relations = len(graph.extra) - 1, graph.relations
    one, two = _ends(graph.first, graph.second, graph.weight, n)
    graph.border[:n] = one - two
    one, two = _ends(graph.first, graph.second, graph.weight * (graph.first != graph.second), n)
    graph.diagonal[:] = graph.extra
    graph.diagonal[:n] += one + two
    graph.diagonal[:n] += np.sum(_ends(*relations[:2], relations.precision, n), axis=0)
    graph.diagonal[n] += graph.weight.sum()


def _noise(generator: Generator, graph: Graph, share: Floats) -> tuple[Floats, Floats]:
    """Noise of covariance H, and the same scaled by sqrt(share) pair by pair."""
    n, extra, relations = len(graph.extra) - 1, graph.extra, graph.relations
    flow = np.sqrt(graph.weight)
    if flow.all():
        flow *= generator.standard_normal(len(flow))
    else:
        flow[flow > 0.0] *= generator.standard_normal(np.count_nonzero(flow))
    related = np.sqrt(relations.precision) * generator.standard_normal(len(relations.precision))
    own = np.sqrt(extra)
    own[extra > 0.0] *= generator.standard_normal(np.count_nonzero(extra))
    add_ends(*relations[:2], related, own)

    def joined(flow: Floats) -> Floats:
        whole = own.copy()
        add_ends(graph.first, graph.second, flow, whole)
        whole[n] += flow.sum()
        return whole

    whole = joined(flow)
    return whole, whole if len(share) == 0 else joined(flow * np.sqrt(share))


def _leaves_first(graph: Graph) -> tuple[Graph, Longs]:
    """The graph with each two players once, those with few opponents first, and their order.

    The numbers of those who are met most then lie together, and fewer steps solve it.
    """
    n = len(graph.extra) - 1
    used = graph.weight > 0.0
    first, second = graph.first[used], graph.second[used]
    met = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    order = np.append(np.argsort(met, kind="stable"), n)
    place = np.empty(n + 1, np.int64)
    place[order] = np.arange(n + 1)
    one, two = place[first], place[second]
    pair, where = np.unique(np.minimum(one, two) * n + np.maximum(one, two), return_inverse=True)
    player, other, *known = graph.relations
    relations = Relations(place[player].astype(np.int32), place[other].astype(np.int32), *known)
    weight = np.asarray(np.bincount(where, graph.weight[used], len(pair)), np.float64)
    above, below = (pair // n).astype(np.int32), (pair % n).astype(np.int32)
    return Graph(above, below, weight, relations, *(each[order] for each in graph[4:])), order


class _System:
    """H with everything needed to solve it; called with generators it samples once with each."""

    def __init__(self, setup: Setup, slope: Floats, meat: Floats) -> None:
        n = setup.used.players
        self.setup = setup
        self.sandwich = not setup.system.likelihood
        if self.sandwich:
            self.share = np.divide(meat, slope, out=np.ones_like(slope), where=slope > 0.0)
        else:
            self.share = np.ones(0)
        free = setup.free[: n + 1].copy()
        free[:n] &= ~setup.lonely()
        used, beliefs = setup.used, setup.beliefs
        self.graph = Graph(
            used.first,
            used.second,
            slope,
            beliefs.relations,
            beliefs.precision[: n + 1].copy(),
            np.zeros(n + 1),
            np.zeros(n + 1),
            free,
        )
        _fill_diagonal(self.graph)
        self.direct = direct_solver(self.graph, setup.level)
        many = len(used.first) >= MANY_PAIRS  # of which no second table is made
        self.solved, self.order = (
            (self.graph, np.arange(n + 1)) if many else _leaves_first(self.graph)
        )

    def solve(self, right: Floats, precision: float) -> Floats:
        """H^+ of each row, one or `SYSTEMS`; each component whose level is free is centred."""
        right = right.copy()
        centre(right, self.setup.level)
        if self.direct is not None:
            step = np.array([self.direct(row) for row in right])
        else:
            step, solved = np.zeros_like(right), np.zeros_like(right)
            conjugate_gradients(self.solved, right[:, self.order].copy(), precision, solved)
            step[:, self.order] = solved
        centre(step, self.setup.level)
        return step

    def __call__(self, generators: Sequence[Generator]) -> tuple[Floats, Floats, Floats]:
        noises = [_noise(generator, self.graph, self.share) for generator in generators]
        whole, scaled = (np.array(rows) for rows in zip(*noises, strict=True))
        error = self.solve(whole, _PRECISION)
        return whole, error, self.solve(scaled, _PRECISION) if self.sandwich else error


def conditional_system(setup: Setup, weight: Floats) -> Callable[[Floats], Floats]:
    """Return what solves H x = right at these weights of the pairs, H as `Graph` has it."""
    system = _System(setup, weight, weight)
    return lambda right: system.solve(right[None], _FINE)[0]


def spread_of_large(setup: Setup, slope: Floats, meat: Floats) -> Spread:
    """Deviations in log odds, without the covariance, from the pairs' weights in H and V."""
    n = setup.used.players
    system = _System(setup, slope, meat)
    diagonal = system.graph.diagonal
    size = np.bincount(setup.component[setup.rated], minlength=setup.component_count)
    known = np.ones(n + 1)
    floats = setup.level >= 0
    known[:n][floats] = 1.0 - 1.0 / size[setup.component[floats]]
    own = np.divide(known, diagonal, out=np.zeros(n + 1), where=diagonal > 0.0)
    reference = setup.anchor if setup.reference == "anchor" and setup.holds_anchor() else None

    rest = np.zeros(n + 1)
    plain = np.zeros(n + 1)
    sandwich = np.zeros(n + 1)
    many = len(setup.used.first) >= MANY_PAIRS
    generators = parallel.spawn_generators(_SEED, SAMPLES)
    samples, relative = 0, np.zeros(n + 1)
    at_once = SYSTEMS if many else 2 * SYSTEMS
    while samples < SAMPLES:
        blocks = [generators[k : k + SYSTEMS] for k in range(samples, samples + at_once, SYSTEMS)]
        done = parallel.map(system, blocks, threads=True, engine="local")
        for noise, error, scaled in chain.from_iterable(zip(*rows, strict=True) for rows in done):
            if reference is not None:
                members = np.append(setup.component == setup.component[reference], False)
                error[members] -= error[reference]
                scaled[members] -= scaled[reference]
                rest += error**2
            else:
                rest += (error - own * noise) ** 2
            plain += error**2
            sandwich += scaled**2
        samples += at_once
        variance = rest / samples
        sampled = variance.copy()
        if reference is None:
            variance += own**2 * diagonal
        # Of the variance only `sampled` is uncertain, by sqrt(2/samples); the root halves that.
        np.divide(sampled * (0.5 * (2.0 / samples) ** 0.5), variance, relative, where=variance > 0)
        worst = float(np.quantile(relative[:n][setup.rated], 0.99))
        if many and worst < ENOUGH:
            break
    if system.sandwich:
        variance *= np.divide(sandwich, plain, out=np.ones(n + 1), where=plain > 0.0)
    variance[:n][setup.fixed] = 0.0
    if not setup.free[n]:
        variance[n] = 0.0
    deviation = np.sqrt(variance[:n])
    deviation[~setup.rated | setup.lonely()] = np.nan
    return Spread(
        deviation,
        None,
        float(np.sqrt(variance[n])),
        lambda right: system.solve(right[None], 1e-8)[0],
        worst,
    )


def _surplus(ratings: Ratings) -> Floats:
    """Difference of each two ratings in its own deviations; NaN without a common scale."""
    difference = ratings.rating[:, None] - ratings.rating[None, :]
    deviation = ratings.deviation_of_difference()
    with np.errstate(divide="ignore", invalid="ignore"):
        surplus: Floats = difference / deviation
    surplus[(deviation == 0.0) & (difference == 0.0)] = 0.0
    if (component := getattr(ratings, "component", None)) is not None:
        surplus[component[:, None] != component[None, :]] = np.nan
    return surplus


@checked_arguments()
def superiority(ratings: Ratings) -> Floats:
    """Probability that the player of the row is stronger than that of the column.

    From the difference of ratings and its deviation, taken as normal (Ordo's
    "confidence for superiority"); NaN where there is no common scale.

    Returns:
        float64 array (players, players)
    """
    result = normal_cdf(_surplus(ratings))
    np.fill_diagonal(result, 0.5)
    return result


def rank_ranges(ratings: Ratings, confidence: float = 0.95) -> tuple[Longs, Longs]:
    """Lowest and highest rank that cannot be excluded for each player, within the own component.

    Below those who are stronger with the two-sided `confidence`, above those who are weaker. 1 is
    best; 0 for players without a range.
    """
    if ratings.covariance is None:
        raise ModelError("the covariance was not computed: fit with covariance=True")
    known = np.isfinite(ratings.deviation)
    component = np.asarray(getattr(ratings, "component", np.zeros(len(ratings))), np.int32)
    group = np.where(known, component, np.int32(-1))
    ranks: tuple[Longs, Longs]
    ranks = count_ranks(ratings.rating, ratings.covariance, group, half_width(confidence))
    return ranks


_SEARCH_LIMIT = 600  #: Above so many players only the least known ones are searched.


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A match worth playing: `gain` is the share of the mean variance it removes."""

    player: str
    other: str
    gain: float


def suggest(ratings: JointRatings, number: int = 5, *, games: int = 10) -> list[Suggestion]:
    """The most telling matches of `games` games within the largest component.

    Each is chosen on top of those before it. ModelError if the covariance was not computed.
    """
    if ratings.covariance is None:
        raise ModelError("the covariance was not computed: too many players, or not requested")
    known = np.isfinite(ratings.deviation) & (ratings.status == Status.NORMAL)
    rows = np.flatnonzero(known & (ratings.component == 0))
    if len(rows) > _SEARCH_LIMIT:
        rows = rows[np.argsort(-ratings.deviation[rows], kind="stable")[:_SEARCH_LIMIT]]
    if len(rows) < 2:
        return []
    covariance = ratings.covariance[np.ix_(rows, rows)].copy()
    rating = ratings.rating[rows]
    p = logistic((rating[:, None] - rating[None, :]) / ratings.points_per_logit)
    told, u2 = p * (1.0 - p), squared_spread(ratings.draw_rate.value)
    if u2 > 0.0:  # not where every game between equals is drawn
        root = davidson_root(p, u2)
        told = told * (1.0 + root) / root
    information = games * (told / ratings.points_per_logit**2)  # for each two players
    total = float(np.trace(covariance))
    chosen: list[Suggestion] = []
    taken = np.tril(np.ones((len(rows), len(rows)), bool))  # each pair once
    square = covariance @ covariance
    for _ in range(number):
        spread = np.diag(square)[:, None] + np.diag(square)[None, :] - 2.0 * square
        own = np.diag(covariance)[:, None] + np.diag(covariance)[None, :] - 2.0 * covariance
        gain = information * spread / (1.0 + information * own)
        gain[taken] = -1.0
        i, j = divmod(int(gain.argmax()), len(rows))
        if gain[i, j] <= 0.0:
            break
        taken[i, j] = True
        players = (ratings.players[rows[i]], ratings.players[rows[j]])
        chosen.append(Suggestion(*players, float(gain[i, j]) / total))
        column = covariance[:, i] - covariance[:, j]
        weight = information[i, j] / (1.0 + information[i, j] * own[i, j])
        reach = weight * (covariance @ column)
        square -= np.outer(reach, column) + np.outer(column, reach)
        square += weight**2 * (column @ column) * np.outer(column, column)
        covariance -= weight * np.outer(column, column)
    return chosen


def joining_games(ratings: JointRatings, number: int = 5) -> list[tuple[str, str]]:
    """Pairs whose games would join the largest component with the next ones.

    From each the player with most games; they must score both ways, or draw.
    """

    def leader(label: int) -> str:
        members = np.flatnonzero((ratings.component == label) & (ratings.status != Status.NO_GAMES))
        return ratings.players[int(members[np.argmax(ratings.games[members])])]

    last = min(ratings.components, number + 1)
    return [(leader(0), leader(label)) for label in range(1, last)]
