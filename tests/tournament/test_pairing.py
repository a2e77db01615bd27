from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from tests.tournament.pairing_fields import made, played
from yardstone.errors import InputError
from yardstone.tournament.model import (
    Bye,
    ByeKind,
    Game,
    PairingRules,
    Result,
    System,
)
from yardstone.tournament.pairing import Constraints, Pairing, pair_round
from yardstone.tournament.rules import FloatMode, SeedSystem


def numbers(pairing: Pairing) -> set[frozenset[int]]:
    return {board.players for board in pairing.boards}


@pytest.mark.parametrize("preset", ["mcmahon", "swiss", "chess"])
def test_a_whole_tournament(preset: str) -> None:
    """Everybody plays every round, nobody twice, at most one bye each."""
    system = System.mcmahon if preset == "mcmahon" else System.swiss
    start = made(33, rounds=7, system=system)
    rules = PairingRules.of(start).with_system(preset)
    end = played(start, 7, rules)
    pairs = [frozenset((g.first, g.second)) for g in end.games]
    assert len(pairs) == len(set(pairs)) == 7 * 16
    assert len({bye.player for bye in end.byes}) == 7
    for number in range(1, 8):
        tables = [game.table for game in end.round_games(number)]
        assert tables == list(range(1, 17))


@pytest.mark.parametrize(
    ("seeding", "expected"),
    [
        (SeedSystem.fold, {(0, 7), (1, 6), (2, 5), (3, 4)}),
        (SeedSystem.slide, {(0, 4), (1, 5), (2, 6), (3, 7)}),
        (SeedSystem.adjacent, {(0, 1), (2, 3), (4, 5), (6, 7)}),
    ],
)
def test_seeding_within_a_group(seeding: SeedSystem, expected: set[tuple[int, int]]) -> None:
    start = made(8, system=System.swiss)
    rules = replace(
        PairingRules.of(start), seed_system_1=seeding, avoid_same_geography=0, balance_colours=0
    )
    assert numbers(pair_round(start, rules=rules)) == {frozenset(pair) for pair in expected}


def test_seeding_by_lot_crosses_the_halves_and_follows_the_seed() -> None:
    start = made(16, system=System.swiss)
    rules = replace(PairingRules.of(start), seed_system_1=SeedSystem.random, avoid_same_geography=0)
    answer = [numbers(pair_round(start, rules=replace(rules, seed=seed))) for seed in (1, 1, 2)]
    assert answer[0] == answer[1] != answer[2]
    assert all(min(pair) < 8 <= max(pair) for pair in answer[0])


@pytest.mark.parametrize(
    ("upper", "lower", "floaters"),
    [
        (FloatMode.top, FloatMode.top, (0, 3)),
        (FloatMode.middle, FloatMode.middle, (1, 4)),
        (FloatMode.bottom, FloatMode.bottom, (2, 5)),
        (FloatMode.bottom, FloatMode.top, (2, 3)),
    ],
)
def test_who_is_drawn_down_and_up(
    upper: FloatMode, lower: FloatMode, floaters: tuple[int, int]
) -> None:
    """Three players in each of two groups: one of each must meet one of the other."""
    start = made(6, ranks=(0, 0))
    entries = [replace(p, rank=0 if row < 3 else -1) for row, p in enumerate(start.players)]
    start = replace(start, players=tuple(entries))
    rules = replace(
        PairingRules.of(start),
        float_upper=upper,
        float_lower=lower,
        avoid_same_geography=0,
        maximise_seeding=0,
    )
    assert frozenset(floaters) in numbers(pair_round(start, rules=rules))


def result(round_number: int, winner: int, loser: int) -> Game:
    return Game(round=round_number, table=0, first=winner, second=loser, result=Result.first_wins)


def test_absolute_colours_of_chess() -> None:
    start = made(24, rounds=7, system=System.swiss)
    end = played(start, 7, PairingRules.of(start).with_system("chess"))
    for player in range(24):
        turns = [
            g.first == player
            for g in sorted(end.games, key=lambda g: g.round)
            if player in (g.first, g.second)
        ]
        longest = max(len(list(run)) for _, run in itertools.groupby(turns))
        assert longest <= 2
        assert abs(2 * sum(turns) - len(turns)) <= 2


def test_handicap_and_who_takes_it() -> None:
    start = made(2, ranks=(-8, -8))
    entries = tuple(replace(p, rank=rank) for p, rank in zip(start.players, (1, -8), strict=True))
    board = pair_round(replace(start, players=entries)).boards[0]
    # From the threshold of 1 dan (0) down to 8 kyu, less the correction of one.
    assert (board.first, board.second, board.handicap) == (1, 0, 7)


def test_the_bye_goes_to_the_last_and_to_nobody_twice() -> None:
    start = made(9, ranks=(-9, 0))
    pairing = pair_round(start)
    assert pairing.bye is not None
    assert pairing.bye.first == 8
    assert pairing.entrants.name(9) == "the bye"
    after = played(start, 4)
    assert len({bye.player for bye in after.byes}) == 4
    for player in (3, 0):
        chosen = pair_round(start, constraints=Constraints(bye=player)).bye
        assert chosen is not None
        assert chosen.first == player


def test_late_entries_and_withdrawals() -> None:
    start = made(10)
    entries = list(start.players)
    entries[2] = replace(entries[2], absent=frozenset((1,)))  # comes later
    entries[5] = replace(entries[5], absent=frozenset((2, 3, 4, 5)))  # leaves early
    after = played(replace(start, players=tuple(entries)), 1)
    assert 2 not in {p for board in after.games for p in (board.first, board.second)}
    later = pair_round(after)
    met = {p for board in later.all_boards for p in board.players}
    assert met == set(range(10)) - {5}
    # Two who arrive when round 2 is paired already meet each other; no board is touched.
    more = replace(after, players=(*after.players, *made(2, seed=9).players))
    names = [replace(p, name=f"Late{p.name}") for p in more.players[-2:]]
    more = replace(more, players=(*after.players, *names))
    more = later.added_to(more)
    extra = pair_round(more, 2)
    assert numbers(extra) == {frozenset((10, 11))}
    assert extra.boards[0].table == len(later.boards) + 1
    assert len(extra.kept) == len(later.boards)


def test_boards_fixed_and_forbidden_by_hand() -> None:
    after = played(made(12), 2)
    free = pair_round(after)
    a, b = sorted(free.boards[0].players)
    met = next(g for g in after.games if g.round == 1)
    again = (met.first, met.second)
    constraints = Constraints(fixed=(again,), forbidden=((a, b),))
    pairing = pair_round(after, constraints=constraints)
    assert frozenset(again) in numbers(pairing)
    assert frozenset((a, b)) not in numbers(pairing)
    assert pairing.weight < free.weight
    assert [board.fixed for board in pairing.boards].count(True) == 1


def test_requested_byes_stand() -> None:
    start = replace(made(9), byes=(Bye(1, 4, ByeKind.half),))
    pairing = pair_round(start)
    assert pairing.bye is None
    assert 4 not in {p for board in pairing.boards for p in board.players}


def fixed(*pairs: tuple[int, int]) -> Constraints:
    return Constraints(fixed=pairs)


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (fixed((0, 0)), "cannot meet himself"),
        (fixed((0, 1), (1, 2)), "P0001 x is on two fixed boards"),
        (Constraints(fixed=((0, 1),), forbidden=((1, 0),)), "both fixed and forbidden"),
        (Constraints(fixed=((0, 1),), absent=frozenset((1,))), "P0001 x does not take part"),
        (Constraints(bye=3), "the number of players is even"),
        (Constraints(bye=3, absent=frozenset((3,))), "who is not to be paired"),
        (Constraints(bye=3, fixed=((3, 4),), absent=frozenset((5,))), "cannot have the bye"),
        (Constraints(absent=frozenset((5,)), no_bye=True), "9 players, an odd number"),
        (Constraints(absent=frozenset(range(10))), "no players are left"),
        (
            Constraints(forbidden=tuple((0, k) for k in range(1, 10))),
            "P0000 x: no opponent is left",
        ),
        (
            Constraints(forbidden=tuple(itertools.combinations(range(10), 2))),
            "no opponent is left",
        ),
        (
            Constraints(forbidden=tuple((a, b) for a in range(3) for b in range(10) if b != 9)),
            "could only meet P0009 x",
        ),
    ],
)
def test_impossible_demands(constraints: Constraints, message: str) -> None:
    with pytest.raises(InputError, match=message):
        pair_round(made(10), constraints=constraints)


def test_more_rounds_than_opponents() -> None:
    after = played(made(4, rounds=5), 3)
    with pytest.raises(InputError, match="round 4 cannot be paired: P0000 x: no opponent is left"):
        pair_round(after)
    pairing = pair_round(after, constraints=Constraints(rematch=True))
    assert len(pairing.boards) == 2
    with pytest.raises(InputError, match="the tournament has 5 rounds"):
        pair_round(after, 6)
    with pytest.raises(InputError, match="before round 4"):
        pair_round(after, 5)


def test_open_results() -> None:
    start = made(8)
    paired = pair_round(start).added_to(start)
    assert paired.next_round == 2
    with pytest.raises(InputError, match="4 games of earlier rounds without a result: round 1"):
        pair_round(paired)
    assert len(pair_round(paired, constraints=Constraints(open_results=True)).boards) == 4
