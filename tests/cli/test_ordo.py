"""`yardstone ordo` and `prep`: switches as Ordo reads them, what is kept, and how they fail."""

from __future__ import annotations

import ctypes
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cli.calls import Command, pgn
from yardstone.cli.ordo_switches import (
    SWITCHES,
    read_options,
    scan_float,
    scan_integer,
    scan_integers,
    taken_switches,
)
from yardstone.errors import ModelError
from yardstone.pool import Pool
from yardstone.ratings.result import Estimate
from yardstone.reports.ordo import (
    OpponentSummary,
    OrdoList,
    error_matrix,
    listing_order,
    pad,
    programs_dat,
    rounded,
)


def games(results: str) -> str:
    """PGN of games written as ``"A 1-0 B, B 1-0 C"``."""
    return pgn(*((w, b, result) for w, result, b in map(str.split, results.split(","))))


CIRCLE = games("A 1-0 B, B 1-0 C, C 1-0 A, A 1/2-1/2 C, B 1-0 A")
TWO_GROUPS = CIRCLE + games("X 1-0 Y, Y 1-0 X, X 1/2-1/2 Y, X 1-0 Y")


@pytest.fixture(autouse=True)
def _games(run: Command) -> None:
    texts = {"g": CIRCLE, "e": "", "u": games("A * B"), "star": CIRCLE + games("A * B, A * Z")}
    for name, text in (texts | {"two": TWO_GROUPS, "p": "".join([*TAIL, *KEPT])}).items():
        run.write(f"{name}.pgn", text)


#: Switches that name a file to be read, or to be written.
NAMED, WRITTEN = ("-m", "-y", "-r", "-b", "-P", "-Y", "-i", "-x"), ("-o", "-c", "-j", "-e", "-g")


def test_small_pools(run: Command) -> None:
    for text, arguments, status, out, err in (
        # Anchors in each group lift the refusal, those in one of two do not.
        ('"A","X",300,50\n', "-q -r k two.pgn", 0, "X ", "Groups detected: 2"),
        ('"A",2400\n"B",2300\n', "-q -m k two.pgn", 1, r"\A\Z", "even after purging"),
        ('"B",2000,10\n', "-q -A A -y k g.pgn", 0, "A ", "has no effect"),
        # Unfinished games are counted, not reported.
        ("", "star.pgn", 0, "(?s)players with no games = 1.*players, total purged = 1", ""),
        ("", "-q -A Z star.pgn", 1, r"\A\Z", r'mispelled, wrong capital .* = "Z"\n'),
        # Synonyms are missed; the first main name is kept.
        ('"A1","No"\n', "-q -Y k g.pgn", 0, "A ", r'\Ayardstone: k: the synonym "No" is in no'),
        ('"A1","Nobody"\n', "-q --no-warnings -Y k g.pgn", 0, "A ", r"\A\Z"),
        ('"A","B"\n"C","B"\n', "-q -G -Y k g.pgn", 0, r"A ", '"B" has another main name already'),
        # Old versions are hidden.
        ('"A","B",0,50\n', "-q -R -r k g.pgn", 0, r"\A(?!.*\bB\b)(?s:.*)\Z", ""),
        # Deviations of zero fix the value.
        ('"A",2400,0\n', "-y k -N 2 g.pgn", 0, "Anchoring, A --> 2400.0", ""),
        ('"B",2300,30,40\n', "-y k g.pgn", 0, r"\[B\] = 2300.000000 \+/- 50.000000", ""),
        # Signs of progress.
        ("", "-Q -s 7 -G g.pgn", 0, r"\A0   10 .* 100 \(%\)\n\|-.*-\|\n\*{51}\n", ""),
        ("", "--timelog -q g.pgn", 0, r"\A +\d+\.\d\d \| start\n", ""),
        # Files that cannot be used.
        ("A,x\n", "-q -m k g.pgn", 1, r"\A\Z", 'Errors in file "k"'),
        ("A,1,-1\n", "-q -y k g.pgn", 1, r"\A\Z", "cannot be negative"),
        ("Q,1,0\n", "-q -y k g.pgn", 1, r"\A\Z", "Prior, Q --> FAILED"),
        ("A,B,1,0\n", "-q -r k g.pgn", 1, r"\A\Z", "sigma too small"),
        ("A,Q,1,1\n", "-q -r k g.pgn", 1, r"\A\Z", "name/s not found in input file"),
        ("A,B,1\n", "-q -r k g.pgn", 1, r"\AProblems with input in -r file\n\Z", r"\A\Z"),
        ("99,1,x\n", "-q -b k g.pgn", 1, r"\A\Z", 'Errors in file "k"'),
        ("a,b\n", "-q -P k g.pgn", 1, r"\A\Z", 'Errors in file "k", or lack of memory'),
        ("A\n", "-q -i k g.pgn", 1, r"\A\Z", r"\AERROR: Input file contains no games to process\n"),
        ("", "-q -d 100 g.pgn", 1, "", "too high"),
        *(("", f"-q {each} nope g.pgn", 1, "", 'Errors in file "nope"') for each in NAMED),
        *(("", f"-q {each} no/o.txt g.pgn", 1, r"\A\Z", "no/o.txt") for each in WRITTEN),
        ("", "-q -o /dev/null g.pgn", 0, r"\A\Z", r"\A\Z"),
    ):
        run.write("k", text)
        before = run.names()
        said = run(f"ordo {arguments}", status=status)
        assert re.search(out, said.out), arguments
        assert re.search(err, said.err), arguments
        assert run.names() == before, arguments


def test_names_bad_records_and_ties(run: Command) -> None:
    run.write("g.pgn", '[White "A"]\n[Black "B"]\n[Result "1:0"]\n\n' * 12 + CIRCLE)
    lines = run("ordo -q g.pgn").err.splitlines()
    assert lines[0].startswith("yardstone: g.pgn:1: result '1:0'")
    assert lines[10:] == ["yardstone: 12 records skipped: 12 x unknown result"]
    name = r"The \"Rock\" \\ Ö"
    run.write("rock.pgn", CIRCLE.replace('"A"', f'"{name}"'))
    run.write("i.txt", f'"{name}"\n"B"\n"C"\n')
    said = run("ordo -q -i i.txt -c o.csv rock.pgn")
    assert (name in said.out, said.err, f'"{name}"' in run.read("o.csv")) == (True, "", True)
    assert pad("囲Ä\u0308", 6, right=True) == "   囲Ä\u0308"
    # Ties end where Ordo leaves them.
    assert listing_order(range(8), np.zeros(8)) == [0, 2, 4, 5, 6, 7, 1, 3]
    values = [(2400.25, 1), (-0.04, 1), (-0.05, 1), (1.123456789, 7)]
    assert [rounded(*each) for each in values] == [2400.3, 0.0, 0.0, 1.12346]
    own = Pool.from_names("AAB", "ABA", [1, 1, 1])  # a game with oneself
    table = OrdoList(
        names=own.players, rating=np.array([2310.0, 2290.0]), status=np.zeros(2, np.int8),
        counts=own.pair_counts(), first_advantage=Estimate(0.0), draw_rate=Estimate(0.5),
    )  # fmt: skip
    assert (table.games.tolist(), OpponentSummary.of(table).number.tolist()) == ([4, 2], [2, 1])
    assert "A   : 1 (+  1,=  0,-  0), 100.0 %" in programs_dat(table, decimals=1)
    with pytest.raises(ModelError):
        error_matrix(table, [0])


def test_switches_are_found() -> None:
    for words, switches, rest in (
        ("-qWD", [("quiet", None), ("white-auto", None), ("draw-auto", None)], ""),
        ("-qs1000", [("quiet", None), ("simulations", "1000")], ""),
        ("-s -5 a", [("simulations", "-5")], "a"),
        ("--average 2500", [("average", "2500")], ""),
        ("--average= 2500", [("average", "2500")], ""),
        ("--quiet=whatever", [("quiet", None)], ""),
        ("a.pgn -q", [], "a.pgn -q"), ("-q -- -a.pgn", [("quiet", None)], "-a.pgn"),
        ("-p- -q", [("pgn", "-"), ("quiet", None)], ""),
    ):  # fmt: skip
        left = words.split()
        assert [(each.name, given) for each, given in taken_switches(SWITCHES, left)] == switches
        assert left == rest.split(), words


@given(st.text("0123456789.+-eE abx\t", max_size=8))
@example("1e")
@example("2500abc")
@example(" 5")
@example(".")
def test_numbers_are_scanned_as_in_c(text: str) -> None:
    def c_scan(format_: bytes, value: ctypes.c_double | ctypes.c_int) -> float | None:
        taken = ctypes.CDLL(None).sscanf(text.encode(), format_, ctypes.byref(value))
        return value.value if taken == 1 else None

    if not re.search(r"0x|e(?![-+]?\d)", text, re.IGNORECASE):  # C libraries differ
        assert scan_float(text) == c_scan(b"%lf", ctypes.c_double())
    assert scan_integer(text) == c_scan(b"%d", ctypes.c_int())


def test_numbers_with_names_and_lists_of_numbers() -> None:
    numbers = [scan_float(text) for text in ("0x1p4", "-Infinity", "abc")]
    assert numbers == [16, -math.inf, None]
    assert math.isnan(scan_float("nan") or 0.0)
    lists: dict[tuple[str, int], list[int] | None] = {("0, 1,3x", 5): [0, 1, 3], ("1,2", 2): [1, 2]}
    lists |= dict.fromkeys([("0,,1", 5), ("1,2,3", 2), ("", 2)])
    assert {each: scan_integers(*each) for each in lists} == lists
    options = read_options(["-N", "0", "-U", "0,3,-1,5", "f"])
    assert (options.decimals, options.score_decimals, options.columns) == (0, 1, (0, 3))
    assert (read_options(["f"]).decimals, read_options(["f"]).score_decimals) == (1, 0)
    assert read_options(["-N2,3", "f"]).score_decimals == 3


def test_switches_that_are_refused(run: Command) -> None:
    for line, message in (
        ("ordo -a abc --nosuch", "wrong average parameter"),  # the first complaint is the first's
        ("ordo -w x", "wrong white advantage parameter"),
        ("ordo -u x", "wrong white advantage uncertainty parameter"),
        ("ordo -d x", "wrong white drawrate parameter"),
        ("ordo -k x", "wrong draw rate uncertainty parameter"),
        ("ordo -z x", "wrong scaling parameter"), ("ordo -z inf", "positive"),
        ("ordo -t -1", "wrong threshold parameter"),
        ("ordo -n 0", "wrong nuber of processors selected"),
        ("ordo -N a f", "Decimals number provided are wrong"),
        ("ordo -N 1,2,3 f", "Decimals number provided are wrong"),
        ("ordo -m m -A x f", "incompatible with multiple anchors"),
        ("ordo -u 3 -W f", "-w/-u and -W are incompatible"),
        ("ordo -k 3 -D f", "-d/-k and -D are incompatible"),
        ("prep -q", "Need file name to proceed"), ("prep -m x g.pgn", "wrong min. percentage"),
        ("prep -M x g.pgn", "wrong min. games played"),
        ("prep --group-max x g.pgn", "wrong --group-max"),
        ("prep -d -g x g.pgn", "cannot be used at the same time"),
        ("prep -i a -x b g.pgn", "cannot be used at the same time"),
        ("prep -q nope.pgn", "Problems reading results from pgn file"),
        ("prep -q -o no/o.pgn g.pgn", "Errors with file: no/o.pgn"),
        ("prep -q --remaining no/o.pgn g.pgn", "Errors with file: no/o.pgn"),
        ("prep -q e.pgn", "ERROR: Input file contains no games\n"),
        ("prep -q --major-only u.pgn", ""),
    ):  # fmt: skip
        said = run(line, status=1)
        assert (said.out, message in said.err) == ("", True), line
    for program in ("ordo", "prep"):
        for word in ("-", "--nosuch", "-p", "--pgn=", "--aver 1", "-:"):
            said = run(f"{program} {word}", status=1)
            assert (said.out, said.err) == ("Error in parameters\n", ""), word
        for switch, words in {"-v": "compatible", "-L": "MIT", "-h": "quick example"}.items():
            assert words in run(f"{program} {switch}").out
        assert f"yardstone {program} -h" in run(program, status=1).err


def record(white: str, result: str, black: str) -> str:
    return f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n{result}\n\n'


KEPT = [record(*words.split()) for words in ("A 1-0 B", "B 1-0 C", "C 1/2-1/2 A", "C 1-0 B")]
# D lost all; E lost all but against D; so without D, E lost all.
TAIL = [record("E", "1-0", "D"), record("A", "1-0", "E"), record("B", "1-0", "E")]


def test_games_are_kept_without_moves(run: Command) -> None:
    text = '[Event "x"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 {[White "no"]} 1-0\n\n'
    run.write("m.pgn", text + '[White "B"]\n[Black "A"]\n[Result "*"]\n\n*\n')
    said = run("prep -q m.pgn")
    assert (said.out, said.err) == (record("A", "1-0", "B"), "")
    counts = {"Total games": 2, "White wins": 1, "Draws": 0, "Black wins": 0, "No result": 1}
    lines = "".join(f"{name:27}{number}\n" for name, number in counts.items())
    assert run("prep -o o.pgn m.pgn").out.endswith(f"\n\n|\n\n\n{lines}\n")
    assert run.read("o.pgn") == record("A", "1-0", "B")


def test_players_are_left_out(run: Command) -> None:
    for options, said, kept in (
        # Perfect scores are left out again and again.
        ("-d", "'all losses' (recursive)\n  D\n\nExcluded: 1\n  E\n\nExcluded: 1\n", KEPT),
        ("-m34", "minimum percentage performance = 34.00%\n  E\n  D\n\nExcluded: 2\n", KEPT),
        ("-M2", "less than 2 games played\n  D\n\nExcluded: 1\n", [*TAIL[1:], *KEPT]),
    ):
        assert run(f"prep {options} --remaining r.pgn -o o.pgn p.pgn").out.endswith(said)
        assert run.read("o.pgn") == "".join(kept)
        assert len(run.read("r.pgn")) == len(run.read("p.pgn")) - len(run.read("o.pgn"))
    run.write("p.pgn", "".join([*KEPT, record("A", "1-0", "D")]))
    out = run("prep -d -o o.pgn p.pgn").out  # a pass follows when the last game was hit
    assert out.endswith("  D\n\nExcluded: 1\n\nExcluded: 0\n")


def test_groups(run: Command) -> None:
    options = "--group-games=gg --group-players gp -g g.txt -o o.pgn p.pgn"
    out = run(f"prep {options}").out
    assert "Groups=3\nEncounters: Total=7, within groups=4, @ interface between groups=3\n" in out
    assert "group=2 ---> No games in the group, file not saved\n" in out
    for name, text in {
        "gg.000000001.pgn": "".join(KEPT), "gp.000000001.csv": '"A"\n"B"\n"C"\n',
        "gp.000000003.csv": '"E"\n', "o.pgn": "",
    }.items():  # fmt: skip
        assert run.read(name) == text
    assert "incomplete links" in run.read("g.txt")
    limit = "Limit of group files reached (1), further files not saved\n"
    assert limit in run(f"prep --group-max 1 {options}").out
    assert run("prep -q --major-only --remaining r.pgn p.pgn").out == "".join(KEPT)
    assert run.read("r.pgn") == "".join(TAIL)


def test_names_and_standard_input(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    run.write("n.txt", '"D"\nNobody\n')
    said = run("prep -q -x n.txt p.pgn")
    assert said.out == "".join([*TAIL[1:], *KEPT])
    assert said.err == 'WARNING (not matching name): file "n.txt", line 2 = Nobody\n\n'
    said = run("prep -q --no-warnings -i n.txt p.pgn")
    assert (said.out, said.err) == ("", "")
    run.write("s.csv", "Main,A,B\n")
    run.write("one.pgn", KEPT[0])
    with Path("p.pgn").open(encoding="utf-8") as stream:  # it comes last
        monkeypatch.setattr("sys.stdin", stream)
        out = run("prep -q -Y s.csv --stdin one.pgn").out
    whole = "".join([*KEPT[:1], *TAIL, *KEPT])
    assert out == whole.replace('"A"', '"Main"').replace('"B"', '"Main"')
