"""Chains of stones and their liberties: playing a move, and taking it back.

A board is one int32 array of shape [8, size * size + 1], so that a copy is a copy
of an array. The last column is the edge of the board. The rows are:

- ``COLOUR``: `EMPTY`, `BLACK`, `WHITE`, or `WALL` for the edge;
- ``HEAD``: one stone of the chain of a stone, which stands for the chain;
- ``NEXT``: the next stone of the chain, in a circle;
- ``SIZE``, ``LIBS``: number of stones and of liberties of a chain, at its head;
- ``SUM``, ``SQUARES``: sums of the points of those liberties and of their squares,
  so that one or two liberties are found without a walk around the chain;
- ``META``: the point of the simple ko (or -1), and the stones that have been
  captured of Black and of White.

Rows of empty points hold what is left of stones that were there, which is what
`undo` needs. Moves write what they change to a log, an int32 array that grows
upwards; the caller keeps the top of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Ints, Longs
from yardstone.go.points import BLACK, EMPTY, PASS, PLAYER_KEYS, WHITE, neighbours
from yardstone.kernels import bare_kernel

Keys = NDArray[np.uint64]

ROWS = 8
COLOUR, HEAD, NEXT, SIZE, LIBS, SUM, SQUARES, META = range(ROWS)
WALL = 3
#: Column of `META` that has the point of the simple ko.
KO = 0
#: Where the captured chains of a move begin that lies alone on the log.
FIRST_CAPTURED = META - HEAD
#: The most that one move writes to the log.
LONGEST_ENTRY = 48


def new_board(size: int) -> Ints:
    """Return an empty board."""
    area = len(neighbours(size)) - 1
    board = np.zeros((ROWS, area + 1), dtype=np.int32)
    board[COLOUR, area] = WALL
    board[META, KO] = -1
    return board


@bare_kernel
def is_suicide(board: Ints, near: Ints, point: int, colour: int) -> bool:
    """Whether a stone on an empty point would have no liberty and capture nothing."""
    for side in range(4):
        other = near[point, side]
        there = board[COLOUR, other]
        if there == EMPTY:
            return False
        if there == colour:
            if board[LIBS, board[HEAD, other]] > 1:
                return False
        elif there != WALL and board[LIBS, board[HEAD, other]] == 1:
            return False
    return True


@bare_kernel
def _has_friend(board: Ints, near: Ints, point: int, colour: int) -> bool:
    """Whether a stone of a colour stands beside a point."""
    friend = False
    for side in range(4):
        friend |= board[COLOUR, near[point, side]] == colour
    return friend


@bare_kernel
def can_be_played(board: Ints, near: Ints, point: int, colour: int) -> bool:
    """Whether a move is possible at all, whatever the rules say about ko and suicide."""
    if point == PASS:
        return True
    if not 0 <= point < len(near) - 1 or board[COLOUR, point] != EMPTY:
        return False
    return _has_friend(board, near, point, colour) or not is_suicide(board, near, point, colour)


@bare_kernel
def may_play(board: Ints, near: Ints, point: int, colour: int, suicide: bool) -> bool:
    """Whether a move on a point is possible, superko apart; `suicide`: of two or more stones."""
    if board[COLOUR, point] != EMPTY or board[META, KO] == point:
        return False
    if not is_suicide(board, near, point, colour):
        return True
    return suicide and _has_friend(board, near, point, colour)


@bare_kernel
def two_liberties(board: Ints, head: int) -> tuple[int, int]:
    """Return the two liberties of a chain that has two, the lower point first."""
    total = board[SUM, head]
    apart = int(np.sqrt(2.0 * board[SQUARES, head] - float(total) * total) + 0.5)
    return (total - apart) // 2, (total + apart) // 2


@bare_kernel
def _change_liberty(board: Ints, near: Ints, point: int, colour: int, change: int) -> None:
    """Give the chains of a colour around a point that point as a liberty (+1), or take it (-1)."""
    first = second = third = -1
    for side in range(4):
        other = near[point, side]
        if board[COLOUR, other] == colour:
            head = board[HEAD, other]
            if head not in (first, second, third):
                first, second, third = head, first, second
                board[LIBS, head] += change
                board[SUM, head] += change * point
                board[SQUARES, head] += change * point * point


@bare_kernel
def set_chain(board: Ints, near: Ints, head: int, colour: int) -> None:
    """Take a chain off the board (`EMPTY`), or give one back its colour that was taken off."""
    enemy = BLACK + WHITE - max(colour, board[COLOUR, head])
    change = 1 if colour == EMPTY else -1
    stone = head
    while True:
        board[COLOUR, stone] = colour
        _change_liberty(board, near, stone, enemy, change)
        stone = board[NEXT, stone]
        if stone == head:
            return


@bare_kernel
def _touches_chain(board: Ints, near: Ints, point: int, colour: int, head: int) -> bool:
    for side in range(4):
        other = near[point, side]
        if board[COLOUR, other] == colour and board[HEAD, other] == head:
            return True
    return False


@bare_kernel
def _join(board: Ints, near: Ints, keep: int, join: int) -> None:
    """Make one chain of two that touch; `keep` remains its head."""
    colour = board[COLOUR, keep]
    stone = join
    while True:
        for side in range(4):
            liberty = near[stone, side]
            if board[COLOUR, liberty] == EMPTY and not _touches_chain(
                board, near, liberty, colour, keep
            ):
                board[LIBS, keep] += 1
                board[SUM, keep] += liberty
                board[SQUARES, keep] += liberty * liberty
        board[HEAD, stone] = keep
        stone = board[NEXT, stone]
        if stone == join:
            break
    board[SIZE, keep] += board[SIZE, join]
    board[NEXT, keep], board[NEXT, join] = board[NEXT, join], board[NEXT, keep]


@bare_kernel
def play(board: Ints, near: Ints, point: int, colour: int, log: Ints, top: int) -> int:
    """Put a stone on an empty point and capture what has no liberty; returns the top of the log.

    The move is taken for possible. A chain without liberties that captures nothing is taken off
    itself. On top of the log stand afterwards the point, the colour, the former ko, the numbers of
    chains captured and joined, and the head of the own chain if it was taken off (or -1); below
    them the joined chains, six numbers each, and the heads of the captured ones.
    """
    enemy = BLACK + WHITE - colour
    for row in range(HEAD, META):
        log[top] = board[row, point]
        top += 1
    board[COLOUR, point] = colour
    board[HEAD, point] = board[NEXT, point] = point
    board[SIZE, point] = 1
    board[LIBS, point] = board[SUM, point] = board[SQUARES, point] = 0
    for side in range(4):
        other = near[point, side]
        if board[COLOUR, other] == EMPTY:
            board[LIBS, point] += 1
            board[SUM, point] += other
            board[SQUARES, point] += other * other
    _change_liberty(board, near, point, enemy, -1)
    _change_liberty(board, near, point, colour, -1)

    captured = 0
    stones = 0
    last = -1
    for side in range(4):
        other = near[point, side]
        if board[COLOUR, other] == enemy and board[LIBS, board[HEAD, other]] == 0:
            head = board[HEAD, other]
            set_chain(board, near, head, EMPTY)
            log[top] = head
            top += 1
            captured += 1
            stones += board[SIZE, head]
            last = other
    joined = 0
    for side in range(4):
        other = near[point, side]
        if board[COLOUR, other] == colour and board[HEAD, other] != board[HEAD, point]:
            keep = board[HEAD, point]
            join = board[HEAD, other]
            if board[SIZE, join] > board[SIZE, keep]:
                keep, join = join, keep
            log[top] = keep
            log[top + 1] = join
            for row in range(SIZE, META):
                log[top + 2 + row - SIZE] = board[row, keep]
            top += 6
            joined += 1
            _join(board, near, keep, join)
    own = board[HEAD, point]
    taken_off = -1
    if board[LIBS, own] == 0:
        set_chain(board, near, own, EMPTY)
        board[META, colour] += board[SIZE, own]
        taken_off = own
    board[META, enemy] += stones
    log[top] = point
    log[top + 1] = colour
    log[top + 2] = board[META, KO]
    log[top + 3] = captured
    log[top + 4] = joined
    log[top + 5] = taken_off
    alone = stones == 1 and board[SIZE, own] == 1 and board[LIBS, own] == 1
    board[META, KO] = last if alone else -1
    return top + 6


@bare_kernel
def undo(board: Ints, near: Ints, log: Ints, top: int) -> int:
    """Take the last move of the log back, no suicide, and return the new top of the log."""
    top -= 6
    point = log[top]
    colour = log[top + 1]
    enemy = BLACK + WHITE - colour
    board[META, KO] = log[top + 2]
    captured = log[top + 3]
    joined = log[top + 4]
    for _ in range(joined):
        top -= 6
        keep = log[top]
        join = log[top + 1]
        board[NEXT, keep], board[NEXT, join] = board[NEXT, join], board[NEXT, keep]
        for row in range(SIZE, META):
            board[row, keep] = log[top + 2 + row - SIZE]
        stone = join
        while True:
            board[HEAD, stone] = join
            stone = board[NEXT, stone]
            if stone == join:
                break
    for _ in range(captured):
        top -= 1
        board[META, enemy] -= board[SIZE, log[top]]
        set_chain(board, near, log[top], enemy)
    board[COLOUR, point] = EMPTY
    _change_liberty(board, near, point, enemy, 1)
    _change_liberty(board, near, point, colour, 1)
    top -= META - HEAD
    for row in range(HEAD, META):
        board[row, point] = log[top + row - HEAD]
    return top


@bare_kernel
def put_stone(board: Ints, near: Ints, point: int, colour: int, log: Ints) -> bool:
    """Set a stone up; whether the point was empty and nothing was captured by it."""
    if board[COLOUR, point] != EMPTY:
        return False
    top = play(board, near, point, colour, log, 0)
    board[META, KO] = -1
    return bool(log[top - 3] == 0 and log[top - 1] < 0)


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

    `state` has the counts and flags above, by their numbers. `keys` is the table of positions, and
    `latest` the last move at which each of its keys occurred, or -1 for a free slot; `former` has
    for each move the one that led to the same position before, or -1.
    """

    state: Longs
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
def _key_in_atari(board: Ints, near: Ints, stones: Keys, point: int, colour: int) -> np.uint64:
    """Key of the chains of a colour around a point that have no other liberty."""
    first = second = third = -1
    key = np.uint64(0)
    for side in range(4):
        other = near[point, side]
        if board[COLOUR, other] == colour:
            head = board[HEAD, other]
            if board[LIBS, head] == 1 and head not in (first, second, third):
                first, second, third = head, first, second
                stone = head
                while True:
                    key ^= stones[colour, stone]
                    stone = board[NEXT, stone]
                    if stone == head:
                        break
    return key


@bare_kernel
def key_after(
    board: Ints, near: Ints, stones: Keys, key: np.uint64, point: int, colour: int
) -> np.uint64:
    """Key of the position after a move on an empty point; `stones`: random numbers [3, points]."""
    enemy = BLACK + WHITE - colour
    key ^= stones[colour, point] ^ _key_in_atari(board, near, stones, point, enemy)
    if is_suicide(board, near, point, colour):
        key ^= stones[colour, point] ^ _key_in_atari(board, near, stones, point, colour)
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
def _set_handicap(state: Longs, rules: Ints) -> None:
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
def _pass_key(key: np.uint64, colour: int) -> np.uint64:
    """The key of a position in which a player passes."""
    return np.uint64(key ^ PLAYER_KEYS[colour] ^ _PASS_KEYS[colour])


@bare_kernel
def pass_ends_game(key: np.uint64, colour: int, past: Past) -> tuple[bool, bool]:
    """Whether a pass would end the game, and whether by being the second in a row only."""
    second = past.state[PASSES] >= 1
    again = past.rules[KO_RULE] == KO_SIMPLE and _latest(past, _pass_key(key, colour)) >= 0
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
            over = _remember(past, _pass_key(before, colour), move) >= 0
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


# Rows of the working memory: of points, of regions, of chains.
WORK_ROWS = 13
_REGION, _MEMBER, _DEAD, _EYES, _CHAIN = 0, 1, 2, 3, 4
_START, _INSIDE, _STONES, _DOUBTFUL, _VITAL = 5, 6, 7, 8, 9
#: At most four chains touch the point from which a region is searched, and can be those
#: for which it is vital: they take the last rows.
_FOUR = 4


@bare_kernel
def _find_region(
    board: Ints,
    near: Ints,
    colour: int,
    suicide: bool,
    start: int,
    region: int,
    end: int,
    work: Ints,
) -> int:
    """Collect the region around an empty point; returns the end of the list of members."""
    work[_START, region] = place = end
    work[_INSIDE, region] = work[_STONES, region] = work[_DOUBTFUL, region] = 0
    work[_REGION, start] = region
    work[_MEMBER, end] = start
    end += 1
    while place < end:
        point = work[_MEMBER, place]
        place += 1
        touches = False
        for side in range(4):
            other = near[point, side]
            there = board[COLOUR, other]
            if there == colour:
                touches = True
            elif there != WALL and work[_REGION, other] < 0:
                work[_REGION, other] = region
                work[_MEMBER, end] = other
                end += 1
        if not touches:
            work[_INSIDE, region] += 1
        if board[COLOUR, point] != EMPTY:
            work[_STONES, region] += 1
    for side in range(_FOUR):
        other = near[start, side]
        head = board[HEAD, other] if board[COLOUR, other] == colour else -1
        for earlier in range(side):
            if work[_VITAL + earlier, region] == head:
                head = -1
        place = work[_START, region]
        while head >= 0 and place < end:
            point = work[_MEMBER, place]
            place += 1
            if (suicide or board[COLOUR, point] == EMPTY) and not _touches_chain(
                board, near, point, colour, head
            ):
                head = -1
        work[_VITAL + side, region] = head
    return end


@bare_kernel
def _let_die(board: Ints, near: Ints, colour: int, chains: int, work: Ints) -> None:
    """Mark the chains that do not live, and the regions that touch them."""
    changed = True
    while changed:
        changed = False
        for number in range(chains):
            head = work[_CHAIN, number]
            if work[_DEAD, head] or work[_EYES, head] >= 2:
                continue
            work[_DEAD, head] = 1
            changed = True
            stone = head
            while True:
                for side in range(4):
                    other = near[stone, side]
                    there = board[COLOUR, other]
                    if there != colour and there != WALL:
                        region = work[_REGION, other]
                        if not work[_DOUBTFUL, region]:
                            work[_DOUBTFUL, region] = 1
                            for place in range(_FOUR):
                                loser = work[_VITAL + place, region]
                                if loser >= 0:
                                    work[_EYES, loser] -= 1
                stone = board[NEXT, stone]
                if stone == head:
                    break


@bare_kernel
def _mark(
    board: Ints, near: Ints, colour: int, suicide: bool, big: bool, owner: Ints, work: Ints
) -> None:
    """Mark in `owner` what a player owns; with `big` the territories that are not safe as well."""
    area = board.shape[1] - 1
    chains = 0
    for point in range(area):
        work[_REGION, point] = -1
        if board[COLOUR, point] == colour and board[HEAD, point] == point:
            work[_CHAIN, chains] = point
            work[_DEAD, point] = 0
            work[_EYES, point] = 0
            chains += 1
    if chains == 0:
        return
    regions = 0
    end = 0
    for point in range(area):
        if board[COLOUR, point] == EMPTY and work[_REGION, point] < 0:
            end = _find_region(board, near, colour, suicide, point, regions, end, work)
            for place in range(_FOUR):
                if work[_VITAL + place, regions] >= 0:
                    work[_EYES, work[_VITAL + place, regions]] += 1
            regions += 1
    work[_START, regions] = end
    _let_die(board, near, colour, chains, work)
    for point in range(area):
        if board[COLOUR, point] == colour and not work[_DEAD, board[HEAD, point]]:
            owner[point] = colour
    for region in range(regions):
        # A point that touches no living stone is room for one eye at most.
        safe = not work[_DOUBTFUL, region]
        safe = safe and (work[_INSIDE, region] <= 1 or (big and work[_STONES, region] == 0))
        if safe or (big and work[_STONES, region] == 0):
            for place in range(work[_START, region], work[_START, region + 1]):
                point = work[_MEMBER, place]
                if safe or owner[point] == EMPTY:
                    owner[point] = colour


@bare_kernel
def find_area(board: Ints, near: Ints, suicide: bool, whole: bool, owner: Ints, work: Ints) -> None:
    """Write to `owner` whose pass-alive stones and territory each point is, or `EMPTY`.

    With `whole` whose area each point is, if the game ended now: all other stones belong to
    those who have them, and empty regions to whom alone they touch.
    """
    area = board.shape[1] - 1
    owner[:area] = EMPTY
    owner[area] = WALL
    _mark(board, near, BLACK, suicide, whole, owner, work)
    _mark(board, near, WHITE, suicide, whole, owner, work)
    if whole:
        for point in range(area):
            if owner[point] == EMPTY:
                owner[point] = board[COLOUR, point]


@bare_kernel
def _flood(near: Ints, kinds: Ints, start: int, work: Ints) -> int:
    """Collect the points of one kind that hang together with `start`; returns how many."""
    work[_REGION, start] = start
    work[_MEMBER, 0] = start
    place = 0
    end = 1
    while place < end:
        point = work[_MEMBER, place]
        place += 1
        for side in range(4):
            other = near[point, side]
            if kinds[other] == kinds[start] and work[_REGION, other] < 0:
                work[_REGION, other] = start
                work[_MEMBER, end] = other
                end += 1
    return end


@bare_kernel
def find_plain_area(board: Ints, near: Ints, owner: Ints, work: Ints) -> None:
    """Write to `owner` whose area each point is if every stone on the board lives."""
    area = board.shape[1] - 1
    for point in range(area):
        owner[point] = board[COLOUR, point]
        work[_REGION, point] = -1
    owner[area] = WALL
    for start in range(area):
        if board[COLOUR, start] != EMPTY or work[_REGION, start] >= 0:
            continue
        end = _flood(near, board[COLOUR], start, work)
        touched = 0  # bit 1 for Black, bit 2 for White
        for number in range(end):
            for side in range(4):
                there = board[COLOUR, near[work[_MEMBER, number], side]]
                if there != WALL:
                    touched |= there
        if touched in (BLACK, WHITE):
            for number in range(end):
                owner[work[_MEMBER, number]] = touched


@bare_kernel
def area_without_seki(
    board: Ints, near: Ints, area: Ints, stones: bool, dead: bool, owner: Ints, work: Ints
) -> tuple[int, int]:
    """Write to `owner` the part of an area that does not look like seki.

    A connected part of an area looks like seki if it touches an empty point that nobody owns, or
    has a stone of its owner in atari. With `stones` the stones that count in `area` are kept in any
    case, with `dead` the points that are not stones of their owner. Returns the numbers of parts of
    Black's and of White's area that do not look like it.
    """
    points = board.shape[1] - 1
    for point in range(points):
        work[_REGION, point] = -1
        owner[point] = EMPTY
    owner[points] = WALL
    black = white = 0
    for start in range(points):
        colour = area[start]
        if colour == EMPTY or work[_REGION, start] >= 0:
            continue
        end = _flood(near, area, start, work)
        seki = False
        for number in range(end):
            point = work[_MEMBER, number]
            seki |= board[COLOUR, point] == colour and board[LIBS, board[HEAD, point]] == 1
            for side in range(4):
                other = near[point, side]
                seki |= area[other] == EMPTY and board[COLOUR, other] == EMPTY
        if not seki:
            if colour == BLACK:
                black += 1
            else:
                white += 1
        for number in range(end):
            point = work[_MEMBER, number]
            own = board[COLOUR, point] == colour
            if not seki or (stones and own) or (dead and not own):
                owner[point] = colour
    return black, white
