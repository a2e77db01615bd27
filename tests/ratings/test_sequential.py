"""What all systems that rate games as they come have in common."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ratings.made_games import made_games, no_games
from yardstone.errors import InputError, UsageError
from yardstone.pool import Pool
from yardstone.ratings.decay import DecayingBradleyTerry
from yardstone.ratings.egf import EGF, EGFOld
from yardstone.ratings.elo import FIDE, Elo
from yardstone.ratings.fibs import FIBS
from yardstone.ratings.glicko import OGS, Glicko, Glicko2
from yardstone.ratings.sequential import (
    Period,
    Sequential,
    State,
    calendar_number,
    order_of_time,
    schedule,
)
from yardstone.ratings.whole_history import Remembering, WholeHistory

SYSTEMS: list[Sequential | Remembering] = [
    Elo(),
    Elo(k=FIDE, period="month"),
    Elo(curve="normal", period=7.0, first_advantage=20.0),
    Glicko(),
    Glicko(period="week"),
    Glicko2(idle_days=5.0),
    Glicko2(period="quarter"),
    OGS(),
    EGF(period="game", initial=1500.0),
    EGFOld(period="day", initial=1500.0),
    FIBS(length=25.0),
    FIBS(length=7.0, period="week"),
    WholeHistory(),
    DecayingBradleyTerry(),
]
each_system = pytest.mark.parametrize("system", SYSTEMS, ids=repr)


@pytest.fixture(scope="module")
def pool() -> Pool:
    return made_games(3000, 40, days=400, draws=0.2)


@each_system
def test_every_prediction_is_made_before_its_game(
    system: Sequential | Remembering, pool: Pool
) -> None:
    replay = system.replay(pool)
    assert ((replay.expected > 0) & (replay.expected < 1)).all()
    cut = 1500
    other = Pool(
        pool.players,
        pool.first,
        pool.second,
        np.where(np.arange(len(pool)) < cut, pool.score, 1.0 - pool.score),
        pool.time,
    )
    assert np.array_equal(system.replay(other).expected[:cut], replay.expected[:cut])
    assert np.array_equal(system.replay(other).first_rating[:cut], replay.first_rating[:cut])
    again = system.probability(
        replay.first_rating,
        replay.second_rating,
        0.0 if replay.first_deviation is None else replay.first_deviation,
        0.0 if replay.second_deviation is None else replay.second_deviation,
    )
    assert np.abs(again - replay.expected).max() < 1e-9


@each_system
def test_games_are_taken_in_order_of_time(system: Sequential | Remembering, pool: Pool) -> None:
    assert pool.time is not None
    time = pool.time + np.arange(len(pool)) % 7 * np.timedelta64(1, "h")
    order = np.argsort(time, kind="stable")
    mixed = Pool(pool.players, pool.first, pool.second, pool.score, time)
    straight = Pool(
        pool.players, pool.first[order], pool.second[order], pool.score[order], time[order]
    )
    one, other = system.replay(mixed), system.replay(straight)
    assert np.array_equal(one.expected[order], other.expected)
    assert np.array_equal(one.second_rating[order], other.second_rating)
    assert np.array_equal(one.ratings.rating, other.ratings.rating)


def end_of_period(system: Sequential | Remembering, pool: Pool) -> int:
    """Number of the first game of a later period than that of game 900."""
    period: Period = getattr(system, "period", "day")
    assert pool.time is not None
    number = calendar_number(pool.time, "day" if period == "game" else period)
    return int(np.flatnonzero(number > number[900])[0])


@each_system
def test_a_saved_state_goes_on(
    system: Sequential | Remembering, pool: Pool, tmp_path: Path
) -> None:
    assert pool.time is not None
    cut = end_of_period(system, pool)
    head = np.arange(len(pool)) < cut
    early = Pool.from_names(
        [pool.players[i] for i in pool.first[head]],
        [pool.players[i] for i in pool.second[head]],
        pool.score[head],
        time=pool.time[head],
    )
    state, first = system.advance(system.start(), early)
    state.save(tmp_path / "state.npz")
    loaded = State.load(tmp_path / "state.npz")
    assert (loaded.players, loaded.games, loaded.until) == (state.players, cut, pool.time[cut - 1])
    after, second = system.advance(loaded, pool.select(~head))
    whole = system.replay(pool)
    assert np.abs(first.expected - whole.expected[head]).max() < 1e-9
    assert np.abs(second.expected - whole.expected[~head]).max() < 1e-9
    place = [second.ratings.index(name) for name in pool.players]
    assert second.ratings.rating[place] == pytest.approx(whole.ratings.rating, abs=1e-6)
    assert after.games == len(pool)
    assert f"{len(pool)} games" in repr(after)


@each_system
def test_states_that_do_not_fit(system: Sequential | Remembering, pool: Pool) -> None:
    state, _ = system.advance(system.start(), pool)
    with pytest.raises(InputError, match="before the state's last game"):
        system.advance(state, pool)
    other = Elo(k=1.0)
    with pytest.raises(UsageError, match="the state was made by"):
        other.advance(state, pool)
    if isinstance(system, Remembering):
        with pytest.raises(InputError, match="have times"):
            system.advance(state, Pool(pool.players, pool.first, pool.second, pool.score))


@each_system
def test_games_that_cannot_be_ordered(system: Sequential | Remembering) -> None:
    time = np.array(["2024-01-01", "NaT"], "datetime64[s]")
    with pytest.raises(InputError, match="1 of 2 games have no time"):
        system.replay(Pool.from_names("AB", "BA", [1, 0], time=time))
    undated = Pool.from_names("AB", "BA", [1, 0])
    if getattr(system, "period", "game") == "game":
        assert len(system.replay(undated).expected) == 2
    else:
        with pytest.raises(InputError, match="need the time"):
            system.replay(undated)


@each_system
def test_an_empty_pool(system: Sequential | Remembering) -> None:
    replay = system.replay(no_games())
    assert len(replay.expected) == 0
    assert replay.ratings.players == ("A",)


@each_system
def test_games_against_oneself_tell_nothing(system: Sequential | Remembering) -> None:
    time = np.array(["2024-01-01", "2024-01-01", "2024-05-01"], "datetime64[s]")
    pool = Pool.from_names("ABA", "BBB", [1, 1, 1], time=time)
    replay = system.replay(pool)
    assert np.isfinite(replay.ratings.rating).all()
    if isinstance(system, Remembering):
        without = system.replay(pool.select(np.array([True, False, True])))
        assert np.array_equal(without.ratings.rating, replay.ratings.rating)
        fitted = system.fit(pool)  # type: ignore[attr-defined]
        assert np.isfinite(fitted.rating).all()


def test_a_file_that_is_no_state(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    path.write_bytes(b"nonsense")
    with pytest.raises(InputError, match="no saved state"):
        State.load(path)
    np.savez(path, other=np.zeros(3))
    with pytest.raises(InputError, match="no saved state"):
        State.load(path)


@pytest.mark.parametrize(
    ("period", "numbers"),
    [
        ("day", [19722, 19723, 19729, 19730, 20089]),
        ("week", [2817, 2818, 2818, 2819, 2870]),  # weeks begin on Monday
        ("month", [647, 648, 648, 648, 660]),
        ("quarter", [215, 216, 216, 216, 220]),
        ("year", [53, 54, 54, 54, 55]),
        (10.0, [1972, 1972, 1972, 1973, 2008]),
    ],
)
def test_the_calendar(period: str | float, numbers: list[int]) -> None:
    days = ["2023-12-31", "2024-01-01", "2024-01-07", "2024-01-08", "2025-01-01"]
    time = np.array(days, "datetime64[s]")
    result = calendar_number(time, period)  # type: ignore[arg-type]
    assert (np.diff(result) == np.diff(numbers)).all()
    pool = Pool.from_names("AAAAA", "BBBBB", [1] * 5, time=time)
    plan = schedule(pool, period)  # type: ignore[arg-type]
    assert len(plan.start) == len(set(numbers)) + 1


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_order_is_stable(hours: list[int]) -> None:
    time = np.array(hours, "datetime64[h]").astype("datetime64[s]")
    pool = Pool.from_names(["A"] * len(hours), ["B"] * len(hours), [1] * len(hours), time=time)
    order = order_of_time(pool)
    expected = sorted(range(len(hours)), key=hours.__getitem__)
    assert (list(range(len(hours))) if order is None else order.tolist()) == expected
