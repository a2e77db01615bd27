"""`yardstone strength train`: a network on the games of an experiment."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.strength.options import (
    Anew,
    Device,
    DeviceName,
    ExperimentFile,
    Folder,
    Model,
    ModelName,
    Preset,
    Settings,
    Threads,
    chosen_settings,
)
from yardstone.cli.winprob.output import Plot

if TYPE_CHECKING:
    from yardstone.lab.neubauer.network.training_log import Epoch

__all__ = ["train"]


def train(
    file: ExperimentFile,
    model: Model = ModelName.full,
    preset: Preset = None,
    settings: Settings = None,
    output: Folder = None,
    plot: Plot = None,
    device: Device = DeviceName.auto,
    threads: Threads = None,
    anew: Anew = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No line for each epoch.")] = False,
) -> None:
    """Train a Set Transformer on the games of an experiment.

    The folder gets the network, the losses of all epochs and steps, and a checkpoint:
    the same command goes on where it was stopped or killed.

    Examples
    --------
    yardstone strength train experiment.toml
    """
    from yardstone.cli.output import check_folder
    from yardstone.cli.progress import progress_bar
    from yardstone.lab.neubauer.experiment.configuration import read_experiment
    from yardstone.lab.neubauer.experiment.examples import MODELS, experiment_examples
    from yardstone.lab.neubauer.network.training import train as do_training

    check_folder(plot)
    experiment = read_experiment(file)
    chosen = chosen_settings(experiment, model, preset, settings)
    folder = output or experiment.folder / f"training-{model.value}"
    training, validation = experiment_examples(str(file), model.value)
    trained = do_training(
        training,
        validation,
        chosen,
        folder,
        device=device.value,
        threads=threads,
        progress=progress_bar("training", quiet=quiet),
        report=None if quiet else _say,
        resume=not anew,
        card={"features": list(MODELS[model.value])},
    )
    from yardstone.reports.charts.training import training_chart
    from yardstone.reports.strength.training import trained_text

    sys.stdout.write(f"{trained_text(trained.network)}network in {folder / 'network.npz'}\n")
    if plot is not None:
        title = f"Training of the {model.value} model"
        training_chart(trained.history, title=title).save(plot)


def _say(epoch: Epoch) -> None:
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(clear + epoch.line(), file=sys.stderr, flush=True)
