"""The one table of games: who played whom, who moved first, and the score.

Everything that reads games makes a `Pool`, everything that rates takes one. What is larger than
memory is a `StoredPool`: `stored_games` keeps of each game the numbers of its players, score and
time (some 20 bytes) in temporary files, and puts games that came out of order in order of time,
by pieces that fit in memory.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.arrays import equal_fields
from yardstone.disk import (
    CodedTexts,
    Growing,
    column_on_disk,
    column_part,
    let_go,
    pieces,
    rows_of,
    taken,
)
from yardstone.errors import InputError, StrictError, shown

#: Details of at most so many skipped records are kept; all are counted.
MAX_SKIPPED_DETAILS = 1000
#: From so many pairs on their counts are kept as small integers, and never copied.
MANY_PAIRS = 1 << 22


@dataclass(frozen=True, slots=True)
class Skipped:
    """One record that was left out, and why."""

    file: str  #: Where it stands.
    line: int  #: The line at which the record begins or goes wrong, from 1; 0 if unknown.
    reason: str  #: What is wrong with it.

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", shown(self.reason))

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.reason}"


class SkipReport:
    """Counts of all skipped records, with the details of the first ones.

    A hostile file can hold millions of bad records, so only the first
    `MAX_SKIPPED_DETAILS` are kept one by one. `repaired` counts what was put right in
    records that were used, `known` (by kind) the records left out although they were
    understood, such as unfinished games, and `values` the results that were not;
    `remarks` are sentences on how records were understood. A condition (``where``) left
    `unwanted` games out of `considered`. `doubts` are sentences on where the condition, or what
    was made of the records, may be amiss; commands say them on standard error.
    """

    def __init__(self, skipped: Iterable[Skipped] = ()) -> None:
        self.total = 0
        self.reasons: Counter[str] = Counter()
        self.repaired: Counter[str] = Counter()
        self.known: Counter[str] = Counter()
        self.values: Counter[str] = Counter()
        self.details: list[Skipped] = []
        self.remarks: list[str] = []
        self.considered = 0
        self.unwanted = 0
        self.doubts: list[str] = []
        for record in skipped:
            self.add(record)

    @property
    def unread(self) -> int:
        """Number of records that were left out because they are not understood."""
        return self.total - self.known.total()

    def add(
        self, record: Skipped, *, kind: str | None = None, known: bool = False, strict: bool = False
    ) -> None:
        """Count one record under `kind` (default: its reason); raise StrictError if `strict`."""
        if strict:
            raise StrictError(record.reason, file=record.file, line=record.line or None)
        self.add_uncounted(kind or record.reason, 1, known=known)
        if len(self.details) < MAX_SKIPPED_DETAILS:
            self.details.append(record)

    def add_uncounted(self, kind: str, number: int, *, known: bool = False) -> None:
        """Count `number` further records of a kind whose details are not kept."""
        self.total += number
        self.reasons[kind] += number
        if known:
            self.known[kind] += number

    def remark(self, sentence: str) -> None:
        """Note how records were understood, once."""
        if sentence not in self.remarks:
            self.remarks.append(sentence)

    def doubt(self, sentence: str) -> None:
        """Note where a condition, or the reading, may be amiss, once."""
        if sentence not in self.doubts:
            self.doubts.append(sentence)

    def merge(self, other: SkipReport) -> None:
        """Add all that another report holds."""
        self.total += other.total
        self.reasons.update(other.reasons)
        self.repaired.update(other.repaired)
        self.known.update(other.known)
        self.values.update(other.values)
        for sentence in other.remarks:
            self.remark(sentence)
        self.considered += other.considered
        self.unwanted += other.unwanted
        for sentence in other.doubts:
            self.doubt(sentence)
        self.details.extend(other.details[: MAX_SKIPPED_DETAILS - len(self.details)])

    def __len__(self) -> int:
        return self.total

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if isinstance(other, SkipReport) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<SkipReport: {self.total} records, {len(self.reasons)} reasons>"


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Results added up for each ordered pair of players, sorted by (first, second).

    The sufficient statistics of every joint fit: `wins`, `draws` and `losses`
    are counted for the player who moved first. All five arrays have one entry a
    pair that met with those sides. Of very many pairs the counts are small integers
    (see `yardstone.ratings.bradley_terry`); `blocks` gives them as ever. With `terms` a pair
    has an entry for each row of these that its games have (see `yardstone.ratings.effects`).
    """

    players: int
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    wins: NDArray[np.float64]
    draws: NDArray[np.float64]
    losses: NDArray[np.float64]
    terms: NDArray[np.float64] | None = None  #: (entries, effects)

    @property
    def games(self) -> NDArray[np.float64]:
        """Number of games of each pair."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> NDArray[np.float64]:
        """Points of the player who moved first, for each pair."""
        return self.wins + 0.5 * self.draws

    def shift(self, sizes: Any) -> NDArray[np.float64]:
        """Sum of the terms of each entry, each times a size; empty without terms."""
        return np.zeros(0) if self.terms is None else np.asarray(self.terms @ sizes, np.float64)

    def total(self) -> int:
        """Number of all games."""
        return sum(int(column.sum()) for column in (self.wins, self.draws, self.losses))

    def blocks(self, size: int = 1 << 20) -> Iterator[PairCounts]:
        """The same, so many pairs at a time, with counts as floating-point numbers.

        What is summed over pairs block by block needs no more memory for more pairs.
        """
        for start in range(0, len(self.first), size):
            part = slice(start, start + size)
            columns = (self.wins[part], self.draws[part], self.losses[part])
            wins, draws, losses = (column.astype(np.float64, copy=False) for column in columns)
            yield replace(
                self,
                first=self.first[part],
                second=self.second[part],
                wins=wins,
                draws=draws,
                losses=losses,
                terms=None if self.terms is None else self.terms[part],
            )

    def select(self, keep: NDArray[np.bool_]) -> PairCounts:
        """Only the pairs where `keep` is true; players keep their numbers."""
        if keep.all():
            return self
        return replace(
            self,
            first=self.first[keep],
            second=self.second[keep],
            wins=self.wins[keep],
            draws=self.draws[keep],
            losses=self.losses[keep],
            terms=None if self.terms is None else self.terms[keep],
        )

    def emptied(self, keep: NDArray[np.bool_]) -> PairCounts:
        """All pairs, those where `keep` is false without games.

        As good as `select` where pairs without games count for nothing; of very many pairs
        the players' numbers need not be copied.
        """
        if keep.all():
            return self
        columns = (self.wins, self.draws, self.losses)
        wins, draws, losses = (np.where(keep, c, c.dtype.type(0)) for c in columns)
        return replace(self, wins=wins, draws=draws, losses=losses)

    def player_totals(self) -> NDArray[np.float64]:
        """Wins, draws and losses of each player over both sides: shape (players, 3)."""
        n = self.players
        totals = np.zeros((n, 3))
        for part in self.blocks():
            columns = (part.wins, part.draws, part.losses)
            for place, (one, other) in enumerate(zip(columns, reversed(columns), strict=True)):
                totals[:, place] += np.bincount(part.first, one, n)
                totals[:, place] += np.bincount(part.second, other, n)
        return totals


def _frozen(values: ArrayLike, dtype: Any = None) -> NDArray[Any]:
    array = np.ascontiguousarray(values, dtype=dtype).view()
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False, repr=False)
class Pool:
    """Games between players; frozen.

    Raises:
        InputError: From the constructor, if lengths differ, a number is out of range or a score is
            none of 1, 0.5 and 0.
    """

    players: tuple[str, ...]  #: Names; a player's number is the place in this tuple.
    #: `first`, `second`: numbers of the player who moved first (White in chess, Black in Go) and of
    #: the other.
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    score: NDArray[np.float64]  #: Points of `first`: 1, 0.5 or 0.
    #: [s]: when each game was played; NaT where unknown.
    time: NDArray[np.datetime64] | None = None
    #: Further columns, one entry a game (handicap, komi, event, round, ...).
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    #: The records that were left out when the pool was read.
    skipped: SkipReport = field(default_factory=SkipReport)
    #: Whether `first` did move first. False where nobody knows, as in a table of winners and
    #: losers: no advantage of moving first can then be estimated.
    ordered: bool = True

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "players", tuple(self.players))
        put(self, "first", _frozen(self.first, np.int32))
        put(self, "second", _frozen(self.second, np.int32))
        put(self, "score", _frozen(self.score, np.float64))
        if self.time is not None:
            put(self, "time", _frozen(self.time, "datetime64[s]"))
        put(self, "columns", MappingProxyType({k: _frozen(v) for k, v in self.columns.items()}))
        games = len(self.score)
        others = {"first": self.first, "second": self.second, **self.columns}
        if self.time is not None:
            others["time"] = self.time
        for name, column in others.items():
            if column.ndim != 1 or len(column) != games:
                raise InputError(
                    f"column {name!r} has shape {column.shape}, the scores have ({games},)"
                )
        if games == 0:
            return
        for name in ("first", "second"):
            column = others[name]
            if column.min() < 0 or column.max() >= len(self.players):
                raise InputError(
                    f"column {name!r} has a player's number outside 0 to {len(self.players) - 1}"
                )
        if not np.isin(self.score, (0.0, 0.5, 1.0)).all():
            raise InputError("scores must be 1, 0.5 or 0")

    @classmethod
    def from_names(
        cls,
        first: Sequence[str],
        second: Sequence[str],
        score: ArrayLike,
        *,
        time: NDArray[np.datetime64] | None = None,
        columns: Mapping[str, ArrayLike] | None = None,
    ) -> Pool:
        """A pool from names in place of numbers; players in order of appearance.

        Names that differ only in how accents are encoded are one (NFC).

        Examples:
            >>> Pool.from_names(["Ann", "Bob"], ["Bob", "Ann"], [1, 0.5])
            <Pool: 2 games of 2 players>
        """
        number: dict[str, int] = {}
        ids = np.empty((len(first), 2), np.int32)
        for row, pair in enumerate(zip(first, second, strict=True)):
            names = (unicodedata.normalize("NFC", name) for name in pair)
            ids[row] = [number.setdefault(name, len(number)) for name in names]
        extra = {name: np.asarray(values) for name, values in (columns or {}).items()}
        return cls(tuple(number), ids[:, 0], ids[:, 1], np.asarray(score, np.float64), time, extra)

    def __len__(self) -> int:
        return len(self.score)

    def __eq__(self, other: object) -> bool:
        return equal_fields(self, other) if isinstance(other, Pool) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        left_out = f", {len(self.skipped)} records skipped" if len(self.skipped) else ""
        return f"<Pool: {len(self)} games of {len(self.players)} players{left_out}>"

    def select(self, keep: NDArray[np.bool_] | NDArray[np.integer[Any]]) -> Pool:
        """The games where `keep` is true, or those of its numbers; players keep theirs."""
        return replace(self, **mapped(self, lambda column: column[keep]))

    def played(self) -> NDArray[np.int64]:
        """Number of games of each player."""
        n = len(self.players)
        return np.bincount(self.first, minlength=n) + np.bincount(self.second, minlength=n)

    def pair_counts(self) -> PairCounts:
        """The results added up for each ordered pair of players."""
        from yardstone._pairs import count_pairs

        n = len(self.players)
        return PairCounts(n, *count_pairs(self.first, self.second, self.score, n))


@dataclass(frozen=True, eq=False)
class GameBatch:
    """Some games of a stream, with the columns of a `Pool`; frozen."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    score: NDArray[np.float64]
    time: NDArray[np.datetime64] | None = None
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.score)

    def select(self, keep: Any) -> GameBatch:
        """The games where `keep` is true, or of its places."""
        return GameBatch(**mapped(self, lambda column: column[keep]))


def mapped(games: Pool | GameBatch, change: Callable[[Any], Any]) -> dict[str, Any]:
    """The columns of some games, each changed by a function, as both classes take them."""
    return {
        "first": change(games.first),
        "second": change(games.second),
        "score": change(games.score),
        "time": None if games.time is None else change(games.time),
        "columns": {name: change(column) for name, column in games.columns.items()},
    }


def without_players(pool: Pool, absent: NDArray[np.bool_]) -> Pool:
    """The pool without the players, who have no games, that are marked."""
    number = np.cumsum(~absent) - 1
    players = tuple(np.array(pool.players, object)[~absent].tolist())
    return replace(pool, players=players, first=number[pool.first], second=number[pool.second])


#: What a game takes while its batch is rated or measured, in bytes.
_HELD = 400


class BatchReader(Protocol):
    """Gives games batch by batch in the order of their files; all else is known at the end.

    A stream of games is one (`yardstone.records.streaming`).
    """

    def __iter__(self) -> Iterator[GameBatch | Pool]: ...

    @property
    def players(self) -> Sequence[str]:
        """Names by number."""

    @property
    def skipped(self) -> SkipReport:
        """What was left out."""

    @property
    def ordered(self) -> bool:
        """As in `Pool`."""


@dataclass(frozen=True, eq=False, repr=False)
class StoredPool(Pool):
    """A pool whose columns lie on disk; its games are in order of time.

    `select` and `games` give ordinary pools in memory.
    """

    most: int = 1 << 23  #: so many games may be held in memory at once
    alone: int = 0  #: games of a player against himself, which were left out
    undated: int = 0  #: games without a date, left out as well

    def __post_init__(self) -> None:
        """Nothing is copied and looked through here: `stored_games` made it."""

    def games(self, at: slice) -> Pool:
        """Some of the games, in memory."""
        return self._pool(lambda column: taken(column, at))

    def until(self, games: int) -> StoredPool:
        """The first games, still on disk."""
        return replace(self, **mapped(self, lambda column: column_part(column, slice(0, games))))

    def select(self, keep: NDArray[np.bool_] | NDArray[np.integer[Any]]) -> Pool:
        """Games by their numbers or by a mask, in memory."""
        return self._pool(lambda column: rows_of(column, keep))

    def _pool(self, change: Callable[[Any], Any]) -> Pool:
        return Pool(self.players, **mapped(self, change), ordered=self.ordered)

    def renumbered(self, players: tuple[str, ...], number: NDArray[np.int32]) -> StoredPool:
        """The same games with other numbers of their players: `number` of each old one."""
        sides: dict[str, Any] = {
            side: column_on_disk(len(self), np.int32) for side in ("first", "second")
        }
        for at in pieces(len(self)):
            for name, column in sides.items():
                column[at] = number[taken(getattr(self, name), at)]
                let_go(column)
        return replace(self, players=players, **sides)

    def played(self) -> NDArray[np.int64]:
        """Number of games of each player."""
        played = np.zeros(len(self.players), np.int64)
        for at in pieces(len(self)):
            for side in (self.first, self.second):
                played += np.bincount(taken(side, at), minlength=len(played))
        return played


def in_batches(pool: Pool) -> Iterator[Pool]:
    """The games in memory: all of them, or of a pool on disk batch by batch."""
    if isinstance(pool, StoredPool):
        yield from (pool.games(at) for at in pieces(len(pool)))
    else:
        yield pool


def stored_games(reader: BatchReader, *, memory: int = 1 << 31) -> StoredPool:
    """Keep games on disk, in order of time; games of equal time stay in the order given.

    `memory` is how many bytes the games of one rating period, which are rated at once, may take.
    """
    writer = ColumnWriter()
    for batch in reader:
        writer.add(batch)
    columns = writer.columns()
    undated = writer.undated
    if undated == writer.games:
        columns.pop("time")
    elif undated:
        time, dated = columns["time"], slice(0, writer.games - undated)
        parted, _ = distributed(columns, lambda at: np.isnat(taken(time, at)).astype(np.int64), 2)
        columns = {name: column_part(column, dated) for name, column in parted.items()}
    if "time" in columns and not time_rises(columns["time"]):
        columns = sorted_columns(columns)
    skipped = SkipReport()
    skipped.merge(reader.skipped)
    fixed = {name: columns.pop(name, None) for name in ("first", "second", "score", "time")}
    return StoredPool(
        tuple(reader.players),
        **fixed,
        columns={name.removeprefix("of "): column for name, column in columns.items()},
        skipped=skipped,
        ordered=reader.ordered,
        most=max(memory // _HELD, 1),
        alone=writer.alone,
        undated=undated if writer.timed else 0,
    )


#: Games that are sorted together; a sample of so many times a part says where parts are cut.
_PART, _SAMPLED = 1 << 20, 64


def _plain(column: Any) -> Any:
    """The numbers of a column."""
    return column.code if isinstance(column, CodedTexts) else column


def _room(column: Any, games: int) -> Any:
    """A column of the same kind for so many games."""
    room = column_on_disk(games, _plain(column).dtype)
    return CodedTexts(room, column.texts) if isinstance(column, CodedTexts) else room


def time_rises(time: NDArray[np.datetime64]) -> bool:
    """Whether no game is earlier than the one before it."""
    last = time[:1]
    for at in pieces(len(time)):
        here = np.concatenate([last, taken(time, at)])
        if (here[1:] < here[:-1]).any():
            return False
        last = here[-1:]
    return True


def sorted_columns(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns in order of time, equal times in the order given."""
    time = _plain(columns["time"])
    edges = _edges(time)
    part_of = partial(_part_of, time, edges)
    result, end = distributed(columns, part_of, len(edges) + 1)
    size = np.diff(end, prepend=0)
    for number in np.flatnonzero(size > 1):
        if 0 < number < len(edges) and edges[number] - edges[number - 1] == 1:
            continue  # games of one moment stand as they came
        _sort_part(result, slice(int(end[number] - size[number]), int(end[number])))
    return result


def distributed(
    columns: Mapping[str, Any], part_of: Callable[[slice], NDArray[np.integer]], parts: int
) -> tuple[dict[str, Any], NDArray[np.int64]]:
    """The columns with the games of each part together, and where each part ends.

    `part_of` gives the parts of some games; within a part the games stand as they came.
    """
    games = len(next(iter(columns.values())))
    result = {name: _room(column, games) for name, column in columns.items()}
    size = np.zeros(parts, np.int64)
    for at in pieces(games, _PART):
        size += np.bincount(part_of(at), minlength=parts)
    end = np.cumsum(size)
    cursor = end - size
    for at in pieces(games, _PART):
        part = part_of(at)
        order = np.argsort(part, kind="stable")
        here = np.bincount(part, minlength=len(size))
        stop = np.cumsum(here)
        for name, column in columns.items():
            values, target = taken(_plain(column), at)[order], _plain(result[name])
            for number in np.flatnonzero(here):
                begin = cursor[number]
                target[begin : begin + here[number]] = values[
                    stop[number] - here[number] : stop[number]
                ]
            let_go(target)
        cursor += here
    return result, end


def _edges(time: NDArray[np.datetime64]) -> NDArray[np.int64]:
    """Moments that cut games in parts of about `_PART`, frequent moments by themselves."""
    number = -(-len(time) // _PART)
    sample = np.sort(np.array(time[:: max(len(time) // (_SAMPLED * number), 1)]).astype(np.int64))
    let_go(time)
    cuts = sample[_SAMPLED::_SAMPLED] if number > 1 else sample[:0]
    return np.unique(np.concatenate([cuts, cuts + 1]))


def _part_of(
    time: NDArray[np.datetime64], edges: NDArray[np.int64], at: slice
) -> NDArray[np.integer]:
    part = np.searchsorted(edges, taken(time, at).astype(np.int64), side="right")
    return np.asarray(part, np.int16 if len(edges) < 1 << 15 else np.int32)


def _sort_part(columns: Mapping[str, Any], at: slice) -> None:
    """Sort some of the games, in place."""
    if at.stop - at.start > 4 * _PART:  # the sample was unlucky
        part = {name: column_part(column, at) for name, column in columns.items()}
        for name, column in sorted_columns(part).items():
            for here in pieces(len(column)):
                _plain(part[name])[here] = taken(_plain(column), here)
        return
    time = taken(_plain(columns["time"]), at)
    order = np.argsort(time, kind="stable")
    for column in columns.values():
        values = _plain(column)
        values[at] = taken(values, at)[order]
        let_go(values)


class ColumnWriter:
    """Writes batches of games to columns on disk."""

    def __init__(self) -> None:
        self.games = self.alone = self.undated = 0
        self.timed = False
        kinds = {"first": "i4", "second": "i4", "score": "f4", "time": "datetime64[s]"}
        self._fixed = {name: Growing(kind) for name, kind in kinds.items()}
        self._further: dict[str, _Further] = {}

    def add(self, batch: GameBatch | Pool) -> None:
        """Write the games of a batch, without those of a player against himself."""
        known = np.asarray(batch.first != batch.second)
        number = int(known.sum())
        every = number == len(known)
        self.alone += len(known) - number

        def kept(column: NDArray[Any]) -> NDArray[Any]:
            return column if every else column[known]

        time = np.full(len(known), np.datetime64("NaT", "s")) if batch.time is None else batch.time
        for name, column in self._fixed.items():
            column.add(kept(time if name == "time" else getattr(batch, name)))
        self.timed |= batch.time is not None
        self.undated += int(np.isnat(kept(time)).sum())
        for name in {**self._further, **dict.fromkeys(batch.columns)}:
            values = batch.columns.get(name)
            if name not in self._further:
                self._further[name] = _Further(self.games, batch.columns[name].dtype)
            self._further[name].add(None if values is None else kept(values), number)
        self.games += number

    def columns(self) -> dict[str, Any]:
        """All columns, to be read; further ones by ``of NAME``."""
        columns = {name: column.column() for name, column in self._fixed.items()}
        return columns | {f"of {name}": each.column() for name, each in self._further.items()}


class _Further:
    """A further column that is being written: numbers, times, or texts by their numbers."""

    def __init__(self, missing: int, kind: np.dtype[Any]) -> None:
        """Begin behind so many games that say nothing, with values of a kind."""
        plain = kind.kind in "iufbmM"
        self._texts: dict[str, int] | None = None if plain else {}
        if missing and kind.kind in "iufb":
            kind = np.dtype(np.float64)
        self._growing = Growing(kind if plain else np.int32)
        for at in pieces(missing):
            self._write(self._nothing(at.stop - at.start))

    def add(self, values: NDArray[Any] | None, number: int) -> None:
        """Write further entries; None where the games say nothing."""
        values = self._nothing(number) if values is None else values
        self._adapt(values)
        self._write(values)

    def column(self) -> Any:
        """What was written, to be read."""
        values = self._growing.column()
        if self._texts is None:
            return values
        return CodedTexts(values, np.array(list(self._texts), np.dtypes.StringDType()))

    def _nothing(self, number: int) -> NDArray[Any]:
        if self._texts is not None:
            return np.full(number, "", np.dtypes.StringDType())
        return np.full(number, np.nan if self._growing.dtype.kind in "iufb" else "NaT")

    def _adapt(self, values: NDArray[Any]) -> None:
        """Make of what was written what both it and further values are."""
        if self._texts is not None or values.dtype == self._growing.dtype:
            return
        numbers = values.dtype.kind in "iufb" and self._growing.dtype.kind in "iufb"
        kind = np.result_type(self._growing.dtype, values.dtype) if numbers else None
        if kind is not None and kind == self._growing.dtype:
            return
        before = self._growing.column()
        self._growing = Growing(np.int32 if kind is None else kind)
        self._texts = {} if kind is None else None
        for at in pieces(len(before)):
            self._write(taken(before, at))

    def _write(self, values: NDArray[Any]) -> None:
        if self._texts is None:
            self._growing.add(values)
            return
        texts, place = np.unique(values.astype(np.dtypes.StringDType()), return_inverse=True)
        number = [self._texts.setdefault(str(text), len(self._texts)) for text in texts]
        self._growing.add(np.array(number, np.int32)[place])
