"""How good predictions were: pure functions of scores and predictions.

Scores are those of the player who moved first: 1, 0.5 or 0. A prediction (*expected*) is that
player's expected score, made before the game. Definitions are those of Neubauer 2024, section 2.3.
A draw counts as half a game won by each side, which is how the thesis says they may be extended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from yardstone.clusters import half_width, mean_error, t_quantile
from yardstone.disk import on_disk, pieces, taken
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.winprob.laws import log_logistic, logit

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats, Ints, Longs


@dataclass(frozen=True, slots=True)
class Measures:
    """Measures of a set of predictions; frozen."""

    games: int  #: Games they were measured on.
    accuracy: float  #: Share of results that were predicted (eq. 2.4); higher is better.
    #: Share for always naming the side that scored more here: what an accuracy is read against.
    constant_side: float
    #: Mean logarithm of the probability given to what happened (eq. 2.5); higher is better, ln 1/2
    #: = -0.693 is what 50:50 gets without draws.
    log_likelihood: float
    brier: float  #: Mean squared error; lower is better.
    #: The same of the win, draw or loss that happened; None where nothing predicts draws.
    three_way: float | None = None
    impossible: int = 0  #: Results given a probability of 0, each of which makes it minus infinity.

    def as_dict(self) -> dict[str, float | int | None]:
        """The measures by name; None for what is not finite, as JSON needs it."""
        return {
            name: None if isinstance(value, float) and not np.isfinite(value) else value
            for name, value in asdict(self).items()
        }


def _checked(score: ArrayLike, expected: ArrayLike) -> tuple[Floats, Floats]:
    s = np.asarray(score, np.float64)
    p = np.asarray(expected, np.float64)
    if s.shape != p.shape:
        raise InputError(f"{s.size} scores do not go with {p.size} predictions")
    if np.any(np.isnan(p)) or np.any(p < 0.0) or np.any(p > 1.0):
        raise InputError("a prediction is not between 0 and 1")
    if not np.isin(s, (0.0, 0.5, 1.0)).all():
        raise InputError("scores must be 1, 0.5 or 0")
    return s, p


def correct(score: ArrayLike, expected: ArrayLike) -> Floats:
    """For each game 1 if its winner was predicted, 0 if not, 0.5 for a draw (eq. 2.2).

    An even chance is a prediction that the second player wins: White in Go, who
    wins slightly more often (Neubauer 2024, eq. 2.4).
    """
    s, p = _checked(score, expected)
    return np.abs(s - (p <= 0.5))


def log_likelihoods(score: ArrayLike, expected: ArrayLike) -> Floats:
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
    values = log_likelihoods(score, expected)
    if not values.size:
        raise NoGamesError("there is no game to measure predictions on")
    return float(values.mean())


def total_log_likelihood(score: Any, expected: Any) -> float:
    """The sum over columns that may lie on disk; one that fails counts as -50 at least."""
    total = 0.0
    for at in pieces(len(score)):
        logs = log_likelihoods(taken(score, at), taken(expected, at))
        total += float(np.maximum(logs, _LEAST_LOG).sum())
    return total


def squared_errors(score: ArrayLike, expected: ArrayLike) -> Floats:
    """For each game the squared difference of score and prediction (Brier 1950)."""
    s, p = _checked(score, expected)
    return (s - p) ** 2


def three_way_log_likelihoods(score: ArrayLike, expected: ArrayLike, draw: ArrayLike) -> Floats:
    """For each game the logarithm of the probability given to its win, draw or loss.

    `expected` is the probability of a win plus half of `draw`, that of a draw, which is never more
    than twice the smaller of `expected` and its complement, or `InputError`.
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


_LEAST_LOG = -50.0  #: A prediction of 0 or 1 that fails must not decide by itself.
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
) -> dict[str, Floats]:
    """The value of every metric for each single game, by its name."""
    names = [name for name in GAME_METRICS if draw is not None or name != "three_way"]
    return {name: metric_values(name, score, expected, draw) for name in names}


def metric_values(
    name: str, score: ArrayLike, expected: ArrayLike, draw: ArrayLike | None = None
) -> Floats:
    """The value of one metric for each single game."""
    if name == "three_way":
        if draw is None:
            raise UsageError("no prediction of draws")
        return three_way_log_likelihoods(score, expected, draw)
    value = {"log_likelihood": log_likelihoods, "brier": squared_errors, "accuracy": correct}
    return value[name](score, expected)


def measure(
    score: ArrayLike,
    expected: ArrayLike,
    draw: ArrayLike | None = None,
    *,
    games: Flags | None = None,
) -> Measures:
    """All metrics of a set of predictions, or of those of some games; columns may lie on disk.

    Examples:
        >>> result = measure([1, 0, 1, 0.5], [0.7, 0.4, 0.5, 0.5])
        >>> result.games, round(result.log_likelihood, 4)
        (4, -0.5634)
    """
    s, p, d = _column(score), _column(expected), None if draw is None else _column(draw)
    if len(s) != len(p):
        raise InputError(f"{len(s)} scores do not go with {len(p)} predictions")
    sums: dict[str, float] = {}
    number = impossible = 0
    points = 0.0
    for at in pieces(len(s)):
        chosen: Any = slice(None) if games is None else taken(games, at)
        won = taken(s, at)[chosen]
        draws = None if d is None else taken(d, at)[chosen]
        values = game_metrics(won, taken(p, at)[chosen], draws)
        for name, each in values.items():
            sums[name] = sums.get(name, 0.0) + float(each.sum())
        number += len(values["brier"])
        points += float(np.sum(np.asarray(won, np.float64)))
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


_EDGE = 1e-9  #: Predictions are kept this far from 0 and 1 where their logit is taken.


@dataclass(frozen=True, eq=False)
class CalibrationCurve:
    """Predictions grouped by size, with what happened in each group; frozen."""

    #: (bins,): Least and largest prediction in each group.
    low: Floats
    high: Floats
    #: (bins,): Means of the predictions and of the scores.
    predicted: Floats
    observed: Floats
    #: (bins,): Interval of `observed`.
    observed_low: Floats
    observed_high: Floats
    games: Longs  #: (bins,): Games in each group.
    confidence: float  #: Level of those intervals, 0 to 1.
    #: The expected calibration error, weighted by games; chance alone makes it positive.
    error: float
    #: Of the straight line that mends the predictions: logit of the score = intercept + slope *
    #: logit of the prediction. A slope below 1 means predictions too far from 1/2; an intercept
    #: above 0 that the first player was underrated. NaN where they cannot be found.
    intercept: float
    slope: float

    def as_dict(self) -> dict[str, object]:
        """The groups and the line, as plain values."""
        columns = ("low", "high", "predicted", "observed", "observed_low", "observed_high", "games")
        rows = zip(*(getattr(self, name).tolist() for name in columns), strict=True)
        return {
            "error": self.error,
            "intercept": self.intercept if isfinite(self.intercept) else None,
            "slope": self.slope if isfinite(self.slope) else None,
            "confidence": self.confidence,
            "bins": [dict(zip(columns, row, strict=True)) for row in rows],
        }


def calibrate(
    score: ArrayLike,
    expected: ArrayLike,
    *,
    bins: int = 10,
    confidence: float = 0.95,
    players: tuple[Ints, Ints] | None = None,
) -> CalibrationCurve:
    """Group predictions and compare each group with its results.

    Args:
        score, expected (array_like): As in `yardstone.evaluation.metrics`.
        bins: Most groups, of about equal numbers of games; equal predictions stay together.
        confidence: Level of the intervals. They are Wilson's, from the spread of the scores in the
            group, for draws make them closer together than wins and losses.
        players (pair of int32 arrays): Numbers of both players of each game. With them a group
            counts as fewer games where its games share players (`yardstone.clusters`), and a group
            of too few players has the interval from 0 to 1. Without them games are taken as
            independent, which makes intervals too narrow.
    """
    if bins < 1:
        raise UsageError(f"{bins} groups are too few: take at least 1")
    s, p = _checked(score, expected)
    if not s.size:
        raise NoGamesError("there is no game to compare predictions with")
    edges = np.unique(np.quantile(p, np.linspace(0.0, 1.0, bins + 1)[1:-1]))
    group = np.searchsorted(edges, p, side="right")

    def errors(_mean: Floats, games: Longs) -> tuple[Floats, Floats]:
        z = np.full(len(games), half_width(confidence))
        worth = games.astype(np.float64)
        for number in () if players is None else np.flatnonzero(games).tolist():
            rows = group == number
            error, freedom = mean_error(s[rows], *(side[rows] for side in players or ()))
            z[number] = t_quantile(0.5 + confidence / 2.0, freedom) if error >= 0.0 else np.inf
            alone = s[rows].std() / sqrt(rows.sum())
            worth[number] *= (alone / error) ** 2 if error > 0.0 and alone > 0.0 else 1.0
        return worth / np.maximum(games, 1), z

    return grouped_curve(s, p, edges, confidence, errors)


def grouped_curve(
    score: Any,
    expected: Any,
    edges: Floats,
    confidence: float,
    errors: Callable[[Floats, Longs], tuple[Floats, Floats]],
) -> CalibrationCurve:
    """Compare groups of predictions, cut at `edges`, with their results; columns may lie on disk.

    Args:
        errors: Says of each group, from its mean score and number of games, what a game is worth
            beside games that share no player, and how many deviations the interval reaches on each
            side (infinite where nothing is known).
    """
    number = len(edges) + 1
    games, draws = np.zeros((2, number), np.int64)
    points, predicted = np.zeros((2, number))
    low, high = np.full(number, np.inf), np.full(number, -np.inf)
    for at in pieces(len(score)):
        p, s = taken(expected, at), np.asarray(taken(score, at), np.float64)
        group = np.searchsorted(edges, p, side="right")
        games += np.bincount(group, minlength=number)
        draws += np.bincount(group[s == 0.5], minlength=number)
        points += np.bincount(group, s, number)
        predicted += np.bincount(group, p, number)
        np.minimum.at(low, group, p)
        np.maximum.at(high, group, p)
    there, count = games > 0, np.maximum(games, 1)
    worth, reach = errors(points / count, games)
    predicted, observed, draw = (each[there] / games[there] for each in (predicted, points, draws))
    games = games[there]
    least, most = _wilson(observed, draw, games, worth[there], reach[there])
    intercept, slope = recalibration(score, expected)
    return CalibrationCurve(
        low=low[there],
        high=high[there],
        predicted=predicted,
        observed=observed,
        observed_low=least,
        observed_high=most,
        games=games,
        confidence=confidence,
        error=float(np.sum(games * np.abs(observed - predicted)) / games.sum()),
        intercept=intercept,
        slope=slope,
    )


def _wilson(
    mean: Floats, draws: Floats, games: Longs, share: Floats, z: Floats
) -> tuple[Floats, Floats]:
    """Wilson's interval, with as many games as decided ones would be as sure."""
    variance = mean * (1.0 - mean)
    # A draw takes 1/4 from the variance that wins and losses of that mean would have.
    left = np.maximum(variance - 0.25 * draws, variance / games)
    gain = np.divide(variance, left, out=np.ones_like(variance), where=left > 0.0)
    n = games * gain * share
    known = np.isfinite(z)
    q = np.where(known, z, 1.0)
    middle = (mean + q * q / (2.0 * n)) / (1.0 + q * q / n)
    reach = q / (1.0 + q * q / n) * np.sqrt(variance / n + q * q / (4.0 * n * n))
    low, high = np.maximum(middle - reach, 0.0), np.minimum(middle + reach, 1.0)
    return np.where(known, low, 0.0), np.where(known, high, 1.0)


def recalibration(score: Any, expected: Any) -> tuple[float, float]:
    """Intercept and slope of the logistic regression of scores on predictions' logits.

    (0, 1) for predictions that are right on average at every level (Cox 1958). NaN where one
    prediction stands for all games, or predictions separate wins from losses.
    """

    def parts() -> Iterator[tuple[Floats, Floats]]:
        for at in pieces(len(score)):
            yield taken(score, at), taken(expected, at)

    return recalibration_of(parts)


def recalibration_of(games: Callable[[], Iterable[tuple[Floats, Floats]]]) -> tuple[float, float]:
    """The same for scores and predictions that come in pieces, each time the function is called."""

    def parts() -> Iterator[tuple[Floats, Floats]]:
        for score, expected in games():
            p = np.clip(np.asarray(expected, np.float64), _EDGE, 1.0 - _EDGE)
            yield np.asarray(score, np.float64), logit(p)

    known = list(islice(parts(), 2))
    if not known:
        return float("nan"), float("nan")
    few = len(known) < 2  # then it is all, and need not be made again
    ends = [(x.min(), x.max()) for _, x in (known if few else parts()) if len(x)]
    if not ends or max(high for _, high in ends) - min(low for low, _ in ends) < 1e-12:
        return float("nan"), float("nan")
    line, step, least = np.array([0.0, 1.0]), np.zeros(2), np.inf
    for _ in range(100):
        sums = np.zeros(6)
        for s, x in known if few else parts():
            odds = line[0] + line[1] * x
            log_fitted = log_logistic(odds)
            fitted = np.exp(log_fitted)
            weight = fitted * (1.0 - fitted)
            off, moment = s - fitted, weight * x
            lost = (1.0 - s) * odds - log_fitted
            sums += [each.sum() for each in (off, off * x, weight, moment, moment * x, lost)]
        g0, g1, h00, h01, h11, loss = sums
        if loss > least * (1.0 + 1e-9):  # a step too far
            step = 0.5 * step
            line = line - step
            continue
        least = loss
        determinant = h00 * h11 - h01 * h01
        if not determinant > 1e-12 * h00 * h11 or not isfinite(determinant):
            return float("nan"), float("nan")
        step = np.array([h11 * g0 - h01 * g1, h00 * g1 - h01 * g0]) / determinant
        if np.abs(step).max() < 1e-10:
            return float(line[0]), float(line[1])
        step *= min(1.0, 2.0 / float(np.hypot(*step)))
        line = line + step
    return float("nan"), float("nan")
