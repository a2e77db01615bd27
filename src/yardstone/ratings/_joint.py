"""The numbers of a joint fit, in the bundles that its kernels take.

Vectors over unknowns have an entry for each rating, then one for the first-move
advantage and, where it matters, one for the draw parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.kernels import in_python, kernel
from yardstone.winprob.laws import plain_logistic, win_and_loss

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats, Ints
    from yardstone.pool import PairCounts


class Pairs(NamedTuple):
    """Results of each ordered pair of players, in runs of one first player."""

    first: Ints
    second: Ints
    wins: Floats
    draws: Floats
    losses: Floats

    @classmethod
    def of(cls, counts: PairCounts) -> Pairs:
        """Those of counts."""
        return cls(counts.first, counts.second, counts.wins, counts.draws, counts.losses)


class Relations(NamedTuple):
    """Gaussian priors on the differences of two players' ratings."""

    player: Ints
    other: Ints
    difference: Floats
    precision: Floats


class Beliefs(NamedTuple):
    """Gaussian priors of the unknowns (precision 0: none), and relations."""

    mean: Floats
    precision: Floats
    relations: Relations


class Derivatives(NamedTuple):
    """Of the log-likelihood, filled in place.

    `border` holds the second derivatives between the first-move advantage and each rating.
    """

    gradient: Floats
    weight: Floats
    diagonal: Floats
    border: Floats


class Graph(NamedTuple):
    """The matrix H of a joint fit: a weighted graph of the players, with a border.

    The first-move advantage is joined to each player by `border`; `extra` stands on the diagonal
    alone, `diagonal` is the whole of it. Only `free` unknowns are solved for.
    """

    first: Ints
    second: Ints
    weight: Floats
    relations: Relations
    extra: Floats
    border: Floats
    diagonal: Floats
    free: Flags


def new_derivatives(pairs: int, unknowns: int) -> Derivatives:
    """Room for them."""
    return Derivatives(np.zeros(unknowns), np.zeros(pairs), np.zeros(unknowns), np.zeros(unknowns))


#: A step is short enough if the slope at its end falls back by less than this share.
_OVERSHOOT = 0.9
_LEVEL = 1e-4  #: Differences below this count as none.
#: Newton's step is trusted so far, in log odds: the slope at its end shows no single overshot.
_TRUSTED = 4.0
#: Relative residuals of conjugate gradients: at first, at least, and of the last step, the test.
_ROUGH, _FINE, _SHARP = 1e-2, 1e-8, 1e-6


_room = kernel(new_derivatives)

CONVERGED, STALLED, TOO_MANY_STEPS, AT_THE_EDGE = 0, 1, 2, 3
TAU_LIMIT = 20.0  #: Beyond this tau the draw rate is 0 or 1 for all that matters.


@kernel
def pair_probabilities(difference: float, u2: float) -> tuple[float, float, float, float]:
    """p, q, S and m of the module's docstring; u2 < 0 stands for "no draws law"."""
    p, q = win_and_loss(difference)
    m = q - p
    root = 1.0
    if u2 >= 0.0:
        root = np.sqrt(m * m + 4.0 * u2 * p * q)
    return p, q, root, m


@kernel
def _chord(difference: float, m: float) -> float:
    """(p - 1/2)/d, which v = pq never exceeds."""
    return 0.25 if abs(difference) < _LEVEL else -0.5 * m / difference


@kernel
def evaluate_pairs(
    pairs: Pairs, likelihood: bool, x: Floats, terms: Derivatives, cautious: bool
) -> None:
    """Fill in the derivatives at `x`; `cautious`: by the chord and the expected information.

    Gradients are added by Kahan's summation: a group that hangs on the others by
    one lopsided result turns their rounding errors into a shift of the group.
    """
    first, second, wins, draws, losses = pairs
    gradient, weight, diagonal, border = terms
    n = len(x) - 2
    gradient[:] = 0.0
    diagonal[:] = 0.0
    border[:] = 0.0
    advantage = x[n]
    u2 = np.exp(2.0 * x[n + 1]) if likelihood else -1.0
    lost = np.zeros(n)
    total, total_lost, total_weight = 0.0, 0.0, 0.0
    k = 0
    while k < len(first):
        i = first[k]
        run, run_lost, run_weight = 0.0, 0.0, 0.0
        while k < len(first) and first[k] == i:
            j = second[k]
            won, drawn, conceded = float(wins[k]), float(draws[k]), float(losses[k])
            games = won + drawn + conceded
            if games == 0.0:
                weight[k] = 0.0
                k += 1
                continue
            points = won + 0.5 * drawn
            difference = x[i] + advantage - x[j]
            p, q, root, m = pair_probabilities(difference, u2)
            slope = points - games * p
            h = games * (_chord(difference, m) if cautious else p * q)
            if likelihood:
                v = p * q
                residual = slope
                ratio = (1.0 + root) / root
                if m >= 0.0:
                    a = root + m
                    b = 4.0 * v * u2 / a
                else:
                    b = root - m
                    a = 4.0 * v * u2 / b
                h *= ratio
                t = a * b / root
                gradient[n + 1] += (won * a + conceded * b) / root - games * t / (1.0 + root)
                win_n, loss_n = games * p * b / (1.0 + root), games * q * a / (1.0 + root)
                if not cautious:
                    h += 2.0 * (u2 - 1.0) * v * m * residual / root**3
                    win_n, loss_n = won, conceded
                diagonal[n + 1] += (win_n - loss_n) * t * m / root**2 + games * (
                    t * (2.0 * root - t) / (root * (1.0 + root)) - (t / (1.0 + root)) ** 2
                )
                slope = ratio * residual
            weight[k] = h
            value = slope - run_lost
            new = run + value
            run_lost = (new - run) - value
            run = new
            value = -slope - lost[j]
            new = gradient[j] + value
            lost[j] = (new - gradient[j]) - value
            gradient[j] = new
            run_weight += h
            diagonal[j] += h
            k += 1
        for term in (run, -run_lost):
            value = term - lost[i]
            new = gradient[i] + value
            lost[i] = (new - gradient[i]) - value
            gradient[i] = new
            value = term - total_lost
            new = total + value
            total_lost = (new - total) - value
            total = new
        border[i] += run_weight
        total_weight += run_weight
    for i in range(n):  # so far `border` holds the weights as first, `diagonal` as second
        as_second = diagonal[i]
        diagonal[i] = border[i] + as_second
        border[i] -= as_second
    gradient[n] = total
    diagonal[n] = total_weight


@kernel
def _add_beliefs(beliefs: Beliefs, x: Floats, terms: Derivatives) -> None:
    """Add the derivatives of the Gaussian priors' logarithms."""
    mean, precision, relations = beliefs
    gradient, diagonal = terms.gradient, terms.diagonal
    n = len(x) - 2
    for i in range(n + 1):
        if precision[i] > 0.0:
            off = x[i] - mean[i]
            gradient[i] -= precision[i] * off
            diagonal[i] += precision[i]
    if precision[n + 1] > 0.0:  # on the draw rate itself, not on tau
        rate = plain_logistic(-x[n + 1])
        slope = -rate * (1.0 - rate)
        off = rate - mean[n + 1]
        bend = (2.0 * rate - 1.0) * slope
        gradient[n + 1] -= precision[n + 1] * off * slope
        curvature = precision[n + 1] * (slope * slope + off * bend)
        if diagonal[n + 1] + curvature <= 0.0:
            curvature = precision[n + 1] * slope * slope
        diagonal[n + 1] += curvature
    for k in range(len(relations.player)):
        i, j = relations.player[k], relations.other[k]
        pull = relations.precision[k] * (x[i] - x[j] - relations.difference[k])
        gradient[i] -= pull
        gradient[j] += pull
        diagonal[i] += relations.precision[k]
        diagonal[j] += relations.precision[k]


@kernel
def _derive(
    pairs: Pairs, beliefs: Beliefs, likelihood: bool, x: Floats, terms: Derivatives, cautious: bool
) -> None:
    """Fill in the derivatives at `x`, of results and beliefs."""
    evaluate_pairs(pairs, likelihood, x, terms, cautious)
    _add_beliefs(beliefs, x, terms)


@kernel
def _along(step: Floats, gradient: Floats) -> float:
    """The slope along a step; numba's own product of vectors needs scipy."""
    slope = 0.0
    for i in range(len(step)):
        slope += step[i] * gradient[i]
    return slope


@kernel
def newton(
    pairs: Pairs,
    beliefs: Beliefs,
    likelihood: bool,
    x: Floats,
    free: Flags,
    level: Ints,
    tolerance: float,
    max_steps: int,
) -> tuple[int, int, float]:
    """Climb to the maximum from `x`, in place: status, steps, and the largest last change.

    `level` numbers the groups whose common level is free (-1: none), whose mean stays. The last
    step is the test: it must fall below `tolerance` (log odds).
    """
    n = len(x) - 2
    terms = _room(len(pairs.first), n + 2)
    gradient, diagonal = terms.gradient, terms.diagonal
    graph = Graph(
        pairs.first,
        pairs.second,
        terms.weight,
        beliefs.relations,
        beliefs.precision[: n + 1].copy(),
        terms.border,
        diagonal[: n + 1],
        free[: n + 1],
    )
    step = np.zeros(n + 2)
    trial = x.copy()
    largest = 1.0
    _derive(pairs, beliefs, likelihood, x, terms, False)
    for count in range(1, max_steps + 1):
        arrived = False
        for cautious in (False, True):
            precision = _ROUGH if cautious else min(max(largest * largest, _FINE), _ROUGH)
            if cautious:
                _derive(pairs, beliefs, likelihood, x, terms, cautious)
            # Rounding errors would make the singular system unsolvable.
            centre(gradient, level)
            if not conjugate_gradients(graph, gradient[: n + 1], precision, step[: n + 1]):
                continue
            centre(step, level)
            if free[n + 1]:
                if diagonal[n + 1] <= 0.0:
                    continue
                step[n + 1] = min(max(gradient[n + 1] / diagonal[n + 1], -1.0), 1.0)
            largest = np.abs(step).max()
            if largest > _TRUSTED and not cautious:
                continue
            ascent = _along(step, gradient)
            scale = 1.0
            while True:
                trial[:] = x + scale * step
                _derive(pairs, beliefs, likelihood, trial, terms, False)
                arrived = _along(step, gradient) >= -_OVERSHOOT * ascent
                arrived = arrived or scale * largest < tolerance
                if arrived or not cautious:
                    break
                scale *= 0.5
            if arrived:
                break
        if not arrived:
            return STALLED, count, largest
        x[:] = trial
        if abs(x[n + 1]) > TAU_LIMIT:
            return AT_THE_EDGE, count, largest
        if largest < tolerance and precision <= _SHARP:
            for i in range(n + 1):
                if free[i] and diagonal[i] <= 0.0 and gradient[i] != 0.0:
                    return STALLED, count, largest
            return CONVERGED, count, largest
    return TOO_MANY_STEPS, max_steps, largest


_CG_STEPS_PER_UNKNOWN = 20  #: Conjugate gradients give up after so many steps a player.
_FLAT = 1e-13  #: Curvature below this share of the diagonal's counts as none.


@kernel
def _multiply(graph: Graph, x: Floats, out: Floats) -> None:
    """out = H x over the ratings and w, for unknowns that are free."""
    first, second, weight = graph.first, graph.second, graph.weight
    extra, border, free, relations = graph.extra, graph.border, graph.free, graph.relations
    n = len(x) - 1
    for i in range(n):
        out[i] = extra[i] * x[i]
    k = 0
    while k < len(first):  # in runs of one first player
        i = first[k]
        here, total = x[i], 0.0
        while k < len(first) and first[k] == i:
            flow = weight[k] * (here - x[second[k]])
            total += flow
            out[second[k]] -= flow
            k += 1
        out[i] += total
    for k in range(len(relations.player)):
        i, j = relations.player[k], relations.other[k]
        flow = relations.precision[k] * (x[i] - x[j])
        out[i] += flow
        out[j] -= flow
    out[n] = 0.0
    if free[n]:
        total = graph.diagonal[n] * x[n]
        for i in range(n):
            out[i] += border[i] * x[n]
            total += border[i] * x[i]
        out[n] = total
    for i in range(n):
        if not free[i]:
            out[i] = 0.0


@in_python(_multiply)
def _multiply_by_numpy(graph: Graph, x: Floats, out: Floats) -> None:
    n, relations = len(x) - 1, graph.relations
    flow = graph.weight * (x[graph.first] - x[graph.second])
    out[:n] = graph.extra[:n] * x[:n] + np.bincount(graph.first, flow, n)
    out[:n] -= np.bincount(graph.second, flow, n)
    if len(relations.player):
        flow = relations.precision * (x[relations.player] - x[relations.other])
        out[:n] += np.bincount(relations.player, flow, n) - np.bincount(relations.other, flow, n)
    if graph.free[n]:
        out[n] = graph.diagonal[n] * x[n] + graph.border[:n] @ x[:n]
        out[:n] += graph.border[:n] * x[n]
    out[~graph.free] = 0.0


@kernel
def conjugate_gradients(graph: Graph, right: Floats, tolerance: float, step: Floats) -> bool:
    """Solve H step = right, preconditioned by the diagonal; False where H is indefinite."""
    n, diagonal, free = len(step), graph.diagonal, graph.free
    residual = np.zeros(n)
    scaled = np.zeros(n)
    direction = np.zeros(n)
    product = np.zeros(n)
    step[:] = 0.0
    rho = 0.0
    for i in range(n):
        if free[i] and diagonal[i] > 0.0:
            residual[i] = right[i]
            scaled[i] = residual[i] / diagonal[i]
            direction[i] = scaled[i]
            rho += residual[i] * scaled[i]
    goal = rho * tolerance * tolerance
    for _ in range(_CG_STEPS_PER_UNKNOWN * n + 100):
        if rho <= goal or rho == 0.0:
            break
        _multiply(graph, direction, product)
        curvature, size = 0.0, 0.0
        for i in range(n):
            curvature += direction[i] * product[i]
            size += direction[i] * direction[i] * diagonal[i]
        if curvature <= _FLAT * size:  # only rounding errors are left, or H is indefinite
            return curvature >= -_FLAT * size
        alpha = rho / curvature
        new_rho = 0.0
        for i in range(n):
            if free[i] and diagonal[i] > 0.0:
                step[i] += alpha * direction[i]
                residual[i] -= alpha * product[i]
                scaled[i] = residual[i] / diagonal[i]
                new_rho += residual[i] * scaled[i]
        beta = new_rho / rho
        rho = new_rho
        for i in range(n):
            direction[i] = scaled[i] + beta * direction[i]
    return True


@in_python(conjugate_gradients)
def _conjugate_gradients_by_numpy(
    graph: Graph, right: Floats, tolerance: float, step: Floats
) -> bool:
    n, diagonal = len(step), graph.diagonal
    used = graph.free & (diagonal > 0.0)
    divisor = np.where(used, diagonal, 1.0)
    residual = np.where(used, right, 0.0)
    scaled = residual / divisor
    direction, product = scaled.copy(), np.zeros(n)
    step[:] = 0.0
    rho = float(residual @ scaled)
    goal = rho * tolerance * tolerance
    for _ in range(_CG_STEPS_PER_UNKNOWN * n + 100):
        if rho <= goal or rho == 0.0:
            break
        _multiply_by_numpy(graph, direction, product)
        curvature = float(direction @ product)
        size = float((direction * direction) @ diagonal)
        if curvature <= _FLAT * size:
            return curvature >= -_FLAT * size
        alpha = rho / curvature
        step += alpha * direction * used
        residual -= alpha * product * used
        scaled = residual / divisor
        new_rho = float(residual @ scaled)
        direction = scaled + new_rho / rho * direction
        rho = new_rho
    return True


@kernel
def centre(vector: Floats, level: Ints) -> None:
    """Subtract from the entries of each group whose level is free their mean."""
    groups = level.max() + 1
    total = np.zeros(groups)
    members = np.zeros(groups)
    for i in range(len(level)):
        if level[i] >= 0:
            total[level[i]] += vector[i]
            members[level[i]] += 1.0
    for i in range(len(level)):
        if level[i] >= 0:
            vector[i] -= total[level[i]] / members[level[i]]


_SPARSE, _PLAYERS = 2.5, 200_000  #: Pairs a player up to which elimination is tried, and players.


def direct_solver(graph: Graph, level: Ints) -> Callable[[Floats], Floats] | None:
    """What solves H x = right by elimination; None where the graph may be too dense.

    Of each group whose level is free (`level`, -1 for none) one player stays at 0.
    """
    n = len(graph.extra) - 1
    used = graph.weight > 0.0
    if not n or n > _PLAYERS or used.sum() > _SPARSE * n:
        return None
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import splu

    relations = graph.relations
    i = np.concatenate([graph.first[used], relations.player])
    j = np.concatenate([graph.second[used], relations.other])
    weight = np.concatenate([graph.weight[used], relations.precision])
    solved = graph.free[:n] & (graph.diagonal[:n] > 0.0)
    groups, grounded = np.unique(level, return_index=True)
    solved[grounded[groups >= 0]] = False
    diagonal = np.where(solved, graph.diagonal[:n], 1.0)
    inner = solved[i] & solved[j]
    i, j, weight = i[inner], j[inner], weight[inner]
    at = np.arange(n)
    matrix = coo_array(
        (
            np.concatenate([diagonal, -weight, -weight]),
            (np.concatenate([at, i, j]), np.concatenate([at, j, i])),
        ),
        shape=(n, n),
    ).tocsc()
    try:
        factors = splu(
            matrix,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except RuntimeError:  # singular: left to conjugate gradients
        return None
    border = np.where(solved, graph.border[:n], 0.0)
    toward = factors.solve(border)
    rest = float(graph.diagonal[n] - border @ toward)
    free = bool(graph.free[n]) and rest > 0.0

    def solve(right: Floats) -> Floats:
        step = np.zeros(n + 1)
        plain = factors.solve(np.where(solved, right[:n], 0.0))
        if free:
            step[n] = (right[n] - border @ plain) / rest
        step[:n] = plain - toward * step[n]
        return step

    return solve
