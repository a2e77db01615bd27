"""The game of a PGN file whose tags are being read: what is known, noted or wrong.

What must be remembered between the buffers of a file stands in an array of
numbers, `state`, and in `scratch`, which holds the values of the open game's tags.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.kernels import bare_kernel
from yardstone.records._interning import MULTIPLIER, StringTable, intern
from yardstone.records._pgn_bytes import (
    BLANK,
    LOWER_CASE,
    NAME_FROM,
    NAME_TO,
    VALUE_FROM,
    VALUE_TO,
    class_at,
    count_lines,
    same_name,
    word_at,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Integers = NDArray[np.int64]

# Places in `state`; LENGTH is three of them: of White, Black and Result.
MODE, OPEN, SEEN, MALFORMED, ADJACENT, BLANK_SINCE, LINE_BLANK, LINE_START, LENGTH = range(9)
OUTCOME, LINE, COUNTED, GAME_AT, GAME_LINE, COMMENT_AT, COMMENT_LINE = range(11, 18)
GAMES, NAMES, DETAILS, ANY_TAG, FULL = range(18, 23)
COLUMN_LENGTH = 23  # the first of as many as there are columns

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

FIVE_BYTES = np.uint64((1 << 40) - 1)
WHITE_NAME, BLACK_NAME, RESUL_NAME, EVENT_NAME = (
    np.uint64(int.from_bytes(name, "little")) for name in (b"white", b"black", b"resul", b"event")
)


class PgnState(NamedTuple):
    """What is remembered of the file being read, and of the game that is open.

    Attributes
    ----------
    state : array
        Numbers, at the places named above.
    tag : array
        Where the parts of the tag read last stand; see `_pgn_bytes.parse_tag`.
    scratch : array
        Values of the open game's tags.
    columns, columns_from : array
        The names of the tags that become columns, in small letters one behind the other,
        and where each begins.
    marks : array
        Those of the open game (see `GameTable`), and how much of the file was read before.
    """

    state: Integers
    tag: Integers
    scratch: Bytes
    columns: Bytes
    columns_from: Integers
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
def note_game_line(buf: Bytes, state: Integers) -> None:
    if state[OPEN] and state[GAME_LINE] == 0:
        state[GAME_LINE] = line_at(buf, state, state[GAME_AT])


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
    note_game_line(buf, state)
    line = state[COMMENT_LINE]
    if line == 0:
        line = line_at(buf, state, state[COMMENT_AT])
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
        note_game_line(buf, state)
        number = 0
        if kind >= TOO_LONG:
            number = state[LENGTH + min(kind - TOO_LONG, 2)]
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
    name = (word_at(buf, start) | LOWER_CASE) & FIVE_BYTES
    if length == 5:
        if name == WHITE_NAME:
            return WHITE
        if name == BLACK_NAME:
            return BLACK
        if name == EVENT_NAME:
            return EVENT
    elif length == 6 and name == RESUL_NAME and buf[start + 5] | 32 == 116:
        return RESULT
    return -1


@bare_kernel
def is_event(buf: Bytes, tag: Integers) -> bool:
    name = (word_at(buf, tag[NAME_FROM]) | LOWER_CASE) & FIVE_BYTES
    return bool(tag[NAME_TO] - tag[NAME_FROM] == 5 and name == EVENT_NAME)


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
    if length == 3 and buf[i + 1] == 45:
        if buf[i] == 49 and buf[i + 2] == 48:
            return WIN
        if buf[i] == 48 and buf[i + 2] == 49:
            return LOSS
        if buf[i] == 61 and buf[i + 2] == 61:
            return DRAW
    elif length == 7:
        for k in range(7):
            if buf[i + k] != HALVES[k]:
                return UNKNOWN
        return DRAW
    elif length == 1 and buf[i] == 42:
        return UNFINISHED
    return UNKNOWN


HALVES = np.frombuffer(b"1/2-1/2", np.uint8).copy()
