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

from yardstone.kernels import kernel
from yardstone.ratings._joint import Pairs
from yardstone.ratings.result import JointRatings, Status
from yardstone.records.names import similar_names
from yardstone.winprob.laws import logistic

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Ints, Longs
    from yardstone.pool import PairCounts

_NO_TIES = np.zeros((0, 2), np.int32)


@kernel
def _tarjan(start: Longs, target: Ints) -> Ints:
    """Number of each node's strong component; edges of node i are target[start[i]:start[i+1]]."""
    n = len(start) - 1
    order = np.full(n, -1, np.int32)
    low = np.zeros(n, np.int32)
    label = np.full(n, -1, np.int32)
    position = start[:-1].copy()
    stack = np.empty(n, np.int32)
    path = np.empty(n, np.int32)
    on_stack = np.zeros(n, np.bool_)
    visited, depth, height, labels = 0, 0, 0, 0
    for root in range(n):
        if order[root] >= 0:
            continue
        path[0] = root
        depth = 1
        while depth > 0:
            node = path[depth - 1]
            if order[node] < 0:
                order[node] = low[node] = visited
                visited += 1
                stack[height] = node
                height += 1
                on_stack[node] = True
            descended = False
            while position[node] < start[node + 1]:
                other = target[position[node]]
                if order[other] < 0:
                    path[depth] = other
                    depth += 1
                    descended = True
                    break
                if on_stack[other]:
                    low[node] = min(low[node], low[other])
                position[node] += 1
            if descended:
                continue
            if low[node] == order[node]:
                while True:
                    height -= 1
                    member = stack[height]
                    on_stack[member] = False
                    label[member] = labels
                    if member == node:
                        break
                labels += 1
            depth -= 1
            if depth > 0:
                parent = path[depth - 1]
                low[parent] = min(low[parent], low[node])
    return label


@kernel
def _edges(pairs: Pairs, group: Ints, ties: Ints, weak: bool) -> tuple[Longs, Ints]:
    """Edges from losers to winners of a group, both ways for draws and ties, or all (`weak`)."""
    first, second, wins, draws, losses = pairs
    players = len(group)
    start = np.zeros(players + 1, np.int64)
    target, place = np.empty(0, np.int32), start[:-1]
    for fill in (False, True):
        if fill:
            for player in range(players):
                start[player + 1] += start[player]
            target = np.empty(start[players], np.int32)
            place = start[:-1].copy()
        for k in range(len(first)):
            i, j = first[k], second[k]
            if group[i] < 0 or group[i] != group[j]:
                continue
            scored, conceded = wins[k] + draws[k] > 0, losses[k] + draws[k] > 0
            if weak:
                scored = conceded = scored or conceded
            for source, goal, there in ((j, i, scored), (i, j, conceded)):
                if there and fill:
                    target[place[source]] = goal
                    place[source] += 1
                elif there:
                    start[source + 1] += 1
        for k in range(len(ties)):
            for source, goal in ((ties[k, 0], ties[k, 1]), (ties[k, 1], ties[k, 0])):
                if fill:
                    target[place[source]] = goal
                    place[source] += 1
                else:
                    start[source + 1] += 1
    return start, target


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
    start, target = _edges(Pairs.of(counts), group, _NO_TIES if ties is None else ties, weak)
    label = np.where(active, _tarjan(start, target), -1).astype(np.int32)
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
    cut_off = _cut_off(*_edges(Pairs.of(counts), component, _NO_TIES, True))
    rows = np.flatnonzero(cut_off >= BRIDGE_SIZE)
    bridges = rows[np.lexsort((rows, -cut_off[rows]))]
    return Traps(
        tuple(np.flatnonzero(few).tolist()),
        tuple(np.flatnonzero(normal & large & _met_one(Pairs.of(counts), counts.players)).tolist()),
        tuple(map(Bridge, bridges.tolist(), cut_off[bridges].tolist())),
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
    p = logistic(ratings.pair_logits(counts.first, counts.second))
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


@kernel
def _met_one(pairs: Pairs, players: int) -> Flags:
    """Who met one opponent and no other."""
    first, second, wins, draws, losses = pairs
    met = np.full(players, -1, np.int64)  # -1 nobody yet, -2 several
    for k in range(len(first)):
        i, j = first[k], second[k]
        if i == j or wins[k] + draws[k] + losses[k] == 0:
            continue
        for player, other in ((i, j), (j, i)):
            if met[player] == -1:
                met[player] = other
            elif met[player] != other:
                met[player] = -2
    return met >= 0


@kernel
def _cut_off(start: Longs, near: Ints) -> Longs:
    """How many players each one alone links to the rest (Hopcroft and Tarjan 1973)."""
    players = len(start) - 1
    met = np.zeros(players, np.int32)  # in which order, from 1
    reach = np.zeros(players, np.int32)
    below = np.ones(players, np.int32)
    largest = np.zeros(players, np.int32)  # of the parts that hang on a player only
    hanging = np.zeros(players, np.int32)  # players in all of them
    parent = np.full(players, -1, np.int32)
    result = np.zeros(players, np.int64)
    order = np.empty(players, np.int32)
    path = np.empty(players, np.int32)
    at = start[:-1].copy()
    number = 0
    for root in range(players):
        if met[root] or start[root] == start[root + 1]:
            continue
        begin = number
        order[number] = root
        number += 1
        met[root] = reach[root] = number
        path[0] = root
        depth = 1
        while depth > 0:
            node = path[depth - 1]
            descended = False
            while at[node] < start[node + 1]:
                other = near[at[node]]
                at[node] += 1
                if not met[other]:
                    order[number] = other
                    number += 1
                    met[other] = reach[other] = number
                    parent[other] = node
                    path[depth] = other
                    depth += 1
                    descended = True
                    break
                if other != parent[node]:
                    reach[node] = min(reach[node], met[other])
            if descended:
                continue
            depth -= 1
            above = parent[node]
            if above >= 0:
                below[above] += below[node]
                reach[above] = min(reach[above], reach[node])
                if reach[node] >= met[above]:
                    largest[above] = max(largest[above], below[node])
                    hanging[above] += below[node]
        others = number - begin - 1
        for k in range(begin, number):
            node = order[k]
            result[node] = others - max(largest[node], others - hanging[node], 0)
    return result
