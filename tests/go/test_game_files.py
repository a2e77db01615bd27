"""Games in files, analysed and judged by one call each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.go.games import small_network
from yardstone.errors import InputError, NoGamesError, StrictError, UsageError
from yardstone.go import Phases, analyse_files, judge_files
from yardstone.go.nets.network import Network, load_network
from yardstone.parallel import context

GAME = "(;GM[1]SZ[9]KM[6.5]PB[Ann]PW[Bob]RE[B+5.5];B[ee];W[gc];B[cc];W[gg];B[cg];W[];B[])"
ILLEGAL = "(;GM[1]SZ[9]PB[Dan]PW[Eve];B[ee];W[ee])"


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Network:
    return load_network(small_network(tmp_path_factory.mktemp("net")), threads=1)


@pytest.fixture
def games(tmp_path: Path) -> str:
    path = tmp_path / "games.sgf"
    path.write_text(GAME + "\n" + ILLEGAL)
    return str(path)


def test_games_are_analysed(network: Network, games: str) -> None:
    calls: list[tuple[str, int, int]] = []
    phases = Phases(2, 4)
    with context(progress=lambda what, *done: calls.append((what, *done))):
        result = analyse_files([games], network, phases=phases, mistake=1.0)
    assert [len(game) for game in result.games] == [7, 1]
    assert calls[-2:] == [("analysing", 10, 11), ("analysing", 11, 11)]  # none after illegal moves
    assert (result.phases, result.mistake, result.network) == (phases, 1.0, network.name)
    assert [total.player for total in result.players() if total.phase == "game"] == [
        "Ann",
        "Bob",
        "Dan",
    ]
    second = analyse_files([games], network, numbers=[2])
    assert [game.game.black for game in second.games] == ["Dan"]
    with pytest.raises(InputError, match="there is no game 3"):
        analyse_files([games], network, numbers=[3])
    with pytest.raises(UsageError, match="more than 0"):
        analyse_files([games], network, mistake=0.0)


def test_games_are_judged_and_held_without_their_moves(network: Network, games: str) -> None:
    result = judge_files([games], network, sure=0.5)
    (judgement,) = result.games
    assert (judgement.moves, len(judgement.game.moves), judgement.game.black) == (5, 0, "Ann")
    assert (result.agreement.games, len(result.skipped)) == (1, 1)
    with pytest.raises(StrictError, match="illegal"):
        judge_files([games], network, strict=True)


def test_no_game_that_can_be_used_is_an_error(network: Network, tmp_path: Path) -> None:
    path = tmp_path / "bad.sgf"
    path.write_text(ILLEGAL)
    with pytest.raises(NoGamesError, match="no game can be used"):
        judge_files([str(path)], network)
