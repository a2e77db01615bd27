"""What all systems share that rate games as they come.

A system is a frozen dataclass of parameters in a file of its own. It says how a new
player starts (`_newcomers`), how the games of a schedule are predicted and learned
from (`_play`), and what its numbers predict (`probability`); the rest is here: the
order of the games, the players of a pool and of a state, and the results.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.arrays import ArrayFile, Flags, Floats, Ints, Longs, StoredArrays, Times
from yardstone.choices import CheckedParameters, check_fields
from yardstone.disk import CodedTexts, column_on_disk, let_go, pieces, taken
from yardstone.errors import InputError, UsageError
from yardstone.pool import Pool, StoredPool
from yardstone.ratings.result import Ratings, Replay

if TYPE_CHECKING:
    from yardstone.ratings.egf import Handicap

Arrays = dict[str, NDArray[Any]]
Places = NDArray[np.integer[Any]]


class Rounds(NamedTuple):
    """The games in the order of rating, as loops take them.

    `first` and `second` are players' numbers in the state's arrays, `score` the points of `first`,
    `ahead` the rating points that it is ahead of even; `start` and `actions` as in `Schedule`.
    """

    first: Ints
    second: Ints
    score: Floats
    ahead: Floats
    start: Longs
    actions: Longs


class Record(NamedTuple):
    """What loops fill in: see `Predictions`.

    `before` has a rating of each player, or rating and deviation; `change` has a row a
    game (a single one if each game is a period), for what is learned later.
    """

    expected: Floats
    before: Floats
    change: Floats


_LARGEST = 1e9  #: No rating, deviation or day is as large.


class Place(NamedTuple):
    """Numbers of a game, of its row in `Record.change`, and of its rating period."""

    game: int
    slot: int
    period: int


@dataclass(frozen=True)
class Games:
    """The games of a pool in the order in which they are rated.

    `rounds` is what loops take; `schedule.take` puts further columns of `pool` in that order.
    """

    rounds: Rounds
    schedule: Schedule
    pool: Pool

    def __len__(self) -> int:
        return len(self.pool)

    def clock(self, idle_days: float | None) -> Floats:
        """Time of each batch in periods of the calendar, or of so many days; empty without."""
        plan = self.schedule
        if len(plan.number):
            return plan.number.astype(np.float64)
        if idle_days is None or self.pool.time is None:
            return np.zeros(0)
        days = self.schedule.take(self.pool.time).astype(np.int64) / 86_400.0 / idle_days
        return days[plan.start[:-1]] if len(plan.start) else days

    def record(self, *, deviations: bool = False) -> Record:
        """Room for what a loop fills in: with deviations, or with ratings only."""
        n, width = len(self), 4 if deviations else 2
        rows = n if len(self.schedule.start) else 1
        return Record(np.empty(n), np.empty((n, width)), np.empty((rows, width)))


@dataclass(frozen=True)
class Predictions:
    """What was predicted for each game, in the order of rating."""

    expected: Floats
    first_rating: Floats
    second_rating: Floats
    first_deviation: Floats | None = None
    second_deviation: Floats | None = None

    @classmethod
    def of(cls, record: Record, *, centre: float = 0.0, points: float = 1.0) -> Predictions:
        """What a loop recorded, on a scale with 0 at `centre` and units of `points`."""
        columns = record.before.T
        if len(columns) == 2:
            return cls(record.expected, columns[0], columns[1])
        one, own, other, others = columns
        first, second = centre + points * one, centre + points * other
        return cls(record.expected, first, second, points * own, points * others)


def match_players(
    players: tuple[str, ...], others: tuple[str, ...]
) -> tuple[tuple[str, ...], Ints | None]:
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


class Predictor(CheckedParameters, ABC):
    """What all systems share that replay games: limits of parameters, and predictions."""

    first_advantage: Any = 0.0

    #: Name of the scale of the ratings.
    scale = "elo"
    #: Parameters that are above 0, those that are not below it, and those that may be infinite.
    _above_zero: ClassVar[tuple[str, ...]] = ()
    _not_negative: ClassVar[tuple[str, ...]] = ()
    _infinite: ClassVar[tuple[str, ...]] = ()
    #: Expected score of one rating, so far ahead of another; the last is the sum of both variances.
    _chance: Callable[..., Floats]

    def __post_init__(self) -> None:
        check_fields(self, infinite=self._infinite)
        for name in ("period", *self._above_zero, *self._not_negative):
            value, above = getattr(self, name, None), name not in self._not_negative
            if isinstance(value, Real) and (value < 0 or (above and value == 0)):
                least = "above 0" if above else "0 or more"
                raise UsageError(f"{name} must be {least}, not {value}")

    @abstractmethod
    def start(self, players: Sequence[str] = ()) -> State:
        """The state before any game."""

    @abstractmethod
    def advance(self, state: State, pool: Pool) -> tuple[State, Replay]:
        """Go on from a state with the games of a pool, none before the state's last."""

    def replay(self, pool: Pool) -> Replay:
        """Predict each game, then learn from it, in order of time.

        Games of one time are taken in the order of the pool, a pool without times as
        it stands. Raises InputError if only some games have a time, or a column that
        the parameters ask for is missing.
        """
        return self.advance(self.start(pool.players), pool)[1]

    def _check_maker(self, state: State) -> None:
        if state.system != repr(self):
            raise UsageError(f"the state was made by {state.system}, not by {self!r}")

    def probability(
        self,
        first_rating: ArrayLike,
        second_rating: ArrayLike,
        first_deviation: ArrayLike = 0.0,
        second_deviation: ArrayLike = 0.0,
        *,
        advantage: ArrayLike | None = None,
        **more: ArrayLike,
    ) -> Floats:
        """Expected score of a player who moves first; shapes broadcast.

        Deviations matter only to the systems that have them. `advantage` are rating
        points for handicap and moving first (default: the system's `first_advantage`,
        0 where that is free). `more` is what else a system looks at: the ``length`` of a
        match (FIBS), the ``stones`` of a head start (OGS).
        """
        if advantage is None:
            advantage = 0.0 if isinstance(self.first_advantage, str) else self.first_advantage
        first, second, ahead = (
            np.asarray(each, np.float64) for each in (first_rating, second_rating, advantage)
        )
        variance = np.square(first_deviation) + np.square(second_deviation)
        return self._chance(first, second, ahead, variance, **more)

    def expected_score(
        self, ratings: Ratings, first: str, second: str, *, advantage: float | None = None
    ) -> float:
        """Expected score of `first`, moving first, against `second`.

        Arguments as in `probability`. Raises InputError for an unknown name.
        """
        one, other = ratings[first], ratings[second]
        deviations = [0.0 if np.isnan(each.deviation) else each.deviation for each in (one, other)]
        return float(self.probability(one.value, other.value, *deviations, advantage=advantage))


class Sequential(Predictor):
    """Base of the systems that rate games as they come.

    Every prediction is made before its game: predicting and learning happen in one
    pass, and there is no other.
    """

    period: Period = "game"
    event_column: str = "event"
    first_advantage: float = 0.0
    handicap: Handicap | None = None

    joins_all: ClassVar[bool] = False  #: Whether a game moves players whom no game joins with it.
    _positive: tuple[str, ...] = ()  #: What is kept of players and cannot be zero or less.

    @abstractmethod
    def _newcomers(self, number: int) -> Arrays:
        """Arrays of players without games; ``rating``, in points, unless `ratings` differs."""

    def _beginners(self, players: tuple[str, ...]) -> Arrays:
        """The same for players by name, for systems that know something of some."""
        return self._newcomers(len(players))

    @abstractmethod
    def _play(self, arrays: Arrays, games: Games) -> Predictions:
        """Predict all games and learn from them, changing `arrays` in place."""

    def remarks(self, pool: Pool) -> tuple[str, ...]:
        """What one should know of how the games of a pool are rated, in sentences."""
        return ()

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

    def _seed(self, arrays: Arrays, place: Places, rating: Floats, deviation: Floats) -> None:
        """Give the players at `place` a rating and, where there is one, a deviation."""
        known = ~np.isnan(rating)
        arrays["rating"][place[known]] = rating[known]

    def advance(self, state: State, pool: Pool) -> tuple[State, Replay]:
        """Go on from a state with the games of a pool, none before the state's last.

        New players join. The result is the same as that of one replay of all games;
        where a rating period spans both, the games of the second part count as a
        period of their own, so states are best kept at the end of a period.
        """
        self._check_maker(state)
        self.check_state(state)
        if isinstance(pool, StoredPool):
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
        known = {part.name: getattr(predictions, part.name) for part in fields(predictions)}
        columns: dict[str, Any] = {
            n: None if each is None else games.schedule.put_back(each) for n, each in known.items()
        }
        return after, Replay(ratings=self.ratings(after), **columns)

    def check_state(self, state: State) -> None:
        """Raise an InputError if the arrays of a state are not those that this system keeps."""
        newcomer = self._newcomers(1)
        if state.arrays.keys() != newcomer.keys() or len(set(state.players)) < len(state.players):
            raise InputError("the state is damaged: it is not what this system keeps of players")
        for name, array in state.arrays.items():
            example, size = newcomer[name], len(state.players)
            sound = (array.dtype, array.shape) == (example.dtype, (size, *example.shape[1:]))
            # What is not finite is what a newcomer has.
            known = array[~np.isin(array, example)] if sound else example[:0]
            if np.isnan(example).any():
                known = known[~np.isnan(known)]
            if (
                not sound
                or not (np.abs(known) < _LARGEST).all()
                or (name in self._positive and not (known > 0).all())
            ):
                raise InputError(f"the state is damaged: {name} is not a number for each player")

    def ratings(self, state: State) -> Ratings:
        """The ratings of a state; a player without games has the rating of a newcomer."""
        rating = np.array(state.arrays["rating"], np.float64)
        return Ratings(state.players, rating, self._deviation(state), self.scale)

    def _deviation(self, state: State) -> Floats:
        """Deviations of a state in points; NaN for a system without any."""
        return np.full(len(state.players), np.nan)

    def resting_places(self, pool: Pool) -> Flags:
        """For 0, 1, … games of a pool in order of time: whether one may stop there and go on.

        Going on from there gives the ratings of a replay of all games; elsewhere games that
        are rated at once would be torn apart. The end always is such a place.
        """
        games = len(pool)
        free = np.ones(games + 1, np.bool_)
        if self.period == "event" and games:
            event = np.unique(pool.columns[self.event_column], return_inverse=True)[1]
            closes = np.zeros(event.max() + 1, np.int64)
            np.maximum.at(closes, event, np.arange(games))
            free[1:] = np.maximum.accumulate(closes[event]) <= np.arange(games)
        elif self.period != "game" and games and pool.time is not None:
            number = calendar_number(pool.time, self.period)
            free[1:-1] = number[1:] != number[:-1]
        return free

    def _schedule(self, pool: Pool) -> Schedule:
        """In which order the games of a pool are rated, and which at once."""
        return schedule(pool, self.period, event_column=self.event_column)

    def _games(self, pool: Pool, number: Ints | None) -> Games:
        plan = self._schedule(pool)
        first, second = pool.first, pool.second
        if number is not None:
            first, second = number[first], number[second]
        ahead, score = plan.take(self._ahead(pool)), plan.take(pool.score)
        sides = plan.take(first), plan.take(second)
        return Games(Rounds(*sides, score, ahead, plan.start, plan.actions), plan, pool)

    def _ahead(self, pool: Pool) -> Floats:
        """Rating points that `first` of each game is ahead of even: first move and handicap."""
        extra = None if self.handicap is None else self.handicap.advantage(pool)
        if extra is None:
            return np.full(len(pool), float(self.first_advantage))
        return extra + self.first_advantage


Scalar = TypeVar("Scalar", bound=np.generic)


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
_MONDAY = 4  #: Weeks begin on Monday; 1 January 1970 was a Thursday.


def _no_batches() -> Longs:
    return np.zeros(0, np.int64)


@dataclass(frozen=True)
class Schedule:
    """The order in which games are rated."""

    order: Longs | None = None  #: Places in the pool, batch after batch; None if as there.
    #: Where each batch begins, and the end of the last; empty if every game is one.
    start: Longs = field(default_factory=_no_batches)
    #: Batches times two, plus 0 to predict and 1 to learn, in order of time; empty: at once.
    actions: Longs = field(default_factory=_no_batches)
    #: The number of each batch's period in the calendar; empty without one.
    number: Longs = field(default_factory=_no_batches)

    def take(self, column: NDArray[Scalar]) -> NDArray[Scalar]:
        """A column of the pool in the order of rating."""
        return column if self.order is None else column[self.order]

    def put_back(self, column: Floats) -> Floats:
        """A column in the order of rating, back in the order of the pool."""
        if self.order is None:
            return column
        result = np.empty_like(column)
        result[self.order] = column
        return result


def order_of_time(pool: Pool) -> Longs | None:
    """Places of the games by time, games of one time as in the pool; None if so already.

    InputError if only some games have a time; a pool without times is taken to be in order.
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
    """Order the games of a pool and cut them into periods; InputError for what is lacking."""
    order = order_of_time(pool)
    if period == "game":
        return Schedule(order)
    place = np.arange(len(pool)) if order is None else order
    if period == "event":  # predicted at an event's first game, learned from after its last
        if event_column not in pool.columns:
            raise InputError(f"the games have no column {event_column!r}")
        event = np.unique(pool.columns[event_column], return_inverse=True)[1][place]
        by_event = np.argsort(event, kind="stable")
        start = np.append(np.flatnonzero(np.diff(event[by_event], prepend=-1)), len(event))
        batches = np.arange(len(start) - 1)
        moment = np.concatenate([2 * by_event[start[:-1]], 2 * by_event[start[1:] - 1] + 1])
        actions = np.concatenate([2 * batches, 2 * batches + 1])[np.argsort(moment)]
        return Schedule(place[by_event], start, actions)
    if pool.time is None:
        raise InputError(f"rating periods ({period}) need the time of each game")
    number = calendar_number(pool.time[place], period)
    start = np.append(np.flatnonzero(np.diff(number, prepend=number[:1] - 1)), len(number))
    return Schedule(order, start, number=number[start[:-1]])


def calendar_number(time: Times, period: Period) -> Longs:
    """Number of the period in which each time falls."""
    if not isinstance(period, str):
        return np.floor_divide(time.astype(np.int64), round(period * SECONDS_PER_DAY))
    unit, length = _CALENDAR[period]
    count = time.astype(f"datetime64[{unit}]").astype(np.int64)
    return (count - _MONDAY) // length if period == "week" else count // length


_FILE = ArrayFile("saved state", format=1)
_NEVER = np.datetime64("NaT", "s")


@dataclass(frozen=True, eq=False, repr=False)
class State:
    """All that a system must remember to go on with later games; frozen."""

    system: str  #: The system with its parameters, in words, which alone can go on from it.
    players: tuple[str, ...]  #: Names, by number.
    #: What the system keeps, mostly one entry a player.
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    games: int = 0  #: How many games it has seen.
    until: np.datetime64 = _NEVER  #: Time of the last of them; NaT without games or times.

    def __post_init__(self) -> None:
        object.__setattr__(self, "arrays", MappingProxyType(dict(self.arrays)))

    def __repr__(self) -> str:
        return f"<State: {self.games} games of {len(self.players)} players under {self.system}>"

    def save(self, path: str | Path) -> None:
        """Write to a file (numpy's npz, compressed)."""
        kept: dict[str, Any] = {f"of_{name}": array for name, array in self.arrays.items()}
        kept |= {
            "system": np.array(self.system),
            "players": np.array("\0".join(self.players)),
            "number_of_players": np.array(len(self.players)),
            "games": np.array(self.games),
            "until": np.array(self.until, "datetime64[s]"),
        }
        _FILE.write(Path(path), kept)

    @classmethod
    def load(cls, path: str | Path) -> State:
        """Read what `save` wrote; InputError for any other file."""

        def made(kept: StoredArrays, _: object) -> State:
            number = int(kept["number_of_players"])
            players = tuple(str(kept["players"]).split("\0")) if number else ()
            if len(players) != number:
                raise ValueError("players")
            until: Any = kept["until"]
            games = kept["games"]
            whole = not games.shape and games.dtype.kind == "i"
            if until.dtype != "datetime64[s]" or until.shape or not whole:
                raise ValueError("until")
            arrays = {name[3:]: kept[name] for name in kept if name.startswith("of_")}
            return cls(str(kept["system"]), players, arrays, int(games), until[()])

        return _FILE.read(Path(path), made)


BATCH = 1 << 20  #: Games of a batch.


def advance_stored(system: Sequential, state: State, pool: StoredPool) -> tuple[State, Replay]:
    """Go on from a state with games on disk; what was predicted of them is on disk too.

    InputError for games before the state's last, or a rating period that does not fit in memory.
    """
    state, nothing = system.advance(state, pool.games(slice(0, 0)))
    number = None
    if state.players != pool.players:
        place = {name: row for row, name in enumerate(state.players)}
        number = np.array([place[name] for name in pool.players], np.int32)
    recorded = {name: column_on_disk(len(pool), np.float64) for name in nothing.columns()}
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
        def free(at: slice) -> Flags:
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


def _between_events(pool: StoredPool, name: str) -> Callable[[slice], Flags]:
    """Tells where among some games, before which no event is going on, none is."""
    if name not in pool.columns:
        raise InputError(f"the games have no column {name!r}")
    column = pool.columns[name]
    last: dict[Any, int] = {}
    for at in pieces(len(pool)):
        events, place = np.unique(_labels(column, at)[::-1], return_index=True)
        last |= dict(zip(events.tolist(), (at.stop - 1 - place).tolist(), strict=True))

    def free(at: slice) -> Flags:
        events, place = np.unique(_labels(column, at), return_inverse=True)
        closes = np.array([last[event] for event in events.tolist()], np.int64)[place]
        ended = np.maximum.accumulate(closes) <= np.arange(at.start, at.stop)
        return np.append(True, ended)

    return free


def _labels(values: Any, at: slice) -> NDArray[Any]:
    """Numbers that tell the events of some games apart."""
    return np.asarray(taken(values.code if isinstance(values, CodedTexts) else values, at))
