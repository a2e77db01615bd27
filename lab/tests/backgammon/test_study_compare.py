from __future__ import annotations

import numpy as np
import pytest

from lab.tests.backgammon.made_table import made_table
from yardstone.backgammon.formulas import PUBLISHED
from yardstone.errors import NoGamesError, UsageError
from yardstone.winprob import fibs
from yardstone_lab.vandendoel.choices import LeftOut
from yardstone_lab.vandendoel.comparison import _deal, compare_formulas
from yardstone_lab.vandendoel.play import depth_check, part_one, part_two
from yardstone_lab.vandendoel.tables import StudyTable, make_cells

NAMES = [
    "a(N), published",
    "a2(N), b(N), published",
    "a(N), refitted",
    "a2(N), b(N), refitted",
    "a2(N), b(N), cube errors per move, refitted",
    "a2(N), b(N), c(N) for EPC squared, refitted",
]


def another_truth(length: int, epm: float, epc: float, epd: float) -> float:
    return (12000.0 + 40000.0 / length) * epm + (500.0 + 1000.0 / length) * epc


def published_truth(length: int, epm: float, epc: float, epd: float) -> float:
    return float(PUBLISHED.loss(epm, epc, length))


@pytest.fixture(scope="module")
def table() -> StudyTable:
    return made_table([*part_one(), *part_two()], another_truth, 60)


@pytest.mark.parametrize("left_out", list(LeftOut))
def test_the_true_form_wins(table: StudyTable, left_out: LeftOut) -> None:
    result = compare_formulas(table, left_out=left_out)
    assert result.matches == len(table)
    assert result.parts == (10 if left_out is LeftOut.matches else 6)
    scores = {score.name: score for score in result.scores}
    assert list(scores) == NAMES
    best = scores["a2(N), b(N), refitted"]
    assert best.log_score == min(score.log_score for score in result.scores[:4])
    assert best.difference < -5 * best.difference_error
    assert result.scores[0].difference == 0.0


def test_a_refit_of_the_truth_hardly_costs() -> None:
    made = made_table([*part_one(), *part_two()], published_truth, 60)
    result = compare_formulas(made)
    old, new = result.scores[1], result.scores[3]
    assert new.log_score - old.log_score == pytest.approx(0.0, abs=3e-4)


def test_a_curve_is_worth_its_coefficients_where_there_is_one() -> None:
    def curved(length: int, epm: float, epc: float, epd: float) -> float:
        return another_truth(length, epm, epc, epd) - 1500.0 * epc**2

    made = made_table([*part_one(), *part_two()], curved, 60)
    scores = {score.name: score.log_score for score in compare_formulas(made).scores}
    assert min(scores, key=lambda name: scores[name]) == NAMES[-1]


def test_scores_by_hand(table: StudyTable) -> None:
    answer = compare_formulas(table, left_out=LeftOut.lengths)
    cells = make_cells(table)
    loss = PUBLISHED.decision(cells.length) * np.diff(cells.decision_error, axis=1)[:, 0]
    chance = dict(zip(cells.settings, fibs.probability(loss, 0.0, cells.length), strict=True))
    p = np.array([chance[setting] for setting in table.settings])[table.setting]
    for result, score in (
        (table.luck_adjusted, answer.scores[0].log_score),
        (table.won, answer.scores[0].outcome_score),
    ):
        assert score == pytest.approx(
            float(-np.mean(result * np.log(p) + (1 - result) * np.log(1 - p)))
        )


def test_the_deal_is_even_and_does_not_see_the_order(table: StudyTable) -> None:
    part = _deal(table, 7, seed=3)
    for k in range(len(table.settings)):
        counts = np.bincount(part[table.setting == k], minlength=7)
        assert counts.max() - counts.min() <= 1
    order = np.random.default_rng(1).permutation(len(table))
    np.testing.assert_array_equal(_deal(table.take(order), 7, seed=3), part[order])
    shuffled = compare_formulas(table.take(order))
    for one, two in zip(shuffled.scores, compare_formulas(table).scores, strict=True):
        assert one.log_score == pytest.approx(two.log_score, abs=1e-7)


def test_what_cannot_be_compared(table: StudyTable) -> None:
    with pytest.raises(UsageError, match="2 or more"):
        compare_formulas(table, folds=1)
    with pytest.raises(UsageError, match="three or more"):
        compare_formulas(made_table(part_one((3, 5)), another_truth, 9), left_out=LeftOut.lengths)
    with pytest.raises(NoGamesError, match="Part I"):
        compare_formulas(made_table(depth_check(), another_truth, 9))
    with pytest.raises(NoGamesError, match="enough matches"):
        compare_formulas(made_table(part_one((3,)), another_truth, 1))
