"""The formats that can be read: a name, endings and a function each."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from yardstone.errors import UsageError
from yardstone.pool import Pool
from yardstone.records.combine import join_pools
from yardstone.records.results import Side
from yardstone.records.sources import Source

__all__ = ["FORMATS", "Format", "Options", "format_of"]


@dataclass(frozen=True, slots=True)
class Options:
    """What a reader is asked for; see `yardstone.read`."""

    columns: Mapping[str, str] | Sequence[str] | None = None
    first: Side | None = None
    times: bool = False
    strict: bool = False
    progress: Callable[[int, int], object] | None = None


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


def _read_pgn(sources: Sequence[Source], options: Options) -> Pool:
    from yardstone.records.pgn import read_pgn

    columns = options.columns
    wanted = dict(columns) if isinstance(columns, Mapping) else {tag: tag for tag in columns or ()}
    return read_pgn(
        sources,
        columns=wanted,
        times=options.times,
        strict=options.strict,
        progress=options.progress,
    )


def _read_tables(kind: str, sources: Sequence[Source], options: Options) -> Pool:
    from yardstone.records.table_files import read_table

    pools = [
        read_table(
            source,
            kind,
            columns=options.columns,
            first=options.first or "white",
            strict=options.strict,
        )
        for source in sources
    ]
    return join_pools(pools)


FORMATS = {
    name: Format(name, endings, read)
    for name, endings, read in (
        ("pgn", (".pgn",), _read_pgn),
        ("csv", (".csv", ".tsv", ".tab"), partial(_read_tables, "csv")),
        ("parquet", (".parquet", ".pq"), partial(_read_tables, "parquet")),
        ("json", (".json", ".jsonl", ".ndjson"), partial(_read_tables, "json")),
        ("arrow", (".arrow", ".feather"), partial(_read_tables, "arrow")),
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
_TAG = re.compile(rb'\[\s*\w+\s+"')
_JSON = re.compile(rb'\s*(?:\[\s*)?\{\s*(?:"|\})')
_HEADER = re.compile(rb"[^\n\r\"\[]*[,;\t|][^\n\r\[]*[,;\t|]")


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
    if _TAG.search(text):
        return "pgn"
    return "csv" if _HEADER.match(text) else "pgn"
