"""Games piece by piece are those that are read at once: players, order, columns, what is said."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
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
    assert stream.ordered == pool.ordered
    assert stream.skipped == pool.skipped
    for name in ("first", "second", "score"):
        parts = [getattr(batch, name) for batch in batches]
        assert np.array_equal(np.concatenate(parts), getattr(pool, name))
    if pool.time is not None:
        time = np.concatenate([batch.time for batch in batches])
        assert np.array_equal(time, pool.time, equal_nan=True)
    for name, column in pool.columns.items():
        whole = np.concatenate([batch.columns[name].astype(column.dtype) for batch in batches])
        assert [str(value) for value in whole] == [str(value) for value in column]


def csv(folder: Path) -> Path:
    path = folder / "games.csv"
    path.write_text(ROWS)
    return path


def made(folder: Path, name: str, command: str) -> Path:
    """Write the rows by DuckDB, into a database of the name or to a file."""
    path = folder / name
    rows = f"(SELECT * FROM read_csv('{csv(folder)}', all_varchar = true))"
    with closing(duckdb.connect(str(path) if name.endswith(".duckdb") else ":memory:")) as base:
        base.execute(command.format(rows=rows, path=path))
    return path


def parts(folder: Path) -> Path:
    by = "FORMAT parquet, PARTITION_BY (Event), WRITE_PARTITION_COLUMNS true"
    return made(folder, "games", f"COPY {{rows}} TO '{{path}}' ({by})")


def json(folder: Path) -> Path:
    return made(folder, "games.json", "COPY {rows} TO '{path}'")


def database(folder: Path) -> Path:
    return made(folder, "games.duckdb", "CREATE TABLE game AS FROM {rows}")


def sqlite(folder: Path) -> Path:
    path = folder / "games.sqlite"
    rows = [line.split(",") for line in ROWS.splitlines()[1:]]
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("CREATE TABLE game (white, black, result, date, Event)")
        base.executemany("INSERT INTO game VALUES (?, ?, ?, ?, ?)", rows)
    return path


@pytest.mark.parametrize("kind", [csv, parts, json, database, sqlite])
def test_tables(kind: Callable[[Path], Path], tmp_path: Path) -> None:
    path = kind(tmp_path)
    options: dict[str, Any] = {"columns": ["Event"], "skip_unread": True}
    same(game_stream(path, rows=1000, **options), read(path, **options))
    options["where"] = "Event = 'Cup'"
    same(game_stream(path, rows=2, memory=200_000_000, **options), read(path, **options))


def test_several_files_share_their_players(tmp_path: Path) -> None:
    paths = [csv(tmp_path), example("league.csv")]
    same(game_stream(*paths, rows=4, skip_unread=True), read(*paths, skip_unread=True))
    same(game_stream(example("swiss.trf"), rows=10), read(example("swiss.trf")))


def test_a_query(tmp_path: Path) -> None:
    sql = "SELECT * FROM game WHERE Event = 'Cup'"
    for path in (database(tmp_path), sqlite(tmp_path)):
        pool = yardstone.query(sql, path, skip_unread=True)
        same(game_stream(path, query=sql, rows=2, skip_unread=True), pool)


def test_files_of_names(tmp_path: Path) -> None:
    synonyms, include, exclude = (tmp_path / name for name in ("same", "in", "out"))
    synonyms.write_text("Anna,Ann\nNobody,None of them\n")
    include.write_text("Ann\nBob\nCid\nZoe\n")
    exclude.write_text("Cid\n")
    options: dict[str, Any] = {"synonyms": synonyms, "include": include, "exclude": exclude}
    with pytest.warns(IgnoredWarning) as read_at_once:
        pool = read(csv(tmp_path), skip_unread=True, **options)
    with pytest.warns(IgnoredWarning) as by_pieces:
        same(game_stream(csv(tmp_path), rows=2, skip_unread=True, **options), pool)
    said = [
        {str(one.message) for one in result if one.category is IgnoredWarning}
        for result in (read_at_once, by_pieces)
    ]
    assert said[0] == said[1] != set()


def test_what_cannot_be_read_is_refused_in_the_same_words(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text("white,black,result\n" + "Ann,Bob,yes\n" * 9)
    with pytest.raises(InputError) as at_once:
        read(path)
    with pytest.raises(InputError) as by_pieces:
        list(game_stream(path))
    assert str(by_pieces.value) == str(at_once.value)


def test_a_condition_that_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(NoGamesError, match="leaves no game"):
        list(game_stream(csv(tmp_path), where="Event = 'Nowhere'"))


def test_without_httpfs_a_query_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # where DuckDB looks for extensions
    for address in ("s3://bucket/games.parquet", "https://example.org/games.parquet"):
        with pytest.raises(InputError, match=r"extension httpfs.*INSTALL httpfs"):
            list(game_stream(query=f"SELECT * FROM '{address}'"))


def test_the_name_of_an_upload_is_no_address(tmp_path: Path) -> None:
    path = tmp_path / "0000"
    path.write_bytes(csv(tmp_path).read_bytes())
    named = Source("https://example.org/games.csv", path)
    assert len(list(game_stream(named, skip_unread=True))) == 1
    assert "/" not in file_label(named.name, 120)


def test_the_number_of_games_is_known_or_estimated(tmp_path: Path) -> None:
    assert estimated_games([str(parts(tmp_path))]) == 7
    rows = csv(tmp_path)
    assert 0 < estimated_games([str(rows)]) < 40
    with pytest.raises(InputError):
        estimated_games([str(tmp_path / "nothing.csv")])
