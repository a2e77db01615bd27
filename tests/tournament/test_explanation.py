"""Why boards are as they are: what they avoid, what others would cost, a recorded round's."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.tournament.pairing_fields import made, played
from yardstone.errors import InputError
from yardstone.reports.pairing import change_lines, sentences
from yardstone.tournament import Bye, ByeKind, PairingRules, Tournament, compare_rounds, explain
from yardstone.tournament.explanation import change_for, differences, recorded_round, without_rounds
from yardstone.tournament.pairing import Constraints, costs_wanted, pair_round
from yardstone.tournament.rules import SeedSystem


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
        pair = why.board.first, why.board.second
        if why.board.second >= 0:
            without = pair_round(after, constraints=Constraints(forbidden=(pair,)))
            assert why.change.cost == pairing.weight - without.weight >= 0
            assert sum(why.change.losses.values()) == why.change.cost
    assert rematches


@pytest.mark.parametrize(
    ("reason", "clubs", "countries"),
    [("club", "XXYZ", "ABCD"), ("club group", "VWYZ", "ABCD"), ("country", "WXYZ", "AABC"),
     ("forbidden", "WXYZ", "ABCD")],
)  # fmt: skip
def test_why_neighbours_do_not_meet(reason: str, clubs: str, countries: str) -> None:
    """Seeded next to each other the first two of four would meet but for one thing."""
    start = made(4, ranks=(-5, -5))
    players = tuple(replace(start.players[k], club=clubs[k], country=countries[k])
                    for k in range(4))  # fmt: skip
    event = replace(start, players=players, club_groups=(frozenset("VW"),))
    rules = replace(PairingRules.of(event), seed_system_1=SeedSystem.adjacent)
    demand = Constraints(forbidden=((0, 1),) if reason == "forbidden" else ())
    pairing = pair_round(event, rules=rules, constraints=demand)
    assert {board.players for board in pairing.boards} == {frozenset((0, 2)), frozenset((1, 3))}
    avoided = [each for why in explain(pairing, costs=False) for each in why.avoided]
    assert {(a.player, a.opponent, a.reason) for a in avoided} == {(0, 1, reason), (1, 0, reason)}


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
    told = {frozenset(pair) - {-1} for pair in change.boards}
    ours, theirs = ({board.players for board in p.all_boards} for p in (pairing, forced))
    assert told == theirs - ours
    assert f"costs {change.cost:,}" in change_lines(pairing, other, change)[0]
    pairing = pair_round(made(2))
    why = explain(pairing)[0]
    assert why.unavoidable
    assert "Without it nothing can be paired." in sentences(pairing, why)
    for players, costs in ((200, True), (201, False)):
        field: Any = SimpleNamespace(row_of=dict.fromkeys(range(players)))
        assert costs_wanted(field, after, (), None) is costs
    with pytest.raises(InputError, match="P0001 x is not to be paired"):
        costs_wanted(replace(pairing, row_of={0: 0}), after, [(0, 1)], None)


def test_a_recorded_round_against_ours(after: Tournament) -> None:
    recorded, ours = recorded_round(after, 3)
    assert (recorded.weight, differences(recorded, ours)) == (ours.weight, ())
    games = list(after.games)
    rows = [k for k, game in enumerate(games) if game.round == 3]
    one, two = games[rows[0]], games[rows[-1]]
    games[rows[0]] = replace(one, second=two.second)
    games[rows[-1]] = replace(two, second=one.second)
    changed = replace(after, games=tuple(games))
    (compared,) = compare_rounds(changed, 3)
    gain = sum(difference.gain for difference in compared.exchanges)
    assert gain == compared.ours.weight - compared.recorded.weight > 0
    assert sum(len(difference.recorded) for difference in compared.exchanges) == 2
    assert compared.same == 7 - 2
    assert [each.ours.round for each in compare_rounds(after)] == [1, 2, 3]
    second = next(g for g in after.games if g.round == 1)
    again = Bye(1, second.first), Bye(1, second.second)
    twice = replace(
        after, games=tuple(g for g in games if g is not second), byes=after.byes + again
    )
    for event, number, message in ((after, 4, "no games to compare"), (made(4), None, "no round"),
                                   (twice, 1, "round 1 has 3 byes")):  # fmt: skip
        with pytest.raises(InputError, match=message):
            compare_rounds(event, number)


def test_rounds_are_taken_back_but_not_what_was_announced(after: Tournament) -> None:
    free = next(bye.player for bye in after.byes if bye.round == 3)
    announced = replace(after, byes=(*after.byes, Bye(4, free, ByeKind.half)))
    made, number = without_rounds(announced, 3)
    assert (number, made.last_round, made.byes[-1]) == (3, 4, Bye(4, free, ByeKind.half))
    assert made.games == after.before(3).games
    with pytest.raises(InputError, match="round 3 has results, which would be lost"):
        without_rounds(after, keep_results=True)
