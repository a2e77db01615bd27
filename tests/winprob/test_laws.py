"""The laws of winning at known points: the logistic, Davidson's draws, the EGF's, and FIBS'."""

from __future__ import annotations

from math import inf, log, nan

import numpy as np
import pytest
from scipy import special

from yardstone.errors import UsageError
from yardstone.winprob import fibs, laws
from yardstone.winprob.laws import draw_probability, win_draw_loss, win_probability


def test_davidsons_law() -> None:
    """D² = (2 d / (1 - d))² W L, W + D/2 = p and W + D + L = 1 (33); and equation 36."""
    p, rate = np.meshgrid([1e-6, 0.01, 0.2, 0.5, 0.7, 0.99], [0.001, 0.2, 0.49, 0.51, 0.9, 0.999])
    win, draw, loss = win_draw_loss(p, rate)
    np.testing.assert_allclose(win + draw + loss, 1.0, atol=1e-12)
    np.testing.assert_allclose(win + draw / 2, p, atol=1e-12)
    assert min(win.min(), draw.min(), loss.min()) >= 0
    np.testing.assert_allclose(draw**2, (2 * rate / (1 - rate)) ** 2 * win * loss, rtol=1e-6)
    a = 4 * ((1 - rate) / (2 * rate)) ** 2 - 1
    printed = (-1 + np.sqrt(1 - 4 * (p * p - p) * a)) / a
    np.testing.assert_allclose(draw_probability(p, rate)[:, 1:], printed[:, 1:], rtol=1e-8)


def test_special_rates_and_tails() -> None:
    p = np.linspace(0.05, 0.95, 19)
    np.testing.assert_allclose(draw_probability(p, 0.5), 2 * p * (1 - p), rtol=1e-15)
    np.testing.assert_allclose(draw_probability(0.5, p), p, rtol=1e-12)
    np.testing.assert_allclose(win_draw_loss(p, 0.0), [p, 0.0 * p, 1 - p])
    for ends, wanted in ((0.0, (0.0, 0.0, 1.0)), (1.0, (1.0, 0.0, 0.0))):
        assert [float(x) for x in win_draw_loss(ends, 0.3)] == pytest.approx(wanted)
    _, _, loss = win_draw_loss(1 - 1e-12, 0.4)
    assert 0 < float(loss) < 1e-12


def test_the_logistic_law_on_its_scales() -> None:
    points = laws.points_per_logit(202)
    assert float(win_probability(202, points_per_logit=points)) == pytest.approx(0.76, abs=1e-15)
    assert laws.points_per_logit() == points
    assert laws.points_per_logit(100.0, expected=0.75) == pytest.approx(100.0 / log(3.0))
    assert float(win_probability(400)) == pytest.approx(10 / 11)
    assert float(laws.rating_difference(0.76, points_per_logit=points)) == pytest.approx(202)
    assert float(win_probability(-1e9)) == 0.0
    assert np.isposinf(laws.rating_difference(1.0))
    assert laws.logit([0.0, 0.5, 0.75]).tolist() == pytest.approx([-inf, 0.0, log(3.0)])
    assert np.isnan(laws.log_logistic(nan))
    assert float(laws.log_logistic(-800.0)) == -800.0


def test_the_normal_law() -> None:
    x = np.array([-inf, -1e8, -40.0, -30.1, -30.0, -29.9, -5.0, -1.0, -0.3, 0.0, 0.3, 7.0, inf])
    cases = ((laws.normal_cdf, special.ndtr), (laws.normal_log_cdf, special.log_ndtr))
    for ours, wanted in cases:
        np.testing.assert_allclose(ours(x), wanted(x), rtol=1e-12)
        np.testing.assert_allclose(ours(x.reshape(13, 1).T[::-1]), wanted(x)[None], rtol=1e-12)
        assert ours(0.5).shape == ()
        assert np.isnan(ours(nan))


def test_the_egfs_law_since_2021_and_bisection() -> None:
    """Odds are the seventh power of the ratio of what is left to 3300; 3290 is the most."""
    assert float(laws.egf_probability(2100, 2000)) == pytest.approx(1 / (1 + (12 / 13) ** 7))
    assert float(laws.egf_probability(2000, 2100)) == pytest.approx(1 / (1 + (13 / 12) ** 7))
    assert laws.egf_probability(3295, 2100) == laws.egf_probability(3290, 2100)
    assert laws.egf_probability(3285, 2100) < laws.egf_probability(3290, 2100)
    roots = laws.bisect(lambda x: x * x >= np.array([2.0, 9.0]), 0.0, 4.0)
    np.testing.assert_allclose(roots, [2.0**0.5, 3.0], rtol=1e-15)
    assert laws.bisect(lambda x: x > 1.3, 0.0, 4.0, halvings=2) == 1.5


#: Score of the favourite by rating difference and length, as players' tables of the
#: formula have it.
TABLE = {
    100: {1: 0.529, 3: 0.550, 5: 0.564, 7: 0.576, 9: 0.585, 11: 0.594},
    300: {1: 0.585, 3: 0.645, 5: 0.684, 7: 0.714, 9: 0.738, 11: 0.759},
    700: {1: 0.691, 3: 0.802, 5: 0.858, 7: 0.894, 9: 0.918, 11: 0.935},
}


def test_the_formula_of_fibs_and_its_inverse() -> None:
    for ahead, row in TABLE.items():
        result = fibs.probability(1500 + ahead, 1500, list(row))
        assert np.abs(result - list(row.values())).max() < 6e-4
    one, other = np.meshgrid([500.0, 1500.0, 1800.5, 2500.0], [500.0, 1633.0, 2500.0])
    for length in (1, 5, 64):
        chance = fibs.probability(one, other, length)
        wanted = 1 / (1 + 10 ** ((other - one) * length**0.5 / 2000))
        np.testing.assert_allclose(chance, wanted, rtol=1e-12)
        np.testing.assert_allclose(fibs.difference(chance, length), one - other, atol=1e-5)
    assert fibs.difference([0.0, 0.5, 1.0], 5).tolist() == [-inf, 0.0, inf]
    for wrong in (-0.1, 1.1, nan):
        with pytest.raises(UsageError, match="between 0 and 1"):
            fibs.difference(wrong, 5)
    for wrong in (0, 0.5, nan, inf):
        with pytest.raises(UsageError, match="1 or more"):
            fibs.probability(1500, 1500, wrong)
