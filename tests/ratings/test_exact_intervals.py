"""Deviations of joint fits by derivatives taken numerically; ranks and suggestions by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from tests.ratings.made_games import made_games
from yardstone.pool import Pool
from yardstone.ratings import BradleyTerry, JointRatings
from yardstone.ratings.result import Estimate, Status
from yardstone.ratings.simulation import Simulated, simulate
from yardstone.ratings.uncertainty import clusters, joining_games, rank_ranges, suggest, superiority

#: Ordo's points: 202 are a score of 76 %.
LOGIT = 202.0 / math.log(0.76 / 0.24)


def chances(logit: np.ndarray, rate: float) -> list[np.ndarray]:
    """Win, draw and loss by Davidson's law, of which the expected score is the logistic one.

    The draw's weight is found by bisection: the law of one game, not the package's formula.
    """
    p = 1.0 / (1.0 + np.exp(-logit))
    nu = 2.0 * rate / (1.0 - rate)  # of equal players: nu / (2 + nu)
    low, high = np.full_like(p, -40.0), np.full_like(p, 40.0)
    for _ in range(200):
        x = 0.5 * (low + high)
        root = np.exp(0.5 * x)
        score = (np.exp(x) + 0.5 * nu * root) / (np.exp(x) + 1.0 + nu * root)
        low, high = np.where(score < p, x, low), np.where(score < p, high, x)
    total = np.exp(x) + 1.0 + nu * root
    return [np.exp(x) / total, nu * root / total, 1.0 / total]


@pytest.mark.parametrize("anchored", [False, True])
def test_deviations_are_the_sandwich(anchored: bool) -> None:
    """Inverse slope, covariance of the points, inverse slope: each game taken by itself."""
    pool = made_games(400, 6, draws=0.3)
    system = BradleyTerry(
        average=0.0,
        first_advantage=30.0,
        draw_rate=0.4,
        method="score",
        **({"anchor": "P2"} if anchored else {}),
    )
    ratings = system.fit(pool)
    logit = (ratings.rating[pool.first] + 30.0 - ratings.rating[pool.second]) / LOGIT
    win, draw, _ = chances(logit, 0.4)
    expected = 1.0 / (1.0 + np.exp(-logit))
    np.testing.assert_allclose(win + 0.5 * draw, expected, atol=1e-9)
    np.testing.assert_allclose(  # the equations that are solved: points as expected
        np.bincount(pool.first, pool.score - expected, 6)
        - np.bincount(pool.second, pool.score - expected, 6),
        np.zeros(6), atol=1e-6,
    )  # fmt: skip
    slope, meat = np.zeros((6, 6)), np.zeros((6, 6))
    for i, j, p, w, d in zip(pool.first, pool.second, expected, win, draw, strict=True):
        one = np.zeros(6)
        one[[i, j]] = 1.0, -1.0
        slope += p * (1.0 - p) * np.outer(one, one)
        meat += (w + 0.25 * d - p * p) * np.outer(one, one)
    inverse = np.linalg.pinv(slope)
    covariance = inverse @ meat @ inverse * LOGIT**2
    if anchored:
        shift = np.eye(6) - np.outer(np.ones(6), np.eye(6)[2])
        covariance = shift @ covariance @ shift.T
        assert ratings.deviation[2] == 0.0
    np.testing.assert_allclose(ratings.covariance, covariance, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ratings.deviation, np.sqrt(np.diag(covariance)), atol=1e-6)


def test_deviations_of_the_likelihood_are_its_curvature() -> None:
    """Second differences of the log likelihood, the first-move advantage among its unknowns."""
    pool = made_games(300, 5, draws=0.25)
    ratings = BradleyTerry(
        average=0.0, first_advantage="auto", draw_rate=0.35, method="likelihood"
    ).fit(pool)
    first, second = pool.first, pool.second
    row = np.where(pool.score == 1.0, 0, np.where(pool.score == 0.5, 1, 2))

    def surprise(at: np.ndarray) -> float:
        logit = (at[first] + at[5] - at[second]) / LOGIT
        return -float(np.log(np.choose(row, chances(logit, 0.35))).sum())

    best = np.append(ratings.rating, ratings.first_advantage.value)
    step, unit = 4.0, np.eye(6)
    curvature = np.array(
        [
            [
                sum(
                    a * b * surprise(best + step * (a * unit[i] + b * unit[j]))
                    for a in (-1, 1) for b in (-1, 1)
                ) / (4.0 * step * step)
                for j in range(6)
            ]
            for i in range(6)
        ]
    )  # fmt: skip
    covariance = np.linalg.pinv(curvature, rcond=1e-6)
    np.testing.assert_allclose(ratings.deviation, np.sqrt(np.diag(covariance))[:5], rtol=5e-3)
    assert ratings.first_advantage.deviation == pytest.approx(covariance[5, 5] ** 0.5, rel=5e-3)


def made(
    rating: list[float],
    deviation: list[float],
    component: list[int] | None = None,
    status: list[int] | None = None,
) -> JointRatings:
    """Ratings whose errors are independent."""
    n = len(rating)
    return JointRatings(
        players=tuple("ABCDEFGH"[:n]),
        rating=np.array(rating),
        deviation=np.array(deviation),
        covariance=np.diag(np.square(deviation)),
        wins=np.arange(1.0, n + 1.0),
        draws=np.zeros(n),
        losses=np.ones(n),
        status=np.array(status or [0] * n, np.int8),
        component=np.array(component or [0] * n, np.int32),
        points_per_logit=LOGIT,
        draw_rate=Estimate(0.0),
    )


def test_superiority_and_ranks() -> None:
    """E has no rating, and F and G play elsewhere: they take no rank from the others."""
    nan = math.nan
    ratings = made([60.0, 20.0, 0.0, -60.0, nan, 900.0, 0.0], [6.0, 8.0, 8.0, 6.0, nan, 1.0, 1.0],
                   [0, 0, 0, 0, -1, 1, 1])  # fmt: skip
    above = superiority(ratings)
    assert above[0, 1] == pytest.approx(scipy.stats.norm.cdf(40.0 / 10.0), rel=1e-12)
    assert above[2, 1] == pytest.approx(scipy.stats.norm.cdf(-20.0 / 128.0**0.5), rel=1e-12)
    assert above[3, 3] == 0.5
    assert np.isnan(above[0, 5])
    assert np.isnan(above[4, 0])
    low, high = rank_ranges(ratings)
    assert low.tolist() == [1, 2, 2, 4, 0, 1, 2]
    assert high.tolist() == [1, 3, 3, 4, 0, 1, 2]
    # 20 points are 1.77 deviations of the difference: 92.3 % two-sided.
    assert [rank_ranges(ratings, level)[0][2] for level in (0.92, 0.93)] == [3, 2]
    assert [rank_ranges(ratings, level)[1][1] for level in (0.92, 0.93)] == [2, 3]


def test_equal_ratings_that_are_known_are_even() -> None:
    anchors = made([10.0, 10.0, 0.0], [0.0, 0.0, 0.0])
    assert superiority(anchors).tolist() == [[0.5, 0.5, 1.0], [0.5, 0.5, 1.0], [0.0, 0.0, 0.5]]


def test_a_suggested_match_gains_what_more_information_gives() -> None:
    """Of all matches of ten games it narrows the mean variance most: by inverses of matrices."""
    ratings = made([100.0, 50.0, 0.0, -80.0], [40.0, 30.0, 60.0, 20.0])
    assert ratings.covariance is not None
    total = np.trace(ratings.covariance)
    information = np.linalg.inv(ratings.covariance)
    gains = []
    for _ in range(2):
        best = (0.0, 0, 0, information)
        for i in range(4):
            for j in range(i + 1, 4):
                p = 1.0 / (1.0 + math.exp((ratings.rating[j] - ratings.rating[i]) / LOGIT))
                one = np.zeros(4)
                one[[i, j]] = 1.0, -1.0
                more = information + 10 * p * (1.0 - p) / LOGIT**2 * np.outer(one, one)
                gain = np.trace(np.linalg.inv(information)) - np.trace(np.linalg.inv(more))
                best = max(best, (gain / total, i, j, more), key=lambda each: each[0])
        gains.append(best)
        information = best[3]
    found = suggest(ratings, 2, games=10)
    for match, (gain, i, j, _) in zip(found, gains, strict=True):
        assert {match.player, match.other} == {"ABCD"[i], "ABCD"[j]}
        assert match.gain == pytest.approx(gain, rel=1e-9)
    assert suggest(made([0.0, 0.0], [5.0, 5.0], status=[0, Status.PERFECT_WINNER])) == []


def test_games_that_join_groups() -> None:
    """Of each group the player with most games: the wins of made ratings grow with the letter."""
    ratings = made([0.0] * 6, [1.0] * 6, [0, 0, 0, 1, 1, 2])
    assert joining_games(ratings) == [("C", "E"), ("C", "F")]
    assert joining_games(ratings, 1) == [("C", "E")]


def test_games_of_two_players_that_belong_together() -> None:
    """By opening and round, whoever began; not by names of nothing, nor with other players."""
    rows = [("A", "B", "e4", 1), ("B", "A", "e4", 1), ("A", "B", "e4", 2), ("A", "C", "e4", 1),
            ("A", "B", "", 1), ("B", "A", "", 1), ("A", "B", "?", 1)]  # fmt: skip
    first, second, opening, number = map(list, zip(*rows, strict=True))
    columns = {"opening": np.array(opening), "round": np.array(number)}
    pool = Pool.from_names(first, second, [1.0] * 7, columns=columns)
    both = clusters(pool, ["opening", "round"]).number.tolist()
    assert both[0] == both[1]
    assert len(set(both)) == 6
    by_opening = clusters(pool, ["opening"]).number.tolist()
    assert by_opening[0] == by_opening[1] == by_opening[2] != by_opening[3]
    assert len(set(by_opening)) == 5


def test_simulated_deviations_are_those_of_all_replays() -> None:
    """With two replays each deviation is half the distance; equal seeds draw alike."""
    pool = made_games(200, 4, draws=0.2)
    system = BradleyTerry(average=0.0, first_advantage="auto", draw_rate="auto", method="score")
    ratings, counts = system.fit(pool), pool.pair_counts()
    two = simulate(system, counts, ratings, 2, seed=3)
    assert (two.deviation > 0.0).all()
    difference = two.deviation_of_difference
    # Distances of two points on a line: those of differences are differences of signed ones.
    signs = np.where(np.isclose(difference[0], abs(two.deviation[0] - two.deviation)), 1.0, -1.0)
    signed = two.deviation * signs
    np.testing.assert_allclose(difference, abs(signed[:, None] - signed[None, :]), atol=1e-9)
    assert abs(signed.sum()) < 1e-9  # each replay has the mean 0
    assert two.first_advantage_deviation > 0.0
    applied = two.applied_to(ratings)
    np.testing.assert_allclose(applied.deviation_of_difference(), difference, atol=1e-9)
    assert applied.draw_rate.deviation == two.draw_rate_deviation
    fixed = simulate(BradleyTerry(average=0.0), counts, BradleyTerry(average=0.0).fit(pool), 2)
    assert isinstance(fixed, Simulated)
    assert fixed.first_advantage_deviation == 0.0
