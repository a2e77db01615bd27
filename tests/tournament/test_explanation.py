from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tournament.pairing_fields import made, played
from yardstone.reports.pairing import change_lines, sentences
from yardstone.tournament import Constraints, Tournament, pair_round
from yardstone.tournament.explanation import change_for, differences, explain, recorded_round


@pytest.fixture(scope="module")
def after() -> Tournament:
    return played(made(15), 3)


def test_the_cost_of_a_board_is_what_is_lost_without_it(after: Tournament) -> None:
    pairing = pair_round(after)
    met = {frozenset((g.first, g.second)): g.round for g in after.games}
    rematches = 0
    for why in explain(pairing):
        assert why.change is not None
        for avoided in why.avoided:
            if avoided.reason == "rematch":
                rematches += 1
                assert met[frozenset((avoided.player, avoided.opponent))] == avoided.round
        if why.board.second >= 0:
            never = Constraints(forbidden=((why.board.first, why.board.second),))
            without = pair_round(after, constraints=never)
            assert why.change.cost == pairing.weight - without.weight >= 0
            assert sum(why.change.losses.values()) == why.change.cost
    assert rematches


def test_the_cost_of_another_board(after: Tournament) -> None:
    pairing = pair_round(after)
    inside = (pairing.boards[0].first, pairing.boards[0].second)
    same = change_for(pairing, instead=inside)
    assert "is in the pairing" in change_lines(pairing, inside, same)[0]
    other = (pairing.boards[0].first, pairing.boards[-1].second)
    change = change_for(pairing, instead=other)
    assert change is not None
    forced = pair_round(after, constraints=Constraints(fixed=(other,)))
    assert change.cost == pairing.weight - forced.weight > 0
    assert change.criterion == max(change.losses, key=lambda name: change.losses[name])
    assert f"costs {change.cost:,}" in change_lines(pairing, other, change)[0]
    pairing = pair_round(made(2))
    why = explain(pairing)[0]
    assert why.unavoidable
    assert "Without it nothing can be paired." in sentences(pairing, why)


def test_a_recorded_round_against_ours(after: Tournament) -> None:
    recorded, ours = recorded_round(after, 3)
    assert (recorded.weight, differences(recorded, ours)) == (ours.weight, ())
    games = list(after.games)
    rows = [k for k, game in enumerate(games) if game.round == 3]
    one, two = games[rows[0]], games[rows[-1]]
    games[rows[0]] = replace(one, second=two.second)
    games[rows[-1]] = replace(two, second=one.second)
    recorded, ours = recorded_round(replace(after, games=tuple(games)), 3)
    result = differences(recorded, ours)
    assert sum(difference.gain for difference in result) == ours.weight - recorded.weight > 0
    assert sum(len(difference.recorded) for difference in result) == 2
