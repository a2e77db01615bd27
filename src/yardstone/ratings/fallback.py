"""A fit that goes on where the games alone do not bound its parameters.

A few games can be explained best by an infinite advantage of moving first, or by draws
without end, and intervals then rest on nonsense. Where the games say less of a parameter
than a weak prior would, it gets that prior, and the reader is told.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import ModelError, NotConnectedError
from yardstone.ratings.order import NO_ORDER, without_first_move
from yardstone.ratings.priors import Prior
from yardstone.ratings.result import ALL_DRAWN

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.ratings.bradley_terry import BradleyTerry
    from yardstone.ratings.pair_tally import CountedGames
    from yardstone.ratings.result import JointRatings

__all__ = ["WIDE_ADVANTAGE", "WIDE_DRAW_RATE", "fit_widely", "misfit_of_join"]

#: Mean and deviation of what the games alone cannot bound.
WIDE_ADVANTAGE = (0.0, 100.0)
WIDE_DRAW_RATE = (0.5, 0.25)
#: Many players with fewer games each than this make the advantage come out too large.
SPARSE_PLAYERS, SPARSE_GAMES = 100, 16.0


def fit_widely(
    system: BradleyTerry, pool: Pool | CountedGames
) -> tuple[BradleyTerry, JointRatings, tuple[str, ...]]:
    """The system used, its result, and what the reader must know of the choice.

    The advantage of moving first and the draw rate, where they are free, get a wide
    prior if the fit fails for want of one, or leaves them less certain than the prior.

    Raises
    ------
    ModelError
        The games do not determine the ratings even so.
    """
    remarks: list[str] = []
    if not pool.ordered:
        system = without_first_move(system)
        remarks.append(NO_ORDER)
    while True:
        try:
            ratings: JointRatings | None = system.fit(pool)
        except NotConnectedError:
            raise
        except ModelError as error:
            ratings, failure = None, error
        if system.draw_rate == "auto" and _draws_unbounded(system, ratings):
            prior = Prior(*WIDE_DRAW_RATE)
            system = replace(system, draw_rate=prior)
            remarks.append(_widened("draw rate", prior))
        elif system.first_advantage == "auto" and _advantage_unbounded(ratings):
            prior = Prior(*WIDE_ADVANTAGE)
            system = replace(system, first_advantage=prior)
            remarks.append(_widened("first-move advantage", prior))
        elif ratings is None:
            raise failure
        else:
            return system, ratings, (*remarks, *_sparse(system, ratings))


def _sparse(system: BradleyTerry, ratings: JointRatings) -> tuple[str, ...]:
    """What must be known of the advantage where many players have few games each.

    500 players with 12 games each: 34 in place of 30 points, and 95 % intervals held 87 %
    (`python -m lab.studies.coverage`).
    """
    playing = ratings.games[ratings.games > 0]
    few = len(playing) >= SPARSE_PLAYERS and float(playing.mean()) < SPARSE_GAMES
    if system.first_advantage != "auto" or not few:
        return ()
    return (
        f"With {playing.mean():.0f} games a player the first-move advantage is overestimated "
        "by about a tenth, and its interval covers less often than stated (87 instead of 95 % in "
        "simulations).",
    )


def misfit_of_join(system: BradleyTerry, ratings: JointRatings) -> tuple[str, ...]:
    """What the reader must know if the players spread otherwise than `join` has it.

    If it is right, the mean square of (rating - average) plus that of the deviations is
    join squared. The intervals hold only then: with players who spread half as much again
    they held 78 % in place of 95.
    """
    if system.join is None:
        return ()
    by_join = np.isfinite(ratings.deviation)
    for name in system.anchors.keys() | system.loose_anchors.keys():
        by_join[ratings.index(name)] = False
    number = int(by_join.sum())
    if not number:
        return ()
    away = ratings.rating[by_join] - system.average
    spread = float(np.sqrt(np.mean(away**2 + ratings.deviation[by_join] ** 2)))
    # What the games say of the spread follows chi squared (Wilson and Hilferty 1931).
    known = float(np.mean(1.0 - np.minimum(ratings.deviation[by_join] / system.join, 1.0) ** 2))
    gap = (spread / system.join) ** 2 - 1.0
    centre, reach = 1.0 - 2.0 / (9.0 * number), 1.96 * (2.0 / (9.0 * number)) ** 0.5
    if known * ((centre - reach) ** 3 - 1.0) <= gap <= known * ((centre + reach) ** 3 - 1.0):
        return ()
    wide = "narrow" if gap > 0.0 else "wide"
    return (
        f"The players' strengths seem to have a standard deviation of {spread:.0f} points, not "
        f"{system.join:g} as given: the intervals, which rest on it, are then too {wide}.",
    )


def _draws_unbounded(system: BradleyTerry, ratings: JointRatings | None) -> bool:
    if ratings is None:  # an advantage that is missing is looked for first
        return system.first_advantage != "auto"
    rate = ratings.draw_rate
    return rate.value >= ALL_DRAWN or rate.deviation > WIDE_DRAW_RATE[1]


def _advantage_unbounded(ratings: JointRatings | None) -> bool:
    return ratings is None or ratings.first_advantage.deviation > WIDE_ADVANTAGE[1]


def _widened(what: str, prior: Prior) -> str:
    return (
        f"The games say little about the {what}, so a prior was used: {prior.mean:g} "
        f"with a standard deviation of {prior.deviation:g}."
    )
