"""What the past of a game forbids, and how near its end is.

Keys of earlier positions are kept in a table with open addressing, so that a look-up
costs the same after any number of moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.go._board import COLOUR, FIRST_CAPTURED, HEAD, LIBS, NEXT, is_suicide
from yardstone.go.points import BLACK, WHITE
from yardstone.go.zobrist import PLAYER_KEYS
from yardstone.kernels import bare_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]
    Keys = NDArray[np.uint64]
    Numbers = NDArray[np.int64]

__all__ = [
    "BONUS",
    "BUTTON",
    "FIELDS",
    "FRIENDLY_PASS",
    "HANDICAP",
    "HAS_BUTTON",
    "KO_RULE",
    "MOVES",
    "OVER",
    "RULES",
    "SCORING",
    "SUICIDE",
    "TAX",
    "TURNS",
    "WHITE_BONUS",
    "Past",
    "change_keys",
    "is_banned",
    "key_after",
    "pass_ends_game",
    "record_move",
    "start_history",
]

# Rules as numbers.
RULES = 7
KO_RULE, SCORING, TAX, SUICIDE, HAS_BUTTON, WHITE_BONUS, FRIENDLY_PASS = range(RULES)
KO_SIMPLE, KO_POSITIONAL, KO_SITUATIONAL = 0, 1, 2
AREA_SCORING, TERRITORY_SCORING = 0, 1
TAX_NONE, TAX_SEKI, TAX_ALL = 0, 1, 2
NO_BONUS, BONUS_N_LESS_ONE, BONUS_N = 0, 1, 2

#: Moves so far; the first of them whose position still counts for repetitions; passes in a
#: row; whether the game is over; moves that may be shown as the last ones; whether the button
#: is still there; points that White has besides the komi, doubled; the bonus for handicap.
MOVES, SINCE, PASSES, OVER, TURNS, BUTTON, BONUS, HANDICAP = range(8)
#: Black stones set up (-1: White ones as well), and moves of Black before White's first;
#: whether White has moved; passes of White in a row before that.
BLACK_SET_UP, BLACK_MOVED, WHITE_MOVED, WHITE_WAITED = 8, 9, 10, 11
FIELDS = 12

#: Tells the keys of positions before a pass, by colour, from those of other positions.
_PASS_KEYS = np.array([0, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1], dtype=np.uint64)


class Past(NamedTuple):
    """The past of a game under some rules.

    Attributes
    ----------
    state : int64 [FIELDS]
        Counts and flags, by the numbers above.
    rules : int32 [RULES]
    keys : uint64 [capacity]
        The table of positions.
    latest : int32 [capacity]
        The last move at which each of its keys occurred, or -1 for a free slot.
    former : int32 [moves + 2]
        For each move the one that led to the same position before, or -1.
    """

    state: Numbers
    rules: Ints
    keys: Keys
    latest: Ints
    former: Ints

    @classmethod
    def of(cls, rules: Ints, moves: int) -> Past:
        """Memory for a game of so many moves."""
        capacity = 1 << (4 * (moves + 2)).bit_length()
        return cls(
            np.zeros(FIELDS, dtype=np.int64),
            rules,
            np.zeros(capacity, dtype=np.uint64),
            np.full(capacity, -1, dtype=np.int32),
            np.full(moves + 2, -1, dtype=np.int32),
        )


@bare_kernel
def _slot(keys: Keys, latest: Ints, key: np.uint64) -> int:
    """Where a key stands in the table, or would stand."""
    slot = np.int64(key & np.uint64(len(keys) - 1))
    while latest[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & (len(keys) - 1)
    return int(slot)


@bare_kernel
def _latest(past: Past, key: np.uint64) -> int:
    """Return the last move that led to a position, or -1."""
    return int(past.latest[_slot(past.keys, past.latest, key)])


@bare_kernel
def _remember(past: Past, key: np.uint64, move: int) -> int:
    """Enter a position; returns the last move that led to it before, or -1."""
    slot = _slot(past.keys, past.latest, key)
    former = int(past.latest[slot])
    past.keys[slot] = key
    past.latest[slot] = move
    return former


@bare_kernel
def key_after(
    board: Ints, near: Ints, stones: NDArray[np.uint64], key: np.uint64, point: int, colour: int
) -> np.uint64:
    """Key of the position after a move on an empty point; `stones`: random numbers [3, points]."""
    enemy = BLACK + WHITE - colour
    first = second = third = -1
    key ^= stones[colour, point]
    captured = False
    for side in range(4):
        other = near[point, side]
        if board[COLOUR, other] == enemy:
            head = board[HEAD, other]
            if board[LIBS, head] == 1 and head not in (first, second, third):
                first, second, third = head, first, second
                captured = True
                stone = head
                while True:
                    key ^= stones[enemy, stone]
                    stone = board[NEXT, stone]
                    if stone == head:
                        break
    if captured or not is_suicide(board, near, point, colour):
        return key
    first = second = third = -1
    key ^= stones[colour, point]
    for side in range(4):
        other = near[point, side]
        if board[COLOUR, other] == colour:
            head = board[HEAD, other]
            if head not in (first, second, third):
                first, second, third = head, first, second
                stone = head
                while True:
                    key ^= stones[colour, stone]
                    stone = board[NEXT, stone]
                    if stone == head:
                        break
    return key


@bare_kernel
def change_keys(
    board: Ints, stones: NDArray[np.uint64], position: Keys, log: Ints, top: int
) -> None:
    """Bring keys of a position up to date after the move that lies alone on the log.

    `stones`: random numbers [8, 3, points]; `position`: a key for each symmetry.
    """
    point = log[top - 6]
    colour = log[top - 5]
    captured = log[top - 3]
    taken_off = log[top - 1]
    for turn in range(len(position)):
        position[turn] ^= stones[turn, colour, point]
    for number in range(captured + 1):
        if number < captured:
            head = log[FIRST_CAPTURED + number]
            loser = BLACK + WHITE - colour
        elif taken_off >= 0:
            head = taken_off
            loser = colour
        else:
            break
        stone = head
        while True:
            for turn in range(len(position)):
                position[turn] ^= stones[turn, loser, stone]
            stone = board[NEXT, stone]
            if stone == head:
                break


@bare_kernel
def _repetition_key(key: np.uint64, to_play: int, rules: Ints) -> np.uint64:
    """Return the key that must not come again: with the player to move, or without."""
    if rules[KO_RULE] == KO_POSITIONAL:
        return key
    return np.uint64(key ^ PLAYER_KEYS[to_play])


@bare_kernel
def _set_handicap(state: Numbers, rules: Ints) -> None:
    stones = state[BLACK_SET_UP]
    if stones >= 0 and state[WHITE_WAITED] < 2:  # after two passes Black alone sets something up
        stones += state[BLACK_MOVED]
    if stones < 2 or rules[WHITE_BONUS] == NO_BONUS:
        state[HANDICAP] = 0
    elif rules[WHITE_BONUS] == BONUS_N:
        state[HANDICAP] = stones
    else:
        state[HANDICAP] = stones - 1


@bare_kernel
def start_history(past: Past, black: int, white: int, key: np.uint64, to_play: int) -> None:
    """Begin a game with so many stones set up and somebody to play."""
    state = past.state
    rules = past.rules
    state[:] = 0
    state[BUTTON] = rules[HAS_BUTTON]
    if rules[SCORING] == TERRITORY_SCORING:
        state[BONUS] = 2 * (black - white)
    state[BLACK_SET_UP] = black if white == 0 else -1
    _set_handicap(state, rules)
    _remember(past, _repetition_key(key, to_play, rules), 0)


@bare_kernel
def is_banned(
    board: Ints,
    near: Ints,
    stones: NDArray[np.uint64],
    key: np.uint64,
    point: int,
    colour: int,
    past: Past,
) -> bool:
    """Whether superko forbids a move that is possible otherwise."""
    if past.rules[KO_RULE] == KO_SIMPLE:
        return False
    after = key_after(board, near, stones, key, point, colour)
    after = _repetition_key(after, BLACK + WHITE - colour, past.rules)
    return bool(_latest(past, after) >= past.state[SINCE])


@bare_kernel
def _passed_here(key: np.uint64, colour: int, past: Past) -> bool:
    """Whether, with simple ko, the player has passed in this very position before."""
    if past.rules[KO_RULE] != KO_SIMPLE:
        return False
    return _latest(past, key ^ PLAYER_KEYS[colour] ^ _PASS_KEYS[colour]) >= 0


@bare_kernel
def pass_ends_game(key: np.uint64, colour: int, past: Past) -> tuple[bool, bool]:
    """Whether a pass would end the game, and whether by being the second in a row only."""
    second = past.state[PASSES] >= 1
    again = _passed_here(key, colour, past)
    return second or again, past.state[PASSES] == 1 and not again


@bare_kernel
def record_move(point: int, colour: int, before: np.uint64, after: np.uint64, past: Past) -> None:
    """Enter a move that has been played, or a pass (-1); keys are those of the bare positions."""
    state = past.state
    rules = past.rules
    if state[OVER]:
        state[TURNS] = min(state[TURNS], 1)
    move = state[MOVES] + 1
    state[MOVES] = move
    state[TURNS] += 1
    over = False
    if point >= 0:
        state[PASSES] = 0
        if rules[SCORING] == TERRITORY_SCORING:
            state[BONUS] += 2 if colour == BLACK else -2
    elif state[BUTTON]:
        state[BUTTON] = 0
        state[BONUS] += 1 if colour == WHITE else -1
        state[PASSES] = 0
        state[SINCE] = move
    else:
        if rules[KO_RULE] == KO_SIMPLE:
            state[SINCE] = move
            over = _passed_here(before, colour, past)
            _remember(past, before ^ PLAYER_KEYS[colour] ^ _PASS_KEYS[colour], move)
        state[PASSES] += 1
        over |= state[PASSES] >= 2
        if over and rules[SCORING] == TERRITORY_SCORING:
            state[TURNS] = min(state[TURNS], 1)
    key = _repetition_key(after, BLACK + WHITE - colour, rules)
    past.former[move] = _remember(past, key, move)
    if rules[KO_RULE] == KO_SIMPLE and point >= 0:
        times = 0
        earlier = move
        while earlier >= state[SINCE] and times < 3:
            times += 1
            earlier = past.former[earlier]
        over |= times >= 3
    state[OVER] = over

    if colour == WHITE:
        if point >= 0:
            state[WHITE_MOVED] = 1
        elif not state[WHITE_MOVED]:
            state[WHITE_WAITED] += 1
    elif not state[WHITE_MOVED]:
        if state[WHITE_WAITED] < 2:
            state[WHITE_WAITED] = 0
        if point >= 0:
            state[BLACK_MOVED] += 1
        _set_handicap(state, rules)
