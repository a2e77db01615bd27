"""Games added to a table of pairs that is in order, as `PairTally` keeps it.

The keys of games are in order too: the first player's number, 31 bits of the second's, and 2 bits
with the points of the first, doubled.
"""

from libc.stdint cimport uint64_t

ctypedef fused Count:
    unsigned char
    unsigned short
    unsigned int


cdef class Counts:
    """A count of each pair, as float64 or, for very many pairs, as whole numbers of few bytes."""

    def __init__(self, counts):
        self.size = counts.itemsize
        if self.size == 8:
            self.numbers = counts
        elif self.size == 1:
            self.bytes = counts
        elif self.size == 2:
            self.shorts = counts
        else:
            self.ints = counts


cdef inline int first_of(uint64_t pair) noexcept nogil:
    return <int>(pair >> 31)


cdef inline int second_of(uint64_t pair) noexcept nogil:
    return <int>(pair & 0x7FFFFFFF)


def survey(
    const uint64_t[::1] keys, const int[::1] first, const int[::1] second,
    const Count[::1] wins, const Count[::1] draws, const Count[::1] losses,
):
    """How many pairs of `keys` are new, and the most games of a pair afterwards."""
    cdef Py_ssize_t new = 0, most = 0, k = 0, at = 0, total
    cdef uint64_t pair
    cdef int i, j
    with nogil:
        while at < keys.shape[0]:
            pair = keys[at] >> 2
            i, j = first_of(pair), second_of(pair)
            total = -at
            while at < keys.shape[0] and keys[at] >> 2 == pair:
                at += 1
            total += at
            while k < first.shape[0] and (first[k] < i or (first[k] == i and second[k] < j)):
                k += 1
            if k < first.shape[0] and first[k] == i and second[k] == j:
                total += <Py_ssize_t>wins[k] + draws[k] + losses[k]
            else:
                new += 1
            most = max(most, total)
    return new, most


def merge(
    const uint64_t[::1] keys, Py_ssize_t known, int[::1] first, int[::1] second,
    Count[::1] wins, Count[::1] draws, Count[::1] losses,
):
    """Add the games of `keys` to the table, of which `known` rows are filled."""
    cdef Py_ssize_t place = first.shape[0] - 1, k = known - 1, at = keys.shape[0] - 1
    cdef uint64_t pair
    cdef Count result[3]
    cdef int i, j
    with nogil:
        while at >= 0:
            pair = keys[at] >> 2
            i, j = first_of(pair), second_of(pair)
            while k >= 0 and (first[k] > i or (first[k] == i and second[k] > j)):
                first[place], second[place] = first[k], second[k]
                wins[place], draws[place], losses[place] = wins[k], draws[k], losses[k]
                place -= 1
                k -= 1
            result[0] = result[1] = result[2] = 0
            if k >= 0 and first[k] == i and second[k] == j:
                result[0], result[1], result[2] = losses[k], draws[k], wins[k]
                k -= 1
            while at >= 0 and keys[at] >> 2 == pair:
                result[keys[at] & 3] += 1
                at -= 1
            first[place], second[place] = i, j
            wins[place], draws[place], losses[place] = result[2], result[1], result[0]
            place -= 1
