from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import hypot, sqrt
from typing import Any

import numpy as np
import pytest

from tests.go.games import random_game
from yardstone.errors import UsageError
from yardstone.go import losses
from yardstone.go.analysis import analyse
from yardstone.go.evaluator import evaluate_turned
from yardstone.go.inputs import encode_game
from yardstone.go.losses import (
    FirstLook,
    Line,
    LossEffort,
    Losses,
    Tree,
    evaluate_lines,
    grow,
    move_losses,
)
from yardstone.go.nets.network import Network
from yardstone.go.points import WHITE, symmetry_points
from yardstone.go.rules import TROMP_TAYLOR, Conditions
from yardstone.records.go_game import GoGame

CONDITIONS = Conditions(TROMP_TAYLOR, 7.0)


@pytest.fixture(scope="module")
def looked(network: Network, game: GoGame) -> FirstLook:
    result = analyse(game, network, rules=TROMP_TAYLOR, komi=7.0, effort=LossEffort(visits=0))
    # The small network is sure of everything: chances nearer to even, leads as they are.
    even = (0.5 + 0.1 * (result.white_winrate - 0.5)).astype(np.float32)
    wanted = result.counted & (result.colour == WHITE)
    return FirstLook(game, CONDITIONS, even, result.white_lead, result.best, wanted)


def test_a_turned_position_is_the_turned_board(network: Network, game: GoGame) -> None:
    encoded = encode_game(9, moves=game.moves, komi=7.0, positions=[12])
    for symmetry in range(8):
        table = symmetry_points(9)[symmetry]
        other = encode_game(9, moves=table[game.moves[:12]], komi=7.0, positions=[12])
        there = network.evaluate(other.spatial.astype(np.float32), other.globals)
        spatial = encoded.spatial.astype(np.float32)
        (result,) = evaluate_turned(network, spatial, encoded.globals, np.array([symmetry]))
        np.testing.assert_allclose(result.score[0], there.lead[0], atol=1e-3)
        np.testing.assert_allclose(result.policy[:-1], there.policy_logits[0][table], atol=1e-3)
        assert result.policy[-1] == pytest.approx(there.policy_logits[0, -1], abs=1e-3)


def test_a_tree_is_the_mean_of_what_was_seen(network: Network, game: GoGame) -> None:
    played = int(game.moves[7])
    trees = [Tree(game, CONDITIONS, 7), Tree(game, CONDITIONS, 7, played)]
    assert grow(trees, network, 1) == 2
    ((win, lead, _),) = evaluate_lines([Line(game, CONDITIONS, 7)], network)
    root = trees[0].root
    assert (root.mean_lead, root.mean_win) == pytest.approx((lead, win), abs=1e-4)
    assert trees[0].best() is None
    assert [grow(trees, network, 20) for _ in range(2)] == [38, 0]
    for tree in trees:
        children = tree.root.children
        assert tree.root.visits == len(tree.leads) == 20
        assert tree.root.mean_lead == pytest.approx(np.mean(tree.leads), abs=1e-4)
        assert sum(child.visits for child in children) == 19
        best = tree.best()
        assert best is not None
        assert best.visits == max(child.visits for child in children)
    assert played not in [child.move for child in trees[1].root.children]


def test_a_line_is_a_game_that_went_on(network: Network, game: GoGame) -> None:
    followed = tuple(game.moves[10:13].tolist())
    small = Line(random_game(2, size=5, moves=6), CONDITIONS, 4)
    some = [small, Line(game, CONDITIONS, 10, followed), Line(game, CONDITIONS, 13), small]
    result = [each[:2] for each in evaluate_lines(some, network)]
    ((*alone, _),) = evaluate_lines([small], network)
    assert result[1] == pytest.approx(result[2], abs=1e-4)
    for place in (0, 3):
        assert result[place] == pytest.approx(alone, abs=1e-4), "each board at its own place"


def test_a_loss_is_what_the_best_move_would_have_left(network: Network, looked: FirstLook) -> None:
    (result,) = move_losses([looked], network, LossEffort(visits=0))
    assert np.isnan(result.points[~looked.wanted]).all()
    for place in np.flatnonzero(looked.wanted).tolist():
        best = int(looked.best[place])
        ((_, lead, _),) = evaluate_lines([Line(looked.game, CONDITIONS, place, (best,))], network)
        lost = max(lead - float(looked.white_lead[place + 1]), 0.0)  # White's moves
        assert result.points[place] == pytest.approx(lost, abs=0.01)
        assert result.best[place] == best
    assert (result.visits == 0).all()
    # Nothing is lost where the game is decided. Whoever falls from 97 % to 50 % has thrown a
    # game away that was not decided.
    sure = looked.white_winrate.copy()
    sure[10:21] = 0.97
    sure[24:] = 0.02
    (result,) = move_losses([replace(looked, white_winrate=sure)], network, LossEffort(visits=0))
    decided = np.zeros(30, bool)
    decided[10:20] = decided[24:] = True
    assert result.decided.tolist() == decided.tolist()
    assert (np.isnan(result.points) == (decided | ~looked.wanted)).all()


def test_a_search_spends_no_more_than_it_may(network: Network, looked: FirstLook) -> None:
    # As if White were worse off after each move than after the best one: all are suspect.
    looked = replace(looked, white_lead=looked.white_lead - np.float32(5.0))
    compared = int(looked.wanted.sum())  # of random moves next to none is the first choice
    (free,) = move_losses([looked], network, LossEffort(visits=12))
    searched = np.flatnonzero(free.visits)
    assert len(searched)
    assert set(free.visits[searched].tolist()) <= {8, 12}
    assert (looked.wanted[searched]).all()
    known = ~np.isnan(free.points)
    assert (free.points[known] >= 0.0).all()
    assert (free.error[known] > 0.0).all()
    share = (compared + 40) / len(looked.white_lead)
    (bound,) = move_losses([looked], network, LossEffort(visits=12, share=share))
    grown = bound.visits[bound.visits > 0] - 1  # the roots are of the game itself
    assert 0 < 2 * int(grown.sum()) <= 40
    (none,) = move_losses([looked], network, LossEffort(share=0.0))
    assert not none.visits.any()
    # What is spent on a game depends on it alone.
    worse = replace(looked, white_lead=looked.white_lead - np.float32(4.0))
    beside = move_losses([worse, looked], network, LossEffort(visits=12, share=share))[1]
    assert beside.visits.tolist() == bound.visits.tolist()
    assert beside.points == pytest.approx(bound.points, abs=1e-3, nan_ok=True)
    with pytest.raises(UsageError, match="-1 visits"):
        LossEffort(visits=-1)
    with pytest.raises(UsageError, match=r"share of -0\.5"):
        LossEffort(share=-0.5)


#: Of White's second, fourth and sixth move: what the first look says that it lost; then leads
#: after it and after what could be played instead, and winrates, as the search sees them.
SEARCHED = {
    1: (1.9, 0.0, 0.0, 0.5, 0.5),  # too little for a search
    3: (2.0, -1.5, -0.5, 0.4, 0.6),  # of little interest after a short one
    5: (5.0, -4.0, 0.0, 0.3, 0.7),
}


@pytest.mark.parametrize("sign", [1, -1])
def test_losses_by_hand(sign: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A made-up network; with `sign` -1 Black is in White's place."""
    game = random_game(1, moves=6)
    if sign < 0:
        game = replace(game, colours=(3 - game.colours).astype(np.int8))
    seen: dict[int, list[float]] = {place: [] for place in range(7)}

    def evaluate(lines: Sequence[Line], _: object) -> list[tuple[float, float, Any]]:
        result = []
        for line in lines:
            first, after, instead, win_after, win_instead = SEARCHED[(line.position - 1) | 1]
            lead, win = (after, win_after) if line.position % 2 == 0 else (instead, win_instead)
            if line.moves == (80,):  # the first comparison
                lead, win = first, 0.75
            else:
                lead += 0.5 * (-1) ** len(line.moves) + 0.1 * len(seen[line.position])
                seen[line.position].append(lead)
            policy = np.zeros(82, np.float32)
            policy[60:66] = 1 / 6
            result.append((0.5 + sign * (win - 0.5), sign * lead, policy))
        return result

    def lost(effort: LossEffort | None = None, *leads: float) -> Losses:
        lead = np.array([0, *leads, *[0] * (6 - len(leads))], np.float32) * np.float32(sign)
        even, best = np.full(7, 0.5, np.float32), np.full(6, 80, np.int16)
        looked = FirstLook(game, CONDITIONS, even, lead, best, np.arange(6) % 2 == 1)
        network: Any = None
        return next(iter(move_losses([looked], network, *([effort] if effort else []))))

    monkeypatch.setattr(losses, "evaluate_lines", evaluate)
    moves = [1, 3, 5]
    plain = lost(LossEffort(visits=0))
    assert plain.points[moves] == pytest.approx([1.9, 2.0, 5.0])
    assert plain.error[moves] == pytest.approx(np.hypot(1.0, [1.9, 2.0, 5.0]))
    assert plain.win[moves] == pytest.approx([0.25] * 3)
    result = lost()
    assert result.visits.tolist() == [0, 0, 0, 8, 0, 16]
    assert result.points[1] == plain.points[1]
    for place in (3, 5):
        after, instead = seen[place + 1], seen[place]
        visits = int(result.visits[place])
        assert len(after) == len(instead) == visits
        spread = hypot(np.std(after), np.std(instead))
        assert result.error[place] == pytest.approx(hypot(0.7, 1.25 * spread / sqrt(visits)))
    assert result.win[[3, 5]] == pytest.approx([0.2, 0.4])
    assert 60 <= result.best[5] < 66
    # Leads until the answer make a move suspect too, at half their weight.
    assert [lost(None, first, 1.9).visits[1] for first in (4.0, 3.9)] == [8, 0]
    # What the search finds decided has no loss.
    monkeypatch.setitem(SEARCHED, 5, (5.0, -4.0, 0.0, 0.96, 0.97))
    result = lost()
    assert result.decided.tolist() == [False] * 5 + [True]
    assert np.isnan([result.points[5], result.win[5], result.error[5]]).all()


def test_more_than_noise() -> None:
    some = np.array([2.9, 3.0, 3.0, np.nan], np.float32)
    error = np.array([0.1, 1.5, 1.6, np.nan], np.float32)
    zero = np.zeros(4, np.int16)
    result = Losses(some, error, some, zero, np.isnan(some), zero.astype(np.int32))
    assert result.above_noise(3.0).tolist() == [False, True, False, False]


def test_the_next_position_of_a_tree(game: GoGame) -> None:
    """By winrate and points, and by a bonus for what the policy likes and was seldom seen."""
    tree = Tree(game, CONDITIONS, 7)  # White's move
    policy = np.zeros(82, np.float32)
    policy[[10, 20, 30]] = 0.6, 0.3, 0.1
    policy[40] = np.nan
    tree.expand([tree.root], 0.5, 2.0, policy)
    first, second, _ = tree.root.children
    assert [(each.move, each.colour) for each in tree.root.children] == [(10, 1), (20, 1), (30, 1)]
    assert [each.prior for each in tree.root.children] == pytest.approx([0.6, 0.3, 0.1])
    assert tree.descend() == [tree.root, first]
    tree.expand([tree.root, first], 0.2, -17.0, policy)
    # Of first: 2 * 0.2 - 1 + 0.3 * (2 / pi) * atan(-1) + 1.1 * 0.6 / 2 = -0.42; of second, from
    # the mean of both: -0.3 + 0.3 * (2 / pi) * atan(-0.5) - 0.2 * sqrt(0.6) + 1.1 * 0.3 = -0.21.
    assert tree.descend() == [tree.root, second]
    tree.expand([tree.root, second], 0.1, -17.0, policy)
    # Now sqrt(2) times the bonus: first -0.28, second -0.72, third -0.61.
    assert tree.descend()[1] is first
    assert (tree.root.visits, tree.leads) == (3, [2.0, -17.0, -17.0])
    assert tree.best() is first
    done = Tree(game, CONDITIONS, 7)
    for _ in range(4):
        path = done.descend()
        done.expand(path, 0.5, 0.0, np.eye(82, dtype=np.float32)[81])
    assert [node.move for node in path] == [-1, -1, -1], "after two passes the game is over"


@pytest.fixture(scope="module")
def game() -> GoGame:
    return random_game(5, moves=30)
