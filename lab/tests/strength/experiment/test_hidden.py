from __future__ import annotations

import numpy as np
import pytest

from yardstone.errors import UsageError
from yardstone.pool import Pool
from yardstone.ratings.elo import Elo
from yardstone.ratings.glicko import Glicko2
from yardstone_lab.neubauer.experiment.questions import hidden_games, predict_hidden


def made(games: int = 60, players: int = 7, seed: int = 2) -> Pool:
    generator = np.random.default_rng(seed)
    pairs = np.array([generator.choice(players, 2, replace=False) for _ in range(games)])
    names = tuple(f"p{k}" for k in range(players))
    return Pool(names, pairs[:, 0], pairs[:, 1], generator.integers(0, 2, games).astype(float))


def slow(pool: Pool, game: int, last: int) -> float:
    """Each side rated alone, from nothing, by its last games."""
    system = Glicko2()
    replay = system.replay(pool)
    both = (pool.first[game], pool.second[game])
    assert replay.first_deviation is not None
    assert replay.second_deviation is not None
    state = []
    for hero, rival in (both, both[::-1]):
        mine = [g for g in range(game) if hero in (pool.first[g], pool.second[g])]
        rating, deviation, volatility = 1500.0, 350.0, 0.06
        for g in mine[len(mine) - last :] if last else []:
            as_first = pool.first[g] == hero
            score = pool.score[g] if as_first else 1.0 - pool.score[g]
            other = pool.second[g] if as_first else pool.first[g]
            theirs, unsure = (
                (replay.second_rating[g], replay.second_deviation[g])
                if as_first
                else (replay.first_rating[g], replay.first_deviation[g])
            )
            if other == rival:
                theirs, unsure = 1500.0, 350.0
            rating, deviation, volatility = one_game(
                rating, deviation, volatility, theirs, unsure, score
            )
        state.append((rating, deviation))
    (a, da), (b, db) = state
    return float(system.probability(a, b, da, db))


def one_game(
    rating: float, deviation: float, volatility: float, other: float, unsure: float, score: float
) -> tuple[float, float, float]:
    """Glicko-2 for one game, steps 2 to 8 of Glickman's example, the volatility by bisection."""
    scale, tau = 400.0 / np.log(10.0), 0.5
    mu, phi = (rating - 1500.0) / scale, deviation / scale
    mu_j, phi_j = (other - 1500.0) / scale, unsure / scale
    g = 1.0 / np.sqrt(1.0 + 3.0 * phi_j**2 / np.pi**2)
    e = 1.0 / (1.0 + np.exp(-g * (mu - mu_j)))
    v = 1.0 / (g**2 * e * (1.0 - e))
    delta = v * g * (score - e)
    a = np.log(volatility**2)

    def f(x: float) -> float:
        top = np.exp(x) * (delta**2 - phi**2 - v - np.exp(x))
        return float(top / (2.0 * (phi**2 + v + np.exp(x)) ** 2) - (x - a) / tau**2)

    low, high = a - 10.0, a + 10.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    volatility = float(np.exp(0.5 * low))
    phi = 1.0 / np.sqrt(1.0 / (phi**2 + volatility**2) + 1.0 / v)
    mu += phi**2 * g * (score - e)
    return 1500.0 + scale * mu, scale * phi, volatility


@pytest.mark.parametrize("last", [0, 1, 3])
def test_each_side_is_a_newcomer_with_its_last_games(last: int) -> None:
    pool = made()
    system = Glicko2()
    games = np.array([59, 20, 45, 3])
    hidden = hidden_games(pool, games, last)
    result = predict_hidden(pool, system.replay(pool), system, hidden)
    expected = [slow(pool, game, last) for game in games.tolist()]
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
