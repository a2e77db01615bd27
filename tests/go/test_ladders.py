from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.go.slow_board import random_moves
from tests.go.slow_ladders import caught_stones
from yardstone.go import _ladders
from yardstone.go.board import Board
from yardstone.go.points import PASS, neighbours, point_number, symmetry_points
from yardstone.go.rules import Rules


def diagram(rows: list[str]) -> Board:
    signs = "".join(rows)
    black, white = ([k for k, sign in enumerate(signs) if sign == c] for c in "XO")
    return Board(len(rows), setup_black=black, setup_white=white)


#: White's stone is caught, and its ladder runs to the upper right.
LADDER = [*["." * 9] * 4, "..X......", "..XO.....", "...XX....", *["." * 9] * 2]


@settings(max_examples=40)
@given(st.integers(3, 6), st.integers(10, 60), st.integers(0, 10**6))
def test_random_boards_read_to_the_end(size: int, length: int, seed: int) -> None:
    board = Board(size, Rules(ko="simple"))
    for number, move in enumerate(random_moves(seed, size, min(length, 2 * size * size))):
        board.play(move, 1 + number % 2)
    stones = {divmod(p, size): int(c) for p, c in enumerate(board.stones) if c}
    ko = None if board.ko == PASS else divmod(board.ko, size)
    caught, catching = caught_stones(stones, size, ko)
    result = board.ladders()
    assert {divmod(p, size) for p in np.flatnonzero(result.caught).tolist()} == caught
    for colour, moves in catching.items():
        assert {divmod(p, size) for p in np.flatnonzero(result.catching[colour]).tolist()} == moves


def test_a_search_that_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no catch; where the board looks alike another way, it is read that way too."""
    board = diagram([*LADDER[:4], "..XX.....", *LADDER[5:]])
    near, turns = neighbours(9), symmetry_points(9)
    log, tree = _ladders.new_search(9)
    before = board._board.copy()

    def read() -> int:
        read_ladder = _ladders.read_ladder.py_func  # type: ignore[attr-defined]
        return int(read_ladder(board._board, near, point_number("D4", 9), turns[0], log, 0, tree))

    assert read() == _ladders.CAUGHT
    monkeypatch.setattr(_ladders, "LIMIT", 3)
    assert read() == _ladders.GIVEN_UP
    assert np.array_equal(board._board, before)
    answers = [_ladders.GIVEN_UP, _ladders.CAUGHT]
    asked = []

    def answer(*arguments: object) -> tuple[int, int, int]:
        asked.append(arguments[3])
        return answers[len(asked) - 1], 7, -1

    monkeypatch.setattr(_ladders, "_read", answer)
    find = _ladders.find_ladders.py_func  # type: ignore[attr-defined]
    for black, looks in (([40], 2), ([51], 1)):  # the middle looks alike from all sides
        stones = Board(9, setup_black=black)
        stones._board[4, black[0]] = 2  # as if it had two liberties
        marks = np.zeros((3, 82), np.int32)
        asked.clear()
        find(stones._board, near, turns, stones.keys, log, tree, marks[0], marks[1:])
        assert len(asked) == looks
        assert np.flatnonzero(marks[0]).tolist() == black[: looks - 1]
        assert np.flatnonzero(marks[1]).tolist() == [7][: looks - 1]
