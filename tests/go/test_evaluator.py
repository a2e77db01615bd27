"""Many questions to a network: in batches, once each, seen from White; and features of moves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.go.games import random_game
from yardstone.errors import NoGamesError, StrictError, UsageError
from yardstone.go.evaluator import (
    Assessment,
    Evaluator,
    NetworkAnswer,
    NetworkQuestion,
    ask,
    assess,
    can_end_without_result,
    illegal_move,
    require_games,
)
from yardstone.go.features import head_features, move_features
from yardstone.go.inputs import encode_game
from yardstone.go.nets.network import Network, load_network
from yardstone.go.rules import NAMED_RULES, TROMP_TAYLOR, Knowledge
from yardstone.pool import Skipped, SkipReport
from yardstone.records.go_game import GoGame

#: Batches differ, and with them the order of sums; features are kept in 16 bits.
ROUNDING = 2e-5
HALF: dict[str, Any] = {"rtol": 2e-3, "atol": 1e-4}


def questions(games: list[GoGame], network: Network) -> list[NetworkQuestion]:
    return list(ask(games, SkipReport(), network, trunk=True))


def answered(network: Network, game: GoGame, *kinds: str) -> NetworkAnswer:
    (answer,) = Evaluator(network, trunk=kinds).answer(questions([game], network))
    return answer


def trunk_of(network: Network, answer: NetworkAnswer) -> Any:
    """The trunk [positions, channels, points] that the network gives to all positions at once."""
    encoded = answer.question.encoded
    whole = network.evaluate(encoded.spatial.astype(np.float32), encoded.globals, trunk=True)
    assert whole.trunk is not None
    return whole.trunk.reshape(len(encoded), network.channels, -1)


def seen(scale: float = 1.0, **changed: Any) -> Assessment:
    """A position of Black to move and one of White's; the third of four points is forbidden."""
    facts: dict[str, Any] = {
        "policy_logits": np.array([[1.0, 2.0, 9.0, 0.0, -1.0]] * 2, np.float32) * scale,
        "value_logits": np.array([[1.0, -1.0, 0.0]] * 2, np.float32) * scale,
        "score": np.array([[4.0, 6.0]] * 2, np.float32),
        "to_play": np.array([1, 2], np.int8),
        "legal": np.array([[1, 1, 0, 1, 1]] * 2, np.uint8),
        "without_result": True,
    }
    return assess(**facts | changed)


def test_both_sides_are_seen_from_white() -> None:
    result = seen()
    weights = np.exp([1.0, -1.0, 0.0])
    win, loss, none = weights / weights.sum()
    # Scores hold for games with a result, so the others count as nothing.
    for name, black, white in (
        ("white_win", loss, win),
        ("white_loss", win, loss),
        ("no_result", none, none),
        ("white_lead", -4.0 * (1 - none), 4.0 * (1 - none)),
        ("white_score", -6.0 * (1 - none), 6.0 * (1 - none)),
        ("white_expected", loss + none / 2, win + none / 2),
    ):
        assert getattr(result, name) == pytest.approx([black, white]), name
    # The policy is shared by the legal moves.
    weights = np.exp([1.0, 2.0, 0.0, -1.0])
    assert np.isnan(result.policy[:, 2]).all()
    assert result.policy[0, [0, 1, 3, 4]] == pytest.approx(weights / weights.sum())
    # Where each game has a result the third value means nothing.
    ended = seen(without_result=False)
    assert ended.no_result.tolist() == [0.0, 0.0]
    assert ended.white_win[1] == pytest.approx(1.0 / (1.0 + np.exp(-2.0)))
    assert ended.white_lead.tolist() == [-4.0, 4.0]
    huge = seen(1e5)
    assert (huge.policy[0, 1], huge.white_loss[0]) == (1.0, 1.0)
    known = {name for name, rules in NAMED_RULES.items() if can_end_without_result(rules)}
    assert {"japanese", "chinese"} <= known
    assert known.isdisjoint({"tromp-taylor", "aga"})
    assert can_end_without_result(replace(TROMP_TAYLOR, scoring="territory"))


def test_batches_say_what_single_positions_say(network: Network) -> None:
    games = [random_game(k, size=5 + 2 * (k % 3), moves=6) for k in range(4)]
    answers = list(Evaluator(network, batch=7).answer(questions(games, network)))
    assert [answer.question.about.game for answer in answers] == games
    for game, answer in zip(games, answers, strict=True):
        rules = answer.question.rules
        for position in range(len(game.moves) + 1):
            encoded = encode_game(
                game.size, moves=game.moves, komi=game.komi, rules=rules, positions=[position]
            )
            (alone,) = Evaluator(network).answer([NetworkQuestion(encoded, rules)])
            for name in ("white_win", "white_lead", "white_score", "policy"):
                whole, other = (getattr(a.assessment, name) for a in (answer, alone))
                np.testing.assert_allclose(whole[position], other[0], atol=ROUNDING, rtol=ROUNDING)


def test_equal_positions_are_evaluated_once(network: Network) -> None:
    """Forgetting costs time and changes nothing; few questions are held at a time."""
    game = random_game(3, moves=20)
    evaluator = Evaluator(network)
    first, second = evaluator.answer(questions([game, game], network))
    assert (evaluator.asked, evaluator.evaluated) == (42, 21)
    np.testing.assert_array_equal(first.assessment.policy, second.assessment.policy)
    games = [random_game(k, moves=12) for k in range(4)]
    asked = questions([*games, *games], network)
    remembering = Evaluator(network, trunk=("pick",), batch=8)
    forgetful = Evaluator(network, trunk=("pick",), batch=8, memory=0)
    for one, two in zip(remembering.answer(asked), forgetful.answer(asked), strict=True):
        leads = one.assessment.white_lead, two.assessment.white_lead
        np.testing.assert_allclose(*leads, atol=ROUNDING)
        np.testing.assert_allclose(one.features["pick"], two.features["pick"], rtol=2e-3)
    assert forgetful.evaluated > remembering.evaluated
    # The batch of a size of board that comes only once does not fill.
    many = iter(questions([random_game(1, size=7, moves=3), *[game] * 400], network))
    assert next(Evaluator(network).answer(many)).question.about.game.size == 7
    assert len(list(many)) > 160


def test_features_are_taken_at_the_own_point_of_each_move(network: Network) -> None:
    """Of two games with the same positions but another last move, too."""
    encoded = encode_game(9, moves=random_game(3, moves=20).moves[:1], komi=6.5)
    points = (40, 41)
    asked = [
        NetworkQuestion(encoded, TROMP_TAYLOR, np.array([point, -1], np.int16)) for point in points
    ]
    evaluator = Evaluator(network, trunk=("pick", "mean", "trunk"))
    answers = list(evaluator.answer(asked))
    assert evaluator.evaluated == 2
    trunk = trunk_of(network, answers[0])[0]
    assert not np.array_equal(trunk[:, 40], trunk[:, 41])
    for answer, point in zip(answers, points, strict=True):
        wanted = {"pick": trunk[:, point], "mean": trunk.mean(axis=1)}
        for kind, values in {**wanted, "trunk": trunk.reshape(-1, 9, 9)}.items():
            assert answer.features[kind].dtype == np.float16
            np.testing.assert_allclose(answer.features[kind], values[None], **HALF)


def test_what_else_could_have_been_played(network: Network) -> None:
    """The trunk after the move, and at the five other points of greatest policy."""
    game = random_game(5, moves=30)
    answer = answered(network, game, "after", "candidates")
    trunk = trunk_of(network, answer)
    for move, point in enumerate(game.moves.tolist()):
        after, others = (answer.features[kind][move] for kind in ("after", "candidates"))
        np.testing.assert_allclose(after, trunk[move + 1][:, point], **HALF)
        policy = answer.assessment.policy[move, :-1].copy()
        policy[point] = np.nan
        best = np.argsort(-np.nan_to_num(policy), kind="stable")[:5]
        np.testing.assert_allclose(answer.features["chances"][move], policy[best], rtol=2e-3)
        np.testing.assert_allclose(others, trunk[move][:, best].T, **HALF)
    encoded = encode_game(9, moves=game.moves, komi=6.5, positions=[4, 7])
    question = NetworkQuestion(encoded, TROMP_TAYLOR, game.moves[[4, 7]].astype(np.int16))
    with pytest.raises(UsageError, match="the position that follows"):
        list(Evaluator(network, trunk=("after",)).answer([question]))
    # A small board has candidates without a chance.
    encoded = encode_game(2, moves=[0, 3], komi=0.5)
    question = NetworkQuestion(encoded, TROMP_TAYLOR, np.array([0, 3, -1], np.int16))
    (answer,) = Evaluator(network, trunk=("candidates",)).answer([question])
    chances, others = answer.features["chances"], answer.features["candidates"]
    assert chances.shape == (2, 5)
    assert (chances[0] > 0).tolist() == [True] * 3 + [False] * 2
    assert ((others != 0).any(axis=2) == (chances > 0)).all()


def test_what_cannot_be_asked(
    net_file: Path, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="no features"):
        Evaluator(network, trunk=("tree",))
    with pytest.raises(UsageError, match="at least 1"):
        Evaluator(network, batch=0)
    for point, where in ((-1, "pass"), (80, "J1"), (81, "outside the board")):
        assert illegal_move(1, point, 1, 9) == f"move 2 is illegal (Black {where})"
    some = SkipReport()
    require_games(1, some)
    with pytest.raises(NoGamesError, match="there are no games"):
        require_games(0, some)
    some.add(Skipped("a.sgf", 3, "torn"))
    require_games(1, some)
    with pytest.raises(NoGamesError, match=r"a\.sgf:3: no game can be used: torn"):
        require_games(0, some)
    with pytest.raises(StrictError, match=r"a\.sgf:3: torn"):
        require_games(1, some, strict=True)
    # A network that does not know everything.
    known = {network.sha256: Knowledge("small", TROMP_TAYLOR, (5.5, 7.5), 9)}
    monkeypatch.setattr("yardstone.go.nets.network.KNOWLEDGE", known)
    small = load_network(net_file, threads=1)
    chinese = replace(random_game(1, moves=3), rules="chinese")
    skipped = SkipReport()
    games = [chinese, random_game(1, size=7, moves=3), replace(chinese, komi=8.5)]
    (question,) = ask(games, skipped, small)
    assert question.rules == TROMP_TAYLOR
    assert question.about.conditions.remark == "small does not know chinese rules"
    reasons = [each.reason.partition(" (")[0].partition(":")[0] for each in skipped.details]
    assert reasons == ["small does not know boards of 7x7", "small does not know komi 8.5"]
    with pytest.raises(UsageError, match="random-10-1 is asked under chinese rules"):
        list(Evaluator(small).answer([replace(question, rules=NAMED_RULES["chinese"])]))


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
    assert head.dtype == np.float32


def test_features_of_a_game(network: Network) -> None:
    game = random_game(4, moves=21, passes=2)
    answer = answered(network, game, "pick")
    result = move_features(answer)
    assert result.number.tolist() == [*range(1, 22, 2), *range(2, 22, 2)]
    assert result.colour.tolist() == [1] * 11 + [2] * 10
    assert result.point.tolist() == game.moves[result.number - 1].tolist()
    picked = trunk_of(network, answer)[result.number - 1, :, result.point]
    np.testing.assert_allclose(result.features["pick"], picked, rtol=2e-3, atol=1e-3)
    end = answered(network, replace(game, moves=game.moves[:21], colours=game.colours[:21]))
    assert result.white_lead == pytest.approx(float(end.assessment.white_lead[-1]), abs=1e-4)
    assert result.white_winrate == pytest.approx(end.assessment.white_expected[-1], abs=1e-5)
    empty = move_features(answered(network, random_game(1, moves=0), "pick"))
    assert empty.features["head"].shape == (0, 6)
    assert empty.features["pick"].shape == (0, network.channels)
    with pytest.raises(ValueError, match="did not ask for features"):
        move_features(next(Evaluator(network).answer(ask([game], SkipReport(), network))))
    # White takes a ko back at once, which has no features: such records exist.
    #   . B W .     Black 4 takes White's stone at 5 …
    #   B W . W
    #   . B W .
    moves = np.array([1, 2, 4, 7, 9, 10, 15, 5, 6, 5], np.int16)
    colours = np.array([1, 2] * 5, np.int8)
    answer = answered(network, replace(game, size=4, moves=moves, colours=colours), "pick")
    assert answer.question.encoded.breaches.tolist() == [9]
    result = move_features(answer)
    assert sorted(result.number.tolist()) == [*range(1, 10)]
    assert np.isfinite(result.features["head"]).all()
