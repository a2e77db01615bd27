from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tournament.pairing_fields import made, played
from yardstone.reports.pairing import change_lines, sentences
from yardstone.tournament.explanation import change_for, differences, explain, recorded_round
from yardstone.tournament.model import Tournament
from yardstone.tournament.pairing import Constraints, pair_round


@pytest.fixture(scope="module")
def after() -> Tournament:
    return played(made(15), 3)


def test_the_cost_of_a_board_is_what_is_lost_without_it(after: Tournament) -> None:
    pairing = pair_round(after)
    for why in explain(pairing):
        assert why.change is not None
        if why.board.second < 0:
            continue
        constraints = Constraints(forbidden=((why.board.first, why.board.second),))
        without = pair_round(after, constraints=constraints)
        assert why.change.cost == pairing.weight - without.weight >= 0
        assert sum(why.change.losses.values()) == why.change.cost


def test_the_cost_of_another_board(after: Tournament) -> None:
    pairing = pair_round(after)
    inside = pairing.boards[0]
    assert change_for(pairing, instead=(inside.first, inside.second)) is not None
    a, b = pairing.boards[0].first, pairing.boards[-1].second
    change = change_for(pairing, instead=(a, b))
    assert change is not None
    forced = pair_round(after, constraints=Constraints(fixed=((a, b),)))
    assert change.cost == pairing.weight - forced.weight > 0
    assert change.criterion == max(change.losses, key=lambda name: change.losses[name])
    text = change_lines(pairing, (a, b), change)[0]
    assert f"costs {change.cost:,}" in text
    assert (
        "is in the pairing"
        in change_lines(
            pairing,
            (inside.first, inside.second),
            change_for(pairing, instead=(inside.first, inside.second)),
        )[0]
    )


def test_rematches_that_were_avoided(after: Tournament) -> None:
    pairing = pair_round(after)
    met = {frozenset((g.first, g.second)): g.round for g in after.games}
    result = [a for why in explain(pairing, costs=False) for a in why.avoided]
    assert any(a.reason == "rematch" for a in result)
    for avoided in result:
        if avoided.reason == "rematch":
            assert met[frozenset((avoided.player, avoided.opponent))] == avoided.round


def test_unavoidable_boards() -> None:
    pairing = pair_round(made(2))
    why = explain(pairing)[0]
    assert why.unavoidable
    assert "Without it nothing can be paired." in sentences(pairing, why)


def test_a_recorded_round_against_ours(after: Tournament) -> None:
    recorded, ours = recorded_round(after, 3)
    assert recorded.weight == ours.weight
    assert differences(recorded, ours) == ()
    games = list(after.games)
    rows = [k for k, game in enumerate(games) if game.round == 3]
    a, b = rows[0], rows[-1]
    games[a], games[b] = (
        replace(games[a], second=games[b].second),
        replace(games[b], second=games[a].second),
    )
    worse = replace(after, games=tuple(games))
    recorded, ours = recorded_round(worse, 3)
    result = differences(recorded, ours)
    assert sum(difference.gain for difference in result) == ours.weight - recorded.weight > 0
    changed = [board.players for difference in result for board in difference.recorded]
    assert len(changed) == 2
