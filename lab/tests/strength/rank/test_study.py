"""What the page of the study says, against the model and the tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.strength.rank_cases import move_scorer
from yardstone.strength.evidence import PHASE_ENDS
from yardstone.strength.model import StrengthModel
from yardstone.strength.rank_features import SCALARS
from yardstone_lab.neubauer.rank.training import RankSettings

DOCS = Path(__file__).resolve().parents[4] / "docs"
PAGE = DOCS / "studies" / "rank-from-moves.md"
TABLES = DOCS / "studies" / "rank-from-moves-tables.md"


def figures(name: str) -> list[float]:
    """Per cent right by number of games, of a line of the first table."""
    line = next(line for line in TABLES.read_text("utf-8").splitlines() if f"| {name} |" in line)
    return [float(each) for each in re.findall(r"([\d.]+) \(", line)]


def test_the_page_describes_the_model() -> None:
    text = " ".join(PAGE.read_text("utf-8").split())
    model = StrengthModel.load("rank")
    lift = move_scorer(model).lift
    assert f"there are {lift.values} values" in text
    assert f"({lift.channels} channels)" in text
    assert f"and {len(SCALARS)} scalars" in text
    projections = 2 * len(lift.pick_bias) + len(lift.bias)
    assert f"and {projections} rectified random projections" in text
    ends = ", ".join(map(str, PHASE_ENDS))
    assert f"(up to move {ends}, and after)" in text
    assert model.scale("fox").spread.width == RankSettings().width == 3
    assert "reduced to the three directions" in text


def test_the_tables_show_what_the_page_says() -> None:
    both, half = figures("both colours"), figures("half of the games")
    gain = [both[k] - half[k] for k in (2, 4)]
    assert gain == pytest.approx([1.5, 1.5], abs=0.6)  # "about one and a half points"
    late, modern = figures("without the first 50 moves"), figures("games from 2017 on")
    years = figures("games from 2017 on, less what the year says")
    assert both == sorted(both)
    assert all(a > b for a, b in zip(both, half, strict=True))  # more games are worth something
    assert modern == pytest.approx(both, abs=2.0)  # the figures stay
    assert years == pytest.approx(modern, abs=2.5)
    assert all(0.0 < a - b < 7.0 for a, b in zip(both, late, strict=True))
    assert figures("numbers of moves alone") == pytest.approx([100 / 11] * 5, abs=1.0)
    assert figures("length of the game alone")[0] < 14.0


def test_the_players_never_seen() -> None:
    lines = TABLES.read_text("utf-8").splitlines()
    seen = [line for line in lines if "| both colours |" in line][1]
    result = [float(each) for each in re.findall(r"([\d.]+) \(", seen)]
    text = " ".join(PAGE.read_text("utf-8").split())
    assert f"placed right in {result[2]} % and {result[4]} %" in text
    assert result[4] > 84.0  # Chen, Shih and Wu
    assert "499 with 15." in " ".join(lines)
    assert "whose 499 listed players" in text
