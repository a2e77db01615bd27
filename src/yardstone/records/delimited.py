"""Files of rows with delimiters: their dialect, and mending damaged ones."""

from __future__ import annotations

import csv
import json
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from yardstone.errors import InputError, NoGamesError, StrictError
from yardstone.pool import MAX_SKIPPED_DETAILS, Skipped, SkipReport
from yardstone.records.column_names import find_pair
from yardstone.records.decoding import clean, decode
from yardstone.records.sources import Source

__all__ = ["Dialect", "Repaired", "find_dialect", "first_line_dialect", "repair", "repair_json"]

_DELIMITERS = "\t;,|"
_LONGEST_LINE = 1 << 20
#: No table of games has more columns.
_MOST_COLUMNS = 2000


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the fields of a file are told apart.

    Attributes
    ----------
    delimiter : str
        What stands between fields.
    quote : str
        What stands around fields, or nothing in files with tabs.
    names : tuple of str
        The columns.
    header : int
        The line that names them: the first that is not blank.
    """

    delimiter: str
    quote: str
    names: tuple[str, ...]
    header: int = 1

    def lines_of(self, path: Path) -> Callable[[int], int]:
        """A function from a row, counted from 1, to its line in a sound file."""
        numbers: list[int] = []

        def line_of(row: int) -> int:
            if not numbers:
                numbers.extend(number for number, line in _lines(path) if line.strip())
            return numbers[row] if row < len(numbers) else row + 1

        return line_of

    def fields(self, line: str) -> list[str]:
        """The fields of one line; a quote that is never closed ends with it."""
        if not self.quote:
            return [_unquoted(part) for part in line.split(self.delimiter)]
        try:
            return next(csv.reader([line], delimiter=self.delimiter, quotechar=self.quote), [])
        except csv.Error:  # longer than any field is
            return []


def _unquoted(part: str) -> str:
    part = part.strip()
    return part[1:-1] if len(part) > 1 and part[0] == part[-1] == '"' else part


def find_dialect(path: Path, name: str) -> Dialect:
    """The delimiter that makes most columns of the first line of a table of games, and their names.

    Raises
    ------
    InputError
        There are too few columns for two players and a result (a winner and a loser need none),
        or too many.
    """
    dialect = first_line_dialect(path, name)
    pair = find_pair(dialect.names)
    if len(dialect.names) < 3 and (pair is None or "winner" not in pair.labels):
        raise InputError(
            "no table with columns for two players and a result",
            file=name,
            hint="the first line must name the columns, as in white,black,result or winner,loser",
        )
    return dialect


def first_line_dialect(path: Path, name: str) -> Dialect:
    """The same of any table, with one column or more.

    Raises
    ------
    InputError
        There is no column, or there are too many.
    """
    header_line = next(((number, line) for number, line in _lines(path) if line.strip()), None)
    if header_line is None:
        raise NoGamesError("the file has no rows", file=name)
    header, first = header_line
    delimiter = max(_DELIMITERS, key=first.count)
    quote = "" if delimiter == "\t" else '"'
    names = Dialect(delimiter, quote, ()).fields(first)
    if not names:
        raise InputError("the first line has no names of columns that can be read", file=name)
    if len(names) > _MOST_COLUMNS:
        raise InputError(
            f"{len(names):,} columns, at most {_MOST_COLUMNS:,} are read",
            file=name,
            hint="keep those that are used",
        )
    distinct: dict[str, None] = {}
    for number, column in enumerate(names, 1):
        column = clean(column) or f"column{number}"
        while column in distinct:
            column = f"{column}_{number}"
        distinct[column] = None
    return Dialect(delimiter, quote, tuple(distinct), header)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Number and text of each line; what is too long for a line is cut."""
    number = 1
    rest = b""
    with Source(str(path), path).open() as stream:
        for piece in stream.pieces():
            block = rest + piece
            if number == 1:
                block = block.removeprefix(b"\xef\xbb\xbf")
            *lines, rest = block.splitlines(keepends=True) or [b""]
            if rest.endswith(b"\n"):
                lines.append(rest)
                rest = b""
            rest = rest[:_LONGEST_LINE]
            for line in lines:
                yield number, decode(line.rstrip(b"\r\n"))
                number += 1
    if rest:
        yield number, decode(rest.rstrip(b"\r\n"))


@dataclass(slots=True)
class Repaired:
    """What `repair` or `repair_json` did.

    Attributes
    ----------
    lines : array of int
        The line of each row that was kept.
    damaged : list of (int, str)
        Line and reason of the first rows that were left out.
    more : int
        How many more were left out.
    """

    lines: array[int] = field(default_factory=lambda: array("q"))
    damaged: list[tuple[int, str]] = field(default_factory=list)
    more: int = 0

    def leave_out(self, line: int, reason: str) -> None:
        """Note a row that was left out."""
        if len(self.damaged) < MAX_SKIPPED_DETAILS:
            self.damaged.append((line, reason))
        else:
            self.more += 1

    def report(self, file: str, *, strict: bool) -> SkipReport:
        """Return what was left out of a file; refuse it if `strict`."""
        report = SkipReport()
        for line, reason in self.damaged:
            if strict:
                raise StrictError(reason, file=file, line=line)
            report.add(Skipped(file, line, reason), kind="damaged row")
        if self.more:
            report.add_uncounted("damaged row", self.more)
        return report


def repair(path: Path, into: Path, dialect: Dialect) -> Repaired:
    """Write the sound rows of a file with tabs between fields and no quotes.

    Each line is read on its own, so a damaged one cannot take others with it.
    """
    result = Repaired()
    width = len(dialect.names)
    with into.open("w", encoding="utf-8", newline="") as file:
        header = True
        for number, line in _lines(path):
            if not line.strip():
                continue
            if header:
                header = False
                continue
            try:
                fields = dialect.fields(line)
                reason = f"{len(fields)} fields where {width} were expected"
            except csv.Error as error:
                fields, reason = [], f"damaged row: {error}"
            if len(fields) == width:
                result.lines.append(number)
                file.write("\t".join(clean(text) for text in fields) + "\n")
            else:
                result.leave_out(number, reason)
    return result


def repair_json(path: Path, into: Path) -> Repaired:
    """Write the sound records of a file with a record a line, in an array or not."""
    result = Repaired()
    with into.open("w", encoding="utf-8", newline="") as file:
        for number, line in _lines(path):
            text = line.strip().removesuffix(",")
            if text in ("", "[", "]"):
                continue
            try:
                record = json.loads(text)
            except (ValueError, RecursionError):
                record = None
            if isinstance(record, dict):
                result.lines.append(number)
                file.write(json.dumps(record) + "\n")
            else:
                result.leave_out(number, "it is not a record in JSON")
    return result
