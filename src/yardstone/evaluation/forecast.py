"""What a game between two rated players is expected to bring."""

from __future__ import annotations

from dataclasses import replace
from math import hypot, isfinite, nan
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.evaluation.draws import draw_rate_of
from yardstone.evaluation.first_move import shown_advantage
from yardstone.evaluation.interval_scale import IntervalScale, interval_scale
from yardstone.ratings.game_forecast import GameForecast
from yardstone.ratings.result import Estimate, Ratings
from yardstone.winprob.davidson import win_draw_loss
from yardstone.winprob.logistic import ELO_POINTS_PER_LOGIT, logistic, logit

if TYPE_CHECKING:
    from yardstone.evaluation.rated_games import RatedGames

__all__ = ["GameForecast", "forecast"]


def forecast(
    rated: RatedGames,
    first: str,
    second: str,
    *,
    advantage: float | None = None,
    exact: bool = False,
    confidence: float = 0.95,
    scale: IntervalScale | None = None,
) -> GameForecast:
    """Predict a game from the present ratings.

    Parameters
    ----------
    rated : RatedGames
    first, second : str
        The players; `first` moves first.
    advantage : float, optional
        Rating points of `first` for moving first and handicap, instead of the system's own
        and of what the games show (`yardstone.evaluation.first_move.shown_advantage`).
    exact : bool
        Take ratings as exact. By default chances are averages over what the ratings may
        truly be, as far as `yardstone.evaluation.interval_scale` can tell.
    confidence : float
        Level of the interval, 0 to 1.
    scale : IntervalScale, optional
        What `interval_scale` gave for these games: to predict many of them.

    Raises
    ------
    InputError
        Nobody is called so.
    """
    if first == second:
        raise UsageError("nobody plays against himself: name two players")
    system, ratings = rated.system, rated.ratings
    # A name of nobody is refused before anything is simulated.
    one, other = ratings[first], ratings[second]
    games = [int(rated.played[ratings.index(name)]) for name in (first, second)]
    if exact:
        scale = None
    elif scale is None:
        scale = interval_scale(rated, confidence=confidence)
    known = replace(ratings, deviation=np.zeros(len(ratings))) if exact else ratings
    expected = system.expected_score(known, first, second, advantage=advantage)
    turned = system.expected_score(known, second, first, advantage=advantage)
    moving = _moving_first(rated, advantage)
    low = high = nan
    if scale is not None:
        expected, turned = (scale.corrected(value, min(games)) for value in (expected, turned))
        off = scale.reach_of_difference(min(games)) * hypot(one.deviation, other.deviation)
        if isfinite(off):
            reach = NormalDist().inv_cdf(0.5 + 0.5 * confidence) * moving.deviation
            low, middle, high = (
                _log_odds(
                    system.expected_score(
                        _moved(ratings, first, points), first, second, advantage=advantage
                    )
                )
                for points in (-off, 0.0, off)
            )
            low, high = (
                float(logistic(middle + moving.value + side * hypot(end - middle, reach)))
                for side, end in ((-1.0, low), (1.0, high))
            )
    expected, turned = (
        float(logistic(_log_odds(value) + moving.value)) if moving.value else value
        for value in (expected, turned)
    )
    if scale is None:  # what is not tested is not shown
        one, other = (replace(each, deviation=nan) for each in (one, other))
    margin = getattr(system, "margin", None)
    rate = draw_rate_of(rated.outcomes)
    win, draw, loss = (float(part) for part in win_draw_loss(expected, rate))
    return GameForecast(
        first=first,
        second=second,
        first_rating=one,
        second_rating=other,
        first_games=games[0],
        second_games=games[1],
        expected=expected,
        win=win,
        draw=draw,
        loss=loss,
        reversed_expected=1.0 - turned,
        low=low,
        high=high,
        confidence=confidence,
        integrated=scale is not None,
        exact=exact,
        system=rated.name,
        basis=_basis(rated, advantage, moving),
        margin=nan if margin is None else float(margin(one.value, other.value)),
    )


def _moving_first(rated: RatedGames, advantage: float | None) -> Estimate:
    """What moving first adds to the log odds beside what the system itself counts."""
    told = getattr(rated.system, "first_advantage", 0.0) or "first_advantage" in rated.parameters
    if advantage is not None or told or not rated.pool.ordered:
        return Estimate(0.0)
    return shown_advantage(rated.outcomes)


def _basis(rated: RatedGames, advantage: float | None, moving: Estimate) -> str:
    """What the forecast rests on, in sentences."""
    if rated.name == "whr":
        text = f"Basis: {rated.number:,} games, each player's strength followed over time"
    else:
        text = f"Basis: {rated.number:,} games, learned from one after another"
    text += " (`rate` fits all at once, so its forecasts differ). "
    if advantage is not None:
        return f"{text}{advantage:+g} points for moving first and handicap, as given."
    if not rated.pool.ordered:
        return f"{text}It is not known who moved first, so no advantage is counted."
    if not moving.deviation:
        return f"{text}The system's own advantage of moving first is counted."
    points, error = (ELO_POINTS_PER_LOGIT * each for each in (moving.value, moving.deviation))
    return (
        f"{text}For moving first {points:+.0f} Elo are counted, as these games show "
        f"(one standard deviation: {error:.0f})."
    )


def _log_odds(expected: float) -> float:
    return float(logit(min(max(expected, 1e-12), 1.0 - 1e-12)))


def _moved(ratings: Ratings, player: str, points: float) -> Ratings:
    """Exact ratings, that of a player changed by some points."""
    rating = ratings.rating.copy()
    rating[ratings.index(player)] += points
    return replace(ratings, rating=rating, deviation=np.zeros(len(ratings)))
