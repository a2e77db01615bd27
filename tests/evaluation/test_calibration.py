from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.evaluation.metrics import calibrate, recalibration


def outcomes(seed: int, games: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    truth = generator.uniform(0.05, 0.95, games)
    return (generator.random(games) < truth).astype(float), truth


def test_true_chances_are_calibrated() -> None:
    score, truth = outcomes(1)
    result = calibrate(score, truth)
    assert result.error < 0.02
    assert_allclose([result.intercept, result.slope], [0.0, 1.0], atol=0.06)
    inside = (result.observed_low <= result.predicted) & (result.predicted <= result.observed_high)
    assert inside.sum() >= 8
    assert result.games.sum() == len(score)


def test_the_line_finds_what_was_done_to_the_predictions() -> None:
    score, truth = outcomes(2)
    logit = np.log(truth / (1 - truth))
    spoiled = 1 / (1 + np.exp(-(0.3 + 2.0 * logit)))
    intercept, slope = recalibration(score, spoiled)
    assert_allclose([intercept, slope], [-0.15, 0.5], atol=0.04)


def test_the_line_is_where_the_likelihood_is_stationary() -> None:
    score, truth = outcomes(3, 500)
    a, b = recalibration(score, truth)
    x = np.log(truth / (1 - truth))
    fitted = 1 / (1 + np.exp(-(a + b * x)))
    assert_allclose([np.sum(score - fitted), np.sum((score - fitted) * x)], 0.0, atol=1e-7)


@pytest.mark.parametrize("expected", [[0.5, 0.5, 0.5, 0.5], [0.9, 0.9, 0.1, 0.1]])
def test_a_line_that_the_data_do_not_determine(expected: list[float]) -> None:
    line = recalibration(np.array([1, 1, 0, 0]), np.array(expected))
    assert all(math.isnan(value) for value in line)
    assert calibrate([1, 1, 0, 0], expected).as_dict()["slope"] is None


def test_equal_predictions_stay_together() -> None:
    result = calibrate([1, 0, 1, 1], [0.5, 0.5, 0.5, 0.7])
    assert result.games.tolist() == [3, 1]
    assert result.predicted.tolist() == [0.5, 0.7]
    assert_allclose(result.observed, [2 / 3, 1.0])


def test_draws_make_intervals_narrower() -> None:
    mixed = calibrate([1, 0] * 50, [0.5] * 100)
    drawn = calibrate([0.5] * 100, [0.5] * 100)
    assert drawn.observed_high[0] - drawn.observed_low[0] < 0.5 * (
        mixed.observed_high[0] - mixed.observed_low[0]
    )


def test_wrong_use() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        calibrate([1], [0.5], bins=0)
    with pytest.raises(InputError):
        calibrate([1, 0], [0.5])
    with pytest.raises(NoGamesError):
        calibrate([], [])


def test_players_effects_widen_the_intervals_of_groups() -> None:
    """95 % of the intervals of three groups hold the players' mean score; without, too few."""
    held = {True: 0, False: 0}
    for seed in range(60):
        generator = np.random.default_rng(seed)
        first, second = generator.choice(12, (2, 900)).astype(np.int32)
        met = first != second
        first, second = first[met], second[met]
        level = generator.uniform(0.3, 0.7, len(first))
        effect = generator.normal(0.0, 0.1, 12)
        score = (generator.random(len(first)) < level + effect[first] - effect[second]) * 1.0
        for known in held:
            result = calibrate(score, level, bins=3, players=(first, second) if known else None)
            middle = np.array([0.367, 0.5, 0.633])
            held[known] += int(
                ((result.observed_low < middle) & (middle < result.observed_high)).sum()
            )
    assert held[True] >= 161
    assert held[False] < held[True]


def test_two_players_have_no_interval() -> None:
    first, second = np.zeros(50, np.int32), np.ones(50, np.int32)
    result = calibrate([1.0, 0.0] * 25, [0.6] * 50, players=(first, second))
    assert (result.observed_low[0], result.observed_high[0]) == (0.0, 1.0)
