"""One run of `yardstone prep`, from the files read to the games written."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from yardstone.cli.ordo.files import OutputFile, file_names
from yardstone.cli.ordo.input import STANDARD_INPUT, Input, read_input, ticked_players
from yardstone.cli.ordo.options import Refused
from yardstone.reports.ordo.groups import Groups, find_groups, groups_text
from yardstone.reports.ordo.text import as_in_tag

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.cli.ordo.prep import PrepOptions

__all__ = ["prepare"]

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
