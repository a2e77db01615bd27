"""Games as the systems keep them that weigh all games so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from yardstone.errors import InputError
from yardstone.ratings._whr_layout import DayGames, Layout, lay_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

    Floats = NDArray[np.float64]
    Longs = NDArray[np.int64]

__all__ = ["Played", "as_arrays", "in_order", "join", "lay_out_all", "recall"]


class Played(NamedTuple):
    """Games in order of time.

    `seconds` since 1970, empty without times; `shift`: points that handicap adds to
    the rating of `first`.
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    score: Floats
    seconds: Longs
    shift: Floats


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


def as_arrays(games: Played) -> dict[str, NDArray[Any]]:
    """The columns by name, for a state."""
    return {f"games_{name}": column for name, column in games._asdict().items()}


def recall(arrays: Mapping[str, NDArray[Any]], *, dated: bool) -> Played:
    """The games of a state, none if it is new; InputError if only some games have times."""
    if "games_first" not in arrays or not len(arrays["games_first"]):
        ids = np.zeros(0, np.int32)
        return Played(ids, ids, np.zeros(0), np.zeros(0, np.int64), np.zeros(0))
    games = Played(*(arrays[f"games_{name}"] for name in Played._fields))
    if dated != (len(games.seconds) > 0):
        raise InputError("either all games have times, those of the state too, or none")
    return games


def lay_out_all(
    games: Played, players: int, day_of: Callable[[Longs], Floats], points: float
) -> tuple[Layout, DayGames]:
    """Layout of all games, and the games with the day of each.

    Without times every game has a day of its own, and each player's days are counted
    in his own games.
    """
    dated = len(games.seconds) > 0
    day = day_of(games.seconds) if dated else np.arange(len(games.first), dtype=np.float64)
    with_days = DayGames(games.first, games.second, games.score, day)
    layout = lay_out(with_days, games.shift / points, players)
    if not dated:
        nodes = np.arange(len(layout.node_day))
        counted = nodes - np.repeat(layout.node_start[:-1], np.diff(layout.node_start))
        layout = layout._replace(node_day=counted.astype(np.float64))
    return layout, with_days
