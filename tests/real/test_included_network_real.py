"""What the included network says of quiet openings, under all that commands accept."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.shared import shared_path
from yardstone.errors import UsageError
from yardstone.go.analysis import analyse_games, judge_games
from yardstone.go.evaluator import Evaluator, NetworkQuestion
from yardstone.go.inputs import encode_game
from yardstone.go.losses import LossEffort
from yardstone.go.nets.network import Network, load_network
from yardstone.go.nets.store import INCLUDED
from yardstone.go.points import colour_name, point_name
from yardstone.go.positions import evaluate_lines
from yardstone.go.rules import NAMED_RULES, TROMP_TAYLOR
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import read_games

KATAGO = "nets/g170-b6c96-s175395328-d26788732.bin.gz"
OPENING, GAMES = 20, 12
#: An opening is quiet where KataGo's network sees nobody this far ahead, in points.
QUIET = 3.0
#: The two may differ by this much of such a lead.
APART = 6.0
KOMI = (-5.0, 0.0, 0.5, 3.75, 5.5, 6.5, 7.0, 7.5, 8.0, 15.0)


@pytest.fixture(scope="module")
def network() -> Network:
    return load_network(INCLUDED, threads=1)


@pytest.fixture(scope="module")
def openings(tmp_path_factory: pytest.TempPathFactory) -> list[GoGame]:
    """The first moves of games of professionals and strong amateurs."""
    folder = tmp_path_factory.mktemp("games")
    with zipfile.ZipFile(shared_path("data/go/fox_sgf.zip")) as archive:
        names = [name for name in archive.namelist() if name.endswith(".sgf")]
        for name in names[:: len(names) // (3 * GAMES)]:
            (folder / Path(name).name).write_bytes(archive.read(name))
    games = [
        replace(game, moves=game.moves[:OPENING], colours=game.colours[:OPENING])
        for game in read_games(folder)
        if game.size == 19 and not len(game.setup_black) and len(game.moves) > OPENING
    ]
    katago = load_network(shared_path(KATAGO), threads=1)
    return [
        analysis.game
        for analysis in analyse_games(
            games, katago, rules=TROMP_TAYLOR, komi=6.5, effort=LossEffort(0)
        )
        if np.abs(analysis.white_lead).max() < QUIET
    ][:GAMES]


def as_line(game: GoGame, rules: str, komi: float) -> str:
    moves = [
        (colour_name(int(colour)), point_name(int(point), game.size))
        for colour, point in zip(game.colours, game.moves, strict=True)
    ]
    return json.dumps({"moves": moves, "rules": rules, "komi": komi})


@pytest.mark.parametrize("rules", NAMED_RULES)
def test_quiet_openings_are_level_under_all_rules(
    network: Network, openings: list[GoGame], rules: str
) -> None:
    """It is asked under the rules that it knows, and says so."""
    assert len(openings) == GAMES
    few, wanted = openings[:3], NAMED_RULES[rules]
    for analysis in analyse_games(few, network, rules=wanted, komi=6.5, effort=LossEffort(0)):
        assert 0.2 < analysis.white_winrate.min() <= analysis.white_winrate.max() < 0.8
        assert np.abs(analysis.white_lead).max() < QUIET + APART
        asked = analysis.conditions
        assert asked.komi == 6.5
        assert (asked.rules == wanted) is (rules in ("tromp-taylor", "ing"))
        assert wanted.name in asked.in_words
        assert ("does not know" in asked.remark) is (rules not in ("tromp-taylor", "ing"))


@pytest.mark.parametrize("komi", KOMI)
def test_a_komi_that_it_does_not_know_is_refused(
    network: Network, openings: list[GoGame], komi: float
) -> None:
    report = SkipReport()
    for judged in judge_games(openings, network, komi=komi, skipped=report):
        assert 0.2 < judged.white_winrate < 0.8
        assert abs(judged.white_lead) < QUIET + APART
    lines = [as_line(openings[0], "japanese", komi), as_line(openings[1], "tromp-taylor", komi)]
    rows = list(evaluate_lines(lines, network))
    if 5.5 <= komi <= 7.5:
        assert not len(report)
        assert all(0.2 < row["white_win"] < 0.8 for row in rows)
        assert "does not know japanese rules" in rows[0]["asked"]
        assert "asked" not in rows[1]
    else:
        assert len(report) == len(openings)
        assert all(f"does not know komi {komi:g}" in row["error"] for row in rows)


def test_other_boards_are_refused(network: Network) -> None:
    (row,) = evaluate_lines(['{"moves": [["b", "C3"], ["w", "G7"]], "size": 9}'], network)
    assert "does not know boards of 9x9" in row["error"]


def test_nobody_asks_past_it(network: Network) -> None:
    rules = NAMED_RULES["japanese"]
    question = NetworkQuestion(encode_game(19, komi=6.5, rules=rules, packed=True), rules)
    with pytest.raises(UsageError, match="asked under japanese rules"):
        list(Evaluator(network).answer([question]))


def test_katagos_network_knows_all(openings: list[GoGame]) -> None:
    katago = load_network(shared_path(KATAGO), threads=1)
    assert katago.knowledge is None
    (analysis,) = analyse_games(
        openings[:1], katago, rules=NAMED_RULES["japanese"], komi=0.5, effort=LossEffort(0)
    )
    assert analysis.conditions.in_words == "japanese rules, komi 0.5"
