"""From the moves of a game to its events: which points change, and to what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.go._board import COLOUR, HEAD, KO, LIBS, META, can_be_played, play
from yardstone.go.patterns._match import BEGINS, CODE
from yardstone.go.points import BLACK, PASS, WHITE
from yardstone.kernels import bare_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]
    Events = NDArray[np.uint16]

__all__ = ["mark_stones", "write_events"]


@bare_kernel
def write_events(
    board: Ints,
    near: Ints,
    moves: Ints,
    colours: Ints,
    log: Ints,
    events: Events,
) -> tuple[int, int]:
    """Write the stones set up on `board`, then what each move changes.

    Returns the number of events, and of the moves that could be played: behind an
    illegal one there are none. `events` has room for every stone set up, every move,
    and a capture of every stone.
    """
    area = len(near) - 1
    number = 0
    for point in range(area):
        if board[COLOUR, point] != 0:
            events[number] = board[COLOUR, point] * area + point
            number += 1
    for played in range(len(moves)):
        move = moves[played]
        colour = colours[played]
        if not can_be_played(board, near, move, colour):
            return number, played
        if move == PASS:
            board[META, KO] = -1
            events[number] = BEGINS | (3 * area + colour - BLACK)
            number += 1
            continue
        events[number] = BEGINS | (colour * area + move)
        number += 1
        if not _touches_atari(board, near, move):
            play(board, near, move, colour, log, 0)
            continue
        before = number
        for point in range(area):  # remember where stones are ...
            if board[COLOUR, point] != 0 or point == move:
                events[number] = point
                number += 1
        play(board, near, move, colour, log, 0)
        kept = before
        for k in range(before, number):  # ... and keep those that are gone
            if board[COLOUR, events[k]] == 0:
                events[kept] = events[k]
                kept += 1
        number = kept
    return number, len(moves)


@bare_kernel
def _touches_atari(board: Ints, near: Ints, point: int) -> bool:
    """Whether a chain around a point has one liberty: only then can a move take stones off."""
    for side in range(4):
        other = near[point, side]
        there = board[COLOUR, other]
        if there in (BLACK, WHITE) and board[LIBS, board[HEAD, other]] == 1:
            return True
    return False


@bare_kernel
def mark_stones(
    events: Events, starts: NDArray[np.int64], first: int, area: int, bits: NDArray[np.uint64]
) -> None:
    """Set the bit of each stone that ever stood in a game; `first` is the number of the first."""
    for game in range(len(starts) - 1):
        word, bit = divmod(first + game, 64)
        mark = np.uint64(1) << np.uint64(bit)
        for k in range(starts[game], starts[game + 1]):
            code = int(events[k] & CODE)
            if area <= code < 3 * area:
                bits[word, code - area] |= mark
