"""Games in order of time, and the rating periods they fall into.

A rating period is a batch of games that are rated at once: every game of it is
predicted from the ratings at its start, and changes them at its end. Periods cut
from the calendar follow one another; events may overlap, and then the results of
the one that ends first are known to those that begin after it, and to no other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from yardstone.choices import no_such
from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

Scalar = TypeVar("Scalar", bound=np.generic)

__all__ = [
    "SECONDS_PER_DAY",
    "Period",
    "Schedule",
    "check_period",
    "order_of_time",
    "resting_places",
    "schedule",
]

#: A rating period: one game, the games of an event, a part of the calendar, or so many days.
Period = Literal["game", "event", "day", "week", "month", "quarter", "year"] | float

SECONDS_PER_DAY = 86_400

_CALENDAR = {
    "day": ("D", 1),
    "week": ("D", 7),
    "month": ("M", 1),
    "quarter": ("M", 3),
    "year": ("Y", 1),
}
#: Weeks begin on Monday; 1 January 1970 was a Thursday.
_MONDAY = 4


def _no_batches() -> NDArray[np.int64]:
    return np.zeros(0, np.int64)


@dataclass(frozen=True)
class Schedule:
    """The order in which games are rated.

    Attributes
    ----------
    order : int64 array or None
        Places of the games in the pool, batch after batch; None if that is the
        order of the pool.
    start : int64 array
        Where each batch begins, and the end of the last; empty if every game is a
        batch of its own.
    actions : int64 array
        Number of a batch times two, plus 0 to predict its games and 1 to learn from
        them, in order of time; empty if each batch is learned from at once.
    number : int64 array
        Of each batch, the number of its period in the calendar; empty without one.
    """

    order: NDArray[np.int64] | None = None
    start: NDArray[np.int64] = field(default_factory=_no_batches)
    actions: NDArray[np.int64] = field(default_factory=_no_batches)
    number: NDArray[np.int64] = field(default_factory=_no_batches)

    def take(self, column: NDArray[Scalar]) -> NDArray[Scalar]:
        """A column of the pool in the order of rating."""
        return column if self.order is None else column[self.order]

    def put_back(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        """A column in the order of rating, back in the order of the pool."""
        if self.order is None:
            return column
        result = np.empty_like(column)
        result[self.order] = column
        return result


def check_period(period: Period) -> None:
    """Raise UsageError for something that is no period."""
    if isinstance(period, str):
        if period not in ("game", "event", *_CALENDAR):
            raise UsageError(
                no_such("rating period", period, ("game", "event", *_CALENDAR, "a number of days"))
            )
    elif not (isfinite(period) and period > 0.0):
        raise UsageError(f"a rating period must be a positive number of days, not {period}")


def order_of_time(pool: Pool) -> NDArray[np.int64] | None:
    """Places of the games by time, games of one time as in the pool; None if so already.

    A pool without times is taken to be in order. Raises InputError if only some
    games have a time.
    """
    if pool.time is None:
        return None
    stamp = pool.time.view(np.int64)
    if not len(stamp) or (bool(np.all(stamp[1:] >= stamp[:-1])) and not np.isnat(pool.time[0])):
        return None
    missing = int(np.isnat(pool.time).sum())
    if missing:
        raise InputError(
            f"{missing} of {len(pool)} games have no time",
            hint="leave them out with pool.select(~numpy.isnat(pool.time))",
        )
    return np.argsort(stamp, kind="stable")


def schedule(pool: Pool, period: Period, *, event_column: str = "event") -> Schedule:
    """Order the games of a pool and cut them into rating periods.

    Raises InputError where the pool lacks what the period needs.
    """
    order = order_of_time(pool)
    if period == "game":
        return Schedule(order)
    if period == "event":
        return _by_event(pool, order, event_column)
    if pool.time is None:
        raise InputError(f"rating periods ({period}) need the time of each game")
    time = pool.time if order is None else pool.time[order]
    number = calendar_number(time, period)
    start = np.append(np.flatnonzero(np.diff(number, prepend=number[:1] - 1)), len(number))
    return Schedule(order, start, number=number[start[:-1]])


def calendar_number(time: NDArray[np.datetime64], period: Period) -> NDArray[np.int64]:
    """Number of the period in which each time falls."""
    if not isinstance(period, str):
        return np.floor_divide(time.astype(np.int64), round(period * SECONDS_PER_DAY))
    unit, length = _CALENDAR[period]
    count = time.astype(f"datetime64[{unit}]").astype(np.int64)
    return (count - _MONDAY) // length if period == "week" else count // length


def _by_event(pool: Pool, order: NDArray[np.int64] | None, column: str) -> Schedule:
    """Batches of events: predicted at an event's first game, learned from after its last."""
    if column not in pool.columns:
        raise InputError(f"the games have no column {column!r}")
    _, event = np.unique(pool.columns[column], return_inverse=True)
    place = np.arange(len(pool)) if order is None else order
    event = event[place]
    by_event = np.argsort(event, kind="stable")
    _, start = np.unique(event[by_event], return_index=True)
    start = np.append(start, len(event))
    opens, closes = by_event[start[:-1]], by_event[start[1:] - 1]
    batches = np.arange(len(opens))
    moment = np.concatenate([2 * opens, 2 * closes + 1])
    actions = np.concatenate([2 * batches, 2 * batches + 1])[np.argsort(moment)]
    return Schedule(place[by_event], start, actions)


def resting_places(pool: Pool, period: Period, *, event_column: str = "event") -> NDArray[np.bool_]:
    """Where a state may be kept: for 0, 1, … games, whether no rating period is cut there.

    The games are in order of time. The end always is such a place; whether it stays one,
    later games will tell.
    """
    games = len(pool)
    free = np.ones(games + 1, np.bool_)
    if period == "game" or not games:
        return free
    if period == "event":
        event = np.unique(pool.columns[event_column], return_inverse=True)[1]
        closes = np.zeros(event.max() + 1, np.int64)
        np.maximum.at(closes, event, np.arange(games))
        free[1:] = np.maximum.accumulate(closes[event]) <= np.arange(games)
    elif pool.time is not None:
        number = calendar_number(pool.time, period)
        free[1:-1] = number[1:] != number[:-1]
    return free
