"""How many games there are, before they are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from yardstone.records.formats import endings_of, of_source
from yardstone.records.sources import COMPRESSED, find_sources
from yardstone.records.table_files import connection_for, sql_text

if TYPE_CHECKING:
    from yardstone.records.sources import Source

__all__ = ["estimated_games"]

#: Bytes of a short game in a file, by format; Parquet says itself how many it holds.
_BYTES = {"csv": 30, "json": 60, "arrow": 30, "database": 25, "pgn": 150, "sgf": 300, "mat": 300}
_OTHERS = 200
#: What is compressed is so many times larger.
_PACKED = 4


def estimated_games(paths: Sequence[str | Source]) -> int:
    """About how many games some files hold: rather too many than too few.

    Standard input counts as none.
    """
    total = 0
    for source in find_sources(paths, endings_of()):
        if source.path is None and source.member is None:
            continue
        name = of_source(source).name
        if name == "parquet" and source.path is not None:
            total += _rows_of_parquet(source.name, source.path)
            continue
        larger = _PACKED if Path(source.name).suffix.lower() in COMPRESSED else 1
        total += larger * source.size // _BYTES.get(name, _OTHERS)
    return total


def _rows_of_parquet(name: str, path: Path) -> int:
    with connection_for(name) as connection:
        row = connection.execute(
            f"SELECT sum(num_rows) FROM parquet_file_metadata({sql_text(path)})"
        ).fetchone()
    return int(row[0] or 0) if row is not None else 0
