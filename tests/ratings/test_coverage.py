"""Promised 95 %, held 93 to 97: small samples, newcomers and every option, quickly.

`lab/studies/coverage.py` measures the same at length.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import beta

from tests.ratings.simulated import POINTS, simulated_pool
from yardstone.pool import Pool
from yardstone.ratings import BradleyTerry, Status
from yardstone.ratings.bradley_terry import fit_widely, misfit_of_join
from yardstone.ratings.joint import draw_rate_interval, perfect_limits
from yardstone.ratings.match import LEAST_RESULTS, Match, normalized_elo, superiority
from yardstone.ratings.rating_list import rate, summarise
from yardstone.ratings.sprt import Sprt, log_likelihood_ratio
from yardstone.winprob.laws import win_draw_loss, win_probability

NORMAL_95 = 1.959964
FREE = BradleyTerry(average=0.0, first_advantage="auto", draw_rate="auto", method="likelihood")


def assert_holds(inside: int, number: int, *, high: float = 0.97, each: int = 1) -> None:
    """93 to 97 %, or beyond by no more than two standard errors; `each` cases hang together."""
    low, slack = 0.93, 2.0 * sqrt(0.95 * 0.05 * each / number)
    assert low - slack <= inside / number <= high + slack, f"{inside} of {number}"


def paired_pool(
    generator: np.random.Generator, newcomers: int, pairs: int, correlation: float
) -> tuple[NDArray[np.float64], Pool]:
    """Eight players, five openings for each two, and newcomers; openings played twice."""
    truth = generator.normal(0.0, 100.0, 8 + newcomers)
    one, other = (np.repeat(ends, 5) for ends in np.triu_indices(8, 1))
    for number in range(8, 8 + newcomers):
        one = np.append(one, generator.choice(8, pairs, replace=pairs > 8))
        other = np.append(other, np.full(pairs, number))
    opening = np.arange(len(one))
    common = np.tile(generator.standard_normal(len(one)), 2)
    own = generator.standard_normal(2 * len(one))
    place = ndtr(sqrt(correlation) * common + sqrt(1.0 - correlation) * own)
    first, second = np.append(one, other), np.append(other, one)
    win, draw, _ = win_draw_loss(
        win_probability(truth[first] + 30.0 - truth[second], points_per_logit=POINTS), 0.4
    )
    score = np.where(place < win, 1.0, np.where(place < win + draw, 0.5, 0.0))
    names = tuple(f"P{number}" for number in range(len(truth)))
    pool = Pool(
        names,
        first.astype(np.int32),
        second.astype(np.int32),
        score,
        columns={"opening": np.tile(opening, 2)},
    )
    return truth, pool


@pytest.mark.parametrize("correlation", [0.0, 0.7])
@pytest.mark.parametrize("pairs", [2, 4])
def test_paired_intervals_hold_for_newcomers(pairs: int, correlation: float) -> None:
    """From their own pairs alone they held 67 to 69 % with two pairs."""
    generator = np.random.default_rng(7)
    inside = number = 0
    for _ in range(80):
        truth, pool = paired_pool(generator, 5, pairs, correlation)
        ratings = BradleyTerry(
            average=0.0,
            first_advantage="auto",
            draw_rate="auto",
            method="likelihood",
            paired=("opening",),
        ).fit(pool)
        rated = ratings.status == Status.NORMAL
        error = np.abs(ratings.rating - truth + truth[rated].mean())[8:][rated[8:]]
        inside += int((error <= NORMAL_95 * ratings.deviation[8:][rated[8:]]).sum())
        number += int(rated[8:].sum())
    # The scores of so few games are coarse, so they err to the side of too wide.
    assert_holds(inside, number, high=0.98)


@pytest.mark.parametrize(("players", "games"), [(2, 6), (4, 12)])
def test_a_handful_of_games(players: int, games: int) -> None:
    """Ratings held 90 % with whatever the games made of the first move and the draws."""
    generator = np.random.default_rng(players)
    inside = number = draws = 0
    pools = 250
    for _ in range(pools):
        truth = generator.normal(0.0, 120.0, players)
        pool = simulated_pool(truth, games, generator, advantage=30, draw_rate=0.4)
        _, ratings, _ = fit_widely(FREE, pool)
        rated = np.isfinite(ratings.deviation) & (ratings.component == 0)
        error = ratings.rating - truth + truth[rated].mean() if rated.any() else truth
        inside += int((np.abs(error) <= NORMAL_95 * ratings.deviation)[rated].sum())
        number += int(rated.sum())
        low, high = draw_rate_interval(ratings, pool.pair_counts(), 0.95)
        assert 0.0 <= low <= high <= 1.0
        draws += low <= 0.4 <= high
    assert_holds(inside, number, each=players)
    assert draws / pools > 0.91


def test_a_join_that_does_not_fit_the_players_is_noticed() -> None:
    """With players who spread by 450 points, intervals of `join` 300 held 78 %."""
    generator = np.random.default_rng(5)
    noticed = []
    for spread in (300.0, 600.0):
        number = 0
        for _ in range(15):
            pool = simulated_pool(generator.normal(0.0, spread, 30), 600, generator)
            system = BradleyTerry(average=0.0, join=300.0, draw_rate=0.3)
            number += bool(misfit_of_join(system, system.fit(pool)))
        noticed.append(number)
    assert noticed[0] <= 4
    assert noticed[1] >= 13


def test_draws_alone_do_not_prove_equality() -> None:
    pool = Pool.from_names("ABC", "BCA", [0.5, 0.5, 0.5])
    for method in ("score", "likelihood"):
        ratings = BradleyTerry(draw_rate="auto", method=method).fit(pool)
        assert np.isnan(ratings.deviation).all()
        assert np.isnan(ratings.draw_rate.deviation)
    _, ratings, remarks = fit_widely(FREE, pool)
    assert (ratings.deviation > 50.0).all()
    assert len(remarks) == 2
    assert "draw rate" in remarks[0]


def test_without_a_draw_the_rate_has_an_upper_limit() -> None:
    generator = np.random.default_rng(1)
    pool = simulated_pool(np.zeros(4), 100, generator, draw_rate=0.0)
    _, ratings, _ = fit_widely(FREE, pool)
    low, high = draw_rate_interval(ratings, pool.pair_counts(), 0.95)
    assert ratings.draw_rate.value == low == 0.0
    assert high == pytest.approx(3.0 / 100.0, rel=0.25)  # the rule of three


def test_a_perfect_score_has_a_limit_at_the_level_asked_for() -> None:
    pool = Pool.from_names("ABABXXX", "BABAABA", [1, 1, 0, 0, 1, 1, 1])
    ratings = BradleyTerry(average=0.0, draw_rate=0.0).fit(pool)
    limits = perfect_limits(ratings, pool.pair_counts(), 0.95)
    row = ratings.index("X")
    assert np.isnan(limits[[ratings.index("A"), ratings.index("B")]]).all()
    assert win_probability(limits[row], points_per_logit=POINTS) ** 3 == pytest.approx(
        0.05, rel=1e-6
    )
    assert win_probability(ratings.rating[row], points_per_logit=POINTS) ** 3 == pytest.approx(
        0.5, rel=1e-6
    )
    record = summarise(ratings, pool).record(row)
    assert record["low"] == pytest.approx(limits[row])
    assert record["high"] is None


def test_ranges_count_the_rated_players_only() -> None:
    generator = np.random.default_rng(4)
    pool = simulated_pool(np.zeros(3), 300, generator)
    names = [
        (pool.players[i], pool.players[j]) for i, j in zip(pool.first, pool.second, strict=True)
    ]
    one = Pool.from_names(
        [*(a for a, _ in names), "X", *["Y"] * 40],
        [*(b for _, b in names), *["P000"] * 41],
        [*pool.score, 1.0, *[1.0] * 40],
    )
    report = summarise(FREE.fit(one), one)
    rows = {name: row for row, name in enumerate(report.ratings.players)}
    rated = [rows[f"P00{number}"] for number in range(3)]
    assert min(report.rank_low[rated]) == 1  # though Y won forty games
    assert max(report.rank_high[rated]) == 3
    assert not report.rank_high[[rows["X"], rows["Y"]]].any()


@pytest.mark.parametrize(("wins", "losses"), [(1, 0), (3, 0), (5, 1), (20, 10), (200, 160)])
def test_superiority_of_few_games_is_not_overstated(wins: int, losses: int) -> None:
    """Near the exact one where the share of wins could be anything; 1-0 was 0.84, 3-0 0.96."""
    result = superiority(Match.from_results(wins, 7, losses))
    assert result == pytest.approx(float(beta.sf(0.5, wins + 1, losses + 1)), abs=0.012)


def test_forecasts_of_a_sequential_test_come_true() -> None:
    """They are averaged over the differences possible, not made from the one observed."""
    generator = np.random.default_rng(8)
    test = Sprt(0.0, 40.0)
    lower, upper = test.bounds
    true = generator.normal(0.0, 100.0, 400)
    wins, draws, losses = win_draw_loss(1.0 / (1.0 + 10.0 ** (-true / 400.0)), 0.4)
    p = np.column_stack([losses, draws, wins])
    p /= p.sum(axis=1, keepdims=True)
    counts = generator.multinomial(30, p).astype(float)
    said = np.array([test.state(Match(tuple(row))).chance for row in counts])
    going = np.isfinite(said)
    said, p, counts = said[going], p[going], counts[going]
    alive, accepted = np.ones(len(p), bool), np.zeros(len(p), bool)
    while alive.any():
        counts[alive] += generator.multinomial(30, p[alive])
        ratio = np.zeros(len(p))
        ratio[alive] = log_likelihood_ratio(counts[alive], 0.0, 40.0)
        accepted |= ratio >= upper
        alive &= (ratio > lower) & (ratio < upper)
    for low, high in ((0.0, 0.2), (0.2, 0.8), (0.8, 1.01)):
        chosen = (said >= low) & (said < high)
        share = accepted[chosen].mean()
        error = 3.0 * sqrt(0.25 * min(1.0, 4.0 * share * (1.0 - share) + 0.05) / chosen.sum())
        assert said[chosen].mean() == pytest.approx(share, abs=error + 0.02)


def test_too_few_games_for_a_forecast_or_for_normalized_elo() -> None:
    few = Match((2.0, 3.0, float(LEAST_RESULTS - 6)))
    assert np.isnan(Sprt().state(few).chance)
    assert normalized_elo(few).low == -np.inf
    assert np.isfinite(normalized_elo(Match((3.0, 4.0, 4.0))).low)
    assert normalized_elo(Match((3.0, 5.0, 14.0, 5.0, 3.0))).high == np.inf
    assert np.isfinite(normalized_elo(Match((10.0, 20.0, 50.0, 15.0, 5.0))).low)
    long = Sprt(0.0, 5.0).state(Match.from_results(859, 1329, 772))
    assert 0.94 < long.chance < 0.98  # not 1, as if the 10 Elo so far were known


@pytest.mark.parametrize("rounds", [2, 8])
def test_the_interval_of_a_predicted_game_holds(rounds: int) -> None:
    """Expected scores of all 56 games of a league, at the true ratings and advantage."""
    generator = np.random.default_rng(31)
    one, other = np.array([(i, j) for i in range(8) for j in range(8) if i != j]).T
    inside = number = 0
    for _ in range(60):
        truth = generator.normal(0.0, 120.0, 8)
        first, second = np.tile(one, rounds), np.tile(other, rounds)
        chance = win_probability(truth[first] + 40.0 - truth[second], points_per_logit=POINTS)
        win, draw, _ = win_draw_loss(chance, 0.4)
        luck = generator.random(len(first))
        score = np.where(luck < win, 1.0, np.where(luck < win + draw, 0.5, 0.0))
        names = tuple(f"P{player}" for player in range(8))
        ratings = rate(Pool(names, first.astype(np.int32), second.astype(np.int32), score))
        if any(player.status != "rated" for player in ratings):
            continue
        for i, j, true in zip(one, other, chance[: len(one)], strict=True):
            game = ratings.predict(names[i], names[j])
            inside += game.low <= true <= game.high
            number += 1
    assert_holds(inside, number, each=56)
