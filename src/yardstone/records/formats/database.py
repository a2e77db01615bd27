"""Databases of DuckDB and SQLite with one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from yardstone.records.formats.format import FileFormat, Sign
from yardstone.records.options import Options

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.records.sources import Source


def _shows(head: bytes) -> bool:
    return head.startswith(b"SQLite format 3\0") or head[8:12] == b"DUCK"


def _read(sources: Sequence[Source], options: Options) -> Pool:
    from yardstone.records.databases import read_database
    from yardstone.records.joining import join_pools

    return join_pools([read_database(source, options) for source in sources])


FORMAT = FileFormat(
    "database", (".db", ".sqlite", ".sqlite3", ".duckdb"), (Sign(0, _shows),), _read
)
