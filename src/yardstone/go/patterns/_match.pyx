"""From the moves of a game to its events: which points change, and to what; and the search."""

from libc.string cimport memcpy

import numpy as np

from yardstone.go._board cimport (
    BLACK,
    EMPTY,
    PASS,
    POINTS,
    Key,
    Move,
    Position,
    Stones,
    can_be_played,
    play,
)

#: `BEGINS` is the bit of an event that begins a move; the other events of a move are captures.
#: `CODE` are the other bits: colour times area plus point, or from three times the area on a pass.
cpdef enum:
    BEGINS = 0x8000
    CODE = 0x7FFF

#: Columns of a match: the game, the placement, and the number of moves played before the
#: first and before the last of the positions in which it stands.
cpdef enum:
    GAME
    PLACEMENT
    FIRST
    LAST
    MATCH  # how many columns there are

#: What `search` returns if the events are not what they should be.
cpdef enum:
    DAMAGED = -1


def write_events(
    Position position, const int[::1] moves, const int[::1] colours, unsigned short[::1] events
):
    """Write the stones set up on a board, then what each move changes.

    Returns the number of events, and of the moves that could be played: behind an
    illegal one there are none. `events` has room for every stone set up, every move,
    and a capture of every stone.
    """
    cdef Stones* board = &position.stones
    cdef Py_ssize_t played = 0, number = 0
    cdef int point
    with nogil:
        for point in range(board.area):
            if board.colour[point] != EMPTY:
                events[number] = board.colour[point] * board.area + point
                number += 1
        for played in range(moves.shape[0]):
            if not can_be_played(board, moves[played], colours[played]):
                break
            number += write_move(board, moves[played], colours[played], &events[number])
        else:
            played = moves.shape[0]
    return number, played


cdef int write_move(Stones* board, int point, int colour, unsigned short* events) noexcept nogil:
    """Play a move, or pass, and write its events; returns their number."""
    cdef unsigned char[POINTS] before
    cdef Move move
    cdef int other, number = 1
    if point == PASS:
        board.ko = -1
        events[0] = BEGINS | (3 * board.area + colour - BLACK)
        return number
    events[0] = BEGINS | (colour * board.area + point)
    memcpy(before, board.colour, sizeof(before))
    play(board, point, colour, &move)
    if move.captured or move.suicide >= 0:
        for other in range(board.area):
            if board.colour[other] == EMPTY and (before[other] != EMPTY or other == point):
                events[number] = other
                number += 1
    return number


def mark_stones(
    const unsigned short[::1] events, const long long[::1] starts, long long first, int area,
    Key[:, ::1] bits,
):
    """Set the bit of each stone that ever stood in a game; `first` is the number of the first."""
    cdef Py_ssize_t game, k, word
    cdef int code
    cdef Key mark
    with nogil:
        for game in range(starts.shape[0] - 1):
            word, mark = (first + game) // 64, <Key>1 << ((first + game) % 64)
            for k in range(starts[game], starts[game + 1]):
                code = events[k] & CODE
                if area <= code < 3 * area:
                    bits[word, code - area] |= mark


def search(words, indexed, placed, int[:, ::1] matches):
    """Look for `PlacedPatterns` in the games of the words from the first to before the last.

    `indexed` are `IndexedGames`; `matches` int32 [room, MATCH] takes the matches. Returns the word
    that was reached (less than the last if there was no more room, and `DAMAGED` if the events are
    none), and the number of matches.
    """
    cdef Search searched = Search(indexed, placed, matches)
    cdef Py_ssize_t first = words[0], last = words[1], reached
    with nogil:
        reached = searched.search_words(first, last)
    return reached, searched.number


cdef struct Change:
    int time, colour


cdef class Search:
    cdef const Key[:, ::1] bits
    cdef const unsigned short[::1] events
    cdef const long long[::1] starts
    cdef Py_ssize_t longest
    cdef int area
    cdef const short[::1] points, columns
    cdef const unsigned char[::1] colours
    cdef const int[::1] placement, column_start
    cdef Key[::1] candidates  # of each placement, in a word
    cdef int[:, ::1] matches
    cdef Py_ssize_t number  # of matches
    # The changes of a game by point, the first of which is the board as it was set up, at time 0;
    # and for each point of a placement, counted from its first, a change that is not too late.
    cdef Change* changes
    cdef object memory
    cdef int[POINTS] at, cursor

    def __init__(self, indexed, placed, int[:, ::1] matches):
        self.bits, self.events, self.starts, self.longest = indexed
        self.points, self.colours, self.placement, self.columns, self.column_start = placed
        self.area, self.matches = self.bits.shape[1] // 2, matches
        self.candidates = np.zeros(len(self.placement) - 1, np.uint64)
        self.memory = np.zeros((self.longest + self.area + 1) * sizeof(Change), np.uint8)
        cdef unsigned char[::1] memory = self.memory
        self.changes = <Change*>&memory[0]

    cdef Py_ssize_t search_words(self, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
        """The word that was reached."""
        cdef Py_ssize_t word, game, k, before
        cdef int bit, moves
        cdef Key union
        for word in range(first, last):
            before = self.number
            union = self.find_candidates(word)
            for bit in range(64):
                game = 64 * word + bit
                if not union >> bit & 1 or game >= self.starts.shape[0] - 1:
                    continue
                moves = self.sort_changes(game)
                if moves < 0:
                    return DAMAGED
                for k in range(self.candidates.shape[0]):
                    if self.candidates[k] >> bit & 1 and not self.search_game(game, k, moves):
                        self.number = before
                        return word
        return last

    cdef Key find_candidates(self, Py_ssize_t word) noexcept nogil:
        """Mark the games that have all stones of each placement, and return those of any."""
        cdef Py_ssize_t k, column
        cdef Key union = 0, both
        for k in range(self.candidates.shape[0]):
            both = ~<Key>0
            for column in range(self.column_start[k], self.column_start[k + 1]):
                both &= self.bits[word, self.columns[column]]
                if both == 0:
                    break
            self.candidates[k] = both
            union |= both
        return union

    cdef int sort_changes(self, Py_ssize_t game) noexcept nogil:
        """Sort the changes of a game by point; returns its moves, -1 for events that are none."""
        cdef Py_ssize_t k, start = self.starts[game], end = self.starts[game + 1]
        cdef int point, code, colour, number, total = 0, now = 0, area = self.area
        if end - start > self.longest:
            return -1
        for point in range(area + 1):
            self.at[point], self.cursor[point] = 1, 0
        for k in range(start, end):
            now += self.events[k] >> 15
            code = self.events[k] & CODE
            if code < 3 * area:
                point = code - area * ((code >= area) + (code >= 2 * area))
                if self.cursor[point] != now:
                    self.cursor[point] = now
                    self.at[point] += 1
            elif code > 3 * area + 1:
                return -1
        for point in range(area):
            number = self.at[point]
            self.at[point] = self.cursor[point] = total
            self.changes[total] = Change(0, EMPTY)
            total += number
        self.at[area] = total
        now = 0
        for k in range(start, end):
            now += self.events[k] >> 15
            code = self.events[k] & CODE
            if code < 3 * area:
                colour = (code >= area) + (code >= 2 * area)
                point = code - area * colour
                if self.changes[self.cursor[point]].time != now:
                    self.cursor[point] += 1
                self.changes[self.cursor[point]] = Change(now, colour)
        return now

    cdef bint search_game(self, Py_ssize_t game, Py_ssize_t k, int moves) noexcept nogil:
        """Find where a placement stands in the game whose changes are sorted; whether there was
        room for all."""
        cdef Py_ssize_t first = self.placement[k], last = self.placement[k + 1], place
        cdef int time = 0, end
        for place in range(first, last):
            self.cursor[place - first] = self.at[self.points[place]]
        while time <= moves:
            time = self.next_time(first, last, time)
            if time < 0:
                break
            if self.number == self.matches.shape[0]:
                return False
            end = self.last_time(first, last, moves)
            self.matches[self.number, GAME], self.matches[self.number, PLACEMENT] = game, k
            self.matches[self.number, FIRST], self.matches[self.number, LAST] = time, end
            self.number += 1
            time = end + 1
        return True

    cdef int next_time(self, Py_ssize_t first, Py_ssize_t last, int time) noexcept nogil:
        """The first time from `time` on at which all points are as they may be, or -1."""
        cdef const Change* changes = self.changes
        cdef Py_ssize_t place = first, right = 0
        cdef int k, end, allowed
        while right < last - first:
            allowed = self.colours[place]
            k = self.cursor[place - first]
            end = self.at[self.points[place] + 1]
            while k + 1 < end and changes[k + 1].time <= time:
                k += 1
            if allowed >> changes[k].colour & 1:
                right += 1
            else:
                k += 1
                while k < end and not allowed >> changes[k].colour & 1:
                    k += 1
                if k == end:
                    return -1
                time = changes[k].time
                right = 1
            self.cursor[place - first] = k
            place = place + 1 if place + 1 < last else first
        return time

    cdef int last_time(self, Py_ssize_t first, Py_ssize_t last, int moves) noexcept nogil:
        """The last time at which all points are still as they may be, from where the cursor is."""
        cdef const Change* changes = self.changes
        cdef Py_ssize_t place
        cdef int k, end, time = moves
        for place in range(first, last):
            k = self.cursor[place - first] + 1
            end = self.at[self.points[place] + 1]
            while k < end and self.colours[place] >> changes[k].colour & 1:
                k += 1
            if k < end:
                time = min(time, changes[k].time - 1)
        return time
