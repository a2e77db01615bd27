from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.go.games import random_game, small_network
from yardstone.errors import UsageError
from yardstone.go.analysis import Agreement, Judgement, analyse, judge_games
from yardstone.go.nets.network import Network, load_network
from yardstone.pool import SkipReport
from yardstone.records.go_game import DRAWN


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Network:
    return load_network(small_network(tmp_path_factory.mktemp("net")), threads=1)


def judged(network: Network, sure: float) -> list[Judgement]:
    games = [random_game(k, moves=12, passes=k % 3) for k in range(8)]
    return list(judge_games(games, network, sure=sure))


def test_the_position_before_the_last_passes_is_judged(network: Network) -> None:
    for result in judged(network, 0.6):
        assert result.moves == 12
        whole = analyse(result.game, network)
        assert result.white_winrate == pytest.approx(float(whole.white_winrate[12]), abs=1e-4)
        assert result.white_lead == pytest.approx(float(whole.white_lead[12]), abs=1e-2)


@pytest.mark.parametrize("sure", [0.5, 0.6, 0.9])
def test_a_winner_needs_its_share(network: Network, sure: float) -> None:
    for result in judged(network, sure):
        share = result.white_winrate
        assert result.winner == (2 if share >= sure else 1 if 1 - share >= sure else 0)


def test_agreement_with_the_record(network: Network) -> None:
    result = judged(network, 0.5)[0]
    other = 3 - result.winner
    agreement = Agreement()
    for recorded, winner in (
        (result.winner, result.winner),
        (other, result.winner),
        (0, result.winner),
        (DRAWN, result.winner),
        (1, 0),
    ):
        agreement.add(replace(result, game=replace(result.game, winner=recorded), winner=winner))
    assert agreement == Agreement(games=5, agreeing=1, contrary=1, undecided=1, unrecorded=2)


def test_games_with_illegal_moves_are_left_out(network: Network) -> None:
    good = random_game(1, moves=5)
    bad = replace(good, moves=np.array([1, 2, 1, 3, 4], np.int16), line=17)
    skipped = SkipReport()
    assert len(list(judge_games([bad, good], network, skipped=skipped))) == 1
    assert str(skipped.details[0]) == "games.sgf:17: move 3 is illegal (Black B9)"


def test_how_sure_is_a_share(network: Network) -> None:
    with pytest.raises(UsageError, match=r"0\.5 to 1"):
        next(judge_games([], network, sure=60.0))
