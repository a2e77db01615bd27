"""Fits by likelihood: against scipy on few games, derivatives by finite differences, intervals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.special import erfc, expit

from tests.winprob.made_games import TRUTH, Array, exact, made
from yardstone.errors import ConvergenceError, InputError, NoGamesError, UsageError
from yardstone.grades import usual_komi
from yardstone.pool import Pool
from yardstone.winprob.fit import (
    FREE,
    fit_all_games,
    fit_statistics,
    fit_winning_model,
    rms_by_difference,
)
from yardstone.winprob.games import GameColumns
from yardstone.winprob.kaniuk import (
    ALL_PARAMETERS,
    INITIAL,
    PUBLISHED,
    TABLE_1,
    GradeModel,
    Kaniuk,
    Link,
    log_gradients,
)
from yardstone.winprob.likelihood import (
    GradedGames,
    LikelihoodFit,
    damped_newton,
    fit_likelihood,
    parameter_interval,
    parameter_shortfall,
    probability_interval,
)
from yardstone.winprob.statistics import WinningStatistics

CHI2 = 3.841458820694124  # 95 %, one degree of freedom


def graded_pool(games: int = 400, *, events: int = 0) -> Pool:
    rng = np.random.default_rng(2)
    first = rng.integers(-8, 4, games).astype(float)
    second = first + rng.integers(-2, 3, games)
    handicap = np.where(rng.random(games) < 0.3, 2.0, 0.0)
    truth = GradeModel(Kaniuk.from_parameters({"u1": 0.2, "K": 0.05}), {"stone": 1.0}, "logistic")
    won = rng.random(games) < truth.probability(first, second, handicap=handicap)
    one = rng.integers(0, 20, games)
    other = (one + 1 + rng.integers(0, 19, games)) % 20
    columns = {"first_grade": first, "second_grade": second, "handicap": handicap}
    if events:
        columns["event"] = np.char.add("event ", (np.arange(games) % events).astype(str))
    time = np.datetime64("2011-05-01", "s") + np.arange(games) * 86_400
    ours, theirs = (side.astype(str).tolist() for side in (one, other))
    return Pool.from_names(ours, theirs, won.astype(float), time=time, columns=columns)


def few_games(link: Link = "logistic") -> tuple[GradedGames, LikelihoodFit]:
    """900 games of other coefficients, and the fit to them."""
    rng = np.random.default_rng(4)
    first = rng.integers(-9, 4, 900).astype(float)
    second = (first + rng.integers(-3, 4, 900)).astype(np.float64)
    stones = rng.integers(0, 4, 900).astype(float)
    truth = GradeModel(Kaniuk.from_parameters({"u1": 0.3, "K": 0.1}), {"stone": 0.9}, link)
    won = rng.random(900) < truth.probability(first, second, handicap=stones)
    games = GradedGames.from_columns(first, second, won, stones, usual_komi(stones))
    start = GradeModel(Kaniuk.from_parameters({"u1": 0.1, "K": 0.2}), {"stone": 1.0}, link)
    return games, fit_likelihood(games, free=FREE, start=start)


def chances(values: Array, games: GradedGames, link: Link) -> Array:
    """By equation 2: u1 and K alone, and a head start of stones less one half."""
    u1, k, stone = values
    ahead = np.where(games.handicap > 0, games.handicap - 0.5, 0.0) * stone
    r, s = games.first + ahead, games.second
    gap = u1 * (s - r) * np.exp(k * np.minimum(r, s))
    return np.asarray(0.5 * erfc(gap) if link == "erf" else expit(-4.0 / np.sqrt(np.pi) * gap))


def lost(values: Array, games: GradedGames, link: Link) -> float:
    p = chances(values, games, link)
    return -float(games.wins @ np.log(p) + (games.games - games.wins) @ np.log1p(-p))


@pytest.mark.parametrize("link", ["erf", "logistic"])
def test_a_fit_to_few_games_is_scipys(link: Link) -> None:
    """Values, likelihood, and the covariance from the expected information."""
    games, fit = few_games(link)
    best = minimize(lost, [0.2, 0.05, 1.0], (games, link), "Nelder-Mead",
                    options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000})  # fmt: skip
    assert fit.values == pytest.approx(best.x, rel=1e-4)
    assert -fit.log_likelihood == pytest.approx(best.fun, abs=1e-8)
    assert fit.log_likelihood == pytest.approx(games.log_likelihood(fit.model))
    assert fit.aic == pytest.approx(2.0 * (3 + best.fun))
    slopes = []
    for step in 1e-5 * np.eye(3):
        ends = [chances(fit.values + sign * step, games, link) for sign in (1.0, -1.0)]
        slopes.append((ends[0] - ends[1]) / 2e-5)
    p = chances(fit.values, games, link)
    information = (np.array(slopes) * games.games / (p * (1.0 - p))) @ np.array(slopes).T
    assert fit.covariance == pytest.approx(np.linalg.inv(information), rel=1e-4)
    assert fit.standard_errors == pytest.approx(np.sqrt(np.diag(fit.covariance)))


def profile(name: str, value: float, games: GradedGames, best: Array) -> float:
    """Return what is lost at best with one of u1, K and stone held."""
    at = FREE.index(name)
    others = [k for k in range(3) if k != at]

    def loss(rest: Array) -> float:
        values = np.array(best)
        values[at], values[others] = value, rest
        return lost(values, games, "logistic")

    return float(minimize(loss, best[others], method="Nelder-Mead", options={"fatol": 1e-9}).fun)


def test_an_interval_ends_where_the_likelihood_has_fallen_by_half_of_chi_squared() -> None:
    games, fit = few_games()
    for name in FREE:
        for end in parameter_interval(fit, name):
            lack = profile(name, end, games, fit.values) + fit.log_likelihood
            assert 2.0 * lack == pytest.approx(CHI2, abs=0.02), (name, end)
            assert parameter_shortfall(fit, name, end) == pytest.approx(lack, abs=1e-3)
    narrow = parameter_interval(fit, "u1", 0.5)
    assert 2.0 * parameter_shortfall(fit, "u1", narrow[0]) == pytest.approx(0.4549, abs=0.01)
    with pytest.raises(UsageError, match="'u0' was not free"):
        parameter_interval(fit, "u0")
    with pytest.raises(UsageError, match="'u0' was not free"):
        parameter_shortfall(fit, "u0", 1.0)
    for level in (0.0, 1.0):
        with pytest.raises(UsageError, match="confidence level"):
            parameter_interval(fit, "u1", level)


def test_the_interval_of_a_probability_is_that_of_what_decides_it() -> None:
    """Of u0 alone every probability is a function of it."""
    games, _ = few_games()
    even = games.handicap == 0
    games = GradedGames(*(getattr(games, n)[even] for n in GradedGames.__dataclass_fields__))
    start = GradeModel(Kaniuk.from_parameters({"u0": 0.1}))
    fit = fit_likelihood(games, free=("u0",), start=start)
    ends = parameter_interval(fit, "u0")
    wanted = [0.5 * erfc(2 * end) for end in reversed(ends)]
    assert probability_interval(fit, 1, 3) == pytest.approx(wanted, abs=2e-3)
    assert probability_interval(fit, 0, 0) == (0.5, 0.5)


def test_several_starts_find_the_best_and_bounds_make_intervals_one_sided() -> None:
    """From table 1's first point alone a fit stayed in a lower maximum."""
    fit = fit_likelihood(GradedGames.from_statistics(exact()))
    assert fit.names == TABLE_1
    assert fit.values == pytest.approx(TRUTH, rel=1e-4)
    games = GradedGames.from_statistics(made(40_000, seed=33))
    alone = fit_likelihood(games, start=GradeModel(INITIAL, {}, "erf"))
    low_k = {"u0": 0.0, "v0": 0.004, "u1": 0.15, "u3": 0.05, "K": 0.05}
    for core in (low_k, dict(PUBLISHED.parameters)):
        other = fit_likelihood(games, start=GradeModel(Kaniuk.from_parameters(core)))
        assert alone.minimum.value <= other.minimum.value + 1e-5
        assert other.other_peaks == ()  # a first point that is given is the only one
    for name, value in zip(alone.names, alone.values, strict=True):
        low, high = parameter_interval(alone, name)
        assert low <= value <= high < np.inf
        assert (low == 0.0) == (parameter_shortfall(alone, name, 0.0) * 2.0 <= CHI2 + 1e-6), name
    # The weaker player lost the only game: there is no end above.
    sure = GradedGames.from_columns(*(np.array([x]) for x in (0.0, 1.0, False, 0.0, 7.0)))
    start = GradeModel(Kaniuk.from_parameters({"u0": 0.5}))
    assert parameter_interval(fit_likelihood(sure, free=("u0",), start=start), "u0")[1] == np.inf


def test_games_alike_are_added_up() -> None:
    first, second, handicap, komi = np.array([[1, 0, 1], [2, 2, 2], [0, 0, 0], [7, 7, 7.0]])
    won, weight = np.array([True, True, False]), np.array([0.5, 1.0, 2.0])
    games = GradedGames.from_columns(first, second, won, handicap, komi, weight)
    assert (games.first.tolist(), games.second.tolist()) == ([0.0, 1.0], [2.0, 2.0])
    assert (games.wins.tolist(), games.games.tolist()) == ([1.0, 0.5], [1.0, 2.5])
    assert GradedGames.from_columns(first, second, won, handicap, komi).games.tolist() == [1, 2]
    table = WinningStatistics(-2, np.array([[9, 0], [1, 3.0]]), np.array([[9, 0], [2, 4.0]]))
    games = GradedGames.from_statistics(table)
    rows = [games.first, games.second, games.handicap, games.komi, games.wins, games.games]
    assert np.array(rows).tolist() == [[-1, -1], [0, 1], [0, 0], [7, 7], [1, 3], [2, 4]]


@pytest.mark.parametrize("link", ["erf", "logistic"])
@pytest.mark.parametrize("lapse", [0.0, 0.05])
def test_derivatives_are_those_of_the_probabilities(link: Link, lapse: float) -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(-6, 7, (2, 80))
    handicap, komi = rng.integers(0, 4, 80).astype(float), rng.choice([6.5, 7.5], 80)
    extras = {"low": 0.01, "lapse": lapse, "black": 0.1, "komi": 0.02, "stone": 0.9}
    core = Kaniuk((0.04, 0.1, 0.01, 0.02), (0.004, 0.001, 1e-4, 2e-4), 0.19)
    model = GradeModel(core, extras, link)
    conditions = (first, second, handicap, komi)
    log_win, log_loss, win, loss = log_gradients(model.vector, link, *conditions)
    p = model.probability(first, second, handicap=handicap, komi=komi)
    assert np.exp(log_win) == pytest.approx(p, abs=1e-13)
    assert np.exp(log_loss) == pytest.approx(1.0 - p, abs=1e-13)
    for k, name in enumerate(ALL_PARAMETERS):
        if name == "lapse" and not lapse:
            continue
        step = 1e-6 * np.eye(len(ALL_PARAMETERS))[k]
        ends = [log_gradients(model.vector + s * step, link, *conditions)[:2] for s in (-1, 1)]
        for side, slope in ((0, win), (1, loss)):
            numeric = (ends[1][side] - ends[0][side]) / 2e-6
            assert slope[k] == pytest.approx(numeric, rel=2e-4, abs=2e-5), name


def test_the_grade_model_is_kaniuks_without_its_terms() -> None:
    model = GradeModel()
    for pair in ((1, 3), (-9, 0)):
        assert model.probability(*pair) == pytest.approx(PUBLISHED.probability(*pair), rel=1e-9)
        assert model.strength_gap(*pair) == pytest.approx(PUBLISHED.strength_gap(*pair))
    low, lapse = GradeModel(extras={"low": 0.05}), GradeModel(extras={"lapse": 0.1})
    assert low.strength_gap(-18, -17) == pytest.approx(model.strength_gap(-18, -17) + 0.05 * 6)
    assert low.probability(-11, -10) == model.probability(-11, -10)
    assert lapse.probability(1, 3) == pytest.approx(0.05 + 0.9 * PUBLISHED.probability(1, 3))
    # Three stones without komi are two and a half grades; one of 14 points.
    stone, colour = {"stone": 1.0}, {"black": 0.2, "komi": 0.1}
    for extras, first, given in (
        (stone, -2.5, {"handicap": 3}), (stone, -2.0, {"handicap": 3, "komi": 7}),
        (colour, 0, {"komi": 9.0}), (colour, -0.2, {}), (colour, 0, {"handicap": 2}),
    ):  # fmt: skip
        p = GradeModel(extras=extras).probability(first, 0, **given)
        assert p == pytest.approx(0.5), (extras, given)
    with pytest.raises(UsageError, match="no term"):
        GradeModel(extras={"luck": 1.0})
    with pytest.raises(UsageError, match="link must be"):
        GradeModel(link="tanh")  # type: ignore[arg-type]


def test_the_minimiser_finds_minima_above_bounds_and_says_when_it_fails() -> None:
    def bowl(x: Array) -> tuple[float, Array, Array]:
        return float(x @ x), 2 * x, 2 * np.eye(len(x))

    start, free = np.array([3.0, -4.0]), np.full(2, -np.inf)
    bound = damped_newton(bowl, start, np.array([1.0, -9.0]))
    assert bound.point == pytest.approx([1, 0], abs=1e-9)
    assert bound.value == pytest.approx(1.0)
    assert bound.steps == len(bound.path) - 1 >= 1

    def valley(x: Array) -> tuple[float, Array, Array]:  # Rosenbrock's
        a, b = 1.0 - x[0], x[1] - x[0] ** 2
        slope = np.array([-2.0 * a - 400.0 * x[0] * b, 200.0 * b])
        cross = -400.0 * x[0]
        curved = np.array([[2.0 - 400.0 * (b - 2.0 * x[0] ** 2), cross], [cross, 200.0]])
        return a * a + 100.0 * b * b, slope, curved

    assert damped_newton(valley, np.array([-1.2, 1.0]), free).point == pytest.approx([1, 1])
    held = damped_newton(valley, np.array([1.0, 3.0]), np.array([-np.inf, 2.0]))
    assert held.point == pytest.approx([brentq(lambda x: 400 * x**3 - 798 * x - 2, 1, 2), 2.0])

    def slope(x: Array) -> tuple[float, Array, Array]:
        return float(x.sum()), np.ones(2), np.eye(2)

    with pytest.raises(ConvergenceError):
        damped_newton(slope, start, free, most_steps=20)

    def trough(x: Array) -> tuple[float, Array, Array]:  # singular, and factorised by rounding
        curved = np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-52]])
        return float(0.5 * x @ curved @ x), curved @ x, curved

    assert damped_newton(trough, start, free).value == pytest.approx(0.0, abs=1e-9)


def test_errors_of_a_model_by_difference_of_grades() -> None:
    """Over 12 kyu to 7 dan, each cell alike; and what chance alone would give."""
    wins, games = np.zeros((2, 27, 4))
    outside = [(-13, 1, 9, 9), (6, 1, 1, 1), (5, 2, 1, 1)]
    for grade, difference, won, played in [*outside, (-12, 1, 3, 10), (3, 1, 1, 4), (0, 2, 2, 8)]:
        wins[grade + 20, difference - 1], games[grade + 20, difference - 1] = won, played
    rms, chance = rms_by_difference(WinningStatistics(-20, wins, games), PUBLISHED)
    p = [float(PUBLISHED.probability(g, g + 1)) for g in (-12, 3)]
    assert rms[0] == pytest.approx(np.sqrt(((0.3 - p[0]) ** 2 + (0.25 - p[1]) ** 2) / 2))
    expected = (p[0] * (1 - p[0]) / 10 + p[1] * (1 - p[1]) / 4) / 2
    assert chance[0] == pytest.approx(np.sqrt(expected))
    assert rms[1] == pytest.approx(abs(0.25 - PUBLISHED.probability(0, 2)))
    assert np.isnan([*rms[2:], *chance[2:]]).all()


def test_a_fit_to_statistics_tells_its_intervals() -> None:
    statistics = made(20_000)
    result = fit_statistics(statistics, free=("u1", "K"), pairs=[(1.0, 3.0)], level=0.9)
    fit = result.fit
    assert isinstance(fit, LikelihoodFit)
    for each in result.parameters:
        assert each.interval is not None
        ends = (each.interval.low, each.interval.high)
        assert (ends, each.interval.level) == (parameter_interval(fit, each.name, 0.9), 0.9)
        assert each.interval.method == "profile likelihood"
        assert each.published == PUBLISHED.parameters[each.name]
    (pair,) = result.probabilities
    assert pair.probability == pytest.approx(float(result.model.probability(1, 3)))
    assert (pair.interval.low, pair.interval.high) == probability_interval(fit, 1, 3, 0.9)
    rms, _ = rms_by_difference(statistics, result.model)
    assert [(each.difference, each.rms) for each in result.errors] == list(enumerate(rms, 1))
    winning = result.winning
    assert (winning.lowest, winning.highest, winning.apart) == (-20.0, 6.0, 4.0)
    assert winning.about.startswith(f"winning statistics of {statistics.games.sum():,.0f} even")
    assert winning.probability(-3.5, 0, handicap=4) == pytest.approx(0.5)  # a stone is a grade


def test_a_model_says_what_it_was_fitted_to() -> None:
    pool = graded_pool(events=12)
    model = fit_winning_model(pool, name="ours").model
    assert (model.name, model.about) == ("ours", "400 games of 12 events, 2011 to 2012")
    grades = np.sort([*pool.columns["first_grade"], *pool.columns["second_grade"]])
    assert (model.lowest, model.highest) == (grades[19], grades[-20])  # ten games reach so far
    even = pool.columns["handicap"] == 0
    apart = np.abs(pool.columns["first_grade"] - pool.columns["second_grade"])[even]
    assert model.apart == np.sort(apart)[-10]
    assert model.region is not None
    assert (model.region.free, model.region.clusters, model.of_events) == (FREE, "12 events", True)
    nameless = {name: each for name, each in pool.columns.items() if name != "event"}
    players = fit_winning_model(replace(pool, columns=nameless)).model
    assert (players.about, players.of_events) == ("400 games of 20 players, 2011 to 2012", False)
    weighed = fit_winning_model(pool, event_games=5.0)
    size = np.bincount(np.arange(400) % 12)
    assert weighed.fit.games.games.sum() == pytest.approx((size / (1.0 + size / 5.0)).sum())


def test_a_model_has_intervals_of_what_was_fitted_to_enough_events() -> None:
    pool, few = graded_pool(events=12), graded_pool(60, events=3)
    poor = fit_winning_model(few).model
    assert (poor.region, poor.no_interval) == (None, "its games are of too few events for one")
    (told,) = fit_all_games(few, free=("u1",), link="logistic").parameters
    assert told.interval is not None
    assert told.interval.method == "profile likelihood, games taken as independent"
    (pair,) = fit_all_games(pool, free=FREE, link="logistic", pairs=[(0.0, 2.0)]).probabilities
    assert pair.interval.method == "over 12 events"
    no_stone = fit_winning_model(pool, free=("u1", "K")).model
    assert no_stone.no_interval == "the worth of a stone was not fitted"
    assert no_stone.interval(0, 1, handicap=2) is None
    assert no_stone.interval(0, 1) is not None
    lapses = fit_winning_model(pool, free=("u1", "lapse")).model
    assert lapses.interval(0, 1) is None
    assert "lapses" in lapses.no_interval


def test_what_cannot_be_fitted() -> None:
    lowest = np.zeros((27, 4))
    lowest[0, 0] = 9.0  # players below 20 kyu stand in the first row too
    none = GradedGames.from_statistics(WinningStatistics(-20, lowest, lowest))
    assert none.games.sum() == 0.0
    with pytest.raises(NoGamesError):
        fit_likelihood(none)
    for free, message in ((("zz",), "zz"), ((), "at least one")):
        with pytest.raises(UsageError, match=message):
            fit_likelihood(GradedGames.from_statistics(made(1000)), free=free)
    with pytest.raises(InputError):
        GameColumns.from_pool(Pool.from_names(["a"], ["b"], [1]))
    pool = graded_pool(50)
    with pytest.raises(NoGamesError):
        fit_winning_model(pool.select(np.zeros(50, np.bool_)))
    refused: list[tuple[Pool, dict[str, Any], str]] = [
        (pool.select(pool.columns["handicap"] == 0), {"free": ("u1", "stone")}, "of 'stone'"),
        (pool, {"free": ("u1", "komi")}, "nothing of 'komi'"),
        (pool, {"free": ("u1", "low")}, "nothing of 'low'"),
        (pool, {"event_games": 10.0}, "name no events"),
        (graded_pool(50, events=5), {"event_games": 0.0}, "event_games"),
    ]
    for games, options, message in refused:
        with pytest.raises(UsageError, match=message):
            fit_winning_model(games, **options)


def test_intervals_hold() -> None:
    """Of coefficients and of a probability, in tables made of known ones."""
    inside = []
    for seed in range(300, 308):
        fit = fit_likelihood(GradedGames.from_statistics(made(20_000, seed=seed)))
        low, high = probability_interval(fit, 1, 3)
        lack = [parameter_shortfall(fit, *each) for each in zip(TABLE_1, TRUTH, strict=True)]
        inside.append([*(2.0 * np.array(lack) <= CHI2), low <= PUBLISHED.probability(1, 3) <= high])
    assert 0.9 <= np.mean(inside) <= 0.99
