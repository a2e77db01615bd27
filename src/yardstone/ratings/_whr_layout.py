"""Games laid out for whole-history rating: players, their days, the games of each day.

A *node* is a player on a day on which he played; its unknown is his strength that
day. Nodes of a player stand together in order of time. An *entry* is a game seen by
one of its players; the entries of a player stand together in order of time too, so
every game has two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int32]
    Longs = NDArray[np.int64]

__all__ = ["DayGames", "Layout", "lay_out"]


class DayGames(NamedTuple):
    """Games in order of time, with the day of each."""

    first: Ints
    second: Ints
    score: Floats
    day: Floats


class Layout(NamedTuple):
    """Where everything stands.

    Attributes
    ----------
    node_start : int64 array (players + 1,)
        First node of each player.
    node_day : float64 array (nodes,)
        Its day.
    entry_start : int64 array (players + 1,)
        First entry of each player.
    node_entry : int64 array (nodes + 1,)
        First entry of each node.
    opponent : int32 array (entries,)
        Node of the opponent.
    score : float64 array (entries,)
        The player's points.
    side : float64 array (entries,)
        1 for the player who moved first, -1 for the other.
    shift : float64 array (entries,)
        What handicap adds to the player's rating, in logits.
    own : int64 array (games, 2)
        Entries of each game: of `first` and of `second`.
    """

    node_start: Longs
    node_day: Floats
    entry_start: Longs
    node_entry: Longs
    opponent: Ints
    score: Floats
    side: Floats
    shift: Floats
    own: Longs


@kernel
def _place(games: DayGames, shift: Floats, layout: Layout, entry_node: Ints) -> None:
    """Fill the arrays of a layout; games are in order of time."""
    first, second, score, day = games
    players = len(layout.node_start) - 1
    node = layout.node_start[:-1].copy() - 1
    entry = layout.entry_start[:-1].copy()
    last = np.full(players, -np.inf)
    for g in range(len(first)):
        extra = shift[g] if len(shift) > 0 else 0.0
        for s in range(2):
            p = first[g] if s == 0 else second[g]
            if day[g] > last[p]:
                last[p] = day[g]
                node[p] += 1
                layout.node_day[node[p]] = day[g]
            e = entry[p]
            entry[p] += 1
            entry_node[e] = node[p]
            layout.score[e] = score[g] if s == 0 else 1.0 - score[g]
            layout.side[e] = 1.0 if s == 0 else -1.0
            layout.shift[e] = extra if s == 0 else -extra
            layout.own[g, s] = e


@kernel
def _count(
    first: Ints, second: Ints, day: Floats, players: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Nodes and entries of each player, added up."""
    nodes, entries = np.zeros(players + 1, np.int64), np.zeros(players + 1, np.int64)
    last = np.full(players, -np.inf)
    for g in range(len(first)):
        for s in range(2):
            p = first[g] if s == 0 else second[g]
            entries[p + 1] += 1
            if day[g] > last[p]:
                last[p] = day[g]
                nodes[p + 1] += 1
    return np.cumsum(nodes), np.cumsum(entries)


def lay_out(games: DayGames, shift: Floats, players: int) -> Layout:
    """Lay out games that are in order of time.

    Days are NaN-free and do not fall; `shift` is what handicap adds to the rating of
    `first`, in logits (empty: nothing).
    """
    number = len(games.first)
    node_start, entry_start = _count(games.first, games.second, games.day, players)
    entries, nodes = 2 * number, int(node_start[-1])
    entry_node, opponent = np.empty(entries, np.int32), np.empty(entries, np.int32)
    layout = Layout(
        node_start,
        np.empty(nodes),
        entry_start,
        np.empty(nodes + 1, np.int64),
        opponent,
        np.empty(entries),
        np.empty(entries),
        np.empty(entries),
        np.empty((number, 2), np.int64),
    )
    _place(games, shift, layout, entry_node)
    own = layout.own
    opponent[own[:, 0]] = entry_node[own[:, 1]]
    opponent[own[:, 1]] = entry_node[own[:, 0]]
    layout.node_entry[:] = np.searchsorted(entry_node, np.arange(nodes + 1))
    return layout
