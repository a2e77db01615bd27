"""`yardstone ordo` on small pools: what it must not do wrong, and how it fails."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest

from yardstone.cli.ordo import main

Result = tuple[int, str, str]


def games(*results: str) -> str:
    """PGN of games written as ``"A 1-0 B"``."""
    texts = []
    for game in results:
        white, result, black = game.split(" ")
        texts.append(f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n{result}\n\n')
    return "".join(texts)


CIRCLE = games("A 1-0 B", "B 1-0 C", "C 1-0 A", "A 1/2-1/2 C", "B 1-0 A")
TWO_GROUPS = CIRCLE + games("X 1-0 Y", "Y 1-0 X", "X 1/2-1/2 Y", "X 1-0 Y")


class Runner:
    """Runs the command in a folder of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def write(self, name: str, text: str | bytes) -> str:
        path = self.folder / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return name

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
    runner.write("g.pgn", CIRCLE)
    return runner


def rating(text: str, player: str) -> float:
    result = re.search(rf"{player} +[<>]? :  *(-?[\d.]+)", text)
    assert result is not None, text
    return float(result[1])


def test_a_player_who_won_all_is_set_apart(run: Runner) -> None:
    run.write("g.pgn", CIRCLE + games("Z 1-0 A", "Z 1-0 B"))
    status, out, err = run("-q g.pgn")
    assert status == 0
    assert "Groups detected: 2" in err
    assert "even after" not in err
    assert "Z       > :" in out
    forced = run("-q -G g.pgn")
    assert forced == (0, out, "")


def test_groups_are_refused_or_rated_apart(run: Runner) -> None:
    run.write("g.pgn", TWO_GROUPS)
    status, out, err = run("-q g.pgn")
    assert (status, out) == (1, "")
    assert "even after purging" in err
    status, out, err = run("-q -G -N 4 g.pgn")
    assert status == 0
    assert "2 groups of players share no scale" in err
    assert rating(out, "X") + rating(out, "Y") == pytest.approx(4600.0, abs=1e-3)


@pytest.mark.parametrize(
    ("switch", "rows"),
    [
        ("-m", '"A",2400\n"X",2000\n'),
        ("-y", '"A",2400,10\n"X",2000,10\n'),
        ("-r", '"A","X",300,50\n'),
    ],
)
def test_anchors_in_each_group_lift_the_refusal(run: Runner, switch: str, rows: str) -> None:
    run.write("g.pgn", TWO_GROUPS)
    run.write("k.csv", rows)
    status, out, err = run(f"-q {switch} k.csv g.pgn")
    assert status == 0
    assert "Groups detected: 2" in err
    assert rating(out, "A") > rating(out, "X") + 200.0


def test_anchors_in_one_of_two_groups_do_not(run: Runner) -> None:
    run.write("g.pgn", TWO_GROUPS)
    run.write("k.csv", '"A",2400\n"B",2300\n')
    assert run("-q -m k.csv g.pgn")[0] == 1


def test_a_single_fixed_rating_is_held(run: Runner) -> None:
    run.write("k.csv", '"B",2000\n')
    status, out, _ = run("-q -m k.csv g.pgn")
    assert status == 0
    assert rating(out, "B") == 2000.0


def test_an_anchor_without_effect_is_pointed_out(run: Runner) -> None:
    run.write("k.csv", '"B",2000,10\n')
    status, out, err = run("-q -A A -y k.csv g.pgn")
    assert status == 0
    assert "has no effect" in err
    assert rating(out, "A") != 2300.0


def test_an_anchor_without_games_is_refused(run: Runner) -> None:
    run.write("g.pgn", CIRCLE + games("A * Z"))
    for name in ("Z", "Nobody"):
        status, out, err = run(f"-q -A {name} g.pgn")
        assert (status, out) == (1, "")
        assert (
            "ERROR: No games of anchor player, mispelled, wrong capital letters, "
            f'or extra spaces = "{name}"\n' in err
        )


def test_bad_records_are_named_and_counted(run: Runner) -> None:
    bad = '[White "A"]\n[Black "B"]\n[Result "1:0"]\n\n'
    run.write("g.pgn", bad * 12 + CIRCLE)
    status, _, err = run("-q g.pgn")
    assert status == 0
    lines = err.splitlines()
    assert lines[0].startswith("yardstone: g.pgn:1: result '1:0'")
    assert len(lines) == 11
    assert lines[-1] == "yardstone: 12 records skipped: 12 x unknown result"


def test_unfinished_games_are_counted_not_reported(run: Runner) -> None:
    run.write("g.pgn", CIRCLE + games("A * B", "A * Z"))
    status, out, err = run("g.pgn")
    assert (status, err) == (0, "")
    assert "Total games                   7" in out
    assert " - Truncated/Discarded        2" in out
    assert "players with no games = 1" in out
    assert "players, total purged = 1" in out


def test_two_players_share_a_name_that_differs_in_blanks(run: Runner) -> None:
    run.write("g.pgn", CIRCLE + '[White "A "]\n[Black "B"]\n[Result "1-0"]\n\n')
    assert run("-q g.pgn")[1].count("\n") == 9


def test_standard_input_is_a_dash(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run("-q g.pgn")
    with (run.folder / "g.pgn").open(encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert run("-q -p -") == expected


def test_synonyms_are_merged_chained_and_missed(run: Runner) -> None:
    run.write("g.pgn", CIRCLE + games("A2 1-0 B", "A3 0-1 C"))
    run.write("s.csv", '"A","A2"\n"A1","A"\n"A1","A3","Nobody"\n')
    status, out, err = run("-q -Y s.csv g.pgn")
    assert status == 0
    assert re.search(r"A1 +:.* 6 ", out)
    assert err == 'yardstone: s.csv: the synonym "Nobody" is in no game\n'
    assert run("-q --no-warnings -Y s.csv g.pgn")[2] == ""


def test_a_synonym_keeps_its_first_main_name(run: Runner) -> None:
    run.write("s.csv", '"A","B"\n"C","B"\n')
    status, out, err = run("-q -G -Y s.csv g.pgn")
    assert status == 0
    assert '"B" has another main name already' in err
    assert not re.search(r"\d B +", out)


def test_nobody_reaches_the_threshold(run: Runner) -> None:
    status, out, err = run("-q -t 1000 -c o.csv g.pgn")
    assert (status, err) == (0, "")
    assert out.splitlines()[1] == "   # PLAYER    :  RATING  POINTS  PLAYED   (%)"
    assert run.read("o.csv") == '"#","PLAYER","RATING","ERROR","POINTS","PLAYED","(%)"\n'


@pytest.mark.parametrize("switch", ["-o", "-c", "-j", "-e", "-C", "-g"])
def test_what_cannot_be_written_is_an_error(run: Runner, switch: str) -> None:
    status, out, err = run(f"-q {switch} no/folder.txt g.pgn")
    assert (status, out) == (1, "")
    assert "no/folder.txt" in err


def test_files_are_written_whole_or_not_at_all(run: Runner) -> None:
    run.write("o.txt", "precious")
    (run.folder / "o.txt").chmod(0o640)
    run.write("two.pgn", TWO_GROUPS)
    assert run("-q -o o.txt two.pgn")[0] == 1
    assert run.read("o.txt") == "precious"
    assert run("-q -o o.txt g.pgn")[0] == 0
    assert run.read("o.txt") == run("-q g.pgn")[1]
    assert stat.S_IMODE((run.folder / "o.txt").stat().st_mode) == 0o640
    assert {path.name for path in run.folder.iterdir()} == {"o.txt", "g.pgn", "two.pgn"}


def test_devices_are_written_directly(run: Runner) -> None:
    assert run("-q -o /dev/null g.pgn") == (0, "", "")


def test_errors_follow_the_confidence(run: Runner) -> None:
    margins = []
    for level in ("95", "68.27"):
        status, out, _ = run(f"-q -W -D -s 20 -F {level} g.pgn")
        assert status == 0
        margins.append([float(number) for number in re.findall(r"\+/- ([\d.]+)", out)])
    for wide, narrow in zip(*margins, strict=True):
        assert wide == pytest.approx(1.96 * narrow, rel=0.02, abs=0.02)


def test_matrices_without_simulation(run: Runner) -> None:
    status, out, err = run("-q -J -e e.csv -C c.csv g.pgn")
    assert (status, err) == (0, "")
    assert "---" in out.splitlines()[4]
    rows = [line.split(",") for line in run.read("e.csv").splitlines()]
    assert rows[0] == ['"N"', '"NAME"', "0", "1", "2"]
    assert [len(row) for row in rows[1:]] == [2, 3, 4]
    confidence = [line.split(",")[2:] for line in run.read("c.csv").splitlines()[1:]]
    assert [row[i] for i, row in enumerate(confidence)] == ["", "", ""]
    assert float(confidence[0][1]) + float(confidence[1][0]) == pytest.approx(100.0, abs=0.11)
    assert re.search(r" \d+\n", out)


def test_signs_of_progress(run: Runner) -> None:
    status, out, _ = run("-Q -s 7 -G g.pgn")
    assert status == 0
    assert out.startswith(
        "0   10   20   30   40   50   60   70   80   90   100 (%)\n"
        "|----|----|----|----|----|----|----|----|----|----|\n" + "*" * 51 + "\n"
    )
    status, out, _ = run("--timelog -q g.pgn")
    assert re.match(r" +\d+\.\d\d \| start\n", out)


def test_old_versions_are_hidden(run: Runner) -> None:
    run.write("r.csv", '"A","B",0,50\n')
    status, out, _ = run("-q -r r.csv g.pgn")
    assert status == 0
    assert re.search(r"^     B ", out, re.MULTILINE)
    assert not re.search(r"\bB\b", run("-q -R -r r.csv g.pgn")[1])


@pytest.mark.parametrize(
    ("switch", "rows", "message"),
    [
        ("-m", "A\n", 'Errors in file "k.csv"'),
        ("-m", "A,x\n", 'Errors in file "k.csv"'),
        ("-m", "Q,1\nA,2\n", "Anchoring, Q --> FAILED"),
        ("-y", "A,1\n", 'Errors in file "k.csv"'),
        ("-y", "A,1,-1\n", "cannot be negative"),
        ("-y", "Q,1,0\n", "Prior, Q --> FAILED"),
        ("-r", "A,B,1,0\n", "sigma too small"),
        ("-r", "A,B,1,-1\n", "cannot be negative"),
        ("-r", "A,Q,1,1\n", "name/s not found in input file"),
        ("-b", "99,1,x\n", 'Errors in file "k.csv"'),
        ("-b", "1,x,x\n", 'Errors in file "k.csv"'),
        ("-P", "a,b\n", 'Errors in file "k.csv", or lack of memory'),
    ],
)
def test_files_that_cannot_be_used(run: Runner, switch: str, rows: str, message: str) -> None:
    run.write("k.csv", rows)
    status, out, err = run(f"-q {switch} k.csv g.pgn")
    assert (status, out) == (1, "")
    assert message in err


def test_a_bad_line_of_relations_is_told_on_standard_output(run: Runner) -> None:
    run.write("k.csv", "A,B,1\n")
    assert run("-q -r k.csv g.pgn") == (1, "Problems with input in -r file\n", "")


@pytest.mark.parametrize("switch", ["-m", "-y", "-r", "-b", "-P", "-Y", "-i", "-x"])
def test_files_that_are_not_there(run: Runner, switch: str) -> None:
    status, _, err = run(f"-q {switch} nope.csv g.pgn")
    assert status == 1
    assert 'Errors in file "nope.csv"' in err


def test_draws_need_a_draw_rate(run: Runner) -> None:
    assert "-d switch specified an invalid number" in run("-q -d 0 -u 5 g.pgn")[2]
    assert "too high" in run("-q -d 100 g.pgn")[2]


def test_no_game_is_left(run: Runner) -> None:
    run.write("i.txt", "A\n")
    assert run("-q -i i.txt g.pgn")[2] == "ERROR: Input file contains no games to process\n"
    run.write("e.pgn", "nothing")
    assert run("-q e.pgn")[2] == "ERROR: Input file contains no games\n"


def test_deviations_of_zero_fix_the_value(run: Runner) -> None:
    run.write("k.csv", '"A",2400,0\n"B",2300,30,40\n')
    status, out, _ = run("-y k.csv -N 2 g.pgn")
    assert status == 0
    assert "Anchoring, A --> 2400.0" in out
    assert "[B] = 2300.000000 +/- 50.000000" in out
    assert rating(out, "A") == 2400.0


def test_names_keep_their_quotes(run: Runner) -> None:
    name = r"The \"Rock\" \\ Ö"
    run.write("g.pgn", CIRCLE.replace('"A"', f'"{name}"'))
    run.write("i.txt", f'"{name}"\n"B"\n"C"\n')
    status, out, err = run("-q -i i.txt -c o.csv g.pgn")
    assert (status, err) == (0, "")
    assert name in out
    assert f'"{name}"' in run.read("o.csv")
