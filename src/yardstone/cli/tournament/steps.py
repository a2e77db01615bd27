"""What the commands that change a tournament's file share."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.errors import InputError

if TYPE_CHECKING:
    from yardstone.pool import SkipReport
    from yardstone.tournament.event.changes import EventChange
    from yardstone.tournament.model import Tournament

__all__ = ["EventFile", "RoundOption", "finish", "say", "step"]

EventFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="Tournament: OpenGotha XML, changed in place.", show_default=False
    ),
]
RoundOption = Annotated[
    int | None,
    typer.Option(
        "--round",
        min=1,
        metavar="NUMBER",
        help="Round. [default: the first without boards]",
        show_default=False,
    ),
]


def step(path: Path, taken: Callable[[Tournament], EventChange]) -> None:
    """Take a step in a file, and say what was done and what comes next."""
    from yardstone.tournament.event.file import change_file

    finish(path, change_file(path, taken))


def finish(path: Path, change: EventChange, *others: SkipReport) -> None:
    """Say what a step did, what comes next, and what was left out; which is an error."""
    say(path, change)
    left_out = [record for report in (*others, change.skipped) for record in report.details]
    if left_out:
        lines = [f"  {record}" for record in sorted(left_out, key=lambda each: each.line)]
        print("\n".join(lines), file=sys.stderr)
        total = sum(len(report) for report in (*others, change.skipped))
        raise InputError(f"{total} {'row was' if total == 1 else 'rows were'} left out")


def say(path: Path, change: EventChange) -> None:
    """Print what a step did and what comes next."""
    following = next_command(path, change.tournament)
    print("\n".join([*change.lines, *([f"Next: {following}"] if following else [])]))


def next_command(path: Path, tournament: Tournament) -> str:
    """The command that most likely comes next; nothing once all is done."""
    from yardstone.tournament.event.changes import next_round
    from yardstone.tournament.model import Result

    file = shlex.quote(str(path))
    command = "yardstone tournament"
    if len(tournament.players) < 2:
        return f"{command} enter {file} players.csv"
    still_open = [game for game in tournament.games if game.result is Result.unknown]
    if still_open:
        game = min(still_open, key=lambda each: (each.round, each.table))
        return f"{command} result {file} --round {game.round} --table {game.table} --score 1-0"
    number = next_round(tournament)
    if number <= tournament.rounds:
        teams = " --teams" if tournament.teams else ""
        return f"{command} pair {file}{teams} --round {number} -o {file}"
    return f"{command} prizes {file}"
