"""How far ratings over time really are from the truth, by games like those at hand.

A deviation that a rating system keeps holds in the world that the system assumes: its
spread of newcomers, its drift, opponents whose errors are their own. In another world
Glicko-2's "95 %" intervals hold 80 or 99 %. So deviations are put to the test on the
very games: which spread and drift of strengths the results speak for is weighed by how
well they predict (`_worlds`); from those worlds true strengths and results are drawn
anew for the same players, pairings and days; the system rates them; and its errors,
in its own deviations, say how many deviations an interval must reach. They depend on
how many games a player has, so newcomers are measured apart.

The study ``studies/coverage_forecasts.py`` tells how often the intervals that come out
hold the truth in worlds that are, and that are not, among those considered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite, log
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import ConvergenceError, ModelError
from yardstone.evaluation.calibration import recalibration
from yardstone.evaluation.draws import fit_draw_rate
from yardstone.evaluation.metrics import log_likelihoods
from yardstone.evaluation.splits import earlier_games
from yardstone.pool import Pool
from yardstone.ratings.glicko import Glicko
from yardstone.ratings.glicko2 import POINTS, Glicko2
from yardstone.ratings.handicap import Handicap
from yardstone.ratings.history import WholeHistoryRatings
from yardstone.winprob.davidson import win_draw_loss
from yardstone.winprob.logistic import logistic, logit

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

    from yardstone.evaluation.rated_games import RatedGames
    from yardstone.ratings.replay import Replay

    Array = NDArray[np.float64]

__all__ = ["IntervalScale", "World", "drawn_results", "interval_scale"]

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
#: Players of at least so many earlier games make up each class.
CLASSES = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
#: Pools drawn at most.
MOST_POOLS = 250
#: Systems whose ratings depend on more than results.
UNLIKE = ("egf", "egf-old", "fibs")
#: A class with fewer errors than this is joined to the one below.
LEAST_ERRORS = 300


@dataclass(frozen=True, slots=True)
class _Effort:
    """Errors to be drawn, games of a pool that are looked at (most), pools drawn (fewest)."""

    errors: int
    games: int
    pools: int


#: A whole history is a fit of its own for each pool, so fewer are drawn.
_SEQUENTIAL, _WHOLE = _Effort(24_000, 20_000, 8), _Effort(4_000, 400, 4)


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


@dataclass(frozen=True, eq=False)
class IntervalScale:
    """How many of a system's deviations an interval must reach; frozen.

    Attributes
    ----------
    confidence : float
        Level of the intervals, 0 to 1.
    games : int64 array (classes,)
        Fewest games of the players of each class, rising from 0.
    rating, difference : float64 arrays (classes,)
        Deviations on each side of a rating, and of a difference of two ratings (the
        root of the sum of both squared deviations; the class is that of the player with
        fewer games), that hold the truth so often. NaN for a system without deviations.
    slope : float64 array (classes,)
        By what the log odds of the system's expected scores are to be multiplied so that
        they are right on average over the true strengths; below 1 where it is too bold.
    expected_spread : float
        Mean spread of newcomers over the worlds that the results speak for, in points.
    pools : int
        How many were drawn.
    """

    confidence: float
    games: NDArray[np.int64]
    rating: Array
    difference: Array
    slope: Array
    expected_spread: float
    pools: int

    def reach(self, games: ArrayLike) -> Array:
        """Deviations on each side of the rating of players with so many games."""
        return self.rating[self._class(games)]

    def reach_of_difference(self, games: int) -> float:
        """The same for a difference; `games` are those of the player with fewer."""
        return float(self.difference[self._class(games)])

    def corrected(self, expected: float, games: int) -> float:
        """An expected score, right on average; `games` are those of the player with fewer."""
        p = min(max(expected, 1e-12), 1.0 - 1e-12)
        odds = float(self.slope[self._class(games)] * logit(p))
        return float(logistic(odds))

    @property
    def has_intervals(self) -> bool:
        """Whether the system has deviations to make intervals of."""
        return bool(np.isfinite(self.rating).any())

    def _class(self, games: ArrayLike) -> NDArray[np.intp]:
        return np.searchsorted(self.games, np.asarray(games), side="right") - 1


def interval_scale(
    rated: RatedGames, *, confidence: float = 0.95, seed: int = 0
) -> IntervalScale | None:
    """Put the deviations of a system to the test on games like those it has rated.

    Parameters
    ----------
    rated : RatedGames
        Of a large pool the first games are looked at: 20,000, or 400 for whole histories.
    confidence : float
        Level of the intervals, 0 to 1.
    seed : int
        Equal seeds give equal results.

    Returns
    -------
    IntervalScale or None
        None without games, where nothing drawn can be rated, and for systems whose
        ratings cannot be drawn anew: those that begin at declared grades or go by the
        length of matches (EGF, FIBS), and OGS where handicap multiplies ratings.
    """
    pool, system = rated.pool, rated.system
    handicap = getattr(system, "handicap", None)
    unlike = rated.name in UNLIKE or (rated.name == "ogs" and handicap is not None)
    if unlike or not len(pool):
        return None
    effort = _WHOLE if rated.name == "whr" else _SEQUENTIAL
    if len(pool) > effort.games:
        pool = pool.select(np.arange(effort.games))
    moving = getattr(system, "first_advantage", 0.0)
    advantage = np.full(len(pool), 0.0 if isinstance(moving, str) else float(moving))
    if handicap is not None:
        shift = handicap.advantage(pool)
        advantage += 0.0 if shift is None else shift
    worlds, weight = _worlds(pool, advantage)
    draw_rate = fit_draw_rate(pool.score, rated.replay.expected[: len(pool)])
    rng = np.random.default_rng(seed)
    pools = int(np.clip(-(-effort.errors // (2 * len(pool))), effort.pools, MOST_POOLS))
    chosen = rng.choice(len(worlds), pools, p=weight)
    again = _rating_again(rated)
    experience = earlier_games(pool)
    parts = []
    for which in chosen:
        try:
            found = _errors(pool, worlds[which], again, advantage, draw_rate, experience, rng)
        except (ConvergenceError, ModelError):
            continue  # a whole history of nothing but draws, say, has no finite draw rate
        parts.append(found)
    if not parts:
        return None
    one, two = (
        [np.concatenate(column) for column in zip(*(part[which] for part in parts), strict=True)]
        for which in (0, 1)
    )
    edges = _classes(one[0], two[0])
    rating, difference, slope = (np.ones(len(edges)) for _ in range(3))
    for number in range(len(edges)):
        here, there = (
            np.searchsorted(edges, games, side="right") - 1 == number for games in (one[0], two[0])
        )
        rating[number] = np.quantile(np.abs(one[1][here]), confidence)
        difference[number] = np.quantile(np.abs(two[1][there]), confidence)
        truth, expected = two[2][there], two[3][there]
        mended = recalibration(
            np.concatenate([truth, 1.0 - truth]), np.concatenate([expected, 1.0 - expected])
        )[1]
        slope[number] = mended if isfinite(mended) and mended > 0.0 else 1.0
    mean = float(np.sum(weight * np.array([world.spread for world in worlds])))
    return IntervalScale(confidence, edges, rating, difference, slope, mean, len(parts))


def _worlds(pool: Pool, advantage: Array) -> tuple[list[World], Array]:
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


def _rating_again(rated: RatedGames) -> Callable[[Pool], Replay]:
    """Rates other results by the same system."""
    if rated.name == "whr":
        from yardstone.evaluation.rated_games import whole_history

        parameters = dict(rated.parameters)
        return lambda pool: whole_history(pool, **parameters).replay
    replay: Callable[[Pool], Replay] = rated.system.replay  # type: ignore[attr-defined]
    return replay


def drawn_results(
    pool: Pool,
    world: World,
    rng: Generator,
    *,
    advantage: ArrayLike = 0.0,
    draw_rate: float = 0.0,
) -> tuple[Pool, Array, Array, Array]:
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

    Returns
    -------
    pool : Pool
    first, second : float64 arrays (games,)
        True strengths of both players at each game, in points, 0 being the mean of all
        who may come.
    last : float64 array (players,)
        At each player's last game; NaN without one.
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
    win, draw, _ = win_draw_loss(_score(ahead), draw_rate)
    lot = rng.random(games)
    score = np.where(lot < win, 1.0, np.where(lot < win + draw, 0.5, 0.0))
    return replace(pool, score=score), first, second, last


def _score(difference: Array) -> Array:
    return logistic(difference / POINTS)


def _errors(
    pool: Pool,
    world: World,
    again: Callable[[Pool], Replay],
    advantage: Array,
    draw_rate: float,
    experience: tuple[NDArray[np.int64], NDArray[np.int64]],
    rng: Generator,
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """How far one drawn pool's ratings are off.

    Of ratings the numbers of games and the errors in deviations; of games the fewer games
    of the two, the errors of differences in deviations, true and predicted scores.
    """
    made, first, second, last = drawn_results(
        pool, world, rng, advantage=advantage, draw_rate=draw_rate
    )
    replay = again(made)
    row = {name: number for number, name in enumerate(replay.ratings.players)}
    here = np.array([row[name] for name in pool.players])
    played = pool.played()
    known = played > 0
    rating, deviation = replay.ratings.rating[here], replay.ratings.deviation[here]
    back = _looks_back(replay)
    # Deviations of whole histories are relative to the mean of all players.
    centre = float(np.mean((rating - last)[known])) if back else float(replay.first_rating[0])
    off_first = replay.first_rating - first - centre
    off_second = replay.second_rating - second - centre
    nothing = np.full(len(pool), np.nan)
    one = nothing if replay.first_deviation is None else replay.first_deviation
    other = nothing if replay.second_deviation is None else replay.second_deviation
    games = (played[pool.first], played[pool.second]) if back else experience
    return (
        (
            np.concatenate([*games, played[known]]),
            np.concatenate(
                [off_first / one, off_second / other, ((rating - last - centre) / deviation)[known]]
            ),
        ),
        (
            np.minimum(*games),
            (off_first - off_second) / np.hypot(one, other),
            _score(first + advantage - second),
            replay.expected,
        ),
    )


def _looks_back(replay: Replay) -> bool:
    """Whether ratings know all games, so that all games of a player count for each day."""
    return isinstance(replay.ratings, WholeHistoryRatings)


def _classes(*games: NDArray[np.int64]) -> NDArray[np.int64]:
    """Edges of the classes that have enough errors of every kind."""
    edges = [0]
    for edge in CLASSES[1:]:
        above = [int((each >= edge).sum()) for each in games]
        between = [int(((each >= edges[-1]) & (each < edge)).sum()) for each in games]
        if min(above) >= LEAST_ERRORS and min(between) >= LEAST_ERRORS:
            edges.append(edge)
    return np.array(edges, np.int64)
