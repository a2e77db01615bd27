"""How sure a mean over games is when games share players: exact sums, no resampling.

Games of one player are not independent, and every game belongs to two players (dyadic
clusters). The squared standard error of a mean is the sum over players of their summed
residuals squared, *less* the same sum over pairs of players (Fafchamps and Gubert 2007);
each sum is divided by one minus its share of all games (the jackknife, "CR3"), because
each cluster has pulled the mean towards itself.

A standard error from a few players is itself uncertain, so intervals are Student's. Not
the number of players counts for the degrees of freedom but how evenly they play: eight
players of whom two play half of all games are worth five. With two degrees fewer than
such *effective players*, 95 % intervals held the truth in 92 to 97 % of simulated pools
of 4 to 50 players with effects of their own, and in more where there are no such effects
(docs/studies/coverage-forecasts.md).
"""

from __future__ import annotations

from math import inf, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Players = NDArray[np.int32]

__all__ = [
    "LEAST_EFFECTIVE_PLAYERS",
    "cluster_sums",
    "effective_players",
    "mean_error",
    "numbered",
    "t_quantile",
]

#: With fewer effective players than this no interval is given: two players who meet
#: each other only say nothing about others.
LEAST_EFFECTIVE_PLAYERS = 3.5


def effective_players(first: Players, second: Players) -> float:
    """So many players, all equally active, would be as good: 1 / sum of squared shares.

    A player's share is that of his places among all places of all games.
    """
    places = np.concatenate([first, second])
    share = np.unique(places, return_counts=True)[1] / max(len(places), 1)
    return float(1.0 / np.sum(share * share)) if len(share) else 0.0


def degrees_of_freedom(first: Players, second: Players) -> float:
    """Of Student's t for a mean over these games; at least 1."""
    return max(effective_players(first, second) - 2.0, 1.0)


def t_quantile(level: float, freedom: float) -> float:
    """Student's quantile at a level from 0 to 1; the normal one for `freedom` infinite."""
    if freedom == inf:
        return NormalDist().inv_cdf(level)
    from scipy.special import stdtrit

    return float(stdtrit(freedom, level))


def numbered(first: Players, second: Players) -> tuple[Players, Players, NDArray[np.int64], int]:
    """Both players of each game from 0 without gaps, the number of their pair, and all players."""
    names, numbers = np.unique(np.concatenate([first, second]), return_inverse=True)
    a, b = numbers.reshape(2, len(first)).astype(np.int32)
    pair = np.minimum(a, b).astype(np.int64) * len(names) + np.maximum(a, b)
    return a, b, np.unique(pair, return_inverse=True)[1].ravel(), len(names)


def cluster_sums(residual: Array, cluster: NDArray[np.integer], number: int = 0) -> Array:
    """Summed residuals of each cluster, over one minus its share of all games.

    `residual` has shape (rows, games), the result (clusters, rows). `cluster` may name
    two clusters a game, one after the other.
    """
    games = residual.shape[1]
    sizes = np.bincount(cluster, minlength=number)
    rest = np.maximum(1.0 - sizes / games, 0.5 / games)[:, None]
    repeated = np.tile(residual, (1, len(cluster) // games))
    sums = np.array([np.bincount(cluster, row, len(sizes)) for row in repeated])
    return np.asarray(sums.T / rest, np.float64)


def mean_error(values: Array, first: Players, second: Players) -> tuple[float, float]:
    """Standard error of a mean over games, and its degrees of freedom.

    Never below that of independent games, nor that of independent pairs of players. NaN
    with fewer than `LEAST_EFFECTIVE_PLAYERS`.

    Parameters
    ----------
    values : float64 array (games,)
    first, second : int32 arrays (games,)
        Players of each game by number; nobody plays against himself.
    """
    if not len(values) or effective_players(first, second) < LEAST_EFFECTIVE_PLAYERS:
        return float("nan"), 1.0
    residual = (values - values.mean())[None, :]
    a, b, pair, players = numbered(first, second)
    by_player = float(np.sum(cluster_sums(residual, np.concatenate([a, b]), players) ** 2))
    by_pair = float(np.sum(cluster_sums(residual, pair) ** 2))
    alone = float(np.sum(residual**2))
    wide = max(by_player - by_pair, by_pair, alone)
    return sqrt(wide) / len(values), degrees_of_freedom(first, second)
