from __future__ import annotations

import csv
from math import exp, log, pi, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.ratings.made_games import made_games
from yardstone.errors import UsageError
from yardstone.pool import Pool
from yardstone.ratings._steps import new_volatility, shrink
from yardstone.ratings.egf import Handicap
from yardstone.ratings.glicko import OGS, POINTS, Glicko2
from yardstone.ratings.result import Ratings

Floats = NDArray[np.float64]

#: The other implementations round 400/ln(10) to this.
ROUNDED = 173.7178
OTHERS = Path(__file__).parent / "data" / "glicko2_others.csv"
#: Rating points.
TOLERANCE = 1e-6


def glickman() -> tuple[Pool, Ratings]:
    """The example of Glickman's paper: a win and two losses in one period."""
    pool = Pool.from_names(["A", "A", "A"], ["B", "C", "D"], [1, 0, 0], time=one_day(3))
    known = Ratings(
        ("A", "B", "C", "D"),
        np.array([1500.0, 1400.0, 1550.0, 1700.0]),
        np.array([200.0, 30.0, 100.0, 300.0]),
    )
    return pool, known


def one_day(games: int) -> NDArray[np.datetime64]:
    return np.full(games, "2024-05-05", "datetime64[s]")


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

    def f(x: float) -> float:
        y = exp(x)
        return y * (delta**2 - phi2 - v - y) / (2.0 * (phi2 + v + y) ** 2) - (x - a) / 0.25

    low, high = a - 1.0, a + 1.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    sigma = exp(low / 2.0)
    phi2 = 1.0 / (1.0 / (phi2 + sigma**2) + inverse)
    return v, delta, 1500.0 + POINTS * phi2 * gain, POINTS * sqrt(phi2), sigma


def test_glickmans_example() -> None:
    pool, known = glickman()
    v, delta, rating, deviation, volatility = exact_example()
    assert v == pytest.approx(1.77898, abs=1e-5)
    assert delta == pytest.approx(-0.48393, abs=1e-5)
    system = Glicko2(tau=0.5, period="day")
    state, _ = system.advance(system.start(pool.players, known), pool)
    result = system.ratings(state)["A"]
    assert result.value == pytest.approx(rating, abs=TOLERANCE)
    assert result.value == pytest.approx(1464.0507, abs=1e-4)
    assert result.deviation == pytest.approx(deviation, abs=TOLERANCE)
    assert result.deviation == pytest.approx(151.5165, abs=1e-4)
    assert state.arrays["volatility"][0] == pytest.approx(volatility, abs=1e-9)
    assert state.arrays["volatility"][0] == pytest.approx(0.05999, abs=1e-5)


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
    with OTHERS.open() as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name != "player"]
    return {name: np.array([float(row[name]) for row in rows]) for name in names}


def as_they_scale(ratings: Ratings) -> tuple[Floats, Floats]:
    share = ROUNDED / POINTS
    return 1500.0 + (ratings.rating - 1500.0) * share, ratings.deviation * share


INITIAL = 350.0 * POINTS / ROUNDED


def test_one_game_at_a_time_as_the_programs_of_the_online_go_server(
    others: dict[str, Floats],
) -> None:
    system = Glicko2(initial_deviation=INITIAL)
    state, replay = system.advance(system.start(), made_games(10_000, 200))
    order = [replay.ratings.index(f"P{i}") for i in range(200)]
    rating, deviation = as_they_scale(replay.ratings)
    assert np.abs(rating[order] - others["one_rating"]).max() < TOLERANCE
    assert np.abs(deviation[order] - others["one_deviation"]).max() < TOLERANCE
    assert np.abs(state.arrays["volatility"][order] - others["one_volatility"]).max() < TOLERANCE


def test_rating_periods_as_riix(
    others: dict[str, Floats],
) -> None:
    pool = made_games(10_000, 200)
    begins = 5 * 86_400 * (1_000_000_000 // (5 * 86_400))
    assert pool.time is not None
    pool = Pool(
        pool.players,
        pool.first,
        pool.second,
        pool.score,
        pool.time + np.timedelta64(begins + 5 * 86_400 - 1_000_000_000, "s"),
    )
    system = Glicko2(initial_deviation=INITIAL, max_deviation=INITIAL, period=5.0)
    state, replay = system.advance(system.start(pool.players), pool)
    rating, deviation = as_they_scale(replay.ratings)
    assert np.abs(rating - others["period_rating"]).max() < TOLERANCE
    last = state.arrays["last"] == state.arrays["last"].max()
    assert last.sum() > 100
    assert np.abs(deviation - others["period_deviation"])[last].max() < TOLERANCE
    assert np.abs(state.arrays["volatility"] - others["period_volatility"]).max() < TOLERANCE


@given(
    st.floats(0.001, 10),
    st.floats(0.001, 1.5),
    st.floats(0.1, 1e4),
    st.floats(-30, 30),
    st.floats(0.05, 3),
)
def test_new_volatility_solves_glickmans_equation(
    phi2: float, volatility: float, v: float, delta: float, tau: float
) -> None:
    result = new_volatility(phi2, volatility, v, delta, tau)

    def f(x: float) -> float:
        y = exp(x)
        return (
            y * (delta**2 - phi2 - v - y) / (2.0 * (phi2 + v + y) ** 2)
            - (x - log(volatility**2)) / tau**2
        )

    x = 2.0 * log(result)
    assert f(x - 1e-6) >= -1e-12
    assert f(x + 1e-6) <= 1e-12


def test_predictions_use_both_deviations() -> None:
    system = Glicko2(first_advantage=30.0)
    g = shrink((100.0 / POINTS) ** 2 + (50.0 / POINTS) ** 2)
    expected = 1.0 / (1.0 + exp(-g * (100.0 + 30.0) / POINTS))
    assert system.probability(1600, 1500, 100, 50) == pytest.approx(expected)
    assert system.probability(1600, 1500, 100, 50) > 0.5
    replay = system.replay(made_games(300, 10))
    assert replay.first_deviation is not None
    assert replay.second_deviation is not None
    again = system.probability(
        replay.first_rating, replay.second_rating, replay.first_deviation, replay.second_deviation
    )
    assert np.abs(replay.expected - again).max() < 1e-12


def test_idle_players_become_uncertain() -> None:
    time = np.array(["2024-01-01", "2024-07-01"], "datetime64[s]")
    pool = Pool.from_names(["A", "A"], ["B", "B"], [1, 0], time=time)
    aged = Glicko2(idle_days=1.0).replay(pool)
    fresh = Glicko2().replay(pool)
    volatility = 0.06 * POINTS  # a single game changes it in the sixth decimal
    assert aged.first_deviation is not None
    assert fresh.first_deviation is not None
    expected = sqrt(fresh.first_deviation[1] ** 2 + 182 * volatility**2)
    assert aged.first_deviation[1] == pytest.approx(expected, rel=1e-4)
    capped = Glicko2(idle_days=0.001, max_deviation=350.0).replay(pool)
    assert capped.first_deviation is not None
    assert capped.first_deviation[1] == pytest.approx(350.0)


def test_calendar_periods_age_by_the_periods_missed() -> None:
    time = np.array(["2024-01-31", "2024-02-01", "2024-06-15"], "datetime64[s]")
    pool = Pool.from_names(["A", "A", "A"], ["B", "C", "B"], [1, 0, 1], time=time)
    replay = Glicko2(period="month").replay(pool)
    deviation = replay.first_deviation
    assert deviation is not None
    drift = (0.06 * POINTS) ** 2
    assert deviation[2] ** 2 == pytest.approx(
        replay_until(pool, 2).deviation[0] ** 2 + 3 * drift, rel=1e-5
    )


def replay_until(pool: Pool, games: int) -> Ratings:
    return Glicko2(period="month").replay(pool.select(np.arange(len(pool)) < games)).ratings


def test_handicap_multiplies_ratings_on_the_online_go_server() -> None:
    columns = {"handicap": [0, 3]}
    pool = Pool.from_names(["A", "C"], ["B", "D"], [1, 1], columns=columns)
    replay = OGS(handicap=Handicap()).replay(pool)
    assert replay.expected[0] == 0.5
    ratio = exp(2.5 / 23.15)
    expected = OGS().probability(1500 * ratio, 1500, 350, 350)
    assert replay.expected[1] == pytest.approx(float(expected))
    assert OGS().probability(1500, 1500, 350, 350, stones=2.5) == pytest.approx(float(expected))


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


@pytest.mark.parametrize(
    "wrong",
    [
        {"tau": -1.0},
        {"initial_deviation": 0.0},
        {"initial_volatility": -0.1},
        {"idle_days": 0.0},
        {"period": "fortnight"},
        {"period": -3.0},
    ],
)
def test_parameters_out_of_range(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Glicko2(**wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        OGS(min_rating=5000.0, max_rating=100.0)
