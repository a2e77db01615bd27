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
where a turn of the board takes them (`rank`), which the position itself decides.
"""

from libc.string cimport memset

import numpy as np

from yardstone.go._board cimport (
    BLACK,
    EMPTY,
    TURNS,
    WALL,
    WHITE,
    Chain,
    Move,
    Position,
    Stones,
    chain_at,
    may_play,
    play,
    points_of,
    two_liberties,
    undo,
)

cpdef enum:
    FREE
    CAUGHT
    GIVEN_UP

cdef enum:
    OPEN = -1
    LIMIT = 25_000  # moves after which a search is given up


cdef class LadderReader:
    """Reads the ladders of a position, which is afterwards as it was."""

    def __init__(self, Position position, int limit=LIMIT):
        self.position, self.board, self.limit = position, &position.stones, limit
        self.deepest = position.stones.area * 3 // 2
        self.memory = np.zeros((self.deepest + 2) * sizeof(Node), np.uint8)
        cdef unsigned char[::1] memory = self.memory
        self.nodes = <Node*>&memory[0]

    def answer(self, int point, int turn=0):
        """`CAUGHT`, `FREE` or `GIVEN_UP` for the chain of a stone, moves being tried in the order
        of a turn, and the moves that catch it if it has two liberties, or -1."""
        return self.read(self.board.head[point], turn)

    def marks(self):
        """Stones that are caught, and moves that catch chains of Black and of White."""
        cdef Marks marks
        with nogil:
            self.find(&marks)
        return (
            points_of(self.board, marks.caught) != 0,
            points_of(self.board, marks.catching[BLACK]) != 0,
            points_of(self.board, marks.catching[WHITE]) != 0,
        )

    cdef void find(self, Marks* marks) noexcept nogil:
        """Mark stones that are caught, and moves that catch chains of two liberties.

        The turn with the smallest key decides in which order moves are tried, so that the result
        turns with the board. If a search is given up and the board looks the same under another
        turn, that one is tried as well.
        """
        cdef Stones* board = self.board
        cdef int head, stone, turn, answer, first, second, best = 0
        memset(marks, False, sizeof(Marks))
        for turn in range(1, TURNS):
            if self.position.key_of[turn] < self.position.key_of[best]:
                best = turn
        for head in range(board.area):
            if board.colour[head] == EMPTY or board.head[head] != head:
                continue
            answer, first, second = self.read(head, best)
            for turn in range(best + 1, TURNS):
                if answer == GIVEN_UP and self.position.key_of[turn] == self.position.key_of[best]:
                    answer, first, second = self.read(head, turn)
            if answer != CAUGHT:
                continue
            stone = head
            while True:
                marks.caught[stone] = True
                stone = board.next[stone]
                if stone == head:
                    break
            if first >= 0:
                marks.catching[board.colour[head]][first] = True
            if second >= 0:
                marks.catching[board.colour[head]][second] = True

    cdef (int, int, int) read(self, int head, int turn) noexcept nogil:
        """Whether a chain is caught, and the moves that catch one of two liberties, or -1."""
        cdef const int* rank = &self.position.turns[turn, 0]
        if self.board.chain[head].liberties > 2:
            return FREE, -1, -1
        if self.board.chain[head].liberties == 1:
            return self.read_atari(head, rank), -1, -1
        return self.read_attack(head, rank)

    cdef (int, int, int) read_attack(self, int target, const int* rank) noexcept nogil:
        """Read a chain of two liberties, on which the attacker moves first."""
        cdef int attacker = BLACK + WHITE - self.board.colour[target], answer = FREE, value, k
        cdef int[2] moves
        cdef Move played
        moves[0], moves[1] = two_liberties(chain_at(self.board, target))
        for k in range(2):
            value = FREE
            if may_play(self.board, moves[k], attacker, False):
                play(self.board, moves[k], attacker, &played)
                value = self.read_atari(target, rank)
                undo(self.board, &played)
            if value == CAUGHT:
                answer = CAUGHT
            else:
                moves[k] = -1
                if value == GIVEN_UP and answer == FREE:
                    answer = GIVEN_UP
        return answer, moves[0], moves[1]

    cdef int read_atari(self, int target, const int* rank) noexcept nogil:
        """Read a chain in atari, which moves first.

        A ko that forbids a move before the chain's first is left out: kos work for it.
        """
        cdef Stones* board = self.board
        cdef Node* node = self.nodes
        cdef int defender = board.colour[target], former_ko = board.ko
        cdef int colour, depth = 0, moves_played = 0
        cdef int value = OPEN  # of the node just left; open: a node is entered
        cdef bint defending
        if chain_at(board, target).liberties > 1:
            return FREE
        board.ko = -1
        while True:
            node = &self.nodes[depth]
            defending = depth % 2 == 0
            if value == OPEN:
                if depth >= self.deepest:
                    value = CAUGHT
                elif defending:
                    value = self.open_defence(target, rank, node)
                else:
                    value = self.open_attack(target, rank, node)
            elif value != (FREE if defending else CAUGHT):
                value = OPEN  # this move failed, try the next
                node.tried += 1
            if value == OPEN:
                colour = defender if defending else BLACK + WHITE - defender
                while node.tried < node.number:
                    if may_play(board, node.moves[node.tried], colour, False):
                        break
                    node.tried += 1
                if node.tried < node.number:
                    play(board, node.moves[node.tried], colour, &node.played)
                    depth += 1
                    moves_played += 1
                    if moves_played >= self.limit:
                        value = GIVEN_UP
                        break
                    continue
                value = CAUGHT if defending else FREE
            if depth == 0:
                break
            depth -= 1
            undo(board, &self.nodes[depth].played)
        while depth > 0:
            depth -= 1
            undo(board, &self.nodes[depth].played)
        board.ko = former_ko
        return value

    cdef int open_defence(self, int target, const int* rank, Node* node) noexcept nogil:
        """Decide a node where the chain moves, or list its moves."""
        cdef const Stones* board = self.board
        cdef const Chain* chain = chain_at(board, target)
        cdef int k, least, most, last = chain.sum
        cdef bint alone = True, known = False
        if chain.liberties >= 2 or board.ko >= 0:
            return FREE
        list_captures(board, target, rank, node)
        for k in range(node.number):
            if node.moves[k] == last:
                known = True
            else:
                alone = False
        if not known:
            node.moves[node.number] = last
            node.number += 1
        least, most = bounds_after(board, last, board.colour[target])
        if least >= 3:
            return FREE
        if alone and most <= 1:
            return CAUGHT
        node.tried = 0
        return OPEN

    cdef int open_attack(self, int target, const int* rank, Node* node) noexcept nogil:
        """Decide a node where the attacker moves, or list the moves."""
        cdef Stones* board = self.board
        cdef const Chain* chain = chain_at(board, target)
        cdef int colour = board.colour[target]
        cdef int side, first, second, empty_first, empty_second, lead
        cdef bint touch = False
        if chain.liberties <= 1:
            return CAUGHT
        if chain.liberties >= 3:
            return FREE
        first, second = two_liberties(chain)
        empty_first, empty_second = empty_around(board, first), empty_around(board, second)
        if empty_first == 0 and empty_second == 0 and both_are_kos(board, target, first, second):
            list_captures(board, target, rank, node)
            if node.number == 0:
                return CAUGHT
        node.number, node.tried = 2, 0
        for side in range(4):
            if board.near[4 * first + side] == second:
                touch = True
        if not touch and (empty_first >= 3 or empty_second >= 3):
            if empty_first >= 3 and empty_second >= 3:
                return FREE
            # The chain must be kept from the open side, so there is one move only.
            node.number = 1
            node.moves[0] = first if empty_first >= 3 else second
            return OPEN
        lead = ways_on(board, second, colour) - ways_on(board, first, colour)
        if lead > 0 or (lead == 0 and rank[second] < rank[first]):
            first, second = second, first
        node.moves[0], node.moves[1] = first, second
        return OPEN


cdef void list_captures(
    const Stones* board, int target, const int* rank, Node* node
) noexcept nogil:
    """List the captures beside a chain, by rank."""
    cdef int side, other, move, k, later, enemy = BLACK + WHITE - board.colour[target]
    cdef int stone = target
    node.number = 0
    while True:
        for side in range(4):
            other = board.near[4 * stone + side]
            if board.colour[other] == enemy and chain_at(board, other).liberties == 1:
                move = chain_at(board, other).sum
                k = node.number
                while k > 0 and rank[node.moves[k - 1]] > rank[move]:
                    k -= 1
                if k == 0 or node.moves[k - 1] != move:
                    for later in range(node.number, k, -1):
                        node.moves[later] = node.moves[later - 1]
                    node.moves[k] = move
                    node.number += 1
        stone = board.next[stone]
        if stone == target:
            return


cdef int empty_around(const Stones* board, int point) noexcept nogil:
    cdef int side, count = 0
    for side in range(4):
        count += board.colour[board.near[4 * point + side]] == EMPTY
    return count


cdef (int, int) bounds_after(const Stones* board, int point, int colour) noexcept nogil:
    """Bounds, from below and above, on the liberties of a stone put on a point."""
    cdef int side, other, there, liberties
    cdef int empty = 0, captures = 0, captured = 0, connected = 0, longest = 0
    for side in range(4):
        other = board.near[4 * point + side]
        there = board.colour[other]
        if there == EMPTY:
            empty += 1
        elif there != WALL:
            liberties = chain_at(board, other).liberties - 1
            if there == colour:
                connected += liberties
                longest = max(longest, liberties)
            elif liberties == 0:
                captures += 1
                captured += chain_at(board, other).size
    return captures + max(longest, empty), empty + captured + connected


cdef int ways_on(const Stones* board, int point, int colour) noexcept nogil:
    """How many liberties a chain of a colour finds at one of its own, about and doubled."""
    cdef int side, other, there, liberties, worth = 0
    for side in range(4):
        other = board.near[4 * point + side]
        there = board.colour[other]
        if there == EMPTY:
            worth += 2
        elif there == colour:
            liberties = chain_at(board, other).liberties
            if liberties > 1:
                worth += 2 * liberties - 3
    return worth


cdef bint both_are_kos(Stones* board, int target, int first, int second) noexcept nogil:
    """Whether the chain's liberties are both mouths of kos, and it gains nothing at either."""
    cdef int colour = board.colour[target], attacker = BLACK + WHITE - colour
    return (
        is_ko_mouth(board, first, attacker)
        and is_ko_mouth(board, second, attacker)
        and not gains_by(board, first, colour)
        and not gains_by(board, second, colour)
    )


cdef bint is_ko_mouth(const Stones* board, int point, int colour) noexcept nogil:
    """Whether a move of a colour there takes a single stone out of stones all around it."""
    cdef int side, other, taken = -1
    for side in range(4):
        other = board.near[4 * point + side]
        if board.colour[other] == WALL:
            continue
        if board.colour[other] != BLACK + WHITE - colour:
            return False
        if chain_at(board, other).liberties == 1:
            if taken >= 0:
                return False
            taken = board.head[other]
    return taken >= 0 and board.chain[taken].size == 1


cdef bint gains_by(Stones* board, int point, int colour) noexcept nogil:
    """Whether a stone there would have three liberties or more."""
    cdef Move played
    play(board, point, colour, &played)
    cdef bint gains = board.colour[point] == colour and chain_at(board, point).liberties >= 3
    undo(board, &played)
    return gains
