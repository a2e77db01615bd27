"""Glicko-2 as the Online Go Server (OGS) rates with it.

One game at a time, a floor under ratings, and limits for deviation and volatility
(the server's published programs, online-go/goratings). Ranks are logarithmic in the
rating there, so handicap stones multiply Black's rating.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.ratings.glicko2 import POINTS, Glicko2

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.sequential import Games

__all__ = ["OGS"]


@dataclass(frozen=True, kw_only=True)
class OGS(Glicko2):
    """Glicko-2 with the limits of the Online Go Server.

    Parameters
    ----------
    min_rating, max_rating : float
        Floor and ceiling of ratings.
    min_deviation, most_deviation : float
        Limits of deviations, in points.
    min_volatility, max_volatility : float
        Limits of volatilities.
    ranks_per_log : float
        Ranks for a factor of e in the rating: the server's rank is 23.15 ln(r/525).
        A handicap of h stones multiplies Black's rating by exp(h/ranks_per_log), as
        White sees it, and divides White's, as Black sees it; the points of `handicap`
        are not used.

    Notes
    -----
    The other parameters are those of `Glicko2`. The server's own predictions scale
    the difference by Black's deviation alone; here both count.
    """

    min_rating: float = 100.0
    max_rating: float = 6000.0
    min_deviation: float = 30.0
    most_deviation: float = 500.0
    min_volatility: float = 0.01
    max_volatility: float = 0.15
    ranks_per_log: float = 23.15

    scale = "ogs"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isfinite(self.ranks_per_log) and self.ranks_per_log > 0.0):
            raise UsageError(f"ranks_per_log must be positive, not {self.ranks_per_log}")
        lowest, highest = self._limits()[::2], self._limits()[1::2]
        if not (lowest <= highest).all():
            raise UsageError("a lower limit lies above the upper one")

    def _limits(self) -> NDArray[np.float64]:
        return np.array(
            [
                self.min_rating,
                self.max_rating,
                self.min_deviation,
                self.most_deviation,
                self.min_volatility,
                self.max_volatility,
            ]
        )

    def _ratio(self, games: Games) -> NDArray[np.float64]:
        stones = None if self.handicap is None else self.handicap.stones(games.pool)
        if stones is None:
            return np.zeros(0)
        ratio: NDArray[np.float64] = np.exp(games.schedule.take(stones) / self.ranks_per_log)
        return ratio

    def _ahead(self, pool: Pool) -> NDArray[np.float64]:
        """That of the first move alone: handicap multiplies ratings here."""
        return np.full(len(pool), self.first_advantage / POINTS)

    def probability(
        self,
        first_rating: ArrayLike,
        second_rating: ArrayLike,
        first_deviation: ArrayLike = 0.0,
        second_deviation: ArrayLike = 0.0,
        *,
        advantage: ArrayLike | None = None,
        stones: ArrayLike = 0.0,
    ) -> NDArray[np.float64]:
        """Expected score of a player who moves first, given a head start in stones."""
        ratio = np.exp(np.divide(stones, self.ranks_per_log))
        return super().probability(
            np.multiply(first_rating, ratio),
            second_rating,
            first_deviation,
            second_deviation,
            advantage=advantage,
        )
