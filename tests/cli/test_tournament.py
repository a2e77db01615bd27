from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tournament.samples import DATA, content, sample
from yardstone.cli import main as command
from yardstone.cli.commands import application
from yardstone.errors import InputError, UsageError
from yardstone.tournament.files import read_tournament
from yardstone.tournament.formats.opengotha import write_opengotha
from yardstone.tournament.model import Result


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    application("tournament")(
        args=[str(a) for a in arguments], prog_name="tournament", standalone_mode=False
    )
    return capsys.readouterr().out


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "show", DATA / "published.xml")
    assert "McMahon, 4 rounds, 19 players, 36 games played" in text
    assert "EGF class A" in text
    assert "Board 13, komi 6.5" in run(capsys, "show", DATA / "current.xml")
    assert "Round robin, 3 rounds" in run(capsys, "show", DATA / "trf06.trf")


def test_standings_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "standings", DATA / "published.xml")
    lines = text.splitlines()
    assert lines[0] == "Weekend of 2019: 19 players, after round 4 of 4"
    assert lines[2].split() == "Pl Name Grade Co Club MMS SOS SOSOS R1 R2 R3 R4".split()
    assert lines[3].split()[-7:] == ["36", "128", "503", "2+/w0", "3+/b0", "4+/w0", "15+/w4"]
    short = run(capsys, "standings", DATA / "published.xml", "--no-results", "--top", "3")
    assert short.splitlines()[-1] == "… and 16 more players"
    assert "R1" not in short
    early = run(
        capsys, "standings", DATA / "published.xml", "--round", "2", "--criteria", "nbw,cuss"
    )
    assert "after round 2 of 4" in early
    assert "NBW  CUSS" in early


def test_standings_of_chess(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "standings", DATA / "exercise.trf", "--criteria", "pts,bh,bh-c1,sb")
    first = text.splitlines()[3]
    assert first.split() == "1 Player N2 4 13 12 9½ 16+b 13+w 4=b 5+w 2=b".split()
    assert "12+!w" in text
    other = run(capsys, "standings", DATA / "exercise.trf", "--unplayed", "2009")
    assert other != run(capsys, "standings", DATA / "exercise.trf", "--unplayed", "2026")


def test_standings_as_csv_and_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(
        run(capsys, "standings", DATA / "published.xml", "--format", "csv"))))  # fmt: skip
    assert len(rows) == 19
    assert rows[0]["sososm"] == "503.0"
    assert rows[14]["round_2"] == "4-/b4"
    target = tmp_path / "table.json"
    run(capsys, "standings", DATA / "current.xml", "-o", target, "--everybody")
    result = json.loads(target.read_text())
    assert result["criteria"][0] == {"name": "CAT", "about": "category by rank"}
    assert [p["scores"]["CAT"] for p in result["players"]] == [1, 2, 2, 3, 3]
    assert result["players"][1]["results"] == ["5-!?0", "5=/b0"]


def test_standings_as_a_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    text = (DATA / "current.xml").read_text("utf-8")
    path.write_text(text.replace('name="Cedar"', 'name="&lt;script&gt;alert(1)"').replace(
        "CEDARCY", "&lt;SCRIPT&gt;ALERT(1)CY"))  # fmt: skip
    target = tmp_path / "table.html"
    run(capsys, "standings", path, "-o", target)
    page = target.read_text()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "@media print" in page
    assert "CAT: category by rank" in page


def test_ratings(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "ratings", DATA / "published.xml")
    assert text.splitlines()[0].endswith("ratings of 19 players, games weighted 1")
    other = run(capsys, "ratings", DATA / "published.xml", "--class", "B", "--format", "csv")
    assert {row["factor"] for row in csv.DictReader(io.StringIO(other))} == {"0.75"}
    result = json.loads(run(capsys, "ratings", DATA / "trf26.trf", "--format", "json"))
    assert result[-1]["player"] == "Gran Gro"
    assert result[-1]["expected"] is None
    assert "K" in run(capsys, "ratings", DATA / "trf26.trf", "-k", "20").splitlines()[2].split()


@pytest.fixture
def last_round(tmp_path: Path) -> Path:
    """A small tournament whose last round is open."""
    result = sample("published.xml")
    wanted = {result.find(f"Player P{number:02d}") for number in (1, 3, 8)}
    games = tuple(
        replace(g, result=Result.unknown) if g.round == 4 and {g.first, g.second} & wanted else g
        for g in result.games
    )
    path = tmp_path / "open.xml"
    path.write_bytes(write_opengotha(replace(result, games=games)))
    return path


def test_needs(capsys: pytest.CaptureFixture[str], last_round: Path) -> None:
    text = run(capsys, "needs", last_round, "Player P01")
    assert "all 8 combinations of the open results tried" in text
    assert text.splitlines()[3].split()[:3] == ["win", "1", "1"]
    result = json.loads(
        run(capsys, "needs", last_round, "P01 Player", "--place", "2", "--format", "json")
    )
    assert result["exact"]
    assert sum(result["outcomes"][0]["places"].values()) == 4
    bounds = run(capsys, "needs", last_round, "Player P01", "--limit", "1", "--criteria", "mms")
    assert "bounds by the main score only" in bounds
    drawn = json.loads(
        run(capsys, "needs", last_round, "Player P01", "--draws", "--format", "json")
    )
    assert drawn["combinations"] == 27


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["standings", DATA / "published.xml", "--round", "9"], "no round 9"),
        (["standings", DATA / "published.xml", "--criteria", "mms,best"], "no criterion"),
        (["standings", DATA / "published.xml", "--format", "csv", "--top", "3"], "are for text"),
        (["convert", DATA / "published.xml", "-o", "x.pdf"], "which format"),
        (["convert", DATA / "published.xml"], "which format"),
        (["convert", DATA / "published.xml", "-o", "x.xml", "--no-forfeits"], "for H9 files"),
        (["convert", DATA / "published.xml", "-o", "x.h9", "--encoding", "nope"], "no encoding"),
        (["convert", DATA / "published.xml", "-o", "x.h9", "--encoding", "hex"], "no encoding"),
        (["ratings", DATA / "published.xml", "-k", "20"], "-k is for FIDE"),
        (["ratings", DATA / "trf26.trf", "--class", "A"], "-k is for FIDE"),
        (["needs", DATA / "published.xml", "Player P01"], "every result"),
    ],
)
def test_wrong_usage(
    arguments: list[str | Path], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match=message):
        run(capsys, *arguments)


def test_invalid_files_are_an_error_and_stay_untouched(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.xml"
    broken = (DATA / "current.xml").read_bytes().replace(b"RESULT_EQUAL", b"RESULT_DRAWN")
    path.write_bytes(broken)
    assert command.main(["tournament", "convert", str(path), "-o", str(path)]) == 1
    error = capsys.readouterr().err
    assert f"{path}:16: " in error
    assert "'RESULT_DRAWN' is not a result" in error
    assert path.read_bytes() == broken
    assert [p.name for p in tmp_path.iterdir()] == ["a.xml"]


def test_statuses_of_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert command.main(["tournament", "standings", str(tmp_path / "no.xml")]) == 1
    assert command.main(["tournament", "standings", str(DATA / "bare.h9"), "--round", "7"]) == 2
    assert "no such file" in capsys.readouterr().err
    with pytest.raises(InputError, match="no such folder"):
        run(capsys, "standings", DATA / "bare.h9", "-o", tmp_path / "no" / "a.csv")


def test_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Standard:
        buffer = io.BytesIO((DATA / "published.h9").read_bytes())

    monkeypatch.setattr("sys.stdin", Standard)
    target = tmp_path / "a.xml"
    run(capsys, "convert", "-", "--from", "h9", "-o", target)
    assert content(read_tournament(target)).name == "Weekend of 2019"


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", DATA / "published.xml"],
        ["standings", DATA / "published.xml"],
        ["ratings", DATA / "published.xml"],
        ["needs", "LAST", "Player P01"],
    ],
)
def test_every_format_of_every_table(
    arguments: list[str | Path],
    last_round: Path,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    import duckdb

    arguments = [last_round if each == "LAST" else each for each in arguments]
    table = tmp_path / "table.parquet"
    page = tmp_path / "page.html"
    run(capsys, *arguments, "-o", table, "-o", page, "--quiet")
    rows = list(csv.DictReader(io.StringIO(run(capsys, *arguments, "--format", "csv"))))
    relation = duckdb.read_parquet(str(table))
    assert relation.columns == list(rows[0])
    assert len(relation) == len(rows) > 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert json.loads(run(capsys, *arguments, "--format", "json"))
