from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from yardstone.cli.main import main


def test_counts_of_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "859", "1329", "772"]) == 0
    assert "+10.2  [+0.9, +19.5] at 95 %" in capsys.readouterr().out


def test_counts_of_pairs_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--elo1", "4", "--model", "normalized", "--format", "json", "--pairs"]
    assert main(["match", "13", "37", "50", "25", "3", *options]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["model"] == "pentanomial"
    assert result["games"] == 256
    assert result["normalized_elo"]["value"] == pytest.approx(-63.97, abs=0.005)
    assert result["sprt"]["llr"] == pytest.approx(-0.5491, abs=5e-5)


@pytest.mark.parametrize("counts", [["0", "0", "0"], ["9", "0", "0"], ["0", "9", "0"]])
def test_extremes_are_results_too(counts: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", *counts]) == 0
    assert main(["match", *counts, "--format", "json"]) == 0
    capsys.readouterr()


def test_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "5", "5", "5", "-o", str(tmp_path / "match.txt")]) == 0
    assert capsys.readouterr().out == ""
    assert "Elo difference" in (tmp_path / "match.txt").read_text()


def test_csv_and_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "match.html"
    assert main(["match", "859", "1329", "772", "--format", "csv", "-o", str(page)]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert row["counts"] == "772 1329 859"
    assert float(row["elo_low"]) == pytest.approx(0.916, abs=5e-4)
    assert row["decision"] == "continue"
    assert "Likelihood of superiority" in page.read_text()


@pytest.mark.parametrize(
    "given",
    [
        [],
        ["1", "2"],
        ["1", "2", "3", "4"],
        ["1", "2", "3", "--pairs"],
        ["1", "2", "x"],
        ["1", "2", "-3"],
        ["1", "2", "3", "--confidence", "100"],
        ["1", "2", "3", "--elo0", "5"],
        ["1", "2", "3", "--alpha", "2"],
        ["1", "2", "3", "--half-width", "0"],
        ["1", "2", "3", "--model", "bayes"],
        ["1", "2", "3", "--pair-by", "round"],
        ["--games", "x.pgn", "A"],
    ],
)
def test_wrong_usage(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", *given]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("yardstone: error: ")


PGN = """[Event "Test"]
[Round "{round}"]
[White "{white}"]
[Black "{black}"]
[Result "{result}"]

{result}

"""


@pytest.fixture
def games(tmp_path: Path) -> Path:
    rows = [
        ("1", "New", "Old", "1-0"),
        ("1", "Old", "New", "1/2-1/2"),
        ("2", "New", "Old", "1-0"),
        ("3", "New", "Old", "0-1"),
        ("3", "Old", "New", "1-0"),
        ("4", "New", "Other", "1-0"),
    ]
    path = tmp_path / "match.pgn"
    path.write_text("".join(PGN.format(round=r, white=w, black=b, result=s) for r, w, b, s in rows))
    return path


def test_games_of_a_file(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["match", str(games), "--players", "New", "Old", "--format", "json"]
    assert main([*given, "--pair-by", "event,round"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["counts"] == {"LL": 1, "LD": 0, "LW+DD": 0, "DW": 1, "WW": 0}
    assert result["unpaired"] == 1
    assert result["games_between"] == {"wins": 2, "draws": 1, "losses": 2}
    assert (result["player"], result["other"]) == ("New", "Old")
    assert main(given) == 0
    by_round = json.loads(capsys.readouterr().out)
    assert (by_round["pairing"], by_round["paired_by"]) == ("round", ["event", "round"])
    assert by_round["counts"] == result["counts"]


def test_players_and_columns_must_exist(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", str(games), "--players", "New", "Nobody"]) == 1
    assert "no player is called 'Nobody'" in capsys.readouterr().err
    assert main(["match", str(games), "--players", "Old", "Other"]) == 1
    assert "did not meet" in capsys.readouterr().err
    assert main(["match", str(games), "--players", "New", "Other", "--pairs"]) == 2
    assert "no two games form a pair" in capsys.readouterr().err


def test_without_pairs_single_games_count(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", str(games), "--players", "New", "Other"]) == 0
    out = capsys.readouterr().out
    assert "New against Other" in out
    assert "1 (+1 =0 -0)" in out
