"""Reading games: files, tables and databases into pools.

`read` takes files of any known format, `query` the rows that a database gives.
What cannot be used is skipped and reported with file and line, never fatal unless
that is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yardstone.records.reading import read

if TYPE_CHECKING:
    from yardstone.records.databases import query

__all__ = ["query", "read"]


def __getattr__(name: str) -> Any:
    if name == "query":  # loaded when used: reading PGN needs nothing of it
        from yardstone.records.databases import query

        globals()[name] = query
        return query
    raise AttributeError(f"module 'yardstone.records' has no attribute {name!r}")
