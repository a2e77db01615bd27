"""The steps of ratings by the errors of earlier matches."""

from yardstone.ratings._steps cimport System
from yardstone.winprob._laws cimport logistic


cdef class Errors(System):
    """Ratings by errors; kinds are moves and the cube.

    Of each match: `weights` (matches, 2), points for an error of one at its length; `steepness`,
    log odds of a point; `loss` and `decisions` (matches, 2, 2) of both players and kinds. Of each
    player: `lost` and `decided` (players, 2), sums of these; of each kind `rates` is the sum of the
    players' own rates, and `number` how many they are. `usual` and `share` (2,) are the mean error
    rate of people and what it is worth, in decisions; it counts as `people` players. `perfect` is
    the rating of perfect play.
    """

    cdef const double[:, ::1] weights
    cdef const double[::1] steepness, usual, share
    cdef const double[:, :, ::1] loss, decisions
    cdef double[:, ::1] lost, decided
    cdef double[::1] rates, number
    cdef double people, perfect

    def __init__(self, matches, players, usual, share, people, perfect):
        self.weights, self.steepness, self.loss, self.decisions = matches
        self.lost, self.decided, self.rates, self.number = players
        self.usual, self.share, self.people, self.perfect = usual, share, people, perfect

    cdef double rate(self, Py_ssize_t p, Py_ssize_t kind) noexcept nogil:
        """A player's error rate: that of earlier matches, drawn towards the players' mean."""
        cdef double mean = self.people * self.usual[kind] + self.rates[kind]
        mean /= self.people + self.number[kind]
        return (self.lost[p, kind] + self.share[kind] * mean) / (
            self.decided[p, kind] + self.share[kind]
        )

    cdef void predict(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef Py_ssize_t p, side, kind
        cdef double cost
        for side in range(2):
            p = self.player(g, side)
            cost = 0.0
            for kind in range(2):
                cost += self.weights[g, kind] * self.rate(p, kind)
            self.before[g, side] = self.perfect - cost
        self.expected[g] = logistic((self.before[g, 0] - self.before[g, 1]) * self.steepness[g])

    cdef void learn(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef Py_ssize_t p, side, kind
        for side in range(2):
            p = self.player(g, side)
            for kind in range(2):
                if self.decisions[g, side, kind] <= 0.0:
                    continue
                if self.decided[p, kind] > 0.0:
                    self.rates[kind] -= self.lost[p, kind] / self.decided[p, kind]
                    self.number[kind] -= 1.0
                self.lost[p, kind] += self.loss[g, side, kind]
                self.decided[p, kind] += self.decisions[g, side, kind]
                self.rates[kind] += self.lost[p, kind] / self.decided[p, kind]
                self.number[kind] += 1.0
