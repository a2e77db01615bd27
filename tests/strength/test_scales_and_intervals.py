"""Scales of sites, lines to their ratings, and intervals against quantiles."""

from __future__ import annotations

import json
from dataclasses import replace
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import stdtrit
from scipy.stats import norm

from yardstone.errors import InputError, ModelError, NoGamesError, UsageError
from yardstone.pool import SkipReport
from yardstone.strength.calibration import (
    Calibration,
    RatedPlayer,
    calibrate_site,
    fit_calibration,
    read_ratings,
    score_cost,
)
from yardstone.strength.estimation import Estimates, PlayerEstimate
from yardstone.strength.intervals import IntervalTable, blurred, blurring, cumulated
from yardstone.strength.model import StrengthModel
from yardstone.strength.site_scales import EDGES, SITE_SCALES, scales_from, site_scale

LINE = Calibration(
    "club", "points", "random", "fox", 30, 100.0, 1500.0, 5.0, 20.0, 90.0, 60.0, 0.9, -2.0, 8.0
)


X = np.array([-1.0, 0.5, 2.0, 3.0, 7.0])
Y = np.array([1350.0, 1380.0, 1600.0, 1700.0, 1990.0])


def test_the_line_is_that_of_least_squares_and_its_errors_allow_for_the_spread() -> None:
    result = fit_calibration(X, Y, site="club")
    slope, intercept = np.polyfit(X, Y, 1)
    assert (result.slope, result.intercept) == pytest.approx((slope, intercept))
    residual = Y - (slope * X + intercept)
    assert result.deviation == result.unexplained == pytest.approx(np.sqrt(residual @ residual / 3))
    assert result.determined == pytest.approx(np.corrcoef(X, Y)[0, 1] ** 2)
    assert result.rating([0.0, 2.0]) == pytest.approx([intercept, intercept + 2 * slope])
    assert (result.players, result.lowest, result.highest) == (5, -1.0, 7.0)
    # HC3 of MacKinnon and White 1985: how far the line goes when each player is left out.
    away = X - X.mean()
    square = away @ away
    leverage = 1 / 5 + away**2 / square
    left_out = residual / (1 - leverage)
    assert result.slope_error == pytest.approx(np.sqrt(away**2 @ left_out**2) / square)
    pull = 1 / 5 - X.mean() * away / square
    assert result.intercept_error == pytest.approx(np.sqrt(pull**2 @ left_out**2))
    # What the estimates' own errors explain is not the line's.
    own = np.array([0.1, 0.2, 0.3, 0.2, 0.1])
    less = result.deviation**2 - slope**2 * (own @ own) / 5
    for errors, left in ((own, less), (np.full(5, 5.0), 0.0)):
        again = fit_calibration(X, Y, site="club", deviations=errors)
        assert again.unexplained == pytest.approx(np.sqrt(left))


@pytest.mark.parametrize(
    ("x", "y", "named", "error", "words"),
    [
        ([1, 2], [1000, 1100], {}, NoGamesError, "at least 3 players"),
        ([1, 1, 1], [1000, 1100, 1200], {}, NoGamesError, "different strength"),
        ([1, 2, 3], [1300, 1100, 1000], {}, ModelError, "do not grow"),
        ([1, 2, 3], [1000, 1000, 1000], {}, ModelError, "do not grow"),
        ([1, 2, 3], [1, 2, 3], {"kind": "kgs"}, UsageError, "points, ogs, egf"),
        ([1, 2, 3], [1, 2, 3], {"site": "ogs"}, UsageError, "is called 'ogs'"),
        ([1, 2, 3], [1, 2, 3], {"basis": "kgs"}, UsageError, "called 'kgs': fox, ogs"),
    ],
)
def test_a_line_that_cannot_be(
    x: list[float], y: list[float], named: dict[str, str], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        fit_calibration(x, y, **{"site": "club", **named})


def test_what_a_line_costs_against_the_slope_that_fits_the_results_best() -> None:
    """Three of four games won by who is two ranks stronger: the best odds are three to one."""
    result = score_cost(LINE, [3.0] * 4, [1.0] * 4, [1.0, 1.0, 1.0, 0.0])
    assert result.best_slope == pytest.approx(log(3) / 2)
    assert result.best == pytest.approx(0.75 * log(0.75) + 0.25 * log(0.25))
    assert result.site_slope == pytest.approx(100 * log(10) / 400)
    won = 1 / (1 + 10 ** (-200 / 400))
    assert result.site == pytest.approx(0.75 * log(won) + 0.25 * log(1 - won))
    assert (result.games, result.even) == (4, log(0.5))
    worse = score_cost(LINE, [1.0] * 4, [3.0] * 4, [1.0, 1.0, 1.0, 0.0])
    assert (worse.best_slope, worse.best) == (0.0, log(0.5))
    sure = score_cost(LINE, [3.0], [1.0], [1.0])  # nothing is too steep: no more than 20
    assert (sure.best_slope, sure.best) == pytest.approx((20.0, 0.0), abs=1e-12)
    assert score_cost(LINE, [3.0], [3.0], [1.0]).site_slope == 0.0
    with pytest.raises(NoGamesError):
        score_cost(LINE, [], [], [])
    # The EGF's probabilities: 2200 against 2100; nobody is nearer than a point to 3300, its end.
    egf = replace(LINE, kind="egf", slope=100.0, intercept=1950.0)
    site = score_cost(egf, [2.5], [1.5], [1.0]).site
    assert site == pytest.approx(-np.log1p((1100 / 1200) ** 7))
    assert score_cost(egf, [20.0], [1.5], [0.0]).site == pytest.approx(-7 * log(1200), abs=1e-6)


def test_a_table_is_fitted_to_its_own_estimates_or_to_those_of_games() -> None:
    model = StrengthModel.load("rank")
    table = [
        RatedPlayer("Anna", 1300.0, 0.0),
        RatedPlayer("Bob", 1400.0, 1.0),
        RatedPlayer("Cid", 1500.0, 2.0),
        RatedPlayer("Dora", 1900.0),
    ]
    alone = calibrate_site(table, None, model, site="club")
    line = alone.calibration
    assert (line.slope, line.intercept) == pytest.approx((100.0, 1300.0))
    assert (line.model, alone.cost, alone.missing) == (model.card["name"], None, ["Dora"])
    measured = tuple(
        PlayerEstimate(name, 1, 50, rating, 0.5, None, None)
        for name, rating in (("anna ", 0.0), ("BOB", 2.0), ("Dora", 6.5), ("Eve", 3.0))
    )
    places = np.array([0, 2]), np.array([1, 3])
    games = Estimates(measured, *places, np.array([0.0, 1.0]))
    found = calibrate_site(table, games, model, site="club", kind="egf", basis="ogs")
    x, y = [0.0, 2.0, 6.5], [1300.0, 1400.0, 1900.0]
    wanted = fit_calibration(
        x, y, site="club", kind="egf", basis="ogs", deviations=[0.5] * 3, model=line.model
    )
    assert found.calibration == wanted
    assert found.missing == ["Cid"]
    assert [rating for _, rating in found.players] == y
    assert found.cost == score_cost(wanted, [0.0, 6.5], [2.0, 3.0], [0.0, 1.0])
    nothing = replace(games, black=places[0][:0], white=places[0][:0], score=np.zeros(0))
    assert calibrate_site(table, nothing, model, site="club").cost is None
    with pytest.raises(InputError, match="no column with estimates"):
        calibrate_site(table[3:], None, model, site="club")


def kept(path: Path, **change: object) -> bytes:
    """A file of the line, with changes; what is None is left out."""
    LINE.save(path)
    values = {**json.loads(path.read_text()), **change}
    return json.dumps({name: each for name, each in values.items() if each is not None}).encode()


def test_a_calibration_comes_back_from_its_file_and_what_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "club.json"
    for line in (LINE, replace(LINE, basis="ogs")):
        line.save(path)
        assert Calibration.load(path) == line
    path.write_bytes(kept(path, basis=None, format=1))  # as of earlier times
    assert Calibration.load(path) == LINE
    assert list(tmp_path.iterdir()) == [path]
    model = StrengthModel.load()
    name = model.card["name"]
    replace(LINE, model=name).check_model(model)
    changes: list[dict[str, object]] = [
        {"basis": None}, {"slope": "steep"}, {"slope": 0.0}, {"unexplained": -0.1},
        {"slope": float("inf")}, {"players": 2.5}, {"kind": "kgs"}, {"basis": "kgs"},
        {"basis": ["fox"]}, {"format": 9}, {"more": 1},
    ]  # fmt: skip
    contents = [(kept(path, **change), "strength calibrate") for change in changes]
    others = (b"", b"\xff\xfe", b"[]", b"[" * 60000, b" " * 65536)
    contents += [(content, "not a calibration") for content in others]
    for content, words in [*contents, (b" " * 65537, "too large for a calibration")]:
        path.write_bytes(content)
        with pytest.raises(InputError, match=words):
            Calibration.load(path)
    rows: list[tuple[str, Any]] = [
        ("there is no such file", lambda: Calibration.load(tmp_path / "none.json")),
        ("cannot be written", lambda: LINE.save(tmp_path / "no" / "club.json")),
        (f"is for the model random, and this is {name}", lambda: LINE.check_model(model)),
    ]
    for words, wrong in rows:
        with pytest.raises(InputError, match=words):
            wrong()


def test_a_calibrated_scale_shows_the_sites_ratings_and_the_ranks_of_its_kind() -> None:
    scale = site_scale(LINE)  # 30 players, 90 points about the line, 60 of them not explained
    assert (scale.value(2.0), scale.rank(2.0)) == (1700.0, None)
    error = np.sqrt(60.0**2 + 90.0**2 * 2 / 30) / 100.0
    assert scale.deviation == pytest.approx(error)
    reach = float(stdtrit(28, 0.95)) * error
    wanted = 2.0 - np.hypot(reach, 0.5), 2.0 + np.hypot(reach, 1.5)
    assert scale.widened(2.0, 1.5, 3.5, 0.9) == pytest.approx(wanted)
    line = replace(LINE, slope=100.0, intercept=1950.0)  # 2100 and 1 dan at 1.5
    fox, ogs = (site_scale(replace(line, kind="egf", basis=basis)) for basis in ("fox", "ogs"))
    assert (fox.basis, fox.known, ogs.basis, ogs.known) == ("fox", (-1, 9), "ogs", (-24, 3))
    assert [fox.rank(place) for place in (0.99, 1.01, 5.5)] == ["1k", "1d", "5d"]
    assert (fox.rank(-3.0), ogs.rank(-3.0)) == ("3k or weaker", "4k")
    assert site_scale(replace(line, kind="ogs")).rank(1.5) == "3d"  # 23.15 ln(2100 / 525) - 29
    low = site_scale(replace(line, kind="ogs", intercept=-1950.0))  # no rating at all
    assert low.rank(3.0) is not None


def test_intervals_are_widened_and_a_bound_stays_a_bound_on_every_scale() -> None:
    ogs, reach = SITE_SCALES["ogs"], 1.6448536 * 1.7
    wanted = 4.0 - np.hypot(reach, 1.0), 4.0 + np.hypot(reach, 2.0)
    assert ogs.widened(4.0, 3.0, 6.0, 0.9) == pytest.approx(wanted)
    assert ogs.widened(4.0, None, None, 0.9) == (None, None)
    for scale in SITE_SCALES.values():
        low, high = scale.widened(-3.2, None, -1.0, 0.9)
        assert (low, high is None, scale.end_ranks(low, high)[0]) == (None, False, None)
    ends = [(None, None), (None, -1.0), (9.0, None), (3.2, 5.0)]
    ranks = [(None, None), (None, "3k"), ("9d", None), ("3d", "4d")]
    assert [SITE_SCALES["fox"].end_ranks(*each) for each in ends] == ranks


@pytest.mark.parametrize(
    ("name", "place", "rating", "rank"),
    [
        ("fox", 3.987, 3.99, "3d"), ("fox", 1.0, 1.0, "1d"), ("fox", 0.99, 0.99, "1k"),
        ("fox", 0.0, 0.0, "1k"), ("fox", -0.01, -0.01, "2k"), ("fox", -1.0, -1.0, "2k"),
        ("fox", -1.01, -1.01, "3k or weaker"), ("fox", 10.0, 10.0, "9d"),
        # 23.15 ln(rating / 525) is the rank, and 30 is where 1 dan begins.
        ("ogs", 1.0, 525.0 * exp(30.0 / 23.15), "1d"),
        ("ogs", -24.1, 525.0 * exp(4.9 / 23.15), "26k or weaker"),
        ("ogs", -24.0, 525.0 * exp(5.0 / 23.15), "25k"),
        ("ogs", 2.9, 525.0 * exp(31.9 / 23.15), "2d"),
        ("ogs", 3.0, 525.0 * exp(32.0 / 23.15), "3d or stronger"),
        # 12.2 kyu, as the index of its games has 1500, is 17.75 ranks from 30 kyu.
        ("ogs-2020", 17.75 - 29.0, 1500.0, "13k"), ("ogs-2020", -29.0, 850.0, "26k or weaker"),
        # 4.5 ranks lower than Fox, and the middle of 1 dan is 2100.
        ("egf", 6.0, 2100.0, "1d"), ("egf", -2.5, 1250.0, "7k or weaker"),
        ("egf", 9.5, 2450.0, "4d or stronger"),
    ],
)  # fmt: skip
def test_ratings_and_ranks_of_every_scale(
    name: str, place: float, rating: float, rank: str
) -> None:
    scale = SITE_SCALES[name]
    assert scale.value(place) == round(rating, 2 if name == "fox" else 0)
    assert scale.rank(place) == rank


def test_scales_of_a_model() -> None:
    """Those that are reached from what it has, the EGF's from where it tells best."""
    both = ("fox", "ogs")
    assert list(scales_from("fox", both)) == ["fox", "ogs", "ogs-2020", "egf"]
    assert list(scales_from("fox", ("fox",))) == ["fox", "egf"]
    assert list(scales_from("ogs", ("ogs",))) == ["ogs", "ogs-2020", "egf"]
    strong, weak = scales_from("fox", both), scales_from("ogs", both)
    assert list(weak) == list(strong)
    assert [name for name in strong if strong[name] is not weak[name]] == ["egf"]
    assert (strong["egf"].basis, weak["egf"].basis) == ("fox", "ogs")
    # 20 kyu of OGS is that of the EGF, 100 points at its middle; 5 dan of Fox is weaker there.
    assert (weak["egf"].rank(-18.5), weak["egf"].value(-18.5)) == ("20k", 100.0)
    with pytest.raises(UsageError, match="'kgs': there are fox, ogs, ogs-2020, egf"):
        site_scale("kgs")


def test_a_table_of_ratings_and_its_bad_rows(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("Rating;Player;Estimate\n1500;Anna;2.5\n\n1600.5; Bob ;\n", "utf-8-sig")
    assert read_ratings(path) == [RatedPlayer("Anna", 1500.0, 2.5), RatedPlayer("Bob", 1600.5)]
    rows = ["player,rating", "Anna,1500", "Bob,high", "anna,1400", ",1300", "Cid,", "Eve,nan"]
    path.write_text("\n".join(rows))
    skipped = SkipReport()
    assert [each.player for each in read_ratings(path, skipped)] == ["Anna"]
    assert [record.line for record in skipped.details] == [3, 4, 5, 6, 7]
    assert skipped.reasons["the rating is not a number"] == 2
    for content, words in (
        ("", "no rows"),
        ("name,elo\nAnna,1500\n", "no columns player and rating"),
        ("player,rating\n", "no player"),
        ("player,rating\n\0,\0\n", "no player"),
    ):
        path.write_text(content)
        with pytest.raises(InputError, match=words):
            read_ratings(path)
    with pytest.raises(InputError, match="no such file"):
        read_ratings(tmp_path / "none.csv")


Array = NDArray[np.float64]

AT = [
    [[0.02, 0.5, 0.98], [0.1, 0.6, 0.99]],
    [[0.03, 0.5, 0.97], [0.04, 0.4, 0.9]],
    [[0.02, 0.5, 0.96], [0.1, 0.5, 0.5]],
]
#: Three classes of moves, each with levels near two strengths.
TABLE = IntervalTable(
    moves=np.array([10.04, 100.0, 1000.0]),
    blur=np.array([1.00049, 0.25, 0.0]),
    levels=np.array([0.05, 0.5, 0.95]),
    at=np.array(AT),
    counts=np.array([100, 200, 300]),
    players=np.array([90, 40, 80]),
    ends=np.array([-4.0, -1.0, 9.0, 10.0]),
    strengths=np.array([0.0, 6.0]),
)
PLAIN = IntervalTable.plain(EDGES)


def normal(mean: float, deviation: float, edges: Array = EDGES, steps: int = 2800) -> Array:
    """Probabilities of equal steps; what goes beyond the ends is left out."""
    density = np.diff(norm.cdf(np.linspace(edges[0], edges[-1], steps + 1), mean, deviation))
    return np.asarray(density / density.sum())


def test_levels_lie_on_straight_lines_between_those_of_the_table() -> None:
    low, high = TABLE.levels_of(0.8, 10)  # a ninth of the way from 0.05 to 0.5, and on to 0.95
    assert low == pytest.approx([0.02 + 0.48 / 9, 0.1 + 0.5 / 9])
    assert high == pytest.approx([0.5 + 0.48 * 8 / 9, 0.6 + 0.39 * 8 / 9])
    low, high = TABLE.levels_of(0.98, 3)  # beyond the outermost: towards 0 and 1
    assert low == pytest.approx([0.02 / 5, 0.1 / 5])
    assert high == pytest.approx([0.98 + 0.02 * 0.8, 0.99 + 0.01 * 0.8])
    half = (0.03 + 0.02) / 2, (0.04 + 0.1) / 2  # between the classes by the logarithm
    assert TABLE.levels_of(0.9, round(10**2.5))[0] == pytest.approx(half, abs=1e-4)
    assert TABLE.levels_of(0.9, 10**6)[1] == pytest.approx([0.96, 0.5])
    assert [TABLE.blur_of(moves) for moves in (0, 1, 10)] == [1.00049] * 3
    assert TABLE.blur_of(316) == pytest.approx(0.125, abs=1e-3)
    assert TABLE.blur_of(5000) == 0.0
    first = replace(TABLE, moves=np.array([1.0, 100.0, 1000.0]))
    assert [first.blur_of(moves) for moves in (0, 1)] == [1.00049] * 2


def test_an_interval_ends_at_the_quantiles_of_its_levels_in_a_blurred_distribution() -> None:
    even, sure = np.full(280, 1.0 / 280), np.zeros(280)
    assert PLAIN.interval(even, 10, 0.5) == pytest.approx((-0.5, 6.5), abs=1e-6)
    places, cdf = cumulated(even, -4.0, 10.0)
    assert (places[0], places[-1], cdf[0], cdf[-1]) == (-4.0, 10.0, 0.0, 1.0)
    sure[100] = 1.0  # all in the step from 1 to 1.05
    assert PLAIN.interval(sure, 10, 0.9) == pytest.approx((1.0025, 1.0475), abs=1e-6)
    assert (np.diff(cumulated(sure, -4.0, 10.0)[1]) > 0.0).all()  # each step has its quantile
    for level in (0.5, 0.9, 0.95):
        wanted = norm.interval(level, 3.0, 1.0)
        assert PLAIN.interval(normal(3.0, 1.0), 10, level) == pytest.approx(wanted, abs=1e-3)

    def crossing(at: tuple[float, float]) -> float:
        return float(brentq(lambda x: norm.cdf(x, 3.3, 0.8) - np.interp(x, (0, 6), at), -1, 9))

    wanted = crossing((0.02, 0.1)), crossing((0.96, 0.5))
    assert TABLE.interval(normal(3.3, 0.8), 1000, 0.9) == pytest.approx(wanted, abs=1e-3)
    narrow = normal(3.0, 0.6)
    assert blurred(narrow, 0.8, -4.0, 10.0) == pytest.approx(normal(3.0, 1.0), abs=1e-6)
    assert blurred(narrow, 0.0, -4.0, 10.0) is narrow
    table = replace(PLAIN, blur=np.array([0.8]))
    wanted = norm.interval(0.9, 3.0, 1.0)
    assert table.interval(narrow, 10, 0.9) == pytest.approx(wanted, abs=1e-3)
    below = norm.cdf([-0.5, 0.5, 1.5])  # of four steps the second: what is beyond stays within
    assert blurring(4, 1.0)[1] == pytest.approx(np.diff([0.0, *below, 1.0]))
    # An interval has no end in an outer group, within which no strengths are told apart.
    for mean, deviation, low, high in (
        (-1.0, 0.3, None, -1.0 + 1.645 * 0.3), (9.0, 0.3, 9.0 - 1.645 * 0.3, None),
        (-3.0, 0.1, None, -1.0), (9.7, 0.1, 9.0, None), (3.0, 50.0, None, None),
    ):  # fmt: skip
        begin, end = PLAIN.interval(normal(mean, deviation), 100, 0.9)
        assert begin == pytest.approx(low, abs=1e-3)
        assert end == pytest.approx(high, abs=1e-3)


def test_levels_that_too_few_players_speak_for_are_refused() -> None:
    """Four of the players must be beyond, and none of less than a half was checked."""
    assert TABLE.support == (0.5, 0.9)
    for level in (0.5, 0.9):
        TABLE.check_level(level)
    for level in (0.49, 0.91):
        with pytest.raises(UsageError, match=r"on 40 players, which is enough for 50 to 90 %"):
            TABLE.check_level(level)
    with pytest.raises(UsageError, match=r"for 50 to 95\.5 %"):
        replace(TABLE, players=np.array([90, 89, 95])).check_level(0.96)
    assert replace(TABLE, players=np.array([5])).support == (0.5, 0.5)
    assert PLAIN.support == (0.0, 1.0)
    for level in (0.0, 1.0, -0.5, 90.0):
        with pytest.raises(UsageError, match="not between 0 and 1"):
            PLAIN.check_level(level)
        with pytest.raises(UsageError, match="not between 0 and 1"):
            TABLE.levels_of(level, 10)


def test_a_table_is_kept_as_plain_values() -> None:
    plain = TABLE.as_dict()
    assert (plain["moves"], plain["blur"]) == ([10.0, 100.0, 1000.0], [1.0, 0.25, 0.0])
    for table in (TABLE, PLAIN):
        again = IntervalTable.from_dict(table.as_dict())
        assert again.at == pytest.approx(table.at, abs=1e-6)
        for name in ("levels", "counts", "players", "ends", "strengths"):
            assert getattr(again, name) == pytest.approx(getattr(table, name), abs=1e-12), name
    old = {**plain, "at": [row[0] for row in plain["at"]]}  # of version 0.1
    del old["strengths"]
    assert IntervalTable.from_dict(old).at.tolist() == TABLE.at[:, :1].tolist()


@pytest.mark.parametrize(
    "change",
    [
        {"moves": [], "blur": [], "at": [], "counts": [], "players": []},
        {"moves": ["many"] * 3}, {"moves": [0.5, 100.0, 1000.0]}, {"moves": [10.0, 10.0, 1000.0]},
        {"levels": [0.0, 0.5, 0.95]}, {"levels": [0.05, 0.5, 1.0]}, {"levels": [0.05, 0.5]},
        {"at": [[2.0]]}, {"at": AT[:2]}, {"at": [*AT[:2], [[0.1, 0.5, 1.1]] * 2]},
        {"at": [*AT[:2], [[-0.1, 0.5, 0.9]] * 2]}, {"at": [*AT[:2], [[0.1, 0.5, 0.4]] * 2]},
        {"at": [*AT[:2], [[0.1, 0.5, float("nan")]] * 2]}, {"blur": [1.0, -0.1, 0.0]},
        {"blur": [1.0, 0.5]}, {"counts": None}, {"counts": [1, 2]}, {"counts": [10**400] * 3},
        {"blur": [10**400] * 3}, {"players": [1]}, {"ends": [-4.0, -1.0, 10.0]},
        {"ends": [-4.0, -1.0, -1.0, 10.0]}, {"ends": [-4.0, -1.0, 9.0, float("inf")]},
        {"strengths": [6.0, 0.0]}, {"strengths": [1.0]}, {"strengths": []},
    ],
)  # fmt: skip
def test_a_damaged_table_is_refused(change: dict[str, Any]) -> None:
    for given in ({**TABLE.as_dict(), **change}, {}):
        with pytest.raises(InputError, match="damaged"):
            IntervalTable.from_dict(given)
