"""The loop that finds the games in the bytes of a PGN file.

A game is *open* from its first tag to the movetext, blank line, tag of another
game or end of file that completes it. Between games only four bytes mean
anything (``[ { ; %``), so movetext is passed over eight bytes at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.kernels import bare_kernel
from yardstone.records import _pgn_bytes as tags
from yardstone.records import _pgn_game as game
from yardstone.records._interning import StringTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Integers = NDArray[np.int64]


@bare_kernel
def scan(
    buf: Bytes,
    i: int,
    n: int,
    final: bool,
    work: game.PgnState,
    strings: StringTable,
    games: game.GameTable,
    problems: game.Problems,
) -> int:
    """Read `buf` from `i` to before `n` and return how far it was read.

    What stands behind that must be given again, with more behind it. If
    ``state[game.FULL]`` is set there was no room for another game. The byte before
    `i` must be the one read last, the byte at `n` must be 0.
    """
    if not final and n > i and buf[n - 1] == tags.CR:
        n -= 1  # what follows decides whether this is one line end or half of one
    state, tag = work.state, work.tag
    width = games.codes.shape[1]
    origin = i
    state[game.COUNTED] = i
    state[game.FULL] = 0
    mode = state[game.MODE]
    line_blank = state[game.LINE_BLANK]
    brace = -1
    most_names = 4 + 2 * width
    most_bytes = 4 * game.NAME_LIMIT + 2 * width * game.COLUMN_WIDTH
    finish = False
    while True:
        if finish:
            game.finish_game(buf, work, strings, games, problems)
            finish = False
        if i >= n:
            if final and mode == game.COMMENT:
                game.close_comment(buf, work, problems)
                mode = game.TEXT
            if not final or not state[game.OPEN]:
                break
            finish = True
            continue
        if mode == game.COMMENT:
            i = tags.next_in_comment(buf, i, n, tags.OPEN_TAG)
            if i >= n:
                continue
            if buf[i] == tags.CLOSE_BRACE:
                mode = game.TEXT
            elif tags.starts_line(buf, i, origin, state[game.LINE_START]):
                status = tags.parse_tag(buf, i, n, final, tag)
                if status == tags.NEED_MORE:
                    break
                if status in (tags.TAG, tags.NEVER_CLOSED):
                    until = min(n, i + tags.LOOK_AHEAD)
                    if brace < i:
                        brace = tags.next_in_comment(buf, i, until, tags.OPEN_BRACE)
                    if brace >= until and not (final or i + tags.LOOK_AHEAD <= n):
                        brace = -1
                        break
                    if brace >= until or buf[brace] == tags.OPEN_BRACE:
                        game.close_comment(buf, work, problems)
                        mode = game.TEXT
                        continue
            i += 1
            continue
        if mode == game.REST_OF_LINE:
            while i < n and tags.class_at(buf, i) & tags.NEWLINE == 0:
                i += 1
            if i < n:
                mode = game.TEXT
            continue
        if not state[game.OPEN]:
            i = tags.next_in_movetext(buf, i, n)
            if i >= n:
                continue
        c = buf[i]
        kind = tags.class_at(buf, i)
        if kind & tags.NEWLINE:
            i += 2 if c == tags.CR and i + 1 < n and buf[i + 1] == tags.LF else 1
            if line_blank:
                state[game.BLANK_SINCE] = 1
                if state[game.ADJACENT] and state[game.SEEN] & game.NEEDED:
                    finish = True
            line_blank = 1
            continue
        if kind == tags.BLANK:
            i += 1
            continue
        if c == tags.OPEN_TAG:
            status = tags.parse_tag(buf, i, n, final, tag)
            if status == tags.NEED_MORE:
                break
            if status in (tags.TAG, tags.NEVER_CLOSED):
                which = game.which_tag(buf, work)
                if state[game.OPEN]:
                    if game.begins_another(buf, which, work):
                        finish = True
                        continue  # and read this tag again, as the first of a new game
                    if not state[game.BLANK_SINCE]:
                        state[game.ADJACENT] = 1
                if not state[game.OPEN]:
                    names = state[game.NAMES]
                    if (
                        state[game.GAMES] + 1 >= len(games.outcomes)
                        or names + most_names > len(strings.hashes)
                        or strings.starts[names] + most_bytes > len(strings.arena)
                    ):
                        state[game.FULL] = 1
                        break
                    state[game.OPEN] = 1
                    state[game.ANY_TAG] = 1
                    state[game.SEEN] = 0
                    state[game.MALFORMED] = 0
                    state[game.ADJACENT] = 0
                    for k in range(width):
                        state[game.COLUMN_LENGTH + k] = 0
                    state[game.GAME_AT] = i
                    if games.marks.shape[1]:
                        game.mark_start(buf, i, origin, work.marks)
                    state[game.GAME_LINE] = game.line_at(buf, state, i) if len(games.lines) else 0
                state[game.BLANK_SINCE] = 0
                line_blank = 0
                i = tag[tags.TAG_END]
                if status == tags.NEVER_CLOSED:
                    if buf[i] != tags.OPEN_TAG:
                        mode = game.REST_OF_LINE
                    if which >= game.WHITE and which <= game.RESULT:
                        state[game.MALFORMED] |= 1 << which
                elif which >= game.WHITE and which != game.EVENT:
                    game.keep_value(buf, which, work)
                if game.is_event(buf, tag):
                    state[game.SEEN] |= 1 << game.EVENT
                continue
            if status == tags.UNQUOTED and state[game.OPEN] and line_blank:
                which = game.which_tag(buf, work)
                if which >= game.WHITE and which <= game.RESULT:
                    state[game.MALFORMED] |= 1 << which
                line_blank = 0
                mode = game.REST_OF_LINE
                continue
        elif c == tags.OPEN_BRACE:
            mode = game.COMMENT
            state[game.COMMENT_AT] = i
            state[game.COMMENT_LINE] = 0
            line_blank = 0
            i += 1
            continue
        elif c == tags.SEMICOLON or (
            c == tags.PERCENT and tags.class_at(buf, i - 1) & tags.NEWLINE
        ):
            mode = game.REST_OF_LINE
            line_blank = 0
            continue
        line_blank = 0
        if state[game.OPEN]:
            finish = True
        i += 1
    game.note_game_line(buf, state)
    if mode == game.COMMENT and state[game.COMMENT_LINE] == 0:
        state[game.COMMENT_LINE] = game.line_at(buf, state, state[game.COMMENT_AT])
    game.line_at(buf, state, i)
    state[game.LINE_START] = tags.starts_line(buf, i, origin, state[game.LINE_START])
    state[game.MODE] = mode
    state[game.LINE_BLANK] = line_blank
    if games.marks.shape[1] and final and not state[game.FULL]:
        game.mark_start(buf, i, origin, work.marks)
    work.marks[3] += np.uint64(i - origin)
    return i
