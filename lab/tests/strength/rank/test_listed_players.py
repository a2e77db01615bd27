"""What the docs claim of players never seen, computed anew from what is kept of their games."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from lab.studies.rank.listed import Sides
from lab.studies.strength_intervals import FOLDS, draw_parts, held
from yardstone.strength.model import StrengthModel
from yardstone.strength.site_scales import RANKS
from yardstone.strength.strengths import PARTS, interval_tables
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
