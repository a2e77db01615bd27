"""`yardstone prep`: which games it keeps, and what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from yardstone.cli.prep import main

Result = tuple[int, str, str]


def game(white: str, result: str, black: str) -> str:
    return f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n{result}\n\n'


CIRCLE = [
    game("A", "1-0", "B"),
    game("B", "1-0", "C"),
    game("C", "1/2-1/2", "A"),
    game("C", "1-0", "B"),
]
# D lost all; E lost all but against D; so without D, E lost all.
TAIL = [game("E", "1-0", "D"), game("A", "1-0", "E"), game("B", "1-0", "E")]


class Runner:
    """Runs the command in a folder of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def write(self, name: str, games: list[str]) -> None:
        (self.folder / name).write_text("".join(games), encoding="utf-8")

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def __call__(self, arguments: str) -> Result:
        status = main(arguments.split())
        return (status, *self._capsys.readouterr())


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Runner:
    monkeypatch.chdir(tmp_path)
    runner = Runner(tmp_path, capsys)
    runner.write("g.pgn", [*TAIL, *CIRCLE])
    return runner


def test_games_are_kept_without_moves(run: Runner) -> None:
    (run.folder / "m.pgn").write_text(
        '[Event "x"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 {[White "no"]} 1-0\n\n'
        '[White "B"]\n[Black "A"]\n[Result "*"]\n\n*\n'
    )
    assert run("-q m.pgn") == (0, game("A", "1-0", "B"), "")
    status, out, _ = run("-o o.pgn m.pgn")
    assert status == 0
    assert run.read("o.pgn") == game("A", "1-0", "B")
    assert out == (
        "\nFile: m.pgn\nLoading data (2000 games x dot): \n\n|\n\n"
        "\nTotal games                2\nWhite wins                 1\n"
        "Draws                      0\nBlack wins                 0\n"
        "No result                  1\n\n"
    )


def test_perfect_scores_are_left_out_again_and_again(run: Runner) -> None:
    status, out, err = run("-d -o o.pgn --remaining r.pgn g.pgn")
    assert (status, err) == (0, "")
    assert run.read("o.pgn") == "".join(CIRCLE)
    assert run.read("r.pgn") == "".join(TAIL)
    assert out.endswith(
        "Exclude if performance is 'all wins' or 'all losses' (recursive)\n"
        "  D\n\nExcluded: 1\n  E\n\nExcluded: 1\n"
    )


def test_a_pass_follows_when_the_last_game_was_hit(run: Runner) -> None:
    run.write("g.pgn", [*CIRCLE, game("A", "1-0", "D")])
    assert run("-d -o o.pgn g.pgn")[1].endswith("  D\n\nExcluded: 1\n\nExcluded: 0\n")


@pytest.mark.parametrize(
    ("switch", "said"),
    [
        ("-m34", "minimum percentage performance = 34.00%\n  E\n  D\n\nExcluded: 2\n"),
        ("-M2", "less than 2 games played\n  D\n\nExcluded: 1\n"),
    ],
)
def test_weak_and_rare_players_are_left_out(run: Runner, switch: str, said: str) -> None:
    status, out, _ = run(f"{switch} -o o.pgn g.pgn")
    assert status == 0
    assert out.endswith(said)
    assert '"D"' not in run.read("o.pgn")


def test_groups(run: Runner) -> None:
    arguments = "--group-games=gg --group-players gp -g g.txt -o o.pgn g.pgn"
    status, out, _ = run(arguments)
    assert status == 0
    assert "Groups=3\nEncounters: Total=7, within groups=4, @ interface between groups=3\n" in out
    assert "group=2 ---> No games in the group, file not saved\n" in out
    assert run.read("gg.000000001.pgn") == "".join(CIRCLE)
    assert run.read("gp.000000001.csv") == '"A"\n"B"\n"C"\n'
    assert run.read("gp.000000003.csv") == '"E"\n'
    assert run.read("o.pgn") == ""
    assert "incomplete links" in run.read("g.txt")
    assert (
        "Limit of group files reached (1), further files not saved\n"
        in run(f"--group-max 1 {arguments}")[1]
    )


def test_only_the_largest_group(run: Runner) -> None:
    status, out, _ = run("-q --major-only --remaining r.pgn g.pgn")
    assert (status, out) == (0, "".join(CIRCLE))
    assert run.read("r.pgn") == "".join(TAIL)


def test_players_are_chosen_by_name(run: Runner) -> None:
    (run.folder / "n.txt").write_text('"D"\nNobody\n')
    status, out, err = run("-q -x n.txt g.pgn")
    assert status == 0
    assert out == "".join([*TAIL[1:], *CIRCLE])
    assert err == 'WARNING (not matching name): file "n.txt", line 2 = Nobody\n\n'
    assert run("-q --no-warnings -i n.txt g.pgn") == (0, "", "")


def test_synonyms(run: Runner) -> None:
    (run.folder / "s.csv").write_text("Main,A,B\n")
    assert run("-q -Y s.csv g.pgn")[1].count('"Main"') == 7


def test_standard_input_comes_last(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    run.write("one.pgn", CIRCLE[:1])
    with (run.folder / "g.pgn").open(encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert run("-q --stdin one.pgn")[1] == "".join([*CIRCLE[:1], *TAIL, *CIRCLE])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-q", "Need file name to proceed"),
        ("-m x g.pgn", "wrong min. percentage"),
        ("-M x g.pgn", "wrong min. games played"),
        ("--group-max x g.pgn", "wrong --group-max"),
        ("-d -g x g.pgn", "cannot be used at the same time"),
        ("-i a -x b g.pgn", "cannot be used at the same time"),
        ("-q nope.pgn", "Problems reading results from pgn file"),
        ("-q -o no/o.pgn g.pgn", "Errors with file: no/o.pgn"),
        ("-q --remaining no/o.pgn g.pgn", "Problems to output remaining games"),
        ("-q -P nope.txt", 'Errors in file "nope.txt", or lack of memory'),
    ],
)
def test_what_is_refused(run: Runner, arguments: str, message: str) -> None:
    status, out, err = run(arguments)
    assert (status, out) == (1, "")
    assert message in err


def test_no_games(run: Runner) -> None:
    run.write("e.pgn", [])
    assert run("-q e.pgn") == (1, "", "ERROR: Input file contains no games\n")
    run.write("u.pgn", [game("A", "*", "B")])
    assert run("-q --major-only u.pgn")[0] == 1
