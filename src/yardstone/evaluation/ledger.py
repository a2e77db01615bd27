"""A rating system with all its games, kept so that changes replay only what they must.

A server adds games every day, annuls one, finds that two accounts are one person.
The ledger keeps the state of the system at some points on the way (checkpoints).
After a change it goes on from the last checkpoint before the first game that
differs, and from there it replays only games that the change can reach: those of
players joined, by games from the checkpoint on, with a player of a changed game (all
from there on, in a system that looks at the mean of its players). Everybody else's
ratings and predictions stay as they were. What comes out is the same as if all games had
been replayed: to the last bit, but for the rounding of such a mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.evaluation._checkpoints import (
    changed_games,
    overlaid,
    reached_players,
    renamed,
    without,
)
from yardstone.evaluation.rated_games import RatedGames
from yardstone.evaluation.splits import in_time_order
from yardstone.ratings.order import check_order
from yardstone.ratings.replay import Replay
from yardstone.ratings.result import Ratings
from yardstone.ratings.sequential import Sequential
from yardstone.ratings.state import State
from yardstone.ratings.systems import find_system
from yardstone.records.joining import join_pools

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

__all__ = ["REPLAYED", "Ledger", "make_system"]

#: About so many checkpoints are kept; never more than twice as many.
CHECKPOINTS = 16
#: What is kept of the prediction of each game.
REPLAYED = (
    "expected",
    "first_rating",
    "second_rating",
    "first_deviation",
    "second_deviation",
)


@dataclass(frozen=True, eq=False, repr=False)
class Ledger(RatedGames):
    """A system, all games it has rated, and where it stood on the way; frozen.

    Every prediction in `replay` was made before its game.

    Attributes
    ----------
    checkpoints : tuple of (int, State)
        Number of games, and the state after them; the first after none, the last
        after all.
    """

    checkpoints: tuple[tuple[int, State], ...] = ()

    @property
    def system(self) -> Sequential:
        """The system."""
        return make_system(self.name, self.parameters)

    @property
    def state(self) -> State:
        """Where the system stands after all games."""
        return self.checkpoints[-1][1]

    @classmethod
    def begin(cls, name: str, pool: Pool, **parameters: Any) -> Ledger:
        """Rate all games of a pool.

        Parameters
        ----------
        name : str
            A system that rates games as they come.
        pool : Pool
            In any order; each game with a time, or none with one.
        **parameters
            Of the system.
        """
        system = make_system(name, parameters)
        check_order(system, pool)
        games = in_time_order(pool)
        start = system.start(games.players)
        empty = _replay({name: np.zeros(0) for name in REPLAYED}, system.ratings(start))
        none = games.select(np.zeros(0, np.int64))
        blank = cls(name, dict(parameters), none, empty, 0, ((0, start),))
        return blank._revised(games, np.full(len(games), -1))

    def add(self, pool: Pool) -> Ledger:
        """The ledger with further games, which may be earlier than those it has."""
        if not len(pool):
            return replace(self, replayed=0)
        if len(self.pool) and (self.pool.time is None) != (pool.time is None):
            raise InputError("the ledger's games and the new ones must all have times, or none")
        check_order(self.system, pool)
        joined = join_pools([self.pool, pool])
        origin = np.arange(len(joined))
        origin[len(self.pool) :] = -1
        games = in_time_order(joined)
        if games is not joined and games.time is not None and joined.time is not None:
            origin = origin[np.argsort(joined.time, kind="stable")]
        return self._revised(games, origin)

    def annul(self, games: NDArray[np.bool_]) -> Ledger:
        """The ledger without some games (true for those to go)."""
        if len(games) != len(self.pool):
            raise UsageError(f"there are {len(self.pool)} games, not {len(games)}")
        return self._revised(self.pool.select(~games), np.flatnonzero(~games))

    def merge(self, kept: str, other: str) -> Ledger:
        """The ledger with all games of `other` given to `kept`.

        As long as only one of them had played, nothing is replayed.

        Raises
        ------
        InputError
            One of them is unknown, or they have played each other.
        """
        keep, drop = self.ratings.index(kept), self.ratings.index(other)
        if keep == drop:
            raise UsageError(f"{kept!r} is one player already")
        keep, drop = self.pool.players.index(kept), self.pool.players.index(other)
        sides = np.column_stack([self.pool.first, self.pool.second])
        mine, theirs = (sides == keep).any(axis=1), (sides == drop).any(axis=1)
        if (mine & theirs).any():
            raise InputError(
                f"{kept!r} and {other!r} have played each other", hint="annul those games first"
            )
        first = np.where(self.pool.first == drop, keep, self.pool.first)
        second = np.where(self.pool.second == drop, keep, self.pool.second)
        merged = replace(self.pool, first=first, second=second)
        begins = [int(np.argmax(each)) if each.any() else len(each) for each in (mine, theirs)]
        # Until `kept` has played, what the other account has is simply theirs.
        base = self._exchanged(kept, other) if begins[1] < begins[0] else self
        return base._revised(merged, np.arange(len(merged)))._without(other)

    def _revised(self, pool: Pool, origin: NDArray[np.int64]) -> Ledger:
        """The ledger as it would be with other games in place of its own.

        `pool` is in order of time; `origin` says where each of its games stands in
        the present pool (rising, -1 for a new one).
        """
        system, games = self.system, len(pool)
        changed = changed_games(self.pool, pool, origin)
        gone = np.ones(len(self.pool), np.bool_)
        gone[origin[origin >= 0]] = False
        removed = np.flatnonzero(gone)
        first_change = min(_first(changed), int(removed.min(initial=games)))
        restable = system.resting_places(pool)
        kept = [
            (at, state) for at, state in self.checkpoints if at <= first_change and restable[at]
        ]
        base, state = kept[-1]
        # When an event's results count depends on all its games.
        if system.joins_all or system.period == "event":
            reached = np.ones(len(pool.players), np.bool_)
        else:
            reached = reached_players(self.pool, pool, base, changed, removed)
        again = reached[pool.first] | reached[pool.second]
        again[:base] = False
        predictions = self._carried(origin)
        # Where checkpoints of the present pool lie in the new one.
        known = np.maximum.accumulate(origin) if games else origin
        later = {
            place: each
            for at, each in self.checkpoints
            if at > base and restable[place := int(np.searchsorted(known, at))] and place > base
        }
        stops = {*later, games} if games > base else {*later}
        if again[base:].all():
            later = {}
            spacing = max(games // CHECKPOINTS, 1)
            stops |= {at for at in range(base + spacing, games, spacing) if restable[at]}
        names = {pool.players[row] for row in np.flatnonzero(reached)}
        at = base
        for stop in sorted(stops):
            rows = at + np.flatnonzero(again[at:stop])
            state, part = system.advance(state, pool.select(rows))
            for name, column in predictions.items():
                if (values := getattr(part, name)) is not None:
                    column[rows] = values
            settled = overlaid(later[stop], state, names) if stop in later else state
            kept.append((stop, replace(settled, games=stop, until=_until(pool, stop))))
            at = stop
        return replace(
            self,
            pool=pool,
            replay=_replay(predictions, system.ratings(kept[-1][1])),
            checkpoints=_thinned(kept),
            replayed=int(again.sum()),
        )

    def _carried(self, origin: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
        """What was predicted for each game that stays; NaN for the others."""
        stays = origin >= 0
        columns = {}
        for name in REPLAYED:
            columns[name] = np.full(len(origin), np.nan)
            if (values := getattr(self.replay, name)) is not None:
                columns[name][stays] = values[origin[stays]]
        return columns

    def _exchanged(self, one: str, other: str) -> Ledger:
        """The ledger with the names of two players exchanged, and all else the same."""
        swap = {one: other, other: one}
        players = tuple(swap.get(name, name) for name in self.pool.players)
        points = tuple((at, renamed(state, one, other)) for at, state in self.checkpoints)
        return replace(self, pool=replace(self.pool, players=players), checkpoints=points)

    def _without(self, player: str) -> Ledger:
        """The ledger without a player who has no games."""
        gone = self.pool.players.index(player)
        players = tuple(name for name in self.pool.players if name != player)
        first = self.pool.first - (self.pool.first > gone)
        second = self.pool.second - (self.pool.second > gone)
        points = tuple((at, without(state, player)) for at, state in self.checkpoints)
        return replace(
            self,
            pool=replace(self.pool, players=players, first=first, second=second),
            replay=replace(self.replay, ratings=self.system.ratings(points[-1][1])),
            checkpoints=points,
        )


def make_system(name: str, parameters: Mapping[str, Any]) -> Sequential:
    """The system of that name; `UsageError` if it does not rate games as they come."""
    system = find_system(name).make(**parameters)
    if not isinstance(system, Sequential):
        raise UsageError(f"{name} rates all games at once, so there is no state to go on from")
    return system


def _first(changed: NDArray[np.bool_]) -> int:
    return int(np.argmax(changed)) if changed.any() else len(changed)


def _until(pool: Pool, games: int) -> np.datetime64:
    if pool.time is None or not games:
        return np.datetime64("NaT", "s")
    return np.datetime64(pool.time[games - 1], "s")


def _replay(columns: dict[str, NDArray[np.float64]], ratings: Ratings) -> Replay:
    known = not np.isnan(columns["first_deviation"]).any()
    return Replay(
        expected=columns["expected"],
        first_rating=columns["first_rating"],
        second_rating=columns["second_rating"],
        ratings=ratings,
        first_deviation=columns["first_deviation"] if known else None,
        second_deviation=columns["second_deviation"] if known else None,
    )


def _thinned(points: list[tuple[int, State]]) -> tuple[tuple[int, State], ...]:
    """Every second one, between the first and the last, while there are too many."""
    while len(points) > 2 * CHECKPOINTS + 2:
        points = [points[0], *points[1:-1][::2], points[-1]]
    return tuple(points)
