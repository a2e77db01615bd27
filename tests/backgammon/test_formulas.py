from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.backgammon.known_errors import known_error
from yardstone.backgammon.formulas import ONE_POINT, PUBLISHED, PUBLISHED_TEXT, REFIT, Formula
from yardstone.errors import UsageError
from yardstone.winprob import fibs

rates = st.floats(0, 0.2)
lengths = st.integers(1, 64)
both = pytest.mark.parametrize("formula", [PUBLISHED, PUBLISHED_TEXT])

#: GNU Backgammon 1.07.001: length, EPM and EPC (equity), and its own rating lines.
PRINTED = [(5, 2.283 / 74, 0.099 / 11, 428.8, 6.8, 1614.3)]


def test_the_published_numbers() -> None:
    assert PUBLISHED.move([1, 5]).tolist() == pytest.approx([34324, 13903.2])
    assert PUBLISHED.cube([1, 3, 5]).tolist() == pytest.approx([344, 690, 759.2])
    assert PUBLISHED.decision([1, 3, 5, 7]).round().tolist() == [35652, 19865, 16707, 15354]


def test_the_text_at_one_point() -> None:
    assert PUBLISHED_TEXT.move([1, 5]).tolist() == pytest.approx([ONE_POINT, 13903.2])
    assert PUBLISHED_TEXT.decision([1, 5]).tolist() == pytest.approx([ONE_POINT, 16707.2])
    assert PUBLISHED_TEXT.cube(1) == PUBLISHED.cube(1)


@pytest.mark.parametrize(("length", "epm", "epc", "chequer", "cube", "rating"), PRINTED)
def test_what_gnu_backgammon_prints(
    length: int, epm: float, epc: float, chequer: float, cube: float, rating: float
) -> None:
    assert float(PUBLISHED.move(length) * epm) == pytest.approx(chequer, abs=0.2)
    assert float(PUBLISHED.cube(length) * epc) == pytest.approx(cube, abs=0.1)
    assert float(PUBLISHED.rating(epm, epc, length)) == pytest.approx(rating, abs=0.3)


@both
@given(rates, rates, lengths)
def test_all_ways_round(formula: Formula, epm: float, epc: float, length: int) -> None:
    rating = formula.rating(epm, epc, length, 2100)
    assert float(formula.epm(rating, epc, length, 2100)) == pytest.approx(epm, abs=1e-9)
    assert float(formula.epc(rating, epm, length, 2100)) == pytest.approx(epc, abs=1e-7)
    other = formula.rating_of_decisions(epm, length, 2100)
    assert float(formula.epd(other, length, 2100)) == pytest.approx(epm, abs=1e-9)


@both
@given(rates, rates, rates, rates, lengths)
def test_as_a_probability(
    formula: Formula, epm: float, epc: float, other_epm: float, other_epc: float, length: int
) -> None:
    one, other = (epm, epc), (other_epm, other_epc)
    chance = float(formula.probability(one, other, length))
    ratings = [formula.rating(*player, length) for player in (one, other)]
    assert chance == pytest.approx(float(fibs.probability(ratings[0], ratings[1], length)))
    assert chance + float(formula.probability(other, one, length)) == pytest.approx(1)
    assert float(formula.difference(one, other, length)) == pytest.approx(
        float(ratings[0] - ratings[1]), abs=1e-6
    )


def test_arrays_broadcast() -> None:
    result = PUBLISHED.rating(np.array([[0.01], [0.02]]), 0.02, [1, 3, 5])
    assert result.shape == (2, 3)
    assert (np.diff(result, axis=0) < 0).all()


def test_out_of_range() -> None:
    with pytest.raises(UsageError, match="EPM"):
        PUBLISHED.rating(-0.01, 0.0, 5)
    with pytest.raises(UsageError, match="EPC"):
        PUBLISHED.rating(0.01, -0.1, 5)
    with pytest.raises(UsageError, match="EPD"):
        PUBLISHED.rating_of_decisions(-0.1, 5)
    with pytest.raises(UsageError, match="length"):
        PUBLISHED.rating(0.01, 0.0, 0)


def test_errors_of_the_refit_are_those_of_its_numbers_drawn() -> None:
    assert REFIT.covariance is not None
    mean = [n for w in (REFIT.move, REFIT.cube, REFIT.decision) for n in (w.constant, w.inverse)]
    generator = np.random.default_rng(1)
    drawn = generator.multivariate_normal(mean, np.array(REFIT.covariance), 40_000)
    for length in (3.0, 7.0, 23.0):
        weights = drawn[:, ::2] + drawn[:, 1::2] / length
        loss = weights[:, 0] * 0.009 - weights[:, 1] * 0.02  # a difference has either sign
        result = REFIT.loss_error(0.009, -0.02, length)
        assert known_error(result) == pytest.approx(loss.std(), rel=0.02)
        assert known_error(REFIT.decision_error(-0.01, length)) == pytest.approx(
            (weights[:, 2] * 0.01).std(), rel=0.02
        )
    mixed = REFIT.mean_loss_error([0.01, 0.02], [0.0, 0.03], [3, 5])
    three, five = (drawn[:, ::2] + drawn[:, 1::2] / length for length in (3.0, 5.0))
    means = (three[:, 0] * 0.01 + five[:, 0] * 0.02 + five[:, 1] * 0.03) / 2.0
    assert mixed == pytest.approx(means.std(), rel=0.02)
    assert PUBLISHED.loss_error(0.01, 0.02, 5) is None
    assert PUBLISHED.decision_error(0.01, 5) is None
    assert PUBLISHED.mean_loss_error(0.01, 0.02, 5) is None


def test_the_refit_at_one_point() -> None:
    assert float(REFIT.loss(0.01, 0.0, 1)) == pytest.approx(float(REFIT.loss_of_decisions(0.01, 1)))
    assert known_error(REFIT.loss_error(0.01, 0.0, 1)) == pytest.approx(
        known_error(REFIT.decision_error(0.01, 1))
    )
    # There is no cube: the function would make its errors a gain.
    with pytest.raises(UsageError, match="no cube"):
        REFIT.loss(0.01, 0.02, [1, 5])


def test_a_factor_with_an_error() -> None:
    formula = PUBLISHED.times(0.8, "x", 0.1)
    assert known_error(formula.loss_error(0.01, 0.02, 5)) == pytest.approx(
        0.1 * float(PUBLISHED.loss(0.01, 0.02, 5))
    )
    # Two doubts add up as squares.
    twice = REFIT.times(1.0, "x", 0.1)
    expected = np.hypot(
        0.1 * REFIT.loss_of_decisions(0.01, 5), known_error(REFIT.decision_error(0.01, 5))
    )
    assert known_error(twice.decision_error(0.01, 5)) == pytest.approx(float(expected))


def test_a_formula_and_its_record() -> None:
    record = json.loads(json.dumps(REFIT.as_record()))
    again = Formula.from_record(record).with_one_point()
    assert (again.move, again.cube, again.covariance) == (REFIT.move, REFIT.cube, REFIT.covariance)
    assert Formula.from_record(PUBLISHED.as_record()) == PUBLISHED
