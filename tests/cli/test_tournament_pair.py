from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.tournament.pairing_fields import made, played
from yardstone.cli.commands import application
from yardstone.errors import InputError, UsageError
from yardstone.examples import example
from yardstone.tournament.files import read_tournament, to_bytes
from yardstone.tournament.model import ByeKind, System


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    application("tournament")(args=["pair", *map(str, arguments)], standalone_mode=False)
    return capsys.readouterr().out


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A McMahon tournament of 13 players after two rounds, as OpenGotha's file."""
    file = tmp_path / "open.xml"
    file.write_bytes(to_bytes(played(made(13), 2), file))
    return file


def test_boards_and_reasons(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, path)
    assert text.startswith("Round 3 of Made: 6 boards, total weight ")
    assert "Bye: " in text
    assert text.count("Without it") == 7
    brief = run(capsys, path, "--brief")
    assert text.startswith(brief.rstrip("\n"))
    assert "Why" not in brief
    assert "Without it" not in run(capsys, path, "--no-costs")


def test_all_formats_name_the_same_boards(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(run(capsys, path, "--format", "csv"))))
    result = json.loads(run(capsys, path, "--format", "json", "--ask", "1,13"))
    boards = [(board["first"], board["second"]) for board in result["boards"]]
    assert [(row["first"], row["second"]) for row in rows if row["second"]] == boards
    assert len(boards) == 6
    assert result["bye"]["first"] == rows[-1]["first"]
    assert result["weight"] == sum(int(row["weight"]) for row in rows)
    for board in result["boards"]:
        assert board["weight"] == sum(board["values"].values())
    assert result["asked"][0]["change"]["cost"] > 0
    page = run(capsys, path, "--format", "html")
    assert all(first in page and second in page for first, second in boards)


def test_the_round_is_written_into_the_file(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = path.read_bytes()
    new, page = tmp_path / "new.xml", tmp_path / "boards.html"
    result = json.loads(
        run(capsys, path, "-o", new, "--boards", page, "--format", "json", "--absent", "1")
    )
    assert path.read_bytes() == before
    assert page.read_text().startswith("<!DOCTYPE html>")
    written = read_tournament(new)
    games = written.round_games(3)
    names = [
        (written.players[g.first].full_name, written.players[g.second].full_name) for g in games
    ]
    assert names == [(b["first"], b["second"]) for b in result["boards"]]
    assert [g.handicap for g in games] == [b["stones"] for b in result["boards"]]
    assert len(games) == 6
    assert 3 in written.players[0].absent
    run(capsys, path, "-o", path)
    assert len(read_tournament(path).round_games(3)) == 6
    with pytest.raises(InputError, match="earlier rounds without a result"):
        run(capsys, path)
    assert "Round 4" in run(capsys, path, "--allow-open")


def test_demands_by_name(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tournament = read_tournament(path)
    free = json.loads(run(capsys, path, "--format", "json"))
    first, second = free["boards"][0]["first"], free["boards"][0]["second"]
    without = json.loads(run(capsys, path, "--format", "json", "--forbid", f"{first},{second}"))
    assert [first, second] not in [[b["first"], b["second"]] for b in without["boards"]]
    assert free["weight"] - without["weight"] == free["boards"][0]["without"]["cost"]
    last = tournament.players[12].full_name
    chosen = next(p.full_name for p in tournament.players[3:] if p.full_name not in (first, second))
    fixed = json.loads(run(capsys, path, "--format", "json", "--fix", f"{first} - {second}",
                           "--bye", chosen if chosen != last else second))  # fmt: skip
    assert fixed["bye"]["first"] == chosen
    assert fixed["boards"][0]["fixed"] is True


def test_rules_from_options_and_files(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text('{"seed_system_2": "adjacent", "avoid_same_geography": 0}')
    by_file = run(capsys, path, "--rules", rules)
    by_option = run(
        capsys, path, "--set", "seed_system_2=adjacent", "--set", "avoid_same_geography=0"
    )
    assert by_file == by_option != run(capsys, path)
    assert "Round 3" in run(capsys, path, "--system", "chess", "--seed", "4")
    for content, message in (("{", "no JSON"), ("[1]", "an object"), ("\xff", "no JSON")):
        rules.write_text(content, encoding="latin-1")
        with pytest.raises(InputError, match=message):
            run(capsys, path, "--rules", rules)
    with pytest.raises(InputError, match="there is no such file"):
        run(capsys, path, "--rules", tmp_path / "none.json")


def test_comparison_with_recorded_rounds(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = json.loads(run(capsys, path, "--compare", "--format", "json"))
    assert [row["round"] for row in result] == [1, 2]
    assert all(row["same"] == row["boards"] == 6 for row in result)
    text = run(capsys, path, "--compare", "--round", "2", "--set", "maximise_seeding=0")
    assert text.startswith("Round 2 of Made paired again: ")
    harbour = example("open.xml")
    other = ("--compare", "--set", "maximise_seeding=0", "--set", "float_upper=bottom")
    rows = list(csv.DictReader(io.StringIO(run(capsys, harbour, *other, "--format", "csv"))))
    assert run(capsys, harbour, *other).count("  recorded  ") == len(rows) > 0
    assert all(row["recorded"] != row["ours"] for row in rows)


def test_a_round_paired_anew(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = path.read_bytes()
    text = run(capsys, path, "--again", "--brief")
    assert text.startswith("Round 2 of Made: 6 boards")
    recorded = read_tournament(path)
    for game in recorded.round_games(2):
        assert recorded.players[game.first].full_name in text
    with pytest.raises(InputError, match="round 1 has results"):
        run(capsys, path, "--again", "--round", "1", "-o", path)
    assert path.read_bytes() == before
    run(capsys, path, "-o", path)
    paired = path.read_bytes()
    run(capsys, path, "--again", "--round", "3", "-o", path)
    assert path.read_bytes() == paired


def test_a_round_robin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "league.xml"
    file.write_bytes(to_bytes(made(5, rounds=5, system=System.swiss), file))
    arguments = ("--system", "round-robin")
    text = run(capsys, file, *arguments, "-o", file)
    assert "Round 1 of 5 of the Berger table of 5 players; numbers are those of the list." in text
    assert "No opponent: P0000 x" in text
    assert len(read_tournament(file).games) == 2
    with pytest.raises(InputError, match="without a result"):
        run(capsys, file, *arguments)
    result = json.loads(run(capsys, file, *arguments, "--allow-open", "--format", "json"))
    assert result["round"] == 2
    rows = list(csv.DictReader(io.StringIO(
        run(capsys, file, *arguments, "--allow-open", "--format", "csv"))))  # fmt: skip
    assert [row["first"] for row in rows] == [board["first"] for board in result["boards"]]
    assert "<table" in run(capsys, file, *arguments, "--allow-open", "--format", "html")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["--fix", "1"], UsageError, "two names with a comma"),
        (["--fix", "1,P00"], InputError, "may mean"),
        (["--fix", "1,Nobody"], InputError, "no player is called"),
        (["--absent", "Nobody"], InputError, "no player is called"),
        (["--no-bye"], InputError, "13 players, an odd number"),
        (["--round", "9"], InputError, "has 5 rounds"),
        (["--round", "4"], InputError, "before round 3"),
        (["--set", "x"], UsageError, "NAME=VALUE"),
        (["--set", "x=1"], UsageError, "no setting"),
        (["--numbering", "lot"], UsageError, "round robin"),
        (["--compare", "--absent", "1"], UsageError, "as they are"),
        (["--compare", "--ask", "1,2"], UsageError, "goes without"),
        (["--compare", "--round", "5"], InputError, "no games to compare"),
        (["--system", "round-robin", "--ask", "1,2"], UsageError, "no weights"),
        (["--ask", "1,2", "--absent", "2"], InputError, "not to be paired"),
    ],
)
def test_what_is_refused_leaves_the_file(
    arguments: list[str],
    error: type[Exception],
    message: str,
    path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = path.read_bytes()
    wanted = [] if "--compare" in arguments else ["-o", str(path)]
    with pytest.raises(error, match=message):
        run(capsys, path, *arguments, *wanted)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_chess_is_paired_by_the_dutch_system(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lakeside = example("swiss.trf")
    text = run(capsys, lakeside)
    assert text.startswith("Round 6 of Lakeside Swiss: 6 boards by FIDE's Dutch system")
    assert run(capsys, lakeside, "--system", "dutch") == text
    assert "First in order: " in text
    assert "total weight" in run(capsys, lakeside, "--system", "chess", "--brief")
    result = json.loads(run(capsys, lakeside, "--format", "json", "--ask", "Okafor,Moreno"))
    assert result["asked"][0]["criterion"] == "C1"
    assert result["asked"][0]["why"].endswith("met in round 4.")
    assert sum(len(each["residents"]) for each in result["brackets"]) == 12
    rows = list(csv.DictReader(io.StringIO(run(capsys, lakeside, "--format", "csv"))))
    assert [row["first"] for row in rows] == [board["first"] for board in result["boards"]]
    with pytest.raises(UsageError, match="no weights"):
        run(capsys, lakeside, "--system", "dutch", "--set", "seed_system_2=fold")
    target = tmp_path / "paired.trf"
    run(capsys, lakeside, "-o", target)
    assert len(read_tournament(target).round_games(6)) == 6


def test_absences_are_written_into_report_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, target = tmp_path / "swiss.trf", tmp_path / "paired.trf"
    file.write_bytes(example("swiss.trf").read_bytes())
    for output in (target, file):
        run(capsys, file, "--absent", "Kaya Deniz", "-o", output)
        after = read_tournament(output)
        row = after.find("Kaya Deniz")
        assert after.bye_of[6, row].kind is ByeKind.zero
        assert (6, row) not in after.game_of
        assert sorted(game.table for game in after.round_games(6)) == [1, 2, 3, 4, 5]


def test_check_and_generate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "random.trf"
    made = ["--players", "15", "--rounds", "5", "--seed", "2", "--set", "byes=0.1", "-q"]
    application("tournament")(args=["generate", *made, "-o", str(file)], standalone_mode=False)
    application("tournament")(args=["check", str(file)], standalone_mode=False)
    assert "5 of 5 rounds as FIDE's Dutch system pairs them" in capsys.readouterr().out
    application("tournament")(args=["generate", *made], standalone_mode=False)
    assert capsys.readouterr().out.encode() == file.read_bytes()
    lakeside = str(example("swiss.trf"))
    arguments = ["check", lakeside, "--format", "json"]
    application("tournament")(args=arguments, standalone_mode=False)
    result = json.loads(capsys.readouterr().out)
    assert [row["round"] for row in result] == [1, 2, 3, 4, 5]
    assert result[4]["criterion"] == "C12"
    compared = json.loads(run(capsys, lakeside, "--compare", "--format", "json"))
    assert compared == result
    with pytest.raises(UsageError, match="byes must be a number from 0 to 1, not 2"):
        application("tournament")(args=["generate", "--set", "byes=2"], standalone_mode=False)
