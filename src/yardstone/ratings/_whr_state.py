"""What whole-history rating remembers between two pools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError
from yardstone.ratings._whr_layout import Layout, lay_out
from yardstone.ratings.state import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings._whr_newton import Hessian

    Floats = NDArray[np.float64]
    Longs = NDArray[np.int64]

__all__ = ["Memory", "Played", "in_order", "join", "keep", "lay_out_all", "recall", "spread_out"]


@dataclass(frozen=True)
class Played:
    """Games in order of time; `seconds` is empty without times, `shift` holds points."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    score: Floats
    seconds: Longs
    shift: Floats


@dataclass(frozen=True)
class Memory:
    """Games so far, and what was found: per node strength, pivot and `off`."""

    games: Played
    node_start: Longs
    strength: Floats
    pivot: Floats
    off: Floats
    variance: Floats
    shared: Floats
    known: Floats
    fitted: float


def recall(state: State, players: int, *, dated: bool) -> Memory:
    """What a state remembers, for so many players; empty for a new state."""
    if "strength" not in state.arrays:
        none = np.zeros(0)
        ids = np.zeros(0, np.int32)
        games = Played(ids, ids, none, np.zeros(0, np.int64), none)
        start = np.zeros(players + 1, np.int64)
        return Memory(games, start, none, none, none, np.zeros(players), none, none, 0.0)
    of: dict[str, NDArray[Any]] = dict(state.arrays)
    if dated != (len(of["seconds"]) > 0):
        raise InputError("either all games of a state have times, or none")
    more = players + 1 - len(of["node_start"])
    return Memory(
        Played(of["first"], of["second"], of["score"], of["seconds"], of["shift"]),
        np.append(of["node_start"], np.repeat(of["node_start"][-1:], more)),
        of["strength"],
        of["pivot"],
        of["off"],
        np.append(of["variance"], np.zeros(more)),
        of["shared"].copy(),
        of["known"].copy(),
        float(of["fitted"]),
    )


def in_order(
    pool: Pool, order: Longs | None, number: NDArray[np.int32] | None, shift: Floats | None
) -> Played:
    """The games of a pool in order of time, its players renumbered."""
    place: Any = slice(None) if order is None else order
    first, second = pool.first[place], pool.second[place]
    if number is not None:
        first, second = number[first], number[second]
    return Played(
        np.array(first),
        np.array(second),
        np.array(pool.score[place]),
        np.zeros(0, np.int64) if pool.time is None else pool.time.astype(np.int64)[place],
        np.zeros(len(pool)) if shift is None else shift[place],
    )


def join(before: Played, after: Played) -> Played:
    """The games of both, one behind the other."""
    return Played(
        np.concatenate([before.first, after.first]),
        np.concatenate([before.second, after.second]),
        np.concatenate([before.score, after.score]),
        np.concatenate([before.seconds, after.seconds]),
        np.concatenate([before.shift, after.shift]),
    )


def lay_out_all(
    games: Played, players: int, day_of: Callable[[Longs], Floats], *, shift_unit: float
) -> tuple[Layout, Floats]:
    """Layout of all games, and the day of each; without times, a day a game."""
    dated = len(games.seconds) > 0
    day = day_of(games.seconds) if dated else np.arange(len(games.first), dtype=np.float64)
    layout = lay_out(
        games.first, games.second, games.score, day, games.shift / shift_unit, players
    )
    if not dated:  # time is counted in each player's own games
        nodes = np.arange(len(layout.node_day))
        counted = nodes - np.repeat(layout.node_start[:-1], np.diff(layout.node_start))
        layout = layout._replace(node_day=counted.astype(np.float64))
    return layout, day


def spread_out(memory: Memory, layout: Layout, hessian: Hessian) -> tuple[Floats, Floats, Longs]:
    """Strengths in the places of a larger layout, variances, and each player's end so far."""
    days = np.diff(memory.node_start)
    moved = np.repeat(layout.node_start[:-1] - memory.node_start[:-1], days)
    place = np.arange(len(memory.strength)) + moved
    x = np.zeros(len(layout.node_day))
    x[place] = memory.strength
    hessian.pivot[place] = memory.pivot
    hessian.off[place] = memory.off
    return x, memory.variance.copy(), layout.node_start[:-1] + days


def keep(
    system: str,
    players: tuple[str, ...],
    games: Played,
    until: np.datetime64,
    layout: Layout,
    x: Floats,
    variance: Floats,
    shared: Floats,
    known: Floats,
    fitted: Floats,
    hessian: Hessian,
) -> State:
    """The state after a replay."""
    arrays = {
        "first": games.first,
        "second": games.second,
        "score": games.score,
        "seconds": games.seconds,
        "shift": games.shift,
        "node_start": layout.node_start,
        "strength": x,
        "pivot": hessian.pivot,
        "off": hessian.off,
        "variance": variance,
        "shared": shared,
        "known": known,
        "fitted": np.asarray(fitted[0]),
    }
    return State(system, players, arrays, len(games.first), until)
