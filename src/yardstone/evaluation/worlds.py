"""Worlds in which games may have been played: how strengths lie, and how they move.

Which of them the results of a pool speak for is weighed by how well each predicts them;
from a world true strengths and results can be drawn anew for the same players, pairings
and days.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.evaluation.metrics import log_likelihoods
from yardstone.pool import Pool
from yardstone.ratings.glicko import Glicko
from yardstone.ratings.glicko2 import POINTS, Glicko2
from yardstone.ratings.handicap import Handicap
from yardstone.winprob.davidson import win_draw_loss
from yardstone.winprob.logistic import logistic

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["DrawnGames", "World", "drawn_results", "true_scores", "weighed_worlds"]

#: Standard deviations of newcomers' strengths that are considered, in points.
SPREADS = (40.0, 57.0, 80.0, 113.0, 160.0, 226.0, 320.0, 450.0, 640.0)
#: Glicko's approximation predicts best with a spread so many times the true one: 1.08 to
#: 1.33 times in 24 simulated kinds of pools (8 to 200 players, spreads of 60 to 350).
GLICKO_WIDTH = 1.2
#: What is expected of the spread before any game: about 250, half or twice as much being
#: as likely as not.
USUAL_SPREAD, SPREAD_OF_SPREADS = 250.0, 0.7
#: Random walks that are considered: points a game, or points a day.
WALKS = (("game", 0.0), ("game", 6.0), ("game", 14.0), ("day", 2.0), ("day", 6.0))


@dataclass(frozen=True, slots=True)
class World:
    """How strengths may lie and move: normal at first, a random walk from then on.

    Attributes
    ----------
    spread : float
        Standard deviation of newcomers, in points.
    walk : str
        ``"game"`` or ``"day"``: what each step belongs to.
    step : float
        Standard deviation of a step, in points.
    """

    spread: float
    walk: str
    step: float


class DrawnGames(NamedTuple):
    """Games with results drawn from a world.

    Attributes
    ----------
    pool : Pool
    first, second : float64 arrays (games,)
        True strengths of both players at each game, in points, 0 being the mean of all
        who may come.
    last : float64 array (players,)
        At each player's last game; NaN without one.
    """

    pool: Pool
    first: Array
    second: Array
    last: Array


def weighed_worlds(pool: Pool, advantage: Array) -> tuple[list[World], Array]:
    """Worlds that are considered, and how much the results speak for each.

    Each predicts every game from the games before (Glicko with that spread and walk), so
    the product of the predictions is the likelihood of the world, strengths integrated
    out but for Glicko's approximation.
    """
    shift = Pool(
        pool.players, pool.first, pool.second, pool.score, pool.time, {"advantage": advantage}
    )
    worlds, logs = [], []
    for walk, step in WALKS:
        if walk == "day" and pool.time is None:
            continue
        for spread in SPREADS:
            expected = _model(GLICKO_WIDTH * spread, walk, step).replay(shift).expected
            usual = log(spread / USUAL_SPREAD) / SPREAD_OF_SPREADS
            worlds.append(World(spread, walk, step))
            logs.append(float(np.sum(log_likelihoods(pool.score, expected))) - 0.5 * usual**2)
    weight = np.exp(np.array(logs) - max(logs))
    return worlds, weight / weight.sum()


class _Shift(Handicap):
    """The advantage of each game, as it stands in a column."""

    def advantage(self, pool: Pool) -> Array:
        return np.asarray(pool.columns["advantage"], np.float64)


def _model(spread: float, walk: str, step: float) -> Glicko | Glicko2:
    if walk == "day":
        return Glicko(
            initial_deviation=spread,
            drift=step,
            idle_days=1.0,
            min_deviation=0.0,
            handicap=_Shift(),
        )
    return Glicko2(
        initial_deviation=spread,
        initial_volatility=max(step, 1e-3) / POINTS,
        tau=0.0,
        handicap=_Shift(),
    )


def drawn_results(
    pool: Pool,
    world: World,
    rng: Generator,
    *,
    advantage: ArrayLike = 0.0,
    draw_rate: float = 0.0,
) -> DrawnGames:
    """The same games with results drawn from a world.

    Parameters
    ----------
    pool : Pool
        In order of time.
    world : World
    rng : numpy.random.Generator
    advantage : array_like
        Points for moving first and for handicap, of each game or of all.
    draw_rate : float
        Of equal players.
    """
    games, players = len(pool), len(pool.players)
    sides = np.column_stack([pool.first, pool.second]).ravel()
    order = np.argsort(sides, kind="stable")
    owner = sides[order]
    begins = np.append(True, owner[1:] != owner[:-1])
    size = np.full(len(owner), world.step)
    if world.walk == "day" and pool.time is not None:
        day = pool.time.astype("datetime64[s]").astype(np.int64)[order // 2] / 86_400.0
        size = world.step * np.sqrt(np.maximum(np.diff(day, prepend=day[:1]), 0.0))
    size[begins] = world.spread
    walked = np.cumsum(size * rng.standard_normal(len(owner)))
    start = np.flatnonzero(begins)
    before = np.append(0.0, walked)[start]
    strength = np.empty(2 * games)
    strength[order] = walked - np.repeat(before, np.diff(np.append(start, len(owner))))
    first, second = strength[::2], strength[1::2]
    last = np.full(players, np.nan)
    ends = np.append(start[1:], len(owner)) - 1
    last[owner[ends]] = strength[order][ends]
    ahead = first - second + np.asarray(advantage, np.float64)
    win, draw, _ = win_draw_loss(true_scores(ahead), draw_rate)
    lot = rng.random(games)
    score = np.where(lot < win, 1.0, np.where(lot < win + draw, 0.5, 0.0))
    return DrawnGames(replace(pool, score=score), first, second, last)


def true_scores(difference: Array) -> Array:
    """Expected scores of players who are so many points stronger."""
    return logistic(difference / POINTS)
