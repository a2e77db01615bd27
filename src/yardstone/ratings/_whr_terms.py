"""What one player's games and drift say about his strengths, the others given.

Unknowns are strengths x in logits, one a node, and the first-move advantage w. The
log posterior is the sum over games of the log-probability of the result, less

    (x_k+1 - x_k)^2 / (2 w2 (t_k+1 - t_k))     for neighbouring nodes of a player,
    (x_1 - m)^2 / (2 V)                        for his first one

(Coulom 2008, sections 2.2 and 2.3, with a Gaussian prior of mean m; `prior` holds m and
1/V of each player). With draws by Davidson's law in Ordo's form the derivatives of a
game's term are those of the module `_newton`. The Hessian of one player's terms is
tridiagonal (Coulom 2008, appendix).
"""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.kernels import kernel
from yardstone.ratings._whr_layout import Layout
from yardstone.winprob.logistic_kernels import fast_win_and_loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings._whr_newton import Hessian

    Floats = NDArray[np.float64]
    Longs = NDArray[np.int64]

__all__ = [
    "Law",
    "Model",
    "Stretch",
    "factor",
    "game_terms",
    "game_value",
    "refresh",
    "solve",
    "spread",
    "tau_terms",
]

#: The curvature of a game is taken to be at least this share of its expectation.
_LEAST_CURVATURE = 0.05


@kernel
def _odds(difference: float, u2: float) -> tuple[float, float, float]:
    """p, q and S of the module `_newton`; u2 < 0 stands for "draws are half a win"."""
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
    """Derivatives of a game's log-probability that have to do with tau = ln(u).

    By tau; minus the second one, as observed and as expected; and minus the mixed one
    by tau and the difference.
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
    """Drift in squared logits a day; mean (logits) and precision of each player's first day.

    `prior` is of shape (players, 2).
    """

    w2: float
    prior: Floats


class Law(NamedTuple):
    """First-move advantage, and exp(2 tau): below 0 draws count as half a win."""

    w: float
    u2: float


class Stretch(NamedTuple):
    """A player's nodes from `begin` up to `stop`."""

    player: int
    begin: int
    stop: int


@kernel
def refresh(
    layout: Layout,
    part: Stretch,
    x: Floats,
    law: Law,
    model: Model,
    hessian: Hessian,
    gradient: Floats,
    sums: Floats,
) -> None:
    """Derivatives by the strengths of one player in a stretch of nodes.

    Fills, for these nodes, the gradient and the diagonal of minus the Hessian, in
    `off[k]` its entry between k - 1 and k, in `border[k]` those between k and w and
    tau, and in `weight` the curvature of each game. Adds to `sums` the derivatives by
    w and tau, then minus the second ones: w w, tau tau (observed and expected), w tau.
    """
    player, begin, stop = part
    start, with_tau = layout.node_start[player], hessian.free[1]
    diagonal, off, weight, border = hessian.diagonal, hessian.off, hessian.weight, hessian.border
    w, u2, prior = law.w, law.u2, model.prior
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


@kernel
def factor(start: int, stop: int, diagonal: Floats, off: Floats, pivot: Floats) -> None:
    """Pivots of the LDL' factors of a player's tridiagonal matrix."""
    for k in range(start, stop):
        pivot[k] = diagonal[k]
        if k > start:
            pivot[k] -= off[k] * off[k] / pivot[k - 1]


@kernel
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


@kernel
def spread(start: int, stop: int, off: Floats, pivot: Floats, variance: Floats) -> None:
    """Diagonal of the inverse of a player's tridiagonal matrix."""
    for k in range(stop - 1, start - 1, -1):
        variance[k] = 1.0 / pivot[k]
        if k < stop - 1:
            share = off[k + 1] / pivot[k]
            variance[k] += share * share * variance[k + 1]
