"""A damaged game takes no other with it, and what is lost is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.neighbours import FORMATS, tried
from yardstone.records.sgf import SgfReader


@pytest.mark.parametrize(("name", "cases"), [("pgn", 60), ("sgf", 60), ("mat", 40), ("csv", 12)])
def test_sound_games_beside_a_damaged_one(name: str, cases: int) -> None:
    tally = tried(name, cases, keep=1)
    assert tally.beside > 4 * cases
    assert (tally.lost, tally.changed) == (0, 0), tally.examples


def test_all_formats_are_tried() -> None:
    assert set(FORMATS) == {"pgn", "csv", "sgf", "mat"}


@pytest.mark.parametrize("torn", ["C[never closed", "PB[Eve", ";B[p", "C[a [3d]: b", "AB[dd][p"])
def test_a_value_that_was_never_closed_ends_where_a_game_begins(torn: str, tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    path.write_text(f"(;GM[1]PW[Ann];B[dd]{torn}\n(;GM[1]FF[4]PB[Bob]PW[Eve]RE[B+R];B[pp])\n")
    reader = SgfReader(path)
    first, second = reader
    assert (first.white, second.black, second.white, len(second.moves)) == ("Ann", "Bob", "Eve", 1)
    assert reader.skipped.repaired  # said


def test_the_beginning_of_a_game_in_a_comment_is_text(tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    path.write_text("(;GM[1]PB[Ann]C[he pasted:\n(;GM[1\\]FF[4\\] and more];B[dd];W[pp])\n")
    (game,) = SgfReader(path)
    assert len(game.moves) == 2
