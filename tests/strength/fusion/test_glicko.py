"""Glicko-2 with what moves tell of the players."""

from __future__ import annotations

from dataclasses import replace
from math import exp, pi, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from tests.ratings.made_games import made_games
from tests.strength.fusion.made_moves import sides_of
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.evaluation.metrics import log_likelihood
from yardstone.pool import Pool
from yardstone.ratings.glicko import CENTRE, POINTS, Glicko2
from yardstone.ratings.joint import PlayerPriors, Prior
from yardstone.ratings.whole_history import WholeHistory
from yardstone.strength.fusion import (
    COLUMNS,
    MOVE_COLUMNS,
    GlickoFromMoves,
    MovesPrior,
    Sides,
    fit_moves_prior,
    fuse,
)

Array = NDArray[np.float64]

#: Rating points.
TOLERANCE = 1e-6
BASE = Prior(1500.0, 250.0)
SYSTEM = Glicko2(initial_deviation=250.0)


def with_estimates(pool: Pool, mean: Array, deviation: Array) -> Pool:
    told = (mean[:, 0], deviation[:, 0], mean[:, 1], deviation[:, 1])
    return replace(pool, columns={**pool.columns, **dict(zip(COLUMNS, told, strict=True))})


@pytest.fixture(scope="module")
def simulated() -> tuple[Pool, Sides]:
    """400 players, 2,000 games; each game of 100 moves a side tells of a strength ± 200.

    Every player's moves also look better or worse than he is by ± 90 points, which more
    games do not hint.
    """
    generator = np.random.default_rng(5)
    players, games = 400, 2000
    strength = generator.normal(1500.0, 250.0, players)
    looks = strength + generator.normal(0.0, 90.0, players)
    first = generator.integers(0, players, games)
    second = (first + generator.integers(1, players, games)) % players
    truth = 1.0 / (1.0 + 10.0 ** ((strength[second] - strength[first]) / 400.0))
    score = (generator.random(games) < truth).astype(np.float64)
    both = np.column_stack([first, second])
    number, shown = np.full((games, 2), 100.0), looks[both] + generator.normal(0, 200, (games, 2))
    columns = dict(
        zip(MOVE_COLUMNS, np.stack([number, shown], -1).reshape(games, 4).T, strict=True)
    )
    names = tuple(f"P{player}" for player in range(players))
    pool = Pool(names, first.astype(np.int32), second.astype(np.int32), score, columns=columns)
    return pool, sides_of(pool, SYSTEM)


def test_the_fit_is_at_the_top_of_the_likelihood(simulated: tuple[Pool, Sides]) -> None:
    """Drawn, as by a game or two, to a slope of 1, 100 moves, and half the base's deviation."""
    pool, sides = simulated
    early = np.arange(800)
    sides, score = sides.select(early), pool.score[early]
    fitted = fit_moves_prior(sides, score, SYSTEM, BASE)
    known = sides.moves > 0
    centre, level = sides.moves_rating[known].mean(), sides.rating[known].mean()
    assert fitted.centre == pytest.approx(centre)

    def against(unknowns: Array) -> float:
        slope, half, share, above = unknowns
        trust = np.where(known, sides.moves / (sides.moves + 100.0 * exp(half)), 0.0)
        away = np.where(known, sides.moves_rating - centre, 0.0)
        mean = 1500.0 + trust * (level + 250.0 * above - 1500.0 + exp(slope) * away)
        left = (250.0 / (1.0 + exp(-share))) ** 2
        variance = 250.0**2 - trust * (250.0**2 - left)
        precision = 1 / sides.deviation**2 + 1 / variance - 1 / 250.0**2
        weighed = sides.rating / sides.deviation**2 + mean / variance - 1500.0 / 250.0**2
        rating, doubt = weighed / precision, np.sqrt(1 / precision)
        expected = SYSTEM.probability(rating[:, 0], rating[:, 1], doubt[:, 0], doubt[:, 1])
        pull = slope**2 + half**2 / 4.0 + share**2 / 1.5**2 + above**2 / 0.5**2
        return float(pull / 800 - log_likelihood(score, expected))

    best = minimize(against, np.zeros(4), method="BFGS", options={"gtol": 1e-7}).x
    assert fitted.slope == pytest.approx(exp(best[0]), rel=0.01)
    assert fitted.half == pytest.approx(100.0 * exp(best[1]), rel=0.01)
    assert fitted.deviation == pytest.approx(250.0 / (1.0 + exp(-best[2])), rel=0.01)
    assert fitted.level == pytest.approx(level + 250.0 * best[3], abs=1.0)
    mean, spread = fitted.prior(sides.moves_rating, sides.moves)
    alone = SYSTEM.probability(mean[:, 0], mean[:, 1], spread[:, 0], spread[:, 1])
    assert fitted.from_moves_alone(sides, SYSTEM) == pytest.approx(alone)


@pytest.mark.parametrize(
    ("rating", "deviation", "idle_days"),
    [(1600.0, np.nan, None), (1500.0, 350.0, 30.0), (1600.0, 1000.0, 30.0), (1600.0, np.inf, None)],
)
def test_without_anything_from_moves_it_is_glicko2(
    rating: float, deviation: float, idle_days: float | None
) -> None:
    pool = made_games(100, 20, draws=0.1)
    told = with_estimates(pool, np.full((100, 2), rating), np.full((100, 2), deviation))
    plain = Glicko2(idle_days=idle_days, first_advantage=20.0).replay(pool)
    fused = GlickoFromMoves(idle_days=idle_days, first_advantage=20.0).replay(told)
    assert np.allclose(fused.expected, plain.expected, atol=1e-12)
    assert np.allclose(fused.first_rating, plain.first_rating, atol=TOLERANCE)
    for name in ("rating", "deviation"):
        one, two = (getattr(each.ratings, name) for each in (fused, plain))
        assert np.allclose(one, two, atol=TOLERANCE)


def by_hand(told: list[tuple[float, float]], against: list[tuple[float, float, float]]) -> Array:
    """Rating and deviation of one player before each game, with a fixed volatility.

    `told` are his priors, `against` the opponents' ratings and deviations, and the scores.
    What results say is kept as one normal density, without any prior: precision and
    precision times mean, on the paper's scale.
    """
    mu0, phi0 = 0.0, 350.0 / POINTS
    mean, variance = mu0, phi0**2  # the newcomer's prior times the results
    result = []
    for (rating, deviation), (theirs, doubt, score) in zip(told, against, strict=True):
        m, s2 = (rating - CENTRE) / POINTS, (deviation / POINTS) ** 2
        precision = 1.0 / variance + 1.0 / s2 - 1.0 / phi0**2
        here = (mean / variance + m / s2 - mu0 / phi0**2) / precision
        result.append((CENTRE + POINTS * here, POINTS / sqrt(precision)))
        g = 1.0 / sqrt(1.0 + 3.0 * (doubt / POINTS) ** 2 / pi**2)
        e = 1.0 / (1.0 + exp(-g * (here - (theirs - CENTRE) / POINTS)))
        information = g * g * e * (1.0 - e)
        # The result as a normal density around `here`: its Taylor series there.
        observed = here + g * (score - e) / information
        variance += 0.06**2
        total = 1.0 / variance + information
        mean = (mean / variance + information * observed) / total
        variance = 1.0 / total
    return np.array(result)


def test_against_a_version_by_hand() -> None:
    told = [(1700.0, 150.0), (1750.0, 110.0), (1690.0, 95.0), (1640.0, 90.0)]
    against = [(1650.0, 60.0, 1.0), (1550.0, 200.0, 0.0), (1800.0, 90.0, 0.0), (1500.0, 349.0, 0.5)]
    ratings, deviations, results = np.array(against).T
    own, doubt = np.array(told).T
    pool = Pool.from_names(["A"] * 4, ["B", "C", "D", "E"], results)
    pool = with_estimates(
        pool, np.column_stack([own, ratings]), np.column_stack([doubt, deviations])
    )
    result = GlickoFromMoves(tau=0.0).replay(pool)
    hand = by_hand(told, against)
    assert result.first_deviation is not None
    assert np.allclose(result.first_rating, hand[:, 0], atol=TOLERANCE)
    assert np.allclose(result.first_deviation, hand[:, 1], atol=TOLERANCE)


def test_priors_by_name_start_players_and_replace_the_base() -> None:
    pool = Pool.from_names(["Ann", "Ann"], ["Bob", "Cem"], [1, 1])
    priors = PlayerPriors({"Ann": (1800.0, 100.0), "Cem": (1400.0, 50.0)})
    system = GlickoFromMoves(columns=None, priors=priors)
    result = system.replay(pool)
    assert result.first_rating[0] == pytest.approx(1800.0)
    assert result.second_rating[1] == pytest.approx(1400.0)
    state = Glicko2().start(pool.players)
    state.arrays["mu"][0] = (1800.0 - CENTRE) / POINTS
    state.arrays["phi2"][0] = (100.0 / POINTS) ** 2
    state.arrays["mu"][2] = (1400.0 - CENTRE) / POINTS
    state.arrays["phi2"][2] = (50.0 / POINTS) ** 2
    plain = Glicko2().advance(state, pool)[1]
    assert np.allclose(result.expected, plain.expected)
    # With an estimate before each game, that takes the place of the prior.
    mean, deviation = np.full((2, 2), 1900.0), np.full((2, 2), 30.0)
    later = replace(system, columns=COLUMNS).replay(with_estimates(pool, mean, deviation))
    assert later.first_rating[0] == pytest.approx(1900.0)


def test_what_is_wrong_is_refused() -> None:
    pool = Pool.from_names(["A", "B"], ["B", "A"], [1, 0])
    told = with_estimates(pool, np.full((2, 2), 1500.0), np.full((2, 2), 100.0))
    for column, values, message in (
        ("first_moves_rating", None, "no column 'first_moves_rating'"),
        ("second_moves_deviation", np.array([0.0, 100.0]), "not positive"),
        ("second_moves_rating", np.array(["x", "y"]), "not a number"),
    ):
        columns: dict[str, Any] = {**told.columns, column: values}
        if values is None:
            del columns[column]
        with pytest.raises(InputError, match=message):
            GlickoFromMoves().replay(replace(pool, columns=columns))
    with pytest.raises(UsageError, match="period"):
        GlickoFromMoves(period="month")
    with pytest.raises(UsageError, match="must be a number, not inf"):
        GlickoFromMoves(initial=np.inf)
    wrong: Any = 3
    for system in (GlickoFromMoves, WholeHistory):
        with pytest.raises(UsageError, match="PlayerPriors"):
            system(priors=wrong)


def test_fusing_multiplies_densities_and_divides_the_newcomers_out() -> None:
    """Where nothing is known, or no more than of a newcomer, nothing changes."""
    nothing = [1800.0, 1400.0, np.nan, 1700.0, np.inf, np.inf, 1700.0]
    doubt = [100.0, 50.0, 100.0, np.nan, np.inf, 50.0, 250.0]
    mean, spread = fuse(np.full(7, 1600.0), np.full(7, 80.0), nothing, doubt, BASE)
    for k in (0, 1):
        precision = 1 / 80**2 + 1 / doubt[k] ** 2 - 1 / 250**2
        weighed = 1600 / 80**2 + nothing[k] / doubt[k] ** 2 - 1500 / 250**2
        assert (spread[k], mean[k]) == pytest.approx((precision**-0.5, weighed / precision))
    assert np.allclose([mean[2:], spread[2:]], [[1600.0], [80.0]])
    for wrong in ((0.0, 50.0), (50.0, -1.0)):
        with pytest.raises(InputError, match="not positive"):
            fuse(1500.0, wrong[0], 1500.0, wrong[1], BASE)


def test_a_prior_from_moves() -> None:
    prior = MovesPrior(20.0, 1520.0, 2.0, 100.0, 90.0, Prior(1500.0, 350.0))
    mean, deviation = prior.prior([np.nan, 50.0, 50.0, 50.0], [300, 0, 100, 10**12])
    assert np.allclose(mean, [1500.0, 1500.0, 1540.0, 1580.0])
    assert np.allclose(deviation, [350.0, 350.0, sqrt((350.0**2 + 90.0**2) / 2), 90.0])


def test_what_a_prior_cannot_be_fitted_to(simulated: tuple[Pool, Sides]) -> None:
    some = np.full((3, 2), 100.0)
    none = Sides(some, some, some, np.zeros((3, 2), np.int64))
    with pytest.raises(NoGamesError):
        fit_moves_prior(none, np.ones(3), SYSTEM, BASE)
    with pytest.raises(InputError):
        fit_moves_prior(simulated[1], np.ones(3), SYSTEM, BASE)
    with pytest.raises(InputError):
        Sides(np.zeros((3, 2)), np.zeros((3, 2)), np.zeros(3), np.zeros((3, 2), np.int64))
