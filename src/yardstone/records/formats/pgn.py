"""PGN, the format of games of chess."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from yardstone.records.decoding import clean
from yardstone.records.formats.format import FileFormat, Sign, Writer, reader
from yardstone.records.pool_rows import column_name, games_of

if TYPE_CHECKING:
    from yardstone.pool import Pool

_TAG = re.compile(rb'[ \t]*\[\s*\w+\s+"')
_TAG_IN_A_LINE = re.compile(rb'^[ \t]*\[\s*\w+\s+"', re.MULTILINE)
_RESULTS = {1.0: "1-0", 0.0: "0-1", 0.5: "1/2-1/2"}
_TAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,60}")


def _pieces(pool: Pool) -> Iterator[str]:
    tags = {name: _tag(column_name(name)) for name in pool.columns}
    for game in games_of(pool):
        day, _, clock = (game.get("time") or "").partition("T")
        values = {
            "Event": "?",
            "Site": "?",
            "Date": day.replace("-", ".") or "????.??.??",
            "Round": "?",
            "White": game["first"],
            "Black": game["second"],
            "Result": _RESULTS[float(game["score"])],
        }
        if clock:
            values["Time"] = clock
        for name, tag in tags.items():
            value = game[column_name(name)]
            if value is not None and tag is not None and values.get(tag, "?") == "?":
                values[tag] = f"{value:g}" if isinstance(value, float) else str(value)
        lines = "".join(f'[{tag} "{_quoted(value)}"]\n' for tag, value in values.items())
        yield f"{lines}\n{values['Result']}\n\n"


def _tag(column: str) -> str | None:
    """The tag for a column: ``white_elo`` is WhiteElo, and ECO stays ECO."""
    tag = (
        column
        if column[:1].isupper()
        else "".join(p[:1].upper() + p[1:] for p in column.split("_"))
    )
    return {"Eco": "ECO"}.get(tag, tag) if _TAG_NAME.fullmatch(tag) else None


def _quoted(text: str) -> str:
    return clean(text).replace("\\", "\\\\").replace('"', '\\"')


def _left_out(pool: Pool) -> list[str]:
    return [name for name in pool.columns if _tag(column_name(name)) is None]


FORMAT = FileFormat(
    "pgn",
    (".pgn",),
    (Sign(7, _TAG.match), Sign(9, _TAG_IN_A_LINE.search)),
    reader("records.pgn", "read_pgn"),
    writers=(Writer("pgn", (".pgn",), _pieces, _left_out, side="white"),),
    moves=True,
    side="white",
    web=lambda *_: "pgn",
)
