from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from yardstone.errors import InputError
from yardstone.pool import Pool
from yardstone.ratings.sktlr import SktLr
from yardstone.winprob.goldis import expected_margin, handicap


def simulated(games: int) -> tuple[Pool, NDArray[np.float64]]:
    rng = np.random.default_rng(0)
    truth = rng.normal(1500, 300, 30)
    one = rng.integers(0, 30, games, np.int32)
    two = (one + rng.integers(1, 30, games, np.int32)) % 30
    margin = expected_margin(truth[one] - truth[two]) + rng.normal(0, 20, games)
    names = tuple(f"p{k}" for k in range(30))
    return Pool(names, one, two, (margin > 0).astype(np.float64), columns={"margin": margin}), truth


@given(st.floats(0, 2500), st.floats(0, 2500))
def test_the_exact_handicap_is_an_even_game(one: float, two: float) -> None:
    assume(abs(one - two) < 1560.0)  # 36 stones
    result = handicap(one, two)
    weaker, stronger = sorted((one, two))
    komi = 8.0 - result.exact_points
    if result.stones == 1:
        margin = expected_margin(weaker - stronger, handicap=0, given_komi=komi)
    else:  # stones come without komi, so White gets it in points
        margin = expected_margin(weaker - stronger, handicap=result.stones) - komi
    assert float(margin) == pytest.approx(0.0, abs=1e-6)


def test_ratings_find_the_truth_and_know_their_error() -> None:
    pool, truth = simulated(3000)
    result = SktLr(margin_deviation=20, margin_limit=1000, drift=0).replay(pool).ratings
    error = result.rating - truth - np.mean(result.rating - truth)
    assert np.corrcoef(result.rating, truth)[0, 1] > 0.98
    assert 0.7 < np.std(error / result.deviation) < 1.3
    assert result.scale == "goldis"
    winners = SktLr(drift=0, use_margins=False).replay(pool)
    assert winners.ratings.deviation.mean() > 1.2 * result.deviation.mean()
    assert np.corrcoef(winners.ratings.rating, truth)[0, 1] > 0.93
    plain = SktLr(drift=0).replay(replace(pool, columns={}))
    assert np.array_equal(plain.expected, winners.expected)
    head = SktLr(drift=0).replay(pool.select(np.arange(300)))  # no later game changes a prediction
    assert np.array_equal(head.expected, SktLr(drift=0).replay(pool).expected[:300])
    assert head.first_deviation is not None
    assert (head.expected[0], head.first_deviation[0]) == (0.5, 400.0)


def test_games_of_one_time_are_averaged() -> None:
    day = np.array(["2020-01-01"] * 3, "datetime64[s]")
    first, second, score = ["a", "b", "c"], ["b", "c", "a"], [1, 1, 1]
    together = SktLr().replay(Pool.from_names(first, second, score, time=day))
    assert together.expected.tolist() == [0.5, 0.5, 0.5]
    assert np.ptp(together.ratings.rating) < 1e-9  # a circle of wins lifts nobody
    alone = SktLr().replay(Pool.from_names(first, second, score))
    assert alone.expected[1] < 0.5  # b has lost to a by then
    unknown = np.array(["NaT"] * 3, "datetime64[s]")
    undated = SktLr().replay(Pool.from_names(first, second, score, time=unknown))
    assert np.array_equal(undated.expected, alone.expected)


def test_one_game_with_a_margin_is_kalmans_step() -> None:
    slope = 8.0 * np.log(10) / 1000
    grades = {"first_grade": ["5k"], "second_grade": ["5k"]}
    for system, columns, deviation in (
        (SktLr(drift=0, start_deviation=100), {}, 100),
        (SktLr(drift=0), {}, 400),
        (SktLr(drift=0), grades, 200),
    ):
        pool = Pool.from_names("a", "b", [1], columns={"margin": [12.0], **columns})
        result = system.replay(pool).ratings
        gain = deviation**2 * slope / (20**2 + 2 * deviation**2 * slope**2)
        assert result.rating == pytest.approx([1500 + gain * 12.0, 1500 - gain * 12.0])
        assert result.deviation**2 == pytest.approx(deviation**2 * (1 - gain * slope))


def test_margins_past_the_limit_say_no_more_than_that() -> None:
    def rating(margin: float) -> float:
        pool = Pool.from_names(["a"], ["b"], [1], columns={"margin": [margin]})
        return SktLr().replay(pool).ratings["a"].value

    assert rating(41.0) == rating(150.0) > rating(10.0) > rating(0.5)
    assert rating(np.nan) < rating(41.0)


def test_newcomers_start_at_their_grade() -> None:
    grades = {"first_grade": [0.0, -5.0], "second_grade": [-5.0, 2.0]}
    pool = Pool.from_names(["a", "b"], ["b", "a"], [1, 0], columns=grades)
    result = SktLr().replay(pool)
    assert result.first_rating[0] == 2000.0
    assert result.second_rating[0] == 1500.0
    assert result.expected[0] > 0.5
    named = SktLr(initial={"a": 1234.0}).replay(pool)
    assert named.first_rating[0] == 1234.0
    # Two stones without komi are 2.07 points more than the exact handicap.
    assert 0.5 < float(SktLr().win_probability(-438.0, handicap=2)) < 0.56
    assert float(SktLr().win_probability(-438.0, handicap=1)) < 0.5


def test_handicaps_below_nothing_and_no_games() -> None:
    pool = Pool.from_names(["a"], ["b"], [1], columns={"handicap": [-1]})
    with pytest.raises(InputError, match="stones from 0"):
        SktLr().replay(pool)
    empty = SktLr().replay(Pool((), np.zeros(0, int), np.zeros(0, int), np.zeros(0)))
    assert len(empty.expected) == 0
