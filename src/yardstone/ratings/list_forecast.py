"""The chances of a game between two players of a rating list."""

from __future__ import annotations

from math import hypot, isfinite, nan, sqrt
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import ModelError, UsageError
from yardstone.ratings.game_forecast import GameForecast
from yardstone.ratings.result import Estimate, Status
from yardstone.winprob.davidson import win_draw_loss
from yardstone.winprob.logistic import win_probability

if TYPE_CHECKING:
    from yardstone.ratings.listed import RatingList

__all__ = ["list_forecast"]

#: Points at which the normal error of a difference is looked at.
_POINTS = 30


def list_forecast(ratings: RatingList, first: str, second: str) -> GameForecast:
    """Predict a game from a rating list; `first` moves first.

    Chances are means over what the difference of the ratings, and the advantage of moving
    first, may truly be; the interval is that of the expected score at the true ones. That it
    holds is put to the test in ``tests/ratings/test_coverage.py``.

    Raises
    ------
    UnknownPlayerError, UsageError, ModelError
        Nobody is called so; it is one player twice; the two cannot be compared.
    """
    if first == second:
        raise UsageError("nobody plays against himself: name two players")
    fit = ratings.ratings
    one, other = fit.index(first), fit.index(second)
    for row in (one, other):
        if fit.status[row] != Status.NORMAL:
            reason = "has no games" if fit.status[row] == Status.NO_GAMES else "has only a bound"
            raise ModelError(f"{fit.players[row]!r} {reason}, so there are no chances")
    if fit.component[one] != fit.component[other]:
        raise ModelError(f"no results put {first!r} and {second!r} on a common scale")
    advantage = fit.first_advantage
    deviation = _deviation(ratings, one, other)
    error = nan if not isfinite(deviation) else hypot(deviation, advantage.deviation)
    gap = float(fit.rating[one] - fit.rating[other])
    logit = fit.points_per_logit

    def chance(points: float) -> float:
        return float(win_probability(points, points_per_logit=logit))

    def mean(points: float) -> float:
        if not isfinite(error):
            return chance(points)
        at, weight = np.polynomial.hermite_e.hermegauss(_POINTS)
        p = win_probability(points + error * at, points_per_logit=logit)
        return float(p @ weight) / sqrt(2.0 * np.pi)

    expected, turned = mean(gap + advantage.value), 1.0 - mean(advantage.value - gap)
    reach = ratings.deviations * error
    win, draw, loss = (float(part) for part in win_draw_loss(expected, ratings.draw_rate.value))
    return GameForecast(
        first=first,
        second=second,
        first_rating=_estimate(ratings, one),
        second_rating=_estimate(ratings, other),
        first_games=int(fit.games[one]),
        second_games=int(fit.games[other]),
        expected=expected,
        win=win,
        draw=draw,
        loss=loss,
        reversed_expected=turned,
        low=chance(gap + advantage.value - reach) if isfinite(reach) else nan,
        high=chance(gap + advantage.value + reach) if isfinite(reach) else nan,
        confidence=ratings.confidence,
        integrated=isfinite(error),
        system="bradley-terry",
        basis=f"Basis: {int(fit.games.sum()) // 2:,} games, all fitted at once, with "
        f"{advantage.value:+.0f} points for moving first (one standard deviation: "
        f"{advantage.deviation:.0f}).",
    )


def _deviation(ratings: RatingList, one: int, other: int) -> float:
    """Of the difference of two ratings; NaN where the covariance was too large to compute."""
    covariance = ratings.ratings.covariance
    if covariance is None:
        return nan
    squared = covariance[one, one] + covariance[other, other] - 2.0 * covariance[one, other]
    return sqrt(max(float(squared), 0.0))


def _estimate(ratings: RatingList, row: int) -> Estimate:
    return Estimate(float(ratings.ratings.rating[row]), float(ratings.ratings.deviation[row]))
