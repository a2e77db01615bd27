"""`yardstone strength search`: hyperparameters of a network."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from yardstone.cli.declare import Seed, WorkOptions, advanced, named_values, option
from yardstone.cli.output import Output, progress_bar
from yardstone.errors import UsageError
from yardstone_lab.cli.training_options import (
    Device,
    ExperimentFile,
    Folder,
    Model,
    PresetName,
    Settings,
    Threads,
)

if TYPE_CHECKING:
    from yardstone_lab.neubauer.network.search_run import SearchRun

__all__ = ["search"]

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

    Examples
    --------
    yardstone strength search experiment.toml
    """
    from yardstone_lab.neubauer.experiment.configuration import read_experiment
    from yardstone_lab.neubauer.experiment.examples import experiment_examples, experiment_settings
    from yardstone_lab.neubauer.network.search import Plan, best_run, random_search
    from yardstone_lab.neubauer.network.search_run import Cached
    from yardstone_lab.reports.training import search_document

    output.check()
    low_high = None if windows is None else tuple(int(v) for v in _pair("--windows", windows))
    loss_limits = None if limits is None else _pair("--limits", limits)
    experiment = read_experiment(file)
    around = experiment_settings(experiment, model, start, named_values(settings))
    folder = folder or experiment.folder / f"search-{model}"
    examples = Cached(partial(experiment_examples, str(file), model))
    examples()  # an error in the games is one of the command, not of a worker
    progress = progress_bar("searching", quiet=output.quiet)
    plan = Plan(iterations, runs, shrink, around, low_high, seed)  # type: ignore[arg-type]
    if method == "random":
        runs_done = random_search(
            examples,
            folder,
            plan,
            workers=work.workers,
            threads=threads,
            device=device,
            progress=progress,
            report=None if output.quiet else _say,
        )
    else:
        from yardstone_lab.neubauer.network.search_optuna import optuna_search

        runs_done = optuna_search(
            examples,
            folder,
            trials,
            around,
            windows=plan.windows,
            seed=seed,
            workers=work.workers,
            threads=threads,
            device=device,
            progress=progress,
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


def _say(run: SearchRun) -> None:
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(clear + run.line(), file=sys.stderr, flush=True)
