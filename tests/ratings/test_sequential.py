"""What all systems that rate games as they come have in common."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ratings.made_games import made_games, no_games
from yardstone.errors import InputError, UsageError
from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.decay import DecayingBradleyTerry
from yardstone.ratings.egf import EGF, EGFOld
from yardstone.ratings.elo import FIDE, Elo
from yardstone.ratings.fibs import FIBS
from yardstone.ratings.glicko import OGS, Glicko, Glicko2
from yardstone.ratings.result import without_first_move
from yardstone.ratings.sequential import (
    Period,
    Sequential,
    State,
    calendar_number,
    order_of_time,
    schedule,
)
from yardstone.ratings.sktlr import SktLr
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
    return made_games(500, 20, days=400, draws=0.2)


@each_system
def test_whole_numbers_do_not_make_whole_ratings(system: Any, pool: Pool) -> None:
    given = {part.name: getattr(system, part.name) for part in fields(system)}
    whole = {n: int(x) for n, x in given.items() if isinstance(x, float) and x.is_integer()}
    assert whole
    found, expected = (each.replay(pool).ratings for each in (replace(system, **whole), system))
    np.testing.assert_array_equal(found.rating, expected.rating)
    np.testing.assert_array_equal(found.deviation, expected.deviation)


@each_system
def test_every_prediction_is_made_before_its_game(
    system: Sequential | Remembering, pool: Pool
) -> None:
    assert pool.time is not None
    replay = system.replay(pool)
    assert ((replay.expected > 0) & (replay.expected < 1)).all()
    cut = 250
    score = np.where(np.arange(len(pool)) < cut, pool.score, 1.0 - pool.score)
    other = system.replay(replace(pool, score=score))
    assert np.array_equal(other.expected[:cut], replay.expected[:cut])
    assert np.array_equal(other.first_rating[:cut], replay.first_rating[:cut])
    deviations = (
        0.0 if each is None else each for each in (replay.first_deviation, replay.second_deviation)
    )
    # Games are taken in order of time, however they stand.
    shuffled = np.random.default_rng(1).permutation(len(pool))
    distinct = replace(pool, time=pool.time + np.arange(len(pool)) * np.timedelta64(1, "s"))
    one, mixed = system.replay(distinct), system.replay(distinct.select(shuffled))
    assert np.array_equal(one.expected[shuffled], mixed.expected)
    assert np.array_equal(one.second_rating[shuffled], mixed.second_rating)
    assert np.array_equal(one.ratings.rating, mixed.ratings.rating)
    again = system.probability(replay.first_rating, replay.second_rating, *deviations)
    assert np.abs(again - replay.expected).max() < 1e-9


@each_system
def test_a_saved_state_goes_on(
    system: Sequential | Remembering, pool: Pool, tmp_path: Path
) -> None:
    assert pool.time is not None
    period: Period = getattr(system, "period", "day")
    number = calendar_number(pool.time, "day" if period == "game" else period)
    cut = int(np.flatnonzero(number > number[180])[0])  # where a later period begins
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
    assert np.abs(np.append(first.expected, second.expected) - whole.expected).max() < 1e-9
    place = [second.ratings.index(name) for name in pool.players]
    assert second.ratings.rating[place] == pytest.approx(whole.ratings.rating, abs=1e-6)
    assert after.games == len(pool)
    np.savez(tmp_path / "state.npz", other=np.zeros(3))
    with pytest.raises(InputError, match="no saved state"):
        State.load(tmp_path / "state.npz")


@each_system
def test_states_and_games_that_do_not_fit(system: Sequential | Remembering, pool: Pool) -> None:
    state, _ = system.advance(system.start(), pool)
    with pytest.raises(InputError, match="before the state's last game"):
        system.advance(state, pool)
    with pytest.raises(UsageError, match="the state was made by"):
        Elo(k=1.0).advance(state, pool)
    if isinstance(system, Remembering):
        with pytest.raises(InputError, match="have times"):
            system.advance(state, replace(pool, time=None))
    undated = Pool.from_names("AB", "BA", [1, 0])
    with pytest.raises(InputError, match="1 of 2 games have no time"):
        system.replay(replace(undated, time=np.array(["2024-01-01", "NaT"], "datetime64[s]")))
    if getattr(system, "period", "game") == "game":
        assert len(system.replay(undated).expected) == 2
    else:
        with pytest.raises(InputError, match="need the time"):
            system.replay(undated)


@each_system
def test_no_games_and_games_against_oneself(system: Sequential | Remembering) -> None:
    nothing = system.replay(no_games())
    assert (len(nothing.expected), nothing.ratings.players) == (0, ("A",))
    time = np.array(["2024-01-01", "2024-01-01", "2024-05-01"], "datetime64[s]")
    pool = Pool.from_names("ABA", "BBB", [1, 1, 1], time=time)
    replay = system.replay(pool)
    assert np.isfinite(replay.ratings.rating).all()
    if isinstance(system, Remembering):
        without = system.replay(pool.select(np.array([True, False, True])))
        assert np.array_equal(without.ratings.rating, replay.ratings.rating)
        fitted = system.fit(pool)  # type: ignore[attr-defined]
        assert np.isfinite(fitted.rating).all()


@pytest.mark.parametrize(
    ("system", "wrong"),
    [
        (Elo, [{"curve": "flat"}, {"scale_points": 0.0}, {"k": -1.0}, {"furthest": 0.0},
               {"period": "eon"}]),
        (EGF, [{"weight": -1.0}, {"floor": 3100.0}, {"initial": np.inf}]),
        (EGFOld, [{"epsilon": -0.1}]),
        (FIBS, [{"k": -1}, {"ramp": 0}, {"scale_points": 0}, {"length": 0},
                {"first_advantage": 10}]),
        (Glicko, [{"initial_deviation": 0.0}, {"drift": -1.0}, {"min_deviation": -1.0},
                  {"idle_days": 0}]),
        (Glicko2, [{"tau": -1.0}, {"initial_deviation": 0.0}, {"initial_volatility": -0.1},
                   {"idle_days": 0.0}, {"period": "fortnight"}, {"period": -3.0}]),
        (OGS, [{"min_rating": 5000.0, "max_rating": 100.0}]),
        (SktLr, [{"komi": 0.0}, {"drift": -1.0}, {"base": 1.0}, {"margin_deviation": 0.0}]),
        (DecayingBradleyTerry, [{"half_life": 0.0}]),
        (WholeHistory, [{"w2": 0.0}, {"prior_deviation": -1.0}, {"draw_rate": 1.0},
                        {"draw_rate": "often"}, {"first_advantage": "some"}, {"resolution": 0.0},
                        {"deviations": "all"}, {"reference": "moon"}, {"window": 1},
                        {"refit_days": 0.0}]),
        (BradleyTerry, []),
    ],
)  # fmt: skip
def test_parameters_out_of_range(system: Any, wrong: list[dict[str, Any]]) -> None:
    for parameters in wrong:
        with pytest.raises(UsageError):
            system(**parameters)
    with pytest.raises(UsageError, match=rf"of {system.__name__} 'priorr'"):
        system(priorr=3)


@pytest.mark.parametrize(
    ("period", "steps"),
    [
        ("day", [1, 6, 1, 359]),
        ("week", [1, 0, 1, 51]),  # weeks begin on Monday
        ("month", [1, 0, 0, 12]),
        ("quarter", [1, 0, 0, 4]),
        ("year", [1, 0, 0, 1]),
        (10.0, [0, 0, 1, 35]),
    ],
)
def test_the_calendar(period: Any, steps: list[int]) -> None:
    days = ["2023-12-31", "2024-01-01", "2024-01-07", "2024-01-08", "2025-01-01"]
    time = np.array(days, "datetime64[s]")
    assert np.diff(calendar_number(time, period)).tolist() == steps
    plan = schedule(Pool.from_names("AAAAA", "BBBBB", [1] * 5, time=time), period)
    assert len(plan.start) == np.count_nonzero(steps) + 2


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_order_is_stable(hours: list[int]) -> None:
    time = np.array(hours, "datetime64[h]").astype("datetime64[s]")
    pool = Pool.from_names(["A"] * len(hours), ["B"] * len(hours), [1] * len(hours), time=time)
    order = order_of_time(pool)
    expected = sorted(range(len(hours)), key=hours.__getitem__)
    assert (list(range(len(hours))) if order is None else order.tolist()) == expected


def test_games_without_an_order_allow_no_first_move_advantage() -> None:
    for free in ("auto", 0.0):
        assert without_first_move(BradleyTerry(first_advantage=free)).first_advantage == 0.0
    with pytest.raises(UsageError, match="do not say who moved first"):
        without_first_move(BradleyTerry(first_advantage=1.0))
