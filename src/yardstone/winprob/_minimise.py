"""Two minimisers for the fits of this package: damped Newton and conjugate gradient.

Both take a function that gives value, gradient and a curvature
matrix (second derivatives, exact or approximate) at a point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import ConvergenceError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Objective = Callable[[Array], tuple[float, Array, Array]]

__all__ = ["Minimum", "conjugate_gradient", "damped_newton"]


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where a minimiser stopped.

    Attributes
    ----------
    point, gradient, curvature : arrays
        At the minimum; the gradient is zero except where a bound holds.
    value : float
        Smallest value.
    path : tuple of (value, gradient size)
        At the start and after each step.
    """

    point: Array
    value: float
    gradient: Array
    curvature: Array
    path: tuple[tuple[float, float], ...]

    @property
    def steps(self) -> int:
        """Number of steps taken."""
        return len(self.path) - 1


def damped_newton(
    objective: Objective,
    start: Array,
    lower: Array,
    *,
    tolerance: float = 1e-10,
    gain: float = 0.0,
    most_steps: int = 500,
) -> Minimum:
    """Minimise above lower bounds by Newton steps with Levenberg's damping.

    Parameters
    ----------
    objective : callable
        Value, gradient, curvature at a point.
    start, lower : arrays
        First point and its lower bounds (-inf where free).
    tolerance : float
        On the size of the gradient over the parameters that no bound holds.
    gain : float
        Also done when a Newton step promises to lower the value by no more.
    most_steps : int
        After so many, `ConvergenceError`.
    """
    point = np.maximum(start, lower)
    value, gradient, curvature = objective(point)
    damping, enough = 1e-3, 1e-14 if gain > 0.0 else 0.0
    path = []
    for _ in range(most_steps):
        free = ~((point <= lower) & (gradient > 0.0))
        size = float(np.linalg.norm(gradient[free]))
        path.append((value, size))
        if size <= tolerance:
            return Minimum(point, value, gradient, curvature, tuple(path))
        free = _not_pushed_out(point, lower, gradient, curvature, free)
        block = curvature[np.ix_(free, free)]
        diagonal = np.abs(np.diag(block)) + 1e-300
        newton = _step(block, gradient[free])
        if (
            newton is not None
            and -0.5 * float(gradient[free] @ newton) <= enough * abs(value) + gain
        ):
            return Minimum(point, value, gradient, curvature, tuple(path))
        while True:
            step = _step(block + np.diag(damping * diagonal), gradient[free])
            trial = point.copy()
            if step is not None:
                trial[free] = np.maximum(point[free] + step, lower[free])
                new = objective(trial)
                # Where the value has no digits left, the gradient decides.
                close = new[0] <= value + 1e-13 * abs(value)
                if new[0] < value - 1e-13 * abs(value) or (
                    close and np.linalg.norm(new[1][free]) < size
                ):
                    damping = _next_damping(damping, value - new[0], gradient[free], block, step)
                    break
            damping = max(damping * 10.0, 1e-14)
            if damping > 1e12:
                if _negligible(gradient[free], block, value):
                    return Minimum(point, value, gradient, curvature, tuple(path))
                raise ConvergenceError(f"the fit stopped at a gradient of {size:.2g}")
        point, (value, gradient, curvature) = trial, new
    raise ConvergenceError(f"no minimum after {most_steps} steps (gradient {path[-1][1]:.2g})")


def _not_pushed_out(
    point: Array, lower: Array, gradient: Array, curvature: Array, free: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """The free parameters less those at a bound that a Newton step would push below it."""
    while True:
        step = _step(curvature[np.ix_(free, free)], gradient[free])
        if step is None:
            return free
        out = np.zeros(len(point), np.bool_)
        out[free] = (point[free] <= lower[free]) & (step < 0.0)
        if not out.any():
            return free
        free = free & ~out


def _next_damping(
    damping: float, gained: float, gradient: Array, curvature: Array, step: Array
) -> float:
    """Less damping where the step kept its promise, more where it did not."""
    promised = -float(gradient @ step + 0.5 * step @ curvature @ step)
    if gained < 0.25 * promised:
        return max(4.0 * damping, 0.1)
    if gained < 0.75 * promised:
        return damping
    return damping / 10.0 if damping > 1e-14 else 0.0


def _step(matrix: Array, gradient: Array) -> Array | None:
    """Newton step, or None where the matrix is not positive definite."""
    scale = 1.0 / np.sqrt(np.maximum(np.abs(np.diag(matrix)), 1e-300))
    try:
        np.linalg.cholesky(scaled := matrix * np.outer(scale, scale))
        step: Array = -scale * np.linalg.solve(scaled, scale * gradient)
    except np.linalg.LinAlgError:  # singular matrices can pass the factorisation by rounding
        return None
    return step


def _negligible(gradient: Array, curvature: Array, value: float) -> bool:
    """Whether a Newton step would gain less than the rounding of the value."""
    step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
    return float(gradient @ step) < 1e-11 * max(1.0, abs(value))


def conjugate_gradient(
    objective: Objective,
    start: Array,
    *,
    tolerance: float = 1e-10,
    most_searches: int = 5000,
) -> Minimum:
    """Minimise by conjugate gradients (Polak and Ribière) with exact line searches.

    Restarted with the steepest descent after as many line searches as there are
    parameters: such a round is a *cycle*. Each step of the path is one search.
    """
    point = start.astype(np.float64)
    value, gradient, curvature = objective(point)
    direction = -gradient
    path = [(value, float(np.linalg.norm(gradient)))]
    for search in range(1, most_searches + 1):
        if path[-1][1] <= tolerance:
            return Minimum(point, value, gradient, curvature, tuple(path))
        if gradient @ direction >= 0.0:
            direction = -gradient
        point, (value, new, curvature) = _line_search(
            objective, point, direction, value, gradient, curvature
        )
        path.append((value, float(np.linalg.norm(new))))
        if search % len(start) == 0:
            direction = -new
        else:
            factor = max(0.0, float(new @ (new - gradient)) / float(gradient @ gradient))
            direction = -new + factor * direction
        gradient = new
    raise ConvergenceError(
        f"no minimum after {most_searches} line searches (gradient {path[-1][1]:.2g})"
    )


def _line_search(
    objective: Objective,
    point: Array,
    direction: Array,
    value: float,
    gradient: Array,
    curvature: Array,
) -> tuple[Array, tuple[float, Array, Array]]:
    """The minimum along a direction, by Newton and secant steps on the slope."""
    slope = float(gradient @ direction)
    length = -slope / max(float(direction @ curvature @ direction), 1e-300)
    best = objective(point + length * direction)
    while not best[0] < value + 1e-12 * abs(value) and length > 1e-18:
        length *= 0.5
        best = objective(point + length * direction)
    lengths, slopes = [0.0, length], [slope, float(best[1] @ direction)]
    for _ in range(12):
        if abs(slopes[-1]) <= 1e-9 * abs(slope) or slopes[-1] == slopes[-2]:
            break
        (a, b), (ga, gb) = lengths[-2:], slopes[-2:]
        length = b - gb * (b - a) / (gb - ga)
        if not 0.0 < length < 8.0 * max(lengths):
            break
        trial = objective(point + length * direction)
        if trial[0] > best[0] + 1e-12 * abs(best[0]):
            break
        best = trial
        lengths.append(length)
        slopes.append(float(trial[1] @ direction))
    return point + lengths[-1] * direction, best
