from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import norm

from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.strength.intervals import Interval, IntervalTable, cumulated
from yardstone.strength.site_scales import EDGES, GROUP_EDGES
from yardstone_lab.neubauer.rank.intervals import (
    Coverage,
    Unseen,
    coverage,
    fit_intervals,
    tails_near,
    widened_near,
)

fitted = partial(fit_intervals, edges=EDGES)
covered = partial(coverage, edges=EDGES)
PLAIN = IntervalTable.plain(EDGES)

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
STEPS = 280
MIDDLES = EDGES[0] + (EDGES[-1] - EDGES[0]) / STEPS * (np.arange(STEPS) + 0.5)


def quantiles_of(density: Array, levels: list[float]) -> Array:
    places, cdf = cumulated(density, EDGES[0], EDGES[-1])
    return np.asarray(np.interp(levels, cdf, places))


def normal(mean: Array, deviation: Array) -> Array:
    away = (MIDDLES - np.atleast_1d(mean)[:, None]) / np.atleast_1d(deviation)[:, None]
    density = np.exp(-0.5 * (away**2 - (away**2).min(axis=1, keepdims=True)))
    return np.asarray(density / density.sum(axis=1, keepdims=True))


def players(number: int, seed: int, claimed: float) -> tuple[Array, Ints, Ints]:
    """Densities, groups and moves of players whose estimates are off by 1 rank.

    The densities claim a deviation of `claimed` ranks, whatever the number of moves.
    """
    random = np.random.default_rng(seed)
    strength = random.uniform(0.0, 9.0, number)
    estimate = strength + random.normal(0.0, 1.0, number)
    groups = np.asarray(np.searchsorted(EDGES, strength, side="right") - 1, np.int64)
    moves = random.integers(30, 1500, number)
    return normal(estimate, np.full(number, claimed)), groups, moves


def test_quantiles_of_an_even_distribution() -> None:
    even = np.full(STEPS, 1.0 / STEPS)
    assert quantiles_of(even, [0.0, 0.25, 0.5, 1.0]) == pytest.approx([-4.0, -0.5, 3.0, 10.0])


def test_quantiles_of_a_normal_distribution() -> None:
    result = quantiles_of(normal(np.array([4.0]), np.array([0.8]))[0], [0.05, 0.5, 0.95])
    assert result == pytest.approx([4.0 - 1.645 * 0.8, 4.0, 4.0 + 1.645 * 0.8], abs=0.01)


def test_quantiles_where_all_lies_in_one_step() -> None:
    density = np.zeros(STEPS)
    density[100] = 1.0
    low, high = quantiles_of(density, [0.01, 0.99])
    assert MIDDLES[100] - 0.03 < low < high < MIDDLES[100] + 0.03


def held(table: IntervalTable, density: Array, groups: Ints, moves: Ints, level: float) -> Coverage:
    """Coverage by a table that was fitted to others."""
    pairs = zip(density, moves.tolist(), strict=True)
    intervals = [table.interval(row, n, level) for row, n in pairs]
    return covered(intervals, groups, level=level)


def width(interval: Interval) -> float:
    """Of an interval that has both ends."""
    low, high = interval
    assert low is not None
    assert high is not None
    return high - low


@pytest.mark.parametrize("claimed", [0.3, 0.5, 1.0, 2.0])
def test_intervals_hold_what_they_promise_on_other_players(claimed: float) -> None:
    table = fitted(*players(4000, 1, claimed))
    density, groups, moves = players(4000, 2, claimed)
    for level in (0.5, 0.8, 0.9, 0.95, 0.99):
        result = held(table, density, groups, moves, level)
        # The groups' bounds make it a little uneven: both samples are of 4,000.
        assert result.held == pytest.approx(
            level, abs=5.0 * np.sqrt(2 * level * (1 - level) / 4000)
        )
        assert result.reach >= result.held


def test_what_claims_too_much_is_widened_and_what_claims_too_little_narrowed() -> None:
    density = normal(np.array([4.0]), np.array([1.0]))[0]
    widths = []
    for claimed in (0.5, 1.0, 2.0):
        table = fitted(*players(4000, 1, claimed))
        widths.append(width(table.interval(density, 300, 0.9)))
    plain = width(PLAIN.interval(density, 300, 0.9))
    assert widths[0] > 1.2 * plain
    assert widths[1] == pytest.approx(plain, rel=0.15)
    assert widths[2] < 0.75 * plain


def test_a_table_of_plain_intervals_changes_nothing() -> None:
    density = normal(np.array([3.0]), np.array([1.0]))[0]
    for level in (0.5, 0.9, 0.95):
        tail = 0.5 * (1.0 - level)
        expected = quantiles_of(density, [tail, 1.0 - tail])
        assert PLAIN.interval(density, 10, level) == pytest.approx(expected)


@given(
    st.floats(-6.0, 12.0),
    st.floats(0.05, 5.0),
    st.integers(0, 10**6),
    st.floats(0.001, 0.999),
    st.floats(0.001, 0.999),
)
def test_intervals_grow_with_the_level_and_stay_on_the_scale(
    mean: float, deviation: float, moves: int, one: float, two: float
) -> None:
    density = normal(np.array([mean]), np.array([deviation]))[0]
    small, large = sorted((one, two))
    inner = on_scale(TABLE.interval(density, moves, small))
    outer = on_scale(TABLE.interval(density, moves, large))
    assert EDGES[0] <= outer[0] <= inner[0] <= inner[1] <= outer[1] <= EDGES[-1]


def on_scale(interval: Interval) -> tuple[float, float]:
    """An interval whose missing ends are those of the scale."""
    low, high = interval
    return EDGES[0] if low is None else low, EDGES[-1] if high is None else high


TABLE = fitted(*players(3000, 3, 0.7))


def test_few_moves_and_many_are_fitted_by_themselves() -> None:
    wide, groups, _ = players(2000, 4, 0.5)
    right, others, _ = players(2000, 5, 1.0)
    table = fitted(
        np.concatenate([wide, right]),
        np.concatenate([groups, others]),
        np.repeat([40, 900], 2000),
    )
    assert table.moves == pytest.approx([40.0, 900.0])
    assert table.blur[0] > 0.7
    assert table.blur[1] < 0.4
    density = normal(np.array([4.0]), np.array([1.0]))[0]
    between = round(np.sqrt(40 * 900))
    blurs = [table.blur_of(moves) for moves in (1, 40, between, 900, 9000)]
    assert blurs[0] == blurs[1] > blurs[2] > blurs[3]
    assert blurs[4] == pytest.approx(blurs[3])
    assert blurs[2] == pytest.approx(0.5 * (blurs[1] + blurs[3]), rel=1e-3)
    widths = [width(table.interval(density, moves, 0.9)) for moves in (40, between, 900)]
    assert widths[0] > widths[1] > widths[2]


def test_small_classes_join_others() -> None:
    density, groups, _ = players(500, 6, 1.0)
    moves = np.repeat([10, 70, 150, 700], [20, 300, 150, 30])
    table = fitted(density, groups, moves)
    assert table.counts.tolist() == [500]
    assert fitted(density, groups, moves, fewest=100).counts.tolist() == [320, 180]
    assert fitted(density[:5], groups[:5], moves[:5]).counts.tolist() == [5]


def test_all_groups_count_alike_however_many_of_each_there_are() -> None:
    density, groups, moves = players(3000, 10, 0.7)
    even = fitted(density, groups, moves, by_moves=(0,))
    often = np.concatenate([np.arange(3000), np.repeat(np.flatnonzero(groups == 9), 20)])
    uneven = fitted(density[often], groups[often], moves[often], by_moves=(0,))
    assert uneven.at == pytest.approx(even.at, abs=5e-3)
    assert uneven.blur == pytest.approx(even.blur)


def test_players_count_alike_however_many_estimates_there_are_of_each() -> None:
    density, groups, moves = players(600, 7, 0.7)
    once = fitted(density, groups, moves, by_moves=(0,))
    rows = np.concatenate([np.arange(600), np.repeat(np.arange(300), 9)])
    often = fitted(density[rows], groups[rows], moves[rows], players=rows, by_moves=(0,))
    assert often.players.tolist() == once.players.tolist() == [600]
    assert often.counts.tolist() == [3300]
    assert often.at == pytest.approx(once.at, abs=2e-3)


def test_classes_that_are_named() -> None:
    density, groups, moves = players(2000, 12, 0.7)
    games = np.repeat([1, 5], 1000)
    table = fitted(density, groups, np.where(games == 1, moves, 5 * moves), classes=games)
    assert table.counts.tolist() == [1000, 1000]
    assert table.moves[1] > 4.0 * table.moves[0]


def test_a_class_without_some_group_joins_the_one_before_it() -> None:
    density, groups, _ = players(2000, 11, 1.0)
    moves = np.where(groups >= 8, 700, 70)
    assert fitted(density, groups, moves).counts.tolist() == [2000]


def test_few_players_are_allowed_for() -> None:
    density, groups, moves = players(40, 8, 1.0)
    few = fitted(density, groups, moves, by_moves=(0,))
    many = fitted(
        *(np.repeat(part, 50, axis=0) for part in (density, groups, moves)), by_moves=(0,)
    )
    assert np.ptp(few.levels_of(0.9, 100)) > np.ptp(many.levels_of(0.9, 100))


def test_levels_that_too_few_players_speak_for_are_refused() -> None:
    few = fitted(*players(100, 8, 1.0), by_moves=(0,))
    assert few.support == pytest.approx((0.5, 0.96))
    for level in (0.5, 0.9, 0.95, 0.96):
        few.check_level(level)
    for level in (0.3, 0.97, 0.99):
        with pytest.raises(UsageError, match=r"checked on 100 players.*50 to 96 %"):
            few.check_level(level)
    fitted(*players(1000, 8, 1.0), by_moves=(0,)).check_level(0.99)
    for level in (0.01, 0.999):
        PLAIN.check_level(level)


def test_a_table_is_kept_as_plain_values() -> None:
    again = IntervalTable.from_dict(TABLE.as_dict())
    assert again.at == pytest.approx(TABLE.at, abs=1e-6)
    assert again.counts.tolist() == TABLE.counts.tolist()
    assert again.ends.tolist() == TABLE.ends.tolist() == [-4.0, -1.0, 9.0, 10.0]


@pytest.mark.parametrize(
    "change",
    [
        {"moves": []},
        {"moves": ["many"]},
        {"moves": [0.0] * 8},
        {"levels": [0.5]},
        {"at": [[2.0]]},
        {"at": [[float("nan")]]},
        {"counts": None},
        {"blur": [-1.0] * 8},
        {"players": [1]},
        {"ends": [-4.0, -1.0, 10.0]},
        {"ends": [-4.0, -1.0, -1.0, 10.0]},
    ],
)
def test_a_damaged_table_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(InputError, match="damaged"):
        IntervalTable.from_dict({**TABLE.as_dict(), **change})
    with pytest.raises(InputError, match="damaged"):
        IntervalTable.from_dict({})


def test_refusals() -> None:
    density = np.full(STEPS, 1.0 / STEPS)
    for level in (0.0, 1.0, -0.5, 90.0):
        with pytest.raises(UsageError, match="not between 0 and 1"):
            TABLE.interval(density, 10, level)
    with pytest.raises(NoGamesError):
        fitted(np.empty((0, STEPS)), [], [])


def test_an_interval_that_reaches_into_an_outer_group_has_no_end_there() -> None:
    table = PLAIN
    weak, strong = normal(np.array([-1.0, 9.0]), np.array([0.3, 0.3]))
    below, above = table.interval(weak, 100, 0.9), table.interval(strong, 100, 0.9)
    assert below[0] is None
    assert below[1] == pytest.approx(-1.0 + 1.645 * 0.3, abs=0.02)
    assert above[0] == pytest.approx(9.0 - 1.645 * 0.3, abs=0.02)
    assert above[1] is None
    middle = normal(np.array([4.0]), np.array([0.3]))[0]
    low, high = table.interval(middle, 100, 0.9)
    assert (low, high) == pytest.approx((4.0 - 1.645 * 0.3, 4.0 + 1.645 * 0.3), abs=0.02)


def test_what_lies_within_an_outer_group_is_bounded_by_its_edge() -> None:
    """No strengths are told apart there: how far within it the estimate lies says nothing."""
    table = PLAIN
    weak, strong = normal(np.array([-3.0, 9.7]), np.array([0.1, 0.1]))
    assert table.interval(weak, 100, 0.9) == (None, EDGES[1])
    assert table.interval(strong, 100, 0.9) == (EDGES[-2], None)
    assert table.interval(np.full(STEPS, 1.0 / STEPS), 100, 0.99) == (None, None)


def test_a_table_knows_its_own_scale() -> None:
    """The same shares of the steps, on a scale of other groups, are other ranks."""
    edges = GROUP_EDGES["ogs"]
    table = IntervalTable.plain(edges)
    steps = 880
    middles = edges[0] + (edges[-1] - edges[0]) / steps * (np.arange(steps) + 0.5)
    away = (middles - np.array([[-12.0], [-23.8], [3.1]])) / 0.5
    density = np.exp(-0.5 * away**2)
    density /= density.sum(axis=1, keepdims=True)
    result = [table.interval(row, 100, 0.9) for row in density]
    assert result[0] == pytest.approx((-12.0 - 1.645 * 0.5, -12.0 + 1.645 * 0.5), abs=0.03)
    assert result[1][0] is None
    assert result[1][1] == pytest.approx(-23.8 + 1.645 * 0.5, abs=0.03)
    assert result[2][0] == pytest.approx(3.1 - 1.645 * 0.5, abs=0.03)
    assert result[2][1] is None


def test_strengths_that_are_known_take_the_place_of_the_group() -> None:
    """Of players of known rating the intervals hold the rating, not their group's middle."""
    random = np.random.default_rng(3)
    edges = np.array([-20.0, -10.0, 0.0, 10.0])

    def sample(number: int) -> tuple[Array, Ints, Ints, Array]:
        strength = random.uniform(-10.0, -8.0, number)  # one end of a broad group
        estimate = strength + random.normal(0.0, 1.0, number)
        middles = -20.0 + 0.1 * (np.arange(300) + 0.5)
        density = np.exp(-0.5 * (middles - estimate[:, None]) ** 2)
        group = np.full(number, 1, np.int64)
        return density / density.sum(axis=1, keepdims=True), group, group * 200, strength

    density, group, moves, strength = sample(4000)
    known = fit_intervals(density, group, moves, edges=edges, strengths=strength[:, None])
    spread = fit_intervals(density, group, moves, edges=edges)
    density, _, _, strength = sample(4000)
    ends = [known.interval(row, 200, 0.9) for row in density]
    inside = [
        (low is None or low <= each) and (high is None or each <= high)
        for each, (low, high) in zip(strength, ends, strict=True)
    ]
    assert np.mean(inside) == pytest.approx(0.9, abs=0.02)
    middle = density[np.argmin(np.abs(strength + 7.5))]
    assert width(spread.interval(middle, 200, 0.5)) > width(known.interval(middle, 200, 0.5))


RATED = np.array([-30.0, -20.0, -10.0, 0.0, 10.0])


def drawn_to_the_middle(number: int, seed: int) -> tuple[Array, Ints, Array]:
    """Densities, groups and strengths of players whose estimates are drawn to -10.

    The model reads half of how far a player is from there, and is as sure everywhere.
    """
    random = np.random.default_rng(seed)
    strength = random.uniform(-25.0, 5.0, number)
    estimate = -10.0 + 0.5 * (strength + 10.0) + random.normal(0.0, 2.0, number)
    middles = RATED[0] + 0.1 * (np.arange(400) + 0.5)
    density = np.exp(-0.5 * ((middles - estimate[:, None]) / 4.0) ** 2)
    group = np.asarray(np.searchsorted(RATED, strength, side="right") - 1, np.int64)
    return density / density.sum(axis=1, keepdims=True), group, strength


@pytest.mark.parametrize("level", [0.8, 0.9])
def test_levels_near_a_strength_hold_as_many_of_the_weak_and_of_the_strong(level: float) -> None:
    density, group, strength = drawn_to_the_middle(3000, 1)
    moves = np.full(3000, 100)
    near = (-22.0, -16.0, -10.0, -4.0, 2.0)
    tables = [
        fit_intervals(density, group, moves, edges=RATED, strengths=strength[:, None], near=each)
        for each in ((), near)
    ]
    assert tables[1].strengths.tolist() == list(near)
    assert tables[1].at.shape[1] == 5
    density, _, strength = drawn_to_the_middle(3000, 2)
    shares = []
    for table in tables:
        ends = [table.interval(row, 100, level) for row in density]
        low = np.array([-np.inf if end[0] is None else end[0] for end in ends])
        high = np.array([np.inf if end[1] is None else end[1] for end in ends])
        held = (low <= strength) & (strength <= high)
        # Within the outermost groups an interval has no end: what lies there shows nothing.
        bands = [held[(strength >= a) & (strength < a + 5.0)] for a in (-20.0, -12.5, -5.0)]
        shares.append([float(band.mean()) for band in bands])
    alike, by_strength = shares
    assert alike[1] > level + 0.03  # the middle has what the ends lack
    assert min(alike) < level - 0.03
    assert by_strength == pytest.approx([level] * 3, abs=0.04)


def test_intervals_are_widened_where_too_few_are_held_and_nowhere_else() -> None:
    near, random = (-15.0, -5.0), np.random.default_rng(5)
    strength = np.repeat(near, 400)
    # Estimates of the weak are off by 1.4 times as much as is claimed: 2.3 deviations hold 90 %.
    off = random.normal(0.0, np.where(strength < -10.0, 1.4, 1.0))
    begin, *_, end = RATED
    middles = begin + (end - begin) * (np.arange(STEPS) + 0.5) / STEPS
    density = np.exp(-0.5 * (middles - (strength + off)[:, None]) ** 2)
    density /= density.sum(axis=1, keepdims=True)
    number = np.arange(len(strength))
    unseen = Unseen(
        density=density,
        statistics=np.full((len(strength), 6), 20.0),
        distance=np.zeros(len(strength)),
        strengths=strength[:, None],
        group=np.zeros(len(strength), np.int64),
        player=number,
        games=np.ones(len(strength), np.int64),
        fold=np.zeros(len(strength), np.int64),
    )
    plain = IntervalTable.plain(RATED)
    at = np.repeat(plain.at, 2, axis=1)
    table = replace(plain, at=at, strengths=np.array(near))
    tails = tails_near(table, unseen)
    assert tails[0] == pytest.approx(norm.sf(1.645 * 1.4) / 0.05, abs=0.1)
    assert tails[1] == pytest.approx(1.0, abs=0.11)
    wider = widened_near(table, tails)
    ends = [wider.interval(each, 100, 0.9) for each in density[:400]]
    share = np.mean([(low or begin) <= -15.0 <= (high or end) for low, high in ends])
    assert 0.9 <= share < 0.93


def test_a_table_near_strengths_is_kept_and_one_of_old_is_read() -> None:
    density, group, strength = drawn_to_the_middle(500, 3)
    made = fit_intervals(
        density,
        group,
        np.full(500, 60),
        edges=RATED,
        strengths=strength[:, None],
        near=(-20.0, 0.0),
    )
    again = IntervalTable.from_dict(made.as_dict())
    assert again.strengths.tolist() == [-20.0, 0.0]
    assert again.at == pytest.approx(made.at, abs=1e-6)
    low, high = made.interval(density[0], 60, 0.9)
    assert again.interval(density[0], 60, 0.9) == pytest.approx((low, high), abs=1e-3)
    old = TABLE.as_dict()
    old["at"] = [row[0] for row in old["at"]]
    del old["strengths"]
    assert IntervalTable.from_dict(old).at == pytest.approx(TABLE.at, abs=1e-6)
    for strengths in ([0.0, -20.0], [1.0], []):
        with pytest.raises(InputError, match="damaged"):
            IntervalTable.from_dict({**made.as_dict(), "strengths": strengths})


def test_intervals_hold_for_the_outer_groups_too() -> None:
    """Their players would else be missed by every tail that lies within their group."""
    random = np.random.default_rng(9)

    def everybody(number: int) -> tuple[Array, Ints, Ints]:
        group = np.asarray(random.integers(0, 11, number), np.int64)
        strength = random.uniform(EDGES[group], EDGES[group + 1])
        estimate = strength + random.normal(0.0, 1.0, number)
        return normal(estimate, np.full(number, 1.0)), group, np.full(number, 300)

    table = fitted(*everybody(6000))
    density, group, moves = everybody(6000)
    assert held(table, density, group, moves, 0.9).held == pytest.approx(0.9, abs=0.015)
    for outer in (0, 10):
        rows = group == outer
        assert held(table, density[rows], group[rows], moves[rows], 0.9).held > 0.85


def test_coverage_counts_players_not_estimates() -> None:
    inside, outside = (3.0, 4.0), (6.0, 7.0)
    result = covered([inside] * 9 + [outside], np.full(10, 4), level=0.9, players=[0] * 9 + [1])
    assert (result.count, result.players) == (10, 2)
    assert result.held == pytest.approx(0.9)
    alone = covered([inside] * 9 + [outside], np.full(10, 4), level=0.9)
    assert result.error > alone.error == pytest.approx(np.sqrt(0.09 / 9))
    half = covered([(3.5, None), (None, 3.25), (8.0, 9.0)], [4, 4, 4], level=0.9)
    assert half.held == pytest.approx((0.5 + 0.25 + 0.0) / 3.0)
    assert half.reach == pytest.approx(2.0 / 3.0)
    assert half.bounds == pytest.approx(2.0 / 3.0)
    assert half.width == pytest.approx((6.5 + 7.25 + 1.0) / 3.0)
    with pytest.raises(NoGamesError):
        covered([], [], level=0.9)
