from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.go.games import random_game, small_network
from yardstone.go.evaluator import Assessment, Evaluator, NetworkAnswer, ask
from yardstone.go.features import HEAD, head_features, move_features
from yardstone.go.inputs import encode_game
from yardstone.go.nets.network import Network, load_network
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Network:
    return load_network(small_network(tmp_path_factory.mktemp("net")), threads=1)


def answered(network: Network, game: GoGame) -> NetworkAnswer:
    evaluator = Evaluator(network, trunk=("pick",))
    (answer,) = evaluator.answer(ask([game], SkipReport(), evaluator.network, trunk=True))
    return answer


def test_the_six_head_features_by_hand() -> None:
    """A game of two moves on a board of four points."""
    policy = np.array([[0.5, 0.2, 0.1, 0.1, 0.1], [np.nan, 0.4, 0.3, 0.2, 0.1], [0.2] * 5])
    result = Assessment(
        white_win=np.array([0.4, 0.6, 0.3], np.float32),
        white_loss=np.array([0.6, 0.4, 0.7], np.float32),
        no_result=np.zeros(3, np.float32),
        white_lead=np.array([-1.0, 2.0, -3.0], np.float32),
        white_score=np.zeros(3, np.float32),
        policy=policy.astype(np.float32),
        to_play=np.array([1, 2, 1], np.int8),
    )
    head = head_features(result, np.array([1, 2], np.int8), np.array([1, 2], np.int16))
    black = [0.4 - 0.5, -2.0 * 0.1, 0.2 - 0.5, 0.5 - 0.5, 0.6 - 0.4, (1.0 + 2.0) * 0.1]
    white = [0.3 - 0.5, -3.0 * 0.1, 0.3 - 0.5, 0.4 - 0.5, 0.6 - 0.3, (2.0 + 3.0) * 0.1]
    assert head == pytest.approx(np.array([black, white]), abs=1e-6)
    assert len(HEAD) == head.shape[1]
    assert head.dtype == np.float32


def test_a_game_move_by_move(network: Network) -> None:
    game = random_game(4, moves=21, passes=2)
    result = move_features(answered(network, game))
    assert result.number.tolist() == [*range(1, 22, 2), *range(2, 22, 2)]
    assert result.colour.tolist() == [1] * 11 + [2] * 10
    encoded = encode_game(
        9,
        moves=game.moves,
        colours=game.colours,
        komi=game.komi,
        rules=answered(network, game).question.rules,
    )
    whole = network.evaluate(encoded.spatial.astype(np.float32), encoded.globals, trunk=True)
    assert whole.trunk is not None
    for row, number in enumerate(result.number - 1):
        point = int(game.moves[number])
        assert result.point[row] == point
        pick = whole.trunk[number].reshape(network.channels, -1)[:, point]
        np.testing.assert_allclose(result.features["pick"][row], pick, rtol=2e-3, atol=1e-3)
    end = answered(network, replace(game, moves=game.moves[:21], colours=game.colours[:21]))
    assert result.white_lead == pytest.approx(float(end.assessment.white_lead[-1]), abs=1e-4)


def test_a_move_that_the_rules_forbid_has_no_features(network: Network) -> None:
    """White takes a ko back at once: such records exist."""
    #   . B W .     Black 4 takes White's stone at 5 …
    #   B W . W
    #   . B W .
    moves = [1, 2, 4, 7, 9, 10, 15, 5, 6, 5]
    game = replace(
        random_game(1),
        size=4,
        moves=np.array(moves, np.int16),
        colours=np.array([1, 2] * 5, np.int8),
    )
    answer = answered(network, game)
    assert answer.question.encoded.breaches.tolist() == [9]
    result = move_features(answer)
    assert 10 not in result.number
    assert len(result.number) == 9
    assert np.isfinite(result.features["head"]).all()


def test_a_game_without_moves(network: Network) -> None:
    game = random_game(1, moves=0)
    result = move_features(answered(network, game))
    assert result.features["head"].shape == (0, 6)
    assert result.features["pick"].shape == (0, network.channels)
    assert 0.0 <= result.white_winrate <= 1.0
