"""`yardstone prep`: Ordoprep's switches, files and exit statuses."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from yardstone.cli.ordo import LICENSE, exit_status, parsed, version_line
from yardstone.cli.ordo_input import (
    STANDARD_INPUT,
    Input,
    OutputFile,
    file_names,
    read_input,
    ticked_players,
)
from yardstone.cli.ordo_switches import (
    COMMON,
    FILE,
    NUMBER,
    Refused,
    Switch,
    SwitchReader,
    help_lines,
    scan_float,
    scan_integer,
)
from yardstone.reports.ordo import as_in_tag
from yardstone.reports.ordo_extras import Groups, find_groups, groups_text

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["prepare", "SWITCHES", "PrepOptions", "main", "read_options"]


_RESULTS = ("0-1", "1/2-1/2", "1-0")


def prepare(options: PrepOptions, stack: ExitStack, started: float) -> None:
    """Read, select and write; raises Refused where Ordoprep would fail."""
    _Preparation(options, stack, started).run()


class _Preparation:
    """The games, and what was asked to do with them."""

    def __init__(self, options: PrepOptions, stack: ExitStack, started: float) -> None:
        self.options = options
        self._stack = stack
        self._started = started

    def run(self) -> None:
        options = self.options
        files = [options.pgn] if options.pgn is not None else []
        if options.pgn_list is not None:
            files += file_names(options.pgn_list)
        files += options.files
        if options.stdin:
            files.append(STANDARD_INPUT)
        output = self._open(options.output)
        self._log("start")
        self._log("input...")
        self.games = self._load(files)
        remaining = self._open(options.remaining, "Problems to output remaining games")
        self._say_totals()
        kept = self.games.used
        if options.grouping:
            groups = self._find_groups()
            if not options.major_only:
                if output is not None:
                    output.write("")
                return
            label = groups.label
            major = label == 0
            kept = kept & major[self.games.first] & major[self.games.second]
        self._log("calculate performaces...")
        self._log("discard games...")
        self._discard()
        kept = kept & self.games.used
        self._log("output...")
        if output is None:
            sys.stdout.write(self._pgn(kept))
        else:
            output.write(self._pgn(kept))
        if remaining is not None:
            remaining.write(self._pgn(~kept))
        self._log("DONE!!")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all players as they stand in a PGN tag."""
        return tuple(map(as_in_tag, self.games.players.names))

    def _open(self, path: str | None, message: str = "Errors with file: {}") -> OutputFile | None:
        if path is None:
            return None
        output = OutputFile(path, message=message)
        self._stack.callback(output.discard)
        return output

    def _say(self, text: str) -> None:
        if not self.options.quiet:
            sys.stdout.write(text)
            sys.stdout.flush()

    def _log(self, step: str) -> None:
        if self.options.timelog:
            sys.stdout.write(f"{time.process_time() - self._started:8.2f} | {step}\n")

    def _load(self, files: list[str]) -> Input:
        options = self.options
        quiet, warnings = options.quiet, options.warnings
        games = read_input(
            files,
            options.synonyms,
            quiet=quiet,
            warnings=warnings,
            trouble="Problems reading results from pgn file",
        )
        if not games.total:
            raise Refused("ERROR: Input file contains no games")
        for path, wanted in ((options.include, True), (options.exclude, False)):
            if path is not None:
                ticked = ticked_players(path, games, quiet=quiet, warnings=warnings)
                games.leave_out(ticked == wanted)
        return games

    def _say_totals(self) -> None:
        self._log("memory initialization")
        wins, draws, losses = self.games.results()
        self._say(
            f"\nTotal games         {self.games.total:8}\n"
            f"White wins          {wins:8}\n"
            f"Draws               {draws:8}\n"
            f"Black wins          {losses:8}\n"
            f"No result           {self.games.discarded:8}\n\n"
        )

    def _find_groups(self) -> Groups:
        """Find the groups and write all that was asked for about them."""
        options = self.options
        self._say("Processing groups...\n\n")
        self._log("compact games info to matches...")
        groups = find_groups(self.names, self.games.pair_counts())
        if not len(groups):
            raise Refused("ERROR: Input file contains no games to process")
        self._log("done with groups.")
        report = self._open(options.groups)
        if report is not None:
            report.write(groups_text(self.names, groups))
            self._say(
                f"\nGroups={len(groups)}\n"
                f"Encounters: Total={groups.within + groups.between}, "
                f"within groups={groups.within}, @ interface between groups={groups.between}\n"
            )
        if options.group_games is not None:
            self._say("Saving games...\n")
            for number, members in self._limited(groups):
                if len(members) < 2:
                    self._say(
                        f"          group={number + 1} ---> No games in the group, file not saved\n"
                    )
                    continue
                inside = groups.label == number
                kept = self.games.used & inside[self.games.first] & inside[self.games.second]
                self._save(options.group_games, number, "pgn", self._pgn(kept))
            self._say_limit(groups)
        if options.group_players is not None:
            self._say("Saving list of players...\n")
            for number, members in self._limited(groups):
                lines = "".join(f'"{self.names[player]}"\n' for player in members)
                self._save(options.group_players, number, "csv", lines)
            self._say_limit(groups)
        return groups

    def _limited(self, groups: Groups) -> list[tuple[int, list[int]]]:
        """The groups that get files."""
        most = max(self.options.group_max, 0)
        return list(enumerate(groups.members))[:most]

    def _say_limit(self, groups: Groups) -> None:
        most = self.options.group_max
        if len(groups) > max(most, 0):
            self._say(f"Limit of group files reached ({most}), further files not saved\n")

    def _save(self, base: str, number: int, ending: str, text: str) -> None:
        name = f"{base}.{number + 1:09}.{ending}"
        output = self._open(name, "Problems opening file for output")
        self._say(f"          group={number + 1} ---> {name}\n")
        if output is not None:
            output.write(text)

    def _pgn(self, kept: NDArray[np.bool_]) -> str:
        """The kept games as PGN, without moves."""
        white = [f'[White "{name}"]\n[Black "' for name in self.names]
        black = [f'{name}"]\n[Result "' for name in self.names]
        result = [f'{text}"]\n{text}\n\n' for text in _RESULTS]
        games = self.games
        outcome = (games.score[kept] * 2).astype(np.int64).tolist()
        first, second = games.first[kept].tolist(), games.second[kept].tolist()
        return "".join(
            white[i] + black[j] + result[o] for i, j, o in zip(first, second, outcome, strict=True)
        )

    def _discard(self) -> None:
        """Leave out players by their results."""
        options = self.options
        if options.min_percent is not None:
            self._say(
                f"Exclude based on minimum percentage performance = {options.min_percent:.2f}%\n"
            )
            points, most = self._performance()
            with np.errstate(divide="ignore", invalid="ignore"):
                self._exclude((most > 0) & (points / most < options.min_percent / 100.0))
        if options.min_games is not None:
            self._say(f"Exclude if less than {options.min_games} games played\n")
            _, most = self._performance()
            self._exclude((most > 0) & (most < options.min_games))
        if options.no_perfects:
            self._say("Exclude if performance is 'all wins' or 'all losses' (recursive)\n")
            while self._exclude(self._perfect()) or self._perfect().any():
                pass

    def _performance(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Points of each player in the games that are left, and the most there could be."""
        games, n = self.games, len(self.names)
        first, second = games.first[games.used], games.second[games.used]
        score = games.score[games.used]
        points = np.bincount(first, score, n) + np.bincount(second, 1.0 - score, n)
        most = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
        return points.astype(np.float64), most.astype(np.float64)

    def _perfect(self) -> NDArray[np.bool_]:
        points, most = self._performance()
        perfect: NDArray[np.bool_] = (most > 0) & ((points == most) | (points == 0))
        return perfect

    def _exclude(self, out: NDArray[np.bool_]) -> bool:
        """Leave out players and say who; whether the last game of all was one of theirs.

        After such a pass Ordoprep makes another one, even if nobody is left to exclude.
        """
        self._say("".join(f"  {self.names[player]}\n" for player in np.flatnonzero(out)))
        self._say(f"\nExcluded: {int(out.sum())}\n")
        self.games.leave_out(~out)
        if not len(self.games.first):
            return False
        return bool(out[self.games.first[-1]] or out[self.games.second[-1]])


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
