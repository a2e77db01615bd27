from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import yardstone.go
from tests.go.games import random_game, small_network
from yardstone.errors import InputError, UsageError
from yardstone.go.analysis import (
    PHASES,
    GameAnalysis,
    Phases,
    analyse,
    analyse_games,
    game_totals,
    player_totals,
)
from yardstone.go.inputs import encode_game
from yardstone.go.losses import Losses
from yardstone.go.nets.network import Network, load_network
from yardstone.go.rules import TROMP_TAYLOR, Conditions, conditions_of, parse_rules
from yardstone.parallel import context
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Network:
    return load_network(small_network(tmp_path_factory.mktemp("net")), threads=1)


def by_hand() -> GameAnalysis:
    """Three moves and a pass at the end, with figures made up."""
    game = random_game(1, moves=3, passes=1)
    return GameAnalysis(
        game=game,
        conditions=Conditions(TROMP_TAYLOR, 6.5),
        number=np.array([1, 2, 3, 4], np.int32),
        colour=np.array([1, 2, 1, 2], np.int8),
        point=game.moves,
        white_winrate=np.array([0.5, 0.7, 0.6, 0.6, 0.1], np.float32),
        white_lead=np.array([0.0, 4.0, 1.0, 0.5, -30.0], np.float32),
        policy=np.array([0.1, 0.4, np.nan, 0.5], np.float32),
        rank=np.array([3, 1, 0, 1], np.int32),
        best=np.array([1, 2, 3, -1], np.int16),
        best_policy=np.array([0.5, 0.4, 0.3, 0.5], np.float32),
        phase=np.array([0, 0, 1, 2], np.int8),
        counted=np.array([True, True, True, False]),
        losses=Losses(
            points=np.array([4.0, 3.0, np.nan, np.nan], np.float32),
            error=np.array([1.0, 1.6, np.nan, np.nan], np.float32),
            win=np.array([0.2, 0.1, np.nan, np.nan], np.float32),
            best=np.array([1, 2, 3, -1], np.int16),
            decided=np.array([False, False, True, False]),
            visits=np.array([16, 16, 0, 0], np.int32),
        ),
    )


def test_a_mistake_costs_more_than_noise_explains() -> None:
    result = by_hand()
    assert result.mistakes(2.0).tolist() == [0]  # 3.0 is less than twice its error of 1.6
    assert result.mistakes(4.5).tolist() == []
    sure = replace(result.losses, error=np.array([1.0, 1.5, np.nan, np.nan], np.float32))
    assert replace(result, losses=sure).mistakes(2.0).tolist() == [0, 1]


def test_totals_by_player_and_phase() -> None:
    result = by_hand()
    totals = {(total.player, total.phase): total for total in game_totals(result)}
    assert set(totals) == {
        ("Player 1", "game"),
        ("Player 1", "opening"),
        ("Player 1", "middle game"),
        ("Player 4", "game"),
        ("Player 4", "opening"),
    }
    black = totals["Player 1", "game"]
    assert (black.moves, black.games, black.mistakes, black.colour) == (2, 1, 1, 1)
    assert black.judged == 1  # the other was played when the game was decided
    assert black.point_loss == pytest.approx(4.0)
    assert black.win_loss == pytest.approx(0.2)
    assert black.policy == pytest.approx(0.05)  # a move that is forbidden has none
    assert black.first_choice == 0.0
    white = totals["Player 4", "game"]
    assert white.moves == 1  # its pass ended the game
    assert white.point_loss == pytest.approx(3.0)
    assert white.first_choice == 1.0


def test_totals_over_games() -> None:
    result = by_hand()
    other = replace(result, game=replace(result.game, black="Player 4", white=""))
    totals = {(t.player, t.phase): t for t in player_totals([result, other])}
    assert totals["Player 4", "game"].moves == 3
    assert totals["Player 4", "game"].games == 2
    assert totals["Player 4", "game"].colour == 0
    assert totals["Player 4", "game"].point_loss == pytest.approx((3.0 + 4.0) / 2)
    assert totals["White", "game"].moves == 1
    assert next(iter(totals)) == ("Player 4", "game")  # most moves first


def test_every_move_is_what_the_network_says(network: Network) -> None:
    game = random_game(5, moves=25, passes=2)
    result = analyse(game, network, rules=TROMP_TAYLOR, komi=7.0)
    encoded = encode_game(9, moves=game.moves, komi=7.0, rules=TROMP_TAYLOR)
    whole = network.evaluate(encoded.spatial.astype(np.float32), encoded.globals)
    sign = np.where(encoded.to_play == 2, 1.0, -1.0)
    np.testing.assert_allclose(result.white_lead, sign * whole.lead, atol=1e-3)
    assert len(result) == 27
    for k in range(27):
        logits = np.where(encoded.legal[k] > 0, whole.policy_logits[k], -np.inf)
        chances = np.exp(logits - logits.max())
        chances /= chances.sum()
        place = int(game.moves[k])
        assert result.policy[k] == pytest.approx(chances[place], rel=1e-3)
        assert result.rank[k] == 1 + (chances > chances[place]).sum()
        best = int(chances.argmax())
        assert result.best[k] == (-1 if best == 81 else best)
        assert result.best_policy[k] == pytest.approx(chances[best], rel=1e-3)
    assert result.counted.tolist() == [True] * 25 + [False] * 2
    assert result.conditions == Conditions(TROMP_TAYLOR, 7.0)
    assert result.remark == ""


def test_an_illegal_move_ends_the_analysis(network: Network) -> None:
    game = random_game(5, moves=6)
    moves = game.moves.copy()
    moves[4] = moves[0]
    result = analyse(replace(game, moves=moves), network)
    assert len(result) == 4
    assert result.remark == "move 5 is illegal (Black A9): analysed up to there"
    assert len(result.white_lead) == 5


def test_games_that_cannot_be_shown_are_reported(network: Network) -> None:
    good = random_game(1, moves=4)
    large = replace(good, size=21, file="large.sgf", line=3)
    outside = replace(good, setup_white=np.array([99], np.int16))
    skipped = SkipReport()
    result = list(analyse_games([large, good, outside, good], network, skipped=skipped))
    assert [each.game for each in result] == [good, good]
    assert len(skipped) == 2
    assert str(skipped.details[0]) == "large.sgf:3: boards of size 21 are not supported"
    with pytest.raises(InputError, match=r"large\.sgf:3: boards of size 21"):
        analyse(large, network)


def test_an_empty_game(network: Network) -> None:
    result = analyse(random_game(1, moves=0), network)
    assert len(result) == 0
    assert len(result.white_lead) == 1
    assert game_totals(result) == []


def test_progress_counts_positions(network: Network) -> None:
    games = [random_game(k, moves=30) for k in range(5)]
    calls: list[tuple[str, int, int]] = []
    with context(progress=lambda *each: calls.append(each)):
        assert len(list(analyse_games(games, network))) == 5
    assert calls == sorted(calls)
    assert calls[-1] == ("analysing", 5 * 31, 5 * 31)


@pytest.mark.parametrize(("size", "ends"), [(19, (50, 150)), (13, (23, 70)), (9, (11, 34))])
def test_phases_go_by_the_points_of_the_board(size: int, ends: tuple[int, int]) -> None:
    phases = Phases()
    assert phases.ends(size) == ends
    moves = np.array([1, ends[0], ends[0] + 1, ends[1], ends[1] + 1], np.int32)
    assert [PHASES[k] for k in phases.of(moves, size)] == [
        "opening",
        "opening",
        "middle game",
        "middle game",
        "endgame",
    ]


@pytest.mark.parametrize(("opening", "middle"), [(-1, 10), (20, 10)])
def test_phases_follow_each_other(opening: int, middle: int) -> None:
    with pytest.raises(UsageError, match="smaller"):
        Phases(opening, middle)


@pytest.mark.parametrize(
    ("record", "rules", "komi"),
    [
        ({"rules": "Japanese", "komi": 0.5}, "japanese", 0.5),
        ({"rules": "AGA", "komi": None}, "aga", 7.5),
        ({"rules": "", "komi": 6.5}, "japanese", 6.5),
        ({"rules": "house rules", "komi": 7.5}, "chinese", 7.5),
        ({"rules": "", "komi": None}, "chinese", 7.5),
        ({"rules": "Japanese", "komi": None}, "japanese", 6.5),
        ({"rules": "Japanese", "komi": None, "handicap": 3}, "japanese", 0.5),
    ],
)
def test_rules_and_komi_of_a_record(record: dict[str, object], rules: str, komi: float) -> None:
    result = conditions_of(replace(GoGame(), **record))  # type: ignore[arg-type]
    assert result == Conditions(parse_rules(rules), komi)
    forced = conditions_of(replace(GoGame(), **record), rules=TROMP_TAYLOR, komi=5.0)  # type: ignore[arg-type]
    assert forced == Conditions(TROMP_TAYLOR, 5.0)


def test_the_public_names_are_there() -> None:
    for name in yardstone.go.__all__:
        assert getattr(yardstone.go, name).__name__.split(".")[-1] == name
    with pytest.raises(AttributeError, match="no attribute 'tree'"):
        _ = yardstone.go.tree
