"""Reading games: files, tables and databases into pools.

`read` takes files of any known format, `query` the rows that a database gives.
What cannot be used is skipped and reported with file and line, never fatal unless
that is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yardstone.records.databases import query
    from yardstone.records.reading import read

__all__ = ["query", "read"]


def __getattr__(name: str) -> Any:
    # Loaded when used: reading PGN needs no databases, and many need but a module or two.
    if name == "query":
        from yardstone.records.databases import query as value
    elif name == "read":
        from yardstone.records.reading import read as value
    else:
        raise AttributeError(f"module 'yardstone.records' has no attribute {name!r}")
    globals()[name] = value
    return value
