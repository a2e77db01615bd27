"""What a model of sets sees of each move: a row of numbers a move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.features import HEAD
from yardstone.go.points import BLACK
from yardstone.strength.rank.scorer import PHASES
from yardstone.strength.rank.values import move_values, phases_of, values_wide

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence

    Floats = NDArray[np.float32]

__all__ = ["INPUTS", "MoveInputs"]


@dataclass(frozen=True, slots=True)
class MoveInputs:
    """A way to see moves.

    Attributes
    ----------
    name : str
    values : callable
        Numbers of the moves of some evidence: [n, m].
    width : callable
        How many numbers those are, from the width of the network's trunk.
    """

    name: str
    values: Callable[[Evidence], Floats]
    width: Callable[[int], int]

    def __call__(self, evidence: Evidence) -> Floats:
        """The row of each move: the numbers, and in which phase and by whom it was played.

        What is not known is not a number.
        """
        phase = np.eye(PHASES, dtype=np.float32)[phases_of(evidence.number)]
        black = (evidence.colour == BLACK).astype(np.float32)[:, None]
        return np.concatenate([self.values(evidence), phase, black], axis=1)

    def channels(self, trunk: int) -> int:
        """Length of a row, for a network whose trunk is so wide."""
        return self.width(trunk) + PHASES + 1

    def moments(self, rows: Floats) -> tuple[Floats, Floats]:
        """Mean and deviation of the numbers of some moves; 0 and 1 for the rest of a row."""
        numbers = rows.shape[1] - PHASES - 1
        mean = np.zeros(rows.shape[1], np.float32)
        deviation = np.ones(rows.shape[1], np.float32)
        known = rows[:, :numbers].astype(np.float64)
        mean[:numbers] = np.nanmean(known, axis=0)
        deviation[:numbers] = np.maximum(np.nanstd(known, axis=0), _LEAST_DEVIATION)
        return mean, deviation


_LEAST_DEVIATION = 1e-3

#: The ways by name: the six outputs of the network (Neubauer 2024, section 4.2), and the
#: trunk at the moves and about them with what the rank model looks at.
INPUTS: Mapping[str, MoveInputs] = {
    each.name: each
    for each in (
        MoveInputs("basic", lambda evidence: evidence.head, lambda _: len(HEAD)),
        MoveInputs("full", move_values, values_wide),
    )
}
