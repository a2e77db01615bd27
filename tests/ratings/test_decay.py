from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.ratings.made_games import made_games, no_games
from yardstone.errors import NoGamesError, UsageError
from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.decay import DecayingBradleyTerry
from yardstone.ratings.whole_history import POINTS


@pytest.fixture(scope="module")
def pool() -> Pool:
    return made_games(5000, 40, days=300, draws=0.3)


def test_without_decay_it_is_bradley_terry(pool: Pool) -> None:
    result = DecayingBradleyTerry(half_life=np.inf, first_advantage="auto").fit(pool)
    plain = BradleyTerry(
        average=1500.0,
        join=250.0,
        method="likelihood",
        first_advantage="auto",
        draw_rate="auto",
        scale=POINTS * np.log(0.76 / 0.24),
    ).fit(pool)
    assert np.abs(result.rating - plain.rating).max() < 1e-6
    assert np.allclose(result.deviation, plain.deviation)


def test_a_game_counts_half_after_a_half_life() -> None:
    time = np.array(["2024-01-01"] * 2 + ["2024-01-11"], "datetime64[s]")
    pool = Pool.from_names("AAA", "BBB", [1, 1, 0], time=time)
    balanced = DecayingBradleyTerry(half_life=10.0).fit(pool)
    assert balanced["A"].value == pytest.approx(1500.0, abs=1e-6)
    before = DecayingBradleyTerry(half_life=10.0).fit(pool, at="2024-01-10")
    assert before["A"].value > 1550.0
    assert DecayingBradleyTerry(half_life=5.0).fit(pool)["A"].value < 1500.0


def test_the_last_ratings_of_a_replay_are_near_those_of_a_fit(pool: Pool) -> None:
    system = DecayingBradleyTerry(half_life=100.0, draw_rate=0.3)
    fitted, replay = system.fit(pool), system.replay(pool)
    assert np.abs(fitted.rating - replay.ratings.rating).max() < 8.0
    # A replay's deviations do not know of the common level, which only the prior holds.
    without_level = np.sqrt(fitted.deviation**2 - 250.0**2 / 40)
    assert np.allclose(without_level, replay.ratings.deviation, rtol=0.05)
    assert replay.draw is not None
    assert 0.1 < replay.draw.mean() < 0.35


@pytest.mark.parametrize("dated", [True, False])
def test_going_on_from_a_state_and_never_knowing_later_games(pool: Pool, dated: bool) -> None:
    assert pool.time is not None
    cut = int(np.flatnonzero(pool.time > pool.time[800])[0])
    games = pool if dated else replace(pool, time=None)
    system = DecayingBradleyTerry(half_life=50.0, first_advantage="auto")
    head = np.arange(len(pool)) < cut
    state, first = system.advance(system.start(), games.select(head))
    second = system.advance(state, games.select(~head))[1]
    whole = system.replay(games).expected
    assert np.array_equal(first.expected, whole[:cut])
    assert np.abs(second.expected - whole[cut:]).max() < 1e-12


def test_forecasts_are_of_the_first_player() -> None:
    time = np.array(["2024-01-01", "2024-01-02", "2024-01-02"], "datetime64[s]")
    pool = Pool.from_names("AAB", "BBA", [1, 1, 0], time=time)
    expected = DecayingBradleyTerry().replay(pool).expected
    assert expected[0] == 0.5
    assert expected[1] > 0.5
    assert expected[1] + expected[2] == pytest.approx(1.0, abs=1e-12)


def test_what_is_wrong() -> None:
    with pytest.raises(NoGamesError):
        DecayingBradleyTerry().fit(no_games())
    with pytest.raises(UsageError):
        DecayingBradleyTerry().fit(Pool.from_names("A", "B", [1]), at="2024-01-01")
