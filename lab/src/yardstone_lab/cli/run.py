"""`yardstone strength run`: a whole experiment, from records to the table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from yardstone.cli.declare import WorkOptions, argument, option
from yardstone.cli.output import TableOutput, stage_bars

if TYPE_CHECKING:
    from yardstone.reports.document import Document
    from yardstone_lab.neubauer.experiment.measurement import Measurement

__all__ = ["run"]


def run(
    file: Path = argument("Description of the experiment (TOML).", metavar="FILE"),
    *,
    output: TableOutput,
    figures: bool = option("Draw the ratings and scores of the systems.", default=True),
    work: WorkOptions,
) -> None:
    """Run a whole experiment, from game records to results.

    Each stage is kept in the experiment's folder: the same command goes on where it
    was stopped or killed, and after a change to FILE it does again what depends on it.

    Examples
    --------
    yardstone strength run experiment.toml
    """
    from yardstone_lab.neubauer.experiment.configuration import read_experiment

    output.check()
    experiment = read_experiment(file)
    from yardstone_lab.neubauer.experiment.measurement import measure
    from yardstone_lab.neubauer.experiment.run import run_experiment
    from yardstone_lab.reports.experiment import experiment_document

    outcome = run_experiment(
        experiment,
        workers=work.workers,
        say=_silent if output.quiet else _say,
        progress=stage_bars(quiet=output.quiet),
    )
    measured = measure(outcome)
    document = experiment_document(measured)
    _keep(measured, document)
    if figures and measured.tested:
        _draw(measured, experiment.folder / "figures")
    output.emit(document)


def _silent(_: str) -> None:
    """Say nothing."""


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def _keep(measured: Measurement, document: Document) -> None:
    """Write the table and the predictions into the experiment's folder."""
    from yardstone.files import write_text
    from yardstone.reports.files import document_csv, document_json
    from yardstone.reports.text import document_text
    from yardstone_lab.neubauer.experiment.predictions_file import predictions_csv

    outcome = measured.outcome
    folder = outcome.experiment.folder
    write_text(folder / "table.txt", document_text(document))
    write_text(folder / "table.csv", document_csv(document))
    write_text(folder / "table.json", document_json(document))
    write_text(folder / "predictions.csv", predictions_csv(outcome.predictions, outcome.pool))


def _draw(measured: Measurement, folder: Path) -> None:
    """Draw figures 5.6 to 5.9 for every system that they can be drawn of."""
    from yardstone_lab.neubauer.experiment.measurement import figure_data
    from yardstone_lab.reports.charts.experiment import rating_chart, score_chart

    folder.mkdir(exist_ok=True)
    for file, name, one, other in figure_data(measured.outcome):
        chart = score_chart if file.startswith("scores") else rating_chart
        chart(one, other, name=name).save(folder / f"{file}.svg")
