"""The loop of the rating system of FIBS."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone._kernel import kernel
from yardstone.ratings._logistic import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int32]

__all__ = ["replay"]


@kernel
def replay(
    first: Ints,
    second: Ints,
    score: Floats,
    root: Floats,
    steepness: float,
    unit: float,
    first_factor: float,
    ramp: float,
    start: NDArray[np.int64],
    actions: NDArray[np.int64],
    rating: Floats,
    experience: Floats,
    expected: Floats,
    found: Floats,
) -> None:
    """Predict and learn, batch after batch, each from the ratings at its start.

    `root` is the root of each match's length, `steepness` the log odds of a point at
    length 1. `found` gets both ratings: shape (games, 2).
    """
    single = len(start) == 0
    batches = len(first) if single else len(start) - 1
    by_turns = len(actions) == 0
    change = np.zeros((1 if single else len(first), 2))
    for step in range(2 * batches):
        action = step if by_turns else actions[step]
        batch = action >> 1
        low, high = (batch, batch + 1) if single else (start[batch], start[batch + 1])
        for g in range(low, high):
            i, j = first[g], second[g]
            slot = 0 if single else g
            length = root[g] * root[g]
            if action & 1 == 1:
                rating[i] += change[slot, 0]
                rating[j] += change[slot, 1]
                experience[i] += length
                experience[j] += length
                continue
            chance = logistic((rating[i] - rating[j]) * root[g] * steepness)
            expected[g] = chance
            found[g, 0], found[g, 1] = rating[i], rating[j]
            moved = unit * root[g] * (score[g] - chance)
            change[slot, 0] = moved * max(1.0, first_factor - (experience[i] + length) / ramp)
            change[slot, 1] = -moved * max(1.0, first_factor - (experience[j] + length) / ramp)
