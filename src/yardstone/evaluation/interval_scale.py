"""How far ratings over time really are from the truth, by games like those at hand.

A deviation that a rating system keeps holds in the world that the system assumes: its
spread of newcomers, its drift, opponents whose errors are their own. In another world
Glicko-2's "95 %" intervals hold 80 or 99 %. So deviations are put to the test on the
very games: which spread and drift of strengths the results speak for is weighed by how
well they predict (`yardstone.evaluation.worlds`); from those worlds true strengths and
results are drawn anew for the same players, pairings and days; the system rates them; and
its errors, in its own deviations, say how many deviations an interval must reach. They
depend on how many games a player has, so newcomers are measured apart.

The study ``lab/studies/coverage_forecasts.py`` tells how often the intervals that come out
hold the truth in worlds that are, and that are not, among those considered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import ConvergenceError, ModelError
from yardstone.evaluation.calibration import recalibration
from yardstone.evaluation.draws import fit_draw_rate
from yardstone.evaluation.splits import earlier_games
from yardstone.evaluation.worlds import (
    SPREADS,
    WALKS,
    DrawnGames,
    drawn_results,
    true_scores,
    weighed_worlds,
)
from yardstone.kernels import Loops, work
from yardstone.ratings.history import WholeHistoryRatings
from yardstone.ratings.systems import find_system
from yardstone.winprob.logistic import logistic, logit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.evaluation.rated_games import RatedGames
    from yardstone.pool import Pool
    from yardstone.ratings.replay import Replay

    Array = NDArray[np.float64]

__all__ = ["IntervalScale", "interval_scale"]

#: Players of at least so many earlier games make up each class.
CLASSES = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
#: Pools drawn at most.
MOST_POOLS = 250
#: Of what systems look at beside results, what cannot be drawn anew with them.
NOT_DRAWN = frozenset(("grade", "rating", "length", "margin", "moves"))
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
        Deviations on each side of a rating relative to the mean of all players after the
        last game, and of a difference of two ratings (the
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
        ratings cannot be drawn anew: those that begin at declared grades, or go by margins,
        moves or the length of matches (EGF, SKT-LR, fusion, FIBS), and OGS where handicap
        multiplies ratings.
    """
    system = rated.system
    handicap = getattr(system, "handicap", None)
    unlike = bool(NOT_DRAWN & set(find_system(rated.name).uses))
    unlike |= rated.name == "ogs" and handicap is not None
    if unlike or not rated.number:
        return None
    effort = _WHOLE if rated.name == "whr" else _SEQUENTIAL
    pool, expected = rated.opening(effort.games)
    pools = int(np.clip(-(-effort.errors // (2 * len(pool))), effort.pools, MOST_POOLS))
    replays = pools + len(WALKS) * len(SPREADS)
    loops = Loops.WHOLE_HISTORY if rated.name == "whr" else Loops.REPLAY
    with work(loops, replays * len(pool)):
        return _scale_of(rated, pool, expected, pools, confidence, seed)


def _scale_of(
    rated: RatedGames, pool: Pool, expected: Array, pools: int, confidence: float, seed: int
) -> IntervalScale | None:
    """The same by so many pools like this one."""
    system = rated.system
    handicap = getattr(system, "handicap", None)
    moving = getattr(system, "first_advantage", 0.0)
    advantage = np.full(len(pool), 0.0 if isinstance(moving, str) else float(moving))
    if handicap is not None:
        shift = handicap.advantage(pool)
        advantage += 0.0 if shift is None else shift
    worlds, weight = weighed_worlds(pool, advantage)
    draw_rate = fit_draw_rate(pool.score, expected)
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(worlds), pools, p=weight)
    again = _rating_again(rated)
    experience = earlier_games(pool)
    errors = []
    for which in chosen:
        drawn = drawn_results(pool, worlds[which], rng, advantage=advantage, draw_rate=draw_rate)
        try:
            replay = again(drawn.pool)
        except (ConvergenceError, ModelError):
            continue  # a whole history of nothing but draws, say, has no finite draw rate
        errors.append(_errors(drawn, replay, advantage, experience))
    if not errors:
        return None
    mean = float(np.sum(weight * np.array([world.spread for world in worlds])))
    return _scale(_Errors.joined(errors), confidence, mean, len(errors))


def _rating_again(rated: RatedGames) -> Callable[[Pool], Replay]:
    """Rates other results by the same system."""
    if rated.name == "whr":
        from yardstone.evaluation.rated_games import whole_history

        parameters = dict(rated.parameters)
        return lambda pool: whole_history(pool, **parameters).replay
    replay: Callable[[Pool], Replay] = rated.system.replay  # type: ignore[attr-defined]
    return replay


@dataclass(frozen=True, eq=False)
class _Errors:
    """How far ratings of drawn pools are off.

    Attributes
    ----------
    rating_games, rating : arrays (ratings,)
        Of ratings the numbers of games, and the errors in deviations.
    fewer_games, difference, truth, expected : arrays (games,)
        Of games the fewer games of the two players, the errors of the difference in
        deviations, and true and predicted scores.
    """

    rating_games: NDArray[np.int64]
    rating: Array
    fewer_games: NDArray[np.int64]
    difference: Array
    truth: Array
    expected: Array

    @classmethod
    def joined(cls, parts: Sequence[_Errors]) -> _Errors:
        """Those of several pools."""
        return cls(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(cls)))


def _errors(
    drawn: DrawnGames,
    replay: Replay,
    advantage: Array,
    experience: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> _Errors:
    """The errors in one drawn pool, of which `replay` are the ratings."""
    pool, first, second, last = drawn.pool, drawn.first, drawn.second, drawn.last
    row = {name: number for number, name in enumerate(replay.ratings.players)}
    here = np.array([row[name] for name in pool.players])
    played = pool.played()
    known = played > 0
    rating, deviation = replay.ratings.rating[here], replay.ratings.deviation[here]
    # No result tells the level of the whole pool: ratings are relative to its mean in the end.
    centre = float(np.mean((rating - last)[known]))
    # Whole histories know all games, so that all games of a player count for each day.
    back = isinstance(replay.ratings, WholeHistoryRatings)
    off_first = replay.first_rating - first - centre
    off_second = replay.second_rating - second - centre
    nothing = np.full(len(pool), np.nan)
    one = nothing if replay.first_deviation is None else replay.first_deviation
    other = nothing if replay.second_deviation is None else replay.second_deviation
    games = (played[pool.first], played[pool.second]) if back else experience
    now = ((rating - last - centre) / deviation)[known]
    return _Errors(
        rating_games=np.concatenate([*games, played[known]]),
        rating=np.concatenate([off_first / one, off_second / other, now]),
        fewer_games=np.minimum(*games),
        difference=(off_first - off_second) / np.hypot(one, other),
        truth=true_scores(first + advantage - second),
        expected=replay.expected,
    )


def _scale(errors: _Errors, confidence: float, spread: float, pools: int) -> IntervalScale:
    """What intervals must reach, by classes of players."""
    edges = _classes(errors.rating_games, errors.fewer_games)
    rating, difference, slope = (np.ones(len(edges)) for _ in range(3))
    of_rating = np.searchsorted(edges, errors.rating_games, side="right") - 1
    of_game = np.searchsorted(edges, errors.fewer_games, side="right") - 1
    for number in range(len(edges)):
        here = of_game == number
        rating[number] = np.quantile(np.abs(errors.rating[of_rating == number]), confidence)
        difference[number] = np.quantile(np.abs(errors.difference[here]), confidence)
        truth, expected = errors.truth[here], errors.expected[here]
        corrected = recalibration(
            np.concatenate([truth, 1.0 - truth]), np.concatenate([expected, 1.0 - expected])
        )[1]
        slope[number] = corrected if isfinite(corrected) and corrected > 0.0 else 1.0
    return IntervalScale(confidence, edges, rating, difference, slope, spread, pools)


def _classes(*games: NDArray[np.int64]) -> NDArray[np.int64]:
    """Edges of the classes that have enough errors of every kind."""
    edges = [0]
    for edge in CLASSES[1:]:
        above = [int((each >= edge).sum()) for each in games]
        between = [int(((each >= edges[-1]) & (each < edge)).sum()) for each in games]
        if min(above) >= LEAST_ERRORS and min(between) >= LEAST_ERRORS:
            edges.append(edge)
    return np.array(edges, np.int64)
