# ruff: noqa: E501
"""Wrong queries: one line that says where and what to do."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

import yardstone
from yardstone.errors import InputError
from yardstone.records.query_errors import file_error
from yardstone.records.table_files import connection_for

#: Words of databases that nobody needs to know.
JARGON = "Error: binding Binder Catalog Parser LINE DESCRIBE exception { ^".split()
ROW = "'A' AS white, 'B' AS black, '1-0' AS result"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("queries")
    head, good, bad = "white,black,result,elo\n", "A,B,1-0,2400\n", "B,A,0-1,x\n"
    (folder / "games.csv").write_text(head + good + bad)
    (folder / "odd.csv").write_text(head + good * 30_000 + bad)
    (folder / "broken.parquet").write_bytes(b"PAR1xxxxPAR1")
    (folder / "bad.json").write_text('{"white": "A"}\n{"white": ')
    with duckdb.connect(folder / "g.duckdb") as base:
        base.execute(f"CREATE TABLE games AS SELECT {ROW}")
        base.execute("CREATE TABLE other (x INTEGER)")
    with closing(sqlite3.connect(folder / "g.sqlite")) as lite, lite:
        lite.execute("CREATE TABLE games (white, black, result)")
    return folder


@pytest.mark.parametrize(
    ("sql", "database", "said"),
    [
        ("SELEC * FROM 'games.csv'", None, "at character 1: the query cannot be understood at 'SELEC'"),
        ("SELECT whte, black FROM 'games.csv'", None, "at character 8: there is no column 'whte', did you mean 'white'? There are white, black, result, elo"),
        ("SELECT 'Ä', whte FROM 'games.csv'", None, "at character 13: there is no column 'whte'"),
        ("SELECT *\nFROM 'games.csv'\nWHERE day = 1", None, "at line 3, character 7: there is no column 'day': there are white"),
        ("SELECT * FROM 'gmaes.csv'", None, "No files found that match the pattern \"gmaes.csv\" (check its name)"),
        ("SELECT * FROM 'none/*.csv'", None, "No files found that match the pattern \"none/*.csv\""),
        ("SELECT * FROM games", None, "there is no table 'games' (name a file"),
        ("SELECT * FROM 'games.pgn'", None, "a query cannot read 'games.pgn' (read it without --query"),
        ("SELECT * FROM 'games.csv' a JOIN 'games.csv' b ON a.white = b.black WHERE white = 'A'", None, "at character 75: Ambiguous reference to column name \"white\" (use: 'a.white' or 'b.white')"),
        ("SELECT white, foo(black) FROM 'games.csv'", None, "at character 15: there is no function 'foo'"),
        ("SELECT * FROM 'games.csv' WHERE white > 'x' + 1", None, "at character 45: Could not choose a best candidate function for the function call \"+("),
        ("SELECT white, black, result FROM 'odd.csv' WHERE elo > 1", None, "Line: 30002 Original Line: B,A,0-1,x Error when converting column \"elo\"."),
        ("SELECT * FROM 'broken.parquet'", None, "'broken.parquet' (is the file damaged, or not what its name says?)"),
        ("SELECT * FROM 'bad.json'", None, "Malformed JSON in file \"bad.json\", at byte 11 in line 3"),
        ("SELECT * FROM \"games.csv", None, "at character 15: unterminated quoted identifier"),
        (" ; ", None, "the query is empty"), ("SELECT 1; SELECT 2", None, "these are 2 queries"),
        ("SELECT * FROM 'https://example.invalid/x.csv'", None, "files on other computers cannot be read"),
        ("DROP TABLE games", "g.duckdb", "a query can only read"),
        ("SELECT * FROM game", "g.duckdb", "there is no table 'game', did you mean 'games'? There are games, other"),
        ("SELECT * FROM games WHERE results = 1", "g.duckdb", "did you mean 'result'?"),
        ("SELECT * FROM games", "games.csv", "this is not a database of DuckDB or SQLite"),
        ("SELECT * FROM games", "none.db", "no such database"),
        ("SELECT whit FROM games", "g.sqlite", "no such column: whit"),
        ("SELEC FROM games", "g.sqlite", "near \"SELEC\": syntax error"),
        ("DROP TABLE games", "g.sqlite", "a query can only read"),
    ],
)  # fmt: skip
def test_each_is_one_clear_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, sql: str, database: str | None, said: str
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(InputError) as caught:
        yardstone.query(sql, database)
    message = str(caught.value)
    assert said in message
    assert message.startswith(f"{database or 'query'}: ")
    assert "\n" not in message
    assert len(message) < 400
    assert not [word for word in JARGON if word in message.replace(sql, "")]


def test_right_queries_are_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for sql in (
        "SELECT * FROM 'games.csv';",
        "FROM 'games.csv' -- all of them",
        "WITH g AS (SELECT * FROM 'games.csv') SELECT white, black, result FROM g",
        "SELECT white, black, result FROM 'games.csv' UNION ALL VALUES ('Ä', 'Ö', '1-0')",
    ):
        assert len(yardstone.query(sql)) >= 2
    with pytest.raises(InputError, match=r"^broken\.parquet: .*is the file damaged, or not"):
        yardstone.read("broken.parquet")


def test_a_database_of_sqlite_that_is_damaged_or_does_more_than_it_may(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(f"CREATE VIEW outside AS SELECT {ROW}, file FROM pragma_database_list")
        base.execute(f"CREATE TABLE g AS SELECT {ROW}")
    sound = path.read_bytes()
    for sql, said in (
        ("SELECT * FROM outside", "unsafe use of virtual table"),
        ("DELETE FROM g RETURNING *", "a query can only read"),
        ("INSERT INTO g SELECT * FROM g RETURNING *", "a query can only read"),
        ("SELECT *, hex(zeroblob(262144)) AS x FROM g", "a value in it is longer than 512 KiB"),
    ):
        with pytest.raises(InputError, match=said):
            yardstone.query(sql, path)
    assert path.read_bytes() == sound
    assert len(yardstone.query("SELECT *, hex(zeroblob(262143)) AS x FROM g", path)) == 1
    for damaged, said in (
        (sound.replace(b"white", b"wh\xa7te"), "not text in UTF-8"),
        (sound[:100] + bytes(len(sound) - 100), "malformed"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=said):
            yardstone.read(path)


@pytest.mark.parametrize("setting", ["max_temp_directory_size = '1MB'", "temp_directory = ''"])
def test_a_full_disk_and_too_little_memory(setting: str) -> None:
    """Neither is taken for a damaged table."""

    def make() -> None:
        with connection_for("games", memory=20_000_000) as connection:
            connection.execute(f"SET {setting}")
            connection.execute("CREATE TABLE t AS SELECT i, hash(i) FROM range(2000000) r(i)")

    with pytest.raises(InputError, match=r"games: .*memory.*, or no room for.*--memory.*TMPDIR"):
        make()


def test_an_error_that_quotes_what_is_nested_too_deep() -> None:
    error = file_error(duckdb.InvalidInputException("Invalid Input Error: " + '{"a":' * 5000), "x")
    assert str(error).startswith("x: ")
