"""`yardstone ordo`: Ordo's switches, lists and exit statuses."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from math import log

from yardstone.cli.ordo.options import SWITCHES, Refused, read_options
from yardstone.cli.ordo.running import exit_status, parsed
from yardstone.cli.ordo.switches import help_lines

__all__ = ["LICENSE", "main", "version_line"]

COMPATIBLE = "compatible with Ordo 1.2.6"

LICENSE = """
Yardstone is free software under the MIT licence, without warranty of any kind.
It is a program of its own: the switches and the outputs are Ordo's, the code is not.
"""

_HELP = """
Ratings of players from the results of their games, by Ordo's model

quick example: yardstone ordo -a 2500 -p input.pgn -o output.txt
  reads the games of input.pgn and writes their ratings, on average 2500,
  to output.txt
"""


def main(arguments: Sequence[str]) -> int:
    """Run the command with these arguments; returns the exit status."""
    return exit_status(_run, arguments)


def _run(arguments: Sequence[str]) -> None:
    if not arguments:
        raise Refused(f"{version_line('ordo')}\nfor help type:\nyardstone ordo -h\n")
    options = parsed(read_options, arguments)
    match options.action:
        case "version":
            sys.stdout.write(version_line("ordo") + "\n")
        case "license":
            sys.stdout.write(version_line("ordo") + "\n" + LICENSE)
        case "help":
            sys.stdout.write(_HELP + _usage())
        case "switches":
            sys.stdout.write(_usage())
        case "table":
            sys.stdout.write(_expectation_table(options.scale))
        case "rate":
            started = time.process_time()
            from yardstone.cli.ordo.session import Session

            with ExitStack() as stack:
                Session(options, stack, started).run()


def version_line(command: str, compatible: str = COMPATIBLE) -> str:
    """What `--version` says."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version("yardstone")
    except PackageNotFoundError:
        number = "(not installed)"
    return f"yardstone {command} {number}, {compatible}"


def _usage() -> str:
    return "\n".join(["", "usage: yardstone ordo [-OPTION]", "", *help_lines(SWITCHES), "", ""])


def _expectation_table(scale: float) -> str:
    """Expected scores from 50 to 99 % and the rating differences they mean."""
    unit = scale / log(0.76 / 0.24)
    rule = "-" * 58
    lines = [
        "",
        "  p%: Performance expected (%)",
        "Rtng: Rating difference",
        "",
        f"{'p%':>3}{'Rtng':>6}   " * 5,
        rule,
    ]
    for tenth in range(10):
        cells = []
        for percent in range(50 + tenth, 100, 10):
            difference = 0.0 if percent == 50 else -unit * log(100.0 / percent - 1.0)
            cells.append(f"{percent:3}{difference:6.1f}   ")
        lines.append("".join(cells))
    return "\n".join([*lines, rule, "", ""])
