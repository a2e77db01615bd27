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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("games.csv").write_text("white,black,result,elo\nA,B,1-0,2400\nB,A,0-1,x\n")
    Path("odd.csv").write_text(
        "white,black,result,elo\n" + "A,B,1-0,2400\n" * 30_000 + "B,A,0-1,x\n"
    )
    Path("broken.parquet").write_bytes(b"PAR1xxxxPAR1")
    Path("bad.json").write_text('{"white": "A"}\n{"white": ')
    with duckdb.connect("g.duckdb") as base:
        base.execute("CREATE TABLE games AS SELECT 'A' white, 'B' black, '1-0' result")
        base.execute("CREATE TABLE other (x INTEGER)")
    with closing(sqlite3.connect("g.sqlite")) as lite, lite:
        lite.execute("CREATE TABLE games (white, black, result)")
        lite.execute("CREATE TABLE other (x)")
    return tmp_path


@pytest.mark.parametrize(
    ("sql", "database", "said"),
    [
        ("SELEC * FROM 'games.csv'", None, "at character 1: the query cannot be understood at 'SELEC'"),
        ("SELECT whte, black FROM 'games.csv'", None, "at character 8: there is no column 'whte', did you mean 'white'? There are white, black, result, elo"),
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
def test_each_is_one_clear_line(folder: Path, sql: str, database: str | None, said: str) -> None:
    with pytest.raises(InputError) as caught:
        yardstone.query(sql, database)
    message = str(caught.value)
    assert said in message
    assert message.startswith(f"{database or 'query'}: ")
    assert "\n" not in message
    assert len(message) < 400
    plain = message.replace(sql, "")
    assert not [word for word in JARGON if word in plain]
    assert not (folder / "x.csv").exists()


def test_right_queries_are_run(folder: Path) -> None:
    for sql in (
        "SELECT * FROM 'games.csv';",
        "FROM 'games.csv' -- all of them",
        "WITH g AS (SELECT * FROM 'games.csv') SELECT white, black, result FROM g",
        "SELECT white, black, result FROM 'games.csv' UNION ALL VALUES ('Ä', 'Ö', '1-0')",
    ):
        assert len(yardstone.query(sql)) >= 2
    with pytest.raises(InputError, match=r"^broken\.parquet: .*is the file damaged, or not"):
        yardstone.read("broken.parquet")
    with pytest.raises(InputError, match=r"at character 13: there is no column 'whte'"):
        yardstone.query("SELECT 'Ä', whte FROM 'games.csv'")


def test_a_damaged_database_of_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE game (white, black, result)")
        base.execute("INSERT INTO game VALUES ('Ann', 'Bob', '1-0')")
        base.commit()
    sound = path.read_bytes()
    path.write_bytes(sound.replace(b"white", b"wh\xa7te"))
    with pytest.raises(InputError, match="not text in UTF-8"):
        yardstone.read(path)
    path.write_bytes(sound[:100] + bytes(len(sound) - 100))
    with pytest.raises(InputError, match="malformed"):
        yardstone.read(path)


def test_what_a_database_of_sqlite_may_do(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    row = "'A' AS white, 'B' AS black, '1-0' AS result"
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(f"CREATE VIEW outside AS SELECT {row}, file FROM pragma_database_list")
        base.execute(f"CREATE TABLE g AS SELECT {row}")
    before = path.read_bytes()
    with pytest.raises(InputError, match="unsafe use of virtual table"):
        yardstone.query("SELECT * FROM outside", path)
    for sql in ("DELETE FROM g RETURNING *", "INSERT INTO g SELECT * FROM g RETURNING *"):
        with pytest.raises(InputError):
            yardstone.query(sql, path)
    assert path.read_bytes() == before
    assert len(yardstone.query("SELECT *, hex(zeroblob(262143)) AS x FROM g", path)) == 1
    with pytest.raises(InputError, match="a value in it is longer than 512 KiB"):
        yardstone.query("SELECT *, hex(zeroblob(262144)) AS x FROM g", path)


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
    quoted = '{"a":' * 5000
    error = file_error(duckdb.InvalidInputException(f"Invalid Input Error: {quoted}"), "games.csv")
    assert str(error).startswith("games.csv: ")
