"""Intervals of ratings over time hold the truth, in worlds that the system does not assume."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import yardstone
from yardstone.evaluation.backtest import outcome_table, shown_advantage
from yardstone.evaluation.interval_scale import World, drawn_results, forecast, interval_scale
from yardstone.evaluation.ledger import Ledger
from yardstone.evaluation.rated_games import whole_history
from yardstone.pool import Pool
from yardstone.ratings.glicko import POINTS

EXAMPLES = Path(yardstone.__file__).parent / "examples"


def without_results(players: int, games: int, rng: np.random.Generator) -> Pool:
    first = rng.integers(0, players, games)
    second = (first + 1 + rng.integers(0, players - 1, games)) % players
    day = np.sort(rng.integers(0, 200, games)).astype("datetime64[D]").astype("datetime64[s]")
    names = tuple(f"player {row}" for row in range(players))
    return Pool(names, first.astype(np.int32), second.astype(np.int32), np.zeros(games), day)


def test_drawn_strengths_begin_with_their_spread_and_walk() -> None:
    rng = np.random.default_rng(1)
    pool = without_results(4000, 8000, rng)
    _, first, second, last = drawn_results(pool, World(200.0, "game", 30.0), rng)
    strengths = np.column_stack([first, second]).ravel()
    owners = np.column_stack([pool.first, pool.second]).ravel()
    order = np.argsort(owners, kind="stable")
    same = owners[order][1:] == owners[order][:-1]
    steps = np.diff(strengths[order])[same]
    assert_allclose(steps.std(), 30.0, rtol=0.05)
    begins = np.append(True, ~same)
    assert_allclose(strengths[order][begins].std(), 200.0, rtol=0.05)
    assert np.isnan(last[pool.played() == 0]).all()


def test_drawn_results_follow_the_difference() -> None:
    rng = np.random.default_rng(2)
    pool = without_results(300, 30_000, rng)
    made, first, second, _ = drawn_results(pool, World(200.0, "game", 0.0), rng, draw_rate=0.3)
    expected = 1.0 / (1.0 + 10.0 ** (-(first - second) / 400.0))
    assert_allclose(np.mean(made.score - expected), 0.0, atol=0.01)
    assert 0.15 < np.mean(made.score == 0.5) < 0.3


@pytest.mark.parametrize(
    ("world", "least", "most"),
    # 24 pools of 8 players: 192 intervals in clusters, worth some 100: 3 errors are 6 %.
    [(World(350.0, "game", 10.4), 0.89, 1.0), (World(100.0, "game", 0.0), 0.89, 1.0)],
)
def test_intervals_of_glicko2_hold(world: World, least: float, most: float) -> None:
    held = level = number = 0
    for seed in range(24):
        rng = np.random.default_rng(seed)
        made, _, _, last = drawn_results(without_results(8, 100, rng), world, rng)
        rated = Ledger.begin("glicko2", made)
        scale = interval_scale(rated, seed=seed)
        assert scale is not None
        ratings = rated.ratings
        truth = last[[made.players.index(name) for name in ratings.players]]
        off = ratings.rating - truth
        games = rated.pool.played()[[rated.pool.players.index(n) for n in ratings.players]]
        reach = scale.reach(games) * ratings.deviation
        held += int((np.abs(off - off.mean()) <= reach).sum())
        level += int((np.abs(off - 1500.0) <= reach).sum())
        number += len(off)
    assert least <= held / number <= most
    assert level / number < 0.92, "the unknown level of the whole pool is in the intervals"


def test_forecasts_hold_with_the_advantage_of_moving_first() -> None:
    """The advantage is not known to the system; both ways round are predicted."""
    held = number = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        advantage = rng.normal(0.0, 50.0)
        made, _, _, last = drawn_results(
            without_results(8, 120, rng),
            World(200.0, "game", 0.0),
            rng,
            advantage=advantage,
            draw_rate=0.4,
        )
        rated = Ledger.begin("glicko2", made)
        scale = interval_scale(rated, seed=seed)
        strength = dict(zip(made.players, last, strict=True))
        for one, other in [("player 0", "player 1"), ("player 1", "player 0"),
                           ("player 2", "player 5"), ("player 6", "player 3"),
                           ("player 7", "player 4")]:  # fmt: skip
            result = forecast(rated, one, other, scale=scale)
            ahead = strength[one] + advantage - strength[other]
            held += result.low <= 1.0 / (1.0 + 10.0 ** (-ahead / 400.0)) <= result.high
            number += 1
    assert held / number >= 0.9


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
    present = yardstone.history(pool)["Fizbo 2"]
    assert present.high - present.low < 220.0  # 360 with the level of the whole pool
    unordered = yardstone.predict(replace(pool, ordered=False), "Fizbo 2", "Jonny 8.1")
    assert unordered.expected == pytest.approx(unordered.reversed_expected)
    assert "not known who moved first" in unordered.basis
    told = yardstone.predict(pool, "Fizbo 2", "Jonny 8.1", parameters={"first_advantage": 0.0})
    assert told.expected == pytest.approx(told.reversed_expected)


def test_few_games_say_little_of_the_advantage_and_many_much() -> None:
    rng = np.random.default_rng(5)
    for games, most in ((10, 0.3), (20_000, 0.06)):
        pool = drawn_results(
            without_results(50, games, rng), World(1.0, "game", 0.0), rng, advantage=60.0
        ).pool
        shown = shown_advantage(outcome_table(pool.score, np.full(games, 0.5)))
        assert 0.0 < shown.deviation < most
        assert abs(shown.value - 60.0 / POINTS) < 3.0 * max(shown.deviation, 0.02)


def test_forecasts_are_right_on_average_where_ratings_alone_are_too_bold() -> None:
    """Elo with K = 40 in a narrow world: chances of 60 % and more, against the true ones.

    The world is far narrower than is usual, so something of its boldness must remain.
    """
    bold, ours, truth = [], [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        made, _, _, last = drawn_results(
            without_results(20, 300, rng), World(60.0, "game", 0.0), rng
        )
        rated = Ledger.begin("elo", made, k=40.0)
        scale = interval_scale(rated, seed=seed)
        strength = dict(zip(made.players, last, strict=True))
        for one, other in rng.choice(20, (12, 2)):
            if one == other:
                continue
            names = f"player {one}", f"player {other}"
            if any(name not in rated.pool.players for name in names):
                continue
            exact = forecast(rated, *names, exact=True)
            if exact.expected < 0.6:
                names = names[::-1]
                exact = forecast(rated, *names, exact=True)
            if exact.expected >= 0.6:
                result = forecast(rated, *names, scale=scale)
                assert result.integrated
                assert np.isnan(result.low)
                bold.append(exact.expected)
                ours.append(result.expected)
                truth.append(1.0 / (1.0 + 10 ** ((strength[names[1]] - strength[names[0]]) / 400)))
    assert len(truth) > 30
    assert np.mean(bold) - np.mean(truth) > 0.06
    left = (np.mean(ours) - np.mean(truth)) / (np.mean(bold) - np.mean(truth))
    assert 0.0 <= left < 0.6


def test_whole_histories_have_intervals_and_systems_by_grade_none() -> None:
    rng = np.random.default_rng(3)
    pool = drawn_results(without_results(8, 60, rng), World(200.0, "game", 0.0), rng)[0]
    scale = interval_scale(whole_history(pool))
    assert scale is not None
    assert scale.has_intervals
    assert (scale.rating > 1.0).all()
    elo = interval_scale(Ledger.begin("elo", pool))
    assert elo is not None
    assert not elo.has_intervals
    for name in ("fibs", "skt-lr"):
        assert interval_scale(Ledger.begin(name, pool)) is None


def test_equal_seeds_give_equal_scales() -> None:
    rng = np.random.default_rng(4)
    pool = drawn_results(without_results(8, 60, rng), World(200.0, "game", 0.0), rng)[0]
    make = partial(interval_scale, Ledger.begin("glicko", pool), seed=7)
    one, two = make(), make()
    assert one is not None
    assert two is not None
    assert np.array_equal(one.rating, two.rating)
    assert one.reach([0, 100]).shape == (2,)
