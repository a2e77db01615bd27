"""One fit of whole-history rating: the maximum, its curvature, and what both say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import ConvergenceError, ModelError
from yardstone.ratings import _whr_newton as newton
from yardstone.ratings._whr_layout import Layout
from yardstone.ratings._whr_terms import Law, Model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Fit", "fit_drift", "new_hessian"]

#: Up to so many unknowns the Hessian is treated as a full matrix.
FULL_MATRIX_LIMIT = 1500
_TOLERANCE = 1e-9
_MAX_STEPS = 60
#: Beyond so many logits the first-move advantage or the draw parameter has no estimate.
_RUNAWAY = 12.0
#: Stochastic Lanczos quadrature for the logarithm of a determinant: probes and steps.
_PROBES, _LANCZOS_STEPS = 8, 25
#: Systems in H are solved to this for deviations.
_SOLVED = 1e-3
#: Where the drift is looked for, in squared logits a day, and how closely (in its logarithm).
_DRIFT_RANGE, _DRIFT_ACCURACY = (1e-8, 1.0), 0.01


def new_hessian(layout: Layout, free: NDArray[np.bool_]) -> newton.Hessian:
    """Room for the derivatives of a layout; `free`: whether w and tau are unknown."""
    nodes = len(layout.node_day)
    return newton.Hessian(
        np.zeros(nodes),
        np.zeros(nodes),
        np.ones(nodes),
        np.zeros(len(layout.score)),
        np.zeros((nodes, 2)),
        np.zeros(3),
        free,
        np.zeros(1),
    )


@dataclass
class Fit:
    """A layout with the strengths that fit it.

    Attributes
    ----------
    layout : Layout
        The games.
    x : float64 array
        Strength of each node, in logits.
    shared : float64 array
        First-move advantage (logits) and draw parameter tau; NaN: draws are half a win.
    hessian : Hessian
        At the maximum.
    w2 : float
        Drift in squared logits a day.
    prior : float64 array (players, 2)
        Of each player's first day: mean in logits, and precision.
    """

    layout: Layout
    x: Floats
    shared: Floats
    hessian: newton.Hessian
    w2: float
    prior: Floats
    steps: int = 0

    @property
    def stop(self) -> NDArray[np.int64]:
        """End of each player's nodes."""
        return self.layout.node_start[1:]

    def climb(self) -> None:
        """Find the maximum; ConvergenceError if that fails."""
        converged, self.steps, last = newton.climb(
            self.layout,
            self.stop,
            self.x,
            self.shared,
            self.hessian,
            self._model,
            _TOLERANCE,
            _MAX_STEPS,
        )
        for value, name in zip(self.shared, ("first-move advantage", "draw rate"), strict=True):
            if abs(value) > _RUNAWAY:
                raise ModelError(f"the {name} has no finite estimate: fix it")
        if not converged:
            raise ConvergenceError(
                f"the strengths still moved by {last:.3g} logits after {self.steps} steps"
            )
        self.linearise()

    def linearise(self) -> Floats:
        """Fill the Hessian where the strengths are now; returns the gradient."""
        gradient = np.zeros(len(self.x) + 2)
        newton.linearise(
            self.layout, self.stop, self.x, self._law, self._model, self.hessian, gradient
        )
        return gradient

    @property
    def _law(self) -> Law:
        w, tau = self.shared.tolist()
        return Law(w, -1.0 if np.isnan(tau) else float(np.exp(2.0 * tau)))

    @property
    def _model(self) -> Model:
        return Model(self.w2, self.prior)

    def log_posterior(self) -> float:
        """Log posterior at the strengths, up to a constant."""
        return newton.log_posterior(self.layout, self.stop, self.x, self._law, self._model)

    def full_matrix(self) -> Floats:
        """The Hessian as a matrix, over nodes and the free ones of w and tau."""
        size = len(self.x) + 2
        matrix, unit, column = np.zeros((size, size)), np.zeros(size), np.zeros(size)
        for k in range(size):
            unit[k] = 1.0
            newton.multiply(self.layout, self.stop, self.hessian, unit, column)
            matrix[:, k] = column
            unit[k] = 0.0
        kept = np.append(np.ones(len(self.x), np.bool_), self.hessian.free)
        inner: Floats = matrix[np.ix_(kept, kept)]
        return inner

    def conditional_variance(self) -> Floats:
        """Variance of each strength, all other players' strengths given."""
        variance = np.zeros(len(self.x))
        newton.conditional_variance(self.layout, self.stop, self.hessian, variance)
        return variance

    def variance(
        self, samples: int, seed: int, *, with_level: bool = True
    ) -> tuple[Floats, Floats]:
        """Posterior variance of each strength, and of w and tau (NaN where not free).

        Without the level: given the mean of all strengths, which is what they are
        relative to; with it, as they stand to the prior.

        By inversion for a small pool. For a large one, by Rao and Blackwell: the
        variance given the other players is exact, and only that of its mean is
        estimated, from `samples` draws of all strengths; and of that the part due to
        the common level of all, the largest one, is exact as well.
        """
        shared = np.full(2, np.nan)
        n = len(self.x)
        if n <= FULL_MATRIX_LIMIT:
            inverse = np.linalg.inv(self.full_matrix())
            diagonal = np.diag(inverse).copy()
            shared[self.hessian.free] = diagonal[n:]
            along = inverse[:n, :n].sum(axis=1)
            return diagonal[:n] - (0.0 if with_level else along**2 / along.sum()), shared
        generator = np.random.default_rng(seed)
        moved = np.zeros(n)
        size = n + 2
        noise, solved, alone = np.ones(size), np.zeros(size), np.zeros(size)
        noise[-2:] = 0.0
        self._solve(noise, solved)
        newton.solve_blocks(self.layout, self.stop, self.hessian, noise, alone)
        along = solved[:-2].copy()  # covariance of each strength with the sum of all
        mean_along = along - alone[:-2]  # and of what the other players make of each
        level = float(along.sum())  # variance of that sum
        for _ in range(samples):
            normal = generator.standard_normal(len(self.layout.score) + len(self.x))
            newton.draw_noise(self.layout, self.stop, self.hessian, self.prior, normal, noise)
            self._solve(noise, solved)
            newton.solve_blocks(self.layout, self.stop, self.hessian, noise, alone)
            moved += ((solved - alone)[:-2] - mean_along * (solved[:-2].sum() / level)) ** 2
        for k in np.flatnonzero(self.hessian.free):
            noise[:] = 0.0
            noise[n + k] = 1.0
            self._solve(noise, solved)
            shared[k] = solved[n + k]
        variance = self.conditional_variance() + mean_along**2 / level + moved / samples
        return variance - (0.0 if with_level else along**2 / level), shared

    def _solve(self, right: Floats, out: Floats) -> None:
        if not newton.solve_all(self.layout, self.stop, self.hessian, right, _SOLVED, out):
            raise ConvergenceError("a system of equations for the deviations was not solved")

    def log_evidence(self) -> float:
        """Laplace's approximation of the log-probability of all results, up to a constant.

        The constant depends neither on the drift nor on the prior's width.
        """
        layout = self.layout
        step = np.diff(layout.node_day)
        inner = np.ones(len(step), np.bool_)
        played = layout.node_start[:-1] < layout.node_start[1:]
        firsts = layout.node_start[:-1][played]
        inner[firsts[firsts > 0] - 1] = False
        width = np.log(self.w2 * step[inner]).sum() - np.log(self.prior[played, 1]).sum()
        return self.log_posterior() - 0.5 * float(width) - 0.5 * self._log_determinant()

    def _log_determinant(self) -> float:
        if len(self.x) <= FULL_MATRIX_LIMIT:
            return float(np.linalg.slogdet(self.full_matrix())[1])
        total = newton.log_determinant_of_blocks(self.layout, self.stop, self.hessian)
        generator = np.random.default_rng(0)  # the same probes each time: a smooth function
        free = np.append(np.ones(len(self.x)), self.hessian.free)
        for _ in range(_PROBES):
            probe = generator.choice((-1.0, 1.0), len(free)) * free
            alpha, beta, length2 = newton.lanczos(
                self.layout, self.stop, self.hessian, probe, _LANCZOS_STEPS
            )
            value, vector = np.linalg.eigh(np.diag(alpha) + np.diag(beta, 1) + np.diag(beta, -1))
            total += length2 * float(vector[0] ** 2 @ np.log(np.maximum(value, 1e-12))) / _PROBES
        return total


def fit_drift(fit: Fit) -> None:
    """Set the drift to where the results are most probable, and climb there."""
    from scipy.optimize import minimize_scalar

    def against(log_w2: float) -> float:
        fit.w2 = float(np.exp(log_w2))
        fit.climb()
        return -fit.log_evidence()

    low, high = np.log(_DRIFT_RANGE)
    optimum = minimize_scalar(
        against, bounds=(low, high), method="bounded", options={"xatol": _DRIFT_ACCURACY}
    )
    fit.w2 = float(np.exp(optimum.x))
    fit.climb()
