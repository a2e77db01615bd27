"""Reading PGN byte by byte: where a tag ends, where the next tag may begin.

The small functions that `yardstone.records._pgn_scan` is made of. All positions
are places in one buffer of bytes; the byte before the first position and one
byte after the last may be looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone._kernel import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Integers = NDArray[np.int64]

LF, CR, QUOTE, BACKSLASH = 10, 13, 34, 92
PERCENT, SEMICOLON, OPEN_TAG, CLOSE_TAG, OPEN_BRACE, CLOSE_BRACE = 37, 59, 91, 93, 123, 125

BLANK, NEWLINE, NAME, STOPS_VALUE = 1, 2, 4, 8


def _classes() -> Bytes:
    table = np.zeros(256, np.uint8)
    table[:33] = BLANK  # blanks and control characters
    table[[LF, CR]] = NEWLINE | STOPS_VALUE
    table[[QUOTE, BACKSLASH]] = STOPS_VALUE
    for character in b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+#=:-":
        table[character] |= NAME
    return table


CLASS = _classes()

#: A tag longer than this is malformed.
TAG_LIMIT = 1 << 16
#: A brace that closes a comment is looked for so far behind a tag inside it.
LOOK_AHEAD = 1 << 18

NO_TAG, TAG, NEVER_CLOSED, UNQUOTED, NEED_MORE = 0, 1, 2, 3, 4
NAME_FROM, NAME_TO, VALUE_FROM, VALUE_TO, TAG_END = 0, 1, 2, 3, 4


@kernel
def parse_tag(buf: Bytes, i: int, n: int, final: bool, tag: Integers) -> int:
    """What stands at the ``[`` at `i`; for a tag, `tag` gets its places.

    Returns TAG, NO_TAG, NEVER_CLOSED (`tag` holds the name and where the line or
    the limit ends), UNQUOTED (a name without a quoted value) or NEED_MORE (the
    buffer ends before this can be told).
    """
    limit = min(n, i + TAG_LIMIT)
    undecided = NO_TAG if final or i + TAG_LIMIT <= n else NEED_MORE
    k = i + 1
    while k < limit and CLASS[buf[k]] == BLANK:
        k += 1
    tag[NAME_FROM] = k
    while k < limit and CLASS[buf[k]] == NAME:
        k += 1
    tag[NAME_TO] = k
    while k < limit and CLASS[buf[k]] == BLANK:
        k += 1
    if k == limit:
        return undecided
    if tag[NAME_FROM] == tag[NAME_TO]:
        return NO_TAG
    if buf[k] != QUOTE:
        return UNQUOTED if tag[NAME_TO] < k else NO_TAG
    k += 1
    tag[VALUE_FROM] = k
    escaped = -1  # an escaped quote before a bracket: the end if there is no other
    escaped_end = -1
    while k < limit:
        c = buf[k]
        if not CLASS[c] & STOPS_VALUE:
            k += 1
        elif c == QUOTE:
            m = k + 1
            while m < limit and CLASS[buf[m]] == BLANK:
                m += 1
            if m == limit:
                k = limit
            elif buf[m] == CLOSE_TAG:
                tag[VALUE_TO] = k
                tag[TAG_END] = m + 1
                return TAG
            else:
                k += 1
        elif c == BACKSLASH:
            if k + 1 < limit and buf[k + 1] == QUOTE:
                if escaped < 0:
                    m = k + 2
                    while m < limit and CLASS[buf[m]] == BLANK:
                        m += 1
                    if m < limit and buf[m] == CLOSE_TAG:
                        escaped = k + 1
                        escaped_end = m + 1
                k += 2
            elif k + 1 < limit and buf[k + 1] == BACKSLASH:
                k += 2
            else:
                k += 1
        elif escaped >= 0:
            tag[VALUE_TO] = escaped
            tag[TAG_END] = escaped_end
            return TAG
        else:
            tag[TAG_END] = k
            return NEVER_CLOSED
    tag[TAG_END] = limit
    return NEVER_CLOSED if undecided == NO_TAG else NEED_MORE


@kernel
def same_name(buf: Bytes, start: int, wanted: Bytes, wanted_from: int, length: int) -> bool:
    """Whether the letters at `start` are those of a wanted name, in either case."""
    for k in range(length):  # noqa: SIM110 (compiled)
        if (buf[start + k] | 32) != wanted[wanted_from + k]:
            return False
    return True


@kernel
def next_in_movetext(buf: Bytes, i: int, n: int) -> int:
    """The next byte from `i` on that means anything in movetext: one of ``[ { ; %``."""
    while i + 32 <= n:
        block = buf[i : i + 32]
        hit = False
        for k in range(32):
            c = block[k]
            hit |= (c == OPEN_TAG) | (c == OPEN_BRACE) | (c == SEMICOLON) | (c == PERCENT)
        if hit:
            break
        i += 32
    while i < n:
        c = buf[i]
        if c == OPEN_TAG or c == OPEN_BRACE or c == SEMICOLON or c == PERCENT:
            break
        i += 1
    return i


@kernel
def next_in_comment(buf: Bytes, i: int, n: int, other: int) -> int:
    """The next ``}`` from `i` on, or the next byte `other`."""
    while i + 32 <= n:
        block = buf[i : i + 32]
        hit = False
        for k in range(32):
            c = block[k]
            hit |= (c == CLOSE_BRACE) | (c == other)
        if hit:
            break
        i += 32
    while i < n and buf[i] != CLOSE_BRACE and buf[i] != other:
        i += 1
    return i


@kernel
def count_lines(buf: Bytes, i: int, n: int) -> int:
    """Line ends from `i` to before `n`: LF, CR, and CR LF as one."""
    lines = 0
    while i + 64 <= n:
        block = buf[i : i + 65]
        here = np.uint8(0)
        for k in range(64):
            end = (block[k] == LF) | ((block[k] == CR) & (block[k + 1] != LF))
            here += np.uint8(end)
        lines += np.int64(here)
        i += 64
    while i < n:
        if buf[i] == LF or (buf[i] == CR and buf[i + 1] != LF):
            lines += 1
        i += 1
    return lines


@kernel
def starts_line(buf: Bytes, i: int, origin: int, before: int) -> bool:
    """Whether only blanks stand before `i` on its line; `before` says so of `origin`."""
    k = i - 1
    while k >= origin and CLASS[buf[k]] == BLANK:
        k -= 1
    if k < origin:
        return before != 0
    return CLASS[buf[k]] & NEWLINE != 0
