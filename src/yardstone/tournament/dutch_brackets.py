"""The criteria of the Dutch system as sums over pairs (C.04.3, chapter 3).

A bracket's pairing is part of a perfect matching of all players who are not yet paired, with the
bye as one more vertex if they are odd. That keeps the completion of the round (C4) and the score of
the bye (C5) at every step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from yardstone.tournament.dutch_field import Drift, Preference
from yardstone.tournament.matching import maximum_matching

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.tournament.dutch_field import DutchField, DutchPlayer

    Values = NDArray[np.int64]

__all__ = [
    "CRITERIA",
    "Bracket",
    "PairTable",
    "bye_level",
    "may_meet",
    "quality",
    "BracketReport",
    "RoundPairs",
    "CriterionStep",
    "pair_brackets",
    "BestMatchings",
    "Level",
]


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
class Bracket:
    """The players of one bracket and of the next, by rows among those not yet paired."""

    moved: int  #: Moved-down players: the rows before this one
    end: int  #: The residents' rows lie from `moved` to this
    next_end: int  #: The rows of the next scoregroup lie from `end` to this


class PairTable:
    """Facts of all pairs of some players in the order of article 1.2, as matrices.

    The last row is the bye if they are odd.
    """

    def __init__(self, players: tuple[DutchPlayer, ...]) -> None:
        self.players = players
        self.count = len(players)
        self.size = self.count + self.count % 2

    @classmethod
    def of(cls, field: DutchField, rows: list[int]) -> PairTable:
        """The table of some rows of a field."""
        return cls(tuple(field.players[row] for row in rows))

    def _column(self, values: list[int]) -> NDArray[np.int64]:
        return np.array(values + [0] * (self.size - self.count), np.int64)

    @cached_property
    def due(self) -> NDArray[np.int64]:
        """Colour due, 0 for none."""
        return self._column([int(p.due) for p in self.players])

    @cached_property
    def strength(self) -> NDArray[np.int64]:
        """Strength of the preference."""
        return self._column([int(p.preference) for p in self.players])

    @cached_property
    def balance(self) -> NDArray[np.int64]:
        """Colour difference."""
        return self._column([p.balance for p in self.players])

    @cached_property
    def repeated(self) -> NDArray[np.int64]:
        """Colour of the last two games, 0 if they differ."""
        return self._column([int(p.repeated) for p in self.players])

    @cached_property
    def unplayed(self) -> NDArray[np.int64]:
        """Rounds without a game."""
        return self._column([p.unplayed for p in self.players])

    def floated(self, back: int, drift: Drift) -> NDArray[np.bool_]:
        """Who floated so in the last round (`back` = 0) or the one before."""
        return np.array(
            [p.floats[back] is drift for p in self.players] + [False] * (self.size - self.count)
        )

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """Scores; that of the bye lies below all."""
        return np.array([p.score for p in self.players] + [-np.inf] * (self.size - self.count))

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Pairs that break no absolute criterion (C1 to C3)."""
        n = self.count
        allowed = np.zeros((self.size, self.size), np.bool_)
        place = {p.player: row for row, p in enumerate(self.players)}
        absolute = self.strength[:n] == Preference.absolute
        top = np.array([p.top for p in self.players])
        clash = (
            (absolute[:, None] & absolute[None, :])
            & (self.due[:n, None] == self.due[None, :n])
            & ~(top[:, None] | top[None, :])
        )
        allowed[:n, :n] = ~clash
        for row, each in enumerate(self.players):
            for other in each.opponents:
                if other in place:
                    allowed[row, place[other]] = allowed[place[other], row] = False
        if self.size > n:
            allowed[:n, n] = allowed[n, :n] = [not p.bye_barred for p in self.players]
        np.fill_diagonal(allowed, False)
        return allowed


def bye_level(table: PairTable) -> Level:
    """C5: the bye for the lowest possible score."""
    n = table.count
    order = np.unique(table.scores[:n])
    values = np.zeros((table.size, table.size), np.int64)
    values[:n, n] = values[n, :n] = -np.searchsorted(order, table.scores[:n])
    return Level("C5", values, len(order))


def quality(table: PairTable, bracket: Bracket) -> list[Level]:
    """C6 to C8 for a bracket."""
    return [*_downfloaters(table, bracket), *_downfloaters(table, bracket, following=True)]


def _inside(table: PairTable, low: int, high: int) -> NDArray[np.bool_]:
    """Pairs whose lower player is one of these rows; only players of the bracket or the next."""
    rows = np.arange(table.size)
    lower = np.maximum(rows[:, None], rows[None, :])
    return (lower >= low) & (lower < high)


def _downfloaters(table: PairTable, bracket: Bracket, *, following: bool = False) -> list[Level]:
    if following and bracket.end == bracket.next_end:
        return []
    low, high = (bracket.end, bracket.next_end) if following else (0, bracket.end)
    inside = _inside(table, low, high)
    name = "C8" if following else "C6"
    count = high // 2 + 1
    levels = [Level(name, inside.astype(np.int64), count)]
    # Of as many pairs, those that leave the highest scores are the better: each pair has one
    # player at least of the scoregroup itself, so only the other one's score matters.
    upper = np.minimum(np.arange(table.size)[:, None], np.arange(table.size)[None, :])
    floating = range(bracket.end if following else bracket.moved)
    for score in sorted({table.players[row].score for row in floating}, reverse=True):
        values = inside & (table.scores[upper] == score)
        size = sum(table.players[row].score == score for row in floating)
        levels.append(Level("C8" if following else "C7", values.astype(np.int64), size))
    return levels


def bye_games(table: PairTable, bracket: Bracket) -> Level:
    """C9: the bye for the player with the fewest unplayed games."""
    n = table.count
    values = np.zeros((table.size, table.size), np.int64)
    values[:n, n] = values[n, :n] = -table.unplayed[:n]
    return Level("C9", values, int(table.unplayed.max(initial=0)))


def colours_and_floats(table: PairTable, bracket: Bracket) -> list[Level]:
    """C10 to C21 for a bracket."""
    return [*_colours(table, bracket), *_floats(table, bracket), *_differences(table, bracket)]


def _avoided(name: str, bad: NDArray[np.bool_], bracket: Bracket) -> Level:
    """As few as possible of some pairs."""
    bad = bad | bad.T
    return Level(name, -bad.astype(np.int64), bracket.end // 2 + 1 if bad.any() else 0)


def _colours(table: PairTable, bracket: Bracket) -> list[Level]:
    due, strength, repeated = table.due, table.strength, table.repeated
    inside = _inside(table, bracket.moved, bracket.end)
    clash = inside & (due[:, None] == due[None, :]) & (due != 0)[:, None]
    wide = np.abs(table.balance) > 1
    absolute, strong = strength == Preference.absolute, strength >= Preference.strong
    both = absolute[:, None] & absolute[None, :]
    # Of two, the one with the smaller colour difference yields; equal ones are told apart
    # by their last games unless these were the same.
    size = np.abs(table.balance)
    smaller = np.where(size[:, None] > size[None, :], repeated[None, :], repeated[:, None])
    third_time = np.where(
        size[:, None] == size[None, :],
        (repeated != 0)[:, None] & (repeated[:, None] == repeated[None, :]),
        smaller == -due[:, None],
    )
    tests = {
        "C10": clash & wide[:, None] & wide[None, :],
        "C11": clash & both & third_time,
        "C12": clash,
        "C13": clash & strong[:, None] & strong[None, :] & ~both,
    }
    return [_avoided(name, bad, bracket) for name, bad in tests.items()]


def _floats(table: PairTable, bracket: Bracket) -> list[Level]:
    """C14 to C17: who floats again."""
    inside = _inside(table, bracket.moved, bracket.end)
    rows = np.arange(table.size)
    resident = (rows >= bracket.moved) & (rows < bracket.end)
    higher = table.scores[:, None] > table.scores[None, :]
    levels = []
    for back, (down, up) in enumerate((("C14", "C15"), ("C16", "C17"))):
        stays = (table.floated(back, Drift.down) & resident).astype(np.int64)
        paired = np.where(inside, stays[:, None] + stays[None, :], 0)
        levels.append(Level(down, paired, int(stays.sum())))
        levels.append(
            _avoided(up, inside & higher & table.floated(back, Drift.up)[None, :], bracket)
        )
    return levels


def _differences(table: PairTable, bracket: Bracket) -> list[Level]:
    """C18 to C21: how far those float who float again, the widest differences first.

    Opponents of one bracket have one score, so only that of the moved-down player matters.
    """
    inside = _inside(table, bracket.moved, bracket.end)
    higher = table.scores[:, None] > table.scores[None, :]
    scores = sorted({table.players[row].score for row in range(bracket.moved)}, reverse=True)
    levels = []
    for back, (down, up) in enumerate((("C18", "C19"), ("C20", "C21"))):
        for score in scores:
            mine = table.floated(back, Drift.down) & (table.scores == score)
            paired = inside & (mine[:, None] | mine[None, :])
            levels.append(Level(down, paired.astype(np.int64), int(mine.sum())))
        for score in scores:
            those = (table.scores == score)[:, None] & table.floated(back, Drift.up)[None, :]
            levels.append(_avoided(up, inside & higher & those, bracket))
    return levels


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


@dataclass(eq=False)
class _Search:
    """The matchings of the players not yet paired, with a pairing to compare."""

    best: BestMatchings
    rival: NDArray[np.int64] | None
    steps: list[CriterionStep] = field(default_factory=list)

    def narrow(self, levels: Iterable[Level]) -> list[int]:
        levels = list(levels)
        sums = self.best.narrow(levels)
        for level, total in zip(levels, sums, strict=True):
            rival = None if self.rival is None else self.best.value(level, self.rival)
            self.steps.append(CriterionStep(level.name, total, rival))
        return sums


def pair_brackets(
    players: DutchField,
    allowed: NDArray[np.bool_],
    *,
    first: Sequence[Level] = (),
    rival: NDArray[np.int64] | None = None,
) -> RoundPairs | BestMatchings:
    """Pair a round; an infeasible `BestMatchings` if there is no pairing.

    `allowed` (n, n), for odd n (n + 1, n + 1) with the bye as last row, are the pairs that may be,
    `first` the criteria before all others; beside the best sum by each criterion that of the
    `rival`, another perfect matching, is noted.
    """
    everybody = PairTable(players.players)
    n = everybody.count
    best = BestMatchings(allowed)
    if not best.feasible:
        return best
    search = _Search(best, rival)
    search.narrow(first)
    lowest = -np.inf
    if n % 2:
        search.narrow([bye_level(everybody)])
        lowest = everybody.scores[best.mate[n]]
        best.allowed[:n, n] &= everybody.scores[:n] == lowest
        best.allowed[n, :n] = best.allowed[:n, n]
    whole_round = tuple(search.steps)
    mate = np.full(everybody.size, -1, np.int64)
    waiting = np.arange(everybody.size)
    moved = 0
    reports = []
    while len(waiting) > everybody.size - n:
        rows = waiting[waiting < n]
        table = PairTable(tuple(players.players[row] for row in rows))
        score = table.scores[moved] if moved < table.count else -np.inf
        end = int(np.searchsorted(-table.scores[: table.count], -score, "right"))
        following = table.scores[end] if end < table.count else -np.inf
        next_end = int(np.searchsorted(-table.scores[: table.count], -following, "right"))
        bracket = Bracket(moved, end, next_end if end < table.count else end)
        search.steps = []
        search.rival = None if rival is None else _within(rival, waiting)
        exchanges = _pair_bracket(search, table, bracket, bye_here=bool(n % 2 and lowest >= score))
        inside = np.arange(end)
        partner = search.best.mate[:end]
        pairs = [(int(a), int(b)) for a, b in zip(inside, partner, strict=True) if a < b < end]
        for a, b in pairs:
            mate[waiting[a]], mate[waiting[b]] = waiting[b], waiting[a]
        done = {row for pair in pairs for row in pair}
        floating = [row for row in range(end) if row not in done]
        reports.append(
            BracketReport(
                score=float(score),
                moved=tuple(int(waiting[row]) for row in range(moved)),
                residents=tuple(int(waiting[row]) for row in range(moved, end)),
                pairs=tuple((int(waiting[a]), int(waiting[b])) for a, b in pairs),
                downfloaters=tuple(int(waiting[row]) for row in floating),
                exchanges=exchanges,
                steps=tuple(search.steps),
            )
        )
        if end == table.count:
            break
        left = [row for row in range(len(waiting)) if row not in done]
        waiting = waiting[left]
        moved = len(floating)
        # What the criteria of this bracket demand of the others, the next one demands too.
        search.best = BestMatchings(search.best.allowed[np.ix_(left, left)])
        those = np.ix_(waiting, waiting)
        search.best.narrow(Level(each.name, each.values[those], each.span) for each in first)
    if n % 2:
        row = int(np.flatnonzero(mate[:n] < 0)[0])
        mate[row] = n
    return RoundPairs(
        mate=tuple(int(row) for row in mate[:n]), brackets=tuple(reports), steps=whole_round
    )


def _within(mate: NDArray[np.int64], waiting: NDArray[np.int64]) -> NDArray[np.int64]:
    """A matching among the players left; those whose partner has gone have themselves."""
    place = {int(row): number for number, row in enumerate(waiting)}
    return np.array([place.get(int(mate[row]), place[int(row)]) for row in waiting], np.int64)


def _pair_bracket(search: _Search, table: PairTable, bracket: Bracket, *, bye_here: bool) -> int:
    """Narrow the matchings down to one pairing of the bracket; returns the exchanges."""
    best = search.best
    pairs = search.narrow(quality(table, bracket))[0]
    levels = []
    if bye_here and bracket.end - 2 * pairs == 1:
        levels.append(bye_games(table, bracket))
    search.narrow([*levels, *colours_and_floats(table, bracket)])
    _choose_moved(search, table, bracket)
    taken = {int(best.mate[row]) for row in range(bracket.moved)}
    remainder = [row for row in range(bracket.moved, bracket.end) if row not in taken]
    return _pair_remainder(search, table, remainder, bracket.end)


def _choose_moved(search: _Search, table: PairTable, bracket: Bracket) -> None:
    """Which moved-down players are paired, then their opponents: the highest first."""
    best, moved, end = search.best, bracket.moved, bracket.end
    levels = []
    for row in range(moved):
        values = np.zeros(best.allowed.shape, np.int64)
        values[row, moved:end] = values[moved:end, row] = 1
        levels.append(Level("order", values, 1))
    search.narrow(levels)
    paired = [row for row in range(moved) if moved <= best.mate[row] < end]
    search.narrow(_lowest_partner(best, row, range(moved, end)) for row in paired)
    best.fix((row, int(best.mate[row])) for row in paired)


def _lowest_partner(best: BestMatchings, row: int, others: Iterable[int]) -> Level:
    """Prefer the highest-ranked of some partners."""
    values = np.zeros(best.allowed.shape, np.int64)
    able = [other for other in others if best.allowed[row, other]]
    for place, other in enumerate(able):
        values[row, other] = values[other, row] = -place
    return Level("order", values, max(len(able) - 1, 0))


def _pair_remainder(search: _Search, table: PairTable, rows: list[int], end: int) -> int:
    """Exchanges between the halves of a homogeneous bracket, then transpositions (4.2, 4.3).

    The higher-ranked player of a pair is always of the upper half, or more would be exchanged.
    """
    best = search.best
    count = len(rows)
    upper = np.array(rows, np.int64)
    half = int(sum(row < best.mate[row] < end for row in rows))
    if not half:
        return 0
    shape = best.allowed.shape
    lower = np.minimum(np.arange(count)[:, None], np.arange(count)[None, :])
    few, near = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    few[np.ix_(upper, upper)] = lower < half
    near[np.ix_(upper, upper)] = -lower
    first = [Level("order", few, half), Level("order", near, half * count)]
    exchanges: int = half - search.narrow(first)[0]

    def stands_above(number: int) -> Level:
        """Whether a player is the higher-ranked of a pair of the remainder."""
        values = np.zeros(shape, np.int64)
        values[rows[number], rows[number + 1 :]] = values[rows[number + 1 :], rows[number]] = 1
        return Level("order", values, 1)

    if exchanges:
        search.narrow(
            Level("order", -level.values, 1) for level in map(stands_above, range(half - 1, -1, -1))
        )
        search.narrow(map(stands_above, range(half, count - 1)))
    above = [row for row in rows if row < best.mate[row] < end]
    below = [row for row in rows if row not in set(above)]
    lower_half = np.zeros(shape[0], np.bool_)
    lower_half[below] = True
    best.allowed[above, :] &= lower_half
    best.allowed[:, above] &= lower_half[:, None]
    best.allowed[np.ix_(lower_half, lower_half)] = False
    search.narrow(
        _lowest_partner(best, row, (other for other in below if other > row)) for row in above
    )
    return exchanges


#: Sums of weights in one matching stay below this.
_ROOM = 2**50


@dataclass(frozen=True, eq=False)
class Level:
    """One criterion."""

    name: str
    values: Values  #: (n, n) Symmetric; what each edge is worth
    span: int  #: The sums of two matchings differ at most by so much


class BestMatchings:
    """The perfect matchings of a graph of an even size, narrowed down criterion by criterion.

    No edge outside `allowed` (n, n) is in one of the best, though not every one inside need be;
    `mate` (n,) is one of the best matchings, `feasible` whether there is any.
    """

    def __init__(self, allowed: NDArray[np.bool_]) -> None:
        self.allowed = allowed.copy()
        self.crossings = np.zeros(allowed.shape, np.int64)
        self.blossoms = 0
        matching = maximum_matching(self.crossings, self.allowed)
        self.feasible = not matching.alone
        self.crowd, self.bottleneck = matching.crowd, matching.bottleneck
        self.mate = matching.mate

    def value(self, level: Level, mate: NDArray[np.int64] | None = None) -> int:
        """The sum of a criterion in a matching, by default in the one at hand."""
        mate = self.mate if mate is None else mate
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
        return [self.value(level) for level in levels]

    def _cost(self) -> int:
        """By how much crossings alone can make sums large."""
        return 1 + int(self.crossings.max(initial=0)) * (len(self.crossings) // 2)

    def _match(self, levels: Sequence[Level]) -> None:
        weights = np.zeros(self.crossings.shape, np.int64)
        for level in levels:
            weights *= level.span + 1
            weights += level.values
        span = 1
        for level in levels:
            span *= level.span + 1
        if self.blossoms:
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
                self.blossoms += 1
        self.allowed &= slack == 0

    def fix(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Keep the matchings that have these edges, all of which the one at hand has."""
        for a, b in pairs:
            self.allowed[[a, b], :] = self.allowed[:, [a, b]] = False
            self.allowed[a, b] = self.allowed[b, a] = True
