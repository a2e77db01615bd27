"""What each system expects of each question of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError
from yardstone.evaluation.splits import expected_from_ratings
from yardstone_lab.neubauer.experiment.newcomers import hidden_games, predict_hidden
from yardstone_lab.neubauer.experiment.questions import EVERYTHING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.evaluation.splits import Labels
    from yardstone.pool import Pool
    from yardstone.ratings.result import Replay
    from yardstone.ratings.sequential import Sequential
    from yardstone_lab.neubauer.experiment.questions import Questions

    Array = NDArray[np.float64]

__all__ = [
    "EVEN",
    "FUTURE",
    "GLICKO",
    "TUNED",
    "ExperimentPredictions",
    "result_predictions",
    "system_predictions",
]

EVEN, GLICKO, FUTURE = "50:50", "Glicko-2", "Future Glicko-2"
TUNED = "Glicko-2 tuned"


@dataclass(frozen=True, eq=False)
class ExperimentPredictions:
    """Expected scores of Black, by system; frozen.

    Attributes
    ----------
    questions : Questions
    score : float64 [q]
        Black's points.
    labels : float64 [q, 2]
        Rating labels of Black and White.
    players : int32 [q, 2]
        Their numbers in the pool.
    expected : mapping of str to float64 [q]
        By the name of the system.
    ratings : mapping of str to float64 [q, 2]
        Ratings of Black and White, of the systems that have some.
    about : mapping of str to str
        What each system is, in words.
    """

    questions: Questions
    score: Array
    labels: Array
    players: NDArray[np.int32]
    expected: Mapping[str, Array] = field(default_factory=dict)
    ratings: Mapping[str, Array] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)

    def with_system(
        self, name: str, expected: Array, ratings: Array | None = None, about: str = ""
    ) -> ExperimentPredictions:
        """The same with a further system.

        Parameters
        ----------
        name : str
        expected : float64 [q]
        ratings : float64 [2 * q] or [q, 2], optional
        about : str
        """
        if expected.shape != (len(self.questions),):
            raise InputError(
                f"{name} has predictions {expected.shape} of {len(self.questions)} games"
            )
        if not ((expected >= 0.0) & (expected <= 1.0)).all():
            raise InputError(f"{name} has a prediction that is not between 0 and 1")
        rated = dict(self.ratings)
        if ratings is not None:
            rated[name] = np.asarray(ratings, np.float64).reshape(len(self.questions), 2)
        return replace(
            self,
            expected={**self.expected, name: np.asarray(expected, np.float64)},
            ratings=rated,
            about={**self.about, name: about},
        )


def result_predictions(
    pool: Pool, replay: Replay, labels: Labels, system: Sequential, questions: Questions
) -> ExperimentPredictions:
    """The systems that see results only: 50:50, Glicko-2, and Glicko-2 from the future.

    Parameters
    ----------
    pool : Pool
        In order of time.
    replay : Replay
        Of that pool under `system`.
    labels : Labels
        Of that replay.
    system : Sequential
    questions : Questions

    Returns
    -------
    ExperimentPredictions
        Where games are hidden, Glicko-2 sees what may be seen; the labels stay.
    """
    game = questions.game
    future = np.column_stack([labels.first[game], labels.second[game]])
    expected, rated = system_predictions(pool, replay, system, questions)
    predictions = ExperimentPredictions(
        questions,
        np.asarray(pool.score[game], np.float64),
        future,
        np.column_stack([pool.first[game], pool.second[game]]),
    )
    predictions = predictions.with_system(
        EVEN, np.full(len(game), 0.5), about="an even chance for both"
    )
    predictions = predictions.with_system(
        GLICKO, expected, rated, about="from the results of earlier games"
    )
    return predictions.with_system(
        FUTURE,
        expected_from_ratings(future[:, 0], future[:, 1]),
        future,
        about="from the rating labels, which know the result: a bound",
    )


def system_predictions(
    pool: Pool, replay: Replay, system: Sequential, questions: Questions
) -> tuple[Array, Array]:
    """What a system of results expects of each question, and its ratings.

    Returns
    -------
    expected : float64 [q]
    ratings : float64 [q, 2]
        Of Black and White; NaN where games are hidden.
    """
    game = questions.game
    expected = replay.expected[game].copy()
    rated = np.column_stack([replay.first_rating[game], replay.second_rating[game]])
    for last in dict.fromkeys(questions.last.tolist()):
        if last == EVERYTHING:
            continue
        here = np.flatnonzero(questions.last == last)
        hidden = hidden_games(pool, game[here], last)
        expected[here] = predict_hidden(pool, replay, system, hidden)
        rated[here] = np.nan
    return expected, rated
