"""Events run by commands, from entry to prize list."""

from __future__ import annotations

import pytest

from tests.cli.calls import Command
from yardstone.tournament import Result, read_tournament


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


def test_one_bad_row_does_not_spoil_the_others(run: Command) -> None:
    desk = Desk(run)
    run.write("p.csv", "name,grade\nA B,3k\nC D,strong\nE F,\nG H,1d\n")
    desk("new")
    said = run("tournament enter e.xml p.csv", status=1)
    assert "Entered 2 players: A B 3k, G H 1d." in said.out
    assert "2 rows were left out" in said.err
    assert "p.csv:3: C D: 'strong' is not a Go grade" in said.err
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
    desk(f"result --winner 'F{games[0].second} G'")
    desk(f"result --players 'F{games[1].second} G,F{games[1].first} G' --score 1-0")
    assert result(0) is result(1) is Result.second_wins
    run.write("s.csv", "table,score\n1,0-1\n2,1-0\n3,1-0\n")
    error = desk("result s.csv", status=1)
    assert ("1 row was left out" in error, "s.csv:3: round 1, table 2" in error) == (True, True)
    out = desk("result s.csv --replace")
    for words in ("Entered 1 result.", "2 were there already.", "Round 1 is complete."):
        assert words in out
    for words in ("--table 1", "--score 1-0", "--winner F1 --table 1"):
        desk(f"result {words}", status=2)


def test_wishes_settings_and_players_change(desk: Desk, run: Command) -> None:
    desk("wish --never F0,F1 --rounds 2-3")
    out = desk("wish --not-in-club")
    assert out == "1  never F0 G - F1 G (rounds 2 to 3)\n2  no game within a club\n"
    desk("undo")
    said = run("tournament pair e.xml -o e.xml --brief")
    assert said.err == "yardstone: Kept: no game within a club.\n"
    assert desk("wish --drop 2") == "1  never F0 G - F1 G (rounds 2 to 3)\n"
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
    run.write("p.csv", "name,grade\nAdler Ruth,\nMüller Jan,\nNew One,7k\n")
    desk = Desk(run)
    desk("new")
    said = run("tournament enter e.xml p.csv --list egf.txt", status=1)
    assert "Entered 2 players: Adler Ruth 3d, New One 7k." in said.out
    assert "Not in the list of the EGF: New One." in said.out
    assert "p.csv:3: 'Müller Jan' may be Mueller Jan (1d, DE B, number 10000002)" in said.err
    desk("enter --list egf.txt --name 10000003")
    assert read_tournament("e.xml").players[2].ids == {"egf": "10000003"}
