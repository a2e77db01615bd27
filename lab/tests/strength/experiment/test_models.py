"""The models of an experiment: points lost, means of moves, Glicko-2 with fitted parameters."""

from __future__ import annotations

import statistics
from dataclasses import replace

import numpy as np
import pytest

from tests.evaluation.games import played
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.pool import Pool
from yardstone_lab.neubauer.experiment.models import (
    Stochastic,
    fit_pooled,
    points_lost,
    tuned_glicko,
)
from yardstone_lab.neubauer.experiment.sets import Sets
from yardstone_lab.neubauer.moves import Labelled, MoveSets


def head_of(*sides: list[float]) -> MoveSets:
    """Recent moves that lost so many points each."""
    lost = np.array([loss for side in sides for loss in side])
    features = np.zeros((len(lost), 6), np.float32)
    features[:, 5] = 0.1 * lost
    starts = np.concatenate([[0], np.cumsum([len(side) for side in sides])])
    return MoveSets(features, np.arange(len(lost)), starts)


def by_hand(black: list[float], white: list[float], moves: float) -> float:
    """Equation 4.3 as it is printed."""
    difference = moves * statistics.fmean(white) - moves * statistics.fmean(black)
    variance = moves * statistics.variance(black) + moves * statistics.variance(white)
    return statistics.NormalDist(0.0, variance**0.5).cdf(difference)


def test_expected_scores_from_points_lost() -> None:
    black, white = [1.0, 0.5, 3.0, -0.2], [2.0, 0.0, 4.0]
    model = Stochastic(moves=127.0, mean=1.0, variance=4.0)
    result = model.expected(head_of(black, white, white, black))
    assert result[0] == pytest.approx(by_hand(black, white, 127.0), abs=1e-6)
    assert result[0] + result[1] == pytest.approx(1.0)
    latest = model.expected(head_of(black, white), window=3)
    assert latest[0] == pytest.approx(by_hand(black[1:], white, 127.0), abs=1e-6)
    # Of few moves the mean and the variance are those of all games.
    model = Stochastic(moves=100.0, mean=1.5, variance=4.0)
    one = statistics.NormalDist().cdf(100.0 * (1.5 - 0.5) / (100.0 * 8.0) ** 0.5)
    expected = model.expected(head_of([], [], [0.5], [], [1.5], []))
    assert expected == pytest.approx([0.5, one, 0.5], abs=1e-6)
    # Equal losses in every move: the one who loses less is sure to win; equals are even.
    model = Stochastic(moves=100.0, mean=1.0, variance=0.0)
    expected = model.expected(head_of([1.0] * 3, [2.0] * 3, [1.0] * 3, [1.0] * 3))
    assert expected == pytest.approx([1.0, 0.5], abs=1e-3)


def test_constants_of_points_lost_come_from_the_training_games() -> None:
    head = head_of([1.0, 3.0], [2.0], [4.0], [0.0, 2.0])
    pool = Pool.from_names(
        ["A", "B", "A"], ["B", "A", "B"], [1, 0, 1], columns={"moves": [200, 300, 900]}
    )
    model = Stochastic.fit(head, pool, np.array([True, True, False]))
    wanted = (125.0, 2.0, np.var([1, 3, 2, 4, 0, 2]))
    assert (model.moves, model.mean, model.variance) == pytest.approx(wanted, rel=1e-5)
    assert points_lost(head.features)[:3] == pytest.approx([1.0, 3.0, 2.0])
    with pytest.raises(InputError, match="no moves of training games"):
        Stochastic.fit(head_of([], []), pool.select(np.arange(1)), np.array([True]))
    with pytest.raises(UsageError, match="not a model"):
        Stochastic(moves=0.0, mean=1.0, variance=1.0)
    with pytest.raises(InputError, match="no head features"):
        model.expected(MoveSets(np.zeros((1, 4)), np.array([0]), np.array([0, 1, 1])))


def made(games: int, seed: int, *, moves: int = 60) -> Labelled:
    """Players whose strength shows, faintly, in two of the features of each move."""
    generator = np.random.default_rng(seed)
    strength = generator.normal(1600.0, 150.0, 2 * games)
    number = generator.integers(0, moves, 2 * games)
    features = generator.normal(size=(int(number.sum()), 6))
    features[:, :2] += np.repeat((strength - 1600.0) / 300.0, number)[:, None]
    starts = np.concatenate([[0], np.cumsum(number)])
    sets = MoveSets(features.astype(np.float32), np.arange(len(features)), starts)
    score = (generator.random(games) < 0.5).astype(np.float32)
    return Labelled(sets, score, strength.reshape(-1, 2))


def test_the_fit_to_means_of_moves_is_ridge_regression() -> None:
    """The weights solve the penalised normal equations; a side without moves is average."""
    games = made(200, 1)
    fitted = fit_pooled(games, made(100, 2))
    number = games.moves.lengths()
    trust = np.where(number > 0, number / (number + fitted.shrinkage), 0.0)
    x = trust[:, None] * (games.moves.means() - fitted.centre) / fitted.spread
    y = games.labels.ravel() - fitted.mean
    gradient = x.T @ (x @ fitted.weights - y) + fitted.penalty * len(y) * fitted.weights
    assert np.abs(gradient).max() < 1e-6 * np.abs(x.T @ y).max()
    nothing = MoveSets(np.zeros((0, 6), np.float32), np.zeros(0, int), np.zeros(3, int))
    assert fitted.ratings(nothing) == pytest.approx([fitted.mean] * 2)
    even = fitted.expected(fitted.ratings(nothing))[0]
    assert even == pytest.approx(1.0 / (1.0 + np.exp(-fitted.intercept)))
    none = games.select(np.zeros(0, int))
    for training, validation, words in (
        (none, games, "to train on"),
        (games, none, "to validate with"),
        (made(5, 9, moves=1), games, "has a recent move"),
    ):
        with pytest.raises(NoGamesError, match=words):
            fit_pooled(training, validation)
    with pytest.raises(UsageError, match="penalties"):
        fit_pooled(games, games, penalties=[0.0])


def test_tuned_parameters_know_no_games_after_the_sets_where_those_before_are_asked() -> None:
    pool = played(300, 8, 1, spread=300.0)
    mark = np.full(300, "", "<U1")  # the first exhibition game at once, the other sets later
    mark[3], mark[150::3], mark[151::7] = "X", "T", "E"
    sets = Sets(mark)
    other = replace(pool, score=np.where(np.arange(300) >= 150, 1.0 - pool.score, pool.score))
    one, two = (tuned_glicko(each, sets, 6, before=True) for each in (pool, other))
    assert one == two
    # Else they have a say: what is told of them turned round is fitted as well.
    assert tuned_glicko(pool, sets, 6) != tuned_glicko(other, sets, 6)
    with pytest.raises(NoGamesError, match="before the sets"):
        tuned_glicko(pool, Sets(np.roll(mark, -150)), 3, before=True)
