from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import pytest

from tests.tournament.pairing_fields import made, with_results
from yardstone.errors import InputError
from yardstone.tournament.model import System, Tournament
from yardstone.tournament.pairing import Constraints
from yardstone.tournament.round_robin import berger_table, pair_round_robin


def robin(players: int, rounds: int) -> Tournament:
    return made(players, rounds=rounds, system=System.round_robin)


def test_the_table_of_the_handbook() -> None:
    """FIDE Handbook, table for five or six players; the first named has White."""
    printed = """
    1-6 2-5 3-4
    6-4 5-3 1-2
    2-6 3-1 4-5
    6-5 1-4 2-3
    3-6 4-2 5-1
    """
    table = [" ".join(f"{a + 1}-{b + 1}" for a, b in pairs) for pairs in berger_table(6)]
    assert table == [line.strip() for line in printed.strip().splitlines()]


@pytest.mark.parametrize("players", range(2, 17))
@pytest.mark.parametrize("double", [False, True])
def test_everybody_meets_everybody(players: int, double: bool) -> None:
    table = berger_table(players, double=double)
    even = players + players % 2
    met = Counter(frozenset(pair) for pairs in table for pair in pairs)
    assert met == dict.fromkeys(map(frozenset, itertools.combinations(range(even), 2)), 1 + double)
    for player in range(players):
        turns = [
            pair[0] == player
            for pairs in table
            for pair in pairs
            if player in pair and max(pair) < players
        ]
        assert abs(2 * sum(turns) - len(turns)) <= 1
        assert max((len(list(run)) for _, run in itertools.groupby(turns)), default=0) <= 2
        if double:
            assert 2 * sum(turns) == len(turns)


@pytest.mark.parametrize("players", [5, 6])
def test_a_whole_round_robin(players: int) -> None:
    tournament = robin(players, 5)
    for number in range(1, 6):
        result = pair_round_robin(tournament, number)
        assert result.numbering == "list"
        tournament = with_results(result.added_to(tournament), number)
    pairs = {frozenset((g.first, g.second)) for g in tournament.games}
    assert len(pairs) == players * (players - 1) // 2
    assert len(tournament.byes) == (5 if players == 5 else 0)


def test_numbers_are_taken_from_earlier_rounds() -> None:
    tournament = robin(6, 5)
    backwards = replace(tournament, players=tournament.players[::-1])
    started = with_results(
        pair_round_robin(backwards, 1, numbering="rating").added_to(backwards), 1
    )
    started = with_results(pair_round_robin(started, 2, numbering="rating").added_to(started), 2)
    assert pair_round_robin(started, 3).numbering in ("rating", "rank", "name")
    drawn = pair_round_robin(tournament, 1, numbering="lot", seed=5)
    again = pair_round_robin(tournament, 1, numbering="lot", seed=5)
    assert drawn.numbers == again.numbers
    assert sorted(drawn.numbers) == list(range(6))


def test_absent_players_leave_opponents_free() -> None:
    result = pair_round_robin(robin(6, 5), 1, constraints=Constraints(absent=frozenset((0,))))
    assert [bye.player for bye in result.byes] == [5]
    assert len(result.games) == 2


def test_double_by_the_number_of_rounds() -> None:
    assert pair_round_robin(robin(4, 6), 1).rounds == 6
    assert pair_round_robin(robin(4, 3), 1).rounds == 3
    assert pair_round_robin(robin(4, 6), 1, double=False).rounds == 3


def test_what_a_table_cannot_do() -> None:
    tournament = robin(4, 5)
    for number in range(1, 4):
        result = pair_round_robin(tournament, number)
        tournament = with_results(result.added_to(tournament), number)
    with pytest.raises(InputError, match="round robin of 4 players has 3 rounds"):
        pair_round_robin(tournament, 4)
    with pytest.raises(InputError, match="fixes all boards"):
        pair_round_robin(robin(4, 3), 1, constraints=Constraints(fixed=((0, 1),)))
    with pytest.raises(InputError, match="no opponent"):
        pair_round_robin(robin(5, 5), 1, constraints=Constraints(no_bye=True))
    one = robin(6, 5)
    paired = pair_round_robin(one, 1).added_to(one)
    with pytest.raises(InputError, match="paired already"):
        pair_round_robin(paired, 1)
    swapped = with_results(paired, 1)
    first, second, *others = swapped.games
    wrong = replace(
        swapped,
        games=(
            replace(first, second=second.second),
            replace(second, second=first.second),
            *others,
        ),
    )
    with pytest.raises(InputError, match="do not follow"):
        pair_round_robin(wrong, 2, numbering="list")
