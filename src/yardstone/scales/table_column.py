"""A column of grades or ratings in a table, on other scales."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from yardstone.choices import no_such
from yardstone.errors import InputError, NoGamesError, StrictError, YardstoneError
from yardstone.pool import Skipped, SkipReport
from yardstone.records.decoding import clean, decode
from yardstone.records.sources import Source
from yardstone.scales.conversion import ConvertedRating, convert_rating
from yardstone.scales.relations import SCALES

__all__ = ["ConvertedColumn", "convert_column"]

_MOST_BYTES = 256 << 20
_BLANK = frozenset(("", "-", "?", "--", "none", "nan", "null", "n/a"))


@dataclass(frozen=True, eq=False)
class ConvertedColumn:
    """A table whose ratings were converted; frozen.

    Attributes
    ----------
    names : tuple of str
        Its columns.
    rows : tuple of tuple of str
        Its cells as they stood, a row a player.
    column : str
        The one that was converted.
    targets : tuple of str
        The scales.
    converted : tuple of ConvertedRating or None
        One a row; None where the cell is empty or cannot be converted.
    skipped : SkipReport
        The cells that cannot be converted, with their lines.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    column: str
    targets: tuple[str, ...]
    converted: tuple[ConvertedRating | None, ...]
    skipped: SkipReport

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.rows)


def convert_column(
    path: str | os.PathLike[str],
    column: str,
    *,
    source: str | None = None,
    targets: Sequence[str] = (),
    strict: bool = False,
) -> ConvertedColumn:
    """Convert a column of a CSV table.

    Parameters
    ----------
    path : path
        CSV with commas, semicolons or tabs, whose first line names the columns; it may be
        compressed; ``-`` is standard input.
    column : str
        The column of grades or ratings; capitals do not matter.
    source : str, optional
        The scale of its numbers.
    targets : sequence of str
        Scales to convert to; none means all.
    strict : bool
        Whether a cell that cannot be converted is an error; else its row is reported, and
        the new cells stay empty.

    Raises
    ------
    InputError
        The file cannot be read or has no such column, or no cell can be converted.
    StrictError
        With `strict`: a cell cannot be converted.
    NoGamesError
        There is no row.
    """
    file = os.fspath(path)
    report = SkipReport()
    names, rows, lines = _table(file, report)
    place = {name.casefold(): number for number, name in enumerate(names)}
    if column.casefold() not in place:
        raise InputError(no_such("column", column, names), file=file, line=1)
    at = place[column.casefold()]
    converted: list[ConvertedRating | None] = []
    known: dict[str, ConvertedRating | str | None] = {}
    for row, line in zip(rows, lines, strict=True):
        text = row[at].strip()
        if text not in known:
            known[text] = _converted(text, source, targets)
        value = known[text]
        if isinstance(value, str):
            report.add(Skipped(file, line, value))
        converted.append(None if isinstance(value, str) else value)
    if strict and len(report):
        raise StrictError(report.details[0].reason, file=file, line=report.details[0].line)
    if len(report) and not any(converted):
        raise InputError(report.details[0].reason, file=file, line=report.details[0].line)
    chosen = tuple(targets) or tuple(each for each in SCALES if each != "grade")
    return ConvertedColumn(names, tuple(rows), names[at], chosen, tuple(converted), report)


def _converted(
    text: str, source: str | None, targets: Sequence[str]
) -> ConvertedRating | str | None:
    """What a cell becomes; None if it is blank, and why it cannot be converted."""
    if text.casefold() in _BLANK:
        return None
    try:
        return convert_rating(text, source=source, targets=targets)
    except YardstoneError as error:
        return str(error)


def _table(
    file: str, report: SkipReport
) -> tuple[tuple[str, ...], list[tuple[str, ...]], list[int]]:
    """Columns, rows that are not blank, and their lines; short rows are filled up."""
    stdin = file == "-"
    content = Source("standard input" if stdin else file, None if stdin else Path(file)).content(
        _MOST_BYTES
    )
    text = decode(content.removeprefix(b"\xef\xbb\xbf"))
    header = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t|", key=header.count))
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    names: tuple[str, ...] = ()
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if not names:
                names = tuple(clean(cell) or f"column{n}" for n, cell in enumerate(cells, 1))
                continue
            while len(cells) > len(names) and not cells[-1].strip():
                cells.pop()
            if len(cells) > len(names):
                reason = f"{len(cells)} cells where {len(names)} were expected"
                report.add(Skipped(file, reader.line_num, reason))
                continue
            rows.append(tuple(cells) + ("",) * (len(names) - len(cells)))
            lines.append(reader.line_num)
    except csv.Error as error:
        raise InputError(f"is no table: {error}", file=file, line=reader.line_num) from None
    if not rows:
        raise NoGamesError("the table has no rows", file=file)
    return names, rows, lines
