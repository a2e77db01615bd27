from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from yardstone.errors import InputError
from yardstone.pool import Pool
from yardstone.ratings import _steps
from yardstone.ratings.egf import EGF, EGFOld, grade_rating
from yardstone.ratings.result import Ratings

ratings = st.floats(-900, 3200)


def after_one(system: EGF, one: float, other: float, score: float) -> tuple[float, float]:
    known = Ratings(("A", "B"), np.array([one, other]), np.full(2, np.nan))
    pool = Pool.from_names("A", "B", [score], columns={"event": ["X"]})
    result = system.advance(system.start((), known), pool)[1].ratings
    return result["A"].value, result["B"].value


@given(ratings, ratings, st.sampled_from([0.0, 0.5, 1.0]))
@example(2100.0, 2100.0, 1.0)  # two shodans: 2109.306
def test_the_formulas(one: float, other: float, score: float) -> None:
    expected = 1 / (1 + exp(-7 * log(3300 - other) + 7 * log(3300 - one)))
    con = ((3300 - one) / 200) ** 1.6
    bonus = log(1 + exp((2300 - one) / 80)) / 5
    after = max(one + con * (score - expected) + bonus, -900.0)
    assert after_one(EGF(), one, other, score)[0] == pytest.approx(after, rel=1e-12)
    for system in (EGF(), EGF(weight=0.5)):
        assert system.probability(one, other) == pytest.approx(expected, rel=1e-9)


@given(st.floats(3000, 1e6), st.floats(3000, 1e6))
def test_near_the_end_of_the_scale(one: float, other: float) -> None:
    for score in (0.0, 1.0):
        result = after_one(EGF(), one, other, score)
        assert np.isfinite(result).all()
    chance = EGF().probability(one, other)
    assert 0.0 <= chance <= 1.0
    assert chance + EGF().probability(other, one) == pytest.approx(1.0)


def test_handicap() -> None:
    known = Ratings(("A", "B"), np.array([1900.0, 2200.0]), np.full(2, np.nan))
    columns = {"event": np.array(["X"]), "handicap": np.array([3])}
    system, pool = EGF(), Pool.from_names("A", "B", [1], columns=columns)
    replay = system.advance(system.start((), known), pool)[1]
    expected = float(system.probability(2150, 2200))
    assert replay.expected[0] == pytest.approx(expected)
    assert system.probability(1900, 2200, advantage=250) == pytest.approx(expected)
    gain = _steps.con(1900.0) * (1 - expected) + _steps.bonus(1900.0)
    assert replay.ratings["A"].value == pytest.approx(1900 + gain)


def test_a_tournament_is_rated_from_the_ratings_at_its_start() -> None:
    columns = {
        "event": ["X", "X", "Y"],
        "class": ["A", "A", "D"],
        "first_grade": ["1d", "1d", "5k"],
        "second_grade": ["1d", "2d", "1d"],
    }
    time = np.array(["2024-01-01", "2024-01-02", "2024-03-01"], "datetime64[s]")
    pool = Pool.from_names("AAA", "BCB", [1, 1, 0], time=time, columns=columns)
    replay = EGF().replay(pool)
    assert replay.first_rating[:2].tolist() == [2100.0, 2100.0]
    assert replay.second_rating[1] == 2200.0  # from the grade
    chance = float(EGF().probability(2100, 2200))
    con, bonus = _steps.con(2100.0), _steps.bonus(2100.0)
    expected = 2100 + con * 0.5 + con * (1 - chance) + 2 * bonus
    assert replay.first_rating[2] == pytest.approx(expected)  # the later grade is not looked at
    last = replay.first_rating[2]
    drop = _steps.con(last) * (0 - replay.expected[2]) + _steps.bonus(last)
    assert replay.ratings["A"].value == pytest.approx(last + 0.25 * drop)


def test_entry_and_floor() -> None:
    columns = {"event": ["X"], "first_grade": ["?"], "second_grade": ["30k"]}
    pool = Pool.from_names("A", "B", [1], columns=columns)
    replay = EGF(initial=500.0).replay(pool)
    assert (replay.first_rating[0], replay.second_rating[0]) == (500.0, -900.0)
    assert after_one(EGF(), -899.0, -899.0, 0)[0] == -900.0
    assert after_one(EGFOld(), 100.0, 100.0, 0)[0] == 100.0
    assert np.isnan(EGF().ratings(EGF().start(("A",)))["A"].value)


def test_grades() -> None:
    grades = np.array(["1d", "7d", "1k", "20k", "1p", "9p", "2 pro", "", "beginner"])
    expected = [2100, 2700, 2000, 100, 2700, 2940, 2730, np.nan, np.nan]
    assert np.array_equal(grade_rating(grades), expected, equal_nan=True)
    assert grade_rating(np.array([2345, 1900])).tolist() == [2345.0, 1900.0]


def test_classes() -> None:
    def of_class(name: str | float) -> Pool:
        return Pool.from_names("A", "B", [1], columns={"event": ["X"], "class": [name]})

    for wrong, says in (("E", "not a tournament class"), (-1.0, "weight")):
        with pytest.raises(InputError, match=says):
            EGF().replay(of_class(wrong))
    assert EGF(initial=2000.0).replay(of_class(0.0)).ratings["A"].value == 2000.0


@pytest.mark.parametrize(
    ("rating", "con", "a"), [(100, 116, 200), (1000, 70, 155), (2050, 25.5, 102.5), (2700, 10, 70)]
)
def test_the_old_tables(rating: float, con: float, a: float) -> None:
    gain = after_one(EGFOld(), rating, rating, 1)[0] - rating
    assert gain == pytest.approx(con * (0.5 + 0.008))
    assert _steps.slope_of_old(float(rating)) == pytest.approx(a)
    assert EGFOld().probability(rating, rating + a) == pytest.approx(1 / (1 + exp(1)))
    assert after_one(EGFOld(epsilon=0.0), rating, rating, 0.5) == (rating, rating)
