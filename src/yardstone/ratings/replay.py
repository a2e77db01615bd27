"""What a sequential system returns: every prediction made before its game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.result import Ratings

__all__ = ["Replay", "SequentialSystem"]


@dataclass(frozen=True, eq=False)
class Replay:
    """One pass over a pool in order of time; frozen.

    Attributes
    ----------
    expected : float64 array, one entry a game of the pool
        Expected score of `first`, before the game was known.
    first_rating, second_rating : float64 arrays
        Ratings of both players before the game.
    first_deviation, second_deviation : float64 arrays or None
        Their deviations, where the system has them.
    draw : float64 array or None
        Probability of a draw, where the system predicts one.
    ratings : Ratings
        After the last game.
    """

    expected: NDArray[np.float64]
    first_rating: NDArray[np.float64]
    second_rating: NDArray[np.float64]
    ratings: Ratings
    first_deviation: NDArray[np.float64] | None = None
    second_deviation: NDArray[np.float64] | None = None
    draw: NDArray[np.float64] | None = None


class SequentialSystem(Protocol):
    """A system that rates games as they come; a frozen dataclass of its parameters."""

    def replay(self, pool: Pool) -> Replay:
        """Predict each game, then learn from it, in order of time."""
