"""The commands `yardstone strength run`, `describe`, `search` and `train`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from yardstone.cli.declare import (
    Seed,
    WorkOptions,
    advanced,
    argument,
    check_folder,
    flag,
    named_values,
    option,
)
from yardstone.cli.output import Output, TableOutput
from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from yardstone.reports.chart import Chart
    from yardstone.reports.document import Document
    from yardstone_lab.neubauer.experiment.measurement import Measurement
    from yardstone_lab.neubauer.network.search import SearchRun
    from yardstone_lab.neubauer.network.training import Epoch

__all__ = [
    "Anew",
    "Device",
    "ExperimentFile",
    "Folder",
    "Model",
    "Preset",
    "PresetName",
    "Settings",
    "Threads",
    "describe",
    "run",
    "search",
    "train",
]

#: Settings with a name.
PresetName = Literal["published", "start", "small"]


ExperimentFile = Annotated[
    Path, argument("Description of an experiment that has been run.", metavar="FILE")
]
Model = Annotated[
    Literal["full", "basic"], option("full: from the trunk at the moves; basic: from six outputs.")
]
Preset = Annotated[
    PresetName | None,
    option("Settings in place of the experiment's: published is Table 5.1 of the thesis."),
]
Settings = Annotated[
    list[str] | None, option("Change a setting. Repeatable.", "--set", metavar="NAME=VALUE")
]
Folder = Annotated[
    Path | None,
    option("Folder for all results. [default: in that of the experiment]", metavar="FOLDER"),
]
Device = Annotated[
    Literal["auto", "cpu", "cuda"], advanced("Device to train on; auto: a GPU if there is one.")
]
Threads = Annotated[int | None, advanced("Threads of each training.", min=1)]
Anew = Annotated[bool, flag("Start afresh, whatever the folder holds.")]


def describe(
    data: list[str] = argument(
        "An experiment (TOML) that was run, a store of features, or files of results.",
        metavar="DATA...",
    ),
    folder: Path = option(
        "Folder for the charts.", "--output", "-o", default=..., metavar="FOLDER", writes="folder"
    ),
    ending: str = option(
        "Format of the charts: svg, png or pdf.", "--type", default="svg", metavar="TYPE"
    ),
    classes: str = option(
        "Bounds between classes of players, in rating points: 1500,1900.",
        default="",
        metavar="POINTS",
    ),
) -> None:
    """Plot the data: labels, losses of moves, settling of ratings.

    Draws what can be drawn of DATA: labels.svg, points.svg, winrates.svg,
    deviations.svg, settling.svg, lengths.svg (figures 4.1 to 4.6 of Neubauer 2024).

    Examples:
        yardstone strength describe experiment.toml -o figures
    """
    if ending not in ("svg", "png", "pdf"):
        raise UsageError(f"pictures are of the type svg, png or pdf, not {ending!r}")
    edges = _edges(classes)

    from yardstone_lab.neubauer.description import describe_data
    from yardstone_lab.reports.strength import data_charts

    _save(data_charts(describe_data(data, edges)), folder, ending)


def _edges(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise UsageError(f"--classes is {text!r}; it must be numbers such as 1500,1900") from None


def _save(figures: dict[str, Chart], folder: Path, ending: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", file=str(folder)) from error
    for name, figure in figures.items():
        path = folder / f"{name}.{ending}"
        figure.save(path)
        print(path)


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

    Examples:
        yardstone strength run experiment.toml
    """
    from yardstone_lab.neubauer.experiment.configuration import read_experiment

    experiment = read_experiment(file)
    from yardstone_lab.neubauer.experiment.measurement import measure
    from yardstone_lab.neubauer.experiment.run import run_experiment
    from yardstone_lab.reports.strength import experiment_document

    outcome = run_experiment(experiment, say=_silent if output.quiet else _say)
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
    from yardstone_lab.neubauer.experiment.questions import predictions_csv

    outcome = measured.outcome
    folder = outcome.experiment.folder
    write_text(folder / "table.txt", document_text(document))
    write_text(folder / "table.csv", document_csv(document))
    write_text(folder / "table.json", document_json(document))
    write_text(folder / "predictions.csv", predictions_csv(outcome.predictions, outcome.pool))


def _draw(measured: Measurement, folder: Path) -> None:
    """Draw figures 5.6 to 5.9 for every system that they can be drawn of."""
    from yardstone_lab.neubauer.experiment.measurement import figure_data
    from yardstone_lab.reports.strength import rating_chart, score_chart

    folder.mkdir(exist_ok=True)
    for file, name, one, other in figure_data(measured.outcome):
        chart = score_chart if file.startswith("scores") else rating_chart
        chart(one, other, name=name).save(folder / f"{file}.svg")


#: Trainings of the published search.
TRIALS = 75


def search(
    file: ExperimentFile,
    *,
    model: Model = "full",
    method: Literal["random", "optuna"] = option(
        "random: as published; optuna: learns, and gives up early.", default="random"
    ),
    iterations: int = advanced("Iterations of the random search.", default=5, min=1),
    runs: int = advanced("Trainings in each iteration.", default=15, min=1),
    shrink: float = advanced("Scale of each iteration relative to the one before.", default=0.6),
    trials: int = advanced("Trainings of the search by optuna.", default=TRIALS, min=1),
    start: PresetName = option("Settings to search around.", default="start"),
    windows: str | None = advanced(
        "Also search the window, between these bounds.", metavar="LOW,HIGH"
    ),
    settings: Settings = None,
    seed: Seed = 0,
    folder: Folder = None,
    limits: str | None = advanced("Range of losses in the chart.", metavar="LOW,HIGH"),
    device: Device = "auto",
    threads: Threads = 1,
    work: WorkOptions,
    output: Output,
) -> None:
    """Search for the settings with which a network predicts best.

    Every training is kept: the same command goes on where it was stopped or killed, and
    trains nothing twice.

    Examples:
        yardstone strength search experiment.toml
    """
    from yardstone_lab.neubauer.experiment.configuration import read_experiment
    from yardstone_lab.neubauer.experiment.sets import experiment_examples, experiment_settings
    from yardstone_lab.neubauer.network.search import Cached, Plan, best_run, random_search
    from yardstone_lab.reports.strength import search_document

    low_high = None if windows is None else tuple(int(v) for v in _pair("--windows", windows))
    loss_limits = None if limits is None else _pair("--limits", limits)
    experiment = read_experiment(file)
    around = experiment_settings(experiment, model, start, named_values(settings))
    folder = folder or experiment.folder / f"search-{model}"
    examples = Cached(partial(experiment_examples, str(file), model))
    examples()  # an error in the games is one of the command, not of a worker
    plan = Plan(iterations, runs, shrink, around, low_high, seed)  # type: ignore[arg-type]
    if method == "random":
        runs_done = random_search(
            examples,
            folder,
            plan,
            threads=threads,
            device=device,
            report=None if output.quiet else _say_line,
        )
    else:
        from yardstone_lab.neubauer.network.search import optuna_search

        runs_done = optuna_search(
            examples,
            folder,
            trials,
            around,
            windows=plan.windows,
            seed=seed,
            threads=threads,
            device=device,
        )
    if not output.quiet:
        print(
            f"best network in {Path(best_run(runs_done).folder) / 'network.npz'}", file=sys.stderr
        )
    title = f"Search for the {model} model"
    output.emit(search_document(runs_done, title=title, limits=loss_limits))


def _pair(option: str, text: str) -> tuple[float, float]:
    parts = text.split(",")
    try:
        low, high = (float(part) for part in parts)
    except ValueError:
        raise UsageError(f"{option} {text}: write two numbers, as in 10,500") from None
    if not low < high:
        raise UsageError(f"{option} {text}: the first number must be below the second")
    return low, high


def _say_line(what: SearchRun | Epoch) -> None:
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(clear + what.line(), file=sys.stderr, flush=True)


def train(
    file: Path = argument(
        "An experiment that has been run (.toml), or a table of ranks (.csv).", metavar="FILE"
    ),
    *,
    model: Literal["rank", "full", "basic", "stochastic"] | None = option(
        "full: from the trunk at the moves; basic: from what the outputs say; of a table also "
        "rank and stochastic. [default: full; rank for a table]"
    ),
    stores: list[Path] | None = option(
        "Features of the games of the table, from `go features`. Repeatable.",
        "--store",
        metavar="FOLDER",
    ),
    begin: str | None = advanced(
        "A rank model that gets the scales of the table that it has not.",
        "--from",
        metavar="NAME|FILE",
    ),
    save: Path | None = option("Save the model of a table."),
    seed: Seed = 0,
    preset: Preset = None,
    settings: Settings = None,
    folder: Folder = None,
    device: Device = "auto",
    threads: Threads = None,
    anew: Anew = False,
    output: Output,
) -> None:
    """Train a model of strength on an experiment or on ranked games.

    Of an experiment, the folder gets the network, the losses of all epochs and steps, and a
    checkpoint: the same command goes on where it was stopped or killed. Of a table with the
    columns file, colour, rank and scale any of the models of strength is made, with intervals
    that are checked on players apart.

    Examples:
        yardstone strength train experiment.toml
        yardstone strength train ranks.csv --store features --save club-model.npz
    """
    if file.suffix.lower() == ".csv":
        kind = "rank" if model is None else model
        options = _Ranked(file, kind, stores or [], begin, save, seed, folder, threads or 1)
        _train_ranked_model(options, output)
        return
    if model in ("rank", "stochastic"):
        raise UsageError(f"--model {model} goes with a table of ranks (.csv)")
    if stores or begin is not None or save is not None:
        raise UsageError("--store, --from and --save go with a table of ranks (.csv)")
    network = "basic" if model == "basic" else "full"
    from yardstone_lab.neubauer.experiment.configuration import read_experiment
    from yardstone_lab.neubauer.experiment.sets import (
        MODELS,
        experiment_examples,
        experiment_settings,
    )
    from yardstone_lab.neubauer.network.training import train as do_training

    experiment = read_experiment(file)
    chosen = experiment_settings(experiment, network, preset, named_values(settings))
    folder = folder or experiment.folder / f"training-{network}"
    training, validation = experiment_examples(str(file), network)
    trained = do_training(
        training,
        validation,
        chosen,
        folder,
        device=device,
        threads=threads,
        report=None if output.quiet else _say_line,
        resume=not anew,
        card={"features": list(MODELS[network])},
    )
    from yardstone_lab.reports.strength import training_document

    title = f"Training of the {network} model"
    output.emit(
        training_document(trained.network, trained.history, folder / "network.npz", title=title)
    )


@dataclass(frozen=True)
class _Ranked:
    """What is asked of a model of ranked games."""

    file: Path
    kind: str
    stores: list[Path]
    begin: str | None
    save: Path | None
    seed: int
    folder: Path | None
    threads: int


def _train_ranked_model(asked: _Ranked, output: Output) -> None:
    """A model from a table of ranks and stores of features."""
    from yardstone.cli.output import report_skipped
    from yardstone.go.feature_store import FeatureStore
    from yardstone.pool import SkipReport
    from yardstone.strength.model import StrengthModel
    from yardstone_lab.neubauer.scored_model import train_ranked_model
    from yardstone_lab.neubauer.sides import labelled_sides, read_rank_labels
    from yardstone_lab.reports.strength import ranked_model_document

    if not asked.stores or asked.save is None:
        raise UsageError("a model of a table of ranks needs --store FOLDER and --save FILE")
    check_folder(asked.save)
    skipped = SkipReport()
    labels = read_rank_labels(asked.file, skipped)
    trained = train_ranked_model(
        labelled_sides([FeatureStore.open(folder) for folder in asked.stores], labels),
        asked.kind,
        base=None if asked.begin is None else StrengthModel.load(asked.begin),
        name=asked.save.stem,
        seed=asked.seed,
        folder=asked.folder or asked.save.with_suffix(".folds"),
        threads=asked.threads,
    )
    trained.model.save(asked.save)
    output.emit(ranked_model_document(trained, asked.save))
    report_skipped(skipped)
