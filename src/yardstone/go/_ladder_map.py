"""The chains of a board that are caught in a ladder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.go._board import COLOUR, HEAD, LIBS, NEXT
from yardstone.go._ladders import CAUGHT, GIVEN_UP, read_attack, read_ladder
from yardstone.go.points import BLACK, EMPTY
from yardstone.kernels import bare_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]
    Keys = NDArray[np.uint64]

__all__ = ["find_ladders"]


@bare_kernel
def _read(
    board: Ints, near: Ints, head: int, rank: Ints, log: Ints, tree: Ints
) -> tuple[int, int, int]:
    if board[LIBS, head] == 1:
        return read_ladder(board, near, head, rank, log, 0, tree), -1, -1
    return read_attack(board, near, head, rank, log, 0, tree)


@bare_kernel
def find_ladders(
    board: Ints,
    near: Ints,
    turns: Ints,
    position: Keys,
    log: Ints,
    tree: Ints,
    caught: Ints,
    catching: Ints,
) -> None:
    """Mark the stones that are caught, and the moves that catch chains of two liberties.

    The first row of `catching` is for chains of Black, the second for those of White.
    `turns` are the symmetries of the board, `position` its keys under them: the
    turn with the smallest key decides in which order moves are tried, so that the
    result turns with the board. If a search is given up and the board looks the
    same under another turn, that one is tried as well.
    """
    area = len(near) - 1
    for point in range(area):
        caught[point] = 0
        catching[0, point] = 0
        catching[1, point] = 0
    best = 0
    for turn in range(1, len(position)):
        if position[turn] < position[best]:
            best = turn
    for head in range(area):
        colour = board[COLOUR, head]
        if colour == EMPTY or board[HEAD, head] != head or board[LIBS, head] > 2:
            continue
        answer, first, second = _read(board, near, head, turns[best], log, tree)
        for turn in range(best + 1, len(position)):
            if answer == GIVEN_UP and position[turn] == position[best]:
                answer, first, second = _read(board, near, head, turns[turn], log, tree)
        if answer != CAUGHT:
            continue
        stone = head
        while True:
            caught[stone] = 1
            stone = board[NEXT, stone]
            if stone == head:
                break
        if first >= 0:
            catching[colour - BLACK, first] = 1
        if second >= 0:
            catching[colour - BLACK, second] = 1
