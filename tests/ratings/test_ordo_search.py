"""Ordo's search ends near the solution, and leaves other lists alone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ratings.simulated import simulated_pool
from yardstone.pool import PairCounts, Pool
from yardstone.ratings import BradleyTerry, Prior
from yardstone.ratings.ordo_search import SEARCHED, as_ordo_ends

NAMES = tuple(f"P{number:03}" for number in range(6))


def counts(seed: int, games: int = 300) -> PairCounts:
    rng = np.random.default_rng(seed)
    return simulated_pool(rng.normal(0.0, 120.0, 6), games, rng, advantage=35.0).pair_counts()


@pytest.mark.parametrize(
    "system",
    [
        BradleyTerry(),
        BradleyTerry(first_advantage=30.0, average=0.0, scale=100.0),
        BradleyTerry(anchor="P002", average=2800.0),
        BradleyTerry(anchor="P002", reference="mean"),
        BradleyTerry(draw_rate="auto", method="score"),
    ],
)
def test_without_an_advantage_it_ends_on_the_solution(system: BradleyTerry) -> None:
    pairs = counts(0)
    exact = system.fit_counts(NAMES, pairs)
    searched = as_ordo_ends(system, pairs, exact)
    assert searched.extras[SEARCHED]
    assert searched.rating == pytest.approx(exact.rating, abs=2e-3)
    assert searched.draw_rate.value == pytest.approx(exact.draw_rate.value, abs=1e-6)


def test_with_an_advantage_it_ends_near_it() -> None:
    pairs = counts(0, games=2000)
    system = BradleyTerry(first_advantage="auto", method="score")
    exact = system.fit_counts(NAMES, pairs)
    searched = as_ordo_ends(system, pairs, exact, all_games=2100)
    assert searched.first_advantage.value == pytest.approx(exact.first_advantage.value, abs=0.05)
    assert searched.first_advantage.deviation == exact.first_advantage.deviation
    assert searched.rating == pytest.approx(exact.rating, abs=0.05)


def test_other_lists_stay_as_they_are() -> None:
    pairs = counts(1)
    for system in (
        BradleyTerry(method="likelihood"),
        BradleyTerry(loose_anchors={"P001": Prior(2300.0, 50.0)}),
        BradleyTerry(anchors={"P001": 2300.0, "P002": 2200.0}),
    ):
        ratings = system.fit_counts(NAMES, pairs)
        assert as_ordo_ends(system, pairs, ratings) is ratings
    groups = Pool.from_names("ABCD", "BADC", [1, 1, 1, 1])
    ratings = BradleyTerry().fit(groups)
    assert as_ordo_ends(BradleyTerry(), groups.pair_counts(), ratings) is ratings
