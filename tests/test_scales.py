from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
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
    ("grade", "scale", "value"),
    [
        (0, "egf", 2100),
        (-20, "egf", 100),
        (6, "egf", 2700),
        (-1, "goldis", 1900),
        (5, "goldis", 2500),
        (-0.5, "ogs", 1918.5),  # where 1 dan begins: rank 30 of OGS
        (-10.5, "ogs", 1245.5),
        (-25.5, "ogs", 651.6),
        (-0.5, "ogs-2020", 2219.9),  # where 1 dan begins: rank 30 of OGS
        (-30.5, "ogs-2020", 850.0),
        (-12.75, "ogs-2020", 1500.0),
        (0, "ogs", 1960.4),
        (0, "elo", 2100),
        (0, "elo-egf", 2100),
    ],
)
def test_known_points(grade: float, scale: str, value: float) -> None:
    assert float(convert(grade, "grade", scale)) == pytest.approx(value, abs=0.06)


@given(st.floats(500.0, 2800.0))
def test_ogs_of_2020_and_back(rating: float) -> None:
    """Its rank counts from 30 kyu at 0; a stretch begins with its number, 1 dan with 30."""
    grade = float(convert(rating, "ogs-2020", "grade", extrapolate=True))
    assert grade + 30.5 == pytest.approx(np.log(rating / 850.0) / 0.032)
    assert float(convert(grade, "grade", "ogs-2020", extrapolate=True)) == pytest.approx(rating)


def test_1500_points_of_ogs_were_12_kyu_until_2021() -> None:
    """They have been 6 kyu since: a new player begins there."""
    rank = float(convert(1500.0, "ogs-2020", "grade")) + 30.5
    assert rank == pytest.approx(17.75, abs=0.005)
    assert 30.0 - rank == pytest.approx(12.2, abs=0.06)  # from where 1 dan begins
    rank = float(convert(1500.0, "ogs", "grade")) + 30.5
    assert rank == pytest.approx(23.15 * np.log(1500.0 / 525.0)) == pytest.approx(24.3, abs=0.01)


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
    grade = rng.integers(-20, 7, 4000).astype(float)
    rating = 2050 + 97 * grade + rng.normal(0, 60, 4000)
    fit = fit_grades(grade, rating)
    assert fit.slope == pytest.approx(97, abs=4 * fit.slope_error)
    assert fit.intercept == pytest.approx(2050, abs=4 * fit.intercept_error)
    assert fit.deviation == pytest.approx(60, rel=0.05)
    assert fit.grade_slope == pytest.approx(fit.correlation**2 / fit.slope)
    assert fit.count.sum() == fit.players == 4000
    assert fit.mean[10] == pytest.approx(rating[grade == -10].mean())
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
