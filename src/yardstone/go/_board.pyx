"""Chains of stones and their liberties: playing a move, taking it back, and counting.

Sums of the liberties of a chain, and of their squares, give one or two of them without a walk
around the chain. Empty points keep what is left of stones that were there, which `undo` needs.
"""

from libc.string cimport memset

import numpy as np

from yardstone.go.points import neighbours, stone_keys, symmetry_points


cdef class Position:
    """The stones on a board, the simple ko, prisoners, and keys under the eight symmetries."""

    def __init__(self, int size):
        self.size = size
        self.near, self.turns = neighbours(size), symmetry_points(size)
        self.random = stone_keys(size)
        self.stones.near = &self.near[0, 0]
        self.stones.area = size * size
        self.stones.colour[size * size] = WALL
        self.stones.ko = -1

    def copy(self):
        """Return a position that goes its own way from here."""
        cdef Position other = Position(self.size)
        other.stones, other.key_of = self.stones, self.key_of
        return other

    def __reduce__(self):
        cdef Stones stones = self.stones
        stones.near = NULL
        return _position, (self.size, (<char*>&stones)[:sizeof(Stones)], list(self.key_of))

    @property
    def colours(self):
        """Colours of the points, int8 [points]; a copy."""
        return points_of(&self.stones, self.stones.colour)

    def colour(self, int point):
        """Who has a stone on a point."""
        return self.stones.colour[point]

    @property
    def key(self):
        """The key of the position as it lies."""
        return self.key_of[0]

    @property
    def keys(self):
        """The keys under the eight symmetries, uint64 [8]; a copy."""
        return np.array(self.key_of, np.uint64)

    @property
    def ko(self):
        """The point that the simple ko forbids, or -1."""
        return self.stones.ko

    @property
    def captures(self):
        """Stones that were taken off of Black, and of White."""
        return self.stones.lost[BLACK], self.stones.lost[WHITE]

    def chain(self, int point):
        """The points of the chain of a stone; none if there is no stone."""
        cdef int stone = point
        points = []
        while self.stones.colour[point] != EMPTY:
            points.append(stone)
            stone = self.stones.next[stone]
            if stone == point:
                break
        return points

    def put(self, int point, int colour):
        """Set a stone up; whether the point was empty and nothing was captured by it."""
        cdef Move move
        if self.stones.colour[point] != EMPTY:
            return False
        play(&self.stones, point, colour, &move)
        self.stones.ko = -1
        self.change_keys(&move)
        return move.captured == 0 and move.suicide < 0

    def play(self, int point, int colour):
        """Play a move that is possible, or pass."""
        self.play_move(point, colour)

    cdef void play_move(self, int point, int colour) noexcept nogil:
        cdef Move move
        if point == PASS:
            self.stones.ko = -1
        else:
            play(&self.stones, point, colour, &move)
            self.change_keys(&move)

    def remove_chain(self, int point):
        """Take the chain of a stone off the board, which is no capture; returns its size."""
        cdef int head = self.stones.head[point]
        if self.stones.colour[point] == EMPTY:
            return 0
        set_chain(&self.stones, head, EMPTY)
        return self.stones.chain[head].size

    def is_suicide(self, int point, int colour):
        """Whether a stone on an empty point would have no liberty and capture nothing."""
        return is_suicide(&self.stones, point, colour)

    def has_friend(self, int point, int colour):
        """Whether a stone of a colour stands beside a point."""
        return has_friend(&self.stones, point, colour)

    def key_after(self, int point, int colour):
        """Key of the position after a move on an empty point."""
        return self.key_of_next(point, colour)

    cdef Key key_of_next(self, int point, int colour) noexcept nogil:
        cdef Key key = self.key_of[0] ^ self.random[0, colour, point]
        key ^= self.key_in_atari(point, BLACK + WHITE - colour)
        if is_suicide(&self.stones, point, colour):
            key ^= self.random[0, colour, point] ^ self.key_in_atari(point, colour)
        return key

    cdef Key key_in_atari(self, int point, int colour) noexcept nogil:
        """Key of the chains of a colour around a point that have no other liberty."""
        cdef int side, other, head, stone, first = -1, second = -1, third = -1
        cdef Key key = 0
        for side in range(4):
            other = self.stones.near[4 * point + side]
            if self.stones.colour[other] != colour:
                continue
            head = self.stones.head[other]
            if self.stones.chain[head].liberties == 1 and head not in (first, second, third):
                first, second, third = head, first, second
                stone = head
                while True:
                    key ^= self.random[0, colour, stone]
                    stone = self.stones.next[stone]
                    if stone == head:
                        break
        return key

    cdef void change_keys(self, const Move* move) noexcept nogil:
        """Bring the keys up to date after a move."""
        cdef int k
        self.change_key(move.colour, move.point)
        for k in range(move.captured):
            self.change_chain_keys(BLACK + WHITE - move.colour, move.captures[k])
        if move.suicide >= 0:
            self.change_chain_keys(move.colour, move.suicide)

    cdef void change_chain_keys(self, int colour, int head) noexcept nogil:
        cdef int stone = head
        while True:
            self.change_key(colour, stone)
            stone = self.stones.next[stone]
            if stone == head:
                break

    cdef void change_key(self, int colour, int point) noexcept nogil:
        cdef int turn
        for turn in range(TURNS):
            self.key_of[turn] ^= self.random[turn, colour, point]

    def area(self, bint suicide, bint whole):
        """Whose pass-alive stones and territory each point is; with `whole` whose area."""
        cdef unsigned char[POINTS] owner
        find_area(&self.stones, suicide, whole, owner)
        return points_of(&self.stones, owner)

    def plain_area(self):
        """Whose area each point is if every stone on the board lives."""
        cdef unsigned char[POINTS] owner
        find_plain_area(&self.stones, owner)
        return points_of(&self.stones, owner)

    def area_without_seki(self, const signed char[::1] area, bint stones, bint dead):
        """`find_area_without_seki` of an area: the owners, and the numbers of parts."""
        cdef unsigned char[POINTS] whole, owner
        cdef int point
        for point in range(self.stones.area):
            whole[point] = area[point]
        whole[self.stones.area] = WALL
        groups = find_area_without_seki(&self.stones, whole, stones, dead, owner)
        return points_of(&self.stones, owner), groups


def _position(int size, bytes stones, keys):
    """Make a position of what was kept of it."""
    cdef Position position = Position(size)
    cdef const int* near = position.stones.near
    if len(stones) != sizeof(Stones):
        raise ValueError("this position was kept by another version")
    position.stones = (<Stones*><char*>stones)[0]
    position.stones.near, position.key_of = near, keys
    return position


cdef object points_of(const Stones* board, const unsigned char* values):
    """An array of int8 of a value of each point."""
    return np.frombuffer(values[:board.area], np.int8).copy()


cdef void play(Stones* board, int point, int colour, Move* move) noexcept nogil:
    """Put a stone on an empty point and capture what has no liberty.

    The move is taken for possible. A chain without liberties that captures nothing is taken off
    itself. What the move changes is written to `move`.
    """
    cdef int side, other, head, own, keep, join, last = -1, stones = 0
    cdef int enemy = BLACK + WHITE - colour
    cdef Chain* chain = &board.chain[point]
    move.point, move.colour, move.ko = point, colour, board.ko
    move.head, move.next, move.chain = board.head[point], board.next[point], chain[0]
    move.captured = move.joined = 0
    move.suicide = -1
    board.colour[point] = colour
    board.head[point] = board.next[point] = point
    chain.size = 1
    chain.liberties = chain.sum = chain.squares = 0
    for side in range(4):
        other = board.near[4 * point + side]
        if board.colour[other] == EMPTY:
            add_liberty(chain, other, 1)
    change_liberty(board, point, enemy, -1)
    change_liberty(board, point, colour, -1)
    for side in range(4):
        other = board.near[4 * point + side]
        head = board.head[other]
        if board.colour[other] == enemy and board.chain[head].liberties == 0:
            set_chain(board, head, EMPTY)
            move.captures[move.captured] = head
            move.captured += 1
            stones += board.chain[head].size
            last = other
    for side in range(4):
        other = board.near[4 * point + side]
        if board.colour[other] == colour and board.head[other] != board.head[point]:
            keep, join = board.head[point], board.head[other]
            if board.chain[join].size > board.chain[keep].size:
                keep, join = join, keep
            move.joins[move.joined] = Join(keep, join, board.chain[keep])
            move.joined += 1
            join_chains(board, keep, join)
    own = board.head[point]
    chain = &board.chain[own]
    if chain.liberties == 0:
        set_chain(board, own, EMPTY)
        board.lost[colour] += chain.size
        move.suicide = own
    board.lost[enemy] += stones
    board.ko = last if stones == 1 and chain.size == 1 and chain.liberties == 1 else -1


cdef void undo(Stones* board, const Move* move) noexcept nogil:
    """Take the last move back, no suicide."""
    cdef int k, stone, keep, join, point = move.point, enemy = BLACK + WHITE - move.colour
    board.ko = move.ko
    for k in range(move.joined - 1, -1, -1):
        keep, join = move.joins[k].keep, move.joins[k].join
        board.next[keep], board.next[join] = board.next[join], board.next[keep]
        board.chain[keep] = move.joins[k].kept
        stone = join
        while True:
            board.head[stone] = join
            stone = board.next[stone]
            if stone == join:
                break
    for k in range(move.captured - 1, -1, -1):
        board.lost[enemy] -= board.chain[move.captures[k]].size
        set_chain(board, move.captures[k], enemy)
    board.colour[point] = EMPTY
    change_liberty(board, point, enemy, 1)
    change_liberty(board, point, move.colour, 1)
    board.head[point], board.next[point], board.chain[point] = move.head, move.next, move.chain


cdef inline void add_liberty(Chain* chain, int point, int change) noexcept nogil:
    chain.liberties += change
    chain.sum += change * point
    chain.squares += change * point * point


cdef void change_liberty(Stones* board, int point, int colour, int change) noexcept nogil:
    """Give the chains of a colour around a point that point as a liberty (+1), or take it (-1)."""
    cdef int side, other, head, first = -1, second = -1, third = -1
    for side in range(4):
        other = board.near[4 * point + side]
        if board.colour[other] == colour:
            head = board.head[other]
            if head not in (first, second, third):
                first, second, third = head, first, second
                add_liberty(&board.chain[head], point, change)


cdef void set_chain(Stones* board, int head, int colour) noexcept nogil:
    """Take a chain off the board (`EMPTY`), or give one back its colour that was taken off."""
    cdef int enemy = BLACK + WHITE - max(colour, <int>board.colour[head])
    cdef int stone = head, change = 1 if colour == EMPTY else -1
    while True:
        board.colour[stone] = colour
        change_liberty(board, stone, enemy, change)
        stone = board.next[stone]
        if stone == head:
            return


cdef void join_chains(Stones* board, int keep, int join) noexcept nogil:
    """Make one chain of two that touch; `keep` remains its head."""
    cdef int side, liberty, stone = join
    while True:
        for side in range(4):
            liberty = board.near[4 * stone + side]
            if board.colour[liberty] == EMPTY and not touches_chain(board, liberty, keep):
                add_liberty(&board.chain[keep], liberty, 1)
        board.head[stone] = keep
        stone = board.next[stone]
        if stone == join:
            break
    board.chain[keep].size += board.chain[join].size
    board.next[keep], board.next[join] = board.next[join], board.next[keep]


cdef inline bint touches_chain(const Stones* board, int point, int head) noexcept nogil:
    cdef int side, other
    for side in range(4):
        other = board.near[4 * point + side]
        if board.colour[other] == board.colour[head] and board.head[other] == head:
            return True
    return False


cdef struct Regions:
    int[POINTS] region  # of a point, or -1
    int[POINTS] member  # points, one region after the other
    int[POINTS + 1] start  # where those of a region begin
    int[POINTS] inside, stones  # points of a region that touch no stone; stones of the opponent
    bint[POINTS] doubtful  # whether a region touches a chain that does not live
    int[POINTS][4] vital  # chains of which every point of a region is a liberty, by heads, or -1
    int[POINTS] head  # chains
    bint[POINTS] dead  # whether a chain does not live
    int[POINTS] eyes  # vital regions of a chain


cdef void find_area(
    const Stones* board, bint suicide, bint whole, unsigned char* owner
) noexcept nogil:
    """Write to `owner` whose pass-alive stones and territory each point is, or `EMPTY`.

    With `whole` whose area each point is, if the game ended now: all other stones belong to
    those who have them, and empty regions to whom alone they touch.
    """
    cdef int point
    memset(owner, EMPTY, board.area)
    owner[board.area] = WALL
    mark_area(board, BLACK, suicide, whole, owner)
    mark_area(board, WHITE, suicide, whole, owner)
    if whole:
        for point in range(board.area):
            if owner[point] == EMPTY:
                owner[point] = board.colour[point]


cdef void mark_area(
    const Stones* board, int colour, bint suicide, bint big, unsigned char* owner
) noexcept nogil:
    """Mark in `owner` what a player owns; with `big` the territories that are not safe as well."""
    cdef Regions work
    cdef int point, place, region, side, regions = 0, chains = 0, end = 0
    cdef bint safe
    for point in range(board.area):
        work.region[point] = -1
        if board.colour[point] == colour and board.head[point] == point:
            work.head[chains] = point
            work.dead[point], work.eyes[point] = False, 0
            chains += 1
    if chains == 0:
        return
    for point in range(board.area):
        if board.colour[point] == EMPTY and work.region[point] < 0:
            end = find_region(board, colour, suicide, point, regions, end, &work)
            for side in range(4):
                if work.vital[regions][side] >= 0:
                    work.eyes[work.vital[regions][side]] += 1
            regions += 1
    work.start[regions] = end
    let_die(board, colour, chains, &work)
    for point in range(board.area):
        if board.colour[point] == colour and not work.dead[board.head[point]]:
            owner[point] = colour
    for region in range(regions):
        # A point that touches no living stone is room for one eye at most.
        safe = not work.doubtful[region] and (
            work.inside[region] <= 1 or (big and work.stones[region] == 0)
        )
        if safe or (big and work.stones[region] == 0):
            for place in range(work.start[region], work.start[region + 1]):
                point = work.member[place]
                if safe or owner[point] == EMPTY:
                    owner[point] = colour


cdef int find_region(
    const Stones* board, int colour, bint suicide, int start, int region, int end, Regions* work
) noexcept nogil:
    """Collect the region around an empty point; returns the end of the list of members."""
    cdef int side, other, there, point, head, earlier, place = end
    cdef bint touches
    work.start[region] = place
    work.inside[region] = work.stones[region] = 0
    work.doubtful[region] = False
    work.region[start] = region
    work.member[end] = start
    end += 1
    while place < end:
        point = work.member[place]
        place += 1
        touches = False
        for side in range(4):
            other = board.near[4 * point + side]
            there = board.colour[other]
            if there == colour:
                touches = True
            elif there != WALL and work.region[other] < 0:
                work.region[other] = region
                work.member[end] = other
                end += 1
        if not touches:
            work.inside[region] += 1
        if board.colour[point] != EMPTY:
            work.stones[region] += 1
    for side in range(4):
        other = board.near[4 * start + side]
        head = board.head[other] if board.colour[other] == colour else -1
        for earlier in range(side):
            if work.vital[region][earlier] == head:
                head = -1
        place = work.start[region]
        while head >= 0 and place < end:
            point = work.member[place]
            place += 1
            if (suicide or board.colour[point] == EMPTY) and not touches_chain(board, point, head):
                head = -1
        work.vital[region][side] = head
    return end


cdef void let_die(const Stones* board, int colour, int chains, Regions* work) noexcept nogil:
    """Mark the chains that do not live, and the regions that touch them (Benson 1976)."""
    cdef int number, head, stone, side, other, there, region, place
    cdef bint changed = True
    while changed:
        changed = False
        for number in range(chains):
            head = work.head[number]
            if work.dead[head] or work.eyes[head] >= 2:
                continue
            work.dead[head] = changed = True
            stone = head
            while True:
                for side in range(4):
                    other = board.near[4 * stone + side]
                    there = board.colour[other]
                    if there != colour and there != WALL:
                        region = work.region[other]
                        if not work.doubtful[region]:
                            work.doubtful[region] = True
                            for place in range(4):
                                if work.vital[region][place] >= 0:
                                    work.eyes[work.vital[region][place]] -= 1
                stone = board.next[stone]
                if stone == head:
                    break


cdef struct Parts:
    bint[POINTS] seen
    int[POINTS] member  # points of a part


cdef int flood(
    const Stones* board, const unsigned char* kinds, int start, Parts* parts
) noexcept nogil:
    """Collect the points of one kind that hang together with `start`; returns how many."""
    cdef int point, side, other, place = 0, end = 1
    parts.seen[start] = True
    parts.member[0] = start
    while place < end:
        point = parts.member[place]
        place += 1
        for side in range(4):
            other = board.near[4 * point + side]
            if kinds[other] == kinds[start] and not parts.seen[other]:
                parts.seen[other] = True
                parts.member[end] = other
                end += 1
    return end


cdef void find_plain_area(const Stones* board, unsigned char* owner) noexcept nogil:
    """Write to `owner` whose area each point is if every stone on the board lives."""
    cdef Parts parts
    cdef int start, number, side, end, touched
    memset(parts.seen, False, sizeof(parts.seen))
    for start in range(board.area + 1):
        owner[start] = board.colour[start]
    for start in range(board.area):
        if board.colour[start] != EMPTY or parts.seen[start]:
            continue
        end = flood(board, board.colour, start, &parts)
        touched = 0  # bit 1 for Black, bit 2 for White
        for number in range(end):
            for side in range(4):
                if board.near[4 * parts.member[number] + side] != board.area:
                    touched |= board.colour[board.near[4 * parts.member[number] + side]]
        if touched == BLACK or touched == WHITE:
            for number in range(end):
                owner[parts.member[number]] = touched


cdef (int, int) find_area_without_seki(
    const Stones* board, const unsigned char* area, bint stones, bint dead, unsigned char* owner
) noexcept nogil:
    """Write to `owner` the part of an area that does not look like seki.

    A connected part of an area looks like seki if it touches an empty point that nobody owns, or
    has a stone of its owner in atari. With `stones` the stones that count in `area` are kept in any
    case, with `dead` the points that are not stones of their owner. Returns the numbers of parts of
    Black's and of White's area that do not look like it.
    """
    cdef Parts parts
    cdef int start, number, point, side, other, end, colour, black = 0, white = 0
    cdef bint seki, own
    memset(parts.seen, False, sizeof(parts.seen))
    memset(owner, EMPTY, board.area)
    owner[board.area] = WALL
    for start in range(board.area):
        colour = area[start]
        if colour == EMPTY or parts.seen[start]:
            continue
        end = flood(board, area, start, &parts)
        seki = False
        for number in range(end):
            point = parts.member[number]
            if board.colour[point] == colour and chain_at(board, point).liberties == 1:
                seki = True
            for side in range(4):
                other = board.near[4 * point + side]
                if area[other] == EMPTY and board.colour[other] == EMPTY:
                    seki = True
        if not seki:
            black += colour == BLACK
            white += colour == WHITE
        for number in range(end):
            point = parts.member[number]
            own = board.colour[point] == colour
            if not seki or (stones and own) or (dead and not own):
                owner[point] = colour
    return black, white
