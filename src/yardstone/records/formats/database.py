"""Databases of DuckDB and SQLite with one table."""

from __future__ import annotations

from yardstone.records.formats.format import FileFormat, Sign, reader


def _shows(head: bytes) -> bool:
    return head.startswith(b"SQLite format 3\0") or head[8:12] == b"DUCK"


FORMAT = FileFormat(
    "database",
    (".db", ".sqlite", ".sqlite3", ".duckdb"),
    (Sign(0, _shows),),
    reader("records.databases", "read_databases"),
)
