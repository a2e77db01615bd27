"""Positions and games as a network sees them, and what moves lost."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from math import hypot, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.go.games import random_game
from yardstone.errors import InputError, NoGamesError, StrictError, UsageError
from yardstone.go import analyse_files, analysis, judge_files, losses
from yardstone.go.analysis import PHASES, Agreement, GameAnalysis, Phases, analyse
from yardstone.go.evaluator import evaluate_turned
from yardstone.go.inputs import encode_game
from yardstone.go.losses import FirstLook, Line, LossEffort, Losses, Tree, move_losses
from yardstone.go.nets.network import Network, NetworkOutput
from yardstone.go.points import WHITE, symmetry_points
from yardstone.go.positions import evaluate_lines, parse_position, read_lines
from yardstone.go.rules import TROMP_TAYLOR, Conditions, conditions_of, parse_rules
from yardstone.parallel import context
from yardstone.pool import SkipReport
from yardstone.records.go_game import DRAWN, GoGame
from yardstone.records.sources import ByteStream, StreamLimits


def floats(*values: float) -> NDArray[np.float32]:
    return np.array(values, np.float32)


def by_hand() -> GameAnalysis:
    """Three moves and a pass at the end, with figures made up."""
    nan = np.nan
    game, best = random_game(1, moves=3, passes=1), np.array([1, 2, 3, -1], np.int16)
    losses = Losses(
        floats(4.0, 3.0, nan, nan), floats(1.0, 1.6, nan, nan), floats(0.2, 0.1, nan, nan), best,
        np.array([False, False, True, False]), np.array([16, 16, 0, 0], np.int32),
    )  # fmt: skip
    return GameAnalysis(
        game=game, conditions=Conditions(TROMP_TAYLOR, 6.5), number=np.arange(1, 5, dtype=np.int32),
        colour=np.array([1, 2, 1, 2], np.int8), point=game.moves,
        white_winrate=floats(0.5, 0.7, 0.6, 0.6, 0.1), white_lead=floats(0.0, 4.0, 1.0, 0.5, -30.0),
        policy=floats(0.1, 0.4, nan, 0.5), rank=np.array([3, 1, 0, 1], np.int32), best=best,
        best_policy=floats(0.5, 0.4, 0.3, 0.5), phase=np.array([0, 0, 1, 2], np.int8),
        counted=np.array([True, True, True, False]), losses=losses,
    )  # fmt: skip


def test_totals_by_player_and_phase() -> None:
    result = by_hand()
    assert result.mistakes(2.0).tolist() == [0]  # 3.0 is less than twice its error of 1.6
    assert result.mistakes(4.5).tolist() == []
    sure = replace(result.losses, error=floats(1.0, 1.5, np.nan, np.nan))
    assert replace(result, losses=sure).mistakes(2.0).tolist() == [0, 1]
    totals = {(total.player, total.phase): total for total in analysis.game_totals(result)}
    phases = ("game", "opening", "middle game")
    assert list(totals) == [(f"Player {k}", phase) for k in (1, 4) for phase in phases][:-1]
    black = totals["Player 1", "game"]  # one move was played when the game was decided
    counts = (black.moves, black.judged, black.games, black.mistakes, black.colour)
    assert counts == (2, 1, 1, 1, 1)
    # A move that is forbidden has no policy.
    figures = (black.point_loss, black.win_loss, black.policy, black.first_choice)
    assert figures == pytest.approx((4.0, 0.2, 0.05, 0.0))
    white = totals["Player 4", "game"]  # its pass ended the game
    assert (white.moves, white.point_loss, white.first_choice) == pytest.approx((1, 3.0, 1.0))
    # Over games with both colours; most moves first.
    other = replace(result, game=replace(result.game, black="Player 4", white=""))
    totals = {(t.player, t.phase): t for t in analysis.player_totals([result, other])}
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
    for ends in ((-1, 10), (11, 10)):
        with pytest.raises(UsageError, match="smaller"):
            Phases(*ends)
    for record, rules, komi in (
        (GoGame(rules="AGA"), "aga", 7.5), (GoGame(), "chinese", 7.5),
        (GoGame(rules="koSIMPLEkomi3", komi=None), "koSIMPLE", 3.0),
        *((GoGame(komi=komi), "japanese", komi) for komi in (5.5, 6.5)),
        (GoGame(rules="house rules", komi=7.5), "chinese", 7.5),
        (GoGame(rules="Japanese", komi=7.5, handicap=2), "japanese", 7.5),
        *((GoGame(rules="Japanese", handicap=n), "japanese", 6.5) for n in (0, 1)),
        (GoGame(rules="Japanese", handicap=2), "japanese", 0.5),
    ):  # fmt: skip
        assert conditions_of(record) == Conditions(parse_rules(rules), komi)
        forced = conditions_of(record, rules=TROMP_TAYLOR, komi=5.0)
        assert forced == Conditions(TROMP_TAYLOR, 5.0)


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
    (judgement,) = analysis.judge_games([game], network, sure=0.5, rules=TROMP_TAYLOR)
    assert (judgement.white_winrate, judgement.winner, judgement.agrees) == (0.5, 0, None)


def test_games_that_cannot_be_shown_whole(network: Network) -> None:
    game = random_game(5, moves=6)
    moves = game.moves.copy()
    moves[4] = moves[0]
    result = analyse(replace(game, moves=moves), network)
    assert (len(result), len(result.white_lead)) == (4, 5)
    assert result.remark == "move 5 is illegal (Black A9): analysed up to there"
    empty = analyse(random_game(1, moves=0), network)
    assert (len(empty), len(empty.white_lead), analysis.game_totals(empty)) == (0, 1, [])
    good = random_game(1, moves=4)
    large = replace(good, size=21, file="large.sgf", line=3)
    outside = replace(good, setup_white=np.array([99], np.int16))
    skipped = SkipReport()
    analysed = list(analysis.analyse_games([large, good, outside], network, skipped=skipped))
    assert ([each.game for each in analysed], len(skipped)) == ([good], 2)
    assert str(skipped.details[0]) == "large.sgf:3: boards of size 21 are not supported"
    with pytest.raises(InputError, match=r"large\.sgf:3: boards of size 21"):
        analyse(large, network)


def test_the_position_before_the_last_passes_is_judged(network: Network) -> None:
    games = [random_game(k, moves=8, passes=k) for k in range(3)]
    for sure in (0.5, 0.6, 0.9):
        for result in analysis.judge_games(games, network, sure=sure):
            assert result.moves == 8
            whole = analyse(result.game, network, effort=LossEffort(visits=0))
            share = result.white_winrate
            assert share == pytest.approx(float(whole.white_winrate[8]), abs=1e-4)
            assert result.white_lead == pytest.approx(float(whole.white_lead[8]), abs=1e-2)
            assert result.winner == (2 if share >= sure else 1 if 1 - share >= sure else 0)
    for sure in (0.49, 1.01, 60.0):
        with pytest.raises(UsageError, match=r"0\.5 to 1"):
            next(analysis.judge_games([], network, sure=sure))
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
    assert (result.phases, result.mistake, result.network) == (Phases(2, 4), 1.0, network.name)
    analysing = [call for call in calls if call[0] == "analysing"]
    assert analysing == sorted(analysing)
    # None after illegal moves.
    assert analysing[-2:] == [("analysing", 10, 11), ("analysing", 11, 11)]
    for options, error, message in (
        ({"numbers": [3]}, InputError, "there is no game 3"),
        ({"mistake": 0.0}, UsageError, "more than 0"),
    ):
        with pytest.raises(error, match=message):
            analyse_files(games, network, **options)
    # Games that are judged are held without their moves.
    judged = judge_files(games, network, sure=0.5)
    (judgement,) = judged.games
    assert (judgement.moves, len(judgement.game.moves), judgement.game.black) == (5, 0, "Ann")
    (skipped,) = judged.skipped.details
    assert str(skipped) == f"{path}:2: move 2 is illegal (White E5)"
    assert judged.agreement.games == 1
    with pytest.raises(StrictError, match="illegal"):
        judge_files(games, network, strict=True)
    path.write_text(ILLEGAL)
    with pytest.raises(NoGamesError, match="no game can be used"):
        judge_files(games, network)


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
    for symmetry in (1, 2, 4, 5):
        table = symmetry_points(9)[symmetry]
        other = encode_game(9, moves=table[game.moves[:12]], komi=7.0, positions=[12])
        there = network.evaluate(other.spatial.astype(np.float32), other.globals)
        spatial = encoded.spatial.astype(np.float32)
        (result,) = evaluate_turned(network, spatial, encoded.globals, np.array([symmetry]))
        np.testing.assert_allclose(result.score[0], there.lead[0], atol=1e-3)
        np.testing.assert_allclose(result.policy[:-1], there.policy_logits[0][table], atol=1e-3)
        assert result.policy[-1] == pytest.approx(there.policy_logits[0, -1], abs=1e-3)


def test_a_line_is_a_game_that_went_on(network: Network, game: GoGame) -> None:
    followed = tuple(game.moves[10:13].tolist())
    small = Line(random_game(2, size=5, moves=6), CONDITIONS, 4)
    some = [small, Line(game, CONDITIONS, 10, followed), Line(game, CONDITIONS, 13), small]
    result = [each[:2] for each in losses.evaluate_lines(some, network)]
    ((*alone, _),) = losses.evaluate_lines([small], network)
    assert result[1] == pytest.approx(result[2], abs=1e-4)
    for place in (0, 3):
        assert result[place] == pytest.approx(alone, abs=1e-4), "each board at its own place"


def test_a_loss_is_what_the_best_move_would_have_left(network: Network, looked: FirstLook) -> None:
    (result,) = move_losses([looked], network, LossEffort(visits=0))
    place = int(np.flatnonzero(looked.wanted)[2])
    line = Line(looked.game, CONDITIONS, place, (int(looked.best[place]),))
    ((_, lead, _),) = losses.evaluate_lines([line], network)
    lost = max(lead - float(looked.white_lead[place + 1]), 0.0)  # a move of White's
    assert result.points[place] == pytest.approx(lost, abs=0.01)
    # Nothing is lost where the game is decided, as it was not for whoever falls from 97 % to 50 %.
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
    share = (compared + 40) / len(looked.white_lead)
    (bound,) = move_losses([looked], network, LossEffort(visits=12, share=share))
    grown = bound.visits[bound.visits > 0] - 1  # the roots are of the game itself
    assert 0 < 2 * int(grown.sum()) <= 40
    assert looked.wanted[bound.visits > 0].all()
    assert (bound.points[~np.isnan(bound.points)] >= 0.0).all()
    (none,) = move_losses([looked], network, LossEffort(share=0.0))
    assert not none.visits.any()
    # What is spent on a game depends on it alone.
    worse = replace(looked, white_lead=looked.white_lead - np.float32(4.0))
    beside = move_losses([worse, looked], network, LossEffort(visits=12, share=share))[1]
    assert beside.visits.tolist() == bound.visits.tolist()
    assert beside.points == pytest.approx(bound.points, abs=1e-3, nan_ok=True)
    for wrong, message in (({"visits": -1}, "-1 visits"), ({"share": -0.5}, r"share of -0\.5")):
        with pytest.raises(UsageError, match=message):
            LossEffort(**wrong)


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


def test_moves_in_all_their_forms() -> None:
    for moves in (
        [["B", "q16"], ["WHITE", "d4"], ["Black", "PASS"]],
        *(["b Q16", "w D4", "b pass"], ["Q16", "D4", "pass"]),
        *("B Q16 W D4 B pass", "Q16, D4, pass", "Q16 D4\npass"),
    ):
        result = parse_position(json.dumps({"moves": moves}))
        assert (result.moves, result.colours, result.to_play) == ([72, 288, -1], [1, 2, 1], 2)
        assert (result.size, result.komi, result.rules) == (19, 7.5, parse_rules("tromp-taylor"))
    # The names of KataGo's analysis engine.
    engine = {
        "id": "x", "initialStones": [["B", "C3"], ["B", "G7"]], "moves": [["W", "E5"]],
        "rules": {"ko": "SIMPLE", "scoring": "TERRITORY", "komi": 3}, "komi": 0.5,
        "boardXSize": 9, "boardYSize": 9,
    }  # fmt: skip
    result = parse_position(json.dumps(engine))
    assert (result.stones, result.rules.scoring) == ({56: 1, 24: 1}, "territory")
    assert (result.size, result.to_play, result.komi) == (9, 1, 0.5)
    for text, komi in (
        ('{"rules": "koSIMPLEkomi3"}', 3.0),
        ('{"rules": "japanese", "komi": null}', 6.5),
        *((f'{{"komi": {komi}, "size": 2}}', komi) for komi in (-1000, 1000)),
    ):
        assert parse_position(text).komi == komi
    stone = '"initial_stones": [["b", "C3"]'
    for fields, to_play in (
        ("", 1), *((f'"{name}": "w"', 2) for name in ("to_play", "toPlay", "initial_player")),
        (f"{stone}]", 2), (f'{stone}, ["w", "D4"]]', 1), (f'{stone}], "initialPlayer": "B"', 1),
        (f'{stone}], "moves": "Q16"', 1), ('"moves": "Q16", "to_play": "b"', 1),
    ):  # fmt: skip
        assert parse_position(f"{{{fields}}}").to_play == to_play, fields


def test_lines_that_mean_no_position() -> None:
    for message, texts in {
        "no JSON": ("{",), "not a JSON object": ("[1]",), "deep|no JSON": ("[" * 100_000,),
        "is not a list": ('{"moves": 5}', json.dumps({"moves": ["b"] * 20_001})),
        "is not a move": ('{"moves": [5]}', '{"moves": [["b", 5]]}'),
        "ends with a colour": ('{"moves": ["Q16", "b"]}',),
        "not a point": ('{"moves": ["I5"]}', '{"moves": ["T20"]}'),
        "10,001 moves": (json.dumps({"moves": ["pass"] * 10_001}),),
        "2 to 19": tuple(f'{{"size": {size}}}' for size in (20, 1, 9.5, "true")),
        "not square": ('{"boardXSize": 9, "boardYSize": 13}',),
        "does not name rules": ('{"rules": "chess"}',), "rules are 5": ('{"rules": 5}',),
        "must be a word": ('{"rules": {"ko": 5}}',),
        "komi is": tuple(f'{{"komi": {komi}}}' for komi in ('"six"', "NaN", 1000.5, "true")),
        "not a colour": ('{"to_play": "x"}', '{"to_play": 1}'),
        "has no colour": ('{"initial_stones": ["Q16"]}',),
        "no stone": ('{"initial_stones": [["b", "pass"]]}',),
        "twice": ('{"initial_stones": [["b", "C3"], ["w", "C3"]]}',),
    }.items():  # fmt: skip
        for text in texts:
            with pytest.raises(InputError, match=message):
                parse_position(text)


def test_lines_keep_their_order_and_bad_ones_their_place(network: Network) -> None:
    lines = [
        '{"id": 1, "moves": "E5", "size": 9}', "{bad", "",
        '{"id": 3, "moves": "E5 E5", "size": 9, "error": "old"}',
        '{"id": 4, "moves": "C3 C4 D4", "size": 5, "rules": "japanese", "error": "old"}',
    ]  # fmt: skip
    skipped = SkipReport()
    result = list(evaluate_lines(lines, network, file="in.jsonl", skipped=skipped))
    assert [each.get("id") for each in result] == [1, None, 3, 4]
    assert [each.line for each in skipped.details] == [2, 4]
    errors = [each.get("error", "")[:33] for each in result[2:]]
    assert (result[1]["line"], errors) == (2, ["move 2 is illegal (White E5)", ""])
    json.dumps(result, allow_nan=False)
    encoded = encode_game(5, moves=[12, 7, 8], rules=parse_rules("japanese"), positions=[3])
    alone = network.evaluate(encoded.spatial.astype(np.float32), encoded.globals)
    white = np.exp(alone.value_logits[0]) / np.exp(alone.value_logits[0]).sum()
    assert encoded.to_play[0] == 2
    for name, value in (("white_win", white[0]), ("no_result", white[2])):
        assert result[3][name] == pytest.approx(value, abs=1e-6)
        assert result[3][name] == round(result[3][name], 6)
    assert result[3]["white_lead"] == pytest.approx(float(alone.lead[0]) * (1 - white[2]), abs=2e-3)
    policy = result[3]["policy"]
    assert [value is not None for value in policy] == encoded.legal[0, :-1].astype(bool).tolist()
    total = sum(filter(None, policy)) + result[3]["policy_pass"]
    assert total == pytest.approx(1, abs=1e-4)


def test_lines_of_files() -> None:
    def lines(data: bytes) -> list[str]:
        return list(read_lines(ByteStream(io.BytesIO(data), "in.jsonl", len(data), StreamLimits())))

    calls: list[tuple[str, int, int]] = []
    data = "{}\r\n{é}\n\n{}".encode()
    with context(progress=lambda *at: calls.append(at)):
        assert lines(data) == lines(gzip.compress(data)) == ["{}\r", "{é}", "", "{}"]
    assert ("evaluating", len(data), len(data)) in calls
    with pytest.raises(InputError, match="break off"):
        lines(gzip.compress(data)[:-9])
    # A line without end does not fill the memory.
    data = b'{"moves": "' + b"pass " * 2_000_000 + b'"}\n{"moves": ""}\n'
    long, short = lines(data)
    assert len(long) < len(data) - 100
    with pytest.raises(InputError, match="letters"):
        parse_position(long)
    assert parse_position(short).moves == []
