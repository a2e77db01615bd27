"""Scanning SGF byte by byte: nodes, properties and where a game ends.

One loop without recursion, so that variations may be nested as deep as they like.
It forgives what files in the wild do: names in lower or mixed case (``Black[pd]``),
junk between properties, brackets in comments that nobody escaped, a missing ``;`` or
``)``, and text that breaks off.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yardstone.kernels import bare_kernel

PropertyRows = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Places = NDArray[np.int32]

BACKSLASH, OPEN_VALUE, CLOSE_VALUE, OPEN, CLOSE, NODE = 92, 91, 93, 40, 41, 59

#: What `scan_game` returns first.
DONE, NEED_MORE, ROWS_FULL, NODES_FULL, DEPTH_FULL = 0, 1, 2, 3, 4
#: Flags.
BREAKS_OFF, NOT_CLOSED, UNESCAPED, CUT_VALUE = 1, 2, 4, 8
#: Names are kept up to so many letters.
NAME_LETTERS = 7
#: Columns of the rows, one a value of a property: its name (see `packed`), the number of its
#: node in the order of the file, and where the value begins and ends.
NAME, NODE_NUMBER, FROM, TO = 0, 1, 2, 3
COLUMNS = 4


def packed(name: str) -> int:
    """A property's name as the number that `scan_game` gives."""
    return int.from_bytes(name.encode("ascii"), "big")


_GM, _FF = packed("GM"), packed("FF")
_B, _W, _AB, _AW, _AE, _PL, _BL, _WL = map(packed, "B W AB AW AE PL BL WL".split())
#: What only the root of a game has.
_HEADS = tuple(map(packed, "GM FF CA AP SZ PB PW EV".split()))
#: Properties that hold no free text: a ``]`` always ends their values.
_NO_TEXT = tuple(map(packed, "B W AB AW AE PL BL WL SZ KM HA TM GM FF CR TR SQ MA TB TW".split()))
#: Short texts, in which it does unless another opens in them.
_SHORT_TEXTS = tuple(map(packed, "PB PW BR WR RE".split()))


@bare_kernel
def _is_letter(c: int) -> bool:
    return 97 <= (c | 32) <= 122


@bare_kernel
def _after_blanks(buf: Bytes, i: int, n: int) -> int:
    while i < n and buf[i] <= 32:
        i += 1
    return i


@bare_kernel
def _close_of_value(buf: Bytes, i: int, n: int) -> int:
    """The place of the ``]`` that ends the value from `i` on, of another game's ``(``, or `n`."""
    while i < n:
        c = buf[i]
        if c == CLOSE_VALUE:
            return i
        if c == OPEN and _cuts_a_value(buf, i, n):
            return i
        i += 2 if c == BACKSLASH else 1
    return n


@bare_kernel
def _short_name(buf: Bytes, i: int, n: int) -> int:
    """The name of the property at `i` if it has two letters and a value, as ``GM[``; else 0."""
    if i + 2 >= n or buf[i + 2] != OPEN_VALUE:
        return 0
    return (int(buf[i]) << 8) | int(buf[i + 1])


@bare_kernel
def _cuts_a_value(buf: Bytes, i: int, n: int) -> bool:
    """Return whether ``(;GM[1]`` or the like stands at `i`: in a text ``]`` would be escaped."""
    if i + 1 >= n or buf[i + 1] != NODE or _short_name(buf, i + 2, n) not in _HEADS:
        return False
    close = i + 5
    while close < n and buf[close] != CLOSE_VALUE and buf[close] != BACKSLASH:
        close += 1
    return close < n and buf[close] == CLOSE_VALUE


@bare_kernel
def _opens_within(buf: Bytes, start: int, end: int) -> bool:
    """Return whether a bracket opens in a value, so that its first ``]`` may be part of it."""
    for k in range(start, end):  # noqa: SIM110 (compiled)
        if buf[k] == OPEN_VALUE:
            return True
    return False


@bare_kernel
def _ends_here(buf: Bytes, close: int, n: int) -> bool:
    """Whether what follows a ``]`` may follow a value, unlike in ``C[kibitz [3d]: hello]``."""
    i = _after_blanks(buf, close + 1, n)
    if i == n:
        return True
    c = buf[i]
    if c in (OPEN_VALUE, NODE, OPEN, CLOSE):
        return True
    start = i
    while i < n and _is_letter(buf[i]):
        i += 1
    if i > start:
        k = _after_blanks(buf, i, n)
        if k == n or buf[k] == OPEN_VALUE:
            return True
    while i < n and buf[i] != OPEN_VALUE and buf[i] != CLOSE_VALUE:
        i += 1
    if i == n:
        return True
    if buf[i] == CLOSE_VALUE:
        return False
    k = i - 1
    while k > start and (_is_letter(buf[k]) or buf[k] <= 32):
        k -= 1
    return buf[k] == NODE and k < i - 1


@bare_kernel
def _starts_a_game(buf: Bytes, i: int, n: int) -> bool:
    """Whether the ``(`` at `i` opens another game, as ``(;GM[`` does."""
    i = _after_blanks(buf, i + 1, n)
    if i < n and buf[i] == NODE:
        return _short_name(buf, _after_blanks(buf, i + 1, n), n) in _HEADS
    return False


@bare_kernel
def find_game(buf: Bytes, i: int, n: int, sure: bool) -> int:
    """Where the next game begins from `i` on, or `n`.

    A game begins with ``(;``, or with ``(`` or ``;`` before GM or FF; if `sure`, it
    must also begin with GM or FF.
    """
    while i < n:
        c = buf[i]
        if c in (OPEN, NODE):
            k = _after_blanks(buf, i + 1, n)
            if c == OPEN and k < n and buf[k] == NODE:
                if not sure or _starts_a_game(buf, i, n):
                    return i
            elif _short_name(buf, k, n) in (_GM, _FF):
                return i
        i += 1
    return n


@bare_kernel
def scan_game(
    buf: Bytes,
    i: int,
    final: bool,
    main_only: bool,
    rows: PropertyRows,
    parents: Places,
    stack: Places,
) -> tuple[int, int, int, int, int, int]:
    """Scan the game that begins at `i`.

    A row for each value of a property goes to `rows`. With `main_only`, there are rows of
    the main line only, and `parents` and `stack` are not used. Returns DONE, NEED_MORE (the
    buffer ends within the game and `final` is false) or which of the arrays are full, so that
    the scan must begin again; with DONE the end, the numbers of rows, nodes and rows of the root,
    and flags.
    """
    origin = i
    n = len(buf)
    count = nodes = root_rows = flags = depth = 0
    current = -1
    fresh = False  # behind a "(", where no node has begun yet
    keep = True
    torn = False  # where a value was never closed, and another game begins
    stray = False  # behind a ")", where no property may stand
    forgiving = True
    opened_at = 0  # nodes before the latest "("
    closed = False
    headless = buf[i] == NODE  # the first "(" is missing
    if headless:
        depth = 1
        if not main_only:
            stack[0] = -1
    while i < n:
        c = buf[i]
        if c == NODE or (fresh and _is_letter(c)):
            if keep:
                if not main_only:
                    if nodes == len(parents):
                        return NODES_FULL, 0, 0, 0, 0, 0
                    parents[nodes] = current
                current = nodes
                nodes += 1
            fresh = stray = False
            if c == NODE:
                i += 1
                continue
        if c == OPEN:
            if i > origin and _starts_a_game(buf, i, n):
                flags |= NOT_CLOSED
                closed = True
                break
            if not main_only:
                if depth == len(stack):
                    return DEPTH_FULL, 0, 0, 0, 0, 0
                stack[depth] = current
            depth += 1
            opened_at = nodes
            fresh = True
            stray = False
            i += 1
        elif c == CLOSE:
            depth -= 1
            i += 1
            if depth <= 0:
                closed = True
                break
            fresh = False
            stray = True
            if main_only:
                keep = keep and nodes == opened_at
            else:
                current = stack[depth]
        elif _is_letter(c):
            upper = letters = 0
            name = any_case = 0
            while i < n and (_is_letter(buf[i]) or 48 <= buf[i] <= 57):
                c = int(buf[i])
                if letters < NAME_LETTERS:
                    any_case = any_case << 8 | (c & 223 if _is_letter(c) else c)
                    letters += 1
                if c < 97 and upper < NAME_LETTERS:
                    name = name << 8 | c
                    upper += 1
                i += 1
            if upper == 0:
                name = any_case
            k = _after_blanks(buf, i, n)
            while k < n and buf[k] == OPEN_VALUE:
                start = k + 1
                k = _close_of_value(buf, start, n)
                if (
                    k < n
                    and buf[k] != OPEN
                    and forgiving
                    and name not in _NO_TEXT
                    and (name not in _SHORT_TEXTS or _opens_within(buf, start, k))
                ):
                    first = k
                    while k < n and buf[k] != OPEN and not _ends_here(buf, k, n):
                        k = _close_of_value(buf, k + 1, n)
                    if (k >= n and final) or (k < n and buf[k] == OPEN):
                        k = first
                        forgiving = False
                    elif k != first:
                        flags |= UNESCAPED
                torn = k < n and buf[k] == OPEN
                if torn or k >= n:
                    break
                if keep and not stray:
                    if count == len(rows):
                        return ROWS_FULL, 0, 0, 0, 0, 0
                    rows[count, NODE_NUMBER] = current
                    rows[count, NAME] = name
                    rows[count, FROM] = start
                    rows[count, TO] = k
                    count += 1
                    if current == 0 and count == root_rows + 1:
                        root_rows = count
                i = k + 1
                k = _after_blanks(buf, i, n)
            if k >= n:
                i = n
            elif torn:
                flags |= BREAKS_OFF
                closed = True
                i = k
                break
        elif c == OPEN_VALUE:
            k = _close_of_value(buf, i + 1, n)
            i = k if k < n and buf[k] == OPEN else k + 1
        else:
            if c == CLOSE_VALUE and current == 0:  # a value of the root ended before its end
                flags |= CUT_VALUE
            i += 1
    if not closed:
        if not final:
            return NEED_MORE, 0, 0, 0, 0, 0
        flags |= NOT_CLOSED if headless and depth == 1 else BREAKS_OFF
        i = n
    return DONE, i, count, nodes, root_rows, flags


PASS_MOVE, NO_POINT, RESIGNS = -1, -2, -3
#: Why moves end before the main line does, or what was odd about them.
BAD_MOVE, LATE_SETUP, SEVERAL_POINTS = 1, 2, 4


@bare_kernel
def _letter(c: int) -> int:
    """0 for ``a`` or ``A`` and so on; -1 for what is no letter."""
    c = (c | 32) - 97
    return c if 0 <= c < 26 else -1


@bare_kernel
def _point(buf: Bytes, start: int, end: int, size: int) -> int:
    """The point of ``pd`` or ``Q16``, PASS_MOVE (empty, ``tt``, ``pass``), RESIGNS or NO_POINT."""
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
) -> tuple[int, int, int, int, int]:
    """Read one line of play from its rows.

    `board` gets the stones set up before the first move; it must be empty. The line
    ends early where a move is no point or stones are set up between moves. Returns how many moves
    there are, who moves first (0 if that is not said), the trouble there was, how many times were
    given, and how many stones were set up nowhere.
    """
    count = to_play = trouble = with_times = bad_setup = 0
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
    return count, to_play, trouble, with_times, bad_setup
