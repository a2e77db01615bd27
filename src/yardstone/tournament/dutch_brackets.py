"""The criteria of the Dutch system as sums over pairs (C.04.3, chapter 3).

A bracket's pairing is part of a perfect matching of all players who are not yet paired, with the
bye as one more vertex if they are odd. That keeps the completion of the round (C4) and the score of
the bye (C5) at every step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from yardstone.arrays import Flags, Longs
from yardstone.tournament.dutch_field import Drift, DutchField, DutchPlayer, Preference
from yardstone.tournament.matching import Matching, force, maximum_matching

#: What each criterion demands.
CRITERIA = {
    "C1": "no two players meet twice",
    "C2": "nobody has the bye who had it before, or won without playing",
    "C3": "no two players who are not topscorers meet with the same absolute colour preference",
    "C4": "the other players can still be paired",
    "C5": "the lowest score of the player with the bye",
    "C6": "the fewest downfloaters",
    "C7": "the lowest scores of the downfloaters",
    "C8": "the fewest downfloaters, of the lowest scores, from the next bracket",
    "C9": "the fewest unplayed games of the player with the bye",
    "C10": "the fewest topscorers or their opponents with a colour difference beyond 2",
    "C11": "the fewest topscorers or their opponents with one colour three times in a row",
    "C12": "the fewest players without their colour preference",
    "C13": "the fewest players without their strong colour preference",
    "C14": "the fewest downfloaters of the bracket who floated down in the last round",
    "C15": "the fewest opponents of moved-down players who floated up in the last round",
    "C16": "the fewest downfloaters of the bracket who floated down two rounds before",
    "C17": "the fewest opponents of moved-down players who floated up two rounds before",
    "C18": "the least score differences of players who floated down in the last round",
    "C19": "the least score differences of players who floated up in the last round",
    "C20": "the least score differences of players who floated down two rounds before",
    "C21": "the least score differences of players who floated up two rounds before",
    "order": "the first in the order in which candidates are tried",
}


def may_meet(one: DutchPlayer, other: DutchPlayer) -> str:
    """The absolute criterion that two players would break, or an empty text."""
    if other.player in one.opponents:
        return "C1"
    if one.top or other.top:
        return ""
    both = one.preference is Preference.absolute and other.preference is Preference.absolute
    return "C3" if both and one.due == other.due else ""


@dataclass(frozen=True, eq=False)
class _Bracket:
    """The players of one bracket and of the next, by rows among those not yet paired."""

    moved: int  #: Moved-down players: the rows before this one
    end: int  #: The residents' rows lie from `moved` to this
    next_end: int  #: The rows of the next scoregroup lie from `end` to this


class PairTable:
    """Facts of all pairs of some players in the order of article 1.2, as matrices.

    The last row is the bye if they are odd.
    """

    def __init__(self, players: Sequence[DutchPlayer]) -> None:
        self.players = players
        self.count = len(players)
        self.size = self.count + self.count % 2

        def column(values: Iterable[int]) -> Longs:
            return np.array([*values, *[0] * (self.size - self.count)], np.int64)

        self.due = column(p.due for p in players)  # 0 for none
        self.strength = column(p.preference for p in players)
        self.balance = column(p.balance for p in players)
        self.repeated = column(p.repeated for p in players)  # 0 if the last two differ
        self.unplayed = column(p.unplayed for p in players)
        #: In the last round, and in the one before.
        self.floats = [column(p.floats[back] for p in players) for back in (0, 1)]
        #: That of the bye lies below all.
        self.scores = np.full(self.size, -np.inf)
        self.scores[: self.count] = [p.score for p in players]
        rows = np.arange(self.size)
        self.upper = np.minimum(rows[:, None], rows)
        self.lower = np.maximum(rows[:, None], rows)

    @cached_property
    def met(self) -> Flags:
        """Who has met, or is to meet, whom."""
        met = np.zeros((self.size, self.size), np.bool_)
        place = {p.player: row for row, p in enumerate(self.players)}
        for row, each in enumerate(self.players):
            for other in each.opponents & place.keys():
                met[row, place[other]] = met[place[other], row] = True
        return met

    @cached_property
    def allowed(self) -> Flags:
        """Pairs that break no absolute criterion (C1 to C3)."""
        n = self.count
        allowed = np.zeros((self.size, self.size), np.bool_)
        absolute = self.strength[:n] == Preference.absolute
        top = np.array([p.top for p in self.players])
        absolute &= ~top
        clash = absolute[:, None] & absolute & (self.due[:n, None] == self.due[:n])
        allowed[:n, :n] = ~clash
        allowed &= ~self.met
        if self.size > n:
            allowed[:n, n] = allowed[n, :n] = [not p.bye_barred for p in self.players]
        np.fill_diagonal(allowed, False)
        return allowed


def _bye_level(name: str, table: PairTable, ranks: Longs, span: int) -> Level:
    """The bye for the player of the lowest rank."""
    n = table.count
    values = np.zeros((table.size, table.size), np.int64)
    values[:n, n] = values[n, :n] = -ranks
    return Level(name, values, span)


def _quality(table: PairTable, bracket: _Bracket) -> list[Level]:
    """C6 to C8 for a bracket."""
    following = [("C8", "C8", bracket.end, bracket.end, bracket.next_end)]
    levels = []
    for fewest, lowest, low, floating, high in (
        ("C6", "C7", 0, bracket.moved, bracket.end),
        *(following if bracket.end < bracket.next_end else []),
    ):
        inside = (table.lower >= low) & (table.lower < high)
        levels.append(Level(fewest, inside.astype(np.int64), high // 2 + 1))
        # Of as many pairs, those that leave the highest scores are the better: each pair has one
        # player at least of the scoregroup itself, so only the other one's score matters.
        scores, sizes = np.unique(table.scores[:floating], return_counts=True)
        for score, size in zip(scores[::-1], sizes[::-1].tolist(), strict=True):
            values = inside & (table.scores[table.upper] == score)
            levels.append(Level(lowest, values.astype(np.int64), size))
    return levels


def _avoided(name: str, bad: Flags, bracket: _Bracket) -> Level:
    """As few as possible of some pairs."""
    bad = bad | bad.T
    return Level(name, -bad.astype(np.int64), bracket.end // 2 + 1 if bad.any() else 0)


def _inside(table: PairTable, bracket: _Bracket) -> Flags:
    """Pairs whose lower player is a resident."""
    return (table.lower >= bracket.moved) & (table.lower < bracket.end)


def _colours(table: PairTable, bracket: _Bracket) -> list[Level]:
    """C10 to C13."""
    due, strength, repeated = table.due, table.strength, table.repeated
    clash = _inside(table, bracket) & (due[:, None] == due) & (due != 0)
    size = np.abs(table.balance)
    absolute, strong = strength == Preference.absolute, strength >= Preference.strong
    both = absolute[:, None] & absolute
    # Of two, the one with the smaller colour difference yields; equal ones are told apart
    # by their last games unless these were the same.
    smaller = np.where(size[:, None] > size, repeated, repeated[:, None])
    third_time = np.where(
        size[:, None] == size,
        (repeated != 0) & (repeated[:, None] == repeated),
        smaller == -due[:, None],
    )
    tests = {
        "C10": clash & (size > 1)[:, None] & (size > 1),
        "C11": clash & both & third_time,
        "C12": clash,
        "C13": clash & strong[:, None] & strong & ~both,
    }
    return [_avoided(name, bad, bracket) for name, bad in tests.items()]


def _floats(table: PairTable, bracket: _Bracket) -> list[Level]:
    """C14 to C17: who floats again; C18 to C21: how far, the widest differences first.

    Opponents of one bracket have one score, so only that of the moved-down player matters.
    """
    inside = _inside(table, bracket)
    rows = np.arange(table.size)
    resident = (rows >= bracket.moved) & (rows < bracket.end)
    higher = inside & (table.scores[:, None] > table.scores)
    scores = np.unique(table.scores[: bracket.moved])[::-1]
    levels, differences = [], []
    for back, (down, up, far_down, far_up) in enumerate(
        (("C14", "C15", "C18", "C19"), ("C16", "C17", "C20", "C21"))
    ):
        went_down, went_up = table.floats[back] == Drift.down, table.floats[back] == Drift.up
        stays = (went_down & resident).astype(np.int64)
        paired = np.where(inside, stays[:, None] + stays, 0)
        levels.append(Level(down, paired, int(stays.sum())))
        levels.append(_avoided(up, higher & went_up, bracket))
        for score in scores:
            mine = went_down & (table.scores == score)
            paired = inside & (mine[:, None] | mine)
            differences.append(Level(far_down, paired.astype(np.int64), int(mine.sum())))
        for score in scores:
            those = higher & (table.scores == score)[:, None] & went_up
            differences.append(_avoided(far_up, those, bracket))
    return [*levels, *differences]


@dataclass(frozen=True, slots=True)
class CriterionStep:
    """What a criterion could attain in a bracket, and what another pairing attains."""

    criterion: str  #: C5 to C21, or ``order``
    best: int  #: The larger the better; most count what is to be avoided as negative
    rival: int | None = None  #: The same sum of the pairing that was to be compared


@dataclass(frozen=True, kw_only=True)
class BracketReport:
    """One bracket after its pairing; players by their place in the field."""

    score: float  #: Of the residents
    #: `moved`, `residents`: moved-down players, and those of the scoregroup.
    moved: tuple[int, ...]
    residents: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]  #: The higher-ranked player first
    downfloaters: tuple[int, ...]
    #: Players of the upper half of the remainder who were exchanged with the lower one
    exchanges: int
    steps: tuple[CriterionStep, ...]


@dataclass(frozen=True, kw_only=True)
class RoundPairs:
    """Result of `pair_brackets`."""

    #: Opponent of each player of the field by place; their number stands for the bye
    mate: tuple[int, ...]
    brackets: tuple[BracketReport, ...]
    steps: tuple[CriterionStep, ...]  #: Of the whole round, before the first bracket


def pair_brackets(
    players: DutchField,
    allowed: Flags,
    *,
    first: Sequence[Level] = (),
    rival: Longs | None = None,
) -> RoundPairs | Matching:
    """Pair a round; the matching that leaves players alone if there is no pairing.

    `allowed` (n, n), for odd n (n + 1, n + 1) with the bye as last row, are the pairs that may be,
    `first` the criteria before all others; beside the best sum by each criterion that of the
    `rival`, another perfect matching, is noted.
    """
    everybody = PairTable(players.players)
    n, size = everybody.count, everybody.size
    best = BestMatchings(allowed, rival)
    if best.matching.alone:
        return best.matching
    best.narrow(first)
    lowest = -np.inf
    if n % 2:
        order, ranks = np.unique(everybody.scores[:n], return_inverse=True)
        best.narrow([_bye_level("C5", everybody, ranks, len(order))])
        lowest = everybody.scores[best.mate[n]]
        best.allowed[:n, n] &= everybody.scores[:n] == lowest
        best.allowed[n, :n] = best.allowed[:n, n]
    whole_round = tuple(best.steps)
    mate = np.full(size, -1, np.int64)
    waiting = np.arange(size)
    moved = 0
    reports = []
    while len(waiting) > size - n:
        table = PairTable([players.players[row] for row in waiting if row < n])
        group = -table.scores[: table.count]
        score = table.scores[moved] if moved < table.count else -np.inf
        end = int(np.searchsorted(group, -score, "right"))
        last = end < table.count
        next_end = int(np.searchsorted(group, group[end], "right")) if last else end
        best.steps = []
        best.rival = None if rival is None else _within(rival, waiting)
        bye_here = bool(n % 2 and lowest >= score)
        exchanges = _pair_bracket(best, table, _Bracket(moved, end, next_end), bye_here=bye_here)
        pairs = [(a, int(b)) for a, b in enumerate(best.mate[:end]) if a < b < end]
        for a, b in pairs:
            mate[waiting[a]], mate[waiting[b]] = waiting[b], waiting[a]
        done = {row for pair in pairs for row in pair}
        floating = [row for row in range(end) if row not in done]
        number = waiting.tolist()
        reports.append(
            BracketReport(
                score=float(score),
                moved=tuple(number[:moved]),
                residents=tuple(number[moved:end]),
                pairs=tuple((number[a], number[b]) for a, b in pairs),
                downfloaters=tuple(number[row] for row in floating),
                exchanges=exchanges,
                steps=tuple(best.steps),
            )
        )
        if not last:
            break
        left = [row for row in range(len(waiting)) if row not in done]
        waiting = waiting[left]
        moved = len(floating)
        # What the criteria of this bracket demand of the others, the next one demands too.
        best = BestMatchings(best.allowed[np.ix_(left, left)])
        those = np.ix_(waiting, waiting)
        best.narrow(Level(each.name, each.values[those], each.span) for each in first)
    if n % 2:
        mate[np.flatnonzero(mate[:n] < 0)[0]] = n
    return RoundPairs(mate=tuple(mate[:n].tolist()), brackets=tuple(reports), steps=whole_round)


def _within(mate: Longs, waiting: Longs) -> Longs:
    """A matching among the players left; those whose partner has gone have themselves."""
    place = {int(row): number for number, row in enumerate(waiting)}
    return np.array([place.get(int(mate[row]), place[int(row)]) for row in waiting], np.int64)


def _pair_bracket(
    best: BestMatchings, table: PairTable, bracket: _Bracket, *, bye_here: bool
) -> int:
    """Narrow the matchings down to one pairing of the bracket; returns the exchanges."""
    moved, end = bracket.moved, bracket.end
    pairs = best.narrow(_quality(table, bracket))[0]
    levels = []
    if bye_here and end - 2 * pairs == 1:
        ranks = table.unplayed[: table.count]
        levels.append(_bye_level("C9", table, ranks, int(ranks.max(initial=0))))
    best.narrow([*levels, *_colours(table, bracket), *_floats(table, bracket)])
    # Which moved-down players are paired, then their opponents: the highest first.
    best.narrow(_with_partner(best, row, range(moved, end)) for row in range(moved))
    paired = [row for row in range(moved) if moved <= best.mate[row] < end]
    best.narrow(_lowest_partner(best, row, range(moved, end)) for row in paired)
    force(best.allowed, ((row, int(best.mate[row])) for row in paired))
    taken = set(best.mate[:moved].tolist())
    return _pair_remainder(best, [row for row in range(moved, end) if row not in taken], end)


def _with_partner(
    best: BestMatchings, row: int, others: Sequence[int], worth: Any = 1, span: int = 1
) -> Level:
    """What it is worth that a player has one of these partners."""
    values = np.zeros(best.allowed.shape, np.int64)
    values[row, others] = values[others, row] = worth
    return Level("order", values, span)


def _lowest_partner(best: BestMatchings, row: int, others: Iterable[int]) -> Level:
    """Prefer the highest-ranked of some partners."""
    able = [other for other in others if best.allowed[row, other]]
    return _with_partner(best, row, able, -np.arange(len(able)), max(len(able) - 1, 0))


def _pair_remainder(best: BestMatchings, rows: list[int], end: int) -> int:
    """Exchanges between the halves of a homogeneous bracket, then transpositions (4.2, 4.3).

    The higher-ranked player of a pair is always of the upper half, or more would be exchanged.
    """
    count = len(rows)
    upper = np.array(rows, np.int64)
    half = int(sum(row < best.mate[row] < end for row in rows))
    if not half:
        return 0
    shape = best.allowed.shape
    lower = np.minimum(np.arange(count)[:, None], np.arange(count))
    few, near = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    few[np.ix_(upper, upper)] = lower < half
    near[np.ix_(upper, upper)] = -lower
    first = [Level("order", few, half), Level("order", near, half * count)]
    exchanges: int = half - best.narrow(first)[0]
    if exchanges:  # who is the higher-ranked of a pair: few of the upper half, more of the lower
        best.narrow(
            _with_partner(best, rows[k], rows[k + 1 :], -1) for k in range(half - 1, -1, -1)
        )
        best.narrow(_with_partner(best, rows[k], rows[k + 1 :]) for k in range(half, count - 1))
    above = [row for row in rows if row < best.mate[row] < end]
    below = [row for row in rows if row not in set(above)]
    lower_half = np.zeros(shape[0], np.bool_)
    lower_half[below] = True
    best.allowed[above, :] &= lower_half
    best.allowed[:, above] &= lower_half[:, None]
    best.allowed[np.ix_(lower_half, lower_half)] = False
    best.narrow(
        _lowest_partner(best, row, (other for other in below if other > row)) for row in above
    )
    return exchanges


#: Sums of weights in one matching stay below this.
_ROOM = 2**50


@dataclass(frozen=True, eq=False)
class Level:
    """One criterion."""

    name: str
    values: Longs  #: (n, n) Symmetric; what each edge is worth
    span: int  #: The sums of two matchings differ at most by so much


class BestMatchings:
    """The perfect matchings of a graph of an even size, narrowed down criterion by criterion.

    No edge outside `allowed` (n, n) is in one of the best, though not every one inside need be;
    `mate` (n,) is one of the best matchings, `matching` the first one, which leaves players alone
    if there is no perfect one. `steps` notes what each criterion attained, and what the `rival`,
    another matching, attains.
    """

    def __init__(self, allowed: Flags, rival: Longs | None = None) -> None:
        self.allowed = allowed.copy()
        self.rival = rival
        self.steps: list[CriterionStep] = []
        self.crossings = np.zeros(allowed.shape, np.int64)
        self.matching = maximum_matching(self.crossings, self.allowed)
        self.mate = self.matching.mate

    def value(self, level: Level, mate: Longs) -> int:
        """The sum of a criterion in a matching."""
        return int(level.values[np.arange(len(mate)), mate].sum()) // 2

    def narrow(self, levels: Iterable[Level]) -> list[int]:
        """Keep the matchings that are best by these criteria in turn; returns the best sums."""
        levels = list(levels)
        waiting: list[Level] = []
        weight = self._cost()
        for level in levels:
            if not level.span:
                continue
            if waiting and weight * (level.span + 1) > _ROOM:
                self._match(waiting)
                waiting, weight = [], self._cost()
            waiting.append(level)
            weight *= level.span + 1
        if waiting:
            self._match(waiting)
        sums = [self.value(level, self.mate) for level in levels]
        for level, total in zip(levels, sums, strict=True):
            rival = None if self.rival is None else self.value(level, self.rival)
            self.steps.append(CriterionStep(level.name, total, rival))
        return sums

    def _cost(self) -> int:
        """By how much crossings alone can make sums large."""
        return 1 + int(self.crossings.max(initial=0)) * (len(self.crossings) // 2)

    def _match(self, levels: Sequence[Level]) -> None:
        weights = np.zeros(self.crossings.shape, np.int64)
        span = 1
        for level in levels:
            weights = weights * (level.span + 1) + level.values
            span *= level.span + 1
        weights -= span * self.crossings
        matching = maximum_matching(weights, self.allowed)
        self.mate = matching.mate
        slack = matching.dual[:, None] + matching.dual[None, :] - 2 * weights
        for inside, dual in matching.blossoms:
            rows = np.fromiter(inside, np.int64)
            slack[np.ix_(rows, rows)] += dual
            if dual > 0:
                within = np.zeros(len(weights), np.bool_)
                within[rows] = True
                self.crossings += within[:, None] != within[None, :]
        self.allowed &= slack == 0
