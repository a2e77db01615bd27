"""How good predictions were: pure functions of scores and predictions.

Scores are those of the player who moved first: 1, 0.5 or 0. A prediction
(*expected*) is that player's expected score, made before the game. Definitions
are those of Neubauer 2024, section 2.3. A draw counts as half a game won by
each side, which is how the thesis says they may be extended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.disk import on_disk, pieces, taken
from yardstone.errors import InputError, NoGamesError, UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = [
    "GAME_METRICS",
    "LARGER_IS_BETTER",
    "Measures",
    "accuracy",
    "brier",
    "constant_side_accuracy",
    "correct",
    "game_metrics",
    "log_likelihood",
    "log_likelihoods",
    "measure",
    "measure_pieces",
    "metric_values",
    "squared_errors",
    "three_way_log_likelihood",
    "three_way_log_likelihoods",
]


@dataclass(frozen=True, slots=True)
class Measures:
    """Measures of a set of predictions; frozen.

    Attributes
    ----------
    games : int
        Games they were measured on.
    accuracy : float
        Share of results that were predicted (eq. 2.4); higher is better.
    constant_side : float
        Share that one would have got by always naming the same side, the one
        that scored more here: what an accuracy must be read against.
    log_likelihood : float
        Mean logarithm of the probability given to what happened (eq. 2.5);
        higher is better, ln 1/2 = -0.693 is what 50:50 gets without draws.
    brier : float
        Mean squared error; lower is better.
    three_way : float or None
        Mean logarithm of the probability given to the win, draw or loss that
        happened; None where nothing predicts draws.
    impossible : int
        Games whose result had been given a probability of zero: each of them
        makes the log-likelihood minus infinity.
    """

    games: int
    accuracy: float
    constant_side: float
    log_likelihood: float
    brier: float
    three_way: float | None = None
    impossible: int = 0

    def as_dict(self) -> dict[str, float | int | None]:
        """The measures by name; None for what is not finite, as JSON needs it."""
        return {
            name: None if isinstance(value, float) and not np.isfinite(value) else value
            for name, value in asdict(self).items()
        }


def _checked(score: ArrayLike, expected: ArrayLike) -> tuple[Array, Array]:
    s = np.asarray(score, np.float64)
    p = np.asarray(expected, np.float64)
    if s.shape != p.shape:
        raise InputError(f"{s.size} scores do not go with {p.size} predictions")
    if np.any(np.isnan(p)) or np.any(p < 0.0) or np.any(p > 1.0):
        raise InputError("a prediction is not between 0 and 1")
    if not np.isin(s, (0.0, 0.5, 1.0)).all():
        raise InputError("scores must be 1, 0.5 or 0")
    return s, p


def _mean(values: Array) -> float:
    if not values.size:
        raise NoGamesError("there is no game to measure predictions on")
    return float(values.mean())


def correct(score: ArrayLike, expected: ArrayLike) -> Array:
    """For each game 1 if its winner was predicted, 0 if not, 0.5 for a draw.

    An even chance is a prediction that the second player wins: White in Go, who
    wins slightly more often (Neubauer 2024, eq. 2.4).
    """
    s, p = _checked(score, expected)
    return np.abs(s - (p <= 0.5))


def accuracy(score: ArrayLike, expected: ArrayLike) -> float:
    """Share of games whose winner was predicted (Neubauer 2024, eq. 2.2 and 2.4).

    Examples
    --------
    >>> accuracy([1, 0, 0], [0.8, 0.5, 0.6])
    0.6666666666666666
    """
    return _mean(correct(score, expected))


def constant_side_accuracy(score: ArrayLike) -> float:
    """The accuracy of always naming the same side: the one that scored more."""
    share = float(np.mean(np.asarray(score, np.float64)))
    return max(share, 1.0 - share)


def log_likelihoods(score: ArrayLike, expected: ArrayLike) -> Array:
    """For each game the logarithm of the probability given to its result.

    ``s ln p + (1 - s) ln(1 - p)``. For wins and losses this is the thesis'
    ``ln(1 - |s - p|)``; that formula itself must not be used for draws, where it
    would reward p = 1/2 beyond every other prediction.
    """
    s, p = _checked(score, expected)
    with np.errstate(divide="ignore"):
        won, lost = np.log(p), np.log1p(-p)
    return np.where(s > 0.0, s, 0.0) * np.where(s > 0.0, won, 0.0) + np.where(
        s < 1.0, (1.0 - s) * np.where(s < 1.0, lost, 0.0), 0.0
    )


def log_likelihood(score: ArrayLike, expected: ArrayLike) -> float:
    """Mean logarithm of the probability given to the results (Neubauer 2024, eq. 2.5)."""
    return _mean(log_likelihoods(score, expected))


def squared_errors(score: ArrayLike, expected: ArrayLike) -> Array:
    """For each game the squared difference of score and prediction."""
    s, p = _checked(score, expected)
    return (s - p) ** 2


def brier(score: ArrayLike, expected: ArrayLike) -> float:
    """Mean squared difference of score and prediction (Brier 1950)."""
    return _mean(squared_errors(score, expected))


def three_way_log_likelihoods(score: ArrayLike, expected: ArrayLike, draw: ArrayLike) -> Array:
    """For each game the logarithm of the probability given to its win, draw or loss.

    Parameters
    ----------
    score, expected : array_like
        As everywhere: `expected` is the probability of a win plus half that of a
        draw.
    draw : array_like
        Probability of a draw; never more than twice the smaller of `expected`
        and its complement, or `InputError`.
    """
    s, p = _checked(score, expected)
    d = np.broadcast_to(np.asarray(draw, np.float64), p.shape)
    win, loss = p - 0.5 * d, 1.0 - p - 0.5 * d
    least = min(part.min(initial=0.0) for part in (win, loss, d))
    if np.isnan(d).any() or least < -1e-12:
        raise InputError("a probability of a draw does not go with the expected score")
    chance = np.where(s == 1.0, win, np.where(s == 0.0, loss, d))
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(chance, 0.0))


def three_way_log_likelihood(score: ArrayLike, expected: ArrayLike, draw: ArrayLike) -> float:
    """Mean logarithm of the probability given to win, draw or loss."""
    return _mean(three_way_log_likelihoods(score, expected, draw))


#: What each metric is the mean of, game by game.
GAME_METRICS = ("log_likelihood", "three_way", "brier", "accuracy")
#: Which way each metric points.
LARGER_IS_BETTER: Mapping[str, bool] = {
    "log_likelihood": True,
    "three_way": True,
    "brier": False,
    "accuracy": True,
}


def game_metrics(
    score: ArrayLike, expected: ArrayLike, draw: ArrayLike | None = None
) -> dict[str, Array]:
    """The value of every metric for each single game, by its name."""
    names = [name for name in GAME_METRICS if draw is not None or name != "three_way"]
    return {name: metric_values(name, score, expected, draw) for name in names}


def metric_values(
    name: str, score: ArrayLike, expected: ArrayLike, draw: ArrayLike | None = None
) -> Array:
    """The value of one metric for each single game."""
    if name == "three_way":
        if draw is None:
            raise UsageError("no prediction of draws")
        return three_way_log_likelihoods(score, expected, draw)
    value = {"log_likelihood": log_likelihoods, "brier": squared_errors, "accuracy": correct}
    return value[name](score, expected)


def measure(score: ArrayLike, expected: ArrayLike, draw: ArrayLike | None = None) -> Measures:
    """All metrics of a set of predictions.

    Examples
    --------
    >>> result = measure([1, 0, 1, 0.5], [0.7, 0.4, 0.5, 0.5])
    >>> result.games, round(result.log_likelihood, 4)
    (4, -0.5634)
    """
    s, p, d = _column(score), _column(expected), None if draw is None else _column(draw)
    if len(s) != len(p):
        raise InputError(f"{len(s)} scores do not go with {len(p)} predictions")
    return measure_pieces(
        (taken(s, at), taken(p, at), None if d is None else taken(d, at)) for at in pieces(len(s))
    )


def measure_pieces(games: Iterable[tuple[ArrayLike, ArrayLike, ArrayLike | None]]) -> Measures:
    """The same for scores, predictions and probabilities of draws that come in pieces."""
    sums: dict[str, float] = {}
    number = impossible = 0
    points = 0.0
    for score, expected, draw in games:
        values = game_metrics(score, expected, draw)
        for name, each in values.items():
            sums[name] = sums.get(name, 0.0) + float(each.sum())
        number += len(values["brier"])
        points += float(np.sum(np.asarray(score, np.float64)))
        impossible += int(np.sum(np.isneginf(values["log_likelihood"])))
    if not number:
        raise NoGamesError("there is no game to measure predictions on")
    means = {name: total / number for name, total in sums.items()}
    share = points / number
    return Measures(
        games=number,
        accuracy=means["accuracy"],
        constant_side=max(share, 1.0 - share),
        log_likelihood=means["log_likelihood"],
        brier=means["brier"],
        three_way=means.get("three_way"),
        impossible=impossible,
    )


def _column(values: Any) -> Any:
    return values if on_disk(values) else np.atleast_1d(np.asarray(values, np.float64))
