"""Databases of DuckDB and SQLite with one table."""

from __future__ import annotations

from yardstone.records.formats.format import Sign, reader, table_format


def _shows(head: bytes) -> bool:
    return head.startswith(b"SQLite format 3\0") or head[8:12] == b"DUCK"


FORMAT = table_format(
    "database",
    (".db", ".sqlite", ".sqlite3", ".duckdb"),
    (Sign(0, _shows),),
    reader("records.databases", "database_rows"),
    sent=False,
)
