"""Reading games: files, tables and databases into pools.

`read` takes files of any known format, `query` the rows that a database gives.
What cannot be used is skipped and reported with file and line, never fatal unless
that is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yardstone.records.databases import query
    from yardstone.records.reading import read

__all__ = ["query", "read"]


#: Loaded when used: reading PGN needs no databases, and many need but a module or two.
_PLACES = {"query": "databases", "read": "reading"}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'yardstone.records' has no attribute {name!r}")
    value = getattr(import_module(f"yardstone.records.{_PLACES[name]}"), name)
    globals()[name] = value
    return value
