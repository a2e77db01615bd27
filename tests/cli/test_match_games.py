"""`yardstone match games.pgn`: players, pairs and endings from the games themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import yardstone
from tests.cli.match_files import Program, counted, play, written
from yardstone.cli.main import main
from yardstone.ratings.match import Match
from yardstone.ratings.sprt import Sprt, judge_games

PROGRAMS: tuple[Program, ...] = ("fastchess", "cutechess-cli")


def judged(capsys: pytest.CaptureFixture[str], *given: str) -> dict[str, Any]:
    assert main(["match", *given, "--format", "json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


@pytest.mark.parametrize("program", PROGRAMS)
def test_counts_agree_with_an_independent_count(
    program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = play(400)
    path = tmp_path / "games.pgn"
    path.write_text("".join(written(game, program) for game in games))
    expected = counted(path.read_text(), "New 1.1")
    result = judged(capsys, str(path), "--players", "New 1.1", "Old 1.0")
    assert list(result["counts"].values()) == expected["counts"]
    assert sum(result["counts"].values()) == 400
    for name, key in (
        ("games_between", "games"),
        ("moving_first", "white"),
        ("moving_second", "black"),
    ):
        assert list(result[name].values()) == expected[key]
    assert (result["pairing"], result["paired_by"]) == ("round", ["event", "round"])
    time = next(each for each in result["endings"] if each["name"] == "time forfeit")
    assert time["lost"] == expected["on time"]
    assert result["endings"][0] == time
    pairs = Match(tuple(map(float, expected["counts"])))
    assert result["sprt"]["llr"] == pytest.approx(Sprt().state(pairs).llr)
    assert result["error_of_pairs_over_games"] < 1.0


def test_a_match_that_is_not_finished(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = play(60)[:-9]
    path = tmp_path / "games.pgn"
    unfinished = written(games[-1], "fastchess").replace(games[-1].result, "*")
    text = "".join(written(game, "fastchess") for game in games[:-1]) + unfinished
    path.write_text(text)
    expected = counted(text, games[0].white)
    assert main(["match", str(path), "--format", "json"]) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert result["player"] == games[0].white
    assert result["unpaired"] == expected["single"] > 0
    assert list(result["counts"].values()) == expected["counts"]
    line = text[: text.rindex("[Event")].count("\n") + 1
    assert f"{path}:{line}: unfinished (result *)" in err
    assert result["skipped"]["first"] == [
        {"file": str(path), "line": line, "reason": "unfinished (result *)"}
    ]


def test_losses_on_time_can_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.pgn"
    games = play(200)
    path.write_text("".join(written(game, "cutechess-cli") for game in games))
    kept = [game for game in games if game.ending != "time forfeit"]
    given = [str(path), "--players", "New 1.1", "Old 1.0"]
    assert main(["match", *given, "--where", "Termination <> 'time forfeit'"]) == 0
    out, err = capsys.readouterr()
    assert f"{len(games) - len(kept)} of 400 games left out by --where" in err
    assert f"{len(kept)} (+" in out
    assert "Losses on time             New 1.1 0, Old 1.0 0" in out


def test_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("".join(written(game, "fastchess") for game in play(200)))
    assert main(["match", str(path), "--players", "New 1.1", "Old 1.0"]) == 0
    out = capsys.readouterr().out
    assert "event, round: at most two games each, with sides swapped" in out
    assert "  Moving first             200 (+" in out
    assert "Losses on time             New 1.1 " in out
    assert "adjudication" in out
    assert "illegal move (lost by " in out


def test_more_than_two_players(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.pgn"
    games = play(3) + play(2, first="New 1.1", second="Third")
    path.write_text("".join(written(game, "fastchess") for game in games))
    assert main(["match", str(path)]) == 1
    err = capsys.readouterr().err
    assert "these are 2 matches" in err
    assert "(6 games)" in err
    assert "Third" in err
    assert "--players" in err
    result = judged(capsys, str(path), "--players", "Third", "New 1.1")
    assert sum(result["games_between"].values()) == 4
    assert main(["match", str(path), "--players", "Third", "New 1.2"]) == 1
    assert "did you mean 'New 1.1'?" in capsys.readouterr().err


def test_tables_and_queries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(
        f"{game.round},{game.white},{game.black},{game.result},{game.ending}\n" for game in play(50)
    )
    path = tmp_path / "games.csv"
    path.write_text("Round,white,black,result,Termination\n" + rows)
    players = ["--players", "New 1.1", "Old 1.0"]
    result = judged(capsys, str(path), *players)
    assert (result["pairing"], result["paired_by"]) == ("round", ["Round"])
    assert result["endings"]
    asked = judged(capsys, "--query", f"SELECT * FROM '{path}'", *players)
    assert asked["counts"] == result["counts"]


def test_games_that_nothing_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.csv"
    path.write_text("white,black,result\nA,B,1-0\nA,B,0-1\nB,A,1-0\nA,B,1-0\n")
    assert main(["match", str(path)]) == 0
    out = capsys.readouterr().out
    assert "Paired by                  nothing: neither" in out
    assert "4 (+2 =0 -2)" in out
    assert "Pairs " not in out


def test_from_python(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("".join(written(game, "fastchess") for game in play(30)))
    judgement = judge_games(yardstone.read(path, columns="all"))
    assert judgement.paired is not None
    assert judgement.paired.manner == "round"
    assert judgement.endings is not None
    assert judgement.match.games == 60


def test_what_is_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "gamse.pgn"]) == 1
    assert "gamse.pgn: no such file" in capsys.readouterr().err
    assert main(["match", "1", "2", "3", "--players", "A", "B"]) == 2
    assert "--players needs a file of games" in capsys.readouterr().err
