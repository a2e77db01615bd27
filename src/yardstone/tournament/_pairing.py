"""Entry lists as columns of numbers, and what each board of a round is worth, in compiled loops."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from yardstone.kernels import kernel
from yardstone.tournament._matching import match
from yardstone.tournament.model import CRITERIA, Rule

Entries = NDArray[np.int64]
Counts = NDArray[np.int8]
Rules = NDArray[np.float64]
Weights = NDArray[np.int64]
Numbers = NDArray[np.int64]
Whole = NDArray[np.int64]


class Entry(IntEnum):
    """Columns of an entry list; the last four are made by `place_groups`."""

    SCORE = 0  # main score before the round, in half points
    MMS = 1  # McMahon score, in half points
    WINS = 2  # in half points
    ORDER = 3  # place in the order of the field from 0: any criteria, ties broken, all different
    CATEGORY = 4  # from 0, the strongest
    RANK = 5  # grade: 1 dan is 0
    INITIAL = 6  # initial McMahon score, in points
    BALANCE = 7  # even games moved second (White in Go) less even games moved first
    STREAK = 8  # last even games with one side: +k moved second k times running, -k first
    UP = 9  # times drawn up: met a player with a higher score before the game
    DOWN = 10
    BYES = 11  # rounds without an opponent so far
    CLUB = 12  # equal numbers are one club; negative: unknown
    CLUB_GROUP = 13
    COUNTRY = 14
    LOT = 15  # decides lots: 0 to 2**31 - 1, best all different
    GROUP = 16  # score group, from the strongest; steps between groups are steps of the score
    SIZE = 17  # players of the group
    PLACE = 18  # place within the group, from 0
    EXEMPT = 19  # 1 where secondary criteria are off


class SideReason(IntEnum):
    """What decided who moves first."""

    HANDICAP = 0  # the weaker player
    PREFERENCE = 1  # who needs that side more
    BALANCE = 2  # who moved second more often
    LAST = 3  # who moved second last, or for longer
    LOT = 4


_CRITERIA = len(CRITERIA)


@kernel
def sides(entries: Entries, i: int, j: int, rules: Rules) -> tuple[bool, int, int]:
    """Whether `i` moves first, the stones given to the one who does, and why (`SideReason`)."""
    handicap = stones(entries, i, j, rules)
    if handicap:
        return handicap < 0, abs(handicap), SideReason.HANDICAP
    if rules[Rule.COLOUR_PREFERENCE] or rules[Rule.ABSOLUTE_COLOUR]:
        one, two = wants(entries, i), wants(entries, j)
        if one != two:
            return one < two, 0, SideReason.PREFERENCE
    one, two = entries[i, Entry.BALANCE], entries[j, Entry.BALANCE]
    if one != two:
        return one > two, 0, SideReason.BALANCE
    one, two = entries[i, Entry.STREAK], entries[j, Entry.STREAK]
    if one != two:
        return one > two, 0, SideReason.LAST
    drawn = lot(entries[i, Entry.LOT], entries[j, Entry.LOT], int(rules[Rule.DRAW_SEED]) + 1)
    return (drawn & 1 == 0) == (entries[i, Entry.LOT] < entries[j, Entry.LOT]), 0, SideReason.LOT


@kernel
def row_values(entries: Entries, i: int, met: Counts, rules: Rules) -> Numbers:
    """The values of all boards of one player: shape (n, criteria); none for itself."""
    n = len(entries)
    values = np.zeros((n, _CRITERIA), np.int64)
    for j in range(n):
        if j != i:
            board_values(entries, i, j, met[i, j], rules, values[j])
    return values


@kernel
def pair_weights(entries: Entries, met: Counts, rules: Rules) -> Weights:
    """Symmetric weights of all boards, with the bye as a last row and column for an odd number.

    `entries` (n, len(Entry)) have their groups (`place_groups`), `met` (n, n) counts the games that
    two players have played, `rules` are `PairingRules.packed`.
    """
    n = len(entries)
    whole = n + n % 2
    weights = np.zeros((whole, whole), np.int64)
    values = np.empty(_CRITERIA, np.int64)
    for i in range(n):
        for j in range(i):
            board_values(entries, i, j, met[i, j], rules, values)
            weights[i, j] = weights[j, i] = values.sum()
        if whole > n:
            bye_values(entries, i, rules, values)
            weights[i, n] = weights[n, i] = values.sum()
    return weights


@kernel
def side_list(entries: Entries, mate: Numbers, rules: Rules) -> tuple[Numbers, Numbers, Numbers]:
    """Who moves first, who second, and the handicap, of boards in the order of the field."""
    n = len(entries)
    boards = n // 2
    first, second, handicaps = (
        np.empty(boards, np.int64),
        np.empty(boards, np.int64),
        np.empty(boards, np.int64),
    )
    k = 0
    for i in np.argsort(entries[:, Entry.ORDER]):
        j = mate[i]
        if j >= n or j < 0 or entries[j, Entry.ORDER] < entries[i, Entry.ORDER]:
            continue
        begins, handicap, _ = sides(entries, i, j, rules)
        first[k], second[k] = (i, j) if begins else (j, i)
        handicaps[k] = handicap
        k += 1
    return first[:k], second[:k], handicaps[:k]


@kernel
def pair_field(
    entries: Entries, met: Counts, rules: Rules
) -> tuple[bool, Numbers, Numbers, Numbers, int]:
    """Pair one round: the heart of every simulation.

    Arguments are those of `pair_weights`; the columns of groups are filled in here. Returns whether
    the weights are small enough for this field, the rows of the players who move first and second
    (n // 2,) in the order of the better one, the stones given to the first, and the row of the
    player without an opponent or -1.
    """
    n = len(entries)
    place_groups(entries, rules)
    weights = pair_weights(entries, met, rules)
    weights *= 2
    sound, mate, _, _, _, _ = match(weights)
    first, second, handicap = side_list(entries, mate, rules)
    return sound, first, second, handicap, int(mate[n]) if n % 2 else -1


#: Earlier meetings beyond this are all the same.
_MANY = 20
_TOP, _MIDDLE = 0, 1
_FOLD, _SLIDE, _ADJACENT = 0, 1, 2
#: Lots are numbers below this; products of two stay below 2**62.
_LOTS = 2**31


@kernel
def lot(first: int, second: int, seed: int) -> int:
    """A number below 2**31 that a pair draws: the same in either order."""
    low, high = min(first, second), max(first, second)
    x = (low * 73856093 + high * 19349663 + seed * 83492791 + 40503) % _LOTS
    for _ in range(3):
        x ^= x >> 15
        x = (x * 739982445 + 12345) % _LOTS
    return x ^ (x >> 16)


@kernel
def _concave(x: float, nx1: float) -> float:
    """From 1 at 0 down to 0 at 1, bent so that one large x costs less than many small."""
    return (1.0 - x) * (1.0 + nx1 * x)


@kernel
def place_groups(entries: Entries, rules: Rules) -> None:
    """Fill in score groups, places within them, and where secondary criteria are off."""
    n = len(entries)
    unit, span, top = int(rules[Rule.UNIT]), int(rules[Rule.SPAN]), int(rules[Rule.TOP])
    for i in range(n):
        step = top - entries[i, Entry.SCORE] // unit
        entries[i, Entry.GROUP] = entries[i, Entry.CATEGORY] * span + step
        strong = (
            2 * entries[i, Entry.RANK] + entries[i, Entry.WINS] >= 2 * rules[Rule.RANK_OFF]
            or entries[i, Entry.WINS] >= rules[Rule.WINS_OFF]
            or entries[i, Entry.INITIAL] >= rules[Rule.BAR_OFF]
        )
        entries[i, Entry.EXEMPT] = 1 if strong else 0
    for i in range(n):
        size = place = 0
        for j in range(n):
            if entries[i, Entry.GROUP] == entries[j, Entry.GROUP]:
                size += 1
                if entries[j, Entry.ORDER] < entries[i, Entry.ORDER]:
                    place += 1
        entries[i, Entry.SIZE] = size
        entries[i, Entry.PLACE] = place


@kernel
def stones(entries: Entries, i: int, j: int, rules: Rules) -> int:
    """Handicap of a game: positive if `i` is the stronger."""
    if rules[Rule.HD_BY_SCORE]:
        one = entries[i, Entry.MMS] // 2 + int(rules[Rule.ZERO])
        two = entries[j, Entry.MMS] // 2 + int(rules[Rule.ZERO])
    else:
        one, two = entries[i, Entry.RANK], entries[j, Entry.RANK]
    threshold = int(rules[Rule.HD_THRESHOLD])
    gap = min(one, threshold) - min(two, threshold)
    size = abs(gap) - int(rules[Rule.HD_CORRECTION]) if gap else 0
    size = min(max(size, 0), int(rules[Rule.HD_CEILING]))
    return size if gap > 0 else -size


@kernel
def wants(entries: Entries, i: int) -> int:
    """Which side a player should have: -2 must move first, -1 would rather, 1 and 2 second."""
    balance, streak = entries[i, Entry.BALANCE], entries[i, Entry.STREAK]
    if balance >= 2 or streak >= 2:
        return -2
    if balance <= -2 or streak <= -2:
        return 2
    if balance > 0 or (balance == 0 and streak > 0):
        return -1
    if balance < 0 or streak < 0:
        return 1
    return 0


@kernel
def _position(place: int, size: int, mode: int) -> float:
    """How well a player's place in the group suits the choice of floaters: 0 to 1."""
    if mode == _TOP:
        return (size - 1 - place) / size
    if mode == _MIDDLE:
        return (size - 1 - abs(2 * place - size + 1)) / size
    return place / size


@kernel
def _float_value(entries: Entries, i: int, j: int, rules: Rules) -> float:
    """Who of two groups meets the other: places within the groups, and earlier floats."""
    gap = entries[i, Entry.GROUP] - entries[j, Entry.GROUP]
    if gap == 0 or abs(gap) >= 4:
        return 0.0
    upper, lower = (j, i) if gap > 0 else (i, j)
    up, down = Entry.UP, Entry.DOWN
    state = 2
    if entries[lower, up] > 0:
        state -= 1
    if entries[upper, down] > 0:
        state -= 1
    if state > 0 and entries[upper, up] > entries[upper, down]:
        state += 1
    if state > 0 and entries[lower, down] > entries[lower, up]:
        state += 1
    if not rules[Rule.COMPENSATE]:
        state = min(state, 2)
    places = 0.5 * _position(
        entries[upper, Entry.PLACE], entries[upper, Entry.SIZE], int(rules[Rule.UPPER])
    ) + 0.5 * _position(
        entries[lower, Entry.PLACE], entries[lower, Entry.SIZE], int(rules[Rule.LOWER])
    )
    apart = 1 + abs(entries[i, Entry.CATEGORY] - entries[j, Entry.CATEGORY])
    return float(rules[Rule.FLOATS] * (state + places) / 5.0 / apart**4)


@kernel
def _seed_value(entries: Entries, i: int, j: int, rules: Rules) -> float:
    """How well a pair of one group follows the seeding."""
    if entries[i, Entry.GROUP] != entries[j, Entry.GROUP]:
        return 0.0
    size = entries[i, Entry.SIZE]
    one, two = entries[i, Entry.PLACE], entries[j, Entry.PLACE]
    system = int(rules[Rule.SEED])
    if system == _FOLD:
        x = (one + two - (size - 1)) / (size - 1)
    elif system == _SLIDE:
        x = (2 * abs(one - two) - size) / size
    elif system == _ADJACENT:
        x = (abs(one - two) - 1) / (size - 1)
    else:
        if (2 * one < size) == (2 * two < size):
            return 0.0
        lots = entries[i, Entry.LOT], entries[j, Entry.LOT]
        drawn = lot(lots[0], lots[1], int(rules[Rule.DRAW_SEED])) / _LOTS
        return float(rules[Rule.SEEDING] * (1.0 - 0.2 * drawn))
    return float(rules[Rule.SEEDING] * (1.0 - x * x))


@kernel
def _common(entries: Entries, i: int, j: int, column: int) -> bool:
    return bool(entries[i, column] >= 0 and entries[i, column] == entries[j, column])


@kernel
def _geography_value(entries: Entries, i: int, j: int, rules: Rules) -> float:
    """Players of different clubs and countries; half of it where one is exempt."""
    weight = rules[Rule.GEOGRAPHY]
    if weight == 0.0:
        return 0.0
    groups = rules[Rule.SPAN] * rules[Rule.CATEGORY_COUNT]
    country = club = 0.0
    if not _common(entries, i, j, Entry.COUNTRY):
        country = min(rules[Rule.COUNTRY] / groups, 1.0)
    if not _common(entries, i, j, Entry.CLUB):
        other_group = not _common(entries, i, j, Entry.CLUB_GROUP)
        club = min(rules[Rule.CLUB] * (1.2 if other_group else 0.5) / groups, 1.0)
    x = max(country, club) + 0.5 * min(country, club)
    if x > 0.0:
        x = min(x + 0.5 / groups, 1.0)
    value = weight * (1.0 - _concave(x, rules[Rule.NX1]))
    exempt = entries[i, Entry.EXEMPT] + entries[j, Entry.EXEMPT]
    return float(value + 0.5 * exempt * (weight - value))


@kernel
def _handicap_value(entries: Entries, i: int, j: int, rules: Rules) -> float:
    """Small differences of the McMahon score, where they would be played with stones."""
    weight = rules[Rule.HANDICAP]
    if weight == 0.0:
        return 0.0
    gap = abs(entries[i, Entry.MMS] // 2 - entries[j, Entry.MMS] // 2)
    value = weight * _concave(min(gap / rules[Rule.SECONDARY_SPAN], 1.0), rules[Rule.NX1])
    exempt = entries[i, Entry.EXEMPT] + entries[j, Entry.EXEMPT]
    return float(value + 0.5 * exempt * (weight - value))


@kernel
def board_values(entries: Entries, i: int, j: int, met: int, rules: Rules, values: Numbers) -> None:
    """The value of a board by each criterion, in the order of `CRITERIA`."""
    values[:] = 0
    rematch = rules[Rule.REMATCH]
    values[Rule.REMATCH] = int(rematch) * (1 - min(int(met), _MANY))
    nx1 = rules[Rule.NX1]
    if rules[Rule.ABSOLUTE_COLOUR] or rules[Rule.COLOUR_PREFERENCE]:
        one, two = wants(entries, i), wants(entries, j)
        if one * two != 4:
            values[Rule.ABSOLUTE_COLOUR] = int(rules[Rule.ABSOLUTE_COLOUR])
        if one * two <= 0:
            values[Rule.COLOUR_PREFERENCE] = int(rules[Rule.COLOUR_PREFERENCE])
    categories = rules[Rule.CATEGORY_COUNT]
    apart = abs(entries[i, Entry.CATEGORY] - entries[j, Entry.CATEGORY])
    if categories > 1:
        values[Rule.CATEGORIES] = int(rules[Rule.CATEGORIES] * _concave(apart / categories, nx1))
    if apart == 0:
        gap = abs(entries[i, Entry.GROUP] - entries[j, Entry.GROUP])
        x = min(gap / (rules[Rule.SPAN] * categories), 1.0)
        values[Rule.SCORE] = int(rules[Rule.SCORE] * _concave(x, nx1))
    values[Rule.FLOATS] = int(_float_value(entries, i, j, rules))
    values[Rule.SEEDING] = int(_seed_value(entries, i, j, rules))
    if rules[Rule.COLOURS] and stones(entries, i, j, rules) == 0:
        one, two = entries[i, Entry.BALANCE], entries[j, Entry.BALANCE]
        if one * two < 0:
            values[Rule.COLOURS] = int(rules[Rule.COLOURS])
        elif one * two == 0 and abs(one + two) >= 2:
            values[Rule.COLOURS] = int(rules[Rule.COLOURS]) // 2
    values[Rule.HANDICAP] = int(_handicap_value(entries, i, j, rules))
    values[Rule.GEOGRAPHY] = int(_geography_value(entries, i, j, rules))
    if rules[Rule.LOT]:
        drawn = lot(entries[i, Entry.LOT], entries[j, Entry.LOT], int(rules[Rule.DRAW_SEED]))
        values[Rule.LOT] = int(rules[Rule.LOT] * drawn / _LOTS)


@kernel
def bye_values(entries: Entries, i: int, rules: Rules, values: Numbers) -> None:
    """The value of the bye: for the lowest score, there the lowest rank, there the last."""
    values[:] = 0
    n = len(entries)
    behind = 0
    for j in range(n):
        gap = entries[j, Entry.SCORE] - entries[i, Entry.SCORE]
        if gap == 0:
            gap = entries[j, Entry.RANK] - entries[i, Entry.RANK]
        if gap == 0:
            gap = entries[i, Entry.ORDER] - entries[j, Entry.ORDER]
        behind += gap < 0
    again = min(int(entries[i, Entry.BYES]), _MANY)
    values[Rule.REMATCH] = int(rules[Rule.BYE_AGAIN]) * (1 - again)
    values[Rule.BYE] = int(rules[Rule.BYE] * (n - behind) / n)


@kernel
def record_games(
    entries: Whole,
    met: NDArray[np.int8],
    first: Whole,
    second: Whole,
    stones: Whole,
    step: int,
) -> None:
    """Floats, colours and who has met whom, after the games of a round.

    `entries` are those of its pairing; `step` is the half points between score groups.
    """
    for board in range(len(first)):
        i, j = first[board], second[board]
        one, two = entries[i, Entry.SCORE] // step, entries[j, Entry.SCORE] // step
        if one != two:
            lower, upper = (i, j) if one < two else (j, i)
            entries[lower, Entry.UP] += 1
            entries[upper, Entry.DOWN] += 1
        if met[i, j] < 127:
            met[i, j] += 1
            met[j, i] += 1
        if stones[board] > 0:
            continue
        for turn in (-1, 1):
            p = i if turn < 0 else j
            entries[p, Entry.BALANCE] += turn
            streak = entries[p, Entry.STREAK]
            entries[p, Entry.STREAK] = streak + turn if streak * turn > 0 else turn
