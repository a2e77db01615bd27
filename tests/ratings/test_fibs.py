from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.ratings.made_games import made_games
from yardstone.errors import InputError
from yardstone.pool import Pool
from yardstone.ratings import FIBS
from yardstone.ratings.result import Ratings
from yardstone.winprob import fibs


def test_a_replay_is_the_formula_match_by_match() -> None:
    lengths = np.random.default_rng(1).choice([1, 3, 5, 7, 11], 400)
    pool = replace(made_games(400, 12), columns={"length": lengths})
    replay = FIBS().replay(pool)
    rating, experience = np.full(12, 1500.0), np.zeros(12)
    for g, n in enumerate(pool.columns["length"]):
        ends = [pool.first[g], pool.second[g]]
        chance = 1.0 / (1.0 + 10.0 ** ((rating[ends[1]] - rating[ends[0]]) * n**0.5 / 2000.0))
        assert replay.expected[g] == pytest.approx(chance, abs=1e-12)
        assert replay.first_rating[g] == pytest.approx(rating[ends[0]])
        experience[ends] += n
        factors = np.maximum(1.0, 5.0 - experience[ends] / 100.0)
        rating[ends] += 4.0 * n**0.5 * (pool.score[g] - chance) * factors * [1, -1]
    assert replay.ratings.rating == pytest.approx(rating)


def test_a_length_for_all() -> None:
    system, expected = FIBS(length=7), float(fibs.probability(1600, 1500, 7))
    lost = fibs.probability(1500 - 2 * 4.93 * 7**0.5, 1500, 7)
    replay = system.replay(Pool.from_names("AB", "BC", [1, 0]))
    assert replay.expected[1] == pytest.approx(float(lost))
    assert FIBS().probability(1600, 1500, length=7) == pytest.approx(expected)
    known = Ratings(("A", "B"), np.array([1600.0, 1500.0]), np.full(2, np.nan))
    assert system.expected_score(known, "A", "B") == pytest.approx(expected)


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
