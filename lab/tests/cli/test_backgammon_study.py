from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from lab.tests.backgammon.made_table import made_table
from tests.backgammon.gnubg_here import real_gnubg
from yardstone.cli.main import main
from yardstone_lab.vandendoel.play import part_one, part_two
from yardstone_lab.vandendoel.tables import read_table, table_text


def truth(length: int, epm: float, epc: float, epd: float) -> float:
    return (9000.0 + 20000.0 / length) * epm + 800.0 * epc


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "matches.csv"
    path.write_text(table_text(made_table([*part_one((3, 5, 7)), *part_two((3, 5))], truth, 8)))
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path, status: int = 0) -> str:
    assert main(["backgammon", *map(str, arguments)]) == status
    output = capsys.readouterr()
    return output.out if status == 0 else output.err


def test_fits_and_a_comparison(
    capsys: pytest.CaptureFixture[str], table: str, tmp_path: Path
) -> None:
    fit = ("study", "fit", table, "--draws", "3")
    text = run(capsys, *fit, "--plot", tmp_path / "figures")
    for words in ("R = a(N) DEPD", "R = a2(N) DEPM + b(N) DEPC", "published: 8798 + 25526/N"):
        assert words in text
    assert text.count("\n 3  0") + text.count("\n3  0") >= 20  # a row each cell
    names = {"part1-coefficient", "part1", "part2-coefficients", "part2"}
    assert {path.stem for path in (tmp_path / "figures").glob("*.svg")} == names
    result = json.loads(run(capsys, *fit, "--format", "json"))
    assert [fit["model"] for fit in result["fits"]] == ["decision", "bilinear"]
    assert [len(fit["cells"]) for fit in result["fits"]] == [18, 32]
    a = result["fits"][0]["coefficients"][0]
    assert [row["length"] for row in a["lengths"]] == [3, 5, 7]
    assert a["lengths"][0]["published"] == pytest.approx(11971 + 23681 / 3)
    text = run(capsys, "study", "fit", table, "--model", "bilinear", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 32
    assert float(rows[0]["rating_low"]) < float(rows[0]["rating"]) < float(rows[0]["rating_high"])
    for method, rule in (("published", "2003"), ("weighted", "2006"), ("chance", "2006")):
        given = ["--method", method, "--rule", rule, "--averaging", "decisions"]
        told = run(capsys, *fit, *given, "--model", "decision", "--format", "json")
        (found,) = json.loads(told)["fits"]
        known = (method, rule, "decisions")
        assert (found["method"], found["close_rule"], found["averaging"]) == known
    assert "one in 4 left out" in run(capsys, "study", "compare", table, "--parts", "4")
    line = ("study", "compare", table, "--leave-out", "lengths", "--format", "json")
    result = json.loads(run(capsys, *line))
    assert (result["parts"], len(result["scores"])) == (3, 6)


def test_what_is_refused(capsys: pytest.CaptureFixture[str], table: str, tmp_path: Path) -> None:
    results, none, bad = (tmp_path / name for name in ("r.jsonl", "none", "bad.jsonl"))
    bad.write_text("no\n")
    refused: list[tuple[int, str, str]] = [
        (2, f"study fit {table} --format csv", "--model"),
        (2, f"study fit {table} --confidence 200", "--confidence"),
        (2, f"study part1 {results} --pairings 0-1", "--pairings"),
        (2, f"study part1 {results} --lengths 3,x", "--lengths"),
        (2, f"study part1 {results} --lengths 99", "99 points"),
        (2, f"study part2 {results} --lengths 1", "no cube"),
        (2, f"study appendix {results} --only me", "expExp-expBeg:5"),
        (2, f"play {results} --first 1,2,3", "--first"),
        (2, f"play {results} --second-plies x", "--second-plies"),
        (2, f"play {results} --second -1", "noise of -1"),
        (1, f"study fit {none}.csv", "no such file"),
        (1, f"study table {bad}", "bad.jsonl:1: this line is no result"),
        (1, f"play {results} --gnubg {none}", "no such program"),
        (1, f"play {none}/r.jsonl", "no such folder"),
    ]
    for status, line, said in refused:
        assert said in run(capsys, *line.split(), status=status)
    assert not results.exists()


def test_from_matches_to_a_fit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    real_gnubg(clock=True)
    results = tmp_path / "r.jsonl"
    given = ["--lengths", "1", "--pairings", "0:0.06,0:0.04", "--matches", "2", "--seed", "4"]
    text = run(capsys, "study", "part1", results, *given)
    assert "2 cells of 4 matches" in text
    before = results.read_bytes()
    assert run(capsys, "study", "part1", results, *given) == text
    assert results.read_bytes() == before  # nothing is played twice
    run(capsys, "study", "table", results, "-o", tmp_path / "t.csv.gz")
    table = read_table(tmp_path / "t.csv.gz")
    assert len(table) == 4
    assert table.luck_adjusted.tolist() != [0.5] * 4
    assert run(capsys, "study", "table", results) == table_text(table)
