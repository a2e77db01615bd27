"""Who stands with whom in a rating list, and in which place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.ratings.result import Status
from yardstone.ratings.superiority import rank_ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import PairCounts
    from yardstone.ratings.result import JointRatings

__all__ = ["Group", "games_between", "groups_of", "rank_limits"]


@dataclass(frozen=True)
class Group:
    """Players on a common scale.

    Attributes
    ----------
    number : int
        From 1, the largest first.
    rows : tuple of int
        Its players from strongest to weakest; after them those who won or lost every
        game, whose rating is only a bound.
    ranked : int
        How many of them have a rating and so a rank; the others are listed apart.
    games : int
        Games between them.
    joined : str
        What joins it with larger groups, in words; empty for the first group.
    """

    number: int
    rows: tuple[int, ...]
    ranked: int
    games: int
    joined: str = ""


def groups_of(
    ratings: JointRatings, counts: PairCounts, listed: NDArray[np.bool_]
) -> tuple[Group, ...]:
    """The listed players by group, the largest first, each from strongest to weakest."""
    order = ratings.order()
    component = ratings.component
    members: dict[int, list[int]] = {}
    for row in order[listed[order]].tolist():
        members.setdefault(int(component[row]), []).append(row)
    size = ratings.components + 1
    within, won, lost = np.zeros(size), np.zeros(size), np.zeros(size)
    for part in counts.blocks():
        first, second = component[part.first] + 1, component[part.second] + 1
        same = first == second
        within += np.bincount(first[same], part.games[same], size)
        scored, conceded = (part.wins + part.draws)[~same], (part.losses + part.draws)[~same]
        won += np.bincount(first[~same], scored, size) + np.bincount(second[~same], conceded, size)
        lost += np.bincount(first[~same], conceded, size) + np.bincount(second[~same], scored, size)
    is_bound = np.isin(ratings.status, (Status.PERFECT_WINNER, Status.PERFECT_LOSER))
    return tuple(
        Group(
            label + 1,
            tuple(sorted(rows, key=lambda row: bool(is_bound[row]))),
            int((~is_bound[rows]).sum()),
            int(within[label + 1]),
            _joined(label, bool(won[label + 1]), bool(lost[label + 1])),
        )
        for label, rows in sorted(members.items())
    )


def _joined(label: int, scored: bool, conceded: bool) -> str:
    """What joins a group with the others, in words; empty for the largest group.

    `scored` and `conceded` say whether points were won and lost outside the group.
    """
    if label <= 0:
        return ""
    if not scored and not conceded:
        return "no game links it to another group"
    if scored and conceded:
        return "against each other group it has only won or only lost"
    return f"it only {'won' if scored else 'lost'} against other groups"


def rank_limits(
    ratings: JointRatings,
    rank: NDArray[np.int64],
    groups: Sequence[Group],
    confidence: float,
    listed: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ranks that cannot be excluded, counted as the list counts them.

    Unlisted players and perfect scorers, who have no interval, keep others from
    no place: the ranges of `rank_ranges` are moved by other players above who have none.
    """
    nothing = np.zeros_like(rank)
    if ratings.covariance is None:
        return nothing, nothing
    shown = np.where(listed, ratings.deviation, np.nan)
    ranges = rank_ranges(replace(ratings, deviation=shown), confidence)
    low, high = ranges.low.copy(), ranges.high.copy()
    for group in groups:
        rows = np.array(group.rows)
        without = ~np.isfinite(shown[rows])
        above = np.cumsum(without)
        for ends in (low, high):
            ends[rows] = np.where(without, 0, ends[rows] + above)
    known = low > 0
    return np.where(known, np.minimum(low, rank), 0), np.where(known, np.maximum(high, rank), 0)


def games_between(
    counts: PairCounts, players: Sequence[str], rows: Sequence[int]
) -> list[dict[str, Any]]:
    """The games of each two of `rows`, the one that stands before the other first."""
    place = {row: number for number, row in enumerate(rows)}
    sums: dict[tuple[int, int], list[float]] = {}
    columns = (counts.first, counts.second, counts.wins, counts.draws, counts.losses)
    for first, second, wins, draws, losses in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        if first not in place or second not in place:
            continue
        if place[first] > place[second]:
            first, second, wins, losses = second, first, losses, wins
        total = sums.setdefault((first, second), [0.0, 0.0, 0.0])
        for column, value in enumerate((wins, draws, losses)):
            total[column] += value
    ordered = sorted(sums.items(), key=lambda item: (place[item[0][0]], place[item[0][1]]))
    return [
        {
            "player": players[first],
            "other": players[second],
            "games": int(wins + draws + losses),
            "wins": int(wins),
            "draws": int(draws),
            "losses": int(losses),
        }
        for (first, second), (wins, draws, losses) in ordered
    ]
