from __future__ import annotations

import csv
import gzip
import json

import pytest

import yardstone
from tests.cli.calls import Command
from tests.skipping import read_skipping
from yardstone.pool import Pool
from yardstone.records.sgf import read_games

SGF = """(;GM[1]SZ[19]PB[Ann]BR[3d]PW[Bob]WR[2d]KM[650]HA[0]RE[B+3.5]DT[2021-11-07];B[pd];W[dp])
(;GM[1]SZ[9]PB[Bob]PW["Eve \\\\ Öst"]KM[5.5]RE[W+R]DT[2021-11-08 10:48]EV[Cup, 1];B[ee])
(;GM[1]PB[Eve]PW[Ann]RE[0];B[dd])
(;GM[1]PB[Ann]PW[Bob]RE[?];B[dd])
"""


@pytest.fixture(autouse=True)
def _sgf(run: Command) -> None:
    run.write("odd.sgf", SGF)


def content(pool: Pool) -> list[tuple[str, str, float, str]]:
    assert pool.time is not None
    names = ([pool.players[row] for row in side] for side in (pool.first, pool.second))
    return list(zip(*names, pool.score.tolist(), map(str, pool.time), strict=True))


def test_every_format_gives_the_same_games(run: Command) -> None:
    run("convert odd.sgf -o first.csv")
    expected = content(read_skipping("odd.sgf", times=True))
    assert expected[1][:3] == ("Bob", '"Eve \\ Öst"', 0.0)
    for ending in ("csv", "tsv", "json", "jsonl", "parquet", "pgn.gz", "csv.zst", "sgf"):
        run(f"convert first.csv -o a.{ending} -q")
        assert content(yardstone.read(f"a.{ending}", times=True)) == expected, ending
        run(f"convert a.{ending} -o again.csv -q")
        assert content(yardstone.read("again.csv", times=True)) == expected, ending
        same = run.read("again.csv") == run.read("first.csv")
        assert same == (ending not in ("sgf", "pgn.gz")), ending


def test_columns_and_moves_are_kept(run: Command) -> None:
    run("convert odd.sgf -o out.json")
    assert json.loads(run.read("out.json"))[0] == {
        "first": "Ann", "second": "Bob", "score": 1, "time": "2021-11-07", "size": 19,
        "komi": 6.5, "handicap": 0, "black_rank": "3d", "white_rank": "2d",
        "written_result": "B+3.5", "event": None, "moves": 2,
    }  # fmt: skip
    run("convert out.json -o back.sgf")
    game = next(iter(read_games("back.sgf")))
    assert (game.komi, game.result, game.black_rank, game.size) == (6.5, "B+3.5", "3d", 19)
    run("convert odd.sgf -o repaired.sgf")
    games = list(read_games("repaired.sgf"))
    assert [game.moves.tolist() for game in games] == [[72, 288], [40], [60], [60]]
    # A file is written whole or stays.
    run.write("broken.sgf", SGF + "(;SZ[99])")
    run("convert broken.sgf --strict -o repaired.sgf", status=1)
    assert len(list(read_games("repaired.sgf"))) == 4
    run("convert odd.sgf -o out.csv.gz -q")
    packed = (run.folder / "out.csv.gz").read_bytes()
    assert packed[3:8] == bytes(5), "no name and no time: the same games come to the same bytes"


def test_what_is_left_out_is_said(run: Command) -> None:
    said = run("convert odd.sgf -o out.pgn").err
    for words in (
        "3 games written",
        "odd.sgf:4: result '?' names no winner",
        "repaired 1 times: komi written without its decimal point",
        "moves and comments are not kept, only results",
        "Black, who moves first in SGF, stands as White, who moves first in PGN",
    ):
        assert words in said
    run.write("more.csv", "first,second,score,weather\nAnn,Bob,1,rain\n")
    assert "column 'weather' has no place in sgf" in run("convert more.csv -o out.sgf").err
    assert run("convert more.csv -o out.sgf -q").err == ""
    # A rating list says what was put right, too.
    assert "Repaired:\n  1 × komi written without its decimal point" in run("rate odd.sgf").out


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        # Columns that would be taken for others are renamed.
        ("white,black,score,winner,date,day\nAnn,Bob,1,nobody,2020-01-02,Monday\n",
         "in.csv",
         "first,second,score,time,written_winner,written_day\n"
         "Ann,Bob,1,2020-01-02,nobody,Monday\n"),
        ("Home,Guest,R,City\nAnn,Bob,1,Bonn\n",
         "in.csv --columns first=Home,second=Guest,score=R,town=City",
         "first,second,score,town\nAnn,Bob,1,Bonn\n"),
        ('[Event "Cup \\"A\\""]\n[Round "3"]\n[White "Ann"]\n[Black "Bob"]\n[WhiteElo "2100"]\n'
         '[Date "2020.01.02"]\n[Result "1/2-1/2"]\n\n1. e4 1/2-1/2\n',
         "in.csv --from pgn --to pgn",
         '[Event "Cup \\"A\\""]\n[Site "?"]\n[Date "2020.01.02"]\n[Round "3"]\n[White "Ann"]\n'
         '[Black "Bob"]\n[Result "1/2-1/2"]\n[WhiteElo "2100"]\n\n1/2-1/2\n\n'),
        ("white,black,result,n\nAnn,Bob,1-0,7\n",
         "--query \"SELECT * FROM 'in.csv'\" --to jsonl",
         '{"first": "Ann", "second": "Bob", "score": 1, "n": 7}\n'),
    ],
)  # fmt: skip
def test_tables_tags_and_queries(text: str, options: str, expected: str, run: Command) -> None:
    run.write("in.csv", text)
    assert run(f"convert -q {options}").out == expected


def test_grades_and_ratings_on_other_scales(run: Command) -> None:
    (result,) = run.json("convert rating 1850 --from ogs --to egf")
    assert (result["grade"], result["ranges"]["egf"]) == ("1k", [1950, 2050])
    rows = run.rows("convert rating 2d 12k 3p 25k")
    assert [row["grade"] for row in rows] == ["2d", "12k", "3p", "25k"]
    assert (float(rows[2]["egf"]), rows[2]["ogs"], rows[3]["goldis"]) == (2760, "", "")
    assert run("convert rating --from egf --to grade -- -500").out.split()[-1] == "-26.00"
    scales = run.json("convert rating --list")
    assert ([scale["scale"] for scale in scales][:2], scales[1]["lowest"]) == (
        ["grade", "egf"],
        -900,
    )
    table = "Name;Rating;Club\nAnn;2215;Kyōto\nBob;4k;\nEve;;Ulm\nIda;strong;Ulm\n\nJon;9999;\n"
    (run.folder / "players.csv.gz").write_bytes(gzip.compress(table.encode()))
    line = "convert rating players.csv.gz --column rating --from egf --to ogs"
    said = run(f"{line} -o out.csv").err
    assert "2 records were skipped" in said
    assert "players.csv.gz:5: 'strong' is neither a grade nor a number" in said
    rows = list(csv.DictReader(run.read("out.csv").splitlines()))
    assert [(row["Name"], row["Rating"], row["Rating_grade"]) for row in rows] == [
        ("Ann", "2215", "2d"), ("Bob", "4k", "4k"), ("Eve", "", ""), ("Ida", "strong", ""),
        ("Jon", "9999", ""),
    ]  # fmt: skip
    assert (rows[0]["Club"], rows[2]["Rating_ogs"]) == ("Kyōto", "")
    assert float(rows[1]["Rating_ogs"]) == pytest.approx(1649.3, abs=0.1)
    assert ":5: 'strong'" in run(f"{line} --strict", status=1).err
