from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from yardstone.errors import NoGamesError, UsageError
from yardstone.evaluation.uncertainty import Bootstrap, bootstrap


def made(players: int, games: int, effect: float, seed: int) -> Bootstrap:
    """Values of mean zero in which each player adds an effect to all of his games."""
    generator = np.random.default_rng(seed)
    first = generator.integers(0, players, games)
    second = (first + 1 + generator.integers(0, players - 1, games)) % players
    each = generator.normal(0.0, effect, players)
    values = each[first] + each[second] + generator.normal(size=games)
    return bootstrap(
        values, first.astype(np.int32), second.astype(np.int32), replicates=200, seed=seed
    )


@pytest.mark.parametrize("effect", [0.0, 0.5])
def test_coverage(effect: float) -> None:
    """95 % intervals hold the truth about as often, and are hardly wider than that needs."""
    result = [made(60, 600, effect, seed) for seed in range(80)]
    intervals = [each.interval([1.0]) for each in result]
    held = np.mean([each.low <= 0.0 <= each.high for each in intervals])
    assert 0.90 <= held <= 1.0
    errors = np.mean([each.standard_error([1.0]) for each in result])
    spread = np.std([each.mean[0] for each in result])
    assert 0.8 <= errors / spread <= 1.4


def test_games_as_units_are_far_too_sure_of_players_effects() -> None:
    """What resampling players is for."""
    by_player = made(60, 3000, 1.0, 1)
    generator = np.random.default_rng(1)
    by_game = bootstrap(generator.normal(size=3000), replicates=2)
    assert by_player.unit == "player"
    assert by_game.unit == "game"
    assert by_player.standard_error([1.0]) > 3 * by_game.standard_error([1.0])


def test_without_players_it_is_the_standard_error_of_a_mean() -> None:
    values = np.random.default_rng(2).normal(size=400)
    result = bootstrap(values, replicates=2000, seed=3)
    assert_allclose(result.standard_error([1.0]), values.std() / 20.0, rtol=1e-12)
    assert_allclose(result.spread([1.0]).std(), values.std() / 20.0, rtol=0.1)


def test_a_difference_of_equal_rows_is_zero() -> None:
    values = np.random.default_rng(4).normal(size=500)
    first = np.arange(500, dtype=np.int32) % 20
    result = bootstrap([values, values], first, first + 1, replicates=50)
    interval = result.interval([1.0, -1.0])
    assert (interval.estimate, interval.low, interval.high) == (0.0, 0.0, 0.0)
    assert not interval.clear


def test_correlated_rows_have_a_narrow_difference() -> None:
    generator = np.random.default_rng(5)
    base = generator.normal(size=2000)
    rows = [base, base + 0.1 + 0.05 * generator.normal(size=2000)]
    first = generator.integers(0, 50, 2000).astype(np.int32)
    result = bootstrap(rows, first, (first + 1).astype(np.int32), replicates=200)
    interval = result.interval([-1.0, 1.0])
    assert interval.clear
    assert interval.high - interval.low < 0.02


def test_equal_seeds_give_equal_replicates_and_rows_can_be_chosen() -> None:
    values = np.random.default_rng(6).normal(size=(3, 300))
    first = np.arange(300, dtype=np.int32) % 30
    one, two = (bootstrap(values, first, first + 1, replicates=20, seed=9) for _ in range(2))
    assert np.array_equal(one.replicates, two.replicates)
    alone = bootstrap(values[1], first, first + 1, replicates=20, seed=9)
    assert_allclose(one.rows([1]).replicates, alone.replicates, rtol=1e-12)
    assert_allclose(one.rows([1]).standard_error([1.0]), alone.standard_error([1.0]), rtol=1e-12)


def test_two_players_say_nothing_of_others() -> None:
    first = np.zeros(100, np.int32)
    second = np.ones(100, np.int32)
    values = np.random.default_rng(7).normal(size=100)
    result = bootstrap(values, first, second, replicates=100)
    interval = result.interval([1.0])
    assert result.unit == "none"
    assert np.isnan([result.standard_error([1.0]), interval.low, interval.high]).all()
    assert not interval.clear


@pytest.mark.parametrize("players", [6, 12, 30])
@pytest.mark.parametrize("activity", ["even", "unequal"])
def test_few_players_with_effects_of_their_own_have_intervals_that_hold(
    players: int, activity: str
) -> None:
    """300 pools each: 95 % give 271 at least in 999 of 1000 cases (the binomial's 0.1 %)."""
    held = 0
    for seed in range(300):
        generator = np.random.default_rng([players, seed])
        share = np.ones(players) if activity == "even" else 1.0 / np.arange(1.0, players + 1.0)
        sides = generator.choice(players, (2, 600), p=share / share.sum()).astype(np.int32)
        first, second = sides[:, sides[0] != sides[1]][:, :300]
        each = generator.normal(0.0, 0.7, players)
        values = each[first] + each[second] + generator.normal(size=len(first))
        result = bootstrap(values, first, second, replicates=2).interval([1.0])
        held += result.low <= 0.0 <= result.high
    assert held >= 271


def test_what_may_be_chosen_afterwards_needs_more() -> None:
    """The largest of ten independent means is beyond 2.8 errors once in twenty times."""
    values = np.random.default_rng(8).normal(size=(10, 4000))
    result = bootstrap(values, replicates=4000, seed=1)
    one, all_ten = (result.reach(list(np.eye(10)[:number]), 0.95) for number in (1, 10))
    assert 1.95 < one < 2.06
    assert 2.7 < all_ten < 2.95


def test_wrong_use() -> None:
    with pytest.raises(NoGamesError):
        bootstrap(np.zeros((1, 0)))
    with pytest.raises(UsageError, match="at least 2"):
        bootstrap([1.0], replicates=1)
