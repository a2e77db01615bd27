"""Whole histories: derivatives, deviations and evidence by brute force; replays and states."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product
from math import exp, log, pi, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal

from tests.ratings.made_games import made_games, no_games
from tests.ratings.simulated import simulated_pool
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.pool import Pool
from yardstone.ratings._history import game_terms, game_value, tau_terms
from yardstone.ratings.egf import Handicap
from yardstone.ratings.joint import PlayerPriors, Prior
from yardstone.ratings.whole_history import (
    POINTS,
    HistoryFit,
    WholeHistory,
    in_order,
)
from yardstone.winprob.laws import win_draw_loss

Floats = NDArray[np.float64]

#: Rating points.
TOLERANCE = 1e-6
#: Share by which derivatives may differ from finite differences.
DIFFERENCE = 1e-6


def fit_of(
    pool: Pool, *, w: bool = True, tau: bool = True, w2: float = 20.0, rate: float = 0.4
) -> HistoryFit:
    layout, _ = WholeHistory().lay_out(in_order(pool, None, None, None), len(pool.players))
    shared = np.array([0.1, log((1 - rate) / rate)])
    mean, deviation = priors_of(pool).arrays(pool.players, Prior(1500.0, 250.0)).T
    prior = np.column_stack([(mean - 1500.0) / POINTS, (POINTS / deviation) ** 2])
    return HistoryFit(layout, shared, np.array([w, tau]), w2 / POINTS**2, prior)


def priors_of(pool: Pool) -> PlayerPriors:
    """Some prior for every other player."""
    odd = list(enumerate(pool.players))[1::2]
    return PlayerPriors({name: (1440.0 + 15.0 * row, 180.0 + 20.0 * row) for row, name in odd})


def gradient_at(fit: HistoryFit, unknowns: Floats) -> Floats:
    fit.x[:], fit.shared[:] = unknowns[:-2], unknowns[-2:]
    return fit.linearise()


def sides(unknowns: Floats, k: int) -> tuple[Floats, Floats]:
    step = 1e-5 * np.eye(len(unknowns))[k]
    return unknowns + step, unknowns - step


@pytest.fixture(scope="module")
def small() -> Pool:
    return made_games(250, 10, days=25, draws=0.3)


@pytest.mark.parametrize("rate", [0.1, 0.8])
@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("difference", [-0.4, 0.0, 4.0])
def test_derivatives_of_a_game(rate: float, score: float, difference: float) -> None:
    u2 = ((1 - rate) / rate) ** 2
    chances = win_draw_loss(1 / (1 + exp(-difference)), rate)
    by_score = dict(zip((1.0, 0.5, 0.0), chances, strict=True))
    assert game_value(difference, score, u2) == pytest.approx(log(by_score[score]), abs=1e-12)
    h = 1e-5

    def slope_of(function: Any) -> float:
        return float(function(h) - function(-h)) / (2 * h)

    slope, curvature = game_terms(difference, score, u2)
    by_tau, seen, usual, mixed = tau_terms(difference, score, u2).values()
    observed = -slope_of(lambda e: game_terms(difference + e, score, u2)[0])
    assert curvature == pytest.approx(observed, abs=1e-7) or curvature > observed
    for value, wanted in [
        (slope, slope_of(lambda e: game_value(difference + e, score, u2))),
        (by_tau, slope_of(lambda e: game_value(difference, score, u2 * exp(2 * e)))),
        (seen, -slope_of(lambda e: tau_terms(difference, score, u2 * exp(2 * e))["slope"])),
        (mixed, -slope_of(lambda e: game_terms(difference, score, u2 * exp(2 * e))[0])),
    ]:
        assert value == pytest.approx(wanted, abs=1e-7)
    expected = sum(p * tau_terms(difference, s, u2)["slope"] ** 2 for s, p in by_score.items())
    assert usual == pytest.approx(float(expected), abs=1e-10)


def test_gradient_against_finite_differences(small: Pool) -> None:
    fit = fit_of(small)
    generator = np.random.default_rng(3)
    here = np.append(fit.x, fit.shared) + 0.02 * generator.standard_normal(len(fit.x) + 2)
    gradient = gradient_at(fit, here)
    for k in (*generator.integers(0, len(fit.x), 15), len(fit.x), len(fit.x) + 1):
        up, down = (
            fit.posterior.log_posterior(side[:-2].copy(), side[-2:].copy())
            for side in sides(here, k)
        )
        assert gradient[k] == pytest.approx((up - down) / 2e-5, rel=DIFFERENCE, abs=1e-6)


def test_deviations_against_a_dense_hessian_of_finite_differences(small: Pool) -> None:
    fit = fit_of(small)
    fit.climb()
    here = np.append(fit.x, fit.shared)
    n = len(fit.x)
    dense = np.array([
        (gradient_at(fit, down) - gradient_at(fit, up)) / 2e-5
        for up, down in (sides(here, k) for k in range(n + 2))
    ])  # fmt: skip
    gradient_at(fit, here)
    assert np.abs(fit.full_matrix() - dense).max() < 1e-5
    inverse = np.linalg.inv(dense)
    variance, shared = fit.variance(1, 0)
    assert np.allclose([*variance, *shared], np.diag(inverse), rtol=1e-5)
    system = WholeHistory(w2=20.0, first_advantage="auto", priors=priors_of(small))
    result = replace(system, reference="prior").fit(small)
    assert np.allclose(result.day_deviation, POINTS * np.sqrt(np.diag(inverse)[:n]), rtol=1e-5)
    # Relative to the mean: less how each strength moves with the sum of all.
    strengths = inverse[:n, :n]
    along = strengths.sum(axis=1) / strengths.sum()
    to_mean = np.eye(n) - np.outer(along, np.ones(n))
    relative = np.diag(to_mean @ strengths @ to_mean.T)
    result = replace(system, reference="mean").fit(small)
    assert np.allclose(result.day_deviation, POINTS * np.sqrt(relative), rtol=1e-5)
    points = np.append(result.day_rating - 1500.0, result.first_advantage.value) / POINTS
    tau = log(1.0 / result.draw_rate.value - 1.0)
    assert np.abs(gradient_at(fit, np.append(points, tau))).max() < 1e-6  # at the maximum
    of_w, rate = POINTS * sqrt(inverse[-2, -2]), result.draw_rate.value
    assert result.first_advantage.deviation == pytest.approx(of_w, rel=1e-5)
    of_rate = rate * (1.0 - rate) * sqrt(inverse[-1, -1])
    assert result.draw_rate.deviation == pytest.approx(of_rate, rel=1e-5)


def test_conditional_variance_is_that_of_each_block(small: Pool) -> None:
    fit = fit_of(small, w=False, tau=False)
    fit.climb()
    matrix, start = fit.full_matrix(), fit.layout.node_start
    conditional = fit.conditional_variance()
    for low, high in pairwise(start):
        block = slice(low, high)
        assert np.allclose(conditional[block], np.diag(np.linalg.inv(matrix[block, block])))
    joint = WholeHistory(w2=20.0, reference="prior").fit(small)
    alone = WholeHistory(w2=20.0, deviations="conditional").fit(small)
    assert (alone.day_deviation < joint.day_deviation).all()
    assert np.isnan(WholeHistory(w2=20.0, deviations="none").fit(small).day_deviation).all()


def test_sampled_deviations_against_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = fit_of(made_games(400, 12, days=30, draws=0.3), w=True, tau=False)
    fit.climb()

    def found() -> list[Floats]:
        (variance, shared), (relative, _) = (
            fit.variance(32, 5, with_level=level) for level in (True, False)
        )
        return [np.sqrt(each) for each in (variance, relative, shared[:1])]

    exact, determinant = found(), fit._log_determinant()
    monkeypatch.setattr("yardstone.ratings.whole_history.FULL_MATRIX_LIMIT", 0)
    for one, other, share in zip(found(), exact, (0.005, 0.015, 1e-3), strict=True):
        np.testing.assert_allclose(one, other, rtol=share)
    assert fit._log_determinant() == pytest.approx(determinant, abs=1.0)
    assert (fit.variance(5, 1)[0] == fit.variance(5, 1)[0]).all()


@pytest.mark.parametrize(("first", "second", "score", "shared"), [
    ("ABAC", "BCCA", [1, 0, 0.5, 1], False),
    ("ABAB", "BABA", [1, 0.5, 0, 1], True),
    ("A", "B", [0.5], False),  # each probe is a vector of its own, so that one step is enough
])  # fmt: skip
def test_probes_of_all_signs_add_up_to_the_determinant(
    first: str, second: str, score: list[float], shared: bool
) -> None:
    """With as many steps as unknowns the quadrature is exact, and the mean of all probes too."""
    time = np.array(["2024-01-01", "2024-01-05", "2024-02-01", "2024-03-01"], "datetime64[s]")
    pool = Pool.from_names(first, second, score, time=time[: len(score)])
    fit = fit_of(pool, w=shared, tau=shared)
    fit.climb()
    unknowns = len(fit.x)
    signs = [(-1.0, 1.0)] * unknowns + [(-1.0, 1.0) if shared else (0.0,)] * 2
    found = []
    for probe in product(*signs):
        steps = int(np.count_nonzero(probe))
        alpha, beta, length2 = fit.posterior.lanczos(np.array(probe), steps)
        value, vector = eigh_tridiagonal(alpha, beta)
        found.append(length2 * float(vector[0] ** 2 @ np.log(value)))
    blocks = fit.posterior.log_determinant_of_blocks()
    exact = np.linalg.slogdet(fit.full_matrix())[1]
    assert blocks + np.mean(found) == pytest.approx(exact, abs=1e-9)


def test_evidence_against_integration_on_a_grid() -> None:
    """Two players on two days: four strengths, integrated over a grid."""
    time = np.array(["2024-01-01"] * 6 + ["2024-03-01"] * 6, "datetime64[s]")
    scores = [1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0]
    pool = Pool.from_names(["A"] * 12, ["B"] * 12, scores, time=time)
    w2 = 400.0
    fit = fit_of(pool, w=False, tau=False, w2=w2)
    fit.shared[:] = 0.0, np.nan
    fit.climb()
    prior, drift = (250.0 / POINTS) ** 2, w2 / POINTS**2 * 60
    grid = np.linspace(-6, 6, 49)
    a, c, b, d = np.meshgrid(grid, grid, grid, grid, indexing="ij", sparse=True)
    before, after = a - b, c - d
    value = 4 * before - 6 * np.logaddexp(0, before) + 2 * after - 6 * np.logaddexp(0, after)
    value = value - (a * a + b * b) / (2 * prior) - np.log(prior)
    value = value - ((c - a) ** 2 + (d - b) ** 2) / (2 * drift) - np.log(drift)
    volume = 4 * log(grid[1] - grid[0]) - 2 * log(2 * pi)
    assert fit.log_evidence() == pytest.approx(np.log(np.exp(value).sum()) + volume, abs=0.1)


def drifting(w: float, *, players: int = 40, games: int = 6_000) -> Pool:
    generator = np.random.default_rng(4)
    length = 400
    walks = np.cumsum(generator.normal(0, w / POINTS, (length, players)), axis=0)
    strength = generator.normal(0, 1.2, players) + walks
    first = generator.integers(0, players, games, np.int32)
    second = (first + generator.integers(1, players, games, np.int32)) % players
    day = np.sort(generator.integers(0, length, games))
    chance = 1 / (1 + np.exp(strength[day, second] - strength[day, first]))
    score = (generator.random(games) < chance).astype(float)
    names = tuple(f"P{i}" for i in range(players))
    return Pool(names, first, second, score, (day * 86_400).astype("datetime64[s]"))


def test_the_drift_is_found() -> None:
    result = WholeHistory(w2="auto", deviations="none").fit(drifting(10.0, players=25, games=3_000))
    assert 7.5 < sqrt(result.w2) < 13.3


def test_the_order_of_the_games_does_not_matter(small: Pool) -> None:
    system = WholeHistory(w2=20.0, first_advantage="auto")
    one = system.fit(small)
    other = system.fit(small.select(np.random.default_rng(1).permutation(len(small))))
    assert (one.time == other.time).all()
    assert np.abs(one.day_rating - other.day_rating).max() < TOLERANCE
    assert np.allclose(one.day_deviation, other.day_deviation)


def test_groups_that_never_met() -> None:
    time = np.array(["2024-01-01"] * 4, "datetime64[s]")
    pool = Pool.from_names("AACC", "BBDD", [1, 0, 1, 1], time=time)
    result = WholeHistory().fit(pool)
    assert result["A"].value == pytest.approx(1500.0)
    assert result["C"].value > 1500.0 > result["D"].value
    assert result["C"].value - 1500.0 == pytest.approx(1500.0 - result["D"].value)
    assert result.component.tolist() == [0, 0, 1, 1]
    assert "only the prior" in result.notes[0]
    together = WholeHistory().fit(pool.select(np.array([True, True, False, False])))
    assert together.component.tolist() == [0, 0, -1, -1]
    assert np.isnan(together["C"].value)
    assert together.notes == ()
    assert result["A"].value == pytest.approx(together["A"].value)


def test_priors_by_name() -> None:
    given: dict[str, Prior | tuple[float, float]] = {"Ann": (1800, 120), "Bob": Prior(1500.0, 60.0)}
    priors, same = PlayerPriors(given), PlayerPriors(dict(reversed(given.items())))
    assert dict(priors) == {"Ann": Prior(1800.0, 120.0), "Bob": Prior(1500.0, 60.0)}
    # A state is of the system with the same priors, which it knows by their text.
    assert repr(priors) == repr(same) != repr(PlayerPriors({**given, "Bob": (1500.0, 61.0)}))
    assert len({priors, same, PlayerPriors({})}) == 2
    result = priors.arrays(("Cem", "Ann"), Prior(1400.0, 300.0))
    assert result.tolist() == [[1400.0, 300.0], [1800.0, 120.0]]
    for wrong in ((1500.0, 0.0), (np.nan, 100.0), (1500.0, np.inf)):
        with pytest.raises(UsageError):
            PlayerPriors({"Ann": wrong})


def test_a_prior_stands_for_the_newcomer_and_fades() -> None:
    """A player of a given prior starts there, and games pull him away from it."""
    pool = Pool.from_names(["New", "Old"] * 20, ["Old", "New"] * 20, [0, 1] * 20)
    priors = PlayerPriors({"New": (1800.0, 100.0), "Old": (1500.0, 1.0)})
    system = WholeHistory(w2=1.0, priors=priors, draw_rate=None)
    replay = system.replay(pool)
    assert replay.first_deviation is not None
    start = system.ratings(system.start(pool.players))["New"]
    assert (replay.first_rating[0], start.value, start.deviation) == (1800.0, 1800.0, 100.0)
    assert replay.first_deviation[0] == pytest.approx(100.0)
    expected = system.probability(1800.0, 1500.0, 100.0, 1.0)
    assert replay.expected[0] == pytest.approx(float(expected))
    assert replay.ratings["New"].value < 1500.0
    assert abs(replay.ratings["Old"].value - 1500.0) < 30.0
    assert system.fit(pool)["New"].value == pytest.approx(replay.ratings["New"].value, abs=5.0)


def test_handicap_and_first_move_are_worth_what_is_said() -> None:
    columns = {"handicap": [4.0] * 40}
    pool = Pool.from_names(["A"] * 40, ["B"] * 40, [1, 0] * 20, columns=columns)
    result = WholeHistory(
        handicap=Handicap(points=100.0), first_advantage=20.0, prior_deviation=1e5, w2=1e-3
    ).fit(pool)
    assert result["B"].value - result["A"].value == pytest.approx(370.0, abs=1.0)


def test_histories_between_the_days() -> None:
    time = np.array(["2024-01-01", "2024-01-11"], "datetime64[s]")
    pool = Pool.from_names(["A", "A"], ["B", "B"], [1, 1], time=time)
    result = WholeHistory(w2=50.0).fit(pool)
    curve = result.curve("A")
    assert len(curve) == 2
    assert (curve.time == time).all()
    assert result.at("2024-01-11")["A"].value == curve.rating[1] == result["A"].value
    middle = result.at("2024-01-06")["A"]
    assert middle.value == pytest.approx(curve.rating.mean())
    later = result.at("2024-01-31")["A"]
    assert later.value == result["A"].value
    assert later.deviation == pytest.approx(sqrt(result["A"].deviation ** 2 + 20 * 50.0))
    assert result.at("1800-01-01")["A"].deviation == pytest.approx(250.0)
    timeless = WholeHistory(w2=50.0).fit(replace(pool, time=None))
    games = timeless.curve("A")
    assert games.time.tolist() == [0, 1]
    assert timeless.at(0.0)["A"].value == games.rating[0]
    with pytest.raises(InputError):
        result.at("when")
    with pytest.raises(InputError):
        result.curve("nobody")


def test_a_replay_never_knows_later_games(small: Pool) -> None:
    system = WholeHistory(w2=30.0, first_advantage="auto", refit_days=10.0)
    replay = system.replay(small)
    head = np.arange(len(small)) < 150
    assert np.allclose(replay.expected[head], system.replay(small.select(head)).expected)
    assert replay.draw is not None
    assert ((replay.draw > 0) & (replay.draw < 1)).all()


def test_the_last_ratings_of_a_replay_are_near_those_of_a_fit() -> None:
    pool = drifting(5.0, players=60, games=12_000)
    system = WholeHistory(w2=25.0, draw_rate=None, deviations="conditional")
    fitted, replayed = system.fit(pool), system.replay(pool).ratings
    assert np.abs(fitted.rating - replayed.rating).max() < 8.0
    assert np.sqrt(np.mean((fitted.rating - replayed.rating) ** 2)) < 2.5
    assert np.allclose(fitted.deviation, replayed.deviation, rtol=0.02)
    windowed = WholeHistory(w2=25.0, draw_rate=None, window=60).replay(pool).ratings
    assert np.sqrt(np.mean((windowed.rating - replayed.rating) ** 2)) < 1.0


@pytest.mark.parametrize("dated", [True, False])
def test_going_on_from_a_state(small: Pool, dated: bool) -> None:
    pool = small if dated else replace(small, time=None)
    system = WholeHistory(w2=30.0, first_advantage="auto", window=20)
    whole = system.replay(pool)
    assert small.time is not None
    cut = int(np.flatnonzero(small.time > small.time[120])[0])  # the games of a day stand together
    first = np.arange(len(pool)) < cut
    state, _ = system.advance(system.start(), pool.select(first))
    _, second = system.advance(state, pool.select(~first))
    assert np.abs(second.expected - whole.expected[cut:]).max() < 1e-12
    order = [second.ratings.index(name) for name in pool.players]
    assert np.abs(second.ratings.rating[order] - whole.ratings.rating).max() < 1e-9
    assert state.arrays["shared"][0] != 0.0


def test_expected_scores() -> None:
    system = WholeHistory(first_advantage=35.0)
    certain = system.probability(1600, 1500)
    assert certain == pytest.approx(1 / (1 + 10 ** (-135 / 400)))
    assert 0.5 < system.probability(1600, 1500, 200, 200) < certain
    result = WholeHistory(first_advantage="auto").fit(made_games(300, 6, draws=0.2))
    ahead = system.expected_score(result, "P0", "P1")
    behind = system.expected_score(result, "P1", "P0", advantage=-result.first_advantage.value)
    assert ahead == pytest.approx(1 - behind)


def test_what_cannot_be_rated_and_what_can() -> None:
    champion = WholeHistory().fit(Pool.from_names("A" * 200, "B" * 200, np.ones(200)))
    assert 1800.0 < champion["A"].value < np.inf
    assert np.isnan(champion.draw_rate.value)
    with pytest.raises(NoGamesError):
        WholeHistory().fit(no_games())
    with pytest.raises(UsageError):
        WholeHistory(w2="auto").replay(made_games(10, 3))
    time = np.array(["2024-01-01", "NaT"], "datetime64[s]")
    with pytest.raises(InputError, match="no time"):
        WholeHistory().fit(Pool.from_names("AB", "BA", [1, 0], time=time))


def test_few_draws_among_unequal_players_have_a_solution() -> None:
    """Newton's method once began at a draw rate of one half, and found no way from there."""
    rng = np.random.default_rng(0)
    pool = simulated_pool(rng.normal(0.0, 350.0, 8), 100, rng, draw_rate=0.0)
    score = pool.score.copy()
    score[rng.choice(100, 8, replace=False)] = 0.5
    day = np.sort(rng.integers(0, 180, 100)).astype("datetime64[D]").astype("datetime64[s]")
    assert 0.0 < WholeHistory().fit(replace(pool, score=score, time=day)).draw_rate.value < 0.5
