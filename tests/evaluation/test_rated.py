"""Whole histories game by game, as `WholeHistory` fits them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.testing import assert_allclose

from tests.evaluation.games import played
from yardstone.evaluation.history import rating_curves
from yardstone.evaluation.interval_scale import forecast
from yardstone.evaluation.ledger import Ledger
from yardstone.evaluation.rated_games import whole_history
from yardstone.pool import Pool
from yardstone.ratings.whole_history import WholeHistory


def test_each_game_has_the_ratings_of_its_day() -> None:
    pool = played(400, 12, 1)
    rated = whole_history(pool, w2=20.0)
    result = WholeHistory(w2=20.0).fit(pool)
    assert pool.time is not None
    for player in pool.players[:4]:
        (curve,) = rating_curves(rated.pool, rated.replay, [player])
        whole = result.curve(player)
        day = {str(moment)[:10]: place for place, moment in enumerate(whole.time)}
        assert curve.time is not None
        places = [day[str(moment)[:10]] for moment in curve.time]
        assert_allclose(curve.rating, whole.rating[places], atol=1e-6)
        assert_allclose(curve.deviation, whole.deviation[places], atol=1e-6)
        assert_allclose(curve.after[-1], whole.rating[-1], atol=1e-6)


def test_a_game_is_rated_by_the_day_of_each_player() -> None:
    day = np.repeat(np.arange(4), 2) * np.timedelta64(1, "D") + np.datetime64("2024-01-01", "s")
    pool = Pool.from_names("ACABACAB", "BDCDDBBD", [1, 0, 0.5, 1, 0, 1, 1, 0], time=day)
    rated = whole_history(pool)
    history: Any = rated.replay.ratings
    for side, rating in ((pool.first, rated.replay.first_rating),
                         (pool.second, rated.replay.second_rating)):  # fmt: skip
        for game, player in enumerate(side):
            places = range(history.start[player], history.start[player + 1])
            (at,) = (k for k in places if history.time[k].astype("datetime64[s]") == day[game])
            assert rating[game] == history.day_rating[at]


def test_without_times_games_are_the_clock() -> None:
    pool = replace(played(100, 8, 2), time=None)
    rated = whole_history(pool)
    result = WholeHistory().fit(pool)
    row = pool.players.index("0.1")
    games = np.flatnonzero((pool.first == row) | (pool.second == row))
    (curve,) = rating_curves(rated.pool, rated.replay, ["0.1"])
    assert curve.game.tolist() == games.tolist()
    assert_allclose(curve.rating, result.curve("0.1").rating, atol=1e-6)


def test_a_rated_history_is_no_ledger_and_forecasts() -> None:
    rated = whole_history(played(60, 5, 3))
    assert not isinstance(rated, Ledger)
    assert 0.0 < forecast(rated, "0.1", "0.2", exact=True).expected < 1.0
