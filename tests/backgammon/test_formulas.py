"""Error rates to ratings and back: the published numbers, and the doubt about fitted ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yardstone.backgammon.formulas import PEOPLE, PUBLISHED, PUBLISHED_TEXT, REFIT, Formula
from yardstone.errors import UsageError
from yardstone.winprob import fibs

rates = st.floats(0, 0.2)


def test_the_published_numbers() -> None:
    assert PUBLISHED.move([1, 5]).tolist() == pytest.approx([34324, 13903.2])
    assert PUBLISHED.cube([1, 3, 5]).tolist() == pytest.approx([344, 690, 759.2])
    assert PUBLISHED.decision([1, 3, 5, 7]).round().tolist() == [35652, 19865, 16707, 15354]
    # The text has one weight for one point.
    assert PUBLISHED_TEXT.move([1, 5]).tolist() == pytest.approx([37916, 13903.2])
    assert PUBLISHED_TEXT.decision([1, 5]).tolist() == pytest.approx([37916, 16707.2])
    assert PUBLISHED_TEXT.cube(1) == PUBLISHED.cube(1)
    # GNU Backgammon 1.07.001 at EPM 2.283 / 74 and EPC 0.099 / 11 in a match to 5 points.
    epm, epc = 2.283 / 74, 0.099 / 11
    assert float(PUBLISHED.move(5) * epm) == pytest.approx(428.8, abs=0.2)
    assert float(PUBLISHED.cube(5) * epc) == pytest.approx(6.8, abs=0.1)
    assert float(PUBLISHED.rating(epm, epc, 5)) == pytest.approx(1614.3, abs=0.3)
    # People's is 0.845 (0.067) times that, which is all its doubt.
    loss = float(PUBLISHED.loss(0.01, 0.02, 5))
    assert float(PEOPLE.loss(0.01, 0.02, 5)) == pytest.approx(0.845 * loss)
    assert PEOPLE.loss_error(0.01, 0.02, 5) == pytest.approx(0.067 * loss)


@given(st.sampled_from([PUBLISHED, PUBLISHED_TEXT]), rates, rates, rates, rates, st.integers(1, 64))
def test_all_ways_round(
    formula: Formula, epm: float, epc: float, other_epm: float, other_epc: float, length: int
) -> None:
    rating = formula.rating(epm, epc, length, 2100)
    assert float(formula.epm(rating, epc, length, 2100)) == pytest.approx(epm, abs=1e-9)
    assert float(formula.epc(rating, epm, length, 2100)) == pytest.approx(epc, abs=1e-7)
    of_all = formula.rating_of_decisions(epm, length, 2100)
    assert float(formula.epd(of_all, length, 2100)) == pytest.approx(epm, abs=1e-9)
    one, other = (epm, epc), (other_epm, other_epc)
    ahead = float(rating - formula.rating(*other, length, 2100))
    assert float(formula.difference(one, other, length)) == pytest.approx(ahead, abs=1e-6)
    chance = float(formula.probability(one, other, length))
    assert chance == pytest.approx(float(fibs.probability(ahead, 0.0, length)))
    assert chance + float(formula.probability(other, one, length)) == pytest.approx(1)


def test_arrays_broadcast() -> None:
    result = PUBLISHED.rating(np.array([[0.01], [0.02]]), 0.02, [1, 3, 5])
    assert result.shape == (2, 3)
    assert result[1, 2] == float(PUBLISHED.rating(0.02, 0.02, 5))


def test_out_of_range() -> None:
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: PUBLISHED.rating(-0.01, 0.0, 5), "EPM"),
        (lambda: PUBLISHED.rating(6.01, 0.0, 5), "EPM .* thousandths"),
        (lambda: PUBLISHED.rating(0.01, -0.1, 5), "EPC"),
        (lambda: PUBLISHED.rating_of_decisions(-0.1, 5), "EPD"),
        (lambda: PUBLISHED.rating(0.01, 0.0, 0), "length"),
    ]
    for wrong, message in cases:
        with pytest.raises(UsageError, match=message):
            wrong()
    assert float(PUBLISHED.loss(0.0, 6.0, 5)) == pytest.approx(759.2 * 6)  # one decision can


def changed(formula: Formula, number: int, by: float) -> Formula:
    """The formula with one of its six numbers changed."""
    name, part = ("move", "cube", "decision")[number // 2], ("constant", "inverse")[number % 2]
    weight = getattr(formula, name)
    return replace(formula, **{name: replace(weight, **{part: getattr(weight, part) + by})})


def test_errors_of_the_refit_are_those_of_its_numbers() -> None:
    covariance = np.array(REFIT.covariance)
    assert covariance.shape == (6, 6)
    plain = replace(
        REFIT, move=replace(REFIT.move, one_point=None)
    )  # one_point follows from others

    def error(loss: Any) -> float:
        """By how much the loss changes with each number."""
        slope = np.array([loss(changed(plain, k, 1.0)) - loss(plain) for k in range(6)])
        return float(np.sqrt(slope @ covariance @ slope))

    for length in (3, 7, 23):
        # EPM and EPC may be differences of either sign.
        expected = error(lambda f, n=length: f.move(n) * 0.009 - f.cube(n) * 0.02)
        assert REFIT.loss_error(0.009, -0.02, length) == pytest.approx(expected)
        expected = error(lambda f, n=length: f.decision(n) * 0.01)
        assert REFIT.decision_error(-0.01, length) == pytest.approx(expected)
    mean = error(lambda f: (f.loss(0.01, 0.0, 3) + f.loss(0.02, 0.03, 5)) / 2)
    assert REFIT.mean_loss_error([0.01, 0.02], [0.0, 0.03], [3, 5]) == pytest.approx(mean)
    for error_of in (PUBLISHED.loss_error, PUBLISHED.mean_loss_error):
        assert error_of(0.01, 0.02, 5) is None
    assert PUBLISHED.decision_error(0.01, 5) is None
    # At one point, where there is no cube, moves weigh what all decisions do.
    assert float(REFIT.loss(0.01, 0.0, 1)) == pytest.approx(float(REFIT.loss_of_decisions(0.01, 1)))
    assert REFIT.loss_error(0.01, 0.0, 1) == pytest.approx(REFIT.decision_error(0.01, 1))
    with pytest.raises(UsageError, match="no cube"):  # they would be a gain
        REFIT.loss(0.01, 0.02, [1, 5])


def test_a_factor_with_an_error() -> None:
    formula = PUBLISHED.times(0.8, "x", 0.1)
    loss = float(PUBLISHED.loss(0.01, 0.02, 5))
    assert float(formula.loss(0.01, 0.02, 5)) == pytest.approx(0.8 * loss)
    assert formula.loss_error(0.01, 0.02, 5) == pytest.approx(0.1 * loss)
    assert PUBLISHED.times(0.8, "x").covariance is None
    # Two doubts add up as squares; the formula's own grows with the factor.
    own = REFIT.decision_error(0.01, 5)
    assert own is not None
    both = np.hypot(0.1 * REFIT.loss_of_decisions(0.01, 5), 2.0 * own)
    assert REFIT.times(2.0, "x", 0.1).decision_error(0.01, 5) == pytest.approx(float(both))
    assert REFIT.times(2.0, "x").decision_error(0.01, 5) == pytest.approx(2.0 * float(own))


def test_a_formula_and_its_record() -> None:
    record = json.loads(json.dumps(REFIT.as_record()))
    again = Formula.from_record(record).with_one_point()
    assert (again.move, again.cube, again.covariance) == (REFIT.move, REFIT.cube, REFIT.covariance)
    assert Formula.from_record(PUBLISHED.as_record()) == PUBLISHED
