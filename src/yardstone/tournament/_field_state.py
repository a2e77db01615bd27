"""What the pairing of later rounds must know of a round, kept by a compiled loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.kernels import kernel
from yardstone.tournament.entry_columns import Entry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

__all__ = ["record_games"]


@kernel
def record_games(
    entries: Whole,
    met: NDArray[np.int8],
    first: Whole,
    second: Whole,
    stones: Whole,
    step: int,
) -> None:
    """Floats, colours and who has met whom, after the games of a round.

    `entries` are those with which the round was paired; `step` is the number of half
    points between score groups.
    """
    for board in range(len(first)):
        i, j = first[board], second[board]
        one, two = entries[i, Entry.SCORE] // step, entries[j, Entry.SCORE] // step
        if one != two:
            lower, upper = (i, j) if one < two else (j, i)
            entries[lower, Entry.UP] += 1
            entries[upper, Entry.DOWN] += 1
        if met[i, j] < 127:
            met[i, j] += 1
            met[j, i] += 1
        if stones[board] > 0:
            continue
        for turn in (-1, 1):
            p = i if turn < 0 else j
            entries[p, Entry.BALANCE] += turn
            streak = entries[p, Entry.STREAK]
            entries[p, Entry.STREAK] = streak + turn if streak * turn > 0 else turn
