from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from yardstone.errors import InputError, NoGamesError
from yardstone.evaluation import metrics
from yardstone.winprob.laws import draw_probability

SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=30)
CHANCES = st.floats(0.001, 0.999)


def test_accuracy_takes_an_even_chance_for_the_second_player() -> None:
    likely = math.nextafter(0.5, 1)
    assert metrics.correct([0, 1, 1], [0.5, 0.5, likely]).tolist() == [1.0, 0.0, 1.0]


def test_a_draw_is_half_right_whatever_was_predicted() -> None:
    assert metrics.correct([0.5, 0.5, 0.5], [0.1, 0.5, 0.9]).tolist() == [0.5, 0.5, 0.5]


def test_log_likelihood_is_the_formula_of_the_thesis_for_wins_and_losses() -> None:
    score = np.array([1.0, 0.0, 1.0])
    expected = np.array([0.7, 0.2, 0.4])
    assert_allclose(
        metrics.log_likelihoods(score, expected), np.log(1 - np.abs(score - expected)), rtol=1e-15
    )


def test_a_draw_is_half_a_win_for_both() -> None:
    assert_allclose(
        metrics.log_likelihoods([0.5], [0.8]), [0.5 * math.log(0.8) + 0.5 * math.log(0.2)]
    )


def test_what_cannot_happen_and_does_is_minus_infinity_and_counted() -> None:
    result = metrics.measure([1, 0, 1, 0], [0.0, 1.0, 1.0, 0.0])
    assert result.log_likelihood == -math.inf
    assert result.impossible == 2
    assert result.as_dict()["log_likelihood"] is None


@given(SCORES, st.data())
def test_measures_are_means_of_the_single_games(scores: list[float], data: st.DataObject) -> None:
    expected = data.draw(st.lists(CHANCES, min_size=len(scores), max_size=len(scores)))
    draw = draw_probability(expected, 0.3)
    result = metrics.measure(scores, expected, draw)
    for name, values in metrics.game_metrics(scores, expected, draw).items():
        assert_allclose(getattr(result, name), values.mean(), rtol=1e-12)
    assert result.games == len(scores)
    assert 0.5 <= result.constant_side <= 1.0


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_the_truth_has_the_best_expected_value(truth: float, other: float) -> None:
    """Proper scoring: no other prediction is better on average, draws included."""
    draw = float(draw_probability(truth, 0.4))
    chances = np.array([1 - truth - draw / 2, draw, truth - draw / 2])
    scores = np.array([0.0, 0.5, 1.0])

    def value(p: float, loss: bool) -> float:
        single = metrics.squared_errors if loss else metrics.log_likelihoods
        return float(chances @ single(scores, np.full(3, p)))

    assert value(truth, False) >= value(other, False) - 1e-12
    assert value(truth, True) <= value(other, True) + 1e-12


def test_three_outcomes() -> None:
    result = metrics.three_way_log_likelihoods([1, 0.5, 0], [0.6, 0.6, 0.6], [0.3, 0.3, 0.3])
    assert_allclose(result, np.log([0.45, 0.3, 0.25]), rtol=1e-14)


def test_a_draw_that_the_expected_score_leaves_no_room_for() -> None:
    with pytest.raises(InputError, match="does not go with"):
        metrics.three_way_log_likelihoods([1], [0.9], [0.3])


@pytest.mark.parametrize("expected", [[1.1], [-0.1], [math.nan]])
def test_predictions_out_of_range(expected: list[float]) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        metrics.log_likelihood([1], expected)


def test_scores_and_predictions_of_different_number() -> None:
    with pytest.raises(InputError, match="2 scores do not go with 1 predictions"):
        metrics.squared_errors([1, 0], [0.5])


def test_no_game() -> None:
    with pytest.raises(NoGamesError):
        metrics.measure([], [])
