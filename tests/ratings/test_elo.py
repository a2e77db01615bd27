from __future__ import annotations

from dataclasses import replace
from math import erf

import numpy as np
import pytest

from tests.ratings.made_games import made_games
from yardstone.errors import InputError, UsageError
from yardstone.pool import Pool
from yardstone.ratings.egf import Handicap
from yardstone.ratings.elo import FIDE, Elo, KFactor
from yardstone.ratings.result import Ratings


def test_elo_game_by_game() -> None:
    """Logistic, written from the book."""
    pool = made_games(500, 12, draws=0.2)
    rating, expected = [1500.0] * 12, []
    for i, j, score in zip(pool.first, pool.second, pool.score, strict=True):
        expected.append(1.0 / (1.0 + 10.0 ** ((rating[j] - rating[i]) / 400.0)))
        rating[i] += 24.0 * (score - expected[-1])
        rating[j] -= 24.0 * (score - expected[-1])
    for k in (24.0, KFactor(24.0, 0, 24.0, 24.0, np.inf, np.inf)):
        replay = Elo(k=k).replay(pool)
        assert replay.expected == pytest.approx(expected, abs=1e-12)
        assert replay.ratings.rating == pytest.approx(rating, abs=1e-9)
        assert np.isnan(replay.ratings.deviation).all()
        assert replay.draw is None
    names = replay.ratings
    chance = Elo().probability(names["P0"].value, names["P1"].value)
    assert Elo().expected_score(names, "P0", "P1") == pytest.approx(float(chance))
    with pytest.raises(InputError):
        Elo().expected_score(names, "P0", "nobody")


@pytest.mark.parametrize(
    ("system", "difference", "expected"),
    [
        *(
            (Elo(curve="normal", scale_points=400.0), gap, 0.5 * (1.0 + erf(gap / 400.0)))
            for gap in (-330.0, 700.0)
        ),
        (Elo(furthest=400.0), 1800.0, 10 / 11),
        (Elo(furthest=400.0), 200.0, 1 / (1 + 10**-0.5)),
    ],
)
def test_curves(system: Elo, difference: float, expected: float) -> None:
    assert system.probability(difference, 0.0) == pytest.approx(expected, abs=1e-12)
    known = Ratings(("A", "B"), np.array([difference, 0.0]), np.full(2, np.nan))
    replay = system.advance(system.start((), known), Pool.from_names("A", "B", [1]))[1]
    assert replay.expected[0] == pytest.approx(expected, abs=1e-12)


def test_k_of_fide() -> None:
    known = Ratings(("A", "B"), np.array([2399.0, 1200.0]), np.full(2, np.nan))
    pool = Pool.from_names(["A"] * 62, ["B"] * 62, [1] * 31 + [0] * 31)
    system = Elo(k=FIDE)
    replay = system.advance(system.start((), known), pool)[1]
    off = (pool.score - replay.expected)[:-1]
    step, lower = np.diff(replay.first_rating) / off, -np.diff(replay.second_rating) / off
    assert step[:30] == pytest.approx(40.0)  # the first 30 games
    assert step[30:] == pytest.approx(10.0)  # has been above 2400, and stays at 10 below
    assert replay.first_rating[-1] < 2400.0
    assert lower[30:] == pytest.approx(20.0)
    known = replace(known, rating=np.array([2400.0, 2399.0]))
    system = Elo(k=replace(FIDE, new_games=0))
    replay = system.advance(system.start((), known), pool.select(np.arange(60, 62)))[1]
    moved = replay.first_rating[1] - 2400.0, replay.second_rating[1] - 2399.0
    assert moved == pytest.approx([-10.0 * replay.expected[0], 20.0 * replay.expected[0]])
    assert replay.ratings["A"].value == pytest.approx(2400.0 - 10.0 * replay.expected.sum())


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
    points = 10.0 + 100.0 * (1.0 + 0.5 * (1.0 - 0.5 / 6.5))
    expected = 1.0 / (1.0 + 10.0 ** (-points / 400.0))
    assert system.replay(pool).expected[1] == pytest.approx(expected)
    assert system.probability(1500, 1500, advantage=points) == pytest.approx(expected)
    with pytest.raises(InputError):
        system.replay(Pool.from_names("A", "B", [1]))
    words = Pool.from_names("A", "B", [1], columns={"handicap": ["many"]})
    with pytest.raises(InputError, match="not a number"):
        Elo(handicap=Handicap()).replay(words)


def test_no_k_is_negative() -> None:
    with pytest.raises(UsageError, match="must not be negative"):
        KFactor(usual=-1.0)
