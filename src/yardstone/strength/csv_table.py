"""Small tables in CSV that people write by hand: a line of names, then a line a row."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path

from yardstone.errors import InputError
from yardstone.records.decoding import clean, decode

__all__ = ["csv_rows"]

_LARGEST = 64 << 20


def csv_rows(
    path: str | os.PathLike[str], columns: Sequence[str], hint: str
) -> list[tuple[int, dict[str, str]]]:
    """The rows of a table with their lines, each value by the name of its column.

    Parameters
    ----------
    path : path
        CSV, with commas, semicolons or tabs.
    columns : sequence of str
        That must be there. Names are compared in small letters.
    hint : str
        What such a table looks like, for errors.

    Raises
    ------
    InputError
        The file cannot be read, or lacks a column.
    """
    file = os.fspath(path)
    try:
        with Path(path).open("rb") as opened:
            content = opened.read(_LARGEST + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=file) from None
    if len(content) > _LARGEST:
        raise InputError(f"is larger than {_LARGEST >> 20} MB", file=file)
    text = decode(content.removeprefix(b"\xef\xbb\xbf"))
    header, _, _ = text.partition("\n")
    delimiter = max(",;\t", key=header.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise InputError(f"is no table: {error}", file=file, hint=hint) from None
    names = [clean(name).lower() for name in rows[0]] if rows else []
    if not set(columns) <= set(names):
        words = " and ".join([", ".join(columns[:-1]), columns[-1]])
        raise InputError(f"there are no columns {words}", file=file, line=1, hint=hint)
    return [
        (line, {name: clean(value) for name, value in zip(names, row, strict=False)})
        for line, row in enumerate(rows[1:], 2)
        if any(row)
    ]
