"""Predictions from the last games of both players alone."""

from __future__ import annotations

import numpy as np
import pytest

from yardstone.errors import UsageError
from yardstone.pool import Pool
from yardstone.ratings.elo import Elo
from yardstone.ratings.glicko import POINTS, Glicko2
from yardstone_lab.neubauer.experiment.questions import hidden_games, predict_hidden


def made(games: int = 60, players: int = 7, seed: int = 2) -> Pool:
    generator = np.random.default_rng(seed)
    pairs = np.array([generator.choice(players, 2, replace=False) for _ in range(games)])
    names = tuple(f"p{k}" for k in range(players))
    return Pool(names, pairs[:, 0], pairs[:, 1], generator.integers(0, 2, games).astype(float))


def slow(pool: Pool, system: Glicko2, game: int, last: int) -> float:
    """Each side rated alone, from nothing, by its last games, with a fixed volatility."""
    replay = system.replay(pool)
    both = (pool.first[game], pool.second[game])
    assert replay.first_deviation is not None
    assert replay.second_deviation is not None
    state: list[float] = []
    for hero, rival in (both, both[::-1]):
        mine = [g for g in range(game) if hero in (pool.first[g], pool.second[g])]
        mu, phi2 = 0.0, (350.0 / POINTS) ** 2
        for g in mine[len(mine) - last :]:
            if pool.first[g] == hero:
                score, other = pool.score[g], pool.second[g]
                theirs, unsure = replay.second_rating[g], replay.second_deviation[g]
            else:
                score, other = 1.0 - pool.score[g], pool.first[g]
                theirs, unsure = replay.first_rating[g], replay.first_deviation[g]
            if other == rival:
                theirs, unsure = 1500.0, 350.0
            flat = 1.0 / np.sqrt(1.0 + 3.0 * (unsure / POINTS / np.pi) ** 2)
            expected = 1.0 / (1.0 + np.exp(-flat * (mu - (theirs - 1500.0) / POINTS)))
            information = flat**2 * expected * (1.0 - expected)
            phi2 = 1.0 / (1.0 / (phi2 + 0.06**2) + information)
            mu += phi2 * flat * (score - expected)
        state += [1500.0 + POINTS * mu, POINTS * phi2**0.5]
    a, da, b, db = state
    return float(system.probability(a, b, da, db))


@pytest.mark.parametrize("last", [0, 1, 3])
def test_each_side_is_a_newcomer_with_its_last_games(last: int) -> None:
    pool, system = made(), Glicko2(tau=0.0)
    games = np.array([59, 20, 45, 3])
    hidden = hidden_games(pool, games, last)
    result = predict_hidden(pool, system.replay(pool), system, hidden)
    expected = [slow(pool, system, game, last) for game in games.tolist()]
    assert result == pytest.approx(expected, abs=1e-6)
    if last == 0:
        assert result.tolist() == [0.5] * 4


def test_sides_may_start_from_what_is_known_of_them() -> None:
    pool = made()
    system = Glicko2()
    hidden = hidden_games(pool, np.array([30, 40]), 0)
    rating = np.array([1700.0, 1500.0, np.nan, np.nan])
    result = predict_hidden(
        pool, system.replay(pool), system, hidden, rating=rating, deviation=np.full(4, 50.0)
    )
    assert result[0] == pytest.approx(float(system.probability(1700.0, 1500.0, 50.0, 50.0)))
    assert result[1] == pytest.approx(0.5)


def test_which_games_are_seen() -> None:
    pool = Pool.from_names(["A", "B", "A", "C"], ["B", "C", "C", "A"], [1, 1, 0, 1])
    hidden = hidden_games(pool, np.array([False, False, True, True]), 2)
    assert hidden.past.tolist() == [0, 1, 1, 2, 0, 2]
    assert hidden.starts.tolist() == [0, 1, 2, 4, 6]
    with pytest.raises(UsageError, match="cannot be taken"):
        hidden_games(pool, np.array([0]), -1)
    elo = Elo()
    with pytest.raises(UsageError, match="deviations"):
        predict_hidden(pool, elo.replay(pool), elo, hidden)
