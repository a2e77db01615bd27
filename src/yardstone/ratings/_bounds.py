"""Puts the bounds of perfect scorers into a list of ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.ratings._draws import squared_spread
from yardstone.ratings.result import Status

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings._setup import Setup
    from yardstone.ratings.bradley_terry import BradleyTerry

__all__ = ["rate_perfect"]


def rate_perfect(
    system: BradleyTerry,
    setup: Setup,
    rating: NDArray[np.float64],
    advantage: float,
    draw_rate: float,
) -> None:
    """Fill in, in place, a floor or ceiling for everyone with a perfect score.

    In order of the players' numbers, as Ordo does: an opponent who is himself
    perfect counts with his bound if he has one already, else with the average.
    """
    perfect = np.flatnonzero(
        (setup.status == Status.PERFECT_WINNER) | (setup.status == Status.PERFECT_LOSER)
    )
    if not len(perfect):
        return
    from yardstone.ratings.perfect import bound_draw, bound_even, bound_ordo

    counts, logit = setup.counts, setup.points_per_logit
    games, u2 = counts.games, squared_spread(draw_rate)
    for player in perfect:
        as_first = np.flatnonzero(counts.first == player)
        as_second = np.flatnonzero(counts.second == player)
        opponents = np.concatenate([counts.second[as_first], counts.first[as_second]])
        level = np.where(np.isnan(rating[opponents]), setup.average, rating[opponents])
        level[: len(as_first)] -= advantage
        level[len(as_first) :] += advantage
        played = np.concatenate([games[as_first], games[as_second]])
        winner = bool(setup.status[player] == Status.PERFECT_WINNER)
        if system.bounds == "ordo":
            rating[player] = bound_ordo(winner, level / logit, played, u2, logit)
        elif system.bounds == "draw":
            rating[player] = logit * bound_draw(winner, level / logit, played)
        else:
            rating[player] = logit * bound_even(winner, level / logit, played, u2)
