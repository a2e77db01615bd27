from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import duckdb
import pytest

from tests.backgammon.gnubg_here import real_gnubg
from tests.backgammon.kept import program_and_ledger, write_matches
from tests.cli.calls import Command, plain
from yardstone.backgammon.error_rates import Unit
from yardstone.backgammon.formulas import FORMULAS
from yardstone.backgammon.positions import Position, read_position
from yardstone.backgammon.rating import RatingQuestion, rating_answer
from yardstone.reports.backgammon import blunder_steps, rating_document, text_board

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:7:10"
CUBE = "27aAEQiyPYMxAA:MAGgARAAEAAA"


def test_options_reach_the_rating(run: Command) -> None:
    rows: list[tuple[str, dict[str, Any], str, float]] = [
        ("--epm 0.0085 --epc 0.021", {"epm": 0.0085, "epc": 0.021}, "published", 2050.0),
        ("--epm 8.5 --unit thousandths", {"epm": 8.5}, "published", 2050.0),
        ("--epm 0.0085 --offset 2100", {"epm": 0.0085}, "published", 2100.0),
        ("--epm 0.0085 --offset GameSite2000", {"epm": 0.0085}, "published", 2200.0),
        ("--epm 0.01 --formula people", {"epm": 0.01}, "people", 2050.0),
        ("--pr 5 --formula refit --against 1850", {"pr": 5.0, "against": 1850.0}, "refit", 2050.0),
        ("--epd 0.01", {"epd": 0.01}, "published", 2050.0),
        ("--depd 0.0075 --against 1800", {"depd": 0.0075, "against": 1800.0}, "published", 2050.0),
        ("--snowie 5 --moves-per-decision 1.5", {"snowie": 5.0, "moves_per_decision": 1.5},
         "published", 2050.0),
        ("--win 0.6", {"win": 0.6}, "published", 2050.0),
        ("--from-rating 1800", {"from_rating": 1800.0}, "published", 2050.0),
    ]  # fmt: skip
    for options, question, name, offset in rows:
        more = {"unit": Unit.thousandths} if "--unit" in options else {}
        answer = rating_answer(RatingQuestion(length=7, **question | more), FORMULAS[name], offset)
        known = plain(rating_document(answer))
        assert run.json(f"backgammon rating --length 7 {options}") == known, options
    for options, words in (
        ("--depd 0.0075 --length 5 --formula refit", r"alone: \+1\d\d\.\d to \+1\d\d\.\d points"),
        ("--epm 0.01 --length 1", "a match to one point has no cube, so no cube error counts"),
    ):
        assert re.search(words, run(f"backgammon rating {options}").out), options


@pytest.fixture
def line(run: Command) -> str:
    """A command that analyses two matches and a broken file; the ledger has them where it must."""
    for name in ("matches", "ledger"):
        (run.folder / name).mkdir()
    write_matches(run.folder / "matches")
    program, ledger = program_and_ledger(run.folder / "ledger")
    return f"backgammon analyse matches --gnubg {program} --ledger {ledger}"


def test_an_analysis_in_words(line: str, run: Command) -> None:
    text = run(line).out
    assert text.startswith("2 matches of 3 players, analysed by GNU Backgammon 1.")
    for words in ("Worst blunders", "Files without a match: 1", "not recognized"):
        assert words in text
    assert "the same player?" not in text
    run.write("synonyms.csv", "Ann,Eva\n")
    text = run(f"{line} --synonyms synonyms.csv --player Eva --blunders 3").out
    assert "2 matches of 2 players" in text
    run.write("synonyms.csv", "B ob,Eva\n")
    flat = " ".join(run(f"{line} --synonyms synonyms.csv").out.split())
    assert re.search('"B ?ob" and "B ?ob" differ only in capitals or spaces: the same player', flat)
    assert "--synonyms FILE merges names" in flat
    for options, message in (("--strict", "broken.mat"), ("--player Zoe", "no match of 'Zoe'")):
        assert message in run(f"{line} {options}", status=1).err
    only = line.replace("analyse matches", "analyse matches/broken.mat")
    assert "not recognized" in run(only, status=1).err


def test_an_analysis_for_programs(line: str, run: Command) -> None:
    files = "-o page.html -o trend.svg -o players.parquet --table matches.parquet"
    assert run(f"{line} --quiet {files}").out == ""
    said = run(f"{line} --format json --offset 2100")
    result = json.loads(said.out)
    assert ("broken.mat" in said.err, result["offset"]) == (True, 2100)
    bob = result["players"][0]
    assert (bob["player"], bob["matches"], len(bob["trend"])) == ("Bob", 2, 2)
    for blunder in result["blunders"]:
        gap = blunder["best_equity"] - blunder["played_equity"]
        assert gap == pytest.approx(blunder["error"], abs=1e-6)
    # A result kept before there were equities and classes is shown still.
    old = [{k: v for k, v in each.items() if k[-6:] != "equity"} for each in result["blunders"]]
    assert len(list(blunder_steps(old))) == len(old)
    page = run.read("page.html")
    assert "Played: 6/2 3/1" in page
    assert (page.count("<script"), page.count("<svg") >= 20) == (1, True)
    rows = run.rows(f"{line} --table table.csv")
    assert float(rows[0]["rating"]) == pytest.approx(bob["rating"]["value"] - 50)
    for query, known in (
        ("player, matches FROM 'players.parquet' ORDER BY 2 DESC LIMIT 1", [("Bob", 2)]),
        ("min(date)::VARCHAR FROM 'matches.parquet'", [("2024-05-31",)]),
    ):
        assert duckdb.execute(f"SELECT {query}").fetchall() == known
    # The table of matches goes straight into an evaluation.
    line = "evaluate table.csv --systems vandendoel,fibs --replicates 0"
    assert "vandendoel" in run(line).out


def test_a_position_is_shown_and_converted(run: Command) -> None:
    out = run(f"backgammon position {CUBE} --no-evaluate").out
    assert out.startswith("Black on roll")
    assert "XGID=-BBBBBA--b--bB--Ab-dbbAa--:0:0:-1:00:2:1:0:13:10" in out
    result = run.json(f"backgammon position {XGID} --no-evaluate")
    ids = [result[name] for name in ("position_id", "match_id", "evaluation")]
    assert ids == ["4HPwATDgc/ABMA", "cInqAAAAAAAA", None]
    assert "alone does not say score" in run(f"backgammon position {ids[0]} --no-evaluate").out
    lines = text_board(read_position("XGID=aa--BBBB-Ac-bA-a--b-cAb--A:1:-1:1:33:2:3:0:7:10"))
    assert "|                  | X|                  |" in lines[6]
    assert "cube 2 of O" in lines[7]
    assert lines[13].endswith("X  White, 2 of 7 points, pips 112, 3 off")
    stack = "XGID=-BCHA--------------bcc----:3:1:1:65:0:0:1:0:10"
    assert any(" 8 " in line for line in text_board(read_position(stack)))
    run(f"backgammon position {stack} --no-evaluate -o page.html")
    assert run.read("page.html").count('r="13"') == 5 + 2 + 3 + 1 + 2 + 3 + 3
    # After a double the one who decides is at the bottom.
    assert "X is doubled to 2" in "\n".join(text_board(Position(doubled=True)))


def test_a_position_is_evaluated(run: Command) -> None:
    real_gnubg()
    line = f"backgammon position {XGID} --plies 0 --moves 2"
    assert "at 0 plies" in run(f"{line} -o page.html").out
    assert "GNU Backgammon’s choice" in run.read("page.html")
    best, second = (float(row["equity"]) for row in run.rows(line))
    assert best >= second
    result = run.json(f"backgammon position {CUBE} --plies 0")["evaluation"]
    # As in the analysis of the match from which the position is.
    equities = result["no_double"], result["take"]
    assert equities == pytest.approx((0.372268, 0.268286), abs=0.005)
    offered = replace(Position.from_gnu_id(*read_position(CUBE).gnu_id.split(":")), doubled=True)
    out = run(f"backgammon position {offered.xgid} --plies 0").out
    assert "White is doubled to 2: take or pass?" in out
    assert "take (GNU Backgammon: No double, take)" in out
    danced = "XGID=-----------------bbbbbb--A:0:0:1:65:0:0:0:0:10"
    assert run.json(f"backgammon position {danced} --plies 0")["evaluation"]["moves"] == []
