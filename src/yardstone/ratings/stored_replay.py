"""Games on disk rated batch by batch: the same ratings and predictions as all at once.

A batch ends where no rating period is cut, so memory holds what is kept of the players, a
batch, and the longest period. What was predicted goes to columns on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.disk import CodedTexts, column_on_disk, let_go, pieces, taken
from yardstone.errors import InputError
from yardstone.ratings.replay import Replay

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.sequential import Sequential
    from yardstone.ratings.state import State
    from yardstone.records.stored import StoredPool

__all__ = ["advance_stored", "rating_batches"]

#: Games of a batch.
BATCH = 1 << 20
_RECORDED = ("expected", "first_rating", "second_rating", "first_deviation", "second_deviation")


def advance_stored(system: Sequential, state: State, pool: StoredPool) -> tuple[State, Replay]:
    """Go on from a state with games on disk; what was predicted of them is on disk too.

    Raises
    ------
    InputError
        There are games before the state's last one, or more games of one rating period
        than fit in memory.
    """
    state, nothing = system.advance(state, pool.games(slice(0, 0)))
    number = None
    if state.players != pool.players:
        place = {name: row for row, name in enumerate(state.players)}
        number = np.array([place[name] for name in pool.players], np.int32)
    recorded = {
        name: column_on_disk(len(pool), np.float64)
        for name in _RECORDED
        if getattr(nothing, name) is not None
    }
    for at in rating_batches(system, pool):
        batch = pool.games(at)
        if number is not None:
            first, second = number[batch.first], number[batch.second]
            batch = replace(batch, players=state.players, first=first, second=second)
        state, part = system.advance(state, batch)
        for name, column in recorded.items():
            column[at] = getattr(part, name)
            let_go(column)
    return state, Replay(ratings=system.ratings(state), **recorded)


def rating_batches(system: Sequential, pool: StoredPool) -> Iterator[slice]:
    """The games in batches that cut no rating period."""
    if system.period == "event":
        free = _between_events(pool, system.event_column)
    else:
        # One game more tells whether the last one ends its period.
        def free(at: slice) -> NDArray[np.bool_]:
            return system.resting_places(pool.games(slice(at.start, at.stop + 1)))

    begin = 0
    while begin < len(pool):
        size = BATCH
        while True:
            end = min(begin + size, len(pool))
            if end - begin > max(pool.most, BATCH):
                raise InputError(
                    f"more than {pool.most:,} games are of one rating period, and they are rated "
                    "at once",
                    hint="give more --memory, or take a shorter period",
                )
            places = np.flatnonzero(free(slice(begin, end))[: end - begin + 1])
            if places[-1] > 0:
                break
            size *= 2
        yield slice(begin, begin + int(places[-1]))
        begin += int(places[-1])


def _between_events(pool: StoredPool, name: str) -> Callable[[slice], NDArray[np.bool_]]:
    """Tells where among some games, before which no event is going on, none is."""
    if name not in pool.columns:
        raise InputError(f"the games have no column {name!r}")
    column = pool.columns[name]
    last: dict[Any, int] = {}
    for at in pieces(len(pool)):
        events, place = np.unique(_labels(column, at)[::-1], return_index=True)
        last |= dict(zip(events.tolist(), (at.stop - 1 - place).tolist(), strict=True))

    def free(at: slice) -> NDArray[np.bool_]:
        events, place = np.unique(_labels(column, at), return_inverse=True)
        closes = np.array([last[event] for event in events.tolist()], np.int64)[place]
        ended = np.maximum.accumulate(closes) <= np.arange(at.start, at.stop)
        return np.append(True, ended)

    return free


def _labels(values: Any, at: slice) -> NDArray[Any]:
    """Numbers that tell the events of some games apart."""
    return np.asarray(taken(values.code if isinstance(values, CodedTexts) else values, at))
