"""A document for programs: CSV, Parquet, JSON, and data frames."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from yardstone.choices import check_choice
from yardstone.errors import MissingExtraError, UsageError
from yardstone.files import scratch_folder
from yardstone.records.decoding import csv_lines
from yardstone.reports.document import Column, Document, Table

#: What SQL, pandas and Polars call the kinds of values; in pandas integers and booleans may be
#: unknown.
_TYPES: dict[str, tuple[str, str, str]] = {
    "text": ("VARCHAR", "str", "String"),
    "integer": ("BIGINT", "Int64", "Int64"),
    "number": ("DOUBLE", "float64", "Float64"),
    "boolean": ("BOOLEAN", "boolean", "Boolean"),
    "date": ("DATE", "datetime64[s]", "Date"),
    "time": ("TIMESTAMP", "datetime64[s]", "Datetime"),
}


def records_of(document: Document) -> Table:
    """The table that CSV and Parquet have.

    Raises UsageError if there is none.
    """
    if document.records is None:
        raise UsageError("this report has no table for CSV or Parquet: take text, JSON or HTML")
    return document.records


def document_csv(document: Document) -> str:
    """The records as CSV, unknown values left empty and every number in full."""
    return "".join(csv_pieces(records_of(document)))


def csv_pieces(table: Table) -> Iterator[str]:
    """The columns of files as CSV, piece by piece, so that a long table takes little memory.

    No spreadsheet takes a text for a formula.
    """

    def text(value: Any) -> Any:
        if isinstance(value, float):
            return value if isfinite(value) else None
        return str(value).lower() if isinstance(value, bool) else value

    values = [column.value for column in table.kept]
    rows = ([text(value(row)) for value in values] for row in table.rows)
    return csv_lines((column.name for column in table.kept), rows)


def document_json(document: Document) -> str:
    """The document as JSON text; numbers that JSON lacks are an error."""
    return "".join(json_pieces(document))


def json_pieces(document: Document) -> Iterator[str]:
    """The same piece by piece: values that are made when they are looked at stay so."""
    plain = records_of(document) if document.plain is None else document.plain()
    encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=2, default=_Lazy)
    yield from encoder.iterencode(plain)
    yield "\n"


class _Lazy(list[Any]):
    """A list for JSON of the rows of a table, or of a sequence that makes its items when read."""

    def __init__(self, source: Table | Sequence[Any]) -> None:
        if not isinstance(source, Table | Sequence):
            raise TypeError(f"{type(source).__name__} is no value of JSON")
        self._source = source

    def __len__(self) -> int:
        return len(self._source.rows if isinstance(self._source, Table) else self._source)

    def __iter__(self) -> Iterator[Any]:
        if not isinstance(self._source, Table):
            return iter(self._source)
        return (Column.record(self._source.columns, row) for row in self._source.rows)


def write_parquet(document: Document, path: Path) -> None:
    """Write the records, with the types of their columns; empty cells become NULL."""
    from yardstone.records.table_files import parquet_of_csv

    table = records_of(document)
    with scratch_folder() as folder:
        source = folder / "table.csv"
        with source.open("w", encoding="utf-8", newline="") as file:
            file.writelines(csv_pieces(table))
        parquet_of_csv(path, source, {each.name: _TYPES[each.kind][0] for each in table.kept})


LIBRARIES = ("pandas", "polars")


def document_frame(document: Document, library: Literal["pandas", "polars"] | None = None) -> Any:
    """The records as a frame, a column a column, with unknown values where nothing is known.

    Without a `library` it is of one that is loaded, else of one that is installed.

    Raises:
        MissingExtraError: It is not installed, or neither is.
    """
    table = records_of(document)
    if library is not None:
        check_choice("the library", library, LIBRARIES)
    asked = LIBRARIES if library is None else (library,)
    name = min(filter(find_spec, asked), key=lambda name: name not in sys.modules, default=None)
    if name is None:
        raise MissingExtraError(library or "pandas (or polars)")
    frames = import_module(name)
    columns = {}
    for column in table.kept:
        values, (_, pandas, polars) = list(map(column.stored, table.rows)), _TYPES[column.kind]
        if name == "pandas":
            series = frames.Series(values, dtype=pandas)
        else:
            series = frames.Series(column.name, values, getattr(frames, polars), strict=False)
        columns[column.name] = series
    return frames.DataFrame(columns)
