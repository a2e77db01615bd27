"""`Scorer`: what makes scores of a player's moves, and one by the points that moves lose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from yardstone.arrays import Floats
    from yardstone.strength.evidence import Evidence


class Scorer(Protocol):
    """Makes k scores of moves.

    Attributes:
        kind: What it is, in model files: ``rank``, ``set`` or ``stochastic``.
    """

    kind: ClassVar[str]

    @property
    def width(self) -> int:
        """Number of scores, k."""

    @property
    def channels(self) -> int:
        """Width of the trunk that it reads; 0 if it reads none."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Its weights by name."""

    def move_shares(self, evidence: Evidence) -> Floats:
        """What each move has of the scores of its whole game: [n, k]; a game's add up."""


#: Points beyond which a loss counts as that many.
_MOST = 10.0
_MOMENTS = 2


def loss_moments(evidence: Evidence) -> Floats:
    """The points that each move lost, and their square: [n, 2]."""
    lost = np.clip(np.nan_to_num(evidence.points_lost.astype(np.float64)), -_MOST, _MOST)
    return np.column_stack([lost, lost**2])


@dataclass(frozen=True, slots=True, eq=False)
class LossScorer(Scorer):
    """Directions of the two moments."""

    kind: ClassVar[str] = "stochastic"

    directions: Floats  #: [2, k]

    @property
    def width(self) -> int:
        """Number of scores of a move."""
        return int(self.directions.shape[1])

    @property
    def channels(self) -> int:
        """0: it reads no trunk."""
        return 0

    def arrays(self) -> dict[str, Floats]:
        """The weights by name."""
        return {"directions": self.directions}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> LossScorer:
        """The scorer with these weights.

        Raises `ValueError` if their shape is wrong.
        """
        directions = np.asarray(arrays["directions"], np.float64)
        if directions.ndim != 2 or len(directions) != _MOMENTS or not directions.shape[1]:
            raise ValueError(f"directions is of shape {directions.shape}")
        return cls(directions)

    def move_shares(self, evidence: Evidence) -> Floats:
        """Scores of each move: [n, k]."""
        return np.asarray(loss_moments(evidence) @ self.directions)
