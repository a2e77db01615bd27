"""Boards and rules in the form that compiled loops take."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.errors import InputError
from yardstone.go import _board, _history
from yardstone.go.points import BLACK, WHITE, neighbours, point_name, symmetry_points
from yardstone.go.rules import Rules
from yardstone.go.zobrist import stone_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Lattice", "lattice", "rule_numbers", "set_up"]

_KO = {"simple": 0, "positional": 1, "situational": 2}
_SCORING = {"area": 0, "territory": 1}
_TAX = {"none": 0, "seki": 1, "all": 2}
_BONUS = {"0": 0, "n-1": 1, "n": 2}


class Lattice(NamedTuple):
    """What all boards of a size have in common.

    Attributes
    ----------
    near : int32 [points + 1, 4]
        Neighbours of each point (`yardstone.go.points.neighbours`).
    turns : int32 [8, points]
        Where each symmetry takes them.
    stones : uint64 [8, 3, points]
        Random numbers of stones under each symmetry (`yardstone.go.zobrist`).
    """

    near: NDArray[np.int32]
    turns: NDArray[np.int32]
    stones: NDArray[np.uint64]


@cache
def lattice(size: int) -> Lattice:
    """The tables of a size of board."""
    return Lattice(neighbours(size), symmetry_points(size), stone_keys(size))


def rule_numbers(rules: Rules) -> NDArray[np.int32]:
    """Return rules as the numbers that compiled loops know (`yardstone.go._history`)."""
    numbers = np.zeros(_history.RULES, dtype=np.int32)
    numbers[_history.KO_RULE] = _KO[rules.ko]
    numbers[_history.SCORING] = _SCORING[rules.scoring]
    numbers[_history.TAX] = _TAX[rules.tax]
    numbers[_history.SUICIDE] = rules.suicide
    numbers[_history.HAS_BUTTON] = rules.button
    numbers[_history.WHITE_BONUS] = _BONUS[rules.white_handicap_bonus]
    numbers[_history.FRIENDLY_PASS] = rules.friendly_pass
    return numbers


def set_up(size: int, black: NDArray[np.int32], white: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return a board with stones set up, in the form that compiled loops use.

    Raises
    ------
    InputError
        If a stone stands outside the board, on another one, or without liberties.
    """
    board = _board.new_board(size)
    log = np.zeros(_board.LONGEST_ENTRY, dtype=np.int32)
    near = neighbours(size)
    for colour, points in ((BLACK, black), (WHITE, white)):
        for point in points.tolist():
            if not 0 <= point < size * size:
                raise InputError(f"a stone is set up outside the {size}x{size} board")
            name = point_name(point, size)
            if board[_board.COLOUR, point] != 0:
                raise InputError(f"two stones are set up at {name}")
            if not _board.put_stone(board, near, point, colour, log):
                raise InputError(f"the stone set up at {name} leaves stones without liberties")
    return board
