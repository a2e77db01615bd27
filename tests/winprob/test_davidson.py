"""Draws by Davidson's law against its definition and the manual's equations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yardstone.winprob.laws import (
    draw_probability,
    points_per_logit,
    rating_difference,
    win_draw_loss,
    win_probability,
)

PROBABILITY = st.floats(1e-6, 1 - 1e-6)


@given(PROBABILITY, PROBABILITY)
def test_results_sum_to_one_and_keep_the_expected_score(p: float, rate: float) -> None:
    win, draw, loss = (float(x) for x in win_draw_loss(p, rate))
    assert win + draw + loss == pytest.approx(1, abs=1e-12)
    assert win + draw / 2 == pytest.approx(p, abs=1e-12)
    assert min(win, draw, loss) >= 0


@given(PROBABILITY, st.floats(0.001, 0.999))
def test_davidsons_law(p: float, rate: float) -> None:
    """D^2 = (2 d0 / (1 - d0))^2 W L (equation 33)."""
    win, draw, loss = (float(x) for x in win_draw_loss(p, rate))
    assert draw**2 == pytest.approx((2 * rate / (1 - rate)) ** 2 * win * loss, rel=1e-6)


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.49) | st.floats(0.51, 0.99))
def test_equation_36(p: float, rate: float) -> None:
    a = 4 * ((1 - rate) / (2 * rate)) ** 2 - 1
    printed = (-1 + np.sqrt(1 - 4 * (p * p - p) * a)) / a
    assert float(draw_probability(p, rate)) == pytest.approx(printed, rel=1e-9)


def test_special_rates() -> None:
    p = np.linspace(0.05, 0.95, 19)
    np.testing.assert_allclose(draw_probability(p, 0.5), 2 * p * (1 - p), rtol=1e-15)
    np.testing.assert_allclose(draw_probability(0.5, p), p, rtol=1e-12)
    win, draw, loss = win_draw_loss(p, 0.0)
    assert (draw == 0).all()
    np.testing.assert_allclose(win, p)
    np.testing.assert_allclose(loss, 1 - p)


def test_tails_stay_positive() -> None:
    _, _, loss = win_draw_loss(1 - 1e-12, 0.4)
    assert 0 < float(loss) < 1e-12


def test_logistic_scale() -> None:
    points = points_per_logit(202)
    assert float(win_probability(202, points_per_logit=points)) == pytest.approx(0.76, abs=1e-15)
    assert float(win_probability(400)) == pytest.approx(10 / 11)
    assert float(rating_difference(0.76, points_per_logit=points)) == pytest.approx(202)
    assert float(win_probability(-1e9)) == 0.0
    assert np.isposinf(rating_difference(1.0))
