"""Arrow, a table as it lies in memory; read with pyarrow."""

from __future__ import annotations

from yardstone.records.formats.format import Sign, reader, table_format

FORMAT = table_format(
    "arrow",
    (".arrow", ".feather"),
    (Sign(0, lambda head: head.startswith((b"ARROW1", b"FEA1"))),),
    reader("records.table_files", "arrow_rows"),
)
