"""`yardstone prep`: which games it keeps, and what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calls import Command


def game(white: str, result: str, black: str) -> str:
    return f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n{result}\n\n'


CIRCLE = [game(*words.split()) for words in ("A 1-0 B", "B 1-0 C", "C 1/2-1/2 A", "C 1-0 B")]
# D lost all; E lost all but against D; so without D, E lost all.
TAIL = [game("E", "1-0", "D"), game("A", "1-0", "E"), game("B", "1-0", "E")]


@pytest.fixture(autouse=True)
def _games(run: Command) -> None:
    run.write("g.pgn", "".join([*TAIL, *CIRCLE]))


def test_games_are_kept_without_moves(run: Command) -> None:
    text = '[Event "x"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 {[White "no"]} 1-0\n\n'
    run.write("m.pgn", text + '[White "B"]\n[Black "A"]\n[Result "*"]\n\n*\n')
    said = run("prep -q m.pgn")
    assert (said.out, said.err) == (game("A", "1-0", "B"), "")
    counts = {"Total games": 2, "White wins": 1, "Draws": 0, "Black wins": 0, "No result": 1}
    lines = "".join(f"{name:27}{number}\n" for name, number in counts.items())
    head = "\nFile: m.pgn\nLoading data (2000 games x dot): \n\n|\n\n\n"
    assert run("prep -o o.pgn m.pgn").out == f"{head}{lines}\n"
    assert run.read("o.pgn") == game("A", "1-0", "B")


def test_players_are_left_out(run: Command) -> None:
    for options, said, kept in (
        # Perfect scores are left out again and again.
        ("-d", "'all losses' (recursive)\n  D\n\nExcluded: 1\n  E\n\nExcluded: 1\n", CIRCLE),
        ("-m34", "minimum percentage performance = 34.00%\n  E\n  D\n\nExcluded: 2\n", CIRCLE),
        ("-M2", "less than 2 games played\n  D\n\nExcluded: 1\n", [*TAIL[1:], *CIRCLE]),
    ):
        assert run(f"prep {options} --remaining r.pgn -o o.pgn g.pgn").out.endswith(said)
        assert run.read("o.pgn") == "".join(kept)
        assert len(run.read("r.pgn")) == len(run.read("g.pgn")) - len(run.read("o.pgn"))
    run.write("g.pgn", "".join([*CIRCLE, game("A", "1-0", "D")]))
    out = run("prep -d -o o.pgn g.pgn").out  # a pass follows when the last game was hit
    assert out.endswith("  D\n\nExcluded: 1\n\nExcluded: 0\n")


def test_groups(run: Command) -> None:
    options = "--group-games=gg --group-players gp -g g.txt -o o.pgn g.pgn"
    out = run(f"prep {options}").out
    assert "Groups=3\nEncounters: Total=7, within groups=4, @ interface between groups=3\n" in out
    assert "group=2 ---> No games in the group, file not saved\n" in out
    for name, text in {
        "gg.000000001.pgn": "".join(CIRCLE), "gp.000000001.csv": '"A"\n"B"\n"C"\n',
        "gp.000000003.csv": '"E"\n', "o.pgn": "",
    }.items():  # fmt: skip
        assert run.read(name) == text
    assert "incomplete links" in run.read("g.txt")
    limit = "Limit of group files reached (1), further files not saved\n"
    assert limit in run(f"prep --group-max 1 {options}").out
    assert run("prep -q --major-only --remaining r.pgn g.pgn").out == "".join(CIRCLE)
    assert run.read("r.pgn") == "".join(TAIL)


def test_names_and_standard_input(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    run.write("n.txt", '"D"\nNobody\n')
    said = run("prep -q -x n.txt g.pgn")
    assert said.out == "".join([*TAIL[1:], *CIRCLE])
    assert said.err == 'WARNING (not matching name): file "n.txt", line 2 = Nobody\n\n'
    said = run("prep -q --no-warnings -i n.txt g.pgn")
    assert (said.out, said.err) == ("", "")
    run.write("s.csv", "Main,A,B\n")
    run.write("one.pgn", CIRCLE[0])
    with Path("g.pgn").open(encoding="utf-8") as stream:  # it comes last
        monkeypatch.setattr("sys.stdin", stream)
        out = run("prep -q -Y s.csv --stdin one.pgn").out
    whole = "".join([*CIRCLE[:1], *TAIL, *CIRCLE])
    assert out == whole.replace('"A"', '"Main"').replace('"B"', '"Main"')
