"""Games of files and databases that are larger than memory.

`game_stream` gives them piece by piece: tables (CSV, Parquet, JSON, databases, queries) go
through DuckDB, one file after another and beyond its limit through a temporary folder; of
other formats a file is read at a time. `stored_games` keeps of each game the numbers of its
players, score and time (some 20 bytes) in temporary files, and puts games that came out of
order in order of time, by pieces that fit in memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

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
from yardstone.pool import Pool, SkipReport
from yardstone.records.databases import queried_rows
from yardstone.records.dates import DateOrder
from yardstone.records.formats import FORMATS, Options
from yardstone.records.names import GrowingNames
from yardstone.records.options import check_group, warn_skipped
from yardstone.records.reading import sources_by_format
from yardstone.records.results import Side
from yardstone.records.unplayed import without_byes, without_repeats
from yardstone.records.where import Where, require_wanted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.records.sources import Source


__all__ = [
    "GameBatch",
    "GameStream",
    "game_stream",
    "BatchReader",
    "StoredPool",
    "in_batches",
    "stored_games",
    "dated_columns",
    "distributed",
    "sorted_columns",
    "time_rises",
    "ColumnWriter",
]


StrPath = str | os.PathLike[str]
#: Games of a batch.
ROWS = 1_000_000


@dataclass(frozen=True, eq=False)
class GameBatch:
    """Some games of a stream; frozen.

    Attributes
    ----------
    first, second : int32 arrays, one entry a game
        Numbers of the players in the stream.
    score : float64 array
        Points of `first`: 1, 0.5 or 0.
    time : datetime64[s] array or None
        When each game was played; NaT where unknown.
    columns : mapping of str to arrays
        Further columns, as in `Pool`.
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    score: NDArray[np.float64]
    time: NDArray[np.datetime64] | None = None
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.score)

    def select(self, keep: Any) -> GameBatch:
        """The games where `keep` is true, or of its places."""
        return GameBatch(
            self.first[keep],
            self.second[keep],
            self.score[keep],
            None if self.time is None else self.time[keep],
            {name: column[keep] for name, column in self.columns.items()},
        )


class GameStream:
    """Games in batches, in the order of the files; to be gone through once.

    Attributes
    ----------
    players : list of str
        All names so far, numbered in order of first appearance, as in `yardstone.read`.
    games : int
        Games given so far.
    skipped : SkipReport
        What was left out; complete when all games have been given.
    ordered : bool
        Whether who stands first moved first in all games so far, as in `Pool`.
    """

    def __init__(
        self, pieces: Callable[[SkipReport], Iterator[Pool]], players: GrowingNames, rows: int
    ) -> None:
        self.skipped = SkipReport()
        self.games = 0
        self.ordered = True
        self._pieces = pieces(self.skipped)
        self._table = players
        self._rows = rows

    @property
    def players(self) -> list[str]:
        """All names so far."""
        return self._table.names

    def __iter__(self) -> Iterator[GameBatch]:
        read = 0
        for pool in self._pieces:
            read += len(pool)
            self.ordered &= pool.ordered
            numbers = self._table.numbers(pool.players)
            for start in range(0, len(pool), self._rows):
                batch = self._batch(pool, numbers, slice(start, start + self._rows))
                self.games += len(batch)
                yield batch
        require_wanted(self.skipped, read)
        self._table.warn_unknown()
        warn_skipped(self.skipped)

    def _batch(self, pool: Pool, numbers: NDArray[np.int32], rows: slice) -> GameBatch:
        first, second = numbers[pool.first[rows]], numbers[pool.second[rows]]
        keep: Any = self._table.wanted(first, second)
        keep = slice(None) if keep is None else keep
        return GameBatch(
            first[keep],
            second[keep],
            pool.score[rows][keep],
            None if pool.time is None else pool.time[rows][keep],
            {name: column[rows][keep] for name, column in pool.columns.items()},
        )


def game_stream(
    *paths: StrPath | Source,
    query: str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | Sequence[str] | None = None,
    first: Side | None = None,
    times: bool = False,
    dates: DateOrder | None = None,
    levels: bool = False,
    synonyms: StrPath | None = None,
    include: StrPath | None = None,
    exclude: StrPath | None = None,
    results: Mapping[str, object] | str | None = None,
    strict: bool = False,
    skip_unread: bool = False,
    where: str | None = None,
    progress: Callable[[int, int], object] | None = None,
    rows: int = ROWS,
    memory: int | None = None,
) -> GameStream:
    """Read games piece by piece, whatever their number.

    Parameters
    ----------
    *paths : str or path
        As in `yardstone.read`; with `query` a database at most.
    query : str, optional
        Read the rows that this query gives, as `yardstone.query` does.
    format, columns, first, times, dates, levels, synonyms, include, exclude
        As in `yardstone.read`.
    results, strict, skip_unread, where
        As in `yardstone.read`.
    progress : callable, optional
        Called with the bytes of the files read so far and of all files.
    rows : int
        Most games of a batch.
    memory : int, optional
        Bytes that tables may take while they are read; what is more lies in a temporary folder.

    Raises
    ------
    InputError, NoGamesError, StrictError
        As `yardstone.read`; on the way, when the file in question is reached.

    Warns
    -----
    SkippedWarning, IgnoredWarning
        At the end, as `yardstone.read`.

    Examples
    --------
    >>> from yardstone.examples import example
    >>> stream = game_stream(example("league.csv"), rows=50)
    >>> [len(batch) for batch in stream]
    [50, 50, 12]
    """
    options = Options(
        columns=columns,
        first=first,
        times=times,
        dates=dates,
        levels=levels,
        strict=strict,
        skip_unread=skip_unread,
        results=results,
        where=None if where is None else Where(where),
        memory=memory,
        once=True,
    )
    players = GrowingNames(synonyms, include, exclude)
    if query is not None:
        base = None if not paths else str(paths[0])
        return GameStream(
            lambda report: _queried(query, base, options, rows, report), players, rows
        )
    groups, beside = sources_by_format(paths, format, strict=strict)
    return GameStream(
        lambda report: _read(groups, options, rows, report, beside, progress), players, rows
    )


def _queried(
    sql: str, database: str | None, options: Options, rows: int, report: SkipReport
) -> Iterator[Pool]:
    with queried_rows(sql, database, options) as games:
        yield from games.pieces(rows)
        report.merge(games.skipped)


def _read(
    groups: Sequence[tuple[str, Sequence[Source]]],
    options: Options,
    rows: int,
    report: SkipReport,
    beside: SkipReport,
    progress: Callable[[int, int], object] | None,
) -> Iterator[Pool]:
    """The games of all files, one after another; the report grows."""
    whole = sum(source.size for _, sources in groups for source in sources)
    done = 0
    for name, sources in groups:
        skipped, games = SkipReport(), 0
        for source in sources:
            size = source.size
            if (opened := FORMATS[name].rows) is not None:
                with opened(source, options) as table:
                    games += table.games
                    if table.games <= rows:
                        pool = without_repeats(table.pool())
                        yield pool
                        skipped.merge(pool.skipped)
                    else:
                        yield from table.pieces(rows)
                        skipped.merge(table.skipped)
            else:
                pool = without_byes(FORMATS[name].read([source], options), strict=options.strict)
                games += len(pool)
                yield pool
                skipped.merge(pool.skipped)
            done += size
            if progress is not None:
                progress(done, whole)
        check_group(sources, skipped, games, skip_unread=options.skip_unread)
        report.merge(skipped)
    report.merge(beside)


#: What a game takes while its batch is rated or measured, in bytes.
_HELD = 400


class BatchReader(Protocol):
    """Gives games batch by batch in the order of their files; all else is known at the end.

    `yardstone.records.streaming.GameStream` is one.
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

    Attributes
    ----------
    most : int
        So many games may be held in memory at once.
    alone, undated : int
        Games of a player against himself and games without a date, which were left out.
    """

    most: int = 1 << 23
    alone: int = 0
    undated: int = 0

    def __post_init__(self) -> None:
        """Nothing is copied and looked through here: `stored_games` made it."""

    def games(self, at: slice) -> Pool:
        """Some of the games, in memory."""
        return Pool(
            self.players,
            taken(self.first, at),
            taken(self.second, at),
            taken(self.score, at).astype(np.float64),
            None if self.time is None else taken(self.time, at),
            {name: taken(column, at) for name, column in self.columns.items()},
            ordered=self.ordered,
        )

    def until(self, games: int) -> StoredPool:
        """The first games, still on disk."""
        at = slice(0, games)
        return replace(
            self,
            first=self.first[at],
            second=self.second[at],
            score=self.score[at],
            time=None if self.time is None else self.time[at],
            columns={name: column_part(column, at) for name, column in self.columns.items()},
        )

    def select(self, keep: NDArray[np.bool_] | NDArray[np.integer[Any]]) -> Pool:
        """Games by their numbers or by a mask, in memory."""
        return Pool(
            self.players,
            rows_of(self.first, keep),
            rows_of(self.second, keep),
            rows_of(self.score, keep),
            None if self.time is None else rows_of(self.time, keep),
            {name: rows_of(column, keep) for name, column in self.columns.items()},
            ordered=self.ordered,
        )

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

    Parameters
    ----------
    reader : BatchReader
        Gives the games as they are read.
    memory : int
        Bytes that the games of one rating period, which are rated at once, may take.
    """
    writer = ColumnWriter()
    for batch in reader:
        writer.add(batch)
    columns = writer.columns()
    undated = writer.undated
    if undated == writer.games:
        columns.pop("time")
    elif undated:
        columns = dated_columns(columns, writer.games - undated)
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


def dated_columns(columns: Mapping[str, Any], games: int) -> dict[str, Any]:
    """The columns without the games whose time is unknown."""
    kept = {name: _room(column, games) for name, column in columns.items()}
    end = 0
    for at in pieces(len(columns["time"])):
        known = ~np.isnat(taken(columns["time"], at))
        begin, end = end, end + int(known.sum())
        for name, column in columns.items():
            _plain(kept[name])[begin:end] = taken(_plain(column), at)[known]
            let_go(_plain(kept[name]))
    return kept


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
        kinds = {"first": np.int32, "second": np.int32, "score": np.float32}
        self._fixed = {name: Growing(kind) for name, kind in kinds.items()}
        self._time = Growing("datetime64[s]")
        self._further: dict[str, _Further] = {}

    def add(self, batch: GameBatch | Pool) -> None:
        """Write the games of a batch, without those of a player against himself."""
        known = np.asarray(batch.first != batch.second)
        number = int(known.sum())
        every = number == len(known)
        self.alone += len(known) - number

        def kept(column: NDArray[Any]) -> NDArray[Any]:
            return column if every else column[known]

        for name, column in self._fixed.items():
            column.add(kept(getattr(batch, name)))
        time = np.full(len(known), np.datetime64("NaT", "s")) if batch.time is None else batch.time
        self.timed |= batch.time is not None
        time = kept(time)
        self.undated += int(np.isnat(time).sum())
        self._time.add(time)
        for name in {**self._further, **dict.fromkeys(batch.columns)}:
            if name not in self._further:
                self._further[name] = _Further(self.games)
            values = batch.columns.get(name)
            self._further[name].add(None if values is None else kept(values), number)
        self.games += number

    def columns(self) -> dict[str, Any]:
        """All columns, to be read; further ones by ``of NAME``."""
        columns = {name: column.column() for name, column in self._fixed.items()}
        columns["time"] = self._time.column()
        return columns | {f"of {name}": each.column() for name, each in self._further.items()}


class _Further:
    """A further column that is being written: numbers, times, or texts by their numbers."""

    def __init__(self, games: int) -> None:
        self._missing = games
        self._texts: dict[str, int] | None = None
        self._growing: Growing | None = None

    def add(self, values: NDArray[Any] | None, number: int) -> None:
        """Write further entries; None where the games say nothing."""
        if values is None:
            if self._growing is None:
                self._missing += number
                return
            values = self._nothing(number)
        if self._growing is None:
            plain = values.dtype.kind in "iufbmM"
            self._texts = None if plain else {}
            kind = values.dtype if plain else np.dtype(np.int32)
            if plain and self._missing and kind.kind in "iufb":
                kind = np.dtype(np.float64)
            self._growing = Growing(kind)
            for at in pieces(self._missing):
                self._write(self._nothing(at.stop - at.start))
        self._adapt(values)
        self._write(values)

    def column(self) -> Any:
        """What was written, to be read."""
        assert self._growing is not None
        values = self._growing.column()
        if self._texts is None:
            return values
        return CodedTexts(values, np.array(list(self._texts), np.dtypes.StringDType()))

    def _nothing(self, number: int) -> NDArray[Any]:
        assert self._growing is not None
        if self._texts is not None:
            return np.full(number, "", np.dtypes.StringDType())
        return np.full(number, np.nan if self._growing.dtype.kind in "iufb" else "NaT")

    def _adapt(self, values: NDArray[Any]) -> None:
        """Make of what was written what both it and further values are."""
        assert self._growing is not None
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
        assert self._growing is not None
        if self._texts is None:
            self._growing.add(values)
            return
        texts, place = np.unique(values.astype(np.dtypes.StringDType()), return_inverse=True)
        number = [self._texts.setdefault(str(text), len(self._texts)) for text in texts]
        self._growing.add(np.array(number, np.int32)[place])
