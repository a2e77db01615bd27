"""The data of an experiment that was run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone.arrays import map_array
from yardstone.errors import InputError
from yardstone.evaluation.sets import Sets
from yardstone.lab.neubauer.dataset import MoveSets
from yardstone.lab.neubauer.experiment.collection import load_pool
from yardstone.lab.neubauer.experiment.questions import RecentMoves, ask_questions
from yardstone.lab.neubauer.experiment.sets import load_labels
from yardstone.ratings.glicko2 import Glicko2

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.lab.neubauer.experiment.configuration import Experiment
    from yardstone.pool import Pool
    from yardstone.ratings.replay import Replay

    Array = NDArray[np.float64]

__all__ = ["ExperimentData", "glicko_of", "read_experiment_data"]


@dataclass(frozen=True, eq=False)
class ExperimentData:
    """The pool of an experiment and the recent moves of its training games.

    Attributes
    ----------
    pool : Pool
    replay : Replay
        Under the experiment's Glicko-2.
    labels : float64 [2 * g]
        Of both sides of the g training games.
    head : MoveSets
        Head features of their recent moves.
    """

    pool: Pool
    replay: Replay
    labels: Array
    head: MoveSets


def glicko_of(experiment: Experiment) -> Glicko2:
    """The experiment's Glicko-2."""
    ratings = experiment.ratings
    return Glicko2(
        tau=ratings.tau,
        initial_deviation=ratings.deviation,
        initial_volatility=ratings.volatility,
    )


def read_experiment_data(experiment: Experiment) -> ExperimentData:
    """Read what an experiment's stages have left.

    Raises
    ------
    InputError
        It was not run, or not far enough.
    """
    folder = experiment.folder
    for stage in ("winners", "sets", "labels", "moves"):
        if not (folder / stage).is_dir():
            raise InputError(
                f"the stage {stage!r} of this experiment was not run",
                file=str(folder),
                mend="run it with `yardstone strength run`",
            )
    pool = load_pool(folder / "winners" / "pool.npz")
    sets = Sets(_marks(folder / "sets" / "mark.npy", len(pool)))
    labels = load_labels(folder / "labels" / "labels.npz")
    questions = ask_questions(sets, experiment.table.hidden)
    here = np.flatnonzero(questions.of("T"))
    game = questions.game[here]
    head = RecentMoves.open(folder / "moves").sets(("head",)).select(here)
    values = np.column_stack([labels.first[game], labels.second[game]]).ravel()
    return ExperimentData(pool, glicko_of(experiment).replay(pool), values, head)


def _marks(path: Path, games: int) -> NDArray[np.str_]:
    marks = map_array(path)
    if marks.shape != (games,):
        raise InputError("is not of this experiment's pool", file=str(path))
    return marks
