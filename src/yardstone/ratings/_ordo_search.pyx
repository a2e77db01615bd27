"""Ordo's search step by step, the last digits included; see `ordo_search`."""

from libc.math cimport exp, fabs, fmax, sqrt

import numpy as np

from yardstone.winprob._laws cimport logistic

# Where it begins: step, softness of its limit, first resolution.
cdef double STRIDE = 100.0, SOFTNESS = 0.05, FIRST_RESOLUTION = 10.0
# How it goes on: steps shrink between phases, soften within one.
cdef double SHRINK = 1.1, SOFTEN = 1.0 - 1.0 / 1000.0
# When it ends: misfit and resolution; most phases, steps of one, and rounds over both unknowns.
cdef double MISFIT = 1e-7, RESOLUTION = 1e-6
cdef int PHASES = 1000, STEPS = 10_000, CYCLES = 4
cdef double ADVANTAGE_PROGRESS = 0.01, ADVANTAGE_LIMIT = 1000.0


cdef class Search:
    """A search for ratings, which it moves in place.

    Games and `points` (of the first player) are by pair; `beta` is the log odds of a rating point,
    `all_games` the number of the input's, which is part of the condition to stop.
    """

    cdef const int[::1] first, second
    cdef const double[::1] games, points
    cdef double[::1] rating, before, expected, obtained, played
    cdef double beta, scored, total, all_games, misfit
    cdef readonly double advantage

    def __init__(self, first, second, games, points, rating, beta, advantage, all_games):
        self.first, self.second, self.games, self.points = first, second, games, points
        self.scored, self.total = points.sum(), games.sum()
        self.rating, self.beta, self.advantage = rating, beta, advantage
        self.all_games = all_games
        n = len(rating)
        self.before, self.expected = np.zeros(n), np.zeros(n)
        self.obtained, self.played = np.zeros(n), np.zeros(n)

    cdef void expect(self) noexcept nogil:
        """Expected points of every player, in the order of the pairs, and their squared misfit."""
        cdef Py_ssize_t k, i, j, player
        cdef double points, surplus
        self.expected[:] = 0.0
        for k in range(self.first.shape[0]):
            i, j = self.first[k], self.second[k]
            points = self.games[k] * logistic(
                ((self.rating[i] + self.advantage) - self.rating[j]) * self.beta
            )
            self.expected[j] += self.games[k] - points
            self.expected[i] += points
        self.misfit = 0.0
        for player in range(self.expected.shape[0]):
            if self.played[player] > 0.0:
                surplus = self.expected[player] - self.obtained[player]
                self.misfit += surplus * surplus / self.played[player]

    cdef double move(self, double stride, double softness) noexcept nogil:
        """Move every rating against its surplus; returns the longest move."""
        cdef double longest = 0.0, surplus, share
        cdef Py_ssize_t player
        for player in range(self.rating.shape[0]):
            if self.played[player] == 0.0:
                continue
            surplus = fabs((self.expected[player] - self.obtained[player]) / self.played[player])
            share = surplus / (softness + surplus)
            longest = fmax(longest, share)
            if self.expected[player] > self.obtained[player]:
                self.rating[player] -= stride * share
            else:
                self.rating[player] += stride * share
        return longest * stride

    cdef double chance(self, Py_ssize_t k, double advantage) noexcept nogil:
        """Expected score of the first player of a pair."""
        cdef double gap = self.rating[self.second[k]] - (self.rating[self.first[k]] + advantage)
        return 1.0 / (1.0 + exp(gap * self.beta))

    cdef double advantage_misfit(self, double advantage) noexcept nogil:
        """Squared difference of expected and scored points of the side moving first, per game."""
        cdef double expected = 0.0
        cdef Py_ssize_t k
        for k in range(self.first.shape[0]):
            expected += self.chance(k, advantage) * self.games[k]
        return (expected - self.scored) * (expected - self.scored) / self.total

    cdef double best_advantage(self, double low, double high) noexcept nogil:
        """The advantage between `low` and `high` that expects the points scored; bisection."""
        cdef double middle, expected, gap
        cdef Py_ssize_t k, _
        for _ in range(100):
            middle = 0.5 * (low + high)
            expected = 0.0
            for k in range(self.first.shape[0]):  # by a division of its own, for the last digits
                gap = self.rating[self.second[k]] - (self.rating[self.first[k]] + middle)
                expected += self.games[k] / (1.0 + exp(gap * self.beta))
            if expected < self.scored:
                low = middle
            else:
                high = middle
            if high - low < 1e-11:
                break
        return 0.5 * (low + high)

    cdef double better_advantage(self, double reach) noexcept nogil:
        """A better advantage, looked for in steps from `reach` on that grow by half."""
        cdef double advantage = self.advantage, below, here, above, one, other
        while True:
            below = self.advantage_misfit(advantage - reach)
            here = self.advantage_misfit(advantage)
            above = self.advantage_misfit(advantage + reach)
            if below >= here and here <= above:
                if not here > 0.0:
                    return advantage
                one = here / below if below <= here else below / here
                other = above / here if here <= above else here / above
                if one < 1.0000001 and other < 1.0000001:
                    return advantage
                return self.best_advantage(advantage - reach, advantage + reach)
            if here >= below and below <= above:
                advantage -= reach
            elif below >= above and above <= here:
                advantage += reach
            else:
                return advantage
            reach *= 1.5
            if not (reach > RESOLUTION and -ADVANTAGE_LIMIT < advantage < ADVANTAGE_LIMIT):
                return advantage

    def run(self, bint free_advantage, Py_ssize_t anchor, double anchor_rating, double most_work):
        """Search; whether it ends before so many evaluations of a pair."""
        with nogil:
            ended = self._run(free_advantage, anchor, anchor_rating, most_work)
        return ended

    cdef bint _run(
        self, bint free_advantage, Py_ssize_t anchor, double anchor_rating, double most_work
    ) noexcept nogil:
        cdef double resolution = FIRST_RESOLUTION, progress = STRIDE, work = 0.0
        cdef double stride, softness, last, previous, excess
        cdef Py_ssize_t k, player, _, __
        cdef int cycle = 0, cycles = CYCLES if free_advantage else 1
        cdef bint done, failed
        for k in range(self.first.shape[0]):
            self.obtained[self.first[k]] += self.points[k]
            self.obtained[self.second[k]] += self.games[k] - self.points[k]
            self.played[self.first[k]] += self.games[k]
            self.played[self.second[k]] += self.games[k]
        while resolution > RESOLUTION or (cycle < cycles and progress > ADVANTAGE_PROGRESS):
            done = False
            stride = STRIDE
            self.expect()
            for _ in range(PHASES):
                softness = 1.0
                if free_advantage:
                    self.advantage = self.better_advantage(resolution)
                for __ in range(STEPS):
                    work += self.first.shape[0]
                    if work > most_work:
                        return False
                    self.before[:] = self.rating
                    last = self.misfit
                    resolution = self.move(stride, SOFTNESS * softness)
                    self.expect()
                    failed = self.misfit >= last
                    if failed:
                        self.rating[:] = self.before
                        self.expect()
                    else:
                        softness *= SOFTEN
                    done = (
                        1000.0 * sqrt(self.misfit / self.all_games) < MISFIT
                        and resolution < RESOLUTION
                    )
                    if done or failed:
                        break
                stride /= SHRINK
                if done:
                    break
            if free_advantage:
                previous = self.advantage
                self.advantage = self.better_advantage(resolution)
                progress = fabs(self.advantage - previous)
            if anchor >= 0:
                excess = self.rating[anchor] - anchor_rating
                for player in range(self.rating.shape[0]):
                    self.rating[player] -= excess
            cycle += 1
        return True
