"""Chains of stones and their liberties: playing a move, and taking it back.

A board is one int32 array of shape [8, size * size + 1], so that a copy is a copy
of an array. The last column is the edge of the board. The rows are:

- ``COLOUR``: `EMPTY`, `BLACK`, `WHITE`, or `WALL` for the edge;
- ``HEAD``: one stone of the chain of a stone, which stands for the chain;
- ``NEXT``: the next stone of the chain, in a circle;
- ``SIZE``, ``LIBS``: number of stones and of liberties of a chain, at its head;
- ``SUM``, ``SQUARES``: sums of the points of those liberties and of their squares,
  so that one or two liberties are found without a walk around the chain;
- ``META``: the point of the simple ko (or -1), and the stones that have been
  captured of Black and of White.

Rows of empty points hold what is left of stones that were there, which is what
`undo` needs. Moves write what they change to a log, an int32 array that grows
upwards; the caller keeps the top of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.points import BLACK, EMPTY, PASS, WHITE, neighbours
from yardstone.kernels import bare_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]

__all__ = [
    "COLOUR",
    "FIRST_CAPTURED",
    "HEAD",
    "KO",
    "LIBS",
    "LONGEST_ENTRY",
    "META",
    "NEXT",
    "SIZE",
    "SQUARES",
    "SUM",
    "WALL",
    "can_be_played",
    "is_suicide",
    "lift",
    "may_play",
    "new_board",
    "play",
    "put_stone",
    "two_liberties",
    "undo",
]

ROWS = 8
COLOUR, HEAD, NEXT, SIZE, LIBS, SUM, SQUARES, META = range(ROWS)
WALL = 3
#: Column of `META` that has the point of the simple ko.
KO = 0
#: Where the captured chains of a move begin that lies alone on the log.
FIRST_CAPTURED = META - HEAD
#: The most that one move writes to the log.
LONGEST_ENTRY = 48


def new_board(size: int) -> Ints:
    """Return an empty board."""
    area = len(neighbours(size)) - 1
    board = np.zeros((ROWS, area + 1), dtype=np.int32)
    board[COLOUR, area] = WALL
    board[META, KO] = -1
    return board


@bare_kernel
def is_suicide(board: Ints, near: Ints, point: int, colour: int) -> bool:
    """Whether a stone on an empty point would have no liberty and capture nothing."""
    for side in range(4):
        other = near[point, side]
        there = board[COLOUR, other]
        if there == EMPTY:
            return False
        if there == colour:
            if board[LIBS, board[HEAD, other]] > 1:
                return False
        elif there != WALL and board[LIBS, board[HEAD, other]] == 1:
            return False
    return True


@bare_kernel
def _has_friend(board: Ints, near: Ints, point: int, colour: int) -> bool:
    """Whether a stone of a colour stands beside a point."""
    friend = False
    for side in range(4):
        friend |= board[COLOUR, near[point, side]] == colour
    return friend


@bare_kernel
def can_be_played(board: Ints, near: Ints, point: int, colour: int) -> bool:
    """Whether a move is possible at all, whatever the rules say about ko and suicide."""
    if point == PASS:
        return True
    if not 0 <= point < len(near) - 1 or board[COLOUR, point] != EMPTY:
        return False
    return _has_friend(board, near, point, colour) or not is_suicide(board, near, point, colour)


@bare_kernel
def may_play(board: Ints, near: Ints, point: int, colour: int, suicide: bool) -> bool:
    """Whether a move on a point is possible, superko apart; `suicide`: of two or more stones."""
    if board[COLOUR, point] != EMPTY or board[META, KO] == point:
        return False
    if not is_suicide(board, near, point, colour):
        return True
    return suicide and _has_friend(board, near, point, colour)


@bare_kernel
def two_liberties(board: Ints, head: int) -> tuple[int, int]:
    """Return the two liberties of a chain that has two, the lower point first."""
    total = board[SUM, head]
    apart = int(np.sqrt(2.0 * board[SQUARES, head] - float(total) * total) + 0.5)
    return (total - apart) // 2, (total + apart) // 2


@bare_kernel
def _change_liberty(board: Ints, near: Ints, point: int, colour: int, change: int) -> None:
    """Give the chains of a colour around a point that point as a liberty (+1), or take it (-1)."""
    first = second = third = -1
    for side in range(4):
        other = near[point, side]
        if board[COLOUR, other] == colour:
            head = board[HEAD, other]
            if head not in (first, second, third):
                first, second, third = head, first, second
                board[LIBS, head] += change
                board[SUM, head] += change * point
                board[SQUARES, head] += change * point * point


@bare_kernel
def lift(board: Ints, near: Ints, head: int) -> None:
    """Take a chain off the board."""
    enemy = BLACK + WHITE - board[COLOUR, head]
    stone = head
    while True:
        board[COLOUR, stone] = EMPTY
        _change_liberty(board, near, stone, enemy, 1)
        stone = board[NEXT, stone]
        if stone == head:
            return


@bare_kernel
def _put_back(board: Ints, near: Ints, head: int, colour: int) -> None:
    """Undo `lift`."""
    enemy = BLACK + WHITE - colour
    stone = head
    while True:
        board[COLOUR, stone] = colour
        _change_liberty(board, near, stone, enemy, -1)
        stone = board[NEXT, stone]
        if stone == head:
            return


@bare_kernel
def _join(board: Ints, near: Ints, keep: int, join: int) -> None:
    """Make one chain of two that touch; `keep` remains its head."""
    colour = board[COLOUR, keep]
    stone = join
    while True:
        for side in range(4):
            liberty = near[stone, side]
            if board[COLOUR, liberty] == EMPTY:
                known = False
                for turn in range(4):
                    other = near[liberty, turn]
                    if board[COLOUR, other] == colour and board[HEAD, other] == keep:
                        known = True
                        break
                if not known:
                    board[LIBS, keep] += 1
                    board[SUM, keep] += liberty
                    board[SQUARES, keep] += liberty * liberty
        board[HEAD, stone] = keep
        stone = board[NEXT, stone]
        if stone == join:
            break
    board[SIZE, keep] += board[SIZE, join]
    board[NEXT, keep], board[NEXT, join] = board[NEXT, join], board[NEXT, keep]


@bare_kernel
def play(board: Ints, near: Ints, point: int, colour: int, log: Ints, top: int) -> int:
    """Put a stone on an empty point and capture what has no liberty; returns the top of the log.

    The move is taken for possible. A chain without liberties that captures nothing
    is taken off itself. On top of the log there are afterwards the point, the
    colour, the former ko, the numbers of chains captured and joined, and the head
    of the own chain if it was taken off (or -1); below them the joined chains, six
    numbers each, and the heads of the captured ones.
    """
    enemy = BLACK + WHITE - colour
    for row in range(HEAD, META):
        log[top] = board[row, point]
        top += 1
    board[COLOUR, point] = colour
    board[HEAD, point] = point
    board[NEXT, point] = point
    board[SIZE, point] = 1
    board[LIBS, point] = 0
    board[SUM, point] = 0
    board[SQUARES, point] = 0
    for side in range(4):
        other = near[point, side]
        if board[COLOUR, other] == EMPTY:
            board[LIBS, point] += 1
            board[SUM, point] += other
            board[SQUARES, point] += other * other
    _change_liberty(board, near, point, enemy, -1)
    _change_liberty(board, near, point, colour, -1)

    captured = 0
    stones = 0
    last = -1
    for side in range(4):
        other = near[point, side]
        if board[COLOUR, other] == enemy and board[LIBS, board[HEAD, other]] == 0:
            head = board[HEAD, other]
            lift(board, near, head)
            log[top] = head
            top += 1
            captured += 1
            stones += board[SIZE, head]
            last = other
    joined = 0
    for side in range(4):
        other = near[point, side]
        if board[COLOUR, other] == colour and board[HEAD, other] != board[HEAD, point]:
            keep = board[HEAD, point]
            join = board[HEAD, other]
            if board[SIZE, join] > board[SIZE, keep]:
                keep, join = join, keep
            log[top] = keep
            log[top + 1] = join
            log[top + 2] = board[SIZE, keep]
            log[top + 3] = board[LIBS, keep]
            log[top + 4] = board[SUM, keep]
            log[top + 5] = board[SQUARES, keep]
            top += 6
            joined += 1
            _join(board, near, keep, join)
    own = board[HEAD, point]
    taken_off = -1
    if board[LIBS, own] == 0:
        lift(board, near, own)
        board[META, colour] += board[SIZE, own]
        taken_off = own
    board[META, enemy] += stones
    log[top] = point
    log[top + 1] = colour
    log[top + 2] = board[META, KO]
    log[top + 3] = captured
    log[top + 4] = joined
    log[top + 5] = taken_off
    alone = stones == 1 and board[SIZE, own] == 1 and board[LIBS, own] == 1
    board[META, KO] = last if alone else -1
    return top + 6


@bare_kernel
def undo(board: Ints, near: Ints, log: Ints, top: int) -> int:
    """Take the last move of the log back, and return the new top of the log."""
    top -= 6
    point = log[top]
    colour = log[top + 1]
    enemy = BLACK + WHITE - colour
    board[META, KO] = log[top + 2]
    captured = log[top + 3]
    joined = log[top + 4]
    taken_off = log[top + 5]
    if taken_off >= 0:
        board[META, colour] -= board[SIZE, taken_off]
        _put_back(board, near, taken_off, colour)
    for _ in range(joined):
        top -= 6
        keep = log[top]
        join = log[top + 1]
        board[NEXT, keep], board[NEXT, join] = board[NEXT, join], board[NEXT, keep]
        board[SIZE, keep] = log[top + 2]
        board[LIBS, keep] = log[top + 3]
        board[SUM, keep] = log[top + 4]
        board[SQUARES, keep] = log[top + 5]
        stone = join
        while True:
            board[HEAD, stone] = join
            stone = board[NEXT, stone]
            if stone == join:
                break
    for _ in range(captured):
        top -= 1
        board[META, enemy] -= board[SIZE, log[top]]
        _put_back(board, near, log[top], enemy)
    board[COLOUR, point] = EMPTY
    _change_liberty(board, near, point, enemy, 1)
    _change_liberty(board, near, point, colour, 1)
    top -= META - HEAD
    for row in range(HEAD, META):
        board[row, point] = log[top + row - HEAD]
    return top


@bare_kernel
def put_stone(board: Ints, near: Ints, point: int, colour: int, log: Ints) -> bool:
    """Set a stone up; whether the point was empty and nothing was captured by it."""
    if board[COLOUR, point] != EMPTY:
        return False
    top = play(board, near, point, colour, log, 0)
    board[META, KO] = -1
    return bool(log[top - 3] == 0 and log[top - 1] < 0)
