"""All positions of a game, and their keys, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.go._board import COLOUR, KO, META, can_be_played, play
from yardstone.go._history import change_keys
from yardstone.go.points import PASS
from yardstone.kernels import bare_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go._setup import Lattice

    Ints = NDArray[np.int32]
    Keys = NDArray[np.uint64]

__all__ = ["replay_moves"]


@bare_kernel
def replay_moves(
    board: Ints,
    lattice: Lattice,
    position: Keys,
    moves: Ints,
    colours: Ints,
    log: Ints,
    boards: NDArray[np.int8],
    keys: Keys,
) -> int:
    """Write each position and its keys; returns the first move that cannot be played, or -1."""
    near = lattice.near
    area = len(near) - 1
    for played in range(len(moves) + 1):
        for point in range(area):
            boards[played, point] = board[COLOUR, point]
        for turn in range(len(position)):
            keys[played, turn] = position[turn]
        if played == len(moves):
            return -1
        if not can_be_played(board, near, moves[played], colours[played]):
            return played
        if moves[played] != PASS:
            top = play(board, near, moves[played], colours[played], log, 0)
            change_keys(board, lattice.stones, position, log, top)
        else:
            board[META, KO] = -1
    return -1
