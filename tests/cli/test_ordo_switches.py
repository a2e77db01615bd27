"""Switches are read exactly as Ordo reads them."""

from __future__ import annotations

import ctypes
import math
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from yardstone.cli import ordo, prep
from yardstone.cli.ordo_input import csv_fields
from yardstone.cli.ordo_switches import (
    SWITCHES,
    Refused,
    check_combinations,
    read_options,
    scan_float,
    scan_integer,
    scan_integers,
    taken_switches,
)
from yardstone.errors import UsageError

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "ordo.md"
#: Texts of a number that one C library takes further than another.
HARD_FOR_C = re.compile(r"0x|inf|nan|e(?![-+]?\d)", re.IGNORECASE)


def read(*arguments: str) -> tuple[list[tuple[str, str | None]], list[str]]:
    words = list(arguments)
    return [(switch.name, given) for switch, given in taken_switches(SWITCHES, words)], words


@pytest.mark.parametrize(
    ("arguments", "switches", "rest"),
    [
        (["-qWD"], [("quiet", None), ("white-auto", None), ("draw-auto", None)], []),
        (["-s1000"], [("simulations", "1000")], []),
        (["-s", "1000"], [("simulations", "1000")], []),
        (["-qs1000"], [("quiet", None), ("simulations", "1000")], []),
        (["-s", "-5", "a"], [("simulations", "-5")], ["a"]),
        (["--average=2500"], [("average", "2500")], []),
        (["--average", "2500"], [("average", "2500")], []),
        (["--average=", "2500"], [("average", "2500")], []),
        (["--quiet=whatever"], [("quiet", None)], []),
        (["a.pgn", "-q"], [], ["a.pgn", "-q"]),
        (["-q", "--", "-a.pgn"], [("quiet", None)], ["-a.pgn"]),
        (["-q", ""], [("quiet", None)], [""]),
        (["-p-", "-q"], [("pgn", "-"), ("quiet", None)], []),
    ],
)
def test_switches_are_found(
    arguments: list[str], switches: list[tuple[str, str | None]], rest: list[str]
) -> None:
    assert read(*arguments) == (switches, rest)


@pytest.mark.parametrize(
    "arguments",
    [["-"], ["--nosuch"], ["-?"], ["-p"], ["--pgn"], ["--pgn="], ["--aver", "1"], ["-:"]],
)
def test_what_is_no_switch(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError):
        read(*arguments)
    assert ordo.main(arguments) == 1
    assert capsys.readouterr() == ("Error in parameters\n", "")
    assert prep.main(arguments) == 1
    assert capsys.readouterr() == ("Error in parameters\n", "")


def c_scan(format_: bytes, value: ctypes.c_double | ctypes.c_int, text: str) -> float | None:
    libc = ctypes.CDLL(None)
    taken = libc.sscanf(text.encode(), format_, ctypes.byref(value))
    return value.value if taken == 1 else None


@given(st.text("0123456789.+-eE abx\t", max_size=8))
@example("1e")
@example("2500abc")
@example(" 5")
@example(".")
def test_numbers_are_scanned_as_in_c(text: str) -> None:
    if not HARD_FOR_C.search(text):
        assert scan_float(text) == c_scan(b"%lf", ctypes.c_double(), text)
    assert scan_integer(text) == c_scan(b"%d", ctypes.c_int(), text)


def test_numbers_with_names() -> None:
    assert scan_float("0x1p4") == 16.0
    assert scan_float("-Infinity") == -math.inf
    assert math.isnan(scan_float("nan") or 0.0)
    assert scan_float("abc") is None


def test_lists_of_numbers() -> None:
    assert scan_integers("0, 1,3x", 5) == [0, 1, 3]
    assert scan_integers("0,,1", 5) is None
    assert scan_integers("1,2,3", 2) is None
    assert scan_integers("", 2) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-a abc", "wrong average parameter"),
        ("-F 30", "wrong confidence parameter"),
        ("-s -5", "wrong simulation parameter"),
        ("-s 1", "one simulation"),
        ("-w x", "wrong white advantage parameter"),
        ("-u x", "wrong white advantage uncertainty parameter"),
        ("-d x", "wrong white drawrate parameter"),
        ("-d 140", "drawrate parameter is out of range"),
        ("-k x", "wrong draw rate uncertainty parameter"),
        ("-z x", "wrong scaling parameter"),
        ("-z 0", "positive"),
        ("-z inf", "positive"),
        ("-t -1", "wrong threshold parameter"),
        ("-n 0", "wrong nuber of processors selected"),
        ("-q", "Need file name to proceed"),
        ("-U a,b f", "Columns number provided are wrong"),
        ("-U 0,99 f", "there is no column 99"),
        ("-N a f", "Decimals number provided are wrong"),
        ("-N 1,2,3 f", "Decimals number provided are wrong"),
        ("-N -1 f", "Decimals cannot be negative"),
        ("-m m -a 1 f", "incompatible with multiple anchors"),
        ("-m m -A x f", "incompatible with multiple anchors"),
        ("-w 3 -W f", "-w/-u and -W are incompatible"),
        ("-u 3 -W f", "-w/-u and -W are incompatible"),
        ("-k 3 -D f", "-d/-k and -D are incompatible"),
        ("-y y -a 3 f", "rating seeds (-y)"),
        ("-g g -G f", "-g and -G"),
        ("-i i -x x f", "-x and -i"),
    ],
)
def test_what_is_refused(arguments: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Refused, match=re.escape(message)):
        check_combinations(read_options(arguments.split()))
    assert ordo.main(arguments.split()) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


def test_the_first_complaint_is_that_of_the_first_switch(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ordo.main(["-a", "abc", "--nosuch"]) == 1
    assert capsys.readouterr() == ("", "wrong average parameter\n")


def test_decimals_and_columns() -> None:
    options = read_options(["-N", "0", "-U", "0,3,-1,5", "f"])
    assert (options.decimals, options.score_decimals) == (0, 1)
    assert options.columns == (0, 3)
    assert (read_options(["f"]).decimals, read_options(["f"]).score_decimals) == (1, 0)
    assert read_options(["-N2,3", "f"]).score_decimals == 3


@pytest.mark.parametrize("command", [ordo, prep])
@pytest.mark.parametrize(
    ("arguments", "text"),
    [(["-v"], "compatible"), (["-L"], "MIT"), (["-h"], "quick example"), (["-H"], "usage:")],
)
def test_what_the_program_says_of_itself(
    command: object, arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(arguments) == 0  # type: ignore[attr-defined]
    assert text in capsys.readouterr().out


def test_a_bare_call_says_where_help_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert ordo.main([]) == 1
    assert "yardstone ordo -h" in capsys.readouterr().err
    assert prep.main([]) == 1
    assert "yardstone prep -h" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ('"A 1", 2350.0\n', ["A 1", "2350.0"]),
        ("A 1 ,2350\n", ["A 1", "2350"]),
        ('"a,b","c"', ["a,b", "c"]),
        (" a , , b\n", ["a", "", "b"]),
        ("a,b,\n", ["a", "b"]),
        ('"open, to the end', ["open, to the end"]),
        ('"The \\"Rock\\"", 3\n', ['The \\"Rock\\"', "3"]),
        ('"ends in \\", 3\n', ["ends in \\", "3"]),
        ('"a" b, c', ["a", "b", "c"]),
        ("\n", []),
    ],
)
def test_fields_of_a_line(line: str, fields: list[str]) -> None:
    assert csv_fields(line) == fields


@pytest.mark.parametrize("switches", [SWITCHES, prep.SWITCHES])
def test_every_switch_is_in_the_guide(switches: tuple[object, ...]) -> None:
    page = DOCUMENT.read_text(encoding="utf-8")
    for switch in switches:
        name, argument = switch.name, switch.argument  # type: ignore[attr-defined]
        assert f"| `--{name}{'=' + argument if argument else ''}` | {switch.help} |" in page  # type: ignore[attr-defined]
