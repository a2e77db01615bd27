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
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone._kernel import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: A step is short enough if the slope at its end falls back by less than this share.
_OVERSHOOT = 0.9
#: Relative residuals at which conjugate gradients stop, on the way and at the end.
_ROUGH, _FINE = 1e-2, 1e-8

__all__ = [
    "AT_THE_EDGE",
    "CONVERGED",
    "centre",
    "conjugate_gradients",
    "evaluate_pairs",
    "newton",
    "pair_probabilities",
]

CONVERGED, STALLED, TOO_MANY_STEPS, AT_THE_EDGE = 0, 1, 2, 3
#: Beyond this tau the draw rate is 0 or 1 for all that matters.
TAU_LIMIT = 20.0

#: Conjugate gradients give up after so many steps a player.
_CG_STEPS_PER_UNKNOWN = 20
#: Curvature below this share of the diagonal's counts as none.
_FLAT = 1e-13


@kernel
def pair_probabilities(difference: float, u2: float) -> tuple[float, float, float, float]:
    """p, q, S and m of the module's docstring; u2 < 0 stands for "no draws law"."""
    t = np.exp(-abs(difference))
    big = 1.0 / (1.0 + t)
    small = t * big
    if difference >= 0.0:
        p, q = big, small
    else:
        p, q = small, big
    m = q - p
    root = 1.0
    if u2 >= 0.0:
        root = np.sqrt(m * m + 4.0 * u2 * p * q)
    return p, q, root, m


@kernel
def _add(total: Floats, lost: Floats, i: int, value: float) -> None:
    """total[i] += value by Kahan's summation.

    A group that hangs on the others by one lopsided result turns the rounding
    errors of its gradient into a shift of the whole group; this keeps that below
    the tolerance.
    """
    corrected = value - lost[i]
    new = total[i] + corrected
    lost[i] = (new - total[i]) - corrected
    total[i] = new


@kernel
def evaluate_pairs(
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    wins: Floats,
    draws: Floats,
    losses: Floats,
    likelihood: bool,
    x: Floats,
    gradient: Floats,
    weight: Floats,
    diagonal: Floats,
    border: Floats,
    observed: bool,
) -> None:
    """Fill in gradient, pair weights, and diagonal and border of the Hessian.

    `gradient`, `diagonal` and `border` have one entry an unknown, `weight` one a
    pair; `border` holds the second derivatives between w and each rating. With
    `observed` false the expected information stands in for the Hessian.
    """
    n = len(x) - 2
    gradient[:] = 0.0
    diagonal[:] = 0.0
    border[:] = 0.0
    lost = np.zeros(n + 1)
    advantage = x[n]
    u2 = np.exp(2.0 * x[n + 1]) if likelihood else -1.0
    for k in range(len(first)):
        i, j = first[k], second[k]
        games = wins[k] + draws[k] + losses[k]
        points = wins[k] + 0.5 * draws[k]
        p, q, root, m = pair_probabilities(x[i] + advantage - x[j], u2)
        residual = points - games * p
        if likelihood:
            v = p * q
            ratio = (1.0 + root) / root
            if m >= 0.0:
                a = root + m
                b = 4.0 * v * u2 / a
            else:
                b = root - m
                a = 4.0 * v * u2 / b
            slope = ratio * residual
            h = ratio * games * v
            t = a * b / root
            gradient[n + 1] += (wins[k] * a + losses[k] * b) / root - games * t / (1.0 + root)
            win_n, loss_n = games * p * b / (1.0 + root), games * q * a / (1.0 + root)
            if observed:
                h += 2.0 * (u2 - 1.0) * v * m * residual / root**3
                win_n, loss_n = wins[k], losses[k]
            diagonal[n + 1] += (win_n - loss_n) * t * m / root**2 + games * (
                t * (2.0 * root - t) / (root * (1.0 + root)) - (t / (1.0 + root)) ** 2
            )
        else:
            slope = residual
            h = games * p * q
        weight[k] = h
        _add(gradient, lost, i, slope)
        _add(gradient, lost, j, -slope)
        _add(gradient, lost, n, slope)
        diagonal[i] += h
        diagonal[j] += h
        diagonal[n] += h
        border[i] += h
        border[j] -= h


@kernel
def _add_priors(
    x: Floats,
    prior_mean: Floats,
    prior_precision: Floats,
    relation_player: NDArray[np.int32],
    relation_other: NDArray[np.int32],
    relation_difference: Floats,
    relation_precision: Floats,
    gradient: Floats,
    diagonal: Floats,
) -> None:
    """Add the derivatives of the Gaussian priors' logarithms."""
    n = len(x) - 2
    for i in range(n + 1):
        if prior_precision[i] > 0.0:
            off = x[i] - prior_mean[i]
            gradient[i] -= prior_precision[i] * off
            diagonal[i] += prior_precision[i]
    if prior_precision[n + 1] > 0.0:  # on the draw rate itself, not on tau
        rate = 1.0 / (1.0 + np.exp(x[n + 1]))
        slope = -rate * (1.0 - rate)
        off = rate - prior_mean[n + 1]
        bend = (2.0 * rate - 1.0) * slope
        gradient[n + 1] -= prior_precision[n + 1] * off * slope
        curvature = prior_precision[n + 1] * (slope * slope + off * bend)
        if diagonal[n + 1] + curvature <= 0.0:
            curvature = prior_precision[n + 1] * slope * slope
        diagonal[n + 1] += curvature
    for k in range(len(relation_player)):
        i, j = relation_player[k], relation_other[k]
        off = x[i] - x[j] - relation_difference[k]
        gradient[i] -= relation_precision[k] * off
        gradient[j] += relation_precision[k] * off
        diagonal[i] += relation_precision[k]
        diagonal[j] += relation_precision[k]


@kernel
def _multiply(
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    weight: Floats,
    relation_player: NDArray[np.int32],
    relation_other: NDArray[np.int32],
    relation_precision: Floats,
    extra: Floats,
    border: Floats,
    corner: float,
    free: NDArray[np.bool_],
    x: Floats,
    out: Floats,
) -> None:
    """out = H x over the ratings and w, for unknowns that are free."""
    n = len(x) - 1
    for i in range(n):
        out[i] = extra[i] * x[i]
    for k in range(len(first)):
        i, j = first[k], second[k]
        flow = weight[k] * (x[i] - x[j])
        out[i] += flow
        out[j] -= flow
    for k in range(len(relation_player)):
        i, j = relation_player[k], relation_other[k]
        flow = relation_precision[k] * (x[i] - x[j])
        out[i] += flow
        out[j] -= flow
    out[n] = 0.0
    if free[n]:
        total = corner * x[n]
        for i in range(n):
            out[i] += border[i] * x[n]
            total += border[i] * x[i]
        out[n] = total
    for i in range(n):
        if not free[i]:
            out[i] = 0.0


@kernel
def conjugate_gradients(
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    weight: Floats,
    relation_player: NDArray[np.int32],
    relation_other: NDArray[np.int32],
    relation_precision: Floats,
    extra: Floats,
    border: Floats,
    diagonal: Floats,
    free: NDArray[np.bool_],
    right: Floats,
    tolerance: float,
    step: Floats,
) -> bool:
    """Solve H step = right by Jacobi-preconditioned conjugate gradients.

    Returns False if H shows a direction of negative curvature.
    """
    n = len(step)
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
        _multiply(
            first, second, weight, relation_player, relation_other, relation_precision,
            extra, border, diagonal[n - 1], free, direction, product,
        )  # fmt: skip
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


@kernel
def centre(vector: Floats, level: NDArray[np.int32]) -> None:
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


@kernel
def newton(
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    wins: Floats,
    draws: Floats,
    losses: Floats,
    likelihood: bool,
    x: Floats,
    free: NDArray[np.bool_],
    prior_mean: Floats,
    prior_precision: Floats,
    relation_player: NDArray[np.int32],
    relation_other: NDArray[np.int32],
    relation_difference: Floats,
    relation_precision: Floats,
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
    gradient = np.zeros(n + 2)
    diagonal = np.zeros(n + 2)
    border = np.zeros(n + 2)
    weight = np.zeros(len(first))
    extra = prior_precision[: n + 1].copy()
    step = np.zeros(n + 1)
    trial = x.copy()
    observed = True
    largest = 1.0
    evaluate_pairs(
        first, second, wins, draws, losses, likelihood, x,
        gradient, weight, diagonal, border, observed,
    )  # fmt: skip
    _add_priors(
        x, prior_mean, prior_precision, relation_player, relation_other,
        relation_difference, relation_precision, gradient, diagonal,
    )  # fmt: skip
    precision = _ROUGH
    for count in range(1, max_steps + 1):
        centre(gradient, level)  # rounding errors would make the singular system unsolvable
        solved = conjugate_gradients(
            first, second, weight, relation_player, relation_other, relation_precision,
            extra, border, diagonal[: n + 1], free[: n + 1], gradient[: n + 1], precision, step,
        )  # fmt: skip
        tau_step = 0.0
        if free[n + 1]:
            if diagonal[n + 1] > 0.0:
                tau_step = min(max(gradient[n + 1] / diagonal[n + 1], -1.0), 1.0)
            else:
                solved = False
        if not solved:
            if not observed:
                return STALLED, count, largest
            observed = False
            evaluate_pairs(
                first, second, wins, draws, losses, likelihood, x,
                gradient, weight, diagonal, border, observed,
            )  # fmt: skip
            _add_priors(
                x, prior_mean, prior_precision, relation_player, relation_other,
                relation_difference, relation_precision, gradient, diagonal,
            )  # fmt: skip
            continue
        centre(step, level)
        largest = abs(tau_step)
        for i in range(n + 1):
            largest = max(largest, abs(step[i]))
        scale = 1.0
        ascent = tau_step * gradient[n + 1]
        for i in range(n + 1):
            ascent += step[i] * gradient[i]
        while True:
            for i in range(n + 1):
                trial[i] = x[i] + scale * step[i]
            trial[n + 1] = x[n + 1] + scale * tau_step
            evaluate_pairs(
                first, second, wins, draws, losses, likelihood, trial,
                gradient, weight, diagonal, border, True,
            )  # fmt: skip
            _add_priors(
                trial, prior_mean, prior_precision, relation_player, relation_other,
                relation_difference, relation_precision, gradient, diagonal,
            )  # fmt: skip
            new_ascent = tau_step * gradient[n + 1]
            for i in range(n + 1):
                new_ascent += step[i] * gradient[i]
            if new_ascent >= -_OVERSHOOT * ascent or scale * largest < tolerance:
                break
            scale *= 0.5
        observed = True
        x[:] = trial
        if abs(x[n + 1]) > TAU_LIMIT:
            return AT_THE_EDGE, count, largest
        if largest < tolerance:
            if precision == _FINE:
                return CONVERGED, count, largest
            precision = _FINE  # the last step must be small when solved sharply, too
    return TOO_MANY_STEPS, max_steps, largest
