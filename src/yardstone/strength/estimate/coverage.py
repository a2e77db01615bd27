"""How often intervals hold the strengths of players of known rank groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import NoGamesError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from yardstone.strength.estimate.intervals import Interval

__all__ = ["Coverage", "coverage"]


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often intervals held.

    Attributes
    ----------
    count, players : int
        Estimates, and players that they are of.
    level : float
        What was promised.
    held : float
        Share of strengths within the intervals, if those of a player are spread evenly
        over the player's rank group.
    error : float
        Its standard error, clustered by player.
    reach : float
        Share of intervals that reach into the player's group at all.
    width : float
        Mean width of the intervals, in ranks; one without an end goes to that of the scale.
    bounds : float
        Share of intervals that lack an end.
    """

    count: int
    players: int
    level: float
    held: float
    error: float
    reach: float
    width: float
    bounds: float


def coverage(
    intervals: Sequence[Interval],
    groups: ArrayLike,
    *,
    level: float,
    edges: ArrayLike,
    players: ArrayLike | None = None,
) -> Coverage:
    """How often intervals hold the strengths of players of some rank groups.

    Parameters
    ----------
    intervals : sequence of (float or None, float or None)
        Of players that neither the model nor its table of intervals was fitted to.
    groups : int array [n]
        The true group of each, from 0.
    level : float
        What they promise.
    edges : float array [g + 1]
        Where the groups begin, and where the last one ends.
    players : int array [n], optional
        Whose each is; by default each is another player's.
    """
    group, border = np.asarray(groups, np.int64), np.asarray(edges, np.float64)
    if not len(group):
        raise NoGamesError("there is no interval to look at")
    who = np.arange(len(group)) if players is None else np.asarray(players, np.int64)
    ends = np.array(
        [
            (border[0] if low is None else low, border[-1] if high is None else high)
            for low, high in intervals
        ]
    )
    begin, end = border[group], border[group + 1]
    inside = np.minimum(end, ends[:, 1]) - np.maximum(begin, ends[:, 0])
    held = np.maximum(inside, 0.0) / (end - begin)
    _, person = np.unique(who, return_inverse=True)
    number = int(person.max()) + 1
    away = np.bincount(person, held - held.mean())
    error = float(np.sqrt((away**2).sum() * number / max(number - 1, 1)) / len(held))
    return Coverage(
        count=len(held),
        players=number,
        level=level,
        held=float(held.mean()),
        error=error,
        reach=float((inside > 0.0).mean()),
        width=float((ends[:, 1] - ends[:, 0]).mean()),
        bounds=float(np.mean([None in each for each in intervals])),
    )
