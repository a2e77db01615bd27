"""The small files that Ordo's switches name, and writing of results."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from math import isfinite
from pathlib import Path

from yardstone.cli.ordo.options import Refused
from yardstone.cli.ordo.switches import scan_float
from yardstone.errors import InputError
from yardstone.files import replaced
from yardstone.records.decoding import decode

__all__ = [
    "OutputFile",
    "csv_fields",
    "csv_lines",
    "file_names",
    "scan_single",
    "text_lines",
    "warn",
]

_BLANKS = " \t\n\v\f\r"


def csv_fields(line: str) -> list[str]:
    r"""Fields of a line of comma separated values, by Ordo's rules.

    A quoted field ends at the next quote; an unquoted one loses the blanks around
    it. As in a PGN tag, ``\"`` inside quotes stands for itself, unless a comma or
    the end of the line follows.
    """
    fields = []
    place, size = _after_blanks(line, 0), len(line)
    while place < size:
        if line[place] == '"':
            end = _closing_quote(line, place)
            fields.append(line[place + 1 : end])
            place = _after_blanks(line, end + 1)
            if line[place : place + 1] == ",":
                place += 1
        else:
            end = line.find(",", place)
            end = size if end < 0 else end
            fields.append(line[place:end].rstrip(_BLANKS))
            place = end + 1
        place = _after_blanks(line, place)
    return fields


_BLANK_RUN = re.compile(f"[{_BLANKS}]*")


def _after_blanks(line: str, place: int) -> int:
    match = _BLANK_RUN.match(line, place)
    return len(line) if match is None else match.end()


def _closing_quote(line: str, begin: int) -> int:
    """Place of the quote that closes the one at `begin`; the end of the line without one."""
    end = line.find('"', begin + 1)
    while end > 0 and line[end - 1] == "\\":
        further = line.find('"', end + 1)
        if further < 0 or line.startswith(",", _after_blanks(line, end + 1)):
            break
        end = further
    return end if end > 0 else len(line)


def text_lines(path: str) -> list[str]:
    """Lines of a text file with their ends.

    Raises Refused with Ordo's message if it cannot be read.
    """
    try:
        content = Path(path).read_bytes()
    except OSError:
        raise Refused(f'Errors in file "{path}"') from None
    lines = decode(content.removeprefix(b"\xef\xbb\xbf")).split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def csv_lines(path: str) -> Iterator[list[str]]:
    """Fields of each line of a file that is not blank."""
    for line in text_lines(path):
        if line.strip(_BLANKS):
            yield csv_fields(line)


def file_names(path: str) -> list[str]:
    """Names in a file that holds one a line."""
    trouble = Refused(f'Errors in file "{path}", or lack of memory')
    try:
        rows = list(csv_lines(path))
    except Refused:
        raise trouble from None
    if any(len(row) != 1 for row in rows):
        raise trouble
    return [row[0] for row in rows]


def scan_single(text: str) -> float | None:
    """The number `text` begins with, in single precision as Ordo keeps those of its files.

    None if there is none, or one that is not finite: Ordo takes those, and makes lists of them.
    """
    import numpy as np

    value = scan_float(text)
    if value is None:
        return None
    with np.errstate(over="ignore"):
        single = float(np.float32(value))
    return single if isfinite(single) else None


class OutputFile:
    """A file that is either written whole or not touched.

    The text goes to a file beside it, which takes its place in the end.

    Raises
    ------
    Refused
        From the constructor, with Ordo's message, if it cannot be written.
    """

    def __init__(self, path: str, *, message: str = "Errors with file: {}") -> None:
        self.path = path
        self._message = message
        self._whole: AbstractContextManager[Path] | None = None
        try:
            target = Path(path)
            if target.exists() and not os.access(target, os.W_OK):
                raise PermissionError(path)
            whole = replaced(target)
            self._temporary = whole.__enter__()
            self._whole = whole
        except (OSError, InputError):
            raise Refused(message.format(path)) from None

    def write(self, text: str) -> None:
        """Write all of it."""
        try:
            self._temporary.write_bytes(text.encode("utf-8", "surrogateescape"))
            whole, self._whole = self._whole, None
            if whole is not None:
                whole.__exit__(None, None, None)
        except (OSError, InputError):
            self.discard()
            raise Refused(self._message.format(self.path)) from None

    def discard(self) -> None:
        """Remove what was not finished."""
        whole, self._whole = self._whole, None
        if whole is not None:
            error = Refused(self._message.format(self.path))
            with contextlib.suppress(Refused, InputError):
                whole.__exit__(Refused, error, None)


def warn(message: str) -> None:
    """One line of warning on standard error."""
    sys.stderr.write(f"yardstone: {message}\n")
