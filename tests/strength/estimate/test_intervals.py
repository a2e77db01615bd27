"""Intervals from a table that is written down here, against quantiles of normal distributions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import norm

from yardstone.errors import InputError, UsageError
from yardstone.strength.intervals import IntervalTable, blurred, blurring, cumulated
from yardstone.strength.site_scales import EDGES

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


def test_a_plain_table_gives_the_quantiles() -> None:
    even = np.full(280, 1.0 / 280)
    assert PLAIN.interval(even, 10, 0.5) == pytest.approx((-0.5, 6.5), abs=1e-6)
    places, cdf = cumulated(even, -4.0, 10.0)
    assert (places[0], places[-1], cdf[0], cdf[-1]) == (-4.0, 10.0, 0.0, 1.0)
    sure = np.zeros(280)
    sure[100] = 1.0  # all in the step from 1 to 1.05
    assert PLAIN.interval(sure, 10, 0.9) == pytest.approx((1.0025, 1.0475), abs=1e-6)
    assert (np.diff(cumulated(sure, -4.0, 10.0)[1]) > 0.0).all()  # each step has its quantile
    for level in (0.5, 0.9, 0.95):
        wanted = norm.interval(level, 3.0, 1.0)
        assert PLAIN.interval(normal(3.0, 1.0), 10, level) == pytest.approx(wanted, abs=1e-3)


def test_an_interval_ends_where_the_levels_near_that_strength_are_reached() -> None:
    density = normal(3.3, 0.8)

    def crossing(at: tuple[float, float]) -> float:
        return float(brentq(lambda x: norm.cdf(x, 3.3, 0.8) - np.interp(x, (0, 6), at), -1, 9))

    wanted = crossing((0.02, 0.1)), crossing((0.96, 0.5))
    assert TABLE.interval(density, 1000, 0.9) == pytest.approx(wanted, abs=1e-3)


def test_a_blurred_distribution_is_wider_by_the_error() -> None:
    both = blurred(normal(3.0, 0.6), 0.8, -4.0, 10.0)
    assert both == pytest.approx(normal(3.0, 1.0), abs=1e-6)
    narrow = normal(3.0, 0.6)
    assert blurred(narrow, 0.0, -4.0, 10.0) is narrow
    table = replace(PLAIN, blur=np.array([0.8]))
    wanted = norm.interval(0.9, 3.0, 1.0)
    assert table.interval(narrow, 10, 0.9) == pytest.approx(wanted, abs=1e-3)
    below = norm.cdf([-0.5, 0.5, 1.5])  # of four steps the second: what is beyond stays within
    assert blurring(4, 1.0)[1] == pytest.approx(np.diff([0.0, *below, 1.0]))


@pytest.mark.parametrize(
    ("mean", "deviation", "low", "high"),
    [
        (-1.0, 0.3, None, -1.0 + 1.645 * 0.3), (9.0, 0.3, 9.0 - 1.645 * 0.3, None),
        # Within an outer group no strengths are told apart.
        (-3.0, 0.1, None, -1.0), (9.7, 0.1, 9.0, None), (3.0, 50.0, None, None),
    ],
)  # fmt: skip
def test_an_interval_has_no_end_in_an_outer_group(
    mean: float, deviation: float, low: float | None, high: float | None
) -> None:
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
