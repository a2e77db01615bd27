"""Forecasts of tournaments carry the uncertainty of the entry list, and count it once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from yardstone.errors import InputError
from yardstone.tournament import EntryList, Game, Result, System, simulate, winning_law
from yardstone.tournament.field import (
    ENTRY_FACTOR,
    GRADE_SPREAD,
    LOWEST_GRADE,
    MOST_STRETCH,
    StrengthLaw,
    WinningLaw,
    between_strengths,
    entry_spread,
)
from yardstone.tournament.simulation import SimulationPlan, tournament_of


def plan(
    grades: list[int], deviation: float | np.ndarray, rounds: int = 3, **rules: object
) -> SimulationPlan:
    grade, none = np.array(grades), np.full(len(grades), -1)
    names = tuple(f"P{row}" for row in range(len(grades)))
    strength = grade.astype(float)
    entered = EntryList(names, grade, 2100.0 + 100.0 * grade, strength, none, none)
    made = tournament_of(entered, rounds=rounds, bar=8, **rules)  # type: ignore[arg-type]
    return SimulationPlan(made, strength, winning_law("kaniuk"), deviation=deviation)


def test_the_spread_of_true_strengths_about_grades() -> None:
    spread = entry_spread(np.array([-20.0, 3.0, 6.0]))
    assert_allclose(spread, ENTRY_FACTOR * np.array([1.2, 0.65, 0.5]), rtol=1e-9)
    assert (entry_spread(np.array([1500.0, 2500.0]), points=True) == 60.0).all()
    exact = plan([3, 0, -3, -6], 0.0)
    assert exact.known.exact
    assert (exact.known.draw(np.random.default_rng(1)) == exact.strength).all()
    with pytest.raises(InputError, match="not negative"):
        plan([0, 1], -1.0)


def test_rounds_that_are_over_correct_the_entry_list() -> None:
    """Who lost to equals twice is weaker than the list says, and better known than before."""
    begun = plan([0] * 8, 1.0)
    games = tuple(
        Game(round=1, table=table, first=2 * table - 2, second=2 * table - 1,
             result=Result.first_wins)
        for table in (1, 2, 3, 4)
    )  # fmt: skip
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


def test_places_hold_what_they_promise_only_with_the_spread() -> None:
    """90 % of the 120 places of 10 tournaments whose true strengths lie about the grades."""
    grades = [4, 3, 3, 2, 2, 1, 1, 0, 0, -1, -1, -2]
    sigma = np.full(12, 2.0)
    forecasts = {known: plan(grades, sigma * known, 11, system=System.round_robin)
                 for known in (False, True)}  # fmt: skip
    ranges = {known: simulate(each, 200, seed=99).place_range(0.9)
              for known, each in forecasts.items()}  # fmt: skip
    held = dict.fromkeys(ranges, 0)
    for seed in range(10):
        true = grades + sigma * np.random.default_rng(seed).standard_normal(12)
        one = simulate(replace(forecasts[False], strength=true), 1, seed=seed)
        place = one.places @ np.arange(1.0, 13.0)
        for known, between in ranges.items():
            held[known] += int(((between[:, 0] <= place) & (place <= between[:, 1])).sum())
    assert held[False] < 0.8 * 120 < 0.85 * 120 <= held[True]


def between_grades(law: WinningLaw, first: int, second: int, stones: int, spread: float) -> float:
    """Share of games that the first wins, strengths drawn about grades."""
    z = np.random.default_rng(1).standard_normal((2, 20_000))
    z = np.concatenate([z, -z], axis=1)
    one, two = (
        grade + spread * GRADE_SPREAD[grade - LOWEST_GRADE] * noise
        for grade, noise in zip((first, second), z, strict=True)
    )
    return float(law(one, two, np.full(z.shape[1], float(stones)))[0].mean())


@pytest.mark.parametrize("name", ["fitted", "egf"])
@pytest.mark.parametrize("spread", [1.0, 1.5])
def test_scatter_is_counted_once(name: str, spread: float) -> None:
    chance = winning_law(name)
    law = between_strengths(chance, spread)
    off, twice = [], []
    for first, second, stones in [(3, 3, 0), (3, 1, 0), (0, -2, 0), (-8, -5, 0), (-15, -9, 0),
                                  (-6, -1, 4), (1, 5, 3)]:  # fmt: skip
        grades = np.array([float(first)]), np.array([float(second)]), np.array([float(stones)])
        expected = float(chance(*grades)[0][0])
        off.append(between_grades(law, first, second, stones, spread) - expected)
        twice.append(between_grades(chance, first, second, stones, spread) - expected)
    assert np.abs(off).max() < 0.015
    assert np.square(off).sum() < 0.1 * np.square(twice).sum()


def test_a_law_is_not_made_steeper_without_scatter_or_without_end() -> None:
    chance = winning_law("kaniuk")
    assert between_strengths(chance, 0.0) is chance
    law = between_strengths(chance, 3.0)
    assert isinstance(law, StrengthLaw)
    assert law.stretch.max() == MOST_STRETCH
    assert (law.stretch >= 1.0).all()
    win, draw = law(np.array([7.0, 6.0]), np.array([6.0, 7.0]), np.zeros(2))
    assert win.sum() == pytest.approx(1.0)
    assert not draw.any()
