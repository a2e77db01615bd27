"""Games between grades are won as often as the model has it, though strengths scatter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from yardstone.tournament.field import (
    GRADE_SPREAD,
    LOWEST_GRADE,
    MOST_STRETCH,
    StrengthLaw,
    between_strengths,
    winning_law,
)

if TYPE_CHECKING:
    from yardstone.tournament.field import WinningLaw


def between_grades(law: WinningLaw, first: int, second: int, stones: int, spread: float) -> float:
    """Share of games that the first wins, strengths drawn about grades."""
    z = np.random.default_rng(1).standard_normal((2, 100_000))
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


def test_without_scatter_the_law_is_the_same() -> None:
    chance = winning_law("kaniuk")
    assert between_strengths(chance, 0.0) is chance


def test_a_law_is_not_made_steeper_without_end() -> None:
    law = between_strengths(winning_law("kaniuk"), 3.0)
    assert isinstance(law, StrengthLaw)
    assert law.stretch.max() == MOST_STRETCH
    assert (law.stretch >= 1.0).all()
    win, draw = law(np.array([7.0, 6.0]), np.array([6.0, 7.0]), np.zeros(2))
    assert win.sum() == pytest.approx(1.0)
    assert not draw.any()
