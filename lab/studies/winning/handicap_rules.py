"""The worth of a handicap stone, fitted to games: likelihood, and intervals over clusters.

A game with h stones and no komi gives Black h - 1/2 stones more than an even one: the
first of them is the move that he has anyhow, of which komi takes half away. If a stone is
worth `stone` grades, a difference of g grades is made even by ``g/stone + 1/2`` stones.
``python -m lab.studies.handicaps`` scores it, and the models of winning, on real games.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.clusters import LEAST_EFFECTIVE_CLUSTERS, effective_number, t_quantile
from yardstone.errors import NoGamesError, UsageError
from yardstone.winprob.laws import logistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = [
    "black_wins",
    "fit_slope",
    "fit_stone",
    "log_loss",
    "stone_interval",
]


def black_wins(gap: ArrayLike, handicap: ArrayLike, *, stone: float, slope: float) -> Array:
    """Probability that Black wins.

    Args:
        gap (array_like): White's grade less Black's.
        handicap (array_like): Stones without komi; 0 is an even game with komi.
        stone: Grades that a stone is worth.
        slope: Logits a grade.
    """
    stones = np.asarray(handicap, np.float64)
    head_start = stone * np.where(stones > 0.0, stones - 0.5, 0.0)
    return logistic(slope * (head_start - np.asarray(gap, np.float64)))


def log_loss(probability: ArrayLike, won: ArrayLike) -> Array:
    """Negative log of the probability given to each result (nats)."""
    p = np.asarray(probability, np.float64)
    return np.asarray(-np.log(np.where(np.asarray(won, np.bool_), p, 1.0 - p)))


def _logistic(design: Array, won: Array, weight: Array) -> Array:
    """Coefficients of a logistic regression without a constant; Newton, a little ridge."""
    x = np.zeros(design.shape[1])
    for _ in range(100):
        p = logistic(design @ x)
        gradient = design.T @ (weight * (won - p)) - _RIDGE * x
        hessian = (design * (weight * p * (1.0 - p))[:, None]).T @ design
        step = np.linalg.solve(hessian + _RIDGE * np.eye(len(x)), gradient)
        x = x + step
        if np.abs(step).max() < 1e-10:
            break
    return x


#: Keeps the regression finite where results are separated.
_RIDGE = 1e-6


def fit_slope(gap: ArrayLike, won: ArrayLike) -> float:
    """Logits a grade of even games, by likelihood: the one-parameter logistic."""
    x, y = np.asarray(gap, np.float64), np.asarray(won, np.float64)
    if not len(x):
        raise NoGamesError("there is no even game to fit")
    return float(-_logistic(x[:, None], y, np.ones(len(y)))[0])


def fit_stone(
    gap: ArrayLike, handicap: ArrayLike, won: ArrayLike, weight: ArrayLike | None = None
) -> tuple[float, float]:
    """Worth of a stone in grades, and logits a grade, of handicap games by likelihood.

    Raises:
        UsageError: The games do not tell the two apart.
    """
    x, h, y = (np.asarray(v, np.float64) for v in (gap, handicap, won))
    if not len(x):
        raise NoGamesError("there is no handicap game to fit")
    times = np.ones(len(y)) if weight is None else np.asarray(weight, np.float64)
    by_gap, by_stone = _logistic(np.column_stack([-x, h - 0.5]), y, times)
    if not by_gap > 0.0:
        raise UsageError("in these games a difference of grades does not count against Black")
    return float(by_stone / by_gap), float(by_gap)


def stone_interval(
    gap: ArrayLike, handicap: ArrayLike, won: ArrayLike, cluster: ArrayLike, *, level: float = 0.95
) -> tuple[float, float] | None:
    """Interval of the worth of a stone: the jackknife over clusters of games.

    By Student's t over what the clusters are worth; see `yardstone.clusters`.
    None where they are worth too few.
    """
    names, number = np.unique(np.asarray(cluster), return_inverse=True)
    worth = effective_number(number)
    if worth < LEAST_EFFECTIVE_CLUSTERS:
        return None
    full = fit_stone(gap, handicap, won)[0]
    without = [
        fit_stone(gap, handicap, won, (number != each) * 1.0)[0] for each in range(len(names))
    ]
    error = float(np.sqrt(np.sum(np.square(np.array(without) - full))))
    reach = t_quantile(0.5 + 0.5 * level, worth - 1.0) * error
    return full - reach, full + reach
