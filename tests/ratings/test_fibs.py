from __future__ import annotations

import numpy as np
import pytest

from yardstone.errors import InputError, UsageError
from yardstone.pool import Pool
from yardstone.ratings import FIBS
from yardstone.ratings.result import Ratings
from yardstone.winprob import fibs


def matches(number: int, seed: int = 1) -> Pool:
    generator = np.random.default_rng(seed)
    first = generator.integers(0, 12, number)
    second = (first + generator.integers(1, 12, number)) % 12
    length = generator.choice([1, 3, 5, 7, 11], number)
    strength = np.linspace(1300, 1800, 12)
    chance = fibs.probability(strength[first], strength[second], length)
    names = np.array([f"p{k}" for k in range(12)])
    return Pool.from_names(
        names[first].tolist(),
        names[second].tolist(),
        (generator.random(number) < chance).astype(float),
        columns={"length": length},
    )


def test_a_replay_is_the_formula_match_by_match() -> None:
    pool = matches(400)
    replay = FIBS().replay(pool)
    rating = np.full(12, 1500.0)
    experience = np.zeros(12)
    for g in range(len(pool)):
        i, j, n = pool.first[g], pool.second[g], pool.columns["length"][g]
        assert replay.expected[g] == pytest.approx(
            float(fibs.probability(rating[i], rating[j], n)), abs=1e-12
        )
        assert replay.first_rating[g] == pytest.approx(rating[i])
        score = pool.score[g]
        experience[[i, j]] += n
        chance = float(fibs.probability(rating[i], rating[j], n))
        factors = np.maximum(1.0, 5.0 - experience[[i, j]] / 100.0)
        rating[[i, j]] += 4.0 * n**0.5 * (score - chance) * factors * [1, -1]
    assert replay.ratings.rating == pytest.approx(rating)


def test_a_first_win() -> None:
    pool = Pool.from_names(["Ann"], ["Bob"], [1], columns={"length": [5]})
    result = FIBS().replay(pool).ratings
    assert result["Ann"].value == pytest.approx(1500 + 4 * 4.95 * 5**0.5 / 2)
    assert result["Bob"].value == pytest.approx(1500 - 4 * 4.95 * 5**0.5 / 2)


def test_a_length_for_all() -> None:
    pool = Pool.from_names("AB", "BC", [1, 0])
    assert FIBS(length=7).replay(pool).expected[1] == pytest.approx(
        float(fibs.probability(1500 - 2 * 4.93 * 7**0.5, 1500, 7))
    )
    assert FIBS().probability(1600, 1500, length=7) == pytest.approx(
        float(fibs.probability(1600, 1500, 7))
    )
    known = Ratings(("A", "B"), np.array([1600.0, 1500.0]), np.full(2, np.nan))
    assert FIBS(length=7).expected_score(known, "A", "B") == pytest.approx(
        float(fibs.probability(1600, 1500, 7))
    )


def test_matches_of_a_day_are_rated_at_once() -> None:
    time = np.array(["2024-01-01T10", "2024-01-01T12", "2024-01-02"], "datetime64[s]")
    pool = Pool.from_names("AAA", "BBB", [1, 1, 1], time=time, columns={"length": [3, 3, 3]})
    replay = FIBS(period="day").replay(pool)
    assert replay.first_rating[:2].tolist() == [1500.0, 1500.0]
    assert replay.first_rating[2] > 1500.0


@pytest.mark.parametrize("length", [[0, 5], [np.nan, 5], ["five", "5"]])
def test_what_is_no_match(length: list[object]) -> None:
    pool = Pool.from_names("AB", "BA", [1, 1], columns={"length": np.array(length)})
    with pytest.raises(InputError, match=r"1 of 2 matches|2 of 2 matches"):
        FIBS().replay(pool)


@pytest.mark.parametrize(
    "wrong",
    [{"k": -1}, {"ramp": 0}, {"scale_points": 0}, {"length": 0}, {"first_advantage": 10}],
)
def test_parameters_out_of_range(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        FIBS(**wrong)  # type: ignore[arg-type]
