"""Errors of means over games that belong together, against sums written out and scipy."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
import scipy.special
import scipy.stats

from yardstone.clusters import (
    clustered_interval,
    clustered_mean,
    degrees_of_freedom,
    effective_number,
    effective_players,
    half_width,
    mean_error,
    places_of_players,
    t_quantile,
)
from yardstone.errors import UsageError

#: Round robins of a few players, twice, and one who plays more than the others.
PAIRS = [*combinations(range(5), 2), *combinations(range(5), 2), (0, 3), (0, 4), (0, 1)]
FIRST, SECOND = np.array(PAIRS, np.int32).T
VALUES = np.sin(np.arange(len(PAIRS)) * 1.7) + 0.2 * FIRST


def test_quantiles() -> None:
    for level in (0.5, 0.95, 0.99):
        assert half_width(level) == pytest.approx(scipy.stats.norm.interval(level)[1], rel=1e-12)
    for bad in (0.0, 1.0, 95.0):
        with pytest.raises(UsageError):
            half_width(bad)
    for freedom in (1.0, 2.5, 30.0, 450.0, 1e5):
        for level in (1e-9, 0.2, 0.5, 0.6, 0.975, 0.9995):
            expected = scipy.special.stdtrit(freedom, level)
            assert t_quantile(level, freedom) == pytest.approx(expected, rel=1e-11)
    assert t_quantile(0.975, math.inf) == half_width(0.95)
    assert (t_quantile(0.0, 3.0), t_quantile(1.0, 3.0)) == (-math.inf, math.inf)
    assert math.isnan(t_quantile(0.9, math.nan))
    assert math.isnan(t_quantile(math.nan, 3.0))


def test_effective_numbers() -> None:
    """1 over the sum of squared shares; a player's share is that of his places."""
    assert effective_number(list("aabbcc")) == pytest.approx(3.0)
    assert effective_number(list("aaab")) == pytest.approx(1.0 / (0.75**2 + 0.25**2))
    assert (effective_number(list("ab"), [3.0, 1.0]), effective_number([])) == (1.6, 0.0)
    first, second = np.array([0, 0, 3], np.int32), np.array([1, 3, 0], np.int32)
    assert places_of_players(first, second).tolist() == [3, 1, 0, 2]
    assert places_of_players(first, second, np.array([True, False, True])).tolist() == [2, 1, 0, 1]
    assert effective_players(first, second) == pytest.approx(36.0 / (9 + 1 + 4))
    assert degrees_of_freedom(first, second) == pytest.approx(1.0)  # and not 0.57
    assert degrees_of_freedom(FIRST[:20], SECOND[:20]) == pytest.approx(3.0)  # five, less two


def by_sums(values: np.ndarray, first: np.ndarray, second: np.ndarray) -> list[float]:
    """The squared error of a mean: over players less over pairs, over pairs, and over games."""
    n, off = len(values), values - values.mean()

    def squares(groups: list[np.ndarray]) -> float:
        return sum(float(off[g].sum() / (1.0 - g.sum() / n)) ** 2 for g in groups)

    of_player = squares([(first == p) | (second == p) for p in range(5)])
    low, high = np.minimum(first, second), np.maximum(first, second)
    of_pair = squares([(low == p) & (high == q) for p, q in combinations(range(5), 2)])
    return [(of_player - of_pair) / n**2, of_pair / n**2, float((off**2).sum()) / n**2]


@pytest.mark.parametrize(
    ("values", "decides"),
    [
        (VALUES, 0),  # effects of players
        (np.tile([1.0, -1.0, 0.0, 2.0, -2.0, 1.0, 0.0, 0.0, 1.0, -1.0], 2), 1),  # of pairs
        (np.concatenate([v := np.array([1.0, -1, 1, -1, 1, -1, 1, -1, 1, -1]), -v]), 2),  # of games
    ],
)
def test_error_of_a_mean(values: np.ndarray, decides: int) -> None:
    first, second = FIRST[: len(values)], SECOND[: len(values)]
    variances = by_sums(values, first, second)
    assert variances.index(max(variances)) == decides
    error, freedom = mean_error(values, first, second)
    assert error == pytest.approx(math.sqrt(variances[decides]), rel=1e-12)
    assert freedom == pytest.approx(effective_players(first, second) - 2.0)
    # Neither numbers of players nor sides matter.
    assert mean_error(values, 7 + 3 * second, 7 + 3 * first)[0] == pytest.approx(error, rel=1e-12)


def test_no_error_from_fewer_than_four_even_players() -> None:
    nobody = np.zeros((2, 0), np.int32)
    three, four = (np.array(list(combinations(range(n), 2)), np.int32).T for n in (3, 4))
    uneven = np.append(four, [[0, 0, 0, 0, 0, 0], [1, 2, 3, 1, 2, 3]], axis=1).astype(np.int32)
    assert effective_players(*uneven) == pytest.approx(48 / 13)  # places: 9, 5, 5, 5
    for places, known in ((nobody, False), (three, False), (four, True), (uneven, True)):
        error = mean_error(np.arange(float(places.shape[1])), *places)[0]
        assert error > 0.0 if known else math.isnan(error)


def test_a_clustered_mean_is_the_jackknife() -> None:
    """Its squared error sums the squared shifts of the mean when one cluster is left out."""
    cluster = np.array(list("aaabbcccccdeef"))
    values = np.cos(np.arange(len(cluster)) * 0.9)
    mean, error, worth = clustered_mean(values, cluster)
    without = [values[cluster != each].mean() - values.mean() for each in "abcdef"]
    assert mean == pytest.approx(values.mean())
    assert error == pytest.approx(math.sqrt(sum(shift**2 for shift in without)), rel=1e-12)
    assert worth == pytest.approx(14**2 / (9 + 4 + 25 + 1 + 4 + 1))
    low, high = clustered_interval(values, cluster, 0.9, widening=1.5) or (0.0, 0.0)
    reach = 1.5 * error * scipy.stats.t.ppf(0.95, worth - 1.0)
    assert (low, high) == pytest.approx((mean - reach, mean + reach), rel=1e-9)
    # Clusters that are too few give no interval.
    assert clustered_interval(values[:4], np.arange(4)) is not None
    assert clustered_interval(values[:5], np.array([0, 0, 1, 2, 3])) is None  # worth 3.6
    mean, error, worth = clustered_mean(values, np.zeros(14))
    assert (mean, worth) == pytest.approx((values.mean(), 1.0))
    assert math.isnan(error)
