"""The model of winning that ships is what real tournaments give, and forecasts others."""

from __future__ import annotations

import numpy as np

from tests.shared import shared_path
from yardstone.winprob.fit import EVENT_GAMES, fit_winning_model
from yardstone.winprob.games import read_games_csv
from yardstone.winprob.model import winning_model


def test_the_file_is_the_fit_to_the_tournaments() -> None:
    pool = read_games_csv(shared_path("data/go/tournaments/games.csv.gz"))
    result, ships = fit_winning_model(pool, name="fitted", event_games=EVENT_GAMES), winning_model()
    assert result.model.about == ships.about
    one, two = np.meshgrid(np.arange(-30.0, 9.0), np.arange(-30.0, 9.0))
    np.testing.assert_allclose(
        result.model.probability(one, two), ships.probability(one, two), atol=1e-7
    )
    games = ([1.0, -10.0, -5.0], [3.0, -9.0, 0.0])
    stones = [0.0, 0.0, 4.0]
    np.testing.assert_allclose(
        np.array(result.model.interval(*games, handicap=stones)),
        np.array(ships.interval(*games, handicap=stones)),
        atol=1e-5,
    )
