from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.winprob.kaniuk import PUBLISHED
from yardstone.winprob.laws import win_probability
from yardstone.winprob.scales import SCALES, convert, egf_of_pro, kaniuk_elo
from yardstone_lab.kaniuk import fit_grades, read_egf_list


@given(st.floats(-19, 8), st.sampled_from(sorted(SCALES)), st.sampled_from(sorted(SCALES)))
def test_every_conversion_has_its_inverse(grade: float, one: str, two: str) -> None:
    value = convert(grade, "grade", one)
    there = convert(value, one, two)
    assert float(convert(there, two, "grade")) == pytest.approx(grade, abs=1e-8)


@pytest.mark.parametrize(
    ("scale", "known"),
    [
        ("egf", {0: 2100, -20: 100, 6: 2700}),
        ("goldis", {-1: 1900, 5: 2500}),
        ("ogs", {-0.5: 1918.5, -10.5: 1245.5, -25.5: 651.6, 0: 1960.4}),  # 1 dan begins at rank 30
        ("ogs", {23.15 * np.log(1500.0 / 525.0) - 30.5: 1500.0}),  # 6 kyu; 12 kyu until 2021
        ("ogs-2020", {-0.5: 2219.9, -30.5: 850.0, -12.75: 1500.0}),
        ("elo", {0: 2100}),
        ("elo-egf", {0: 2100}),
    ],
)
def test_known_points(scale: str, known: dict[float, float]) -> None:
    there = convert(np.array([*known], float), "grade", scale)
    np.testing.assert_allclose(there, [*known.values()], rtol=0, atol=0.06)


@given(st.floats(500.0, 2800.0))
def test_ogs_of_2020_and_back(rating: float) -> None:
    """Its rank counts from 30 kyu at 0; a stretch begins with its number, 1 dan with 30."""
    grade = float(convert(rating, "ogs-2020", "grade", extrapolate=True))
    assert grade + 30.5 == pytest.approx(np.log(rating / 850.0) / 0.032)
    assert float(convert(grade, "grade", "ogs-2020", extrapolate=True)) == pytest.approx(rating)


def test_elo_of_egf_gives_egfs_expected_score() -> None:
    ratings = np.array([400.0, 1500.0, 2100.0, 2650.0])
    elo = convert(ratings, "egf", "elo-egf")
    beta = -7.0 * np.log(3300.0 - ratings)
    expected = 1.0 / (1.0 + np.exp(beta[None, :] - beta[:, None]))
    result = win_probability(elo[:, None] - elo[None, :])
    assert result == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("grade", [-15.0, -5.0, 0.0, 5.0])
def test_kaniuk_elo_has_the_slope_of_the_probability(grade: float) -> None:
    step = 0.01
    gap = float(kaniuk_elo(grade + step) - kaniuk_elo(grade))
    p = float(PUBLISHED.probability(grade, grade + step))
    assert float(win_probability(-gap)) - 0.5 == pytest.approx(p - 0.5, rel=2e-3)


def test_ranges_and_names() -> None:
    with pytest.raises(UsageError, match="only grades from 19k to 9d"):
        convert(50, "egf", "goldis")
    assert float(convert(0, "egf", "goldis", extrapolate=True)) == -100.0
    with pytest.raises(UsageError, match="no scale"):
        convert(0, "egf", "fide")
    with pytest.raises(UsageError):
        convert(np.nan, "egf", "grade")
    assert egf_of_pro([1, 2, 9]).tolist() == [2700, 2730, 2940]
    assert all(scale.source for scale in SCALES.values())


def test_a_line_through_grades() -> None:
    rng = np.random.default_rng(0)
    grade = rng.integers(-20, 7, 400).astype(float)
    rating = 2050 + 97 * grade + rng.normal(0, 60, 400)
    fit = fit_grades(np.append(grade, [-21.0, 7.0]), np.append(rating, [0.0, 0.0]))
    known = scipy.stats.linregress(grade, rating)
    assert (fit.slope, fit.intercept) == pytest.approx((known.slope, known.intercept))
    assert fit.correlation == pytest.approx(known.rvalue)
    assert fit.grade_slope == pytest.approx(scipy.stats.linregress(rating, grade).slope)
    off = rating - known.slope * grade - known.intercept
    assert fit.deviation == pytest.approx(np.sqrt(np.sum(off**2) / 398))
    pull = (grade - grade.mean()) / np.sum((grade - grade.mean()) ** 2)
    assert fit.slope_error == pytest.approx(np.sqrt(np.sum((pull * off) ** 2)))
    pull = 1 / 400 - grade.mean() * pull
    assert fit.intercept_error == pytest.approx(np.sqrt(np.sum((pull * off) ** 2)))
    assert fit.count.sum() == fit.players == 400
    of_ten = rating[grade == -10]
    assert (fit.mean[10], fit.spread[10]) == pytest.approx((of_ten.mean(), of_ten.std(ddof=1)))
    dans = fit_grades(["1d", "2d", "3d", "1p", "2d"], np.array([2100, 2200, 2300, 9999.0, 2190]))
    assert dans.players == 4
    with pytest.raises(NoGamesError):
        fit_grades(["1d", "1d", "1d"], np.array([1.0, 2, 3]))


LINES = """<pre>
   PIN          Name                              Club     Grade P&D    GoR    NT appearance
 13633719  Aagren Thomas                         SE  Upp     6k   --   1484     1  T040529C
 16301153  Bobrov Petr                           RU  77Mo   12k  11k    894     0
 16749645  (undefined) Man_Hai                   XX  xxxx   20k   --   -100     1  T130209I
 10000000  Somebody Strong                       JP  Tok     9p   --   2940     3  T130209I
"""


def test_the_egf_list(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(LINES)
    (tmp_path / "list.txt.gz").write_bytes(gzip.compress(LINES.encode()))
    for name in ("list.txt", "list.txt.gz"):
        grades, ratings = read_egf_list(tmp_path / name)
        assert grades == ["6k", "12k", "20k", "9p"]
        assert ratings.tolist() == [1484, 894, -100, 2940]
    (tmp_path / "other").write_text("nothing\n")
    with pytest.raises(InputError, match="no player"):
        read_egf_list(tmp_path / "other")
