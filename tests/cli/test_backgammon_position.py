"""`yardstone backgammon position`, and the boards and classes of `backgammon analyse`."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.backgammon.gnubg_here import real_gnubg
from tests.backgammon.kept import program_and_ledger, write_matches
from yardstone.backgammon.positions import Position, read_position
from yardstone.cli.main import main
from yardstone.reports.backgammon import blunder_steps, text_board
from yardstone.reports.boards import BackgammonDiagram

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:7:10"
CUBE = "27aAEQiyPYMxAA:MAGgARAAEAAA"


def test_it_is_shown_and_converted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backgammon", "position", CUBE, "--no-evaluate"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Black on roll")
    assert "XGID=-BBBBBA--b--bB--Ab-dbbAa--:0:0:-1:00:2:1:0:13:10" in out
    assert "Black 1, White 2 in a match to 13" in out
    assert main(["backgammon", "position", XGID, "--no-evaluate", "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["position_id"], result["match_id"]) == ("4HPwATDgc/ABMA", "cInqAAAAAAAA")
    assert result["evaluation"] is None
    assert main(["backgammon", "position", "4HPwATDgc/ABMA", "--no-evaluate"]) == 0
    assert "alone does not say score" in capsys.readouterr().out


def test_it_is_evaluated(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    real_gnubg()
    page = tmp_path / "page.html"
    plain = ["backgammon", "position", XGID, "--plies", "0", "--moves", "2"]
    assert main([*plain, "-o", str(page)]) == 0
    out = capsys.readouterr().out
    assert out.count("13/8") >= 1
    assert "at 0 plies" in out
    text = page.read_text()
    assert "<svg" in text
    assert "GNU Backgammon’s choice" in text
    assert main([*plain, "--format", "csv"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert len(rows) == 2
    assert float(rows[0]["equity"]) >= float(rows[1]["equity"])
    doubled = read_position(CUBE).gnu_id
    cube = Position.from_gnu_id(*doubled.split(":"))
    offered = Position(
        **{name: getattr(cube, name) for name in cube.__dataclass_fields__} | {"doubled": True}
    )
    assert main(["backgammon", "position", offered.xgid, "--plies", "0"]) == 0
    out = capsys.readouterr().out
    assert "White is doubled to 2: take or pass?" in out
    assert "take (GNU Backgammon: No double, take)" in out


def test_what_is_no_id(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backgammon", "position", "hello"]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "not an ID of a position" in error
    assert main(["backgammon", "position", XGID, "--gnubg", "/nowhere/gnubg"]) == 1
    assert "no such program" in capsys.readouterr().err


def test_text_boards() -> None:
    bar = read_position("XGID=aa--BBBB-Ac-bA-a--b-cAb--A:1:-1:1:33:2:3:0:7:10")
    lines = text_board(bar)
    assert "|                  | X|                  |" in lines[6]
    assert "cube 2 of O" in lines[7]
    assert lines[13].endswith("X  White, 2 of 7 points, pips 112, 3 off")
    stack = read_position("XGID=-BCHA--------------bcc----:3:1:1:65:0:0:1:0:10")
    assert any(" 8 " in line for line in text_board(stack))
    # After a double the one who decides is at the bottom.
    offered = Position(doubled=True)
    assert "X is doubled to 2" in "\n".join(text_board(offered))


def test_boards_are_pictures() -> None:
    for position in (
        Position(dice=(6, 1)),
        Position(doubled=True, length=3),
        Position(length=2, score=(1, 0), crawford=True),
        read_position("XGID=-BCHA--------------bcc----:3:1:1:65:0:0:1:0:10"),
    ):
        board = BackgammonDiagram("A board", position, ("Ann <&>", "Bob"), [(6, 2), (3, 0)])
        root = ElementTree.fromstring(board.standalone())
        texts = [each.text for each in root.iter() if each.tag.endswith("text")]
        assert any(text and text.startswith("Ann <&>") for text in texts)
        chequers = sum(map(sum, (position.own, position.other)))
        drawn = [each for each in root.iter() if each.get("r") == "13"]
        hidden = sum(
            max(0, number - 5) for side in (position.own, position.other) for number in side
        )
        assert len(drawn) == chequers - hidden


def test_boards_of_blunders_and_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_matches(tmp_path)
    program, ledger = program_and_ledger(tmp_path)
    matches = [str(tmp_path / name) for name in ("one.mat", "two.mat")]
    page, table = tmp_path / "page.html", tmp_path / "matches.csv"
    analyse = [
        "backgammon", "analyse", *matches, "--gnubg", str(program), "--ledger", str(ledger),
    ]  # fmt: skip
    assert main([*analyse, "-o", str(page), "--table", str(table)]) == 0
    out = capsys.readouterr().out
    assert "Errors by class of play" in out
    assert "opening" in out
    assert "Played: 6/2 3/1" in page.read_text()
    assert page.read_text().count("<svg") >= 20
    assert main([*analyse, "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    bob = next(each for each in result["players"] if each["player"] == "Bob")
    moves = [each for each in bob["classes"] if each["class"] not in _CUBE]
    assert sum(each["decisions"] for each in moves) == bob["unforced"]
    assert sum(each["loss"] for each in moves) == pytest.approx(bob["chequer"], abs=1e-4)
    for blunder in result["blunders"]:
        gap = blunder["best_equity"] - blunder["played_equity"]
        assert gap == pytest.approx(blunder["error"], abs=1e-6)
    # A result kept before there were equities and classes is shown still.
    old = [
        {name: value for name, value in each.items() if not name.endswith("equity")}
        for each in result["blunders"]
    ]
    assert len(list(blunder_steps(old))) == len(old)
    # The table of matches goes straight into an evaluation.
    evaluate = ["evaluate", str(table), "--systems", "vandendoel,fibs", "--replicates", "0"]
    assert main(evaluate) == 0
    assert "vandendoel" in capsys.readouterr().out


_CUBE = ("no double", "double", "take", "pass")
