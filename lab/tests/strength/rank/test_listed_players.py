"""What the docs claim of players never seen, computed anew from what is kept of their games."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from lab.studies.rank.listed import Sides
from lab.studies.strength_intervals import FOLDS, GAMES, crossed, draw_parts, held
from yardstone.go.analysis import PHASES as GAME_PHASES
from yardstone.strength.model import StrengthModel
from yardstone.strength.site_scales import EDGES, RANKS
from yardstone.strength.strengths import PARTS, Rater, interval_tables, phase_means
from yardstone_lab.neubauer.rank.intervals import Unseen, accuracy, draw_games, knot_probabilities

KEPT = Path(__file__).resolve().parents[1] / "data" / "listed_sides.npz"
DOCS = Path(__file__).resolve().parents[4] / "docs" / "studies"


@pytest.fixture(scope="module")
def model() -> StrengthModel:
    return StrengthModel.load("rank")


@pytest.fixture(scope="module")
def sides() -> Sides:
    return Sides.load(KEPT)


@pytest.fixture(scope="module")
def parts(sides: Sides, model: StrengthModel) -> dict[str, Unseen]:
    return draw_parts(sides, model, 1, 2)


def test_groups_are_named_as_often_as_the_study_says(sides: Sides, model: StrengthModel) -> None:
    """The published protocol: both colours of n games of a group; chance is one in eleven."""
    tables = (DOCS / "rank-from-moves-tables.md").read_text("utf-8").splitlines()
    line = [row for row in tables if row.startswith("| both colours |")][1]
    stated = [float(each) / 100.0 for each in re.findall(r"([\d.]+) \(", line)]
    players = len(np.unique(sides.player[sides.listed]))
    # The games of a tenth of the players say less of a group than those of all of them.
    slack = 0.02 + 0.45 / np.sqrt(players / len(RANKS))
    for games, expected in zip((1, 5, 10, 15, 20), stated, strict=True):
        sums, group = draw_games(
            sides.statistics(),
            sides.group.astype(np.int64),
            sides.game.astype(np.int64),
            games=games,
            draws=100,
            random=np.random.default_rng(games),
        )
        result = accuracy(knot_probabilities(model.scale("fox"), sums), group)
        assert result.exact == pytest.approx(expected, abs=slack)
        if games >= 10:
            assert result.near > 0.97


def test_intervals_hold_on_players_they_were_not_fitted_to(parts: dict[str, Unseen]) -> None:
    """With strengths even within the group, by number of games; errors are by player."""
    result = parts["whole"]
    intervals = crossed(result, (0.5, 0.8, 0.9, 0.95))
    for level, ends in intervals.items():
        for games in GAMES:
            each = held(result, ends, level, result.games == games)
            assert abs(each.held - level) < 3.5 * each.error + 0.01, (level, games)
    wide, narrow = (held(result, intervals[0.9], 0.9, result.games == n) for n in (1, 15))
    assert wide.width > narrow.width + 1.0


@pytest.mark.parametrize("phase", GAME_PHASES)
def test_intervals_of_phases_hold(phase: str, parts: dict[str, Unseen]) -> None:
    result = parts[phase]
    ends = crossed(result, (0.9,))[0.9]
    for games in (1, 5, 10):
        each = held(result, ends, 0.9, result.games == games)
        assert abs(each.held - 0.9) < 3.5 * each.error + 0.02, games


def test_the_tables_that_are_shipped_are_those_of_these_players(
    model: StrengthModel, parts: dict[str, Unseen]
) -> None:
    tables = interval_tables(model, "fox")
    assert set(tables) == set(PARTS)
    assert len(np.unique(parts["whole"].fold)) == FOLDS
    for part, table in tables.items():
        table.check_level(0.9)
        result = parts[part]
        moves = result.moves
        ends = [
            table.interval(density, int(n), 0.9)
            for density, n in zip(result.density, moves, strict=True)
        ]
        each = held(result, ends, 0.9, np.ones(len(result), bool))
        assert 0.87 < each.held < 0.94, part


def test_the_whole_lies_between_its_phases(sides: Sides, model: StrengthModel) -> None:
    """For every listed player, with one game and with all of them."""
    listed = sides.select(sides.listed)
    each = np.stack([listed.statistics(phase) for phase in range(3)], axis=1)
    whole = listed.statistics()
    for player in np.unique(listed.player)[::3]:
        own = np.flatnonzero(listed.player == player)
        for rows in (own[:1], own):
            means = phase_means(model.scale("fox"), each[rows].sum(axis=0), whole[rows].sum(axis=0))
            mean = float(model.posterior(whole[rows].sum(axis=0))[0])
            assert means.min() - 0.02 <= mean <= means.max() + 0.02


def test_phases_are_not_off_the_true_group(sides: Sides, model: StrengthModel) -> None:
    """Groups between the outermost, with all their games; scored as parts of whole games."""
    listed = sides.select(sides.listed)
    each = np.stack([listed.statistics(phase) for phase in range(3)], axis=1)
    whole = listed.statistics()
    middle = 0.5 * (EDGES[:-1] + EDGES[1:])
    away = []
    for player in np.unique(listed.player):
        own = np.flatnonzero(listed.player == player)
        group = int(listed.group[own[0]])
        if len(own) >= 10 and 0 < group < len(RANKS) - 1:
            means = phase_means(model.scale("fox"), each[own].sum(axis=0), whole[own].sum(axis=0))
            away.append(means - middle[group])
    error = np.std(away, axis=0) / np.sqrt(len(away))
    assert (np.abs(np.mean(away, axis=0)) < 0.3 + 3.0 * error).all()


def test_few_of_them_look_unlikely(sides: Sides, model: StrengthModel) -> None:
    rater = Rater(model, 0.9)
    listed = sides.select(sides.listed)
    flagged = [rater.rate(row).unlikely for row in listed.statistics()[::4]]
    assert np.mean(flagged) < 0.03
