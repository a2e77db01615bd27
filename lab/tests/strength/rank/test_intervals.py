"""Intervals fitted to players who were not learnt from, and what the docs claim of them."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from lab.studies.rank.listed import Sides
from lab.studies.strength_intervals import FOLDS, draw_parts, held
from yardstone.errors import NoGamesError
from yardstone.strength.intervals import Interval, IntervalTable
from yardstone.strength.model import StrengthModel
from yardstone.strength.site_scales import EDGES, RANKS
from yardstone.strength.strengths import PARTS, interval_tables
from yardstone_lab.neubauer.rank.intervals import (
    Unseen,
    accuracy,
    coverage,
    draw_games,
    fit_intervals,
    knot_probabilities,
    tails_near,
    widened_near,
)

fitted = partial(fit_intervals, edges=EDGES)
covered = partial(coverage, edges=EDGES)
Array = NDArray[np.float64]
Ints = NDArray[np.int64]
STEPS = 280
MIDDLES = EDGES[0] + (EDGES[-1] - EDGES[0]) / STEPS * (np.arange(STEPS) + 0.5)


def players(number: int, seed: int, claimed: float) -> tuple[Array, Ints, Ints]:
    """Densities, groups and moves of players whose estimates are off by 1 rank.

    The densities claim a deviation of `claimed` ranks, whatever the number of moves.
    """
    random = np.random.default_rng(seed)
    strength = random.uniform(0.0, 9.0, number)
    estimate = strength + random.normal(0.0, 1.0, number)
    groups = np.asarray(np.searchsorted(EDGES, strength, side="right") - 1, np.int64)
    moves = random.integers(30, 1500, number)
    away = ((MIDDLES - estimate[:, None]) / claimed) ** 2
    density = np.exp(-0.5 * (away - away.min(axis=1, keepdims=True)))
    return density / density.sum(axis=1, keepdims=True), groups, moves


def ends_of(table: IntervalTable, density: Array, moves: Ints, level: float) -> list[Interval]:
    return [table.interval(row, n, level) for row, n in zip(density, moves.tolist(), strict=True)]


@pytest.mark.parametrize("claimed", [0.5, 2.0])
def test_intervals_hold_on_other_players_whatever_is_claimed(claimed: float) -> None:
    table = fitted(*players(1000, 1, claimed))
    density, groups, moves = players(1000, 2, claimed)
    for level in (0.5, 0.9):
        result = covered(ends_of(table, density, moves, level), groups, level=level)
        # The groups' bounds make it a little uneven: both samples are of 1,000.
        assert result.held == pytest.approx(level, abs=5.0 * (level * (1 - level) / 500) ** 0.5)


def test_small_classes_join_others() -> None:
    density, groups, _ = players(500, 6, 1.0)
    uneven = np.repeat([10, 70, 150, 700], [20, 300, 150, 30])
    lacks = np.where(groups >= 8, 700, 70)  # a class that lacks some group
    halves, same = np.repeat([40, 900], 250), np.full(500, 40)
    for moves, named, counts in (
        (uneven, {}, [500]), (uneven, {"fewest": 100}, [320, 180]), (lacks, {}, [500]),
        (halves, {"fewest": 100}, [250, 250]),
        (same, {"classes": np.repeat([1, 5], 250), "fewest": 100}, [250, 250]),
    ):  # fmt: skip
        assert fitted(density, groups, moves, **named).counts.tolist() == counts
    assert fitted(density, groups, halves, fewest=100).moves == pytest.approx([40.0, 900.0])
    assert fitted(density[:5], groups[:5], uneven[:5]).counts.tolist() == [5]
    with pytest.raises(NoGamesError):
        fitted(np.empty((0, STEPS)), [], [])


def test_players_and_groups_count_alike_however_often_they_stand_there() -> None:
    made, one_class = players(600, 7, 0.7), partial(fitted, by_moves=(0,))
    once = one_class(*made)
    rows = np.concatenate([np.arange(600), np.repeat(np.arange(300), 9)])
    often = one_class(*(part[rows] for part in made), players=rows)
    assert (often.players.tolist(), often.counts.tolist()) == ([600], [3300])
    assert often.at == pytest.approx(once.at, abs=2e-3)
    rows = np.concatenate([np.arange(600), np.repeat(np.flatnonzero(made[1] == 9), 20)])
    assert one_class(*(part[rows] for part in made)).at == pytest.approx(once.at, abs=2e-2)
    # Few players are allowed for, where many as they are would not be.
    few = one_class(*(part[:40] for part in made))
    many = one_class(*(np.repeat(part[:40], 50, axis=0) for part in made))
    assert np.ptp(few.levels_of(0.9, 100)) > np.ptp(many.levels_of(0.9, 9))


RATED = np.array([-30.0, -20.0, -10.0, 0.0, 10.0])


def drawn_to_the_middle(seed: int) -> tuple[Array, Ints, Array]:
    """Densities, groups and strengths of players whose estimates are drawn to -10.

    The model reads half of how far a player is from there, and is as sure everywhere.
    """
    random = np.random.default_rng(seed)
    strength = random.uniform(-25.0, 5.0, 3000)
    estimate = -10.0 + 0.5 * (strength + 10.0) + random.normal(0.0, 2.0, 3000)
    middles = RATED[0] + 0.1 * (np.arange(400) + 0.5)
    density = np.exp(-0.5 * ((middles - estimate[:, None]) / 4.0) ** 2)
    group = np.asarray(np.searchsorted(RATED, strength, side="right") - 1, np.int64)
    return density / density.sum(axis=1, keepdims=True), group, strength


def test_levels_near_a_strength_hold_as_many_of_the_weak_and_of_the_strong() -> None:
    density, group, strength = drawn_to_the_middle(1)
    moves = np.full(3000, 100)
    near = (-22.0, -16.0, -10.0, -4.0, 2.0)
    fit = partial(fit_intervals, density, group, moves, edges=RATED, strengths=strength[:, None])
    tables = [fit(near=each) for each in ((), near)]
    assert (tables[1].strengths.tolist(), tables[1].at.shape[1]) == (list(near), 5)
    density, _, strength = drawn_to_the_middle(2)
    shares = []
    for table in tables:
        ends = np.array(ends_of(table, density, moves, 0.9), float)  # none is no number
        held = ~((strength < ends[:, 0]) | (ends[:, 1] < strength))
        # Within the outermost groups an interval has no end: what lies there shows nothing.
        bands = [held[(strength >= a) & (strength < a + 5.0)] for a in (-20.0, -12.5, -5.0)]
        shares.append([float(band.mean()) for band in bands])
    alike, by_strength = shares
    assert alike[1] > 0.93  # the middle has what the ends lack
    assert min(alike) < 0.87
    assert by_strength == pytest.approx([0.9] * 3, abs=0.04)


def test_intervals_are_widened_where_too_few_are_held_and_nowhere_else() -> None:
    near, random = (-15.0, -5.0), np.random.default_rng(5)
    strength = np.repeat(near, 400)
    # Estimates of the weak are off by 1.4 times as much as is claimed: 2.3 deviations hold 90 %.
    off = random.normal(0.0, np.where(strength < -10.0, 1.4, 1.0))
    begin, *_, end = RATED
    middles = begin + (end - begin) * (np.arange(STEPS) + 0.5) / STEPS
    density = np.exp(-0.5 * (middles - (strength + off)[:, None]) ** 2)
    density /= density.sum(axis=1, keepdims=True)
    zero = np.zeros(800, np.int64)
    unseen = Unseen(
        density=density, statistics=np.full((800, 6), 20.0), distance=np.zeros(800),
        strengths=strength[:, None], group=zero, player=np.arange(800), games=zero + 1, fold=zero,
    )  # fmt: skip
    plain = IntervalTable.plain(RATED)
    at = np.repeat(plain.at, 2, axis=1)
    table = replace(plain, at=at, strengths=np.array(near))
    tails = tails_near(table, unseen)
    assert tails[0] == pytest.approx(norm.sf(1.645 * 1.4) / 0.05, abs=0.1)
    assert tails[1] == pytest.approx(1.0, abs=0.11)
    wider = widened_near(table, tails)
    ends = ends_of(wider, density[:400], np.full(400, 100), 0.9)
    share = np.mean([(low or begin) <= -15.0 <= (high or end) for low, high in ends])
    assert 0.9 <= share < 0.93


def test_coverage_counts_players_not_estimates() -> None:
    ends, fours = [(3.0, 4.0)] * 9 + [(6.0, 7.0)], np.full(10, 4)
    result = covered(ends, fours, level=0.9, players=[0] * 9 + [1])
    assert (result.count, result.players) == (10, 2)
    assert result.held == pytest.approx(0.9)
    assert result.error > covered(ends, fours, level=0.9).error == pytest.approx(0.1)
    half = covered([(3.5, None), (None, 3.25), (8.0, 9.0)], [4, 4, 4], level=0.9)
    assert half.held == pytest.approx((0.5 + 0.25 + 0.0) / 3.0)
    assert (half.reach, half.bounds) == pytest.approx((2.0 / 3.0, 2.0 / 3.0))
    assert half.width == pytest.approx((6.5 + 7.25 + 1.0) / 3.0)
    with pytest.raises(NoGamesError):
        covered([], [], level=0.9)


KEPT = Path(__file__).resolve().parents[1] / "data" / "listed_sides.npz"
DOCS = Path(__file__).resolve().parents[4] / "docs" / "studies"


def test_groups_are_named_as_often_as_the_study_says_and_intervals_hold() -> None:
    """The published protocol: both colours of n games of a group; chance is one in eleven."""
    sides, model = Sides.load(KEPT), StrengthModel.load("rank")
    tables = (DOCS / "rank-from-moves-tables.md").read_text("utf-8").splitlines()
    line = [row for row in tables if row.startswith("| both colours |")][1]
    stated = [float(each) / 100.0 for each in re.findall(r"([\d.]+) \(", line)]
    players = len(np.unique(sides.player[sides.listed]))
    # The games of a tenth of the players say less of a group than those of all of them.
    slack = 0.02 + 0.45 / np.sqrt(players / len(RANKS))
    whole = sides.statistics(), sides.group.astype(np.int64), sides.game.astype(np.int64)
    for games, expected in zip((1, 5, 10, 15, 20), stated, strict=True):
        random = np.random.default_rng(games)
        sums, group = draw_games(*whole, games=games, draws=100, random=random)
        result = accuracy(knot_probabilities(model.scale("fox"), sums), group)
        assert result.exact == pytest.approx(expected, abs=slack)
        assert result.near > (0.97 if games >= 10 else 0.0)
    parts = draw_parts(sides, model, 1, 2)
    assert len(np.unique(parts["whole"].fold)) == FOLDS
    shipped = interval_tables(model, "fox")
    assert set(shipped) == set(PARTS)
    for part, table in shipped.items():
        table.check_level(0.9)
        unseen = parts[part]
        pairs = zip(unseen.density, unseen.moves, strict=True)
        ends = [table.interval(density, int(n), 0.9) for density, n in pairs]
        assert 0.87 < held(unseen, ends, 0.9, np.ones(len(unseen), bool)).held < 0.94, part
