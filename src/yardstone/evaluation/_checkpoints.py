"""What the ledger needs to know about games that changed, and states that meet."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.ratings.state import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

    Mask = NDArray[np.bool_]

__all__ = ["changed_games", "overlaid", "reached_players", "renamed", "without"]


def changed_games(old: Pool, new: Pool, origin: NDArray[np.int64]) -> Mask:
    """Games of `new` that are new, or not what they were in `old`.

    Parameters
    ----------
    old, new : Pool
    origin : int64 array, one entry a game of `new`
        The game's place in `old`; -1 for a new one.
    """
    changed = origin < 0
    rows, before = np.flatnonzero(~changed), origin[~changed]
    place = _places(old.players, new.players)
    differ = (
        (place[old.first[before]] != new.first[rows])
        | (place[old.second[before]] != new.second[rows])
        | (old.score[before] != new.score[rows])
    )
    if old.time is not None and new.time is not None:
        differ |= old.time[before] != new.time[rows]
    for name, column in new.columns.items():
        if name in old.columns:
            differ |= _unequal(old.columns[name][before], column[rows])
    changed[rows] = differ
    return changed


def _places(old: tuple[str, ...], new: tuple[str, ...]) -> NDArray[np.int64]:
    """Numbers of the old players among the new ones; those who are gone come after."""
    if old == new:
        return np.arange(len(old))
    number = {name: row for row, name in enumerate(new)}
    return np.array([number.setdefault(name, len(number)) for name in old], np.int64)


def _unequal(one: NDArray[Any], other: NDArray[Any]) -> Mask:
    if one.dtype.kind == other.dtype.kind == "f":
        return np.asarray((one != other) & ~(np.isnan(one) & np.isnan(other)))
    return np.asarray(one != other)


def reached_players(
    old: Pool, new: Pool, base: int, changed: Mask, removed: NDArray[np.int64]
) -> Mask:
    """Players of `new` whom a change can reach, through games from place `base` on.

    Games of both pools count as links, so whoever is not reached has the same games
    in both, against opponents of whom the same is true.
    """
    place = _places(old.players, new.players)
    rows = np.flatnonzero(changed)
    seeds = np.concatenate(
        [new.first[rows], new.second[rows], place[old.first[removed]], place[old.second[removed]]]
    )
    if len(rows) == len(new):
        return np.isin(np.arange(len(new.players)), seeds)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    number = max(len(new.players), int(place.max(initial=-1)) + 1)
    one = np.concatenate([new.first[base:].astype(np.int64), place[old.first[base:]]])
    two = np.concatenate([new.second[base:].astype(np.int64), place[old.second[base:]]])
    graph = coo_array((np.ones(len(one), np.int8), (one, two)), shape=(number, number))
    group = connected_components(graph, directed=False)[1]
    return np.isin(group[: len(new.players)], group[seeds])


def overlaid(under: State, over: State, names: Collection[str]) -> State:
    """A state with the rows of the named players, and of new ones, taken from another."""
    if under.players == over.players:
        players = under.players
        source = np.array([name in names for name in players], np.bool_)
        target = np.flatnonzero(source)
    else:
        place = _places(over.players, under.players)
        fresh = place >= len(under.players)
        source = fresh | np.array([name in names for name in over.players], np.bool_)
        players = (*under.players, *(over.players[row] for row in np.flatnonzero(fresh)))
        target = place[source]
    arrays = {}
    for name, column in over.arrays.items():
        grown = np.empty((len(players), *column.shape[1:]), column.dtype)
        grown[: len(under.players)] = under.arrays[name]
        grown[target] = column[source]
        arrays[name] = grown
    return replace(over, players=players, arrays=arrays)


def renamed(state: State, one: str, other: str) -> State:
    """A state in which two players have exchanged names."""
    swap = {one: other, other: one}
    return replace(state, players=tuple(swap.get(name, name) for name in state.players))


def without(state: State, player: str) -> State:
    """A state that has forgotten a player."""
    keep = np.array([name != player for name in state.players], np.bool_)
    return replace(
        state,
        players=tuple(name for name in state.players if name != player),
        arrays={name: column[keep] for name, column in state.arrays.items()},
    )
