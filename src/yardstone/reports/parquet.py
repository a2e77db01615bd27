"""Tables as Parquet, written by DuckDB."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from yardstone.files import scratch_folder

__all__ = ["write_parquet"]


def write_parquet(path: Path, pieces: Iterable[str], columns: Mapping[str, str]) -> None:
    """Write a table, given as pieces of CSV with a header, with the named SQL types.

    Empty cells become NULL.
    """
    from yardstone.records.table_files import parquet_of_csv

    with scratch_folder() as folder:
        source = folder / "table.csv"
        with source.open("w", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
        parquet_of_csv(path, source, columns)
