"""The stochastic model: whoever loses fewer points by the end has won.

Neubauer 2024, section 4.3. The points that a player's move loses are taken to be
normal with a mean and a variance of the player's own; after C moves each, the side
that has lost fewer points in all is ahead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.go.features import HEAD, POINTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone_lab.neubauer.dataset import MoveSets

    Array = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["POINTS", "Stochastic", "points_lost"]


#: The column of the head features with the points lost.
_COLUMN = HEAD.index("point_loss")
#: Predictions are kept so far from 0 and 1, which they would reach by rounding alone.
_EDGE = 1e-12
#: The thesis' arbitrary small value, against a division by 0.
_LEAST = 1e-9


def points_lost(head: NDArray[Any]) -> Array:
    """Points that moves lost, from their head features [n, 6]."""
    return np.asarray(head[:, _COLUMN], np.float64) * POINTS


@dataclass(frozen=True, slots=True)
class Stochastic:
    """The model with its constants.

    Attributes
    ----------
    moves : float
        C: moves of a player after which points are compared; half the mean length of
        the training games (127 in the thesis).
    mean, variance : float
        Of the points lost by a move over all training moves: what is put in the place
        of a player's own where there are too few moves to tell.

    Notes
    -----
    Equation 4.3 wants two moves of each side. A side with one move has its own mean
    and the variance of all players; a side without a move has their mean as well. So
    two sides without a move come out at 0.5.
    """

    moves: float
    mean: float
    variance: float

    def __post_init__(self) -> None:
        """Refuse constants that make no sense."""
        if not (self.moves > 0.0 and self.variance >= 0.0 and np.isfinite(self.mean)):
            raise UsageError(
                f"{self.moves} moves that lose {self.mean} points with a variance of "
                f"{self.variance} are not a model"
            )

    @classmethod
    def fit(cls, head: MoveSets, pool: Pool, games: Mask) -> Stochastic:
        """The constants of some training games.

        Parameters
        ----------
        head : MoveSets
            Head features of the recent moves of the training games.
        pool : Pool
            With the column ``moves``.
        games : bool array
            The training games.
        """
        if head.width != len(HEAD):
            raise InputError(f"moves with {head.width} features are no head features")
        if not len(head.rows) or not games.any():
            raise InputError("there are no moves of training games to learn from")
        lost = points_lost(head.features[head.rows])
        length = float(np.mean(pool.columns["moves"][games]))
        return cls(0.5 * length, float(lost.mean()), float(lost.var()))

    def expected(self, head: MoveSets, window: int | None = None) -> Array:
        """Expected score of Black in each game (eq. 4.3), from the last `window` moves.

        It is never quite 0 or 1, which only rounding would make it.
        """
        mean, variance = self._sides(head, window)
        difference = self.moves * (mean[:, 1] - mean[:, 0])
        spread = np.sqrt(self.moves * variance.sum(axis=1) + _LEAST)
        from scipy.special import ndtr

        return np.clip(np.asarray(ndtr(difference / spread), np.float64), _EDGE, 1.0 - _EDGE)

    def _sides(self, head: MoveSets, window: int | None) -> tuple[Array, Array]:
        """Mean and variance of the points lost by both sides: [games, 2] each."""
        if head.width != len(HEAD):
            raise InputError(f"moves with {head.width} features are no head features")
        lost = points_lost(head.features[head.rows])
        stop = head.starts[1:]
        start = head.starts[:-1]
        if window is not None:
            start = np.maximum(start, stop - window)
        number = stop - start
        # Centred, so that sums of squares do not cancel.
        centred = lost - self.mean
        sums = np.concatenate([[0.0], np.cumsum(centred)])
        squares = np.concatenate([[0.0], np.cumsum(centred**2)])
        total = sums[stop] - sums[start]
        mean = total / np.maximum(number, 1)
        spread = np.maximum(squares[stop] - squares[start] - mean * total, 0.0)
        own = spread / np.maximum(number - 1, 1)
        variance = np.where(number > 1, own, self.variance)
        return (mean + self.mean).reshape(-1, 2), variance.reshape(-1, 2)
