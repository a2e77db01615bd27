"""Errors of fitted models, and intervals by them: written down once more, and in closed form."""

from __future__ import annotations

from math import hypot
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.linalg import eigh
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, logit, ndtr
from scipy.stats import norm, t

from lab.studies.coverage_models import SETTINGS, held
from yardstone.errors import UsageError
from yardstone.winprob.fit import region_by_event, region_by_player, spread_between
from yardstone.winprob.games import GameColumns
from yardstone.winprob.kaniuk import ALL_PARAMETERS, GradeModel, Kaniuk, log_gradients
from yardstone.winprob.model import CoefficientRegion, WinningModel, model_draws

Array = NDArray[np.float64]
FREE = ("u1", "K", "stone")
MODEL = GradeModel(Kaniuk.from_parameters({"u1": 0.2, "K": 0.04}), {"stone": 1.0}, "logistic")
SLOPE = 4.0 / np.sqrt(np.pi)  #: Of the logistic link.


def graded(games: int = 90, events: int = 9, seed: int = 3) -> GameColumns:
    rng = np.random.default_rng(seed)
    first = rng.integers(-9, 4, games).astype(float)
    second = first + rng.integers(-3, 4, games)
    handicap = rng.integers(0, 3, games).astype(float)
    komi = np.where(handicap == 0, 7.0, 0.0)
    won = rng.random(games) < MODEL.probability(first, second, handicap=handicap, komi=komi)
    return GameColumns(
        first, second.astype(np.float64), handicap, komi, won, np.arange(games) % events
    )


def derivatives(games: GameColumns) -> tuple[Array, Array, Array]:
    """Chances of `first`, their slopes by the free coefficients, and scores: numerically."""

    def p(vector: Array) -> Array:
        law = GradeModel.from_vector(vector, "logistic")
        return law.probability(games.first, games.second, handicap=games.handicap, komi=games.komi)

    at = [ALL_PARAMETERS.index(name) for name in FREE]
    steps = 1e-6 * np.eye(len(ALL_PARAMETERS))[at]
    slopes = np.array([(p(MODEL.vector + s) - p(MODEL.vector - s)) / 2e-6 for s in steps])
    chance = p(MODEL.vector)
    scores = slopes * np.where(games.first_won, 1.0 / chance, -1.0 / (1.0 - chance))
    return chance, slopes, scores


def no_smaller(covariance: Array, least: Array) -> Array:
    """The covariance, in no direction smaller than another."""
    times, vectors = eigh(covariance, least)
    back = least @ vectors
    return np.asarray(back @ np.diag(np.maximum(times, 1.0)) @ back.T)


@pytest.mark.parametrize("weighed", [False, True])
def test_events_are_left_out_one_by_one_by_a_newton_step(weighed: bool) -> None:
    games = graded()
    weight = np.linspace(0.2, 1.0, 90) if weighed else np.ones(90)
    chance, slopes, scores = derivatives(games)
    each = np.einsum("in,jn,n->nij", slopes, slopes, weight / (chance * (1.0 - chance)))
    information, scores = each.sum(axis=0), scores * weight
    values = np.array([0.2, 0.04, 1.0])
    bread = np.linalg.inv(information)
    peak = values + bread @ scores.sum(axis=1)
    jackknife = np.zeros((3, 3))
    for event in range(9):
        rest = games.group != event
        off = values + np.linalg.solve(each[rest].sum(axis=0), scores[:, rest].sum(axis=1)) - peak
        jackknife += np.outer(off, off)
    independent = bread @ np.einsum("nij,n->ij", each, weight) @ bread
    region = region_by_event(MODEL, FREE, games, weight=weight if weighed else None)
    assert region is not None
    assert region.peak == pytest.approx(peak, rel=1e-5)
    assert region.covariance == pytest.approx(no_smaller(jackknife, independent), rel=1e-4)
    size = np.bincount(games.group, weight)
    assert region.freedom == pytest.approx(size.sum() ** 2 / (size**2).sum() - 1.0)
    assert (region.free, region.clusters) == (FREE, "9 events")
    assert region.between == spread_between(MODEL, games)


def test_players_belong_to_two_clusters_a_game() -> None:
    games = graded()
    first = (np.arange(90) % 7).astype(np.int32)
    second = ((first + 1 + np.arange(90) // 7 % 6) % 7).astype(np.int32)
    chance, slopes, scores = derivatives(games)
    information = (slopes / (chance * (1.0 - chance))) @ slopes.T
    bread = np.linalg.inv(information).astype(np.float64)
    meat = np.zeros((3, 3))
    for player in range(7):
        here = (first == player) | (second == player)
        total = scores[:, here].sum(axis=1) / (1.0 - here.sum() / 90)
        meat += np.outer(total, total)
        for other in range(player):
            here = (np.minimum(first, second) == other) & (np.maximum(first, second) == player)
            total = scores[:, here].sum(axis=1) / (1.0 - here.sum() / 90)
            meat -= np.outer(total, total)
    region = region_by_player(MODEL, FREE, games, first, second)
    assert region is not None
    assert region.covariance == pytest.approx(
        no_smaller(np.asarray(bread @ meat @ bread, np.float64), bread), rel=1e-4
    )
    size = np.bincount(np.concatenate([first, second]))
    assert region.freedom == pytest.approx(size.sum() ** 2 / (size**2).sum() - 2.0)
    assert (region.clusters, region.between) == ("7 players", None)
    two = np.zeros(90, np.int32), np.ones(90, np.int32)
    assert region_by_player(MODEL, FREE, games, *two) is None
    few = [region_by_event(MODEL, FREE, graded(60, events)) is None for events in (3, 4)]
    assert few == [True, False]  # events worth four are enough


@pytest.mark.parametrize("spread", [0.0, 0.8])
def test_how_much_events_differ_is_the_likeliest(spread: float) -> None:
    """Each event's log odds are max(0, s) times the average's, s normal about 1: by quadrature."""
    games = graded(240, 12, seed=5)
    odds = logit(MODEL.probability(games.first, games.second, handicap=games.handicap))
    rng = np.random.default_rng(1)
    times = np.maximum(rng.normal(1.0, spread, 12), 0.0)[games.group] if spread else 1.0
    won = rng.random(240) < expit(3.0 * odds * times)
    model = GradeModel(Kaniuk.from_parameters({"u1": 0.6, "K": 0.04}), {"stone": 1.0}, "logistic")
    games = GameColumns(games.first, games.second, games.handicap, games.komi, won, games.group)
    signed = np.where(won, 1.0, -1.0) * 3.0 * odds

    def unlikely(deviation: float) -> float:
        total = 0.0
        for event in range(12):
            here = signed[games.group == event]

            def density(s: float, here: Array = here) -> float:
                return float(np.exp(np.log(expit(s * here)).sum()) * norm.pdf(s, 1.0, deviation))

            never = 0.5 ** len(here) * ndtr(-1.0 / deviation)
            total -= np.log(quad(density, 0.0, 1.0 + 8.0 * deviation, points=[1.0])[0] + never)
        return total

    found = spread_between(model, games)
    if not spread:
        assert found < 0.2
        return
    best = minimize_scalar(unlikely, bounds=(0.1, 3.0), method="bounded")
    assert found == pytest.approx(best.x, rel=5e-3)


LINEAR = GradeModel(Kaniuk.from_parameters({"u0": 0.1, "u1": 0.2, "K": 0.04}), {}, "logistic")
CORRELATED = np.array([[4.0, 1.0], [1.0, 9.0]]) * 1e-4


@pytest.mark.parametrize(
    ("between", "average", "level"),
    [(None, False, 0.95), (0.3, False, 0.5), (0.9, False, 0.95), (0.3, True, 0.95)],
)
def test_an_interval_where_log_odds_are_linear_in_the_coefficients(
    between: float | None, average: bool, level: float
) -> None:
    """Of u0 and u1: as far as Student's t says, and events differ in quadrature."""
    peak = np.array([0.1, 0.2])
    region = CoefficientRegion(LINEAR, ("u0", "u1"), peak, CORRELATED, 12.0, "", between)
    reach = t(12.0).ppf(0.5 + level / 2.0)
    first, second = np.array([[-3.0, 1.0], [-3.0, -8.0]]), np.array([[-2.0, -1.0], [-3.0, -5.0]])
    low, high = region.interval(first, second, level=level, average=average)
    assert low.shape == high.shape == (2, 2)
    for place in np.ndindex(2, 2):
        r, s = first[place], second[place]
        slope = -SLOPE * (s - r) * np.array([1.0, np.exp(0.04 * min(r, s))])
        middle, error = slope @ peak, np.sqrt(slope @ CORRELATED @ slope)
        share = 0.0 if average or between is None else between * reach * abs(middle)
        half = hypot(reach * error, share)
        ends = [middle - half, middle + half]
        if share:  # no event turns players round, but the average may be unknown
            own = [middle - reach * error, middle + reach * error]
            if middle < 0.0 < ends[1]:
                ends[1] = max(own[1], 0.0)
            if ends[0] < 0.0 < middle:
                ends[0] = min(own[0], 0.0)
        assert logit([low[place], high[place]]) == pytest.approx(ends, abs=1e-9)
    for wrong in (0.0, 1.0):
        with pytest.raises(UsageError, match="level"):
            region.interval(0, 1, level=wrong)


def test_what_games_say_nothing_of_has_no_end() -> None:
    peak, covariance = np.array([0.2, 1.0]), np.diag([1e-4, 0.0])
    region = CoefficientRegion(MODEL, ("u1", "stone"), peak, covariance, 10.0, "12 events")
    assert region.coefficient_interval("stone") == (0.0, np.inf)
    half = t(10.0).ppf(0.975) * 0.01
    assert region.coefficient_interval("u1") == pytest.approx((0.2 - half, 0.2 + half))


@pytest.mark.parametrize("peak", [[0.005, 0.2], [-0.01, 0.2], [-0.03, 0.01], [0.01, -0.02]])
def test_bounds_cut_the_region_off(peak: list[float]) -> None:
    """As far from the best allowed point as the quantile says: by constrained search."""
    top, inverse = np.array(peak), np.linalg.inv(CORRELATED)
    positive = [(0.0, None)] * 2

    def distance(x: Array) -> float:
        return float((x - top) @ inverse @ (x - top))

    fit = minimize(distance, np.maximum(top, 0.0), bounds=positive, options={"ftol": 1e-14}).x
    law = GradeModel(
        Kaniuk.from_parameters({"u0": fit[0], "u1": fit[1], "K": 0.04}), {}, "logistic"
    )
    region = CoefficientRegion(law, ("u0", "u1"), top, CORRELATED, 12.0, "")
    reach = t(12.0).ppf(0.975)
    most = distance(fit) + reach**2
    inside = {"type": "ineq", "fun": lambda x: 1.0 - distance(x) / most}

    def furthest(slope: Array) -> float:
        starts = [fit, fit + 0.01, fit * [1.0, 2.0], fit * [2.0, 1.0]]
        tried = [
            minimize(lambda x: -slope @ x * 100, at, bounds=positive, constraints=[inside],
                     method="SLSQP", options={"ftol": 1e-13, "maxiter": 500}).x
            for at in starts
        ]  # fmt: skip
        return max(float(slope @ x) for x in tried if distance(x) <= most * (1 + 1e-6))

    slope = SLOPE * 2.0 * np.array([1.0, np.exp(0.04 * -6.0)])
    low, high = region.interval(-6.0, -4.0)
    assert -logit(low) == pytest.approx(furthest(slope), rel=2e-3)
    assert -logit(high) == pytest.approx(-furthest(-slope), rel=2e-3, abs=1e-4)
    for k, name in enumerate(("u0", "u1")):
        ends = region.coefficient_interval(name)
        wanted = -furthest(-np.eye(2)[k]), furthest(np.eye(2)[k])
        assert ends == pytest.approx(wanted, rel=2e-3, abs=1e-4)


def test_a_model_is_asked_once_at_each_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the fit for both ends, and where each of three turns led on either side."""
    calls = []

    def counted(*given: Any) -> Any:
        calls.append(given)
        return log_gradients(*given)

    monkeypatch.setattr("yardstone.winprob.model.log_gradients", counted)
    region = CoefficientRegion(LINEAR, ("u0", "u1"), np.array([0.1, 0.2]), CORRELATED, 9.0, "")
    region.interval(-6.0, -4.0)
    assert len(calls) == 1 + 2 * 3


def test_models_are_drawn_from_students_t_about_the_peak() -> None:
    covariance = np.array([[1e-4, 5e-5], [5e-5, 4e-4]])
    region = CoefficientRegion(LINEAR, ("u0", "u1"), np.array([0.1, 0.2]), covariance, 8.0, "")
    model = WinningModel("x", "", LINEAR, region=region)
    draws = model_draws(model, 2000, np.random.default_rng(2))
    values = np.array([[d.law.core.u[0], d.law.core.u[1]] for d in draws])  # type: ignore[attr-defined]
    assert values.mean(axis=0) == pytest.approx([0.1, 0.2], abs=2e-3)
    assert np.cov(values.T) == pytest.approx(covariance * 8.0 / 6.0, rel=0.2)
    assert all(d.region is None for d in draws[:3])
    assert {d.law.core.k for d in draws} == {0.04}  # type: ignore[attr-defined]
    near = CoefficientRegion(
        LINEAR, ("u0", "lapse"), np.array([0.0, 0.95]), covariance * 99, 8.0, ""
    )
    drawn = model_draws(WinningModel("x", "", LINEAR, region=near), 99, np.random.default_rng(2))
    vectors = np.array([d.law.vector for d in drawn])  # type: ignore[attr-defined]
    assert vectors[:, 0].min() == 0.0
    assert vectors[:, ALL_PARAMETERS.index("lapse")].max() == 0.99
    assert model_draws(WinningModel("x", "", LINEAR), 5, np.random.default_rng(2)) == []


@pytest.mark.parametrize("place", [1, 3, 6], ids=["25 events", "at a bound", "40 players"])
def test_intervals_hold(place: int) -> None:
    """Where events or players differ; `lab/studies/coverage_models.py` measures it at length."""
    inside, times = held(SETTINGS[place], 3, seed=7)
    assert times == 3
    assert inside.mean() / times >= 0.88
