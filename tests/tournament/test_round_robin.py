"""Berger's tables, and rounds paired by them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.tournament.pairing_fields import made, with_results
from yardstone.errors import InputError
from yardstone.tournament import Constraints, Player, System, berger_table, pair_round_robin
from yardstone.tournament.model import Tournament


def robin(players: int, rounds: int) -> Tournament:
    return made(players, rounds=rounds, system=System.round_robin)


def after(players: int, rounds: int, until: int) -> Tournament:
    """Its first rounds paired and played."""
    tournament = robin(players, rounds)
    for number in range(1, until + 1):
        paired = pair_round_robin(tournament, number).added_to(tournament)
        tournament = with_results(paired, number)
    return tournament


def test_the_table_of_the_handbook() -> None:
    """FIDE Handbook, table for five or six players; the first named has White."""
    printed = ("1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1")
    table = [" ".join(f"{a + 1}-{b + 1}" for a, b in pairs) for pairs in berger_table(6)]
    assert table == list(printed)


@pytest.mark.parametrize("double", [False, True])
def test_everybody_meets_everybody(double: bool) -> None:
    for players in range(2, 13):
        table = berger_table(players, double=double)
        every = itertools.combinations(range(players + players % 2), 2)
        met = Counter(frozenset(pair) for pairs in table for pair in pairs)
        assert met == dict.fromkeys(map(frozenset, every), 1 + double)
        for player in range(players):
            boards = [pair for pairs in table for pair in pairs if max(pair) < players]
            turns = [pair[0] == player for pair in boards if player in pair]
            assert abs(2 * sum(turns) - len(turns)) <= (0 if double else 1)
            assert max((len(list(run)) for _, run in itertools.groupby(turns)), default=0) <= 2


def test_a_whole_round_robin_and_its_rounds() -> None:
    for players, byes in ((5, 5), (6, 0)):
        tournament = after(players, 5, 5)
        pairs = {frozenset((g.first, g.second)) for g in tournament.games}
        assert (len(pairs), len(tournament.byes)) == (players * (players - 1) // 2, byes)
    result = pair_round_robin(robin(6, 5), 1, constraints=Constraints(absent=frozenset((0,))))
    assert [bye.player for bye in result.byes] == [5]
    assert [(g.first, g.second, g.table) for g in result.games] == [(1, 4, 1), (2, 3, 2)]
    gone = robin(5, 5).with_player(
        4, replace(robin(5, 5).players[4], absent=frozenset(range(1, 6)))
    )
    assert sorted(pair_round_robin(gone, 1).numbers) == [0, 1, 2, 3]
    for rounds, double, expected in ((6, None, 6), (5, None, 3), (6, False, 3), (3, True, 6)):
        assert pair_round_robin(robin(4, rounds), 1, double=double).rounds == expected


def test_numbers_come_from_the_list_ratings_grades_names_lots_or_earlier_rounds() -> None:
    entries = (("C", 1, 2000.0), ("b", 3, None), ("A", None, 2400.0), ("d", 2, 2200.0))
    players = tuple(Player(name=n, rank=rank, rating=rating) for n, rank, rating in entries)
    start = Tournament(rounds=3, players=players, system=System.round_robin)
    orders = {"list": (0, 1, 2, 3), "rating": (2, 3, 0, 1), "rank": (1, 3, 0, 2),
              "name": (2, 1, 0, 3)}  # fmt: skip
    for name, order in orders.items():
        first = pair_round_robin(start, 1, numbering=name)
        assert (first.numbering, first.numbers) == (name, order)
        begun = with_results(first.added_to(start), 1)
        assert pair_round_robin(begun, 2, numbering=name).numbers == order
        # Without a word the first order that earlier rounds follow: 1 meets 4, and 2 meets 3.
        follows = [at for at, rows in orders.items() if {rows[0], rows[3]} in (
            {order[0], order[3]}, {order[1], order[2]})]  # fmt: skip
        assert pair_round_robin(begun, 2).numbering == follows[0]
    drawn, again = (pair_round_robin(start, 1, numbering="lot", seed=5).numbers for _ in range(2))
    assert drawn == again != pair_round_robin(start, 1, numbering="lot", seed=6).numbers


def crossed() -> Tournament:
    """Two boards of the first round with their opponents exchanged."""
    played = after(6, 5, 1)
    one, two, *others = played.games
    crossed = (replace(one, second=two.second), replace(two, second=one.second), *others)
    return replace(played, games=crossed)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (lambda: pair_round_robin(after(4, 5, 3), 4), "round robin of 4 players has 3 rounds"),
        (lambda: pair_round_robin(robin(1, 1), 1), "of 1 players has 0 rounds"),
        *((lambda demand=demand: pair_round_robin(robin(4, 3), 1, constraints=demand), "fixes all")
          for demand in (Constraints(fixed=((0, 1),)), Constraints(forbidden=((0, 1),)),
                         Constraints(bye=0))),
        (lambda: pair_round_robin(robin(5, 5), 1, constraints=Constraints(no_bye=True)),
         "P0000 x has no opponent"),
        (lambda: pair_round_robin(after(6, 5, 1), 1), "paired already"),
        (lambda: pair_round_robin(crossed(), 2, numbering="list"), "do not follow"),
    ],
)  # fmt: skip
def test_what_a_table_cannot_do(pair: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        pair()
