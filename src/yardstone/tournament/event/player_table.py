"""A table of players who enter, from a file of rows."""

from __future__ import annotations

import csv
import io
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from yardstone.errors import InputError, MissingFileError
from yardstone.pool import Skipped, SkipReport
from yardstone.records.decoding import clean, decode
from yardstone.tournament.event.entries import EventEntry

__all__ = ["PlayerTable", "columns_of", "plain_heading", "read_player_table", "rows_of"]

_MAX_BYTES = 16 << 20
_MOST_ROWS = 20_000
_DELIMITERS = ",;\t|"
#: What a column is called, capitals, blanks and accents aside.
_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "name": ("name", "player", "playername", "fullname"),
        "family": ("familyname", "surname", "lastname", "family", "nachname", "nom"),
        "first_name": ("firstname", "givenname", "forename", "given", "first", "vorname", "prenom"),
        "grade": ("grade", "rank", "level", "kyudan", "strength", "graderating", "gradeorrating"),
        "rating": ("rating", "gor", "egfrating", "egf", "elo", "points"),
        "club": ("club", "city", "town", "clubname"),
        "country": ("country", "nation", "nationality", "countrycode", "co", "flag", "federation"),
        "egf": ("pin", "egfpin", "egfid", "egdpin"),
        "ffg": ("ffglicence", "licence", "license", "ffgid"),
        "aga": ("agaid", "aganumber", "agano"),
        "correction": ("correction", "mmcorrection", "smmscorrection"),
    }
)
_OF_EGF = ("gor", "egfrating", "egf")


@dataclass(frozen=True, eq=False, kw_only=True)
class PlayerTable:
    """The entries of a table.

    Attributes
    ----------
    entries : tuple of EventEntry
    unused : tuple of str
        Columns that say nothing known.
    skipped : SkipReport
        Rows that cannot be used.
    """

    entries: tuple[EventEntry, ...]
    unused: tuple[str, ...] = ()
    skipped: SkipReport


def rows_of(path: str | os.PathLike[str]) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The columns of a file with delimiters, and its rows with their lines.

    Raises
    ------
    InputError
        The file cannot be read, or has no rows.
    """
    place = Path(path)
    try:
        with place.open("rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        raise MissingFileError("there is no such file", file=str(path)) from None
    except OSError as error:
        raise InputError(error.strerror or str(error), file=str(path)) from error
    if len(data) > _MAX_BYTES:
        raise InputError(f"more than {_MAX_BYTES >> 20} MiB", file=str(path))
    text = decode(data.removeprefix(b"\xef\xbb\xbf"))
    head = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(_DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows: list[tuple[int, list[str]]] = []
    begin = 1
    try:
        for cells in reader:
            rows.append((begin, [clean(cell) for cell in cells]))
            begin = reader.line_num + 1
            if len(rows) > _MOST_ROWS:
                raise InputError(f"more than {_MOST_ROWS:,} rows", file=str(path))
    except csv.Error as error:
        raise InputError(str(error), file=str(path), line=begin) from None
    rows = [(line, cells) for line, cells in rows if any(cells)]
    if not rows:
        raise InputError("the file has no rows", file=str(path))
    return rows[0][1], rows[1:]


def read_player_table(path: str | os.PathLike[str]) -> PlayerTable:
    """Read who enters: columns ``name``, ``grade`` or ``rating``, and ``club``.

    Also ``first name`` and ``surname``, ``country``, ``pin`` and other numbers of
    federations, and the usual other words for all of them. A name in one piece is
    taken apart as in `yardstone.tournament.event.entries.split_name`.

    Raises
    ------
    InputError
        The file cannot be read, or no column has names.
    """
    head, rows = rows_of(path)
    columns, unused = _columns(head)
    if not {"name", "family", "egf"} & set(columns):
        raise InputError(
            f"no column has names, among {', '.join(head)}",
            file=str(path),
            line=1,
            hint="call it name; the others are grade, rating, club, country",
        )
    report = SkipReport()
    entries = []
    for line, cells in rows:
        values = {at: cells[place] for at, place in columns.items() if place < len(cells)}
        try:
            entries.append(_entry(values, line, head[columns.get("rating", 0)]))
        except InputError as error:
            report.add(Skipped(str(path), line, error.message), kind=error.message)
    return PlayerTable(entries=tuple(entries), unused=tuple(unused), skipped=report)


def columns_of(
    head: Sequence[str], names: Mapping[str, Sequence[str]]
) -> tuple[dict[str, int], list[str]]:
    """The place of each kind of column, the first of several, and the headings left over."""
    columns: dict[str, int] = {}
    unused = []
    for place, name in enumerate(head):
        plain = plain_heading(name)
        kind = next((kind for kind, words in names.items() if plain in words), None)
        if kind is None or kind in columns:
            unused.append(name)
        else:
            columns[kind] = place
    return columns, unused


def _columns(head: Sequence[str]) -> tuple[dict[str, int], list[str]]:
    columns, unused = columns_of(head, _NAMES)
    if "name" in columns and "family" not in columns and "first_name" in columns:
        columns["family"] = columns.pop("name")
    return columns, [name for name in unused if name]


def plain_heading(text: str) -> str:
    """A heading in small letters, without blanks and accents."""
    return "".join(ch for ch in unicodedata.normalize("NFKD", text.casefold()) if ch.isalnum())


def _entry(values: Mapping[str, str], line: int, rating_column: str) -> EventEntry:
    grade, rating = values.get("grade", ""), values.get("rating", "")
    if re.fullmatch(r"\d{3,4}([.,]\d+)?", grade) and not rating:
        grade, rating = "", grade  # a rating in the column for either
    of_egf = plain_heading(rating_column) in _OF_EGF
    correction = values.get("correction", "") or "0"
    if not re.fullmatch(r"[+-]?\d", correction):
        raise InputError(f"correction {correction!r} is not a whole number")
    name = values.get("family") or values.get("name", "")
    if not name and not values.get("egf"):
        raise InputError("a row without a name")
    return EventEntry(
        name=name,
        first_name=values.get("first_name", ""),
        grade=grade,
        rating=_rating(rating),
        club=values.get("club", ""),
        country=values.get("country", ""),
        ids={kind: values[kind] for kind in ("egf", "ffg", "aga") if values.get(kind)},
        rating_origin="EGF" if of_egf and rating else "",
        correction=int(correction),
        line=line,
    )


def _rating(text: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e5:
        raise InputError(f"rating {text!r} is not a number")
    return value
