"""`yardstone prep`: Ordoprep's switches, files and exit statuses."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Literal

from yardstone.cli.ordo.commands import LICENSE, version_line
from yardstone.cli.ordo.options import Refused
from yardstone.cli.ordo.running import exit_status, parsed
from yardstone.cli.ordo.switches import (
    COMMON,
    FILE,
    NUMBER,
    Switch,
    SwitchReader,
    help_lines,
    scan_float,
    scan_integer,
)

__all__ = ["SWITCHES", "PrepOptions", "main", "read_options"]

SWITCHES = (
    *COMMON,
    Switch("", "timelog", "", "print the processor time used before each step"),
    Switch("d", "no-perfects", "", "leave out players who won or lost everything, again and again"),
    Switch("m", "min-perf", NUMBER, "leave out players who scored less than so many per cent"),
    Switch("M", "min-games", NUMBER, "leave out players with fewer games"),
    Switch("p", "pgn", FILE, "games to read, in PGN; - is standard input"),
    Switch("P", "pgn-list", FILE, "a file with one name of a PGN file a line"),
    Switch("", "stdin", "", "read standard input, after all files"),
    Switch("Y", "synonyms", FILE, "other names of players: lines of main name,synonym,synonym"),
    Switch("", "aliases", FILE, "the same as --synonyms"),
    Switch("i", "include", FILE, "keep only games between players named in this file"),
    Switch("x", "exclude", FILE, "leave out games of players named in this file"),
    Switch("", "remaining", FILE, "write the games that were left out"),
    Switch("", "no-warnings", "", "do not warn of names in lists that are in no game"),
    Switch("o", "output", FILE, "write the games here, not to the screen"),
    Switch("", "major-only", "", "write only games within the largest connected group"),
    Switch("g", "groups", FILE, "write which players the games connect"),
    Switch("", "group-games", FILE, "write the games of each group to FILE.*.pgn"),
    Switch("", "group-players", FILE, "write the players of each group to FILE.*.csv"),
    Switch("", "group-max", NUMBER, "write files for at most so many groups (1000)"),
)

_HELP = """
Only the results of PGN files: who played whom, and how it ended

quick example: yardstone prep -p raw.pgn -o shrunk.pgn
  reads raw.pgn and writes names and results, without moves and comments, to
  shrunk.pgn; without -o they go to the screen
"""


@dataclass
class PrepOptions:
    """What was asked for. Names are the long names of the switches."""

    action: Literal["prepare", "help", "switches", "version", "license"] = "prepare"
    quiet: bool = False
    timelog: bool = False
    no_perfects: bool = False
    min_percent: float | None = None
    min_games: int | None = None
    pgn: str | None = None
    pgn_list: str | None = None
    stdin: bool = False
    files: Sequence[str] = ()
    synonyms: str | None = None
    include: str | None = None
    exclude: str | None = None
    remaining: str | None = None
    warnings: bool = True
    output: str | None = None
    major_only: bool = False
    groups: str | None = None
    group_games: str | None = None
    group_players: str | None = None
    group_max: int = 1000

    @property
    def grouping(self) -> bool:
        """Whether groups have to be found."""
        wanted = (self.groups, self.group_games, self.group_players)
        return self.major_only or any(file is not None for file in wanted)


_FLAGS = {
    "quiet": ("quiet", True),
    "silent": ("quiet", True),
    "timelog": ("timelog", True),
    "no-perfects": ("no_perfects", True),
    "stdin": ("stdin", True),
    "no-warnings": ("warnings", False),
    "major-only": ("major_only", True),
}

_TEXTS = {
    "pgn": "pgn",
    "pgn-list": "pgn_list",
    "synonyms": "synonyms",
    "aliases": "synonyms",
    "include": "include",
    "exclude": "exclude",
    "remaining": "remaining",
    "output": "output",
    "groups": "groups",
    "group-games": "group_games",
    "group-players": "group_players",
}

_NUMBERS = {
    "min-perf": ("min_percent", scan_float, "wrong min. percentage"),
    "min-games": ("min_games", scan_integer, "wrong min. games played"),
    "group-max": ("group_max", scan_integer, "wrong --group-max"),
}


def main(arguments: Sequence[str]) -> int:
    """Run the command with these arguments; returns the exit status."""
    return exit_status(_run, arguments)


def _run(arguments: Sequence[str]) -> None:
    options = parsed(read_options, arguments)
    match options.action:
        case "version":
            sys.stdout.write(_version() + "\n")
        case "license":
            sys.stdout.write(_version() + "\n" + LICENSE)
        case "help":
            sys.stdout.write(_HELP + _usage())
        case "switches":
            sys.stdout.write(_usage())
        case "prepare":
            started = time.process_time()
            from yardstone.cli.ordo.prep_session import prepare

            with ExitStack() as stack:
                prepare(options, stack, started)


def _version() -> str:
    return version_line("prep", "compatible with Ordoprep 0.9.9.8")


def _usage() -> str:
    return "\n".join(["", "usage: yardstone prep [-OPTION]", "", *help_lines(SWITCHES), "", ""])


def read_options(arguments: Sequence[str]) -> PrepOptions:
    """Read all switches, complain in Ordoprep's order and words.

    Raises
    ------
    UsageError
        A switch that does not exist, or one without its argument.
    Refused
        A value that cannot be used, or switches that exclude each other.
    """
    options = PrepOptions()
    reader = SwitchReader(SWITCHES, arguments)
    actions: set[str] = set()
    for name, argument in reader:
        if name in _FLAGS:
            flag, value = _FLAGS[name]
            setattr(options, flag, value)
        elif argument is None:
            actions.add(name)
        elif name in _NUMBERS:
            field, scan, complaint = _NUMBERS[name]
            number = scan(argument)
            if number is None:
                raise Refused(complaint)
            setattr(options, field, number)
        else:
            setattr(options, _TEXTS[name], argument)
    options.files = reader.rest
    for action in ("license", "version"):
        if action in actions:
            options.action = "license" if action == "license" else "version"
            return options
    if not arguments:
        raise Refused(f"{_version()}\nfor help type:\nyardstone prep -h\n")
    if "help" in actions:
        options.action = "help"
    elif "show-switches" in actions:
        options.action = "switches"
    else:
        _check(options)
    return options


def _check(options: PrepOptions) -> None:
    if not (
        options.stdin or options.pgn is not None or options.pgn_list is not None or options.files
    ):
        raise Refused("Need file name to proceed")
    if options.include is not None and options.exclude is not None:
        raise Refused("Switches -x and -i cannot be used at the same time\n")
    ways = (
        options.no_perfects,
        options.min_percent is not None,
        options.min_games is not None,
        options.major_only,
        options.groups is not None,
    )
    if sum(ways) > 1:
        raise Refused("Switches --major-only, -g, -d, -m, and -M cannot be used at the same time\n")
