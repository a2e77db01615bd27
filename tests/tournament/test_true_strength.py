"""Forecasts of tournaments carry the uncertainty of the entry list."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from yardstone.errors import InputError
from yardstone.tournament.field import ENTRY_FACTOR, EntryList, entry_spread, winning_law
from yardstone.tournament.forecast import simulate
from yardstone.tournament.model import Game, Result
from yardstone.tournament.simulation import SimulationPlan, tournament_of


def field(grades: list[int]) -> EntryList:
    n = len(grades)
    grade = np.array(grades)
    none = np.full(n, -1)
    names = tuple(f"P{row}" for row in range(n))
    return EntryList(names, grade, 2100.0 + 100.0 * grade, grade.astype(float), none, none)


def plan(grades: list[int], deviation: float | np.ndarray, rounds: int = 3) -> SimulationPlan:
    entered = field(grades)
    made = tournament_of(entered, rounds=rounds, bar=8)
    return SimulationPlan(made, entered.strength, winning_law("kaniuk"), deviation=deviation)


def test_the_spread_of_true_strengths_about_grades() -> None:
    spread = entry_spread(np.array([-20.0, 3.0, 6.0]))
    assert_allclose(spread, ENTRY_FACTOR * np.array([1.2, 0.65, 0.5]), rtol=1e-9)
    assert (entry_spread(np.array([1500.0, 2500.0]), points=True) == 60.0).all()


def test_rounds_that_are_over_correct_the_entry_list() -> None:
    """Who lost to equals twice is weaker than the list says, and better known than before."""
    begun = plan([0] * 8, 1.0)
    games = tuple(
        Game(
            round=1,
            table=table,
            first=2 * table - 2,
            second=2 * table - 1,
            result=Result.first_wins,
        )
        for table in (1, 2, 3, 4)
    )
    over = replace(begun.tournament, games=games)
    after = SimulationPlan(over, begun.strength, begun.chance, deviation=1.0)
    assert after.done == 1
    assert after.known.mean[0] > 0.1 > -0.1 > after.known.mean[1]
    assert_allclose(after.known.mean[::2], -after.known.mean[1::2], atol=0.05)
    assert (after.known.deviation < 1.0).all()
    drawn = np.array([after.known.draw(np.random.default_rng(seed)) for seed in range(2000)])
    assert_allclose(drawn.mean(axis=0), after.known.mean, atol=0.1)
    # Who won and who lost may both be stronger than they seem, but hardly one of them alone.
    assert np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1] > 0.05


def test_an_exact_list_is_not_corrected() -> None:
    begun = plan([3, 0, -3, -6], 0.0)
    assert begun.known.exact
    assert (begun.known.draw(np.random.default_rng(1)) == begun.strength).all()


def test_a_deviation_must_be_one() -> None:
    with pytest.raises(InputError, match="not negative"):
        plan([0, 1], -1.0)


def test_places_hold_what_they_promise_only_with_the_spread() -> None:
    """90 % of places in 5 tournaments whose true strengths lie about the grades.

    12 players, 60 places; those of one tournament depend on each other, so at 90 % the
    error is some 5 points.
    """
    grades = [4, 3, 3, 2, 2, 1, 1, 0, 0, -1, -1, -2]
    held = {True: 0, False: 0}
    sigma = entry_spread(np.array(grades, float))
    for seed in range(5):
        rng = np.random.default_rng(seed)
        true = plan(grades, 0.0)
        true = SimulationPlan(
            true.tournament, grades + sigma * rng.standard_normal(12), true.chance
        )
        one = simulate(true, 1, seed=seed)
        place = one.places @ np.arange(1.0, 13.0)
        for known in held:
            forecast = plan(grades, sigma if known else 0.0)
            result = simulate(forecast, 30, seed=seed + 1).place_range(0.9)
            held[known] += int(((result[:, 0] <= place) & (place <= result[:, 1])).sum())
    assert held[True] >= 0.8 * 60
    assert held[True] > held[False]
