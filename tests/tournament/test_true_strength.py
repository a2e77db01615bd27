"""Forecasts of tournaments carry the uncertainty of the entry list, and count it once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import ndtr, ndtri

from yardstone.errors import InputError
from yardstone.tournament import EntryList, Game, Result, System, simulate, winning_law
from yardstone.tournament.field import (
    ENTRY_FACTOR,
    GRADE_SPREAD,
    LOWEST_GRADE,
    MOST_STRETCH,
    GamesOver,
    StrengthLaw,
    between_strengths,
    entry_spread,
)
from yardstone.tournament.simulation import SimulationPlan, play, tournament_of


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
    wide = plan([3, 0, -3, -6], 2.0)
    drawn = wide.known.draw(np.random.default_rng(1))
    assert_allclose(drawn, wide.strength + 2.0 * np.random.default_rng(1).standard_normal(4))
    assert (play(wide, np.random.default_rng(1))[1] == drawn).all()
    forecast = simulate(wide, 25)
    assert (forecast.deviation == 2.0).all()
    assert 0.1 < np.abs(forecast.strength - wide.strength).max() < 2.0


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


def test_rounds_that_are_over_correct_the_entry_list() -> None:
    """The most probable strengths of two, and the expected information, by finite differences."""
    begun = plan([0, 1, -2, 3], np.array([1.0, 0.8, 1.2, 0.5]))
    games = (
        Game(round=1, table=1, first=0, second=1, result=Result.first_wins),
        Game(round=1, table=2, first=2, second=3, result=Result.draw, handicap=3),
    )
    over = replace(begun.tournament, games=games)
    sigma = begun.known.deviation
    after = SimulationPlan(over, begun.strength, begun.chance, deviation=sigma)
    assert after.done == 1

    def expected(pair: np.ndarray, stones: float) -> float:
        win, _ = begun.chance(pair[:1], pair[1:], np.array([stones]))
        return float(win[0])

    for game in games:
        rows, score = list(game.players), game.points(game.first)
        centre, deviation = begun.strength[rows], sigma[rows]

        def against(
            pair: np.ndarray, centre: np.ndarray = centre, deviation: np.ndarray = deviation,
            score: float = score, stones: float = game.handicap,
        ) -> float:  # fmt: skip
            p = expected(pair, stones)
            prior = 0.5 * (((pair - centre) / deviation) ** 2).sum()
            return float(prior - score * np.log(p) - (1 - score) * np.log1p(-p))

        best = minimize(against, centre, tol=1e-10).x
        assert_allclose(after.known.mean[rows], best, atol=2e-3)
        p = expected(best, game.handicap)
        steps = [(best + each, best - each) for each in 1e-5 * np.eye(2)]
        sides = [[expected(pair, game.handicap) for pair in both] for both in steps]
        slope = [(up - down) / 2e-5 for up, down in sides]
        information = np.outer(slope, slope) / (p * (1 - p)) + np.diag(deviation**-2.0)
        covariance = (after.known.root @ after.known.root.T)[np.ix_(rows, rows)]
        assert_allclose(covariance, np.linalg.inv(information), atol=2e-3)
    one, half, none = np.ones(1, np.int64), np.full(1, 0.5), np.zeros(1)
    draws = GamesOver(0 * one, one, half, none, winning_law("elo", draw_rate=0.4))
    assert draws.expected(np.full(2, 1800.0)) == pytest.approx(0.5)
    noise = np.random.default_rng(2).standard_normal(4)
    drawn = after.known.draw(np.random.default_rng(2))
    assert_allclose(drawn, after.known.mean + after.known.root @ noise)


@pytest.mark.parametrize(("name", "spread"), [("fitted", 1.5), ("egf", 1.0)])
def test_scatter_is_counted_once(name: str, spread: float) -> None:
    """Phi(b d) between grades is what Phi(b d / sqrt(1 - 2 b² s²)) between strengths leaves."""
    chance = winning_law(name)
    law = between_strengths(chance, spread)
    none, far = np.zeros(1), np.ones(1)
    for grade in (-20.0, -7.0, 0.0, 3.0, 5.0):
        at, deviation = np.array([grade]), spread * GRADE_SPREAD[int(grade) - LOWEST_GRADE]
        near = [ndtri(chance(at + step, at - step, none)[0][0]) for step in (0.05, -0.05)]
        slope = (near[0] - near[1]) / 0.2
        steeper = 1.0 / np.sqrt(max(1.0 - 2.0 * (slope * deviation) ** 2, MOST_STRETCH**-2.0))
        for one, two, stones in ((at + far, at - far, none), (at - 2 * far, at + 2 * far, 3 * far)):
            expected = ndtr(steeper * ndtri(chance(one, two, stones)[0]))
            assert_allclose(law(one, two, stones)[0], expected, rtol=1e-9)
    # Of even-handed players whose strengths scatter, the first wins as often as the model says.
    z, two_grades = np.random.default_rng(1).standard_normal((2, 20_000)), np.array([3.0, 1.0])
    drawn = two_grades[:, None] + spread * GRADE_SPREAD[[23, 21]][:, None] * np.c_[z, -z]
    share = law(drawn[0], drawn[1], np.zeros(40_000))[0].mean()
    assert abs(share - chance(two_grades[:1], two_grades[1:], none)[0][0]) < 0.015


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
