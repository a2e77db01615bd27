"""Laws of winning that federations and authors have published, as `WinningModel` needs them.

Each has ``probability(first, second, *, handicap, komi)``: the chance of Black, who moves
first. Kaniuk's is a `yardstone.winprob.grade_model.GradeModel`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.scales import egf_of_grade
from yardstone.winprob.goldis import KOMI, MARGIN_DEVIATION, expected_margin
from yardstone.winprob.head_start import check_conditions, head_start, usual_komi
from yardstone.winprob.logistic import logistic, win_probability

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["EgfLaw", "GoldisLaw", "PointsLaw"]

#: Where the EGF's expected score has its pole, and where it stops being used.
_EGF_POLE, _EGF_CEILING = 3300.0, 3290.0


class EgfLaw:
    """The expected score of the European Go Federation's ratings since 2021, on grades.

    1 dan is 2100 and a grade 100 points; a stone of Black's head start is a grade.
    """

    def probability(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        handicap: ArrayLike = 0.0,
        komi: ArrayLike | None = None,
    ) -> Array:
        """Probability that Black, the first, wins; as `WinningModel.probability`."""
        h, c = _conditions(handicap, komi)
        one, two = (
            _EGF_POLE - np.minimum(egf_of_grade(grade), _EGF_CEILING)
            for grade in (np.add(first, head_start(h, c)), second)
        )
        return logistic(7.0 * np.log(two / one))


class GoldisLaw:
    """Goldis' SKT-LR: the expected margin by the ratio of strengths, with a normal scatter.

    A grade is 100 points, a stone and the fair komi are 8 points each. The scatter of 20 points
    is not his but that of `yardstone.ratings.sktlr`.
    """

    def probability(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        handicap: ArrayLike = 0.0,
        komi: ArrayLike | None = None,
    ) -> Array:
        """Probability that Black, the first, wins; komi is 8 in an even game by default."""
        from scipy.special import ndtr

        h, c = _conditions(handicap, komi)
        if komi is None:
            c = np.where(h == 0.0, KOMI, 0.0)
        given = c - KOMI * (np.maximum(h, 1.0) - 1.0)
        difference = 100.0 * np.subtract(first, second)
        return np.asarray(ndtr(expected_margin(difference, given_komi=given) / MARGIN_DEVIATION))


class PointsLaw:
    """The logistic law on rating points of Elo's scale; there are no stones and no komi."""

    def probability(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        handicap: ArrayLike = 0.0,
        komi: ArrayLike | None = None,
    ) -> Array:
        """Probability that the first wins a game that is not drawn.

        Raises
        ------
        UsageError
            There are handicap stones.
        """
        if np.any(np.asarray(handicap) != 0.0):
            raise UsageError("elo: points have no handicap stones; kaniuk and others have")
        return win_probability(np.subtract(first, second))


def _conditions(handicap: ArrayLike, komi: ArrayLike | None) -> tuple[Array, Array]:
    h = np.asarray(handicap, np.float64)
    c = usual_komi(h) if komi is None else np.asarray(komi, np.float64)
    h, c = np.broadcast_arrays(h, c)
    check_conditions(h, c)
    return h, c
