"""The formats that can be read: a name, endings and a function each."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from yardstone.errors import UsageError
from yardstone.pool import Pool
from yardstone.records.combine import join_pools, without_empty_columns
from yardstone.records.results import Side
from yardstone.records.sources import Source
from yardstone.records.unread import check_unread

__all__ = ["FORMATS", "Format", "Options", "format_of", "read_format"]


@dataclass(frozen=True, slots=True)
class Options:
    """What a reader is asked for; see `yardstone.read`."""

    columns: Mapping[str, str] | Sequence[str] | None = None
    first: Side | None = None
    times: bool = False
    strict: bool = False
    skip_unread: bool = False
    results: Mapping[str, object] | str | None = None
    progress: Callable[[int, int], object] | None = None
    everything: bool = False


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
    from yardstone.records.pgn import read_pgn

    columns = options.columns
    wanted = dict(columns) if isinstance(columns, Mapping) else {tag: tag for tag in columns or ()}
    pool = read_pgn(
        sources,
        columns=_PGN_TAGS if options.everything else wanted,
        times=options.times,
        strict=options.strict,
        progress=options.progress,
    )
    return without_empty_columns(pool) if options.everything else pool


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
_MAGIC = (
    (0, b"PAR1", "parquet"),
    (0, b"ARROW1", "arrow"),
    (0, b"FEA1", "arrow"),
    (0, b"SQLite format 3\0", "database"),
    (8, b"DUCK", "database"),
)
_MAT = re.compile(rb"^[ \t]*\d{1,5}[ \t]*point[ \t]+match\b", re.IGNORECASE | re.MULTILINE)
_SGF = re.compile(rb"\(\s*;\s*[A-Za-z]{1,12}\s*\[")
_TAG = re.compile(rb'\[\s*\w+\s+"')
_JSON = re.compile(rb'\s*(?:\[\s*)?\{\s*(?:"|\})')
_XML = re.compile(rb"(?:<\?xml|<!--|<!DOCTYPE\s+Tournament|<Tournament)\b")
_TRF = re.compile(rb"(?:012|022|042|001|###)[ \r\n]")
_H9 = re.compile(rb";[ \t]*[A-Z]{2}\[")
_HEADER = re.compile(rb"[^\n\r\"\[]*[,;\t|][^\n\r\[]*[,;\t|]")


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
    """The format of a source: the one named, that of its ending, or what its bytes say."""
    if name is not None:
        if name not in FORMATS:
            raise UsageError(f"there is no format {name!r}, only {', '.join(FORMATS)}")
        return FORMATS[name]
    if source.ending in _BY_ENDING:
        return _BY_ENDING[source.ending]
    with source.open() as stream:
        head = stream.peek(4096)
        if source.path is None:
            source.keep(stream)
    return FORMATS[_sniff(head)]


def _sniff(head: bytes) -> str:
    for place, magic, name in _MAGIC:
        if head[place:].startswith(magic):
            return name
    text = head.replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf").lstrip()
    if _JSON.match(text):
        return "json"
    for pattern, name in ((_XML, "opengotha"), (_TRF, "trf"), (_H9, "h9")):
        if pattern.match(text):
            return name
    if _SGF.match(text):
        return "sgf"
    if _MAT.search(text):
        return "mat"
    if _TAG.search(text):
        return "pgn"
    return "csv" if _HEADER.match(text) else "pgn"
