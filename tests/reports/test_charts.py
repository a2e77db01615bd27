"""Charts: values at pixels, odd data, Go boards, and a chart of each subject with hostile names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from math import inf, nan
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evaluation.games import played
from tests.reports.pictures import SVG, check, check_files, elements, texts
from tests.web.made_results import backgammon_result, go_result
from yardstone.errors import InputError, UsageError
from yardstone.evaluation.backtest import evaluate
from yardstone.evaluation.history import RatingHistory, rating_curves
from yardstone.evaluation.ledger import Ledger
from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.rating_list import RatingList, summarise
from yardstone.reports import chart as charts
from yardstone.reports import drawing, strength, winprob
from yardstone.reports.backgammon import trend_chart
from yardstone.reports.boards import BoardDiagram
from yardstone.reports.chart import (
    Axis,
    Band,
    Bars,
    Chart,
    Guide,
    Label,
    Mark,
    Panel,
    Points,
    Ruler,
    Stroke,
)
from yardstone.reports.drawing import SERIES, Discs, Shape, Words, text_width
from yardstone.reports.evaluation import calibration_chart
from yardstone.reports.history import history_chart
from yardstone.reports.rating_list import rating_list_chart
from yardstone.reports.simulation import forecast_chart, variants_chart
from yardstone.tournament.forecast import TournamentForecast
from yardstone.winprob.model import winning_model

HOSTILE = "<script>alert(1)</script> & $x$ _a_ 陳 \x07"
FLOATS = st.floats(-1e6, 1e6)
UNIT = Axis(low=0.0, high=1.0)


def drawn(*marks: Mark, x: Axis = UNIT, y: Axis = UNIT, **options: object) -> Chart:
    return Chart([Panel(x, y, marks)], words="A chart", **options)  # type: ignore[arg-type]


def inside(chart: Chart) -> tuple[float, float, float, float]:
    """Left, right, top and bottom of the inside of the only panel, from its axis."""
    parts = [part for shape in elements(chart.sheet(), Shape, "line") for part in shape.parts]
    axis = next(part for part in parts if part[0, 1] == part[1, 1])
    bottom = float(axis[0, 1])
    return float(axis[0, 0]), float(axis[1, 0]), bottom - chart.height, bottom


def test_values_and_ticks_stand_where_the_axes_say() -> None:
    ticks = [(0.0, "none"), (0.25, "some"), (1.1, "out")]
    chart = drawn(Points([0.0, 0.25, 1.0], [0.0, 0.5, 1.0]), x=Axis(low=0.0, high=1.0, ticks=ticks))
    left, right, top, bottom = inside(chart)
    (dots,) = elements(chart.sheet(), Discs, "c1")
    some = left + 0.25 * (right - left)
    places = [[left, bottom], [some, 0.5 * (top + bottom)], [right, top]]
    assert dots.centres == pytest.approx(np.array(places))
    written = {each.text: each.x for each in elements(chart.sheet(), Words)}
    assert (written["none"], written["some"]) == pytest.approx((left, some))
    assert "out" not in written


def test_scales() -> None:
    log = Ruler(Axis(scale="log"), np.array([1.0, 1000.0, 0.0, -1.0]), 0.0, 300.0)
    one, ten, hundred = log.at([1.0, 10.0, 100.0])
    assert ten - one == pytest.approx(hundred - ten)
    assert [text for _, text in log.ticks(5)] == ["1", "10", "100", "1000"]
    names = Ruler(Axis(scale="category", names=["a", "b"]), np.empty(0), 0.0, 100.0)
    assert names.at([0.0, 1.0]).tolist() == [25.0, 75.0]
    seconds = np.array(["2024-01-01", "2024-03-01"], "datetime64[s]").astype(np.float64)
    ticks = Ruler(Axis(scale="date"), seconds, 0.0, 500.0).ticks(4)
    assert [text for _, text in ticks] == ["2024-01", "2024-02", "2024-03"]
    assert ticks[-1][0] == seconds[1]
    start = np.datetime64("2019-12-30T23:58:00", "s")
    for reach in (30, 4000, 90_000, 10**6, 10**7, 10**8, 3 * 10**9):
        times = start + np.arange(5) * np.timedelta64(reach // 5, "s")
        chart = drawn(Stroke(times, np.arange(5.0)), x=Axis(scale="date"), y=Axis())
        check(chart)
        assert sum(any(c.isdigit() for c in text) for text in texts(chart)) >= 3


@given(FLOATS, FLOATS, st.integers(2, 12))
def test_ticks_are_round_few_and_within(one: float, other: float, most: int) -> None:
    low, high = sorted((one, other))
    ticks = charts.nice_ticks(low, high, most)
    assert len(ticks) <= most
    if high - low > 1e-3 and most > 3:
        assert len(ticks) >= 1
        reach = 1e-9 * max(abs(low), abs(high), 1.0)
        assert all(low - reach <= value <= high + reach for value, _ in ticks)
        assert len({round(b[0] - a[0], 6) for a, b in pairwise(ticks)}) <= 1


@settings(max_examples=25)
@given(st.lists(st.tuples(FLOATS, FLOATS), min_size=1, max_size=30))
def test_whatever_the_values_nothing_touches(points: list[tuple[float, float]]) -> None:
    x, y = np.array(points).T
    check(drawn(Stroke(x, y), x=Axis("across"), y=Axis("up", grid=True)))


def test_data_that_is_not_fine_or_dense() -> None:
    for values in ([], [nan], [inf], [nan, 1.0, nan], [3.0], [5.0, 5.0], [1e300, -1e300]):
        x = np.arange(float(len(values)))
        marks: list[Mark] = [
            Stroke(x, values, name="line"), Stroke(x, values, step=True), Band(x, values, values),
            Points(x, values, along=(values, values), across=(x, x)),
            Bars(x, x + 1.0, 0.0, values), Guide(x=nan), Guide(y=2.0, text="two"),
            Label(0.0, nan, "nowhere"),
        ]  # fmt: skip
        for y in (Axis(), Axis(scale="log"), Axis(low=0.0)):
            with np.errstate(over="ignore"):
                check(drawn(*marks, x=Axis(), y=y))
    check(Chart([], words="Nothing"))
    places, dense = np.linspace(0.0, 500.0, 100_000), np.random.default_rng(1).normal(size=100_000)
    fewer, (curve,) = charts.thinned(places, [dense], 500.0)  # what is dense keeps its extremes
    assert (len(fewer) < 3000, fewer[0], fewer[-1]) == (True, 0.0, 500.0)
    assert (curve.min(), curve.max()) == (dense.min(), dense.max())


def test_lines_end_at_the_edges_and_gaps_stay_gaps() -> None:
    chart = drawn(Stroke([0.0, 1.0], [-1.0, 2.0]), Stroke([0.0, 1.0], [5.0, 6.0]))
    left, right, top, bottom = inside(chart)
    (line,) = elements(chart.sheet(), Shape, "c1")
    (part,) = line.parts
    third = (right - left) / 3.0
    assert part == pytest.approx(np.array([[left + third, bottom], [right - third, top]]), abs=0.01)
    (line,) = elements(drawn(Stroke([-1.0, 2.0], [0.25, 1.0])).sheet(), Shape, "c1")
    middle = [[left, 0.5 * (top + bottom)], [right, 0.75 * top + 0.25 * bottom]]
    assert line.parts[0] == pytest.approx(np.array(middle), abs=0.01)
    chart = drawn(Stroke([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.1, 0.2, nan, 0.5, nan, 0.7]))
    (line,) = elements(chart.sheet(), Shape, "c1")
    (dots,) = elements(chart.sheet(), Discs, "c1")  # what is alone
    assert (list(map(len, line.parts)), len(dots.centres)) == ([2], 2)
    low, high = [0.1, 0.1, nan, 0.2], [0.5, 0.5, 0.5, 0.6]  # only where both ends are known
    (band,) = elements(drawn(Band([0.0, 0.3, 0.6, 1.0], low, high)).sheet(), Shape, "c1")
    assert list(map(len, band.parts)) == [4, 4]
    # Intervals without an end go to the edge.
    points = Points([0.2, 0.8], [0.5, 0.5], along=([-inf, 0.4], [0.6, inf]))
    chart = drawn(points, Band([0.0, 1.0], [-inf, 0.2], [0.9, inf], "c2"))
    _, _, top, bottom = inside(chart)
    (lines,) = elements(chart.sheet(), Shape, "c1")
    assert lines.parts[0][:, 1].max() == bottom
    assert lines.parts[1][:, 1].min() == top
    (band,) = elements(chart.sheet(), Shape, "c2")
    assert {top, bottom} <= set(band.parts[0][:, 1].tolist())


def test_bars_have_the_height_of_their_values_and_cells_no_seams() -> None:
    chart = drawn(Bars([0.0, 0.5], [0.4, 0.9], 0.0, [0.25, 0.75], texts=["25", "75"]))
    (shape,) = elements(chart.sheet(), Shape, "c1")
    assert [np.ptp(part[:, 1]) for part in shape.parts] == pytest.approx([70.0, 210.0])
    assert {"25", "75"} <= set(texts(chart))
    left = np.arange(4.0)
    cells = Bars(left, left + 1.0, 0.0, 1.0, opacity=[0.0, 0.25, 0.5, 1.0])
    shapes = elements(drawn(cells, x=Axis(low=0.0, high=4.0)).sheet(), Shape, "c1")
    assert [shape.opacity for shape in shapes] == [0.25, 0.5, 1.0]
    edges = [(shape.parts[0][:, 0].min(), shape.parts[0][:, 0].max()) for shape in shapes]
    assert [one[1] for one in edges[:-1]] == [other[0] for other in edges[1:]]


def test_names_at_the_ends_of_lines_keep_their_order() -> None:
    for count, width in ((1, 760.0), (7, 360.0), (40, 760.0)):
        ends = 0.5 + 0.001 * np.arange(count)
        lines = [Stroke([0, 1], [0, end], SERIES[k % 7], f"n{k:02d}") for k, end in enumerate(ends)]
        chart = Chart([Panel(UNIT, UNIT, lines, direct=True)], words="x", height=600.0)
        check(chart)
        written = {e.text: e.y for e in elements(chart.sheet(width), Words) if e.text[0] == "n"}
        heights = [written[name] for name in sorted(written)]
        assert len(heights) == count
        assert all(above > below for above, below in pairwise(heights))


def test_a_page_gets_a_wide_and_a_narrow_picture_in_words() -> None:
    chart = Chart([Panel(UNIT, UNIT, [Points(0.5, 0.5, titles=["<b>"])])], 'a "quoted" <title>')
    root = ElementTree.fromstring(f"<div>{chart.svg()}</div>")
    assert [each.get("class") for each in root] == ["drawing wide", "drawing narrow"]
    assert {each.get("aria-label") for each in root} == {'a "quoted" <title>'}
    (title, _) = root.iter(SVG + "title")
    assert title.text == "<b>"
    names = {name for each in root.iter() for name in (each.get("class") or "").split()}
    style = drawing.stylesheet()
    assert all(f".{name}" in style for name in names)


def test_every_mark_in_every_format(tmp_path: Path) -> None:
    shapes = ("circle", "square", "diamond", "up", "down", "left", "right", "cross", "plus", "dash")
    marks: list[Mark] = [
        *(
            Points([0.1 * k, 0.5], [0.2, 0.1 * k], name=shape, shape=shape, hollow=k % 2 == 1)
            for k, shape in enumerate(shapes)
        ),
        Stroke([0.0, 1.0], [0.3, 0.3], "c2", "steps", dash=(4.0, 2.0), step=True),
        Band([0.0, 1.0], [0.3, 0.4], [0.5, 0.6], "c3", "band"),
        Bars([0.1], [0.2], 0.0, [0.5], "c4", "bar", titles=["0.5"]),
        *(Guide(x=0.5, text="half"), Guide(y=0.5, text="$half$")),
        Label(0.5, 0.5, "陳 \ud800 \x00 &"),
    ]
    chart = drawn(*marks, x=Axis(scale="log"), title="All", shading=("c1", "0", "1"))
    for ending, start in (("svg", b"<"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        path, again = (tmp_path / f"{name}.{ending}" for name in ("one", "again"))
        chart.save(path)
        chart.save(again)
        data = path.read_bytes()
        assert data == again.read_bytes()
        assert (data.startswith(start), len(data) > 2000) == (True, True)
    ElementTree.parse(tmp_path / "one.svg")


@given(st.floats(-1e5, 1e5), st.text(max_size=80), st.floats(20.0, 400.0))
def test_numbers_are_short_and_texts_are_cut_to_their_room(
    value: float, text: str, room: float
) -> None:
    number = drawing.number(value)
    assert abs(float(number) - value) <= 0.05 + 1e-9
    assert ("e" in number, number == "-0") == (False, False)
    for line in (drawing.cut(text, room), *drawing.broken(text, room)):
        assert text_width(line) <= max(room, text_width("…"))
    assert drawing.broken("a share of 95 % here", 90.0)[-1] != "%"


def discs(board: BoardDiagram, colour: str, *, filled: bool = False) -> list[tuple[float, float]]:
    result = elements(board.sheet(), Discs, colour)
    kept = [each for each in result if not filled or each.fill == colour]
    return [tuple(at) for each in kept for at in each.centres.tolist()]


def test_a_board_with_stones_numbers_and_marks(tmp_path: Path) -> None:
    numbered = [(57, "C3"), (128, "K10"), (3, "pass")]
    options: dict[str, Any] = {"numbered": numbered, "played": ("black", "A1"), "best": "T19"}
    board = BoardDiagram("Move 58", 19, ["D4", "Q16"], ["C3"], **options)
    assert len(discs(board, "black", filled=True)) == 3
    assert discs(board, "white", filled=True) == [(26.0 + 2 * 20, 26.0 + 16 * 20)]
    assert (discs(board, "ring"), discs(board, "choice")) == ([(26.0, 386.0)], [(386.0, 26.0)])
    words = {each.text: each for each in elements(board.sheet(), Words)}
    # One is on a white stone, of the other the stone is gone.
    assert (words["57"].colour, words["128"].colour) == ("black", "wood-text")
    assert words["128"].size < words["57"].size
    assert words["A"].anchor == "middle"
    assert ElementTree.fromstring(board.svg()).get("aria-label") == "Move 58"
    for ending in ("svg", "png", "pdf"):
        board.save(tmp_path / f"board.{ending}")
        assert (tmp_path / f"board.{ending}").stat().st_size > 2000
    passed = BoardDiagram("Pass", 9, [], [], played=("black", "pass"), best="pass")
    assert discs(passed, "ring") == discs(passed, "choice") == []
    with pytest.raises(InputError, match="K10"):
        BoardDiagram("Small", 9, ["K10"], []).svg()
    for size, stars in ((2, 0), (8, 0), (9, 5), (10, 4), (13, 5), (18, 4), (19, 9)):
        board = BoardDiagram("Empty", size, [], [])
        assert len(discs(board, "wood-line")) == stars, size
        assert len(texts(board.sheet())) == 4 * size, size


def forecast(players: int) -> TournamentForecast:
    places = np.full((players, players), 1.0 / players)
    names = (HOSTILE, *(f"Player {k}" for k in range(1, players)))
    flat = np.zeros(players)
    measures = {"strongest wins": np.array([0.0, 1.0, 1.0]), "order": np.array([0.5, 0.7, 0.6])}
    return TournamentForecast(names, flat, flat, 3, places, flat, measures, ("points",))


def estimate_charts(scale: str) -> list[Chart]:
    plain, words = go_result(14), "A strength"
    if scale != "fox":
        plain["scale"] = scale
        for part in (plain, *plain["by_game"], *(game["running"] for game in plain["by_game"])):
            part |= {name: 1900.0 + 60.0 * part[name] for name in ("low", "rating", "high")}
    return [
        strength.estimate_chart(plain),
        strength.scale_chart(plain, words),
        strength.rank_chart(plain, words),
        strength.game_chart(plain["by_game"][0], words, marked=[57, 58]),
    ]


def histories(players: int, chosen: int, **options: Any) -> Chart:
    pool = played(40 * players, players, 1)
    pool = replace(pool, players=(HOSTILE, *pool.players[1:]), **options)
    ledger = Ledger.begin("elo" if "time" in options else "glicko2", pool)
    curves = rating_curves(ledger.pool, ledger.replay, pool.players[:chosen])
    return history_chart(RatingHistory(ledger, curves))


def rating_lists() -> list[Chart]:
    names = [HOSTILE, "w" * 300, "C"]
    pool = Pool.from_names(names, [*names[1:], names[0]], [1, 0.5, 0])
    return [rating_list_chart(summarise(BradleyTerry().fit(pool), pool))]


SUBJECTS: dict[str, Callable[[], list[Chart]]] = {
    "estimate": lambda: estimate_charts("fox"),
    "estimate on another scale": lambda: estimate_charts("egf"),
    "trend": lambda: [trend_chart(backgammon_result(60)), trend_chart(backgammon_result(2))],
    "models": lambda: [
        winprob.model_chart(name, winning_model("kaniuk")) for name in winprob.FIGURES
    ],
    "forecast": lambda: [forecast_chart(forecast(40)), forecast_chart(forecast(1))],
    "variants": lambda: [variants_chart([("3", forecast(4)), ("4", forecast(5))], name="rounds")],
    "calibration": lambda: [calibration_chart(evaluate(played(200, 12, 1), ["elo", "glicko2"]))],
    "history": lambda: [histories(15, 12), histories(5, 1, time=None)],
    "rating list": rating_lists,
}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_subject_lies_on_its_sheet(subject: str, tmp_path: Path) -> None:
    for chart in SUBJECTS[subject]():
        check_files(chart, tmp_path)


def test_what_pictures_show() -> None:
    chart = histories(15, 12)
    assert "the first 10 of 12 players" in chart.title
    assert sum(isinstance(mark, Stroke) for mark in chart.panels[0].marks) == 10
    timeless = histories(5, 1, time=None)
    assert ("bands" in timeless.title, "Games played" in texts(timeless)) == (False, True)
    plain = go_result(2)
    said = texts(strength.rank_chart(plain, "Ranks"))
    shares = [100.0 * each["probability"] for each in plain["probabilities"]]
    assert {f"{share:.0f}" for share in shares if share >= 0.5} <= set(said)
    game = plain["by_game"][0]
    assert "f-c2" not in strength.game_chart(game, "A game").svg()
    assert "f-c2" in strength.game_chart(game, "A game", marked=[int(game["numbers"][3])]).svg()


def test_a_rating_list_shows_the_largest_group_and_is_cut(
    report: RatingList, large: RatingList, tmp_path: Path
) -> None:
    chart = rating_list_chart(report)
    said = " ".join(texts(chart))
    for words in ("Ratings with 95 % intervals", "Engine 07", "1 other group cannot be compared"):
        assert words in said
    assert "Lone A" not in said
    for top, shown in ((None, 60), (300, 65)):
        cut = texts(rating_list_chart(large, top=top))
        assert sum(text.startswith("Engine") for text in cut) == shown
        assert ("top 60 of 65 players" in " ".join(cut)) == (top is None)
    check(rating_list_chart(large))
    with pytest.raises(UsageError, match="picture"):
        chart.save(tmp_path / "list.txt")
    for ending in ("svg", "png"):
        with pytest.raises(InputError):
            chart.save(tmp_path / "gone" / f"list.{ending}")
