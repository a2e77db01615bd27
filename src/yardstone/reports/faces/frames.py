"""A document's rows as a data frame of pandas or polars."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

from yardstone.choices import check_choice
from yardstone.errors import MissingExtraError
from yardstone.reports.document import Document, Kind
from yardstone.reports.faces.files import records_of

__all__ = ["LIBRARIES", "document_frame", "frame_library"]

LIBRARIES = ("pandas", "polars")
#: What pandas calls the kinds of values; integers and booleans may be unknown.
_PANDAS: dict[Kind, str] = {
    "text": "str",
    "integer": "Int64",
    "number": "float64",
    "boolean": "boolean",
    "date": "datetime64[s]",
    "time": "datetime64[s]",
}
_POLARS: dict[Kind, str] = {
    "text": "String",
    "integer": "Int64",
    "number": "Float64",
    "boolean": "Boolean",
    "date": "Date",
    "time": "Datetime",
}


def frame_library(library: Literal["pandas", "polars"] | None = None) -> str:
    """The library that was asked for; else one that is loaded, else one that is installed.

    Raises
    ------
    MissingExtraError
        It is not installed, or neither is.
    """
    if library is not None:
        check_choice("the library", library, LIBRARIES)
        if find_spec(library) is None:
            raise MissingExtraError(library)
        return library
    loaded = [name for name in LIBRARIES if name in sys.modules]
    for name in (*loaded, *LIBRARIES):
        if find_spec(name) is not None:
            return name
    raise MissingExtraError("pandas (or polars)")


def document_frame(document: Document, library: Literal["pandas", "polars"] | None = None) -> Any:
    """The records as a frame, a column a column, with unknown values where nothing is known."""
    table = records_of(document)
    name = frame_library(library)
    frames = import_module(name)
    columns = {
        column.name: (column.kind, [column.value(row) for row in table.rows])
        for column in table.kept
    }
    if name == "pandas":
        return frames.DataFrame(
            {key: frames.Series(v, dtype=_PANDAS[kind]) for key, (kind, v) in columns.items()}
        )
    return frames.DataFrame(
        [
            frames.Series(key, values, dtype=getattr(frames, _POLARS[kind]), strict=False)
            for key, (kind, values) in columns.items()
        ]
    )
