"""Conditions on games: what they mean, in every format."""

from __future__ import annotations

import operator
import sqlite3
from contextlib import closing
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yardstone
from tests.records.pools import games
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.pool import SkipReport
from yardstone.records.where import Where

ROWS = {
    "Termination": ["time forfeit", "normal", "", "Time forfeit", "adjudication"],
    "Elo": ["2400", "2399.5", "", "?", "12000"],
    "Date": ["2018.12.14", "2018.??.??", "2019-01-02 10:00", "", "????.??.??"],
    "Other": ["2399.5", "2399.5", "x", "?", "900"], "Rated": ["true", "False", "", "1", "maybe"],
}  # fmt: skip


SIGNS = {"=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le,
         ">": operator.gt, ">=": operator.ge}  # fmt: skip
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def chosen(text: str) -> list[int]:
    where = Where(text)
    lower = {name.casefold(): name for name in ROWS}
    columns = {
        name: np.array(ROWS[lower[name.casefold()]], np.dtypes.StringDType())
        for name in where.names
    }
    return np.flatnonzero(where.of(columns, 5, SkipReport())).tolist()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Termination = 'time forfeit'", [0]),
        ("termination <> 'time forfeit'", [1, 2, 3, 4]),  # also of the game that says nothing
        ("Termination NOT IN ('time forfeit', 'normal')", [2, 3, 4]),
        ("Termination ILIKE 'time%' OR Termination LIKE '_ormal'", [0, 1, 3]),
        ("Termination IS NULL", [2]), ("NOT Termination IS NULL AND NOT (Elo > 2000)", [3]),
        ("Elo >= 2400", [0, 4]), ("'2400' <= Elo", [0, 4]), ("Elo BETWEEN 2399 AND 2400", [0, 1]),
        ("Elo > Other", [0, 4]), ("Elo = Other", [1, 3]), ("Date < '2019-01-02'", [0, 1]),
        ("Date = '2019.01.02'", [2]),
        ("Date >= 2019-01-02 OR Date BETWEEN 2018.12.14 AND 2018.12.15", [0, 2]),
        ("Date >= '2019-01-02 10:01'", []), ("Date > '2018-12-13 23:59'", [0, 2]),
        ("Rated", [0, 3]), ("Rated = FALSE OR Elo = -1", [1]), ('"Elo" = +2.4e3', [0]),
        ("1 = 1", [0, 1, 2, 3, 4]), ("NOT " * 99 + "Elo = 2400", [1, 2, 3, 4]),
        (" " * 9_990 + "Elo = 2400", [0]), ("Termination = 'it''s'", []),
        ("Termination LIKE '%f_rfeit'", [0, 3]), ("Termination LIKE 'NORMAL'", []),
        ("Elo IN ('2400', '?')", [0, 3]), ("Elo NOT BETWEEN 2399.5 AND 2400", [2, 3, 4]),
    ],
)  # fmt: skip
def test_meaning(text: str, rows: list[int]) -> None:
    assert chosen(text) == rows


def test_errors_say_where() -> None:
    for text, said in (
        ("", "at the beginning"), ("Elo >", "after 'Elo >'"),
        ("Elo > 5 Elo", "AND, OR or the end was expected, not 'Elo'"), ("5", "a comparison"),
        ("(Elo > 5", "a closing bracket"), ("Elo IN ()", "a name, a number or a 'text'"),
        ("Elo BETWEEN 1 OR 2", "AND was expected, not 'OR'"), ("Elo = NULL", "IS NULL"),
        ("Elo NOT 5", "LIKE, IN or BETWEEN"), ("Elo LIKE 5", "a pattern"),
        ("Elo = 'x", "is not closed"), ("Elo = 5; DROP", "';' has no meaning here"),
        ("read_csv('/etc/passwd') = 1", "there are no functions"),
        ("Elo = (SELECT 1)", "a name, a number or a 'text'"),
        ("NOT " * 100 + "Elo = 1", "more than 100 brackets or NOTs within each other"),
        (" " * 9_994 + "Elo = 1", "longer than 10,000 characters"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=r"^where: ") as error:
            Where(text)
        assert said in str(error.value), text


def test_signs() -> None:
    """Every sign on numbers, texts, dates and two names, against Python's own."""
    elos = [2400, 2399.5, nan, nan, 12000]
    days = ["2018-12-14", "2018-01-01", "2019-01-02", None, None]
    for sign, holds in SIGNS.items():

        def found(
            values: list[Any], value: Any, *, holds: Any = holds, sign: str = sign
        ) -> list[int]:
            return [
                k
                for k, each in enumerate(values)
                if (sign == "<>" if each in ("", None) else holds(each, value))
            ]

        for number in (2399.5, 2400, 12000):
            wanted = found(elos, number)
            assert chosen(f"Elo {sign} {number}") == chosen(f"Elo {sign} '{number}'") == wanted
            assert chosen(f"{number} {TURNED.get(sign, sign)} Elo") == wanted
        for text in ("normal", "time forfeit", "zz"):
            assert chosen(f"Termination {sign} '{text}'") == found(ROWS["Termination"], text)
        for day in ("2018-12-14", "2018-01-01"):
            assert chosen(f"Date {sign} '{day}'") == found(days, day)
        alike = [holds(2400, 2399.5), holds(0, 0), sign == "<>", holds("?", "?"), holds(12, 9)]
        assert chosen(f"Elo {sign} Other") == [k for k in range(5) if alike[k]]


GAMES = [
    ("Ann", "Bob", "1-0", "normal", "2500"), ("Bob", "Ann", "0-1", "time forfeit", "2400"),
    ("Ann", "Cid", "1/2-1/2", "", "2500"), ("Cid", "Bob", "1-0", "adjudication", ""),
]  # fmt: skip


HEAD = "white,black,result,Termination,WhiteElo"


def made(folder: Path, kind: str) -> Path:
    import duckdb

    path, table = folder / f"games.{kind}", folder / "games.csv"
    table.write_text("\n".join([HEAD, *(",".join(game) for game in GAMES), ""]))
    if kind == "pgn":
        lines = []
        for white, black, result, end, elo in GAMES:
            lines += [f'[White "{white}"]', f'[Black "{black}"]', f'[Result "{result}"]']
            lines += [f'[Termination "{end}"]'] * bool(end) + [f'[WhiteElo "{elo}"]'] * bool(elo)
            lines += ["", result, ""]
        path.write_text("\n".join(lines))
    elif kind == "duckdb":
        with duckdb.connect(str(path)) as connection:
            connection.execute(f"CREATE TABLE games AS SELECT * FROM read_csv('{table}')")
    elif kind == "sqlite":
        with closing(sqlite3.connect(path)) as base, base:
            base.execute(f"CREATE TABLE games ({HEAD})")
            base.executemany("INSERT INTO games VALUES (?, ?, ?, ?, ?)", GAMES)
    elif kind != "csv":
        duckdb.execute(f"COPY (SELECT * FROM read_csv('{table}')) TO '{path}'")
    return path


@pytest.mark.parametrize("kind", ["pgn", "csv", "parquet", "json", "duckdb", "sqlite"])
def test_one_meaning_in_all_formats(kind: str, tmp_path: Path) -> None:
    path = made(tmp_path, kind)
    where = "Result = '1-0' AND Termination IS NOT NULL OR whiteelo >= 2500"
    kept = [0, 2, 3]
    pool = yardstone.read(path, where=where)
    points = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
    assert games(pool) == [(GAMES[k][0], GAMES[k][1], points[GAMES[k][2]]) for k in kept]
    assert (pool.skipped.unwanted, pool.skipped.considered) == (4 - len(kept), 4)
    assert set(pool.players) == {name for k in kept for name in GAMES[k][:2]}
    assert not pool.columns
    with pytest.raises(InputError, match=r"did you mean 'Termination'.*WhiteElo"):
        yardstone.read(path, where="Terminaton = 'x'")


def test_a_usual_tag_that_no_game_has(tmp_path: Path) -> None:
    pool = yardstone.read(made(tmp_path, "pgn"), where="TimeControl <> '1+1'")
    assert len(pool) == 4
    assert pool.skipped.doubts == ["no game has TimeControl"]


def test_rows_left_out_need_no_result(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text("white,black,result,phase\nA,B,1-0,played\nB,A,?!,void\nA,C,?!,void\n")
    with pytest.raises(InputError):
        yardstone.read(path)
    pool = yardstone.read(path, where="phase = 'played'")
    assert (len(pool), pool.skipped.total, pool.players) == (1, 0, ("A", "B"))


def test_none_left(tmp_path: Path) -> None:
    with pytest.raises(NoGamesError, match=r"no game of 4 \(no Termination is 'Normal', but"):
        yardstone.read(made(tmp_path, "pgn"), where="Termination = 'Normal'")
    with pytest.raises(NoGamesError, match="no Termination is a number; one is 'normal'"):
        yardstone.read(made(tmp_path, "pgn"), where="Termination > 5")


@pytest.mark.filterwarnings("ignore::yardstone.SkippedWarning")
def test_sgf_and_tournaments() -> None:
    examples = Path(__file__).parents[2] / "src/yardstone/examples"
    assert len(yardstone.read(examples / "professional.sgf", where="komi > 5 AND size = 19")) == 1
    pool = yardstone.read(examples / "open.xml", where="round <= 2")
    whole = yardstone.read(examples / "open.xml")
    assert len(pool) == int((whole.columns["round"] <= 2).sum()) > 0
    assert list(pool.columns) == list(whole.columns)


def test_frames_and_queries(tmp_path: Path) -> None:
    import pandas

    frame = pandas.DataFrame(
        {"white": ["A", "B"], "black": ["B", "A"], "result": ["1-0", "0-1"], "elo": [2400.0, None]}
    )
    assert len(yardstone.read(frame, where="elo > 2000")) == 1
    sql = f"SELECT * FROM '{made(tmp_path, 'csv')}'"
    assert len(yardstone.query(sql, where="Termination <> 'normal'")) == 3
