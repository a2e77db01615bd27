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
from yardstone_lab.neubauer.rank.intervals import accuracy, draw_games, knot_probabilities

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
