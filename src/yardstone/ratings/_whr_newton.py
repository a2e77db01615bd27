"""Newton's method for all strengths at once, and what follows from its Hessian.

Unknowns are the strengths of all nodes, then w and tau (the first-move advantage and
the draw parameter). Minus the Hessian is H = T - C: T holds one tridiagonal block a
player, C the curvature of each game between the nodes of its two players; w and tau
add a border. Systems in H are solved by conjugate gradients. The preconditioner
solves the blocks of T, as Coulom's method does in turn, and the common level of all
strengths, which games say nothing about.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.kernels import kernel
from yardstone.ratings._whr_layout import Layout
from yardstone.ratings._whr_terms import (
    Law,
    Model,
    Stretch,
    factor,
    game_value,
    refresh,
    solve,
    spread,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Longs = NDArray[np.int64]
    Flags = NDArray[np.bool_]

__all__ = [
    "Hessian",
    "climb",
    "conditional_variance",
    "draw_noise",
    "lanczos",
    "linearise",
    "log_determinant_of_blocks",
    "log_posterior",
    "multiply",
    "solve_all",
    "solve_blocks",
]

_CG_STEPS = 1000
#: Steps of a Newton iteration are cut to so many logits.
_LONGEST = 3.0


class Hessian(NamedTuple):
    """Minus the second derivatives: tridiagonal blocks, their factors, and the rest.

    `corner` holds the entries w w, w tau and tau tau; `free` says whether w and tau
    are unknown; `level` is the curvature along the common level of all strengths.
    """

    diagonal: Floats
    off: Floats
    pivot: Floats
    weight: Floats
    border: Floats
    corner: Floats
    free: Flags
    level: Floats


@kernel
def log_posterior(layout: Layout, stop: Longs, x: Floats, law: Law, model: Model) -> float:
    """Log posterior up to a constant, of the nodes before `stop` of each player."""
    w, u2, w2, prior = law.w, law.u2, model.w2, model.prior
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
def linearise(
    layout: Layout,
    stop: Longs,
    x: Floats,
    law: Law,
    model: Model,
    hessian: Hessian,
    gradient: Floats,
) -> None:
    """Fill the derivatives by all unknowns; the last two of `gradient` are w's and tau's."""
    n = len(gradient) - 2
    sums = np.zeros(6)
    with_tau = hessian.free[1]
    hessian.level[0] = 0.0
    for p in range(len(stop)):
        if stop[p] > layout.node_start[p]:
            hessian.level[0] += model.prior[p, 1]
        part = Stretch(p, layout.node_start[p], stop[p])
        refresh(layout, part, x, law, model, hessian, gradient, sums)
        factor(layout.node_start[p], stop[p], hessian.diagonal, hessian.off, hessian.pivot)
    sums *= 0.5  # every game was seen by both of its players
    gradient[n] = sums[0] if hessian.free[0] else 0.0
    gradient[n + 1] = sums[1] if with_tau else 0.0
    hessian.corner[0] = sums[2]
    hessian.corner[1] = sums[5]
    hessian.corner[2] = sums[3] if sums[3] > 0.1 * sums[4] else sums[4]


@kernel
def multiply(layout: Layout, stop: Longs, hessian: Hessian, x: Floats, out: Floats) -> None:
    """out = H x over nodes, w and tau."""
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
def solve_blocks(layout: Layout, stop: Longs, hessian: Hessian, right: Floats, out: Floats) -> None:
    """Solve with the blocks of T, for each player by himself."""
    for p in range(len(stop)):
        solve(layout.node_start[p], stop[p], hessian.off, hessian.pivot, right, out)


@kernel
def _precondition(
    layout: Layout, stop: Longs, hessian: Hessian, right: Floats, out: Floats
) -> None:
    """Solve for blocks and common level, and with the diagonal for w and tau."""
    solve_blocks(layout, stop, hessian, right, out)
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
def _dot(layout: Layout, stop: Longs, a: Floats, b: Floats) -> float:
    n = len(a) - 2
    total = a[n] * b[n] + a[n + 1] * b[n + 1]
    for p in range(len(stop)):
        for node in range(layout.node_start[p], stop[p]):
            total += a[node] * b[node]
    return float(total)


@kernel
def solve_all(
    layout: Layout, stop: Longs, hessian: Hessian, right: Floats, tolerance: float, out: Floats
) -> bool:
    """Solve H out = right by preconditioned conjugate gradients; False if they fail.

    `tolerance` is that of the residual, relative to the right side, both measured by
    the preconditioner.
    """
    residual = right.copy()
    scaled, product = np.zeros_like(right), np.zeros_like(right)
    out[:] = 0.0
    _precondition(layout, stop, hessian, residual, scaled)
    direction = scaled.copy()
    rho = _dot(layout, stop, residual, scaled)
    goal = rho * tolerance * tolerance
    for _ in range(_CG_STEPS):
        if rho <= goal or rho <= 0.0:
            return True
        multiply(layout, stop, hessian, direction, product)
        curvature = _dot(layout, stop, direction, product)
        if curvature <= 0.0:
            return False
        alpha = rho / curvature
        for k in range(len(out)):
            out[k] += alpha * direction[k]
            residual[k] -= alpha * product[k]
        _precondition(layout, stop, hessian, residual, scaled)
        new_rho = _dot(layout, stop, residual, scaled)
        beta = new_rho / rho
        rho = new_rho
        for k in range(len(out)):
            direction[k] = scaled[k] + beta * direction[k]
    return False


@kernel
def climb(
    layout: Layout,
    stop: Longs,
    x: Floats,
    shared: Floats,
    hessian: Hessian,
    model: Model,
    tolerance: float,
    max_steps: int,
) -> tuple[bool, int, float]:
    """Climb to the maximum from `x`, in place.

    `shared` holds w and tau (NaN if draws count as half a win), changed in place
    where free. Returns whether the last step fell below `tolerance` (logits), the
    number of steps, and that last step. `hessian` is left as it was before that step.
    """
    n = len(x)
    gradient, step, trial = np.zeros(n + 2), np.zeros(n + 2), x.copy()
    largest = 1.0
    lawful = not np.isnan(shared[1])
    u2 = exp(2.0 * shared[1]) if lawful else -1.0
    value = log_posterior(layout, stop, x, Law(shared[0], u2), model)
    for count in range(1, max_steps + 1):
        linearise(layout, stop, x, Law(shared[0], u2), model, hessian, gradient)
        precision = min(max(0.1 * largest, 1e-5), 0.03)
        if not solve_all(layout, stop, hessian, gradient, precision, step):
            return False, count, largest
        largest = 0.0
        for k in range(n + 2):
            largest = max(largest, abs(step[k]))
        scale = min(1.0, _LONGEST / largest) if largest > 0.0 else 1.0
        rounding = 1e-11 * (1.0 + abs(value))
        while True:
            for k in range(n):
                trial[k] = x[k] + scale * step[k]
            w = shared[0] + scale * step[n]
            tau = shared[1] + scale * step[n + 1]
            new_u2 = exp(2.0 * tau) if lawful else -1.0
            new_value = log_posterior(layout, stop, trial, Law(w, new_u2), model)
            if new_value >= value - rounding or scale * largest < tolerance:
                break
            scale *= 0.5
        x[:] = trial
        shared[0], shared[1], u2, value = w, tau, new_u2, new_value
        if largest < tolerance:
            return True, count, largest
    return False, max_steps, largest


@kernel
def conditional_variance(layout: Layout, stop: Longs, hessian: Hessian, out: Floats) -> None:
    """Variance of each strength with all other players' strengths given."""
    for p in range(len(stop)):
        spread(layout.node_start[p], stop[p], hessian.off, hessian.pivot, out)


@kernel
def draw_noise(
    layout: Layout, stop: Longs, hessian: Hessian, prior: Floats, normal: Floats, out: Floats
) -> None:
    """A draw from the normal distribution with covariance H (tau aside).

    `normal` holds a standard normal number for each entry and then each node.
    """
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
                out[node] += sqrt(prior[p, 1]) * extra
            else:
                size = sqrt(-hessian.off[node]) * extra
                out[node] += size
                out[node - 1] -= size


@kernel
def lanczos(
    layout: Layout, stop: Longs, hessian: Hessian, probe: Floats, steps: int
) -> tuple[Floats, Floats, float]:
    """Lanczos coefficients of D^-1/2 L^-1 H L^-T D^-1/2, where LDL' are the blocks of T.

    Returns diagonal, off-diagonal, and the squared length of the probe.
    """
    n = len(probe) - 2
    off, pivot = hessian.off, hessian.pivot
    alpha, beta = np.zeros(steps), np.zeros(steps)
    length2 = _dot(layout, stop, probe, probe)
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
        multiply(layout, stop, hessian, lifted, product)
        for p in range(len(stop)):
            start = layout.node_start[p]
            for k in range(start + 1, stop[p]):
                product[k] -= off[k] / pivot[k - 1] * product[k - 1]
            for k in range(start, stop[p]):
                product[k] /= sqrt(pivot[k])
        for s in range(2):
            corner = hessian.corner[2 * s]
            product[n + s] = product[n + s] / sqrt(corner) if hessian.free[s] else 0.0
        alpha[step] = _dot(layout, stop, now, product)
        for k in range(n + 2):
            product[k] -= alpha[step] * now[k]
            if step > 0:
                product[k] -= beta[step - 1] * before[k]
        length = sqrt(_dot(layout, stop, product, product))
        beta[step] = length
        if length < 1e-10:
            done = step + 1
            break
        for k in range(n + 2):
            before[k] = now[k]
            now[k] = product[k] / length
    return alpha[:done], beta[: done - 1], length2


@kernel
def log_determinant_of_blocks(layout: Layout, stop: Longs, hessian: Hessian) -> float:
    """Logarithm of the determinant of T, with the diagonal for w and tau."""
    total = 0.0
    for p in range(len(stop)):
        for node in range(layout.node_start[p], stop[p]):
            total += log(hessian.pivot[node])
    for s in range(2):
        if hessian.free[s]:
            total += log(hessian.corner[2 * s])
    return total
