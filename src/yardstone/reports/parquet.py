"""Tables as Parquet, written by DuckDB."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

__all__ = ["parquet_of_csv", "write_parquet"]


def write_parquet(path: Path, csv_text: str, columns: Mapping[str, str]) -> None:
    """Write a table, given as CSV with a header, with the named SQL types.

    Empty cells become NULL.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "table.csv"
        source.write_text(csv_text, encoding="utf-8", newline="")
        parquet_of_csv(path, source, columns)


def parquet_of_csv(path: Path, source: Path, columns: Mapping[str, str]) -> None:
    """Write the table in a CSV file with a header, with the named SQL types."""
    import duckdb

    types = ", ".join(f"{_text(name)}: {_text(kind)}" for name, kind in columns.items())
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT * FROM read_csv({_text(str(source))}, header = true, delim = ',', "
            f"quote = '\"', escape = '\"', auto_detect = false, columns = {{{types}}})) "
            f"TO {_text(str(path))} (FORMAT parquet)"
        )


def _text(value: str) -> str:
    """A string as SQL has it."""
    return "'" + value.replace("'", "''") + "'"
