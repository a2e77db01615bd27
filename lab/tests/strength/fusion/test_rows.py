"""Rows of the experiment's table that join results and a model of moves."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from yardstone.errors import InputError, NoGamesError
from yardstone.evaluation.metrics import log_likelihood
from yardstone.pool import Pool
from yardstone.ratings.glicko import Glicko2
from yardstone_lab.neubauer.experiment.questions import EVERYTHING, ExperimentPredictions, Questions
from yardstone_lab.neubauer.fusion_rows import (
    COMBINATION,
    FITTED,
    FUSION,
    Combination,
    add_fusion,
    fit_combination,
    fit_start,
)

Array = NDArray[np.float64]

PLAYERS, GAMES = 200, 2000
SPREAD = 120.0


def made_pool() -> tuple[Pool, Array]:
    """Players of one class, far closer together than 350 points, and their strengths."""
    generator = np.random.default_rng(7)
    strength = generator.normal(1500.0, SPREAD, PLAYERS)
    first = generator.integers(0, PLAYERS, GAMES)
    second = (first + generator.integers(1, PLAYERS, GAMES)) % PLAYERS
    chance = 1.0 / (1.0 + 10.0 ** ((strength[second] - strength[first]) / 400.0))
    score = (generator.random(GAMES) < chance).astype(np.float64)
    names = tuple(f"P{player}" for player in range(PLAYERS))
    return Pool(names, first.astype(np.int32), second.astype(np.int32), score), strength


def asked(pool: Pool, strength: Array) -> tuple[ExperimentPredictions, NDArray[np.int64]]:
    """Questions about the last third, some with all but two games hidden, and a model."""
    generator = np.random.default_rng(8)
    game = np.arange(2 * GAMES // 3, GAMES)
    letter = np.where(game % 2 == 0, "V", "E")
    tests = game[letter == "E"]
    questions = Questions(
        np.concatenate([game, tests]).astype(np.int64),
        np.concatenate([letter, np.full(len(tests), "E")]),
        np.concatenate([np.full(len(game), EVERYTHING), np.full(len(tests), 2)]).astype(np.int64),
    )
    both = np.column_stack([pool.first, pool.second])[questions.game]
    ratings = strength[both] + generator.normal(0.0, 70.0, both.shape)
    result = ExperimentPredictions(
        questions, pool.score[questions.game], strength[both], both.astype(np.int32)
    )
    expected = 1.0 / (1.0 + 10.0 ** ((ratings[:, 1] - ratings[:, 0]) / 400.0))
    moves = np.where(questions.last == 2, 200, 500)
    return result.with_system("Model", expected, ratings), np.column_stack([moves, moves])


def test_rows_of_a_table() -> None:
    """Better than results alone, and told without the test games' own results."""
    pool, strength = made_pool()
    system = Glicko2()
    predictions, moves = asked(pool, strength)
    result, prior = add_fusion(predictions, pool, system.replay(pool), system, "Model", moves)
    questions = result.questions
    assert prior.base.deviation == pytest.approx(SPREAD, rel=0.4)
    for part in (questions.of("E"), questions.of("E", 2)):
        likely = {
            name: log_likelihood(result.score[part], result.expected[name][part])
            for name in (FITTED, "Model", FUSION, COMBINATION)
        }
        assert likely[FUSION] > max(likely[FITTED] + 0.002, likely["Model"] - 0.002)
        assert likely[COMBINATION] > likely[FITTED]
    assert np.isfinite(result.ratings[FUSION][questions.of("E")]).all()
    assert np.isnan(result.ratings[FUSION][questions.of("E", 2)]).all()
    assert "Model" in result.about[COMBINATION]
    score = pool.score.copy()
    score[-1] = 1.0 - score[-1]  # of the last game, which is one of E
    turned = Pool(pool.players, pool.first, pool.second, score)
    again, prior_again = add_fusion(
        predictions, turned, system.replay(turned), system, "Model", moves
    )
    assert prior_again == prior
    for name in (FITTED, FUSION, COMBINATION):
        assert np.array_equal(again.expected[name], result.expected[name])
    replay = system.replay(pool)
    with pytest.raises(NoGamesError, match="set T"):
        add_fusion(predictions, pool, replay, system, "Model", moves, learn_from="T")
    system = Glicko2(initial_deviation=111.0)
    assert fit_start(pool, system, np.arange(GAMES) < 199) is system


def test_a_combination_finds_its_weights() -> None:
    generator = np.random.default_rng(2)
    logits = generator.normal(0.0, 1.0, (500, 2))
    one, other = 1.0 / (1.0 + np.exp(-logits.T))
    chance = 1.0 / (1.0 + np.exp(-(0.2 + logits @ np.array([0.7, 0.4]))))
    result = fit_combination(chance, one, other)  # scores as likely as can be
    assert result.intercept == pytest.approx(0.2, abs=0.02)
    assert result.weights == pytest.approx((0.7, 0.4), abs=0.02)
    assert np.allclose(result.expected(one, other), chance, atol=0.01)
    with pytest.raises(InputError):
        result.expected(one)
    with pytest.raises(NoGamesError):
        fit_combination([1.0])
    assert Combination(0.0, (1.0,)).expected([0.3]) == pytest.approx([0.3])
    # Predictions that separate wins from losses leave the weights finite.
    apart = fit_combination([1.0, 1.0, 0.0, 0.0], [0.9, 0.8, 0.2, 0.1])
    assert np.isfinite(apart.weights).all()
