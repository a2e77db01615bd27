"""A rating from the mean features of recent moves: ridge regression.

The plain relative of the Set Transformer, for few games or none of its computation:
the features of a player's recent moves are averaged, drawn towards the average player
where there are few moves, and a straight line fitted to the rating labels turns them
into a rating. Nothing here is random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import NoGamesError, UsageError
from yardstone.evaluation.metrics import log_likelihood, recalibration
from yardstone.winprob.laws import ELO_POINTS_PER_LOGIT, logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone_lab.neubauer.dataset import Labelled, MoveSets

    Array = NDArray[np.float64]

__all__ = ["PENALTIES", "SHRINKAGES", "Pooled", "fit_pooled"]

#: What is tried: weights of the penalty, for each game, and moves of the average player.
PENALTIES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
SHRINKAGES = (25.0, 100.0, 400.0)
_LEAST_DEVIATION = 1e-6


@dataclass(frozen=True, eq=False)
class Pooled:
    """Ratings from means of features; `fit_pooled` makes one.

    Attributes
    ----------
    centre, spread : float64 [width]
        Mean of the features of players, and their standard deviation over players.
    weights : float64 [width]
        Rating points for each standard deviation.
    mean : float
        Rating of a player of whom nothing is known.
    shrinkage : float
        So many moves of the average player are added to each player's own.
    penalty : float
        Of the ridge.
    intercept, slope : float
        Of the logit of Black's expected score, against the logit of the difference of
        ratings: fitted on the validation games, for ratings from few moves lie too
        close together or too far apart.
    """

    centre: Array
    spread: Array
    weights: Array
    mean: float
    shrinkage: float
    penalty: float
    intercept: float
    slope: float

    def ratings(self, moves: MoveSets, window: int | None = None) -> Array:
        """Rating points of each side, Black's and White's of the first game first: [2 * g]."""
        number = moves.lengths() if window is None else np.minimum(moves.lengths(), window)
        return self._rated(moves.means(window), number)

    def expected(self, ratings: Array) -> Array:
        """Expected score of Black in each game, from the ratings of both sides [2 * g]."""
        logit = self.slope * (ratings[0::2] - ratings[1::2]) / ELO_POINTS_PER_LOGIT
        return logistic(self.intercept + logit)

    def _rated(self, means: Array, number: NDArray[np.int64]) -> Array:
        standard = _standardised(means, number, self.centre, self.spread, self.shrinkage)
        ratings: Array = self.mean + standard @ self.weights
        return ratings


def fit_pooled(
    training: Labelled,
    validation: Labelled,
    *,
    window: int | None = None,
    penalties: Sequence[float] = PENALTIES,
    shrinkages: Sequence[float] = SHRINKAGES,
) -> Pooled:
    """Fit to the labels of training games; the validation games choose the settings.

    Parameters
    ----------
    training, validation : Labelled
        With labels in rating points.
    window : int, optional
        Only the last so many moves of each player.
    penalties, shrinkages : sequence of float
        What is tried. The pair with the best log-likelihood on the validation games,
        after their own intercept and slope, is taken.

    Raises
    ------
    NoGamesError
        There is no game to train on, or none to validate with.
    """
    for name, games in (("train on", training), ("validate with", validation)):
        if not len(games):
            raise NoGamesError(f"there is no game to {name}")
    if not penalties or not shrinkages or min(penalties) <= 0.0 or min(shrinkages) < 0.0:
        raise UsageError("penalties must be above 0, shrinkages not below 0")
    means, number = training.moves.means(window), _number(training.moves, window)
    other, other_number = validation.moves.means(window), _number(validation.moves, window)
    played = number > 0
    if not played.any():
        raise NoGamesError("no training game has a recent move")
    centre = np.average(means[played], axis=0, weights=number[played])
    spread = np.maximum(means[played].std(axis=0), _LEAST_DEVIATION)
    labels = training.labels.ravel()
    mean = float(labels.mean())
    best: tuple[float, Pooled] | None = None
    for shrinkage in shrinkages:
        x = _standardised(means, number, centre, spread, shrinkage)
        z = _standardised(other, other_number, centre, spread, shrinkage)
        values, vectors = np.linalg.eigh(x.T @ x)
        projected = vectors.T @ (x.T @ (labels - mean))
        for penalty in penalties:
            weights = vectors @ (projected / (np.maximum(values, 0.0) + penalty * len(labels)))
            ratings = z @ weights
            plain = (ratings[0::2] - ratings[1::2]) / ELO_POINTS_PER_LOGIT
            even = logistic(plain)
            intercept, slope = recalibration(validation.score, even)
            if not np.isfinite(slope):
                intercept, slope = 0.0, 0.0
            tried = Pooled(
                centre, spread, weights, mean, shrinkage, penalty, intercept, max(slope, 0.0)
            )
            likelihood = log_likelihood(validation.score, tried.expected(ratings))
            if best is None or likelihood > best[0]:
                best = likelihood, tried
    if best is None:
        raise NoGamesError("nothing was tried")
    return best[1]


def _number(moves: MoveSets, window: int | None) -> NDArray[np.int64]:
    return moves.lengths() if window is None else np.minimum(moves.lengths(), window)


def _standardised(
    means: Array, number: NDArray[np.int64], centre: Array, spread: Array, shrinkage: float
) -> Array:
    """Means in standard deviations of players, drawn to 0 where there are few moves."""
    trust = np.divide(number, number + shrinkage, out=np.zeros(len(number)), where=number > 0)
    standard: Array = trust[:, None] * ((means - centre) / spread)
    return standard
