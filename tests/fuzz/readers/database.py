"""Games in Parquet, Arrow and databases, which libraries open for Yardstone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz.oracles import games
from tests.fuzz.targets import Target, Wrong
from yardstone.pool import Pool
from yardstone.records.formats import read_format
from yardstone.records.options import Options
from yardstone.records.sources import Source
from yardstone.records.streaming import game_stream

__all__ = ["TARGETS"]

_ROWS = "(VALUES ('Ann', 'Bob', '1-0', DATE '2020-01-02'), ('Bob', 'Cid', '1/2-1/2', NULL))"
_GAMES = f"SELECT * FROM {_ROWS} AS game (white, black, result, date)"


def _read(name: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        """The games at once, and the same in pieces of one game."""
        whole = read_format(name, [Source(path.name, path)], Options(skip_unread=True))
        stream = game_stream(path, format=name, skip_unread=True, rows=1)
        batches = list(stream)
        pieces = [
            Pool(tuple(stream.players), each.first, each.second, each.score, each.time)
            for each in batches
        ]
        if [game for piece in pieces for game in games(piece)] != list(games(whole)):
            raise Wrong("a piece has other games")

    return read


def _parquet() -> dict[str, bytes]:
    """The same table, packed in each way."""
    return {
        packing: _written(f"COPY ({_GAMES}) TO '{{}}' (FORMAT parquet, COMPRESSION {packing})")
        for packing in ("uncompressed", "snappy", "zstd")
    }


def _databases() -> dict[str, bytes]:
    """A file of DuckDB."""
    commands = f"ATTACH '{{}}' AS base; CREATE TABLE base.game AS {_GAMES}; DETACH base"
    return {"duckdb": _written(commands)}


def _sqlite() -> dict[str, bytes]:
    """A file of SQLite."""
    import sqlite3

    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        with closing(sqlite3.connect(path)) as base:
            base.execute("PRAGMA page_size = 512")
            base.execute("CREATE TABLE game (white TEXT, black TEXT, result TEXT, date TEXT)")
            base.execute("INSERT INTO game VALUES ('Ann', 'Bob', '1-0', '2020-01-02')")
            base.execute("INSERT INTO game VALUES ('Bob', 'Cid', '1/2-1/2', NULL)")
            base.commit()
        return {"sqlite": path.read_bytes()}


def _arrow() -> dict[str, bytes]:
    """A file of Arrow in both of its forms; nothing where pyarrow is not installed."""
    import io

    try:
        import pyarrow
        from pyarrow import ipc
    except ImportError:
        return {"none": b"ARROW1\0\0"}
    columns = {"white": ["Ann", "Bob"], "black": ["Bob", "Cid"], "result": ["1-0", "0-1"]}
    table = pyarrow.table(columns)
    file, stream = io.BytesIO(), io.BytesIO()
    with ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    with ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    return {"file": file.getvalue(), "stream": stream.getvalue()}


def _written(command: str) -> bytes:
    import duckdb

    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        with closing(duckdb.connect()) as connection:
            connection.execute(command.format(path))
        return path.read_bytes()


TARGETS = (
    Target("database-arrow", _read("arrow"), ".arrow", made=_arrow),
    Target("database-duckdb", _read("database"), ".duckdb", made=_databases),
    Target("database-parquet", _read("parquet"), ".parquet", made=_parquet),
    Target("database-sqlite", _read("database"), ".sqlite", made=_sqlite),
)
