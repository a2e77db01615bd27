"""Games of files and databases that are larger than memory.

`game_stream` gives them piece by piece: tables (CSV, Parquet, JSON, databases, queries) go
through DuckDB, one file after another and beyond its limit through a temporary folder; of
other formats a file is read at a time. `yardstone.pool.stored_games` keeps them on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from yardstone.parallel import Track
from yardstone.pool import GameBatch, Pool, SkipReport, mapped
from yardstone.records.databases import queried_rows
from yardstone.records.formats import FORMATS, FileFormat
from yardstone.records.names import GrowingNames, read_names
from yardstone.records.options import Options, check_group, require_wanted, warn_skipped
from yardstone.records.reading import sources_by_format
from yardstone.records.unplayed import without_byes, without_repeats
from yardstone.records.where import Where

if TYPE_CHECKING:
    from yardstone.records.sources import Source, StrPath

#: Games of a batch.
ROWS = 1_000_000


class GameStream:
    """Games in batches, in the order of the files; to be gone through once.

    So far `games` were given, with `players` numbered as in `yardstone.read`, `ordered` as in
    `Pool`; `skipped`, what was left out, is complete when all games have been given.
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
                rows = slice(start, start + self._rows)
                batch = GameBatch(**mapped(pool, itemgetter(rows)))
                batch = replace(batch, first=numbers[batch.first], second=numbers[batch.second])
                keep = self._table.wanted(batch.first, batch.second)
                batch = batch if keep is None else batch.select(keep)
                self.games += len(batch)
                yield batch
        require_wanted(self.skipped, read)
        self._table.warn_unknown()
        warn_skipped(self.skipped)


def game_stream(
    *paths: StrPath | Source,
    query: str | None = None,
    format: str | None = None,
    synonyms: StrPath | None = None,
    include: StrPath | None = None,
    exclude: StrPath | None = None,
    where: str | None = None,
    rows: int = ROWS,
    memory: int | None = None,
    **meanings: Any,
) -> GameStream:
    """Read games piece by piece, whatever their number.

    Args:
        *paths: As in `yardstone.read`; with `query` a database at most.
        query: Read the rows that this query gives, as `yardstone.query` does.
        format, synonyms, include, exclude, where: As in `yardstone.read`.
        rows: Most games of a batch.
        memory: Bytes that tables may take while they are read; what is more lies in a temporary
            folder.
        **meanings: `columns`, `first`, `times`, `dates`, `levels`, `results`, `strict` and
            `skip_unread`, as in `yardstone.read`.

    Raises:
        InputError, NoGamesError, StrictError: As `yardstone.read`; on the way, when the file in
            question is reached.

    Warns:
        SkippedWarning, IgnoredWarning: At the end, as `yardstone.read`.

    Examples:
        >>> from yardstone.examples import example
        >>> stream = game_stream(example("league.csv"), rows=50)
        >>> [len(batch) for batch in stream]
        [50, 50, 12]
    """
    wanted = None if where is None else Where(where)
    options = Options(**meanings, where=wanted, memory=memory)
    players = GrowingNames(*read_names(synonyms, include, exclude))
    if query is not None:
        base = str(paths[0]) if paths else None
        return GameStream(partial(_queried, query, base, options, rows), players, rows)
    groups, beside = sources_by_format(paths, format, strict=options.strict)
    return GameStream(partial(_read, groups, options, rows, beside), players, rows)


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
    beside: SkipReport,
    report: SkipReport,
) -> Iterator[Pool]:
    """The games of all files, one after another; the report grows."""
    track = Track("reading", sum(source.size for _, sources in groups for source in sources))
    done = 0
    for name, sources in groups:
        skipped, games = SkipReport(), 0
        for source in sources:
            size = source.size
            for pool in _pools(FORMATS[name], source, options, rows, skipped, track):
                games += len(pool)
                yield pool
            done += size
            track(done)
        check_group(sources, skipped, games, skip_unread=options.skip_unread)
        report.merge(skipped)
    report.merge(beside)


def _pools(
    format: FileFormat,
    source: Source,
    options: Options,
    rows: int,
    skipped: SkipReport,
    track: Track,
) -> Iterator[Pool]:
    """The games of one file: by pieces from a table that has more than `rows`."""
    if format.rows is None:
        with track:
            pool = without_byes(format.read([source], options), strict=options.strict)
    else:
        with format.rows(source, options) as table:
            if table.games > rows:
                yield from table.pieces(rows)
                skipped.merge(table.skipped)
                return
            pool = without_repeats(table.pool())
    yield pool
    skipped.merge(pool.skipped)
