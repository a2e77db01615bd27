"""Conditions on games: what they mean, in every format, checked against DuckDB."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

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
    "Other": ["2399.5", "2399.5", "x", "?", "900"],
    "Rated": ["true", "False", "", "1", "maybe"],
}


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
        ("Termination IS NULL", [2]),
        ("NOT Termination IS NULL AND NOT (Elo > 2000)", [3]),
        ("Elo >= 2400", [0, 4]),
        ("'2400' <= Elo", [0, 4]),
        ("Elo BETWEEN 2399 AND 2400", [0, 1]),
        ("Elo > Other", [0, 4]),
        ("Elo = Other", [1, 3]),
        ("Date < '2019-01-02'", [0, 1]),
        ("Date = '2019.01.02'", [2]),
        ("Date >= 2019-01-02 OR Date BETWEEN 2018.12.14 AND 2018.12.15", [0, 2]),
        ("Date >= '2019-01-02 10:01'", []),
        ("Date > '2018-12-13 23:59'", [0, 2]),
        ("Rated", [0, 3]),
        ("Rated = FALSE OR Elo = -1", [1]),
        ('"Elo" = +2.4e3', [0]),
        ("1 = 1", [0, 1, 2, 3, 4]),
        ("NOT " * 99 + "Elo = 2400", [1, 2, 3, 4]),
        (" " * 9_990 + "Elo = 2400", [0]),
        ("Termination = 'it''s'", []),
    ],
)
def test_meaning(text: str, rows: list[int]) -> None:
    assert chosen(text) == rows


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at the beginning"),
        ("Elo >", "after 'Elo >'"),
        ("Elo > 5 Elo", "AND, OR or the end was expected, not 'Elo'"),
        ("5", "a comparison"),
        ("(Elo > 5", "a closing bracket"),
        ("Elo IN ()", "a name, a number or a 'text'"),
        ("Elo BETWEEN 1 OR 2", "AND was expected, not 'OR'"),
        ("Elo = NULL", "IS NULL"),
        ("Elo NOT 5", "LIKE, IN or BETWEEN"),
        ("Elo LIKE 5", "a pattern"),
        ("Elo = 'x", "is not closed"),
        ("Elo = 5; DROP", "';' has no meaning here"),
        ("read_csv('/etc/passwd') = 1", "there are no functions"),
        ("Elo = (SELECT 1)", "a name, a number or a 'text'"),
        ("NOT " * 100 + "Elo = 1", "more than 100 brackets or NOTs within each other"),
        (" " * 9_994 + "Elo = 1", "longer than 10,000 characters"),
    ],
)
def test_errors_say_where(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=r"^where: ") as error:
        Where(text)
    assert said in str(error.value)


def _random_condition(rng: random.Random, depth: int = 0) -> tuple[str, str]:
    """A condition in our words, and what DuckDB should make of it."""
    kind = rng.choice(["compare"] * 4 + ["like", "in", "null", "between", "names"])
    if depth < 3 and rng.random() < 0.5:
        kind = rng.choice(["and", "or", "not"])
    if kind in ("and", "or"):
        parts = [_random_condition(rng, depth + 1) for _ in range(rng.randint(2, 3))]
        join = f" {kind.upper()} "
        return "(" + join.join(p for p, _ in parts) + ")", "(" + join.join(
            q for _, q in parts
        ) + ")"
    if kind == "not":
        ours, theirs = _random_condition(rng, depth + 1)
        return f"NOT ({ours})", f"NOT ({theirs})"
    name = rng.choice(["a", "b", "day"])
    text = f"nullif({name}, '')"
    sign = rng.choice(["=", "<>", "<", "<=", ">", ">="])
    if kind == "null":
        return f"{name} IS NULL", f"{text} IS NULL"
    if kind == "like":
        pattern = "".join(rng.choice("ab%_2é") for _ in range(rng.randint(0, 4)))
        return f"{name} LIKE '{pattern}'", f"coalesce({text} LIKE '{pattern}', false)"
    if kind == "in":
        listed = ", ".join(f"'{_word(rng)}'" for _ in range(rng.randint(1, 3)))
        return f"{name} NOT IN ({listed})", f"NOT coalesce({text} IN ({listed}), false)"
    if kind == "between":
        low, high = sorted(rng.sample(range(-5, 30), 2))
        number = f"TRY_CAST({text} AS DOUBLE)"
        return (
            f"{name} BETWEEN {low} AND {high}",
            f"coalesce({number} BETWEEN {low} AND {high}, false)",
        )
    if kind == "names":
        if sign == "<>":
            return "a <> b", "NOT coalesce(" + _both("=") + ", false)"
        return f"a {sign} b", f"coalesce({_both(sign)}, false)"
    if name == "day":
        literal = f"20{rng.randint(10, 12)}-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}"
        theirs = f"TRY_CAST(replace({text}, '.', '-') AS DATE) {{}} DATE '{literal}'"
        ours = rng.choice([literal, literal.replace("-", ".")])
        ours = f"'{ours}'"
    elif rng.random() < 0.5:
        ours = f"{rng.randint(-5, 30)}"
        theirs = f"TRY_CAST({text} AS DOUBLE) {{}} {ours}"
    else:
        word = rng.choice("abé") + _word(rng)
        ours, theirs = f"'{word}'", f"{text} {{}} '{word}'"
    if sign == "<>":
        return f"{name} <> {ours}", f"NOT coalesce({theirs.format('=')}, false)"
    return f"{name} {sign} {ours}", f"coalesce({theirs.format(sign)}, false)"


def _both(sign: str) -> str:
    a, b = "TRY_CAST(nullif(a, '') AS DOUBLE)", "TRY_CAST(nullif(b, '') AS DOUBLE)"
    return (
        f"CASE WHEN {a} IS NULL OR {b} IS NULL THEN nullif(a, '') {sign} nullif(b, '') "
        f"ELSE {a} {sign} {b} END"
    )


def _word(rng: random.Random) -> str:
    return "".join(rng.choice("ab2é") for _ in range(rng.randint(0, 2)))


def test_agrees_with_duckdb_on_random_conditions() -> None:
    import duckdb

    rng = random.Random(17)
    size = 200
    rows = {
        "a": [rng.choice([_word(rng), str(rng.randint(-3, 25)), "", "7.5"]) for _ in range(size)],
        "b": [rng.choice([_word(rng), str(rng.randint(-3, 25)), "", "-0.5"]) for _ in range(size)],
        "day": [
            rng.choice(
                ["", "x", f"20{rng.randint(10, 12)}.0{rng.randint(1, 9)}.1{rng.randint(0, 9)}"]
            )
            for _ in range(size)
        ],
    }
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (row INTEGER, a VARCHAR, b VARCHAR, day VARCHAR)")
    connection.executemany(
        "INSERT INTO t VALUES (?, ?, ?, ?)", list(zip(range(size), *rows.values(), strict=True))
    )
    columns = {name: np.array(values, np.dtypes.StringDType()) for name, values in rows.items()}
    some = 0
    for _ in range(400):
        ours, theirs = _random_condition(rng)
        where = Where(ours)
        kept = where.of({name: columns[name] for name in where.names}, size, SkipReport())
        expected = connection.execute(f"SELECT row FROM t WHERE {theirs} ORDER BY row").fetchall()
        assert np.flatnonzero(kept).tolist() == [row for (row,) in expected], ours
        some += 0 < len(expected) < size
    assert some > 200


GAMES = [
    ("Ann", "Bob", "1-0", "normal", "2500"),
    ("Bob", "Ann", "0-1", "time forfeit", "2400"),
    ("Ann", "Cid", "1/2-1/2", "", "2500"),
    ("Cid", "Bob", "1-0", "adjudication", ""),
]


def _pgn(folder: Path) -> Path:
    lines = []
    for white, black, result, end, elo in GAMES:
        lines += [f'[White "{white}"]', f'[Black "{black}"]', f'[Result "{result}"]']
        lines += [f'[Termination "{end}"]'] * bool(end) + [f'[WhiteElo "{elo}"]'] * bool(elo)
        lines += ["", result, ""]
    path = folder / "games.pgn"
    path.write_text("\n".join(lines))
    return path


def _table(folder: Path) -> Path:
    path = folder / "games.csv"
    rows = ["white,black,result,Termination,WhiteElo", *(",".join(game) for game in GAMES)]
    path.write_text("\n".join(rows) + "\n")
    return path


def _made(folder: Path, kind: str) -> Path:
    if kind == "pgn":
        return _pgn(folder)
    table = _table(folder)
    if kind == "csv":
        return table
    import duckdb

    path = folder / f"games.{kind}"
    if kind == "duckdb":
        with duckdb.connect(str(path)) as connection:
            connection.execute(f"CREATE TABLE games AS SELECT * FROM read_csv('{table}')")
    elif kind == "sqlite":
        with closing(sqlite3.connect(path)) as base, base:
            base.execute("CREATE TABLE games (white, black, result, Termination, WhiteElo)")
            base.executemany("INSERT INTO games VALUES (?, ?, ?, ?, ?)", GAMES)
    else:
        duckdb.execute(f"COPY (SELECT * FROM read_csv('{table}')) TO '{path}'")
    return path


@pytest.mark.parametrize("kind", ["pgn", "csv", "parquet", "json", "duckdb", "sqlite"])
def test_one_meaning_in_all_formats(kind: str, tmp_path: Path) -> None:
    path = _made(tmp_path, kind)
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
    pool = yardstone.read(_pgn(tmp_path), where="TimeControl <> '1+1'")
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
        yardstone.read(_pgn(tmp_path), where="Termination = 'Normal'")


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
    sql = f"SELECT * FROM '{_table(tmp_path)}'"
    assert len(yardstone.query(sql, where="Termination <> 'normal'")) == 3
