from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import erf

from yardstone.errors import InputError, UsageError
from yardstone.grades import format_grade, parse_grade, parse_grades
from yardstone.winprob.kaniuk import INITIAL, PUBLISHED, Kaniuk, gap_of_probability
from yardstone_lab.kaniuk import (
    ERF_LIMIT,
    FAIRCLOUGH_C,
    FAIRCLOUGH_D,
    approximate_probability,
    canonical,
    cubic,
    erf_approximation,
    erfinv_approximation,
    log_probability,
    opponent,
)

grade = st.floats(-20, 6)


def probability(first: str, second: str) -> float:
    return float(PUBLISHED.probability(parse_grade(first), parse_grade(second)))


def test_table_1_and_the_papers_examples() -> None:
    for model, values in (
        (PUBLISHED, (0.0351224, 0.00445376, 0.156777, 0.0164481, 0.18818)),
        (INITIAL, (0.04, 0.004, 0.1, 0.02, 0.2)),
    ):
        known = {name: value for name, value in model.parameters.items() if value}
        assert known == dict(zip(("u0", "v0", "u1", "u3", "K"), values, strict=True))
    for first, second, exact, said, within in (
        ("2d", "4d", 0.221603, 0.22, 0.005), ("4k", "2k", 0.358121, 0.355, 0.01),  # "35 %"
        ("8k", "6k", 0.401818, 0.40, 0.005), ("5d", "1d", 0.943141, 0.945, 0.01),  # "95 % almost"
    ):  # fmt: skip
        result = probability(first, second)
        assert result == pytest.approx(exact, abs=1e-6)
        assert result == pytest.approx(said, abs=within)


def test_two_claims_do_not_follow_from_the_coefficients() -> None:
    # Section 4 says 3.6e-15 and 1 - 1.5e-5 for shodan against 9 dan and 9 kyu.
    assert probability("1d", "9d") == pytest.approx(1.1885e-8, rel=1e-4)
    assert probability("9k", "1d") == pytest.approx(3.2070e-8, rel=1e-4)
    # Fairclough's approximation one grade away gives figures like them, and here it does not.
    for first, second, value in ((-1, 8, 3.4997e-15), (-8, 0, 1.6414e-5), (0, 8, 5.8977e-10)):
        near = approximate_probability(PUBLISHED, first, second, tails=True)
        assert float(near) == pytest.approx(value, rel=1e-4)


def test_lambda_is_the_sum_of_equation_5() -> None:
    model = Kaniuk((0.1, 0.2, 0.3, 0.4), (0.01, 0.02, 0.03, 0.04), 0.15)
    r, s = -3.0, 1.5
    expected = sum(
        (model.u[n] * (s - r) + model.v[n] * (s - r) ** 3) * np.exp(n * 0.15 * r) for n in range(4)
    )
    assert float(model.strength_gap(r, s)) == pytest.approx(expected, rel=1e-14)
    assert float(cubic(model, 2, -1.5)) == -float(cubic(model, 2, 1.5))


@given(grade, grade)
def test_antisymmetry_and_canonical_coordinates(r: float, s: float) -> None:
    gap = float(PUBLISHED.strength_gap(r, s))
    assert gap == -float(PUBLISHED.strength_gap(s, r))
    total = float(PUBLISHED.probability(r, s) + PUBLISHED.probability(s, r))
    assert total == pytest.approx(1.0, abs=1e-15)
    by_average = float(canonical(PUBLISHED, 0.5 * (r + s), s - r))
    assert by_average == pytest.approx(gap, rel=1e-9, abs=1e-12)
    assert float(PUBLISHED.probability(r, r)) == 0.5


def test_the_inverse() -> None:
    r, p = np.meshgrid(np.linspace(-20, 6, 14), [1e-12, 0.001, 0.02, 0.3, 0.5, 0.77, 0.999])
    assert PUBLISHED.probability(r, opponent(PUBLISHED, r, p)) == pytest.approx(p, rel=1e-8)
    result = opponent(PUBLISHED, [0.0, -5.0], [[0.5], [0.2]])
    assert result[0] == pytest.approx([0.0, -5.0], abs=1e-12)
    for wrong in (0.0, 1.0, np.nan):
        with pytest.raises(UsageError, match="strictly between"):
            opponent(PUBLISHED, 0, wrong)
    with pytest.raises(UsageError, match="falls steadily"):
        opponent(Kaniuk.from_parameters({"u0": -0.1, "K": 0.1}), 0, 0.3)
    with pytest.raises(UsageError, match="w9"):
        Kaniuk.from_parameters({"w9": 1.0})


def test_tails_keep_their_precision() -> None:
    assert float(PUBLISHED.probability(0, 10)) == pytest.approx(1.1756933612746581e-20, rel=1e-9)
    assert float(log_probability(PUBLISHED, 0, 8)) == pytest.approx(np.log(1.1885028607e-8))
    assert np.isfinite(log_probability(PUBLISHED, 0, 30))
    assert gap_of_probability(0.5) == 0.0


def test_faircloughs_accuracy() -> None:
    x = np.linspace(-5, 5, 20001)
    inside = x[np.abs(x) <= ERF_LIMIT]
    assert erfinv_approximation(erf_approximation(inside)) == pytest.approx(inside, abs=1e-9)
    error = np.abs(erf_approximation(x, tails=True) - erf(x))
    assert error.max() == pytest.approx(3.218e-4, rel=1e-3)  # the paper: better than 6e-4
    assert pytest.approx(3.875, abs=5e-4) == FAIRCLOUGH_D
    assert pytest.approx(0.6856, abs=5e-5) == FAIRCLOUGH_C
    close = float(approximate_probability(PUBLISHED, 1, 3))
    assert close == pytest.approx(0.2215559, abs=1e-6)
    cases: list[Callable[[], object]] = [  # in the tails
        lambda: erf_approximation(ERF_LIMIT + 0.01), lambda: erfinv_approximation(0.9999),
        lambda: approximate_probability(PUBLISHED, 0, 8),
    ]  # fmt: skip
    for refused in cases:
        with pytest.raises(UsageError, match="refused"):
            refused()


def test_grades_both_ways_and_what_is_none() -> None:
    texts = {"1d": 0, "1k": -1, "20k": -20, "7 dan": 6, " 3 Kyu ": -3, "1.5d": 0.5}
    assert {text: parse_grade(text) for text in texts} == texts
    for value in range(-30, 9):
        assert parse_grade(format_grade(value)) == value
    for text in ("", "d", "1x", "-3k", "3"):
        with pytest.raises(InputError, match="not a Go grade"):
            parse_grade(text)
    with pytest.raises(InputError, match="professional"):
        parse_grade("3p")
    result = parse_grades(["2d", "3p", None, "", "30k"])
    assert result[[0, 4]].tolist() == [1.0, -30.0]
    assert np.isnan(result[1:4]).all()
    assert format_grade(np.nan) == "?"
