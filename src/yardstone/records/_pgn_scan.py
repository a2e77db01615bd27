"""The loop that finds the games in the bytes of a PGN file.

`scan` reads one buffer after the other of a file and keeps what it must
remember between them in an array of numbers, `state`, and in `scratch`, which
holds the values of the open game's tags.

A game is *open* from its first tag to the movetext, blank line, tag of another
game or end of file that completes it. Between games only four bytes mean
anything (``[ { ; %``), so movetext is passed over 32 bytes at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone._kernel import kernel
from yardstone.records._interning import intern
from yardstone.records._pgn_bytes import (
    BLANK,
    CLASS,
    CLOSE_BRACE,
    CR,
    LF,
    LOOK_AHEAD,
    NAME_FROM,
    NAME_TO,
    NEED_MORE,
    NEVER_CLOSED,
    NEWLINE,
    NO_TAG,
    OPEN_BRACE,
    OPEN_TAG,
    PERCENT,
    SEMICOLON,
    TAG,
    TAG_END,
    UNQUOTED,
    VALUE_FROM,
    VALUE_TO,
    count_lines,
    next_in_comment,
    next_in_movetext,
    parse_tag,
    same_name,
    starts_line,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Integers = NDArray[np.int64]

# Places in `state`.
MODE, OPEN, SEEN, BROKEN, ADJACENT, BLANK_SINCE, TAGS, LINE_BLANK, LINE_START = range(9)
LENGTH, OUTCOME, LINE, COUNTED, GAME_AT, GAME_LINE, COMMENT_AT, COMMENT_LINE = range(9, 25, 2)
GAMES, NAMES, DETAILS, ANY_TAG, FULL = range(25, 30)
COLUMN_LENGTHS = 32
# `LENGTH` stands for three places: of White, Black and Result.
OUTCOME, LINE, COUNTED, GAME_AT, GAME_LINE, COMMENT_AT, COMMENT_LINE = range(12, 19)

TEXT, COMMENT, REST_OF_LINE = 0, 1, 2
