"""The criteria of the Dutch system as sums over pairs (C.04.3, chapter 3).

A bracket's pairing is part of a perfect matching of all players who are not yet paired, with the
bye as one more vertex if they are odd. That keeps the completion of the round (C4) and the score of
the bye (C5) at every step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Flags, Longs
from yardstone.tournament.dutch_field import Drift, DutchField, DutchPlayer, Preference
from yardstone.tournament.matching import (
    Blossoms,
    Matching,
    force,
    match_edges,
    maximum_matching,
)

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

    def part(self, rows: Longs) -> PairTable:
        """The table of some rows, the bye among them."""
        part = copy(self)
        part.players = [self.players[row] for row in rows if row < self.count]
        part.count, part.size = len(part.players), len(rows)
        for name in ("due", "strength", "balance", "repeated", "unplayed", "scores"):
            setattr(part, name, getattr(self, name)[rows])
        part.floats = [each[rows] for each in self.floats]
        return part

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


@dataclass(frozen=True, eq=False)
class _Bracket:
    """One bracket among the players not yet paired.

    Its criteria are what pairs of the first `next_end` rows are worth, and of the bye.
    """

    table: PairTable  #: Of the players not yet paired
    moved: int  #: Moved-down players: the rows before this one
    end: int  #: The residents' rows lie from `moved` to this
    next_end: int  #: The rows of the next scoregroup lie from `end` to this
    bye_here: bool  #: Whether the bye may be given in the bracket

    @classmethod
    def first_of(cls, table: PairTable, moved: int, lowest: float) -> _Bracket:
        """The highest bracket, with so many moved-down players; the bye goes to a score."""
        group = -table.scores[: table.count]
        score = table.scores[moved] if moved < table.count else -np.inf
        end = int(np.searchsorted(group, -score, "right"))
        more = end < table.count
        next_end = int(np.searchsorted(group, group[end], "right")) if more else end
        return cls(table, moved, end, next_end, lowest >= score)

    @cached_property
    def quality(self) -> list[Level]:
        """C6 to C8."""
        scores, levels = self.table.scores, []
        following = [("C8", "C8", self.end, self.end, self.next_end)]
        for fewest, lowest, low, floating, high in (
            ("C6", "C7", 0, self.moved, self.end),
            *(following if self.end < self.next_end else []),
        ):
            inside = _pairs_down_to(low, high)
            levels.append(Level(fewest, inside.astype(np.int64), high // 2 + 1))
            # Of as many pairs, those that leave the highest scores are the better: each pair has
            # one player at least of the scoregroup itself, so only the other one's score matters.
            upper = np.maximum(scores[:high, None], scores[:high])
            left, sizes = np.unique(scores[:floating], return_counts=True)
            for score, size in zip(left[::-1], sizes[::-1].tolist(), strict=True):
                levels.append(Level(lowest, (inside & (upper == score)).astype(np.int64), size))
        return levels

    def bye(self) -> Level:
        """C9."""
        ranks = self.table.unplayed[: self.table.count]
        return _bye_level("C9", self.table, ranks, int(ranks.max(initial=0)))

    @cached_property
    def colours_and_floats(self) -> list[Level]:
        """C10 to C21."""
        return [*self._colours(), *self._floats()]

    def _avoided(self, name: str, bad: Flags) -> Level:
        """As few as possible of some pairs."""
        bad = bad | bad.T
        return Level(name, -bad.astype(np.int64), self.end // 2 + 1 if bad.any() else 0)

    def _colours(self) -> list[Level]:
        """C10 to C13."""
        table, end = self.table, self.end
        due, strength, repeated = table.due[:end], table.strength[:end], table.repeated[:end]
        clash = _pairs_down_to(self.moved, end) & (due[:, None] == due) & (due != 0)
        size = np.abs(table.balance[:end])
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
        return [self._avoided(name, bad) for name, bad in tests.items()]

    def _floats(self) -> list[Level]:
        """C14 to C17: who floats again; C18 to C21: how far, the widest differences first.

        Opponents of one bracket have one score, so only that of the moved-down player matters.
        """
        end, own = self.end, self.table.scores[: self.end]
        inside = _pairs_down_to(self.moved, end)
        resident = np.arange(end) >= self.moved
        higher = inside & (own[:, None] > own)
        scores = np.unique(own[: self.moved])[::-1]
        levels, differences = [], []
        for back, (down, up, far_down, far_up) in enumerate(
            (("C14", "C15", "C18", "C19"), ("C16", "C17", "C20", "C21"))
        ):
            floats = self.table.floats[back][:end]
            went_down, went_up = floats == Drift.down, floats == Drift.up
            stays = (went_down & resident).astype(np.int64)
            paired = np.where(inside, stays[:, None] + stays, 0)
            levels.append(Level(down, paired, int(stays.sum())))
            levels.append(self._avoided(up, higher & went_up))
            for score in scores:
                mine = went_down & (own == score)
                paired = inside & (mine[:, None] | mine)
                differences.append(Level(far_down, paired.astype(np.int64), int(mine.sum())))
            for score in scores:
                those = higher & (own == score)[:, None] & went_up
                differences.append(self._avoided(far_up, those))
        return [*levels, *differences]


def _bye_level(name: str, table: PairTable, ranks: Longs, span: int) -> Level:
    """The bye for the player of the lowest rank."""
    n = table.count
    values = np.zeros((table.size, table.size), np.int64)
    values[:n, n] = values[n, :n] = -ranks
    return Level(name, values, span)


def _pairs_down_to(low: int, high: int) -> Flags:
    """Pairs of the first `high` rows whose lower player is none of the first `low`."""
    inside = np.ones((high, high), np.bool_)
    inside[:low, :low] = False
    return inside


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


@dataclass(frozen=True, eq=False, kw_only=True)
class RoundPairs:
    """Result of `pair_brackets`."""

    #: Opponent of each player of the field by place; their number stands for the bye
    mate: tuple[int, ...]
    brackets: tuple[BracketReport, ...]
    steps: tuple[CriterionStep, ...]  #: Of the whole round, before the first bracket
    #: (n, n) Until which stage each pair could still be. Stage 0 is what is allowed, 1 what the
    #: whole round leaves; then there are two of each bracket, the criteria and the order.
    lasted: NDArray[np.int16]
    #: The rows of the odd sets of each stage, see `BestMatchings`
    odd_sets: tuple[tuple[Longs, ...], ...]


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
    if not best.found:
        return maximum_matching(np.zeros(allowed.shape, np.int64), allowed)
    waiting = np.arange(size)
    lasted = np.where(allowed, 0, -1).astype(np.int16)
    odd_sets: list[tuple[Longs, ...]] = [()]

    def end_stage() -> None:
        still = lasted[np.ix_(waiting, waiting)]
        still[best.allowed] = len(odd_sets)
        lasted[np.ix_(waiting, waiting)] = still
        odd_sets.append(tuple(waiting[rows] for rows in best.odd_sets))

    best.narrow(_whole_round(everybody, first))
    lowest = -np.inf
    if n % 2:
        lowest = everybody.scores[best.mate[n]]
        best.allowed[:n, n] &= everybody.scores[:n] == lowest
        best.allowed[n, :n] = best.allowed[:n, n]
    whole_round = tuple(best.steps)
    end_stage()
    mate = np.full(size, -1, np.int64)
    moved = 0
    reports = []
    while len(waiting) > size - n:
        bracket = _Bracket.first_of(everybody.part(waiting), moved, lowest)
        end = bracket.end
        best.steps = []
        best.rival = None if rival is None else _within(rival, waiting)
        _meet_criteria(best, bracket)
        end_stage()
        exchanges = _take_first(best, bracket)
        end_stage()
        pairs = [(a, int(b)) for a, b in enumerate(best.mate[:end]) if a < b < end]
        for a, b in pairs:
            mate[waiting[a]], mate[waiting[b]] = waiting[b], waiting[a]
        done = {row for pair in pairs for row in pair}
        floating = [row for row in range(end) if row not in done]
        number = waiting.tolist()
        reports.append(
            BracketReport(
                score=float(bracket.table.scores[moved]) if moved < len(number) else -np.inf,
                moved=tuple(number[:moved]),
                residents=tuple(number[moved:end]),
                pairs=tuple((number[a], number[b]) for a, b in pairs),
                downfloaters=tuple(number[row] for row in floating),
                exchanges=exchanges,
                steps=tuple(best.steps),
            )
        )
        if end == bracket.table.count:
            break
        left = [row for row in range(len(waiting)) if row not in done]
        waiting = waiting[left]
        moved = len(floating)
        # What the criteria of this bracket demand of the others, the next one demands too.
        best = best.among(np.array(left))
        best.narrow(_among(first, waiting))
    if n % 2:
        mate[n] = np.flatnonzero(mate[:n] < 0)[0]
        mate[mate[n]] = n
    lasted[np.arange(size), mate] = len(odd_sets)
    return RoundPairs(
        mate=tuple(mate[:n].tolist()),
        brackets=tuple(reports),
        steps=whole_round,
        lasted=lasted,
        odd_sets=tuple(odd_sets),
    )


def _whole_round(everybody: PairTable, first: Sequence[Level]) -> list[Level]:
    """Criteria before the first bracket, C5 the last."""
    if everybody.size == everybody.count:
        return [*first]
    order, ranks = np.unique(everybody.scores[: everybody.count], return_inverse=True)
    return [*first, _bye_level("C5", everybody, ranks, len(order))]


def _among(levels: Iterable[Level], rows: Longs) -> list[Level]:
    """Criteria of the whole round for the rows that are left."""
    those = np.ix_(rows, rows)
    return [Level(each.name, each.values[those], each.span) for each in levels]


class Alternatives:
    """What stands against boards that a round does not have.

    The pairings that are best by the criteria so far are kept stage by stage in `RoundPairs`: a
    board fails where none of them has it any more, and one matching tells whether any has.
    """

    def __init__(self, players: DutchField, pairs: RoundPairs, first: Sequence[Level]) -> None:
        self._everybody = PairTable(players.players)
        self._pairs, self._first = pairs, first
        self._brackets: dict[int, tuple[Longs, _Bracket]] = {}

    def against(self, one: int, other: int) -> tuple[str, float | None]:
        """The first criterion that a pairing with this board of two rows meets worse.

        ``order`` if the board only comes later, an empty text if there is no pairing with it; and
        the score of the bracket, None for the whole round.
        """
        board, pairs = (one, other), self._pairs
        highest = min(int(pairs.lasted[board]) + 1, 2 * len(pairs.brackets))
        for number in range(highest // 2 - 1, -1, -1):
            report = pairs.brackets[number]
            if self._with(board, 2 * number + 2):
                return "order", report.score
            if best := self._with(board, 2 * number + 1):
                waiting, bracket = self._bracket(number)
                best = best.among(waiting)
                best.narrow(_among(self._first, waiting))
                best.steps = []
                _meet_criteria(best, bracket)
                return _first_worse(report.steps, best.steps), report.score
        if best := self._with(board, 0):
            best.narrow(_whole_round(self._everybody, self._first))
            return _first_worse(pairs.steps, best.steps), None
        return "", None

    def _with(self, board: tuple[int, int], stage: int) -> BestMatchings | None:
        """The pairings with a board that are left after a stage."""
        if self._pairs.lasted[board] < stage:
            return None
        allowed = self._pairs.lasted >= stage
        force(allowed, [board])
        best = BestMatchings(allowed, odd_sets=self._pairs.odd_sets[stage])
        return best if best.found else None

    def _bracket(self, number: int) -> tuple[Longs, _Bracket]:
        """The players who are left for a bracket, and the bracket."""
        if number not in self._brackets:
            pairs, n = self._pairs, self._everybody.count
            gone = [row for each in pairs.brackets[:number] for pair in each.pairs for row in pair]
            waiting = np.delete(np.arange(self._everybody.size), gone)
            lowest = self._everybody.scores[pairs.mate.index(n)] if n % 2 else -np.inf
            moved = len(pairs.brackets[number].moved)
            bracket = _Bracket.first_of(self._everybody.part(waiting), moved, lowest)
            self._brackets = {number: (waiting, bracket)}
        return self._brackets[number]


def _first_worse(ours: Sequence[CriterionStep], theirs: Sequence[CriterionStep]) -> str:
    return next((a.criterion for a, b in zip(ours, theirs, strict=False) if a.best != b.best), "")


def _within(mate: Longs, waiting: Longs) -> Longs:
    """A matching among the players left; those whose partner has gone have themselves."""
    place = {int(row): number for number, row in enumerate(waiting)}
    return np.array([place.get(int(mate[row]), place[int(row)]) for row in waiting], np.int64)


def _meet_criteria(best: BestMatchings, bracket: _Bracket) -> None:
    """Keep the matchings that are best by the criteria of a bracket."""
    pairs = best.narrow(bracket.quality)[0]
    bye = [bracket.bye()] if bracket.bye_here and bracket.end - 2 * pairs == 1 else []
    best.narrow([*bye, *bracket.colours_and_floats])


def _take_first(best: BestMatchings, bracket: _Bracket) -> int:
    """Of those that are left, the first in the order of candidates; returns the exchanges."""
    moved, end = bracket.moved, bracket.end
    # Which moved-down players are paired, then their opponents: the highest first.
    best.narrow(_with_partner(end, row, range(moved, end)) for row in range(moved))
    paired = [row for row in range(moved) if moved <= best.mate[row] < end]
    best.narrow(_lowest_partner(best, end, row, range(moved, end)) for row in paired)
    force(best.allowed, ((row, int(best.mate[row])) for row in paired))
    taken = set(best.mate[:moved].tolist())
    return _pair_remainder(best, [row for row in range(moved, end) if row not in taken], end)


def _with_partner(
    end: int, row: int, others: Sequence[int], worth: Any = 1, span: int = 1
) -> Level:
    """What it is worth that a player has one of these partners in the bracket."""
    values = np.zeros((end, end), np.int64)
    values[row, others] = values[others, row] = worth
    return Level("order", values, span)


def _lowest_partner(best: BestMatchings, end: int, row: int, others: Iterable[int]) -> Level:
    """Prefer the highest-ranked of some partners."""
    able = [other for other in others if best.allowed[row, other]]
    return _with_partner(end, row, able, -np.arange(len(able)), max(len(able) - 1, 0))


def _pair_remainder(best: BestMatchings, rows: list[int], end: int) -> int:
    """Exchanges between the halves of a homogeneous bracket, then transpositions (4.2, 4.3).

    The higher-ranked player of a pair is always of the upper half, or more would be exchanged.
    """
    count = len(rows)
    upper = np.array(rows, np.int64)
    half = int(sum(row < best.mate[row] < end for row in rows))
    if not half:
        return 0
    lower = np.minimum(np.arange(count)[:, None], np.arange(count))
    few, near = np.zeros((2, end, end), np.int64)
    few[np.ix_(upper, upper)] = lower < half
    near[np.ix_(upper, upper)] = -lower
    first = [Level("order", few, half), Level("order", near, half * count)]
    exchanges: int = half - best.narrow(first)[0]
    if exchanges:  # who is the higher-ranked of a pair: few of the upper half, more of the lower
        best.narrow(_with_partner(end, rows[k], rows[k + 1 :], -1) for k in range(half - 1, -1, -1))
        best.narrow(_with_partner(end, rows[k], rows[k + 1 :]) for k in range(half, count - 1))
    above = [row for row in rows if row < best.mate[row] < end]
    below = [row for row in rows if row not in set(above)]
    lower_half = np.zeros(len(best.allowed), np.bool_)
    lower_half[below] = True
    best.allowed[above, :] &= lower_half
    best.allowed[:, above] &= lower_half[:, None]
    best.allowed[np.ix_(lower_half, lower_half)] = False
    best.narrow(
        _lowest_partner(best, end, row, (other for other in below if other > row)) for row in above
    )
    return exchanges


#: Sums of weights in one matching stay below this.
_ROOM = 2**50


@dataclass(frozen=True, eq=False)
class Level:
    """One criterion."""

    name: str
    values: Longs  #: (k, k) Symmetric; what edges among the first k rows are worth
    span: int  #: The sums of two matchings differ at most by so much


class BestMatchings:
    """The perfect matchings of a graph of an even size, narrowed down criterion by criterion.

    They are those of `allowed` (n, n) of which one edge each leaves each of the `odd_sets`, though
    not every edge inside need be in one; `mate` (n,) is one of them, if any was `found`. `steps`
    notes what each criterion attained, and what the `rival`, another matching, attains.
    """

    def __init__(
        self, allowed: Flags, rival: Longs | None = None, odd_sets: Iterable[Longs] = ()
    ) -> None:
        self.allowed = allowed.copy()
        self.rival = rival
        self.steps: list[CriterionStep] = []
        self.odd_sets = list(odd_sets)
        self.mate = self._solved(*self._edges(np.zeros((0, 0), np.int64), 1))[0]

    @property
    def found(self) -> bool:
        """Whether there is a matching."""
        leaving = (np.isin(self.mate[rows], rows, invert=True).sum() for rows in self.odd_sets)
        return self.mate.min(initial=0) >= 0 and all(edges == 1 for edges in leaving)

    def among(self, rows: Longs) -> BestMatchings:
        """Those of some rows, who have each other as partners, with the edges that are left."""
        part = copy(self)
        part.allowed = self.allowed[np.ix_(rows, rows)]
        part.odd_sets, part.steps = [], []
        part.mate = np.searchsorted(rows, self.mate[rows])
        return part

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
        sums = [_value(level, self.mate) for level in levels]
        for level, total in zip(levels, sums, strict=True):
            rival = None if self.rival is None else _value(level, self.rival)
            self.steps.append(CriterionStep(level.name, total, rival))
        return sums

    def _cost(self) -> int:
        """By how much odd sets alone can make sums large."""
        return 1 + len(self.odd_sets) * (len(self.allowed) // 2)

    def _match(self, levels: Sequence[Level]) -> None:
        weights = np.zeros([max(len(level.values) for level in levels)] * 2, np.int64)
        span = 1
        for level in levels:
            weights *= level.span + 1
            weights[: len(level.values), : len(level.values)] += level.values
            span *= level.span + 1
        rows, columns, worth = self._edges(weights, span)
        self.mate, dual, blossoms = self._solved(rows, columns, worth)
        slack = dual[rows] + dual[columns] - 2 * worth
        for inside, z in blossoms:
            within = np.zeros(len(dual), np.bool_)
            within[list(inside)] = True
            slack[within[rows] & within[columns]] += z
            if z > 0:
                self.odd_sets.append(np.flatnonzero(within))
        loose = slack > 0
        self.allowed[rows[loose], columns[loose]] = False

    def _edges(self, weights: Longs, span: int) -> tuple[Longs, Longs, Longs]:
        """The edges, each with both its ends, and what they are worth; odd sets come first."""
        rows, columns = np.nonzero(self.allowed)
        worth = np.zeros(len(rows), np.int64)
        near = np.flatnonzero((rows < len(weights)) & (columns < len(weights)))
        worth[near] = weights[rows[near], columns[near]]
        for odd in self.odd_sets:
            within = np.zeros(len(self.allowed), np.bool_)
            within[odd] = True
            worth[within[rows] != within[columns]] -= span
        return rows, columns, worth

    def _solved(self, rows: Longs, columns: Longs, worth: Longs) -> tuple[Longs, Longs, Blossoms]:
        mate, dual, blossoms, _ = match_edges(len(self.allowed), rows, columns, worth)
        return mate, dual, blossoms


def _value(level: Level, mate: Longs) -> int:
    """The sum of a criterion in a matching."""
    partners = mate[: len(level.values)]
    rows = np.flatnonzero(partners < len(level.values))
    return int(level.values[rows, partners[rows]].sum()) // 2
