"""The data of an experiment that was run, for models and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.arrays import map_array
from yardstone.errors import InputError
from yardstone.ratings.glicko import Glicko2
from yardstone_lab.neubauer.dataset import Labelled
from yardstone_lab.neubauer.experiment.collection import load_pool
from yardstone_lab.neubauer.experiment.questions import RecentMoves, ask_questions
from yardstone_lab.neubauer.experiment.sets import Sets, load_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yardstone.evaluation.splits import Labels
    from yardstone.pool import Pool
    from yardstone_lab.neubauer.experiment.configuration import Experiment
    from yardstone_lab.neubauer.experiment.questions import Questions

__all__ = ["ExperimentData", "glicko_of", "read_experiment_data"]


@dataclass(frozen=True, eq=False)
class ExperimentData:
    """The games of an experiment, with what training may know of them.

    Attributes
    ----------
    pool : Pool
    questions : Questions
    labels : Labels
        That training may see.
    moves : RecentMoves
        Of both players of each question.
    """

    pool: Pool
    questions: Questions
    labels: Labels
    moves: RecentMoves

    def labelled(self, kinds: Sequence[str], letter: str) -> Labelled:
        """The games of a set with some kinds of features."""
        here = np.flatnonzero(self.questions.of(letter))
        game = self.questions.game[here]
        return Labelled(
            self.moves.sets(kinds).select(here),
            self.pool.score[game].astype(np.float32),
            np.column_stack([self.labels.first[game], self.labels.second[game]]),
        )


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
    pool, mark, labels, moves = (
        folder / name
        for name in ("winners/pool.npz", "sets/mark.npy", "labels/labels.npz", "moves/recent.npz")
    )
    for file in (pool, mark, labels, moves):
        if not file.is_file():
            raise InputError(
                f"the experiment has not been run so far: there is no stage {file.parent.name!r}",
                file=str(file),
                hint="run it with `yardstone strength run` first",
            )
    games = load_pool(pool)
    marks = map_array(mark)
    if marks.shape != (len(games),):
        raise InputError("is not of this experiment's pool", file=str(mark))
    questions = ask_questions(Sets(marks), experiment.table.hidden)
    return ExperimentData(games, questions, load_labels(labels), RecentMoves.open(moves.parent))
