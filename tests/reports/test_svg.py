"""Pictures: places, escapes, and words for those who cannot see them."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from yardstone.errors import InputError
from yardstone.reports.svg import number, percent, picture, tag
from yardstone.reports.svg_board import board_picture
from yardstone.reports.svg_charts import (
    Span,
    Tick,
    bar_chart,
    curve_chart,
    interval_bar,
    interval_chart,
    loss_chart,
    nice_ticks,
)

SVG = "{http://www.w3.org/2000/svg}"
FLOATS = st.floats(-1e6, 1e6)


def tree(found: Markup) -> ElementTree.Element:
    return ElementTree.fromstring(str(found))


def named(found: ElementTree.Element, kind: str, classes: str) -> list[ElementTree.Element]:
    return [each for each in found.iter(SVG + kind) if each.get("class") == classes]


def test_text_and_attributes_are_escaped() -> None:
    made = picture('a "quoted" <label>', tag("text", "<script>", x="&"), class_="chart")
    root = tree(made)
    assert root.get("aria-label") == 'a "quoted" <label>'
    assert root[0].text == "<script>"
    assert root[0].get("x") == "&"
    assert "<script>" not in str(made)


def test_elements_within_elements_stay_elements() -> None:
    assert str(tag("g", tag("rect", rx=2.0), "a&b")) == '<g><rect rx="2"/>a&amp;b</g>'


@given(st.floats(-1e5, 1e5))
def test_numbers_are_short_and_close(value: float) -> None:
    text = number(value)
    assert abs(float(text) - value) <= 0.005 + 1e-9
    assert "e" not in text
    assert text != "-0"


def test_percent() -> None:
    assert percent(0.12345) == "12.35%"


@given(FLOATS, FLOATS, st.integers(2, 12))
def test_ticks_are_round_few_and_within(one: float, other: float, most: int) -> None:
    low, high = sorted((one, other))
    ticks = nice_ticks(low, high, most)
    assert len(ticks) <= most
    if high - low > 1e-3 and most > 3:
        assert len(ticks) >= 1
        reach = 1e-9 * max(abs(low), abs(high), 1.0)
        assert all(low - reach <= tick.value <= high + reach for tick in ticks)
        steps = {round(b.value - a.value, 6) for a, b in pairwise(ticks)}
        assert len(steps) <= 1


def test_a_curve_stands_where_its_values_are() -> None:
    chart = curve_chart(
        "Winrate", [Span(0.0), Span(1.0), None, Span(0.5)], [Tick(0.5, "50 %")], 0.0, 1.0,
        across=[Tick(3, "3")], marks=[3], height=138,
    )  # fmt: skip
    root = tree(chart)
    (line,) = root.iter(SVG + "polyline")
    places = [tuple(map(float, pair.split(","))) for pair in (line.get("points") or "").split()]
    # 16 pixels above the highest value, 22 below the lowest: 100 between.
    assert places == [(15.0, 116.0), (338.33, 16.0)]
    (lonely,) = named(root, "circle", "mark")
    assert (lonely.get("cx"), lonely.get("cy")) == ("98.5%", "66")
    (level,) = named(root, "line", "grid")
    assert level.get("y1") == level.get("y2") == "66"
    assert "50 %" in "".join(root.itertext())


def test_a_band_only_where_there_are_intervals() -> None:
    spans = [Span(1.0), Span(1.0, 0.0, 2.0), Span(1.0, 0.5, 1.5), None, Span(2.0, 1.0, 3.0)]
    root = tree(curve_chart("Rating", spans, [], 0.0, 3.0, across=[], height=98))
    (band,) = named(root, "polygon", "band")
    assert len((band.get("points") or "").split()) == 4
    (reach,) = named(root, "line", "reach")
    assert (reach.get("y1"), reach.get("y2")) == ("16", "56")


def test_an_empty_curve_is_no_error() -> None:
    assert tree(curve_chart("Nothing", [], [], 0.0, 1.0, across=[])).get("role") == "img"


def test_losses_are_bars_up_and_gains_bars_down() -> None:
    found = loss_chart(
        "Losses", [1, 3, 5, 7], [2.0, -1.0, 4.0, float("nan")], 7, across=[], marks=[5], height=88
    )
    root = tree(found)
    paths = {str(each.get("class")): str(each.get("d")) for each in root.iter(SVG + "path")}
    assert set(paths) == {"bar", "bar gain", "bar marked"}
    assert [path.count("M") for path in paths.values()] == [1, 1, 1]
    # From -1 to 4 on 50 pixels: zero stands 40 below the top.
    assert re.fullmatch(r"M[\d.]+ 36h[\d.]+v20h-[\d.]+z", paths["bar"])
    assert re.fullmatch(r"M[\d.]+ 56h[\d.]+v10h-[\d.]+z", paths["bar gain"])
    assert re.fullmatch(r"M[\d.]+ 16h[\d.]+v40h-[\d.]+z", paths["bar marked"])


def test_no_losses_no_bars() -> None:
    assert list(tree(loss_chart("None", [], [], 0, across=[])).iter(SVG + "path")) == []


def test_an_interval_on_a_scale_of_ranks() -> None:
    ticks = [Tick(float(k), f"{k}d") for k in range(1, 6)]
    root = tree(interval_chart("3d", ticks, Span(3.0, 2.0, 5.0), 1.0, 5.0, caption="3.0"))
    (band,) = named(root, "rect", "band")
    assert (band.get("x"), band.get("width")) == ("25.75%", "72.75%")
    (dot,) = named(root, "circle", "dot")
    assert dot.get("cx") == "50%"
    assert {"1d", "2d", "3d", "4d", "3.0"} <= set(root.itertext())


@pytest.mark.parametrize(
    ("span", "ends"),
    [
        (Span(5.0, 2.5, 7.5), ("25.75%", "74.25%")),
        (Span(5.0, None, 7.5), ("1.5%", "74.25%")),
        (Span(5.0, 2.5, None), ("25.75%", "98.5%")),
    ],
)
def test_a_bar_in_a_table_reaches_to_the_edge_where_an_end_is_unknown(
    span: Span, ends: tuple[str, str]
) -> None:
    (line,) = named(tree(interval_bar("words", span, 0.0, 10.0)), "line", "reach")
    assert (line.get("x1"), line.get("x2")) == ends


def test_columns_of_shares() -> None:
    root = tree(bar_chart("Ranks", [("1d", 0.25), ("2d", 0.75), ("3d", 0.0)]))
    heights = [float(each.get("height") or "nan") for each in named(root, "rect", "column")]
    assert heights[0] == pytest.approx(heights[1] / 3, abs=0.01)
    assert heights[2] == 0.0
    assert {"25", "75", "1d"} <= set(root.itertext())
    assert "0" not in set(root.itertext())


def test_a_board_with_stones_numbers_and_marks() -> None:
    found = board_picture(
        "Move 58", 19, ["D4", "Q16"], ["C3"],
        numbered=[(57, "C3"), (128, "K10")], played=("black", "A1"), best="T19",
    )  # fmt: skip
    root = tree(found)
    assert len(named(root, "circle", "stone black")) == 3
    (white,) = named(root, "circle", "stone white")
    assert (white.get("cx"), white.get("cy")) == (str(26 + 2 * 20), str(26 + 16 * 20))
    (ring,) = named(root, "circle", "played")
    assert (ring.get("cx"), ring.get("cy")) == ("26", "386")
    (best,) = named(root, "circle", "best")
    assert (best.get("cx"), best.get("cy")) == ("386", "26")
    texts = {str(each.get("class")): each.text for each in root.iter(SVG + "text")}
    assert texts["count white"] == "57"
    assert texts["count bare long"] == "128"
    assert texts["best"] == "A"
    assert len(named(root, "circle", "star")) == 9


def test_a_choice_that_was_played_gets_no_letter() -> None:
    root = tree(board_picture("Same", 9, [], [], played=("white", "E5"), best="E5"))
    assert named(root, "circle", "best") == []
    assert len(named(root, "circle", "star")) == 5


@pytest.mark.parametrize(("size", "stars"), [(2, 0), (8, 0), (9, 5), (10, 4), (13, 5), (18, 4)])
def test_boards_of_all_sizes(size: int, stars: int) -> None:
    root = tree(board_picture("Empty", size, [], []))
    assert len(named(root, "circle", "star")) == stars
    assert len(named(root, "text", "name")) == 4 * size


def test_passes_are_drawn_nowhere() -> None:
    root = tree(
        board_picture(
            "Pass", 9, [], [], numbered=[(3, "pass")], played=("black", "pass"), best="pass"
        )
    )
    assert named(root, "circle", "played") == named(root, "circle", "best") == []


def test_a_point_off_the_board_is_an_error() -> None:
    with pytest.raises(InputError, match="K10"):
        board_picture("Small", 9, ["K10"], [])
