"""`yardstone prep`: Ordoprep's switches, files and exit statuses."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from yardstone.cli.ordo import run
from yardstone.cli.ordo_input import STANDARD_INPUT, OutputFile, Session, opened, say
from yardstone.cli.ordo_switches import (
    OrdoOptions,
    Refused,
    given_options,
    integer,
    scan_float,
    switches,
)
from yardstone.reports.ordo import Groups, find_groups

_RESULTS = ("0-1", "1/2-1/2", "1-0")


class _Preparation(Session):
    """The games, and what was asked to do with them."""

    trouble = "Problems reading results from pgn file"

    def run(self) -> None:
        """Read, select and write; raises Refused where Ordoprep would fail."""
        options = self.options
        files = self.files() + [STANDARD_INPUT] * options.stdin
        output = opened(options.output)
        self.log("start")
        self.log("input...")
        self.games = self.load(files)
        remaining = opened(options.remaining)
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
        self.log("calculate performaces...")
        self.log("discard games...")
        self._discard()
        kept = kept & self.games.used
        self.log("output...")
        if output is None:
            sys.stdout.write(self._pgn(kept))
        else:
            output.write(self._pgn(kept))
        if remaining is not None:
            remaining.write(self._pgn(~kept))
        self.log("DONE!!")

    def _say_totals(self) -> None:
        self.log("memory initialization")
        wins, draws, losses = self.games.results()
        say(
            f"\nTotal games         {self.games.total:8}\n"
            f"White wins          {wins:8}\n"
            f"Draws               {draws:8}\n"
            f"Black wins          {losses:8}\n"
            f"No result           {self.games.discarded:8}\n\n"
        )

    def _find_groups(self) -> Groups:
        """Find the groups and write all that was asked for about them."""
        options = self.options
        say("Processing groups...\n\n")
        self.log("compact games info to matches...")
        groups = find_groups(self.tag_names, self.games.pair_counts())
        if not len(groups):
            raise Refused("ERROR: Input file contains no games to process")
        self.log("done with groups.")
        report = opened(options.groups)
        if report is not None:
            self.write_groups(report, groups)
        if options.group_games is not None:
            say("Saving games...\n")
            self._save(groups, options.group_games, "pgn", self._games_of)
        if options.group_players is not None:
            say("Saving list of players...\n")
            self._save(groups, options.group_players, "csv", self._players_of)
        return groups

    def _games_of(self, groups: Groups, number: int) -> str | None:
        if len(groups.members[number]) < 2:
            return None
        inside = groups.label == number
        return self._pgn(self.games.used & inside[self.games.first] & inside[self.games.second])

    def _players_of(self, groups: Groups, number: int) -> str:
        return "".join(f'"{self.tag_names[player]}"\n' for player in groups.members[number])

    def _save(
        self, groups: Groups, base: str, ending: str, text_of: Callable[[Groups, int], str | None]
    ) -> None:
        """Write a file for each group, up to the limit."""
        most = self.options.group_max
        for number in range(min(len(groups), max(most, 0))):
            head = f"          group={number + 1} ---> "
            text = text_of(groups, number)
            if text is None:
                say(f"{head}No games in the group, file not saved\n")
                continue
            name = f"{base}.{number + 1:09}.{ending}"
            output = OutputFile(name, "Problems opening file for output")
            say(f"{head}{name}\n")
            output.write(text)
        if len(groups) > max(most, 0):
            say(f"Limit of group files reached ({most}), further files not saved\n")

    def _pgn(self, kept: NDArray[np.bool_]) -> str:
        """The kept games as PGN, without moves."""
        white = [f'[White "{name}"]\n[Black "' for name in self.tag_names]
        black = [f'{name}"]\n[Result "' for name in self.tag_names]
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
            say(f"Exclude based on minimum percentage performance = {options.min_percent:.2f}%\n")
            points, most = self._performance()
            with np.errstate(divide="ignore", invalid="ignore"):
                self._exclude((most > 0) & (points / most < options.min_percent / 100.0))
        if options.min_games is not None:
            say(f"Exclude if less than {options.min_games} games played\n")
            _, most = self._performance()
            self._exclude((most > 0) & (most < options.min_games))
        if options.no_perfects:
            say("Exclude if performance is 'all wins' or 'all losses' (recursive)\n")
            while self._exclude(self._perfect()) or self._perfect().any():
                pass

    def _performance(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Points of each player in the games that are left, and the most there could be."""
        games, n = self.games, len(self.tag_names)
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
        """Leave out players; whether the last game was of one: Ordoprep looks again then."""
        say("".join(f"  {self.tag_names[player]}\n" for player in np.flatnonzero(out)))
        say(f"\nExcluded: {int(out.sum())}\n")
        self.games.leave_out(~out)
        if not len(self.games.first):
            return False
        return bool(out[self.games.first[-1]] or out[self.games.second[-1]])


def _percentage(text: str) -> float:
    if (value := scan_float(text)) is None:
        raise Refused("wrong min. percentage")
    return value


SWITCHES = switches(
    """\
--timelog  print the processor time used before each step
-d, --no-perfects  leave out players who won or lost everything, again and again
-m, --min-perf=NUM  leave out players who scored less than so many per cent
-M, --min-games=NUM  leave out players with fewer games
-p, --pgn=FILE  games to read, in PGN; - is standard input
-P, --pgn-list=FILE  a file with one name of a PGN file a line
--stdin  read standard input, after all files
-Y, --synonyms=FILE  other names of players: lines of main name,synonym,synonym
--aliases=FILE  the same as --synonyms
-i, --include=FILE  keep only games between players named in this file
-x, --exclude=FILE  leave out games of players named in this file
--remaining=FILE  write the games that were left out
--no-warnings  do not warn of names in lists that are in no game
-o, --output=FILE  write the games here, not to the screen
--major-only  write only games within the largest connected group
-g, --groups=FILE  write which players the games connect
--group-games=FILE  write the games of each group to FILE.*.pgn
--group-players=FILE  write the players of each group to FILE.*.csv
--group-max=NUM  write files for at most so many groups (1000)
""",
    min_perf=_percentage,
    min_games=integer("wrong min. games played"),
    group_max=integer("wrong --group-max"),
)

_HELP = """
Only the results of PGN files: who played whom, and how it ended

quick example: yardstone prep -p raw.pgn -o shrunk.pgn
  reads raw.pgn and writes names and results, without moves and comments, to
  shrunk.pgn; without -o they go to the screen
"""


def main(arguments: Sequence[str]) -> int:
    """Run the command with these arguments; returns the exit status."""
    compatible = "compatible with Ordoprep 0.9.9.8"
    return run(
        "prep", compatible, _HELP, SWITCHES, read_options, arguments,
        work=lambda options: _Preparation(options).run(),
    )  # fmt: skip


def read_options(arguments: Sequence[str]) -> OrdoOptions:
    """Read all switches, complain in Ordoprep's order and words: UsageError or Refused."""
    options = given_options(SWITCHES, arguments, group_max=1000)
    if options.action:
        return options
    if not options.stdin and not options.has_files:
        raise Refused("Need file name to proceed")
    options.check_names()
    groups = options.any_given("groups", "group_games", "group_players")
    options.grouping = options.major_only or groups
    ways = (
        options.no_perfects,
        options.min_percent is not None,
        options.min_games is not None,
        options.major_only,
        options.groups is not None,
    )
    if sum(ways) > 1:
        raise Refused("Switches --major-only, -g, -d, -m, and -M cannot be used at the same time\n")
    return options
