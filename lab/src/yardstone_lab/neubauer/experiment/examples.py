"""What the networks of an experiment are trained on, and with which settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from yardstone.errors import UsageError
from yardstone.strength.set_transformer import PRESETS
from yardstone_lab.neubauer.experiment.configuration import read_experiment
from yardstone_lab.neubauer.experiment.description import read_experiment_data

if TYPE_CHECKING:
    from collections.abc import Mapping

    from yardstone.strength.set_transformer import Hyperparameters
    from yardstone_lab.neubauer.dataset import Labelled
    from yardstone_lab.neubauer.experiment.configuration import Experiment

__all__ = ["MODELS", "experiment_examples", "experiment_settings"]

#: The features of moves that each model takes.
MODELS = {"basic": ("head",), "full": ("pick",)}


def experiment_settings(
    experiment: Experiment,
    model: str,
    preset: str | None = None,
    changes: Mapping[str, str] | None = None,
) -> Hyperparameters:
    """The settings of a model.

    Parameters
    ----------
    experiment : Experiment
    model : str
        ``basic`` or ``full``.
    preset : str, optional
        Of `PRESETS`, in place of the experiment's settings; ``published`` where the
        experiment has no such model.
    changes : mapping of str to str, optional
        Settings by name that are other than those.
    """
    settings = experiment.models.basic if model == "basic" else experiment.models.full
    if preset is not None or settings is None:
        settings = PRESETS[preset or "published"]
    return settings.changed({"window": experiment.models.window}).changed(changes or {})


def experiment_examples(file: str, model: str) -> tuple[Labelled, Labelled]:
    """The training and the validation games of an experiment.

    Parameters
    ----------
    file : str
        The description of an experiment that has been run as far as its recent moves.
    model : str
        ``basic`` or ``full``: the features of moves that are taken.

    Raises
    ------
    InputError
        The description cannot be read, or the experiment has not been run.
    """
    if model not in MODELS:
        raise UsageError(f"there is no model {model!r}: there are {', '.join(MODELS)}")
    data = read_experiment_data(read_experiment(Path(file)))
    return data.labelled(MODELS[model], "T"), data.labelled(MODELS[model], "V")
