"""The rating system of the European Go Federation (EGF) before 2021.

As the European Go Database described it (A. Cieply 1998): con and a by tables, and
half of epsilon for each player in each game, against deflation.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.ratings.egf import EGF
from yardstone.winprob.logistic import logistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["EGFOld"]


@dataclass(frozen=True, kw_only=True)
class EGFOld(EGF):
    """The EGF's system of 1998 to 2020.

    r' = r + con (Sa - Se) with Se = 1/(1 + exp(D/a)) - epsilon/2, where D is the
    opponent's rating less the player's, handicap counted, and a that of the weaker
    player's rating: 200 at 20 kyu, 70 at 7 dan.

    Parameters
    ----------
    epsilon : float
        What the expected scores of both players together lack to 1 (0.016; 0.014 at
        first). Predictions leave it out, so that they sum to 1.
    floor : float
        No rating falls below this (20 kyu in that system).

    Notes
    -----
    The other parameters are those of `EGF`.
    """

    epsilon: float = 0.016
    floor: float = 100.0

    scale = "egf before 2021"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isfinite(self.epsilon) and self.epsilon >= 0.0):
            raise UsageError(f"epsilon must not be negative: {self.epsilon}")

    def _rules(self) -> tuple[bool, float]:
        return True, self.epsilon

    def probability(
        self,
        first_rating: ArrayLike,
        second_rating: ArrayLike,
        first_deviation: ArrayLike = 0.0,
        second_deviation: ArrayLike = 0.0,
        *,
        advantage: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """Expected score of a player who moves first; deviations do not matter here."""
        ahead = self.first_advantage if advantage is None else advantage
        difference = np.subtract(np.add(first_rating, ahead), second_rating)
        slope = np.clip(205.0 - np.minimum(first_rating, second_rating) / 20.0, 70.0, 200.0)
        return logistic(difference / slope)
