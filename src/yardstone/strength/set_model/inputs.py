"""What a model of sets sees of each move: a row of numbers a move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.points import BLACK
from yardstone.strength.move_phases import PHASES, phases_of
from yardstone.strength.rank.scalar import MoveFacts
from yardstone.strength.rank.values import SCALARS, TRUNK, move_values, scalars

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence

    Floats = NDArray[np.float32]

__all__ = ["INPUTS", "MoveInputs"]

#: In which phase a move is played, and by whom.
_WHEN = PHASES + 1
_LEAST_DEVIATION = 1e-3


@dataclass(frozen=True, slots=True)
class MoveInputs:
    """A way to see moves.

    Attributes
    ----------
    name : str
    values : callable
        Numbers of the moves of some evidence: [n, m].
    trunks, others : int
        m is so many times the width of the network's trunk, and so many more.
    """

    name: str
    values: Callable[[Evidence], Floats]
    trunks: int
    others: int

    def __call__(self, evidence: Evidence) -> Floats:
        """The row of each move: the numbers, and in which phase and by whom it was played.

        What is not known is not a number.
        """
        phase = np.eye(PHASES, dtype=np.float32)[phases_of(evidence.number)]
        black = (evidence.colour == BLACK).astype(np.float32)[:, None]
        return np.concatenate([self.values(evidence), phase, black], axis=1)

    def channels(self, trunk: int) -> int:
        """Length of a row, for a network whose trunk is so wide."""
        return self.trunks * trunk + self.others + _WHEN

    def trunk(self, channels: int) -> int | None:
        """How wide the trunk is if rows are so long, 0 if none is read; None for no row."""
        rest = channels - self.others - _WHEN
        if not self.trunks:
            return 0 if rest == 0 else None
        trunk, over = divmod(rest, self.trunks)
        return trunk if trunk > 0 and over == 0 else None

    def moments(self, rows: Floats) -> tuple[Floats, Floats]:
        """Mean and deviation of the numbers of some moves; 0 and 1 for the rest of a row.

        In the precision that they are kept in.
        """
        mean = np.zeros(rows.shape[1])
        deviation = np.ones(rows.shape[1])
        known = rows[:, :-_WHEN].astype(np.float64)
        mean[:-_WHEN] = np.nanmean(known, axis=0)
        deviation[:-_WHEN] = np.maximum(np.nanstd(known, axis=0), _LEAST_DEVIATION)
        half, other = (each.astype(np.float16).astype(np.float32) for each in (mean, deviation))
        return half, other


def _scalars(evidence: Evidence) -> Floats:
    return scalars(MoveFacts(evidence))


#: The ways by name (Neubauer 2024, section 4.2): what the network's outputs say, in the
#: numbers that the rank model looks at; and with them the trunk at the moves and about them.
INPUTS: Mapping[str, MoveInputs] = {
    each.name: each
    for each in (
        MoveInputs("basic", _scalars, 0, len(SCALARS)),
        MoveInputs("full", move_values, len(TRUNK), len(SCALARS)),
    )
}
