"""Ordo's search ends near the solution, and leaves other lists alone."""

from __future__ import annotations

import numpy as np
import pytest

from yardstone.pool import PairCounts, Pool
from yardstone.ratings import BradleyTerry, Prior
from yardstone.ratings.ordo_search import SEARCHED, as_ordo_ends

#: How far a search may end from the solution on a pool of some hundred games.
NEAR = 2e-3


def counts(seed: int, players: int = 6, games: int = 300) -> PairCounts:
    rng = np.random.default_rng(seed)
    strength = rng.normal(0.0, 0.7, players)
    first = rng.integers(0, players, games)
    second = (first + rng.integers(1, players, games)) % players
    expected = 1.0 / (1.0 + np.exp(-(strength[first] + 0.2 - strength[second])))
    draw = rng.random(games) < 0.3
    score = np.where(draw, 0.5, rng.random(games) < expected)
    names = tuple(f"P{number}" for number in range(players))
    return Pool(names, first.astype(np.int32), second.astype(np.int32), score).pair_counts()


def names(pairs: PairCounts) -> tuple[str, ...]:
    return tuple(f"P{number}" for number in range(pairs.players))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "system",
    [
        BradleyTerry(),
        BradleyTerry(first_advantage=30.0, average=0.0, scale=100.0),
        BradleyTerry(anchor="P2", average=2800.0),
        BradleyTerry(anchor="P2", reference="mean"),
        BradleyTerry(draw_rate="auto", method="score"),
    ],
    ids=["plain", "advantage", "anchor", "mean", "draws"],
)
def test_without_an_advantage_it_ends_on_the_solution(system: BradleyTerry, seed: int) -> None:
    pairs = counts(seed)
    exact = system.fit_counts(names(pairs), pairs)
    searched = as_ordo_ends(system, pairs, exact)
    assert searched.extras[SEARCHED]
    assert searched.rating == pytest.approx(exact.rating, abs=NEAR)
    assert searched.draw_rate.value == pytest.approx(exact.draw_rate.value, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_with_an_advantage_it_ends_near_it(seed: int) -> None:
    pairs = counts(seed, games=2000)
    system = BradleyTerry(first_advantage="auto", method="score")
    exact = system.fit_counts(names(pairs), pairs)
    searched = as_ordo_ends(system, pairs, exact, all_games=2100)
    assert searched.first_advantage.value == pytest.approx(exact.first_advantage.value, abs=0.05)
    assert searched.first_advantage.deviation == exact.first_advantage.deviation
    assert searched.rating == pytest.approx(exact.rating, abs=0.05)


@pytest.mark.parametrize(
    "system",
    [
        BradleyTerry(method="likelihood"),
        BradleyTerry(loose_anchors={"P1": Prior(2300.0, 50.0)}),
        BradleyTerry(anchors={"P1": 2300.0, "P2": 2200.0}),
    ],
    ids=["likelihood", "prior", "fixed"],
)
def test_other_lists_stay_as_they_are(system: BradleyTerry) -> None:
    pairs = counts(1)
    ratings = system.fit_counts(names(pairs), pairs)
    assert as_ordo_ends(system, pairs, ratings) is ratings


def test_groups_stay_as_they_are() -> None:
    pool = Pool.from_names("ABCD", "BADC", [1, 1, 1, 1])
    ratings = BradleyTerry().fit(pool)
    assert as_ordo_ends(BradleyTerry(), pool.pair_counts(), ratings) is ratings
