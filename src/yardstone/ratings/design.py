"""Which further games are most informative.

A game between two players adds information about their difference only. With
C the covariance of the ratings and u = e_player - e_other, n more games of
information g each lower the sum of all variances by ``n g |Cu|^2 / (1 + n g u'Cu)``:
the rank-one update of an inverse matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import ModelError
from yardstone.ratings._draws import squared_spread
from yardstone.ratings.result import Status
from yardstone.winprob.logistic import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.result import JointRatings

__all__ = ["Suggestion", "joining_games", "suggest"]

#: Above so many players only the least known ones are searched.
_SEARCH_LIMIT = 600


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A match worth playing: `gain` is the share of the mean variance it removes."""

    player: str
    other: str
    gain: float


def _information(ratings: JointRatings, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Information of one game for each two players, per squared rating point."""
    rating = ratings.rating[rows]
    logit = (rating[:, None] - rating[None, :]) / ratings.points_per_logit
    p = logistic(logit)
    variance = p * (1.0 - p)
    u2 = squared_spread(ratings.draw_rate.value)
    gain = variance
    if u2 > 0.0:  # not where every game between equals is drawn
        root = np.sqrt((1.0 - 2.0 * p) ** 2 + 4.0 * u2 * variance)
        gain = variance * (1.0 + root) / root
    return gain / ratings.points_per_logit**2


def suggest(ratings: JointRatings, number: int = 5, *, games: int = 10) -> list[Suggestion]:
    """The most telling matches of `games` games within the largest component.

    Chosen one after the other, each on top of those before it, so that the list
    does not name the same player throughout.

    Raises ModelError if the covariance was not computed.
    """
    if ratings.covariance is None:
        raise ModelError("the covariance was not computed: too many players, or not requested")
    rows = np.flatnonzero(
        (ratings.component == 0)
        & (ratings.status == Status.NORMAL)
        & np.isfinite(ratings.deviation)
    )
    if len(rows) > _SEARCH_LIMIT:
        rows = rows[np.argsort(-ratings.deviation[rows], kind="stable")[:_SEARCH_LIMIT]]
    if len(rows) < 2:
        return []
    covariance = ratings.covariance[np.ix_(rows, rows)].copy()
    information = games * _information(ratings, rows)
    total = float(np.trace(covariance))
    chosen: list[Suggestion] = []
    taken = np.tril(np.ones((len(rows), len(rows)), bool))  # each pair once
    for _ in range(number):
        square = covariance @ covariance
        spread = np.diag(square)[:, None] + np.diag(square)[None, :] - 2.0 * square
        own = np.diag(covariance)[:, None] + np.diag(covariance)[None, :] - 2.0 * covariance
        gain = information * spread / (1.0 + information * own)
        gain[taken] = -1.0
        i, j = divmod(int(gain.argmax()), len(rows))
        if gain[i, j] <= 0.0:
            break
        taken[i, j] = True
        chosen.append(
            Suggestion(
                ratings.players[rows[i]], ratings.players[rows[j]], float(gain[i, j]) / total
            )
        )
        column = covariance[:, i] - covariance[:, j]
        weight = information[i, j] / (1.0 + information[i, j] * own[i, j])
        covariance -= weight * np.outer(column, column)
    return chosen


def joining_games(ratings: JointRatings, number: int = 5) -> list[tuple[str, str]]:
    """Pairs whose games would join the largest component with the next ones.

    From each component the player with most games. One game is not enough: the
    two must score against each other both ways, or draw.
    """

    def leader(label: int) -> str:
        members = np.flatnonzero((ratings.component == label) & (ratings.status != Status.NO_GAMES))
        return ratings.players[int(members[np.argmax(ratings.games[members])])]

    last = min(ratings.components, number + 1)
    return [(leader(0), leader(label)) for label in range(1, last)]
