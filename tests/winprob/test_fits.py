from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from numpy.typing import NDArray

from lab.studies.winning.simulation import european_games, simulate_statistics
from yardstone.errors import ConvergenceError, InputError, NoGamesError, UsageError
from yardstone.grades import usual_komi
from yardstone.pool import Pool
from yardstone.winprob.fit import rms_by_difference
from yardstone.winprob.games import GameColumns
from yardstone.winprob.kaniuk import (
    ALL_PARAMETERS,
    INITIAL,
    PUBLISHED,
    TABLE_1,
    GradeModel,
    Kaniuk,
    Link,
    log_probabilities,
)
from yardstone.winprob.likelihood import (
    GradedGames,
    damped_newton,
    fit_likelihood,
    parameter_interval,
    parameter_shortfall,
    probability_interval,
)
from yardstone.winprob.statistics import WinningStatistics

Array = NDArray[np.float64]
TRUTH = np.array([PUBLISHED.parameters[name] for name in TABLE_1])


def made(games: float = 400_000, seed: int = 1) -> WinningStatistics:
    return simulate_statistics(PUBLISHED, european_games(games), seed=seed)


def exact(games: float = 1e7) -> WinningStatistics:
    """Counts in which every ratio is the model's."""
    table = european_games(games)
    grades = np.arange(-20.0, 7.0)[:, None]
    return WinningStatistics(
        -20, table * PUBLISHED.probability(grades, grades + np.arange(1.0, 5.0)), table
    )


def test_likelihood_of_exact_ratios() -> None:
    fit = fit_likelihood(GradedGames.from_statistics(exact()))
    assert fit.values == pytest.approx(TRUTH, rel=1e-4)


def test_profile_intervals_cover() -> None:
    """Symmetric ones, two standard errors, held u3 in 82 % and K in 88 %."""
    short = []
    for seed in range(60):
        fit = fit_likelihood(GradedGames.from_statistics(made(seed=100 + seed)))
        short.append(
            [parameter_shortfall(fit, n, t) for n, t in zip(TABLE_1, TRUTH.tolist(), strict=True)]
        )
    inside = 2.0 * np.array(short) <= 3.841459
    assert np.array(short).min() > -0.01  # the fit is the best there is
    assert np.all(inside.mean(axis=0) >= 0.88)
    assert 0.92 <= inside.mean() <= 0.985


def test_profile_intervals_end_where_the_likelihood_has_fallen() -> None:
    fit = fit_likelihood(GradedGames.from_statistics(made()))
    low, high = parameter_interval(fit, "K")
    assert low < fit.values[-1] < high
    for end in (low, high):
        assert 2.0 * parameter_shortfall(fit, "K", end) == pytest.approx(3.841459, abs=0.05)
    fewer = fit_likelihood(GradedGames.from_statistics(made()), free=("u0", "K"))
    with pytest.raises(UsageError, match="not free"):
        parameter_interval(fewer, "u1")
    low, high = parameter_interval(fewer, "K")
    symmetric = fewer.values[1] + np.array([-1.96, 1.96]) * fewer.standard_errors[1]
    assert [low, high] == pytest.approx(symmetric.tolist(), rel=0.05)
    alone = fit_likelihood(GradedGames.from_statistics(made()), free=("u0",))
    assert parameter_interval(alone, "u0")[0] < alone.values[0] < parameter_interval(alone, "u0")[1]


def test_an_interval_at_the_edge_is_one_sided() -> None:
    none = Kaniuk.from_parameters(dict(PUBLISHED.parameters) | {"u3": 0.0})
    games = simulate_statistics(none, european_games(100_000), seed=3)
    fit = fit_likelihood(GradedGames.from_statistics(games), start=GradeModel(none))
    low, high = parameter_interval(fit, "u3")
    assert low == 0.0
    assert 0.0 < high < 1.0


def test_the_fit_is_the_best_of_several_starts() -> None:
    """From table 1's first point alone it stayed in a lower maximum."""
    games = GradedGames.from_statistics(made(40_000, seed=33))
    alone = fit_likelihood(games, start=GradeModel(INITIAL, {}, "erf"))
    other = fit_likelihood(
        games,
        start=GradeModel(
            Kaniuk.from_parameters({"u0": 0.0, "v0": 0.004, "u1": 0.15, "u3": 0.05, "K": 0.05})
        ),
    )
    assert alone.minimum.value <= other.minimum.value + 1e-6


def test_intervals_of_probabilities_cover() -> None:
    inside = []
    for seed in range(25):
        fit = fit_likelihood(GradedGames.from_statistics(made(20_000, seed=300 + seed)))
        low, high = probability_interval(fit, 1, 3)
        assert low < float(fit.model.probability(1, 3)) < high
        inside.append(low <= float(PUBLISHED.probability(1, 3)) <= high)
    assert np.mean(inside) >= 0.84
    assert probability_interval(fit, 0, 0) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("free", "message"), [(("zz",), "zz"), ((), "at least one"), (("u0",), None)]
)
def test_wrong_wishes(free: tuple[str, ...], message: str | None) -> None:
    counts = GradedGames.from_statistics(made())
    with nullcontext() if message is None else pytest.raises(UsageError, match=message):
        fit_likelihood(counts, free=free)


def test_too_few_games() -> None:
    none = WinningStatistics(-20, np.zeros((27, 4)), np.zeros((27, 4)))
    with pytest.raises(NoGamesError):
        fit_likelihood(GradedGames.from_statistics(none))


def test_rms_of_a_true_model_is_what_chance_gives() -> None:
    rms, chance = rms_by_difference(made(), PUBLISHED)
    assert np.all(rms < 0.02)
    assert np.all((rms / chance > 0.5) & (rms / chance < 1.6))
    assert rms_by_difference(exact(), PUBLISHED)[0] == pytest.approx(np.zeros(4), abs=1e-12)


@pytest.mark.parametrize("link", ["erf", "logistic"])
def test_derivatives_of_the_grade_model(link: Link) -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(-6, 7, (2, 80))
    handicap, komi = rng.integers(0, 4, 80).astype(float), rng.choice([6.5, 7.5], 80)
    extras = {"low": 0.01, "lapse": 0.05, "black": 0.1, "komi": 0.02, "stone": 0.9}
    core = Kaniuk((0.04, 0.1, 0.01, 0.02), (0.004, 0.001, 1e-4, 2e-4), 0.19)
    vector = GradeModel(core, extras, link).vector
    log_win, log_loss, win_slope, loss_slope, jacobian = log_probabilities(
        vector, link, first, second, handicap, komi
    )
    assert np.exp(log_win) + np.exp(log_loss) == pytest.approx(np.ones(80), abs=1e-13)
    step = 1e-6
    for k, name in enumerate(ALL_PARAMETERS):
        if name == "lapse":
            continue
        ends = []
        for sign in (-1, 1):
            moved = vector.copy()
            moved[k] += sign * step
            ends.append(log_probabilities(moved, link, first, second, handicap, komi)[:2])
        for side, slope in ((0, win_slope), (1, loss_slope)):
            numeric = (ends[1][side] - ends[0][side]) / (2 * step)
            assert slope * jacobian[k] == pytest.approx(numeric, rel=2e-4, abs=2e-5)


def test_the_grade_model_is_kaniuks_without_its_terms() -> None:
    model = GradeModel()
    assert model.probability(1, 3) == pytest.approx(PUBLISHED.probability(1, 3))
    assert model.probability(-9, 0) == pytest.approx(PUBLISHED.probability(-9, 0), rel=1e-9)
    assert model.strength_gap(1, 3) == pytest.approx(PUBLISHED.strength_gap(1, 3))
    low = GradeModel(extras={"low": 0.05})
    assert low.probability(-18, -17) < model.probability(-18, -17)
    assert low.probability(-11, -10) == model.probability(-11, -10)
    lapse = GradeModel(extras={"lapse": 0.1})
    assert lapse.probability(-20, 6) == pytest.approx(0.05)
    fair = GradeModel(extras={"stone": 1.0})
    assert fair.probability(-3, 0, handicap=3) < 0.5 < fair.probability(-3, 0, handicap=4)
    colour = GradeModel(extras={"black": 0.2, "komi": 0.1})
    assert colour.probability(0, 0, komi=9.0) == pytest.approx(0.5)
    with pytest.raises(UsageError, match="no term"):
        GradeModel(extras={"luck": 1.0})
    with pytest.raises(UsageError, match="link must be"):
        GradeModel(link="tanh")  # type: ignore[arg-type]


def test_colour_handicap_and_lapses_are_recovered() -> None:
    truth = GradeModel(extras={"lapse": 0.08, "black": 0.3, "stone": 0.8, "low": 0.02})
    rng = np.random.default_rng(7)
    size = 60_000
    first = rng.integers(-20, 7, size).astype(float)
    second = np.clip(first + rng.integers(-6, 7, size), -20, 6).astype(float)
    handicap = rng.integers(0, 4, size).astype(float)
    komi = usual_komi(handicap)
    won = rng.random(size) < truth.probability(first, second, handicap=handicap, komi=komi)
    games = GradedGames.from_columns(first, second, won, handicap, komi)
    names = (*TABLE_1, "lapse", "black", "stone", "low")
    fit = fit_likelihood(games, free=names, start=GradeModel(INITIAL, {"stone": 1.0}))
    wanted = np.concatenate([TRUTH, [0.02, 0.08, 0.3, 0.8]])  # in the order of ALL_PARAMETERS
    assert fit.names == (*TABLE_1, "low", "lapse", "black", "stone")
    assert np.all(np.abs(fit.values - wanted) < 4.0 * fit.standard_errors)
    assert fit.log_likelihood >= games.log_likelihood(truth)
    assert fit.aic == pytest.approx(2 * (9 - fit.log_likelihood))


def test_the_minimisers_say_when_they_fail() -> None:
    def bowl(x: Array) -> tuple[float, Array, Array]:
        return float(x @ x), 2 * x, 2 * np.eye(len(x))

    start = np.array([3.0, -4.0])
    assert damped_newton(bowl, start, np.full(2, -np.inf)).point == pytest.approx([0, 0], abs=1e-9)
    assert damped_newton(bowl, start, np.array([1.0, -9.0])).point == pytest.approx(
        [1, 0], abs=1e-9
    )

    def slope(x: Array) -> tuple[float, Array, Array]:
        return float(x.sum()), np.ones(2), np.eye(2)

    with pytest.raises(ConvergenceError):
        damped_newton(slope, start, np.full(2, -np.inf), most_steps=20)

    def trough(x: Array) -> tuple[float, Array, Array]:  # singular, and factorised by rounding
        curved = np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-52]])
        return float(0.5 * x @ curved @ x), curved @ x, curved

    assert damped_newton(trough, start, np.full(2, -np.inf)).value == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(InputError):
        GameColumns.from_pool(Pool.from_names(["a"], ["b"], [1]))
