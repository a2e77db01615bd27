"""Games in Parquet, Arrow and databases, which libraries open for Yardstone."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.fuzz.targets import Target, Wrong, saved
from tests.records.pools import games
from yardstone.pool import Pool
from yardstone.records.formats import read_format
from yardstone.records.options import Options
from yardstone.records.sources import Source
from yardstone.records.streaming import game_stream

_ROWS = "(VALUES ('Ann', 'Bob', '1-0', DATE '2020-01-02'), ('Bob', 'Cid', '1/2-1/2', NULL))"
_GAMES = f"SELECT * FROM {_ROWS} AS game (white, black, result, date)"
_SQLITE = """
PRAGMA page_size = 512;
CREATE TABLE game (white TEXT, black TEXT, result TEXT, date TEXT);
INSERT INTO game VALUES ('Ann', 'Bob', '1-0', '2020-01-02'), ('Bob', 'Cid', '1/2-1/2', NULL);
"""


def _read(name: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        whole = read_format(name, [Source(path.name, path)], Options(skip_unread=True))
        stream = game_stream(path, format=name, skip_unread=True, rows=1)
        pieces = [
            Pool(tuple(stream.players), each.first, each.second, each.score, each.time)
            for each in list(stream)
        ]
        if [game for piece in pieces for game in games(piece)] != games(whole):
            raise Wrong("a piece has other games")

    return read


def _written(command: str) -> bytes:
    import duckdb

    def save(path: Path) -> None:
        with closing(duckdb.connect()) as connection:
            connection.execute(command.format(path))

    return saved(save)


def _parquet() -> dict[str, bytes]:
    return {
        packing: _written(f"COPY ({_GAMES}) TO '{{}}' (FORMAT parquet, COMPRESSION {packing})")
        for packing in ("uncompressed", "snappy", "zstd")
    }


def _duckdb() -> dict[str, bytes]:
    return {"": _written(f"ATTACH '{{}}' AS base; CREATE TABLE base.game AS {_GAMES}; DETACH base")}


def _sqlite() -> dict[str, bytes]:
    def save(path: Path) -> None:
        with closing(sqlite3.connect(path)) as base:
            base.executescript(_SQLITE)

    return {"sqlite": saved(save)}


def _arrow() -> dict[str, bytes]:
    try:
        import pyarrow
        from pyarrow import ipc
    except ImportError:
        return {"none": b"ARROW1\0\0"}
    columns = {"white": ["Ann", "Bob"], "black": ["Bob", "Cid"], "result": ["1-0", "0-1"]}
    table, made = pyarrow.table(columns), {}
    for name, form in (("file", ipc.new_file), ("stream", ipc.new_stream)):
        kept = io.BytesIO()
        with form(kept, table.schema) as writer:
            writer.write_table(table)
        made[name] = kept.getvalue()
    return made


TARGETS = (
    Target("database-arrow", _read("arrow"), ".arrow", made=_arrow),
    Target("database-duckdb", _read("database"), ".duckdb", made=_duckdb),
    Target("database-parquet", _read("parquet"), ".parquet", made=_parquet),
    Target("database-sqlite", _read("database"), ".sqlite", made=_sqlite),
)
