"""Games piece by piece are those that are read at once: players, order, columns, what is said."""

from __future__ import annotations

import sqlite3
import warnings
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import yardstone
from yardstone.errors import IgnoredWarning, InputError, NoGamesError
from yardstone.examples import example
from yardstone.pool import Pool
from yardstone.records import read
from yardstone.records.reading import estimated_games
from yardstone.records.sources import Source
from yardstone.records.streaming import game_stream
from yardstone.web.sent_files import file_label

pytestmark = pytest.mark.filterwarnings("ignore::yardstone.errors.SkippedWarning")

ROWS = """white,black,result,date,Event
Ann,Bob,1-0,2020-01-05,Cup
Bob,Cid,1/2-1/2,2020,Cup
Cid,,0-1,2020-02-01,Cup
Ann,Cid,0-1,2020-03-01,League
Dora,Ann,*,2020-03-02,League
Bob,Ann,1-0,,Cup
Eve,Bob,0-1,2020-04,League
"""


def same(stream: Any, pool: Pool) -> None:
    batches = list(stream)
    assert tuple(stream.players) == pool.players
    assert stream.games == len(pool) == sum(map(len, batches))
    assert (stream.ordered, stream.skipped) == (pool.ordered, pool.skipped)
    for name in ("first", "second", "score", *(() if pool.time is None else ("time",))):
        parts = np.concatenate([getattr(batch, name) for batch in batches])
        np.testing.assert_array_equal(parts, getattr(pool, name))
    for name, column in pool.columns.items():
        whole = np.concatenate([batch.columns[name].astype(column.dtype) for batch in batches])
        assert [str(value) for value in whole] == [str(value) for value in column]


def made(folder: Path, kind: str) -> Path:
    """Write the rows into a table or database of this kind."""
    table, path = folder / "games.csv", folder / f"games.{kind}"
    table.write_text(ROWS)
    rows = f"(SELECT * FROM read_csv('{table}', all_varchar = true))"
    by = "FORMAT parquet, PARTITION_BY (Event), WRITE_PARTITION_COLUMNS true"
    if kind == "sqlite":
        cells = [line.split(",") for line in ROWS.splitlines()[1:]]
        with closing(sqlite3.connect(path)) as lite, lite:
            lite.execute("CREATE TABLE game (white, black, result, date, Event)")
            lite.executemany("INSERT INTO game VALUES (?, ?, ?, ?, ?)", cells)
    elif kind == "duckdb":
        with duckdb.connect(path) as base:
            base.execute(f"CREATE TABLE game AS FROM {rows}")
    elif kind != "csv":
        duckdb.execute(f"COPY {rows} TO '{path}'" + (f" ({by})" if kind == "parts" else ""))
    return path


@pytest.mark.parametrize("kind", ["csv", "parts", "json", "duckdb", "sqlite"])
def test_tables(kind: str, tmp_path: Path) -> None:
    path = made(tmp_path, kind)
    options: dict[str, Any] = {"columns": ["Event"], "skip_unread": True}
    same(game_stream(path, rows=1000, **options), read(path, **options))
    options["where"] = "Event = 'Cup'"
    same(game_stream(path, rows=2, memory=200_000_000, **options), read(path, **options))
    if kind in ("duckdb", "sqlite"):
        sql = "SELECT * FROM game WHERE Event = 'Cup'"
        pool = yardstone.query(sql, path, skip_unread=True)
        same(game_stream(path, query=sql, rows=2, skip_unread=True), pool)


def test_several_files_share_their_players(tmp_path: Path) -> None:
    paths = [made(tmp_path, "csv"), example("league.csv")]
    same(game_stream(*paths, rows=4, skip_unread=True), read(*paths, skip_unread=True))
    same(game_stream(example("swiss.trf"), rows=10), read(example("swiss.trf")))


def test_files_of_names(tmp_path: Path) -> None:
    path = made(tmp_path, "csv")
    lists: dict[str, Any] = {}
    for name, text in (
        ("synonyms", "Anna,Ann\nNobody,None of them\n"), ("include", "Ann\nBob\nCid\nZoe\n"),
        ("exclude", "Cid\n"),
    ):  # fmt: skip
        lists[name] = tmp_path / name
        lists[name].write_text(text)
    said = []
    for rows in (None, 2):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            if rows is None:
                pool = read(path, skip_unread=True, **lists)
            else:
                same(game_stream(path, rows=rows, skip_unread=True, **lists), pool)
        said.append({str(one.message) for one in told if one.category is IgnoredWarning})
    assert said[0] == said[1] != set()


def test_what_is_refused_is_refused_in_the_same_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("white,black,result\n" + "Ann,Bob,yes\n" * 9)
    with pytest.raises(InputError) as at_once:
        read(path)
    with pytest.raises(InputError) as by_pieces:
        list(game_stream(path))
    assert str(by_pieces.value) == str(at_once.value)
    with pytest.raises(NoGamesError, match="leaves no game"):
        list(game_stream(made(tmp_path, "csv"), where="Event = 'Nowhere'"))
    monkeypatch.setenv("HOME", str(tmp_path))  # where DuckDB looks for extensions
    for address in ("s3://bucket/games.parquet", "https://example.org/games.parquet"):
        with pytest.raises(InputError, match=r"extension httpfs.*INSTALL httpfs"):
            list(game_stream(query=f"SELECT * FROM '{address}'"))


def test_the_name_of_an_upload_is_no_address(tmp_path: Path) -> None:
    named = Source("https://example.org/games.csv", made(tmp_path, "csv"))
    assert len(list(game_stream(named, skip_unread=True))) == 1
    assert "/" not in file_label(named.name, 120)


def test_the_number_of_games_is_known_or_estimated(tmp_path: Path) -> None:
    assert estimated_games([str(made(tmp_path, "parts"))]) == 7
    assert 0 < estimated_games([str(tmp_path / "games.csv")]) < 40
    with pytest.raises(InputError):
        estimated_games([str(tmp_path / "nothing.csv")])
