"""Which players the results put on a common scale.

A rating exists, and is finite, exactly within a group in which everybody can be reached from
everybody by a chain of "scored against": the strongly connected components of the graph with an
edge from the loser to the winner of each game and both edges for a draw (Ordo's groups).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.ratings._connectivity import components, cut_off, edges, met_one
from yardstone.ratings.graph import Pairs
from yardstone.ratings.result import JointRatings, Status
from yardstone.records.names import similar_names
from yardstone.winprob.laws import logistic

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Ints
    from yardstone.pool import PairCounts

_NO_TIES = np.zeros((0, 2), np.int32)


def strong_components(
    counts: PairCounts,
    active: Flags,
    *,
    ties: Ints | None = None,
    names: Sequence[str] | None = None,
    weak: bool = False,
) -> Ints:
    """Group of each player on a common scale, numbered by falling size; -1 if not `active`.

    `ties` (ties, 2) join players both ways by other things than games, `weak` lets any game do
    so. Groups of equal size stand in the order of their first names in byte order, as in Ordo;
    without `names`, of their numbers.
    """
    group = np.where(active, 0, -1).astype(np.int32)
    start, target = edges(Pairs.of(counts), group, _NO_TIES if ties is None else ties, weak)
    label = np.where(active, components(start, target), -1).astype(np.int32)
    return label_by_size(label, names)


def label_by_size(label: Ints, names: Sequence[str] | None = None) -> Ints:
    """Renumber labels from the largest group down; -1 stays.

    Ties go to the group whose first member comes first, by name if given, else by number.
    """
    members = np.flatnonzero(label >= 0)
    if not len(members):
        return label
    if names is not None:
        members = np.array(sorted(members.tolist(), key=lambda row: names[row].encode()), np.int64)
    labels, first_seen, size = np.unique(label[members], return_index=True, return_counts=True)
    rank = np.lexsort((first_seen, -size))
    renumber = np.full(int(label.max()) + 1, -1, np.int32)
    renumber[labels[rank]] = np.arange(len(labels), dtype=np.int32)
    return np.where(label >= 0, renumber[label], np.int32(-1))


FEW_GAMES = 10  #: A rating from fewer games is worth a warning.
BRIDGE_SIZE = 3  #: Both parts that a single player holds together have at least so many players.
_ANCHOR_CONFLICT = 3.0  #: Standard deviations between a result and what an anchor lets expect.


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
    """What a reader of ratings should be warned of; players by number."""

    few_games: tuple[int, ...] = ()  #: Players with fewer than `FEW_GAMES` games.
    #: Players who met one opponent only, in a group of more than two.
    one_opponent: tuple[int, ...] = ()
    bridges: tuple[Bridge, ...] = ()  #: Players who alone hold parts of a group together.
    anchors: tuple[AnchorConflict, ...] = ()  #: Anchors that the results contradict.
    similar: tuple[tuple[int, ...], ...] = ()  #: Names that differ only in capitals or spaces.


def find_traps(
    ratings: JointRatings, counts: PairCounts, *, anchors: Mapping[str, float] | None = None
) -> Traps:
    """Look for everything a reader of the list should be warned of."""
    size = np.bincount(ratings.component[ratings.component >= 0], minlength=1)
    large = np.where(ratings.component >= 0, size[ratings.component], 0) > 2
    normal = ratings.status == Status.NORMAL
    few = normal & (ratings.games > 0) & (ratings.games < FEW_GAMES)
    # Cut vertices of the graph of opponents, worst first.
    component = np.where(normal, ratings.component, -1).astype(np.int32)
    apart = cut_off(*edges(Pairs.of(counts), component, _NO_TIES, True))
    rows = np.flatnonzero(apart >= BRIDGE_SIZE)
    bridges = rows[np.lexsort((rows, -apart[rows]))]
    return Traps(
        tuple(np.flatnonzero(few).tolist()),
        tuple(np.flatnonzero(normal & large & met_one(Pairs.of(counts), counts.players)).tolist()),
        tuple(map(Bridge, bridges.tolist(), apart[bridges].tolist())),
        _anchor_conflicts(ratings, counts, anchors or {}),
        similar_names(ratings.players),
    )


def _anchor_conflicts(
    ratings: JointRatings, counts: PairCounts, anchors: Mapping[str, float]
) -> tuple[AnchorConflict, ...]:
    """Anchors whose points lie more than `ANCHOR_CONFLICT` deviations from the expected ones."""
    if not anchors:
        return ()
    named = np.zeros(counts.players, np.bool_)
    named[[ratings.index(name) for name in anchors]] = True
    counts = next(counts.select(named[counts.first] | named[counts.second]).blocks(1 << 40), counts)
    p = logistic(ratings.logits(counts))
    conflicts = []
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
        if variance > 0.0 and abs(points - expected) > _ANCHOR_CONFLICT * variance**0.5:
            away = (points - expected) / variance**0.5
            conflicts.append(AnchorConflict(row, points, expected, away))
    return tuple(conflicts)
