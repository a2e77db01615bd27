"""Events run by commands, from entry to prize list."""

from __future__ import annotations

import pytest

from tests.cli.calls import Command
from yardstone.examples import example
from yardstone.tournament import Result, read_tournament
from yardstone.tournament.formats.text_files import parse_xml

#: The attributes with which OpenGotha 3.51 writes a player and a game.
PLAYER = set(
    "agaId club country egfPin ffgLicence firstName grade name participating rank rating "
    "ratingOrigin registeringStatus smmsCorrection".split()
)
GAME = set("blackPlayer handicap knownColor result roundNumber tableNumber whitePlayer".split())


class Desk:
    def __init__(self, run: Command, file: str = "e.xml") -> None:
        self.run, self.file = run, file

    def __call__(self, line: str, *, status: int = 0) -> str:
        """What it prints, or where it fails what it complains of."""
        command, _, options = line.partition(" ")
        said = self.run(f"tournament {command} {self.file} {options}", status=status)
        return said.err if status else said.out


@pytest.fixture
def desk(run: Command) -> Desk:
    """A small event whose first round is paired."""
    names = "\n".join(f"F{n} G,{n + 1}k,C{n % 2}" for n in range(6))
    run.write("p.csv", f"name,grade,club\n{names}\n")
    desk = Desk(run)
    for line in ("new --rounds 3", "enter p.csv", "pair -o e.xml --brief"):
        desk(line)
    return desk


def check_file(run: Command, file: str) -> None:
    """Every attribute that OpenGotha writes is there, and names lead to players."""
    root = parse_xml(run.read(file).encode(), file, root="Tournament").root
    players, games = ([e.attributes for e in root.all(name)] for name in ("Player", "Game"))
    assert all(set(each) >= PLAYER for each in players)
    names = {(each["name"] + each["firstName"]).upper().replace(" ", "") for each in players}
    assert all(set(each) >= GAME and each["whitePlayer"] in names for each in games)
    tables = {(each["roundNumber"], each["tableNumber"]) for each in games}
    assert len(tables) == len(games)  # OpenGotha keeps one game a table
    rounds = [element.attributes["roundNumber"] for element in root.all("ByePlayer")]
    assert len(set(rounds)) == len(rounds)  # and one bye a round


def test_twelve_players_from_entry_to_prize_list(run: Command) -> None:
    run.write("players.csv", example("players.csv").read_text(encoding="utf-8"))
    desk = Desk(run, "open.xml")
    assert "Bar 2d, floor 20k" in desk("new --rounds 3 --name 'Spring Open' --bar 2d")
    check_file(run, "open.xml")
    assert "Entered 12 players" in desk("enter players.csv")
    before = run.read("open.xml")
    assert "Entered already: Almeida Rita" in desk("enter players.csv")
    assert run.read("open.xml") == before
    for number, boards in ((1, 6), (2, 6), (3, 7)):
        if number == 2:
            desk("enter --name 'Novak, Jana' --grade 3k")
            assert "14 are entered" in desk("enter --name 'Late Lou' --rating 1834")
            assert "only" not in desk("withdraw Lopez --only")
            desk("bye Kranz")
        out = desk(f"pair --round {number} -o open.xml --brief")
        assert f"Round {number} of Spring Open: {boards} boards" in out
        assert "paired already" in desk(f"pair --round {number} -o open.xml", status=1)
        for table in range(1, boards + 1):
            score = ("1-0", "0-1", "0-1F")[table % 3]
            out = desk(f"result --round {number} --table {table} --score {score}")
        check_file(run, "open.xml")
        assert f"Round {number} is complete." in out
    assert "ratings of 13 players" in desk("ratings")
    assert "6k and weaker" in desk("prizes --groups 1d,5k --money 300,200,100 --wins 3")
    assert "4 pages" in desk("publish -o pages")
    assert len(list((run.folder / "pages").iterdir())) == 4
    assert "one page" in desk("publish")
    assert "Almeida Rita" in run.read("open.html")


def test_one_bad_row_does_not_spoil_the_others(run: Command) -> None:
    desk = Desk(run)
    run.write("p.csv", "name,grade\nA B,3k\nC D,strong\nE F,\nG H,1d\n")
    desk("new")
    said = run("tournament enter e.xml p.csv", status=1)
    assert "Entered 2 players: A B 3k, G H 1d." in said.out
    for words in (
        "2 rows were left out", "p.csv:3: C D: 'strong' is not a Go grade",
        "p.csv:4: E F: neither grade nor rating",
    ):  # fmt: skip
        assert words in said.err
    assert len(read_tournament("e.xml").players) == 2
    for status, line in (
        (1, "new"), (2, "enter"), (0, "enter --name 'C D' --grade 3k"),
        (1, "result --table 1 --score 1-0"), (2, "result --table 1 --score 7-0"),
        (0, "undo"), (0, "undo"), (1, "undo"),
    ):  # fmt: skip
        desk(line, status=status)
    run("tournament new e.txt", status=2)


def test_results_in_other_ways(desk: Desk, run: Command) -> None:
    def result(board: int) -> Result:
        return read_tournament("e.xml").round_games(1)[board].result

    games = read_tournament("e.xml").round_games(1)
    names = [[f"F{g.first} G", f"F{g.second} G"] for g in games]
    assert "Table 1" not in desk(f"result --winner '{names[0][1]}'")
    assert result(0) is Result.second_wins
    desk(f"result --players '{names[1][1]},{names[1][0]}' --score 1-0")
    assert result(1) is Result.second_wins
    run.write("s.csv", "table,score\n1,0-1\n2,1-0\n3,1-0\n")
    error = desk("result s.csv", status=1)
    assert "1 row was left out" in error
    assert "s.csv:3: round 1, table 2" in error
    out = desk("result s.csv --replace")
    for words in ("Entered 1 result.", "2 were there already.", "Round 1 is complete."):
        assert words in out
    desk("undo")
    assert result(1) is Result.second_wins
    for words in ("--table 1", "--score 1-0", "--winner F1 --table 1"):
        desk(f"result {words}", status=2)


def test_wishes_settings_and_players_change(desk: Desk, run: Command) -> None:
    assert desk("wish") == "No wishes.\n"
    desk("wish --never F0,F1 --rounds 2-3")
    out = desk("wish --not-in-club")
    assert out == "1  never F0 G - F1 G (rounds 2 to 3)\n2  no game within a club\n"
    assert desk("wish --not-in-club") == out
    desk("undo")
    said = run("tournament pair e.xml -o e.xml --brief")
    assert said.err == "yardstone: Kept: no game within a club.\n"
    clubs = [p.club for p in read_tournament("e.xml").players]
    assert all(clubs[g.first] != clubs[g.second] for g in read_tournament("e.xml").games)
    assert desk("wish --drop 2") == "1  never F0 G - F1 G (rounds 2 to 3)\n"
    assert desk("wish --drop 1") == "No wishes.\n"
    for words in ("--rounds 2", "--drop 4", "--local Norway", "--never F0",
                  "--not-in-club --rounds 3-1"):  # fmt: skip
        desk(f"wish {words}", status=2)
    desk("set --bar 1k --dates 2026-05-16,2026-05-17 --time 45")
    event = read_tournament("e.xml")
    assert (event.scoring.bar, event.time.basic, str(event.end)) == (-1, 2700, "2026-05-17")
    assert "F2 G is now F2 G 5k" in desk("change F2 --grade 5k")
    assert "say what to change" in desk("change F2", status=2)
    assert "--dates" in desk("set --dates May", status=2)


def test_a_list_of_a_federation(run: Command) -> None:
    run.write(
        "egf.txt",
        " 10000001  Adler Ruth                        DE  Koln    3d   --   2310    12  T140823A\n"
        " 10000002  Mueller Jan                       DE  B       1d   --   2101    55  T141004K\n"
        " 10000003  Mueller Jan                       AT  Graz    5k   --   1620     9  T141004K\n",
    )
    run.write("p.csv", "name,grade\nAdler Ruth,\nMüller Jan,\nNew One,7k\nNobody X,\n")
    desk = Desk(run)
    desk("new")
    said = run("tournament enter e.xml p.csv --list egf.txt", status=1)
    assert "Entered 2 players: Adler Ruth 3d, New One 7k." in said.out
    assert "Not in the list of the EGF: New One." in said.out
    for words in (
        "2 rows were left out", "p.csv:5: Nobody X: not in the list of the EGF, and no grade",
        "p.csv:3: 'Müller Jan' may be Mueller Jan (1d, DE B, number 10000002)",
    ):  # fmt: skip
        assert words in said.err
    desk("enter --list egf.txt --name 10000003")
    assert read_tournament("e.xml").players[2].ids == {"egf": "10000003"}
    for name, words in (("Nobody", "nobody in the list"), ("Mueller", "may be Mueller")):
        assert words in desk(f"enter --list egf.txt --name {name}", status=1)
