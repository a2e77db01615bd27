"""A round is paired: who plays, who has the bye, what is demanded by hand, and what cannot be."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from tests.tournament.pairing_fields import made, played, with_results
from yardstone.errors import InputError
from yardstone.tournament import Bye, ByeKind, Constraints, Pairing, PairingRules, System
from yardstone.tournament._pairing import match_field
from yardstone.tournament.pairing import made_pairing, pair_round


def numbers(pairing: Pairing) -> set[frozenset[int]]:
    return {board.players for board in pairing.boards}


@pytest.mark.parametrize("preset", ["mcmahon", "swiss", "chess"])
def test_everybody_plays_every_round_nobody_twice_and_has_one_bye_at_most(preset: str) -> None:
    start = made(17, rounds=7, system=System.mcmahon if preset == "mcmahon" else System.swiss)
    end = played(start, 7, PairingRules.of(start).with_system(preset))
    pairs = [frozenset((g.first, g.second)) for g in end.games]
    assert len(pairs) == len(set(pairs)) == 7 * 8
    assert len({bye.player for bye in end.byes}) == 7
    for number in range(1, 8):
        assert [game.table for game in end.round_games(number)] == list(range(1, 9))
    for player in range(17) if preset == "chess" else ():
        turns = [game.first == player for game in end.games if player in game.players]
        assert max(len(list(run)) for _, run in itertools.groupby(turns)) <= 2
        assert abs(2 * sum(turns) - len(turns)) <= 2


def test_the_bye_goes_to_the_last_or_to_whom_it_was_given() -> None:
    start = made(9, ranks=(-9, 0))
    for demand, expected in ((None, 8), (3, 3), (0, 0)):
        pairing = pair_round(start, constraints=Constraints(bye=demand))
        assert pairing.bye is not None
        assert (pairing.bye.first, pairing.bye.table, pairing.bye.second) == (expected, 0, -1)
    assert pairing.entrants.name(9) == "the bye"
    asked = pair_round(replace(start, byes=(Bye(1, 4, ByeKind.half),)))
    assert asked.bye is None
    assert 4 not in {p for board in asked.boards for p in board.players}


def test_late_entries_and_withdrawals() -> None:
    start = made(10)
    entries = list(start.players)
    entries[2] = replace(entries[2], absent=frozenset((1,)))  # comes later
    entries[5] = replace(entries[5], absent=frozenset((2, 3, 4, 5)))  # leaves early
    after = played(replace(start, players=tuple(entries)), 1)
    assert 2 not in {p for game in after.games for p in game.players}
    later = pair_round(after)
    assert {p for board in later.all_boards for p in board.players} == set(range(10)) - {5}
    # Two who arrive when round 2 is paired already meet each other; no board is touched.
    late = tuple(replace(p, name=f"Late{p.name}") for p in made(2, seed=9).players)
    begun = later.added_to(replace(after, players=(*after.players, *late)))
    extra = pair_round(begun, 2)
    assert numbers(extra) == {frozenset((10, 11))}
    assert (extra.boards[0].table, len(extra.kept)) == (len(later.boards) + 1, len(later.boards))
    for pair, message in (((0, 10), "P0000 x is paired already"), ((10, 5), "P0005 x does not")):
        with pytest.raises(InputError, match=message):
            pair_round(begun, 2, constraints=Constraints(fixed=(pair,)))
    with pytest.raises(InputError, match="no players are left to pair") as caught:
        pair_round(extra.added_to(begun), 2)
    assert "paired already" in str(caught.value.hint)


def test_boards_fixed_and_forbidden_by_hand() -> None:
    after = played(made(12), 2)
    free = pair_round(after)
    a, b = sorted(free.boards[0].players)
    met = next(g for g in after.games if g.round == 1)
    demand = Constraints(fixed=((met.first, met.second),), forbidden=((a, b),))
    pairing = pair_round(after, constraints=demand)
    assert frozenset(met.players) in numbers(pairing)
    assert frozenset((a, b)) not in numbers(pairing)
    assert pairing.weight < free.weight
    assert [board.fixed for board in pairing.boards].count(True) == 1


def apart(*groups: str, join: str = "") -> Constraints:
    """Nobody of one group may meet another one's, but all may meet those who join them."""
    of = {int(p): k for k, group in enumerate(groups) for p in group}
    every = itertools.combinations(range(10), 2)
    return Constraints(forbidden=tuple(
        (a, b) for a, b in every if not {str(a), str(b)} & set(join) and of[a] != of[b]
    ))  # fmt: skip


AWAY = frozenset((5,))


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (Constraints(fixed=((0, 0),)), "cannot meet himself"),
        (Constraints(fixed=((0, 1), (1, 2))), "P0001 x is on two fixed boards"),
        (Constraints(fixed=((0, 1), (2, 1))), "P0001 x is on two fixed boards"),
        (Constraints(fixed=((0, 1),), forbidden=((1, 0),)), "both fixed and forbidden"),
        (Constraints(fixed=((0, 5),), absent=AWAY), "P0005 x does not take part"),
        (Constraints(bye=3), "the number of players is even"),
        (Constraints(bye=5, absent=AWAY), "who is not to be paired"),
        (Constraints(bye=3, fixed=((3, 4),), absent=AWAY), "cannot have the bye"),
        (Constraints(absent=AWAY, no_bye=True), "9 players, an odd number"),
        (Constraints(absent=frozenset(range(10))), "no players are left"),
        (apart("0", "123456789"), "paired: P0000 x: no opponent is left"),
        (apart(*"0123456789"), "no opponent is left"),
        (apart("0", "1", "2345678", join="9"), "paired: P0000 x, P0001 x could only meet P0009 x"),
        (apart("01234", "56789"), "P0003 x, P0004 x could only meet each other, and are an odd"),
        (apart("012", "345", "678", join="9"), r"2 groups of players \(P0000 x, P0001 x, P0002 x;"
         r" \.\.\.\) could only meet P0009 x"),
        (apart("0", "123", "45678", join="9"), "P0000 x and 1 other group could only meet P0009"),
    ],
)  # fmt: skip
def test_impossible_demands(constraints: Constraints, message: str) -> None:
    with pytest.raises(InputError, match=message):
        pair_round(made(10), constraints=constraints)


def test_more_rounds_than_opponents_and_open_results() -> None:
    after = played(made(4, rounds=5), 3)
    for number, message in (
        (4, "round 4 cannot be paired: P0000 x: no opponent is left"),
        (6, "the tournament has 5 rounds"),
        (0, "the tournament has 5 rounds"),
        (5, "before round 4"),
    ):
        with pytest.raises(InputError, match=message):
            pair_round(after, number)
    assert len(pair_round(after, constraints=Constraints(rematch=True)).boards) == 2
    paired = pair_round(made(8)).added_to(made(8))
    assert paired.next_round == 2
    with pytest.raises(InputError, match="4 games of earlier rounds without a result: round 1"):
        pair_round(paired)
    assert len(pair_round(paired, constraints=Constraints(open_results=True)).boards) == 4


@pytest.mark.parametrize("system", ["mcmahon", "swiss", "chess"])
@pytest.mark.parametrize("players", [31, 120])
def test_a_few_boards_of_each_player_are_enough(players: int, system: str) -> None:
    """Boards that the duals of a matching call for are added, until none is left."""
    event = made(players, system=System.swiss)
    rules = PairingRules.of(event).with_system(system)
    for number in range(1, 5):
        pairing = pair_round(event, number, rules=rules)
        entrants = pairing.entrants
        for choices in (1, 12):
            sound, mate = match_field(
                entrants.entries, entrants.met, entrants.numbers, pairing.allowed, choices, 0
            )
            assert sound
            assert made_pairing(entrants, mate, (), pairing.allowed).weight == pairing.weight
        event = with_results(pairing.added_to(event), number)
