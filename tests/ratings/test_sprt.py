from __future__ import annotations

from math import isnan, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from yardstone.errors import UsageError
from yardstone.ratings.match import LEAST_RESULTS, Match
from yardstone.ratings.sprt import EloModel, Sprt, _exit, _log_ratios, log_likelihood_ratio

N: EloModel = "normalized"
E: EloModel = "logistic"


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "model", "published", "digits"),
    [
        # fastchess, app/tests/sprt_test.cpp.
        ((36027, 68692, 36433), 0, 2, N, 0.92, 2),
        ((10650, 20431, 10871), -1.75, 0.25, N, 2.30, 2),
        ((0, 0, 4250), 0, 10, N, 120.56, 1),
        ((21184, 40708, 21404), 0.5, 2.5, E, -1.57, 2),
        ((57030, 106593, 57433), 0, 2, E, -2.59, 2),
        ((365, 16618, 36229, 16974, 390), 0, 2, N, 2.25, 2),
        ((127, 4883, 10712, 5150, 104), -1.75, 0.25, N, 3.01, 2),
        ((0, 0, 0, 0, 5550), 0, 5, N, 111.82, 1),
        ((223, 9863, 21279, 10037, 246), 0.5, 2.5, E, -3.07, 2),
        ((871, 26175, 55983, 26678, 821), 0, 2, E, -4.98, 2),
        # Fishtest's statistics of a test of the engine Monty.
        ((13, 37, 50, 25, 3), 0, 4, N, -0.54912, 5),
        ((13, 37, 50, 25, 3), 0, 2.7156, E, -0.53772, 4),
        # OpenBench, tests of the engines PlentyChess and Potential.
        ((46, 936, 2083, 1043, 63), 0, 5, N, 2.91, 2),
        ((214, 8992, 19871, 9102, 235), 0, 2.5, N, 0.16, 2),
        ((5, 942, 2469, 1050, 5), -3, 1, N, 2.90, 2),
        ((1400, 4234, 7874, 4238, 1373), -5, 0, N, 2.95, 2),
        ((49, 989, 1891, 903, 31), 0, 3, N, -2.26, 2),
        ((13, 585, 1535, 719, 9), 0.5, 3.5, N, 1.92, 2),
        # fastchess, final report of a match.
        ((0, 0, 2, 0, 37), 0, 20, N, 2.96, 2),
    ],
)
def test_ratios_as_published(
    counts: Any, elo0: float, elo1: float, model: EloModel, published: float, digits: int
) -> None:
    result = float(log_likelihood_ratio(counts, elo0, elo1, model=model))
    assert result == pytest.approx(published, abs=0.6 * 10.0**-digits)


def _best(counts: np.ndarray, target: float, model: EloModel) -> float:
    """Highest log likelihood under the hypothesis, by a general solver."""
    values = np.linspace(0, 1, len(counts))

    def constraint(p: np.ndarray) -> float:
        mean = float(p @ values)
        if model == "logistic":
            return mean - 1 / (1 + 10 ** (-target / 400))
        deviation = np.sqrt(p @ (values - mean) ** 2)
        t = target * log(10) / 800 * (2**0.5 if len(counts) == 5 else 1)
        return float((mean - 0.5) - t * deviation)

    result = minimize(
        lambda p: -float(counts @ np.log(p)) / counts.sum(),
        counts / counts.sum(),
        jac=lambda p: -counts / p / counts.sum(),
        bounds=[(1e-9, 1)] * len(counts),
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": constraint},
        ],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return -float(result.fun) * float(counts.sum())


@pytest.mark.parametrize("model", ["logistic", "normalized"])
@pytest.mark.parametrize("counts", [(30, 50, 20), (7, 20, 45, 31, 9), (100, 3, 250)])
def test_hypotheses_are_represented_by_their_likeliest_results(
    counts: tuple[int, ...], model: EloModel
) -> None:
    array = np.array(counts, float)
    expected = _best(array, 60.0, model) - _best(array, -20.0, model)
    result = float(log_likelihood_ratio(counts, -20.0, 60.0, model=model))
    assert result == pytest.approx(expected, abs=2e-4)


results = st.one_of(
    st.lists(st.integers(0, 500), min_size=3, max_size=3),
    st.lists(st.integers(0, 500), min_size=5, max_size=5),
).filter(any)
models = st.sampled_from(("logistic", "normalized"))


@given(results, st.floats(-20, 20), st.floats(0.5, 20), models)
def test_the_ratio_turns_with_the_sides(
    counts: list[int], elo0: float, width: float, model: EloModel
) -> None:
    turned = np.stack([counts, counts[::-1]])  # many matches at once are as one by one
    here, also = log_likelihood_ratio(turned, elo0, elo0 + width, model=model)
    there = log_likelihood_ratio(counts[::-1], -elo0 - width, -elo0, model=model)
    assert float(here) == pytest.approx(-float(there), rel=1e-4, abs=1e-5)
    alone = log_likelihood_ratio(counts[::-1], elo0, elo0 + width, model=model)
    assert float(also) == pytest.approx(float(alone), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize(
    ("model", "probabilities"),
    [("logistic", (0.25, 0.5, 0.25)), ("normalized", (0.1, 0.2, 0.4, 0.2, 0.1))],
)
def test_error_rates_and_length_are_as_promised(
    model: EloModel, probabilities: tuple[float, ...]
) -> None:
    """Under each hypothesis: errors near 5 %, lengths near the forecast."""
    tests, elo1 = 200, 80.0
    lower, upper = Sprt(0.0, elo1, model=model).bounds
    values, null = np.linspace(0, 1, len(probabilities)), np.array(probabilities)
    deviation = float(np.sqrt(null @ (values - 0.5) ** 2))
    shift = elo1 * log(10) / 800 * deviation * 2**0.5
    if model == "logistic":
        shift = 1 / (1 + 10 ** (-elo1 / 400)) - 0.5
    tilted = null * (1 + (values - 0.5) * shift / deviation**2)
    for truth, wrong in ((null, True), (tilted, False)):
        rng = np.random.default_rng(3)
        total, ratio = np.zeros((tests, len(values))), np.zeros(tests)
        length, alive = np.zeros(tests), np.ones(tests, bool)
        for step in range(200):
            total[alive] += rng.multinomial(3, truth, int(alive.sum()))
            length[alive] += 3
            if step < 3:  # so few games have no spread to speak of
                continue
            ratio[alive] = log_likelihood_ratio(total[alive], 0.0, elo1, model=model)
            alive = (ratio > lower) & (ratio < upper)
            if not alive.any():
                break
        assert alive.mean() < 0.01
        errors = float(np.mean((ratio >= upper) == wrong))
        assert 0.01 <= errors <= 0.05 + 3 * (0.05 * 0.95 / tests) ** 0.5
        _, each = _log_ratios(truth, 0.0, elo1, model)
        drift = float(truth @ each)
        chance, steps = _exit(drift, float(truth @ (each - drift) ** 2), lower, upper)
        assert steps == pytest.approx(length.mean(), rel=0.2)
        assert (chance < 0.1) is wrong


def test_states() -> None:
    test = Sprt(0, 5)
    assert test.bounds == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert Sprt(0, 5, alpha=0.05, beta=0.1).bounds == pytest.approx((-2.25, 2.89), abs=5e-3)
    for counts, decision in [
        ((1700, 4000, 2000), "accept H1"),
        ((2000, 4000, 1700), "accept H0"),
        ((100, 200, 100), "continue"),
        ((0, 0, 0), "continue"),
    ]:
        assert test.state(Match(counts)).decision == decision
    state = test.state(Match((100, 200, 100)))
    assert 0 < state.chance < 0.5
    assert state.further_games > 100
    nothing = test.state(Match((0, 0, 0)))
    assert nothing.llr == 0.0
    assert isnan(nothing.further_games)
    even = Sprt(-5, 5).state(Match((100, 200, 100)))  # without drift the time is b² / variance
    assert (even.llr, even.chance) == pytest.approx((0.0, 0.5), abs=1e-9)
    near = Sprt(-5, 5).state(Match((100, 200, 100.001)))
    assert even.further_games == pytest.approx(near.further_games, rel=1e-3)
    few = Match((2.0, 3.0, float(LEAST_RESULTS - 6)))
    assert isnan(Sprt().state(few).chance)


def test_what_is_refused() -> None:
    wrong: list[dict[str, Any]] = [
        {"elo0": 5, "elo1": 5},
        {"elo0": 5, "elo1": 0},
        {"alpha": 0.0},
        {"beta": 1.0},
        {"alpha": 0.6, "beta": 0.5},
        {"model": "bayes"},
    ]
    for options in wrong:
        with pytest.raises(UsageError):
            Sprt(**options)
    with pytest.raises(UsageError, match="counts"):
        log_likelihood_ratio([1, 2], 0, 5)
    with pytest.raises(UsageError, match="hypothesis"):
        log_likelihood_ratio([1, 1, 1], 0, 700, model="normalized")
