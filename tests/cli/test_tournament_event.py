"""Events run by commands, from entry to prize list."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from yardstone.cli import main as command
from yardstone.cli.commands import application
from yardstone.errors import InputError, UsageError
from yardstone.examples import example
from yardstone.tournament import Result, read_tournament
from yardstone.tournament.formats.text_files import parse_xml

#: The attributes with which OpenGotha 3.51 writes a player and a game.
PLAYER = set(
    "agaId club country egfPin ffgLicence firstName grade name participating rank rating "
    "ratingOrigin registeringStatus smmsCorrection".split()
)
GAME = set("blackPlayer handicap knownColor result roundNumber tableNumber whitePlayer".split())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Desk:
    """Runs commands and gives what they print."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys
        self.error = ""

    def __call__(self, *arguments: str | int) -> str:
        application("tournament")(
            args=[str(a) for a in arguments], prog_name="tournament", standalone_mode=False
        )
        printed = self.capsys.readouterr()
        self.error = printed.err
        return printed.out


@pytest.fixture
def desk(capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(capsys)


def looks_like_opengothas(path: str) -> None:
    """Every attribute that OpenGotha writes is there, and names lead to players."""
    root = parse_xml(Path(path).read_bytes(), path, root="Tournament").root
    names = set()
    for element in root.all("Player"):
        assert set(element.attributes) >= PLAYER
        names.add((element.attributes["name"] + element.attributes["firstName"]).upper())
    tables = set()
    for element in root.all("Game"):
        assert set(element.attributes) >= GAME
        assert element.attributes["whitePlayer"] in {name.replace(" ", "") for name in names}
        tables.add((element.attributes["roundNumber"], element.attributes["tableNumber"]))
    assert len(tables) == len(list(root.all("Game")))  # OpenGotha keeps one game a table
    rounds = [element.attributes["roundNumber"] for element in root.all("ByePlayer")]
    assert len(set(rounds)) == len(rounds)  # and one bye a round


def test_twelve_players_from_entry_to_prize_list(desk: Desk, folder: Path) -> None:
    (folder / "players.csv").write_bytes(example("players.csv").read_bytes())
    made = desk("new", "open.xml", "--rounds", 3, "--name", "Spring Open", "--bar", "2d")
    assert made.splitlines()[0] == "open.xml is made."
    assert "Bar 2d, floor 20k" in made
    assert "Next: yardstone tournament enter open.xml players.csv" in made
    looks_like_opengothas("open.xml")
    assert "Entered 12 players" in desk("enter", "open.xml", "players.csv")
    before = Path("open.xml").read_bytes()
    assert "Entered already: Almeida Rita" in desk("enter", "open.xml", "players.csv")
    assert Path("open.xml").read_bytes() == before
    for number in (1, 2, 3):
        if number == 2:
            assert "14 are entered" in desk(
                "enter", "open.xml", "--name", "Novak, Jana", "--grade", "3k"
            ) + desk("enter", "open.xml", "--name", "Late Lou", "--rating", 1834)
            assert "only" not in desk("withdraw", "open.xml", "Lopez", "--only")
            desk("bye", "open.xml", "Kranz")
        out = desk("pair", "open.xml", "--round", number, "-o", "open.xml", "--brief")
        boards = 7 if number == 3 else 6
        assert f"Round {number} of Spring Open: {boards} boards" in out
        looks_like_opengothas("open.xml")
        with pytest.raises(InputError, match="paired already"):
            desk("pair", "open.xml", "--round", number, "-o", "open.xml")
        for table in range(1, boards + 1):
            score = ("1-0", "0-1", "0-1F")[table % 3]
            out = desk("result", "open.xml", "--round", number, "--table", table, "--score", score)
            looks_like_opengothas("open.xml")
        assert f"Round {number} is complete." in out
        rows = list(csv.DictReader(io.StringIO(desk("standings", "open.xml", "--format", "csv"))))
        assert len(rows) == (12 if number == 1 else 14)
        assert {"place", "name", "grade", "mms", f"round_{number}"} <= set(rows[0])
    assert "ratings of 13 players" in desk("ratings", "open.xml")
    out = desk("prizes", "open.xml", "--groups", "1d,5k", "--money", "300,200,100", "--wins", 3)
    assert "Not final" not in out
    assert "300" in out
    assert "6k and weaker" in out
    assert "4 pages" in desk("publish", "open.xml", "-o", "pages")
    assert sorted(path.name for path in (folder / "pages").iterdir()) == [
        "index.html", "players.html", "results.html", "standings.html",
    ]  # fmt: skip
    assert "one page" in desk("publish", "open.xml")
    page = (folder / "open.html").read_text("utf-8")
    assert "Almeida Rita" in page
    assert "Where do I play?" in page


@pytest.fixture
def started(desk: Desk, folder: Path) -> str:
    """A small event whose first round is paired."""
    names = "\n".join(f"F{n} G,{n + 1}k,C{n % 2}" for n in range(6))
    (folder / "p.csv").write_text(f"name,grade,club\n{names}\n")
    desk("new", "e.xml", "--rounds", 3)
    desk("enter", "e.xml", "p.csv")
    desk("pair", "e.xml", "-o", "e.xml", "--brief")
    return "e.xml"


def test_one_bad_row_does_not_spoil_the_others(desk: Desk, folder: Path) -> None:
    (folder / "p.csv").write_text("name,grade\nA B,3k\nC D,strong\nE F,\nG H,1d\n")
    desk("new", "e.xml")
    with pytest.raises(InputError, match="2 rows were left out"):
        desk("enter", "e.xml", "p.csv")
    error = desk.capsys.readouterr()
    assert "Entered 2 players: A B 3k, G H 1d." in error.out
    assert "p.csv:3: C D: 'strong' is not a Go grade" in error.err
    assert "p.csv:4: E F: neither grade nor rating" in error.err
    assert len(read_tournament("e.xml").players) == 2


def test_the_exit_status(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.csv").write_text("name,grade\nA B,3k\nC D,strong\n")

    def status(*words: str) -> int:
        code = command.main(["tournament", *words])
        capsys.readouterr()
        return code

    assert status("new", "e.xml") == 0
    assert status("new", "e.xml") == 1
    assert status("new", "e.txt") == 2
    assert status("enter", "e.xml", "p.csv") == 1
    assert status("enter", "e.xml", "--name", "A B", "--grade", "3k") == 0
    assert status("enter", "e.xml") == 2
    assert status("result", "e.xml", "--table", "1", "--score", "1-0") == 1
    assert status("result", "e.xml", "--table", "1", "--score", "7-0") == 2
    assert status("undo", "e.xml") == 0
    assert status("undo", "e.xml") == 1


def test_results_in_other_ways(desk: Desk, started: str, folder: Path) -> None:
    games = read_tournament(started).round_games(1)
    names = [[f"F{g.first} G", f"F{g.second} G"] for g in games]
    assert "Table 1" not in desk("result", started, "--winner", names[0][1])
    assert read_tournament(started).round_games(1)[0].result is Result.second_wins
    desk("result", started, "--players", f"{names[1][1]},{names[1][0]}", "--score", "1-0")
    assert read_tournament(started).round_games(1)[1].result is Result.second_wins
    (folder / "s.csv").write_text("table,score\n1,0-1\n2,1-0\n3,1-0\n")
    with pytest.raises(InputError, match="1 row was left out"):
        desk("result", started, "s.csv")
    assert "s.csv:3: round 1, table 2" in desk.capsys.readouterr().err
    out = desk("result", started, "s.csv", "--replace")
    assert "Entered 1 result." in out
    assert "2 were there already." in out
    assert "Round 1 is complete." in out
    out = desk("undo", started)
    assert read_tournament(started).round_games(1)[1].result is Result.second_wins
    for words in (("--table", 1), ("--score", "1-0"), ("--winner", "F1", "--table", 1)):
        with pytest.raises(UsageError):
            desk("result", started, *words)


def test_wishes(desk: Desk, started: str) -> None:
    assert desk("wish", started) == "No wishes.\n"
    desk("wish", started, "--never", "F0,F1", "--rounds", "2-3")
    out = desk("wish", started, "--not-in-club")
    assert out == "1  never F0 G - F1 G (rounds 2 to 3)\n2  no game within a club\n"
    assert desk("wish", started, "--not-in-club") == out
    desk("undo", started)
    desk("pair", started, "-o", started, "--brief")
    assert desk.error == "yardstone: Kept: no game within a club.\n"
    clubs = [p.club for p in read_tournament(started).players]
    for game in read_tournament(started).games:
        assert clubs[game.first] != clubs[game.second]
    assert desk("wish", started, "--drop", 2) == "1  never F0 G - F1 G (rounds 2 to 3)\n"
    assert desk("wish", started, "--drop", 1) == "No wishes.\n"
    for words in (("--rounds", "2"), ("--drop", 4), ("--local", "Norway"), ("--never", "F0"),
                  ("--not-in-club", "--rounds", "3-1")):  # fmt: skip
        with pytest.raises(UsageError):
            desk("wish", started, *words)


def test_a_round_robin_stays_one(desk: Desk, folder: Path) -> None:
    (folder / "p.csv").write_text("name,grade\nA B,3k\nC D,2k\nE F,1k\nG H,1d\n")
    desk("new", "e.xml", "--rounds", 3, "--system", "round-robin")
    desk("enter", "e.xml", "p.csv")
    for number in (1, 2, 3):
        assert f"Round {number} of 3 of the Berger table" in desk("pair", "e.xml", "-o", "e.xml")
        for table in (1, 2):
            desk("result", "e.xml", "--table", table, "--score", "1-0")
    met = {frozenset((g.first, g.second)) for g in read_tournament("e.xml").games}
    assert len(met) == 6


def test_settings_and_players_change(desk: Desk, started: str) -> None:
    desk("set", started, "--bar", "1k", "--dates", "2026-05-16,2026-05-17", "--time", 45)
    tournament = read_tournament(started)
    assert tournament.scoring.bar == -1
    assert tournament.time.basic == 2700
    assert str(tournament.end) == "2026-05-17"
    assert "F2 G is now F2 G 5k" in desk("change", started, "F2", "--grade", "5k")
    with pytest.raises(UsageError, match="say what to change"):
        desk("change", started, "F2")
    with pytest.raises(UsageError, match="--dates"):
        desk("set", started, "--dates", "May")


def test_a_list_of_a_federation(desk: Desk, folder: Path) -> None:
    (folder / "egf.txt").write_text(
        " 10000001  Adler Ruth                        DE  Koln    3d   --   2310    12  T140823A\n"
        " 10000002  Mueller Jan                       DE  B       1d   --   2101    55  T141004K\n"
        " 10000003  Mueller Jan                       AT  Graz    5k   --   1620     9  T141004K\n"
    )
    (folder / "p.csv").write_text("name,grade\nAdler Ruth,\nMüller Jan,\nNew One,7k\nNobody X,\n")
    desk("new", "e.xml")
    with pytest.raises(InputError, match="2 rows were left out"):
        desk("enter", "e.xml", "p.csv", "--list", "egf.txt")
    printed = desk.capsys.readouterr()
    assert "Entered 2 players: Adler Ruth 3d, New One 7k." in printed.out
    assert "Not in the list of the EGF: New One." in printed.out
    assert "p.csv:3: 'Müller Jan' may be Mueller Jan (1d, DE B, number 10000002)" in printed.err
    assert "p.csv:5: Nobody X: not in the list of the EGF, and no grade" in printed.err
    desk("enter", "e.xml", "--list", "egf.txt", "--name", "10000003")
    assert read_tournament("e.xml").players[2].ids == {"egf": "10000003"}
    with pytest.raises(InputError, match="nobody in the list"):
        desk("enter", "e.xml", "--list", "egf.txt", "--name", "Nobody")
    with pytest.raises(InputError, match="may be Mueller"):
        desk("enter", "e.xml", "--list", "egf.txt", "--name", "Mueller")
