"""The pairing of a round bracket by bracket (C.04.3, chapters 2 to 4).

For each bracket the matchings of all players not yet paired are narrowed down by the
criteria, then by the order in which the rules try the candidates: which moved-down players
are paired, their opponents, the exchanges of the remainder (4.3) and its transpositions
(4.2). What is left is one pairing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from yardstone.tournament.dutch.best_matchings import BestMatchings, Level
from yardstone.tournament.dutch.criteria import (
    Bracket,
    PairTable,
    bye_games,
    bye_level,
    colours_and_floats,
    quality,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.tournament.dutch.field import DutchField

__all__ = ["BracketReport", "RoundPairs", "CriterionStep", "pair_brackets"]


@dataclass(frozen=True, slots=True)
class CriterionStep:
    """What a criterion could attain in a bracket, and what another pairing attains.

    Attributes
    ----------
    criterion : str
        C5 to C21, or ``order``.
    best : int
        The larger the better; most count what is to be avoided as negative.
    rival : int or None
        The same sum of the pairing that was to be compared.
    """

    criterion: str
    best: int
    rival: int | None = None


@dataclass(frozen=True, kw_only=True)
class BracketReport:
    """One bracket after its pairing; players by their place in the field.

    Attributes
    ----------
    score : float
        Of the residents.
    moved, residents : tuple of int
        Moved-down players, and those of the scoregroup.
    pairs : tuple of (int, int)
        The higher-ranked player first.
    downfloaters : tuple of int
    exchanges : int
        Players of the upper half of the remainder who were exchanged with the lower one.
    steps : tuple of CriterionStep
    """

    score: float
    moved: tuple[int, ...]
    residents: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    downfloaters: tuple[int, ...]
    exchanges: int
    steps: tuple[CriterionStep, ...]


@dataclass(frozen=True, kw_only=True)
class RoundPairs:
    """Result of `pair_brackets`.

    Attributes
    ----------
    mate : tuple of int
        Opponent of each player of the field by place; their number stands for the bye.
    brackets : tuple of BracketReport
    steps : tuple of CriterionStep
        Of the whole round, before the first bracket.
    """

    mate: tuple[int, ...]
    brackets: tuple[BracketReport, ...]
    steps: tuple[CriterionStep, ...]


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
    """Pair a round.

    Parameters
    ----------
    players : DutchField
    allowed : bool array (n, n) or, for odd n, (n + 1, n + 1)
        Pairs that may be; the last row is the bye.
    first : sequence of Level
        Criteria before all others.
    rival : int64 array (n,) or (n + 1,), optional
        Another perfect matching, whose sums by every criterion are noted beside the best.

    Returns
    -------
    RoundPairs or BestMatchings
        The latter, which is not feasible, if there is no pairing.
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

    The higher-ranked player of a pair is always of the upper half: a candidate in which
    that is not so comes later, because it exchanges more.
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
