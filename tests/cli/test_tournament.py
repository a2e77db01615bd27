"""`yardstone tournament` on files: lists, standings, ratings, and what a player needs."""

from __future__ import annotations

import io
import json
import shutil
from dataclasses import replace

import duckdb
import pytest

from tests.cli.calls import Command
from tests.tournament.samples import DATA, content, sample
from yardstone.tournament.files import read_tournament
from yardstone.tournament.formats.opengotha import write_opengotha
from yardstone.tournament.model import Result


@pytest.fixture(autouse=True)
def _files(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yardstone.tournament.last_round._STRENGTHS", 10)
    for name in ("published.xml", "current.xml", "exercise.trf", "trf26.trf"):
        shutil.copy(DATA / name, run.folder)
    # One whose last round is open.
    result = sample("published.xml")
    wanted = {result.find("Player P01"), result.find("Player P03")}
    games = tuple(
        replace(g, result=Result.unknown) if g.round == 4 and {g.first, g.second} & wanted else g
        for g in result.games
    )
    (run.folder / "last.xml").write_bytes(write_opengotha(replace(result, games=games)))


def test_show_and_standings(run: Command) -> None:
    text = run("tournament show published.xml").out
    assert "McMahon, 4 rounds, 19 players, 36 games played" in text
    assert "Board 13, komi 6.5" in run("tournament show current.xml").out
    line = "tournament standings published.xml"
    lines = run(line).out.splitlines()
    assert lines[2].split() == "Pl Name Grade Co Club MMS SOS SOSOS R1 R2 R3 R4".split()
    assert lines[3].split()[-7:] == ["36", "128", "503", "2+/w0", "3+/b0", "4+/w0", "15+/w4"]
    short = run(f"{line} --no-results --top 3").out
    assert (short.splitlines()[-1], "R1" in short) == ("… and 16 more players", False)
    early = run(f"{line} --round 2 --criteria nbw,cuss").out
    assert ("after round 2 of 4" in early, "NBW  CUSS" in early) == (True, True)
    rows = run.rows(line)
    assert (len(rows), rows[0]["sososm"], rows[14]["round_2"]) == (19, "503.0", "4-/b4")
    run("tournament standings current.xml -o table.json --everybody")
    result = json.loads(run.read("table.json"))
    assert result["criteria"][0] == {"name": "CAT", "about": "category by rank"}
    assert [p["scores"]["CAT"] for p in result["players"]] == [1, 2, 2, 3, 3]
    assert result["players"][1]["results"] == ["5-!?0", "5=/b0"]
    line = "tournament standings exercise.trf"
    text = run(f"{line} --criteria pts,bh,bh-c1,sb").out
    first = text.splitlines()[3]
    assert first.split() == "1 Player N2 4 13 12 9½ 16+b 13+w 4=b 5+w 2=b".split()
    assert "12+!w" in text
    assert run(f"{line} --unplayed 2009").out != run(f"{line} --unplayed 2026").out


def test_standings_as_a_page(run: Command) -> None:
    text = run.read("current.xml").replace('name="Cedar"', 'name="&lt;script&gt;alert(1)"')
    run.write("a.xml", text.replace("CEDARCY", "&lt;SCRIPT&gt;ALERT(1)CY"))
    run("tournament standings a.xml -o table.html")
    page = run.read("table.html")
    assert "<script>alert" not in page
    for words in ("&lt;script&gt;alert(1)", "@media print", "CAT: category by rank"):
        assert words in page


def test_ratings_and_needs(run: Command) -> None:
    text = run("tournament ratings published.xml").out
    assert text.splitlines()[0].endswith("ratings of 19 players, games weighted 1")
    other = run.rows("tournament ratings published.xml --class B")
    assert {row["factor"] for row in other} == {"0.75"}
    result = run.json("tournament ratings trf26.trf")
    assert (result[-1]["player"], result[-1]["expected"]) == ("Gran Gro", None)
    assert "K" in run("tournament ratings trf26.trf -k 20").out.splitlines()[2].split()
    line = "tournament needs last.xml 'Player P01'"
    assert [row["result"] for row in run.rows(f"{line} --draws")] == ["win", "draw", "loss"]
    text = run(line).out
    assert "all 4 combinations of the open results tried" in text
    assert text.splitlines()[3].split()[:3] == ["win", "1", "1"]
    result = run.json("tournament needs last.xml 'P01 Player' --place 2 --draws")
    assert (result["exact"], result["combinations"]) == (True, 9)
    assert sum(result["outcomes"][0]["places"].values()) == 3
    assert "bounds by the main score only" in run(f"{line} --limit 1 --criteria mms").out


def test_every_format_of_every_table(run: Command) -> None:
    for words in ("show published.xml", "standings published.xml", "ratings published.xml"):
        line = f"tournament {words}"
        run(f"{line} -o table.parquet -o page.html --quiet")
        rows = run.rows(line)
        relation = duckdb.read_parquet("table.parquet")
        assert relation.columns == list(rows[0])
        assert len(relation) == len(rows) > 0
        assert run.read("page.html").startswith("<!DOCTYPE html>")
        assert run.json(line)


def test_invalid_files_stay_untouched_and_standard_input(
    run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = run.read("current.xml").replace("RESULT_EQUAL", "RESULT_DRAWN")
    run.write("a.xml", broken)
    before = run.names()
    error = run("tournament convert a.xml -o a.xml", status=1).err
    assert "a.xml:16: " in error
    assert "'RESULT_DRAWN' is not a result" in error
    assert (run.read("a.xml"), run.names()) == (broken, before)

    class Standard:
        buffer = io.BytesIO((DATA / "published.h9").read_bytes())

    monkeypatch.setattr("sys.stdin", Standard)
    run("tournament convert - --from h9 -o a.xml")
    assert content(read_tournament("a.xml")).name == "Weekend of 2019"
