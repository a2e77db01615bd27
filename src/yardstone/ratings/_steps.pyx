"""The systems that rate games as they come, and the loop over rating periods that they share."""

from libc.math cimport erfc, exp, fabs, isnan, log, log1p, pow, sqrt

import numpy as np

from yardstone.winprob import laws
from yardstone.winprob._laws cimport logistic

cdef double PI = 3.141592653589793
cdef double Q = 1.0 / laws.ELO_POINTS_PER_LOGIT
cdef double EGF_POLE = laws.EGF_POLE, EGF_CEILING = laws.EGF_CEILING
cdef double EGF_STEEPNESS = laws.EGF_STEEPNESS


cdef class System:
    """A system's steps; `replay` predicts all games and learns from them, changing its arrays.

    Before a period `enter` is called for each of its games, then `predict`; after it `learn` for
    each, then `settle`. They get the number of the game, of its row in `change`, and of its period.
    `predict` looks at what is kept of players and does not change it.
    """

    cdef void enter(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        pass

    cdef void predict(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        pass

    cdef void learn(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        pass

    cdef void settle(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        pass

    def replay(self, rounds, record):
        """Predict and learn the games of `Rounds`, and fill in a `Record`."""
        self.first, self.second, self.score, self.ahead, self.start, self.actions = rounds
        self.expected, self.before, self.change = record
        with nogil:
            self._replay()

    cdef void _replay(self) noexcept nogil:
        cdef Py_ssize_t g, step, action, batch
        if self.start.shape[0] == 0:
            for g in range(self.first.shape[0]):
                self.enter(g, 0, g)
                self.predict(g, 0, g)
                self.learn(g, 0, g)
                self.settle(g, 0, g)
            return
        for step in range(2 * (self.start.shape[0] - 1)):
            action = self.actions[step] if self.actions.shape[0] else step
            batch = action >> 1
            if action & 1 == 0:
                for g in range(self.start[batch], self.start[batch + 1]):
                    self.enter(g, g, batch)
                for g in range(self.start[batch], self.start[batch + 1]):
                    self.predict(g, g, batch)
            else:
                for g in range(self.start[batch], self.start[batch + 1]):
                    self.learn(g, g, batch)
                for g in range(self.start[batch], self.start[batch + 1]):
                    self.settle(g, g, batch)


cdef class Elo(System):
    """Elo's with one K; `steepness` is 1/scale, by the root of 2 for the normal curve."""

    cdef double steepness, furthest, k
    cdef bint normal
    cdef double[::1] rating

    def __init__(
        self, double[::1] rating, double steepness, bint normal, double furthest, double k
    ):
        self.rating, self.steepness, self.normal = rating, steepness, normal
        self.furthest, self.k = furthest, k

    cdef double surprise(self, Py_ssize_t g) noexcept nogil:
        """Points of `first` above what is expected, which is recorded."""
        cdef double one = self.rating[self.first[g]], other = self.rating[self.second[g]]
        cdef double ahead = min(max(one - other + self.ahead[g], -self.furthest), self.furthest)
        if self.normal:
            self.expected[g] = 0.5 * erfc(-ahead * self.steepness)
        else:
            self.expected[g] = logistic(ahead * self.steepness)
        self.before[g, 0], self.before[g, 1] = one, other
        return self.score[g] - self.expected[g]

    cdef void predict(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef double change = self.k * self.surprise(g)
        self.change[slot, 0], self.change[slot, 1] = change, -change

    cdef void learn(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        self.rating[self.first[g]] += self.change[slot, 0]
        self.rating[self.second[g]] += self.change[slot, 1]


cdef class EloByRule(Elo):
    """Elo's with K by games and rating: `numbers` of `KFactor`."""

    cdef const double[::1] numbers
    cdef int[::1] played, present
    cdef unsigned char[::1] top
    cdef long long[::1] latest  # period of which `present` counts the games

    def __init__(self, rating, steepness, normal, furthest, numbers, played, top):
        Elo.__init__(self, rating, steepness, normal, furthest, 0.0)
        self.numbers, self.played, self.top = numbers, played, top.view(np.uint8)
        self.present = np.zeros(len(rating), np.int32)
        self.latest = np.full(len(rating), -1)

    cdef void enter(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef Py_ssize_t p, side
        for side in range(2):
            p = self.player(g, side)
            if self.latest[p] != period:
                self.latest[p], self.present[p] = period, 0
            self.present[p] += 1

    cdef double factor(self, Py_ssize_t p) noexcept nogil:
        """K by games and rating, less if K times the games of the period is too much."""
        cdef double k
        if self.played[p] < self.numbers[1]:
            k = self.numbers[0]
        elif self.top[p]:
            k = self.numbers[3]
        else:
            k = self.numbers[2]
        return min(k, self.numbers[5] / self.present[p])

    cdef void predict(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef double surprise = self.surprise(g)
        self.change[slot, 0] = self.factor(self.first[g]) * surprise
        self.change[slot, 1] = -self.factor(self.second[g]) * surprise

    cdef void learn(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        Elo.learn(self, g, slot, period)
        self.played[self.first[g]] += 1
        self.played[self.second[g]] += 1

    cdef void settle(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef Py_ssize_t p, side
        for side in range(2):
            p = self.player(g, side)
            self.top[p] = self.top[p] or self.rating[p] >= self.numbers[4]


cdef class Summing(System):
    """A system that learns from the games of a period at once: sums, all zero between periods."""

    def __init__(self, players):
        self.gain, self.information = np.zeros(players), np.zeros(players)
        self.waiting = np.zeros(players, np.uint8)

    cdef void learn(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef Py_ssize_t p, side
        for side in range(2):
            p = self.player(g, side)
            self.gain[p] += self.change[slot, side]
            self.information[p] += self.change[slot, 2 + side]
            self.waiting[p] = True

    cdef void settle(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef Py_ssize_t p, side
        for side in range(2):
            p = self.player(g, side)
            if self.waiting[p]:
                self.update(p, period)
                self.gain[p] = self.information[p] = 0.0
                self.waiting[p] = False

    cdef void update(self, Py_ssize_t p, Py_ssize_t period) noexcept nogil:
        """What a player's sums say of him."""
        pass


cdef class Glicko(Summing):
    """Glicko; `drift` is c squared, `clock` the time of each period (empty: nobody ages)."""

    cdef const double[::1] clock
    cdef double drift, oldest, lowest
    cdef double[::1] rating, variance, last

    def __init__(self, double[::1] rating, variance, last, clock, drift, oldest, lowest):
        super().__init__(len(rating))
        self.rating, self.variance, self.last = rating, variance, last
        self.clock, self.drift, self.oldest, self.lowest = clock, drift, oldest, lowest

    cdef double aged(self, Py_ssize_t p, Py_ssize_t period) noexcept nogil:
        """Step 1: squared deviation at the onset of a period."""
        cdef double idle = self.clock[period] - self.last[p] if self.clock.shape[0] else 0.0
        if idle <= 0.0:
            return self.variance[p]
        return max(self.variance[p], min(self.variance[p] + self.drift * idle, self.oldest))

    cdef void predict(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef Py_ssize_t i = self.first[g], j = self.second[g]
        cdef double one = self.aged(i, period), other = self.aged(j, period)
        cdef double difference = self.rating[i] - self.rating[j] + self.ahead[g]
        self.before[g, 0], self.before[g, 1] = self.rating[i], sqrt(one)
        self.before[g, 2], self.before[g, 3] = self.rating[j], sqrt(other)
        self.expected[g] = logistic(Q * shrink(Q * Q * (one + other)) * difference)
        cdef double g_i = Q * shrink(Q * Q * one), g_j = Q * shrink(Q * Q * other)
        note_game(self, g, slot, g_i, g_j, g_j * difference, g_i * difference)

    cdef void update(self, Py_ssize_t p, Py_ssize_t period) noexcept nogil:
        cdef double variance = 1.0 / (1.0 / self.aged(p, period) + self.information[p])
        self.rating[p] += variance * self.gain[p]
        self.variance[p] = max(variance, self.lowest)
        if self.clock.shape[0]:
            self.last[p] = self.clock[period]


cdef inline void note_game(
    System system, Py_ssize_t g, Py_ssize_t slot, double g_i, double g_j, double one, double other
) noexcept nogil:
    """Gain and information of a game for both, with the log odds of `first` as each sees it."""
    cdef double e_i = logistic(one), e_j = logistic(-other)
    system.change[slot, 0] = g_j * (system.score[g] - e_i)
    system.change[slot, 1] = g_i * (1.0 - system.score[g] - e_j)
    system.change[slot, 2] = g_j * g_j * e_i * (1.0 - e_i)
    system.change[slot, 3] = g_i * g_i * e_j * (1.0 - e_j)


cdef double TOLERANCE = 1e-10  # ln(sigma^2) is found to within this


cdef double shrink(double variance) noexcept nogil:
    """g of step 3, from phi squared."""
    return 1.0 / sqrt(1.0 + 3.0 / (PI * PI) * variance)


cdef (double, double) f(
    double x, double delta2, double phi2_v, double a, double per_tau2
) noexcept nogil:
    """f of step 5 and its slope; `phi2_v` is phi^2 + v."""
    cdef double y = exp(x)
    cdef double total = phi2_v + y
    cdef double half = 0.5 * y / (total * total)
    cdef double slope = half * (delta2 * (phi2_v - y) - phi2_v * total) / total - per_tau2
    return half * (delta2 - total) - (x - a) * per_tau2, slope


cdef double illinois(
    double delta2, double phi2_v, double a, double per_tau2, double tau
) noexcept nogil:
    """Root of f by the Illinois method, as step 5 has it."""
    cdef double high = a, low, middle, value, at_high, at_low
    if delta2 > phi2_v:
        low = log(delta2 - phi2_v)
    else:
        low = a - tau
        while f(low, delta2, phi2_v, a, per_tau2)[0] < 0.0:
            low -= tau
    at_high = f(high, delta2, phi2_v, a, per_tau2)[0]
    at_low = f(low, delta2, phi2_v, a, per_tau2)[0]
    for _ in range(200):
        if fabs(low - high) <= TOLERANCE or at_low == at_high:
            break
        middle = high + (high - low) * at_high / (at_low - at_high)
        value = f(middle, delta2, phi2_v, a, per_tau2)[0]
        if value * at_low <= 0.0:
            high, at_high = low, at_low
        else:
            at_high *= 0.5
        low, at_low = middle, value
    return high


cpdef double new_volatility(
    double phi2, double volatility, double v, double delta, double tau
) noexcept nogil:
    """Step 5: the volatility after a period.

    Newton's method from the old volatility, which takes two or three steps where the
    Illinois method of the paper takes ten; where f is not safely falling, the latter.
    """
    if tau <= 0.0:
        return volatility
    cdef double a = 2.0 * log(volatility), x = a, value, slope
    cdef double delta2 = delta * delta, phi2_v = phi2 + v, per_tau2 = 1.0 / (tau * tau)
    for _ in range(10):
        value, slope = f(x, delta2, phi2_v, a, per_tau2)
        if slope > -0.5 * per_tau2:
            break
        x -= value / slope
        if fabs(value / slope) <= TOLERANCE:
            return exp(0.5 * x)
    return exp(0.5 * illinois(delta2, phi2_v, a, per_tau2, tau))


cdef class Glicko2(Summing):
    """Glicko-2.

    `clock` has the time of each rating period in periods (empty: nobody ages), `active` of which
    belong to a player's last one itself; idleness raises phi squared to `oldest` at most. `ratio`
    (empty: none) multiplies the distance of `first` from `zero`, the mu of rating 0, where the
    opponent and the prediction look at it, and divides that of `second` where `first` looks at it.
    `limits` are the lowest and highest mu, phi squared and volatility.
    """

    def __init__(
        self, double[::1] mu, phi2, volatility, last, clock, tau, limits=(), ratio=(), zero=0.0
    ):
        super().__init__(len(mu))
        self.mu, self.phi2, self.volatility, self.last = mu, phi2, volatility, last
        self.time, self.active, self.oldest = clock
        self.tau, self.zero = tau, zero
        self.limits, self.ratio = np.asarray(limits, float), np.asarray(ratio, float)

    cdef double aged(self, Py_ssize_t p, Py_ssize_t period) noexcept nogil:
        """Phi squared of a player before a period."""
        if self.time.shape[0] == 0:
            return self.phi2[p]
        cdef double idle = self.time[period] - self.last[p] - self.active
        if idle <= 0.0:
            return self.phi2[p]
        return max(self.phi2[p], min(self.phi2[p] + idle * self.volatility[p] ** 2, self.oldest))

    cdef void predict(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef Py_ssize_t i = self.first[g], j = self.second[g]
        cdef double phi2_i = self.aged(i, period), phi2_j = self.aged(j, period)
        cdef double two = self.mu[i] - self.mu[j] + self.ahead[g]
        cdef double one = two
        if self.ratio.shape[0]:
            one += (self.mu[i] - self.zero) * (self.ratio[g] - 1.0)
            two += (self.mu[j] - self.zero) * (1.0 - 1.0 / self.ratio[g])
        self.before[g, 0], self.before[g, 1] = self.mu[i], sqrt(phi2_i)
        self.before[g, 2], self.before[g, 3] = self.mu[j], sqrt(phi2_j)
        self.expected[g] = logistic(shrink(phi2_i + phi2_j) * one)
        cdef double g_i = shrink(phi2_i), g_j = shrink(phi2_j)
        note_game(self, g, slot, g_i, g_j, g_j * two, g_i * one)

    cdef void update(self, Py_ssize_t p, Py_ssize_t period) noexcept nogil:
        """Steps 4 to 7; the sums are of g(s - E), and of g^2 E(1 - E), or 1/v."""
        cdef double phi2 = self.aged(p, period), mu = self.mu[p], volatility = self.volatility[p]
        cdef double information = self.information[p], v
        if self.time.shape[0]:
            self.last[p] = self.time[period]
        if information <= 0.0:  # games without any doubt teach nothing
            phi2 += volatility * volatility
        else:
            v = 1.0 / information
            volatility = new_volatility(phi2, volatility, v, v * self.gain[p], self.tau)
            phi2 = 1.0 / (1.0 / (phi2 + volatility * volatility) + information)
            mu += phi2 * self.gain[p]
        self.mu[p] = min(max(mu, self.limits[0]), self.limits[1])
        self.phi2[p] = min(max(phi2, self.limits[2]), self.limits[3])
        self.volatility[p] = min(max(volatility, self.limits[4]), self.limits[5])


#: con of the EGF's old system at 100, 200, ... 2700; linear between.
OLD_CON = (
    116.0, 110.0, 105.0, 100.0, 95.0, 90.0, 85.0, 80.0, 75.0, 70.0, 65.0, 60.0, 55.0, 51.0, 47.0,
    43.0, 39.0, 35.0, 31.0, 27.0, 24.0, 21.0, 18.0, 15.0, 13.0, 11.0, 10.0,
)
cdef double[27] OLD = OLD_CON


cdef double beta(double rating) noexcept nogil:
    """-7 ln(3300 - r): its differences are log odds."""
    return -EGF_STEEPNESS * log(EGF_POLE - min(rating, EGF_CEILING))


cpdef double con(double rating) noexcept nogil:
    """Points for a surprise of one point: ((3300 - r)/200)^1.6."""
    return pow((EGF_POLE - min(rating, EGF_CEILING)) / 200.0, 1.6)


cpdef double bonus(double rating) noexcept nogil:
    """Points for each game, against deflation: ln(1 + exp((2300 - r)/80))/5."""
    cdef double x = (2300.0 - rating) / 80.0
    return (max(x, 0.0) + log1p(exp(-fabs(x)))) / 5.0


cpdef double slope_of_old(double rating) noexcept nogil:
    """The old system's a, by the weaker player's rating: 200 at 100 down to 70 at 2700."""
    return min(max(205.0 - rating / 20.0, 70.0), 200.0)


cdef double con_of_old(double rating) noexcept nogil:
    cdef double place = min(max(rating / 100.0 - 1.0, 0.0), 26.0)
    cdef Py_ssize_t low = min(<Py_ssize_t>place, 25)
    return OLD[low] + (place - low) * (OLD[low + 1] - OLD[low])


cdef class EGF(System):
    """The EGF's, old and new.

    `weight` has what each game counts; `entry`, (games, 2), the rating with which each player
    would enter, NaN for `initial`. A rating of NaN is that of a player who has not entered.
    """

    cdef bint old
    cdef double deflation, initial, floor
    cdef const double[::1] weight
    cdef const double[:, ::1] entry
    cdef double[::1] rating

    def __init__(self, rating, old, deflation, initial, floor, weight, entry):
        self.rating, self.weight, self.entry = rating, weight, entry
        self.old, self.deflation, self.initial, self.floor = old, deflation, initial, floor

    cdef void enter(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef Py_ssize_t p, side
        cdef double level
        for side in range(2):
            p = self.player(g, side)
            if isnan(self.rating[p]):
                level = self.entry[g, side]
                level = self.initial if isnan(level) else level
                self.rating[p] = min(max(level, self.floor), EGF_CEILING)

    cdef double points(self, double rating, double score, double chance) noexcept nogil:
        """What a game changes."""
        if self.old:
            return con_of_old(rating) * (score - chance + 0.5 * self.deflation)
        return con(rating) * (score - chance) + bonus(rating)

    cdef void predict(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef double one = self.rating[self.first[g]], other = self.rating[self.second[g]]
        cdef double ahead = self.ahead[g], score = self.score[g], chance
        if self.old:
            chance = logistic((one + ahead - other) / slope_of_old(min(one, other)))
        else:
            chance = logistic(beta(one + ahead) - beta(other))
        self.expected[g] = chance
        self.before[g, 0], self.before[g, 1] = one, other
        self.change[slot, 0] = self.weight[g] * self.points(one, score, chance)
        self.change[slot, 1] = self.weight[g] * self.points(other, 1.0 - score, 1.0 - chance)

    cdef void learn(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef Py_ssize_t p, side
        for side in range(2):
            p = self.player(g, side)
            self.rating[p] = max(self.rating[p] + self.change[slot, side], self.floor)


cdef class FIBS(System):
    """FIBS'; `root` is that of each match's length, `steepness` the log odds of a point at 1."""

    cdef const double[::1] root
    cdef double steepness, unit, first_factor, ramp
    cdef double[::1] rating, experience

    def __init__(self, rating, experience, root, steepness, unit, first_factor, ramp):
        self.rating, self.experience, self.root = rating, experience, root
        self.steepness, self.unit = steepness, unit
        self.first_factor, self.ramp = first_factor, ramp

    cdef void predict(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef double one = self.rating[self.first[g]], other = self.rating[self.second[g]]
        cdef double root = self.root[g], moved, played
        cdef Py_ssize_t side
        self.expected[g] = logistic((one - other) * root * self.steepness)
        self.before[g, 0], self.before[g, 1] = one, other
        moved = self.unit * root * (self.score[g] - self.expected[g])
        for side in range(2):
            played = self.experience[self.player(g, side)] + root * root
            self.change[slot, side] = moved * max(1.0, self.first_factor - played / self.ramp)
            moved = -moved

    cdef void learn(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil:
        cdef Py_ssize_t p, side
        for side in range(2):
            p = self.player(g, side)
            self.rating[p] += self.change[slot, side]
            self.experience[p] += self.root[g] * self.root[g]
