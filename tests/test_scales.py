"""Scales of ratings and grades: known points, inverses, and one number line for all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from yardstone import grades
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.grades import format_grade, nearest_grade, parse_grade, split_grade
from yardstone.ratings.egf import grade_rating
from yardstone.reports.strength import RANK_AXES
from yardstone.strength import site_scales
from yardstone.strength.site_scales import SITE_SCALES, fox_rank, scales_from
from yardstone.tournament.formats.opengotha import format_rank, parse_rank
from yardstone.winprob import scales
from yardstone.winprob.goldis import goldis_of_grade, rank_rating
from yardstone.winprob.kaniuk import PUBLISHED
from yardstone.winprob.laws import win_probability
from yardstone.winprob.scales import SCALES, convert, convert_rating, fox_of_grade, grade_of_fox
from yardstone_lab.kaniuk import fit_grades, read_egf_list


@given(st.floats(-19, 8), st.sampled_from(sorted(SCALES)), st.sampled_from(sorted(SCALES)))
def test_every_conversion_has_its_inverse(grade: float, one: str, two: str) -> None:
    there = convert(convert(grade, "grade", one), one, two)
    assert float(convert(there, two, "grade")) == pytest.approx(grade, abs=1e-8)


def test_known_points() -> None:
    points: tuple[tuple[str, dict[float, float]], ...] = (
        ("egf", {0: 2100, -20: 100, 6: 2700}),
        ("goldis", {-1: 1900, 5: 2500}),
        ("ogs", {-0.5: 1918.5, -10.5: 1245.5, -25.5: 651.6, 0: 1960.4}),  # 1 dan begins at rank 30
        ("ogs", {23.15 * np.log(1500.0 / 525.0) - 30.5: 1500.0}),  # 6 kyu; 12 kyu until 2021
        ("ogs-2020", {-0.5: 2219.9, -30.5: 850.0, -12.75: 1500.0}),
        ("elo", {0: 2100}),
        ("elo-egf", {0: 2100}),
    )
    for scale, known in points:
        there = convert(np.array([*known], float), "grade", scale)
        np.testing.assert_allclose(there, [*known.values()], rtol=0, atol=0.06, err_msg=scale)


def test_elo_of_egf_and_kaniuk_give_their_scores_and_scales_have_ranges() -> None:
    ratings = np.array([400.0, 1500.0, 2100.0, 2650.0])
    elo = convert(ratings, "egf", "elo-egf")
    beta = -7.0 * np.log(3300.0 - ratings)
    expected = 1.0 / (1.0 + np.exp(beta[None, :] - beta[:, None]))
    assert win_probability(elo[:, None] - elo[None, :]) == pytest.approx(expected, rel=1e-12)
    for grade in (-15.0, -5.0, 0.0, 5.0):  # Kaniuk's has the slope of the probability
        gap = float(scales.kaniuk_elo(grade + 0.01) - scales.kaniuk_elo(grade))
        slope = float(PUBLISHED.probability(grade, grade + 0.01)) - 0.5
        assert float(win_probability(-gap)) - 0.5 == pytest.approx(slope, rel=2e-3)

    with pytest.raises(UsageError, match="only grades from 19k to 9d"):
        convert(50, "egf", "goldis")
    assert float(convert(0, "egf", "goldis", extrapolate=True)) == -100.0
    for value, target in ((0, "fide"), (np.nan, "grade")):
        with pytest.raises(UsageError):
            convert(value, "egf", target)


@pytest.mark.parametrize("grade", range(-30, 9))
def test_every_reader_and_writer_has_the_same_number_and_stretch(grade: int) -> None:
    name = format_grade(grade)
    assert parse_grade(name) == grades.parse_grades([name])[0] == grade
    assert parse_rank(name) == parse_rank(name.upper()) == grade
    assert format_rank(grade) == name.upper()
    assert grade_rating(np.array([name]))[0] == scales.egf_of_grade(grade) == 2100 + 100 * grade
    converted = convert_rating(name, targets=["egf"])
    assert (converted.values["egf"], converted.rank) == (2100 + 100 * grade, name)
    assert fox_rank(float(fox_of_grade(grade))) == name
    if grade >= -19:
        assert rank_rating(name) == goldis_of_grade(grade) == 2000 + 100 * grade
    low, high = grade - 0.5, grade + 0.5
    assert nearest_grade(low) == nearest_grade(high - 1e-9) == name
    for scale, axis in RANK_AXES.items() if grade >= -24 else ():
        of = fox_of_grade if scale == "fox" else lambda g, name=scale: convert(g, "grade", name)
        inside = float(of(low)) + 1e-6
        ends = (axis.ticks(-1e4, value)[-1][1] for value in (inside, float(of(high)) - 1e-6))
        assert set(ends) == {name}


@given(st.floats(-29.9, 9.9))
def test_an_estimate_has_the_same_rank_on_the_site_scales_as_its_rating(place: float) -> None:
    ogs = scales_from("ogs", ("fox", "ogs"))
    cases = [(SITE_SCALES["egf"], site_scales.EGF_SHIFT)]
    cases += [(ogs[name], 0.0) for name in ("ogs", "ogs-2020", "egf")]
    for scale, shift in cases:
        strength = float(convert(scale.rating(place), scale.name, "grade", extrapolate=True))
        assert strength == pytest.approx(float(grade_of_fox(place + shift)), abs=1e-9)
        assert scale.number is not None
        middle = abs(strength % 1.0 - 0.5) > 1e-6
        assert not middle or fox_rank(scale.number(place)) == nearest_grade(strength)


def test_the_groups_of_the_rank_model_lie_on_the_line() -> None:
    lows = ["5k", "2k", *site_scales.RANKS[2:]]
    for name, low in zip(lows, site_scales.EDGES, strict=False):
        assert fox_of_grade(parse_grade(name) - 0.5) == low


def test_grades_as_servers_write_them() -> None:
    for text, parts in (
        ("18级", (18, "kyu")), ("3 級", (3, "kyu")), ("5급", (5, "kyu")), ("4단", (4, "dan")),
        ("九段", (9, "dan")), ("初段", (1, "dan")), ("P9段", (9, "pro")), ("9品", (9, "pro")),
        ("2Dan", (2, "dan")), ("5k?", (5, "kyu")), ("6d*", (6, "dan")), ("3 pro", (3, "pro")),
        ("1.5d", (1.5, "dan")), ("0k", None), ("0d", None), ("p3k", None), ("k", None),
        ("-3k", None), ("12", None), ("dan", None), ("", None),
    ):  # fmt: skip
        assert split_grade(text) == parts, text


def test_professional_ranks_are_one_word_with_several_readings() -> None:
    read = [grades.parse_professional(word) for word in ("1p", "P9段", "10p", "3d")]
    assert read == [1, 9, None, None]
    assert grade_rating(np.array(["1p", "9p"])).tolist() == [2700, 2940]
    assert scales.egf_of_pro([1, 2, 9]).tolist() == [2700, 2730, 2940]
    assert [parse_rank(f"{n}P") for n in (1, 3, 4, 6, 7, 9)] == [6, 6, 7, 7, 8, 8]
    edge = convert_rating("2950", source="egf", targets=["egf"])  # half a grade above 9d
    assert edge.stretches["egf"] == pytest.approx((2950.0, 3050.0))
    converted = convert_rating("3p")
    assert (converted.source, converted.rank, converted.strength) == ("pro", "3p", None)
    assert (converted.values["egf"], converted.values["ogs"]) == (2760, None)
    assert converted.values["goldis"] == pytest.approx(rank_rating("3p"))


def test_a_line_through_grades() -> None:
    rng = np.random.default_rng(0)
    grade = rng.integers(-20, 7, 400).astype(float)
    rating = 2050 + 97 * grade + rng.normal(0, 60, 400)
    fit = fit_grades(np.append(grade, [-21.0, 7.0]), np.append(rating, [0.0, 0.0]))
    known = scipy.stats.linregress(grade, rating)
    off = rating - known.slope * grade - known.intercept
    pull = (grade - grade.mean()) / np.sum((grade - grade.mean()) ** 2)
    of_ten = rating[grade == -10]
    for found, expected in (
        ((fit.slope, fit.intercept), (known.slope, known.intercept)),
        (fit.correlation, known.rvalue),
        (fit.grade_slope, scipy.stats.linregress(rating, grade).slope),
        (fit.deviation, np.sqrt(np.sum(off**2) / 398)),
        (fit.slope_error, np.sqrt(np.sum((pull * off) ** 2))),
        (fit.intercept_error, np.sqrt(np.sum(((1 / 400 - grade.mean() * pull) * off) ** 2))),
        ((fit.mean[10], fit.spread[10]), (of_ten.mean(), of_ten.std(ddof=1))),
    ):
        assert found == pytest.approx(expected)
    assert fit.count.sum() == fit.players == 400
    dans = fit_grades(["1d", "2d", "3d", "1p", "2d"], np.array([2100, 2200, 2300, 9999.0, 2190]))
    assert dans.players == 4
    with pytest.raises(NoGamesError):
        fit_grades(["1d", "1d", "1d"], np.array([1.0, 2, 3]))


def test_the_egf_list(tmp_path: Path) -> None:
    line = " 10000000  {}                    XX  xxxx   {:>3}   --   {:>4}     1  T130209I\n"
    rows = [("Aagren Thomas", "6k", 1484), ("(undefined) Hai", "20k", -100), ("Be Ce", "9p", 2940)]
    text = "<pre>\n   PIN   Name\n" + "".join(line.format(*row) for row in rows)
    (tmp_path / "list.txt").write_text(text)
    listed, ratings = read_egf_list(tmp_path / "list.txt")
    assert (listed, ratings.tolist()) == (["6k", "20k", "9p"], [1484, -100, 2940])
    (tmp_path / "list.txt").write_text("nothing\n")
    with pytest.raises(InputError, match="no player"):
        read_egf_list(tmp_path / "list.txt")
