"""How far intervals of ratings over time must reach: drawn anew, step by step, and by formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import hypot, log, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

import yardstone
from tests.evaluation.games import davidson
from yardstone.errors import ConvergenceError, InputError, ModelError, UsageError
from yardstone.evaluation.backtest import fit_draw_rate, shown_advantage
from yardstone.evaluation.interval_scale import (
    IntervalScale,
    World,
    drawn_results,
    forecast,
    interval_scale,
    weighed_worlds,
)
from yardstone.evaluation.ledger import Ledger
from yardstone.evaluation.rated_games import RatedGames, whole_history
from yardstone.pool import Pool
from yardstone.ratings.egf import Handicap
from yardstone.ratings.glicko import Glicko, Glicko2

POINTS = 400.0 / log(10.0)
DAY = 86_400


def games_of(players: int, games: int, seed: int) -> Pool:
    """Games of equal players in order of time, on days that are not whole."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, players, games)
    second = (first + 1 + rng.integers(0, players - 1, games)) % players
    time = np.datetime64("2024-01-01", "s") + np.sort(rng.integers(0, 200 * DAY, games))
    score = rng.choice([0.0, 0.5, 1.0], games, p=[0.4, 0.2, 0.4])
    names = tuple(f"player {row}" for row in range(players))
    return Pool(names, first.astype(np.int32), second.astype(np.int32), score, time)


@pytest.mark.parametrize(
    ("world", "timeless"),
    [(World(200.0, "game", 30.0), False), *((World(80.0, "day", 6.0), k) for k in (False, True))],
)
def test_strengths_walk_and_results_follow_them(world: World, timeless: bool) -> None:
    """Player by player through time: one normal number a step; then one lot a game."""
    pool = replace(games_of(7, 40, 1), players=tuple(f"player {k}" for k in range(9)))
    pool = replace(pool, time=None) if timeless else pool
    advantage = np.linspace(-80.0, 80.0, 40)
    drawn = drawn_results(pool, world, np.random.default_rng(5), advantage=advantage, draw_rate=0.3)
    rng = np.random.default_rng(5)
    normal, lot = iter(rng.standard_normal(80)), rng.random(40)
    strength, last = np.empty((40, 2)), np.full(9, np.nan)
    for player in range(7):
        before, here = None, 0.0
        for game in np.flatnonzero((pool.first == player) | (pool.second == player)):
            size = world.spread if before is None else world.step
            if before is not None and world.walk == "day" and pool.time is not None:
                size *= sqrt(float((pool.time[game] - pool.time[before]).astype(np.int64)) / DAY)
            here += size * next(normal)
            strength[game, int(pool.second[game] == player)] = last[player] = here
            before = game
    assert_allclose(np.column_stack([drawn.first, drawn.second]), strength, rtol=1e-9)
    assert_allclose(drawn.last, last, rtol=1e-9)
    expected = expit((strength[:, 0] - strength[:, 1] + advantage) / POINTS)
    draw = davidson(expected, 0.3)
    win = expected - draw / 2
    score = np.where(lot < win, 1.0, np.where(lot < win + draw, 0.5, 0.0)).tolist()
    assert drawn.pool.score.tolist() == score
    assert set(score) == {0.0, 0.5, 1.0}


def test_before_any_game_worlds_are_as_likely_as_usual() -> None:
    """The first game of two newcomers says nothing of how far players lie apart."""
    pool = games_of(2, 1, 1)
    worlds, weight = weighed_worlds(pool, np.zeros(1))
    walks = [("game", 0.0), ("game", 6.0), ("game", 14.0), ("day", 2.0), ("day", 6.0)]
    spreads = [40.0, 57.0, 80.0, 113.0, 160.0, 226.0, 320.0, 450.0, 640.0]
    assert worlds == [World(spread, *walk) for walk in walks for spread in spreads]
    prior = np.exp(-0.5 * (np.log(np.array(spreads) / 250.0) / 0.7) ** 2)
    assert_allclose(weight, np.tile(prior / prior.sum() / 5.0, 5), rtol=1e-9)
    worlds, _ = weighed_worlds(replace(pool, time=None), np.zeros(1))
    assert {world.walk for world in worlds} == {"game"}


class Column(Handicap):
    def advantage(self, pool: Pool) -> NDArray[np.float64]:
        return np.full(len(pool), 60.0)


def test_results_speak_for_the_worlds_that_predict_them() -> None:
    pool = games_of(6, 80, 3)
    share = dict(zip(*weighed_worlds(pool, np.full(80, 60.0)), strict=True))

    def likelihood(world: World) -> float:
        system: Any = Glicko(drift=world.step, idle_days=1.0, min_deviation=0.0)
        if world.walk == "game":
            system = Glicko2(initial_volatility=max(world.step, 1e-3) / POINTS, tau=0.0)
        system = replace(system, initial_deviation=1.2 * world.spread)
        p = replace(system, handicap=Column()).replay(pool).expected
        logs = pool.score * np.log(p) + (1.0 - pool.score) * np.log1p(-p)
        return float(logs.sum()) - 0.5 * (log(world.spread / 250.0) / 0.7) ** 2

    base = World(160.0, "game", 6.0)
    for row in (
        (40.0, "game", 0.0),
        (320.0, "game", 14.0),
        (80.0, "day", 2.0),
        (226.0, "day", 6.0),
    ):
        ratio = likelihood(World(*row)) - likelihood(base)
        assert log(share[World(*row)] / share[base]) == pytest.approx(ratio, abs=1e-6), row


def put_to_the_test(rated: RatedGames, pools: int, ahead: float) -> Mapping[str, Any]:
    """Errors in drawn pools in deviations, by classes of players: written down once more."""
    pool, whole = rated.pool, rated.name == "whr"
    advantage = np.full(len(pool), ahead)
    worlds, weight = weighed_worlds(pool, advantage)
    rate = fit_draw_rate(pool.score, rated.replay.expected)
    rng = np.random.default_rng(3)
    of_rating: list[tuple[int, float]] = []
    of_game: list[tuple[int, float, float, float]] = []
    for which in rng.choice(len(worlds), pools, p=weight):
        drawn = drawn_results(pool, worlds[which], rng, advantage=advantage, draw_rate=rate)
        try:
            system = rated.system
            replay = whole_history(drawn.pool).replay if whole else system.replay(drawn.pool)
        except (ConvergenceError, ModelError):  # one of fifty whole histories has no finite fit
            pools -= 1
            continue
        final, played = [replay.ratings[n] for n in pool.players], pool.played()
        centre = np.mean([f.value - t for f, t in zip(final, drawn.last, strict=True)])
        count = np.zeros(len(pool.players), int)
        for game in range(len(pool)):
            sides, errors, deviations = (pool.first[game], pool.second[game]), [], []
            games = [int((played if whole else count)[k]) for k in sides]
            for k, side in enumerate(("first", "second")):
                spread = getattr(replay, f"{side}_deviation")
                deviations.append(np.nan if spread is None else spread[game])
                rating, truth = getattr(replay, f"{side}_rating"), getattr(drawn, side)
                errors.append(rating[game] - truth[game] - centre)
                of_rating.append((games[k], errors[k] / deviations[k]))
                count[sides[k]] += 1
            truth = expit((drawn.first[game] + ahead - drawn.second[game]) / POINTS)
            apart = (errors[0] - errors[1]) / hypot(*deviations)
            of_game.append((min(games), apart, truth, replay.expected[game]))
        for k, rating in enumerate(final):
            error = rating.value - drawn.last[k] - centre
            of_rating.append((int(played[k]), error / rating.deviation))
    kinds = [np.array([each[0] for each in kind]) for kind in (of_rating, of_game)]
    edges = [0]
    for edge in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89):
        enough = [(n >= edge).sum() >= 300 for n in kinds]
        enough += [((edges[-1] <= n) & (n < edge)).sum() >= 300 for n in kinds]
        edges += [edge] if all(enough) else []
    result: dict[str, Any] = {"rating": [], "difference": [], "slope": []}
    for low, high in zip(edges, [*edges[1:], np.inf], strict=True):
        here = np.array([row for n, *row in of_game if low <= n < high])
        reach = [abs(x) for n, x in of_rating if low <= n < high]
        result["rating"].append(np.quantile(reach, 0.9))
        result["difference"].append(np.quantile(np.abs(here[:, 0]), 0.9))
        odds = logit(np.clip(here[:, 2], 1e-9, 1 - 1e-9))

        def loss(slope: NDArray[np.float64], t: Any = here[:, 1], o: Any = odds) -> float:
            return float(np.sum(np.logaddexp(0.0, slope[0] * o) - t * slope[0] * o))

        result["slope"].append(minimize(loss, [1.0], method="BFGS").x[0])
    mean = sum(w * world.spread for w, world in zip(weight, worlds, strict=True))
    return {**result, "games": edges, "pools": pools, "expected_spread": mean}


@pytest.mark.parametrize(
    ("name", "parameters", "games", "pools", "most"),
    [("glicko2", {"first_advantage": 50.0, "handicap": Column()}, 160, 75, 20_000),
     ("elo", {}, 1600, 8, 20_000), ("whr", {}, 40, 50, 400)],
)  # fmt: skip
def test_a_scale_is_made_of_the_errors_in_drawn_pools(
    name: str, parameters: dict[str, Any], games: int, pools: int, most: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """24,000 ratings are drawn, or 4,000 of whole histories, from the first games at most."""
    pool = games_of(8, games, 4)
    rated = whole_history(pool) if name == "whr" else Ledger.begin(name, pool, **parameters)
    looked_at: list[int] = []
    opening = RatedGames.opening

    def watched(self: RatedGames, games: int) -> tuple[Pool, NDArray[np.float64]]:
        looked_at.append(games)
        return opening(self, games)

    monkeypatch.setattr(RatedGames, "opening", watched)
    scale = interval_scale(rated, confidence=0.9, seed=3)
    assert scale is not None
    wanted = put_to_the_test(rated, pools, 110.0 if parameters else 0.0)
    assert (looked_at, scale.pools, scale.confidence) == ([most], wanted["pools"], 0.9)
    assert scale.games.tolist() == wanted["games"]
    assert len(wanted["games"]) > (0 if name == "whr" else 4)
    assert_allclose(scale.slope, wanted["slope"], rtol=1e-4)
    assert scale.expected_spread == pytest.approx(wanted["expected_spread"])
    assert scale.has_intervals == (name != "elo")
    for part in ("rating", "difference"):
        assert_allclose(getattr(scale, part), wanted[part], rtol=1e-9)


def test_what_cannot_be_drawn_anew_has_no_scale() -> None:
    pool = replace(games_of(5, 24, 2), columns={"handicap": np.zeros(24)})
    for name, options, pools in (
        ("ogs", {}, 250), ("ogs", {"handicap": Handicap()}, None), ("fibs", {}, None),
        ("skt-lr", {}, None), ("egf", {}, None),
    ):  # fmt: skip
        scale = interval_scale(Ledger.begin(name, pool, **options))
        assert (scale and scale.pools) == pools, name
    assert interval_scale(Ledger.begin("elo", pool.select(np.zeros(0, np.int64)))) is None


@pytest.mark.parametrize(
    ("world", "games", "advantage", "rate"),
    [(World(350.0, "game", 10.4), 100, 0.0, 0.0), (World(200.0, "game", 0.0), 120, 50.0, 0.4)],
)
def test_intervals_of_glicko2_hold(world: World, games: int, advantage: float, rate: float) -> None:
    """Of ratings about their mean, and of forecasts, with an advantage nobody told the system."""
    ratings, level, forecasts = [], [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        ahead, pool = rng.normal(0.0, advantage), games_of(8, games, seed)
        made, _, _, last = drawn_results(pool, world, rng, advantage=ahead, draw_rate=rate)
        rated = Ledger.begin("glicko2", made)
        scale = interval_scale(rated, seed=seed)
        assert scale is not None
        off = rated.ratings.rating - last
        reach = scale.reach(rated.played) * rated.ratings.deviation
        ratings += (np.abs(off - off.mean()) <= reach).tolist()
        level += (np.abs(off - 1500.0) <= reach).tolist()
        for one, other in ((0, 1), (1, 0), (2, 5), (6, 3), (7, 4)):
            result = forecast(rated, f"player {one}", f"player {other}", scale=scale)
            truth = expit((last[one] + ahead - last[other]) / POINTS)
            forecasts.append(result.low <= truth <= result.high)
    assert np.mean(ratings) >= 0.85  # 40 intervals in clusters, worth some 20
    assert np.mean(level) < 0.92, "the unknown level of the whole pool is in the intervals"
    assert np.mean(forecasts) >= 0.9


# ----------------------------------------------------------------- forecasts

SCALE = IntervalScale(
    confidence=0.9, games=np.array([0, 5, 21]), rating=np.array([2.5, 2.0, 1.5]),
    difference=np.array([2.4, 1.9, 1.4]), slope=np.array([0.5, 0.8, 1.1]),
    expected_spread=200.0, pools=8,
)  # fmt: skip


def test_a_scale_goes_by_the_games_of_the_player_with_fewer() -> None:
    assert SCALE.reach([0, 4, 5, 20, 21, 500]).tolist() == [2.5, 2.5, 2.0, 2.0, 1.5, 1.5]
    assert [SCALE.reach_of_difference(games) for games in (4, 5, 21)] == [2.4, 1.9, 1.4]
    assert SCALE.corrected(0.8, 20) == pytest.approx(expit(0.8 * log(4.0)))
    assert SCALE.corrected(1.0, 0) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("given", [None, 35.0])
@pytest.mark.parametrize("own", [0.0, 60.0])
def test_a_forecast_by_its_formulas(given: float | None, own: float) -> None:
    """Mended for boldness, shifted by what games show of moving first, and its interval."""
    rated = Ledger.begin("glicko2", games_of(6, 60, 7), **({"first_advantage": own} if own else {}))
    names = ("player 1", "player 2")
    one, other = (rated.ratings[name] for name in names)
    games = [int(rated.played[rated.ratings.index(name)]) for name in names]
    assert min(games) in range(5, 21)
    moving = shown_advantage(rated.outcomes)
    known = given is not None or own > 0.0
    shift, error = (0.0, 0.0) if known else (moving.value, moving.deviation)
    ahead = own if given is None else given

    def expected(first: Any, second: Any) -> float:
        q2 = (first.deviation**2 + second.deviation**2) / POINTS**2
        g = 1.0 / sqrt(1.0 + 3.0 * q2 / np.pi**2)
        odds = g * (first.value - second.value + ahead) / POINTS
        return float(expit(0.8 * odds + shift))

    result = forecast(rated, *names, advantage=given, scale=SCALE, confidence=0.9)
    assert result.expected == pytest.approx(expected(one, other), rel=1e-6)
    assert result.reversed_expected == pytest.approx(1.0 - expected(other, one), rel=1e-6)
    middle = (one.value - other.value + ahead) / POINTS + shift
    wide = hypot(1.9 * hypot(one.deviation, other.deviation) / POINTS, 1.6448536 * error)
    ends = expit([middle - wide, middle + wide])
    assert_allclose([result.low, result.high], ends, rtol=1e-6)
    rate = fit_draw_rate(rated.pool.score[30:], rated.replay.expected[30:])
    draw = float(davidson(np.array(result.expected), rate))
    wanted = (result.expected - draw / 2, draw, 1.0 - result.expected - draw / 2)
    assert (result.win, result.draw, result.loss) == pytest.approx(wanted, rel=1e-4)
    assert (result.integrated, result.exact, result.system) == (True, False, "glicko2")
    assert [result.first_games, result.second_games] == games


def test_a_forecast_of_exact_ratings_or_without_deviations() -> None:
    pool = games_of(6, 60, 7)
    rated = Ledger.begin("glicko2", pool, first_advantage=40.0)
    one, other = rated.ratings["player 1"], rated.ratings["player 2"]
    exact = forecast(rated, "player 1", "player 2", exact=True)
    assert exact.expected == pytest.approx(expit((one.value + 40.0 - other.value) / POINTS))
    assert (exact.integrated, exact.exact) == (False, True)
    elo = forecast(Ledger.begin("elo", pool), "player 1", "player 2", scale=SCALE)
    assert np.isnan([exact.low, exact.high, exact.first_rating.deviation, elo.low, elo.high]).all()
    for name, message in (("player 1", "name two players"), ("nobody", "no player")):
        with pytest.raises((UsageError, InputError), match=message):
            forecast(rated, "player 1", name)
    # Its basis is said.
    told: dict[str, Any] = {"parameters": {"first_advantage": 0.0}}
    for games, options, basis, even in (
        (pool, {}, "For moving first ", False),
        (replace(pool, ordered=False), {}, "not known who moved first", True),
        (pool, told, "The system's own advantage", True),
        (pool, {"advantage": 20.0}, "+20 points for moving first and handicap, as given", False),
    ):
        result = yardstone.predict(games, "player 1", "player 2", exact=True, **options)
        assert basis in result.basis
        assert (result.expected == pytest.approx(result.reversed_expected)) == even, basis
