"""Scanning SGF byte by byte: nodes, properties and where a game ends.

One loop without recursion, so that variations may be nested as deep as they like.
It forgives what files in the wild do: names in lower or mixed case (``Black[pd]``),
junk between properties, brackets in comments that nobody escaped, a missing ``;`` or
``)``, and text that breaks off.
"""

cimport cython
from libc.math cimport NAN, isnan

import numpy as np

cpdef enum:
    # Columns of the rows, one a value of a property: its name (see `packed`), the number of its
    # node in the order of the file, and where the value begins and ends.
    NAME = 0
    NODE_NUMBER = 1
    FROM = 2
    TO = 3
    COLUMNS = 4

cpdef enum:  # flags of a record
    BREAKS_OFF = 1
    NOT_CLOSED = 2
    UNESCAPED = 4
    CUT_VALUE = 8

cpdef enum:  # why moves end before the main line does, or what was odd about them
    BAD_MOVE = 1
    LATE_SETUP = 2
    SEVERAL_POINTS = 4

cdef enum:
    NAME_LETTERS = 7  # names are kept up to so many
    FIRST_ROWS = 1 << 12  # room for so many, and for as many nodes

cdef enum Status:
    DONE
    NEED_MORE  # the buffer ends within the game
    ROWS_FULL
    NODES_FULL
    STACK_FULL


def packed(name):
    """A property's name as the number that stands in the rows."""
    return int.from_bytes(name.encode("ascii"), "big")


cdef long long B, W, AB, AW, AE, PL, BL, WL, SZ, KM, HA, TM, GM, FF, CR, TR, SQ, MA, TB, TW
B, W, AB, AW, AE, PL, BL, WL, SZ, KM, HA, TM, GM, FF, CR, TR, SQ, MA, TB, TW = map(
    packed, "B W AB AW AE PL BL WL SZ KM HA TM GM FF CR TR SQ MA TB TW".split()
)
cdef long long CA, AP, PB, PW, EV, BR, WR, RE
CA, AP, PB, PW, EV, BR, WR, RE = map(packed, "CA AP PB PW EV BR WR RE".split())


cdef inline bint is_of_root(long long name) noexcept nogil:
    return name in (GM, FF, CA, AP, SZ, PB, PW, EV)


cdef inline bint holds_no_text(long long name) noexcept nogil:
    """Whether a ``]`` always ends its values."""
    return name in (
        B, W, AB, AW, AE, PL, BL, WL, SZ, KM, HA, TM, GM, FF, CR, TR, SQ, MA, TB, TW
    )


cdef inline bint holds_short_text(long long name) noexcept nogil:
    """Whether a ``]`` ends its values unless a bracket opens in them."""
    return name in (PB, PW, BR, WR, RE)


cdef inline bint is_letter(unsigned char c) noexcept nogil:
    return c'a' <= (c | 32) <= c'z'


cdef inline bint is_digit(int c) noexcept nogil:
    return c'0' <= c <= c'9'


cdef inline Py_ssize_t after_blanks(const unsigned char[::1] buf, Py_ssize_t i) noexcept nogil:
    while i < buf.shape[0] and buf[i] <= 32:
        i += 1
    return i


cdef Py_ssize_t close_of_value(const unsigned char[::1] buf, Py_ssize_t i) noexcept nogil:
    """Where the ``]`` is that ends the value from `i` on, another game's ``(``, or the end."""
    while i < buf.shape[0]:
        if buf[i] == c']' or (buf[i] == c'(' and cuts_a_value(buf, i)):
            return i
        i += 2 if buf[i] == c'\\' else 1
    return buf.shape[0]


cdef inline long long short_name(const unsigned char[::1] buf, Py_ssize_t i) noexcept nogil:
    """The name of the property at `i` if it has two letters and a value, as ``GM[``; else 0."""
    if i + 2 >= buf.shape[0] or buf[i + 2] != c'[':
        return 0
    return buf[i] << 8 | buf[i + 1]


cdef bint cuts_a_value(const unsigned char[::1] buf, Py_ssize_t i) noexcept nogil:
    """Return whether ``(;GM[1]`` or the like stands at `i`: in a text ``]`` would be escaped."""
    if i + 1 >= buf.shape[0] or buf[i + 1] != c';' or not is_of_root(short_name(buf, i + 2)):
        return False
    i += 5
    while i < buf.shape[0] and buf[i] != c']' and buf[i] != c'\\':
        i += 1
    return i < buf.shape[0] and buf[i] == c']'


cdef bint opens_within(
    const unsigned char[::1] buf, Py_ssize_t start, Py_ssize_t end
) noexcept nogil:
    """Return whether a bracket opens in a value, so that its first ``]`` may be part of it."""
    cdef Py_ssize_t k
    for k in range(start, end):
        if buf[k] == c'[':
            return True
    return False


cdef bint ends_here(const unsigned char[::1] buf, Py_ssize_t close) noexcept nogil:
    """Whether what follows a ``]`` may follow a value, unlike in ``C[kibitz [3d]: hello]``."""
    cdef Py_ssize_t n = buf.shape[0], i = after_blanks(buf, close + 1), start = i, k
    if i >= n or buf[i] in (c'[', c';', c'(', c')'):
        return True
    while i < n and is_letter(buf[i]):
        i += 1
    if i > start:
        k = after_blanks(buf, i)
        if k >= n or buf[k] == c'[':
            return True
    while i < n and buf[i] != c'[' and buf[i] != c']':
        i += 1
    if i >= n:
        return True
    if buf[i] == c']':
        return False
    k = i - 1
    while k > start and (is_letter(buf[k]) or buf[k] <= 32):
        k -= 1
    return buf[k] == c';' and k < i - 1


cdef bint starts_a_game(const unsigned char[::1] buf, Py_ssize_t i) noexcept nogil:
    """Whether the ``(`` at `i` opens another game, as ``(;GM[`` does."""
    i = after_blanks(buf, i + 1)
    return (
        i < buf.shape[0]
        and buf[i] == c';'
        and is_of_root(short_name(buf, after_blanks(buf, i + 1)))
    )


def find_game(const unsigned char[::1] buf, Py_ssize_t start, bint sure):
    """Where the next game begins from `start` on, or the end.

    A game begins with ``(;``, or with ``(`` or ``;`` before GM or FF; if `sure`, it
    must also begin with GM or FF.
    """
    cdef Py_ssize_t n = buf.shape[0], i = max(start, 0), k
    with nogil:
        while i < n:
            if buf[i] == c'(' or buf[i] == c';':
                k = after_blanks(buf, i + 1)
                if buf[i] == c'(' and k < n and buf[k] == c';':
                    if not sure or starts_a_game(buf, i):
                        break
                elif short_name(buf, k) in (GM, FF):
                    break
            i += 1
    return i


@cython.final
cdef class Rows:
    """What the scan of one record found.

    With `main_only`, there are rows of the main line only, and no `parents`.

    Attributes:
        end: Where the record ends.
        nodes: How many nodes there are.
        root_rows: How many rows tell of the root.
        flags: What is odd.
    """

    cdef readonly bint main_only
    cdef public Py_ssize_t end
    cdef readonly Py_ssize_t nodes, root_rows
    cdef readonly int flags
    cdef Py_ssize_t count
    cdef long long[:, ::1] rows
    cdef int[::1] before, stack  # the node before each node, and before each open "("

    def __init__(self, *, bint main_only):
        self.main_only = main_only
        self.rows = np.empty((FIRST_ROWS, COLUMNS), np.int64)
        self.before = np.empty(0 if main_only else FIRST_ROWS, np.int32)
        self.stack = np.empty(0 if main_only else FIRST_ROWS, np.int32)

    @property
    def table(self):
        """A row for each value of a property in the order of the file, int64 [values, 4]."""
        return np.asarray(self.rows)[: self.count]

    @property
    def parents(self):
        """The node before each node, -1 for the root (whole trees only)."""
        return np.asarray(self.before)[: self.nodes]

    def scan(self, const unsigned char[::1] buf, Py_ssize_t start, *, bint final):
        """Scan the record at `start`; false if it goes on behind the end, which is not `final`."""
        cdef Status status
        while True:
            with nogil:
                status = self.read(buf, max(start, 0), final)
            if status == ROWS_FULL:
                self.rows = np.empty((2 * self.rows.shape[0], COLUMNS), np.int64)
            elif status == NODES_FULL:
                self.before = np.empty(2 * self.before.shape[0], np.int32)
            elif status == STACK_FULL:
                self.stack = np.empty(2 * self.stack.shape[0], np.int32)
            else:
                return status == DONE

    cdef Status read(self, const unsigned char[::1] buf, Py_ssize_t i, bint final) noexcept nogil:
        cdef Py_ssize_t n = buf.shape[0], origin = i, start, k, first
        cdef Py_ssize_t depth = 0, current = -1
        cdef Py_ssize_t opened_at = 0  # nodes before the latest "("
        cdef bint fresh = False  # behind a "(", where no node has begun yet
        cdef bint keep = True
        cdef bint torn = False  # where a value was never closed, and another game begins
        cdef bint stray = False  # behind a ")", where no property may stand
        cdef bint forgiving = True
        cdef bint closed = False
        cdef bint headless = i < n and buf[i] == c';'  # the first "(" is missing
        cdef unsigned char c
        cdef int upper, letters
        cdef long long name, any_case
        self.count = self.nodes = self.root_rows = self.flags = 0
        if headless:
            depth = 1
            if not self.main_only:
                self.stack[0] = -1
        while i < n:
            c = buf[i]
            if c == c';' or (fresh and is_letter(c)):
                if keep:
                    if not self.main_only:
                        if self.nodes >= self.before.shape[0]:
                            return NODES_FULL
                        self.before[self.nodes] = <int>current
                    current = self.nodes
                    self.nodes += 1
                fresh = stray = False
                if c == c';':
                    i += 1
                    continue
            if c == c'(':
                if i > origin and starts_a_game(buf, i):
                    self.flags |= NOT_CLOSED
                    closed = True
                    break
                if not self.main_only:
                    if depth >= self.stack.shape[0]:
                        return STACK_FULL
                    self.stack[depth] = <int>current
                depth += 1
                opened_at = self.nodes
                fresh = True
                stray = False
                i += 1
            elif c == c')':
                depth -= 1
                i += 1
                if depth <= 0:
                    closed = True
                    break
                fresh = False
                stray = True
                if self.main_only:
                    keep = keep and self.nodes == opened_at
                else:
                    current = self.stack[depth]
            elif is_letter(c):
                upper = letters = 0
                name = any_case = 0
                while i < n and (is_letter(buf[i]) or is_digit(buf[i])):
                    c = buf[i]
                    if letters < NAME_LETTERS:
                        any_case = any_case << 8 | (c & 223 if is_letter(c) else c)
                        letters += 1
                    if c < c'a' and upper < NAME_LETTERS:
                        name = name << 8 | c
                        upper += 1
                    i += 1
                if upper == 0:
                    name = any_case
                k = after_blanks(buf, i)
                while k < n and buf[k] == c'[':
                    start = k + 1
                    k = close_of_value(buf, start)
                    if (
                        k < n
                        and buf[k] != c'('
                        and forgiving
                        and not holds_no_text(name)
                        and (not holds_short_text(name) or opens_within(buf, start, k))
                    ):
                        first = k
                        while k < n and buf[k] != c'(' and not ends_here(buf, k):
                            k = close_of_value(buf, k + 1)
                        if (k >= n and final) or (k < n and buf[k] == c'('):
                            k = first
                            forgiving = False
                        elif k != first:
                            self.flags |= UNESCAPED
                    torn = k < n and buf[k] == c'('
                    if torn or k >= n:
                        break
                    if keep and not stray:
                        if self.count >= self.rows.shape[0]:
                            return ROWS_FULL
                        self.rows[self.count, NODE_NUMBER] = current
                        self.rows[self.count, NAME] = name
                        self.rows[self.count, FROM] = start
                        self.rows[self.count, TO] = k
                        self.count += 1
                        if current == 0 and self.count == self.root_rows + 1:
                            self.root_rows = self.count
                    i = k + 1
                    k = after_blanks(buf, i)
                if k >= n:
                    i = n
                elif torn:
                    self.flags |= BREAKS_OFF
                    closed = True
                    i = k
                    break
            elif c == c'[':
                k = close_of_value(buf, i + 1)
                i = k if k < n and buf[k] == c'(' else k + 1
            else:
                if c == c']' and current == 0:  # a value of the root ended before its end
                    self.flags |= CUT_VALUE
                i += 1
        if not closed:
            if not final:
                return NEED_MORE
            self.flags |= NOT_CLOSED if headless and depth == 1 else BREAKS_OFF
            i = n
        self.end = i
        return DONE


cdef enum:
    PASS_MOVE = -1
    NO_POINT = -2
    RESIGNS = -3


cdef inline int letter(int c) noexcept nogil:
    """0 for ``a`` or ``A`` and so on; -1 for what is no letter."""
    c = (c | 32) - c'a'
    return c if 0 <= c < 26 else -1


cdef int point_of(
    const unsigned char[::1] buf, Py_ssize_t start, Py_ssize_t end, int size
) noexcept nogil:
    """The point of ``pd`` or ``Q16``, PASS_MOVE (empty, ``tt``, ``pass``), RESIGNS or NO_POINT."""
    cdef int a = -1, b = -1, c = -1, count = 0, column, row, number
    cdef Py_ssize_t k
    for k in range(start, end):
        if buf[k] <= 32 or buf[k] == c'\\':
            continue
        if count == 0:
            a = buf[k]
        elif count == 1:
            b = buf[k]
        elif count == 2:
            c = buf[k]
        count += 1
        if count > 6:
            return NO_POINT
    if count == 0:
        return PASS_MOVE
    column, row = letter(a), letter(b)
    if count == 2 and column >= 0 and row >= 0:
        if column == 19 and row == 19:
            return PASS_MOVE
        return row * size + column if column < size and row < size else NO_POINT
    if count == 4 and column == 15 and row == 0 and letter(c) == 18:  # "pass"
        return PASS_MOVE
    if count == 6 and column == 17 and row == 4 and letter(c) == 18:  # "resign"
        return RESIGNS
    if count in (2, 3) and column >= 0 and column != 8 and c'1' <= b <= c'9':
        number = b - c'0'
        if count == 3:
            if not is_digit(c):
                return NO_POINT
            number = 10 * number + c - c'0'
        column -= column > 8  # there is no column I
        return (size - number) * size + column if column < size and number <= size else NO_POINT
    return NO_POINT


cdef double number_of(const unsigned char[::1] buf, Py_ssize_t k, Py_ssize_t end) noexcept nogil:
    """The decimal number from `k` to before `end`, or NaN."""
    cdef double value = 0.0, unit = 1.0
    cdef int digits = 0
    cdef bint point = False
    while k < end and buf[k] <= 32:
        k += 1
    while k < end:
        if is_digit(buf[k]):
            value = 10.0 * value + (buf[k] - c'0')
            unit *= 10.0 if point else 1.0
            digits += 1
        elif buf[k] == c'.' and not point:
            point = True
        else:
            break
        k += 1
    while k < end and buf[k] <= 32:
        k += 1
    return value / unit if 0 < digits < 60 and k == end else NAN


cdef bint set_up(
    const unsigned char[::1] buf, Py_ssize_t start, Py_ssize_t end, int size, signed char colour,
    signed char[:, ::1] board,
) noexcept nogil:
    """Put the stones of a value, a point or a rectangle ``aa:cc``; false if it is neither."""
    cdef Py_ssize_t colon = start
    cdef int one, other, row, column
    while colon < end and buf[colon] != c':':
        colon += 1
    one = point_of(buf, start, colon, size)
    other = one if colon == end else point_of(buf, colon + 1, end, size)
    if one < 0 or other < 0:
        return False
    for row in range(min(one // size, other // size), max(one // size, other // size) + 1):
        for column in range(min(one % size, other % size), max(one % size, other % size) + 1):
            board[row, column] = colour
    return True


def read_main(const unsigned char[::1] buf, const long long[:, ::1] rows, int size):
    """Read one line of play from its rows, on a board of `size` lines.

    The line ends early where a move is no point or stones are set up between moves. Returns moves,
    their colours and the times left (None if no time is given), the board with the stones set up
    before (None if there are none), who moves first (0 if that is not said), the trouble there was,
    and how many stones were set up nowhere.
    """
    cdef Py_ssize_t most = 0, count = 0, row, start, end
    for row in range(rows.shape[0]):
        most += rows[row, NAME] == B or rows[row, NAME] == W
    moves, colours = np.empty(most, np.int16), np.empty(most, np.int8)
    times, board = np.empty(most, np.float32), np.zeros((size, size), np.int8)
    cdef short[::1] move = moves
    cdef signed char[::1] colour = colours
    cdef float[::1] time = times
    cdef signed char[:, ::1] stones = board
    cdef int to_play = 0, trouble = 0, bad_setup = 0, point
    cdef long long name, node, clock_node = -1, move_node = -1
    cdef signed char side, clock_side = -1
    cdef double clock = NAN
    cdef bint with_times = False, with_stones = False
    with nogil:
        for row in range(rows.shape[0]):
            name, node = rows[row, NAME], rows[row, NODE_NUMBER]
            end = min(rows[row, TO], buf.shape[0])
            start = min(max(rows[row, FROM], 0), end)
            if name == B or name == W:
                if row > 0 and rows[row - 1, NAME] == name and rows[row - 1, NODE_NUMBER] == node:
                    trouble |= SEVERAL_POINTS
                    continue
                point = point_of(buf, start, end, size)
                if point == RESIGNS:
                    break
                if point == NO_POINT:
                    trouble |= BAD_MOVE
                    break
                side = 1 if name == B else 2
                move[count], colour[count] = point, side
                time[count] = clock if clock_node == node and clock_side == side else NAN
                move_node = node
                count += 1
            elif name == AB or name == AW or name == AE:
                if count > 0:
                    trouble |= LATE_SETUP
                    break
                side = 1 if name == AB else 2 if name == AW else 0
                bad_setup += not set_up(buf, start, end, size, side, stones)
                with_stones |= side != 0
            elif name == PL and count == 0:
                if start < end:
                    to_play = 1 if buf[start] in (c'b', c'B', c'1') else (
                        2 if buf[start] in (c'w', c'W', c'2') else 0
                    )
            elif name == BL or name == WL:
                side = 1 if name == BL else 2
                clock = number_of(buf, start, end)
                with_times |= not isnan(clock)
                clock_node, clock_side = node, side
                if count > 0 and move_node == node and colour[count - 1] == side:
                    time[count - 1] = clock
    if count < most:
        moves, colours, times = moves[:count].copy(), colours[:count].copy(), times[:count].copy()
    times, board = times if with_times else None, board if with_stones else None
    return moves, colours, times, board, to_play, trouble, bad_setup
