"""Puts the bounds of perfect scorers into a list of ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.ratings._draws import squared_spread
from yardstone.ratings.result import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from yardstone.pool import PairCounts
    from yardstone.ratings._setup import Setup
    from yardstone.ratings.bradley_terry import BradleyTerry
    from yardstone.ratings.result import JointRatings

__all__ = ["perfect_limits", "rate_perfect"]


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
    from yardstone.ratings.perfect import bound_at, bound_draw, bound_ordo

    counts, logit = _with(perfect, setup.counts), setup.points_per_logit
    u2, games = squared_spread(draw_rate), counts.games
    for player, as_first, as_second in _pairs_of(perfect, counts):
        opponents = np.concatenate([counts.second[as_first], counts.first[as_second]])
        level = np.where(np.isnan(rating[opponents]), setup.average, rating[opponents])
        level[: len(as_first)] -= advantage
        level[len(as_first) :] += advantage
        played = games[np.concatenate([as_first, as_second])]
        winner = bool(setup.status[player] == Status.PERFECT_WINNER)
        if system.bounds == "ordo":
            rating[player] = bound_ordo(winner, level / logit, played, u2, logit)
        elif system.bounds == "draw":
            rating[player] = logit * bound_draw(winner, level / logit, played)
        else:
            rating[player] = logit * bound_at(winner, level / logit, played, u2, 0.5)


def perfect_limits(
    ratings: JointRatings, counts: PairCounts, confidence: float
) -> NDArray[np.float64]:
    """What perfect scorers' ratings are at least, or at most: (players,), NaN for others.

    At the limit the perfect score against the rated opponents has the probability
    1 - `confidence`, which lies between 0 and 1; NaN too if no opponent is rated.
    """
    limit = np.full(len(ratings), np.nan)
    perfect = np.flatnonzero(
        (ratings.status == Status.PERFECT_WINNER) | (ratings.status == Status.PERFECT_LOSER)
    )
    if not len(perfect):
        return limit
    from yardstone.ratings.perfect import bound_at

    logit, advantage = ratings.points_per_logit, ratings.first_advantage.value
    u2 = squared_spread(ratings.draw_rate.value)
    counts = _with(perfect, counts)
    for player, as_first, as_second in _pairs_of(perfect, counts):
        opponents = np.concatenate([counts.second[as_first], counts.first[as_second]])
        level = ratings.rating[opponents] - advantage
        level[len(as_first) :] += 2.0 * advantage
        played = counts.games[np.concatenate([as_first, as_second])]
        known = (ratings.status[opponents] == Status.NORMAL) & (played > 0.0)
        winner = bool(ratings.status[player] == Status.PERFECT_WINNER)
        if known.any():
            bound = bound_at(winner, level[known] / logit, played[known], u2, 1.0 - confidence)
            limit[player] = logit * bound
    return limit


def _with(players: NDArray[np.int64], counts: PairCounts) -> PairCounts:
    """The pairs with one of some players."""
    chosen = np.zeros(counts.players, np.bool_)
    chosen[players] = True
    return counts.select(chosen[counts.first] | chosen[counts.second])


def _pairs_of(
    chosen: NDArray[np.int64], counts: PairCounts
) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
    """For each chosen player, the pairs in which he moved first and second."""
    by_second = np.argsort(counts.second, kind="stable")
    first = np.searchsorted(counts.first, [chosen, chosen + 1])
    second = np.searchsorted(counts.second[by_second], [chosen, chosen + 1])
    for k, player in enumerate(chosen):
        as_first = np.arange(first[0, k], first[1, k])
        yield int(player), as_first, by_second[second[0, k] : second[1, k]]
