from __future__ import annotations

from dataclasses import replace
from math import exp, log, pi, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.ratings.made_games import made_games, no_games
from yardstone.errors import InputError, ModelError, NoGamesError, UsageError
from yardstone.pool import Pool
from yardstone.ratings import _history as newton
from yardstone.ratings._history import game_terms, game_value, tau_terms
from yardstone.ratings.egf import Handicap
from yardstone.ratings.joint import PlayerPriors, Prior
from yardstone.ratings.whole_history import (
    FULL_MATRIX_LIMIT,
    POINTS,
    HistoryFit,
    WholeHistory,
    WholeHistoryRatings,
    in_order,
    new_hessian,
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
    hessian = new_hessian(layout, np.array([w, tau]))
    nodes = len(layout.node_day)
    mean, deviation = priors_of(pool).arrays(pool.players, Prior(1500.0, 250.0)).T
    prior = np.column_stack([(mean - 1500.0) / POINTS, (POINTS / deviation) ** 2])
    return HistoryFit(layout, np.zeros(nodes), shared, hessian, w2 / POINTS**2, prior)


def priors_of(pool: Pool) -> PlayerPriors:
    """Some prior for every other player."""
    return PlayerPriors(
        {
            name: (1440.0 + 15.0 * row, 180.0 + 20.0 * row)
            for row, name in enumerate(pool.players)
            if row % 2
        }
    )


def packed(fit: HistoryFit) -> Floats:
    return np.concatenate([fit.x, fit.shared])


def value_at(fit: HistoryFit, unknowns: Floats) -> float:
    return newton.log_posterior(fit.problem, unknowns[:-2].copy(), unknowns[-2:].copy())


def gradient_at(fit: HistoryFit, unknowns: Floats) -> Floats:
    fit.x[:], fit.shared[:] = unknowns[:-2], unknowns[-2:]
    return fit.linearise()


@pytest.fixture(scope="module")
def small() -> Pool:
    return made_games(400, 12, days=40, draws=0.3)


@pytest.mark.parametrize("rate", [0.1, 0.35, 0.5, 0.8])
@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("difference", [-3.0, -0.4, 0.0, 1.1, 4.0])
def test_derivatives_of_a_game(rate: float, score: float, difference: float) -> None:
    u2 = ((1 - rate) / rate) ** 2
    win, draw, loss = win_draw_loss(1 / (1 + exp(-difference)), rate)
    by_score = {1.0: win, 0.5: draw, 0.0: loss}
    assert game_value(difference, score, u2) == pytest.approx(log(by_score[score]), abs=1e-12)

    h = 1e-5
    slope, curvature = game_terms(difference, score, u2)
    up, down = game_value(difference + h, score, u2), game_value(difference - h, score, u2)
    assert slope == pytest.approx((up - down) / (2 * h), abs=1e-8)
    steeper, flatter = (game_terms(difference + e, score, u2)[0] for e in (h, -h))
    observed = -(steeper - flatter) / (2 * h)
    assert curvature == pytest.approx(observed, abs=1e-7) or curvature > observed

    by_tau, seen, usual, mixed = tau_terms(difference, score, u2)
    more, less = (u2 * exp(2 * e) for e in (h, -h))
    values = [game_value(difference, score, u) for u in (more, less)]
    assert by_tau == pytest.approx((values[0] - values[1]) / (2 * h), abs=1e-8)
    slopes = [tau_terms(difference, score, u)[0] for u in (more, less)]
    assert seen == pytest.approx(-(slopes[0] - slopes[1]) / (2 * h), abs=1e-7)
    across = [game_terms(difference, score, u)[0] for u in (more, less)]
    assert mixed == pytest.approx(-(across[0] - across[1]) / (2 * h), abs=1e-7)
    expected = sum(p * tau_terms(difference, s, u2)[0] ** 2 for s, p in by_score.items())
    assert usual == pytest.approx(float(expected), abs=1e-10)


def test_gradient_against_finite_differences(small: Pool) -> None:
    fit = fit_of(small)
    generator = np.random.default_rng(3)
    here = packed(fit) + 0.02 * generator.standard_normal(len(fit.x) + 2)
    gradient = gradient_at(fit, here)
    for k in (*generator.integers(0, len(fit.x), 15), len(fit.x), len(fit.x) + 1):
        up, down = here.copy(), here.copy()
        up[k] += 1e-5
        down[k] -= 1e-5
        slope = (value_at(fit, up) - value_at(fit, down)) / 2e-5
        assert gradient[k] == pytest.approx(slope, rel=DIFFERENCE, abs=1e-6)


def ones(inverse: Floats) -> Floats:
    """One for each strength, nothing for w and tau."""
    return np.append(np.ones(len(inverse) - 2), [0.0, 0.0])


def along(inverse: Floats) -> Floats:
    """How each strength moves with the sum of all."""
    covariance = (inverse @ ones(inverse))[:-2]
    share: Floats = covariance / covariance.sum()
    return share


def finite_hessian(fit: HistoryFit) -> Floats:
    here = packed(fit)
    size = len(here)
    matrix = np.zeros((size, size))
    for k in range(size):
        up, down = here.copy(), here.copy()
        up[k] += 1e-5
        down[k] -= 1e-5
        matrix[k] = -(gradient_at(fit, up) - gradient_at(fit, down)) / 2e-5
    gradient_at(fit, here)
    return matrix


def test_deviations_against_a_dense_hessian_of_finite_differences(small: Pool) -> None:
    fit = fit_of(small)
    fit.climb()
    dense = finite_hessian(fit)
    assert np.abs(fit.full_matrix() - dense).max() < 1e-5
    inverse = np.linalg.inv(dense).astype(np.float64)
    variance, shared = fit.variance(1, 0)
    assert np.allclose(variance, np.diag(inverse)[:-2], rtol=1e-5)
    assert np.allclose(shared, np.diag(inverse)[-2:], rtol=1e-5)
    system = WholeHistory(
        w2=20.0, first_advantage="auto", reference="prior", priors=priors_of(small)
    )
    result = system.fit(small)
    assert np.allclose(result.day_deviation, POINTS * np.sqrt(np.diag(inverse)[:-2]), rtol=1e-5)
    to_mean = np.eye(len(inverse)) - np.outer(np.append(along(inverse), [0, 0]), ones(inverse))
    relative = np.diag(to_mean @ inverse @ to_mean.T)[:-2]
    result = replace(system, reference="mean").fit(small)
    assert np.allclose(result.day_deviation, POINTS * np.sqrt(relative), rtol=1e-5)
    of_w = POINTS * sqrt(inverse[-2, -2])
    assert result.first_advantage.deviation == pytest.approx(of_w, rel=1e-5)


def test_maximum_against_newton_with_a_dense_solve(small: Pool) -> None:
    fit = fit_of(small)
    here = packed(fit)
    for _ in range(30):
        gradient = gradient_at(fit, here)
        here = here + np.linalg.solve(fit.full_matrix(), gradient)
    assert np.abs(gradient_at(fit, here)).max() < 1e-9
    system = WholeHistory(w2=20.0, first_advantage="auto", priors=priors_of(small))
    result = system.fit(small)
    assert np.abs(result.day_rating - (1500.0 + POINTS * here[:-2])).max() < TOLERANCE
    assert result.first_advantage.value == pytest.approx(POINTS * here[-2], abs=TOLERANCE)
    assert result.draw_rate.value == pytest.approx(1 / (1 + exp(here[-1])), abs=1e-9)


def test_conditional_variance_is_that_of_each_block(small: Pool) -> None:
    fit = fit_of(small, w=False, tau=False)
    fit.climb()
    matrix, start = fit.full_matrix(), fit.layout.node_start
    conditional = fit.conditional_variance()
    for p in range(len(small.players)):
        block = slice(start[p], start[p + 1])
        assert np.allclose(conditional[block], np.diag(np.linalg.inv(matrix[block, block])))
    joint = WholeHistory(w2=20.0, reference="prior").fit(small)
    alone = WholeHistory(w2=20.0, deviations="conditional").fit(small)
    assert (alone.day_deviation < joint.day_deviation).all()
    assert np.isnan(WholeHistory(w2=20.0, deviations="none").fit(small).day_deviation).all()


def test_sampled_deviations_against_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = made_games(1200, 20, days=50, draws=0.3)
    fit = fit_of(pool, w=True, tau=False)
    fit.climb()
    assert len(fit.x) <= FULL_MATRIX_LIMIT
    exact, shared = fit.variance(1, 0)
    exact_relative, _ = fit.variance(1, 0, with_level=False)
    determinant = fit._log_determinant()
    monkeypatch.setattr("yardstone.ratings.whole_history.FULL_MATRIX_LIMIT", 0)
    sampled, sampled_shared = fit.variance(32, 5)
    assert np.abs(np.sqrt(sampled / exact) - 1).max() < 0.005
    relative, _ = fit.variance(32, 5, with_level=False)
    assert np.abs(np.sqrt(relative / exact_relative) - 1).max() < 0.01
    assert sampled_shared[0] == pytest.approx(shared[0], rel=1e-3)
    assert fit._log_determinant() == pytest.approx(determinant, abs=1.0)
    assert (fit.variance(5, 1)[0] == fit.variance(5, 1)[0]).all()


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


def drifting(w: float, *, players: int = 60, games: int = 12_000, seed: int = 4) -> Pool:
    generator = np.random.default_rng(seed)
    length = 400
    strength = generator.normal(0, 1.2, players) + np.cumsum(
        generator.normal(0, w / POINTS, (length, players)), axis=0
    )
    first = generator.integers(0, players, games, dtype=np.int32)
    second = (first + generator.integers(1, players, games, dtype=np.int32)) % players
    day = np.sort(generator.integers(0, length, games))
    chance = 1 / (1 + np.exp(strength[day, second] - strength[day, first]))
    score = (generator.random(games) < chance).astype(float)
    names = tuple(f"P{i}" for i in range(players))
    return Pool(names, first, second, score, (day * 86_400).astype("datetime64[s]"))


@pytest.mark.parametrize("w", [3.0, 10.0])
def test_the_drift_is_found(w: float) -> None:
    result = WholeHistory(w2="auto", deviations="none").fit(drifting(w))
    assert 0.75 * w < sqrt(result.w2) < 1.33 * w


def test_the_order_of_the_games_does_not_matter(small: Pool) -> None:
    system = WholeHistory(w2=20.0, first_advantage="auto")
    one = system.fit(small)
    order = np.random.default_rng(1).permutation(len(small))
    assert small.time is not None
    mixed = Pool(
        small.players,
        small.first[order],
        small.second[order],
        small.score[order],
        small.time[order],
    )
    other = system.fit(mixed)
    assert (one.time == other.time).all()
    assert np.abs(one.day_rating - other.day_rating).max() < TOLERANCE
    assert np.allclose(one.day_deviation, other.day_deviation)
    swapped = Pool(small.players, small.second, small.first, 1.0 - small.score, small.time)
    back = system.fit(swapped)
    assert back.first_advantage.value == pytest.approx(-one.first_advantage.value, abs=TOLERANCE)
    assert np.abs(one.day_rating - back.day_rating).max() < TOLERANCE


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


def test_winners_of_everything_stay_finite() -> None:
    result = WholeHistory(draw_rate=None).fit(made_games(50, 3))
    lone = Pool.from_names(["A"] * 200, ["B"] * 200, np.ones(200))
    champion = WholeHistory().fit(lone)
    assert np.isfinite(champion.rating).all()
    assert champion["A"].value > result.rating.max()
    assert np.isnan(champion.draw_rate.value)


@pytest.mark.parametrize("score", [0.5, 1.0])
def test_what_has_no_finite_estimate_is_an_error(score: float) -> None:
    pool = Pool.from_names("ABAC", "BABA", [score] * 4)
    with pytest.raises(ModelError, match="no finite estimate"):
        WholeHistory(first_advantage="auto").fit(pool)


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
    with pytest.raises(InputError):
        result.at("when")
    with pytest.raises(InputError):
        result.curve("nobody")


def test_games_without_times_drift_by_game(small: Pool) -> None:
    pool = Pool(small.players, small.first, small.second, small.score)
    result = WholeHistory(w2=100.0).fit(pool)
    assert len(result.time) == 2 * len(pool)
    assert result.curve("P0").time.tolist() == list(range(len(result.curve("P0"))))
    assert result.at(0.0)["P0"].value == result.curve("P0").rating[0]
    assert len(WholeHistory(w2=100.0).replay(pool).expected) == len(pool)


def test_a_replay_never_knows_later_games(small: Pool) -> None:
    system = WholeHistory(w2=30.0, first_advantage="auto", refit_days=10.0)
    replay = system.replay(small)
    head = np.arange(len(small)) < 250
    assert np.allclose(replay.expected[head], system.replay(small.select(head)).expected)
    assert replay.draw is not None
    assert ((replay.draw > 0) & (replay.draw < 1)).all()
    changed = Pool(
        small.players, small.first, small.second, np.where(head, small.score, 0.0), small.time
    )
    assert np.allclose(system.replay(changed).expected[head], replay.expected[head])


def test_the_last_ratings_of_a_replay_are_near_those_of_a_fit() -> None:
    pool = drifting(5.0)
    system = WholeHistory(w2=25.0, draw_rate=None, deviations="conditional")
    fitted, replayed = system.fit(pool), system.replay(pool).ratings
    assert np.abs(fitted.rating - replayed.rating).max() < 8.0
    assert np.sqrt(np.mean((fitted.rating - replayed.rating) ** 2)) < 2.5
    assert np.allclose(fitted.deviation, replayed.deviation, rtol=0.02)
    windowed = WholeHistory(w2=25.0, draw_rate=None, window=60).replay(pool).ratings
    assert np.sqrt(np.mean((windowed.rating - replayed.rating) ** 2)) < 1.0


@pytest.mark.parametrize("dated", [True, False])
def test_going_on_from_a_state(small: Pool, dated: bool) -> None:
    pool = small if dated else Pool(small.players, small.first, small.second, small.score)
    system = WholeHistory(w2=30.0, first_advantage="auto", window=20)
    whole = system.replay(pool)
    cut = 200  # the games of a day stand together
    assert small.time is not None
    assert small.time[cut] > small.time[cut - 1]
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
    assert isinstance(result, WholeHistoryRatings)
    ahead = system.expected_score(result, "P0", "P1")
    points = result.first_advantage.value
    behind = system.expected_score(result, "P1", "P0", advantage=-points)
    assert ahead == pytest.approx(1 - behind)


@pytest.mark.parametrize(
    "wrong",
    [
        {"w2": 0.0},
        {"prior_deviation": -1.0},
        {"draw_rate": 1.0},
        {"draw_rate": "often"},
        {"first_advantage": "some"},
        {"resolution": 0.0},
        {"deviations": "all"},
        {"reference": "moon"},
        {"window": 1},
        {"refit_days": 0.0},
    ],
)
def test_parameters_out_of_range(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        WholeHistory(**wrong)  # type: ignore[arg-type]


def test_what_cannot_be_rated() -> None:
    with pytest.raises(NoGamesError):
        WholeHistory().fit(no_games())
    with pytest.raises(UsageError):
        WholeHistory(w2="auto").replay(made_games(10, 3))
    time = np.array(["2024-01-01", "NaT"], "datetime64[s]")
    with pytest.raises(InputError, match="no time"):
        WholeHistory().fit(Pool.from_names("AB", "BA", [1, 0], time=time))


@pytest.mark.parametrize("seed", range(4))
def test_few_draws_among_unequal_players_have_a_solution(seed: int) -> None:
    """Newton's method once began at a draw rate of one half, and found no way from there."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0.0, 350.0, 8)
    first = rng.integers(0, 8, 100)
    second = (first + 1 + rng.integers(0, 7, 100)) % 8
    expected = 1.0 / (1.0 + 10.0 ** ((strength[second] - strength[first]) / 400.0))
    score = (rng.random(100) < expected) * 1.0
    score[rng.choice(100, 8, replace=False)] = 0.5
    day = np.sort(rng.integers(0, 180, 100)).astype("datetime64[D]").astype("datetime64[s]")
    names = tuple(f"player {row}" for row in range(8))
    pool = Pool(names, first.astype(np.int32), second.astype(np.int32), score, day)
    result = WholeHistory().fit(pool)
    assert 0.0 < result.draw_rate.value < 0.5
