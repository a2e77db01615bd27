from __future__ import annotations

import numpy as np
import pytest

from yardstone.go.evaluator import assess, can_end_without_result
from yardstone.go.rules import parse_rules

LEGAL = np.array([[1, 1, 0, 1, 1], [1, 1, 0, 1, 1]], np.uint8)
POLICY = np.array([[1.0, 2.0, 9.0, 0.0, -1.0]] * 2, np.float32)
VALUE = np.array([[1.0, -1.0, 0.0]] * 2, np.float32)
SCORE = np.array([[4.0, 6.0]] * 2, np.float32)


def test_both_sides_are_seen_from_white() -> None:
    result = assess(POLICY, VALUE, SCORE, np.array([1, 2], np.int8), LEGAL, without_result=True)
    weights = np.exp([1.0, -1.0, 0.0])
    win, loss, none = weights / weights.sum()
    assert result.white_win == pytest.approx([loss, win])
    assert result.white_loss == pytest.approx([win, loss])
    assert result.no_result == pytest.approx([none, none])
    # Scores hold for games with a result, so the others count as nothing.
    assert result.white_lead == pytest.approx([-4.0 * (1 - none), 4.0 * (1 - none)])
    assert result.white_score == pytest.approx([-6.0 * (1 - none), 6.0 * (1 - none)])
    assert result.white_expected == pytest.approx([loss + none / 2, win + none / 2])
    assert len(result) == 2


def test_without_games_without_result_the_third_value_means_nothing() -> None:
    result = assess(
        POLICY[:1], VALUE[:1], SCORE[:1], np.array([2], np.int8), LEGAL[:1], without_result=False
    )
    assert result.no_result[0] == 0.0
    assert result.white_win[0] == pytest.approx(1.0 / (1.0 + np.exp(-2.0)))
    assert result.white_lead[0] == 4.0


def test_the_policy_is_shared_by_legal_moves_alone() -> None:
    result = assess(
        POLICY[:1], VALUE[:1], SCORE[:1], np.array([1], np.int8), LEGAL[:1], without_result=False
    )
    weights = np.exp([1.0, 2.0, 0.0, -1.0])
    assert np.isnan(result.policy[0, 2])
    assert result.policy[0, [0, 1, 3, 4]] == pytest.approx(weights / weights.sum())


def test_huge_values_do_not_overflow() -> None:
    result = assess(
        POLICY[:1] * 1e4,
        VALUE[:1] * 1e6,
        SCORE[:1],
        np.array([1], np.int8),
        LEGAL[:1],
        without_result=True,
    )
    assert result.policy[0, 1] == 1.0
    assert result.white_loss[0] == 1.0


@pytest.mark.parametrize(
    ("rules", "known"),
    [("japanese", True), ("chinese", True), ("tromp-taylor", False), ("aga", False)],
)
def test_rules_that_know_games_without_result(rules: str, known: bool) -> None:
    assert can_end_without_result(parse_rules(rules)) is known
