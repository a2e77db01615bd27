"""Which players the results put on a common scale.

A rating exists, and is finite, exactly within a group in which everybody can be
reached from everybody by a chain of "scored against": the strongly connected
components of the graph with an edge from the loser to the winner of each game
and both edges for a draw (Ordo's groups).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from yardstone.pool import PairCounts

__all__ = ["label_by_size", "strong_components", "weak_components"]


@kernel
def _tarjan(start: NDArray[np.int64], target: NDArray[np.int32]) -> NDArray[np.int32]:
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
def _edges(
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    wins: NDArray[np.float64],
    draws: NDArray[np.float64],
    losses: NDArray[np.float64],
    active: NDArray[np.bool_],
    ties: NDArray[np.int32],
    weak: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Edges from losers to winners, sorted by loser: start of each player's, and targets.

    Both ways for draws and ties, and with `weak` for every game.
    """
    players = len(active)
    start = np.zeros(players + 1, np.int64)
    for fill in (False, True):
        if fill:
            for player in range(players):
                start[player + 1] += start[player]
            target = np.empty(start[players], np.int32)
            place = start[:-1].copy()
        else:
            target = np.empty(0, np.int32)
            place = start[:-1]
        for k in range(len(first)):
            i, j = first[k], second[k]
            if not (active[i] and active[j]):
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
    active: NDArray[np.bool_],
    *,
    ties: NDArray[np.int32] | None = None,
    names: Sequence[str] | None = None,
) -> NDArray[np.int32]:
    """Group of each player on a common scale, numbered by falling size.

    Parameters
    ----------
    counts : PairCounts
        Results; pairs with an inactive player are left out.
    active : bool array (players,)
        Players to label; the others get -1.
    ties : int32 array (ties, 2), optional
        Pairs of players joined both ways by something other than games
        (relations, anchors on one scale).
    names : sequence of str, optional
        Groups of equal size are ordered by their first name in byte order, as
        Ordo does; without names, by their lowest player number.

    Returns
    -------
    int32 array (players,)
    """
    return _labelled(counts, active, ties, names, weak=False)


def weak_components(
    counts: PairCounts, active: NDArray[np.bool_], *, names: Sequence[str] | None = None
) -> NDArray[np.int32]:
    """Groups joined by any game at all, whoever won; otherwise as `strong_components`."""
    return _labelled(counts, active, None, names, weak=True)


def _labelled(
    counts: PairCounts,
    active: NDArray[np.bool_],
    ties: NDArray[np.int32] | None,
    names: Sequence[str] | None,
    *,
    weak: bool,
) -> NDArray[np.int32]:
    none = np.zeros((0, 2), np.int32)
    start, target = _edges(
        counts.first,
        counts.second,
        counts.wins,
        counts.draws,
        counts.losses,
        active,
        none if ties is None else ties,
        weak,
    )
    label = _tarjan(start, target)
    return label_by_size(np.where(active, label, -1).astype(np.int32), names)


def label_by_size(
    label: NDArray[np.int32], names: Sequence[str] | None = None
) -> NDArray[np.int32]:
    """Renumber labels from the largest group down; -1 stays.

    Ties go to the group whose first member comes first, by name if names are
    given and by number otherwise.
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
