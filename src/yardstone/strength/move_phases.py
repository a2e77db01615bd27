"""Phases of a game of Go by the number of the move, as models of strength tell them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PHASES", "PHASE_ENDS", "phases_of"]

#: Last move of each phase; the phase after the last of these has no end.
PHASE_ENDS = (20, 50, 90, 140)
#: How many phases there are.
PHASES = len(PHASE_ENDS) + 1


def phases_of(number: NDArray[np.int16]) -> NDArray[np.int64]:
    """Phase of each move by its number in the game, from 0 to ``PHASES - 1``."""
    return np.searchsorted(PHASE_ENDS, number, side="left").astype(np.int64)
