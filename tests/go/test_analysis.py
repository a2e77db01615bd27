from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.go.games import random_game
from yardstone.errors import InputError, NoGamesError, StrictError, UsageError
from yardstone.go import analyse_files, judge_files
from yardstone.go.analysis import (
    PHASES,
    Agreement,
    GameAnalysis,
    Phases,
    analyse,
    analyse_games,
    game_totals,
    judge_games,
    player_totals,
)
from yardstone.go.inputs import encode_game
from yardstone.go.losses import LossEffort, Losses
from yardstone.go.nets.network import Network, NetworkOutput
from yardstone.go.rules import TROMP_TAYLOR, Conditions, conditions_of, parse_rules
from yardstone.parallel import context
from yardstone.pool import SkipReport
from yardstone.records.go_game import DRAWN, GoGame


def by_hand() -> GameAnalysis:
    """Three moves and a pass at the end, with figures made up."""
    game = random_game(1, moves=3, passes=1)
    best = np.array([1, 2, 3, -1], np.int16)

    def floats(*values: float) -> NDArray[np.float32]:
        return np.array(values, np.float32)

    return GameAnalysis(
        game=game,
        conditions=Conditions(TROMP_TAYLOR, 6.5),
        number=np.array([1, 2, 3, 4], np.int32),
        colour=np.array([1, 2, 1, 2], np.int8),
        point=game.moves,
        white_winrate=floats(0.5, 0.7, 0.6, 0.6, 0.1),
        white_lead=floats(0.0, 4.0, 1.0, 0.5, -30.0),
        policy=floats(0.1, 0.4, np.nan, 0.5),
        rank=np.array([3, 1, 0, 1], np.int32),
        best=best,
        best_policy=floats(0.5, 0.4, 0.3, 0.5),
        phase=np.array([0, 0, 1, 2], np.int8),
        counted=np.array([True, True, True, False]),
        losses=Losses(
            points=floats(4.0, 3.0, np.nan, np.nan),
            error=floats(1.0, 1.6, np.nan, np.nan),
            win=floats(0.2, 0.1, np.nan, np.nan),
            best=best,
            decided=np.array([False, False, True, False]),
            visits=np.array([16, 16, 0, 0], np.int32),
        ),
    )


def test_totals_by_player_and_phase() -> None:
    result = by_hand()
    assert result.mistakes(2.0).tolist() == [0]  # 3.0 is less than twice its error of 1.6
    assert result.mistakes(4.5).tolist() == []
    sure = replace(result.losses, error=np.array([1.0, 1.5, np.nan, np.nan], np.float32))
    assert replace(result, losses=sure).mistakes(2.0).tolist() == [0, 1]
    totals = {(total.player, total.phase): total for total in game_totals(result)}
    assert list(totals) == [
        *(("Player 1", phase) for phase in ("game", "opening", "middle game")),
        *(("Player 4", phase) for phase in ("game", "opening")),
    ]
    black = totals["Player 1", "game"]
    assert (black.moves, black.games, black.mistakes, black.colour) == (2, 1, 1, 1)
    assert black.judged == 1  # the other was played when the game was decided
    # A move that is forbidden has no policy.
    figures = (black.point_loss, black.win_loss, black.policy, black.first_choice)
    assert figures == pytest.approx((4.0, 0.2, 0.05, 0.0))
    white = totals["Player 4", "game"]  # its pass ended the game
    assert (white.moves, white.point_loss, white.first_choice) == pytest.approx((1, 3.0, 1.0))
    # Over games with both colours; most moves first.
    other = replace(result, game=replace(result.game, black="Player 4", white=""))
    totals = {(t.player, t.phase): t for t in player_totals([result, other])}
    both = totals["Player 4", "game"]
    assert (both.moves, both.games, both.colour) == (3, 2, 0)
    assert both.point_loss == pytest.approx((3.0 + 4.0) / 2)
    assert totals["White", "game"].moves == 1
    assert next(iter(totals)) == ("Player 4", "game")


def test_phases_rules_and_komi() -> None:
    phases = Phases()
    names = ["opening", "opening", "middle game", "middle game", "endgame"]
    for size, ends in ((19, (50, 150)), (13, (23, 70)), (9, (11, 34))):
        assert phases.ends(size) == ends
        moves = np.array([1, ends[0], ends[0] + 1, ends[1], ends[1] + 1], np.int32)
        assert [PHASES[k] for k in phases.of(moves, size)] == names
    assert Phases(0, 0).ends(19) == (0, 0)
    for opening, middle in ((-1, 10), (11, 10)):
        with pytest.raises(UsageError, match="smaller"):
            Phases(opening, middle)
    for record, rules, komi in (
        (GoGame(rules="Japanese", komi=0.5), "japanese", 0.5),
        (GoGame(rules="AGA"), "aga", 7.5),
        (GoGame(rules="koSIMPLEkomi3", komi=None), "koSIMPLE", 3.0),
        (GoGame(komi=5.5), "japanese", 5.5),
        (GoGame(komi=6.5), "japanese", 6.5),
        (GoGame(rules="house rules", komi=7.5), "chinese", 7.5),
        (GoGame(), "chinese", 7.5),
        (GoGame(rules="Japanese"), "japanese", 6.5),
        (GoGame(rules="Japanese", handicap=1), "japanese", 6.5),
        (GoGame(rules="Japanese", handicap=2), "japanese", 0.5),
    ):
        assert conditions_of(record) == Conditions(parse_rules(rules), komi)
        forced = conditions_of(record, rules=TROMP_TAYLOR, komi=5.0)
        assert forced == Conditions(TROMP_TAYLOR, 5.0)


def test_every_move_is_what_the_network_says(network: Network) -> None:
    game = random_game(5, moves=15, passes=2)
    result = analyse(game, network, rules=TROMP_TAYLOR, komi=7.0, effort=LossEffort(visits=0))
    encoded = encode_game(9, moves=game.moves, komi=7.0, rules=TROMP_TAYLOR)
    whole = network.evaluate(encoded.spatial.astype(np.float32), encoded.globals)
    sign = np.where(encoded.to_play == 2, 1.0, -1.0)
    np.testing.assert_allclose(result.white_lead, sign * whole.lead, atol=1e-3)
    assert len(result) == 17
    for k in range(17):
        logits = np.where(encoded.legal[k] > 0, whole.policy_logits[k], -np.inf)
        chances = np.exp(logits - logits.max())
        chances /= chances.sum()
        place, best = int(game.moves[k]), int(chances.argmax())
        shares = (result.policy[k], result.best_policy[k])
        assert shares == pytest.approx(chances[[place, best]], rel=1e-3)
        assert result.rank[k] == 1 + (chances > chances[place]).sum()
        assert result.best[k] == (-1 if best == 81 else best)
    assert result.counted.tolist() == [True] * 15 + [False] * 2
    assert (result.conditions, result.remark) == (Conditions(TROMP_TAYLOR, 7.0), "")


def test_a_network_that_would_pass(network: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    """It likes a pass best and then one point; it sees nobody ahead."""
    logits = np.zeros(82, np.float32)
    logits[[7, 81]] = 3.0, 5.0

    def evaluate(spatial: NDArray[np.float32], *_: object, **__: object) -> NetworkOutput:
        nothing = np.zeros((len(spatial), 3), np.float32)
        policy = np.tile(logits, (len(spatial), 1))
        return NetworkOutput(policy, nothing, nothing[:, 0], nothing[:, 0])

    monkeypatch.setattr(network, "evaluate", evaluate)
    game = random_game(1, moves=3, passes=1)
    result = analyse(game, network, rules=TROMP_TAYLOR)
    assert result.best.tolist() == [-1] * 4
    assert result.rank.tolist() == [3, 3, 3, 1]
    total = np.exp(3.0) + np.exp(5.0) + 80 - np.arange(4)
    assert result.best_policy == pytest.approx(np.exp(5.0) / total)
    assert result.policy == pytest.approx([*(1 / total[:3]), np.exp(5.0) / total[3]])
    (judgement,) = judge_games([game], network, sure=0.5, rules=TROMP_TAYLOR)
    assert (judgement.white_winrate, judgement.winner, judgement.agrees) == (0.5, 0, None)


def test_games_that_cannot_be_shown_whole(network: Network) -> None:
    game = random_game(5, moves=6)
    moves = game.moves.copy()
    moves[4] = moves[0]
    result = analyse(replace(game, moves=moves), network)
    assert (len(result), len(result.white_lead)) == (4, 5)
    assert result.remark == "move 5 is illegal (Black A9): analysed up to there"
    empty = analyse(random_game(1, moves=0), network)
    assert (len(empty), len(empty.white_lead), game_totals(empty)) == (0, 1, [])
    good = random_game(1, moves=4)
    large = replace(good, size=21, file="large.sgf", line=3)
    outside = replace(good, setup_white=np.array([99], np.int16))
    skipped = SkipReport()
    analysed = list(analyse_games([large, good, outside, good], network, skipped=skipped))
    assert [each.game for each in analysed] == [good, good]
    assert len(skipped) == 2
    assert str(skipped.details[0]) == "large.sgf:3: boards of size 21 are not supported"
    with pytest.raises(InputError, match=r"large\.sgf:3: boards of size 21"):
        analyse(large, network)


def test_the_position_before_the_last_passes_is_judged(network: Network) -> None:
    games = [random_game(k, moves=12, passes=k % 3) for k in range(6)]
    for sure in (0.5, 0.6, 0.9):
        for result in judge_games(games, network, sure=sure):
            assert result.moves == 12
            whole = analyse(result.game, network, effort=LossEffort(visits=0))
            share = result.white_winrate
            assert share == pytest.approx(float(whole.white_winrate[12]), abs=1e-4)
            assert result.white_lead == pytest.approx(float(whole.white_lead[12]), abs=1e-2)
            assert result.winner == (2 if share >= sure else 1 if 1 - share >= sure else 0)
    for sure in (0.49, 1.01, 60.0):
        with pytest.raises(UsageError, match=r"0\.5 to 1"):
            next(judge_games([], network, sure=sure))
    agreement = Agreement()
    for recorded, winner in ((1, 1), (1, 1), (2, 1), (0, 1), (DRAWN, 1), (1, 0)):
        agreement.add(replace(result, game=replace(result.game, winner=recorded), winner=winner))
    assert agreement == Agreement(games=6, agreeing=2, contrary=1, undecided=1, unrecorded=2)


GAME = "(;GM[1]SZ[9]KM[6.5]PB[Ann]PW[Bob]RE[B+5.5];B[ee];W[gc];B[cc];W[gg];B[cg];W[];B[])"
ILLEGAL = "(;GM[1]SZ[9]PB[Dan]PW[Eve];B[ee];W[ee])"


def test_games_in_files(network: Network, tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    path.write_text(GAME + "\n" + ILLEGAL)
    games = [str(path)]
    calls: list[tuple[str, int, int]] = []
    with context(progress=lambda *call: calls.append(call)):
        result = analyse_files(games, network, phases=Phases(2, 4), mistake=1.0)
    assert [len(game) for game in result.games] == [7, 1]
    analysing = [call for call in calls if call[0] == "analysing"]
    assert analysing == sorted(analysing)
    # None after illegal moves.
    assert analysing[-2:] == [("analysing", 10, 11), ("analysing", 11, 11)]
    assert (result.phases, result.mistake, result.network) == (Phases(2, 4), 1.0, network.name)
    players = [total.player for total in result.players() if total.phase == "game"]
    assert players == ["Ann", "Bob", "Dan"]
    second = analyse_files(games, network, numbers=[2])
    assert [game.game.black for game in second.games] == ["Dan"]
    with pytest.raises(InputError, match="there is no game 3"):
        analyse_files(games, network, numbers=[3])
    with pytest.raises(UsageError, match="more than 0"):
        analyse_files(games, network, mistake=0.0)
    # Games that are judged are held without their moves.
    judged = judge_files(games, network, sure=0.5)
    (judgement,) = judged.games
    assert (judgement.moves, len(judgement.game.moves), judgement.game.black) == (5, 0, "Ann")
    assert judged.agreement.games == 1
    (skipped,) = judged.skipped.details
    assert str(skipped) == f"{path}:2: move 2 is illegal (White E5)"
    with pytest.raises(StrictError, match="illegal"):
        judge_files(games, network, strict=True)
    path.write_text(ILLEGAL)
    with pytest.raises(NoGamesError, match="no game can be used"):
        judge_files(games, network)
