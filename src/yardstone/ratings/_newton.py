"""Newton's method for the joint fit, on counts of pairs.

Unknowns are the ratings x_1..x_n in units of log odds, the first-move advantage
w and, under maximum likelihood, the draw parameter tau = ln((1 - d0)/d0), where
d0 is the draw rate of equal opponents. One vector holds them in this order.

For a pair that met N times with P points for the side that moved first, let
d = x_first + w - x_second, p = 1/(1 + exp(-d)), q = 1 - p, v = pq, m = q - p,
u2 = exp(2 tau) and S = sqrt(m^2 + 4 u2 v). Davidson's law in Ordo's form is

    W = p(S - m)/(1 + S),   D = 4v/(1 + S),   L = q(S + m)/(1 + S)

and the derivatives of the log-likelihood collapse to

    d/dd   = R (P - Np)          with R = (1 + S)/S
    d/dtau = W_n A/S + L_n B/S - N AB/(S(1 + S))   with A = S + m, B = S - m

so that maximum likelihood differs from Ordo's score equations (R = 1) only by
the weight R of each pair, and tau is orthogonal to the ratings in expectation.
Both are therefore one concave-like problem: a weighted graph Laplacian, bordered
by w, solved by conjugate gradients, with a separate scalar step for tau.

Far from the maximum v vanishes where a pair's ratings lie far apart, and Newton's step of a
few players may overshoot by any measure. The step is then taken with the slope of the chord,
(p - 1/2)/d, in the place of v: under the score equations no such step lowers the likelihood
(Jaakkola and Jordan, 2000), and all players move on, while a shorter step of Newton's would
hold back all for the sake of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.kernels import kernel
from yardstone.ratings._laplacian import centre, conjugate_gradients
from yardstone.ratings._problem import Beliefs, Derivatives, Graph, Pairs, new_derivatives
from yardstone.winprob.logistic_kernels import plain_logistic, win_and_loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: A step is short enough if the slope at its end falls back by less than this share.
_OVERSHOOT = 0.9
#: Differences below this count as none.
_LEVEL = 1e-4
#: Newton's step is trusted as far as this, in log odds. Among a million players the slope at its
#: end says nothing of one who overshot.
_TRUSTED = 4.0
#: Relative residuals at which conjugate gradients stop: at first, and at least; and
#: what the last step, which is the test, must have been solved to.
_ROUGH, _FINE, _SHARP = 1e-2, 1e-8, 1e-6

__all__ = [
    "AT_THE_EDGE",
    "CONVERGED",
    "evaluate_pairs",
    "newton",
    "pair_probabilities",
]

_room = kernel(new_derivatives)

CONVERGED, STALLED, TOO_MANY_STEPS, AT_THE_EDGE = 0, 1, 2, 3
#: Beyond this tau the draw rate is 0 or 1 for all that matters.
TAU_LIMIT = 20.0


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
    """Fill in the derivatives at `x`.

    With `cautious` the second ones are the chord's, and of tau the expected information.

    Gradients are added by Kahan's summation: a group that hangs on the others by
    one lopsided result turns their rounding errors into a shift of the group.
    Pairs come in runs of one first player, whose sums stay at hand; pairs without
    games count for nothing.
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
    free: NDArray[np.bool_],
    level: NDArray[np.int32],
    tolerance: float,
    max_steps: int,
) -> tuple[int, int, float]:
    """Climb to the maximum from `x`, in place.

    `level` numbers the groups of players whose common level is free (-1 for the
    players of no such group): the mean of such a group stays where it is.

    Returns the status, the number of steps and the largest change of an unknown
    in the last step. The last step is the test: it must fall below `tolerance`
    (in log odds).
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
