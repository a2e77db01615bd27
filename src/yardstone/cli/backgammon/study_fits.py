"""`yardstone backgammon study table, fit, compare`: what needs no GNU Backgammon."""

from __future__ import annotations

import gzip
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.backgammon.study_options import (
    Form,
    Output,
    PlotFolder,
    Rule,
    RuleName,
    Seed,
    save_plots,
)
from yardstone.cli.options import Confidence
from yardstone.cli.winprob.output import TableFormat, TextOrJson, as_text, write
from yardstone.errors import NoGamesError, UsageError

if TYPE_CHECKING:
    from yardstone.lab.vandendoel.table import StudyTable

__all__ = ["compare", "fit", "table"]

#: A table is packed so that equal matches make equal files.
_ENDING = ".gz"


class MethodName(StrEnum):
    """How cells are weighed."""

    published = "published"
    weighted = "weighted"
    chance = "chance"


class ModelName(StrEnum):
    """What is fitted."""

    decision = "decision"
    bilinear = "bilinear"
    both = "both"


class AveragingName(StrEnum):
    """How error rates of several matches become one."""

    matches = "matches"
    decisions = "decisions"


class LeftOutName(StrEnum):
    """What is left out at a time."""

    matches = "matches"
    lengths = "lengths"


Table = Annotated[
    Path | None,
    typer.Argument(
        metavar="TABLE",
        help="A table of matches, or results of `play` and `study`. [default: the project's own]",
        show_default=False,
    ),
]


def table(
    results: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULTS", help="Results of `play` and `study`.", show_default=False
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write here; packed if it ends in .gz."
        ),
    ] = None,
) -> None:
    """Make a small table of the matches in results files, for fits.

    Examples
    --------
    yardstone backgammon study table results.jsonl -o matches.csv.gz
    """
    from yardstone.cli.output import check_folder
    from yardstone.files import replaced
    from yardstone.lab.vandendoel.table import from_results, table_text

    check_folder(output)
    text = table_text(from_results(results))
    if output is None or output.suffix.lower() != _ENDING:
        write(text, output)
        return
    with replaced(output) as temporary:
        temporary.write_bytes(gzip.compress(text.encode(), mtime=0))


def fit(
    matches: Table = None,
    model: Annotated[
        ModelName,
        typer.Option(help="a(N) DEPD from Part I, a2(N) DEPM + b(N) DEPC from Part II, or both."),
    ] = ModelName.both,
    method: Annotated[
        MethodName,
        typer.Option(help="As published, weighted, or on the mean results (chance)."),
    ] = MethodName.chance,
    rule: Rule = RuleName.new,
    averaging: Annotated[
        AveragingName,
        typer.Option(help="Error rates: mean over the matches, or over all decisions."),
    ] = AveragingName.matches,
    draws: Annotated[
        int, typer.Option(min=0, max=100_000, help="Draw the matches anew so often for errors.")
    ] = 200,
    seed: Seed = 1,
    confidence: Confidence = "90",
    form: Form = TableFormat.text,
    plot: PlotFolder = None,
    output: Output = None,
) -> None:
    """Fit the formulas to a table of matches; needs no GNU Backgammon.

    Examples
    --------
    yardstone backgammon study fit
    yardstone backgammon study fit matches.csv.gz --rule 2003 --method published
    """
    from yardstone.cli.output import check_folder
    from yardstone.cli.values import confidence as parsed
    from yardstone.lab.vandendoel.cells import Averaging
    from yardstone.lab.vandendoel.fit import Method, Model, fit_study
    from yardstone.lab.vandendoel.table import CloseRule
    from yardstone.reports.backgammon import study as report

    level = parsed(confidence)
    check_folder(output)
    found = _matches(matches)
    fits = []
    for each in Model if model is ModelName.both else (Model(model),):
        try:
            fits.append(
                fit_study(
                    found,
                    each,
                    Method(method),
                    CloseRule(rule),
                    Averaging(averaging),
                    draws=draws,
                    seed=seed,
                )
            )
        except NoGamesError:
            if model is not ModelName.both:
                raise
    if not fits:
        raise NoGamesError("the table has no matches of Part I or Part II")
    if plot is not None:
        save_plots(fits, plot, level)
    if form is TableFormat.csv:
        if len(fits) > 1:
            raise UsageError("CSV is for one model: add --model decision or --model bilinear")
        write(report.cells_csv(fits[0].cells, level), output)
    elif form is TableFormat.json:
        values = [
            {**report.plain_fit(each), "cells": report.plain_cells(each.cells, level)}
            for each in fits
        ]
        write(as_text({"confidence": level, "fits": values}), output)
    else:
        texts = [
            report.fit_text(each) + "\n" + report.cells_text(each.cells, level) for each in fits
        ]
        write("\n".join(texts), output)


def compare(
    matches: Table = None,
    left_out: Annotated[
        LeftOutName,
        typer.Option("--leave-out", help="A part of the matches of each setting, or a length."),
    ] = LeftOutName.matches,
    parts: Annotated[
        int, typer.Option(min=2, max=1000, help="Deal the matches into so many parts.")
    ] = 10,
    rule: Rule = RuleName.new,
    seed: Seed = 1,
    form: Annotated[TextOrJson, typer.Option("--format", help="Text or JSON.")] = TextOrJson.text,
    output: Output = None,
) -> None:
    """Score old and refitted formulas on matches that were left out of the fit.

    Examples
    --------
    yardstone backgammon study compare
    yardstone backgammon study compare matches.csv.gz --leave-out lengths
    """
    from yardstone.lab.vandendoel.comparison import LeftOut, compare_formulas
    from yardstone.lab.vandendoel.table import CloseRule
    from yardstone.reports.backgammon.study import comparison_text, plain_comparison

    found = compare_formulas(
        _matches(matches), CloseRule(rule), LeftOut(left_out), folds=parts, seed=seed
    )
    if form is TextOrJson.json:
        write(as_text(plain_comparison(found)), output)
    else:
        write(comparison_text(found), output)


def _matches(path: Path | None) -> StudyTable:
    from yardstone.lab.vandendoel.table import from_results, own_table, read_table

    if path is None:
        return own_table()
    return from_results([path]) if path.suffix.lower() == ".jsonl" else read_table(path)
