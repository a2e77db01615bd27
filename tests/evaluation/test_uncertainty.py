"""Errors of means over games that share players: by enumeration, and against scipy."""

from __future__ import annotations

from collections import defaultdict
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy import stats

from yardstone.errors import NoGamesError, UsageError
from yardstone.evaluation import uncertainty
from yardstone.evaluation.comparison import Prediction
from yardstone.evaluation.metrics import CalibrationCurve, calibrate, game_metrics, measure
from yardstone.evaluation.splits import Subset
from yardstone.evaluation.uncertainty import Bootstrap, GamesByPair, MeanInterval, bootstrap

Floats = NDArray[np.float64]
Players = tuple[NDArray[np.int32], NDArray[np.int32]]
CONTRASTS = ([1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [0.5, 0.25, -2.0])


def meetings(players: int, games: int, seed: int) -> Players:
    generator = np.random.default_rng(seed)
    first = generator.integers(0, players, games)
    second = (first + 1 + generator.integers(0, players - 1, games)) % players
    return first.astype(np.int32), second.astype(np.int32)


def rows_of_values(kind: str, first: NDArray[np.int32], second: NDArray[np.int32]) -> Floats:
    """Three rows whose variance is mostly that of players, of pairs, or of single games."""
    generator = np.random.default_rng(5)
    noise = generator.normal(size=(3, len(first)))
    if kind == "players":
        return noise + generator.normal(0.0, 2.0, (3, 40))[:, first] * [[1.0], [0.8], [0.2]]
    if kind == "pairs":  # each player gains from one opponent what he loses to another
        return 0.1 * noise + np.where((first + second) % 4 == 1, 1.0, -1.0)
    pair = np.minimum(first, second) * 1000 + np.maximum(first, second)
    for one in np.unique(pair):  # in each pair what one game gains others lose
        noise[:, pair == one] -= 0.9 * noise[:, pair == one].mean(axis=1, keepdims=True)
    return noise


def enumerated(
    values: Floats, first: NDArray[np.int32], second: NDArray[np.int32]
) -> dict[str, float]:
    """Sums of squares by player, by pair and by game, each cluster over what it leaves."""
    games = len(values)
    residual = values - values.mean()
    sums: dict[object, float] = defaultdict(float)
    size: dict[object, int] = defaultdict(int)
    for off, one, other in zip(residual, first.tolist(), second.tolist(), strict=True):
        for cluster in (one, other, frozenset((one, other))):
            sums[cluster] += off
            size[cluster] += 1
    squares = {"player": 0.0, "pair": 0.0, "game": float(residual @ residual)}
    for cluster, total in sums.items():
        kind = "pair" if isinstance(cluster, frozenset) else "player"
        squares[kind] += (total / max(1.0 - size[cluster] / games, 0.5 / games)) ** 2
    return squares


def effective(first: NDArray[Any], second: NDArray[Any]) -> float:
    sizes = np.bincount(np.concatenate([first, second])).astype(float)
    return float(sizes.sum() ** 2 / (sizes**2).sum())


CIRCLE = (np.arange(24, dtype=np.int32) % 8, (np.arange(24, dtype=np.int32) + 1) % 8)


@pytest.mark.parametrize(
    ("kind", "players", "decides"),
    [
        ("players", meetings(12, 150, 1), "player"),
        ("pairs", CIRCLE, "pair"),
        ("games", meetings(5, 60, 2), "game"),
    ],
)
def test_errors_are_the_sums_over_players_less_those_over_pairs(
    kind: str, players: Players, decides: str
) -> None:
    """The variance of Fafchamps and Gubert, never below that of pairs or single games."""
    values = rows_of_values(kind, *players)
    result = bootstrap(values, *players, replicates=30, seed=3)
    assert (result.unit, result.games) == ("player", len(players[0]))
    freedom = effective(*players) - 2.0
    for contrast in CONTRASTS:
        row = np.array(contrast) @ values
        by = enumerated(row, *players)
        terms = {"player": by["player"] - by["pair"], "pair": by["pair"], "game": by["game"]}
        if contrast == CONTRASTS[0]:
            assert max(terms, key=terms.__getitem__) == decides
        error = sqrt(max(terms.values())) / len(row)
        assert_allclose(result.standard_error(contrast), error, rtol=1e-9)
        drawn, wide = result.replicates @ contrast, sqrt(by["player"] + by["pair"])
        scaled = row.mean() + (drawn - row.mean()) * error * len(row) / wide
        assert_allclose(result.spread(contrast), scaled, rtol=1e-9)
        for level in (0.95, 0.5):
            one = result.interval(contrast, level)
            ends = stats.t(freedom, row.mean(), error).interval(level)
            assert_allclose([one.estimate, one.low, one.high], [row.mean(), *ends], rtol=1e-9)
            assert one.confidence == level


APART = np.array([0, 2], np.int32), np.array([1, 3], np.int32)  # in some draws nobody meets


@pytest.mark.parametrize("players", [meetings(9, 70, 4), CIRCLE, APART, None])
def test_replicates_count_a_game_by_the_copies_of_its_players(players: Players | None) -> None:
    values = np.random.default_rng(1).normal(size=(2, 70 if players is None else len(players[0])))
    result = bootstrap(values, *(players or ()), replicates=50, seed=8)
    generator, games = np.random.default_rng(8), values.shape[1]
    for replicate in result.replicates:
        weight = np.zeros(games)
        while not weight.any():
            number = games if players is None else len(np.unique(players))
            drawn = generator.integers(0, number, number)
            copies = np.array([np.sum(drawn == each) for each in range(number)])
            weight = copies if players is None else copies[players[0]] * copies[players[1]]
        assert_allclose(replicate, values @ weight / weight.sum(), rtol=1e-12)


def test_without_players_it_is_the_standard_error_of_a_mean() -> None:
    values = np.random.default_rng(2).normal(size=400)
    result = bootstrap(values, replicates=9, seed=3)
    assert result.unit == "game"
    assert_allclose(result.standard_error([2.0]), 2.0 * values.std() / 20.0, rtol=1e-12)
    assert_allclose(result.spread([1.0]), result.replicates[:, 0], rtol=1e-12)
    ends = stats.norm(values.mean(), values.std() / 20.0).interval(0.9)
    one = result.interval([1.0], 0.9)
    assert_allclose([one.low, one.high], ends, rtol=1e-12)


def test_too_few_players_say_nothing_of_others() -> None:
    """Places 6, 3, 3, 1 and 1 are worth (sum of 14)² / 56 = 3.5 players: just enough."""
    first = np.array([0] * 6 + [3], np.int32)
    second = np.array([1, 1, 1, 2, 2, 2, 4], np.int32)
    values = np.arange(7.0)
    assert bootstrap(values, first, second, replicates=2).unit == "player"
    fewer = first[:6], second[:6]
    result = bootstrap(values[:6], *fewer, replicates=9, seed=1)
    assert result.unit == "none"
    assert_allclose(result.spread([1.0]), result.replicates[:, 0])
    interval = result.interval([1.0])
    assert np.isnan([result.standard_error([1.0]), interval.low, interval.high]).all()
    assert not interval.clear


def test_an_interval_is_clear_where_zero_lies_outside() -> None:
    ends = [(0.1, 1.0), (-1.0, -0.1), (0.0, 1.0), (-1.0, 0.0), (-1.0, 1.0)]
    clear = [MeanInterval(0.0, low, high, 0.95).clear for low, high in ends]
    assert clear == [True, True, False, False, False]


def test_equal_rows_differ_by_nothing_and_rows_can_be_chosen() -> None:
    first, second = meetings(10, 80, 6)
    values = np.random.default_rng(4).normal(size=(2, 80))
    result = bootstrap([values[0], values[1], values[1]], first, second, replicates=20)
    interval = result.interval([0.0, 1.0, -1.0])
    assert (interval.estimate, interval.low, interval.high) == (0.0, 0.0, 0.0)
    assert result.spread([0.0, 1.0, -1.0]).tolist() == [0.0] * 20
    alone, chosen = bootstrap(values, first, second, replicates=20), result.rows([0, 2])
    for name in ("mean", "replicates", "gram", "player_sums", "pair_sums"):
        assert_allclose(getattr(chosen, name), getattr(alone, name), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("level", [0.95, 0.5])
def test_what_may_be_chosen_afterwards_needs_more(level: float) -> None:
    """The max-t of the replicates, at Student's level, and never below one statement's."""
    first, second = meetings(15, 300, 7)
    values = np.random.default_rng(8).normal(size=(6, 300))
    values[5] = 1.0  # certain: it says nothing
    result = bootstrap(values, first, second, replicates=400, seed=1)
    every = list(np.eye(6))
    off = [
        np.abs(result.spread(each) - result.mean @ each) / result.standard_error(each)
        for each in every[:5]
    ]
    largest = np.quantile(np.max(off, axis=0), level)
    student = stats.t(effective(first, second) - 2.0)
    wanted = student.ppf(stats.norm.cdf(largest))
    assert result.reach(every, level) == pytest.approx(wanted, rel=1e-9)
    one = student.ppf(0.5 + level / 2.0)
    assert result.reach([], level) == pytest.approx(one, rel=1e-9)
    assert result.reach(every, level) > 1.2 * one


def test_wrong_use() -> None:
    with pytest.raises(NoGamesError):
        bootstrap(np.zeros((1, 0)))
    with pytest.raises(UsageError, match="at least 2"):
        bootstrap([1.0], replicates=1)
    assert len(bootstrap([1.0], replicates=2).replicates) == 2


@pytest.mark.parametrize(("players", "activity"), [(6, "unequal"), (12, "even")])
def test_few_players_with_effects_of_their_own_have_intervals_that_hold(
    players: int, activity: str
) -> None:
    """300 pools each: 95 % give 271 at least in 999 of 1000 cases (the binomial's 0.1 %)."""
    held = 0
    for seed in range(300):
        generator = np.random.default_rng([players, seed])
        share = np.ones(players) if activity == "even" else 1.0 / np.arange(1.0, players + 1.0)
        sides = generator.choice(players, (2, 600), p=share / share.sum()).astype(np.int32)
        first, second = sides[:, sides[0] != sides[1]][:, :300]
        each = generator.normal(0.0, 0.7, players)
        values = each[first] + each[second] + generator.normal(size=len(first))
        result = bootstrap(values, first, second, replicates=2).interval([1.0])
        held += result.low <= 0.0 <= result.high
    assert held >= 271


# ------------------------------------------------------------- very many games


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uncertainty, "PIECE", 150)
    monkeypatch.setattr(uncertainty, "_BLOCK", 7)


def predictions(games: int) -> tuple[list[Prediction], Floats, list[Subset]]:
    """Two systems, one with draws, on games of ten levels of expected score."""
    generator = np.random.default_rng(9)
    level = (0.05 + 0.1 * (np.arange(games) % 10)).astype(np.float64)
    lot = generator.random(games)
    score = np.where(lot < level - 0.04, 1.0, np.where(lot < level + 0.04, 0.5, 0.0))
    noise = generator.normal(0.0, 0.05, games)
    other: Floats = np.clip(level + noise, 0.01, 0.99).astype(np.float64)
    draw = np.minimum(0.1, 2.0 * np.minimum(other, 1.0 - other)).astype(np.float64)
    both = [Prediction("steps", level), Prediction("noisy", other, draw)]
    parts = [Subset("all", np.ones(games, bool)), Subset("odd", np.arange(games) % 2 == 1)]
    return both, score, parts


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("metric", ["log_likelihood", "brier", "accuracy", "three_way"])
@pytest.mark.parametrize("part", [0, 1])
def test_sums_of_pairs_say_what_the_sums_of_games_do(metric: str, part: int) -> None:
    systems, score, parts = predictions(600)
    first, second = meetings(25, 600, 10)
    paired = GamesByPair.of(systems, score, (first, second), parts)
    chosen = parts[part].games
    means = {each.name: measure(score, each.expected, each.draw, games=chosen) for each in systems}
    result = paired.bootstraps(means, parts[part], (metric,), 40, 1)
    ((key, (names, by_sums)),) = result.items()
    assert key == (parts[part].name, metric)
    assert names == (("noisy",) if metric == "three_way" else ("steps", "noisy"))
    here = [each for each in systems if each.name in names]
    values = [game_metrics(score, each.expected, each.draw)[metric][chosen] for each in here]
    whole = bootstrap(values, first[chosen], second[chosen], replicates=2)
    assert (by_sums.unit, by_sums.games) == ("player", whole.games)
    assert by_sums.freedom == pytest.approx(whole.freedom)
    for name in ("mean", "gram"):
        assert_allclose(getattr(by_sums, name), getattr(whole, name), rtol=1e-9)
    for name in ("player_sums", "pair_sums"):
        ours, theirs = getattr(by_sums, name), getattr(whole, name)
        assert_allclose(ours.T @ ours, theirs.T @ theirs, rtol=1e-9, atol=1e-9)
    spread = np.vstack([by_sums.player_sums, by_sums.pair_sums]) / by_sums.games
    normal = np.random.default_rng(1).standard_normal((40, len(spread)))
    assert_allclose(by_sums.replicates, by_sums.mean + normal @ spread, rtol=1e-9)


@pytest.mark.usefixtures("small_pieces")
def test_a_system_without_a_finite_mean_has_no_error() -> None:
    systems, score, parts = predictions(200)
    paired = GamesByPair.of(systems, score, meetings(9, 200, 1), parts)
    sure = measure(score, np.where(score == 0.0, 1.0, 0.5))
    means = {"steps": sure, "noisy": measure(score, systems[1].expected)}
    result = paired.bootstraps(means, parts[0], ("log_likelihood", "three_way"), 5, 0)
    assert [names for names, _ in result.values()] == [("noisy",)]


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("players", [30, 3])
def test_intervals_of_a_calibration_by_sums_are_those_by_games(players: int) -> None:
    (system, _), score, parts = predictions(800)
    ends = meetings(players, 800, 11)
    curve = GamesByPair.of([system], score, ends, parts).calibration(system, score, 0.9)
    wanted = calibrate(score, system.expected, confidence=0.9, players=ends)
    assert curve.games.tolist() == [80] * 10
    for name in CalibrationCurve.__dataclass_fields__:
        assert_allclose(getattr(curve, name), getattr(wanted, name), rtol=1e-9, err_msg=name)
    assert (curve.observed_low > 0.0).any() == (players > 3)


def test_a_bootstrap_without_variance_stays_where_it_is() -> None:
    nothing = np.zeros((0, 1))
    still = Bootstrap("player", 3, np.ones(1), np.ones((4, 1)), np.zeros((1, 1)), nothing, nothing)
    assert still.standard_error([1.0]) == 0.0
    assert still.spread([1.0]).tolist() == [1.0] * 4
