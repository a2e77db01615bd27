"""What a rating system promises: joint ones fit, sequential ones replay.

Both answer `expected_score`. That is all that the evaluation, the commands and the
rating list ask of a system; `Sequential` and `Remembering` are bases that give most of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.result import Ratings

__all__ = ["JointSystem", "Predicts", "Replay", "SequentialSystem"]


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


class Predicts(Protocol):
    """A system that predicts a game of two players from their ratings."""

    def expected_score(
        self, ratings: Any, first: str, second: str, *, advantage: float | None = None
    ) -> float:
        """Expected score of `first`, moving first, against `second`.

        `ratings` are those that the system made. `advantage` are rating points for moving
        first and for handicap, instead of the system's own. Raises InputError for an
        unknown name.
        """


class JointSystem(Predicts, Protocol):
    """A system that rates all games at once; a frozen dataclass of its parameters."""

    def fit(self, pool: Pool) -> Ratings:
        """Rate the players of a pool."""


class SequentialSystem(Predicts, Protocol):
    """A system that rates games as they come; a frozen dataclass of its parameters."""

    def replay(self, pool: Pool) -> Replay:
        """Predict each game, then learn from it, in order of time."""
