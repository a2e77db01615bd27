"""What all systems share that rate games as they come.

A system is a frozen dataclass of parameters in a file of its own. It says how a new
player starts (`_newcomers`), how the games of a schedule are predicted and learned
from (`_play`), and what its numbers predict (`probability`); the rest is here: the
order of the games, the players of a pool and of a state, and the results.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.ratings.replay import Replay
from yardstone.ratings.result import Ratings
from yardstone.ratings.schedule import Period, Schedule, resting_places, schedule
from yardstone.ratings.state import State
from yardstone.records.stored import StoredPool

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.handicap import Handicap

    Arrays = dict[str, NDArray[Any]]

__all__ = [
    "Games",
    "Place",
    "Predictions",
    "Record",
    "Rounds",
    "Sequential",
    "match_players",
    "never_back",
]


class Rounds(NamedTuple):
    """The games in the order of rating, as kernels take them.

    Attributes
    ----------
    first, second : int32 arrays
        Numbers of the players in the state's arrays.
    score, ahead : float64 arrays
        Points of `first`, and rating points that it is ahead of even before the game.
    start, actions : int64 arrays
        As in `Schedule`.
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    score: NDArray[np.float64]
    ahead: NDArray[np.float64]
    start: NDArray[np.int64]
    actions: NDArray[np.int64]


class Record(NamedTuple):
    """What kernels fill in: see `Predictions`.

    `before` has a rating of each player, or rating and deviation; `change` has a row a
    game (a single one if each game is a period), for what is learned later.
    """

    expected: NDArray[np.float64]
    before: NDArray[np.float64]
    change: NDArray[np.float64]


#: No rating, deviation or day is as large.
_LARGEST = 1e9


class Place(NamedTuple):
    """Numbers of a game, of its row in `Record.change`, and of its rating period."""

    game: int
    slot: int
    period: int


@dataclass(frozen=True)
class Games:
    """The games of a pool in the order in which they are rated.

    Attributes
    ----------
    rounds : Rounds
        What the kernels take.
    schedule : Schedule
        Rating periods and their order.
    pool : Pool
        Where they come from, for further columns (`schedule.take` puts them in order).
    """

    rounds: Rounds
    schedule: Schedule
    pool: Pool

    def __len__(self) -> int:
        return len(self.pool)

    def days(self) -> NDArray[np.float64]:
        """Time of each game in days since 1970; empty without times."""
        if self.pool.time is None:
            return np.zeros(0)
        return self.schedule.take(self.pool.time).astype(np.int64) / 86_400.0

    def record(self, *, deviations: bool = False) -> Record:
        """Room for what a kernel fills in: with deviations, or with ratings only."""
        n, width = len(self), 4 if deviations else 2
        rows = n if len(self.schedule.start) else 1
        return Record(np.empty(n), np.empty((n, width)), np.empty((rows, width)))


@dataclass(frozen=True)
class Predictions:
    """What was predicted for each game, in the order of rating."""

    expected: NDArray[np.float64]
    first_rating: NDArray[np.float64]
    second_rating: NDArray[np.float64]
    first_deviation: NDArray[np.float64] | None = None
    second_deviation: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, record: Record, *, centre: float = 0.0, points: float = 1.0) -> Predictions:
        """What a kernel recorded, on a scale with 0 at `centre` and units of `points`."""
        columns = record.before.T
        if len(columns) == 2:
            return cls(record.expected, columns[0], columns[1])
        one, own, other, others = columns
        first, second = centre + points * one, centre + points * other
        return cls(record.expected, first, second, points * own, points * others)


def match_players(
    players: tuple[str, ...], others: tuple[str, ...]
) -> tuple[tuple[str, ...], NDArray[np.int32] | None]:
    """All players, and the number of each of `others` among them (None if the same)."""
    if players == others:
        return players, None
    number = {name: row for row, name in enumerate(players)}
    for name in others:
        number.setdefault(name, len(number))
    return tuple(number), np.array([number[name] for name in others], np.int32)


def never_back(state: State, pool: Pool) -> np.datetime64:
    """Time of the last game after a pool; InputError if it has games before the state's."""
    if pool.time is None or not len(pool):
        return state.until
    if pool.time.min() < state.until:
        raise InputError(
            f"there are games of {pool.time.min()}, before the state's last game ({state.until})",
            hint="go on from an earlier state, or replay all games",
        )
    return np.datetime64(pool.time.max(), "s")


def _plausible(array: NDArray[Any], example: NDArray[Any], *, positive: bool) -> bool:
    """Whether these may be numbers of players: what is not finite is what a newcomer has."""
    known = array[~np.isin(array, example)]
    if np.isnan(example).any():
        known = known[~np.isnan(known)]
    return bool((np.abs(known) < _LARGEST).all() and (not positive or (known > 0).all()))


class Sequential(ABC):
    """Base of the systems that rate games as they come.

    Every prediction is made before its game: predicting and learning happen in one
    pass, and there is no other.
    """

    period: Period = "game"
    event_column: str = "event"
    first_advantage: float = 0.0
    handicap: Handicap | None = None

    #: Name of the scale of the ratings.
    scale = "elo"
    #: Whether a game moves what is said of players whom no game joins with its own.
    joins_all: ClassVar[bool] = False
    #: What is kept of players and cannot be zero or less.
    _positive: tuple[str, ...] = ()

    @abstractmethod
    def _newcomers(self, number: int) -> Arrays:
        """What is kept of players without games: arrays with an entry a player.

        Among them ``rating``, in points, unless `ratings` says otherwise.
        """

    def _beginners(self, players: tuple[str, ...]) -> Arrays:
        """The same for players by name, for systems that know something of some."""
        return self._newcomers(len(players))

    @abstractmethod
    def _play(self, arrays: Arrays, games: Games) -> Predictions:
        """Predict all games and learn from them, changing `arrays` in place."""

    @abstractmethod
    def probability(
        self,
        first_rating: ArrayLike,
        second_rating: ArrayLike,
        first_deviation: ArrayLike = 0.0,
        second_deviation: ArrayLike = 0.0,
        *,
        advantage: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """Expected score of a player who moves first; shapes broadcast.

        Deviations matter only to the systems that have them. `advantage` are rating
        points for handicap and moving first (default: the system's `first_advantage`).
        """

    def remarks(self, pool: Pool) -> tuple[str, ...]:
        """What one should know of how the games of a pool are rated, in sentences."""
        return ()

    def replay(self, pool: Pool) -> Replay:
        """Predict each game, then learn from it, in order of time.

        Games of one time are taken in the order of the pool, a pool without times as
        it stands. Raises InputError if only some games have a time, or a column that
        the parameters ask for is missing.
        """
        return self.advance(self.start(pool.players), pool)[1]

    def start(self, players: Sequence[str] = (), known: Ratings | None = None) -> State:
        """The state before any game; players of `known` begin with their ratings there.

        Where a rating or deviation is NaN, it is that of a newcomer.
        """
        names = tuple(players)
        if known is None:
            return State(repr(self), names, self._beginners(names))
        names, rows = match_players(names, known.players)
        arrays = self._beginners(names)
        place = np.arange(len(names)) if rows is None else rows
        self._seed(arrays, place, known.rating, known.deviation)
        return State(repr(self), names, arrays)

    def _seed(
        self,
        arrays: Arrays,
        place: NDArray[np.integer[Any]],
        rating: NDArray[np.float64],
        deviation: NDArray[np.float64],
    ) -> None:
        """Give the players at `place` a rating and, where there is one, a deviation."""
        known = ~np.isnan(rating)
        arrays["rating"][place[known]] = rating[known]

    def advance(self, state: State, pool: Pool) -> tuple[State, Replay]:
        """Go on from a state with the games of a pool, none before the state's last.

        New players join. The result is the same as that of one replay of all games;
        where a rating period spans both, the games of the second part count as a
        period of their own, so states are best kept at the end of a period.
        """
        if state.system != repr(self):
            raise UsageError(f"the state was made by {state.system}, not by {self!r}")
        self.check_state(state)
        if isinstance(pool, StoredPool):
            from yardstone.ratings.stored_replay import advance_stored

            return advance_stored(self, state, pool)
        until = never_back(state, pool)
        players, number = match_players(state.players, pool.players)
        arrays = {name: array.copy() for name, array in state.arrays.items()}
        if len(players) > len(state.players):
            fresh = self._beginners(players[len(state.players) :])
            arrays = {name: np.concatenate([arrays[name], fresh[name]]) for name in arrays}
        games = self._games(pool, number)
        predictions = self._play(arrays, games)
        after = State(state.system, players, arrays, state.games + len(pool), until)
        return after, self._replay_of(games.schedule, predictions, self.ratings(after))

    def check_state(self, state: State) -> None:
        """Raise an InputError if the arrays of a state are not those that this system keeps."""
        newcomer = self._newcomers(1)
        if state.arrays.keys() != newcomer.keys() or len(set(state.players)) < len(state.players):
            raise InputError("the state is damaged: it is not what this system keeps of players")
        for name, array in state.arrays.items():
            example = newcomer[name]
            if (
                array.dtype != example.dtype
                or array.shape != (len(state.players), *example.shape[1:])
                or not _plausible(array, example, positive=name in self._positive)
            ):
                raise InputError(f"the state is damaged: {name} is not a number for each player")

    def ratings(self, state: State) -> Ratings:
        """The ratings of a state; a player without games has the rating of a newcomer."""
        rating = np.array(state.arrays["rating"], np.float64)
        return Ratings(state.players, rating, self._deviation(state), self.scale)

    def _deviation(self, state: State) -> NDArray[np.float64]:
        """Deviations of a state in points; NaN for a system without any."""
        return np.full(len(state.players), np.nan)

    def expected_score(
        self, ratings: Ratings, first: str, second: str, *, advantage: float | None = None
    ) -> float:
        """Expected score of `first`, moving first, against `second`.

        Arguments as in `probability`. Raises InputError for an unknown name.
        """
        one, other = ratings[first], ratings[second]
        deviations = [0.0 if np.isnan(each.deviation) else each.deviation for each in (one, other)]
        return float(self.probability(one.value, other.value, *deviations, advantage=advantage))

    def resting_places(self, pool: Pool) -> NDArray[np.bool_]:
        """For 0, 1, … games of a pool in order of time: whether one may stop there and go on.

        Going on from there gives the ratings of a replay of all games; elsewhere games that
        are rated at once would be torn apart.
        """
        return resting_places(pool, self.period, event_column=self.event_column)

    def _schedule(self, pool: Pool) -> Schedule:
        """In which order the games of a pool are rated, and which at once."""
        return schedule(pool, self.period, event_column=self.event_column)

    def _games(self, pool: Pool, number: NDArray[np.int32] | None) -> Games:
        plan = self._schedule(pool)
        first, second = pool.first, pool.second
        if number is not None:
            first, second = number[first], number[second]
        rounds = Rounds(
            plan.take(first),
            plan.take(second),
            plan.take(pool.score),
            plan.take(self._ahead(pool)),
            plan.start,
            plan.actions,
        )
        return Games(rounds, plan, pool)

    def _ahead(self, pool: Pool) -> NDArray[np.float64]:
        """Rating points that `first` of each game is ahead of even: first move and handicap."""
        extra = None if self.handicap is None else self.handicap.advantage(pool)
        if extra is None:
            return np.full(len(pool), float(self.first_advantage))
        return extra + self.first_advantage

    @staticmethod
    def _replay_of(plan: Schedule, predictions: Predictions, ratings: Ratings) -> Replay:
        def back(column: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
            return None if column is None else plan.put_back(column)

        return Replay(
            plan.put_back(predictions.expected),
            plan.put_back(predictions.first_rating),
            plan.put_back(predictions.second_rating),
            ratings,
            back(predictions.first_deviation),
            back(predictions.second_deviation),
        )
