"""Who is stronger, who cannot be told apart, and what to play next."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ratings.simulated import simulated_pool
from yardstone.clusters import half_width
from yardstone.errors import ModelError, UsageError
from yardstone.pool import Pool
from yardstone.ratings import BradleyTerry
from yardstone.ratings.uncertainty import (
    joining_games,
    rank_ranges,
    suggest,
    superiority,
)


def fitted(games: int = 3000) -> tuple[Pool, BradleyTerry]:
    generator = np.random.default_rng(6)
    truth = np.array([0.0, 0, 0, 100, 100, 300, 300, 600])
    return simulated_pool(truth, games, generator), BradleyTerry(draw_rate="auto", method="score")


def test_half_width() -> None:
    assert half_width(0.95) == pytest.approx(1.959964, abs=1e-6)
    for bad in (0.0, 1.0, 95.0):
        with pytest.raises(UsageError):
            half_width(bad)


def test_superiority_is_a_probability_and_complements_itself() -> None:
    pool, system = fitted()
    matrix = superiority(system.fit(pool))
    np.testing.assert_allclose(matrix + matrix.T, 1, atol=1e-12)
    assert matrix[7, 0] > 0.999999
    assert 0.01 < matrix[0, 1] < 0.99


def test_rank_ranges_hold_the_rank_and_shrink_with_games() -> None:
    widths = []
    for games in (200, 20_000):
        pool, system = fitted(games)
        ratings = system.fit(pool)
        low, high = rank_ranges(ratings)
        rank = np.empty(8, np.int64)
        rank[ratings.order()] = np.arange(1, 9)
        assert (low <= rank).all()
        assert (rank <= high).all()
        widths.append((high - low).sum())
    assert widths[1] < widths[0]


def test_players_of_other_groups_are_not_compared() -> None:
    pool = Pool.from_names("ABCDCD", "BADCDC", [1, 1, 1, 1, 0.5, 1])
    ratings = BradleyTerry().fit(pool)
    above = superiority(ratings)
    assert np.isnan(above[0, 2])
    assert rank_ranges(ratings)[1].max() == 2
    assert joining_games(ratings) == [(ratings.players[2], ratings.players[0])] or joining_games(
        ratings
    ) == [(ratings.players[0], ratings.players[2])]


def test_suggested_games_gain_what_they_promise() -> None:
    """The promised loss of variance is what playing the games brings."""
    generator = np.random.default_rng(9)
    truth = np.array([0.0, 20, 40, 60, 80])
    pool = simulated_pool(truth, 4000, generator, draw_rate=0.3)
    newcomer = simulated_pool(truth[[0, 3]], 10, generator, draw_rate=0.3)
    first = np.concatenate([pool.first, np.where(newcomer.first == 0, 5, 3)])
    second = np.concatenate([pool.second, np.where(newcomer.second == 0, 5, 3)])
    score = np.concatenate([pool.score, newcomer.score])
    both = Pool((*pool.players, "New"), first.astype(np.int32), second.astype(np.int32), score)
    system = BradleyTerry(draw_rate="auto", method="likelihood")
    ratings = system.fit(both)
    best = suggest(ratings, 1, games=10)[0]
    assert "New" in (best.player, best.other)
    number = {name: row for row, name in enumerate(both.players)}
    more = Pool(
        both.players,
        np.append(first, np.full(10, number[best.player])).astype(np.int32),
        np.append(second, np.full(10, number[best.other])).astype(np.int32),
        np.append(score, np.tile([1.0, 0.0], 5)),
    )
    before = (ratings.deviation**2).sum()
    after = (system.fit(more).deviation ** 2).sum()
    assert best.gain == pytest.approx((before - after) / before, abs=0.15)
    with pytest.raises(ModelError):
        suggest(BradleyTerry(covariance=False).fit(both))
