"""The digits at which Ordo's own search ends.

Ordo does not solve its score equations: it lets every rating take steps against its surplus of
expected points, makes the steps smaller when they stop helping, and turns to the first-move
advantage only between such phases. Where games are many it ends within 1e-5 points of the solution.
Where they are few, the advantage may be left some hundredths of a point, or much more, from it.

Who needs Ordo's list to the last digit gets it from the same steps, taken in the same order with
the same arithmetic. Everybody else is better served by the solution itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.ratings import joint
from yardstone.ratings._joint import fit_draw_rate
from yardstone.ratings._ordo_search import Search
from yardstone.ratings.result import Estimate, JointRatings, Status

if TYPE_CHECKING:
    from yardstone.pool import PairCounts
    from yardstone.ratings.bradley_terry import BradleyTerry


#: Beyond so many pairs of players the search ends on the printed digits of the solution.
MOST_PAIRS = 20_000

SEARCHED = "searched as Ordo does"  #: Entry in `extras` of a list whose ratings were searched for.

_MOST_WORK = 3_000_000_000  #: The search is given up after so many evaluations of a pair.

_NO_ADVANTAGE = 1e-8


def as_ordo_ends(
    system: BradleyTerry, counts: PairCounts, ratings: JointRatings, *, all_games: int | None = None
) -> JointRatings:
    """The same list with the ratings at which Ordo's search would have ended.

    Only for the score equations without fixed ratings, with everybody on one scale and up to
    `MOST_PAIRS` pairs; other lists, and those where the search does not end, stay as they are.
    `all_games` are those of the input, left out or not: part of Ordo's condition to stop.
    """
    if system.likelihood or system.anchors or len(counts.first) > MOST_PAIRS:
        return ratings
    setup = joint.prepare(system, ratings.players, counts)
    active = setup.status == Status.NORMAL
    if len(np.unique(setup.component[active])) != 1:
        return ratings
    used = setup.used
    rating = np.full(len(ratings), system.average, np.float64)
    held = setup.anchor if setup.anchor is not None and system.reference == "anchor" else None
    given = system.first_advantage
    logit = system.points_per_logit
    search = Search(
        used.first,
        used.second,
        used.games,
        used.points,
        rating,
        1.0 / logit,
        0.0 if isinstance(given, str) else given,
        used.games.sum() if all_games is None else all_games,
    )
    ended = search.run(given == "auto", -1 if held is None else held, system.average, _MOST_WORK)
    advantage = search.advantage
    if not ended or not np.isfinite(rating).all():
        return ratings
    if abs(advantage) < _NO_ADVANTAGE:
        advantage = 0.0  # not "-0.00"
    if setup.anchor is None:
        rating[active] -= rating[active].sum() / active.sum() - system.average
    draw_rate = ratings.draw_rate
    if system.draw_rate == "auto":
        unknowns = np.append(rating / logit, [advantage / logit, 0.0])
        fitted = fit_draw_rate(
            used.first, used.second, used.games, float(used.draws.sum()), unknowns
        )
        draw_rate = Estimate(float(fitted), draw_rate.deviation)
    # A perfect scorer met by another one counts where he started, moved with the anchor.
    rating[setup.status == Status.NO_GAMES] = np.nan
    joint.rate_perfect(setup, rating, advantage, draw_rate.value)
    setup.shift_to_anchor(rating)
    return replace(
        ratings,
        rating=rating,
        first_advantage=Estimate(advantage, ratings.first_advantage.deviation),
        draw_rate=draw_rate,
        extras={**ratings.extras, SEARCHED: True},
    )
