from __future__ import annotations

import numpy as np
import pytest

from yardstone.errors import NoGamesError, UsageError
from yardstone_lab.neubauer.experiment.models import Pooled, fit_pooled
from yardstone_lab.neubauer.moves import Labelled, MoveSets

WIDTH = 6


def made(games: int, seed: int, *, moves: int = 60) -> Labelled:
    """Players whose strength shows, faintly, in two of the features of each move."""
    generator = np.random.default_rng(seed)
    strength = generator.normal(1600.0, 150.0, 2 * games)
    number = generator.integers(0, moves, 2 * games)
    features = generator.normal(size=(int(number.sum()), WIDTH))
    features[:, :2] += np.repeat((strength - 1600.0) / 300.0, number)[:, None]
    starts = np.concatenate([[0], np.cumsum(number)])
    sets = MoveSets(features.astype(np.float32), np.arange(len(features)), starts)
    black, white = strength[0::2], strength[1::2]
    chance = 1.0 / (1.0 + 10.0 ** ((white - black) / 400.0))
    score = (generator.random(games) < chance).astype(np.float32)
    return Labelled(sets, score, strength.reshape(-1, 2))


@pytest.fixture(scope="module")
def fitted() -> Pooled:
    return fit_pooled(made(400, 1), made(300, 2))


def test_the_fit_is_ridge_regression(fitted: Pooled) -> None:
    """The weights solve the penalised normal equations."""
    games = made(400, 1)
    number = games.moves.lengths()
    trust = np.where(number > 0, number / (number + fitted.shrinkage), 0.0)
    x = trust[:, None] * (games.moves.means() - fitted.centre) / fitted.spread
    y = games.labels.ravel() - fitted.mean
    gradient = x.T @ (x @ fitted.weights - y) + fitted.penalty * len(y) * fitted.weights
    assert np.abs(gradient).max() < 1e-6 * np.abs(x.T @ y).max()


def test_a_side_without_moves_is_average(fitted: Pooled) -> None:
    nothing = MoveSets(np.zeros((0, WIDTH), np.float32), np.zeros(0, int), np.zeros(3, int))
    assert fitted.ratings(nothing) == pytest.approx([fitted.mean] * 2)
    even = fitted.expected(fitted.ratings(nothing))[0]
    assert even == pytest.approx(1.0 / (1.0 + np.exp(-fitted.intercept)))


def test_nothing_to_learn_from() -> None:
    games = made(20, 8)
    none = games.select(np.zeros(0, int))
    with pytest.raises(NoGamesError, match="to train on"):
        fit_pooled(none, games)
    with pytest.raises(NoGamesError, match="to validate with"):
        fit_pooled(games, none)
    with pytest.raises(NoGamesError, match="has a recent move"):
        fit_pooled(made(5, 9, moves=1), games)
    with pytest.raises(UsageError, match="penalties"):
        fit_pooled(games, games, penalties=[0.0])
