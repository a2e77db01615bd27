"""Two predictions of a game put together by logistic regression: the plain reference.

It knows nothing of deviations: how much each prediction counts is the same for
newcomers and for regulars. A fusion is of use if it beats this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import ConvergenceError, InputError, NoGamesError
from yardstone.winprob.laws import logistic, logit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["Combination", "fit_combination"]

#: Predictions are kept this far from 0 and 1.
_EDGE = 1e-9
#: Weight of the penalty on the coefficients, in games: keeps them finite.
_PENALTY = 1.0
_MOST_STEPS = 100
_TOLERANCE = 1e-10


@dataclass(frozen=True, slots=True)
class Combination:
    """Logit of the score = `intercept` + sum of `weights` times the predictions' logits.

    Attributes
    ----------
    intercept : float
    weights : tuple of float
        One for each prediction, in the order of the fit.
    """

    intercept: float
    weights: tuple[float, ...]

    def expected(self, *predictions: ArrayLike) -> Array:
        """Expected score of the first player of each game."""
        if len(predictions) != len(self.weights):
            raise InputError(f"{len(predictions)} predictions do not go with {len(self.weights)}")
        logit = self.intercept + _logits(predictions) @ np.array(self.weights)
        return logistic(logit)


def fit_combination(score: ArrayLike, *predictions: ArrayLike) -> Combination:
    """Fit to the results of some games, by Newton's method.

    Parameters
    ----------
    score : float [g]
        Of the first player.
    *predictions : float [g]
        Expected scores, by system.
    """
    s = np.asarray(score, np.float64)
    if not len(s) or not predictions:
        raise NoGamesError("there is no game, or no prediction, to combine")
    x = _logits(predictions)
    if len(x) != len(s):
        raise InputError(f"{len(x)} predictions do not go with {len(s)} scores")
    design = np.column_stack([np.ones(len(s)), x])
    penalty = np.full(design.shape[1], _PENALTY)
    weights = np.zeros(design.shape[1])
    for _ in range(_MOST_STEPS):
        fitted = logistic(design @ weights)
        slope = design.T @ (s - fitted) - penalty * weights
        curvature = (design * (fitted * (1.0 - fitted))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curvature, slope)
        weights = weights + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < _TOLERANCE:
            return Combination(float(weights[0]), tuple(map(float, weights[1:])))
    raise ConvergenceError("the combination of predictions was not found")


def _logits(predictions: tuple[ArrayLike, ...]) -> Array:
    columns = [np.clip(np.asarray(p, np.float64), _EDGE, 1.0 - _EDGE) for p in predictions]
    return np.column_stack([logit(p) for p in columns])
