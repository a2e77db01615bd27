"""Parquet, a table as columns in a binary file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from yardstone.files import scratch_folder
from yardstone.records.formats.csv import table_pieces
from yardstone.records.formats.format import Sign, Writer, reader, table_format
from yardstone.records.pool_rows import column_types

if TYPE_CHECKING:
    from yardstone.pool import Pool

_ENDINGS = (".parquet", ".pq")
_PIECE = 1 << 20


def _pieces(pool: Pool) -> Iterator[bytes]:
    from yardstone.records.table_files import parquet_of_csv

    with scratch_folder() as folder:
        table, target = folder / "games.csv", folder / "games.parquet"
        with table.open("w", encoding="utf-8", newline="") as file:
            file.writelines(table_pieces(pool))
        parquet_of_csv(target, table, column_types(pool))
        with target.open("rb") as binary:
            while piece := binary.read(_PIECE):
                yield piece


FORMAT = table_format(
    "parquet",
    _ENDINGS,
    (Sign(0, lambda head: head.startswith(b"PAR1")),),
    reader("records.table_files", "parquet_rows"),
    writers=(Writer("parquet", _ENDINGS, _pieces, binary=True),),
)
