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


def test_the_papers_examples() -> None:
    for first, second, exact, in_words in (
        ("2d", "4d", 0.221603, (0.215, 0.225)),  # "P = 22 %"
        ("4k", "2k", 0.358121, (0.345, 0.365)),  # "P = 35 %"
        ("8k", "6k", 0.401818, (0.395, 0.405)),  # "close to 40 %"
        ("5d", "1d", 0.943141, (0.935, 0.955)),  # "95 % almost"
    ):
        result = probability(first, second)
        assert result == pytest.approx(exact, abs=1e-6)
        assert in_words[0] < result < in_words[1]


def test_two_claims_do_not_follow_from_the_coefficients() -> None:
    # Section 4 says 3.6e-15 and 1 - 1.5e-5 for shodan against 9 dan and 9 kyu.
    assert probability("1d", "9d") == pytest.approx(1.1885e-8, rel=1e-4)
    assert probability("9k", "1d") == pytest.approx(3.2070e-8, rel=1e-4)
    # Fairclough's approximation one grade away gives figures like them.
    near = approximate_probability(PUBLISHED, -1, 8, tails=True)
    assert float(near) == pytest.approx(3.4997e-15, rel=1e-4)  # 1 kyu against 9 dan
    near = approximate_probability(PUBLISHED, -8, 0, tails=True)
    assert float(near) == pytest.approx(1.6414e-5, rel=1e-4)  # 8 kyu against shodan
    named = approximate_probability(PUBLISHED, 0, 8, tails=True)  # here it does not
    assert float(named) == pytest.approx(5.8977e-10, rel=1e-4)


def test_table_1() -> None:
    for model, values in (
        (PUBLISHED, (0.0351224, 0.00445376, 0.156777, 0.0164481, 0.18818)),
        (INITIAL, (0.04, 0.004, 0.1, 0.02, 0.2)),
    ):
        known = {name: value for name, value in model.parameters.items() if value}
        assert known == dict(zip(("u0", "v0", "u1", "u3", "K"), values, strict=True))


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
    r, p = np.meshgrid(np.linspace(-20, 6, 14), [0.001, 0.02, 0.3, 0.5, 0.77, 0.999])
    assert PUBLISHED.probability(r, opponent(PUBLISHED, r, p)) == pytest.approx(p, rel=1e-9)


def test_the_inverse_refuses_what_has_none() -> None:
    result = opponent(PUBLISHED, [0.0, -5.0], [[0.5], [0.2]])
    assert result[0] == pytest.approx([0.0, -5.0], abs=1e-12)
    falling = Kaniuk.from_parameters({"u0": -0.1, "K": 0.1})
    for p in (0.0, 1.0, np.nan):
        with pytest.raises(UsageError, match="strictly between"):
            opponent(PUBLISHED, 0, p)
    with pytest.raises(UsageError, match="falls steadily"):
        opponent(falling, 0, 0.3)
    with pytest.raises(UsageError, match="w9"):
        Kaniuk.from_parameters({"w9": 1.0})


def test_tails_keep_their_precision() -> None:
    assert float(PUBLISHED.probability(0, 10)) == pytest.approx(1.1756933612746581e-20, rel=1e-9)
    assert float(log_probability(PUBLISHED, 0, 8)) == pytest.approx(np.log(1.1885028607e-8))
    assert np.isfinite(log_probability(PUBLISHED, 0, 30))
    p = np.array([1e-12, 0.3, 0.5, 0.9])
    assert PUBLISHED.probability(0, opponent(PUBLISHED, 0, p)) == pytest.approx(p, rel=1e-8)
    assert gap_of_probability(0.5) == 0.0


def test_faircloughs_accuracy() -> None:
    x = np.linspace(-5, 5, 20001)
    inside = x[np.abs(x) <= ERF_LIMIT]
    assert erfinv_approximation(erf_approximation(inside)) == pytest.approx(inside, abs=1e-9)
    error = np.abs(erf_approximation(x, tails=True) - erf(x))
    assert error.max() == pytest.approx(3.218e-4, rel=1e-3)  # the paper: better than 6e-4
    assert pytest.approx(3.875, abs=5e-4) == FAIRCLOUGH_D
    assert pytest.approx(0.6856, abs=5e-5) == FAIRCLOUGH_C


def test_faircloughs_approximation_is_refused_in_the_tails() -> None:
    cases: list[Callable[[], object]] = [
        lambda: erf_approximation(ERF_LIMIT + 0.01),
        lambda: erfinv_approximation(0.9999),
        lambda: approximate_probability(PUBLISHED, 0, 8),
    ]
    for refused in cases:
        with pytest.raises(UsageError, match="refused"):
            refused()
    close = float(approximate_probability(PUBLISHED, 1, 3))
    assert close == pytest.approx(0.2215559, abs=1e-6)


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
