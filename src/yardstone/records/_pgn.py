"""Read PGN byte by byte, compiled: where a tag ends, what it says, where the next game begins.

Names and values are numbered as they appear, in a table of distinct byte strings with open
addressing over plain arrays (`intern`), so that a compiled loop can fill it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yardstone.kernels import bare_kernel, in_python, inlined_kernel

if TYPE_CHECKING:
    Bytes = NDArray[np.uint8]
    Integers = NDArray[np.int64]


MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)


class StringTable(NamedTuple):
    """The arrays of a table of strings, for compiled loops."""

    seed: np.uint64
    arena: NDArray[np.uint8]
    starts: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    slots: NDArray[np.int32]


@bare_kernel
def _word(buf: NDArray[np.uint8], i: int, length: int) -> np.uint64:
    """Up to eight bytes as one number."""
    word = word_at(buf, i)
    if length >= WORD:
        return word
    return word & ((np.uint64(1) << np.uint64(8 * length)) - np.uint64(1))


@bare_kernel
def hash_bytes(buf: NDArray[np.uint8], i: int, length: int, seed: np.uint64) -> np.uint64:
    """A hash that nobody can foresee who does not know the seed."""
    value = seed ^ np.uint64(length)
    for k in range(0, length, WORD):
        value = (value ^ _word(buf, i + k, length - k)) * MULTIPLIER
        value ^= value >> HALF
    value *= MULTIPLIER
    return value ^ (value >> HALF)


@bare_kernel
def rehash(hashes: NDArray[np.uint64], count: int, slots: NDArray[np.int32]) -> None:
    """Fill empty `slots` with the numbers of `count` known strings."""
    mask = np.uint64(len(slots) - 1)
    for number in range(count):
        slot = np.int64(hashes[number] & mask)
        while slots[slot] != 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = number + 1


@bare_kernel
def intern(buf: NDArray[np.uint8], i: int, length: int, count: int, table: StringTable) -> int:
    """The number of the string at `i`; `count` if it is new, and then it is added."""
    seed, arena, starts, hashes, slots = table
    value = hash_bytes(buf, i, length, seed)
    slot = np.int64(value & np.uint64(len(slots) - 1))
    while slots[slot] != 0:
        number = int(slots[slot]) - 1
        start = starts[number]
        if hashes[number] == value and starts[number + 1] - start == length:
            same = True
            for k in range(0, length, WORD):
                same &= _word(arena, start + k, length - k) == _word(buf, i + k, length - k)
            if same:
                return number
        slot = (slot + 1) & (len(slots) - 1)
    start = starts[count]
    for k in range(length):
        arena[start + k] = buf[i + k]
    starts[count + 1] = start + length
    hashes[count] = value
    slots[slot] = count + 1
    return count


class Interned:
    """Such a table, and its growth; whoever calls `intern` keeps the `count`."""

    def __init__(self) -> None:
        self.count = 0
        self.table = StringTable(
            seed=np.uint64(int.from_bytes(os.urandom(8), "little")),
            arena=np.empty(1 << 16, np.uint8),
            starts=np.zeros(8193, np.int64),
            hashes=np.empty(8192, np.uint64),
            slots=np.zeros(16384, np.int32),
        )

    def reserve(self, strings: int, size: int) -> None:
        """Make room for so many more strings of so many bytes together."""
        seed, arena, starts, hashes, slots = self.table
        need = int(starts[self.count]) + size + WORD
        if need > len(arena):
            arena = _grown(arena, max(need, 2 * len(arena)))
        need = self.count + strings
        if need > len(hashes):
            capacity = 1 << need.bit_length()
            hashes, starts = _grown(hashes, capacity), _grown(starts, capacity + 1)
            slots = np.zeros(2 * capacity, np.int32)
            with np.errstate(over="ignore"):
                rehash(hashes, self.count, slots)
        self.table = StringTable(seed, arena, starts, hashes, slots)

    def strings(self) -> list[bytes]:
        """All strings, by number."""
        whole = self.table.arena[: self.table.starts[self.count]].tobytes()
        ends = self.table.starts[: self.count + 1].tolist()
        return [whole[a:b] for a, b in pairwise(ends)]


def _grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    larger = np.zeros(size, array.dtype)
    larger[: len(array)] = array
    return larger


LF, CR, QUOTE, BACKSLASH = 10, 13, 34, 92
PERCENT, SEMICOLON, OPEN_TAG, CLOSE_TAG, OPEN_BRACE, CLOSE_BRACE = 37, 59, 91, 93, 123, 125

BLANK, NEWLINE, NAME, STOPS_VALUE, STOPS_MOVETEXT = 1, 2, 4, 8, 16


def _classes() -> Bytes:
    table = np.zeros(256, np.uint8)
    table[:33] = BLANK  # blanks and control characters
    table[127] = BLANK
    table[[LF, CR]] = NEWLINE | STOPS_VALUE
    table[[QUOTE, BACKSLASH]] = STOPS_VALUE
    table[[OPEN_TAG, OPEN_BRACE, SEMICOLON, PERCENT]] = STOPS_MOVETEXT
    for character in b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+#=:-":
        table[character] |= NAME
    return table


CLASS = _classes()

# The same for plain Python, which looks for a byte quickest so.
_CLASS: list[int] = CLASS.tolist()
_IN_COMMENT = {c: re.compile(b"[}\\%c]" % c) for c in (OPEN_TAG, OPEN_BRACE)}

#: A tag longer than this is malformed.
TAG_LIMIT = 1 << 16
#: A brace that closes a comment is looked for so far behind a tag inside it.
LOOK_AHEAD = 1 << 18

NO_TAG, TAG, NEVER_CLOSED, UNQUOTED, NEED_MORE = 0, 1, 2, 3, 4
NAME_FROM, NAME_TO, VALUE_FROM, VALUE_TO, TAG_END = 0, 1, 2, 3, 4


# Eight bytes are searched at once: a byte of `word ^ pattern` is zero where the
# byte of the word is the one sought, and the lowest zero byte of `x` is the
# lowest set bit of ``(x - ONES) & ~x & HIGH``.
WORD = 8
ONES = np.uint64(0x0101010101010101)
HIGH = np.uint64(0x8080808080808080)
LOWER_CASE = ONES * np.uint64(0x20)
NO_CASE, ALL_BITS = ~LOWER_CASE, ~np.uint64(0)
BRACKETS, SEMICOLONS, PERCENTS = (ONES * np.uint64(c) for c in (OPEN_TAG, SEMICOLON, PERCENT))
BRACES, QUOTES, BACKSLASHES = (ONES * np.uint64(c) for c in (CLOSE_BRACE, QUOTE, BACKSLASH))
LINE_FEEDS, RETURNS = ONES * np.uint64(LF), ONES * np.uint64(CR)


@bare_kernel
def word_at(buf: Bytes, i: int) -> np.uint64:
    """The eight bytes from `i` on as one number, the first the lowest."""
    k = np.uint64(i)
    return (
        np.uint64(buf[k])
        | np.uint64(buf[k + np.uint64(1)]) << np.uint64(8)
        | np.uint64(buf[k + np.uint64(2)]) << np.uint64(16)
        | np.uint64(buf[k + np.uint64(3)]) << np.uint64(24)
        | np.uint64(buf[k + np.uint64(4)]) << np.uint64(32)
        | np.uint64(buf[k + np.uint64(5)]) << np.uint64(40)
        | np.uint64(buf[k + np.uint64(6)]) << np.uint64(48)
        | np.uint64(buf[k + np.uint64(7)]) << np.uint64(56)
    )


@in_python(word_at)
def _word_at(buf: Bytes, i: int) -> np.uint64:
    return np.uint64(int.from_bytes(buf[i : i + WORD].tobytes(), "little"))


def _in_plain_python(loop: Callable[[Bytes, int, int], int], pattern: bytes) -> None:
    """Have plain Python look for a pattern: its place in `buf` from `i` on, or `n`."""
    compiled = re.compile(pattern)

    @in_python(loop)
    def _search(buf: Bytes, i: int, n: int) -> int:
        match = compiled.search(buf.data, i, n)
        return n if match is None else match.start()


@bare_kernel
def class_at(buf: Bytes, i: int) -> int:
    """The class of one byte."""
    return int(CLASS[buf[np.uint64(i)]])


@in_python(class_at)
def _class_at(buf: Bytes, i: int) -> int:
    mark: int = _CLASS[buf[i]]
    return mark


@bare_kernel
def _zero_bytes(x: np.uint64) -> np.uint64:
    return (x - ONES) & ~x


@inlined_kernel
def _skip_words(
    buf: Bytes, i: int, n: int, kept: np.uint64,
    one: np.uint64, two: np.uint64, three: np.uint64, four: np.uint64,
) -> int:  # fmt: skip
    """The first eight bytes from `i` on that have one of four (of one only bits `kept`)."""
    while i + WORD <= n:
        word = word_at(buf, i)
        stops = _zero_bytes((word & kept) ^ one) | _zero_bytes(word ^ two)
        if (stops | _zero_bytes(word ^ three) | _zero_bytes(word ^ four)) & HIGH:
            break
        i += WORD
    return i


@bare_kernel
def next_stop_of_value(buf: Bytes, i: int, n: int) -> int:
    """The next quote, backslash or line end from `i` on, or `n`."""
    i = _skip_words(buf, i, n, ALL_BITS, QUOTES, BACKSLASHES, LINE_FEEDS, RETURNS)
    while i < n and not class_at(buf, i) & STOPS_VALUE:
        i += 1
    return i


_in_plain_python(next_stop_of_value, rb'["\\\n\r]')


@bare_kernel
def next_in_movetext(buf: Bytes, i: int, n: int) -> int:
    """The next byte from `i` on that means anything in movetext: one of ``[ { ; %``."""
    # "[" and "{" differ in one bit
    i = _skip_words(buf, i, n, NO_CASE, BRACKETS, SEMICOLONS, PERCENTS, PERCENTS)
    while i < n and not class_at(buf, i) & STOPS_MOVETEXT:
        i += 1
    return i


_in_plain_python(next_in_movetext, rb"[\[{;%]")


@bare_kernel
def next_in_comment(buf: Bytes, i: int, n: int, other: int) -> int:
    """The next ``}`` from `i` on, or the next byte `other`, or `n`."""
    others = ONES * np.uint64(other)
    i = _skip_words(buf, i, n, ALL_BITS, BRACES, others, others, others)
    while i < n and buf[np.uint64(i)] != CLOSE_BRACE and buf[np.uint64(i)] != other:
        i += 1
    return i


@in_python(next_in_comment)
def _next_in_comment(buf: Bytes, i: int, n: int, other: int) -> int:
    match = _IN_COMMENT[other].search(buf.data, i, n)
    return n if match is None else match.start()


@bare_kernel
def count_lines(buf: Bytes, i: int, n: int) -> int:
    """Line ends from `i` to before `n`: LF, CR, and CR LF as one."""
    lines = 0
    for k in range(np.uint64(i), np.uint64(n)):
        lines += (buf[k] == LF) | ((buf[k] == CR) & (buf[k + np.uint64(1)] != LF))
    return lines


@in_python(count_lines)
def _count_lines(buf: Bytes, i: int, n: int) -> int:
    text = buf[i : n + 1].tobytes()
    lines = text[:-1]
    return lines.count(b"\n") + lines.count(b"\r") - text.count(b"\r\n")


@bare_kernel
def starts_line(buf: Bytes, i: int, origin: int, before: int) -> bool:
    """Whether only blanks stand before `i` on its line; `before` says so of `origin`."""
    k = i - 1
    while k >= origin and class_at(buf, k) == BLANK:
        k -= 1
    if k < origin:
        return before != 0
    return class_at(buf, k) & NEWLINE != 0


@bare_kernel
def after_blanks(buf: Bytes, i: int, n: int) -> int:
    """The first place from `i` on that is not blank, or `n`."""
    while i < n and class_at(buf, i) == BLANK:
        i += 1
    return i


_in_plain_python(after_blanks, rb"[^\x00-\x09\x0b\x0c\x0e-\x20\x7f]")


@bare_kernel
def after_name(buf: Bytes, i: int, n: int) -> int:
    """The first place from `i` on that cannot be part of a tag's name, or `n`."""
    while i < n and class_at(buf, i) == NAME:
        i += 1
    return i


_in_plain_python(after_name, rb"[^A-Za-z0-9_+#=:-]")


@bare_kernel
def same_name(buf: Bytes, start: int, letters: Bytes, letters_from: int, length: int) -> bool:
    """Whether the letters at `start` are those of a wanted name, in either case."""
    for k in range(length):  # noqa: SIM110 (compiled)
        if (buf[start + k] | 32) != letters[letters_from + k]:
            return False
    return True


@bare_kernel
def tag_before(buf: Bytes, k: int, start: int) -> int:
    """Return where the tag begins whose value the quote at `k` opens, or -1 if there is none."""
    m = k - 1
    while m > start and class_at(buf, m) == BLANK:
        m -= 1
    end = m
    while m > start and class_at(buf, m) == NAME:
        m -= 1
    return m if m < end < k - 1 and m >= start and buf[m] == OPEN_TAG else -1


@bare_kernel
def parse_tag(buf: Bytes, i: int, n: int, final: bool, tag: Integers) -> int:
    """What stands at the ``[`` at `i`; for a tag, `tag` gets its places.

    Returns TAG, NO_TAG, NEVER_CLOSED (`tag` holds the name and where the line or
    the limit ends), UNQUOTED (a name without a quoted value) or NEED_MORE (the
    buffer ends before this can be told).
    """
    limit = min(n, i + TAG_LIMIT)
    undecided = NO_TAG if final or i + TAG_LIMIT <= n else NEED_MORE
    k = after_blanks(buf, i + 1, limit)
    name = k
    k = after_name(buf, k, limit)
    tag[NAME_FROM] = name
    tag[NAME_TO] = k
    name_end = k
    k = after_blanks(buf, k, limit)
    if k == limit:
        return undecided
    if name == name_end:
        return NO_TAG
    if buf[k] != QUOTE:
        return UNQUOTED if name_end < k else NO_TAG
    k += 1
    if name_end == k - 1 and k < limit and buf[k] == QUOTE:  # [White""X"]: whose is the quote?
        m = after_blanks(buf, k + 1, limit)
        if m == limit:
            return undecided
        if buf[m] != CLOSE_TAG:
            return UNQUOTED
    tag[VALUE_FROM] = k
    escaped = -1  # an escaped quote before a bracket: the end if there is no other
    escaped_end = -1
    while True:
        k = next_stop_of_value(buf, k, limit)
        if k >= limit:
            tag[TAG_END] = limit
            return NEVER_CLOSED if undecided == NO_TAG else NEED_MORE
        c = buf[k]
        if c == QUOTE:
            m = after_blanks(buf, k + 1, limit)
            if m == limit:
                k = limit
            elif buf[m] == CLOSE_TAG:
                tag[VALUE_TO] = k
                tag[TAG_END] = m + 1
                return TAG
            else:
                torn = tag_before(buf, k, tag[VALUE_FROM])
                if torn >= 0:
                    tag[TAG_END] = torn
                    return NEVER_CLOSED
                k += 1
        elif c == BACKSLASH:
            k += 1
            if k < limit and buf[k] == QUOTE:
                if escaped < 0:
                    m = after_blanks(buf, k + 1, limit)
                    if m < limit and buf[m] == CLOSE_TAG:
                        escaped = k
                        escaped_end = m + 1
                k += 1
            elif k < limit and buf[k] == BACKSLASH:
                k += 1
        elif escaped >= 0:
            tag[VALUE_TO] = escaped
            tag[TAG_END] = escaped_end
            return TAG
        else:
            tag[TAG_END] = k
            return NEVER_CLOSED


# Places in `state`; LENGTH is three of them: of White, Black and Result.
MODE, OPEN, SEEN, MALFORMED, ADJACENT, BLANK_SINCE, LINE_BLANK, LINE_START, LENGTH = range(9)
OUTCOME, LINE, COUNTED, GAME_LINE, COMMENT_AT, COMMENT_LINE = range(11, 17)
GAMES, NAMES, DETAILS, ANY_TAG, FULL = range(17, 22)
COLUMN_LENGTH = 22  # the first of as many as there are columns

TEXT, COMMENT, REST_OF_LINE = 0, 1, 2
WHITE, BLACK, RESULT, EVENT, COLUMN = 0, 1, 2, 3, 4
NEEDED = 0b111  # in SEEN: White, Black and Result
LOSS, DRAW, WIN, UNFINISHED, UNKNOWN = 0, 1, 2, 3, 4

# Kinds of problems; for the first four, White, Black and Result follow one another.
MISSING, MALFORMED_TAG, EMPTY, TOO_LONG = 0, 3, 6, 9
BAD_RESULT, NO_RESULT_YET, OPEN_COMMENT = 12, 13, 14
KINDS = 15

#: The longest name of a player, in bytes.
NAME_LIMIT = 4096
#: So much of a result, and of the value of a column, is kept.
RESULT_WIDTH = 64
COLUMN_WIDTH = 256
RESULT_SCRATCH = 2 * NAME_LIMIT
COLUMN_SCRATCH = RESULT_SCRATCH + RESULT_WIDTH
#: So many bytes before a record are looked at.
MARKED = 32
#: The first byte of every column's value in the table of names; no name begins so.
COLUMN_MARK = 1

WHITE_NAME, BLACK_NAME, RESULT_NAME, EVENT_NAME = (
    np.uint64(int.from_bytes(name, "little")) | LOWER_CASE
    for name in (b"white", b"black", b"result", b"event")
)
WON, LOST, HALVES, EQUALS, ASTERISK = (
    np.uint64(int.from_bytes(text, "little")) for text in (b"1-0", b"0-1", b"1/2-1/2", b"=-=", b"*")
)


class PgnState(NamedTuple):
    """What is remembered of the file being read, and of the game that is open."""

    state: Integers  #: numbers, at the places named above
    tag: Integers  #: where the parts of the tag read last stand; see `parse_tag`
    scratch: Bytes  #: values of the open game's tags
    columns: Bytes  #: names of the tags that become columns, in small letters one behind the other
    columns_from: Integers  #: where each begins
    #: those of the open game (see `GameTable`), and how much of the file was read before
    marks: NDArray[np.uint64]


class GameTable(NamedTuple):
    """The games that were read: numbers of players, results, codes of columns, lines, marks.

    Marks are where in the file the game begins, where the record before it ends, and that
    record's last bytes as a number.
    """

    pairs: NDArray[np.int32]
    outcomes: NDArray[np.int8]
    codes: NDArray[np.int32]
    lines: Integers
    marks: NDArray[np.uint64]


class Problems(NamedTuple):
    """What was wrong: how often each kind, and the first with line, number and result."""

    details: Integers
    texts: Bytes
    counts: Integers


@bare_kernel
def line_at(buf: Bytes, state: Integers, i: int) -> int:
    """The line of place `i`; may only be asked for growing places."""
    if i > state[COUNTED]:
        state[LINE] += count_lines(buf, state[COUNTED], i)
        state[COUNTED] = i
    return int(state[LINE])


@bare_kernel
def _report(kind: int, line: int, number: int, work: PgnState, problems: Problems) -> None:
    """Count a problem, and keep its details while there is room."""
    problems.counts[kind] += 1
    row = work.state[DETAILS]
    if row == len(problems.details):
        return
    problems.details[row, 0] = kind
    problems.details[row, 1] = line
    problems.details[row, 2] = number
    if kind == BAD_RESULT:
        for k in range(min(number, RESULT_WIDTH)):
            problems.texts[row, k] = work.scratch[RESULT_SCRATCH + k]
    work.state[DETAILS] = row + 1


@bare_kernel
def close_comment(buf: Bytes, work: PgnState, problems: Problems) -> None:
    """End a comment that was never closed, and report it."""
    state = work.state
    line = state[COMMENT_LINE] or line_at(buf, state, state[COMMENT_AT])
    _report(OPEN_COMMENT, line, 0, work, problems)


@bare_kernel
def _problem(state: Integers) -> int:
    """What is wrong with the open game: a kind of problem, or -1."""
    for which in range(3):
        if state[MALFORMED] >> which & 1:
            return MALFORMED_TAG + which
    for which in range(3):
        if not state[SEEN] >> which & 1:
            return MISSING + which
    for which in range(2):
        if state[LENGTH + which] == 0:
            return EMPTY + which
        if state[LENGTH + which] > NAME_LIMIT:
            return TOO_LONG + which
    return BAD_RESULT if state[OUTCOME] == UNKNOWN else -1


@bare_kernel
def finish_game(
    buf: Bytes, work: PgnState, strings: StringTable, games: GameTable, problems: Problems
) -> None:
    """Complete the open game: note it, or report what is wrong with it."""
    state, scratch = work.state, work.scratch
    kind = _problem(state)
    if kind < 0:
        names = state[NAMES]
        game = state[GAMES]
        for which in range(2):
            number = intern(scratch, which * NAME_LIMIT, state[LENGTH + which], names, strings)
            names += number == names
            games.pairs[game, which] = number
        if state[OUTCOME] == UNFINISHED:
            kind = NO_RESULT_YET
        else:
            games.outcomes[game] = state[OUTCOME]
            for c in range(games.codes.shape[1]):
                games.codes[game, c] = -1
                length = state[COLUMN_LENGTH + c]
                if length > 0:
                    number = intern(
                        scratch, COLUMN_SCRATCH + c * COLUMN_WIDTH, length, names, strings
                    )
                    names += number == names
                    games.codes[game, c] = number
            if len(games.lines):
                games.lines[game] = state[GAME_LINE]
            for k in range(games.marks.shape[1]):
                games.marks[game, k] = work.marks[k]
            state[GAMES] = game + 1
        state[NAMES] = names
    if kind >= 0:
        number = state[LENGTH + min(kind - TOO_LONG, 2)] if kind >= TOO_LONG else 0
        _report(kind, state[GAME_LINE], number, work, problems)
    state[OPEN] = 0


@bare_kernel
def mark_start(buf: Bytes, i: int, origin: int, marks: NDArray[np.uint64]) -> None:
    """Note where a record begins, and how the one before it ends; blank lines are of neither."""
    marks[0] = marks[3] + np.uint64(i - origin)
    end = i
    while end > i - MARKED and buf[end - 1] <= 32:
        end -= 1
    marks[1] = marks[0] - np.uint64(i - end)
    marks[2] = word_at(buf, end - 8) ^ (word_at(buf, end - 16) * MULTIPLIER)
    marks[2] ^= word_at(buf, end - 24) * (MULTIPLIER ^ marks[2])


@bare_kernel
def which_tag(buf: Bytes, work: PgnState) -> int:
    """WHITE, BLACK, RESULT, EVENT, COLUMN and further, or -1; an Event may be a column."""
    start = work.tag[NAME_FROM]
    length = work.tag[NAME_TO] - start
    begins = work.columns_from
    for c in range(len(begins) - 1):
        if begins[c + 1] - begins[c] == length and same_name(
            buf, start, work.columns, begins[c], length
        ):
            return COLUMN + c
    name = _word(buf, start, length) | LOWER_CASE
    if name == WHITE_NAME:
        return WHITE
    if name == BLACK_NAME:
        return BLACK
    if name == RESULT_NAME:
        return RESULT
    return EVENT if name == EVENT_NAME else -1


@bare_kernel
def is_event(buf: Bytes, tag: Integers) -> bool:
    length = tag[NAME_TO] - tag[NAME_FROM]
    return bool((_word(buf, tag[NAME_FROM], length) | LOWER_CASE) == EVENT_NAME)


@bare_kernel
def begins_another(buf: Bytes, which: int, work: PgnState) -> bool:
    """Whether a tag is one of another game.

    Behind a blank line that is an Event, or a tag seen before. Without one the game was cut:
    it is an Event seen before, or a White where the game has all that it needs.
    """
    state = work.state
    event = is_event(buf, work.tag)
    if not state[BLANK_SINCE]:
        known = state[SEEN] | state[MALFORMED]
        if event:
            return bool(known >> EVENT & 1 and known & NEEDED)
        return bool(which == WHITE and known & NEEDED == NEEDED)
    if which >= COLUMN:
        return bool(event or state[COLUMN_LENGTH + which - COLUMN] > 0)
    return bool(event or (which >= WHITE and state[SEEN] >> which & 1))


@bare_kernel
def keep_value(buf: Bytes, which: int, work: PgnState) -> None:
    """Copy the value of a tag that matters, without blanks around it."""
    state, scratch = work.state, work.scratch
    start, end = work.tag[VALUE_FROM], work.tag[VALUE_TO]
    while start < end and class_at(buf, start) == BLANK:
        start += 1
    while end > start and class_at(buf, end - 1) == BLANK:
        end -= 1
    length = end - start
    if which >= COLUMN:
        into = COLUMN_SCRATCH + (which - COLUMN) * COLUMN_WIDTH
        scratch[into] = COLUMN_MARK
        length = min(length, COLUMN_WIDTH - 1)
        for k in range(length):
            scratch[into + 1 + k] = buf[start + k]
        state[COLUMN_LENGTH + which - COLUMN] = length + 1 if length else 0
        return
    state[SEEN] |= 1 << which
    state[LENGTH + which] = length
    into = which * NAME_LIMIT
    for k in range(min(length, RESULT_WIDTH if which == RESULT else NAME_LIMIT)):
        scratch[into + k] = buf[start + k]
    if which == RESULT:
        state[OUTCOME] = _outcome(buf, start, length)


@bare_kernel
def _outcome(buf: Bytes, i: int, length: int) -> int:
    """The result whose text stands at `i`."""
    text = _word(buf, i, length)
    if length > WORD:
        return UNKNOWN
    if text == WON:
        return WIN
    if text == LOST:
        return LOSS
    if text in (HALVES, EQUALS):
        return DRAW
    return UNFINISHED if text == ASTERISK else UNKNOWN


@bare_kernel
def scan(
    buf: Bytes,
    i: int,
    n: int,
    final: bool,
    work: PgnState,
    strings: StringTable,
    games: GameTable,
    problems: Problems,
) -> int:
    """Read `buf` from `i` to before `n` and return how far it was read.

    What stands behind that must be given again, with more behind it. If
    ``state[game.FULL]`` is set there was no room for another game. The byte before
    `i` must be the one read last, the byte at `n` must be 0.
    """
    if not final and n > i and buf[n - 1] == CR:
        n -= 1  # what follows decides whether this is one line end or half of one
    state, tag = work.state, work.tag
    width = games.codes.shape[1]
    origin = i
    state[COUNTED] = i
    state[FULL] = 0
    mode = state[MODE]
    line_blank = state[LINE_BLANK]
    brace = -1
    most_names = 4 + 2 * width
    most_bytes = 4 * NAME_LIMIT + 2 * width * COLUMN_WIDTH
    finish = False
    while True:
        if finish:
            finish_game(buf, work, strings, games, problems)
            finish = False
        if i >= n:
            if final and mode == COMMENT:
                close_comment(buf, work, problems)
                mode = TEXT
            if not final or not state[OPEN]:
                break
            finish = True
            continue
        if mode == COMMENT:
            i = next_in_comment(buf, i, n, OPEN_TAG)
            if i >= n:
                continue
            if buf[i] == CLOSE_BRACE:
                mode = TEXT
            elif starts_line(buf, i, origin, state[LINE_START]):
                status = parse_tag(buf, i, n, final, tag)
                if status == NEED_MORE:
                    break
                if status in (TAG, NEVER_CLOSED):
                    until = min(n, i + LOOK_AHEAD)
                    if brace < i:
                        brace = next_in_comment(buf, i, until, OPEN_BRACE)
                    if brace >= until and not (final or i + LOOK_AHEAD <= n):
                        brace = -1
                        break
                    if brace >= until or buf[brace] == OPEN_BRACE:
                        close_comment(buf, work, problems)
                        mode = TEXT
                        continue
            i += 1
            continue
        if mode == REST_OF_LINE:
            while i < n and class_at(buf, i) & NEWLINE == 0:
                i += 1
            if i < n:
                mode = TEXT
            continue
        if not state[OPEN]:
            i = next_in_movetext(buf, i, n)
            if i >= n:
                continue
        c = buf[i]
        kind = class_at(buf, i)
        if kind & NEWLINE:
            i += 2 if c == CR and i + 1 < n and buf[i + 1] == LF else 1
            if line_blank:
                state[BLANK_SINCE] = 1
                if state[ADJACENT] and state[SEEN] & NEEDED:
                    finish = True
            line_blank = 1
            continue
        if kind == BLANK:
            i += 1
            continue
        if c == OPEN_TAG:
            status = parse_tag(buf, i, n, final, tag)
            if status == NEED_MORE:
                break
            if status in (TAG, NEVER_CLOSED):
                which = which_tag(buf, work)
                if state[OPEN]:
                    if begins_another(buf, which, work):
                        finish = True
                        continue  # and read this tag again, as the first of a new game
                    if not state[BLANK_SINCE]:
                        state[ADJACENT] = 1
                if not state[OPEN]:
                    names = state[NAMES]
                    if (
                        state[GAMES] + 1 >= len(games.outcomes)
                        or names + most_names > len(strings.hashes)
                        or strings.starts[names] + most_bytes > len(strings.arena)
                    ):
                        state[FULL] = 1
                        break
                    state[OPEN] = 1
                    state[ANY_TAG] = 1
                    state[SEEN] = 0
                    state[MALFORMED] = 0
                    state[ADJACENT] = 0
                    for k in range(width):
                        state[COLUMN_LENGTH + k] = 0
                    if games.marks.shape[1]:
                        mark_start(buf, i, origin, work.marks)
                    state[GAME_LINE] = line_at(buf, state, i)
                state[BLANK_SINCE] = 0
                line_blank = 0
                i = tag[TAG_END]
                if status == NEVER_CLOSED:
                    if buf[i] != OPEN_TAG:
                        mode = REST_OF_LINE
                    if which >= WHITE and which <= RESULT:
                        state[MALFORMED] |= 1 << which
                elif which >= WHITE and which != EVENT:
                    keep_value(buf, which, work)
                if is_event(buf, tag):
                    state[SEEN] |= 1 << EVENT
                continue
            if status == UNQUOTED and state[OPEN] and line_blank:
                which = which_tag(buf, work)
                if which >= WHITE and which <= RESULT:
                    state[MALFORMED] |= 1 << which
                line_blank = 0
                mode = REST_OF_LINE
                continue
        elif c == OPEN_BRACE:
            mode = COMMENT
            state[COMMENT_AT] = i
            state[COMMENT_LINE] = 0
            line_blank = 0
            i += 1
            continue
        elif c == SEMICOLON or (c == PERCENT and class_at(buf, i - 1) & NEWLINE):
            mode = REST_OF_LINE
            line_blank = 0
            continue
        line_blank = 0
        if state[OPEN]:
            finish = True
        i += 1
    if mode == COMMENT and state[COMMENT_LINE] == 0:
        state[COMMENT_LINE] = line_at(buf, state, state[COMMENT_AT])
    line_at(buf, state, i)
    state[LINE_START] = starts_line(buf, i, origin, state[LINE_START])
    state[MODE] = mode
    state[LINE_BLANK] = line_blank
    if games.marks.shape[1] and final and not state[FULL]:
        mark_start(buf, i, origin, work.marks)
    work.marks[3] += np.uint64(i - origin)
    return i
