"""Arrow, a table as it lies in memory; read with pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from yardstone.records.formats.format import FileFormat, Sign
from yardstone.records.options import Options

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.records.sources import Source


def _read(sources: Sequence[Source], options: Options) -> Pool:
    from yardstone.records.table_files import read_arrow, read_tables

    return read_tables(read_arrow, sources, options)


FORMAT = FileFormat(
    "arrow",
    (".arrow", ".feather"),
    (Sign(0, lambda head: head.startswith((b"ARROW1", b"FEA1"))),),
    _read,
)
