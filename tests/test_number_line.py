"""One number line of grades: whatever reads or writes a grade agrees with all others."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import yardstone
from yardstone import grades
from yardstone.grades import format_grade, nearest_grade, parse_grade, split_grade
from yardstone.ratings.egf import grade_rating
from yardstone.records.go_game import split_rank
from yardstone.reports.strength import RANK_AXES
from yardstone.strength import site_scales
from yardstone.strength.site_scales import SITE_SCALES, fox_rank, scales_from
from yardstone.tournament.formats.opengotha import format_rank, parse_rank
from yardstone.winprob import scales
from yardstone.winprob.goldis import goldis_of_grade, rank_rating
from yardstone.winprob.scales import convert, convert_rating, fox_of_grade, grade_of_fox


@pytest.mark.parametrize("grade", range(-30, 9))
def test_every_reader_and_writer_has_the_same_number(grade: int) -> None:
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


@pytest.mark.parametrize("grade", range(-24, 9))
def test_a_grade_has_the_same_stretch_on_every_scale(grade: int) -> None:
    low, high = grade - 0.5, grade + 0.5
    assert nearest_grade(low) == nearest_grade(high - 1e-9) == format_grade(grade)
    for name, axis in RANK_AXES.items():
        of = fox_of_grade if name == "fox" else lambda g, name=name: convert(g, "grade", name)
        inside = float(of(low)) + 1e-6
        ends = (axis.ticks(-1e4, value)[-1][1] for value in (inside, float(of(high)) - 1e-6))
        assert set(ends) == {format_grade(grade)}


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
    edges = site_scales.EDGES
    for name, low in zip(site_scales.RANKS[2:], edges[2:], strict=False):
        assert grade_of_fox(low) == parse_grade(name) - 0.5
    assert list(edges[:2]) == [fox_of_grade(parse_grade(name) - 0.5) for name in ("5k", "2k")]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("18级", (18, "kyu")), ("3 級", (3, "kyu")), ("5급", (5, "kyu")), ("4단", (4, "dan")),
        ("九段", (9, "dan")), ("初段", (1, "dan")), ("P9段", (9, "pro")), ("9品", (9, "pro")),
        ("2Dan", (2, "dan")), ("5k?", (5, "kyu")), ("6d*", (6, "dan")), ("3 pro", (3, "pro")),
        ("1.5d", (1.5, "dan")), ("0k", None), ("0d", None), ("p3k", None), ("k", None),
        ("-3k", None), ("12", None), ("dan", None), ("", None),
    ],
)  # fmt: skip
def test_grades_as_servers_write_them(text: str, parts: tuple[float, str] | None) -> None:
    assert split_grade(text) == parts


def test_professional_ranks_are_one_word_with_several_readings() -> None:
    read = [grades.parse_professional(word) for word in ("1p", "P9段", "10p", "3d")]
    assert read == [1, 9, None, None]
    assert grade_rating(np.array(["1p", "9p"])).tolist() == [2700, 2940]
    assert [parse_rank(f"{n}P") for n in (1, 3, 4, 6, 7, 9)] == [6, 6, 7, 7, 8, 8]
    edge = convert_rating("2950", source="egf", targets=["egf"])  # half a grade above 9d
    assert edge.stretches["egf"] == pytest.approx((2950.0, 3050.0))
    converted = convert_rating("3p")
    assert (converted.source, converted.rank, converted.strength) == ("pro", "3p", None)
    assert (converted.values["egf"], converted.values["ogs"]) == (2760, None)
    assert converted.values["goldis"] == pytest.approx(rank_rating("3p"))


def test_a_rank_in_a_name_is_compared_as_a_grade() -> None:
    assert split_rank("Ann 3 dan", "3d") == ("Ann", "3d")
    assert split_rank("柯洁 9段", "P9段") == ("柯洁", "P9段")
    assert split_rank("Ann 3d", "3k") == ("Ann 3d", "3k")


def test_no_module_has_a_number_line_of_its_own() -> None:
    """The EGF's 2100, its pole and words for grades stand where they are defined, only there."""
    root = Path(yardstone.__file__).parent
    homes = """winprob/scales.py grades.py records/go_game.py tournament/formats/h9.py
        winprob/statistics.py records/columns.py winprob/goldis.py records/formats.py""".split()
    word = re.compile(r"2100\.0$|re\.compile\(.*(kyu|\[[kdpKDP]{2,}\])", re.DOTALL)
    for path in root.rglob("*.py"):
        name, text = path.relative_to(root).as_posix(), path.read_text("utf-8")
        if name in homes or not re.search(r"2100|3[23][09]0|kyu|\[[kdpKDP]{2}", text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant | ast.Call):
                text = ast.unparse(node)
                assert not word.match(text), f"{name}:{node.lineno}"
                assert name == "winprob/laws.py" or text not in ("3300.0", "3290.0"), name
