from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.go.slow_board import random_moves
from tests.go.slow_ladders import caught_stones
from yardstone.go.board import Board
from yardstone.go.points import BLACK, PASS, WHITE, point_number
from yardstone.go.rules import Rules


def diagram(text: str) -> Board:
    rows = text.split()
    size = len(rows)
    signs = "".join(rows)
    return Board(
        size,
        setup_black=[k for k, sign in enumerate(signs) if sign == "X"],
        setup_white=[k for k, sign in enumerate(signs) if sign == "O"],
    )


LADDER = """
.........
.........
.........
.........
..X......
..XO.....
...XX....
.........
.........
"""


def test_a_ladder_runs_across_the_board() -> None:
    result = diagram(LADDER).ladders()
    assert np.flatnonzero(result.caught).tolist() == [point_number("D4", 9)]
    moves = [point_number(name, 9) for name in ("D5", "E4")]
    assert np.flatnonzero(result.catching[WHITE]).tolist() == moves
    assert not result.catching[BLACK].any()


def test_a_stone_in_its_way_breaks_it() -> None:
    rows = LADDER.split()
    rows[2] = "......O.."
    assert not diagram("\n".join(rows)).ladders().caught.any()


def test_one_liberty_left() -> None:
    rows = LADDER.split()
    rows[4] = "..XX....."
    result = diagram("\n".join(rows)).ladders()
    assert np.flatnonzero(result.caught).tolist() == [point_number("D4", 9)]
    assert not result.catching[WHITE].any(), "it has one liberty: nothing is left to show"


@settings(max_examples=80)
@given(st.integers(3, 6), st.integers(10, 60), st.integers(0, 10**6))
def test_random_boards_read_to_the_end(size: int, length: int, seed: int) -> None:
    board = Board(size, Rules(ko="simple"))
    for number, move in enumerate(random_moves(seed, size, min(length, 2 * size * size))):
        board.play(move, BLACK if number % 2 == 0 else WHITE)
    stones = {divmod(p, size): int(c) for p, c in enumerate(board.stones) if c}
    ko = None if board.ko == PASS else divmod(board.ko, size)
    caught, catching = caught_stones(stones, size, ko)
    result = board.ladders()
    assert {divmod(p, size) for p in np.flatnonzero(result.caught).tolist()} == caught
    for colour, moves in catching.items():
        assert {divmod(p, size) for p in np.flatnonzero(result.catching[colour]).tolist()} == moves


def test_a_search_that_is_given_up_is_not_caught() -> None:
    code = (
        "from yardstone.go import _ladders\n"
        "_ladders.LIMIT = 3\n"
        "from tests.go.test_ladders import LADDER, diagram\n"
        "print(diagram(LADDER).ladders().caught.any())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"
