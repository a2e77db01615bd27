"""Deviations against simulation, coverage, and the way for large pools."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ratings.simulated import simulated_pool
from yardstone import parallel
from yardstone.errors import ModelError, UsageError
from yardstone.pool import Pool
from yardstone.ratings import BradleyTerry, Prior, Relation, uncertainty
from yardstone.ratings import uncertainty as large
from yardstone.ratings.simulation import simulate

SYSTEMS = {
    "score": BradleyTerry(first_advantage="auto", draw_rate="auto", method="score"),
    "anchor": BradleyTerry(first_advantage="auto", draw_rate="auto", anchor="P002", method="score"),
    "likelihood": BradleyTerry(first_advantage="auto", draw_rate="auto", method="likelihood"),
    "anchors": BradleyTerry(
        anchors={"P000": 2400.0, "P001": 2300.0}, first_advantage="auto", method="score"
    ),
    "priors": BradleyTerry(
        loose_anchors={"P003": Prior(2350, 15), "P004": Prior(2250, 25)},
        relations=(Relation("P005", "P006", 10, 10),),
        first_advantage=Prior(20, 5),
        draw_rate=Prior(0.3, 0.02),
    ),
}


def pool_of(players: int = 14, games: int = 2500, seed: int = 1) -> Pool:
    generator = np.random.default_rng(seed)
    return simulated_pool(generator.normal(0, 120, players), games, generator, advantage=25)


@pytest.mark.parametrize("name", SYSTEMS)
def test_analytic_deviations_equal_simulated_ones(name: str) -> None:
    """400 replays have a standard error of 3.5 %."""
    system, pool = SYSTEMS[name], pool_of()
    ratings = system.fit(pool)
    simulated = simulate(system, pool.pair_counts(), ratings, 400, seed=11)
    known = ratings.deviation > 1e-6
    ratio = simulated.deviation[known] / ratings.deviation[known]
    assert ratio.mean() == pytest.approx(1, abs=0.06)
    assert abs(ratio - 1).max() < 0.16
    analytic = ratings.deviation_of_difference()
    pairs = analytic > 1e-6
    assert (simulated.deviation_of_difference[pairs] / analytic[pairs]).mean() == pytest.approx(
        1, abs=0.05
    )
    for ours, theirs in (
        (ratings.first_advantage.deviation, simulated.first_advantage_deviation),
        (ratings.draw_rate.deviation, simulated.draw_rate_deviation),
    ):
        assert ours == pytest.approx(theirs, rel=0.16, abs=1e-12)


def test_simulation_does_not_depend_on_the_number_of_workers() -> None:
    system, pool = SYSTEMS["score"], pool_of()
    ratings, counts = system.fit(pool), pool.pair_counts()
    with parallel.context(workers=1):
        one = simulate(system, counts, ratings, 20, seed=5)
    with parallel.context(workers=2):
        two = simulate(system, counts, ratings, 20, seed=5)
    np.testing.assert_array_equal(one.deviation, two.deviation)
    other = simulate(system, counts, ratings, 20, seed=6)
    assert not np.array_equal(one.deviation, other.deviation)
    with pytest.raises(UsageError, match="whole number from 2"):
        simulate(system, counts, ratings, 1)


@pytest.mark.parametrize("name", SYSTEMS)
def test_large_pools_get_the_same_deviations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    system, pool = SYSTEMS[name], pool_of(players=40, games=6000)
    exact = system.fit(pool)
    monkeypatch.setattr(uncertainty, "FULL_MATRIX_LIMIT", 5)
    monkeypatch.setattr(large, "SAMPLES", 300)
    sampled = system.fit(pool)
    known = exact.deviation > 1e-6
    ratio = sampled.deviation[known] / exact.deviation[known]
    worst = 0.15 if exact.reference != "mean" else 0.02
    assert abs(ratio - 1).max() < worst
    assert sampled.covariance is None
    assert sampled.first_advantage.deviation == pytest.approx(
        exact.first_advantage.deviation, rel=0.05
    )
    assert sampled.draw_rate.deviation == pytest.approx(exact.draw_rate.deviation, rel=1e-6)


def test_groups_and_lonely_players() -> None:
    pool = Pool.from_names("ABCDCDE", "BADCDCE", [1, 1, 1, 1, 0.5, 1, 1])
    ratings = BradleyTerry().fit(pool)
    assert np.isnan(ratings["E"].deviation)
    assert (ratings.deviation[:4] > 0).all()
    alone = BradleyTerry().fit(pool.select(np.isin(pool.first, [0, 1])))
    assert ratings["A"].deviation == pytest.approx(alone["A"].deviation)


def test_paired_games_of_opposite_fortune_narrow_the_errors() -> None:
    """Two games of one opening that always split say more than two free ones."""
    generator = np.random.default_rng(2)
    rounds = 400
    lucky = generator.random(rounds) < 0.5  # whether White or Black wins in both games
    first = np.tile(["A", "B"], rounds)
    second = np.tile(["B", "A"], rounds)
    score = np.repeat(np.where(lucky, 1.0, 0.0), 2)
    edge = generator.random(2 * rounds) < 0.1  # A turns some games round
    score = np.where(edge & (first == "A"), 1.0, score)
    opening = np.repeat(np.arange(rounds), 2)
    pool = Pool.from_names(list(first), list(second), score, columns={"opening": opening})
    free = BradleyTerry(draw_rate="auto", method="score").fit(pool)
    paired = BradleyTerry(draw_rate="auto", paired=("opening",), method="score").fit(pool)
    np.testing.assert_array_equal(free.rating, paired.rating)
    assert paired["A"].deviation < 0.5 * free["A"].deviation


def test_pairs_that_are_independent_change_nothing_much() -> None:
    pool = pool_of(players=6, games=20_000)
    rounds = np.arange(len(pool)) // 2
    pool = Pool(pool.players, pool.first, pool.second, pool.score, columns={"round": rounds})
    free = BradleyTerry(draw_rate="auto", method="score").fit(pool)
    paired = BradleyTerry(draw_rate="auto", paired=("round",), method="score").fit(pool)
    np.testing.assert_allclose(paired.deviation, free.deviation, rtol=0.05)


def test_an_advantage_that_the_games_cannot_tell_is_named() -> None:
    pool = Pool.from_names(["Ann"] * 4, ["Bob"] * 4, [1, 1, 0, 0.5])
    with pytest.raises(ModelError, match="do not determine the first-move advantage"):
        BradleyTerry(first_advantage="auto", method="score").fit(pool)
    held = BradleyTerry(first_advantage=Prior(0.0, 100.0)).fit(pool)
    assert held.first_advantage.deviation == pytest.approx(100.0, rel=1e-6)
