"""Stones and points that are safe even if their owner passes for ever (Benson 1976).

A *region* of a player is a connected set of points without stones of the player.
It is *vital* for a chain if all its empty points are liberties of that chain (all
its points, where suicide of several stones is allowed, since the stones in it may
then come off). A chain lives that has two vital regions, all of whose neighbours
live.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.go._board import COLOUR, HEAD, LIBS, NEXT, WALL
from yardstone.go.points import BLACK, EMPTY, WHITE
from yardstone.kernels import bare_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]

__all__ = ["WORK_ROWS", "area_without_seki", "find_area", "find_pass_alive", "find_plain_area"]

# Rows of the working memory: of points, of regions, of chains.
WORK_ROWS = 13
_REGION, _MEMBER, _DEAD, _EYES, _CHAIN = 0, 1, 2, 3, 4
_START, _INSIDE, _STONES, _DOUBTFUL, _VITAL = 5, 6, 7, 8, 9
#: At most four chains touch the point from which a region is searched, and can be those
#: for which it is vital: they take the last rows.
_FOUR = 4


@bare_kernel
def _touches_chain(board: Ints, near: Ints, point: int, colour: int, head: int) -> bool:
    for side in range(4):
        other = near[point, side]
        if board[COLOUR, other] == colour and board[HEAD, other] == head:
            return True
    return False


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
    vitals = 0
    for side in range(_FOUR):
        work[_VITAL + side, region] = -1
        other = near[start, side]
        if board[COLOUR, other] == colour:
            head = board[HEAD, other]
            known = False
            for place in range(vitals):
                if work[_VITAL + place, region] == head:
                    known = True
            if not known:
                work[_VITAL + vitals, region] = head
                vitals += 1
    work[_START, region] = end
    work[_INSIDE, region] = 0
    work[_STONES, region] = 0
    work[_DOUBTFUL, region] = 0
    work[_REGION, start] = region
    work[_MEMBER, end] = start
    place = end
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
        if vitals > 0 and (suicide or board[COLOUR, point] == EMPTY):
            left = 0
            for number in range(vitals):
                head = work[_VITAL + number, region]
                if touches and _touches_chain(board, near, point, colour, head):
                    work[_VITAL + left, region] = head
                    left += 1
            for number in range(left, vitals):
                work[_VITAL + number, region] = -1
            vitals = left
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
def find_pass_alive(board: Ints, near: Ints, suicide: bool, owner: Ints, work: Ints) -> None:
    """Write to `owner` whose pass-alive stones and territory each point is, or `EMPTY`."""
    area = board.shape[1] - 1
    owner[:area] = EMPTY
    owner[area] = WALL
    _mark(board, near, BLACK, suicide, False, owner, work)
    _mark(board, near, WHITE, suicide, False, owner, work)


@bare_kernel
def find_area(board: Ints, near: Ints, suicide: bool, owner: Ints, work: Ints) -> None:
    """Write to `owner` whose area each point is, if the game ended now.

    A player owns pass-alive stones and territory, whatever stones stand in it; all
    other stones belong to those who have them, and empty regions to whom alone they
    touch.
    """
    area = board.shape[1] - 1
    owner[:area] = EMPTY
    owner[area] = WALL
    _mark(board, near, BLACK, suicide, True, owner, work)
    _mark(board, near, WHITE, suicide, True, owner, work)
    for point in range(area):
        if owner[point] == EMPTY:
            owner[point] = board[COLOUR, point]


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
        touched = 0  # bit 1 for Black, bit 2 for White
        work[_REGION, start] = start
        work[_MEMBER, 0] = start
        place = 0
        end = 1
        while place < end:
            point = work[_MEMBER, place]
            place += 1
            for side in range(4):
                other = near[point, side]
                there = board[COLOUR, other]
                if there in (BLACK, WHITE):
                    touched |= there
                elif there == EMPTY and work[_REGION, other] < 0:
                    work[_REGION, other] = start
                    work[_MEMBER, end] = other
                    end += 1
        if touched in (BLACK, WHITE):
            for number in range(end):
                owner[work[_MEMBER, number]] = touched


@bare_kernel
def area_without_seki(
    board: Ints, near: Ints, area: Ints, stones: bool, dead: bool, owner: Ints, work: Ints
) -> tuple[int, int]:
    """Write to `owner` the part of an area that does not look like seki.

    A connected part of an area looks like seki if it touches an empty point that
    nobody owns, or has a stone of its owner in atari. With `stones` the stones
    that count in `area` are kept in any case, with `dead` the points that are not
    stones of their owner.

    Returns
    -------
    black, white : int
        Number of parts of Black's and White's area that do not look like seki.
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
        seki = False
        work[_REGION, start] = start
        work[_MEMBER, 0] = start
        place = 0
        end = 1
        while place < end:
            point = work[_MEMBER, place]
            place += 1
            if board[COLOUR, point] == colour and board[LIBS, board[HEAD, point]] == 1:
                seki = True
            for side in range(4):
                other = near[point, side]
                if area[other] == colour:
                    if work[_REGION, other] < 0:
                        work[_REGION, other] = start
                        work[_MEMBER, end] = other
                        end += 1
                elif area[other] == EMPTY and board[COLOUR, other] == EMPTY:
                    seki = True
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
