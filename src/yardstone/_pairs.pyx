"""Adding up the games of each ordered pair of players."""

import numpy as np


def count_pairs(
    const int[::1] first, const int[::1] second, const double[::1] score, Py_ssize_t players
):
    """Distinct pairs in order of (first, second), with wins, draws and losses of `first`.

    Games are sorted into buckets, by `second` and then by `first`. A game in the bucket of one
    player is four times the other's number and 0, 1 or 2 for a win, a draw or a loss of `first`.
    """
    cdef Py_ssize_t games = first.shape[0], pairs = 0, player, rival, k, start
    by_player = np.empty((2, games), np.int64)
    bounds = np.zeros((2, players + 1), np.int64)
    cdef long long[::1] by_second = by_player[0], by_first = by_player[1]
    cdef long long[::1] end_of_second = bounds[0], end_of_first = bounds[1]
    one, other, counts = np.empty(games, np.int32), np.empty(games, np.int32), np.zeros((3, games))
    cdef int[::1] pair_first = one, pair_second = other
    cdef double[:, ::1] count = counts
    with nogil:
        find_starts(second, end_of_second)
        find_starts(first, end_of_first)
        for k in range(games):
            by_second[end_of_second[second[k]]] = (
                4 * <long long>first[k] + <long long>(2.0 - 2.0 * score[k])
            )
            end_of_second[second[k]] += 1
        k = 0
        for player in range(players):
            while k < end_of_second[player]:
                rival = by_second[k] >> 2
                by_first[end_of_first[rival]] = 4 * player + (by_second[k] & 3)
                end_of_first[rival] += 1
                k += 1
        k = 0
        for player in range(players):
            start = k
            while k < end_of_first[player]:
                if k == start or by_first[k] >> 2 != by_first[k - 1] >> 2:
                    pair_first[pairs], pair_second[pairs] = <int>player, <int>(by_first[k] >> 2)
                    pairs += 1
                count[by_first[k] & 3, pairs - 1] += 1.0
                k += 1
    return one[:pairs].copy(), other[:pairs].copy(), *counts[:, :pairs].copy()


cdef void find_starts(const int[::1] key, long long[::1] start) noexcept nogil:
    """Where the bucket of each player begins, from zeros."""
    cdef Py_ssize_t k
    for k in range(key.shape[0]):
        start[key[k] + 1] += 1
    for k in range(1, start.shape[0]):
        start[k] += start[k - 1]
