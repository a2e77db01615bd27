"""Go boards as diagrams."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.reports.pictures import elements, texts
from yardstone.errors import InputError
from yardstone.reports.boards import BoardDiagram
from yardstone.reports.drawing import Discs, Words


def discs(board: BoardDiagram, colour: str) -> list[tuple[float, float]]:
    result = elements(board.sheet(), Discs, colour)
    return [tuple(at) for each in result for at in each.centres.tolist()]


def stones(board: BoardDiagram, colour: str) -> list[tuple[float, float]]:
    result = [each for each in elements(board.sheet(), Discs, colour) if each.fill == colour]
    return [tuple(at) for each in result for at in each.centres.tolist()]


def stars(board: BoardDiagram) -> int:
    return len(discs(board, "wood-line"))


def test_a_board_with_stones_numbers_and_marks(tmp_path: Path) -> None:
    board = BoardDiagram(
        "Move 58", 19, ["D4", "Q16"], ["C3"],
        numbered=[(57, "C3"), (128, "K10")], played=("black", "A1"), best="T19",
    )  # fmt: skip
    assert len(stones(board, "black")) == 3
    assert stones(board, "white") == [(26.0 + 2 * 20, 26.0 + 16 * 20)]
    assert discs(board, "ring") == [(26.0, 386.0)]
    assert discs(board, "choice") == [(386.0, 26.0)]
    words = {each.text: each for each in elements(board.sheet(), Words)}
    assert words["57"].colour == "black"  # on a white stone
    assert words["128"].colour == "wood-text"  # its stone is gone
    assert words["128"].size < words["57"].size
    assert (words["A"].anchor, stars(board)) == ("middle", 9)
    root = ElementTree.fromstring(board.svg())
    assert root.get("aria-label") == "Move 58"
    for ending in ("svg", "png", "pdf"):
        board.save(tmp_path / f"board.{ending}")
        assert (tmp_path / f"board.{ending}").stat().st_size > 2000


@pytest.mark.parametrize(("size", "count"), [(2, 0), (8, 0), (9, 5), (10, 4), (13, 5), (18, 4)])
def test_boards_of_all_sizes(size: int, count: int) -> None:
    board = BoardDiagram("Empty", size, [], [])
    assert stars(board) == count
    assert len(texts(board.sheet())) == 4 * size


def test_passes_are_drawn_nowhere() -> None:
    board = BoardDiagram(
        "Pass", 9, [], [], numbered=[(3, "pass")], played=("black", "pass"), best="pass"
    )
    assert discs(board, "ring") == discs(board, "choice") == []


def test_a_point_off_the_board_is_an_error() -> None:
    with pytest.raises(InputError, match="K10"):
        BoardDiagram("Small", 9, ["K10"], []).svg()
