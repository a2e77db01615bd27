"""What other loops use of `_board`: stones, moves, and what is asked of a point."""

from libc.math cimport sqrt

ctypedef unsigned long long Key

cdef enum:
    PASS = -1
    EMPTY = 0
    BLACK = 1
    WHITE = 2
    WALL = 3  # the colour of the edge
    TURNS = 8  # symmetries of the board
    POINTS = 19 * 19 + 1  # of the largest board, and its edge


cdef struct Chain:
    int size, liberties
    int sum, squares  # of the points of its liberties


cdef struct Stones:
    const int* near  # the four neighbours of each point; the edge is the point `area`
    int area
    unsigned char[POINTS] colour
    int[POINTS] head  # one stone of the chain of a stone, which stands for the chain
    int[POINTS] next  # the next stone of the chain, in a circle
    Chain[POINTS] chain  # at its head
    int ko  # the point of the simple ko, or -1
    int[3] lost  # stones that have been captured of each colour


cdef struct Join:
    int keep, join
    Chain kept


cdef struct Move:
    int point, colour, ko
    int head, next  # what was left at the point of a stone that was there
    Chain chain
    int captured, joined
    int[4] captures  # heads of the captured chains
    Join[4] joins
    int suicide  # the head of the own chain if it was taken off, or -1


cdef void play(Stones* board, int point, int colour, Move* move) noexcept nogil
cdef void undo(Stones* board, const Move* move) noexcept nogil
cdef void find_area(
    const Stones* board, bint suicide, bint whole, unsigned char* owner
) noexcept nogil
cdef (int, int) find_area_without_seki(
    const Stones* board, const unsigned char* area, bint stones, bint dead, unsigned char* owner
) noexcept nogil
cdef object points_of(const Stones* board, const unsigned char* values)


cdef class Position:
    cdef Stones stones
    cdef Key[TURNS] key_of  # by symmetry
    cdef readonly int size
    cdef const int[:, ::1] near, turns
    cdef const Key[:, :, ::1] random

    cdef void play_move(self, int point, int colour) noexcept nogil
    cdef Key key_of_next(self, int point, int colour) noexcept nogil
    cdef Key key_in_atari(self, int point, int colour) noexcept nogil
    cdef void change_keys(self, const Move* move) noexcept nogil
    cdef void change_chain_keys(self, int colour, int head) noexcept nogil
    cdef void change_key(self, int colour, int point) noexcept nogil


cdef inline const Chain* chain_at(const Stones* board, int point) noexcept nogil:
    """The chain of a stone."""
    return &board.chain[board.head[point]]


cdef inline bint is_suicide(const Stones* board, int point, int colour) noexcept nogil:
    """Whether a stone on an empty point would have no liberty and capture nothing."""
    cdef int side, other, there
    for side in range(4):
        other = board.near[4 * point + side]
        there = board.colour[other]
        if there == EMPTY:
            return False
        if there == colour:
            if chain_at(board, other).liberties > 1:
                return False
        elif there != WALL and chain_at(board, other).liberties == 1:
            return False
    return True


cdef inline bint has_friend(const Stones* board, int point, int colour) noexcept nogil:
    """Whether a stone of a colour stands beside a point."""
    cdef int side
    for side in range(4):
        if board.colour[board.near[4 * point + side]] == colour:
            return True
    return False


cdef inline bint can_be_played(const Stones* board, int point, int colour) noexcept nogil:
    """Whether a move is possible at all, whatever the rules say about ko and suicide."""
    if point == PASS:
        return True
    if not 0 <= point < board.area or board.colour[point] != EMPTY:
        return False
    return has_friend(board, point, colour) or not is_suicide(board, point, colour)


cdef inline bint may_play(const Stones* board, int point, int colour, bint suicide) noexcept nogil:
    """Whether a move on a point is possible, superko apart; `suicide`: of two or more stones."""
    if board.colour[point] != EMPTY or board.ko == point:
        return False
    if not is_suicide(board, point, colour):
        return True
    return suicide and has_friend(board, point, colour)


cdef inline (int, int) two_liberties(const Chain* chain) noexcept nogil:
    """The two liberties of a chain that has two, the lower point first."""
    cdef double total = chain.sum
    cdef int apart = <int>(sqrt(2.0 * chain.squares - total * total) + 0.5)
    return (chain.sum - apart) // 2, (chain.sum + apart) // 2
