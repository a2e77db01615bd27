"""Ladders: whether a chain is caught by ataris, each of which the chain must answer.

The attacker moves on the two liberties of the chain; the chain extends on its last
liberty or captures a chain in atari beside it. The chain is free once it has three
liberties before a move of the attacker, or two before its own, and whenever the
attacker would have to win a ko; a chain with two liberties that are both mouths of
kos, and that gains nothing by connecting at either, is caught. This is what the
ladder planes of KataGo mean.

The value of such a tree does not depend on the order in which moves are looked at,
but how long it takes does. A search that is given up counts as "not caught", so
moves that look equally good are tried in an order that turns with the board: by
their places in `rank`, which callers take from a turn of the board that the
position itself decides (`yardstone.go.points`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Ints
from yardstone.go._board import (
    COLOUR,
    HEAD,
    KO,
    LIBS,
    LONGEST_ENTRY,
    META,
    NEXT,
    SIZE,
    SUM,
    WALL,
    may_play,
    play,
    two_liberties,
    undo,
)
from yardstone.go.points import BLACK, EMPTY, WHITE
from yardstone.kernels import bare_kernel

Keys = NDArray[np.uint64]

FREE, CAUGHT, GIVEN_UP = 0, 1, 2
_OPEN = -1
#: Number of moves after which a search is given up.
LIMIT = 25_000
#: The most moves at one node: each captures a chain of its own, which needs two points.
_WIDEST = 182


def new_search(size: int) -> tuple[Ints, Ints]:
    """Memory that a search needs: the log of moves, and the moves of each depth.

    A row of the second holds the number of moves, the one that is being tried, and
    the moves.
    """
    deepest = size * size * 3 // 2 + 2
    return (
        np.zeros(deepest * LONGEST_ENTRY, dtype=np.int32),
        np.zeros((deepest, 2 + _WIDEST), dtype=np.int32),
    )


@bare_kernel
def _empty_around(board: Ints, near: Ints, point: int) -> int:
    count = 0
    for side in range(4):
        if board[COLOUR, near[point, side]] == EMPTY:
            count += 1
    return count


@bare_kernel
def _bounds_after(board: Ints, near: Ints, point: int, colour: int) -> tuple[int, int]:
    """Return bounds, from below and above, on the liberties of a stone put on a point."""
    empty = 0
    captures = 0
    captured = 0
    connected = 0
    longest = 0
    for side in range(4):
        other = near[point, side]
        there = board[COLOUR, other]
        if there == EMPTY:
            empty += 1
        elif there != WALL:
            head = board[HEAD, other]
            liberties = board[LIBS, head] - 1
            if there == colour:
                connected += liberties
                longest = max(longest, liberties)
            elif liberties == 0:
                captures += 1
                captured += board[SIZE, head]
    return captures + max(longest, empty), empty + captured + connected


@bare_kernel
def _ways_on(board: Ints, near: Ints, point: int, colour: int) -> int:
    """How many liberties a chain of a colour finds at one of its own, about and doubled."""
    worth = 0
    for side in range(4):
        other = near[point, side]
        there = board[COLOUR, other]
        if there == EMPTY:
            worth += 2
        elif there == colour:
            liberties = board[LIBS, board[HEAD, other]]
            if liberties > 1:
                worth += 2 * liberties - 3
    return worth


@bare_kernel
def _is_ko_mouth(board: Ints, near: Ints, point: int, colour: int) -> bool:
    """Whether a move of a colour there takes a single stone out of stones all around it."""
    taken = -1
    for side in range(4):
        other = near[point, side]
        there = board[COLOUR, other]
        if there != WALL:
            if there != BLACK + WHITE - colour:
                return False
            if board[LIBS, board[HEAD, other]] == 1:
                if taken >= 0:
                    return False
                taken = board[HEAD, other]
    return taken >= 0 and board[SIZE, taken] == 1


@bare_kernel
def _gains_by(board: Ints, near: Ints, point: int, colour: int, log: Ints, top: int) -> bool:
    """Whether a stone there would have three liberties or more."""
    above = play(board, near, point, colour, log, top)
    gains = bool(board[COLOUR, point] == colour and board[LIBS, board[HEAD, point]] >= 3)
    undo(board, near, log, above)
    return gains


@bare_kernel
def _captures(board: Ints, near: Ints, target: int, rank: Ints, moves: Ints) -> int:
    """Write the captures beside a chain to ``moves[2:]``, by rank; returns their number."""
    enemy = BLACK + WHITE - board[COLOUR, target]
    count = 0
    stone = target
    while True:
        for side in range(4):
            other = near[stone, side]
            if board[COLOUR, other] == enemy and board[LIBS, board[HEAD, other]] == 1:
                move = board[SUM, board[HEAD, other]]
                place = count
                while place > 0 and rank[moves[1 + place]] > rank[move]:
                    place -= 1
                if place == 0 or moves[1 + place] != move:
                    for later in range(count, place, -1):
                        moves[2 + later] = moves[1 + later]
                    moves[2 + place] = move
                    count += 1
        stone = board[NEXT, stone]
        if stone == target:
            return count


@bare_kernel
def _open_defence(board: Ints, near: Ints, target: int, rank: Ints, moves: Ints) -> int:
    """Decide a node where the chain moves, or list its moves."""
    head = board[HEAD, target]
    colour = board[COLOUR, target]
    if board[LIBS, head] >= 2 or board[META, KO] >= 0:
        return FREE
    last = board[SUM, head]
    count = _captures(board, near, target, rank, moves)
    alone = True
    known = False
    for place in range(count):
        if moves[2 + place] == last:
            known = True
        else:
            alone = False
    if not known:
        moves[2 + count] = last
        count += 1
    least, most = _bounds_after(board, near, last, colour)
    if least >= 3:
        return FREE
    if alone and most <= 1:
        return CAUGHT
    moves[0] = count
    moves[1] = 0
    return _OPEN


@bare_kernel
def _open_attack(
    board: Ints, near: Ints, target: int, rank: Ints, moves: Ints, log: Ints, top: int
) -> int:
    """Decide a node where the attacker moves, or list the moves."""
    head = board[HEAD, target]
    colour = board[COLOUR, target]
    attacker = BLACK + WHITE - colour
    if board[LIBS, head] <= 1:
        return CAUGHT
    if board[LIBS, head] >= 3:
        return FREE
    first, second = two_liberties(board, head)
    empty_first = _empty_around(board, near, first)
    empty_second = _empty_around(board, near, second)
    if (
        empty_first == 0
        and empty_second == 0
        and _is_ko_mouth(board, near, first, attacker)
        and _is_ko_mouth(board, near, second, attacker)
        and not _gains_by(board, near, first, colour, log, top)
        and not _gains_by(board, near, second, colour, log, top)
        and _captures(board, near, target, rank, moves) == 0
    ):
        return CAUGHT
    moves[0] = 2
    moves[1] = 0
    touch = False
    for side in range(4):
        if near[first, side] == second:
            touch = True
    if not touch and (empty_first >= 3 or empty_second >= 3):
        if empty_first >= 3 and empty_second >= 3:
            return FREE
        # The chain must be kept from the open side, so there is one move only.
        moves[0] = 1
        moves[2] = first if empty_first >= 3 else second
        return _OPEN
    lead = _ways_on(board, near, second, colour) - _ways_on(board, near, first, colour)
    if lead > 0 or (lead == 0 and rank[second] < rank[first]):
        first, second = second, first
    moves[2] = first
    moves[3] = second
    return _OPEN


@bare_kernel
def read_ladder(
    board: Ints, near: Ints, target: int, rank: Ints, log: Ints, top: int, tree: Ints
) -> int:
    """Whether a chain in atari that is to move is `CAUGHT` or `FREE`, or the search `GIVEN_UP`.

    A ko that forbids a move before the chain's first is left out: kos work for it.
    The board is afterwards as it was.
    """
    if board[LIBS, board[HEAD, target]] > 1:
        return FREE
    defender = board[COLOUR, target]
    former_ko = board[META, KO]
    board[META, KO] = -1
    deepest = len(tree) - 2
    depth = 0
    moves_played = 0
    value = _OPEN  # of the node just left; open: a node is entered
    while True:
        defending = depth % 2 == 0
        moves = tree[depth]
        if value == _OPEN:
            if depth >= deepest:
                value = CAUGHT
            elif defending:
                value = _open_defence(board, near, target, rank, moves)
            else:
                value = _open_attack(board, near, target, rank, moves, log, top)
        elif value != (FREE if defending else CAUGHT):
            value = _OPEN  # this move failed, try the next
            moves[1] += 1
        if value == _OPEN:
            colour = defender if defending else BLACK + WHITE - defender
            while moves[1] < moves[0] and not may_play(
                board, near, moves[2 + moves[1]], colour, False
            ):
                moves[1] += 1
            if moves[1] < moves[0]:
                top = play(board, near, moves[2 + moves[1]], colour, log, top)
                depth += 1
                moves_played += 1
                if moves_played >= LIMIT:
                    value = GIVEN_UP
                    break
                continue
            value = CAUGHT if defending else FREE
        if depth == 0:
            break
        depth -= 1
        top = undo(board, near, log, top)
    while depth > 0:
        depth -= 1
        top = undo(board, near, log, top)
    board[META, KO] = former_ko
    return value


@bare_kernel
def read_attack(
    board: Ints, near: Ints, target: int, rank: Ints, log: Ints, top: int, tree: Ints
) -> tuple[int, int, int]:
    """Whether a chain of two liberties can be caught by the attacker moving first.

    Returns the answer (as `read_ladder`) and the moves that catch it, or -1.
    """
    attacker = BLACK + WHITE - board[COLOUR, target]
    first, second = two_liberties(board, board[HEAD, target])
    answer = FREE
    for turn in range(2):
        move = first if turn == 0 else second
        value = FREE
        if may_play(board, near, move, attacker, False):
            above = play(board, near, move, attacker, log, top)
            value = read_ladder(board, near, target, rank, log, above, tree)
            undo(board, near, log, above)
        if value == CAUGHT:
            answer = CAUGHT
        else:
            if value == GIVEN_UP and answer == FREE:
                answer = GIVEN_UP
            if turn == 0:
                first = -1
            else:
                second = -1
    return answer, first, second


@bare_kernel
def _read(
    board: Ints, near: Ints, head: int, rank: Ints, log: Ints, tree: Ints
) -> tuple[int, int, int]:
    if board[LIBS, head] == 1:
        return read_ladder(board, near, head, rank, log, 0, tree), -1, -1
    return read_attack(board, near, head, rank, log, 0, tree)


@bare_kernel
def find_ladders(
    board: Ints,
    near: Ints,
    turns: Ints,
    position: Keys,
    log: Ints,
    tree: Ints,
    caught: Ints,
    catching: Ints,
) -> None:
    """Mark the stones that are caught, and the moves that catch chains of two liberties.

    The first row of `catching` is for chains of Black, the second for those of White.
    `turns` are the symmetries of the board, `position` its keys under them: the
    turn with the smallest key decides in which order moves are tried, so that the
    result turns with the board. If a search is given up and the board looks the
    same under another turn, that one is tried as well.
    """
    area = len(near) - 1
    caught[:area] = 0
    catching[:, :area] = 0
    best = 0
    for turn in range(1, len(position)):
        if position[turn] < position[best]:
            best = turn
    for head in range(area):
        colour = board[COLOUR, head]
        if colour == EMPTY or board[HEAD, head] != head or board[LIBS, head] > 2:
            continue
        answer, first, second = _read(board, near, head, turns[best], log, tree)
        for turn in range(best + 1, len(position)):
            if answer == GIVEN_UP and position[turn] == position[best]:
                answer, first, second = _read(board, near, head, turns[turn], log, tree)
        if answer != CAUGHT:
            continue
        stone = head
        while True:
            caught[stone] = 1
            stone = board[NEXT, stone]
            if stone == head:
                break
        if first >= 0:
            catching[colour - BLACK, first] = 1
        if second >= 0:
            catching[colour - BLACK, second] = 1
