"""What systems are held against, and draws for systems that predict none.

Columns of games on disk are worked on by pieces.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.disk import computed, pieces, taken
from yardstone.evaluation.draws import draw_rate_of, outcome_table
from yardstone.evaluation.result import Prediction
from yardstone.evaluation.tuning import LEARNING_SHARE
from yardstone.winprob.davidson import draw_probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

__all__ = ["baselines", "completed", "constant_predictions", "later_part"]


def completed(prediction: Prediction, score: NDArray[np.float64], earlier: Mask) -> Prediction:
    """A prediction with probabilities of draws where there are draws, without elsewhere.

    For a system that predicts none, the rate is fitted on the later half of the
    earlier games, which the system had some games to learn before.
    """
    rows = np.flatnonzero(earlier)
    rows = rows[round(LEARNING_SHARE * len(rows)) :]
    return _with_draws(prediction, outcome_table(score[rows], prediction.expected[rows]))


def _with_draws(prediction: Prediction, outcomes: NDArray[np.float64]) -> Prediction:
    """A prediction with draws as they came in earlier games, counted by `outcome_table`."""
    if not outcomes[:, 2].any():
        return replace(prediction, draw=None, own_draws=False)
    if prediction.draw is not None:
        return prediction
    rate, expected = draw_rate_of(outcomes), prediction.expected

    def draw(at: slice) -> NDArray[np.float64]:
        p = taken(expected, at)
        return np.asarray(np.minimum(draw_probability(p, rate), 2.0 * np.minimum(p, 1.0 - p)))

    return replace(prediction, draw=computed(draw, expected, np.float64))


def later_part(prediction: Prediction, score: NDArray[np.float64], cut: int) -> Prediction:
    """A prediction of the later games; what `completed` adds comes from the `cut` first ones."""
    known = slice(round(LEARNING_SHARE * cut), cut)
    outcomes = outcome_table(score[known], prediction.expected[known])
    draw = None if prediction.draw is None else prediction.draw[cut:]
    return _with_draws(replace(prediction, expected=prediction.expected[cut:], draw=draw), outcomes)


def baselines(
    score: NDArray[np.float64], earlier: Mask, *, ordered: bool = True
) -> list[Prediction]:
    """What every system must beat: an even chance, and the earlier games' mean score.

    The second needs games that are `ordered`: where it is known who moved first.
    """
    mean = float(score[earlier].mean()) if ordered else None
    return [completed(each, score, earlier) for each in _constants(score, mean)]


def constant_predictions(
    score: NDArray[np.float64], cut: int, *, ordered: bool
) -> list[Prediction]:
    """The `baselines` of all games, without draws; the `cut` first games are the earlier ones."""
    points = sum(float(taken(score[:cut], at).sum(dtype=np.float64)) for at in pieces(cut))
    return _constants(score, points / cut if ordered else None)


def _constants(score: NDArray[np.float64], mean: float | None) -> list[Prediction]:
    def always(value: float) -> NDArray[np.float64]:
        return computed(lambda at: np.full(at.stop - at.start, value), score, np.float64)

    predictions = [Prediction("50:50", always(0.5), baseline=True)]
    if mean is not None:
        parameters = {"expected": mean}
        predictions.append(
            Prediction("first move only", always(mean), baseline=True, parameters=parameters)
        )
    return predictions
