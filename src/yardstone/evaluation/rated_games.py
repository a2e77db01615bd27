"""Games with the ratings that a system gives their players, over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import InputError
from yardstone.evaluation.backtest import outcome_table
from yardstone.evaluation.comparison import LEARNING_SHARE
from yardstone.evaluation.findings import last_games
from yardstone.evaluation.splits import earlier_games, in_time_order
from yardstone.pool import Pool, StoredPool, in_batches
from yardstone.ratings.result import Ratings, Replay, check_order
from yardstone.ratings.systems import find_system
from yardstone.ratings.whole_history import ALL_AT_ONCE, MORE_MEMORY, WholeHistoryRatings

if TYPE_CHECKING:
    from yardstone.arrays import Floats, Longs, Times


@dataclass(frozen=True, eq=False, repr=False)
class RatedGames:
    """Games in order of time, and both players' ratings at each; frozen."""

    name: str  #: Name of the system, as in `yardstone.ratings.systems`.
    parameters: Mapping[str, Any]  #: Those that differ from the system's own.
    pool: Pool  #: All games, in order of time.
    replay: Replay  #: For each game what was expected of it; and the ratings after the last.
    replayed: int  #: Games that the last change had to rate.

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__}: {len(self.pool)} games of {len(self.pool.players)} players "
            f"under {self.name}>"
        )

    @property
    def system(self) -> Any:
        """The system."""
        return find_system(self.name).make(**self.parameters)

    @property
    def ratings(self) -> Ratings:
        """The ratings after all games."""
        return self.replay.ratings

    @property
    def number(self) -> int:
        """Number of all games that were rated."""
        return len(self.pool)

    @cached_property
    def played(self) -> Longs:
        """Games of each player, in the order of the ratings."""
        played: Longs = self._of_players(self.pool.played(), 0)
        return played

    @cached_property
    def last_game(self) -> Times | None:
        """Time of each player's last game, in the order of the ratings; None without times."""
        last = last_games(self.pool)
        if last is not None:
            last = self._of_players(last, np.datetime64("NaT", "s"))
        return last

    @property
    def period(self) -> tuple[np.datetime64, np.datetime64] | None:
        """Times of the first and of the last game."""
        time = self.pool.time
        return None if time is None or not len(time) else (time[0], time[-1])

    @cached_property
    def outcomes(self) -> Floats:
        """Results by predictions of the later half of the games, as `outcome_table` counts."""
        later = slice(round(LEARNING_SHARE * len(self.pool)), None)
        return outcome_table(self.pool.score[later], self.replay.expected[later])

    def opening(self, games: int) -> tuple[Pool, Floats]:
        """The first games, at most so many, in memory, and what was expected of them."""
        if len(self.pool) <= games:
            return next(iter(in_batches(self.pool))), np.array(self.replay.expected)
        return self.pool.select(np.arange(games)), np.array(self.replay.expected[:games])

    def _of_players(self, column: NDArray[Any], missing: Any) -> Any:
        """A column by the pool's players in the order of the ratings."""
        names = self.ratings.players
        if names == self.pool.players:
            return column
        number = {name: row for row, name in enumerate(self.pool.players)}
        known = [number.get(name, -1) for name in names]
        return np.where(np.array(known) < 0, missing, column[known])


def whole_history(pool: Pool, **parameters: Any) -> RatedGames:
    """Every player's most probable strength at each game, given all games.

    Unlike a replay this looks back: a rating is what all games, earlier and later,
    say about that day. So what is "expected" of a game knows its result, and serves
    to find records that look wrong, never to judge predictions.

    Args:
        **parameters: Of whole-history rating.
    """
    from yardstone.ratings.whole_history import WholeHistory

    system = WholeHistory(**parameters)
    check_order(system, pool)
    if isinstance(pool, StoredPool):
        raise InputError(f"whr: {ALL_AT_ONCE}", hint=MORE_MEMORY)
    games = in_time_order(pool)
    history = system.fit(games)
    first, second = _days(games, history)
    expected = system.probability(
        history.day_rating[first],
        history.day_rating[second],
        history.day_deviation[first],
        history.day_deviation[second],
        advantage=history.first_advantage.value,
    )
    replay = Replay(
        expected=expected,
        first_rating=history.day_rating[first],
        second_rating=history.day_rating[second],
        ratings=history,
        first_deviation=history.day_deviation[first],
        second_deviation=history.day_deviation[second],
    )
    return RatedGames("whr", parameters, games, replay, len(games))


def _days(pool: Pool, history: WholeHistoryRatings) -> tuple[Longs, Longs]:
    """Where the days of both players of each game stand in `history`."""
    if pool.time is None:
        first, second = earlier_games(pool)
        return history.start[pool.first] + first, history.start[pool.second] + second
    # Days are sorted by player and then by time, so one number tells both.
    moment = pool.time.astype(np.int64)
    day = history.time.astype("datetime64[s]").astype(np.int64)
    begin = min(moment.min(initial=0), day.min(initial=0))
    span = max(moment.max(initial=0), day.max(initial=0)) - begin + 1
    owner = np.repeat(np.arange(len(history)), np.diff(history.start))
    known = owner * span + (day - begin)
    first, second = (
        np.searchsorted(known, side.astype(np.int64) * span + (moment - begin), side="right") - 1
        for side in (pool.first, pool.second)
    )
    return first, second
