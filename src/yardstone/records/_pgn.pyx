"""Read the tags of PGN byte by byte: where a tag ends, what it says, where the next game begins."""

cimport cython
from libc.string cimport memcmp, memcpy, strlen

import os
from itertools import pairwise

import numpy as np

cpdef enum:
    NAME_LIMIT = 4096  # the longest name of a player, in bytes
    COLUMN_MARK = 1  # the first byte of every column's value among the strings; no name begins so
    LOOK_BACK = 56  # so many bytes before those to be read are looked at
    LOOK_AHEAD = 1 << 18  # a brace that closes a comment is looked for so far behind a tag in it

#: Mixes the bits of hashes.
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
#: Kinds of problems; for the first four, White, Black and Result follow one another.
KINDS = (
    "no White tag",
    "no Black tag",
    "no Result tag",
    "malformed White tag",
    "malformed Black tag",
    "malformed Result tag",
    "White has no name",
    "Black has no name",
    "",
    "White's name is too long",
    "Black's name is too long",
    "",
    "unknown result",
    "unfinished (result *)",
    "comment never closed",
)

cdef enum:
    RESULT_WIDTH = 64  # so much of a result, and of the value of a column, is kept
    COLUMN_WIDTH = 256
    MARKED = LOOK_BACK - 24  # so far before a record another ends, whose last bytes are noted
    LONGEST_TAG = 1 << 16  # a tag longer than this is malformed
    GAMES = 1 << 15  # room for so many

cdef enum:
    MISSING = 0
    MALFORMED = 3
    EMPTY = 6
    TOO_LONG = 9
    BAD_RESULT = 12
    NO_RESULT_YET = 13
    OPEN_COMMENT = 14

cdef enum Mode:
    TEXT
    COMMENT
    REST_OF_LINE

cdef enum Status:
    NO_TAG
    TAG
    NEVER_CLOSED  # the name is known, and where the line or the limit ends
    UNQUOTED  # a name without a quoted value
    NEED_MORE  # the buffer ends before this can be told

cdef enum:
    WHITE = 0
    BLACK = 1
    RESULT = 2
    EVENT = 3
    COLUMN = 4  # the first
    NEEDED = 0b111  # of bits: White, Black and Result

cdef enum Outcome:
    LOSS
    DRAW
    WIN
    UNFINISHED
    UNKNOWN

cdef enum:
    BLANK = 1  # blanks and control characters
    NEWLINE = 2
    NAME = 4

cdef unsigned char[256] CLASS
cdef int _byte
for _byte in range(256):
    CLASS[_byte] = BLANK if _byte <= 32 or _byte == 127 else 0
for _byte in b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+#=:-":
    CLASS[_byte] = NAME
CLASS[c'\n'] = CLASS[c'\r'] = NEWLINE

cdef unsigned long long MIX = MULTIPLIER


@cython.final
cdef class Strings:
    """Distinct byte strings, numbered as they appear, in a table with open addressing.

    Nobody can foresee the hashes who does not know the seed, so that no file fills the table with
    strings of one hash.
    """

    cdef readonly Py_ssize_t count
    cdef unsigned long long seed
    cdef unsigned char[::1] arena
    cdef long long[::1] starts  # of each in the arena, and of the next one
    cdef unsigned long long[::1] hashes
    cdef int[::1] slots  # numbers from 1; 0 is free, which half of them are at least

    def __init__(self):
        self.seed = int.from_bytes(os.urandom(8), "little")
        self.arena = np.empty(1 << 16, np.uint8)
        self.starts = np.zeros(1, np.int64)
        self.hashes = np.empty(0, np.uint64)
        self.reserve(8192, 0)

    cdef bint has_room(self, Py_ssize_t strings, Py_ssize_t size) noexcept nogil:
        """Whether so many more strings fit, of so many bytes together."""
        return (
            self.count + strings <= self.hashes.shape[0]
            and self.starts[self.count] + size <= self.arena.shape[0]
        )

    cdef reserve(self, Py_ssize_t strings, Py_ssize_t size):
        """Make room for so many more strings of so many bytes together."""
        cdef Py_ssize_t number, need = self.starts[self.count] + size
        if need > self.arena.shape[0]:
            self.arena = grown(self.arena, max(need, 2 * self.arena.shape[0]))
        need = self.count + strings
        if need > self.hashes.shape[0]:
            need = 1 << int(need).bit_length()
            self.hashes, self.starts = grown(self.hashes, need), grown(self.starts, need + 1)
            self.slots = np.zeros(2 * need, np.int32)
            for number in range(self.count):
                self.slots[self.slot_of(NULL, 0, self.hashes[number])] = number + 1

    cdef Py_ssize_t slot_of(
        self, const unsigned char* text, Py_ssize_t length, unsigned long long hash
    ) noexcept nogil:
        """Where the number of a string stands, or the free slot for it; NULL equals no other."""
        cdef Py_ssize_t mask = self.slots.shape[0] - 1, number, start
        cdef Py_ssize_t slot = <Py_ssize_t>(hash & <unsigned long long>mask)
        while self.slots[slot] != 0:
            number = self.slots[slot] - 1
            start = self.starts[number]
            if (
                text != NULL
                and self.hashes[number] == hash
                and self.starts[number + 1] - start == length
                and memcmp(&self.arena[start], text, length) == 0
            ):
                break
            slot = (slot + 1) & mask
        return slot

    cdef int number(self, const unsigned char* text, Py_ssize_t length) noexcept nogil:
        """The number of a string, which is added if it is new; there must be room for it."""
        cdef unsigned long long hash = self.hash_of(text, length)
        cdef Py_ssize_t slot = self.slot_of(text, length, hash), start = self.starts[self.count]
        if self.slots[slot] == 0:
            memcpy(&self.arena[start], text, length)
            self.hashes[self.count] = hash
            self.count += 1
            self.starts[self.count] = start + length
            self.slots[slot] = self.count
        return self.slots[slot] - 1

    cdef unsigned long long hash_of(
        self, const unsigned char* text, Py_ssize_t length
    ) noexcept nogil:
        cdef unsigned long long value = self.seed ^ <unsigned long long>length, word
        cdef Py_ssize_t k = 0
        while k < length:
            word = 0
            memcpy(&word, text + k, min(length - k, 8))
            value = (value ^ word) * MIX
            value ^= value >> 32
            k += 8
        value *= MIX
        return value ^ (value >> 32)

    def strings(self):
        """All strings, by number."""
        whole = np.asarray(self.arena)[: self.starts[self.count]].tobytes()
        ends = np.asarray(self.starts)[: self.count + 1].tolist()
        return [whole[a:b] for a, b in pairwise(ends)]


def grown(array, size):
    larger = np.zeros(size, np.asarray(array).dtype)
    larger[: len(array)] = array
    return larger


cdef struct Tag:
    Py_ssize_t name, name_end, value, value_end, end


@cython.final
cdef class Scanner:
    """Reads the games of PGN files from their tags, buffer by buffer; see `scan`.

    The values of `tags`, names in small letters, are kept as columns of codes: numbers of strings.
    With `lines`, so is the line at which each game begins, and with `marked` three numbers: where
    in the file that is, where the record before it ends, and the last bytes of that. Of so many
    problems of a file `details` are kept.

    Attributes:
        full: Whether there was no room for another game.
        any_tag: Whether a tag stands in the file.
        line: The line that was read last.
    """

    cdef readonly bint full, any_tag
    cdef readonly long long line
    # the buffer that is read
    cdef unsigned char[::1] buf
    cdef Py_ssize_t origin, counted  # where reading began, and to where lines are counted
    cdef Py_ssize_t brace  # the next one behind a tag in a comment
    cdef Tag tag  # the last one
    cdef bint need_more  # to tell what stands here
    # the file
    cdef Mode mode
    cdef bint line_blank, line_start  # only blanks so far on the line, and before `origin` on its
    cdef unsigned long long before  # bytes before the buffer
    cdef Py_ssize_t comment_at
    cdef long long comment_line  # 0 while it is not counted
    # the open game
    cdef bint open
    cdef bint adjacent, blank_since  # two of its tags without a blank line, one behind the last
    cdef bint broken  # the tag before this place broke off
    cdef int seen, malformed  # bits, by tag
    cdef Outcome outcome
    cdef long long game_line
    cdef Py_ssize_t[3] length
    cdef unsigned char[:, ::1] name
    cdef unsigned char[::1] result
    cdef unsigned char[:, ::1] column
    cdef long long[::1] column_length
    cdef unsigned long long[3] mark
    # the tags that count, by number
    cdef Py_ssize_t event
    cdef const unsigned char[::1] letters
    cdef const long long[::1] letters_from
    # the games
    cdef bint marked
    cdef Strings known  # names of players, and values of tags behind a `COLUMN_MARK`
    cdef Py_ssize_t count
    cdef int[:, ::1] pairs, codes
    cdef signed char[::1] outcomes
    cdef long long[::1] lines
    cdef unsigned long long[:, ::1] marks
    # what was wrong
    cdef Py_ssize_t reported, detailed  # of the file: by `scan` before, and by this one too
    cdef long long[::1] problem_counts
    cdef long long[:, ::1] details
    cdef unsigned char[:, ::1] texts

    def __init__(self, tags, Py_ssize_t details, bint lines, bint marked):
        width = len(tags)
        names = ["white", "black", "result", "event", *tags]
        self.event = max(which for which, name in enumerate(names) if name == "event")
        letters = [name.encode() for name in names]
        self.letters = np.frombuffer(b"".join(letters), np.uint8) | np.uint8(32)
        self.letters_from = np.cumsum([0, *map(len, letters)], dtype=np.int64)
        self.known = Strings()
        self.name = np.zeros((2, NAME_LIMIT), np.uint8)
        self.result = np.zeros(RESULT_WIDTH, np.uint8)
        self.column = np.zeros((width, COLUMN_WIDTH), np.uint8)
        self.column_length = np.zeros(width, np.int64)
        self.marked = marked
        self.pairs = np.empty((GAMES, 2), np.int32)
        self.outcomes = np.empty(GAMES, np.int8)
        self.codes = np.empty((GAMES, width), np.int32)
        self.lines = np.empty(GAMES if lines else 0, np.int64)
        self.marks = np.empty((GAMES if marked else 0, 3), np.uint64)
        self.problem_counts = np.zeros(len(KINDS), np.int64)
        self.details = np.empty((details, 3), np.int64)
        self.texts = np.empty((details, RESULT_WIDTH), np.uint8)

    def begin(self):
        """Begin a file."""
        self.mode, self.open, self.any_tag, self.broken = TEXT, False, False, False
        self.line = self.line_blank = self.line_start = 1
        self.before = self.reported = self.detailed = 0

    def scan(self, unsigned char[::1] buf, Py_ssize_t start, Py_ssize_t end, bint final):
        """Read `buf` from `start` to before `end`, and return how far it was read.

        What stands behind that must be given again, with more behind it unless the scanner is
        `full`. In `buf`, the `LOOK_BACK` bytes before `start` must be those read last, and
        there must be one at `end`, which is changed. What was read is what `games` and `problems`
        give.
        """
        if not LOOK_BACK <= start <= end < buf.shape[0]:
            raise ValueError("no room around what is to be read")
        cdef Py_ssize_t width = self.column.shape[0]
        self.known.reserve(1024 + width, 4 * (2 * NAME_LIMIT + width * COLUMN_WIDTH))
        self.count, self.reported = 0, self.detailed
        self.problem_counts[:] = 0
        self.buf = buf
        self.buf[end] = 0
        with nogil:
            start = self.read(start, end, final)
        return start

    def games(self):
        """Of the games read by `scan`: pairs, outcomes (half points), codes, lines and marks."""
        columns = [self.pairs, self.outcomes, self.codes, self.lines, self.marks]
        return [np.asarray(column)[: self.count].copy() for column in columns]

    def last_marks(self):
        """The marks that another record at the end of the file would have."""
        return np.array([self.mark], np.uint64)

    def strings(self):
        """The strings by number: names, and values of tags behind a `COLUMN_MARK`."""
        return self.known.strings()

    def problems(self):
        """How often each of `KINDS`, and the file's first ones: kind, line, length and result."""
        part = slice(self.reported, self.detailed)
        found = zip(np.asarray(self.details)[part].tolist(), np.asarray(self.texts)[part])
        details = [(*detail, text[: detail[2]].tobytes()) for detail, text in found]
        return np.asarray(self.problem_counts), details

    cdef Py_ssize_t read(self, Py_ssize_t start, Py_ssize_t n, bint final) noexcept nogil:
        cdef Py_ssize_t i = start
        self.origin = self.counted = start
        self.brace = -1
        self.full = self.need_more = False
        if not final and n > i and self.buf[n - 1] == c'\r':
            n -= 1  # what follows decides whether this is one line end or half of one
        while i < n and not self.full and not self.need_more:
            if self.mode == COMMENT:
                i = self.read_comment(i, n, final)
            elif self.mode == TEXT:
                i = self.read_text(i, n, final)
            else:
                i = self.find(i, n, c'\n', c'\r', c'\n', c'\r')
                if i < n:
                    self.mode = TEXT
        if final and i >= n:
            if self.mode == COMMENT:
                self.close_comment()
            if self.open:
                self.finish_game()
        if self.mode == COMMENT and self.comment_line == 0:
            self.comment_line = self.line_at(self.comment_at)
        self.line_at(i)
        self.line_start = self.starts_line(i)
        if self.marked and final and not self.full:
            self.mark_start(i)
        self.before += <unsigned long long>(i - start)
        return i

    cdef Py_ssize_t read_comment(self, Py_ssize_t i, Py_ssize_t n, bint final) noexcept nogil:
        """Read on inside a comment, to its end or a tag, and return how far."""
        cdef Py_ssize_t until
        cdef Status status
        while True:
            i = self.after(BLANK, i, n)
            if i < n and self.buf[i] == c'[' and self.starts_line(i):
                break
            i = self.find(i, n, c'}', c'\n', c'\r', c'\r')
            if i >= n:
                return n
            i += 1
            if self.buf[i - 1] == c'}':
                self.mode = TEXT
                return i
        status = self.parse_tag(i, n, final)
        if status == NEED_MORE:
            self.need_more = True
            return i
        if status == TAG or status == NEVER_CLOSED:
            until = min(n, i + LOOK_AHEAD)
            if self.brace < i:
                self.brace = self.find(i, until, c'}', c'{', c'}', c'{')
            if self.brace >= until and not (final or i + LOOK_AHEAD <= n):
                self.need_more = True
                return i
            if self.brace >= until or self.buf[self.brace] == c'{':
                self.close_comment()
                return i
        return i + 1

    cdef Py_ssize_t read_text(self, Py_ssize_t i, Py_ssize_t n, bint final) noexcept nogil:
        """Read a tag, a line end or other text, and return how far."""
        cdef unsigned char c, kind
        cdef Status status
        cdef int which
        if not self.open:
            i = self.find(i, n, c'[', c'{', c';', c'%')
            if i >= n:
                return n
        c = self.buf[i]
        kind = CLASS[c]
        if kind == NEWLINE:
            if self.line_blank:
                self.blank_since = True
                if self.adjacent and self.seen & NEEDED:
                    self.finish_game()
            self.line_blank = True
            return i + 2 if c == c'\r' and i + 1 < n and self.buf[i + 1] == c'\n' else i + 1
        if kind == BLANK:
            return i + 1
        if c == c'[':
            status = self.parse_tag(i, n, final)
            if status == NEED_MORE:
                self.need_more = True
                return i
            if status == TAG or status == NEVER_CLOSED:
                return self.tag.end if self.take_tag(i, status) else i
            if status != TAG and self.open and self.line_blank and (
                status == UNQUOTED or not self.blank_since
            ):
                which = self.which_tag() if status == UNQUOTED else -1
                if WHITE <= which <= RESULT:
                    self.malformed |= 1 << which
                return self.broken_off(i, n, final)
        self.line_blank = False
        if c == c'{':
            self.mode = COMMENT
            self.comment_at, self.comment_line = i, 0
        elif c == c';' or (c == c'%' and CLASS[self.buf[i - 1]] == NEWLINE):
            self.mode = REST_OF_LINE
        elif self.open:
            self.finish_game()
        return i + 1

    cdef Py_ssize_t broken_off(self, Py_ssize_t i, Py_ssize_t n, bint final) noexcept nogil:
        """Leave the rest of a line that begins as a tag, up to a whole tag within it."""
        cdef Py_ssize_t k = self.find(i + 1, n, c'[', c'\n', c'\r', c'[')
        cdef Status status
        while k < n and self.buf[k] == c'[':
            status = self.parse_tag(k, n, final)
            if status == NEED_MORE:
                self.need_more = True
                return i
            if status == TAG:
                self.broken = True
                return k
            if status == NEVER_CLOSED:  # to look on would take time without end
                break
            k = self.find(k + 1, n, c'[', c'\n', c'\r', c'[')
        self.line_blank = False
        self.mode = REST_OF_LINE
        return i

    cdef bint take_tag(self, Py_ssize_t i, Status status) noexcept nogil:
        """Add a tag to its game, which it may begin; false if there is no room for that."""
        cdef int which = self.which_tag()
        cdef Py_ssize_t width = self.column.shape[0]
        if self.open and self.begins_another(which):
            self.finish_game()
        elif self.open and not self.blank_since:
            self.adjacent = True
        if not self.open:
            if self.count >= GAMES or not self.known.has_room(
                2 + width, 2 * NAME_LIMIT + width * COLUMN_WIDTH
            ):
                self.full = True
                return False
            self.open = self.any_tag = True
            self.seen = self.malformed = self.adjacent = 0
            self.column_length[:] = 0
            if self.marked:
                self.mark_start(i)
            self.game_line = self.line_at(i)
        self.blank_since = self.line_blank = self.broken = False
        if status == NEVER_CLOSED:
            self.broken = self.buf[self.tag.end] == c'['
            if not self.broken:
                self.mode = REST_OF_LINE
            if WHITE <= which <= RESULT:
                self.malformed |= 1 << which
        elif which >= WHITE and which != EVENT:
            self.keep_value(which)
        if which == self.event:
            self.seen |= 1 << EVENT
        return True

    cdef Status parse_tag(self, Py_ssize_t i, Py_ssize_t n, bint final) noexcept nogil:
        """What stands at the ``[`` at `i`; of a tag, `tag` gets the places."""
        cdef Py_ssize_t limit = min(n, i + LONGEST_TAG), k, m
        cdef Py_ssize_t escaped = -1, escaped_end = -1  # a quote that ends it if no other does
        cdef Status undecided = NO_TAG if final or i + LONGEST_TAG <= n else NEED_MORE
        cdef unsigned char c
        self.tag.name = self.after(BLANK, i + 1, limit)
        self.tag.name_end = self.after(NAME, self.tag.name, limit)
        k = self.after(BLANK, self.tag.name_end, limit)
        if k >= limit:
            return undecided
        if self.tag.name == self.tag.name_end:
            return NO_TAG
        if self.buf[k] != c'"':
            return UNQUOTED if self.tag.name_end < k else NO_TAG
        k += 1
        if self.tag.name_end == k - 1 and k < limit and self.buf[k] == c'"':
            m = self.after(BLANK, k + 1, limit)  # [White""X"]: whose is the quote?
            if m >= limit:
                return undecided
            if self.buf[m] != c']':
                return UNQUOTED
        self.tag.value = k
        while True:
            k = self.find(k, limit, c'"', c'\\', c'\n', c'\r')
            if k >= limit:
                self.tag.end = limit
                return NEVER_CLOSED if undecided == NO_TAG else NEED_MORE
            c = self.buf[k]
            if c == c'"':
                m = self.after(BLANK, k + 1, limit)
                if m >= limit:
                    k = limit
                elif self.buf[m] == c']':
                    self.tag.value_end, self.tag.end = k, m + 1
                    return TAG
                else:
                    self.tag.end = self.tag_before(k, self.tag.value)
                    if self.tag.end >= 0:
                        return NEVER_CLOSED
                    k += 1
            elif c == c'\\':
                k += 1
                if k < limit and self.buf[k] == c'"':
                    m = self.after(BLANK, k + 1, limit)
                    if escaped < 0 and m < limit and self.buf[m] == c']':
                        escaped, escaped_end = k, m + 1
                    k += 1
                elif k < limit and self.buf[k] == c'\\':
                    k += 1
            elif escaped >= 0:
                self.tag.value_end, self.tag.end = escaped, escaped_end
                return TAG
            else:
                self.tag.end = k
                return NEVER_CLOSED

    cdef Py_ssize_t tag_before(self, Py_ssize_t k, Py_ssize_t start) noexcept nogil:
        """Where the tag begins whose value the quote at `k` opens, or -1 if there is none."""
        cdef Py_ssize_t m = k - 1, end
        while m > start and CLASS[self.buf[m]] == BLANK:
            m -= 1
        end = m
        while m > start and CLASS[self.buf[m]] == NAME:
            m -= 1
        return m if start <= m < end < k - 1 and self.buf[m] == c'[' else -1

    cdef int which_tag(self) noexcept nogil:
        """WHITE, BLACK, RESULT, EVENT, COLUMN and further, or -1; an Event may be a column."""
        cdef Py_ssize_t length = self.tag.name_end - self.tag.name, start, k
        cdef int which
        for which in range(<int>self.letters_from.shape[0] - 2, -1, -1):
            start = self.letters_from[which]
            if self.letters_from[which + 1] - start == length:
                k = 0
                while k < length and self.buf[self.tag.name + k] | 32 == self.letters[start + k]:
                    k += 1
                if k == length:
                    return which
        return -1

    cdef bint begins_another(self, int which) noexcept nogil:
        """Whether a tag is one of another game.

        Behind a blank line that is an Event, or a tag seen before. Without one the game was cut:
        it is an Event seen before, or behind a tag that broke off, or where the game has all that
        it needs a White, or an Event within a line.
        """
        cdef int known = self.seen | self.malformed
        if not self.blank_since:
            if which == self.event:
                if not self.line_blank and known & NEEDED == NEEDED:
                    return True
                return (self.broken or known >> EVENT & 1) and known & NEEDED != 0
            return which == WHITE and known & NEEDED == NEEDED
        if which >= COLUMN and self.column_length[which - COLUMN] > 0:
            return True
        return which == self.event or (WHITE <= which <= EVENT and self.seen >> which & 1)

    cdef void keep_value(self, int which) noexcept nogil:
        """Copy the value of a tag that matters, without blanks around it."""
        cdef Py_ssize_t start = self.tag.value, end = self.tag.value_end, length
        while start < end and CLASS[self.buf[start]] == BLANK:
            start += 1
        while end > start and CLASS[self.buf[end - 1]] == BLANK:
            end -= 1
        length = end - start
        if which >= COLUMN:
            which -= COLUMN
            length = min(length, COLUMN_WIDTH - 1)
            self.column[which, 0] = COLUMN_MARK
            memcpy(&self.column[which, 1], &self.buf[start], length)
            self.column_length[which] = length + 1 if length else 0
            return
        self.seen |= 1 << which
        self.length[which] = length
        if which == RESULT:
            memcpy(&self.result[0], &self.buf[start], min(length, RESULT_WIDTH))
            self.outcome = outcome_of(&self.buf[start], length)
        else:
            memcpy(&self.name[which, 0], &self.buf[start], min(length, NAME_LIMIT))

    cdef int problem(self) noexcept nogil:
        """What is wrong with the open game: a kind of problem, or -1."""
        cdef int which
        for which in range(3):
            if self.malformed >> which & 1:
                return MALFORMED + which
        for which in range(3):
            if not self.seen >> which & 1:
                return MISSING + which
        for which in range(2):
            if self.length[which] == 0:
                return EMPTY + which
            if self.length[which] > NAME_LIMIT:
                return TOO_LONG + which
        return BAD_RESULT if self.outcome == UNKNOWN else -1

    cdef void finish_game(self) noexcept nogil:
        """Complete the open game: note it, or report what is wrong with it."""
        cdef int kind = self.problem()
        cdef Py_ssize_t which, game = self.count
        self.open = False
        if kind < 0:
            for which in range(2):
                self.pairs[game, which] = self.known.number(
                    &self.name[which, 0], self.length[which]
                )
            if self.outcome == UNFINISHED:
                kind = NO_RESULT_YET
        if TOO_LONG <= kind <= BAD_RESULT:
            self.report(kind, self.game_line, self.length[min(kind - TOO_LONG, RESULT)])
        elif kind >= 0:
            self.report(kind, self.game_line, 0)
        else:
            self.outcomes[game] = self.outcome
            for which in range(self.column.shape[0]):
                self.codes[game, which] = -1 if self.column_length[which] == 0 else (
                    self.known.number(&self.column[which, 0], self.column_length[which])
                )
            if self.lines.shape[0]:
                self.lines[game] = self.game_line
            if self.marked:
                for which in range(3):
                    self.marks[game, which] = self.mark[which]
            self.count += 1

    cdef void close_comment(self) noexcept nogil:
        """End a comment that was never closed, and report it."""
        self.mode = TEXT
        self.report(OPEN_COMMENT, self.comment_line or self.line_at(self.comment_at), 0)

    cdef void report(self, int kind, long long line, long long length) noexcept nogil:
        """Count a problem, and keep its details while there is room."""
        self.problem_counts[kind] += 1
        if self.detailed < self.details.shape[0]:
            self.details[self.detailed, 0] = kind
            self.details[self.detailed, 1] = line
            self.details[self.detailed, 2] = length
            memcpy(&self.texts[self.detailed, 0], &self.result[0], RESULT_WIDTH)
            self.detailed += 1

    cdef void mark_start(self, Py_ssize_t i) noexcept nogil:
        """Note where a record begins, and how the one before ends; blank lines are of neither."""
        cdef Py_ssize_t end = i
        while end > i - MARKED and self.buf[end - 1] <= 32:
            end -= 1
        self.mark[0] = self.before + <unsigned long long>(i - self.origin)
        self.mark[1] = self.mark[0] - <unsigned long long>(i - end)
        self.mark[2] = self.word_at(end - 8) ^ (self.word_at(end - 16) * MIX)
        self.mark[2] ^= self.word_at(end - 24) * (MIX ^ self.mark[2])

    cdef unsigned long long word_at(self, Py_ssize_t i) noexcept nogil:
        """The eight bytes from `i` on as one number."""
        cdef unsigned long long word
        memcpy(&word, &self.buf[i], 8)
        return word

    cdef long long line_at(self, Py_ssize_t i) noexcept nogil:
        """The line of place `i`; may only be asked for growing places."""
        cdef Py_ssize_t k
        cdef long long ends = 0  # LF, CR, and CR LF as one
        for k in range(self.counted, i):
            ends += (self.buf[k] == c'\n') | ((self.buf[k] == c'\r') & (self.buf[k + 1] != c'\n'))
        self.line += ends
        self.counted = max(self.counted, i)
        return self.line

    cdef bint starts_line(self, Py_ssize_t i) noexcept nogil:
        """Whether only blanks stand before `i` on its line."""
        while i > self.origin and CLASS[self.buf[i - 1]] == BLANK:
            i -= 1
        return CLASS[self.buf[i - 1]] == NEWLINE if i > self.origin else self.line_start

    cdef inline Py_ssize_t after(self, int kind, Py_ssize_t i, Py_ssize_t n) noexcept nogil:
        """The first place from `i` on that is not of this kind, or `n`."""
        while i < n and CLASS[self.buf[i]] == kind:
            i += 1
        return i

    cdef inline Py_ssize_t find(
        self, Py_ssize_t i, Py_ssize_t n,
        unsigned char one, unsigned char two, unsigned char three, unsigned char four,
    ) noexcept nogil:
        """The first place from `i` on of one of four bytes, or `n`."""
        cdef unsigned char c
        cdef unsigned long long word
        while i + 8 <= n:
            word = self.word_at(i)
            if has(word, one) | has(word, two) | has(word, three) | has(word, four):
                break
            i += 8
        while i < n:
            c = self.buf[i]
            if c == one or c == two or c == three or c == four:
                break
            i += 1
        return i


cdef inline unsigned long long has(unsigned long long word, unsigned char c) noexcept nogil:
    """Not 0 if one of the eight bytes of a word is `c`."""
    cdef unsigned long long x = word ^ c * 0x0101010101010101ULL
    return (x - 0x0101010101010101ULL) & ~x & 0x8080808080808080ULL


cdef Outcome outcome_of(const unsigned char* text, Py_ssize_t length) noexcept nogil:
    """The result that a text says."""
    if same(text, length, b"1-0"):
        return WIN
    if same(text, length, b"0-1"):
        return LOSS
    if same(text, length, b"1/2-1/2") or same(text, length, b"=-="):
        return DRAW
    return UNFINISHED if same(text, length, b"*") else UNKNOWN


cdef inline bint same(
    const unsigned char* text, Py_ssize_t length, const char* other
) noexcept nogil:
    return length == <Py_ssize_t>strlen(other) and memcmp(text, other, length) == 0
