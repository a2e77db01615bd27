"""Tables of text with delimiters: CSV, and TSV with tabs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from yardstone.records.decoding import clean
from yardstone.records.formats.format import Sign, Writer, reader, table_format
from yardstone.records.pool_rows import PIECE, column_types, games_of

if TYPE_CHECKING:
    from yardstone.pool import Pool

_HEADER = re.compile(rb"[^\n\r\"\[]*[,;\t|][^\n\r\[]*[,;\t|]")
_QUOTED_HEADER = re.compile(rb'(?:"[^"\n\r]*"[,;\t|]){2}')
_WINNERS = re.compile(
    rb'"?win[\w ]*"?[,;\t|]"?los[\w ]*"?\s|"?los[\w ]*"?[,;\t|]"?win[\w ]*"?\s', re.I
)
_ENDINGS = (".csv", ".tsv", ".tab")


def table_pieces(pool: Pool) -> Iterator[str]:
    """The games as CSV, piece by piece."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column_types(pool))
    for number, game in enumerate(games_of(pool), start=1):
        writer.writerow(game.values())
        if number % PIECE == 0:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()


def _tabbed(pool: Pool) -> Iterator[str]:
    """Fields between tabs have no quotes around them, so they hold no tabs and line ends."""
    yield "\t".join(column_types(pool)) + "\n"
    for game in games_of(pool):
        fields = ("" if value is None else clean(str(value)) for value in game.values())
        yield "\t".join(fields) + "\n"


FORMAT = table_format(
    "csv",
    _ENDINGS,
    (Sign(8, _HEADER.match), Sign(8, _QUOTED_HEADER.match), Sign(8, _WINNERS.match)),
    reader("records.table_files", "csv_file_rows"),
    writers=(
        Writer("csv", (".csv",), table_pieces),
        Writer("tsv", (".tsv", ".tab"), _tabbed),
    ),
    # Any text with commas looks like a table, so a file that calls itself otherwise is none.
    web=lambda _, ending: "csv" if ending in (*_ENDINGS, ".txt", "") else "",
)
