"""From the moves of a game to its events: which points change, and to what."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Ints, Longs
from yardstone.go._board import COLOUR, HEAD, KO, LIBS, META, can_be_played, play
from yardstone.go.points import BLACK, PASS, WHITE
from yardstone.kernels import bare_kernel, kernel

Events = NDArray[np.uint16]


@bare_kernel
def write_events(
    board: Ints,
    near: Ints,
    moves: Ints,
    colours: Ints,
    log: Ints,
    events: Events,
) -> tuple[int, int]:
    """Write the stones set up on `board`, then what each move changes.

    Returns the number of events, and of the moves that could be played: behind an
    illegal one there are none. `events` has room for every stone set up, every move,
    and a capture of every stone.
    """
    area = len(near) - 1
    number = 0
    for point in range(area):
        if board[COLOUR, point] != 0:
            events[number] = board[COLOUR, point] * area + point
            number += 1
    for played in range(len(moves)):
        move = moves[played]
        colour = colours[played]
        if not can_be_played(board, near, move, colour):
            return number, played
        if move == PASS:
            board[META, KO] = -1
            events[number] = BEGINS | (3 * area + colour - BLACK)
            number += 1
            continue
        events[number] = BEGINS | (colour * area + move)
        number += 1
        if not _touches_atari(board, near, move):
            play(board, near, move, colour, log, 0)
            continue
        before = number
        for point in range(area):  # remember where stones are ...
            if board[COLOUR, point] != 0 or point == move:
                events[number] = point
                number += 1
        play(board, near, move, colour, log, 0)
        kept = before
        for k in range(before, number):  # ... and keep those that are gone
            if board[COLOUR, events[k]] == 0:
                events[kept] = events[k]
                kept += 1
        number = kept
    return number, len(moves)


@bare_kernel
def _touches_atari(board: Ints, near: Ints, point: int) -> bool:
    """Whether a chain around a point has one liberty: only then can a move take stones off."""
    for side in range(4):
        other = near[point, side]
        there = board[COLOUR, other]
        if there in (BLACK, WHITE) and board[LIBS, board[HEAD, other]] == 1:
            return True
    return False


@bare_kernel
def mark_stones(
    events: Events, starts: Longs, first: int, area: int, bits: NDArray[np.uint64]
) -> None:
    """Set the bit of each stone that ever stood in a game; `first` is the number of the first."""
    for game in range(len(starts) - 1):
        word, bit = divmod(first + game, 64)
        mark = np.uint64(1) << np.uint64(bit)
        for k in range(starts[game], starts[game + 1]):
            code = int(events[k] & CODE)
            if area <= code < 3 * area:
                bits[word, code - area] |= mark


#: Bit of an event that begins a move; the other events of a move are captures.
BEGINS = 1 << 15
#: The other bits: colour times area plus point, or from three times the area on a pass.
CODE = BEGINS - 1
#: Columns of a match: the game, the placement, and the number of moves played before the
#: first and before the last of the positions in which it stands.
GAME, PLACEMENT, FIRST, LAST = range(4)
MATCH = 4
#: What `search` returns if the events are not what they should be.
DAMAGED = -1


class IndexedGames(NamedTuple):
    """Games of one size of board.

    `events` uint16 [n] are what changes: the stones set up, then for each move a stone (with the
    bit `BEGINS`) and captures, as `CODE` has them. Those of a game are from `starts` [games + 1]
    on; `longest` is the most of one. `bits` uint64 [words, 2 * area]: of 64 games each, whether
    such a stone ever stood there, Black's by point, then White's.
    """

    bits: NDArray[np.uint64]
    events: NDArray[np.uint16]
    starts: Longs
    longest: int


class PlacedPatterns(NamedTuple):
    """How each placement lies: its points, and the columns of the bits that it needs.

    Those of placement k are from starts[k] to starts[k + 1]; `colours` has a bit for each
    colour that a point may have.
    """

    points: NDArray[np.int16]
    colours: NDArray[np.uint8]
    starts: Ints
    columns: NDArray[np.int16]
    column_starts: Ints


class _Changes(NamedTuple):
    """The changes of a game by point: those of point p are from at[p] to at[p + 1].

    The first of them is the board as it was set up, at time 0. `cursor` has for each point of a
    placement, counted from its first, a change that is not too late.
    """

    at: Ints
    times: Ints
    states: Ints
    cursor: Ints


@kernel
def _sort_changes(
    events: NDArray[np.uint16],
    start: int,
    end: int,
    area: int,
    changes: _Changes,
) -> int:
    """Sort the changes of a game by point; returns how many moves, -1 for events that are none."""
    at, times, states, cursor = changes
    for point in range(area + 1):
        at[point] = 1
        cursor[point] = 0
    now = 0
    for k in range(start, end):
        now += events[k] >> 15
        code = int(events[k] & CODE)
        if code < 3 * area:
            point = code - area * ((code >= area) + (code >= 2 * area))
            if cursor[point] != now:
                cursor[point] = now
                at[point] += 1
        elif code > 3 * area + 1:
            return -1
    total = 0
    for point in range(area):
        number = at[point]
        at[point] = cursor[point] = total
        times[total] = states[total] = 0
        total += number
    at[area] = total
    now = 0
    for k in range(start, end):
        now += events[k] >> 15
        code = int(events[k] & CODE)
        if code < 3 * area:
            colour = (code >= area) + (code >= 2 * area)
            point = code - area * colour
            place = cursor[point]
            if times[place] != now:
                place += 1
                cursor[point] = place
                times[place] = now
            states[place] = colour
    return now


@kernel
def _next_time(placed: PlacedPatterns, first: int, last: int, changes: _Changes, time: int) -> int:
    """The first time from `time` on at which all points are as they may be, or -1."""
    points = placed.points
    colours = placed.colours
    at, times, states, cursor = changes
    right = 0
    place = first
    while right < last - first:
        point = points[place]
        k = cursor[place - first]
        end = at[point + 1]
        while k + 1 < end and times[k + 1] <= time:
            k += 1
        if colours[place] >> states[k] & 1:
            right += 1
        else:
            k += 1
            while k < end and not colours[place] >> states[k] & 1:
                k += 1
            if k == end:
                return -1
            time = times[k]
            right = 1
        cursor[place - first] = k
        place = place + 1 if place + 1 < last else first
    return time


@kernel
def _last_time(placed: PlacedPatterns, first: int, last: int, changes: _Changes, moves: int) -> int:
    """The last time at which all points are still as they may be, from where the cursor stands."""
    points = placed.points
    colours = placed.colours
    at, times, states, cursor = changes
    time = moves
    for place in range(first, last):
        k = cursor[place - first] + 1
        end = at[points[place] + 1]
        while k < end and colours[place] >> states[k] & 1:
            k += 1
        if k < end:
            time = min(time, times[k] - 1)
    return time


@kernel
def search(
    words: tuple[int, int], indexed: IndexedGames, placed: PlacedPatterns, matches: Ints
) -> tuple[int, int]:
    """Look for placements in the games of the words from the first to before the last.

    `matches` int32 [room, MATCH] takes the matches. Returns the word that was reached (less than
    the last if there was no more room, and `DAMAGED` if the events are none), and the number of
    matches.
    """
    bits, events, starts, longest = indexed
    area = bits.shape[1] // 2
    placements = len(placed.starts) - 1
    changes = _Changes(
        np.zeros(area + 1, np.int32),
        np.zeros(longest + area + 1, np.int32),
        np.zeros(longest + area + 1, np.int32),
        np.zeros(area + 1, np.int32),
    )
    candidates = np.zeros(placements, np.uint64)
    number = 0
    games = len(starts) - 1
    for word in range(words[0], words[1]):
        before = number
        union = np.uint64(0)
        for k in range(placements):
            both = ~np.uint64(0)
            for column in range(placed.column_starts[k], placed.column_starts[k + 1]):
                both &= bits[word, placed.columns[column]]
                if both == 0:
                    break
            candidates[k] = both
            union |= both
        for bit in range(64):
            game = 64 * word + bit
            if game >= games or not union >> np.uint64(bit) & np.uint64(1):
                continue
            if starts[game + 1] - starts[game] > longest:
                return DAMAGED, number
            moves = _sort_changes(events, starts[game], starts[game + 1], area, changes)
            if moves < 0:
                return DAMAGED, number
            for k in range(placements):
                if not candidates[k] >> np.uint64(bit) & np.uint64(1):
                    continue
                first = placed.starts[k]
                last = placed.starts[k + 1]
                for place in range(first, last):
                    changes.cursor[place - first] = changes.at[placed.points[place]]
                time = 0
                while True:
                    time = _next_time(placed, first, last, changes, time)
                    if time < 0:
                        break
                    if number == len(matches):
                        return word, before
                    end = _last_time(placed, first, last, changes, moves)
                    matches[number, GAME] = game
                    matches[number, PLACEMENT] = k
                    matches[number, FIRST] = time
                    matches[number, LAST] = end
                    number += 1
                    time = end + 1
                    if time > moves:
                        break
    return words[1], number
