"""The rows of moves and results together in an experiment's table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import ConvergenceError, InputError, NoGamesError
from yardstone.evaluation.metrics import log_likelihood
from yardstone.ratings.joint import Prior
from yardstone.strength.fusion import MovesPrior, Sides, fit_moves_prior
from yardstone.winprob.laws import logistic, logit
from yardstone_lab.neubauer.experiment.questions import EVERYTHING, hidden_games, predict_hidden

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.glicko import Glicko2
    from yardstone.ratings.result import Replay
    from yardstone_lab.neubauer.experiment.questions import ExperimentPredictions

    Array = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = [
    "COMBINATION",
    "FITTED",
    "FUSION",
    "add_fusion",
    "fit_start",
    "Combination",
    "fit_combination",
]


FITTED, FUSION, COMBINATION = "Glicko-2, fitted", "Fusion", "Combination"
#: With fewer games than this the parameters stay what they are.
_LEAST_GAMES = 200
#: How closely the logarithms of the two parameters are found, and in how many steps.
_CLOSE, _STEPS = 0.03, 60


def fit_start(pool: Pool, system: Glicko2, games: Mask) -> Glicko2:
    """The system with the deviation and volatility of a newcomer that suit a pool.

    The usual deviation of 350 points is far too wide where all players are of one rank;
    then the first results of a newcomer count for more than his moves ever could.

    Args:
        pool: In order of time.
        games (bool array): Those whose results are to become as likely as they can; with fewer than
            200 of them the system is returned as it is.
    """
    from scipy.optimize import minimize

    if games.sum() < _LEAST_GAMES:
        return system
    score = pool.score[games]

    def made(unknowns: Array) -> Glicko2:
        deviation, volatility = np.exp(unknowns)
        return replace(
            system, initial_deviation=float(deviation), initial_volatility=float(volatility)
        )

    def against(unknowns: Array) -> float:
        return -log_likelihood(score, made(unknowns).replay(pool).expected[games])

    optimum = minimize(
        against,
        np.log([system.initial_deviation, system.initial_volatility]),
        method="Nelder-Mead",
        bounds=np.log([(20.0, 1000.0), (1e-3, 0.5)]),
        options={"xatol": _CLOSE, "fatol": 1e-6, "maxiter": _STEPS},
    )
    return made(optimum.x)


def add_fusion(
    predictions: ExperimentPredictions,
    pool: Pool,
    replay: Replay,
    system: Glicko2,
    model: str,
    moves: NDArray[np.int64],
    *,
    learn_from: str = "V",
) -> tuple[ExperimentPredictions, MovesPrior]:
    """Add what a model of moves and Glicko-2 say together.

    Args:
        predictions: Of the model among others, with its ratings.
        pool: In order of time.
        replay: Of all games under `system`.
        system: Without handicap and other columns: each game even.
        model: Its name in `predictions`.
        moves (int64 [q, 2]): On how many moves each of its ratings rests.
        learn_from: The set to whose games the prior and the combination are fitted. The model's own
            training games would make it look too sure, and test games are for the end.

    Returns:
        The predictions with the rows "Glicko-2, fitted" (to games of no set: `fit_start`), "Fusion"
        (a rating from moves as its prior, results on top) and "Combination" (logistic regression of
        the predictions of both); and the prior that was fitted.

    Raises:
        NoGamesError: There is no game to fit to, or no player in them has earlier moves.
    """
    questions = predictions.questions
    learnt = questions.of(learn_from)
    if not learnt.any():
        raise NoGamesError(f"the set {learn_from} has no game to fit the prior from moves to")
    fitted = fit_start(pool, system, _unmarked(pool, questions.game))
    if fitted is not system:
        replay = fitted.replay(pool)
    base = Prior(fitted.initial, fitted.initial_deviation)
    ratings = predictions.ratings[model]
    sides = _sides(replay, questions.game, ratings, moves)
    prior = fit_moves_prior(sides.select(learnt), predictions.score[learnt], fitted, base)
    results, expected = replay.expected[questions.game].copy(), prior.expected(sides, fitted)
    known, rated = sides.rating.copy(), prior.fused(sides)[0]
    for last in dict.fromkeys(questions.last.tolist()):
        if last == EVERYTHING:
            continue
        here = np.flatnonzero(questions.last == last)
        hidden = hidden_games(pool, questions.game[here], last)
        mean, deviation = prior.prior(ratings[here], moves[here])
        results[here] = predict_hidden(pool, replay, fitted, hidden)
        expected[here] = predict_hidden(
            pool, replay, fitted, hidden, rating=mean.ravel(), deviation=deviation.ravel()
        )
        known[here] = rated[here] = np.nan
    combination = fit_combination(
        predictions.score[learnt], results[learnt], predictions.expected[model][learnt]
    )
    both = combination.expected(results, predictions.expected[model])
    made = predictions.with_system(
        FITTED,
        results,
        known,
        about=f"Glicko-2 with a newcomer's deviation of {base.deviation:.0f} points, fitted to "
        "games of no set",
    )
    made = made.with_system(
        FUSION, expected, rated, about=f"the same on top of the rating that {model} gives to moves"
    )
    weights = ", ".join(f"{weight:.2f}" for weight in combination.weights)
    about = f"logistic regression of {FITTED} and {model} (weights {weights})"
    return made.with_system(COMBINATION, both, about=about), prior


def _unmarked(pool: Pool, marked: NDArray[np.int64]) -> Mask:
    """The later half of the games, without those of the sets: histories have grown by then."""
    games = np.arange(len(pool)) >= len(pool) // 2
    games[marked] = False
    return games


def _sides(
    replay: Replay, game: NDArray[np.int64], ratings: Array, moves: NDArray[np.int64]
) -> Sides:
    """What is known of both sides of each question when nothing is hidden."""
    deviations = (replay.first_deviation, replay.second_deviation)
    known = [column[game] for column in deviations if column is not None]
    return Sides(
        np.column_stack([replay.first_rating[game], replay.second_rating[game]]),
        np.column_stack(known),
        ratings,
        moves,
    )


#: Predictions are kept this far from 0 and 1.
_EDGE = 1e-9
#: Weight of the penalty on the coefficients, in games: keeps them finite.
_PENALTY = 1.0
_MOST_STEPS = 100
_TOLERANCE = 1e-10


@dataclass(frozen=True, slots=True)
class Combination:
    """Logit of the score = `intercept` + sum of `weights` times the predictions' logits."""

    intercept: float
    weights: tuple[float, ...]  #: One for each prediction, in the order of the fit.

    def expected(self, *predictions: ArrayLike) -> Array:
        """Expected score of the first player of each game."""
        if len(predictions) != len(self.weights):
            raise InputError(f"{len(predictions)} predictions do not go with {len(self.weights)}")
        logit = self.intercept + _logits(predictions) @ np.array(self.weights)
        return logistic(logit)


def fit_combination(score: ArrayLike, *predictions: ArrayLike) -> Combination:
    """Fit to the results of some games, by Newton's method.

    Args:
        score (float [g]): Of the first player.
        *predictions (float [g]): Expected scores, by system.
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
