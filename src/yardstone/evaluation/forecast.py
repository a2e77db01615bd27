"""What a game between two rated players is expected to bring."""

from __future__ import annotations

from dataclasses import replace
from math import hypot, isfinite, nan
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.evaluation.draws import draw_rate_of
from yardstone.evaluation.interval_scale import IntervalScale, interval_scale
from yardstone.ratings.game_forecast import GameForecast
from yardstone.ratings.result import Ratings
from yardstone.winprob.davidson import win_draw_loss

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
        Rating points of `first` for moving first and handicap, instead of the
        system's own.
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
    low = high = nan
    if scale is not None:
        expected, turned = (scale.corrected(value, min(games)) for value in (expected, turned))
        off = scale.reach_of_difference(min(games)) * hypot(one.deviation, other.deviation)
        if isfinite(off):
            low, high = (
                system.expected_score(
                    _moved(ratings, first, shift), first, second, advantage=advantage
                )
                for shift in (-off, off)
            )
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
    )


def _moved(ratings: Ratings, player: str, points: float) -> Ratings:
    """Exact ratings, that of a player changed by some points."""
    rating = ratings.rating.copy()
    rating[ratings.index(player)] += points
    return replace(ratings, rating=rating, deviation=np.zeros(len(ratings)))
