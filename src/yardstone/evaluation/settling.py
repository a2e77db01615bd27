"""How ratings settle: by the number of games a player has played.

The data of Neubauer 2024, figures 4.4 (deviations) and 4.5 (ranks).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import ModelError, NoGamesError
from yardstone.evaluation.labels import rating_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.replay import Replay

    Array = NDArray[np.float64]

__all__ = ["DeviationsByGames", "RatingsByGames", "deviations_by_games", "ratings_by_games"]


@dataclass(frozen=True, eq=False)
class DeviationsByGames:
    """Rating deviations after 0, 1, 2, … games; frozen.

    Attributes
    ----------
    mean : float64 array (most + 1,)
        Over all players with so many games; NaN where there is none.
    players : int64 array (most + 1,)
        How many those are.
    sample : float64 array (most + 1, sample)
        Deviations of players drawn at random for each number of games; NaN where
        there are fewer.
    """

    mean: Array
    players: NDArray[np.int64]
    sample: Array


@dataclass(frozen=True, eq=False)
class RatingsByGames:
    """Distribution of ratings after 1, 2, … games; frozen.

    Attributes
    ----------
    edges : float64 array (classes + 1,)
        Of the classes, in what the ratings were turned into.
    share : float64 array (most, classes)
        Row i: shares of the players after i + 1 games; a row sums to 1, or is NaN
        where no player has so many games.
    players : int64 array (most,)
    """

    edges: Array
    share: Array
    players: NDArray[np.int64]


def deviations_by_games(
    pool: Pool, replay: Replay, *, most: int = 50, sample: int = 20, seed: int = 0
) -> DeviationsByGames:
    """Deviation of players before their next game, by how many they have played.

    The deviation is the one that the system predicts the next game with, so it
    includes what idle time has added.

    Raises
    ------
    ModelError
        The system has no deviations.
    """
    if replay.first_deviation is None or replay.second_deviation is None:
        raise ModelError("this system has no deviations: take Glicko-2, for example")
    from yardstone.evaluation.splits import earlier_games

    played = np.concatenate(earlier_games(pool))
    deviation = np.concatenate([replay.first_deviation, replay.second_deviation])
    kept = played <= most
    played, deviation = played[kept], deviation[kept]
    players = np.bincount(played, minlength=most + 1)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(played, deviation, most + 1) / players
    generator = np.random.default_rng(seed)
    shuffled = generator.permutation(len(played))
    order = shuffled[np.argsort(played[shuffled], kind="stable")]
    starts = np.concatenate([[0], np.cumsum(players)])
    drawn = np.full((most + 1, sample), np.nan)
    for games in range(most + 1):
        chosen = deviation[order[starts[games] : starts[games] + min(players[games], sample)]]
        drawn[games, : len(chosen)] = chosen
    return DeviationsByGames(mean, players, drawn)


def ratings_by_games(
    pool: Pool,
    replay: Replay,
    edges: Array,
    *,
    most: int = 50,
    convert: Callable[[Array], Array] | None = None,
) -> RatingsByGames:
    """Histogram of the players' ratings right after each of their first games.

    Parameters
    ----------
    pool, replay : Pool, Replay
    edges : float64 array
        Edges of the classes; ratings beyond them fall in the outermost ones.
    most : int
        Up to so many games.
    convert : callable, optional
        Turns ratings into what the edges are in: ranks, for example.
    """
    if not len(pool):
        raise NoGamesError("there is no game whose players could settle")
    from yardstone.evaluation.splits import earlier_games

    after = rating_labels(pool, replay, advance=0)
    played = np.concatenate(earlier_games(pool))
    value = np.concatenate([after.first, after.second])
    kept = played < most
    played, value = played[kept], value[kept]
    if convert is not None:
        value = np.asarray(convert(value), np.float64)
    edges = np.asarray(edges, np.float64)
    classes = len(edges) - 1
    place = np.clip(np.searchsorted(edges, value, side="right") - 1, 0, classes - 1)
    counts = np.bincount(played * classes + place, minlength=most * classes).reshape(most, classes)
    players = counts.sum(axis=1)
    with np.errstate(invalid="ignore"):
        share = counts / players[:, None]
    return RatingsByGames(edges, share, players)
