"""How far intervals of ratings over time must reach: drawn anew, step by step, and by formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import hypot, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

import yardstone
from yardstone.errors import ConvergenceError, InputError, ModelError, UsageError
from yardstone.evaluation.backtest import fit_draw_rate
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

EXAMPLES = Path(yardstone.__file__).parent / "examples"
POINTS = 400.0 / log(10.0)
DAY = 86_400


def games_of(players: int, games: int, seed: int, *, draws: float = 0.2) -> Pool:
    """Games of equal players in order of time, on days that are not whole."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, players, games)
    second = (first + 1 + rng.integers(0, players - 1, games)) % players
    time = np.datetime64("2024-01-01", "s") + np.sort(rng.integers(0, 200 * DAY, games))
    score = rng.choice([0.0, 0.5, 1.0], games, p=[0.5 - draws / 2, draws, 0.5 - draws / 2])
    names = tuple(f"player {row}" for row in range(players))
    return Pool(names, first.astype(np.int32), second.astype(np.int32), score, time)


@pytest.mark.parametrize(
    ("world", "timeless"),
    [
        (World(200.0, "game", 30.0), False),
        (World(80.0, "day", 6.0), False),
        (World(80.0, "day", 6.0), True),
    ],
)
def test_strengths_walk_and_results_follow_them(world: World, timeless: bool) -> None:
    """Player by player through time: one normal number a step; then one lot a game."""
    pool = replace(games_of(7, 40, 1), players=tuple(f"player {k}" for k in range(9)))
    pool = replace(pool, time=None) if timeless else pool
    advantage = np.linspace(-80.0, 80.0, 40)
    drawn = drawn_results(pool, world, np.random.default_rng(5), advantage=advantage, draw_rate=0.3)
    rng = np.random.default_rng(5)
    normal, lot = iter(rng.standard_normal(80)), rng.random(40)
    strength = np.empty((40, 2))
    last = np.full(9, np.nan)
    for player in range(7):
        before = None
        for game in np.flatnonzero((pool.first == player) | (pool.second == player)):
            if before is None:
                here = world.spread * next(normal)
            else:
                size = world.step
                if world.walk == "day" and pool.time is not None:
                    seconds = float((pool.time[game] - pool.time[before]).astype(np.int64))
                    size *= sqrt(seconds / DAY)
                here += size * next(normal)
            strength[game, int(pool.second[game] == player)] = last[player] = here
            before = game
    assert_allclose(np.column_stack([drawn.first, drawn.second]), strength, rtol=1e-9)
    assert_allclose(drawn.last, last, rtol=1e-9)
    expected = expit((strength[:, 0] - strength[:, 1] + advantage) / POINTS)
    # Davidson: D² = (2 d / (1 - d))² W L, and W + D/2 is expected.
    u = (1.0 - 0.3) / 0.3
    draw = 4 * expected * (1 - expected) / (
        1 + np.sqrt(1 + 4 * (u * u - 1) * expected * (1 - expected))
    )  # fmt: skip
    win = expected - draw / 2
    assert (
        drawn.pool.score.tolist()
        == np.where(lot < win, 1.0, np.where(lot < win + draw, 0.5, 0.0)).tolist()
    )
    assert set(drawn.pool.score.tolist()) == {0.0, 0.5, 1.0}


def test_before_any_game_worlds_are_as_likely_as_usual() -> None:
    """The first game of two newcomers says nothing of how far players lie apart."""
    pool = games_of(2, 1, 1)
    worlds, weight = weighed_worlds(pool, np.zeros(1))
    assert len(worlds) == 45  # nine spreads, and five walks by game or day
    assert sum(weight) == pytest.approx(1.0)
    by_spread = {
        spread: sum(w for world, w in zip(worlds, weight, strict=True) if world.spread == spread)
        for spread in {world.spread for world in worlds}
    }
    prior = {spread: np.exp(-0.5 * (log(spread / 250.0) / 0.7) ** 2) for spread in by_spread}
    for spread, share in by_spread.items():
        assert share == pytest.approx(prior[spread] / sum(prior.values()), rel=1e-9)
    walks = {(world.walk, world.step) for world in worlds}
    assert walks == {("game", 0.0), ("game", 6.0), ("game", 14.0), ("day", 2.0), ("day", 6.0)}
    assert sorted(by_spread) == [40, 57, 80, 113, 160, 226, 320, 450, 640]
    worlds, _ = weighed_worlds(replace(pool, time=None), np.zeros(1))
    assert {world.walk for world in worlds} == {"game"}


class Column(Handicap):
    def advantage(self, pool: Pool) -> NDArray[np.float64]:
        return np.full(len(pool), 60.0)


def test_results_speak_for_the_worlds_that_predict_them() -> None:
    pool = games_of(6, 80, 3)
    worlds, weight = weighed_worlds(pool, np.full(80, 60.0))
    share = dict(zip(worlds, weight, strict=True))

    def likelihood(system: Any, spread: float) -> float:
        p = replace(system, handicap=Column()).replay(pool).expected
        logs = pool.score * np.log(p) + (1.0 - pool.score) * np.log1p(-p)
        return float(logs.sum()) - 0.5 * (log(spread / 250.0) / 0.7) ** 2

    def by_game(spread: float, step: float) -> float:
        volatility = max(step, 1e-3) / POINTS
        system = Glicko2(initial_deviation=1.2 * spread, initial_volatility=volatility, tau=0.0)
        return likelihood(system, spread)

    def by_day(spread: float, drift: float) -> float:
        system = Glicko(
            initial_deviation=1.2 * spread, drift=drift, idle_days=1.0, min_deviation=0.0
        )
        return likelihood(system, spread)

    base = by_game(160.0, 6.0) - log(share[World(160.0, "game", 6.0)])
    for value, world in [
        (by_game(40.0, 0.0), World(40.0, "game", 0.0)),
        (by_game(320.0, 14.0), World(320.0, "game", 14.0)),
        (by_day(80.0, 2.0), World(80.0, "day", 2.0)),
        (by_day(226.0, 6.0), World(226.0, "day", 6.0)),
    ]:
        assert value - log(share[world]) == pytest.approx(base, abs=1e-6)


def put_to_the_test(rated: RatedGames, pools: int, seed: int) -> Mapping[str, Any]:
    """Errors in drawn pools in deviations, by classes of players: written down once more."""
    system, pool = rated.system, rated.pool
    moving = getattr(system, "first_advantage", 0.0)
    advantage = np.full(len(pool), 0.0 if isinstance(moving, str) else moving)
    if rated.name == "ogs" or getattr(system, "handicap", None) is not None:
        advantage = advantage + system.handicap.advantage(pool)
    worlds, weight = weighed_worlds(pool, advantage)
    rate = fit_draw_rate(pool.score, rated.replay.expected)
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(worlds), pools, p=weight)
    of_rating: list[tuple[int, float]] = []
    of_game: list[tuple[int, float, float, float]] = []
    for which in chosen:
        drawn = drawn_results(pool, worlds[which], rng, advantage=advantage, draw_rate=rate)
        try:
            whole = rated.name == "whr"
            replay = whole_history(drawn.pool).replay if whole else system.replay(drawn.pool)
        except (ConvergenceError, ModelError):  # one of fifty whole histories has no finite fit
            pools -= 1
            continue
        final = {n: replay.ratings[n] for n in pool.players}
        played = pool.played()
        off = [final[n].value - drawn.last[k] for k, n in enumerate(pool.players) if played[k]]
        centre = np.mean(off)
        count = np.zeros(len(pool.players), int)
        for game in range(len(pool)):
            sides, errors, deviations = (pool.first[game], pool.second[game]), [], []
            games = [int(played[k] if rated.name == "whr" else count[k]) for k in sides]
            for k, side in enumerate(("first", "second")):
                rating = getattr(replay, f"{side}_rating")[game]
                spread = getattr(replay, f"{side}_deviation")
                deviations.append(np.nan if spread is None else spread[game])
                errors.append(rating - getattr(drawn, side)[game] - centre)
                of_rating.append((games[k], errors[k] / deviations[k]))
                count[sides[k]] += 1
            truth = expit((drawn.first[game] + advantage[game] - drawn.second[game]) / POINTS)
            apart = (errors[0] - errors[1]) / hypot(*deviations)
            of_game.append((min(games), apart, truth, replay.expected[game]))
        for k, name in enumerate(pool.players):
            if played[k]:
                error = final[name].value - drawn.last[k] - centre
                of_rating.append((int(played[k]), error / final[name].deviation))
    edges = [0]
    for edge in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89):
        kinds = [[each[0] for each in kind] for kind in (of_rating, of_game)]
        enough = [sum(n >= edge for n in kind) >= 300 for kind in kinds]
        enough += [sum(edges[-1] <= n < edge for n in kind) >= 300 for kind in kinds]
        edges += [edge] if all(enough) else []
    result: dict[str, Any] = {
        "pools": pools,
        "games": edges,
        "rating": [],
        "difference": [],
        "slope": [],
    }
    for low, high in zip(edges, [*edges[1:], np.inf], strict=True):
        reach = [abs(x) for n, x in of_rating if low <= n < high]
        apart = [abs(x) for n, x, *_ in of_game if low <= n < high]
        result["rating"].append(np.quantile(reach, 0.9))
        result["difference"].append(np.quantile(apart, 0.9))
        here = [(t, e) for n, _, t, e in of_game if low <= n < high]
        truth, expected = np.array(here).T
        odds = logit(np.clip(expected, 1e-9, 1 - 1e-9))

        def loss(slope: NDArray[np.float64], t: Any = truth, o: Any = odds) -> float:
            return float(np.sum(np.logaddexp(0.0, slope[0] * o) - t * slope[0] * o))

        result["slope"].append(minimize(loss, [1.0], method="BFGS").x[0])
    result["expected_spread"] = sum(
        w * world.spread for w, world in zip(weight, worlds, strict=True)
    )
    return result


@pytest.mark.parametrize(
    ("name", "parameters", "games", "pools"),
    [("glicko2", {"first_advantage": 50.0}, 160, 75), ("elo", {}, 1600, 8), ("whr", {}, 40, 50)],
)
def test_a_scale_is_made_of_the_errors_in_drawn_pools(
    name: str, parameters: dict[str, Any], games: int, pools: int
) -> None:
    """24,000 ratings are drawn, or 4,000 of whole histories."""
    pool = games_of(8, games, 4)
    rated = whole_history(pool) if name == "whr" else Ledger.begin(name, pool, **parameters)
    scale = interval_scale(rated, confidence=0.9, seed=3)
    assert scale is not None
    wanted = put_to_the_test(rated, pools, 3)
    assert (scale.pools, scale.confidence) == (wanted["pools"], 0.9)
    assert scale.games.tolist() == wanted["games"]
    assert len(wanted["games"]) > (0 if name == "whr" else 4)
    assert_allclose(scale.slope, wanted["slope"], rtol=1e-4)
    assert scale.expected_spread == pytest.approx(wanted["expected_spread"])
    assert scale.has_intervals == (name != "elo")
    for part in ("rating", "difference"):
        assert_allclose(getattr(scale, part), wanted[part], rtol=1e-9)


def test_what_cannot_be_drawn_anew_has_no_scale() -> None:
    pool = games_of(5, 24, 2)
    assert interval_scale(Ledger.begin("elo", pool), seed=1).pools == 250  # type: ignore[union-attr]
    for name in ("fibs", "skt-lr", "egf"):
        assert interval_scale(Ledger.begin(name, pool)) is None
    nothing = pool.select(np.zeros(0, np.int64))
    assert interval_scale(Ledger.begin("elo", nothing)) is None


def test_intervals_of_glicko2_hold_where_it_knows_the_level_of_nobody() -> None:
    """Five pools of 8 players: 40 intervals in clusters, worth some 20."""
    held = level = number = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        made, _, _, last = drawn_results(games_of(8, 100, seed), World(350.0, "game", 10.4), rng)
        rated = Ledger.begin("glicko2", made)
        scale = interval_scale(rated, seed=seed)
        assert scale is not None
        off = rated.ratings.rating - last
        reach = scale.reach(rated.played) * rated.ratings.deviation
        held += int((np.abs(off - off.mean()) <= reach).sum())
        level += int((np.abs(off - 1500.0) <= reach).sum())
        number += len(off)
    assert held >= 0.85 * number
    assert level < 0.92 * number, "the unknown level of the whole pool is in the intervals"


def test_forecasts_hold_with_the_advantage_of_moving_first() -> None:
    """The advantage is not known to the system; both ways round are predicted."""
    held = number = 0
    for seed in range(6):
        advantage = np.random.default_rng(seed).normal(0.0, 50.0)
        world, rng = World(200.0, "game", 0.0), np.random.default_rng(seed)
        made, _, _, last = drawn_results(
            games_of(8, 120, seed), world, rng, advantage=advantage, draw_rate=0.4
        )
        rated = Ledger.begin("glicko2", made)
        scale = interval_scale(rated, seed=seed)
        strength = dict(zip(made.players, last, strict=True))
        for pair in ((0, 1), (1, 0), (2, 5), (6, 3), (7, 4)):
            one, other = (f"player {row}" for row in pair)
            result = forecast(rated, one, other, scale=scale)
            ahead = strength[one] + advantage - strength[other]
            held += result.low <= 1.0 / (1.0 + 10.0 ** (-ahead / 400.0)) <= result.high
            number += 1
    assert held / number >= 0.9


# ----------------------------------------------------------------- forecasts

SCALE = IntervalScale(
    confidence=0.9,
    games=np.array([0, 5, 21]),
    rating=np.array([2.5, 2.0, 1.5]),
    difference=np.array([2.4, 1.9, 1.4]),
    slope=np.array([0.5, 0.8, 1.1]),
    expected_spread=200.0,
    pools=8,
)


def test_a_scale_goes_by_the_games_of_the_player_with_fewer() -> None:
    assert SCALE.reach([0, 4, 5, 20, 21, 500]).tolist() == [2.5, 2.5, 2.0, 2.0, 1.5, 1.5]
    assert [SCALE.reach_of_difference(games) for games in (4, 5, 21)] == [2.4, 1.9, 1.4]
    assert SCALE.corrected(0.8, 20) == pytest.approx(expit(0.8 * log(4.0)))
    assert SCALE.corrected(1.0, 0) == pytest.approx(1.0, abs=1e-5)
    assert SCALE.has_intervals
    assert not replace(SCALE, rating=np.full(3, np.nan)).has_intervals


@pytest.mark.parametrize("given", [None, 35.0])
@pytest.mark.parametrize("own", [0.0, 60.0])
def test_a_forecast_by_its_formulas(given: float | None, own: float) -> None:
    """Mended for boldness, shifted by what games show of moving first, and its interval."""
    parameters = {"first_advantage": own} if own else {}
    rated = Ledger.begin("glicko2", games_of(6, 60, 7), **parameters)
    one, other = rated.ratings["player 1"], rated.ratings["player 2"]
    fewer = int(min(rated.played[rated.ratings.index(n)] for n in ("player 1", "player 2")))
    assert fewer in range(5, 21)
    moving = yardstone.evaluation.backtest.shown_advantage(rated.outcomes)
    known = given is not None or own > 0.0
    shift, error = (0.0, 0.0) if known else (moving.value, moving.deviation)
    ahead = own if given is None else given

    def expected(first: Any, second: Any) -> float:
        q2 = (first.deviation**2 + second.deviation**2) / POINTS**2
        g = 1.0 / sqrt(1.0 + 3.0 * q2 / np.pi**2)
        return float(expit(g * (first.value - second.value + ahead) / POINTS))

    result = forecast(rated, "player 1", "player 2", advantage=given, scale=SCALE, confidence=0.9)
    win = expit(0.8 * logit(expected(one, other)) + shift)
    assert result.expected == pytest.approx(win, rel=1e-6)
    turned = expit(0.8 * logit(expected(other, one)) + shift)
    assert result.reversed_expected == pytest.approx(1.0 - turned, rel=1e-6)
    middle = (one.value - other.value + ahead) / POINTS
    reach = 1.9 * hypot(one.deviation, other.deviation) / POINTS
    wide = hypot(reach, 1.6448536 * error)
    assert result.low == pytest.approx(expit(middle + shift - wide), rel=1e-6)
    assert result.high == pytest.approx(expit(middle + shift + wide), rel=1e-6)
    rate = fit_draw_rate(rated.pool.score[30:], rated.replay.expected[30:])
    assert result.draw**2 == pytest.approx(
        (2 * rate / (1 - rate)) ** 2 * result.win * result.loss, rel=1e-4
    )
    assert result.win + result.draw / 2 == pytest.approx(result.expected)
    assert result.win + result.draw + result.loss == pytest.approx(1.0)
    assert (result.integrated, result.exact, result.system) == (True, False, "glicko2")
    assert result.first_games + result.second_games == sum(
        int(rated.played[rated.ratings.index(n)]) for n in ("player 1", "player 2")
    )


def test_a_forecast_of_exact_ratings_or_without_deviations() -> None:
    pool = games_of(6, 60, 7)
    rated = Ledger.begin("glicko2", pool, first_advantage=40.0)
    one, other = rated.ratings["player 1"], rated.ratings["player 2"]
    exact = forecast(rated, "player 1", "player 2", exact=True)
    assert exact.expected == pytest.approx(expit((one.value + 40.0 - other.value) / POINTS))
    assert (exact.integrated, exact.exact) == (False, True)
    assert np.isnan([exact.low, exact.high, exact.first_rating.deviation]).all()
    elo = forecast(Ledger.begin("elo", pool), "player 1", "player 2", scale=SCALE)
    assert np.isnan([elo.low, elo.high]).all()
    assert elo.integrated
    with pytest.raises(UsageError, match="name two players"):
        forecast(rated, "player 1", "player 1")
    with pytest.raises(InputError, match="no player"):
        forecast(rated, "player 1", "nobody")


def test_the_side_is_honoured_and_the_basis_said() -> None:
    pool = yardstone.read(EXAMPLES / "league.csv", times=True)
    white, black = (
        yardstone.predict(pool, *names)
        for names in (("Fizbo 2", "Jonny 8.1"), ("Jonny 8.1", "Fizbo 2"))
    )
    assert white.expected > 1.0 - black.expected + 0.1
    assert white.reversed_expected == pytest.approx(1.0 - black.expected)
    assert "112 games, learned from one after another" in white.basis
    assert "For moving first +" in white.basis
    listed = yardstone.rate(pool).predict("Fizbo 2", "Jonny 8.1")
    assert "112 games, all fitted at once" in listed.basis
    assert white.low < listed.expected < white.high
    unordered = yardstone.predict(replace(pool, ordered=False), "Fizbo 2", "Jonny 8.1")
    assert unordered.expected == pytest.approx(unordered.reversed_expected)
    assert "not known who moved first" in unordered.basis
    told = yardstone.predict(pool, "Fizbo 2", "Jonny 8.1", parameters={"first_advantage": 0.0})
    assert told.expected == pytest.approx(told.reversed_expected)
    assert "The system's own advantage" in told.basis
    given = yardstone.predict(pool, "Fizbo 2", "Jonny 8.1", advantage=20.0, exact=True)
    assert "+20 points for moving first and handicap, as given" in given.basis
