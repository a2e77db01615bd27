"""`yardstone strength run`: a whole experiment, from records to the table."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.winprob.output import Output, TableFormat, write

if TYPE_CHECKING:
    from yardstone.lab.neubauer.experiment.performance import Performance, RatingErrors
    from yardstone.lab.neubauer.experiment.run import Outcome

__all__ = ["run"]


def run(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Description of the experiment (TOML).")
    ],
    form: Annotated[
        TableFormat, typer.Option("--format", help="How the table is written.")
    ] = TableFormat.text,
    output: Output = None,
    figures: Annotated[
        bool, typer.Option("--figures/--no-figures", help="Draw ratings and scores of the systems.")
    ] = True,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", metavar="NUMBER", min=1, help="Processes; one a core if not given."
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Do not say what is being done.")
    ] = False,
) -> None:
    """Run a whole experiment with models from moves, from records to the table.

    Each stage is kept in the experiment's folder: the same command goes on where it
    was stopped or killed, and after a change to FILE it does again what depends on it.

    Examples
    --------
    yardstone strength run experiment.toml
    """
    from yardstone.cli.output import check_folder
    from yardstone.cli.progress import stage_bars
    from yardstone.cli.startup import load_numba
    from yardstone.lab.neubauer.experiment.configuration import read_experiment

    check_folder(output)
    experiment = read_experiment(file)
    load_numba()
    from yardstone.lab.neubauer.experiment.performance import performance, rating_errors
    from yardstone.lab.neubauer.experiment.predictions import GLICKO, TUNED
    from yardstone.lab.neubauer.experiment.run import run_experiment

    say = _silent if quiet else _say
    found = run_experiment(experiment, workers=workers, say=say, progress=stage_bars(quiet=quiet))
    table = experiment.table
    compared = [
        performance(
            found.predictions,
            base=base,
            replicates=table.replicates,
            confidence=table.confidence,
            seed=table.seed,
        )
        for base in (GLICKO, TUNED)
        if base in found.predictions.expected
    ]
    tested = found.predictions.questions.of("E").any()
    rated = [name for name in found.predictions.ratings if tested and name != "Future Glicko-2"]
    errors = [rating_errors(found.predictions, name, "E") for name in rated]
    _keep(found, compared, errors)
    if figures and tested:
        _draw(found, experiment.folder / "figures")
    write(_written(form, found, compared, errors), output)


def _silent(_: str) -> None:
    """Say nothing."""


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def _written(
    form: TableFormat,
    found: Outcome,
    compared: list[Performance],
    errors: list[RatingErrors],
) -> str:
    """The table; in the text with all comparisons, elsewhere with that to Glicko-2."""
    from yardstone.reports.strength import table as tables

    measured = compared[0]

    if form is TableFormat.csv:
        return tables.performance_csv(measured)
    if form is TableFormat.json:
        from yardstone.cli.winprob.output import as_text

        return as_text(_facts(found, measured, errors))
    facts = found.facts
    parts = [
        tables.filters_text(facts["filters"]),
        tables.judged_text(facts["judged"]),
        tables.performance_text(measured),
        *(tables.ahead_text(each) for each in compared),
        tables.hidden_text(measured),
        tables.calibration_text(measured),
        tables.ratings_text(errors),
    ]
    return "\n".join(part for part in parts if part)


def _facts(found: Outcome, measured: Performance, errors: list[RatingErrors]) -> dict[str, object]:
    """All that is known of an experiment, as plain values."""
    import platform

    import numpy as np

    import yardstone

    return {
        "name": found.experiment.name,
        "versions": {
            "yardstone": yardstone.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "games": len(found.pool),
        "players": len(found.pool.players),
        **found.facts,
        "systems": dict(found.predictions.about),
        "cells": [cell.as_dict() for cell in measured.cells],
        "ratings": [each.as_dict() for each in errors],
    }


def _keep(found: Outcome, compared: list[Performance], errors: list[RatingErrors]) -> None:
    """Write the table and the predictions into the experiment's folder."""
    from yardstone.files import write_text
    from yardstone.lab.neubauer.experiment.predictions_file import predictions_csv

    folder = found.experiment.folder
    for form, name in (
        (TableFormat.text, "table.txt"),
        (TableFormat.csv, "table.csv"),
        (TableFormat.json, "table.json"),
    ):
        write_text(folder / name, _written(form, found, compared, errors))
    write_text(folder / "predictions.csv", predictions_csv(found.predictions, found.pool))


def _draw(found: Outcome, folder: Path) -> None:
    """Draw figures 5.6 to 5.9 for every system that they can be drawn of."""
    from yardstone.reports.charts.experiment import rating_chart, score_chart

    folder.mkdir(exist_ok=True)
    predictions = found.predictions
    here = predictions.questions.of("E")
    for name, expected in predictions.expected.items():
        if name == "50:50":
            continue
        slug = re.sub("[^a-z0-9]+", "-", name.lower())
        score_chart(predictions.score[here], expected[here], name=name).save(
            folder / f"scores-{slug}.svg"
        )
        if name in predictions.ratings and name != "Future Glicko-2":
            rating_chart(
                predictions.ratings[name][here].ravel(),
                predictions.labels[here].ravel(),
                name=name,
            ).save(folder / f"ratings-{slug}.svg")
