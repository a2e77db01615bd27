"""Derivatives against finite differences, the solver against a dense one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.ratings.simulated import simulated_pool
from yardstone.pool import PairCounts, Pool
from yardstone.ratings._joint import Terms
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.graph import Beliefs, Pairs, Relations
from yardstone.ratings.result import Status
from yardstone.winprob.laws import win_draw_loss

STEP = 1e-5


def objective(counts: PairCounts, x: NDArray[np.float64], *, likelihood: bool) -> float:
    """Log-likelihood, with Davidson's draws or with half a win for each, as defined."""
    p = 1 / (1 + np.exp(-(x[counts.first] + x[-2] - x[counts.second])))
    if not likelihood:
        return float(counts.points @ np.log(p) + (counts.games - counts.points) @ np.log(1 - p))
    win, draw, loss = win_draw_loss(p, 1 / (1 + np.exp(x[-1])))
    return float(
        counts.wins @ np.log(win) + counts.draws @ np.log(draw) + counts.losses @ np.log(loss)
    )


#: Central differences of step 1e-5 are good to about 1e-6 of the values here.
CLOSE = 3e-6


def counts_and_point() -> tuple[PairCounts, NDArray[np.float64]]:
    generator = np.random.default_rng(3)
    pool = simulated_pool(generator.normal(0, 150, 8), 300, generator, advantage=40)
    x = np.append(generator.normal(0, 1, 8), [0.2, 0.4])
    return pool.pair_counts(), x


def evaluate(
    counts: PairCounts, x: NDArray[np.float64], *, likelihood: bool, cautious: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    none, nobody, free = np.zeros(0), np.zeros(0, np.int32), np.zeros(len(x))
    beliefs = Beliefs(free, free, Relations(nobody, nobody, none, none))
    terms = Terms(Pairs.of(counts), beliefs, likelihood, len(x))
    gradient, weight, diagonal, _ = terms.at(x, cautious)
    return gradient, diagonal, weight


def steps(x: NDArray[np.float64], unknown: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    step = STEP * np.eye(len(x))[unknown]
    return x + step, x - step


@pytest.mark.parametrize("likelihood", [False, True])
def test_derivatives_are_slopes(likelihood: bool) -> None:
    """The gradient that of the objective, the Hessian that of the gradient."""
    counts, x = counts_and_point()
    gradient, diagonal, weight = evaluate(counts, x, likelihood=likelihood)
    n = len(x) - 2
    edges = np.zeros((n, n))
    np.subtract.at(edges, (counts.first, counts.second), weight)
    for unknown in range(len(x) if likelihood else len(x) - 1):
        places = steps(x, unknown)
        up, down = (objective(counts, place, likelihood=likelihood) for place in places)
        slope = (up - down) / (2 * STEP)
        assert gradient[unknown] == pytest.approx(slope, rel=CLOSE, abs=CLOSE)
        above, below = (evaluate(counts, place, likelihood=likelihood)[0] for place in places)
        curvature = (below - above) / (2 * STEP)
        assert diagonal[unknown] == pytest.approx(curvature[unknown], rel=CLOSE)
        if unknown < n:
            off = np.delete(np.arange(n), unknown)
            expected = edges[unknown, off] + edges[off, unknown]
            np.testing.assert_allclose(curvature[off], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("method", ["score", "likelihood"])
def test_derivatives_vanish_at_the_solution(method: Any) -> None:
    """Those of the objective; by score the draws expected are those there were."""
    counts, _ = counts_and_point()
    names = tuple("ABCDEFGH")
    system = BradleyTerry(first_advantage="auto", draw_rate="auto", method=method)
    ratings = system.fit_counts(names, counts)
    unknown = np.append(ratings.rating, ratings.first_advantage.value) / ratings.points_per_logit
    rate = ratings.draw_rate.value
    x = np.append(unknown, np.log((1 - rate) / rate))
    likelihood = method == "likelihood"
    gradient, _, _ = evaluate(counts, x, likelihood=likelihood)
    np.testing.assert_allclose(gradient[: len(x) - (not likelihood)], 0, atol=1e-7)
    p = 1 / (1 + np.exp(x[counts.second] - x[counts.first] - x[-2]))
    drawn = float(counts.games @ win_draw_loss(p, rate)[1])
    assert likelihood or drawn == pytest.approx(counts.draws.sum())
    assert ratings.rating.mean() == pytest.approx(2300, abs=1e-9)
    assert ratings.points_per_logit == pytest.approx(202 / np.log(0.76 / 0.24))


def test_the_expected_information_of_draws_is_the_mean_of_the_observed() -> None:
    """Over the three results of one game, weighted by their probabilities."""
    x = np.array([0.7, -0.1, 0.2, 0.4])
    expected = 1 / (1 + np.exp(-(0.7 + 0.2 + 0.1)))
    chances = [float(p) for p in win_draw_loss(expected, 1 / (1 + np.exp(0.4)))]
    total = np.zeros(4)
    for result, chance in enumerate(chances):
        one = np.eye(3)[result]
        counts = PairCounts(
            2, np.array([0], np.int32), np.array([1], np.int32), one[:1], one[1:2], one[2:]
        )
        total += chance * evaluate(counts, x, likelihood=True)[1]
        information = evaluate(counts, x, likelihood=True, cautious=True)[1]
    assert total[-1] == pytest.approx(information[-1], rel=1e-12)


@pytest.mark.parametrize("distance", [0.1, 1.0, 5.0])
def test_the_chord_never_promises_too_much(distance: float) -> None:
    """The likelihood lies above the parabola of the cautious step, however far that leads."""
    generator = np.random.default_rng(9)
    counts, x = counts_and_point()
    here = objective(counts, x, likelihood=False)
    gradient, _, weight = evaluate(counts, x, likelihood=False, cautious=True)
    for _ in range(50):
        step = np.append(distance * generator.standard_normal(len(x) - 1), 0.0)
        apart = step[counts.first] + step[-2] - step[counts.second]
        promised = gradient[:-1] @ step[:-1] - 0.5 * weight @ apart**2
        assert objective(counts, x + step, likelihood=False) - here >= promised


def test_newcomers_of_one_draw_neither_run_away_nor_hold_back_the_others() -> None:
    """Among so many players the slope along a step hides that some of them overshoot."""
    generator = np.random.default_rng(0)
    old, new, games = 100_000, 2_000, 1_500_000
    strength = np.sort(generator.normal(0, 1.3, old))
    here = generator.integers(0, old, games)
    there = (here + generator.integers(1, old // 4, games)) % old
    won = generator.random(games) < 1 / (1 + np.exp(strength[there] - strength[here]))
    first = np.append(here, old + np.arange(new)).astype(np.int32)
    second = np.append(there, generator.integers(0, old, new)).astype(np.int32)
    names = tuple(str(number) for number in range(old + new))
    pool = Pool(names, first, second, np.append(won.astype(float), np.full(new, 0.5)))
    ratings = BradleyTerry(covariance=False).fit(pool)
    assert ratings.converged_in <= 10
    rating = ratings.rating / ratings.points_per_logit
    rated = ratings.status == Status.NORMAL
    surplus = pool.score - 1 / (1 + np.exp(rating[second] - rating[first]))
    counted = rated[first] & rated[second]  # all others have bounds
    counted &= ratings.component[first] == ratings.component[second]
    surplus[~counted] = 0.0
    total = np.bincount(first, surplus, old + new) - np.bincount(second, surplus, old + new)
    np.testing.assert_allclose(total, 0, atol=1e-6)
    ordinary = counted[-new:]
    opponents = rating[second[-new:]]
    np.testing.assert_allclose(rating[-new:][ordinary], opponents[ordinary], atol=1e-6)
