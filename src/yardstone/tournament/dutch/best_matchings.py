"""The perfect matchings that are best by a sequence of criteria, the first counting most.

Each criterion gives every edge a whole number; a matching is better if its sum is larger.
To weigh all criteria at once would take numbers of hundreds of bits. Instead they are
applied one after the other: an optimal dual solution says exactly which perfect matchings
are optimal for a criterion, those that use only edges without slack and leave each blossom
of positive dual by one edge only (complementary slackness). The first is a ban on edges;
the second becomes a cost of edges that cross a blossom, larger than all that a later
criterion can gain. So every step is one matching with numbers of 64 bits, and the result is
exact.

J. Edmonds, "Maximum matching and a polyhedron with 0,1-vertices", 1965.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.tournament.matching import maximum_matching

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.int64]

__all__ = ["BestMatchings", "Level"]

#: Sums of weights in one matching stay below this.
_ROOM = 2**50


@dataclass(frozen=True, eq=False)
class Level:
    """One criterion.

    Attributes
    ----------
    name : str
    values : int64 array (n, n)
        Symmetric; what each edge is worth.
    span : int
        The sums of two matchings differ at most by so much.
    """

    name: str
    values: Values
    span: int


class BestMatchings:
    """The perfect matchings of a graph, narrowed down criterion by criterion.

    Parameters
    ----------
    allowed : bool array (n, n)
        The edges; symmetric, false on the diagonal. n is even.

    Attributes
    ----------
    feasible : bool
        Whether there is a perfect matching.
    allowed : bool array (n, n)
        Edges that may be in one of the best matchings. An edge that is none of them may
        still stand here; one that does not stand here is in none.
    mate : int64 array (n,)
        One of the best matchings.
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
        """Keep the matchings that are best by these criteria, in their order.

        Returns
        -------
        list of int
            The best sum by each criterion.
        """
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
