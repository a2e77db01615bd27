"""The loop that finds the games in the bytes of a PGN file.

A game is *open* from its first tag to the movetext, blank line, tag of another
game or end of file that completes it. Between games only four bytes mean
anything (``[ { ; %``), so movetext is passed over eight bytes at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.records._compiled import kernel
from yardstone.records._interning import StringTable
from yardstone.records._pgn_bytes import (
    BLANK,
    CLOSE_BRACE,
    CR,
    LF,
    LOOK_AHEAD,
    NEED_MORE,
    NEVER_CLOSED,
    NEWLINE,
    OPEN_BRACE,
    OPEN_TAG,
    PERCENT,
    SEMICOLON,
    TAG,
    TAG_END,
    UNQUOTED,
    class_at,
    next_in_comment,
    next_in_movetext,
    parse_tag,
    starts_line,
)
from yardstone.records._pgn_game import (
    ADJACENT,
    ANY_TAG,
    BLANK_SINCE,
    COLUMN,
    COLUMN_LENGTH,
    COLUMN_WIDTH,
    COMMENT,
    COMMENT_AT,
    COMMENT_LINE,
    COUNTED,
    EVENT,
    FULL,
    GAME_AT,
    GAME_LINE,
    GAMES,
    LINE_BLANK,
    LINE_START,
    MALFORMED,
    MODE,
    NAME_LIMIT,
    NAMES,
    OPEN,
    REST_OF_LINE,
    RESULT,
    SEEN,
    TEXT,
    WHITE,
    GameTable,
    PgnState,
    Problems,
    close_comment,
    finish_game,
    is_event,
    keep_value,
    line_at,
    note_game_line,
    which_tag,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Integers = NDArray[np.int64]


@kernel
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
    ``state[FULL]`` is set there was no room for another game. The byte before
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
                if state[ADJACENT] and state[SEEN]:
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
                    if state[BLANK_SINCE] and (
                        which == EVENT
                        or (which >= WHITE and which <= RESULT and state[SEEN] >> which & 1)
                        or (
                            which >= COLUMN
                            and (state[COLUMN_LENGTH + which - COLUMN] > 0 or is_event(buf, tag))
                        )
                    ):
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
                    state[GAME_AT] = i
                    state[GAME_LINE] = line_at(buf, state, i) if len(games.lines) else 0
                state[BLANK_SINCE] = 0
                line_blank = 0
                i = tag[TAG_END]
                if status == NEVER_CLOSED:
                    mode = REST_OF_LINE
                    if which >= WHITE and which <= RESULT:
                        state[MALFORMED] |= 1 << which
                elif which >= WHITE and which != EVENT:
                    keep_value(buf, which, work)
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
    note_game_line(buf, state)
    if mode == COMMENT and state[COMMENT_LINE] == 0:
        state[COMMENT_LINE] = line_at(buf, state, state[COMMENT_AT])
    line_at(buf, state, i)
    state[LINE_START] = starts_line(buf, i, origin, state[LINE_START])
    state[MODE] = mode
    state[LINE_BLANK] = line_blank
    return i
