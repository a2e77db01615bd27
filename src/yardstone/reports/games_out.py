"""The games of a pool written as PGN, SGF, CSV or JSON, a piece at a time."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.records.go_game import BLACK, DRAWN, WHITE, GoGame
from yardstone.records.guess import has_role
from yardstone.records.sgf_values import parse_komi, parse_winner
from yardstone.records.sgf_write import write_sgf
from yardstone.records.text import clean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

__all__ = ["WRITERS", "column_types", "left_out"]

#: Games handed over at once.
_PIECE = 4096
_RESULTS = {1.0: "1-0", 0.0: "0-1", 0.5: "1/2-1/2"}
_TAG = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,60}")
#: Columns of a pool that SGF has a property for, by the attribute of `GoGame`.
_SGF_TEXTS = (
    "rules", "black_rank", "white_rank", "black_team", "white_team", "event", "place",
)  # fmt: skip
_SGF_NUMBERS = {"komi": (-361, 361), "handicap": (0, 361), "size": (2, 19)}
#: The column that holds a result as the record has it, such as B+3.5.
WRITTEN_RESULT = "written_result"


def _records(pool: Pool) -> Iterator[dict[str, Any]]:
    """Each game as a dictionary; None where nothing is known."""
    names = [clean(name) for name in pool.players]
    for start in range(0, len(pool), _PIECE):
        part = slice(start, start + _PIECE)
        columns = [_plain(column[part]) for column in pool.columns.values()]
        times = None if pool.time is None else [_moment(t) for t in pool.time[part]]
        sides = zip(
            pool.first[part].tolist(),
            pool.second[part].tolist(),
            pool.score[part].tolist(),
            strict=True,
        )
        for row, (first, second, score) in enumerate(sides):
            record: dict[str, Any] = {
                "first": names[first],
                "second": names[second],
                "score": int(score) if score != 0.5 else score,
            }
            if times is not None:
                record["time"] = times[row]
            for name, column in zip(pool.columns, columns, strict=True):
                record[_column_name(name)] = column[row]
            yield record


def _column_name(name: str) -> str:
    """A further column's name; one that would be taken for players or result gets another."""
    return f"written_{name}" if has_role(name) else name


def _plain(column: NDArray[Any]) -> list[Any]:
    if column.dtype.kind == "M":
        return [_moment(value) for value in column]
    if column.dtype.kind == "f":
        return [None if np.isnan(value) else value for value in column.tolist()]
    values: list[Any] = column.tolist()
    if column.dtype.kind in "iub":
        return values
    return [value or None for value in values]


def _moment(time: np.datetime64) -> str | None:
    if np.isnat(time):
        return None
    return str(time.astype("datetime64[s]")).removesuffix("T00:00:00")


def _csv(pool: Pool) -> Iterator[str]:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column_types(pool))
    for number, record in enumerate(_records(pool), start=1):
        writer.writerow(record.values())
        if number % _PIECE == 0:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()


def _tsv(pool: Pool) -> Iterator[str]:
    """Fields between tabs have no quotes around them, so they hold no tabs and line ends."""
    yield "\t".join(column_types(pool)) + "\n"
    for record in _records(pool):
        fields = ("" if value is None else clean(str(value)) for value in record.values())
        yield "\t".join(fields) + "\n"


def column_types(pool: Pool) -> dict[str, str]:
    """The columns of the CSV with their types in SQL."""
    kinds = {"i": "BIGINT", "u": "BIGINT", "f": "DOUBLE", "b": "BOOLEAN", "M": "TIMESTAMP"}
    types = {"first": "VARCHAR", "second": "VARCHAR", "score": "DOUBLE"}
    if pool.time is not None:
        types["time"] = "TIMESTAMP"
    for name, column in pool.columns.items():
        types[_column_name(name)] = kinds.get(column.dtype.kind, "VARCHAR")
    return types


def _json(pool: Pool) -> Iterator[str]:
    begin = "[\n"
    for record in _records(pool):
        yield begin + json.dumps(record, ensure_ascii=False)
        begin = ",\n"
    yield "[]\n" if begin == "[\n" else "\n]\n"


def _json_lines(pool: Pool) -> Iterator[str]:
    for record in _records(pool):
        yield json.dumps(record, ensure_ascii=False) + "\n"


def _pgn(pool: Pool) -> Iterator[str]:
    tags = {name: _tag(_column_name(name)) for name in pool.columns}
    for record in _records(pool):
        day, _, clock = (record.get("time") or "").partition("T")
        own = {
            "Event": "?",
            "Site": "?",
            "Date": day.replace("-", ".") or "????.??.??",
            "Round": "?",
            "White": record["first"],
            "Black": record["second"],
            "Result": _RESULTS[float(record["score"])],
        }
        if clock:
            own["Time"] = clock
        for name, tag in tags.items():
            value = record[_column_name(name)]
            if value is not None and tag is not None and own.get(tag, "?") == "?":
                own[tag] = f"{value:g}" if isinstance(value, float) else str(value)
        lines = "".join(f'[{tag} "{_quoted(value)}"]\n' for tag, value in own.items())
        yield f"{lines}\n{own['Result']}\n\n"


def _tag(column: str) -> str | None:
    """The tag for a column: ``white_elo`` is WhiteElo, and ECO stays ECO."""
    tag = (
        column
        if column[:1].isupper()
        else "".join(p[:1].upper() + p[1:] for p in column.split("_"))
    )
    return {"Eco": "ECO"}.get(tag, tag) if _TAG.fullmatch(tag) else None


def _quoted(text: str) -> str:
    return clean(text).replace("\\", "\\\\").replace('"', '\\"')


def _sgf(pool: Pool) -> Iterator[str]:
    times = pool.time
    for number, record in enumerate(_records(pool)):
        score = record["score"]
        winner = BLACK if score == 1 else WHITE if score == 0 else DRAWN
        told: dict[str, Any] = {
            name: str(record[name]) for name in _SGF_TEXTS if record.get(name) is not None
        }
        written = str(record.get(WRITTEN_RESULT) or "")
        if parse_winner(written) == winner:
            told["result"] = written
        told |= _numbers(record)
        date = np.datetime64("NaT", "s") if times is None else times[number]
        yield write_sgf(
            GoGame(black=record["first"], white=record["second"], winner=winner, date=date, **told)
        )


def _numbers(record: dict[str, Any]) -> dict[str, Any]:
    """Komi, handicap and size; tables may hold them as texts."""
    found: dict[str, Any] = {}
    for name, (low, high) in _SGF_NUMBERS.items():
        try:
            value = float(record.get(name) or "nan")
        except ValueError:
            continue
        if name == "komi" and parse_komi(f"{value:g}") == (value, None):
            found[name] = value
        elif value.is_integer() and low <= value <= high:
            found[name] = int(value)
    return found


#: What writes a pool in a format, as pieces of text.
WRITERS: dict[str, Callable[[Pool], Iterator[str]]] = {
    "csv": _csv,
    "tsv": _tsv,
    "json": _json,
    "jsonl": _json_lines,
    "pgn": _pgn,
    "sgf": _sgf,
}


def left_out(pool: Pool, form: str) -> list[str]:
    """The columns of a pool that a format has no place for."""
    if form == "pgn":
        return [name for name in pool.columns if _tag(_column_name(name)) is None]
    if form == "sgf":
        kept = (*_SGF_TEXTS, *_SGF_NUMBERS, WRITTEN_RESULT)
        return [name for name in pool.columns if name not in kept]
    return []
