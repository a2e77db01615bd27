"""A rating system with all its games, kept so that changes replay only what they must.

A server adds games every day, annuls one, finds that two accounts are one person. The ledger keeps
the state of the system at some points on the way (checkpoints). After a change it goes on from the
last checkpoint before the first game that differs, and from there it replays only games that the
change can reach: those of players joined, by games from the checkpoint on, with a player of a
changed game (all from there on, in a system that looks at the mean of its players). Everybody
else's ratings and predictions stay as they were. What comes out is the same as if all games had
been replayed: to the last bit, but for the rounding of such a mean.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from yardstone.arrays import ArrayFile, Flags, Floats, Ints, Longs, StoredArrays, Times
from yardstone.errors import InputError, UsageError
from yardstone.evaluation.backtest import outcome_table
from yardstone.evaluation.rated_games import RatedGames
from yardstone.evaluation.splits import in_time_order
from yardstone.pool import Pool, StoredPool
from yardstone.ratings.result import Ratings, Replay, check_order
from yardstone.ratings.sequential import Predictions, Sequential, State, match_players
from yardstone.ratings.systems import find_system
from yardstone.records.joining import join_pools

CHECKPOINTS = 16  #: About so many checkpoints are kept; never more than twice as many.
#: What is kept of the prediction of each game.
REPLAYED = tuple(part.name for part in fields(Predictions))


@dataclass(frozen=True, eq=False, repr=False)
class Ledger(RatedGames):
    """A system, all games it has rated, and where it stood on the way; frozen.

    Every prediction in `replay` was made before its game.
    """

    #: Number of games, and the state after them; the first after none, the last after all.
    checkpoints: tuple[tuple[int, State], ...] = ()

    @property
    def state(self) -> State:
        """Where the system stands after all games."""
        return self.checkpoints[-1][1]

    @classmethod
    def begin(cls, name: str, pool: Pool, **parameters: Any) -> Ledger:
        """Rate all games of a pool, in any order: each with a time, or none with one."""
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

    def annul(self, games: Flags) -> Ledger:
        """The ledger without some games (true for those to go)."""
        if len(games) != len(self.pool):
            raise UsageError(f"there are {len(self.pool)} games, not {len(games)}")
        return self._revised(self.pool.select(~games), np.flatnonzero(~games))

    def merge(self, kept: str, other: str) -> Ledger:
        """The ledger with all games of `other` given to `kept`.

        As long as only one of them had played, nothing is replayed.

        Raises `InputError`: one of them is unknown, or they have played each other.
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

    def _revised(self, pool: Pool, origin: Longs) -> Ledger:
        """The ledger with other games, whose `origin` is their place among its own (-1: new)."""
        system, games = self.system, len(pool)
        changed = changed_games(self.pool, pool, origin)
        gone = np.ones(len(self.pool), np.bool_)
        gone[origin[origin >= 0]] = False
        removed = np.flatnonzero(gone)
        first_change = int(np.append(np.flatnonzero(changed), removed).min(initial=games))
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
        while len(kept) > 2 * CHECKPOINTS + 2:
            kept = [kept[0], *kept[1:-1][::2], kept[-1]]
        return replace(
            self,
            pool=pool,
            replay=_replay(predictions, system.ratings(kept[-1][1])),
            checkpoints=tuple(kept),
            replayed=int(again.sum()),
        )

    def _carried(self, origin: Longs) -> dict[str, Floats]:
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

        def exchanged(kept: Any) -> Any:
            return replace(kept, players=tuple(swap.get(name, name) for name in kept.players))

        points = tuple((at, exchanged(state)) for at, state in self.checkpoints)
        return replace(self, pool=exchanged(self.pool), checkpoints=points)

    def _without(self, player: str) -> Ledger:
        """The ledger without a player who has no games."""

        def left(kept: Any) -> Any:
            return replace(kept, players=tuple(name for name in kept.players if name != player))

        gone = self.pool.players.index(player)
        first = self.pool.first - (self.pool.first > gone)
        second = self.pool.second - (self.pool.second > gone)
        pool = replace(self.pool, first=first, second=second)
        points = []
        for at, state in self.checkpoints:
            keep = np.array([name != player for name in state.players], np.bool_)
            arrays = {name: column[keep] for name, column in state.arrays.items()}
            points.append((at, left(replace(state, arrays=arrays))))
        return replace(
            self,
            pool=left(pool),
            replay=replace(self.replay, ratings=self.system.ratings(points[-1][1])),
            checkpoints=tuple(points),
        )


def make_system(name: str, parameters: Mapping[str, Any]) -> Sequential:
    """The system of that name; `UsageError` if it does not rate games as they come."""
    system = find_system(name).make(**parameters)
    if not isinstance(system, Sequential):
        raise UsageError(f"{name} rates all games at once, so there is no state to go on from")
    return system


def _until(pool: Pool, games: int) -> np.datetime64:
    if pool.time is None or not games:
        return np.datetime64("NaT", "s")
    return np.datetime64(pool.time[games - 1], "s")


def _replay(columns: dict[str, Floats], ratings: Ratings) -> Replay:
    known = not np.isnan(columns["first_deviation"]).any()
    kept = {n: each for n, each in columns.items() if known or not n.endswith("deviation")}
    return Replay(ratings=ratings, **kept)


HISTORY_FILE = ArrayFile("saved history", format=1, text="about", compressed=False)
_NEVER = np.datetime64("NaT", "s")


def _prefixed(prefix: str, columns: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{prefix}{name}": column for name, column in columns.items()}


def _under(prefix: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that `_prefixed` has put into a file."""
    return {n.removeprefix(prefix): each for n, each in arrays.items() if n.startswith(prefix)}


def save_ledger(ledger: Ledger, path: Path) -> None:
    """Write a ledger to a file, whatever it is called."""
    pool = ledger.pool
    plain = {name: each for name, each in pool.columns.items() if each.dtype.kind in "biufmM"}
    arrays: dict[str, Any] = {name: getattr(pool, name) for name in ("first", "second", "score")}
    if pool.time is not None:
        arrays["time"] = pool.time
    arrays |= _prefixed("column ", plain) | _prefixed("replay ", ledger.replay.columns())
    number = {name: row for row, name in enumerate(pool.players)}
    for place, (_, state) in enumerate(ledger.checkpoints):
        rows = [number[name] for name in state.players]
        arrays[f"checkpoint {place} players"] = np.array(rows, np.int32)
        arrays |= _prefixed(f"checkpoint {place} of ", state.arrays)
    about = {
        "name": ledger.name,
        "parameters": dict(ledger.parameters),
        "system": repr(ledger.system),
        "players": list(pool.players),
        "texts": {n: list(map(str, each)) for n, each in pool.columns.items() if n not in plain},
        "ordered": pool.ordered,
        "checkpoints": [at for at, _ in ledger.checkpoints],
    }
    HISTORY_FILE.write(path, arrays, about)


def load_ledger(path: Path) -> Ledger:
    """Read what `save_ledger` wrote.

    Raises:
        InputError: No such file, something else, or its system has changed since: rate the games
            anew.
    """
    return HISTORY_FILE.read(path, lambda arrays, about: ledger_of(arrays, about, str(path)))


def ledger_of(stored: StoredArrays, about: dict[str, Any], path: str) -> Ledger:
    """The ledger that a file's arrays and text describe."""
    arrays, players = dict(stored), tuple(about["players"])
    columns = _under("column ", arrays)
    columns |= {n: np.array(each, np.dtypes.StringDType()) for n, each in about["texts"].items()}
    games = (arrays["first"], arrays["second"], arrays["score"], arrays.get("time"))
    pool = Pool(players, *games, columns, ordered=about.get("ordered", True))
    places = about["checkpoints"]
    if places != sorted(places) or places[0] != 0 or places[-1] != len(pool):
        raise ValueError("checkpoints")
    points = []
    for place, at in enumerate(places):
        rows = arrays[f"checkpoint {place} players"]
        if rows.min(initial=0) < 0:
            raise ValueError("players")
        names = tuple(players[row] for row in rows)
        kept = _under(f"checkpoint {place} of ", arrays)
        points.append((at, State(about["system"], names, kept, at, _until(pool, at))))
    system = _system_of(about, path)
    for _, state in points:
        system.check_state(state)
    columns = _under("replay ", arrays)
    known = {n: columns[n] for n in REPLAYED if n in columns or not n.endswith("deviation")}
    for name, values in known.items():
        if values.shape != (len(pool),) or np.isinf(values).any():
            raise ValueError(name)
    replay = Replay(ratings=system.ratings(points[-1][1]), **known)
    return Ledger(about["name"], about["parameters"], pool, replay, 0, tuple(points))


#: What the text of a file without games says.
_RATINGS = "ratings"
_OPENING = ("first", "second", "score", "time", "expected")


def save_kept(kept: KeptRatings, path: Path) -> None:
    """Write ratings without their games to a file, whatever it is called."""
    opening = kept.opening
    arrays = _prefixed("of ", kept.state.arrays)
    arrays |= {"played": kept.played, "outcomes": kept.outcomes}
    if kept.last_game is not None:
        arrays["last game"] = kept.last_game
    columns = (opening.first, opening.second, opening.score, opening.time, kept.opening_expected)
    first_games = zip(_OPENING, columns, strict=True)
    arrays |= {f"opening {name}": each for name, each in first_games if each is not None}
    about = {
        "kept": _RATINGS,
        "name": kept.name,
        "parameters": dict(kept.parameters),
        "system": kept.state.system,
        "players": list(kept.state.players),
        "games": kept.state.games,
        "until": str(kept.state.until),
        "began": str(kept.began),
        "ordered": opening.ordered,
    }
    HISTORY_FILE.write(path, arrays, about)


def load_state(path: Path) -> Ledger | KeptRatings:
    """Read what `yardstone history --save` wrote; errors as of `load_ledger`."""

    def read(arrays: StoredArrays, about: dict[str, Any]) -> Ledger | KeptRatings:
        made = _kept if about.get("kept") == _RATINGS else ledger_of
        return made(arrays, about, str(path))

    return HISTORY_FILE.read(path, read)


def _kept(stored: StoredArrays, about: dict[str, Any], path: str) -> KeptRatings:
    arrays = dict(stored)
    system = _system_of(about, path)
    players = tuple(str(name) for name in about["players"])
    columns = _under("of ", arrays)
    number = (len(players),)
    played, outcomes, last = arrays["played"], arrays["outcomes"], arrays.get("last game")
    _check(played, np.int64, number, least=0)
    _check(outcomes, np.float64, outcome_table((), ()).shape, least=0.0)
    if last is not None:
        _check(last, "datetime64[s]", number)
    first, second, score = (arrays[f"opening {name}"] for name in _OPENING[:3])
    time, expected = arrays.get("opening time"), arrays["opening expected"]
    _check(expected, np.float64, first.shape, least=0.0)
    opening = Pool(players, first, second, score, time, ordered=bool(about["ordered"]))
    until, began = (np.datetime64(about[name], "s") for name in ("until", "began"))
    state = State(about["system"], players, columns, int(about["games"]), until)
    system.check_state(state)
    return KeptRatings(
        about["name"], about["parameters"], state, played, last, began, opening, expected, outcomes
    )


def _system_of(about: dict[str, Any], path: str) -> Sequential:
    """The system that a file names; InputError if its rules have changed since."""
    system = make_system(about["name"], about["parameters"])
    if repr(system) != about["system"]:
        raise InputError(
            f"it was saved under other rules of {about['name']}",
            file=path,
            hint="rate the games again",
        )
    return system


def _check(array: Any, dtype: Any, shape: tuple[int, ...], *, least: float | None = None) -> None:
    """ValueError for an array that is not of that kind and size, or below the least."""
    if array.dtype != np.dtype(dtype) or array.shape != shape:
        raise ValueError("array")
    if least is not None and not ((array >= least) & np.isfinite(array)).all():
        raise ValueError("numbers")


OPENING = 20_000  #: So many of the first games are kept.


@dataclass(frozen=True, eq=False, repr=False)
class KeptRatings:
    """All that is kept of ratings whose games are not; frozen.

    `played` and `last_game` are of each player, `began` is the time of the first game of all,
    `opening` are the first games with what was expected of them, `outcomes` as in `RatedGames`.
    """

    name: str
    parameters: Mapping[str, Any]
    state: State
    played: Longs
    last_game: Times | None
    began: np.datetime64
    opening: Pool
    opening_expected: Floats
    outcomes: Floats

    def __repr__(self) -> str:
        return (
            f"<KeptRatings: {self.state.games} games of {len(self.state.players)} players "
            f"under {self.name}>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class CarriedRatings(RatedGames):
    """The games rated last, and where the ratings stand; what came `before` is not there."""

    state: State = field(default_factory=lambda: State("", ()))
    before: KeptRatings | None = None

    @classmethod
    def begin(cls, name: str, pool: Pool, **parameters: Any) -> CarriedRatings:
        """Rate games, in order of time, by a system that rates them as they come."""
        system = make_system(name, parameters)
        check_order(system, pool)
        state, replay = system.advance(system.start(pool.players), pool)
        return cls(name, parameters, pool, replay, len(pool), state)

    @classmethod
    def go_on(cls, before: KeptRatings, pool: Pool) -> CarriedRatings:
        """Rate further games, none of them before the last.

        InputError for earlier games, or if only the old or only the new ones have times.
        """
        system = make_system(before.name, before.parameters)
        check_order(system, pool)
        games = before.state.games
        if len(pool) and games and (pool.time is None) != (before.last_game is None):
            raise InputError("the games before and the new ones must all have times, or none")
        names, number = match_players(before.state.players, pool.players)
        if number is not None and isinstance(pool, StoredPool):
            pool = pool.renumbered(names, number)
        elif number is not None:
            first, second = number[pool.first], number[pool.second]
            pool = replace(pool, players=names, first=first, second=second)
        state, replay = system.advance(before.state, pool)
        return cls(before.name, before.parameters, pool, replay, len(pool), state, before)

    @property
    def number(self) -> int:
        """Number of all games, those before included."""
        return self.state.games

    @cached_property
    def played(self) -> Longs:
        """Games of each player, those before included."""
        played = self.pool.played()
        if self.before is not None:
            played[: len(self.before.played)] += self.before.played
        return played

    @cached_property
    def last_game(self) -> Times | None:
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
    def outcomes(self) -> Floats:
        """Results by predictions: of the later half of the first games, and of all since."""
        if self.before is None:
            return super().outcomes
        return self.before.outcomes + outcome_table(self.pool.score, self.replay.expected)

    def opening(self, games: int) -> tuple[Pool, Floats]:
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


def changed_games(old: Pool, new: Pool, origin: Longs) -> Flags:
    """Games of `new` that are new, or not what they were in `old`.

    `origin` is each game's place in `old`; -1 for a new one.
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
            one, other = old.columns[name][before], column[rows]
            differ |= (one != other) & ((one == one) | (other == other))  # NaN is what it was
    changed[rows] = differ
    return changed


def _places(old: tuple[str, ...], new: tuple[str, ...]) -> Ints:
    """Numbers of the old players among the new ones; those who are gone come after."""
    number = match_players(new, old)[1]
    return np.arange(len(old), dtype=np.int32) if number is None else number


def reached_players(old: Pool, new: Pool, base: int, changed: Flags, removed: Longs) -> Flags:
    """Players of `new` whom a change can reach, through games from place `base` on.

    Games of both pools are links: whoever is not reached has the same games in both.
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
    players = match_players(under.players, over.players)[0]
    place = _places(over.players, under.players)
    source = (place >= len(under.players)) | np.array(
        [name in names for name in over.players], np.bool_
    )
    target = place[source]
    arrays = {}
    for name, column in over.arrays.items():
        grown = np.empty((len(players), *column.shape[1:]), column.dtype)
        grown[: len(under.players)] = under.arrays[name]
        grown[target] = column[source]
        arrays[name] = grown
    return replace(over, players=players, arrays=arrays)
