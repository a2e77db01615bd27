from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.go.games import random_game, small_network
from yardstone.errors import UsageError
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
from yardstone.go.nets.network import Network, load_network
from yardstone.go.points import WHITE, symmetry_points
from yardstone.go.rules import TROMP_TAYLOR, Conditions

GAME = random_game(5, moves=30)
CONDITIONS = Conditions(TROMP_TAYLOR, 7.0)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Network:
    return load_network(small_network(tmp_path_factory.mktemp("net")), threads=1)


@pytest.fixture(scope="module")
def looked(network: Network) -> FirstLook:
    result = analyse(GAME, network, rules=TROMP_TAYLOR, komi=7.0, effort=LossEffort(visits=0))
    # The small network is sure of everything: chances nearer to even, leads as they are.
    even = (0.5 + 0.1 * (result.white_winrate - 0.5)).astype(np.float32)
    wanted = result.counted & (result.colour == WHITE)
    return FirstLook(GAME, CONDITIONS, even, result.white_lead, result.best, wanted)


def test_a_turned_position_is_the_turned_board(network: Network) -> None:
    encoded = encode_game(9, moves=GAME.moves, komi=7.0, positions=[12])
    for symmetry in range(8):
        table = symmetry_points(9)[symmetry]
        other = encode_game(9, moves=table[GAME.moves[:12]], komi=7.0, positions=[12])
        there = network.evaluate(other.spatial.astype(np.float32), other.globals)
        spatial = encoded.spatial.astype(np.float32)
        (result,) = evaluate_turned(network, spatial, encoded.globals, np.array([symmetry]))
        np.testing.assert_allclose(result.score[0], there.lead[0], atol=1e-3)
        np.testing.assert_allclose(result.policy[:-1], there.policy_logits[0][table], atol=1e-3)
        assert result.policy[-1] == pytest.approx(there.policy_logits[0, -1], abs=1e-3)


def test_a_tree_is_the_mean_of_what_was_seen(network: Network) -> None:
    trees = [Tree(GAME, CONDITIONS, 7), Tree(GAME, CONDITIONS, 7, int(GAME.moves[7]))]
    assert grow(trees, network, 1) == 2
    ((win, lead, _),) = evaluate_lines([Line(GAME, CONDITIONS, 7)], network)
    assert trees[0].root.mean_lead == pytest.approx(lead, abs=1e-4)
    assert trees[0].root.mean_win == pytest.approx(win, abs=1e-5)
    assert trees[0].best() is None
    assert grow(trees, network, 20) == 38
    for tree in trees:
        assert tree.root.visits == len(tree.leads) == 20
        assert tree.root.mean_lead == pytest.approx(np.mean(tree.leads), abs=1e-4)
        assert sum(child.visits for child in tree.root.children) == 19
        best = tree.best()
        assert best is not None
        assert best.visits == max(child.visits for child in tree.root.children)
        assert best.colour != tree.root.colour
    assert int(GAME.moves[7]) not in [child.move for child in trees[1].root.children]
    assert grow(trees, network, 20) == 0
    again = Tree(GAME, CONDITIONS, 7)
    grow([again], network, 20)
    assert again.leads == pytest.approx(trees[0].leads, abs=1e-3)


def test_a_line_is_a_game_that_went_on(network: Network) -> None:
    followed = tuple(int(point) for point in GAME.moves[10:13])
    some = [Line(GAME, CONDITIONS, 10, followed), Line(GAME, CONDITIONS, 13)]
    first, second = evaluate_lines(some, network)
    assert first[:2] == pytest.approx(second[:2], abs=1e-4)


def test_a_loss_is_what_the_best_move_would_have_left(network: Network, looked: FirstLook) -> None:
    (result,) = move_losses([looked], network, LossEffort(visits=0))
    assert np.isnan(result.points[~looked.wanted]).all()
    for place in np.flatnonzero(looked.wanted):
        best = int(looked.best[place])
        ((_, lead, _),) = evaluate_lines([Line(GAME, CONDITIONS, int(place), (best,))], network)
        lost = max(lead - float(looked.white_lead[place + 1]), 0.0)  # White's moves
        assert result.points[place] == pytest.approx(lost, abs=0.01)
        assert result.best[place] == best
    assert (result.visits == 0).all()


def test_a_search_spends_no_more_than_it_may(network: Network, looked: FirstLook) -> None:
    # As if White were worse off after each move than after the best one: all are suspect.
    looked = replace(looked, white_lead=looked.white_lead - np.float32(5.0))
    positions = len(looked.white_lead)
    compared = int(looked.wanted.sum())  # of random moves next to none is the first choice
    (free,) = move_losses([looked], network, LossEffort(visits=12))
    searched = np.flatnonzero(free.visits)
    assert len(searched)
    assert set(free.visits[searched].tolist()) <= {8, 12}
    assert (looked.wanted[searched]).all()
    known = ~np.isnan(free.points)
    assert (free.points[known] >= 0.0).all()
    assert (free.error[known] > 0.0).all()
    share = (compared + 40) / positions
    (bound,) = move_losses([looked], network, LossEffort(visits=12, share=share))
    grown = bound.visits[bound.visits > 0] - 1  # the roots are of the game itself
    assert 0 < 2 * int(grown.sum()) <= 40
    (none,) = move_losses([looked], network, LossEffort(share=0.0))
    assert not none.visits.any()


def test_what_is_spent_on_a_game_depends_on_it_alone(network: Network, looked: FirstLook) -> None:
    looked, worse = (
        replace(looked, white_lead=looked.white_lead - np.float32(less)) for less in (5.0, 9.0)
    )
    effort = LossEffort(visits=12, share=(int(looked.wanted.sum()) + 40) / len(looked.white_lead))
    (alone,) = move_losses([looked], network, effort)
    beside = move_losses([worse, looked, worse], network, effort)[1]
    assert alone.visits.any()
    assert beside.visits.tolist() == alone.visits.tolist()
    assert beside.points == pytest.approx(alone.points, abs=1e-3, nan_ok=True)


def test_nothing_is_lost_where_the_game_is_decided(network: Network, looked: FirstLook) -> None:
    sure = looked.white_winrate.copy()
    sure[10:21] = 0.97
    sure[24:] = 0.02
    (result,) = move_losses([replace(looked, white_winrate=sure)], network, LossEffort(visits=0))
    decided = np.zeros(30, bool)
    decided[10:20] = decided[24:] = True
    assert result.decided.tolist() == decided.tolist()
    assert np.isnan(result.points[decided]).all()
    # Whoever falls from 97 % to 50 % has thrown a game away that was not decided.
    assert not np.isnan(result.points[looked.wanted & ~decided]).any()


def test_more_than_noise() -> None:
    some = np.array([2.9, 3.0, 3.0, np.nan], np.float32)
    error = np.array([0.1, 1.5, 1.6, np.nan], np.float32)
    zero = np.zeros(4, np.int16)
    result = Losses(some, error, some, zero, np.isnan(some), zero.astype(np.int32))
    assert result.above_noise(3.0).tolist() == [False, True, False, False]


def test_no_effort_below_none() -> None:
    with pytest.raises(UsageError, match="-1 visits"):
        LossEffort(visits=-1)
    with pytest.raises(UsageError, match=r"share of -0\.5"):
        LossEffort(share=-0.5)
