"""What the inputs of networks use of `_ladders`."""

from yardstone.go._board cimport Move, POINTS, Position, Stones

cdef enum:
    MOST_MOVES = 182  # at one node: each captures a chain of its own, which needs two points


cdef struct Node:
    int number, tried
    int[MOST_MOVES] moves
    Move played


cdef struct Marks:
    unsigned char[POINTS] caught  # stones
    unsigned char[3][POINTS] catching  # moves that catch a chain of two liberties, by its colour


cdef class LadderReader:
    cdef Position position
    cdef Stones* board
    cdef Node* nodes
    cdef object memory
    cdef int deepest, limit

    cdef void find(self, Marks* marks) noexcept nogil
    cdef (int, int, int) read(self, int head, int turn) noexcept nogil
    cdef (int, int, int) read_attack(self, int target, const int* rank) noexcept nogil
    cdef int read_atari(self, int target, const int* rank) noexcept nogil
    cdef int open_defence(self, int target, const int* rank, Node* node) noexcept nogil
    cdef int open_attack(self, int target, const int* rank, Node* node) noexcept nogil
