"""What results say of players, what moves say, and both together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from yardstone.errors import UsageError
from yardstone.strength.fusion.system import Fusion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from yardstone.evaluation.rated_games import RatedGames
    from yardstone.ratings.sequential import State

    Array = NDArray[np.float64]

__all__ = ["RatingSources", "rating_sources"]


@dataclass(frozen=True, slots=True, eq=False)
class RatingSources:
    """Where the present ratings of n players come from; frozen.

    Attributes
    ----------
    results, results_deviation : float64 [n]
        By results alone, from a newcomer's rating on. They were learned where both together
        had put the players.
    moves, moves_deviation : float64 [n]
        By moves alone: a newcomer's where there are none.
    number : int64 [n]
        How many moves those are.
    both, both_deviation : float64 [n]
        The rating.
    """

    results: Array
    results_deviation: Array
    moves: Array
    moves_deviation: Array
    number: NDArray[np.int64]
    both: Array
    both_deviation: Array


def rating_sources(rated: RatedGames) -> RatingSources:
    """Take the present ratings under `Fusion` apart, in the order of the ratings.

    Raises
    ------
    UsageError
        They are not ratings under `Fusion`.
    """
    system = rated.system
    if not isinstance(system, Fusion):
        raise UsageError(f"{rated.name} knows no moves")
    state: State = rated.state  # type: ignore[attr-defined]  # both kinds of kept ratings have it
    both = system.ratings(state)
    results, results_deviation = system.results_alone(state)
    moves, moves_deviation, number = system.moves_alone(state)
    return RatingSources(
        results, results_deviation, moves, moves_deviation, number, both.rating, both.deviation
    )
