"""The games to train on and to validate with, from the folder of an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone.arrays import map_array
from yardstone.errors import InputError, UsageError
from yardstone.evaluation.sets import Sets
from yardstone.lab.neubauer.dataset import Labelled
from yardstone.lab.neubauer.experiment.collection import load_pool
from yardstone.lab.neubauer.experiment.configuration import read_experiment
from yardstone.lab.neubauer.experiment.questions import RecentMoves, ask_questions
from yardstone.lab.neubauer.experiment.sets import load_labels

if TYPE_CHECKING:
    from yardstone.lab.neubauer.experiment.configuration import Experiment
    from yardstone.lab.neubauer.network.hyperparameters import Hyperparameters

__all__ = ["MODELS", "experiment_examples", "experiment_settings"]

#: The features of moves that each model takes.
MODELS = {"basic": ("head",), "full": ("pick",)}


def experiment_settings(experiment: Experiment, model: str) -> Hyperparameters | None:
    """The settings that an experiment names for a model; None if it has no such model."""
    found = experiment.models.basic if model == "basic" else experiment.models.full
    return None if found is None else found.changed({"window": experiment.models.window})


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
    experiment = read_experiment(Path(file))
    home = experiment.folder
    needed = ("winners/pool.npz", "sets/mark.npy", "labels/labels.npz", "moves/recent.npz")
    for name in needed:
        if not (home / name).is_file():
            raise InputError(
                "the experiment has not been run so far",
                file=str(home / name),
                mend=f"run `yardstone strength run {file}` first",
            )
    kinds = MODELS[model]
    pool = load_pool(home / "winners/pool.npz")
    marks = Sets(map_array(home / "sets/mark.npy"))
    labels = load_labels(home / "labels/labels.npz")
    questions = ask_questions(marks, experiment.table.hidden)
    moves = RecentMoves.open(home / "moves").sets(kinds)
    found = []
    for letter in "TV":
        here = np.flatnonzero(questions.of(letter))
        game = questions.game[here]
        given = np.column_stack([labels.first[game], labels.second[game]])
        found.append(Labelled(moves.select(here), pool.score[game].astype(np.float32), given))
    return found[0], found[1]
