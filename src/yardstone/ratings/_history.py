"""Games laid out for whole-history rating: players, their days, the games of each day.

A *node* is a player on a day on which he played; its unknown is his strength that day. Nodes of a
player stand together in order of time. An *entry* is a game seen by one of its players; the entries
of a player stand together in order of time too, so every game has two.
"""

from __future__ import annotations

from math import exp, log, pi, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from yardstone.kernels import inlined_kernel, kernel
from yardstone.winprob.laws import fast_logistic, fast_win_and_loss

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats, Ints, Longs


class DayGames(NamedTuple):
    """Games in order of time, with the day of each."""

    first: Ints
    second: Ints
    score: Floats
    day: Floats


class Layout(NamedTuple):
    """Where everything stands: nodes and entries of each player, and of each node its first entry.

    Of each entry the opponent's node, the player's `score`, his `side` (1 for who moved first,
    else -1) and the `shift` of handicap (logits); `own` has both entries of each game.
    """

    node_start: Longs
    node_day: Floats
    entry_start: Longs
    node_entry: Longs
    opponent: Ints
    score: Floats
    side: Floats
    shift: Floats
    own: Longs


def lay_out(games: DayGames, shift: Floats, players: int) -> Layout:
    """Lay out games whose days are NaN-free and do not fall.

    `shift` is what handicap adds to the rating of `first`, in logits.
    """
    entries, everybody = 2 * len(games.first), np.arange(players + 1)
    seats = np.column_stack([games.first, games.second]).ravel()
    order = np.argsort(seats, kind="stable")
    player, game, moved = seats[order], order // 2, order % 2 == 0
    day, score = games.day[game], games.score[game]
    begins = np.ones(entries, np.bool_)
    begins[1:] = (player[1:] != player[:-1]) | (day[1:] > day[:-1])
    node = np.cumsum(begins, dtype=np.int32) - np.int32(1)
    place = np.empty(entries, np.int64)
    place[order] = np.arange(entries)
    return Layout(
        np.searchsorted(player[begins], everybody),
        day[begins],
        np.searchsorted(player, everybody),
        np.append(np.flatnonzero(begins), entries),
        node[place[order ^ 1]],
        np.where(moved, score, 1.0 - score),
        np.where(moved, 1.0, -1.0),
        np.where(moved, shift[game], -shift[game]),
        place.reshape(-1, 2),
    )


#: The curvature of a game is taken to be at least this share of its expectation.
_LEAST_CURVATURE = 0.05


@kernel
def u2_of(tau: float) -> float:
    """exp(2 tau), as the terms of a game take it; below 0 (tau is NaN) draws are half a win."""
    return -1.0 if np.isnan(tau) else exp(2.0 * tau)


@kernel
def _odds(difference: float, u2: float) -> tuple[float, float, float]:
    """p, q and S; u2 < 0 stands for "draws are half a win"."""
    p, q = fast_win_and_loss(difference)
    root = sqrt(max(1.0 + 4.0 * (u2 - 1.0) * p * q, 0.0)) if u2 >= 0.0 else 1.0
    return p, q, root


@kernel
def game_terms(difference: float, score: float, u2: float) -> tuple[float, float]:
    """Derivative of a game's log-probability by the difference, and minus the second one."""
    p, q, root = _odds(difference, u2)
    v, residual = p * q, score - p
    if u2 < 0.0:
        return residual, v
    ratio = (1.0 + root) / root
    usual = ratio * v
    curvature = usual + 2.0 * (u2 - 1.0) * v * (q - p) * residual / (root * root * root)
    return ratio * residual, max(curvature, _LEAST_CURVATURE * usual)


@kernel
def game_value(difference: float, score: float, u2: float) -> float:
    """Logarithm of the probability of a game's result."""
    p, q, root = _odds(difference, u2)
    if u2 < 0.0:
        value = 0.0
        if score > 0.0:
            value += score * log(p)
        if score < 1.0:
            value += (1.0 - score) * log(q)
        return value
    if score == 0.5:
        return log(4.0 * p * q / (1.0 + root))
    own, other = (p, q) if score == 1.0 else (q, p)
    ahead = own - other
    share = root + ahead if ahead >= 0.0 else 4.0 * p * q * u2 / (root - ahead)
    return log(own * share / (1.0 + root))


@kernel
def tau_terms(difference: float, score: float, u2: float) -> tuple[float, float, float, float]:
    """Derivatives of a game's log-probability by tau = ln(u).

    The first; minus the second, as observed and as expected; minus the mixed one by the difference.
    """
    p, q, root = _odds(difference, u2)
    v, m = p * q, q - p
    if m >= 0.0:
        a = root + m
        b = 4.0 * v * u2 / a
    else:
        b = root - m
        a = 4.0 * v * u2 / b
    t = a * b / root
    slope = -t / (1.0 + root)
    share = t * m / (root * root)
    rest = t * (2.0 * root - t) / (root * (1.0 + root)) - (t / (1.0 + root)) ** 2
    observed = rest
    if score == 1.0:
        slope += a / root
        observed += share
    elif score == 0.0:
        slope += b / root
        observed -= share
    usual = rest + share * (p * b - q * a) / (1.0 + root)
    return slope, observed, usual, 4.0 * u2 * v * (score - p) / (root * root * root)


class Model(NamedTuple):
    """Drift in squared logits a day; mean and precision of each player's first day."""

    w2: float
    prior: Floats


class Hessian(NamedTuple):
    """Minus the second derivatives: tridiagonal blocks, their factors, and the rest.

    `corner` holds w w, w tau and tau tau; `free` says whether w and tau are unknown; `level` is
    the curvature along the common level of all strengths.
    """

    diagonal: Floats
    off: Floats
    pivot: Floats
    weight: Floats
    border: Floats
    corner: Floats
    free: Flags
    level: Floats


class Posterior(NamedTuple):
    """What there is to fit: the nodes before `stop` of each player, and room for derivatives."""

    layout: Layout
    stop: Longs
    model: Model
    hessian: Hessian


class Stretch(NamedTuple):
    """A player's nodes from `begin` up to `stop`."""

    player: int
    begin: int
    stop: int


@inlined_kernel
def refresh(
    problem: Posterior, part: Stretch, x: Floats, shared: Floats, gradient: Floats, sums: Floats
) -> None:
    """Fill in the derivatives by the strengths of one player in a stretch of nodes.

    `off[k]` stands between k - 1 and k, `border[k]` between k and w and tau. Adds to `sums` the
    derivatives by w and tau, then minus the second: w w, tau tau (observed, expected), w tau.
    """
    layout, _, model, hessian = problem
    player, begin, stop = part
    start, with_tau = layout.node_start[player], hessian.free[1]
    diagonal, off, weight, border = hessian.diagonal, hessian.off, hessian.weight, hessian.border
    w, u2, prior = shared[0], u2_of(shared[1]), model.prior
    for node in range(begin, stop):
        slope, curvature, edge, tau_edge = 0.0, 0.0, 0.0, 0.0
        for e in range(layout.node_entry[node], layout.node_entry[node + 1]):
            weight[e] = 0.0
            if layout.opponent[e] == node:  # a game against oneself tells nothing
                continue
            difference = x[node] - x[layout.opponent[e]] + layout.side[e] * w + layout.shift[e]
            s, c = game_terms(difference, layout.score[e], u2)
            slope += s
            curvature += c
            edge += layout.side[e] * c
            sums[0] += layout.side[e] * s
            weight[e] = c
            if with_tau:
                by_tau, observed, usual, mixed = tau_terms(difference, layout.score[e], u2)
                tau_edge += mixed
                sums[1] += by_tau
                sums[3] += observed
                sums[4] += usual
                sums[5] += layout.side[e] * mixed
        sums[2] += curvature
        border[node, 0], border[node, 1] = edge, tau_edge
        gradient[node] = slope
        diagonal[node] = curvature
        if node == start:
            off[node] = 0.0
            gradient[node] -= (x[node] - prior[player, 0]) * prior[player, 1]
            diagonal[node] += prior[player, 1]
        else:
            pull = 1.0 / (model.w2 * (layout.node_day[node] - layout.node_day[node - 1]))
            flow = pull * (x[node] - x[node - 1])
            off[node] = -pull
            diagonal[node] += pull
            gradient[node] -= flow
            if node > begin:
                diagonal[node - 1] += pull
                gradient[node - 1] += flow


@inlined_kernel
def factor(start: int, part: Stretch, diagonal: Floats, off: Floats, pivot: Floats) -> None:
    """Pivots of the LDL' factors of a player's tridiagonal matrix, which begins at `start`."""
    for k in range(part.begin, part.stop):
        pivot[k] = diagonal[k]
        if k > start:
            pivot[k] -= off[k] * off[k] / pivot[k - 1]


@inlined_kernel
def solve(start: int, stop: int, off: Floats, pivot: Floats, right: Floats, out: Floats) -> None:
    """Solve a player's tridiagonal system, factored."""
    for k in range(start, stop):
        out[k] = right[k]
        if k > start:
            out[k] -= off[k] / pivot[k - 1] * out[k - 1]
    for k in range(stop - 1, start - 1, -1):
        out[k] /= pivot[k]
        if k < stop - 1:
            out[k] -= off[k + 1] / pivot[k] * out[k + 1]


_CG_STEPS = 1000
_LONGEST = 3.0  #: Steps of a Newton iteration are cut to so many logits.


@kernel
def log_posterior(problem: Posterior, x: Floats, shared: Floats) -> float:
    """Log posterior up to a constant."""
    layout, stop, (w2, prior), _ = problem
    w, u2 = shared[0], u2_of(shared[1])
    value = 0.0
    for p in range(len(stop)):
        start = layout.node_start[p]
        for node in range(start, stop[p]):
            for e in range(layout.node_entry[node], layout.node_entry[node + 1]):
                if layout.side[e] > 0.0 and layout.opponent[e] != node:
                    difference = x[node] - x[layout.opponent[e]] + w + layout.shift[e]
                    value += game_value(difference, layout.score[e], u2)
            if node == start:
                value -= 0.5 * prior[p, 1] * (x[node] - prior[p, 0]) ** 2
            else:
                step = x[node] - x[node - 1]
                days = layout.node_day[node] - layout.node_day[node - 1]
                value -= 0.5 * step * step / (w2 * days)
    return value


@kernel
def linearise(problem: Posterior, x: Floats, shared: Floats, gradient: Floats) -> None:
    """Fill the derivatives by all unknowns; the last two of `gradient` are w's and tau's."""
    layout, stop, model, hessian = problem
    n = len(gradient) - 2
    sums = np.zeros(6)
    hessian.level[0] = 0.0
    for p in range(len(stop)):
        if stop[p] > layout.node_start[p]:
            hessian.level[0] += model.prior[p, 1]
        part = Stretch(p, layout.node_start[p], stop[p])
        refresh(problem, part, x, shared, gradient, sums)
        factor(part.begin, part, hessian.diagonal, hessian.off, hessian.pivot)
    sums *= 0.5  # every game was seen by both of its players
    gradient[n] = sums[0] if hessian.free[0] else 0.0
    gradient[n + 1] = sums[1] if hessian.free[1] else 0.0
    hessian.corner[0] = sums[2]
    hessian.corner[1] = sums[5]
    hessian.corner[2] = sums[3] if sums[3] > 0.1 * sums[4] else sums[4]


@kernel
def multiply(problem: Posterior, x: Floats, out: Floats) -> None:
    """out = H x over nodes, w and tau."""
    layout, stop, _, hessian = problem
    n = len(x) - 2
    w = x[n] if hessian.free[0] else 0.0
    tau = x[n + 1] if hessian.free[1] else 0.0
    along_w = hessian.corner[0] * w + hessian.corner[1] * tau
    along_tau = hessian.corner[1] * w + hessian.corner[2] * tau
    diagonal, off, weight, border = hessian.diagonal, hessian.off, hessian.weight, hessian.border
    for p in range(len(stop)):
        start, end = layout.node_start[p], stop[p]
        for node in range(start, end):
            value = diagonal[node] * x[node] + border[node, 0] * w + border[node, 1] * tau
            for e in range(layout.node_entry[node], layout.node_entry[node + 1]):
                value -= weight[e] * x[layout.opponent[e]]
            if node > start:
                value += off[node] * x[node - 1]
            if node < end - 1:
                value += off[node + 1] * x[node + 1]
            out[node] = value
            along_w += border[node, 0] * x[node]
            along_tau += border[node, 1] * x[node]
    out[n] = along_w if hessian.free[0] else 0.0
    out[n + 1] = along_tau if hessian.free[1] else 0.0


@kernel
def solve_blocks(problem: Posterior, right: Floats, out: Floats) -> None:
    """Solve with the blocks of T, for each player by himself."""
    layout, stop, _, hessian = problem
    for p in range(len(stop)):
        solve(layout.node_start[p], stop[p], hessian.off, hessian.pivot, right, out)


@kernel
def _precondition(problem: Posterior, right: Floats, out: Floats) -> None:
    """Solve for blocks and common level, and with the diagonal for w and tau."""
    layout, stop, _, hessian = problem
    solve_blocks(problem, right, out)
    total = 0.0
    for p in range(len(stop)):
        for node in range(layout.node_start[p], stop[p]):
            total += right[node]
    total /= hessian.level[0]
    for p in range(len(stop)):
        for node in range(layout.node_start[p], stop[p]):
            out[node] += total
    n = len(right) - 2
    out[n] = right[n] / hessian.corner[0] if hessian.free[0] else 0.0
    out[n + 1] = right[n + 1] / hessian.corner[2] if hessian.free[1] else 0.0


@kernel
def _dot(problem: Posterior, a: Floats, b: Floats) -> float:
    layout, stop, _, _ = problem
    n = len(a) - 2
    total = a[n] * b[n] + a[n + 1] * b[n + 1]
    for p in range(len(stop)):
        for node in range(layout.node_start[p], stop[p]):
            total += a[node] * b[node]
    return float(total)


@kernel
def solve_all(problem: Posterior, right: Floats, tolerance: float, out: Floats) -> bool:
    """Solve H out = right by preconditioned conjugate gradients; False if they fail.

    `tolerance` is that of the residual, relative to the right side.
    """
    residual = right.copy()
    scaled, product = np.zeros_like(right), np.zeros_like(right)
    out[:] = 0.0
    _precondition(problem, residual, scaled)
    direction = scaled.copy()
    rho = _dot(problem, residual, scaled)
    goal = rho * tolerance * tolerance
    for _ in range(_CG_STEPS):
        if rho <= goal or rho <= 0.0:
            return True
        multiply(problem, direction, product)
        curvature = _dot(problem, direction, product)
        if curvature <= 0.0:
            return False
        alpha = rho / curvature
        for k in range(len(out)):
            out[k] += alpha * direction[k]
            residual[k] -= alpha * product[k]
        _precondition(problem, residual, scaled)
        new_rho = _dot(problem, residual, scaled)
        beta = new_rho / rho
        rho = new_rho
        for k in range(len(out)):
            direction[k] = scaled[k] + beta * direction[k]
    return False


@kernel
def climb(
    problem: Posterior, x: Floats, shared: Floats, tolerance: float, max_steps: int
) -> tuple[bool, int, float]:
    """Climb to the maximum from `x` and `shared` (w and tau; NaN: draws are half a win), in place.

    Returns whether the last step fell below `tolerance` (logits), the number of steps, and the
    last one. `hessian` is left as it was before that step.
    """
    n = len(x)
    gradient, step = np.zeros(n + 2), np.zeros(n + 2)
    trial, new_shared, largest = x.copy(), shared.copy(), 1.0
    value = log_posterior(problem, x, shared)
    for count in range(1, max_steps + 1):
        linearise(problem, x, shared, gradient)
        precision = min(max(0.1 * largest, 1e-5), 0.03)
        if not solve_all(problem, gradient, precision, step):
            return False, count, largest
        largest = 0.0
        for k in range(n + 2):
            largest = max(largest, abs(step[k]))
        scale = min(1.0, _LONGEST / largest) if largest > 0.0 else 1.0
        rounding = 1e-11 * (1.0 + abs(value))
        while True:
            for k in range(n):
                trial[k] = x[k] + scale * step[k]
            for k in range(2):
                new_shared[k] = shared[k] + scale * step[n + k]
            new_value = log_posterior(problem, trial, new_shared)
            if new_value >= value - rounding or scale * largest < tolerance:
                break
            scale *= 0.5
        x[:], shared[:], value = trial, new_shared, new_value
        if largest < tolerance:
            return True, count, largest
    return False, max_steps, largest


@kernel
def conditional_variance(problem: Posterior, out: Floats) -> None:
    """Variance of each strength with all other players' strengths given.

    The diagonal of the inverse of each player's tridiagonal matrix.
    """
    layout, stop, _, hessian = problem
    for p in range(len(stop)):
        for k in range(stop[p] - 1, layout.node_start[p] - 1, -1):
            out[k] = 1.0 / hessian.pivot[k]
            if k < stop[p] - 1:
                share = hessian.off[k + 1] / hessian.pivot[k]
                out[k] += share * share * out[k + 1]


@kernel
def draw_noise(problem: Posterior, normal: Floats, out: Floats) -> None:
    """Draw from the normal distribution with covariance H (tau aside).

    `normal` holds a standard normal number for each entry and then each node.
    """
    layout, stop, model, hessian = problem
    out[:] = 0.0
    n = len(out) - 2
    for p in range(len(stop)):
        start = layout.node_start[p]
        for node in range(start, stop[p]):
            for e in range(layout.node_entry[node], layout.node_entry[node + 1]):
                if layout.side[e] > 0.0:
                    size = sqrt(hessian.weight[e]) * normal[e]
                    out[node] += size
                    out[layout.opponent[e]] -= size
                    if hessian.free[0]:
                        out[n] += size
            extra = normal[len(layout.score) + node]
            if node == start:
                out[node] += sqrt(model.prior[p, 1]) * extra
            else:
                size = sqrt(-hessian.off[node]) * extra
                out[node] += size
                out[node - 1] -= size


@kernel
def lanczos(problem: Posterior, probe: Floats, steps: int) -> tuple[Floats, Floats, float]:
    """Lanczos coefficients of D^-1/2 L^-1 H L^-T D^-1/2, where LDL' are the blocks of T.

    Returns diagonal, off-diagonal, and the squared length of the probe.
    """
    layout, stop, _, hessian = problem
    n = len(probe) - 2
    off, pivot = hessian.off, hessian.pivot
    alpha, beta = np.zeros(steps), np.zeros(steps)
    length2 = _dot(problem, probe, probe)
    now, before = probe / sqrt(length2), np.zeros_like(probe)
    lifted, product = np.zeros_like(probe), np.zeros_like(probe)
    done = steps
    for step in range(steps):
        for p in range(len(stop)):
            start = layout.node_start[p]
            for k in range(stop[p] - 1, start - 1, -1):
                lifted[k] = now[k] / sqrt(pivot[k])
                if k < stop[p] - 1:
                    lifted[k] -= off[k + 1] / pivot[k] * lifted[k + 1]
        for s in range(2):
            corner = hessian.corner[2 * s]
            lifted[n + s] = now[n + s] / sqrt(corner) if hessian.free[s] else 0.0
        multiply(problem, lifted, product)
        for p in range(len(stop)):
            start = layout.node_start[p]
            for k in range(start + 1, stop[p]):
                product[k] -= off[k] / pivot[k - 1] * product[k - 1]
            for k in range(start, stop[p]):
                product[k] /= sqrt(pivot[k])
        for s in range(2):
            corner = hessian.corner[2 * s]
            product[n + s] = product[n + s] / sqrt(corner) if hessian.free[s] else 0.0
        alpha[step] = _dot(problem, now, product)
        for k in range(n + 2):
            product[k] -= alpha[step] * now[k]
            if step > 0:
                product[k] -= beta[step - 1] * before[k]
        length = sqrt(_dot(problem, product, product))
        beta[step] = length
        if length < 1e-10:
            done = step + 1
            break
        for k in range(n + 2):
            before[k] = now[k]
            now[k] = product[k] / length
    return alpha[:done], beta[: done - 1], length2


@kernel
def log_determinant_of_blocks(problem: Posterior) -> float:
    """Logarithm of the determinant of T, with the diagonal for w and tau."""
    layout, stop, _, hessian = problem
    total = 0.0
    for p in range(len(stop)):
        for node in range(layout.node_start[p], stop[p]):
            total += log(hessian.pivot[node])
    for s in range(2):
        if hessian.free[s]:
            total += log(hessian.corner[2 * s])
    return total


_LONGEST_QUEUE = 2.0  #: Steps of one player's strengths are cut to so many logits.
_LEAST = 1e-7  #: Steps smaller than this are left out.
#: Full fits.
_TOLERANCE, _MAX_STEPS = 1e-5, 60
_THREE_OVER_PI_SQUARED = 3.0 / pi**2


class Learner(NamedTuple):
    """What is learned, changed in place.

    `variance` is that of each player's last strength, `known` the information on w and tau,
    `fitted` the day of the last full fit.
    """

    x: Floats
    variance: Floats
    shared: Floats
    known: Floats
    free: Flags
    fitted: Floats


class Forecasts(NamedTuple):
    """Expected scores, and strength and variance of both players and tau: shape (games, 5)."""

    expected: Floats
    before: Floats

    @classmethod
    def of(cls, games: int) -> Forecasts:
        """Room for those of so many games."""
        return cls(np.empty(games), np.empty((games, 5)))


@inlined_kernel
def end_of_day(day: Floats, low: int) -> int:
    """The first game after those of the day of game `low`."""
    high = low
    while high < len(day) and day[high] == day[low]:
        high += 1
    return high


@inlined_kernel
def _difference(before: Floats, row: int, shared: Floats, shift: float) -> float:
    return float(before[row, 0] - before[row, 2] + shared[0] + shift)


@inlined_kernel
def forecast(forecasts: Forecasts, row: int, shared: Floats, shift: float) -> None:
    """Predict a game from the strengths before it, which are known up to a variance.

    Glickman's approximation: the difference shrinks by 1/sqrt(1 + 3 variance/pi^2).
    """
    expected, before = forecasts
    variance = before[row, 1] + before[row, 3]
    difference = _difference(before, row, shared, shift)
    expected[row] = fast_logistic(difference / sqrt(1.0 + _THREE_OVER_PI_SQUARED * variance))
    before[row, 4] = shared[1]


@inlined_kernel
def learn_shared(learner: Any, forecasts: Forecasts, row: int, shift: float, score: float) -> None:
    """Take one Newton step for w and tau from one game."""
    shared, known, free = learner.shared, learner.known, learner.free
    difference = _difference(forecasts.before, row, shared, shift)
    u2 = u2_of(shared[1])
    if free[0]:
        slope, curvature = game_terms(difference, score, u2)
        known[0] += curvature
        shared[0] += slope / known[0]
    if free[1] and u2 >= 0.0:
        slope, _, usual, _ = tau_terms(difference, score, u2)
        known[1] += usual
        shared[1] += slope / known[1]


class _Room(NamedTuple):
    """For the steps of one player."""

    gradient: Floats
    step: Floats
    sums: Floats


@inlined_kernel
def _improve(problem: Posterior, part: Stretch, learner: Learner, room: _Room) -> None:
    """Take Newton's step for one player's strengths; only the stretch is linearised anew."""
    player, begin, stop = part
    x, off, pivot = learner.x, problem.hessian.off, problem.hessian.pivot
    start, step = problem.layout.node_start[player], room.step
    refresh(problem, part, x, learner.shared, room.gradient, room.sums)
    factor(start, part, problem.hessian.diagonal, off, pivot)
    solve(begin, stop, off, pivot, room.gradient, step)
    for node in range(begin, stop):
        x[node] += min(max(step[node], -_LONGEST_QUEUE), _LONGEST_QUEUE)
    move = step[begin]  # what the days before say stands in their factors: they move along
    for node in range(begin - 1, start - 1, -1):
        move *= -off[node + 1] / pivot[node]
        if abs(move) < _LEAST:
            break
        x[node] += move
    learner.variance[player] = 1.0 / pivot[stop - 1]


@kernel
def replay(
    problem: Posterior,
    games: DayGames,
    begin: int,
    learner: Learner,
    window: int,
    refit_days: float,
    forecasts: Forecasts,
) -> bool:
    """Predict and learn the games from number `begin` on, day after day; False if a fit failed.

    The last `window` of a player's days are weighed anew; a full fit comes every `refit_days`.

    The full fits leave w and tau as they are (`hessian.free` is false for both).
    """
    first, second, score, day = games
    layout, stop, model, hessian = problem
    x, variance, shared, _, _, fitted = learner
    before, prior = forecasts.before, model.prior
    n = len(x)
    room = _Room(np.zeros(n), np.zeros(n), np.zeros(6))
    improved, mark = np.zeros(len(stop), np.int64), 0
    low = begin
    while low < len(first):
        high = end_of_day(day, low)
        if day[low] - fitted[0] >= refit_days:
            done, _, _ = climb(problem, x, shared, _TOLERANCE, _MAX_STEPS)
            if not done:
                return False
            for p in range(len(stop)):
                if stop[p] > layout.node_start[p]:
                    variance[p] = 1.0 / hessian.pivot[stop[p] - 1]
            fitted[0] = day[low]
        for g in range(low, high):
            for s in range(2):
                p = first[g] if s == 0 else second[g]
                node = layout.opponent[layout.own[g, 1 - s]]
                if node < stop[p]:
                    strength, doubt = x[node], variance[p]
                elif node == layout.node_start[p]:
                    strength, doubt = prior[p, 0], 1.0 / prior[p, 1]
                else:
                    days = layout.node_day[node] - layout.node_day[node - 1]
                    strength, doubt = x[node - 1], variance[p] + model.w2 * days
                before[g - begin, 2 * s] = strength
                before[g - begin, 2 * s + 1] = doubt
            forecast(forecasts, g - begin, shared, layout.shift[layout.own[g, 0]])
        for g in range(low, high):
            if first[g] != second[g]:
                shift = layout.shift[layout.own[g, 0]]
                learn_shared(learner, forecasts, g - begin, shift, score[g])
            for s in range(2):
                p = first[g] if s == 0 else second[g]
                node = layout.opponent[layout.own[g, 1 - s]]
                if node >= stop[p]:
                    x[node] = x[node - 1] if node > layout.node_start[p] else prior[p, 0]
                    stop[p] = node + 1
        mark += 1
        for g in range(low, high):
            for s in range(2):
                p = first[g] if s == 0 else second[g]
                if improved[p] == mark:
                    continue
                improved[p] = mark
                start = max(layout.node_start[p], stop[p] - window)
                _improve(problem, Stretch(p, start, stop[p]), learner, room)
        low = high
    return True
