from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.go.games import random_game, small_network
from yardstone.errors import UsageError
from yardstone.go.evaluator import CANDIDATES, Evaluator, NetworkQuestion, ask
from yardstone.go.inputs import encode_game
from yardstone.go.nets.network import Network, load_network
from yardstone.go.rules import TROMP_TAYLOR
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame

#: Batches differ, and with them the order of sums.
ROUNDING = 2e-5


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Network:
    return load_network(small_network(tmp_path_factory.mktemp("net")), threads=1)


def questions(games: list[GoGame], network: Network) -> list[NetworkQuestion]:
    return list(ask(games, SkipReport(), network, trunk=True))


def test_batches_say_what_single_positions_say(network: Network) -> None:
    games = [random_game(k, size=5 + 2 * (k % 3), moves=9) for k in range(5)]
    answers = list(Evaluator(network, batch=7).answer(questions(games, network)))
    assert [answer.question.about.game for answer in answers] == games
    for game, answer in zip(games, answers, strict=True):
        for position in range(len(game.moves) + 1):
            encoded = encode_game(
                game.size,
                moves=game.moves,
                colours=game.colours,
                komi=game.komi,
                rules=answer.question.rules,
                positions=[position],
            )
            (alone,) = Evaluator(network).answer([NetworkQuestion(encoded, answer.question.rules)])
            for name in ("white_win", "white_lead", "white_score", "policy"):
                whole = getattr(answer.assessment, name)[position]
                np.testing.assert_allclose(
                    whole, getattr(alone.assessment, name)[0], atol=ROUNDING, rtol=ROUNDING
                )


def test_equal_positions_are_evaluated_once(network: Network) -> None:
    game = random_game(3, moves=20)
    evaluator = Evaluator(network)
    first, second = evaluator.answer(questions([game, game], network))
    assert (evaluator.asked, evaluator.evaluated) == (42, 21)
    np.testing.assert_array_equal(first.assessment.policy, second.assessment.policy)


def test_features_are_taken_at_the_own_point_of_each_move(network: Network) -> None:
    """Of two games with the same positions but another last move, too."""
    one = random_game(3, moves=20)
    encoded = encode_game(9, moves=one.moves[:1], komi=6.5)
    other = NetworkQuestion(encoded, TROMP_TAYLOR, np.array([40, -1], np.int16))
    same = NetworkQuestion(encoded, TROMP_TAYLOR, np.array([41, -1], np.int16))
    evaluator = Evaluator(network, trunk=("pick", "mean", "trunk"))
    answers = list(evaluator.answer([other, same]))
    assert evaluator.evaluated == 2
    result = network.evaluate(encoded.spatial.astype(np.float32), encoded.globals, trunk=True).trunk
    assert result is not None
    for answer, point in zip(answers, (40, 41), strict=True):
        wanted = {
            "pick": result[0].reshape(network.channels, -1)[:, point],
            "mean": result[0].mean(axis=(1, 2)),
            "trunk": result[0],
        }
        for kind, values in wanted.items():
            assert answer.features[kind].dtype == np.float16
            np.testing.assert_allclose(answer.features[kind], values[None], rtol=2e-3, atol=1e-4)
    assert not np.array_equal(answers[0].features["pick"], answers[1].features["pick"])


def test_what_else_could_have_been_played(network: Network) -> None:
    """The trunk after the move, and at the five other points of greatest policy."""
    game = random_game(5, moves=30)
    evaluator = Evaluator(network, trunk=("after", "candidates"))
    (answer,) = evaluator.answer(ask([game], SkipReport(), evaluator.network, trunk=True))
    encoded = answer.question.encoded
    result = network.evaluate(encoded.spatial.astype(np.float32), encoded.globals, trunk=True).trunk
    assert result is not None
    flat = result.reshape(len(encoded), network.channels, -1)
    for move, point in enumerate(game.moves.tolist()):
        np.testing.assert_allclose(
            answer.features["after"][move], flat[move + 1][:, point], rtol=2e-3, atol=1e-4
        )
        policy = answer.assessment.policy[move, :-1].copy()
        policy[point] = np.nan
        best = np.argsort(-np.nan_to_num(policy), kind="stable")[:CANDIDATES]
        np.testing.assert_allclose(answer.features["chances"][move], policy[best], rtol=2e-3)
        np.testing.assert_allclose(
            answer.features["candidates"][move], flat[move][:, best].T, rtol=2e-3, atol=1e-4
        )


def test_a_small_board_has_candidates_without_a_chance(network: Network) -> None:
    encoded = encode_game(2, moves=[0, 3], komi=0.5)
    evaluator = Evaluator(network, trunk=("candidates",))
    (answer,) = evaluator.answer(
        [NetworkQuestion(encoded, TROMP_TAYLOR, np.array([0, 3, -1], np.int16))]
    )
    chances, others = answer.features["chances"], answer.features["candidates"]
    assert chances.shape == (2, CANDIDATES)
    assert (chances[0] > 0).tolist() == [True] * 3 + [False] * 2
    assert (others[chances == 0] == 0).all()
    assert (others[chances > 0] != 0).any(axis=1).all()


def test_the_trunk_after_a_move_needs_the_next_position(network: Network) -> None:
    game = random_game(3, moves=20)
    encoded = encode_game(9, moves=game.moves, komi=6.5, positions=[4, 7])
    question = NetworkQuestion(encoded, TROMP_TAYLOR, game.moves[[4, 7]].astype(np.int16))
    with pytest.raises(UsageError, match="the position that follows"):
        list(Evaluator(network, trunk=("after",)).answer([question]))


def test_forgetting_changes_nothing(network: Network) -> None:
    games = [random_game(k, moves=12) for k in range(4)]
    asked = questions([*games, *games], network)
    remembering = Evaluator(network, trunk=("pick",), batch=8)
    forgetful = Evaluator(network, trunk=("pick",), batch=8, memory=0)
    for one, two in zip(remembering.answer(asked), forgetful.answer(asked), strict=True):
        np.testing.assert_allclose(
            one.assessment.white_lead, two.assessment.white_lead, atol=ROUNDING
        )
        np.testing.assert_allclose(one.features["pick"], two.features["pick"], rtol=2e-3)
    assert forgetful.evaluated > remembering.evaluated


def test_few_questions_are_held_at_a_time(network: Network) -> None:
    """Also when a size of board comes only once and its batch does not fill."""
    taken = 0

    def many() -> Iterator[NetworkQuestion]:
        nonlocal taken
        yield questions([random_game(1, size=7, moves=3)], network)[0]
        for question in questions([random_game(2, moves=60)], network) * 200:
            taken += 1
            yield question

    answers = Evaluator(network).answer(many())
    assert next(answers).question.about.game.size == 7
    assert taken < 80


def test_wrong_settings(network: Network) -> None:
    with pytest.raises(UsageError, match="no features"):
        Evaluator(network, trunk=("tree",))
    with pytest.raises(UsageError, match="at least 1"):
        Evaluator(network, batch=0)
