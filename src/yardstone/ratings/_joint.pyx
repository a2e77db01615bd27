"""Newton's method for joint fits, and what joins perfect scorers and draw rates to them.

Vectors over unknowns have an entry for each rating, then one for the first-move advantage and,
where it matters, one for the draw parameter tau = ln u (the module `joint`); all in log odds.
"""

from libc.math cimport exp, fabs, fmax, fmin, isnan, log, sqrt

import numpy as np

from yardstone.ratings._tally cimport Counts
from yardstone.winprob._laws cimport logistic, win_and_loss

cpdef enum Ending:
    """How Newton's method ends."""
    CONVERGED
    STALLED
    TOO_MANY_STEPS
    AT_THE_EDGE


cdef double TAU_LIMIT = 20.0  # beyond this tau the draw rate is 0 or 1 for all that matters
cdef double EDGE = 40.0  # tau = ln((1 - d0)/d0) is looked for between -EDGE and EDGE
cdef double REACH = 60.0  # widest bracket around opponents in which a bound is looked for, log odds
cdef double OVERSHOOT = 0.9  # short enough is a step after which the slope is back by less
cdef double LEVEL = 1e-4  # differences below this count as none
# Newton's step is trusted so far, in log odds: the slope at its end shows no single overshot.
cdef double TRUSTED = 4.0
# Relative residuals of conjugate gradients: at first, at least, and of the last step, the test.
cdef double ROUGH = 1e-2, FINE = 1e-8, SHARP = 1e-6
cdef double FLAT = 1e-13  # curvature below this share of the diagonal's counts as none
cdef Py_ssize_t STEPS_PER_UNKNOWN = 20  # conjugate gradients give up after so many steps a player

cpdef enum:
    SYSTEMS = 10  # that conjugate gradients solve at once, so that each pair is looked up once


cdef struct Chances:
    double p  # expected score of the first player, without draws his chance to win
    double q
    double root  # S of the module `joint`
    double m  # q - p


cdef Chances chances(double difference, double u2) noexcept nogil:
    """p, q, S and m; u2 < 0 stands for "no draws law"."""
    cdef Chances at
    at.p, at.q = win_and_loss(difference)
    at.m = at.q - at.p
    at.root = sqrt(at.m * at.m + 4.0 * u2 * at.p * at.q) if u2 >= 0.0 else 1.0
    return at


cdef inline void add(double* total, double* lost, double value) noexcept nogil:
    """Kahan's summation.

    A group that hangs on the others by one lopsided result turns rounding errors of its gradient
    into a shift of the group.
    """
    cdef double term = value - lost[0]
    cdef double new = total[0] + term
    lost[0] = (new - total[0]) - term
    total[0] = new


cdef class Terms:
    """Derivatives of the log posterior of results and beliefs, filled in at a point.

    `shift` is added to the differences of the pairs; empty for none.

    `border` holds the second derivatives between the first-move advantage and each rating.
    """

    cdef const int[::1] first, second, player, other
    cdef Counts wins, draws, losses
    cdef const double[::1] mean, precision, difference, stiffness, shift
    cdef double[::1] lost
    cdef bint likelihood
    cdef readonly object arrays
    cdef double[::1] gradient, weight, diagonal, border

    def __init__(self, pairs, beliefs, likelihood, unknowns, shift=()):
        self.first, self.second, *counts = pairs
        self.shift = np.asarray(shift, float)
        self.wins, self.draws, self.losses = map(Counts, counts)
        self.mean, self.precision, relations = beliefs
        self.player, self.other, self.difference, self.stiffness = relations
        self.likelihood = likelihood
        rooms = unknowns, len(self.first), unknowns, unknowns
        self.arrays = tuple(np.zeros(room) for room in rooms)
        self.gradient, self.weight, self.diagonal, self.border = self.arrays
        self.lost = np.zeros(unknowns)

    def at(self, const double[::1] x, bint cautious):
        """Gradient, weights of pairs, diagonal and border at `x`; `cautious` as in `derive`."""
        self.derive(x, cautious)
        return self.arrays

    cdef void derive(self, const double[::1] x, bint cautious) noexcept nogil:
        """Fill in; `cautious`: by the chord, which v = pq never exceeds, and expected results."""
        cdef Py_ssize_t n = x.shape[0] - 2, k = 0, i, j
        cdef double u2 = exp(2.0 * x[n + 1]) if self.likelihood else -1.0
        cdef double run, run_lost, run_weight, total = 0.0, total_lost = 0.0, total_weight = 0.0
        cdef double games, slope, h, as_second, difference
        cdef bint shifted = self.shift.shape[0] > 0
        self.gradient[:] = 0.0
        self.diagonal[:] = 0.0
        self.border[:] = 0.0
        self.lost[:] = 0.0
        while k < self.first.shape[0]:
            i = self.first[k]
            run = run_lost = run_weight = 0.0
            while k < self.first.shape[0] and self.first[k] == i:
                j = self.second[k]
                games = self.wins.at(k) + self.draws.at(k) + self.losses.at(k)
                if games == 0.0:
                    self.weight[k] = 0.0
                    k += 1
                    continue
                difference = x[i] + x[n] - x[j]
                if shifted:
                    difference += self.shift[k]
                slope, h = self.pair(k, games, difference, u2, cautious)
                self.weight[k] = h
                add(&run, &run_lost, slope)
                add(&self.gradient[j], &self.lost[j], -slope)
                total_weight += h
                if i != j:
                    run_weight += h
                    self.diagonal[j] += h
                k += 1
            add(&self.gradient[i], &self.lost[i], run)
            add(&total, &total_lost, run)
            add(&self.gradient[i], &self.lost[i], -run_lost)
            add(&total, &total_lost, -run_lost)
            self.border[i] += run_weight
        for i in range(n):  # so far `border` holds the weights as first, `diagonal` as second
            as_second = self.diagonal[i]
            self.diagonal[i] = self.border[i] + as_second
            self.border[i] -= as_second
        self.gradient[n] = total
        self.diagonal[n] = total_weight
        self.add_beliefs(x)

    cdef (double, double) pair(
        self, Py_ssize_t k, double games, double difference, double u2, bint cautious
    ) noexcept nogil:
        """Slope and weight of a pair; the derivatives by tau are added to their places."""
        cdef Chances at = chances(difference, u2)
        cdef double won = self.wins.at(k), conceded = self.losses.at(k), root = at.root, m = at.m
        cdef double v = at.p * at.q, residual = won + 0.5 * self.draws.at(k) - games * at.p
        cdef double h = games * v, ratio, a, b, t, win_n, loss_n
        cdef Py_ssize_t tau = self.gradient.shape[0] - 1
        if cautious:
            h = games * (0.25 if fabs(difference) < LEVEL else -0.5 * m / difference)
        if not self.likelihood:
            return residual, h
        ratio = (1.0 + root) / root
        if m >= 0.0:
            a = root + m
            b = 4.0 * v * u2 / a
        else:
            b = root - m
            a = 4.0 * v * u2 / b
        h *= ratio
        t = a * b / root
        self.gradient[tau] += (won * a + conceded * b) / root - games * t / (1.0 + root)
        win_n, loss_n = games * at.p * b / (1.0 + root), games * at.q * a / (1.0 + root)
        if not cautious:
            h += 2.0 * (u2 - 1.0) * v * m * residual / (root * root * root)
            win_n, loss_n = won, conceded
        self.diagonal[tau] += (win_n - loss_n) * t * m / (root * root) + games * (
            t * (2.0 * root - t) / (root * (1.0 + root)) - (t / (1.0 + root)) * (t / (1.0 + root))
        )
        return ratio * residual, h

    cdef void add_beliefs(self, const double[::1] x) noexcept nogil:
        """Add the derivatives of the Gaussian priors' logarithms."""
        cdef Py_ssize_t n = x.shape[0] - 2, i, j, k
        cdef double off, rate, slope, bend, curvature, pull
        for i in range(n + 1):
            if self.precision[i] > 0.0:
                self.gradient[i] -= self.precision[i] * (x[i] - self.mean[i])
                self.diagonal[i] += self.precision[i]
        if self.precision[n + 1] > 0.0:  # on the draw rate itself, not on tau
            rate = logistic(-x[n + 1])
            slope = -rate * (1.0 - rate)
            off = rate - self.mean[n + 1]
            bend = (2.0 * rate - 1.0) * slope
            self.gradient[n + 1] -= self.precision[n + 1] * off * slope
            curvature = self.precision[n + 1] * (slope * slope + off * bend)
            if self.diagonal[n + 1] + curvature <= 0.0:
                curvature = self.precision[n + 1] * slope * slope
            self.diagonal[n + 1] += curvature
        for k in range(self.player.shape[0]):
            i, j = self.player[k], self.other[k]
            pull = self.stiffness[k] * (x[i] - x[j] - self.difference[k])
            self.gradient[i] -= pull
            self.gradient[j] += pull
            self.diagonal[i] += self.stiffness[k]
            self.diagonal[j] += self.stiffness[k]


cdef class Solver:
    """Conjugate gradients for H x = right, with the H of a `Graph`, for several systems at once.

    Pairs are in order of their first players. Vectors of all systems lie in one: entry i of
    system s is at i * `systems` + s. With D the diagonal of H and L and U what the pairs put below
    and above it, (D + L) D^-1 (D + U) preconditions, the way of Eisenstat (1981): each pair is met
    twice a step. Relations and the border stay out of L and U.
    """

    cdef const int[::1] first, second, player, other
    cdef const double[::1] weight, stiffness, extra, border, diagonal
    cdef const unsigned char[::1] free
    cdef double[::1] answer, residual, moved, direction, product, pivot
    cdef double[::1] curvature, size, rho, goal, factor
    cdef Py_ssize_t systems

    def __init__(self, graph, systems=1):
        self.first, self.second, self.weight, relations, self.extra, self.border = graph[:6]
        self.diagonal, self.free = graph.diagonal, graph.free.view(np.uint8)
        self.player, self.other, _, self.stiffness = relations
        self.systems = systems
        rooms = [np.zeros(len(self.extra) * systems) for _ in range(5)]
        self.answer, self.residual, self.moved, self.direction, self.product = rooms
        self.pivot = np.zeros(len(self.extra))
        sums = [np.zeros(systems) for _ in range(5)]
        self.curvature, self.size, self.rho, self.goal, self.factor = sums

    cdef void sweep(self, double[::1] vector, bint down) noexcept nogil:
        """Solve (D + U) x = vector, if `down`, or (D + L) x = vector, in place."""
        if self.systems == 1:  # a number that the compiler knows
            sweep_pairs(self.first, self.second, self.weight, self.pivot, &vector[0], down, 1)
        else:
            sweep_pairs(self.first, self.second, self.weight, self.pivot, &vector[0], down, SYSTEMS)

    cdef void multiply(self) noexcept nogil:
        """Fill in `moved`, (D + U)^-1 direction, and `product`, (D + L)^-1 H moved."""
        cdef Py_ssize_t n = self.extra.shape[0] - 1, systems = self.systems, i, j, k, s
        cdef double* x = &self.moved[0]
        cdef double* out = &self.product[0]
        self.moved[:] = self.direction
        self.sweep(self.moved, True)
        for i in range(n + 1):
            for s in range(systems):
                k = i * systems + s
                out[k] = self.direction[k] - self.pivot[i] * x[k]
        for k in range(self.player.shape[0]):
            i, j = self.player[k] * systems, self.other[k] * systems
            for s in range(systems):
                out[i + s] -= self.stiffness[k] * x[j + s]
                out[j + s] -= self.stiffness[k] * x[i + s]
        if self.pivot[n] > 0.0:
            for i in range(n):
                for s in range(systems):
                    if self.pivot[i] > 0.0:
                        out[i * systems + s] += self.border[i] * x[n * systems + s]
                        out[n * systems + s] += self.border[i] * x[i * systems + s]
        self.sweep(self.product, False)
        for k in range((n + 1) * systems):
            out[k] += x[k]

    cdef bint solve(self, const double* right, double tolerance, double* step) noexcept nogil:
        """Fill in `step`; false where H is indefinite.

        The systems stand one after another in `right` and `step`.
        """
        cdef Py_ssize_t n = self.extra.shape[0], systems = self.systems, i, k, s, _
        cdef bint definite = True, going = True
        cdef double rho
        for i in range(n):
            self.pivot[i] = self.diagonal[i] if self.free[i] and self.diagonal[i] > 0.0 else 0.0
            for s in range(systems):
                self.residual[i * systems + s] = right[s * n + i]
        self.sweep(self.residual, False)
        self.answer[:] = 0.0
        self.rho[:] = 0.0
        for i in range(n):
            for s in range(systems):
                k = i * systems + s
                self.direction[k] = self.pivot[i] * self.residual[k]
                self.rho[s] += self.residual[k] * self.direction[k]
        for s in range(systems):
            self.goal[s] = self.rho[s] * tolerance * tolerance
        for _ in range(STEPS_PER_UNKNOWN * n + 100):
            going = False
            for s in range(systems):
                going |= self.rho[s] > self.goal[s]
            if not going:
                break
            self.multiply()
            self.curvature[:] = 0.0
            self.size[:] = 0.0
            for i in range(n):
                for s in range(systems):
                    k = i * systems + s
                    self.curvature[s] += self.direction[k] * self.product[k]
                    self.size[s] += self.moved[k] * self.moved[k] * self.pivot[i]
            for s in range(systems):
                self.factor[s] = 0.0
                if self.rho[s] <= self.goal[s]:  # solved
                    continue
                # Only rounding errors are left, or H is indefinite.
                if self.curvature[s] <= FLAT * self.size[s]:
                    definite &= self.curvature[s] >= -FLAT * self.size[s]
                    self.goal[s] = self.rho[s]
                else:
                    self.factor[s] = self.rho[s] / self.curvature[s]
            self.curvature[:] = 0.0  # from here on what becomes of rho
            for i in range(n):
                for s in range(systems):
                    k = i * systems + s
                    self.answer[k] += self.factor[s] * self.moved[k]
                    self.residual[k] -= self.factor[s] * self.product[k]
                    self.curvature[s] += self.residual[k] * self.residual[k] * self.pivot[i]
            for s in range(systems):
                rho = self.rho[s]
                self.rho[s] = self.curvature[s] if self.factor[s] != 0.0 else rho
                self.factor[s] = self.rho[s] / rho if rho > 0.0 else 0.0
            for i in range(n):
                for s in range(systems):
                    k = i * systems + s
                    self.direction[k] = (
                        self.pivot[i] * self.residual[k] + self.factor[s] * self.direction[k]
                    )
        for i in range(n):
            for s in range(systems):
                step[s * n + i] = self.answer[i * systems + s]
        return definite


cdef inline void sweep_pairs(
    const int[::1] first, const int[::1] second, const double[::1] weight,
    const double[::1] pivot, double* x, bint down, Py_ssize_t systems,
) noexcept nogil:
    """Solve (D + U) y = x, if `down`, or (D + L) y = x, in place; unknowns without pivot are 0.

    The pairs of a first player bring to him the players who are solved already, and take him to
    those who are not yet.
    """
    cdef Py_ssize_t n = pivot.shape[0], pairs = first.shape[0], turn, start, stop, i, j, k, s
    cdef double[SYSTEMS] total
    cdef double inverse
    start = stop = pairs if down else 0
    for turn in range(n):
        i = n - 1 - turn if down else turn
        if down:
            stop = start
            while start > 0 and first[start - 1] == i:
                start -= 1
        else:
            start = stop
            while stop < pairs and first[stop] == i:
                stop += 1
        for s in range(systems):
            total[s] = x[i * systems + s]
        for k in range(start, stop):
            if (second[k] > i) if down else (second[k] < i):
                j = second[k] * systems
                for s in range(systems):
                    total[s] += weight[k] * x[j + s]
        inverse = 1.0 / pivot[i] if pivot[i] > 0.0 else 0.0
        for s in range(systems):
            total[s] *= inverse
            x[i * systems + s] = total[s]
        for k in range(start, stop):
            if (second[k] < i) if down else (second[k] > i):
                j = second[k] * systems
                for s in range(systems):
                    x[j + s] += weight[k] * total[s]


def conjugate_gradients(graph, const double[:, ::1] right, double tolerance, double[:, ::1] step):
    """Solve H step = right, in place, row by row: one row, or `SYSTEMS`; False if indefinite."""
    cdef Solver solver = Solver(graph, len(right))
    with nogil:
        solved = solver.solve(&right[0, 0], tolerance, &step[0, 0])
    return solved


def add_ends(const int[::1] first, const int[::1] second, const double[::1] flow, double[::1] out):
    """Add what flows in each pair to its first player, and subtract it from its second."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(first.shape[0]):
            out[first[k]] += flow[k]
            out[second[k]] -= flow[k]


cdef class Levels:
    """Groups of players whose common level is free: `level` numbers them, -1 for none."""

    cdef const int[::1] level
    cdef double[::1] total, members

    def __init__(self, const int[::1] level):
        self.level = level
        groups = np.max(level, initial=-1) + 1
        self.total, self.members = np.zeros(groups), np.zeros(groups)

    cdef void centre(self, double[::1] vector) noexcept nogil:
        """Subtract from the entries of each group their mean."""
        cdef Py_ssize_t i, group
        self.total[:] = 0.0
        self.members[:] = 0.0
        for i in range(self.level.shape[0]):
            group = self.level[i]
            if group >= 0:
                self.total[group] += vector[i]
                self.members[group] += 1.0
        for i in range(self.level.shape[0]):
            group = self.level[i]
            if group >= 0:
                vector[i] -= self.total[group] / self.members[group]


def centre(double[:, ::1] rows, const int[::1] level):
    """Subtract in each row from the entries of each group whose level is free their mean."""
    cdef Levels levels = Levels(level)
    cdef Py_ssize_t row
    with nogil:
        for row in range(rows.shape[0]):
            levels.centre(rows[row])


def raise_levels(double[:, ::1] matrix, const int[::1] level):
    """Add a number to the block of each group whose level is free, which is then no longer so."""
    groups = np.max(level, initial=-1) + 1
    cdef double[::1] trace = np.zeros(groups), members = np.zeros(groups)
    cdef Py_ssize_t i, j
    cdef double members_of
    with nogil:
        for i in range(level.shape[0]):
            if level[i] >= 0:
                trace[level[i]] += matrix[i, i]
                members[level[i]] += 1.0
        for i in range(level.shape[0]):
            for j in range(level.shape[0]):
                if level[j] == level[i] and level[i] >= 0:
                    members_of = members[level[i]]
                    matrix[i, j] += fmax(trace[level[i]], 1.0) / (members_of * members_of)


def add_pairs(
    const int[::1] first, const int[::1] second, const double[::1] weight,
    const double[::1] mixed, double[:, ::1] matrix,
):
    """Add to the matrix of a weighted graph, and by `mixed` to the border behind it."""
    cdef Py_ssize_t w = matrix.shape[0] - 1, i, j, k
    with nogil:
        for k in range(first.shape[0]):
            i, j = first[k], second[k]
            matrix[i, i] += weight[k]
            matrix[j, j] += weight[k]
            matrix[i, j] -= weight[k]
            matrix[j, i] -= weight[k]
            matrix[i, w] += mixed[k]
            matrix[j, w] -= mixed[k]
        for i in range(w):
            matrix[w, i] = matrix[i, w]


def count_ranks(
    const double[::1] rating, const double[:, :] covariance, const int[::1] group, double reach
):
    """Lowest and highest rank of each player in the own group (-1: none), as `rank_ranges`."""
    n = len(rating)
    lowest, highest = np.zeros(n, np.int64), np.zeros(n, np.int64)
    cdef long long[::1] low = lowest, high = highest
    cdef Py_ssize_t i, j
    cdef double ahead, squared
    with nogil:
        for i in range(group.shape[0]):
            if group[i] < 0:
                continue
            low[i] += 1
            for j in range(group.shape[0]):
                if group[j] != group[i]:
                    continue
                high[i] += 1
                ahead = rating[i] - rating[j]
                squared = covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j]
                if ahead > 0.0 and (squared <= 0.0 or ahead / sqrt(squared) >= reach):
                    low[j] += 1
                    high[i] -= 1
    return lowest, highest


def newton(
    pairs, beliefs, likelihood, double[::1] x, free, level, double tolerance, int max_steps,
    shift=(),
):
    """Climb to the maximum from `x`, in place: status, steps, and the largest last change.

    `shift` is as in `Terms`. `level` numbers the groups whose common level is free (-1: none),
    whose mean stays. The last step is the test: it must fall below `tolerance` (log odds).
    """
    n = len(x) - 1
    cdef Terms terms = Terms(pairs, beliefs, likelihood, len(x), shift)
    _, weight, diagonal, border = terms.arrays
    from yardstone.ratings.graph import Graph

    graph = Graph(
        pairs.first, pairs.second, weight, beliefs.relations, beliefs.precision[:n].copy(), border,
        diagonal[:n], free[:n],
    )
    cdef Climb climb = Climb(terms, Solver(graph), Levels(level), x, free.view(np.uint8))
    with nogil:
        status = climb.climb(tolerance, max_steps)
    return status, climb.steps, climb.largest


cdef class Climb:
    """Newton's steps from `x` on."""

    cdef Terms terms
    cdef Solver solver
    cdef Levels levels
    cdef double[::1] x, step, trial
    cdef const unsigned char[::1] free
    cdef double largest
    cdef int steps

    def __init__(self, Terms terms, Solver solver, Levels levels, x, free):
        self.terms, self.solver, self.levels = terms, solver, levels
        self.x, self.free = x, free
        self.step, self.trial = np.zeros(len(x)), np.array(x)

    cdef double along(self) noexcept nogil:
        """The slope along the step."""
        cdef double slope = 0.0
        cdef Py_ssize_t i
        for i in range(self.step.shape[0]):
            slope += self.step[i] * self.terms.gradient[i]
        return slope

    cdef bint find_step(self, double precision, bint cautious) noexcept nogil:
        """Fill in the step of Newton's method; false where there is none to be trusted."""
        cdef Py_ssize_t n = self.x.shape[0] - 2, i
        # Rounding errors would make the singular system unsolvable.
        self.levels.centre(self.terms.gradient)
        if not self.solver.solve(&self.terms.gradient[0], precision, &self.step[0]):
            return False
        self.levels.centre(self.step)
        if self.free[n + 1]:
            if self.terms.diagonal[n + 1] <= 0.0:
                return False
            self.step[n + 1] = fmin(
                fmax(self.terms.gradient[n + 1] / self.terms.diagonal[n + 1], -1.0), 1.0
            )
        self.largest = 0.0
        for i in range(n + 2):
            self.largest = fmax(self.largest, fabs(self.step[i]))
        return cautious or self.largest <= TRUSTED

    cdef bint go(self, double tolerance, bint cautious) noexcept nogil:
        """Fill in `trial` at the end of the step, shortened where it is a cautious one."""
        cdef double ascent = self.along(), scale = 1.0
        cdef Py_ssize_t i
        while True:
            for i in range(self.x.shape[0]):
                self.trial[i] = self.x[i] + scale * self.step[i]
            self.terms.derive(self.trial, False)
            if self.along() >= -OVERSHOOT * ascent or scale * self.largest < tolerance:
                return True
            if not cautious:
                return False
            scale *= 0.5

    cdef int climb(self, double tolerance, int max_steps) noexcept nogil:
        cdef Py_ssize_t n = self.x.shape[0] - 2, i
        cdef bint arrived
        cdef double precision
        self.largest = 1.0
        self.terms.derive(self.x, False)
        for self.steps in range(1, max_steps + 1):
            precision = fmin(fmax(self.largest * self.largest, FINE), ROUGH)
            arrived = self.find_step(precision, False) and self.go(tolerance, False)
            if not arrived:
                precision = ROUGH
                self.terms.derive(self.x, True)
                if not (self.find_step(precision, True) and self.go(tolerance, True)):
                    return Ending.STALLED
            self.x[:] = self.trial
            if fabs(self.x[n + 1]) > TAU_LIMIT:
                return Ending.AT_THE_EDGE
            if self.largest < tolerance and precision <= SHARP:
                for i in range(n + 1):
                    if self.free[i] and self.terms.diagonal[i] <= 0.0 and self.terms.gradient[i]:
                        return Ending.STALLED
                return Ending.CONVERGED
        return Ending.TOO_MANY_STEPS


cdef (double, double) expected_draws(
    double[::1] variance, const double[::1] games, double tau
) noexcept nogil:
    """Expected number of draws and its derivative with respect to tau."""
    cdef double u2 = exp(2.0 * tau), total = 0.0, slope = 0.0, root, draw
    cdef Py_ssize_t k
    for k in range(games.shape[0]):
        root = sqrt(fmax(1.0 - 4.0 * variance[k], 0.0) + 4.0 * u2 * variance[k])
        draw = 4.0 * variance[k] / (1.0 + root)
        total += games[k] * draw
        if root > 0.0:
            slope -= games[k] * u2 * draw * draw / root
    return total, slope


def fit_draw_rate(
    const int[::1] first, const int[::1] second, counts, double draws, const double[::1] x
):
    """Draw rate at which `draws` are expected of so many games, by Newton's method.

    `x` as in `Setup`.
    """
    cdef const double[::1] games = np.ascontiguousarray(counts, float)
    cdef double[::1] variance = np.empty(len(first))
    cdef Py_ssize_t k, _
    cdef Chances at
    cdef double low = -EDGE, high = EDGE, tau = 0.0, expected, slope, newton, step
    for k in range(first.shape[0]):
        at = chances(x[first[k]] + x[x.shape[0] - 2] - x[second[k]], -1.0)
        variance[k] = at.p * at.q
    if draws <= 0.0:
        return 0.0
    if draws >= expected_draws(variance, games, -EDGE)[0] * (1.0 - 1e-12):
        return 1.0
    for _ in range(200):
        expected, slope = expected_draws(variance, games, tau)
        if expected > draws:
            low = tau
        else:
            high = tau
        newton = tau - (expected - draws) / slope if slope < 0.0 else low
        step = newton if low < newton < high else 0.5 * (low + high)
        if fabs(step - tau) < 1e-13 * (1.0 + fabs(tau)):
            tau = step
            break
        tau = step
    return 1.0 / (1.0 + exp(tau))


def bound_perfect(
    const long long[::1] player, const unsigned char[::1] won, const long long[::1] end,
    const int[::1] opponent, const double[::1] games, const double[::1] ahead,
    double logit, double u2, double unknown, double chance, const double[::1] rating,
    double[::1] bound,
):
    """Fill in the bound of each perfect scorer, in points, at which his score has a probability.

    `end` is where his results end: `opponent`, `games`, and how far the opponent was `ahead`
    beside the ratings. Opponents without a rating count as `unknown`, and not at all if that is
    NaN; who has no other gets no bound. A negative `chance` stands for Ordo's bound. `rating` may
    be `bound`.
    """
    cdef Perfect scorer = Perfect(np.max(np.diff(end, prepend=0), initial=0), u2)
    cdef Py_ssize_t k, at = 0
    cdef double level
    with nogil:
        for k in range(player.shape[0]):
            scorer.winner, scorer.size = won[k], 0
            while at < end[k]:
                level = rating[opponent[at]]
                if isnan(level):
                    level = unknown
                if games[at] > 0.0 and not isnan(level):
                    scorer.opponents[scorer.size] = (level + ahead[at]) / logit
                    scorer.games[scorer.size] = games[at]
                    scorer.size += 1
                at += 1
            if scorer.size and chance < 0.0:
                bound[player[k]] = scorer.bound_ordo(logit)
            elif scorer.size:
                bound[player[k]] = logit * scorer.bound(chance)


cdef class Perfect:
    """A perfect scorer: whether he won, opponents (log odds), games with each, and u squared."""

    cdef bint winner
    cdef double[::1] opponents, games
    cdef Py_ssize_t size
    cdef double u2

    def __init__(self, most, u2):
        self.opponents, self.games, self.u2 = np.empty(most), np.empty(most), u2

    cdef double chance(self, double x) noexcept nogil:
        """Logarithm of the probability of the perfect score for a player rated `x`."""
        cdef double total = 0.0, chance, high, low
        cdef Py_ssize_t k
        cdef Chances at
        for k in range(self.size):
            at = chances(x - self.opponents[k], self.u2)
            chance = at.p if self.winner else at.q
            if self.u2 >= 0.0:
                high = at.root + fabs(at.m)
                low = 4.0 * at.p * at.q * self.u2 / high
                chance *= (low if (at.m >= 0.0) == self.winner else high) / (1.0 + at.root)
            total += self.games[k] * log(fmax(chance, 1e-320))
        return total

    cdef double points(self, double x) noexcept nogil:
        """Expected points."""
        cdef double total = 0.0
        cdef Py_ssize_t k
        for k in range(self.size):
            total += self.games[k] * chances(x - self.opponents[k], -1.0).p
        return total

    cdef double bound(self, double chance) noexcept nogil:
        """Rating (log odds) at which the perfect score has probability `chance`; bisection."""
        cdef double low = self.opponents[0], high = self.opponents[0], middle
        cdef Py_ssize_t k, _
        for k in range(self.size):
            low, high = fmin(low, self.opponents[k]), fmax(high, self.opponents[k])
        low, high, chance = low - REACH, high + REACH, log(chance)
        for _ in range(200):
            middle = 0.5 * (low + high)
            if middle <= low or middle >= high:
                break
            if (self.chance(middle) < chance) == self.winner:
                low = middle
            else:
                high = middle
        return 0.5 * (low + high)

    cdef double walk_to_score(self, double goal, double logit) noexcept nogil:
        """A rating near the one that expects `goal` points, found by Ordo's damped steps."""
        cdef double x = 2000.0, stride = 200.0, softness = 0.05, damping, gap, move, trial, new_miss
        cdef double miss = (goal - self.points(x / logit)) * (goal - self.points(x / logit))
        cdef int _, __
        for _ in range(20):
            damping = 1.0
            for __ in range(10000):
                gap = goal - self.points(x / logit)
                move = stride * fabs(gap) / (softness * damping + fabs(gap))
                trial = x + move if gap >= 0.0 else x - move
                gap = goal - self.points(trial / logit)
                new_miss = gap * gap
                if new_miss >= miss:
                    break
                x, miss = trial, new_miss
                if miss < 1e-6:
                    return x
                damping *= 0.995
            stride *= 0.5
            softness *= 2.0
        return x

    cdef double bound_ordo(self, double logit) noexcept nogil:
        """`bound` at a chance of 1/2 to Ordo's own digits, in rating points, `logit` to log odds.

        From the rating for a quarter of a point less than perfect it walks by 200 points, halving
        the stride after each step that does not come closer, until the chance is within 1e-5 of a
        half. The direction is that of the last point tried.
        """
        cdef double total = 0.0, stride = 200.0, sign = 1.0 if self.winner else -1.0
        cdef Py_ssize_t k
        for k in range(self.size):
            total += self.games[k]
        cdef double x = self.walk_to_score(total - 0.25 if self.winner else 0.25, logit)
        cdef double gap = sign * (0.5 - exp(self.chance(x / logit))), trial
        cdef double miss = gap * gap, move = -stride if gap < 0.0 else stride
        cdef int _
        for _ in range(2000):
            trial = x + move
            gap = sign * (0.5 - exp(self.chance(trial / logit)))
            move = -stride if gap < 0.0 else stride
            if gap * gap >= miss:
                stride *= 0.5
            else:
                x, miss = trial, gap * gap
            if miss < 1e-10:
                break
        return x
