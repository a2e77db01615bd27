"""What each board of a round is worth, and the round that is worth most."""

cimport cython

import numpy as np

from yardstone.tournament._matching import Forest

CHOICES = 12  #: Boards of a player to begin with, in each of three score groups.
SMALL = 256  #: Fields up to this are paired with all boards from the beginning.


cdef struct Entrant:
    long long score  # main score before the round, in half points
    long long mms  # McMahon score, in half points
    long long wins  # in half points
    long long order  # place in the order of the field from 0, ties broken
    long long category  # from 0, the strongest
    long long rank  # grade: 1 dan is 0
    long long initial  # initial McMahon score, in points
    long long balance  # even games moved second (White in Go) less even games moved first
    long long streak  # last even games with one side: +k moved second k times running, -k first
    long long up  # times drawn up: met a player with a higher score before the game
    long long down
    long long byes  # rounds without an opponent so far
    long long club  # equal numbers are one club; negative: unknown
    long long club_group
    long long country
    long long lot  # decides lots: 0 to 2**31 - 1, best all different
    # Filled in by `place_groups`.
    long long group  # score group, from the strongest; steps between groups are steps of the score
    long long size  # players of the group
    long long place  # place within the group, from 0
    long long exempt  # 1 where secondary criteria are off


cdef struct Rules:  # made of `PairingRules.numbers`
    # Weights.
    double avoid_rematch, choose_bye, absolute_colour, avoid_mixing_categories
    double minimise_score_difference, float_weight, maximise_seeding, balance_colours
    double colour_preference, minimise_handicap, avoid_same_geography, randomness, repeated_bye
    # Scores; a step is half a point or a point.
    bint half_points
    long long span  # scores from the highest to the lowest that can occur, in steps
    long long top  # the highest of them
    long long categories
    double nx1_factor
    # Who floats, and who meets whom in a group: places in `FloatMode` and `SeedSystem`.
    bint compensate_floats
    int float_upper, float_lower, seed_system
    # Secondary criteria, which are off from a score or rank on.
    long long bar_off, rank_off, wins_off
    long long secondary_span, country_difference, club_difference
    # Handicap.
    bint by_score
    long long threshold, correction, ceiling
    long long zero  # rank whose initial score is 0
    long long seed  # of the lots


cdef struct Values:
    long long rematch, bye, absolute_colour, categories, score, floats, seeding, colours
    long long colour_preference, handicap, geography, lot


cpdef enum SideReason:
    """What decided who moves first."""

    HANDICAP = 0  # the weaker player
    PREFERENCE = 1  # who needs that side more
    BALANCE = 2  # who moved second more often
    LAST = 3  # who moved second last, or for longer
    LOT = 4


cdef Entrant no_entrant
cdef Values no_values
#: A row of an entry list.
ENTRANT = np.asarray(<Entrant[:1]>&no_entrant).dtype
VALUES = np.asarray(<Values[:1]>&no_values).dtype
#: By what a board is judged.
CRITERIA = VALUES.names

cdef enum:
    MANY = 20  # earlier meetings beyond this are all the same
    LAST_LOT = 0x7fffffff
    TOP = 0, MIDDLE  # of `FloatMode`
    FOLD = 0, SLIDE, ADJACENT  # of `SeedSystem`


def pair_field(Entrant[::1] entries, const signed char[:, ::1] met, Rules rules):
    """Pair one round: the heart of every simulation.

    Arguments are those of `match_field`; the groups are filled in here. Returns whether the
    weights are small enough for this field, the rows of the players who move first and second
    (n // 2,) in the order of the better one, the stones given to the first, and the row of the
    player without an opponent or -1.
    """
    place_groups(entries, rules)
    sound, mate = match_field(entries, met, rules)
    bye = int(mate[len(entries)]) if len(entries) % 2 else -1
    return sound, *side_list(entries, mate, rules), bye


cpdef place_groups(Entrant[::1] entries, Rules rules):
    """Fill in score groups, places within them, and where secondary criteria are off."""
    cdef Py_ssize_t i, k, first = 0, n = len(entries)
    cdef Entrant* one
    keys = np.empty(n, np.int64)
    cdef long long[::1] key = keys
    for i in range(n):
        one = &entries[i]
        one.group = one.category * rules.span + rules.top - steps(one.score, rules.half_points)
        one.exempt = (
            2 * one.rank + one.wins >= 2 * rules.rank_off
            or one.wins >= rules.wins_off
            or one.initial >= rules.bar_off
        )
        key[i] = one.group * <long long>2**32 + one.order
    cdef const long long[::1] rows = np.argsort(keys)
    for k in range(n):
        one = &entries[rows[k]]
        if one.group != entries[rows[first]].group:
            first = k
        entries[rows[first]].size = k + 1 - first
        one.place = k - first
    for k in range(n):
        if entries[rows[k]].place == 0:
            first = k
        entries[rows[k]].size = entries[rows[first]].size


cpdef match_field(
    Entrant[::1] entries,
    const signed char[:, ::1] met,
    Rules rules,
    allowed=None,
    Py_ssize_t choices=CHOICES,
    Py_ssize_t small=SMALL,
):
    """The boards of the largest weight; the bye is a last row for an odd number.

    `entries` (n,), of `ENTRANT`, have their groups (`place_groups`), `met` (n, n) counts the games
    that two players have played, `rules` are `PairingRules.numbers`, and of `allowed`, bool with a
    row for the bye, only the part below the diagonal is read. Returns whether the weights are small
    enough for this field, and the partner of each row, -1 where no round can be paired.

    A field beyond `small` is paired with the `choices` best boards of each player within the score
    group, above it and below it. Then the duals of the matching are tried on all other boards: as
    long as there are some that could make it larger, they are added. What remains is the largest of
    all (the columns of a linear programme are generated in the same way).
    """
    cdef Py_ssize_t n = len(entries), whole = n + n % 2
    is_open = None if allowed is None else np.ascontiguousarray(allowed).view(np.uint8)
    cdef Field field = Field(is_open)
    field.entries, field.met, field.rules = entries, met, rules
    field.n, field.whole = n, whole
    cdef bint all_boards = whole <= small
    boards = field.all_boards() if all_boards else field.likely_boards(choices)
    forest = Forest(*field.graph(boards))
    while True:
        sound, mate, dual, z, up, _ = forest.match()
        if not sound or all_boards:
            return sound, mate
        if mate.min() < 0:
            choices *= 4
            all_boards = choices >= n
            boards = field.all_boards() if all_boards else field.likely_boards(choices)
            forest = Forest(*field.graph(boards))
            continue
        better = field.better_boards(dual, z, up, choices)
        if not len(better):
            return sound, mate
        boards = np.union1d(boards, better)
        forest.extend(*field.graph(boards))


cdef struct Choice:
    long long worth
    long long other


cdef Choice no_choice
_CHOICE = np.asarray(<Choice[:1]>&no_choice).dtype


@cython.final
cdef class Field:
    """The boards that can be: as `row << 32 | other row`, of which the first is the larger."""

    cdef Entrant[::1] entries
    cdef const signed char[:, ::1] met
    cdef const unsigned char[:, ::1] allowed
    cdef Rules rules
    cdef Py_ssize_t n, whole
    cdef bint any_board
    # Rows by group and place, where their groups begin, and last how many there are.
    cdef const long long[::1] rows, groups

    def __init__(self, allowed):
        self.any_board = allowed is None
        if allowed is not None:
            self.allowed = allowed

    cdef inline bint can_be(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
        return self.any_board or self.allowed[max(i, j), min(i, j)]

    cdef inline long long worth(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
        return total(board(&self.entries[i], &self.entries[j], self.met[i, j], &self.rules))

    cdef all_boards(self):
        """All boards that can be, in increasing order."""
        cdef Py_ssize_t i, j, count = 0
        boards = np.empty(self.whole * (self.whole - 1) // 2, np.int64)
        cdef long long[::1] out = boards
        with nogil:
            for i in range(self.whole):
                for j in range(i):
                    if self.can_be(i, j):
                        out[count] = i << 32 | j
                        count += 1
        return boards[:count]

    cdef graph(self, const long long[::1] boards):
        """What `match` takes: where the neighbours of each row begin, they, and the weights."""
        cdef Py_ssize_t i, j, k, m = len(boards)
        cdef long long worth
        starts, others = np.zeros(self.whole + 1, np.int64), np.empty(2 * m, np.int32)
        weights = np.empty(2 * m, np.int64)
        cdef long long[::1] start = starts, weight = weights
        cdef int[::1] other = others
        with nogil:
            for k in range(m):
                start[boards[k] >> 32] += 1
                start[<int>boards[k]] += 1
            for i in range(self.whole):
                start[i + 1] += start[i]
            # Filled from the end, so that what begins a row is left behind.
            for k in range(m - 1, -1, -1):
                i, j = boards[k] >> 32, <int>boards[k]
                if i == self.n:
                    worth = total(bye(self.entries, j, &self.rules))
                else:
                    worth = self.worth(i, j)
                start[i] -= 1
                other[start[i]], weight[start[i]] = j, 2 * worth
                start[j] -= 1
                other[start[j]], weight[start[j]] = i, 2 * worth
        return starts, others, weights

    cdef likely_boards(self, Py_ssize_t most):
        """The best boards of each player in the own group, above and below; and all byes."""
        cdef Py_ssize_t i, j, a, b, g, end, n = self.n
        cdef long long worth
        found, found_counts = np.empty((3, n, most), _CHOICE), np.zeros((3, n), np.int64)
        cdef Choice[:, :, ::1] choice = found
        cdef long long[:, ::1] count = found_counts
        entrants = np.asarray(self.entries)
        rows = np.lexsort((entrants["place"], entrants["group"]))
        self.rows = rows
        self.groups = np.append(np.flatnonzero(np.diff(entrants["group"][rows], prepend=-1)), n)
        with nogil:
            for g in range(self.groups.shape[0] - 1):
                # Those below: the next group, and more while these are few.
                end = g + 1
                while (
                    end + 1 < self.groups.shape[0]
                    and (end == g + 1 or self.groups[end] - self.groups[g + 1] < 4 * most)
                ):
                    end += 1
                for a in range(self.groups[g], self.groups[g + 1]):
                    i = self.rows[a]
                    for b in range(a + 1, self.groups[end]):
                        j = self.rows[b]
                        if self.can_be(i, j):
                            worth = self.worth(i, j)
                            if b < self.groups[g + 1]:
                                choose(&choice[0, i, 0], &count[0, i], most, worth, j)
                                choose(&choice[0, j, 0], &count[0, j], most, worth, i)
                            else:
                                choose(&choice[1, i, 0], &count[1, i], most, worth, j)
                                choose(&choice[2, j, 0], &count[2, j], most, worth, i)
        used = np.arange(most) < found_counts[:, :, None]
        own = np.broadcast_to(np.arange(n)[None, :, None], used.shape)[used]
        others = found["other"][used]
        # Who has none of these: every board that can be, as where one is demanded.
        alone = np.flatnonzero(found_counts.sum(axis=0) == 0)
        pairs = [(i, j) for i in alone.tolist() for j in range(n) if i != j and self.can_be(i, j)]
        pairs += [(n, j) for j in range(n) if n < self.whole and self.can_be(n, j)]
        # Neighbours in the standings, by whom nearly every field can be paired.
        pairs += [
            (i, j) for step in (1, 2, 3) for i, j in zip(rows, rows[step:]) if self.can_be(i, j)
        ]
        more = np.array(pairs, np.int64).reshape(-1, 2)
        own, others = np.append(own, more[:, 0]), np.append(others, more[:, 1])
        return np.unique(np.maximum(own, others) << 32 | np.minimum(own, others))

    cdef better_boards(
        self, const long long[::1] dual, const long long[::1] z, const long long[::1] up,
        Py_ssize_t most,
    ):
        """Boards of which the duals do not show that they are worth nothing more.

        At most so many of a player, those that miss it by the most.
        """
        cdef Py_ssize_t i, j, a, b, g, h, node, groups = self.groups.shape[0] - 1
        cdef long long slack
        found, found_counts = np.empty((self.n, most), _CHOICE), np.zeros(self.n, np.int64)
        cdef Choice[:, ::1] choice = found
        cdef long long[::1] count = found_counts
        # Of each node: the duals of all blossoms that hold it; who looked last.
        cdef long long[::1] held, seen
        held, seen = np.zeros((2, len(z)), np.int64)
        cdef const long long[::1] least = np.minimum.reduceat(
            np.asarray(dual)[self.rows], self.groups[:groups]
        )
        with nogil:
            for i in range(z.shape[0]):
                node = i
                while node >= 0:
                    held[i] += z[node]
                    node = up[node]
            for g in range(groups):
                for a in range(self.groups[g], self.groups[g + 1]):
                    i = self.rows[a]
                    node = i
                    while node >= 0:
                        seen[node] = i + 1
                        node = up[node]
                    for h in range(g, groups):
                        slack = dual[i] + least[h] - 2 * highest(
                            &self.entries[i], &self.entries[self.rows[self.groups[h]]], &self.rules
                        )
                        if slack >= 0:
                            continue
                        for b in range(max(a + 1, self.groups[h]), self.groups[h + 1]):
                            j = self.rows[b]
                            if not self.can_be(i, j):
                                continue
                            slack = dual[i] + dual[j] - 2 * self.worth(i, j)
                            if slack >= 0:
                                continue
                            node = up[j]
                            while node >= 0 and seen[node] != i + 1:
                                node = up[node]
                            if node >= 0:
                                slack += held[node]
                            if slack < 0:
                                choose(&choice[i, 0], &count[i], most, -slack, j)
        used = np.arange(most) < found_counts[:, None]
        own = np.broadcast_to(np.arange(self.n)[:, None], used.shape)[used]
        others = found["other"][used]
        return np.unique(np.maximum(own, others) << 32 | np.minimum(own, others))


cdef void choose(
    Choice* heap, long long* count, Py_ssize_t most, long long worth, Py_ssize_t other
) noexcept nogil:
    """Keep the best of what is offered: a heap with the least on top."""
    cdef Py_ssize_t at, below
    if count[0] < most:
        at = count[0]
        count[0] += 1
        while at and heap[(at - 1) // 2].worth > worth:
            heap[at] = heap[(at - 1) // 2]
            at = (at - 1) // 2
        heap[at] = Choice(worth, other)
    elif worth > heap[0].worth:
        at = 0
        while True:
            below = 2 * at + 1
            if below + 1 < most and heap[below + 1].worth < heap[below].worth:
                below += 1
            if below >= most or heap[below].worth >= worth:
                break
            heap[at] = heap[below]
            at = below
        heap[at] = Choice(worth, other)


cdef long long total(Values v) noexcept nogil:
    return (
        v.rematch + v.bye + v.absolute_colour + v.categories + v.score + v.floats + v.seeding
        + v.colours + v.colour_preference + v.handicap + v.geography + v.lot
    )


def board_values(
    Entrant[::1] entries, Py_ssize_t i, Py_ssize_t j, const signed char[:, ::1] met, Rules rules
):
    """What the board of two rows is worth by each criterion; the row behind the last is the bye."""
    if j == len(entries):
        return bye(entries, i, &rules)
    return board(&entries[i], &entries[j], met[i, j], &rules)


def row_values(Entrant[::1] entries, Py_ssize_t i, const signed char[:, ::1] met, Rules rules):
    """The values of all boards of one player, without the bye; none for itself."""
    cdef Py_ssize_t j
    values = np.zeros(len(entries), VALUES)
    cdef Values[::1] out = values
    for j in range(len(entries)):
        if j != i:
            out[j] = board(&entries[i], &entries[j], met[i, j], &rules)
    return values


cpdef side_list(Entrant[::1] entries, const long long[::1] mate, Rules rules):
    """Who moves first, who second, and the handicap, of boards in the order of the field."""
    cdef Py_ssize_t i, j, k = 0, n = len(entries)
    cdef bint begins
    order, boards = np.empty(n, np.int64), np.empty((3, n // 2), np.int64)
    cdef long long[::1] rows = order
    cdef long long[:, ::1] out = boards
    for i in range(n):
        rows[i] = entries[i].order
    rows = np.argsort(order)
    for i in rows:
        j = mate[i]
        if j < 0 or j >= n or entries[j].order < entries[i].order:
            continue
        begins, out[2, k], _ = side_of(&entries[i], &entries[j], &rules)
        out[0, k], out[1, k] = (i, j) if begins else (j, i)
        k += 1
    return tuple(boards[:, :k])


def sides(Entrant[::1] entries, Py_ssize_t i, Py_ssize_t j, Rules rules):
    """Whether `i` moves first, the stones given to the one who does, and why (`SideReason`)."""
    begins, handicap, reason = side_of(&entries[i], &entries[j], &rules)
    return begins, handicap, SideReason(reason)


cdef (bint, long long, int) side_of(Entrant* one, Entrant* two, Rules* rules) noexcept nogil:
    cdef long long handicap = stones(one, two, rules), first, second
    if handicap:
        return handicap < 0, abs(handicap), HANDICAP
    if rules.colour_preference or rules.absolute_colour:
        first, second = wants(one), wants(two)
        if first != second:
            return first < second, 0, PREFERENCE
    if one.balance != two.balance:
        return one.balance > two.balance, 0, BALANCE
    if one.streak != two.streak:
        return one.streak > two.streak, 0, LAST
    return (lot(one.lot, two.lot, rules.seed + 1) & 1 == 0) == (one.lot < two.lot), 0, LOT


cdef long long stones(Entrant* one, Entrant* two, Rules* rules) noexcept nogil:
    """Handicap of a game: positive if `one` is the stronger."""
    cdef long long first = one.rank, second = two.rank, gap, size
    if rules.by_score:
        first, second = points(one.mms) + rules.zero, points(two.mms) + rules.zero
    gap = min(first, rules.threshold) - min(second, rules.threshold)
    size = abs(gap) - rules.correction if gap else 0
    size = min(max(size, 0), rules.ceiling)
    return size if gap > 0 else -size


cdef int wants(Entrant* one) noexcept nogil:
    """Which side a player should have: -2 must move first, -1 would rather, 1 and 2 second."""
    if one.balance >= 2 or one.streak >= 2:
        return -2
    if one.balance <= -2 or one.streak <= -2:
        return 2
    if one.balance > 0 or (one.balance == 0 and one.streak > 0):
        return -1
    return one.balance < 0 or one.streak < 0


cpdef unsigned long long lot(
    unsigned long long first, unsigned long long second, unsigned long long seed
) noexcept nogil:
    """A number below 2**31 that a pair draws: the same in either order."""
    cdef unsigned long long low = min(first, second), high = max(first, second)
    cdef unsigned long long x = low * 73856093 + high * 19349663 + seed * 83492791 + 40503
    x &= LAST_LOT
    for _ in range(3):
        x ^= x >> 15
        x = (x * 739982445 + 12345) & LAST_LOT
    return x ^ (x >> 16)


cdef inline long long points(long long half_points) noexcept nogil:
    """Whole points, rounded down."""
    return half_points >> 1


cdef inline long long steps(long long score, bint half_points) noexcept nogil:
    """A score in half points as steps between score groups."""
    return score if half_points else points(score)


cdef inline double groups(Rules* rules) noexcept nogil:
    """How many score groups there can be."""
    return <double>rules.span * rules.categories


cdef inline double concave(double x, double nx1) noexcept nogil:
    """From 1 at 0 down to 0 at 1, bent so that one large x costs less than many small."""
    return (1.0 - x) * (1.0 + nx1 * x)


cdef Values board(Entrant* one, Entrant* two, long long met, Rules* rules) noexcept nogil:
    """The value of a board by each criterion."""
    cdef Values values = no_values
    cdef int first, second
    cdef double apart = abs(one.category - two.category), drawn
    values.rematch = <long long>rules.avoid_rematch * (1 - min(met, MANY))
    if rules.absolute_colour or rules.colour_preference:
        first, second = wants(one), wants(two)
        if first * second != 4:
            values.absolute_colour = <long long>rules.absolute_colour
        if first * second <= 0:
            values.colour_preference = <long long>rules.colour_preference
    if rules.categories > 1:
        values.categories = <long long>(
            rules.avoid_mixing_categories * concave(apart / rules.categories, rules.nx1_factor)
        )
    if apart == 0:
        apart = abs(one.group - two.group)
        apart = min(apart / groups(rules), 1.0)
        values.score = <long long>(
            rules.minimise_score_difference * concave(apart, rules.nx1_factor)
        )
    values.floats = <long long>float_value(one, two, rules)
    values.seeding = <long long>seed_value(one, two, rules)
    if rules.balance_colours and stones(one, two, rules) == 0:
        if one.balance * two.balance < 0:
            values.colours = <long long>rules.balance_colours
        elif one.balance * two.balance == 0 and abs(one.balance + two.balance) >= 2:
            values.colours = <long long>rules.balance_colours // 2
    values.handicap = <long long>handicap_value(one, two, rules)
    values.geography = <long long>geography_value(one, two, rules)
    if rules.randomness:
        drawn = lot(one.lot, two.lot, rules.seed)
        values.lot = <long long>(rules.randomness * drawn / (1.0 + LAST_LOT))
    return values


cdef long long highest(Entrant* one, Entrant* two, Rules* rules) noexcept nogil:
    """No board between the score groups of two players is worth more."""
    cdef long long gap = abs(one.group - two.group)
    cdef double apart = abs(one.category - two.category)
    cdef double worth = (
        rules.avoid_rematch + rules.absolute_colour + rules.colour_preference
        + rules.balance_colours + rules.minimise_handicap + rules.avoid_same_geography
        + rules.randomness
    )
    if rules.categories > 1:
        worth += rules.avoid_mixing_categories * concave(apart / rules.categories, rules.nx1_factor)
    if apart == 0:
        worth += rules.minimise_score_difference * concave(
            min(gap / groups(rules), 1.0), rules.nx1_factor
        )
    worth += rules.maximise_seeding if gap == 0 else rules.float_weight if gap < 4 else 0.0
    return <long long>worth + 16  # for what is rounded


cdef double float_value(Entrant* one, Entrant* two, Rules* rules) noexcept nogil:
    """Who of two groups meets the other: places within the groups, and earlier floats."""
    cdef long long gap = one.group - two.group
    cdef Entrant* upper = two if gap > 0 else one
    cdef Entrant* lower = one if gap > 0 else two
    cdef int state = 2
    cdef double suited, apart = 1 + abs(one.category - two.category)
    if gap == 0 or abs(gap) >= 4:
        return 0.0
    if lower.up > 0:
        state -= 1
    if upper.down > 0:
        state -= 1
    if state > 0 and upper.up > upper.down:
        state += 1
    if state > 0 and lower.down > lower.up:
        state += 1
    if not rules.compensate_floats:
        state = min(state, 2)
    suited = 0.5 * position(upper, rules.float_upper) + 0.5 * position(lower, rules.float_lower)
    return rules.float_weight * (state + suited) / 5.0 / (apart * apart * apart * apart)


cdef double position(Entrant* one, int mode) noexcept nogil:
    """How well a player's place in the group suits the choice of floaters: 0 to 1."""
    cdef double size = one.size
    if mode == TOP:
        return (size - 1 - one.place) / size
    if mode == MIDDLE:
        return (size - 1 - abs(2 * one.place - one.size + 1)) / size
    return one.place / size


cdef double seed_value(Entrant* one, Entrant* two, Rules* rules) noexcept nogil:
    """How well a pair of one group follows the seeding."""
    cdef double size = one.size, x
    cdef long long first = one.place, second = two.place
    if one.group != two.group:
        return 0.0
    if rules.seed_system == FOLD:
        x = (first + second - (size - 1)) / (size - 1)
    elif rules.seed_system == SLIDE:
        x = (2 * abs(first - second) - size) / size
    elif rules.seed_system == ADJACENT:
        x = (abs(first - second) - 1) / (size - 1)
    elif (2 * first < size) == (2 * second < size):
        return 0.0
    else:
        x = lot(one.lot, two.lot, rules.seed) / (1.0 + LAST_LOT)
        return rules.maximise_seeding * (1.0 - 0.2 * x)
    return rules.maximise_seeding * (1.0 - x * x)


cdef double handicap_value(Entrant* one, Entrant* two, Rules* rules) noexcept nogil:
    """Small differences of the McMahon score, where they would be played with stones."""
    cdef double gap = abs(points(one.mms) - points(two.mms)), value
    if rules.minimise_handicap == 0.0:
        return 0.0
    gap = min(gap / rules.secondary_span, 1.0)
    value = rules.minimise_handicap * concave(gap, rules.nx1_factor)
    return relaxed(one, two, value, rules.minimise_handicap)


cdef double relaxed(Entrant* one, Entrant* two, double value, double weight) noexcept nogil:
    """The value by a secondary criterion; half of what it lacks is given for each exempt player."""
    return value + 0.5 * (one.exempt + two.exempt) * (weight - value)


cdef double geography_value(Entrant* one, Entrant* two, Rules* rules) noexcept nogil:
    """Players of different clubs and countries."""
    cdef double country = 0.0, club = 0.0, x, value
    if rules.avoid_same_geography == 0.0:
        return 0.0
    if not common(one.country, two.country):
        country = min(rules.country_difference / groups(rules), 1.0)
    if not common(one.club, two.club):
        club = rules.club_difference * (0.5 if common(one.club_group, two.club_group) else 1.2)
        club = min(club / groups(rules), 1.0)
    x = max(country, club) + 0.5 * min(country, club)
    if x > 0.0:
        x = min(x + 0.5 / groups(rules), 1.0)
    value = rules.avoid_same_geography * (1.0 - concave(x, rules.nx1_factor))
    return relaxed(one, two, value, rules.avoid_same_geography)


cdef inline bint common(long long one, long long two) noexcept nogil:
    return one >= 0 and one == two


cdef Values bye(Entrant[::1] entries, Py_ssize_t i, Rules* rules) noexcept nogil:
    """The value of the bye: for the lowest score, there the lowest rank, there the last."""
    cdef Values values = no_values
    cdef Entrant* one = &entries[i]
    cdef Py_ssize_t j, n = entries.shape[0], behind = 0
    cdef long long gap
    for j in range(n):
        gap = entries[j].score - one.score
        if gap == 0:
            gap = entries[j].rank - one.rank
        if gap == 0:
            gap = one.order - entries[j].order
        behind += gap < 0
    values.rematch = <long long>rules.repeated_bye * (1 - min(one.byes, MANY))
    values.bye = <long long>(rules.choose_bye * (n - behind) / n)
    return values


def record_games(
    Entrant[::1] entries,
    signed char[:, ::1] met,
    const long long[::1] first,
    const long long[::1] second,
    const long long[::1] stones,
    bint half_points,
):
    """Floats, colours and who has met whom, after the games of a round.

    `entries` are those of its pairing; `half_points` says whether half a point parts score groups.
    """
    cdef Py_ssize_t game, i, j
    cdef long long one, two
    for game in range(len(first)):
        i, j = first[game], second[game]
        one = steps(entries[i].score, half_points)
        two = steps(entries[j].score, half_points)
        if one != two:
            entries[i if one < two else j].up += 1
            entries[j if one < two else i].down += 1
        if met[i, j] < 127:
            met[i, j] += 1
            met[j, i] += 1
        if stones[game] <= 0:
            note_side(&entries[i], -1)
            note_side(&entries[j], 1)


cdef void note_side(Entrant* one, int turn) noexcept nogil:
    one.balance += turn
    one.streak = one.streak + turn if one.streak * turn > 0 else turn
