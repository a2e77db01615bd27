"""The steps of Glicko-2 with priors from moves, on the paper's scale as in `ratings._steps`."""

from libc.math cimport sqrt

import numpy as np

from yardstone.ratings._steps cimport Glicko2, new_volatility, shrink
from yardstone.winprob._laws cimport logistic


def earlier_moves(
    const int[::1] first,
    const int[::1] second,
    const double[:, ::1] number,
    const double[:, ::1] strength,
    double[:, ::1] shown,
):
    """What the moves of earlier games say of both players of each game, in order of time.

    Args:
        first, second (int32 [g]): The players of each game.
        number, strength (float64 [g, 2]): Of the moves of each game itself.
        shown (float64 [players, 2]): Moves before the first game, and their strengths added up;
            brought up to the last.

    Returns:
        float64 [g, 2, 2]: For each side moves and added strengths from the games before.
    """
    cdef Py_ssize_t g, side, p
    result = np.empty((len(first), 2, 2))
    cdef double[:, :, ::1] before = result
    with nogil:
        for g in range(first.shape[0]):
            for side in range(2):
                p = second[g] if side else first[g]
                before[g, side, 0], before[g, side, 1] = shown[p, 0], shown[p, 1]
            for side in range(2):
                p = second[g] if side else first[g]
                shown[p, 0] += number[g, side]
                shown[p, 1] += number[g, side] * strength[g, side]
    return result


cdef class FromMoves(Glicko2):
    """Glicko-2 with what is known of players beside their results.

    `base` (players, 2) holds mean and variance of the prior that `mu` and `phi2` contain, `moves`
    (players, 2) what the last prior said beyond it: precision, and it times the mean. `beliefs` has
    for each game mean and variance of the first player's prior, then of the second's (NaN: none).
    """

    cdef double[:, ::1] base, moves
    cdef const double[:, ::1] beliefs

    def __init__(self, mu, phi2, volatility, last, base, moves, clock, tau, beliefs):
        super().__init__(mu, phi2, volatility, last, clock, tau)
        self.base, self.moves, self.beliefs = base, moves, beliefs

    cdef void enter(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        """Take what the priors say beyond those whose place they take.

        The quotient of two normal densities. A prior that says less than the base, or is not known,
        says nothing.
        """
        cdef Py_ssize_t p, side
        cdef double mean, variance, precision
        for side in range(2):
            p = self.player(g, side)
            mean, variance = self.beliefs[g, 2 * side], self.beliefs[g, 2 * side + 1]
            precision = 1.0 / variance - 1.0 / self.base[p, 1]
            if precision > 0.0:
                self.moves[p, 0] = precision
                self.moves[p, 1] = mean / variance - self.base[p, 0] / self.base[p, 1]
            else:
                self.moves[p, 0] = self.moves[p, 1] = 0.0

    cdef void predict(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef Py_ssize_t p, side
        cdef double idle, variance, ahead
        for side in range(2):
            p = self.player(g, side)
            idle = self.aged(p, period)
            variance = 1.0 / (1.0 / idle + self.moves[p, 0])
            self.before[g, 2 * side] = variance * (self.mu[p] / idle + self.moves[p, 1])
            self.before[g, 2 * side + 1] = sqrt(variance)
            self.change[slot, side], self.change[slot, 2 + side] = idle, variance
        ahead = self.before[g, 0] - self.before[g, 2] + self.ahead[g]
        variance = self.change[slot, 2] + self.change[slot, 3]
        self.expected[g] = logistic(shrink(variance) * ahead)

    cdef void learn(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef Py_ssize_t p, side
        cdef double ahead = self.before[g, 0] - self.before[g, 2] + self.ahead[g]
        cdef double idle, variance, g_other, mine, e, gain, information, v, volatility
        for side in range(2):
            p = self.player(g, side)
            idle, variance = self.change[slot, side], self.change[slot, 2 + side]
            g_other = shrink(self.change[slot, 3 - side])
            mine = 1.0 - self.score[g] if side else self.score[g]
            e = logistic(g_other * (-ahead if side else ahead))
            gain, information = g_other * (mine - e), g_other * g_other * e * (1.0 - e)
            if self.time.shape[0]:
                self.last[p] = self.time[period]
            if information <= 0.0:  # as in `update` of Glicko-2
                self.phi2[p] = idle + self.volatility[p] * self.volatility[p]
                continue
            v = 1.0 / information
            volatility = new_volatility(variance, self.volatility[p], v, v * gain, self.tau)
            self.volatility[p] = volatility
            # The result was linearised where the moves had put the player, and is kept
            # apart from them: they will say something else before the next game.
            gain += information * (self.before[g, 2 * side] - self.mu[p])
            self.phi2[p] = 1.0 / (1.0 / (idle + volatility * volatility) + information)
            self.mu[p] += self.phi2[p] * gain
