from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from tests.ratings.made_games import made_games
from yardstone.pool import Pool
from yardstone.ratings.glicko import Glicko
from yardstone.ratings.result import Ratings


def test_glickmans_example() -> None:
    """The example of "The Glicko system": 1464 with a deviation of 151.4."""
    time = np.full(3, "2024-05-05", "datetime64[s]")
    pool = Pool.from_names("AAA", "BCD", [1, 0, 0], time=time)
    known = Ratings(
        tuple("ABCD"),
        np.array([1500.0, 1400.0, 1550.0, 1700.0]),
        np.array([200.0, 30.0, 100.0, 300.0]),
    )
    system = Glicko(period="day")
    state, replay = system.advance(system.start((), known), pool)
    result = system.ratings(state)["A"]
    assert result.value == pytest.approx(1464.106, abs=1e-3)
    assert result.deviation == pytest.approx(151.399, abs=1e-3)
    # E(s) of the paper takes the opponent's deviation alone; predictions take both.
    alone = [system.probability(1500, r, 0, d) for r, d in ((1400, 30), (1550, 100), (1700, 300))]
    assert np.round(alone, 3).tolist() == [0.639, 0.432, 0.303]
    both = system.probability(1500, [1400, 1550, 1700], 200, [30, 100, 300])
    assert replay.expected == pytest.approx(both)


def test_the_deviation_grows_to_that_of_a_newcomer() -> None:
    """Glickman: with c = 34.6 a deviation of 50 is back at 350 after 100 periods."""
    known = Ratings(("A", "B"), np.array([1500.0, 1500.0]), np.array([50.0, 50.0]))
    time = np.array(["2000-01-01", "2008-04-01", "2050-01-01"], "datetime64[s]")
    pool = Pool.from_names("AAA", "BBB", [1, 0, 1], time=time)
    system = Glicko(period="month", min_deviation=0.0)
    deviation = system.advance(system.start((), known), pool)[1].first_deviation
    assert deviation is not None
    q = np.log(10) / 400
    information = q**2 / 4 / (1 + 3 * (q * 50 / np.pi) ** 2)
    one_game = 1.0 / (1.0 / 50.0**2 + information)
    assert deviation[0] == 50.0
    assert deviation[1] == pytest.approx(sqrt(one_game + 99 * 34.6**2), rel=1e-6)
    assert deviation[2] == 350.0


def test_ageing_with_single_games() -> None:
    time = np.array(["2024-01-01", "2024-01-31"], "datetime64[s]")
    pool = Pool.from_names("AA", "BB", [1, 0], time=time)
    still, aged = Glicko(idle_days=None).replay(pool), Glicko(idle_days=30.0).replay(pool)
    assert still.first_deviation is not None
    assert aged.first_deviation is not None
    expected = sqrt(still.first_deviation[1] ** 2 + 34.6**2)
    assert aged.first_deviation[1] == pytest.approx(expected)
    undated = Pool.from_names("AA", "BB", [1, 0])
    assert np.array_equal(Glicko().replay(undated).expected, still.expected)


def test_the_lowest_deviation() -> None:
    ratings = Glicko(idle_days=None).replay(made_games(6_000, 3)).ratings
    assert ratings.deviation == pytest.approx(30.0)
