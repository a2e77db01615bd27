"""What handicap stones and komi are worth to Black, in stones.

An even game at komi 7 is worth nothing to either side: 7 points are the half stone that
moving first is worth, so a stone is 14 points. With h stones and no komi Black is ahead by
h - 1/2, as the first stone is the move that he has anyhow. European usage and the EGF's
ratings count so; `yardstone.winprob.goldis` counts a stone at the komi.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.winprob.grades import MOST_KOMI, MOST_STONES

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["EVEN_KOMI", "POINTS_PER_STONE", "check_conditions", "head_start", "usual_komi"]

#: The komi of an even game that favours nobody.
EVEN_KOMI = 7.0
#: Points of komi that are worth a stone.
POINTS_PER_STONE = 14.0


def usual_komi(handicap: ArrayLike) -> Array:
    """Komi where none is named: 7 in an even game, none with one stone or more."""
    return np.where(np.asarray(handicap, np.float64) == 0.0, EVEN_KOMI, 0.0)


def head_start(handicap: ArrayLike, komi: ArrayLike | None = None) -> Array:
    """Stones by which Black is ahead.

    Parameters
    ----------
    handicap : array_like
        Stones of Black; 0 is an even game, and with 1 Black only moves first.
    komi : array_like, optional
        Points that Black gives; the usual one by default. A reverse komi is negative.

    Examples
    --------
    >>> float(head_start(0)), float(head_start(1)), float(head_start(4)), float(head_start(4, 7))
    (0.0, 0.5, 3.5, 3.0)
    """
    stones = np.asarray(handicap, np.float64)
    given = usual_komi(stones) if komi is None else np.asarray(komi, np.float64)
    return np.asarray(np.maximum(stones, 1.0) - 0.5 - given / POINTS_PER_STONE)


def check_conditions(handicap: Array, komi: Array) -> None:
    """Raise UsageError for stones or komi that nobody gives."""
    if np.any(~((handicap >= 0.0) & (handicap <= MOST_STONES))) or np.any(
        ~(np.abs(komi) <= MOST_KOMI)
    ):
        raise UsageError(
            f"handicaps lie from 0 to {MOST_STONES} stones, komi within {MOST_KOMI:g} points"
        )
