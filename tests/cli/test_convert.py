from __future__ import annotations

import csv
import gzip
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import yardstone
from tests.skipping import read_skipping
from yardstone.cli.main import main
from yardstone.pool import Pool
from yardstone.records.decoding import escape_cell, plain_cell
from yardstone.records.sgf import read_games

SGF = """(;GM[1]SZ[19]PB[Ann]BR[3d]PW[Bob]WR[2d]KM[650]HA[0]RE[B+3.5]DT[2021-11-07];B[pd];W[dp])
(;GM[1]SZ[9]PB[Bob]PW["Eve \\\\ Öst"]KM[5.5]RE[W+R]DT[2021-11-08 10:48]EV[Cup, 1];B[ee])
(;GM[1]PB[Eve]PW[Ann]RE[0];B[dd])
(;GM[1]PB[Ann]PW[Bob]RE[?];B[dd])
"""


@pytest.fixture
def sgf(tmp_path: Path) -> Path:
    path = tmp_path / "games.sgf"
    path.write_text(SGF)
    return path


def content(pool: Pool) -> list[tuple[str, str, float, str]]:
    assert pool.time is not None
    return [
        (pool.players[a], pool.players[b], float(s), str(t))
        for a, b, s, t in zip(pool.first, pool.second, pool.score, pool.time, strict=True)
    ]


@pytest.mark.parametrize(
    "target",
    ["a.csv", "a.tsv", "a.json", "a.jsonl", "a.parquet", "a.pgn", "a.pgn.gz", "a.csv.zst", "a.sgf"],
)
def test_every_format_gives_the_same_games(sgf: Path, tmp_path: Path, target: str) -> None:
    table = tmp_path / "first.csv"
    assert main(["convert", str(sgf), "-o", str(table)]) == 0
    output = tmp_path / target
    assert main(["convert", str(table), "-o", str(output), "-q"]) == 0
    expected = content(read_skipping(sgf, times=True))
    assert content(yardstone.read(output, times=True)) == expected
    assert expected[1][:3] == ("Bob", '"Eve \\ Öst"', 0.0)
    again = tmp_path / "again.csv"
    assert main(["convert", str(output), "-o", str(again), "-q"]) == 0
    assert content(yardstone.read(again, times=True)) == expected
    if target != "a.sgf" and not target.startswith("a.pgn"):
        assert again.read_text() == table.read_text()


def test_columns_are_kept(sgf: Path, tmp_path: Path) -> None:
    table = tmp_path / "out.json"
    assert main(["convert", str(sgf), "-o", str(table)]) == 0
    rows = json.loads(table.read_text())
    assert rows[0] == {
        "first": "Ann", "second": "Bob", "score": 1, "time": "2021-11-07", "size": 19,
        "komi": 6.5, "handicap": 0, "black_rank": "3d", "white_rank": "2d",
        "written_result": "B+3.5", "event": None, "moves": 2,
    }  # fmt: skip
    back = tmp_path / "back.sgf"
    assert main(["convert", str(table), "-o", str(back)]) == 0
    game = next(iter(read_games(back)))
    assert (game.komi, game.result, game.black_rank, game.size) == (6.5, "B+3.5", "3d", 19)


def test_records_keep_their_moves(sgf: Path, tmp_path: Path) -> None:
    output = tmp_path / "repaired.sgf"
    assert main(["convert", str(sgf), "-o", str(output)]) == 0
    games = list(read_games(output))
    assert [game.moves.tolist() for game in games] == [[72, 288], [40], [60], [60]]
    assert "KM[6.5]" in output.read_text()


def test_what_is_left_out_is_said(
    sgf: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", str(sgf), "-o", str(tmp_path / "out.pgn")]) == 0
    said = capsys.readouterr().err
    assert "3 games written" in said
    assert "1 record was skipped: 1 result without a winner" in said
    assert "games.sgf:4: result '?' names no winner" in said
    assert "repaired 1 times: komi written without its decimal point" in said
    assert "moves and comments are not kept, only results" in said
    assert "stands as White" in said
    table = tmp_path / "more.csv"
    table.write_text("first,second,score,weather\nAnn,Bob,1,rain\n")
    assert main(["convert", str(table), "-o", str(tmp_path / "out.sgf")]) == 0
    assert "column 'weather' has no place in sgf" in capsys.readouterr().err
    assert main(["convert", str(table), "-o", str(tmp_path / "out.sgf"), "-q"]) == 0
    assert capsys.readouterr().err == ""


def test_columns_that_would_be_taken_for_others_are_renamed(tmp_path: Path) -> None:
    table = tmp_path / "in.csv"
    table.write_text("white,black,score,winner,date,day\nAnn,Bob,1,nobody,2020-01-02,Monday\n")
    output = tmp_path / "out.csv"
    assert main(["convert", str(table), "-o", str(output), "-q"]) == 0
    assert output.read_text().splitlines() == [
        "first,second,score,time,written_winner,written_day",
        "Ann,Bob,1,2020-01-02,nobody,Monday",
    ]


def test_pgn_tags_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pgn = tmp_path / "in.pgn"
    pgn.write_text(
        '[Event "Cup \\"A\\""]\n[Round "3"]\n[White "Ann"]\n[Black "Bob"]\n[WhiteElo "2100"]\n'
        '[Date "2020.01.02"]\n[Result "1/2-1/2"]\n\n1. e4 1/2-1/2\n'
    )
    assert main(["convert", str(pgn), "--to", "pgn", "-q"]) == 0
    assert capsys.readouterr().out == (
        '[Event "Cup \\"A\\""]\n[Site "?"]\n[Date "2020.01.02"]\n[Round "3"]\n[White "Ann"]\n'
        '[Black "Bob"]\n[Result "1/2-1/2"]\n[WhiteElo "2100"]\n\n1/2-1/2\n\n'
    )


def test_columns_of_a_table_can_be_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "in.csv"
    table.write_text("Home,Guest,R,City\nAnn,Bob,1,Bonn\n")
    names = "first=Home,second=Guest,score=R,town=City"
    assert main(["convert", str(table), "--columns", names]) == 0
    assert capsys.readouterr().out == "first,second,score,town\nAnn,Bob,1,Bonn\n"


def test_a_query_is_converted(capsys: pytest.CaptureFixture[str]) -> None:
    sql = "SELECT 'Ann' AS white, 'Bob' AS black, '1-0' AS result, 7 AS n"
    assert main(["convert", "--query", sql, "--to", "jsonl"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "first": "Ann", "second": "Bob", "score": 1, "n": 7,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["games.sgf", "-o", "out.xyz"], 2, "which format?"),
        (["games.sgf", "--to", "parquet"], 2, "Parquet is not text"),
        (["--quiet"], 2, "name a file of results"),
        (["missing.sgf"], 1, "no such file"),
        (["games.sgf", "-o", "nowhere/out.csv"], 1, "no such folder"),
        (["games.sgf", "--strict", "-o", "out.csv"], 1, "games.sgf:4: result '?' names no winner"),
        (["games.sgf", "--from", "tarot"], 2, "there is no format 'tarot'"),
    ],
)
def test_errors(
    sgf: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
    message: str,
) -> None:
    monkeypatch.chdir(sgf.parent)
    assert main(["convert", *arguments]) == status
    assert message in capsys.readouterr().err
    assert sorted(path.name for path in sgf.parent.iterdir()) == ["games.sgf"]


def test_what_stood_there_stays_if_anything_fails(sgf: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.sgf"
    output.write_text("before")
    sgf.write_text(SGF + "(;SZ[99])")
    assert main(["convert", str(sgf), "--strict", "-o", str(output)]) == 1
    assert output.read_text() == "before"
    assert main(["convert", str(sgf), "-o", str(output)]) == 0
    assert len(list(read_games(output))) == 4


def test_compressed_output(sgf: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.csv.gz"
    assert main(["convert", str(sgf), "-o", str(output), "-q"]) == 0
    packed = output.read_bytes()
    assert gzip.decompress(packed).startswith(b"first,second,score,time")
    assert packed[3:8] == bytes(5), "no name and no time: the same games come to the same bytes"


def test_a_rating_list_says_what_was_put_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.sgf"
    results = ["AB1", "BA1", "BC1", "CB1", "CA0", "AC1", "AB2", "BC2", "CA2", "AB0"]
    path.write_text(
        "".join(
            f"(;PB[{one}]PW[{two}]KM[650]RE[{'0BW'[int(n)]}{'+' * (n > '0')}])"
            for one, two, n in map(tuple, results)
        )
        + "(;PB[A]PW[B])"
    )
    assert main(["rate", str(path)]) == 0
    said = capsys.readouterr().out
    assert "Skipped: 3 records" in said
    assert "Repaired:\n  10 × komi written without its decimal point" in said


FORMULAS = ["=HYPERLINK(1)", "'=1", "''@SUM(A1)", "@x", "+1+cmd|' /C calc'!A0", "-x", "=a,b"]
SOUND = ["'t Hooft", "O'Neil", "+-", "-5", "'", "''", '"quoted"']


@given(st.text(alphabet="'=+-@\t\r:/ .5eA%") | st.text())
@example("'=1")
@example("-1e5%")
def test_every_cell_comes_back_and_begins_no_formula(text: str) -> None:
    cell = escape_cell(text)
    assert plain_cell(cell) == text
    if cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        assert re.fullmatch(r"[-+=:/ ]+|[-+][\d.]+([eE][-+]?\d+)?%?", cell)


def test_numbers_are_no_text() -> None:
    assert [escape_cell(value) for value in (-1.5, None, True, "", "-1.5", "=")] == [
        *(-1.5, None, True, "", "-1.5", "=")
    ]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz", "a.parquet", "a.jsonl"])
def test_names_that_are_formulas_come_back(tmp_path: Path, name: str) -> None:
    names = [*FORMULAS, *SOUND]
    games = tmp_path / "games.jsonl"
    pairs = zip(names, [*names[1:], names[0]], strict=True)
    games.write_text(
        "".join(json.dumps({"white": a, "black": b, "result": "1-0"}) + "\n" for a, b in pairs)
    )
    assert main(["convert", str(games), "-o", str(tmp_path / name), "-q"]) == 0
    again = tmp_path / "again.csv"
    assert main(["convert", str(tmp_path / name), "-o", str(again), "-q"]) == 0
    for path in (tmp_path / name, again):
        assert set(yardstone.read(path).players) == set(names)
    assert main(["rate", str(again), "-o", str(tmp_path / "list.csv"), "-q"]) == 0
    for path in (again, tmp_path / "list.csv"):
        rows = csv.DictReader(io.StringIO(path.read_text()))
        column = "player" if path.name == "list.csv" else "first"
        cells = [row[column] for row in rows]
        assert {plain_cell(cell) for cell in cells} == set(names)
        assert {cell for cell in cells if cell[0] in "=+-@"} == {"+-", "-5"}
