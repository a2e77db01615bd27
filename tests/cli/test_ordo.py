"""`yardstone ordo`: its switches as Ordo reads them, what it must not do wrong, how it fails."""

from __future__ import annotations

import ctypes
import math
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cli.calls import Command, pgn
from tests.docs.blocks import ROOT
from yardstone.cli import prep
from yardstone.cli.ordo_input import csv_fields
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
    display_width,
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
    for name, text in (texts | {"two": TWO_GROUPS}).items():
        run.write(f"{name}.pgn", text)


def test_small_pools(run: Command) -> None:
    for text, arguments, status, out, err in (
        # Anchors in each group lift the refusal, those in one of two do not.
        ('"A","X",300,50\n', "-q -r k two.pgn", 0, "X ", "Groups detected: 2"),
        ('"A",2400\n"B",2300\n', "-q -m k two.pgn", 1, r"\A\Z", "even after purging"),
        ('"B",2000,10\n', "-q -A A -y k g.pgn", 0, "A ", "has no effect"),
        # Unfinished games are counted, not reported.
        ("", "star.pgn", 0, "(?s)players with no games = 1.*players, total purged = 1", ""),
        ("", "-q -A Z star.pgn", 1, r"\A\Z", r'mispelled, wrong capital .* = "Z"\n'),
        # Synonyms are merged, chained and missed; the first main name is kept.
        ('"A1","No"\n', "-q -Y k g.pgn", 0, "A ", r'\Ayardstone: k: the synonym "No" is in no'),
        ('"A1","Nobody"\n', "-q --no-warnings -Y k g.pgn", 0, "A ", r"\A\Z"),
        ('"A","B"\n"C","B"\n', "-q -G -Y k g.pgn", 0, r"A ", '"B" has another main name already'),
        # Old versions are hidden.
        ('"A","B",0,50\n', "-q -r k g.pgn", 0, r"(?m)^     B ", ""),
        ('"A","B",0,50\n', "-q -R -r k g.pgn", 0, r"\A(?!.*\bB\b)(?s:.*)\Z", ""),
        # Deviations of zero fix the value.
        ('"A",2400,0\n', "-y k -N 2 g.pgn", 0, "Anchoring, A --> 2400.0", ""),
        ('"B",2300,30,40\n', "-y k g.pgn", 0, r"\[B\] = 2300.000000 \+/- 50.000000", ""),
        # Signs of progress.
        ("", "-Q -s 7 -G g.pgn", 0, r"\A0   10 .* 100 \(%\)\n\|-.*-\|\n\*{51}\n", ""),
        ("", "--timelog -q g.pgn", 0, r"\A +\d+\.\d\d \| start\n", ""),
        # Files that cannot be used.
        ("A,x\n", "-q -m k g.pgn", 1, r"\A\Z", 'Errors in file "k"'),
        ("Q,1\nA,2\n", "-q -m k g.pgn", 1, r"\A\Z", "Anchoring, Q --> FAILED"),
        ("A,1,-1\n", "-q -y k g.pgn", 1, r"\A\Z", "cannot be negative"),
        ("Q,1,0\n", "-q -y k g.pgn", 1, r"\A\Z", "Prior, Q --> FAILED"),
        ("A,B,1,0\n", "-q -r k g.pgn", 1, r"\A\Z", "sigma too small"),
        ("A,B,1,-1\n", "-q -r k g.pgn", 1, r"\A\Z", "cannot be negative"),
        ("A,Q,1,1\n", "-q -r k g.pgn", 1, r"\A\Z", "name/s not found in input file"),
        ("A,B,1\n", "-q -r k g.pgn", 1, r"\AProblems with input in -r file\n\Z", r"\A\Z"),
        ("99,1,x\n", "-q -b k g.pgn", 1, r"\A\Z", 'Errors in file "k"'),
        ("1,x,x\n", "-q -b k g.pgn", 1, r"\A\Z", 'Errors in file "k"'),
        ("a,b\n", "-q -P k g.pgn", 1, r"\A\Z", 'Errors in file "k", or lack of memory'),
        ("A\n", "-q -i k g.pgn", 1, r"\A\Z", r"\AERROR: Input file contains no games to process\n"),
        ("", "-q -d 0 -u 5 g.pgn", 1, "", "-d switch specified an invalid number"),
        ("", "-q -d 100 g.pgn", 1, "", "too high"),
        ("", "-q -o /dev/null g.pgn", 0, r"\A\Z", r"\A\Z"),
    ):
        run.write("k", text)
        before = run.names()
        said = run(f"ordo {arguments}", status=status)
        assert re.search(out, said.out), arguments
        assert re.search(err, said.err), arguments
        assert run.names() == before, arguments
    for switch in ("-m", "-y", "-r", "-b", "-P", "-Y", "-i", "-x"):
        assert 'Errors in file "nope"' in run(f"ordo -q {switch} nope g.pgn", status=1).err
    for switch in ("-o", "-c", "-j", "-e", "-C", "-g"):
        said = run(f"ordo -q {switch} no/folder.txt g.pgn", status=1)
        assert (said.out, "no/folder.txt" in said.err) == ("", True)
    assert run.names() == before


def test_names_bad_records_and_ties(run: Command) -> None:
    run.write("g.pgn", '[White "A"]\n[Black "B"]\n[Result "1:0"]\n\n' * 12 + CIRCLE)
    lines = run("ordo -q g.pgn").err.splitlines()
    assert lines[0].startswith("yardstone: g.pgn:1: result '1:0'")
    assert len(lines) == 11
    assert lines[-1] == "yardstone: 12 records skipped: 12 x unknown result"
    name = r"The \"Rock\" \\ Ö"
    run.write("rock.pgn", CIRCLE.replace('"A"', f'"{name}"'))
    run.write("i.txt", f'"{name}"\n"B"\n"C"\n')
    said = run("ordo -q -i i.txt -c o.csv rock.pgn")
    assert (name in said.out, said.err, f'"{name}"' in run.read("o.csv")) == (True, "", True)
    assert list(map(display_width, ("Müller", "Mu\u0308ller", "囲碁"))) == [6, 6, 4]
    assert pad("囲碁", 6, right=True) == "  囲碁"
    # Ties end where Ordo leaves them.
    assert listing_order(range(4), np.zeros(4)) == [0, 1, 2, 3]
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


def test_errors_follow_the_confidence_and_matrices_need_no_simulation(run: Command) -> None:
    outs = (run(f"ordo -q -W -D -s 20 -F {level} g.pgn").out for level in ("95", "68.27"))
    wide, narrow = ([float(each) for each in re.findall(r"\+/- ([\d.]+)", out)] for out in outs)
    assert len(wide) >= 2
    assert wide == pytest.approx([1.96 * each for each in narrow], rel=0.02, abs=0.02)
    out = run("ordo -q -J -e e.csv -C c.csv g.pgn").out
    assert "---" in out.splitlines()[4]
    rows = [line.split(",") for line in run.read("e.csv").splitlines()]
    assert rows[0] == ['"N"', '"NAME"', "0", "1", "2"]
    assert [len(row) for row in rows[1:]] == [2, 3, 4]
    confidence = [line.split(",")[2:] for line in run.read("c.csv").splitlines()[1:]]
    assert [row[i] for i, row in enumerate(confidence)] == ["", "", ""]
    assert float(confidence[0][1]) + float(confidence[1][0]) == pytest.approx(100.0, abs=0.11)


def test_switches_are_found() -> None:
    for words, switches, rest in (
        ("-qWD", [("quiet", None), ("white-auto", None), ("draw-auto", None)], ""),
        ("-s1000", [("simulations", "1000")], ""),
        ("-qs1000", [("quiet", None), ("simulations", "1000")], ""),
        ("-s -5 a", [("simulations", "-5")], "a"),
        ("--average=2500", [("average", "2500")], ""),
        ("--average 2500", [("average", "2500")], ""),
        ("--average= 2500", [("average", "2500")], ""),
        ("--quiet=whatever", [("quiet", None)], ""),
        ("a.pgn -q", [], "a.pgn -q"),
        ("-q -- -a.pgn", [("quiet", None)], "-a.pgn"),
        ("-p- -q", [("pgn", "-"), ("quiet", None)], ""),
    ):
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
        ("ordo -z x", "wrong scaling parameter"),
        ("ordo -z inf", "positive"),
        ("ordo -t -1", "wrong threshold parameter"),
        ("ordo -n 0", "wrong nuber of processors selected"),
        ("ordo -N a f", "Decimals number provided are wrong"),
        ("ordo -N 1,2,3 f", "Decimals number provided are wrong"),
        ("ordo -m m -A x f", "incompatible with multiple anchors"),
        ("ordo -u 3 -W f", "-w/-u and -W are incompatible"),
        ("ordo -k 3 -D f", "-d/-k and -D are incompatible"),
        ("prep -q", "Need file name to proceed"),
        ("prep -m x g.pgn", "wrong min. percentage"),
        ("prep -M x g.pgn", "wrong min. games played"),
        ("prep --group-max x g.pgn", "wrong --group-max"),
        ("prep -d -g x g.pgn", "cannot be used at the same time"),
        ("prep -i a -x b g.pgn", "cannot be used at the same time"),
        ("prep -q nope.pgn", "Problems reading results from pgn file"),
        ("prep -q -o no/o.pgn g.pgn", "Errors with file: no/o.pgn"),
        ("prep -q --remaining no/o.pgn g.pgn", "Problems to output remaining games"),
        ("prep -q -P nope.txt", 'Errors in file "nope.txt", or lack of memory'),
        ("prep -q e.pgn", "ERROR: Input file contains no games\n"),
        ("prep -q --major-only u.pgn", ""),
    ):
        said = run(line, status=1)
        assert (said.out, message in said.err) == ("", True), line
    for program in ("ordo", "prep"):
        for word in ("-", "--nosuch", "-?", "-p", "--pgn", "--pgn=", "--aver 1", "-:"):
            said = run(f"{program} {word}", status=1)
            assert (said.out, said.err) == ("Error in parameters\n", ""), word
        switches = {"-v": "compatible", "-L": "MIT", "-h": "quick example", "-H": "usage:"}
        for switch, words in switches.items():
            assert words in run(f"{program} {switch}").out
        assert f"yardstone {program} -h" in run(program, status=1).err


def test_fields_of_a_line_and_every_switch_is_in_the_guide() -> None:
    for line, fields in {
        '"A 1", 2350.0\n': ["A 1", "2350.0"],
        "A 1 ,2350\n": ["A 1", "2350"],
        '"a,b","c"': ["a,b", "c"],
        " a , , b\n": ["a", "", "b"],
        "a,b,\n": ["a", "b"],
        '"open, to the end': ["open, to the end"],
        '"The \\"Rock\\"", 3\n': ['The \\"Rock\\"', "3"],
        '"ends in \\", 3\n': ["ends in \\", "3"],
        '"a" b, c': ["a", "b", "c"],
        "\n": [],
    }.items():
        assert csv_fields(line) == fields, line
    page = (ROOT / "docs" / "how-to" / "ordo.md").read_text(encoding="utf-8")
    for switch in (*SWITCHES, *prep.SWITCHES):
        argument = f"={switch.argument}" if switch.argument else ""
        assert f"| `--{switch.name}{argument}` | {switch.help} |" in page
