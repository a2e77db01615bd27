"""From the rows of scanned properties to moves, stones set up and clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.kernels import bare_kernel
from yardstone.records._sgf_scan import BACKSLASH, FROM, NAME, NODE_NUMBER, TO, packed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.records._sgf_scan import Bytes, Integers, PropertyRows

_B, _W, _AB, _AW, _AE, _PL, _BL, _WL = (
    packed(name) for name in ("B", "W", "AB", "AW", "AE", "PL", "BL", "WL")
)
PASS_MOVE, NO_POINT, RESIGNS = -1, -2, -3
#: Places in `read_main`'s `out`.
MOVES, TO_PLAY, TROUBLE, TROUBLE_NODE, TIMES, BAD_SETUP = 0, 1, 2, 3, 4, 5
OUT = 6
#: Why moves end before the main line does, or what was odd about them.
BAD_MOVE, LATE_SETUP, SEVERAL_POINTS = 1, 2, 4


@bare_kernel
def _letter(c: int) -> int:
    """0 for ``a`` or ``A`` and so on; -1 for what is no letter."""
    c = (c | 32) - 97
    return c if 0 <= c < 26 else -1


@bare_kernel
def _point(buf: Bytes, start: int, end: int, size: int) -> int:
    """The point that a value names, PASS_MOVE, RESIGNS or NO_POINT.

    ``pd``, with or without blanks in it, or ``Q16``; a pass is empty, ``tt`` or ``pass``.
    """
    a = b = c = -1
    count = 0
    for k in range(start, end):
        if buf[k] <= 32 or buf[k] == BACKSLASH:
            continue
        if count == 0:
            a = int(buf[k])
        elif count == 1:
            b = int(buf[k])
        elif count == 2:
            c = int(buf[k])
        count += 1
        if count > 6:
            return NO_POINT
    if count == 0:
        return PASS_MOVE
    column = _letter(a)
    row = _letter(b)
    if count == 2 and column >= 0 and row >= 0:
        if column == 19 and row == 19:
            return PASS_MOVE
        return row * size + column if column < size and row < size else NO_POINT
    if count == 4 and column == 15 and row == 0 and _letter(c) == 18:  # "pass"
        return PASS_MOVE
    if count == 6 and column == 17 and row == 4 and _letter(c) == 18:  # "resign"
        return RESIGNS
    if (count == 2 or count == 3) and column >= 0 and column != 8 and 49 <= b <= 57:
        number = b - 48
        if count == 3:
            if not 48 <= c <= 57:
                return NO_POINT
            number = 10 * number + c - 48
        column -= column > 8  # there is no column I
        return (size - number) * size + column if column < size and number <= size else NO_POINT
    return NO_POINT


@bare_kernel
def _number(buf: Bytes, start: int, end: int) -> float:
    """A decimal number, or NaN."""
    k = start
    while k < end and buf[k] <= 32:
        k += 1
    value = 0.0
    unit = 1.0
    digits = 0
    point = False
    while k < end:
        c = int(buf[k])
        if 48 <= c <= 57:
            value = 10.0 * value + (c - 48)
            unit *= 10.0 if point else 1.0
            digits += 1
        elif c == 46 and not point:
            point = True
        else:
            break
        k += 1
    while k < end and buf[k] <= 32:
        k += 1
    return value / unit if 0 < digits < 60 and k == end else np.nan


@bare_kernel
def _set_up(
    buf: Bytes, start: int, end: int, size: int, colour: int, board: NDArray[np.int8]
) -> bool:
    """Put the stones of a value, a point or a rectangle ``aa:cc``; false if it is neither."""
    colon = start
    while colon < end and buf[colon] != 58:
        colon += 1
    one = _point(buf, start, colon, size)
    other = one if colon == end else _point(buf, colon + 1, end, size)
    if one < 0 or other < 0:
        return False
    rows = (min(one // size, other // size), max(one // size, other // size))
    columns = (min(one % size, other % size), max(one % size, other % size))
    for row in range(rows[0], rows[1] + 1):
        for column in range(columns[0], columns[1] + 1):
            board[row * size + column] = colour
    return True


@bare_kernel
def read_main(
    buf: Bytes,
    rows: PropertyRows,
    size: int,
    board: NDArray[np.int8],
    moves: NDArray[np.int16],
    colours: NDArray[np.int8],
    times: NDArray[np.float32],
    out: Integers,
) -> None:
    """Read one line of play from its rows (see `yardstone.records._sgf_scan`).

    `board` gets the stones set up before the first move; it must be empty. The line
    ends early where a move is no point or stones are set up between moves.
    """
    count = to_play = trouble = trouble_node = with_times = bad_setup = 0
    clock_node = clock_colour = move_node = -1
    clock = np.nan
    row = -1
    while row + 1 < len(rows):
        row += 1
        name = rows[row, NAME]
        node = rows[row, NODE_NUMBER]
        start = rows[row, FROM]
        end = rows[row, TO]
        if name in (_B, _W):
            if row > 0 and rows[row - 1, NAME] == name and rows[row - 1, NODE_NUMBER] == node:
                trouble |= SEVERAL_POINTS
                continue
            point = _point(buf, start, end, size)
            if point == RESIGNS:
                break
            if point == NO_POINT:
                trouble |= BAD_MOVE
                trouble_node = node
                break
            moves[count] = point
            colours[count] = 1 if name == _B else 2
            times[count] = np.nan
            if clock_node == node and clock_colour == colours[count]:
                times[count] = clock
            move_node = node
            count += 1
        elif name in (_AB, _AW, _AE):
            if count > 0:
                trouble |= LATE_SETUP
                trouble_node = node
                break
            colour = 1 if name == _AB else 2 if name == _AW else 0
            bad_setup += not _set_up(buf, start, end, size, colour, board)
        elif name == _PL and count == 0:
            if start < end:
                c = buf[start] | 32
                to_play = 1 if c == 98 or c == 49 else 2 if c == 119 or c == 50 else 0
        elif name in (_BL, _WL):
            colour = 1 if name == _BL else 2
            clock = _number(buf, start, end)
            with_times += not np.isnan(clock)
            clock_node = node
            clock_colour = colour
            if count > 0 and move_node == node and colours[count - 1] == colour:
                times[count - 1] = clock
    out[MOVES] = count
    out[TO_PLAY] = to_play
    out[TROUBLE] = trouble
    out[TROUBLE_NODE] = trouble_node
    out[TIMES] = with_times
    out[BAD_SETUP] = bad_setup
