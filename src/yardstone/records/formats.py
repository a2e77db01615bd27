"""The formats that can be read: a name, endings and a function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from yardstone.choices import no_such
from yardstone.errors import UsageError
from yardstone.pool import Pool
from yardstone.records.combine import join_pools, without_empty_columns
from yardstone.records.dates import DateOrder
from yardstone.records.levels import PGN_LEVELS
from yardstone.records.results import Side
from yardstone.records.sniffing import content_of
from yardstone.records.sources import Source
from yardstone.records.tags import PGN, further_columns, require_columns
from yardstone.records.unread import check_unread

__all__ = ["FORMATS", "Format", "Options", "format_of", "read_format"]


@dataclass(frozen=True, slots=True)
class Options:
    """What a reader is asked for; see `yardstone.read`."""

    columns: Mapping[str, str] | Sequence[str] | None = None
    first: Side | None = None
    times: bool = False
    dates: DateOrder | None = None
    levels: bool = False
    strict: bool = False
    skip_unread: bool = False
    results: Mapping[str, object] | str | None = None
    progress: Callable[[int, int], object] | None = None
    everything: bool = False

    @property
    def asked_time(self) -> bool:
        """Whether the caller named the column of times."""
        return isinstance(self.columns, Mapping) and "time" in self.columns


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file.

    Attributes
    ----------
    name : str
        What the user calls it.
    endings : tuple of str
        Endings of files in it, without those of compression.
    read : callable
        From sources and options to a pool.
    """

    name: str
    endings: tuple[str, ...]
    read: Callable[[Sequence[Source], Options], Pool]


#: Columns made of PGN tags where all are wanted.
_PGN_TAGS = {
    "event": "Event",
    "site": "Site",
    "round": "Round",
    "white_elo": "WhiteElo",
    "black_elo": "BlackElo",
    "white_title": "WhiteTitle",
    "black_title": "BlackTitle",
    "eco": "ECO",
    "opening": "Opening",
    "time_control": "TimeControl",
    "termination": "Termination",
    "plies": "PlyCount",
}


def _read_pgn(sources: Sequence[Source], options: Options) -> Pool:
    from yardstone.records.pgn import LINE, read_pgn

    wanted = further_columns(options.columns, PGN, options.first)
    levels = PGN_LEVELS if options.levels else {}
    pool = read_pgn(
        sources,
        columns=_PGN_TAGS if options.everything else {**levels, **wanted},
        times=options.times or options.asked_time,
        strict=options.strict,
        progress=options.progress,
    )
    if options.everything:
        return without_empty_columns(pool)
    require_columns(pool, wanted, sources, PGN, others=(LINE,))
    return without_empty_columns(pool, levels)


def _read_sgf(sources: Sequence[Source], options: Options) -> Pool:
    from yardstone.records.sgf import read_sgf

    return read_sgf(sources, options)


def _read_mat(sources: Sequence[Source], options: Options) -> Pool:
    from yardstone.records.mat import read_mat

    return read_mat(sources, options)


def _read_tables(kind: str, sources: Sequence[Source], options: Options) -> Pool:
    from yardstone.records.table_files import read_table
    from yardstone.records.table_results import Meaning

    meaning = Meaning(
        "all" if options.everything else options.columns,
        options.first,
        options.results,
        options.strict,
        options.skip_unread,
        options.dates,
        options.times,
        options.levels,
    )
    return join_pools([read_table(source, kind, meaning) for source in sources])


def _read_elsewhere(module: str, kind: str, sources: Sequence[Source], options: Options) -> Pool:
    """Read with ``read_pool`` of a module that builds on this package."""
    pool: Pool = import_module(module).read_pool(kind, sources, options)
    return pool


_read_tournament = partial(_read_elsewhere, "yardstone.tournament.pools")

FORMATS = {
    name: Format(name, endings, read)
    for name, endings, read in (
        ("pgn", (".pgn",), _read_pgn),
        ("sgf", (".sgf",), _read_sgf),
        ("mat", (".mat",), _read_mat),
        ("csv", (".csv", ".tsv", ".tab"), partial(_read_tables, "csv")),
        ("parquet", (".parquet", ".pq"), partial(_read_tables, "parquet")),
        ("json", (".json", ".jsonl", ".ndjson"), partial(_read_tables, "json")),
        ("arrow", (".arrow", ".feather"), partial(_read_tables, "arrow")),
        ("opengotha", (".xml",), partial(_read_tournament, "opengotha")),
        ("h9", (".h9",), partial(_read_tournament, "h9")),
        ("trf", (".trf", ".trfx"), partial(_read_tournament, "trf")),
        ("database", (".db", ".sqlite", ".sqlite3", ".duckdb"), partial(_read_tables, "database")),
    )
}
_BY_ENDING = {ending: format for format in FORMATS.values() for ending in format.endings}
#: Bytes at the beginning of a file that are looked at.
_HEAD = 4096


def read_format(name: str, sources: Sequence[Source], options: Options) -> Pool:
    """The games of sources of one format.

    Raises
    ------
    InputError
        If too much of them cannot be read, unless that was allowed.
    """
    pool = FORMATS[name].read(sources, options)
    file = sources[0].name if len(sources) == 1 else f"{len(sources):,} files"
    check_unread(pool.skipped, len(pool), file=file, skip_unread=options.skip_unread)
    return pool


def format_of(source: Source, name: str | None = None) -> Format:
    """The format of a source: the one named, what its first bytes say, or that of its ending."""
    if name is not None:
        if name not in FORMATS:
            raise UsageError(no_such("format", name, FORMATS))
        return FORMATS[name]
    by_ending = _BY_ENDING.get(source.ending)
    # Going back in an archive can mean reading all of it again.
    if by_ending is not None and source.member is not None:
        return by_ending
    with source.open() as stream:
        head = stream.peek(_HEAD)
        if source.path is None:
            source.keep(stream)
    known = None if by_ending is None else by_ending.name
    return FORMATS[content_of(head, known) or known or "pgn"]
