from __future__ import annotations

import csv
import io
import json
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest

from tests.cli.ratings_command import write_games
from yardstone.cli.main import main


@pytest.fixture
def games(tmp_path: Path) -> Path:
    return write_games(tmp_path / "games.csv")


def test_the_best_players_now(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", str(games), "--top", "5"]) == 0
    out = capsys.readouterr().out
    assert "1,200 games of 25 players" in out
    assert out.count("2020-") >= 5
    assert "±: 95 % interval, relative to the mean of all players, calibrated on" in out


def test_who_is_not_listed_is_said_only_where_somebody_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "few.csv"
    path.write_text("white,black,result\n" + "A,B,1-0\nB,C,1-0\n" * 3)
    for settled, listed in (("4", ["B"]), ("7", ["A", "B", "C"])):
        assert main(["history", str(path), "--settled", settled]) == 0
        out = capsys.readouterr().out
        assert [name for name in "ABC" if f"  {name}  " in out] == listed
        assert ("are not listed" in out) == (len(listed) < 3)


def test_elo_promises_no_interval(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", str(games), "--system", "elo", "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert {row["low"] for row in result["ratings"]} == {None}
    assert main(["history", str(games), "--format", "json"]) == 0
    row = json.loads(capsys.readouterr().out)["ratings"][0]
    assert row["low"] < row["rating"] < row["high"]


def test_curves_of_chosen_players(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["history", str(games), "--player", "0.3", "--player", "0.4"]
    assert main(command) == 0
    assert "Highest" in capsys.readouterr().out
    assert main([*command, "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["player"] for row in rows} == {"0.3", "0.4"}
    mine = [row for row in rows if row["player"] == "0.3"]
    assert [int(row["number"]) for row in mine] == list(range(1, len(mine) + 1))
    for one, other in pairwise(mine):
        assert one["after"] == other["rating"]
        assert float(one["low"]) < float(one["rating"]) < float(one["high"])


def test_every_format_and_picture(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["history", str(games), "--player", "0.3", "--quiet"]
    for name in ("a.svg", "a.png"):
        assert main([*command, "-o", str(tmp_path / name)]) == 0
    assert "0.3" in (tmp_path / "a.svg").read_text()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert main([*command, "-o", str(tmp_path / "a.html"), "--report"]) == 0
    assert "Improbable results" in (tmp_path / "a.html").read_text()
    assert main([*command, "-o", str(tmp_path / "a.parquet")]) == 0
    with duckdb.connect() as connection:
        games_of = connection.execute(f"SELECT time FROM '{tmp_path / 'a.parquet'}'").fetchall()
    assert len(games_of) > 50
    assert capsys.readouterr().out == ""


def test_a_name_from_a_stranger_stays_text(tmp_path: Path) -> None:
    name = "<script>alert(1)</script>"
    path = tmp_path / "games.csv"
    path.write_text(f"white,black,result\n{name},Bob,1-0\nBob,{name},0-1\n")
    page = tmp_path / "page.html"
    assert main(["history", str(path), "--player", name, "-o", str(page), "--quiet"]) == 0
    assert "<script>alert" not in page.read_text()
    assert "&lt;script&gt;" in page.read_text()


def test_kept_ratings_go_on_as_if_there_had_been_one_run(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = games.read_text().splitlines(keepends=True)
    early, late = tmp_path / "early.csv", tmp_path / "late.csv"
    early.write_text("".join(lines[:901]))
    late.write_text("".join([lines[0], *lines[901:]]))
    kept = str(tmp_path / "club.ratings")
    assert main(["history", str(early), "--save", kept, "--quiet"]) == 0
    assert main(["history", str(late), "--state", kept, "--save", kept, "--format", "json"]) == 0
    parts = json.loads(capsys.readouterr().out)
    assert main(["history", str(games), "--format", "json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert parts["ratings"] == whole["ratings"]
    assert parts["replayed"] == 300
    assert parts["notes"] == ["300 games were added. 300 games were replayed."]
    assert main(["history", "--state", kept, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["ratings"] == whole["ratings"]


def test_corrections(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = str(tmp_path / "club.ratings")
    assert main(["history", str(games), "--save", kept, "--quiet", "--system", "elo"]) == 0
    rows = list(csv.DictReader(io.StringIO(games.read_text())))
    row = rows[1100]
    named = f"{row['white']} | {row['black']} | {row['date'][:10]}"
    for game in ("1101", named):
        assert main(["history", "--state", kept, "--annul", game]) == 0
        out = capsys.readouterr().out
        assert "1,199 games" in out
        assert f"Annulled: {row['date'][:10]}" in out
    pairs = {frozenset((one["white"], one["black"])) for one in rows}
    strangers = [n for n in {one["white"] for one in rows} if frozenset((n, "0.0")) not in pairs]
    if strangers[1:]:
        other = next(name for name in strangers if name != "0.0")
        assert main(["history", "--state", kept, "--merge", f"0.0={other}"]) == 0
        assert f"{other} is 0.0 now" in capsys.readouterr().out


def test_the_report_as_json(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--report", "--improbable", "0.2", "--settled", "90", "--idle", "3"]
    assert main(["history", str(games), *options, "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert set(result) == {
        "format", "system", "parameters", "confidence", "games", "players", "replayed",
        "ratings", "curves", "notes", "findings",
    }  # fmt: skip
    assert result["findings"]["provisional"]
    assert result["findings"]["idle"]
    assert set(result["findings"]["improbable"][0]) == {
        "game", "time", "first", "second", "score", "expected_of_winner", "chance", "swapped",
        "twin",
    }  # fmt: skip


def test_whole_history_looks_back(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", str(games), "--system", "whr", "--player", "0.3"]) == 0
    out = capsys.readouterr().out
    assert "rated by whr" in out
    assert "whr looks back" in out
    for option in (["--save", "x"], ["--annul", "1"], ["--merge", "0.1=0.2"]):
        assert main(["history", str(games), "--system", "whr", *option]) == 2
        assert "rates all games at once" in capsys.readouterr().err


def test_parameters(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["history", str(games), "--system", "elo", "--set", "k=10", "--set", "period=month"]
    assert main([*command, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"] == {"k": 10, "period": "month"}


@pytest.mark.parametrize(
    ("given", "status", "says"),
    [
        (["--player", "nobody"], 1, "no player is called 'nobody'"),
        (["--system", "elk"], 2, "no system 'elk'"),
        (["--annul", "0"], 1, "no game 0"),
        (["--annul", "a|b|c|d"], 2, "FIRST | SECOND | DATE"),
        (["--annul", "0.1 | 0.2 | 1999-01-01"], 1, "no game is"),
        (["--merge", "0.1"], 2, "KEPT=OTHER"),
        (["--merge", "0.1=0.2"], 1, "played each other"),
        (["--set", "glicko2.tau"], 2, "SYSTEM.PARAMETER=VALUE"),
        (["--state", "none"], 1, "no such file"),
        (["--improbable", "0.9", "--report"], 2, "0 to 1/2"),
    ],
)
def test_wrong_usage(
    games: Path, given: list[str], status: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", str(games), *given]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err


def test_without_a_player_the_highest_are_drawn_and_listed(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture, table = tmp_path / "top.svg", tmp_path / "top.csv"
    assert main(["history", str(games), "-o", str(picture), "-o", str(table)]) == 0
    assert capsys.readouterr().out == ""
    text = picture.read_text()
    assert "the 10 highest with at least 10 games" in text
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 25  # the list on a screen stops at 20
    ratings = [float(row["rating"]) for row in rows]
    assert ratings == sorted(ratings, reverse=True)
    drawn = [row["player"] for row in rows if f">{row['player']}<" in text]
    assert drawn == [row["player"] for row in rows[:10]]
    assert float(rows[0]["low"]) < ratings[0] < float(rows[0]["high"])


def test_nothing_to_work_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history"]) == 2
    assert "name a file" in capsys.readouterr().err
