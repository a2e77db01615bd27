"""`yardstone strength train`: a network on the games of an experiment."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from yardstone.cli.output import Output
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
    named_values,
)

if TYPE_CHECKING:
    from yardstone.lab.neubauer.network.training_log import Epoch

__all__ = ["train"]


def train(
    file: ExperimentFile,
    *,
    model: Model = ModelName.full,
    preset: Preset = None,
    settings: Settings = None,
    folder: Folder = None,
    device: Device = DeviceName.auto,
    threads: Threads = None,
    anew: Anew = False,
    output: Output,
) -> None:
    """Train a Set Transformer on the games of an experiment.

    The folder gets the network, the losses of all epochs and steps, and a checkpoint:
    the same command goes on where it was stopped or killed.

    Examples
    --------
    yardstone strength train experiment.toml
    """
    from yardstone.lab.neubauer.experiment.configuration import read_experiment
    from yardstone.lab.neubauer.experiment.examples import (
        MODELS,
        experiment_examples,
        experiment_settings,
    )
    from yardstone.lab.neubauer.network.training import train as do_training

    output.check()
    experiment = read_experiment(file)
    chosen = experiment_settings(
        experiment, model.value, preset and preset.value, named_values(settings)
    )
    folder = folder or experiment.folder / f"training-{model.value}"
    training, validation = experiment_examples(str(file), model.value)
    trained = do_training(
        training,
        validation,
        chosen,
        folder,
        device=device.value,
        threads=threads,
        progress=output.progress("training"),
        report=None if output.quiet else _say,
        resume=not anew,
        card={"features": list(MODELS[model.value])},
    )
    from yardstone.reports.strength.training import training_document

    title = f"Training of the {model.value} model"
    output.emit(
        training_document(trained.network, trained.history, folder / "network.npz", title=title)
    )


def _say(epoch: Epoch) -> None:
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(clear + epoch.line(), file=sys.stderr, flush=True)
