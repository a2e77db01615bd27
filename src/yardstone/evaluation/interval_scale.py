"""How far ratings over time really are from the truth, by games like those at hand.

A deviation that a rating system keeps holds in the world that the system assumes: its spread of
newcomers, its drift, opponents whose errors are their own. In another world Glicko-2's "95 %"
intervals hold 80 or 99 %. So deviations are put to the test on the very games: which spread and
drift of strengths the results speak for is weighed by how well they predict; from those worlds
true strengths and results are drawn anew for the same players, pairings and days; the system
rates them; and its errors, in its own deviations, say how many deviations an interval must
reach. They depend on how many games a player has, so newcomers are measured apart.

The study ``lab/studies/coverage_forecasts.py`` tells how often the intervals that come out
hold the truth in worlds that are, and that are not, among those considered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot, isfinite, log, nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.clusters import half_width
from yardstone.errors import ConvergenceError, ModelError, UsageError
from yardstone.evaluation.backtest import draw_rate_of, fit_draw_rate, shown_advantage
from yardstone.evaluation.metrics import log_likelihoods, recalibration
from yardstone.evaluation.splits import earlier_games
from yardstone.pool import Pool
from yardstone.ratings.egf import Handicap
from yardstone.ratings.glicko import POINTS, Glicko, Glicko2
from yardstone.ratings.result import Estimate, Ratings, Replay
from yardstone.ratings.systems import find_system
from yardstone.ratings.whole_history import WholeHistoryRatings
from yardstone.winprob.laws import (
    ELO_POINTS_PER_LOGIT,
    logistic,
    logit,
    win_draw_loss,
    win_probability,
)

if TYPE_CHECKING:
    from numpy.random import Generator

    from yardstone.arrays import Floats, Longs
    from yardstone.evaluation.rated_games import RatedGames
    from yardstone.ratings.rating_list import GameForecast


#: Players of at least so many earlier games make up each class.
CLASSES = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
MOST_POOLS = 250  #: Pools drawn at most.
#: Of what systems look at beside results, what cannot be drawn anew with them.
NOT_DRAWN = frozenset(("grade", "rating", "length", "margin", "moves"))
LEAST_ERRORS = 300  #: A class with fewer errors than this is joined to the one below.


#: Errors to be drawn, games of a pool that are looked at (most), pools drawn (fewest).
_SEQUENTIAL = (24_000, 20_000, 8)
_WHOLE = (4_000, 400, 4)  #: A whole history is a fit of its own for each pool, so fewer are drawn.


@dataclass(frozen=True, eq=False)
class IntervalScale:
    """How many of a system's deviations an interval must reach; frozen."""

    confidence: float
    games: Longs  #: (classes,): Fewest games of the players of each class, rising from 0.
    #: (classes,): Deviations that hold the truth so often: on each side of a rating relative to the
    #: mean of all players, and of a difference (the root of the sum of both squared deviations; the
    #: class of the player with fewer games). NaN for a system without deviations.
    rating: Floats
    difference: Floats
    #: (classes,): What mends the log odds of expected scores; below 1 for too bold a system.
    slope: Floats
    expected_spread: float  #: Mean spread of newcomers over the likely worlds, in points.
    pools: int  #: How many were drawn.

    def reach(self, games: ArrayLike) -> Floats:
        """Deviations on each side of the rating of players with so many games."""
        return self.rating[self._class(games)]

    def reach_of_difference(self, games: int) -> float:
        """The same for a difference; `games` are those of the player with fewer."""
        return float(self.difference[self._class(games)])

    def corrected(self, expected: float, games: int) -> float:
        """An expected score, right on average; `games` are those of the player with fewer."""
        return float(logistic(float(self.slope[self._class(games)] * _log_odds(expected))))

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

    Of a large pool the first games are looked at: 20,000, or 400 for whole histories. None
    without games, where nothing drawn can be rated, and for systems whose ratings cannot be drawn
    anew: those that begin at declared grades, or go by margins, moves or the length of matches
    (EGF, SKT-LR, fusion, FIBS), and OGS where handicap multiplies ratings.
    """
    system = rated.system
    handicap = getattr(system, "handicap", None)
    unlike = bool(NOT_DRAWN & set(find_system(rated.name).uses))
    unlike |= rated.name == "ogs" and handicap is not None
    if unlike or not rated.number:
        return None
    from yardstone.evaluation.rated_games import whole_history

    wanted, most, fewest = _WHOLE if rated.name == "whr" else _SEQUENTIAL
    pool, expected = rated.opening(most)
    pools = int(np.clip(-(-wanted // (2 * len(pool))), fewest, MOST_POOLS))
    moving = getattr(system, "first_advantage", 0.0)
    advantage = np.full(len(pool), 0.0 if isinstance(moving, str) else float(moving))
    if handicap is not None:
        shift = handicap.advantage(pool)
        advantage += 0.0 if shift is None else shift
    errors = []
    worlds, weight = weighed_worlds(pool, advantage)
    rate = fit_draw_rate(pool.score, expected)
    rng = np.random.default_rng(seed)
    experience = earlier_games(pool)
    for which in rng.choice(len(worlds), pools, p=weight):
        drawn = drawn_results(pool, worlds[which], rng, advantage=advantage, draw_rate=rate)
        try:
            if rated.name == "whr":
                replay = whole_history(drawn.pool, **rated.parameters).replay
            else:
                replay = system.replay(drawn.pool)
        except (ConvergenceError, ModelError):
            continue  # a whole history of nothing but draws, say, has no finite draw rate
        errors.append(_errors(drawn, replay, advantage, experience))
    if not errors:
        return None
    mean = float(np.sum(weight * np.array([world.spread for world in worlds])))
    joined = _Errors(*map(np.concatenate, zip(*errors, strict=True)))
    return _scale(joined, confidence, mean, len(errors))


class _Errors(NamedTuple):
    """How far ratings, and differences in games, of drawn pools are off, in deviations."""

    rating_games: Longs
    rating: Floats
    fewer_games: Longs
    difference: Floats
    truth: Floats
    expected: Floats


def _errors(
    drawn: DrawnGames, replay: Replay, advantage: Floats, experience: tuple[Longs, Longs]
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
    deviations = (replay.first_deviation, replay.second_deviation)
    one, other = (np.full(len(pool), np.nan) if each is None else each for each in deviations)
    games = (played[pool.first], played[pool.second]) if back else experience
    now = ((rating - last - centre) / deviation)[known]
    return _Errors(
        rating_games=np.concatenate([*games, played[known]]),
        rating=np.concatenate([off_first / one, off_second / other, now]),
        fewer_games=np.minimum(*games),
        difference=(off_first - off_second) / np.hypot(one, other),
        truth=win_probability(first + advantage - second),
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


def _classes(*games: Longs) -> Longs:
    """Edges of the classes that have enough errors of every kind."""
    edges = [0]
    for edge in CLASSES[1:]:
        above = [int((each >= edge).sum()) for each in games]
        between = [int(((each >= edges[-1]) & (each < edge)).sum()) for each in games]
        if min(above) >= LEAST_ERRORS and min(between) >= LEAST_ERRORS:
            edges.append(edge)
    return np.array(edges, np.int64)


#: Standard deviations of newcomers' strengths that are considered, in points.
SPREADS = (40.0, 57.0, 80.0, 113.0, 160.0, 226.0, 320.0, 450.0, 640.0)
#: Glicko predicts best with so wide a spread: 1.08 to 1.33 times in 24 simulated kinds of pools.
GLICKO_WIDTH = 1.2
#: Before any game the spread is about 250, half or twice as much being as likely as not.
USUAL_SPREAD, SPREAD_OF_SPREADS = 250.0, 0.7
#: Random walks that are considered: points a game, or points a day.
WALKS = (("game", 0.0), ("game", 6.0), ("game", 14.0), ("day", 2.0), ("day", 6.0))


@dataclass(frozen=True, slots=True)
class World:
    """How strengths may lie and move: normal at first, a random walk from then on.

    `spread` and `step` are standard deviations in points; `walk` ("game" or "day") is what each
    step belongs to.
    """

    spread: float
    walk: str
    step: float


class DrawnGames(NamedTuple):
    """Games with results drawn from a world.

    `first` and `second` are the true strengths at each game, in points around the mean of all who
    may come; `last` those at each player's last game, NaN without one.
    """

    pool: Pool
    first: Floats
    second: Floats
    last: Floats


def weighed_worlds(pool: Pool, advantage: Floats) -> tuple[list[World], Floats]:
    """Worlds that are considered, and how much the results speak for each.

    Each predicts every game from those before (Glicko with that spread and walk): the product of
    the predictions is its likelihood, strengths integrated out but for Glicko's approximation.
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

    def advantage(self, pool: Pool) -> Floats:
        return np.asarray(pool.columns["advantage"], np.float64)


def _model(spread: float, walk: str, step: float) -> Glicko | Glicko2:
    if walk == "day":
        aged = Glicko(initial_deviation=spread, drift=step, idle_days=1.0, min_deviation=0.0)
        return replace(aged, handicap=_Shift())
    volatility = max(step, 1e-3) / POINTS
    return Glicko2(
        initial_deviation=spread, initial_volatility=volatility, tau=0.0, handicap=_Shift()
    )


def drawn_results(
    pool: Pool, world: World, rng: Generator, *, advantage: ArrayLike = 0.0, draw_rate: float = 0.0
) -> DrawnGames:
    """The same games, in order of time, with results drawn from a world.

    `advantage` are points for moving first and for handicap, `draw_rate` is that of equal players.
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
    win, draw, _ = win_draw_loss(win_probability(ahead), draw_rate)
    lot = rng.random(games)
    score = np.where(lot < win, 1.0, np.where(lot < win + draw, 0.5, 0.0))
    return DrawnGames(replace(pool, score=score), first, second, last)


def forecast(
    rated: RatedGames,
    first: str,
    second: str,
    *,
    advantage: float | None = None,
    exact: bool = False,
    confidence: float = 0.95,
    scale: IntervalScale | None = None,
) -> GameForecast:
    """Predict a game from the present ratings; `first` moves first.

    `advantage`: Rating points of `first` for moving first and handicap, instead of the system's own
    and of what the games show (`yardstone.evaluation.backtest.shown_advantage`). `exact`: Take
    ratings as exact. By default chances are averages over what the ratings may truly be, as far as
    `interval_scale` can tell. `scale`: What that gave for these games: to predict many of them.
    """
    from yardstone.ratings.rating_list import GameForecast

    if first == second:
        raise UsageError("nobody plays against himself: name two players")
    system, ratings = rated.system, rated.ratings
    # A name of nobody is refused before anything is simulated.
    one, other = ratings[first], ratings[second]
    games = [int(rated.played[ratings.index(name)]) for name in (first, second)]
    if exact:
        scale = None
    elif scale is None:
        scale = interval_scale(rated, confidence=confidence)
    known = replace(ratings, deviation=np.zeros(len(ratings))) if exact else ratings
    scores = [
        system.expected_score(known, *pair, advantage=advantage)
        for pair in ((first, second), (second, first))
    ]
    # What moving first adds to the log odds beside what the system itself counts.
    told = getattr(system, "first_advantage", 0.0) or "first_advantage" in rated.parameters
    known_moving = advantage is not None or told or not rated.pool.ordered
    moving = Estimate(0.0) if known_moving else shown_advantage(rated.outcomes)
    low = high = nan
    if scale is not None:
        scores = [scale.corrected(value, min(games)) for value in scores]
        off = scale.reach_of_difference(min(games)) * hypot(one.deviation, other.deviation)
        if isfinite(off):
            reach = half_width(confidence) * moving.deviation
            moved = [_moved(ratings, first, points) for points in (-off, 0.0, off)]
            low, middle, high = (
                _log_odds(system.expected_score(each, first, second, advantage=advantage))
                for each in moved
            )
            low, high = (
                float(logistic(middle + moving.value + side * hypot(end - middle, reach)))
                for side, end in ((-1.0, low), (1.0, high))
            )
    expected, turned = (
        float(logistic(_log_odds(value) + moving.value)) if moving.value else value
        for value in scores
    )
    if scale is None:  # what is not tested is not shown
        one, other = (replace(each, deviation=nan) for each in (one, other))
    margin = getattr(system, "margin", None)
    rate = draw_rate_of(rated.outcomes)
    win, draw, loss = (float(part) for part in win_draw_loss(expected, rate))
    return GameForecast(
        first=first,
        second=second,
        first_rating=one,
        second_rating=other,
        first_games=games[0],
        second_games=games[1],
        expected=expected,
        win=win,
        draw=draw,
        loss=loss,
        reversed_expected=1.0 - turned,
        low=low,
        high=high,
        confidence=confidence,
        integrated=scale is not None,
        exact=exact,
        system=rated.name,
        basis=_basis(rated, advantage, moving),
        margin=nan if margin is None else float(margin(one.value, other.value)),
    )


def _basis(rated: RatedGames, advantage: float | None, moving: Estimate) -> str:
    """What the forecast rests on, in sentences."""
    if rated.name == "whr":
        text = f"Basis: {rated.number:,} games, each player's strength followed over time"
    else:
        text = f"Basis: {rated.number:,} games, learned from one after another"
    text += " (`rate` fits all at once, so its forecasts differ). "
    if advantage is not None:
        return f"{text}{advantage:+g} points for moving first and handicap, as given."
    if not rated.pool.ordered:
        return f"{text}It is not known who moved first, so no advantage is counted."
    if not moving.deviation:
        return f"{text}The system's own advantage of moving first is counted."
    points, error = (ELO_POINTS_PER_LOGIT * each for each in (moving.value, moving.deviation))
    return (
        f"{text}For moving first {points:+.0f} Elo are counted, as these games show "
        f"(one standard deviation: {error:.0f})."
    )


def _log_odds(expected: float) -> float:
    return float(logit(min(max(expected, 1e-12), 1.0 - 1e-12)))


def _moved(ratings: Ratings, player: str, points: float) -> Ratings:
    """Exact ratings, that of a player changed by some points."""
    rating = ratings.rating.copy()
    rating[ratings.index(player)] += points
    return replace(ratings, rating=rating, deviation=np.zeros(len(ratings)))
