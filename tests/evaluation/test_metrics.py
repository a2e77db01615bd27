"""Measures of predictions by their definitions, calibration against scipy."""

from __future__ import annotations

from math import inf, log, nan, nextafter

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.optimize import minimize

from yardstone.clusters import mean_error
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.evaluation import metrics
from yardstone.evaluation.metrics import calibrate, measure, recalibration, recalibration_of

ABOVE_HALF = nextafter(0.5, 1.0)


@pytest.mark.parametrize(
    ("score", "expected", "right", "logarithm", "squared"),
    [
        (1.0, 0.7, 1.0, log(0.7), 0.09),
        (0.0, 0.2, 1.0, log(0.8), 0.04),
        (1.0, 0.4, 0.0, log(0.4), 0.36),
        (1.0, 0.5, 0.0, log(0.5), 0.25),  # an even chance names the second player
        (0.0, 0.5, 1.0, log(0.5), 0.25),
        (1.0, ABOVE_HALF, 1.0, log(0.5), 0.25),
        (0.5, 0.8, 0.5, 0.5 * log(0.8) + 0.5 * log(0.2), 0.09),
        (0.5, 0.5, 0.5, log(0.5), 0.0),
        (1.0, 1.0, 1.0, 0.0, 0.0),
        (0.0, 0.0, 1.0, 0.0, 0.0),
        (1.0, 0.0, 0.0, -inf, 1.0),
        (0.0, 1.0, 0.0, -inf, 1.0),
        (0.5, 1.0, 0.5, -inf, 0.25),
    ],
)
def test_one_game(
    score: float, expected: float, right: float, logarithm: float, squared: float
) -> None:
    assert metrics.correct([score], [expected]).tolist() == [right]
    assert_allclose(metrics.log_likelihoods([score], [expected]), [logarithm], rtol=1e-14)
    assert_allclose(metrics.squared_errors([score], [expected]), [squared], rtol=1e-13)
    least = -50.0 if logarithm == -inf else logarithm  # one failure must not decide by itself
    assert metrics.total_log_likelihood([score], [expected]) == pytest.approx(least, rel=1e-14)


def test_win_draw_and_loss() -> None:
    score, expected = [1.0, 0.5, 0.0], [0.6, 0.6, 0.6]
    result = metrics.three_way_log_likelihoods(score, expected, 0.3)
    assert_allclose(result, np.log([0.45, 0.3, 0.25]), rtol=1e-14)
    # At the limit nothing is left for a loss; by rounding it may be a little less.
    most = metrics.three_way_log_likelihoods([1.0, 0.0], [0.9, 0.9], [0.2, 0.2 + 1e-12])
    assert_allclose(np.exp(most), [0.8, 0.0], atol=1e-11)
    for wrong in (0.2 + 3e-12, -1e-11, nan):
        with pytest.raises(InputError, match="does not go with"):
            metrics.three_way_log_likelihoods([1.0], [0.9], [wrong])


def test_measures_are_means_of_the_single_games() -> None:
    score = np.array([1.0, 0.0, 0.5, 0.0, 0.0])
    expected = np.array([0.7, 0.6, 0.5, 0.2, 1.0])
    draw = np.array([0.1, 0.2, 0.3, 0.1, 0.0])
    some = np.array([True, True, True, True, False])
    result = measure(score, expected, draw, games=some)
    assert (result.games, result.accuracy, result.impossible) == (4, 0.625, 0)
    assert result.constant_side == pytest.approx(1.0 - 1.5 / 4)
    logs = [log(0.7), log(0.4), log(0.5), log(0.8)]
    assert result.log_likelihood == pytest.approx(np.mean(logs), rel=1e-14)
    assert result.brier == pytest.approx((0.09 + 0.36 + 0.04) / 4)
    three = [log(0.65), log(0.3), log(0.3), log(0.75)]
    assert result.three_way == pytest.approx(np.mean(three), rel=1e-14)
    assert metrics.log_likelihood(score[:4], expected[:4]) == pytest.approx(np.mean(logs))
    everything = measure(score, expected)
    assert (everything.impossible, everything.three_way) == (1, None)
    assert everything.as_dict()["log_likelihood"] is None
    assert everything.as_dict()["accuracy"] == pytest.approx(0.5)
    assert measure([1, 1, 0], [0.5, 0.5, 0.5]).constant_side == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("score", "expected", "error", "message"),
    [
        ([1], [1.1], InputError, "between 0 and 1"),
        ([1], [-0.1], InputError, "between 0 and 1"),
        ([1], [nan], InputError, "between 0 and 1"),
        ([0.7], [0.5], InputError, "scores must be"),
        ([1, 0], [0.5], InputError, "2 scores do not go with 1 predictions"),
        ([], [], NoGamesError, "no game"),
    ],
)
def test_what_cannot_be_measured(
    score: list[float], expected: list[float], error: type[Exception], message: str
) -> None:
    for function in (measure, metrics.log_likelihood, calibrate):
        with pytest.raises(error, match=message):
            function(score, expected)
    with pytest.raises(UsageError, match="no prediction of draws"):
        metrics.metric_values("three_way", [1], [0.5])


# ---------------------------------------------------------------- calibration


def outcomes(seed: int, games: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    truth = generator.uniform(0.05, 0.95, games)
    lot = generator.random(games)
    return np.where(lot < truth - 0.03, 1.0, np.where(lot < truth + 0.03, 0.5, 0.0)), truth


@pytest.mark.parametrize(
    ("slope", "intercept", "spread"), [(1.0, 0.0, 1.0), (0.4, 1.5, 1.0), (0.02, 0.1, 9.0)]
)
def test_the_line_that_mends_predictions_is_the_likeliest(
    slope: float, intercept: float, spread: float
) -> None:
    """By scipy, from a hundred games; the last are far too bold, where Newton's step is too."""
    score, truth = outcomes(3, 100)
    odds = spread * (np.log(truth / (1.0 - truth)) - intercept) / slope
    odds = np.clip(odds, -20.0, 20.0)
    expected = 1.0 / (1.0 + np.exp(-odds))

    def loss(line: np.ndarray) -> float:
        p = line[0] + line[1] * odds
        return float(np.sum(np.logaddexp(0.0, p) - score * p))

    best = minimize(loss, [0.0, 0.1], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    line = recalibration(score, expected)
    assert_allclose(line, best.x, atol=2e-6)
    pieces = list(zip(np.split(score, 4), np.split(expected, 4), strict=True))
    assert recalibration_of(lambda: pieces) == pytest.approx(line, rel=1e-9)
    assert recalibration_of(lambda: [*pieces, (score[:0], score[:0])]) == pytest.approx(line)


def test_a_line_that_the_data_do_not_determine() -> None:
    cases: list[tuple[list[int], list[float]]] = [
        ([1, 1, 0, 0], [0.5, 0.5, 0.5, 0.5]),  # one prediction for all
        ([1, 1, 0, 0], [0.9, 0.9, 0.1, 0.1]),  # wins and losses apart
        ([1, 1, 1], [0.2, 0.5, 0.7]),  # nobody lost
        ([], []),
    ]
    for score, expected in cases:
        assert np.isnan(recalibration(np.array(score), np.array(expected))).all()
        if score:
            plain = calibrate(score, expected).as_dict()
            assert (plain["slope"], plain["intercept"]) == (None, None)
    assert np.isnan(recalibration_of(lambda: [])).all()
    score, expected = [1, 0, 1, 0, 1, 0], [1.0, 0.0, 0.3, 0.7, 0.9, 0.0]  # 0 and 1 do not break it
    assert np.isfinite(recalibration(np.array(score), np.array(expected))).all()


def test_groups_of_predictions() -> None:
    """Equal predictions stay together; the error is weighed by games."""
    result = calibrate([1, 0, 1, 1], [0.5, 0.5, 0.5, 0.7])
    assert result.games.tolist() == [3, 1]
    assert (result.low.tolist(), result.high.tolist()) == ([0.5, 0.7], [0.5, 0.7])
    assert result.predicted.tolist() == [0.5, 0.7]
    assert_allclose(result.observed, [2 / 3, 1.0])
    assert result.error == pytest.approx((3 * (2 / 3 - 0.5) + 1 * 0.3) / 4)
    score, truth = outcomes(1, 1000)
    assert calibrate(score, truth).games.tolist() == [100] * 10
    three = calibrate(score, truth, bins=3, confidence=0.9)
    assert len(three.games) == 3
    plain = three.as_dict()
    assert (plain["confidence"], plain["error"]) == (0.9, three.error)
    assert [each["games"] for each in plain["bins"]] == three.games.tolist()  # type: ignore[attr-defined]
    assert calibrate(score, truth, bins=1).games.tolist() == [1000]
    with pytest.raises(UsageError, match="at least 1"):
        calibrate([1], [0.5], bins=0)


@pytest.mark.parametrize(("wins", "level"), [(0, 0.95), (3, 0.5), (40, 0.95)])
def test_intervals_without_draws_are_wilsons(wins: int, level: float) -> None:
    result = calibrate([1] * wins + [0] * (40 - wins), [0.6] * 40, confidence=level)
    ends = stats.binomtest(wins, 40).proportion_ci(level, method="wilson")
    assert_allclose(
        [result.observed_low[0], result.observed_high[0]], [ends.low, ends.high], atol=1e-12
    )


@pytest.mark.parametrize(("counts", "worth"), [((10, 20, 10), 80.0), ((0, 40, 0), 1600.0)])
def test_draws_count_for_games_that_would_be_as_sure(
    counts: tuple[int, int, int], worth: float
) -> None:
    """Wins and losses have twice the variance of results half of which are draws."""
    score = np.repeat([1.0, 0.5, 0.0], counts)
    result = calibrate(score, [0.6] * 40)
    ends = stats.binomtest(round(worth / 2), round(worth)).proportion_ci(0.95, method="wilson")
    assert_allclose([result.observed_low[0], result.observed_high[0]], [ends.low, ends.high])


def test_games_that_share_players_count_for_fewer() -> None:
    generator = np.random.default_rng(4)
    first = generator.integers(0, 7, 90).astype(np.int32)
    second = ((first + 1 + generator.integers(0, 6, 90)) % 7).astype(np.int32)
    score = np.where(generator.random(90) < 0.3 + 0.4 * (first < 3), 1.0, 0.0)
    result = calibrate(score, [0.5] * 90, players=(first, second), confidence=0.9)
    error, freedom = mean_error(score, first, second)
    mean, z = score.mean(), stats.t(freedom).ppf(0.95)
    n = mean * (1.0 - mean) / error**2
    middle = (mean + z * z / (2.0 * n)) / (1.0 + z * z / n)
    reach = z * np.sqrt(mean * (1.0 - mean) / n + z * z / (4.0 * n * n)) / (1.0 + z * z / n)
    ends = result.observed_low[0], result.observed_high[0]
    assert_allclose(ends, [middle - reach, middle + reach], rtol=1e-9)
    drawn = calibrate([0.5] * 90, [0.5] * 90, players=(first, second))
    assert drawn.observed_high[0] - drawn.observed_low[0] < 0.05
    two = np.zeros(50, np.int32), np.ones(50, np.int32)
    result = calibrate([1.0, 0.0] * 25, [0.6] * 50, players=two)
    assert (result.observed_low[0], result.observed_high[0]) == (0.0, 1.0)
