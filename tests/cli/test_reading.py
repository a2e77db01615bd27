"""What commands say of the games that they read."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from yardstone.cli.main import main

ROUND = [("Ann", "Bob"), ("Bob", "Cid"), ("Cid", "Ann"), ("Bob", "Ann"), ("Ann", "Cid")] * 12


def table(path: Path, columns: str, results: list[str]) -> Path:
    rows = [
        f"{one},{two},{results[k % len(results)]},2020-01-{k % 28 + 1:02}"
        for k, (one, two) in enumerate(ROUND)
    ]
    path.write_text("\n".join([f"{columns},result,date", *rows]) + "\n")
    return path


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """60 games, and one record of which the result is not understood."""
    file = table(tmp_path / "odd.csv", "home,away", ["1-0", "0-1", "1/2-1/2"])
    with file.open("a") as rows:
        rows.write("Ann,Bob,1-O,2020-02-01\n")
    return file


@pytest.mark.parametrize(
    "command",
    [
        ["rate", "{}", "-o", "{}.out.csv"],
        ["rate", "{}", "-q"],
        ["history", "{}", "-o", "{}.out.txt"],
        ["evaluate", "{}", "--systems", "elo", "--replicates", "0", "-o", "{}.out.csv"],
        ["predict", "Ann", "Bob", "{}"],
        ["convert", "{}", "-o", "{}.out.pgn", "-q"],
        ["match", "{}", "--players", "Ann", "Bob"],
    ],
    ids=lambda command: command[0],
)
def test_every_command_says_what_was_skipped(
    command: list[str], odd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([part.format(odd) for part in command]) == 0
    error = capsys.readouterr().err
    assert "yardstone: 1 record was skipped: 1 unknown result\n" in error
    assert f"  {odd}:62: result '1-O' is not understood\n" in error


def test_values_that_are_not_understood(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = table(tmp_path / "odd.csv", "home,away", ["V", "N", "1-0", "0-1"])
    assert main(["rate", str(file)]) == 1
    assert "30 of 60 records cannot be read: the values 'N' (15), 'V' (15)" in (
        capsys.readouterr().err
    )
    assert main(["rate", str(file), "-q", "--results", "V=win,N=draw"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["rate", str(file), "-q", "--skip-unread"]) == 0
    assert "30 records were skipped" in capsys.readouterr().err
    assert main(["rate", str(file), "--results", "V=maybe"]) == 2


def test_home_draw_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = ["H", "A", "D", "H", "H", "H", "A"]
    file = table(tmp_path / "league.csv", "home,away", results)
    assert main(["rate", str(file), "--format", "csv"]) == 0
    rows = {row["player"]: row for row in csv.DictReader(capsys.readouterr().out.splitlines())}
    for name, row in rows.items():
        won = drawn = 0
        for k, pair in enumerate(ROUND):
            result = results[k % len(results)]
            won += name == pair["HA".find(result)] and result != "D"
            drawn += name in pair and result == "D"
        assert (int(row["wins"]), int(row["draws"])) == (won, drawn)
    assert len({row["rating"] for row in rows.values()}) == 3


def test_winners_have_no_first_move(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = table(tmp_path / "tour.csv", "winner_name,loser_name", ["6-4 6-4", "7-5 6-1"])
    said = "Who moved first is not known, so the first-move advantage is taken as 0"
    assert main(["rate", str(file)]) == 0
    out = capsys.readouterr().out
    assert said in out
    assert "First-move advantage: 0.0 points (given)" in out
    assert main(["history", str(file)]) == 0
    assert said in capsys.readouterr().out
    assert main(["evaluate", str(file), "--systems", "elo", "--replicates", "0"]) == 0
    out = capsys.readouterr().out
    assert said in out
    assert "first move only" not in out
    assert main(["rate", str(file), "--first-advantage", "30"]) == 2
    assert "do not say who moved first" in capsys.readouterr().err


def test_colours_in_all_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ann wins nearly always, with Black; nothing turns that round."""
    rows = "".join(
        f"Bob,Ann,{'W+R' if k % 7 == 0 else 'B+R'},2020-01-{k:02}\n" for k in range(1, 29)
    )
    file = tmp_path / "go.csv"
    file.write_text("white,black,result,date\n" + rows)
    for columns in (
        [],
        ["--columns", "first=black,second=white,score=result"],
        ["--first", "black"],
    ):
        assert main(["predict", "Ann", "Bob", str(file), *columns, "--format", "json"]) == 0
        expected = capsys.readouterr().out.split('"expected": ')[1]
        assert float(expected.split(",")[0]) > 0.6
    assert main(["rate", str(file), "--columns", "first=white,second=black"]) == 1
    assert "in Go Black moves first" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("frist=home", "unknown key 'frist'; did you mean first?"),
        ("White=home", "unknown key 'White'"),
        ("first=hom", "no column 'hom', only home, away, result, date (did you mean 'home'?)"),
        ("first=home,second=home", "'home' is named for both"),
        ("first=home,first=away", "'first' is named twice"),
    ],
)
def test_columns(
    columns: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = table(tmp_path / "league.csv", "home,away", ["1-0", "0-1"])
    for command in (["rate"], ["history"], ["evaluate"], ["convert"]):
        assert main([*command, str(file), "--columns", columns]) == 2
        assert said in capsys.readouterr().err


def test_a_group_that_is_no_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = table(tmp_path / "league.csv", "home,away", ["1-0", "0-1"])
    assert main(["evaluate", str(file), "--group", "leauge"]) == 2
    assert "no column 'leauge', only home, away, result, date" in capsys.readouterr().err
