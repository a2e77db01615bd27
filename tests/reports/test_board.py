"""Go boards as diagrams."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.reports.pictures import elements, texts
from yardstone.errors import InputError
from yardstone.reports.boards import BoardDiagram
from yardstone.reports.drawing import Discs, Words


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
