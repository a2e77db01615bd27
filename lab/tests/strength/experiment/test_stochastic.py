from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

from yardstone.errors import InputError, UsageError
from yardstone.pool import Pool
from yardstone_lab.neubauer.experiment.models import Stochastic, points_lost
from yardstone_lab.neubauer.moves import MoveSets


def head_of(*sides: list[float]) -> MoveSets:
    """Recent moves that lost so many points each."""
    lost = np.array([loss for side in sides for loss in side])
    features = np.zeros((len(lost), 6), np.float32)
    features[:, 5] = 0.1 * lost
    starts = np.concatenate([[0], np.cumsum([len(side) for side in sides])])
    return MoveSets(features, np.arange(len(lost)), starts)


def by_hand(black: list[float], white: list[float], moves: float) -> float:
    """Equation 4.3 as it is printed."""
    difference = moves * statistics.fmean(white) - moves * statistics.fmean(black)
    spread = math.sqrt(moves * statistics.variance(black) + moves * statistics.variance(white))
    return statistics.NormalDist().cdf(difference / spread)


def test_expected_scores_by_hand() -> None:
    black, white = [1.0, 0.5, 3.0, -0.2], [2.0, 0.0, 4.0]
    model = Stochastic(moves=127.0, mean=1.0, variance=4.0)
    result = model.expected(head_of(black, white, white, black))
    assert result[0] == pytest.approx(by_hand(black, white, 127.0), abs=1e-6)
    assert result[0] + result[1] == pytest.approx(1.0)
    latest = model.expected(head_of(black, white), window=3)
    assert latest[0] == pytest.approx(by_hand(black[1:], white, 127.0), abs=1e-6)


def test_few_moves_and_no_spread_have_a_defined_answer() -> None:
    model = Stochastic(moves=100.0, mean=1.5, variance=4.0)
    one = statistics.NormalDist().cdf(100.0 * (1.5 - 0.5) / math.sqrt(100.0 * 8.0))
    expected = model.expected(head_of([], [], [0.5], [], [1.5], []))
    assert expected == pytest.approx([0.5, one, 0.5], abs=1e-6)
    # Equal losses in every move: the one who loses less is sure to win; equals are even.
    model = Stochastic(moves=100.0, mean=1.0, variance=0.0)
    expected = model.expected(head_of([1.0] * 3, [2.0] * 3, [1.0] * 3, [1.0] * 3))
    assert expected == pytest.approx([1.0, 0.5], abs=1e-3)


def test_constants_come_from_the_training_games() -> None:
    head = head_of([1.0, 3.0], [2.0], [4.0], [0.0, 2.0])
    pool = Pool.from_names(
        ["A", "B", "A"], ["B", "A", "B"], [1, 0, 1], columns={"moves": [200, 300, 900]}
    )
    model = Stochastic.fit(head, pool, np.array([True, True, False]))
    assert model.moves == 125.0
    assert model.mean == pytest.approx(2.0)
    assert model.variance == pytest.approx(np.var([1, 3, 2, 4, 0, 2]), rel=1e-5)
    assert points_lost(head.features)[:3] == pytest.approx([1.0, 3.0, 2.0])


def test_what_is_no_model() -> None:
    with pytest.raises(UsageError, match="not a model"):
        Stochastic(moves=0.0, mean=1.0, variance=1.0)
    with pytest.raises(InputError, match="no head features"):
        Stochastic(moves=1.0, mean=1.0, variance=1.0).expected(
            MoveSets(np.zeros((1, 4), np.float32), np.array([0]), np.array([0, 1, 1]))
        )
    pool = Pool.from_names(["A"], ["B"], [1], columns={"moves": [200]})
    with pytest.raises(InputError, match="no moves of training games"):
        Stochastic.fit(head_of([], []), pool, np.array([True]))
