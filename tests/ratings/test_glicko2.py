from __future__ import annotations

from dataclasses import replace
from math import exp, log, pi, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import brentq

from tests.ratings.made_games import made_games
from yardstone.pool import Pool
from yardstone.ratings._steps import new_volatility
from yardstone.ratings.egf import Handicap
from yardstone.ratings.glicko import OGS, POINTS, Glicko2
from yardstone.ratings.result import Ratings
from yardstone.ratings.sequential import State

Floats = NDArray[np.float64]

#: The other implementations round 400/ln(10) to this.
ROUNDED = 173.7178
OTHERS = Path(__file__).parent / "data" / "glicko2_others.csv"
#: Rating points.
TOLERANCE = 1e-6


def glickman() -> tuple[Pool, Ratings]:
    """The example of Glickman's paper: a win and two losses in one period."""
    time = np.full(3, "2024-05-05", "datetime64[s]")
    pool = Pool.from_names("AAA", "BCD", [1, 0, 0], time=time)
    rating, deviation = [1500.0, 1400.0, 1550.0, 1700.0], [200.0, 30.0, 100.0, 300.0]
    return pool, Ratings(tuple("ABCD"), np.array(rating), np.array(deviation))


def equation(x: float, phi2: float, v: float, delta: float, a: float, tau: float) -> float:
    """The f(x) of the paper, of which the new volatility is the root."""
    y = exp(x)
    return y * (delta**2 - phi2 - v - y) / (2.0 * (phi2 + v + y) ** 2) - (x - a) / tau**2


def exact_example() -> tuple[float, float, float, float, float]:
    """v, delta and the result of the example, by bisection, written from the paper."""
    phi2 = (200.0 / POINTS) ** 2
    inverse, gain = 0.0, 0.0
    for rating, deviation, score in ((1400, 30, 1), (1550, 100, 0), (1700, 300, 0)):
        g = 1.0 / sqrt(1.0 + 3.0 * (deviation / POINTS) ** 2 / pi**2)
        e = 1.0 / (1.0 + exp(-g * (1500.0 - rating) / POINTS))
        inverse += g * g * e * (1.0 - e)
        gain += g * (score - e)
    v = 1.0 / inverse
    delta = v * gain
    a = log(0.06**2)
    x = brentq(equation, a - 1.0, a + 1.0, args=(phi2, v, delta, a, 0.5), xtol=1e-14)
    sigma = exp(x / 2.0)
    phi2 = 1.0 / (1.0 / (phi2 + sigma**2) + inverse)
    return v, delta, 1500.0 + POINTS * phi2 * gain, POINTS * sqrt(phi2), sigma


def test_glickmans_example() -> None:
    pool, known = glickman()
    exact = exact_example()
    np.testing.assert_allclose(exact, [1.77898, -0.48393, 1464.0507, 151.5165, 0.05999], rtol=1e-4)
    system = Glicko2(tau=0.5, period="day")
    state, _ = system.advance(system.start(pool.players, known), pool)
    result = system.ratings(state)["A"]
    assert result.value == pytest.approx(exact[2], abs=TOLERANCE)
    assert result.deviation == pytest.approx(exact[3], abs=TOLERANCE)
    assert state.arrays["volatility"][0] == pytest.approx(exact[4], abs=1e-9)


def test_players_of_a_period_are_seen_as_they_were_at_its_start() -> None:
    pool, known = glickman()
    system = Glicko2(period="day")
    backward = Pool(pool.players, pool.first[::-1], pool.second[::-1], pool.score[::-1], pool.time)
    one = system.advance(system.start(pool.players, known), pool)[1]
    other = system.advance(system.start(pool.players, known), backward)[1]
    assert np.allclose(one.ratings.rating, other.ratings.rating, rtol=0, atol=1e-9)
    assert (one.first_rating == 1500.0).all()
    assert one.expected == pytest.approx(other.expected[::-1])


@pytest.fixture(scope="module")
def others() -> dict[str, Floats]:
    table = np.genfromtxt(OTHERS, delimiter=",", names=True)
    return {name: table[name] for name in table.dtype.names or ()}


def assert_like_others(
    state: State, ratings: Ratings, others: dict[str, Floats], kind: str, aged: slice | Floats
) -> None:
    order = [ratings.index(f"P{i}") for i in range(200)]
    share = ROUNDED / POINTS
    for name, ours, rows in (
        ("rating", 1500.0 + (ratings.rating - 1500.0) * share, slice(None)),
        ("deviation", ratings.deviation * share, aged),
        ("volatility", state.arrays["volatility"], slice(None)),
    ):
        assert np.abs(ours[order] - others[f"{kind}_{name}"])[rows].max() < TOLERANCE, name


INITIAL = 350.0 * POINTS / ROUNDED


def test_one_game_at_a_time_as_the_programs_of_the_online_go_server(
    others: dict[str, Floats],
) -> None:
    system = Glicko2(initial_deviation=INITIAL)
    state, replay = system.advance(system.start(), made_games(10_000, 200))
    assert_like_others(state, replay.ratings, others, "one", slice(None))


def test_rating_periods_as_riix(others: dict[str, Floats]) -> None:
    pool = made_games(10_000, 200)
    period = 5 * 86_400
    assert pool.time is not None
    shift = period * (1_000_000_000 // period) + period - 1_000_000_000  # to a period's start
    pool = replace(pool, time=pool.time + np.timedelta64(shift, "s"))
    system = Glicko2(initial_deviation=INITIAL, max_deviation=INITIAL, period=5.0)
    state, replay = system.advance(system.start(pool.players), pool)
    last = state.arrays["last"] == state.arrays["last"].max()
    assert last.sum() > 100
    assert_like_others(state, replay.ratings, others, "period", last)


@given(
    st.floats(0.001, 10),
    st.floats(0.001, 1.5),
    st.floats(0.1, 1e4),
    st.floats(-30, 30),
    st.floats(0.05, 3),
)
@example(2.0, 0.1, 2.0, 16.0, 2.0)  # by the Illinois method
def test_new_volatility_solves_glickmans_equation(
    phi2: float, volatility: float, v: float, delta: float, tau: float
) -> None:
    x = 2.0 * log(new_volatility(phi2, volatility, v, delta, tau))
    a = log(volatility**2)
    assert equation(x - 1e-6, phi2, v, delta, a, tau) >= -1e-12
    assert equation(x + 1e-6, phi2, v, delta, a, tau) <= 1e-12


def test_predictions_use_both_deviations() -> None:
    g = 1.0 / sqrt(1.0 + 3.0 * (100.0**2 + 50.0**2) / (POINTS * pi) ** 2)
    expected = 1.0 / (1.0 + exp(-g * (100.0 + 30.0) / POINTS))
    system = Glicko2(first_advantage=30.0)
    assert system.probability(1600, 1500, 100, 50) == pytest.approx(expected)


def test_idle_players_become_uncertain() -> None:
    time = np.array(["2024-01-01", "2024-07-01"], "datetime64[s]")
    pool = Pool.from_names("AA", "BB", [1, 0], time=time)
    fresh, aged, capped = (
        Glicko2(idle_days=days, max_deviation=350.0).replay(pool).first_deviation
        for days in (None, 1.0, 0.001)
    )
    assert fresh is not None
    assert aged is not None
    assert capped is not None
    volatility = 0.06 * POINTS  # a single game changes it in the sixth decimal
    expected = sqrt(fresh[1] ** 2 + 182 * volatility**2)
    assert aged[1] == pytest.approx(expected, rel=1e-4)
    assert capped[1] == pytest.approx(350.0)


def test_calendar_periods_age_by_the_periods_missed() -> None:
    time = np.array(["2024-01-31", "2024-02-01", "2024-06-15"], "datetime64[s]")
    pool = Pool.from_names("AAA", "BCB", [1, 0, 1], time=time)
    system = Glicko2(period="month")
    deviation = system.replay(pool).first_deviation
    assert deviation is not None
    until = system.replay(pool.select(np.arange(2))).ratings.deviation[0]
    expected = sqrt(until**2 + 3 * (0.06 * POINTS) ** 2)
    assert deviation[2] == pytest.approx(expected, rel=1e-5)


def test_handicap_multiplies_ratings_on_the_online_go_server() -> None:
    pool = Pool.from_names("AC", "BD", [1, 1], columns={"handicap": [0, 3]})
    replay = OGS(handicap=Handicap()).replay(pool)
    expected = float(OGS().probability(1500 * exp(2.5 / 23.15), 1500, 350, 350))
    assert replay.expected == pytest.approx([0.5, expected])
    assert OGS().probability(1500, 1500, 350, 350, stones=2.5) == pytest.approx(expected)


def test_limits_of_the_online_go_server() -> None:
    pool = Pool.from_names(["weak"] * 300, ["strong"] * 300, np.zeros(300))
    assert OGS(min_rating=1400.0).replay(pool).ratings["weak"].value == 1400.0
    assert OGS(max_rating=1600.0).replay(pool).ratings["strong"].value == 1600.0
    assert Glicko2().replay(pool).ratings["weak"].value < 1400.0
    steady = OGS(min_deviation=80.0).replay(made_games(5000, 5)).ratings
    assert steady.deviation.min() == pytest.approx(80.0)


def test_certain_results_teach_nothing() -> None:
    known = Ratings(("A", "B"), np.array([1e6, 0.0]), np.array([1.0, 1.0]))
    pool = Pool.from_names(["A"], ["B"], [1])
    system = Glicko2()
    replay = system.advance(system.start((), known), pool)[1]
    assert replay.expected[0] == pytest.approx(1.0)
    assert np.isfinite(replay.ratings.rating).all()
    assert np.isfinite(replay.ratings.deviation).all()
