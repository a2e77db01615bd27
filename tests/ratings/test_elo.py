from __future__ import annotations

from math import erf, exp, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ratings.made_games import made_games
from yardstone.errors import InputError, UsageError
from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.decay import DecayingBradleyTerry
from yardstone.ratings.egf import Handicap
from yardstone.ratings.elo import FIDE, Elo, KFactor
from yardstone.ratings.result import Ratings
from yardstone.ratings.whole_history import WholeHistory
from yardstone.winprob.laws import fast_exp, fast_logistic


def by_hand(pool: Pool, k: float) -> tuple[list[float], dict[str, float]]:
    """Elo, logistic, written from the book."""
    rating = dict.fromkeys(pool.players, 1500.0)
    expected = []
    for i, j, score in zip(pool.first, pool.second, pool.score, strict=True):
        one, other = pool.players[i], pool.players[j]
        chance = 1.0 / (1.0 + 10.0 ** ((rating[other] - rating[one]) / 400.0))
        expected.append(chance)
        rating[one] += k * (score - chance)
        rating[other] -= k * (score - chance)
    return expected, rating


def test_elo_game_by_game() -> None:
    pool = made_games(2000, 30, draws=0.2)
    expected, rating = by_hand(pool, 24.0)
    replay = Elo(k=24.0).replay(pool)
    assert replay.expected == pytest.approx(expected, abs=1e-12)
    assert replay.ratings.rating == pytest.approx(list(rating.values()), abs=1e-9)
    assert np.isnan(replay.ratings.deviation).all()
    assert replay.draw is None
    again = Elo().probability(replay.first_rating, replay.second_rating)
    assert again == pytest.approx(expected, abs=1e-12)


@given(st.floats(-45, 45))
def test_the_fast_exponential(x: float) -> None:
    assert fast_exp(x) == pytest.approx(exp(x), rel=5e-16)
    assert fast_logistic(x) + fast_logistic(-x) == pytest.approx(1.0, abs=3e-16)


def test_the_ends_of_the_fast_exponential() -> None:
    assert fast_exp(800.0) == np.inf
    assert fast_exp(-800.0) == 0.0
    assert np.isnan(fast_exp(float("nan")))


@given(st.floats(-1500, 1500))
def test_the_normal_curve(difference: float) -> None:
    expected = 0.5 * (1.0 + erf(difference / (200.0 * sqrt(2.0)) / sqrt(2.0)))
    system = Elo(curve="normal", scale_points=400.0)
    assert system.probability(difference, 0.0) == pytest.approx(expected, abs=1e-12)
    known = Ratings(("A", "B"), np.array([difference, 0.0]), np.full(2, np.nan))
    pool = Pool.from_names(["A"], ["B"], [1])
    replay = system.advance(system.start((), known), pool)[1]
    assert replay.expected[0] == pytest.approx(expected, abs=1e-12)


def test_one_k_gives_the_same_by_rule_and_without() -> None:
    pool = made_games(500, 8, draws=0.2)
    rule = KFactor(20.0, 0, 20.0, 20.0, np.inf, np.inf)
    assert np.array_equal(Elo(k=rule).replay(pool).expected, Elo(k=20.0).replay(pool).expected)


def test_k_of_fide() -> None:
    start = np.array([2399.0, 1200.0])
    known = Ratings(("A", "B"), start, np.full(2, np.nan))
    pool = Pool.from_names(["A"] * 62, ["B"] * 62, [1] * 31 + [0] * 31)
    system = Elo(k=FIDE)
    replay = system.advance(system.start((), known), pool)[1]
    step = np.diff(replay.first_rating) / (pool.score - replay.expected)[:-1]
    assert step[:30] == pytest.approx(40.0)  # the first 30 games
    assert step[30:] == pytest.approx(10.0)  # has been above 2400, and stays at 10 below
    assert replay.first_rating[-1] < 2400.0
    lower = np.diff(replay.second_rating) / -(pool.score - replay.expected)[:-1]
    assert lower[30:] == pytest.approx(20.0)


def test_a_period_is_rated_from_the_ratings_at_its_start() -> None:
    time = np.array(["2024-01-05", "2024-01-20", "2024-02-03"], "datetime64[s]")
    pool = Pool.from_names("AAA", "BCB", [1, 1, 1], time=time)
    replay = Elo(period="month").replay(pool)
    assert replay.expected[:2].tolist() == [0.5, 0.5]
    assert replay.first_rating.tolist() == [1500.0, 1500.0, 1520.0]
    limited = Elo(k=KFactor(20.0, 0, 20.0, 20.0, 9999.0, 20.0), period="month").replay(pool)
    assert limited.first_rating.tolist() == [1500.0, 1500.0, 1510.0]


def test_events_that_overlap() -> None:
    """The short event is over before the long one ends, and cannot know its results."""
    time = np.array(["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"], "datetime64[s]")
    columns = {"event": ["long", "short", "long", "after"]}
    pool = Pool.from_names("AAAA", "BBBB", [1, 1, 1, 1], time=time, columns=columns)
    replay = Elo(period="event").replay(pool)
    assert replay.first_rating.tolist() == [1500.0, 1500.0, 1500.0, 1530.0]
    with pytest.raises(InputError, match="no column"):
        Elo(period="event", event_column="tournament").replay(pool)


def test_first_move_and_handicap() -> None:
    columns = {"handicap": np.array([0, 2]), "komi": np.array([6.5, 0.5])}
    pool = Pool.from_names("AC", "BD", [1, 0], columns=columns)
    system = Elo(first_advantage=10.0, handicap=Handicap(komi_column="komi"))
    points = 100.0 * (1.0 + 0.5 * (1.0 - 0.5 / 6.5))
    expected = 1.0 / (1.0 + 10.0 ** (-(10.0 + points) / 400.0))
    assert system.replay(pool).expected[1] == pytest.approx(expected)
    assert system.probability(1500, 1500, advantage=10.0 + points) == pytest.approx(expected)
    with pytest.raises(InputError):
        system.replay(Pool.from_names("A", "B", [1]))
    words = Pool.from_names("A", "B", [1], columns={"handicap": ["many"]})
    with pytest.raises(InputError, match="not a number"):
        Elo(handicap=Handicap()).replay(words)


def test_a_difference_counts_only_so_far() -> None:
    known = Ratings(("A", "B"), np.array([2800.0, 1000.0]), np.full(2, np.nan))
    pool = Pool.from_names("A", "B", [1])
    system = Elo(furthest=400.0)
    replay = system.advance(system.start((), known), pool)[1]
    assert replay.expected[0] == pytest.approx(10 / 11)
    assert system.probability(2800, 1000) == pytest.approx(10 / 11)


def test_expected_score_by_name() -> None:
    ratings = Elo().replay(made_games(100, 4)).ratings
    one, other = ratings["P0"].value, ratings["P1"].value
    expected = 1.0 / (1.0 + 10.0 ** ((other - one) / 400.0))
    assert Elo().expected_score(ratings, "P0", "P1") == pytest.approx(expected)
    with pytest.raises(InputError):
        Elo().expected_score(ratings, "P0", "nobody")


@pytest.mark.parametrize(
    "wrong",
    [{"curve": "flat"}, {"scale_points": 0.0}, {"k": -1.0}, {"furthest": 0.0}, {"period": "eon"}],
)
def test_parameters_out_of_range(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Elo(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("system", [Elo, BradleyTerry, WholeHistory, DecayingBradleyTerry])
def test_a_parameter_that_a_system_lacks_is_named(system: type) -> None:
    with pytest.raises(UsageError, match=f"parameter of {system.__name__} 'priorr'"):
        system(priorr=3)


def test_the_parameters_that_there_are_are_listed() -> None:
    with pytest.raises(UsageError, match="'kk': there are k, initial"):
        Elo(kk=3)  # type: ignore[call-arg]
