"""What each board of a round is worth, and the round that is worth most."""

import numpy as np

from yardstone.tournament._matching import match


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

    Arguments are those of `pair_weights`; the groups are filled in here. Returns whether the
    weights are small enough for this field, the rows of the players who move first and second
    (n // 2,) in the order of the better one, the stones given to the first, and the row of the
    player without an opponent or -1.
    """
    place_groups(entries, rules)
    weights = pair_weights(entries, met, rules)
    weights *= 2
    sound, mate, *_ = match(weights)
    bye = int(mate[len(entries)]) if len(entries) % 2 else -1
    return sound, *side_list(entries, mate, rules), bye


cpdef place_groups(Entrant[::1] entries, Rules rules):
    """Fill in score groups, places within them, and where secondary criteria are off."""
    cdef Py_ssize_t i, j, n = len(entries)
    cdef Entrant* one
    with nogil:
        for i in range(n):
            one = &entries[i]
            one.group = one.category * rules.span + rules.top - steps(one.score, rules.half_points)
            one.exempt = (
                2 * one.rank + one.wins >= 2 * rules.rank_off
                or one.wins >= rules.wins_off
                or one.initial >= rules.bar_off
            )
            one.size = one.place = 0
        for i in range(n):
            one = &entries[i]
            for j in range(n):
                if one.group == entries[j].group:
                    one.size += 1
                    one.place += entries[j].order < one.order


cpdef pair_weights(Entrant[::1] entries, const signed char[:, ::1] met, Rules rules):
    """Symmetric weights of all boards, with the bye as a last row and column for an odd number.

    `entries` (n,), of `ENTRANT`, have their groups (`place_groups`), `met` (n, n) counts the games
    that two players have played, `rules` are `PairingRules.numbers`.
    """
    cdef Py_ssize_t i, j, n = len(entries)
    weights = np.zeros((n + n % 2, n + n % 2), np.int64)
    cdef long long[:, ::1] out = weights
    with nogil:
        for i in range(n):
            for j in range(i):
                out[i, j] = out[j, i] = total(board(&entries[i], &entries[j], met[i, j], &rules))
            if n % 2:
                out[i, n] = out[n, i] = total(bye(entries, i, &rules))
    return weights


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
