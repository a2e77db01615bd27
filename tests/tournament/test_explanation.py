from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tournament.pairing_fields import made, played
from yardstone.reports.pairing import change_lines, sentences
from yardstone.tournament._pairing import SideReason
from yardstone.tournament.explanation import change_for, differences, explain, recorded_round
from yardstone.tournament.model import PairingRules, Tournament
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


def test_why_a_player_moves_first(after: Tournament) -> None:
    pairing = pair_round(after)
    for why in explain(pairing, costs=False):
        if why.board.second < 0:
            assert why.side_reason is None
            continue
        one, two = why.players
        assert one.player == why.board.first
        if why.side_reason is SideReason.HANDICAP:
            assert why.board.handicap > 0
            assert one.score < two.score
        elif why.side_reason is SideReason.BALANCE:
            assert one.balance > two.balance
        elif why.side_reason is SideReason.LAST:
            assert (one.balance, one.streak > two.streak) == (two.balance, True)
        else:
            assert (one.balance, one.streak) == (two.balance, two.streak)


def test_sentences_name_groups_and_costs(after: Tournament) -> None:
    start = made(6, ranks=(0, 0))
    pairing = pair_round(start)
    text = " ".join(sentences(pairing, explain(pairing)[0]))
    assert text.startswith("1st and ")
    assert "of the 6 with 30 points." in text
    assert "Colours by lot." in text
    chess = replace(start, discipline="chess")
    fixed = pair_round(chess, constraints=Constraints(fixed=((0, 1),)))
    said = [" ".join(sentences(fixed, why)) for why in explain(fixed)]
    assert sum("Fixed by hand." in text for text in said) == 1
    odd = pair_round(after)
    bye = " ".join(sentences(odd, explain(odd)[-1]))
    assert "no bye so far: the last who may have it." in bye


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


def test_weights_of_other_rules(after: Tournament) -> None:
    rules = PairingRules.of(after).with_system("swiss")
    recorded, ours = recorded_round(after, 2, rules=rules)
    assert ours.weight >= recorded.weight
    result = differences(recorded, ours)
    assert sum(difference.gain for difference in result) == ours.weight - recorded.weight
