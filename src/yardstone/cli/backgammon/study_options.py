"""What the subcommands of `yardstone backgammon study` share: options, playing, reporting."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from yardstone.cli.winprob.output import TableFormat, as_text, write
from yardstone.errors import NoGamesError, UsageError

if TYPE_CHECKING:
    from yardstone.lab.vandendoel.fit import StudyFit
    from yardstone.lab.vandendoel.play import Player, Setting
    from yardstone.lab.vandendoel.table import CloseRule, StudyTable

__all__ = [
    "Deterministic",
    "Form",
    "Gnubg",
    "Matches",
    "Output",
    "PlotFolder",
    "Processes",
    "Results",
    "Rule",
    "Seed",
    "Show",
    "Timeout",
    "Unrepeatable",
    "Work",
    "carry_out",
    "numbers",
    "pairs",
    "player",
    "save_plots",
]


class RuleName(StrEnum):
    """Which cube decisions count as close."""

    old = "2003"
    new = "2006"


Results = Annotated[
    Path,
    typer.Argument(
        metavar="RESULTS",
        help="Where each match goes as it comes, a line of JSON each; taken up again if it exists.",
        show_default=False,
    ),
]
Matches = Annotated[int, typer.Option(min=1, help="Matches of each setting.")]
Seed = Annotated[int, typer.Option(min=0, help="Of dice and noise: equal seeds, equal matches.")]
Processes = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=1024,
        help="So many at a time. GNU Backgammon sleeps a lot. [default: 6 for each core]",
        show_default=False,
    ),
]
Deterministic = Annotated[
    bool,
    typer.Option(
        "--deterministic", help="GNU Backgammon's default noise, which is biased; to show that."
    ),
]
Unrepeatable = Annotated[
    bool,
    typer.Option("--unrepeatable", help="Do without libfaketime: the noise is new each time."),
]
Timeout = Annotated[
    float, typer.Option(min=1.0, metavar="SECONDS", help="Give a match up after so long.")
]
Gnubg = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The program, if it is not found by itself.")
]
Rule = Annotated[
    RuleName,
    typer.Option(help="Close cube decisions: as van den Doel's (2003) or as today's (2006)."),
]
Form = Annotated[TableFormat, typer.Option("--format", help="Text, CSV (the cells) or JSON.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the report here.")
]
PlotFolder = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FOLDER", help="Draw van den Doel's figures into this folder."),
]

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Work:
    """How matches are played."""

    results: Path
    matches: int
    seed: int
    processes: int | None
    timeout: float
    gnubg: Path | None
    unrepeatable: bool = False
    keep_moves: bool = False


@dataclass(frozen=True, slots=True)
class Show:
    """How they are reported."""

    rule: RuleName
    confidence: str
    form: TableFormat
    output: Path | None
    fits: bool = False
    plot: Path | None = None


def carry_out(settings: Sequence[Setting], work: Work, show: Show) -> None:
    """Play what is missing, report on all, and leave with 1 if a match failed."""
    from yardstone.backgammon.gnubg import find_gnubg
    from yardstone.cli.output import check_folder
    from yardstone.cli.progress import progress_bar
    from yardstone.cli.values import confidence
    from yardstone.lab.vandendoel.matches import in_rounds, play_jobs

    level = confidence(show.confidence)
    check_folder(show.output)
    check_folder(work.results)
    _check_plot_folder(show.plot)
    outcome = play_jobs(
        in_rounds(settings, work.matches, work.seed),
        work.results,
        program=find_gnubg(work.gnubg),
        processes=work.processes,
        frozen=not work.unrepeatable,
        timeout=work.timeout,
        export=work.keep_moves,
        progress=progress_bar("playing", quiet=False),
    )
    for line in outcome.failed:
        print(f"yardstone: failed: {line}", file=sys.stderr)
    if outcome.played + outcome.kept:
        _report(settings, work.results, show, level)
    if outcome.failed:
        print(
            f"yardstone: {len(outcome.failed)} of {outcome.played + len(outcome.failed)} matches "
            "failed; the same command tries them again",
            file=sys.stderr,
        )
        raise typer.Exit(1)


def _report(settings: Sequence[Setting], results: Path, show: Show, level: float) -> None:
    from yardstone.lab.vandendoel.cells import make_cells
    from yardstone.lab.vandendoel.table import CloseRule, from_results
    from yardstone.reports.backgammon.study import (
        cells_csv,
        cells_text,
        fit_text,
        plain_cells,
        plain_fit,
    )

    table = _only(from_results([results]), settings)
    cells = make_cells(table, CloseRule(show.rule))
    if show.form is TableFormat.csv:
        write(cells_csv(cells, level), show.output)
        return
    fits = _fits(table, CloseRule(show.rule)) if show.fits else []
    if show.form is TableFormat.json:
        values = {
            "confidence": level,
            "close_rule": show.rule.value,
            "cells": plain_cells(cells, level),
            "fits": [plain_fit(fit) for fit in fits],
        }
        write(as_text(values), show.output)
    else:
        write("\n".join([*map(fit_text, fits), cells_text(cells, level)]), show.output)
    if show.plot is not None:
        save_plots(fits, show.plot, level)


def _only(table: StudyTable, settings: Sequence[Setting]) -> StudyTable:
    """The matches of these settings, at every depth they were analysed at."""
    import numpy as np

    wanted = {replace(setting, analyses=(p,)) for setting in settings for p in setting.analyses}
    return table.take(np.array([each in wanted for each in table.settings])[table.setting])


def _fits(table: StudyTable, rule: CloseRule) -> list[StudyFit]:
    from yardstone.lab.vandendoel.fit import Model, fit_study

    found = []
    for model in Model:
        try:
            found.append(fit_study(table, model, rule=rule))
        except NoGamesError:
            continue
    return found


def save_plots(fits: Iterable[StudyFit], folder: Path, level: float) -> None:
    """Draw the figures of each fit into a folder, which is made if need be."""
    from yardstone.lab.vandendoel.fit import Model
    from yardstone.reports.charts.backgammon_study import (
        coefficient_chart,
        part_one_chart,
        part_two_chart,
    )

    folder.mkdir(exist_ok=True)
    for fit in fits:
        if fit.model is Model.decision:
            part_one_chart(fit, level=level).save(folder / "part1.svg")
            coefficient_chart(fit).save(folder / "part1-coefficient.svg")
        else:
            part_two_chart(fit, level=level).save(folder / "part2.svg")
            coefficient_chart(fit).save(folder / "part2-coefficients.svg")


def _check_plot_folder(folder: Path | None) -> None:
    from yardstone.errors import InputError

    if folder is not None and folder.exists() and not folder.is_dir():
        raise InputError("this is no folder", file=str(folder), mend="name a folder for figures")
    if folder is not None and not folder.absolute().parent.is_dir():
        raise InputError("there is no such folder", file=str(folder.parent))


def numbers(text: str, option: str, kind: Callable[[str], Value]) -> list[Value]:
    """Values with commas between them, each once."""
    try:
        found = [kind(part.strip()) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"{option} {text}: write numbers with commas between them") from None
    return list(dict.fromkeys(found))


def pairs(text: str, option: str) -> list[tuple[float, float]]:
    """Pairs of noise such as 0:0.04,0.04:0.06."""
    found = []
    for part in text.split(","):
        one, colon, two = part.partition(":")
        try:
            if not colon:
                raise ValueError
            found.append((float(one), float(two)))
        except ValueError:
            raise UsageError(f"{option} {part.strip()}: write it like 0:0.04") from None
    return list(dict.fromkeys(found))


def player(noise: str, plies: str, option: str) -> Player:
    """A player from NOISE or MOVES,CUBE, and likewise of plies."""
    from yardstone.lab.vandendoel.play import Player

    noises = numbers_twice(noise, option, float)
    depths = numbers_twice(plies, f"{option}-plies", int)
    return Player(*noises, *depths)


def numbers_twice(text: str, option: str, kind: Callable[[str], Value]) -> tuple[Value, Value]:
    """One value for moves and cube alike, or one for each."""
    parts = text.split(",")
    try:
        found = [kind(part.strip()) for part in parts]
    except ValueError:
        found = []
    if len(found) not in (1, 2):
        raise UsageError(f"{option} {text}: write one number, or two as MOVES,CUBE")
    return found[0], found[-1]
