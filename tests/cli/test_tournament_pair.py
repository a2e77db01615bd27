"""`yardstone tournament pair`, `check` and `generate`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calls import Command
from tests.tournament.pairing_fields import made, played
from yardstone.examples import example
from yardstone.tournament.files import read_tournament, to_bytes
from yardstone.tournament.model import ByeKind, System

LINE = "tournament pair open.xml"


@pytest.fixture(autouse=True)
def path(run: Command) -> Path:
    """A McMahon tournament of 13 players after two rounds, as OpenGotha's file."""
    for name, copy in (("open.xml", "harbour.xml"), ("swiss.trf", "swiss.trf")):
        (run.folder / copy).write_bytes(example(name).read_bytes())
    file = run.folder / "open.xml"
    file.write_bytes(to_bytes(played(made(13), 2), file))
    return file


def test_the_round_is_written_into_the_file_and_demands_are_by_name(
    path: Path, run: Command
) -> None:
    free = run.json(f"{LINE} --ask 1,13")
    assert free["asked"][0]["change"]["cost"] > 0
    first, second = free["boards"][0]["first"], free["boards"][0]["second"]
    without = run.json(f"{LINE} --forbid '{first},{second}'")
    assert [first, second] not in [[b["first"], b["second"]] for b in without["boards"]]
    assert free["weight"] - without["weight"] == free["boards"][0]["without"]["cost"]
    names = [player.full_name for player in read_tournament(path).players]
    chosen = next(name for name in names[3:] if name not in (first, second))
    fixed = run.json(f"{LINE} --fix '{first} - {second}' --bye '{chosen}'")
    assert (fixed["bye"]["first"], fixed["boards"][0]["fixed"]) == (chosen, True)
    run(f"{LINE} -o new.xml --boards boards.html --absent 1")
    assert run.read("boards.html").startswith("<!DOCTYPE html>")
    written = read_tournament("new.xml")
    assert (len(written.round_games(3)), 3 in written.players[0].absent) == (6, True)
    assert len(read_tournament(path).games) == 12
    run(f"{LINE} -o open.xml")
    paired = path.read_bytes()
    assert len(read_tournament(path).round_games(3)) == 6
    assert "earlier rounds without a result" in run(LINE, status=1).err
    assert "Round 4" in run(f"{LINE} --allow-open").out
    run(f"{LINE} --again --round 3 -o open.xml")
    assert path.read_bytes() == paired


def test_rules_from_options_and_files(run: Command) -> None:
    run.write("rules.json", '{"seed_system_2": "adjacent", "avoid_same_geography": 0}')
    by_file = run(f"{LINE} --rules rules.json").out
    by_option = run(f"{LINE} --set seed_system_2=adjacent --set avoid_same_geography=0").out
    assert by_file == by_option != run(LINE).out
    for text, message in ((b"{", "no JSON"), (b"[1]", "an object"), (b"\xff", "no JSON")):
        (run.folder / "rules.json").write_bytes(text)
        assert message in run(f"{LINE} --rules rules.json", status=1).err


def test_comparison_with_recorded_rounds(run: Command) -> None:
    result = [(row["round"], row["same"], row["boards"]) for row in run.json(f"{LINE} --compare")]
    assert result == [(1, 6, 6), (2, 6, 6)]
    other = "tournament pair harbour.xml --compare --set maximise_seeding=0"
    rows = run.rows(f"{other} --set float_upper=bottom")
    assert run(f"{other} --set float_upper=bottom").out.count("  recorded  ") == len(rows) > 0
    assert all(row["recorded"] != row["ours"] for row in rows)
    assert run(f"{LINE} --again --brief").out.startswith("Round 2 of Made: 6 boards")


def test_a_round_robin(run: Command) -> None:
    file = run.folder / "league.xml"
    file.write_bytes(to_bytes(made(5, rounds=5, system=System.swiss), file))
    line = "tournament pair league.xml --system round-robin"
    text = run(f"{line} -o league.xml").out
    assert "Round 1 of 5 of the Berger table of 5 players; numbers are those of the list." in text
    assert ("No opponent: P0000 x" in text, len(read_tournament(file).games)) == (True, 2)
    result = run.json(f"{line} --allow-open --boards boards.html")
    assert (result["round"], "<table" in run.read("boards.html")) == (2, True)


def test_what_is_refused_leaves_the_file(path: Path, run: Command) -> None:
    before, names = path.read_bytes(), run.names()
    for options, status, message in (
        ("--fix 1", 2, "two names with a comma"), ("--fix 1,P00", 1, "may mean"),
        ("--absent Nobody", 1, "no player is called"), ("--no-bye", 1, "13 players, an odd number"),
        ("--round 9", 1, "has 5 rounds"), ("--again --round 1", 1, "round 1 has results"),
        ("--set x", 2, "NAME=VALUE"), ("--set x=1", 2, "no setting"),
        ("--numbering lot", 2, "round robin"), ("--double", 2, "round robin"),
        ("--compare --absent 1", 2, "as they are"), ("--compare --ask 1,2", 2, "goes without"),
        ("--compare --round 5", 1, "no games to compare"),
        ("--system round-robin --ask 1,2", 2, "no weights"),
        ("--ask 1,2 --absent 2", 1, "not to be paired"),
    ):  # fmt: skip
        wanted = "" if "--compare" in options else "-o open.xml"
        assert message in run(f"{LINE} {options} {wanted}", status=status).err, options
        assert (path.read_bytes(), run.names()) == (before, names), options


def test_chess_is_paired_by_the_dutch_system(run: Command) -> None:
    line = "tournament pair swiss.trf"
    assert run(line).out.startswith("Round 6 of Lakeside Swiss: 6 boards by FIDE's Dutch system")
    assert "total weight" in run(f"{line} --system chess --brief").out
    result = run.json(f"{line} --ask Okafor,Moreno")
    (asked,) = result["asked"]
    assert (asked["criterion"], asked["why"][-15:]) == ("C1", "met in round 4.")
    assert sum(len(each["residents"]) for each in result["brackets"]) == 12
    assert [row["first"] for row in run.rows(line)] == [b["first"] for b in result["boards"]]
    assert "no weights" in run(f"{line} --system dutch --set fold=1", status=2).err
    run(f"{line} -o paired.trf")
    assert len(read_tournament("paired.trf").round_games(6)) == 6
    for output in ("paired.trf", "swiss.trf"):  # absences are written into report files
        run(f"{line} --absent 'Kaya Deniz' -o {output}")
        after = read_tournament(output)
        row = after.find("Kaya Deniz")
        assert (after.bye_of[6, row].kind, (6, row) in after.game_of) == (ByeKind.zero, False)


def test_check_and_generate(run: Command) -> None:
    line = "tournament generate --players 15 --rounds 5 --seed 2 --set byes=0.1 -q"
    run(f"{line} -o random.trf")
    checked = run("tournament check random.trf").out
    assert "5 of 5 rounds as FIDE's Dutch system pairs them" in checked
    assert run(line).out == run.read("random.trf")
    result = run.json("tournament check swiss.trf")
    assert ([row["round"] for row in result], result[4]["criterion"]) == ([1, 2, 3, 4, 5], "C12")
    assert run.json("tournament pair swiss.trf --compare") == result
