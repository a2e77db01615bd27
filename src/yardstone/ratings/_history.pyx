"""Whole-history rating in loops: Newton's method over the days of all players; decay beside it.

Games are laid out in nodes and entries, see `layout.Layout`. All numbers are in logits.
"""

cimport cython
from libc.math cimport exp, fabs, isnan, log, sqrt

import numpy as np

from yardstone.winprob._laws cimport logistic, win_and_loss

cdef double LEAST_CURVATURE = 0.05  # the least curvature of a game, as a share of its expectation
cdef int CG_STEPS = 1000
cdef double LONGEST = 3.0  # steps of a Newton iteration are cut to so many logits
cdef double LONGEST_OF_ONE = 2.0  # and those of one player's strengths to so many
cdef double LEAST = 1e-7  # smaller steps are left out
cdef double TOLERANCE = 1e-5  # of full fits within a replay
cdef int MAX_STEPS = 60
cdef double FORGOTTEN = 1e-3  # games whose weight has fallen below this no longer count
cdef double PI = 3.141592653589793


cdef struct Odds:
    double p
    double q
    double root  # S of the module `joint`


cdef struct Tau:
    double slope
    double observed
    double usual
    double mixed


cdef inline double u2_of(double tau) noexcept nogil:
    """exp(2 tau), as the terms of a game take it; below 0 (tau is NaN) draws are half a win."""
    return -1.0 if isnan(tau) else exp(2.0 * tau)


cdef Odds odds(double difference, double u2) noexcept nogil:
    cdef Odds at
    at.p, at.q = win_and_loss(difference)
    at.root = 1.0
    if u2 >= 0.0:
        at.root = sqrt(max(1.0 + 4.0 * (u2 - 1.0) * at.p * at.q, 0.0))
    return at


cpdef (double, double) game_terms(double difference, double score, double u2) noexcept nogil:
    """Derivative of a game's log-probability by the difference, and minus the second one."""
    cdef Odds at = odds(difference, u2)
    cdef double v = at.p * at.q, residual = score - at.p, ratio, curvature
    if u2 < 0.0:
        return residual, v
    ratio = (1.0 + at.root) / at.root
    curvature = ratio * v + (
        2.0 * (u2 - 1.0) * v * (at.q - at.p) * residual / (at.root * at.root * at.root)
    )
    return ratio * residual, max(curvature, LEAST_CURVATURE * (ratio * v))


cpdef double game_value(double difference, double score, double u2) noexcept nogil:
    """Logarithm of the probability of a game's result."""
    cdef Odds at = odds(difference, u2)
    cdef double value = 0.0, own, other, ahead, share
    if u2 < 0.0:
        if score > 0.0:
            value += score * log(at.p)
        if score < 1.0:
            value += (1.0 - score) * log(at.q)
        return value
    if score == 0.5:
        return log(4.0 * at.p * at.q / (1.0 + at.root))
    own, other = (at.p, at.q) if score == 1.0 else (at.q, at.p)
    ahead = own - other
    share = at.root + ahead if ahead >= 0.0 else 4.0 * at.p * at.q * u2 / (at.root - ahead)
    return log(own * share / (1.0 + at.root))


cpdef Tau tau_terms(double difference, double score, double u2) noexcept nogil:
    """Derivatives of a game's log-probability by tau = ln(u).

    The first; minus the second, as observed and as expected; minus the mixed one by the difference.
    """
    cdef Odds at = odds(difference, u2)
    cdef double v = at.p * at.q, m = at.q - at.p, root = at.root, a, b, t, share, rest
    cdef Tau terms
    if m >= 0.0:
        a = root + m
        b = 4.0 * v * u2 / a
    else:
        b = root - m
        a = 4.0 * v * u2 / b
    t = a * b / root
    share = t * m / (root * root)
    rest = t * (2.0 * root - t) / (root * (1.0 + root)) - (t / (1.0 + root)) * (t / (1.0 + root))
    terms.slope, terms.observed = -t / (1.0 + root), rest
    if score == 1.0:
        terms.slope += a / root
        terms.observed += share
    elif score == 0.0:
        terms.slope += b / root
        terms.observed -= share
    terms.usual = rest + share * (at.p * b - at.q * a) / (1.0 + root)
    terms.mixed = 4.0 * u2 * v * (score - at.p) / (root * root * root)
    return terms


cdef class Laid:
    """The arrays of a `Layout`."""

    cdef const long long[::1] node_start, entry_start, node_entry
    cdef const double[::1] node_day, score, side, shift
    cdef const int[::1] opponent
    cdef const long long[:, ::1] own

    def __init__(self, layout):
        self.node_start, self.node_day, self.entry_start, self.node_entry = layout[:4]
        self.opponent, self.score, self.side, self.shift, self.own = layout[4:]


@cython.final
cdef class Posterior(Laid):
    """What there is to fit: the nodes before `stop` of each player.

    `w2` is the drift in squared logits a day, `prior` mean and precision of each player's first
    day, `free` whether w and tau are unknown. Minus the second derivatives H, as `linearise` left
    them: tridiagonal blocks T of `diagonal` and `off` (k stands between k - 1 and k), with `pivot`
    in their factors LDL'; `weight` of each entry; `border` between strengths and w and tau;
    `corner` w w, w tau, tau tau; `level` along the common level of all strengths.
    """

    cdef public double w2
    cdef long long[::1] stop
    cdef const double[:, ::1] prior
    cdef const unsigned char[::1] free
    cdef double[::1] diagonal, off, pivot, weight
    cdef double[:, ::1] border
    cdef double[3] corner
    cdef double level
    cdef double[6] sums

    def __init__(self, layout, stop, w2, prior, free, off=None, pivot=None):
        super().__init__(layout)
        n = len(self.node_day)
        self.stop, self.w2, self.prior, self.free = stop, w2, prior, free.view(np.uint8)
        self.diagonal, self.weight = np.zeros(n), np.zeros(len(self.score))
        self.off = np.zeros(n) if off is None else off
        self.pivot = np.ones(n) if pivot is None else pivot
        self.border = np.zeros((n, 2))

    cdef void refresh(
        self, Py_ssize_t player, Py_ssize_t begin, Py_ssize_t stop, const double[::1] x,
        const double[::1] shared, double[::1] gradient
    ) noexcept nogil:
        """Fill in the derivatives by the strengths of a player in some nodes.

        Adds to `sums` the derivatives by w and tau, then minus the second: w w, tau tau (observed,
        expected), w tau.
        """
        cdef double w = shared[0], u2 = u2_of(shared[1])
        cdef double slope, curvature, edge, tau_edge, difference, s, c, pull, flow
        cdef Py_ssize_t node, e
        cdef Tau tau
        for node in range(begin, stop):
            slope = curvature = edge = tau_edge = 0.0
            for e in range(self.node_entry[node], self.node_entry[node + 1]):
                self.weight[e] = 0.0
                if self.opponent[e] == node:  # a game against oneself tells nothing
                    continue
                difference = x[node] - x[self.opponent[e]] + self.side[e] * w + self.shift[e]
                s, c = game_terms(difference, self.score[e], u2)
                slope += s
                curvature += c
                edge += self.side[e] * c
                self.sums[0] += self.side[e] * s
                self.weight[e] = c
                if self.free[1]:
                    tau = tau_terms(difference, self.score[e], u2)
                    tau_edge += tau.mixed
                    self.sums[1] += tau.slope
                    self.sums[3] += tau.observed
                    self.sums[4] += tau.usual
                    self.sums[5] += self.side[e] * tau.mixed
            self.sums[2] += curvature
            self.border[node, 0], self.border[node, 1] = edge, tau_edge
            gradient[node] = slope
            self.diagonal[node] = curvature
            if node == self.node_start[player]:
                self.off[node] = 0.0
                gradient[node] -= (x[node] - self.prior[player, 0]) * self.prior[player, 1]
                self.diagonal[node] += self.prior[player, 1]
            else:
                pull = 1.0 / (self.w2 * (self.node_day[node] - self.node_day[node - 1]))
                flow = pull * (x[node] - x[node - 1])
                self.off[node] = -pull
                self.diagonal[node] += pull
                gradient[node] -= flow
                if node > begin:
                    self.diagonal[node - 1] += pull
                    gradient[node - 1] += flow

    cdef void factor(self, Py_ssize_t player, Py_ssize_t begin, Py_ssize_t stop) noexcept nogil:
        """Pivots of a player's block in some nodes."""
        cdef Py_ssize_t k
        for k in range(begin, stop):
            self.pivot[k] = self.diagonal[k]
            if k > self.node_start[player]:
                self.pivot[k] -= self.off[k] * self.off[k] / self.pivot[k - 1]

    cdef void solve(
        self, Py_ssize_t begin, Py_ssize_t stop, const double[::1] right, double[::1] out
    ) noexcept nogil:
        """Solve with a factored block."""
        cdef Py_ssize_t k
        for k in range(begin, stop):
            out[k] = right[k]
            if k > begin:
                out[k] -= self.off[k] / self.pivot[k - 1] * out[k - 1]
        for k in range(stop - 1, begin - 1, -1):
            out[k] /= self.pivot[k]
            if k < stop - 1:
                out[k] -= self.off[k + 1] / self.pivot[k] * out[k + 1]

    cpdef double log_posterior(self, const double[::1] x, const double[::1] shared) noexcept nogil:
        """Log posterior up to a constant."""
        cdef double w = shared[0], u2 = u2_of(shared[1]), value = 0.0, off, days
        cdef Py_ssize_t p, node, e
        for p in range(self.stop.shape[0]):
            for node in range(self.node_start[p], self.stop[p]):
                for e in range(self.node_entry[node], self.node_entry[node + 1]):
                    if self.side[e] > 0.0 and self.opponent[e] != node:
                        off = x[node] - x[self.opponent[e]] + w + self.shift[e]
                        value += game_value(off, self.score[e], u2)
                if node == self.node_start[p]:
                    off = x[node] - self.prior[p, 0]
                    value -= 0.5 * self.prior[p, 1] * (off * off)
                else:
                    off = x[node] - x[node - 1]
                    days = self.node_day[node] - self.node_day[node - 1]
                    value -= 0.5 * off * off / (self.w2 * days)
        return value

    cpdef void linearise(
        self, const double[::1] x, const double[::1] shared, double[::1] gradient
    ) noexcept nogil:
        """Fill the derivatives by all unknowns; the last two of `gradient` are w's and tau's."""
        cdef Py_ssize_t n = gradient.shape[0] - 2, p, k
        self.level = 0.0
        for k in range(6):
            self.sums[k] = 0.0
        for p in range(self.stop.shape[0]):
            if self.stop[p] > self.node_start[p]:
                self.level += self.prior[p, 1]
            self.refresh(p, self.node_start[p], self.stop[p], x, shared, gradient)
            self.factor(p, self.node_start[p], self.stop[p])
        for k in range(6):  # every game was seen by both of its players
            self.sums[k] *= 0.5
        gradient[n] = self.sums[0] if self.free[0] else 0.0
        gradient[n + 1] = self.sums[1] if self.free[1] else 0.0
        self.corner[0] = self.sums[2]
        self.corner[1] = self.sums[5]
        self.corner[2] = self.sums[3] if self.sums[3] > 0.1 * self.sums[4] else self.sums[4]

    cpdef void multiply(self, const double[::1] x, double[::1] out) noexcept nogil:
        """out = H x over nodes, w and tau."""
        cdef Py_ssize_t n = x.shape[0] - 2, p, node, e
        cdef double w = x[n] if self.free[0] else 0.0, tau = x[n + 1] if self.free[1] else 0.0
        cdef double along_w = self.corner[0] * w + self.corner[1] * tau
        cdef double along_tau = self.corner[1] * w + self.corner[2] * tau, value
        for p in range(self.stop.shape[0]):
            for node in range(self.node_start[p], self.stop[p]):
                value = self.diagonal[node] * x[node]
                value += self.border[node, 0] * w
                value += self.border[node, 1] * tau
                for e in range(self.node_entry[node], self.node_entry[node + 1]):
                    value -= self.weight[e] * x[self.opponent[e]]
                if node > self.node_start[p]:
                    value += self.off[node] * x[node - 1]
                if node < self.stop[p] - 1:
                    value += self.off[node + 1] * x[node + 1]
                out[node] = value
                along_w += self.border[node, 0] * x[node]
                along_tau += self.border[node, 1] * x[node]
        out[n] = along_w if self.free[0] else 0.0
        out[n + 1] = along_tau if self.free[1] else 0.0

    cpdef void solve_blocks(self, const double[::1] right, double[::1] out) noexcept nogil:
        """Solve with the blocks of T, for each player by himself."""
        cdef Py_ssize_t p
        for p in range(self.stop.shape[0]):
            self.solve(self.node_start[p], self.stop[p], right, out)

    cdef void precondition(self, const double[::1] right, double[::1] out) noexcept nogil:
        """Solve for blocks and common level, and with the diagonal for w and tau."""
        cdef Py_ssize_t n = right.shape[0] - 2, p, node
        cdef double total = 0.0
        self.solve_blocks(right, out)
        for p in range(self.stop.shape[0]):
            for node in range(self.node_start[p], self.stop[p]):
                total += right[node]
        total /= self.level
        for p in range(self.stop.shape[0]):
            for node in range(self.node_start[p], self.stop[p]):
                out[node] += total
        out[n] = right[n] / self.corner[0] if self.free[0] else 0.0
        out[n + 1] = right[n + 1] / self.corner[2] if self.free[1] else 0.0

    cdef double dot(self, const double[::1] a, const double[::1] b) noexcept nogil:
        cdef Py_ssize_t n = a.shape[0] - 2, p, node
        cdef double total = a[n] * b[n] + a[n + 1] * b[n + 1]
        for p in range(self.stop.shape[0]):
            for node in range(self.node_start[p], self.stop[p]):
                total += a[node] * b[node]
        return total

    def solve_all(self, const double[::1] right, double tolerance, double[::1] out):
        """Solve H out = right by preconditioned conjugate gradients; False if they fail.

        `tolerance` is that of the residual, relative to the right side.
        """
        return self.conjugate(right, tolerance, out, Room(len(right)))

    cdef bint conjugate(
        self, const double[::1] right, double tolerance, double[::1] out, Room room
    ) noexcept nogil:
        cdef double rho, goal, curvature, alpha, new_rho, beta
        cdef Py_ssize_t k, _
        out[:] = 0.0
        room.residual[:] = right
        room.product[:] = 0.0
        self.precondition(room.residual, room.scaled)
        room.direction[:] = room.scaled
        rho = self.dot(room.residual, room.scaled)
        goal = rho * tolerance * tolerance
        for _ in range(CG_STEPS):
            if rho <= goal or rho <= 0.0:
                return True
            self.multiply(room.direction, room.product)
            curvature = self.dot(room.direction, room.product)
            if curvature <= 0.0:
                return False
            alpha = rho / curvature
            for k in range(out.shape[0]):
                out[k] += alpha * room.direction[k]
                room.residual[k] -= alpha * room.product[k]
            self.precondition(room.residual, room.scaled)
            new_rho = self.dot(room.residual, room.scaled)
            beta = new_rho / rho
            rho = new_rho
            for k in range(out.shape[0]):
                room.direction[k] = room.scaled[k] + beta * room.direction[k]
        return False

    def climb(self, double[::1] x, double[::1] shared, double tolerance, int max_steps):
        """Climb to the maximum from `x` and `shared` (w, tau; NaN: draws are half a win), in place.

        Returns whether the last step fell below `tolerance` (logits), the number of steps, and the
        last one. H is left as it was before that step.
        """
        cdef Room room = Room(len(x) + 2)
        with nogil:
            done = self.newton(x, shared, tolerance, max_steps, room)
        return done, room.steps, room.largest

    cdef bint newton(
        self, double[::1] x, double[::1] shared, double tolerance, int max_steps, Room room
    ) noexcept nogil:
        cdef Py_ssize_t n = x.shape[0], k
        cdef double value = self.log_posterior(x, shared), new_value, precision, scale, rounding
        room.largest = 1.0
        for room.steps in range(1, max_steps + 1):
            self.linearise(x, shared, room.gradient)
            precision = min(max(0.1 * room.largest, 1e-5), 0.03)
            if not self.conjugate(room.gradient, precision, room.step, room):
                return False
            room.largest = 0.0
            for k in range(n + 2):
                room.largest = max(room.largest, fabs(room.step[k]))
            scale = min(1.0, LONGEST / room.largest) if room.largest > 0.0 else 1.0
            rounding = 1e-11 * (1.0 + fabs(value))
            while True:
                for k in range(n):
                    room.trial[k] = x[k] + scale * room.step[k]
                for k in range(2):
                    room.shared[k] = shared[k] + scale * room.step[n + k]
                new_value = self.log_posterior(room.trial, room.shared)
                if new_value >= value - rounding or scale * room.largest < tolerance:
                    break
                scale *= 0.5
            x[:] = room.trial[:n]
            shared[:] = room.shared
            value = new_value
            if room.largest < tolerance:
                return True
        return False

    def conditional_variance(self, double[::1] out):
        """Variance of each strength with all other players' strengths given.

        The diagonal of the inverse of each player's tridiagonal matrix.
        """
        cdef Py_ssize_t p, k
        cdef double share
        for p in range(self.stop.shape[0]):
            for k in range(self.stop[p] - 1, self.node_start[p] - 1, -1):
                out[k] = 1.0 / self.pivot[k]
                if k < self.stop[p] - 1:
                    share = self.off[k + 1] / self.pivot[k]
                    out[k] += share * share * out[k + 1]

    def draw_noise(self, const double[::1] normal, double[::1] out):
        """Draw from the normal distribution with covariance H (tau aside).

        `normal` holds a standard normal number for each entry and then each node.
        """
        cdef Py_ssize_t n = out.shape[0] - 2, p, node, e
        cdef double size, extra
        out[:] = 0.0
        for p in range(self.stop.shape[0]):
            for node in range(self.node_start[p], self.stop[p]):
                for e in range(self.node_entry[node], self.node_entry[node + 1]):
                    if self.side[e] > 0.0:
                        size = sqrt(self.weight[e]) * normal[e]
                        out[node] += size
                        out[self.opponent[e]] -= size
                        if self.free[0]:
                            out[n] += size
                extra = normal[self.score.shape[0] + node]
                if node == self.node_start[p]:
                    out[node] += sqrt(self.prior[p, 1]) * extra
                else:
                    size = sqrt(-self.off[node]) * extra
                    out[node] += size
                    out[node - 1] -= size

    def lanczos(self, const double[::1] probe, int steps):
        """Lanczos coefficients of D^-1/2 L^-1 H L^-T D^-1/2, where LDL' are the blocks of T.

        Returns diagonal, off-diagonal, and the squared length of the probe.
        """
        cdef Py_ssize_t n = probe.shape[0] - 2, p, k, s, step, done = steps
        cdef double length2 = self.dot(probe, probe), length
        alpha_array, beta_array = np.zeros(steps), np.zeros(steps)
        cdef double[::1] alpha = alpha_array, beta = beta_array
        cdef double[::1] now = np.asarray(probe) / sqrt(length2), before = np.zeros(n + 2)
        cdef double[::1] lifted = np.zeros(n + 2), product = np.zeros(n + 2)
        for step in range(steps):
            for p in range(self.stop.shape[0]):
                for k in range(self.stop[p] - 1, self.node_start[p] - 1, -1):
                    lifted[k] = now[k] / sqrt(self.pivot[k])
                    if k < self.stop[p] - 1:
                        lifted[k] -= self.off[k + 1] / self.pivot[k] * lifted[k + 1]
            for s in range(2):
                lifted[n + s] = now[n + s] / sqrt(self.corner[2 * s]) if self.free[s] else 0.0
            self.multiply(lifted, product)
            for p in range(self.stop.shape[0]):
                for k in range(self.node_start[p] + 1, self.stop[p]):
                    product[k] -= self.off[k] / self.pivot[k - 1] * product[k - 1]
                for k in range(self.node_start[p], self.stop[p]):
                    product[k] /= sqrt(self.pivot[k])
            for s in range(2):
                product[n + s] = product[n + s] / sqrt(self.corner[2 * s]) if self.free[s] else 0.0
            alpha[step] = self.dot(now, product)
            for k in range(n + 2):
                product[k] -= alpha[step] * now[k]
                if step > 0:
                    product[k] -= beta[step - 1] * before[k]
            length = sqrt(self.dot(product, product))
            beta[step] = length
            if length < 1e-10:
                done = step + 1
                break
            for k in range(n + 2):
                before[k] = now[k]
                now[k] = product[k] / length
        return alpha_array[:done], beta_array[: done - 1], length2

    def log_determinant_of_blocks(self):
        """Logarithm of the determinant of T, with the diagonal for w and tau."""
        cdef double total = 0.0
        cdef Py_ssize_t p, node, s
        for p in range(self.stop.shape[0]):
            for node in range(self.node_start[p], self.stop[p]):
                total += log(self.pivot[node])
        for s in range(2):
            if self.free[s]:
                total += log(self.corner[2 * s])
        return total


cdef class Room:
    """For Newton's steps over so many unknowns."""

    cdef double[::1] gradient, step, trial, shared, residual, scaled, direction, product
    cdef double largest
    cdef int steps

    def __init__(self, unknowns):
        self.gradient, self.step, self.trial = (np.zeros(unknowns) for _ in range(3))
        self.residual, self.scaled, self.direction = (np.zeros(unknowns) for _ in range(3))
        self.product, self.shared = np.zeros(unknowns), np.zeros(2)


cdef class Learner:
    """Games in order of time, of which each is predicted, then learned; all arrays change in place.

    `shared` are w and tau, `known` the information on them, `free` whether they are unknown;
    `expected` takes what was predicted, `before`, (games, 5), strength and variance of both players
    and tau.
    """

    cdef const int[::1] first, second
    cdef const double[::1] score, day
    cdef double[::1] x, shared, known, expected
    cdef double[:, ::1] before
    cdef const unsigned char[::1] free
    cdef Py_ssize_t begin

    def __init__(self, games, begin, x, shared, known, free, forecasts):
        self.first, self.second, self.score, self.day = games
        self.begin, self.x, self.shared, self.known = begin, x, shared, known
        self.free = free.view(np.uint8)
        self.expected, self.before = forecasts

    cdef Py_ssize_t player(self, Py_ssize_t g, Py_ssize_t side) noexcept nogil:
        return self.second[g] if side else self.first[g]

    cdef Py_ssize_t end_of_day(self, Py_ssize_t low) noexcept nogil:
        """The first game after those of the day of game `low`."""
        cdef Py_ssize_t high = low
        while high < self.day.shape[0] and self.day[high] == self.day[low]:
            high += 1
        return high

    cdef double difference(self, Py_ssize_t g, double shift) noexcept nogil:
        cdef Py_ssize_t row = g - self.begin
        return self.before[row, 0] - self.before[row, 2] + self.shared[0] + shift

    cdef void forecast(self, Py_ssize_t g, double shift) noexcept nogil:
        """Predict a game from the strengths before it, which are known up to a variance.

        Glickman's approximation: the difference shrinks by 1/sqrt(1 + 3 variance/pi^2).
        """
        cdef Py_ssize_t row = g - self.begin
        cdef double variance = self.before[row, 1] + self.before[row, 3]
        cdef double shrink = sqrt(1.0 + 3.0 / (PI * PI) * variance)
        self.expected[row] = logistic(self.difference(g, shift) / shrink)
        self.before[row, 4] = self.shared[1]

    cdef void learn_shared(self, Py_ssize_t g, double shift) noexcept nogil:
        """Take one Newton step for w and tau from one game."""
        cdef double difference = self.difference(g, shift), u2 = u2_of(self.shared[1])
        cdef double slope, curvature
        cdef Tau tau
        if self.free[0]:
            slope, curvature = game_terms(difference, self.score[g], u2)
            self.known[0] += curvature
            self.shared[0] += slope / self.known[0]
        if self.free[1] and u2 >= 0.0:
            tau = tau_terms(difference, self.score[g], u2)
            self.known[1] += tau.usual
            self.shared[1] += tau.slope / self.known[1]


cdef class HistoryLearner(Learner):
    """A whole history replayed.

    `variance` is that of each player's last strength, `fitted` the day of the last full fit, one of
    which comes every `refit_days` and leaves w and tau as they are. The last `window` of a player's
    days are weighed anew after each.
    """

    cdef Posterior laid
    cdef double[::1] variance, fitted, gradient, step
    cdef long long[::1] improved
    cdef Py_ssize_t window
    cdef double refit_days
    cdef Room room

    def __init__(self, posterior, window, refit_days, variance, fitted, *learner):
        super().__init__(*learner)
        self.laid, self.window, self.refit_days = posterior, window, refit_days
        self.variance, self.fitted = variance, fitted
        self.room = Room(len(self.x) + 2)
        self.gradient, self.step = np.zeros(len(self.x)), np.zeros(len(self.x))
        self.improved = np.full(len(self.laid.stop), -1)

    def replay(self):
        """Predict and learn the games day after day; False if a full fit failed."""
        cdef Py_ssize_t low = self.begin, high
        cdef bint done = True
        with nogil:
            while done and low < self.first.shape[0]:
                high = self.end_of_day(low)
                if self.day[low] - self.fitted[0] >= self.refit_days:
                    done = self.refit(self.day[low])
                self.play_day(low, high)
                low = high
        return done

    cdef bint refit(self, double day) noexcept nogil:
        cdef Py_ssize_t p
        if not self.laid.newton(self.x, self.shared, TOLERANCE, MAX_STEPS, self.room):
            return False
        for p in range(self.laid.stop.shape[0]):
            if self.laid.stop[p] > self.laid.node_start[p]:
                self.variance[p] = 1.0 / self.laid.pivot[self.laid.stop[p] - 1]
        self.fitted[0] = day
        return True

    cdef void play_day(self, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
        cdef Py_ssize_t g, s, p, node
        for g in range(low, high):
            for s in range(2):
                self.recall(g, s)
            self.forecast(g, self.laid.shift[self.laid.own[g, 0]])
        for g in range(low, high):
            if self.first[g] != self.second[g]:
                self.learn_shared(g, self.laid.shift[self.laid.own[g, 0]])
            for s in range(2):
                p, node = self.player(g, s), self.laid.opponent[self.laid.own[g, 1 - s]]
                if node >= self.laid.stop[p]:
                    if node == self.laid.node_start[p]:
                        self.x[node] = self.laid.prior[p, 0]
                    else:
                        self.x[node] = self.x[node - 1]
                    self.laid.stop[p] = node + 1
        for g in range(low, high):
            for s in range(2):
                p = self.player(g, s)
                if self.improved[p] != low:
                    self.improved[p] = low
                    self.improve(p)

    cdef void recall(self, Py_ssize_t g, Py_ssize_t side) noexcept nogil:
        """Note strength and variance of a player before a game."""
        cdef Py_ssize_t p = self.player(g, side)
        cdef Py_ssize_t node = self.laid.opponent[self.laid.own[g, 1 - side]]
        cdef double strength, doubt, days
        if node < self.laid.stop[p]:
            strength, doubt = self.x[node], self.variance[p]
        elif node == self.laid.node_start[p]:
            strength, doubt = self.laid.prior[p, 0], 1.0 / self.laid.prior[p, 1]
        else:
            strength = self.x[node - 1]
            days = self.laid.node_day[node] - self.laid.node_day[node - 1]
            doubt = self.variance[p] + self.laid.w2 * days
        self.before[g - self.begin, 2 * side] = strength
        self.before[g - self.begin, 2 * side + 1] = doubt

    cdef void improve(self, Py_ssize_t p) noexcept nogil:
        """Take Newton's step for a player's strengths; those in the window are linearised anew."""
        cdef Py_ssize_t stop = self.laid.stop[p]
        cdef Py_ssize_t begin = max(self.laid.node_start[p], stop - self.window)
        cdef Py_ssize_t node
        cdef double move
        self.laid.refresh(p, begin, stop, self.x, self.shared, self.gradient)
        self.laid.factor(p, begin, stop)
        self.laid.solve(begin, stop, self.gradient, self.step)
        for node in range(begin, stop):
            self.x[node] += min(max(self.step[node], -LONGEST_OF_ONE), LONGEST_OF_ONE)
        move = self.step[begin]  # what the days before say stands in their factors: they move along
        for node in range(begin - 1, self.laid.node_start[p] - 1, -1):
            move *= -self.laid.off[node + 1] / self.laid.pivot[node]
            if fabs(move) < LEAST:
                break
            self.x[node] += move
        self.variance[p] = 1.0 / self.laid.pivot[stop - 1]


cdef class FadingLearner(Learner):
    """Strengths from games whose weight is exp(-fading age).

    `end` is the end of each player's entries so far, `precision` that of his strength on day
    `last`, `prior` that without games. Of each entry `entry_day` is the day, and
    `entry_opponent` the opponent's number.
    """

    cdef Laid laid
    cdef const double[::1] entry_day
    cdef const int[::1] entry_opponent
    cdef long long[::1] end, improved
    cdef double[::1] precision, last
    cdef double fading, prior

    def __init__(self, layout, entries, end, fading, prior, precision, last, *learner):
        super().__init__(*learner)
        self.laid = Laid(layout)
        self.entry_day, self.entry_opponent = entries
        self.end, self.fading, self.prior = end, fading, prior
        self.precision, self.last = precision, last
        self.improved = np.full(len(self.x), -1)

    def replay(self):
        """Predict and learn the games day after day."""
        cdef Py_ssize_t low = self.begin, high
        with nogil:
            while low < self.first.shape[0]:
                high = self.end_of_day(low)
                self.play_day(low, high)
                low = high

    cdef void play_day(self, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
        cdef Py_ssize_t g, s, p
        cdef double now = self.day[low], faded, slope, curvature
        for g in range(low, high):
            for s in range(2):
                p = self.player(g, s)
                faded = (self.precision[p] - self.prior) * exp(-self.fading * (now - self.last[p]))
                self.before[g - self.begin, 2 * s] = self.x[p]
                self.before[g - self.begin, 2 * s + 1] = 1.0 / (self.prior + faded)
            self.forecast(g, self.laid.shift[self.laid.own[g, 0]])
        for g in range(low, high):
            if self.first[g] != self.second[g]:
                self.learn_shared(g, self.laid.shift[self.laid.own[g, 0]])
            for s in range(2):
                self.end[self.player(g, s)] += 1
        for g in range(low, high):
            for s in range(2):
                p = self.player(g, s)
                if self.improved[p] != low:
                    self.improved[p] = low
                    slope, curvature = self.weigh(p, now)
                    self.x[p] += min(max(slope / curvature, -LONGEST_OF_ONE), LONGEST_OF_ONE)
                    self.precision[p], self.last[p] = curvature, now

    cdef (double, double) weigh(self, Py_ssize_t p, double now) noexcept nogil:
        """Gradient and curvature of one player's strength from his entries so far."""
        cdef double u2 = u2_of(self.shared[1]), slope = -self.prior * self.x[p]
        cdef double curvature = self.prior, weight, difference, s, c
        cdef Py_ssize_t e
        for e in range(self.end[p] - 1, self.laid.entry_start[p] - 1, -1):
            weight = exp(-self.fading * (now - self.entry_day[e]))
            if weight < FORGOTTEN:
                break
            if self.entry_opponent[e] == p:  # a game against oneself tells nothing
                continue
            difference = self.x[p] - self.x[self.entry_opponent[e]]
            difference += self.laid.side[e] * self.shared[0] + self.laid.shift[e]
            s, c = game_terms(difference, self.laid.score[e], u2)
            slope += weight * s
            curvature += weight * c
        return slope, curvature
