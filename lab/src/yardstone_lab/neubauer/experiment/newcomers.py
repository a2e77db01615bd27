"""Ratings from the last few games alone, as if the players had been newcomers.

Real newcomers are few in some pools. But everybody can be made one: all but the last
k games of both players before a game are hidden, from every system alike. A system of
results then sees two newcomers who play their last k games against opponents that it
knows, and predicts the game between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import UsageError
from yardstone.pool import Pool
from yardstone.ratings.result import Ratings
from yardstone_lab.neubauer.recent_moves import histories, ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.result import Replay
    from yardstone.ratings.sequential import Sequential

    Array = NDArray[np.float64]
    Integers = NDArray[np.int64]

__all__ = ["Hidden", "hidden_games", "predict_hidden"]


@dataclass(frozen=True, eq=False)
class Hidden:
    """The last games of both players of some games.

    Attributes
    ----------
    games : int64 [g]
        The games to be predicted: numbers in the pool.
    past : int64 [n]
        Games that are seen, of one side after the other, the oldest first.
    starts : int64 [2 * g + 1]
        Side s (0 the first player) of the i-th game has
        ``past[starts[2 * i + s]:starts[2 * i + s + 1]]``.
    """

    games: Integers
    past: Integers
    starts: Integers


def hidden_games(pool: Pool, games: NDArray[Any], last: int) -> Hidden:
    """The last `last` games of both players before each of some games of a pool."""
    if last < 0:
        raise UsageError(f"the last {last} games cannot be taken")
    chosen = np.asarray(games)
    chosen = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen.astype(np.int64)
    order, place, begins = histories(pool)
    here = place[(2 * chosen[:, None] + np.array([0, 1])).ravel()]
    oldest = np.maximum(begins[here], here - last)
    length = here - oldest
    past = order[ranges(oldest, length)] // 2
    return Hidden(chosen, past, np.concatenate([[0], np.cumsum(length)]))


def predict_hidden(
    pool: Pool,
    replay: Replay,
    system: Sequential,
    hidden: Hidden,
    *,
    rating: Array | None = None,
    deviation: Array | None = None,
) -> Array:
    """Expected score of the first player of each game, from the last games alone.

    Both players start as newcomers, or with the ratings given, and are rated by their
    last games. Their opponents there have the ratings that all games gave them; only
    where the opponent is the other player of the game to be predicted is that player
    a newcomer too, for a rating from hidden games would tell of them.

    Parameters
    ----------
    pool : Pool
        In order of time.
    replay : Replay
        Of all games under the same system, with deviations.
    system : Sequential
        Rates games one by one.
    hidden : Hidden
    rating, deviation : float64 [2 * g], optional
        What each side of each game starts with in place of a newcomer's rating and
        deviation; NaN leaves that.

    Returns
    -------
    float64 [g]
    """
    if replay.first_deviation is None or replay.second_deviation is None:
        raise UsageError("hiding games takes a system with deviations: Glicko-2, for example")
    sides = len(hidden.starts) - 1
    length = np.diff(hidden.starts)
    side = np.repeat(np.arange(sides), length)
    target = hidden.games[side // 2]
    hero = np.where(side % 2 == 0, pool.first[target], pool.second[target])
    rival = np.where(side % 2 == 0, pool.second[target], pool.first[target])
    is_first = pool.first[hidden.past] == hero
    opponent = np.where(is_first, pool.second[hidden.past], pool.first[hidden.past])
    known = opponent != rival
    theirs = np.where(is_first, replay.second_rating[hidden.past], replay.first_rating[hidden.past])
    unsure = np.where(
        is_first, replay.second_deviation[hidden.past], replay.first_deviation[hidden.past]
    )
    opponents = np.concatenate([np.full(sides, np.nan), np.where(known, theirs, np.nan)])
    deviations = np.concatenate([np.full(sides, np.nan), np.where(known, unsure, np.nan)])
    if rating is not None:
        opponents[:sides] = rating
    if deviation is not None:
        deviations[:sides] = deviation
    # Each side is a player of its own, and so is each of its opponents in each game.
    names = tuple(map(str, range(sides + len(side))))
    against = sides + np.arange(len(side))
    first = np.where(is_first, side, against)
    second = np.where(is_first, against, side)
    last = np.arange(0, sides, 2)
    scenes = Pool(
        names,
        np.concatenate([first, last]).astype(np.int32),
        np.concatenate([second, last + 1]).astype(np.int32),
        np.concatenate([pool.score[hidden.past], np.full(len(last), 0.5)]),
    )
    state = system.start(names, Ratings(names, opponents, deviations, system.scale))
    return system.advance(state, scenes)[1].expected[len(side) :]
