"""A player's rank from style features: the baseline that needs no network.

A Gaussian process with one length for each feature ("automatic relevance
determination"; Rasmussen and Williams 2006, sections 2.2 and 5.1). Features are
replaced by the normal scores of their places among the training players, for some have
very long tails. Lengths, signal and noise are those under which the training players'
own ranks are most likely: no other player has a say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from yardstone import parallel
from yardstone.errors import NoGamesError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.style.table import StyleTable

    Array = NDArray[np.float64]

__all__ = [
    "PUBLISHED",
    "StyleModel",
    "Validation",
    "cross_validate",
    "fit_style",
    "folds_of",
    "normal_scores",
]

#: Standard deviation in ranks that Moudřík, Baudiš and Neruda 2015 give (as cited by
#: Neubauer 2024, section 3.4), with features of patterns besides.
PUBLISHED = 2.66
#: Lengths and noise are found with so many players at most; all are used to predict.
LENGTHS_FROM = 800
_STEPS = 60
_LEAST_PLAYERS = 10
#: Bounds of the logarithms of precisions (1/length squared), signal and noise variances.
_BOUNDS = ((-12.0, 2.0), (-6.0, 8.0), (-8.0, 3.0))
#: Normal scores stay within the quantiles of this and 1 less this.
_EDGE = 1e-4


@dataclass(frozen=True, eq=False)
class StyleModel:
    """Predicts ranks; `fit_style` makes one.

    Attributes
    ----------
    names : tuple of str
        Of the features.
    sorted_features : float64 [n, d]
        Each feature of the training players, sorted.
    known : float64 [n, d]
        Their normal scores, over the lengths.
    lengths : float64 [d]
        In standard deviations: ranks differ over such distances. A large one says that
        the feature matters little.
    mean, signal, noise : float
        Mean rank; standard deviations, in ranks, of what features tell and what not.
    weights, inverse : float64 arrays [n] and [n, n]
        Of the training players.
    """

    names: tuple[str, ...]
    sorted_features: Array
    known: Array
    lengths: Array
    mean: float
    signal: float
    noise: float
    weights: Array
    inverse: Array
    lowest: float
    highest: float

    def predict(self, features: Array) -> tuple[Array, Array]:
        """Rank and its standard deviation for the features of some players: [n, d].

        Ranks stay within those of the training players; the deviation includes what
        players of equal features differ by.
        """
        values = np.asarray(features, np.float64)
        if values.ndim != 2 or values.shape[1] != len(self.names):
            raise UsageError(f"features {values.shape} are not those of {len(self.names)} columns")
        near = self.signal**2 * _similar(
            normal_scores(values, self.sorted_features) / self.lengths, self.known
        )
        explained = np.einsum("nk,kl,nl->n", near, self.inverse, near, optimize=True)
        variance = np.maximum(self.signal**2 - explained, 0.0) + self.noise**2
        rank = np.clip(self.mean + near @ self.weights, self.lowest, self.highest)
        return rank, np.sqrt(variance)


def fit_style(table: StyleTable, *, seed: int = 0) -> StyleModel:
    """Fit to the players whose strength is known.

    Parameters
    ----------
    table : StyleTable
    seed : int
        Draws the players that lengths and noise are found with, where there are many.

    Raises
    ------
    NoGamesError
        Fewer than ten players have a strength.
    """
    known = np.isfinite(table.strength)
    if known.sum() < _LEAST_PLAYERS:
        raise NoGamesError(
            f"the strength of {int(known.sum())} players is known: it takes {_LEAST_PLAYERS}"
        )
    features, strength = table.features[known], table.strength[known]
    ordered = np.sort(features, axis=0)
    scores = normal_scores(features, ordered)
    mean = float(strength.mean())
    rest = strength - mean
    chosen = np.arange(len(rest))
    if len(rest) > LENGTHS_FROM:
        chosen = np.sort(np.random.default_rng(seed).choice(len(rest), LENGTHS_FROM, replace=False))
    lengths, signal, noise = _most_likely(scores[chosen], rest[chosen])
    scaled = scores / lengths
    covariance = signal**2 * _similar(scaled, scaled) + noise**2 * np.eye(len(rest))
    inverse = np.linalg.inv(covariance).astype(np.float64)
    return StyleModel(
        table.names,
        ordered,
        scaled,
        lengths,
        mean,
        signal,
        noise,
        inverse @ rest,
        inverse,
        float(strength.min()),
        float(strength.max()),
    )


@dataclass(frozen=True, eq=False)
class Validation:
    """What a cross-validation found; frozen.

    Attributes
    ----------
    strength, predicted, deviation : float64 [n]
        True rank of each player, and the one predicted without him, with its deviation.
    fold : int64 [n]
        Which part each player was in.
    baseline : float64 [n]
        The mean rank of the other parts: what a prediction without features says.
    """

    strength: Array
    predicted: Array
    deviation: Array
    fold: NDArray[np.int64]
    baseline: Array

    @property
    def error(self) -> float:
        """Root of the mean squared error, in ranks."""
        return float(np.sqrt(np.mean(np.square(self.predicted - self.strength))))

    @property
    def absolute_error(self) -> float:
        """Mean distance, in ranks."""
        return float(np.mean(np.abs(self.predicted - self.strength)))

    @property
    def baseline_error(self) -> float:
        """The error of predicting the mean, in ranks."""
        return float(np.sqrt(np.mean(np.square(self.baseline - self.strength))))

    def interval(self, *, level: float = 0.95, replicates: int = 1000, seed: int = 0) -> Array:
        """Interval of `error` by bootstrap over players: [2]."""
        squares = np.square(self.predicted - self.strength)
        generator = np.random.default_rng(seed)
        rows = generator.integers(0, len(squares), (replicates, len(squares)))
        drawn = np.sqrt(squares[rows].mean(axis=1))
        return np.asarray(np.quantile(drawn, [(1.0 - level) / 2.0, (1.0 + level) / 2.0]))

    def coverage(self, deviations: float = 1.645) -> float:
        """Share of players within so many of their own deviations of the prediction."""
        return float(np.mean(np.abs(self.predicted - self.strength) <= deviations * self.deviation))


def folds_of(strength: Array, folds: int, seed: int) -> NDArray[np.int64]:
    """Parts of equal size at random, with equal shares of each rank."""
    generator = np.random.default_rng(seed)
    order = np.lexsort([generator.random(len(strength)), strength])
    fold = np.empty(len(strength), np.int64)
    fold[order] = np.arange(len(strength)) % folds
    return fold


def cross_validate(
    table: StyleTable,
    *,
    folds: int = 10,
    seed: int = 0,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Validation:
    """Predict every player from the others: each part by a model fitted to the rest.

    Parameters
    ----------
    table : StyleTable
        Players of unknown strength are left out.
    folds : int
        Parts, at least 2.
    seed : int
        Equal seeds give equal parts and models, on any number of workers.
    workers : int, optional
        Parts worked on at the same time; one a core.
    progress : callable, optional
        Called with the number of parts that are done, and of all.
    """
    table = table.select(np.isfinite(table.strength))
    if folds < 2 or len(table) < folds * 2:
        raise UsageError(f"{len(table)} players cannot be parted into {folds} folds")
    fold = folds_of(table.strength, folds, seed)
    parts = parallel.map(
        partial(_one_fold, table, fold, seed), range(folds), workers=workers, progress=progress
    )
    predicted, deviation, baseline = (np.empty(len(table)) for _ in range(3))
    for number, (rank, spread, usual) in enumerate(parts):
        here = fold == number
        predicted[here], deviation[here], baseline[here] = rank, spread, usual
    return Validation(table.strength, predicted, deviation, fold, baseline)


def _one_fold(
    table: StyleTable, fold: NDArray[np.int64], seed: int, number: int
) -> tuple[Array, Array, float]:
    others = table.select(fold != number)
    rank, deviation = fit_style(others, seed=seed).predict(table.features[fold == number])
    return rank, deviation, float(others.strength.mean())


def normal_scores(features: Array, ordered: Array) -> Array:
    """Normal scores of the places of features among sorted ones, ties in the middle."""
    from scipy.special import ndtri

    scores = np.empty_like(features)
    for column in range(features.shape[1]):
        known = ordered[:, column]
        low = np.searchsorted(known, features[:, column], side="left")
        high = np.searchsorted(known, features[:, column], side="right")
        place = (low + high + 1.0) / (2.0 * (len(known) + 1.0))
        scores[:, column] = ndtri(np.clip(place, _EDGE, 1.0 - _EDGE))
    return scores


def _similar(one: Array, other: Array) -> Array:
    """exp(-|x - y|^2/2) of every two rows."""
    squared = np.square(one).sum(axis=1)[:, None] + np.square(other).sum(axis=1)[None, :]
    similarity: Array = np.exp(-0.5 * np.maximum(squared - 2.0 * one @ other.T, 0.0))
    return similarity


def _most_likely(scores: Array, rest: Array) -> tuple[Array, float, float]:
    """Lengths, signal and noise of the greatest marginal likelihood."""
    from scipy.optimize import minimize

    width = scores.shape[1]
    spread = max(float(rest.std()), 1e-9)
    start = np.concatenate([np.full(width, -np.log(width)), [0.0, -1.0]])
    bounds: Sequence[tuple[float, float]] = [_BOUNDS[0]] * width + [_BOUNDS[1], _BOUNDS[2]]
    optimum = minimize(
        _against,
        start,
        args=(scores, rest / spread),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": _STEPS},
    ).x
    lengths = np.exp(-0.5 * optimum[:width])
    signal, noise = spread * np.exp(0.5 * optimum[width:])
    return lengths, float(signal), float(noise)


def _against(unknowns: Array, scores: Array, rest: Array) -> tuple[float, Array]:
    """Minus the log marginal likelihood up to a constant, and its gradient.

    Unknowns are the logarithms of 1/length^2 of each feature, of the signal's variance
    and of the noise's (Rasmussen and Williams 2006, equations 2.30 and 5.9).
    """
    width = scores.shape[1]
    precision = np.exp(unknowns[:width])
    signal, noise = np.exp(unknowns[width:])
    scaled = scores * np.sqrt(precision)
    covariance = signal * _similar(scaled, scaled)
    factor = np.linalg.cholesky(covariance + noise * np.eye(len(rest)))
    inverse_factor = np.linalg.inv(factor)
    inverse = inverse_factor.T @ inverse_factor
    weights = inverse @ rest
    value = 0.5 * float(rest @ weights) + float(np.log(np.diag(factor)).sum())
    outer = np.outer(weights, weights) - inverse
    pull = outer * covariance
    row = pull.sum(axis=1)
    by_feature = 2.0 * (row @ np.square(scores)) - 2.0 * np.einsum(
        "nk,nk->k", scores, pull @ scores
    )
    gradient = np.concatenate(
        [
            0.25 * precision * by_feature,
            [-0.5 * pull.sum(), -0.5 * noise * np.trace(outer)],
        ]
    )
    return value, gradient
