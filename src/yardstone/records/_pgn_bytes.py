"""Reading PGN byte by byte: where a tag ends, where the next tag may begin.

The small functions that `yardstone.records._pgn_scan` is made of. All positions
are places in one buffer of bytes; the byte before the first position and one
byte after the last may be looked at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from yardstone.kernels import bare_kernel, in_python

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Integers = NDArray[np.int64]

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
_NOT_BLANK = re.compile(rb"[^\x00-\x09\x0b\x0c\x0e-\x20\x7f]")
_NOT_NAME = re.compile(rb"[^A-Za-z0-9_+#=:-]")
_STOP_OF_VALUE = re.compile(rb'["\\\n\r]')
_IN_MOVETEXT = re.compile(rb"[\[{;%]")
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
NO_CASE = ~LOWER_CASE
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


@bare_kernel
def next_stop_of_value(buf: Bytes, i: int, n: int) -> int:
    """The next quote, backslash or line end from `i` on, or `n`."""
    while i + WORD <= n:
        word = word_at(buf, i)
        stops = _zero_bytes(word ^ QUOTES) | _zero_bytes(word ^ BACKSLASHES)
        stops |= _zero_bytes(word ^ LINE_FEEDS) | _zero_bytes(word ^ RETURNS)
        if stops & HIGH:
            break
        i += WORD
    while i < n and not class_at(buf, i) & STOPS_VALUE:
        i += 1
    return i


@in_python(next_stop_of_value)
def _next_stop_of_value(buf: Bytes, i: int, n: int) -> int:
    match = _STOP_OF_VALUE.search(buf.data, i, n)
    return n if match is None else match.start()


@bare_kernel
def next_in_movetext(buf: Bytes, i: int, n: int) -> int:
    """The next byte from `i` on that means anything in movetext: one of ``[ { ; %``."""
    while i + WORD <= n:
        word = word_at(buf, i)
        stops = _zero_bytes((word & NO_CASE) ^ BRACKETS)  # "[" and "{" differ in one bit
        stops |= _zero_bytes(word ^ SEMICOLONS) | _zero_bytes(word ^ PERCENTS)
        if stops & HIGH:
            break
        i += WORD
    while i < n and not class_at(buf, i) & STOPS_MOVETEXT:
        i += 1
    return i


@in_python(next_in_movetext)
def _next_in_movetext(buf: Bytes, i: int, n: int) -> int:
    match = _IN_MOVETEXT.search(buf.data, i, n)
    return n if match is None else match.start()


@bare_kernel
def next_in_comment(buf: Bytes, i: int, n: int, other: int) -> int:
    """The next ``}`` from `i` on, or the next byte `other`, or `n`."""
    others = ONES * np.uint64(other)
    while i + WORD <= n:
        word = word_at(buf, i)
        if (_zero_bytes(word ^ BRACES) | _zero_bytes(word ^ others)) & HIGH:
            break
        i += WORD
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


@in_python(after_blanks)
def _after_blanks(buf: Bytes, i: int, n: int) -> int:
    match = _NOT_BLANK.search(buf.data, i, n)
    return n if match is None else match.start()


@bare_kernel
def after_name(buf: Bytes, i: int, n: int) -> int:
    """The first place from `i` on that cannot be part of a tag's name, or `n`."""
    while i < n and class_at(buf, i) == NAME:
        i += 1
    return i


@in_python(after_name)
def _after_name(buf: Bytes, i: int, n: int) -> int:
    match = _NOT_NAME.search(buf.data, i, n)
    return n if match is None else match.start()


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
