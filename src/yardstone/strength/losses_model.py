"""`LossScorer`: the stochastic model's view of a player, the points that the moves lose.

Neubauer 2024, section 4.3, takes the points that a player's move loses for normal with a mean
and a variance of the player's own. So the scores of a move are directions of the points that it
lost, and of their square; a loss counts up to a limit, for a single blunder would be the whole
of a game's variance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from yardstone.strength.scorer import summed_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence

    Array = NDArray[np.float64]

__all__ = ["LossScorer", "loss_moments"]

#: Points beyond which a loss counts as that many.
_MOST = 10.0
_MOMENTS = 2


def loss_moments(evidence: Evidence) -> Array:
    """The points that each move lost, and their square: [n, 2]."""
    lost = np.clip(np.nan_to_num(evidence.points_lost.astype(np.float64)), -_MOST, _MOST)
    return np.column_stack([lost, lost**2])


@dataclass(frozen=True, slots=True, eq=False)
class LossScorer:
    """Directions of the two moments.

    Attributes
    ----------
    directions : float64 [2, k]
    """

    kind: ClassVar[str] = "stochastic"

    directions: Array

    @property
    def width(self) -> int:
        """Number of scores of a move."""
        return int(self.directions.shape[1])

    @property
    def channels(self) -> int:
        """0: it reads no trunk."""
        return 0

    def arrays(self) -> dict[str, Array]:
        """The weights by name."""
        return {"directions": self.directions}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> LossScorer:
        """The scorer with these weights.

        Raises
        ------
        ValueError
            Their shape is wrong.
        """
        directions = np.asarray(arrays["directions"], np.float64)
        if directions.ndim != 2 or len(directions) != _MOMENTS or not directions.shape[1]:
            raise ValueError(f"directions is of shape {directions.shape}")
        return cls(directions)

    def part_scores(self, evidence: Evidence, part: NDArray[np.integer[Any]], parts: int) -> Array:
        """Summed scores of some parts of each game: [parts, games, k]; see `Scorer`."""
        return summed_parts(self.move_shares(evidence), evidence, part, parts)

    def move_shares(self, evidence: Evidence) -> Array:
        """Scores of each move: [n, k]."""
        return np.asarray(loss_moments(evidence) @ self.directions)
