"""What makes a rating list say less than it seems to.

Each finding is a fact about the games behind the ratings; how it is worded is up
to the reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.ratings.result import Status
from yardstone.winprob.logistic import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import PairCounts
    from yardstone.ratings.result import JointRatings

__all__ = ["AnchorConflict", "Bridge", "Traps", "find_traps", "opponents"]

#: A rating from fewer games is worth a warning.
FEW_GAMES = 10
#: Both parts that a single player holds together have at least so many players.
BRIDGE_SIZE = 3
#: Standard deviations between a result and what an anchor lets expect.
ANCHOR_CONFLICT = 3.0


@dataclass(frozen=True, slots=True)
class Bridge:
    """A player without whom `cut_off` players could not be compared with the rest."""

    player: int
    cut_off: int


@dataclass(frozen=True, slots=True)
class AnchorConflict:
    """An anchored player whose points are far from what the anchor lets expect."""

    player: int
    points: float
    expected: float
    deviations: float


@dataclass(frozen=True, slots=True)
class Traps:
    """All findings; players by number.

    Attributes
    ----------
    few_games : tuple of int
        Players with fewer than `FEW_GAMES` games.
    one_opponent : tuple of int
        Players who met one opponent only, in a group of more than two.
    bridges : tuple of Bridge
        Players who alone hold parts of a group together.
    anchors : tuple of AnchorConflict
        Anchors that the results contradict.
    similar : tuple of tuple of int
        Players whose names differ only in capitals or spaces.
    """

    few_games: tuple[int, ...] = ()
    one_opponent: tuple[int, ...] = ()
    bridges: tuple[Bridge, ...] = ()
    anchors: tuple[AnchorConflict, ...] = ()
    similar: tuple[tuple[int, ...], ...] = ()


def opponents(counts: PairCounts) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each two players who met, once, as numbers (low, high)."""
    low = np.minimum(counts.first, counts.second).astype(np.int64)
    high = np.maximum(counts.first, counts.second).astype(np.int64)
    met = (low != high) & (counts.games > 0)
    low, high = np.divmod(np.unique(low[met] * counts.players + high[met]), counts.players)
    return low, high


def find_traps(
    ratings: JointRatings, counts: PairCounts, *, anchors: Mapping[str, float] | None = None
) -> Traps:
    """Look for everything a reader of the list should be warned of."""
    low, high = opponents(counts)
    number = np.bincount(low, minlength=len(ratings)) + np.bincount(high, minlength=len(ratings))
    size = np.bincount(ratings.component[ratings.component >= 0], minlength=1)
    large = np.where(ratings.component >= 0, size[ratings.component], 0) > 2
    normal = ratings.status == Status.NORMAL
    few = normal & (ratings.games > 0) & (ratings.games < FEW_GAMES)
    return Traps(
        tuple(np.flatnonzero(few).tolist()),
        tuple(np.flatnonzero(normal & large & (number == 1)).tolist()),
        _bridges(ratings, low, high),
        _anchor_conflicts(ratings, counts, anchors or {}),
        _similar(ratings.players),
    )


def _similar(names: Iterable[str]) -> tuple[tuple[int, ...], ...]:
    spelt: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        spelt.setdefault("".join(name.split()).casefold(), []).append(row)
    return tuple(tuple(rows) for rows in spelt.values() if len(rows) > 1)


def _anchor_conflicts(
    ratings: JointRatings, counts: PairCounts, anchors: Mapping[str, float]
) -> tuple[AnchorConflict, ...]:
    """Anchors whose points lie more than `ANCHOR_CONFLICT` deviations from the expected ones."""
    if not anchors:
        return ()
    gap = ratings.rating[counts.first] + ratings.first_advantage.value
    logit = (gap - ratings.rating[counts.second]) / ratings.points_per_logit
    p = logistic(logit)
    found = []
    for name in anchors:
        row = ratings.index(name)
        if ratings.status[row] != Status.NORMAL:
            continue
        as_first, as_second = counts.first == row, counts.second == row
        share = np.where(as_first, p, 1.0 - p)
        mine = as_first | as_second
        expected = float((counts.games * share)[mine].sum())
        points = float(ratings.points[row])
        variance = float((counts.games * p * (1.0 - p))[mine].sum())
        if variance > 0.0 and abs(points - expected) > ANCHOR_CONFLICT * variance**0.5:
            away = (points - expected) / variance**0.5
            found.append(AnchorConflict(row, points, expected, away))
    return tuple(found)


def _bridges(
    ratings: JointRatings, low: NDArray[np.int64], high: NDArray[np.int64]
) -> tuple[Bridge, ...]:
    """Cut vertices of the graph of opponents, worst first (Hopcroft and Tarjan 1973)."""
    rated = ratings.status == Status.NORMAL
    kept = rated[low] & rated[high] & (ratings.component[low] == ratings.component[high])
    near: list[list[int]] = [[] for _ in range(len(ratings))]
    for i, j in zip(low[kept].tolist(), high[kept].tolist(), strict=True):
        near[i].append(j)
        near[j].append(i)
    seen = [0] * len(near)
    reach = [0] * len(near)
    below = [1] * len(near)
    parts: list[list[int]] = [[] for _ in near]  # sizes of what hangs on a player only
    visited: list[int] = []
    found = []
    for root in range(len(near)):
        if seen[root] or not near[root]:
            continue
        start = len(visited)
        visited.append(root)
        seen[root] = reach[root] = len(visited)
        path = [(root, -1, iter(near[root]))]
        while path:
            node, parent, rest = path[-1]
            for other in rest:
                if not seen[other]:
                    visited.append(other)
                    seen[other] = reach[other] = len(visited)
                    path.append((other, node, iter(near[other])))
                    break
                if other != parent:
                    reach[node] = min(reach[node], seen[other])
            else:
                path.pop()
                if parent >= 0:
                    below[parent] += below[node]
                    reach[parent] = min(reach[parent], reach[node])
                    if reach[node] >= seen[parent]:
                        parts[parent].append(below[node])
        members = visited[start:]
        for node in members:
            others = len(members) - 1
            cut_off = others - max(*parts[node], others - sum(parts[node]), 0)
            if cut_off >= BRIDGE_SIZE:
                found.append(Bridge(node, cut_off))
    return tuple(sorted(found, key=lambda bridge: -bridge.cut_off))
