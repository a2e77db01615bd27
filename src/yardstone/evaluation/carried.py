"""Ratings carried on without the games before: for more games than fit in memory.

What goes on is what the system keeps of each player, and a little beside it: how many games
each has and when the last one was, the first games (which tell how far intervals must
reach), and how often results of each chance came. No game can be taken back, and no accounts
can be made one: that takes a `Ledger`, which holds all games.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError
from yardstone.evaluation.draws import outcome_table
from yardstone.evaluation.ledger import make_system
from yardstone.evaluation.rated_games import RatedGames
from yardstone.ratings.order import check_order
from yardstone.ratings.sequential import Sequential, match_players
from yardstone.ratings.state import State
from yardstone.records.joining import join_pools
from yardstone.records.stored import StoredPool

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

    Array = NDArray[np.float64]

__all__ = ["OPENING", "CarriedRatings", "KeptRatings"]

#: So many of the first games are kept.
OPENING = 20_000
_NEVER = np.datetime64("NaT", "s")


@dataclass(frozen=True, eq=False, repr=False)
class KeptRatings:
    """All that is kept of ratings whose games are not; frozen.

    Attributes
    ----------
    name : str
        Name of the system.
    parameters : mapping
        Those that differ from the system's own.
    state : State
        Where the system stands.
    played : int64 array (players,)
        Games of each player.
    last_game : datetime64[s] array (players,) or None
    began : datetime64[s]
        Time of the first game of all.
    opening : Pool
        The first games.
    opening_expected : float64 array
        What was expected of them.
    outcomes : float64 array
        As `RatedGames.outcomes`.
    """

    name: str
    parameters: Mapping[str, Any]
    state: State
    played: NDArray[np.int64]
    last_game: NDArray[np.datetime64] | None
    began: np.datetime64
    opening: Pool
    opening_expected: Array
    outcomes: Array

    def __repr__(self) -> str:
        return (
            f"<KeptRatings: {self.state.games} games of {len(self.state.players)} players "
            f"under {self.name}>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class CarriedRatings(RatedGames):
    """The games rated last, and where the ratings stand; what came before is not there.

    Attributes
    ----------
    state : State
        After all games.
    before : KeptRatings, optional
        What was there before these games.
    """

    state: State = field(default_factory=lambda: State("", ()))
    before: KeptRatings | None = None

    @property
    def system(self) -> Sequential:
        """The system."""
        return make_system(self.name, self.parameters)

    @classmethod
    def begin(cls, name: str, pool: Pool, **parameters: Any) -> CarriedRatings:
        """Rate games in order of time.

        Parameters
        ----------
        name : str
            A system that rates games as they come.
        pool : Pool
            In order of time.
        **parameters
            Of the system.
        """
        system = make_system(name, parameters)
        check_order(system, pool)
        state, replay = system.advance(system.start(pool.players), pool)
        return cls(name, parameters, pool, replay, len(pool), state)

    @classmethod
    def go_on(cls, before: KeptRatings, pool: Pool) -> CarriedRatings:
        """Rate further games, none of them before the last.

        Raises
        ------
        InputError
            There are earlier games, or only the old or only the new games have times.
        """
        system = make_system(before.name, before.parameters)
        check_order(system, pool)
        games = before.state.games
        if len(pool) and games and (pool.time is None) != (before.last_game is None):
            raise InputError("the games before and the new ones must all have times, or none")
        pool = _with_players(pool, before.state.players)
        state, replay = system.advance(before.state, pool)
        return cls(before.name, before.parameters, pool, replay, len(pool), state, before)

    @property
    def number(self) -> int:
        """Number of all games, those before included."""
        return self.state.games

    @cached_property
    def played(self) -> NDArray[np.int64]:
        """Games of each player, those before included."""
        played = self.pool.played()
        if self.before is not None:
            played[: len(self.before.played)] += self.before.played
        return played

    @cached_property
    def last_game(self) -> NDArray[np.datetime64] | None:
        """Time of each player's last game; None without times."""
        last = super().last_game
        if self.before is None or self.before.last_game is None:
            return last
        if last is None:
            return self.before.last_game
        old = np.full(len(last), _NEVER)
        old[: len(self.before.last_game)] = self.before.last_game
        return np.where(np.isnat(last), old, last)

    @property
    def period(self) -> tuple[np.datetime64, np.datetime64] | None:
        """Times of the first game of all and of the last."""
        if self.before is None or np.isnat(self.before.began):
            return super().period
        return self.before.began, self.state.until

    @cached_property
    def outcomes(self) -> Array:
        """Results by predictions: of the later half of the first games, and of all since."""
        if self.before is None:
            return super().outcomes
        return self.before.outcomes + outcome_table(self.pool.score, self.replay.expected)

    def opening(self, games: int) -> tuple[Pool, Array]:
        """The first games of all, at most so many, and what was expected of them."""
        if self.before is None:
            return super().opening(games)
        old, expected = self.before.opening, self.before.opening_expected
        old = replace(old.select(np.arange(min(games, len(old)))), players=self.pool.players)
        if len(self.before.opening) == self.before.state.games and len(old) < games:
            new, further = super().opening(games - len(old))
            return join_pools([old, new]), np.concatenate([expected, further])
        return old, expected[: len(old)]

    def kept(self) -> KeptRatings:
        """What goes on of these ratings."""
        opening, expected = self.opening(OPENING)
        period = self.period
        return KeptRatings(
            self.name,
            self.parameters,
            self.state,
            self.played,
            self.last_game,
            _NEVER if period is None else period[0],
            opening,
            expected,
            self.outcomes,
        )

    def cuts_a_period(self) -> bool:
        """Whether the first new games are of the rating period that had ended before them."""
        system, time = self.system, self.pool.time
        if self.before is None or not len(self.pool) or time is None or system.period == "event":
            return False
        ends = np.array([self.before.state.until, time[0]], "datetime64[s]")
        meeting = replace(self.pool.select(np.zeros(2, np.int64)), time=ends)
        return not bool(system.resting_places(meeting)[1])


def _with_players(pool: Pool, players: tuple[str, ...]) -> Pool:
    """The games with these players before all others."""
    names, number = match_players(players, pool.players)
    if number is None:
        return pool
    if isinstance(pool, StoredPool):
        return pool.renumbered(names, number)
    return replace(pool, players=names, first=number[pool.first], second=number[pool.second])
