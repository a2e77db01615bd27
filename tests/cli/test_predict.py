from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.cli.ratings_command import write_games
from yardstone.cli.main import main


@pytest.fixture
def games(tmp_path: Path) -> Path:
    return write_games(tmp_path / "games.csv")


def test_text(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", "0.1", "0.2", str(games)]) == 0
    out = capsys.readouterr().out
    assert "0.1, moving first, is expected to score" in out
    assert "Win " in out


def test_json_adds_up_and_agrees_with_kept_ratings(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["predict", "0.1", "0.2"]
    assert main([*command, str(games), "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["win"] + result["draw"] + result["loss"] == pytest.approx(1.0)
    assert result["win"] + result["draw"] / 2 == pytest.approx(result["expected"])
    assert result["first"]["deviation"] > 0
    kept = str(tmp_path / "club.ratings")
    assert main(["history", str(games), "--save", kept, "--quiet"]) == 0
    assert main([*command, "--state", kept, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == result


def test_moving_first_matters_where_it_is_worth_something(
    games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["predict", "0.1", "0.2", str(games), "--system", "elo"]
    assert main([*command, "--set", "first_advantage=50"]) == 0
    assert "Moving second:" in capsys.readouterr().out
    assert main([*command, "--advantage", "0"]) == 0
    assert "Moving second:" not in capsys.readouterr().out


def test_chances_carry_the_uncertainty_of_the_ratings_unless_they_are_taken_as_exact(
    games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["predict", "0.1", "0.2", str(games)]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "averages over the uncertainty of the ratings" in out
    assert "(95 % interval)" in out
    assert main([*command, "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["integrated"]
    assert result["low"] < result["expected"] < result["high"]
    assert main([*command, "--exact"]) == 0
    assert "taken as exact (--exact)" in capsys.readouterr().out
    assert main([*command, "--exact", "--format", "json"]) == 0
    exact = json.loads(capsys.readouterr().out)
    assert (exact["integrated"], exact["low"]) == (False, None)
    assert main([*command, "--system", "elo"]) == 0
    assert "no deviations, so there is no interval" in capsys.readouterr().out


def test_goldis_expects_a_margin_and_shows_no_untested_deviation(
    games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["predict", "0.1", "0.2", str(games), "--system", "skt-lr"]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "Deviation" not in out
    assert "no tested uncertainty" in out
    assert re.search(r"In an even game 0\.1 is expected to (win|lose) by \d+\.\d points\.", out)
    assert main([*command, "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    gap = result["first"]["rating"] - result["second"]["rating"]
    assert result["first"]["deviation"] is None
    assert result["margin"] == pytest.approx(8.0 * (10 ** (abs(gap) / 1000) - 1) * (gap > 0 or -1))


def test_little_known_players_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.csv"
    path.write_text("white,black,result\nAnn,Bob,1-0\n")
    assert main(["predict", "Ann", "Bob", str(path)]) == 0
    assert "Note: Ann has 1 game and Bob has 1 game" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (["0.1", "0.1"], 2),
        (["0.1", "nobody"], 1),
        (["0.1"], 2),
        (["0.1", "0.2", "--system", "x"], 2),
    ],
)
def test_wrong_usage(
    games: Path, given: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    path = [str(games)] if len([word for word in given if not word.startswith("-")]) > 1 else []
    assert main(["predict", *given[:2], *path, *given[2:]]) == status
    assert capsys.readouterr().out == ""


def test_a_table_and_a_page(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "game.html"
    command = ["predict", "0.1", "0.2", str(games), "--confidence", "90", "-o", str(page)]
    assert main([*command, "--format", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["system"], row["first"], row["second"]) == ("glicko2", "0.1", "0.2")
    assert float(row["low"]) < float(row["expected"]) < float(row["high"])
    assert row["confidence"] == "0.9"
    assert "is expected to score" in page.read_text()
