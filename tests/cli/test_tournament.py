"""`yardstone tournament` on files: lists, standings, ratings, and what a player needs."""

from __future__ import annotations

import io
import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.cli.calls import Command
from tests.shared import shared_or_made
from tests.tournament.made_events import event_file
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
    assert run.json("tournament show published.xml")["games_played"] == 36
    line = "tournament standings published.xml"
    lines = run(line).out.splitlines()
    assert lines[3].split()[-7:] == ["36", "128", "503", "2+/w0", "3+/b0", "4+/w0", "15+/w4"]
    short = run(f"{line} --no-results --top 3").out
    assert (short.splitlines()[-1], "R1" in short) == ("… and 16 more players", False)
    early = run(f"{line} --round 2 --criteria nbw,cuss").out
    assert ("after round 2 of 4" in early, "NBW  CUSS" in early) == (True, True)
    rows = run.rows(f"{line} -o table.html")
    assert (len(rows), rows[0]["sososm"], rows[14]["round_2"]) == (19, "503.0", "4-/b4")
    assert run.read("table.html").startswith("<!DOCTYPE html>")
    result = run.json("tournament standings current.xml --everybody")
    assert [p["scores"]["CAT"] for p in result["players"]] == [1, 2, 2, 3, 3]
    line = "tournament standings exercise.trf --criteria pts,bh,bh-c1,sb"
    assert run(f"{line} --unplayed 2009").out != run(f"{line} --unplayed 2026").out


def test_ratings_and_needs(run: Command) -> None:
    text = run("tournament ratings published.xml").out
    assert text.splitlines()[0].endswith("ratings of 19 players, games weighted 1")
    other = run.rows("tournament ratings published.xml --class B")
    assert {row["factor"] for row in other} == {"0.75"}
    result = run.json("tournament ratings trf26.trf -k 20")
    assert (result[-1]["player"], result[-1]["expected"]) == ("Gran Gro", None)
    line = "tournament needs last.xml 'Player P01'"
    assert [row["result"] for row in run.rows(f"{line} --draws")] == ["win", "draw", "loss"]
    result = run.json("tournament needs last.xml 'P01 Player' --place 2 --draws")
    assert (result["exact"], result["combinations"]) == (True, 9)
    assert sum(result["outcomes"][0]["places"].values()) == 3
    assert "bounds by the main score only" in run(f"{line} --limit 1 --criteria mms").out


def test_invalid_files_stay_untouched_and_standard_input(
    run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = run.read("current.xml").replace("RESULT_EQUAL", "RESULT_DRAWN")
    run.write("a.xml", broken)
    before = run.names()
    assert "a.xml:16: " in run("tournament convert a.xml -o a.xml", status=1).err
    assert (run.read("a.xml"), run.names()) == (broken, before)
    standard = SimpleNamespace(buffer=io.BytesIO((DATA / "published.h9").read_bytes()))
    monkeypatch.setattr("sys.stdin", standard)
    run("tournament convert - --from h9 -o a.xml")
    assert content(read_tournament("a.xml")).name == "Weekend of 2019"


SMALL = "--objective kaniuk --population 24 --players 12 --rounds 3 --tournaments 4"


def test_a_real_tournament_is_played_again(run: Command) -> None:
    name = "data/go/tournaments/opengotha/simplemm.xml"
    event = shared_or_made(name, lambda: event_file("simplemm"), run.folder)
    line = f"tournament simulate {event} --workers 1 --tournaments 4"
    assert "as in real tournaments" in run(f"{line} --restart").out
    players = run.json(f"{line} --restart")["players"]
    assert sum(player["first"] for player in players) == pytest.approx(1.0)
    assert all(0.7 < player["deviation"] < 2.0 for player in players)
    text = run(f"{line} --restart --deviation 0").out
    assert "The entry list is taken as exact (--deviation 0)" in text
    assert "add --restart" in run(line, status=2).err  # it is over


def test_variants_side_by_side(run: Command) -> None:
    line = "tournament simulate --players 12 --tournaments 4 --workers 1 --vary rounds=3,4"
    text = run(f"{line} -o vary.svg").out
    assert "made up, so their strengths are known exactly" in text
    assert run.read("vary.svg").startswith("<?xml")
    assert {row["variant"] for row in run.rows(line)} == {"3", "4"}


def test_a_study_in_every_format(run: Command) -> None:
    for name, options, key in (
        ("ties", "--players 16 --rounds 3 --tournaments 8", "tiebreaks"),
        ("pairing", f"{SMALL} --replicates 2", "pairings"),
        ("weights", f"{SMALL} --replicates 2 --confirm 2 --trials 2", "trials"),
    ):
        line = f"tournament study {name} {options} --workers 1 --seed 3 -o study.svg"
        assert run.json(line)[key], name
        assert run.read("study.svg").startswith("<?xml"), name
