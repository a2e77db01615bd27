"""Kaniuk's own fit: least squares on the measured ratios, by two ways, with its intervals."""

from __future__ import annotations

import numpy as np
import pytest

from tests.winprob.made_games import TRUTH, Array, exact, made
from yardstone.errors import ConvergenceError, ModelError, NoGamesError, UsageError
from yardstone.winprob.kaniuk import PARAMETERS, PUBLISHED, gap_of_probability
from yardstone.winprob.statistics import WinningStatistics
from yardstone_lab.least_squares import (
    conjugate_gradient,
    fit_least_squares,
    profile_scale,
    simulated_intervals,
    sum_of_squares,
)


def test_both_methods_end_in_the_same_place() -> None:
    for method, tolerance in (("newton", 1e-6), ("conjugate", 1e-3)):  # along a flat valley
        fit = fit_least_squares(exact(), method=method)  # type: ignore[arg-type]
        assert fit.values == pytest.approx(TRUTH, rel=tolerance)
        assert fit.gradient_size <= 1e-10
    newton = fit_least_squares(made())
    conjugate = fit_least_squares(made(), method="conjugate")
    assert conjugate.values == pytest.approx(newton.values, rel=1e-5)
    assert conjugate.cycles == -(-conjugate.minimum.steps // 5)


def test_the_sum_runs_over_both_signs_of_d() -> None:
    statistics = made()
    fit = fit_least_squares(statistics)
    weights, table = statistics.weights(), statistics.extended()
    wins = statistics.wins.copy()
    wins[10, 0] = 0.0  # ratios of 0 and 1 are left out, and counted
    without = fit_least_squares(WinningStatistics(-20, wins, statistics.games))
    assert (without.left_out, without.cells) == (1, fit.cells - 1)
    total = 0.0
    for row in range(1, 27):
        for d in range(-4, 5):
            other = row + d
            if d == 0 or not 1 <= other < 27 or np.isnan(table[row, 4 + d]):
                continue
            gap = float(fit.model.strength_gap(row - 20.0, other - 20.0))
            total += weights[row] * (gap - float(gap_of_probability(table[row, 4 + d]))) ** 2
    assert fit.minimum.value == pytest.approx(total, rel=1e-12)


def test_simulated_intervals_of_least_squares() -> None:
    """The bootstrap of before gave K 0.168 to 0.187 here, and the truth is 0.188."""
    statistics = made()
    fit = fit_least_squares(statistics)
    result = simulated_intervals(fit, statistics, samples=39, seed=3)
    assert all(
        low <= value <= high and low <= truth <= high
        for (low, high), value, truth in zip(result, fit.values, TRUTH, strict=True)
    )
    assert sum_of_squares(statistics, fit.model) == pytest.approx(fit.minimum.value)
    one = fit_least_squares(statistics, free=("u0",), start=PUBLISHED)
    assert profile_scale(statistics, one, "u0") > 0.0
    ((low, high),) = simulated_intervals(one, statistics, samples=39, seed=4)
    assert low < one.values[0] < high
    with pytest.raises(UsageError, match="39"):
        simulated_intervals(fit, statistics, samples=20)
    with pytest.raises(UsageError, match="Newton"):
        simulated_intervals(fit_least_squares(statistics, method="conjugate"), statistics)


def test_any_subset_may_be_free() -> None:
    fit = fit_least_squares(made(), free=("K", "u0"), start=PUBLISHED)
    assert (fit.names, len(fit.values)) == (("u0", "K"), 2)
    assert fit.model.parameters["u1"] == PUBLISHED.parameters["u1"]
    free = fit_least_squares(made(20_000, seed=5), positive=False, start=PUBLISHED)
    bound = fit_least_squares(made(20_000, seed=5), start=PUBLISHED)
    assert free.minimum.value <= bound.minimum.value + 1e-12
    every = fit_least_squares(made(seed=4), free=PARAMETERS)
    fewer = fit_least_squares(made(seed=4)).minimum.value
    assert every.minimum.value <= fewer * (1.0 + 1e-12)  # the same point, summed otherwise
    assert np.all(every.values >= 0.0)
    assert np.array_equal(np.isnan(every.standard_errors), every.values == 0.0)


def test_wrong_wishes_and_too_few_games() -> None:
    none = WinningStatistics(-20, np.zeros((27, 4)), np.zeros((27, 4)))
    few = WinningStatistics(-20, np.eye(27, 4), 2 * np.eye(27, 4))
    statistics = made()
    for counts, options, error, message in [
        (statistics, {"free": ("zz",)}, UsageError, "zz"),
        (statistics, {"free": ()}, UsageError, "at least one"),
        (statistics, {"method": "magic"}, UsageError, "the method is"),
        (none, {}, NoGamesError, "game"),
        (few, {}, ModelError, "do not determine"),
    ]:
        with pytest.raises(error, match=message):
            fit_least_squares(counts, **options)  # type: ignore[arg-type]


def test_conjugate_gradients_say_when_they_fail() -> None:
    def bowl(x: Array) -> tuple[float, Array, Array]:
        return float(x @ x), 2 * x, 2 * np.eye(len(x))

    start = np.array([3.0, -4.0])
    assert conjugate_gradient(bowl, start).steps == 1

    def slope(x: Array) -> tuple[float, Array, Array]:
        return float(x.sum()), np.ones(2), np.eye(2)

    with pytest.raises(ConvergenceError):
        conjugate_gradient(slope, start, most_searches=20)
