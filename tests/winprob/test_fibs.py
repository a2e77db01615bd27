from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yardstone.errors import UsageError
from yardstone.winprob import fibs

ratings = st.floats(500, 2500)
lengths = st.integers(1, 64)

#: Score of the favourite by rating difference and length, as players' tables of the
#: formula have it.
TABLE = {
    100: {1: 0.529, 3: 0.550, 5: 0.564, 7: 0.576, 9: 0.585, 11: 0.594},
    300: {1: 0.585, 3: 0.645, 5: 0.684, 7: 0.714, 9: 0.738, 11: 0.759},
    700: {1: 0.691, 3: 0.802, 5: 0.858, 7: 0.894, 9: 0.918, 11: 0.935},
}


def test_the_table_of_players() -> None:
    for ahead, row in TABLE.items():
        result = fibs.probability(1500 + ahead, 1500, list(row))
        assert np.abs(result - list(row.values())).max() < 6e-4


@given(ratings, ratings, lengths)
def test_the_formula_and_its_inverse(one: float, other: float, length: int) -> None:
    chance = float(fibs.probability(one, other, length))
    assert chance == pytest.approx(1 / (1 + 10 ** ((other - one) * length**0.5 / 2000)))
    assert chance + float(fibs.probability(other, one, length)) == pytest.approx(1.0)
    assert float(fibs.difference(chance, length)) == pytest.approx(one - other, abs=1e-5)


def test_whose_chance_the_published_formula_gives() -> None:
    published = 1 / (1 + 10 ** (200 * 5**0.5 / 2000))
    assert published < 0.5  # R = 200 points: it is that of the weaker one
    assert float(fibs.probability(1500, 1700, 5)) == pytest.approx(published)


def test_the_ends() -> None:
    assert fibs.difference([0.0, 0.5, 1.0], 5).tolist() == [-np.inf, 0.0, np.inf]
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(UsageError, match="between 0 and 1"):
            fibs.difference(wrong, 5)
    for length in (0, 0.5, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="1 or more"):
            fibs.probability(1500, 1500, length)
