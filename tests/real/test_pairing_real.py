"""Recorded rounds of real tournaments, paired again from the state before them."""

from __future__ import annotations

import pytest

from tests.shared import shared_path
from yardstone.tournament.explanation import differences, recorded_round
from yardstone.tournament.files import read_tournament
from yardstone.tournament.matching import certify, maximum_matching

FOLDER = "data/go/tournaments/opengotha"
#: Boards of each round, and how many come out the same; the others weigh the same but
#: for one exchange that gains in the balance of colours.
RECORDED = {
    "simplemm": ((8, 8, 8, 8, 8), (8, 8, 6, 8, 6)),
    "notsimplemm": ((4, 4, 3, 4, 4), (4, 4, 3, 4, 4)),
    "simpleswiss": ((16,) * 7, (16, 16, 16, 10, 16, 16, 14)),
    "notsosimpleswiss": ((17,) * 10, (17, 17, 17, 14, 17, 14, 14, 14, 17, 17)),
}
GAINS = {("simplemm", 5): {"colours": 1_000_000}}


@pytest.mark.parametrize("name", RECORDED)
def test_ours_weigh_at_least_as_much(name: str) -> None:
    tournament = read_tournament(shared_path(f"{FOLDER}/{name}.xml"))
    boards, same = RECORDED[name]
    for number in range(1, len(boards) + 1):
        recorded, ours = recorded_round(tournament, number)
        assert len(recorded.boards) == len(ours.boards) == boards[number - 1]
        equal = {b.players for b in recorded.boards} & {b.players for b in ours.boards}
        assert len(equal) >= same[number - 1]
        assert (recorded.bye and recorded.bye.first) == (ours.bye and ours.bye.first)
        result = differences(recorded, ours)
        gains = {name: gain for one in result for name, gain in one.gains.items()}
        assert gains == GAINS.get((name, number), {})
        assert ours.weight - recorded.weight == sum(one.gain for one in result) >= 0
        handicap = {b.players: b.handicap for b in ours.boards}
        for board in recorded.boards:
            assert handicap.get(board.players, board.handicap) == board.handicap


def test_the_european_congress() -> None:
    """Some 300 boards a round, proved to be the best."""
    tournament = read_tournament(shared_path(f"{FOLDER}/egc2011.xml"))
    for number in (1, 5, 10):
        recorded, ours = recorded_round(tournament, number)
        assert ours.weight > recorded.weight
        result = maximum_matching(ours.weights, ours.allowed)
        assert result.weight == ours.weight
        assert certify(ours.weights, result, ours.allowed)
