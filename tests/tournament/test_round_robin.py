from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.tournament.pairing_fields import made, with_results
from yardstone.errors import InputError
from yardstone.tournament import Constraints, System, Tournament, berger_table, pair_round_robin


def robin(players: int, rounds: int) -> Tournament:
    return made(players, rounds=rounds, system=System.round_robin)


def after(players: int, rounds: int, until: int, numbering: str = "list") -> Tournament:
    """Its first rounds paired and played."""
    tournament = robin(players, rounds)
    for number in range(1, until + 1):
        result = pair_round_robin(tournament, number, numbering=numbering)
        tournament = with_results(result.added_to(tournament), number)
    return tournament


def test_the_table_of_the_handbook() -> None:
    """FIDE Handbook, table for five or six players; the first named has White."""
    printed = ("1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1")
    table = [" ".join(f"{a + 1}-{b + 1}" for a, b in pairs) for pairs in berger_table(6)]
    assert table == list(printed)


@pytest.mark.parametrize("double", [False, True])
def test_everybody_meets_everybody(double: bool) -> None:
    for players in range(2, 17):
        table = berger_table(players, double=double)
        every = itertools.combinations(range(players + players % 2), 2)
        met = Counter(frozenset(pair) for pairs in table for pair in pairs)
        assert met == dict.fromkeys(map(frozenset, every), 1 + double)
        for player in range(players):
            boards = [pair for pairs in table for pair in pairs if max(pair) < players]
            turns = [pair[0] == player for pair in boards if player in pair]
            assert abs(2 * sum(turns) - len(turns)) <= (0 if double else 1)
            assert max((len(list(run)) for _, run in itertools.groupby(turns)), default=0) <= 2


@pytest.mark.parametrize("players", [5, 6])
def test_a_whole_round_robin(players: int) -> None:
    tournament = after(players, 5, 5)
    pairs = {frozenset((g.first, g.second)) for g in tournament.games}
    assert len(pairs) == players * (players - 1) // 2
    assert len(tournament.byes) == (5 if players == 5 else 0)


def test_numbers_come_from_earlier_rounds_or_lots() -> None:
    assert pair_round_robin(after(6, 5, 2), 3).numbering == "list"
    backwards = replace(robin(6, 5), players=robin(6, 5).players[::-1])
    for number in (1, 2):
        paired = pair_round_robin(backwards, number, numbering="rating").added_to(backwards)
        backwards = with_results(paired, number)
    assert pair_round_robin(backwards, 3).numbering in ("rating", "rank", "name")
    drawn, again = (pair_round_robin(robin(6, 5), 1, numbering="lot", seed=5) for _ in range(2))
    assert drawn.numbers == again.numbers
    assert sorted(drawn.numbers) == list(range(6))


def test_absent_players_leave_opponents_free_and_many_rounds_make_it_double() -> None:
    result = pair_round_robin(robin(6, 5), 1, constraints=Constraints(absent=frozenset((0,))))
    assert [bye.player for bye in result.byes] == [5]
    assert len(result.games) == 2
    for rounds, double, expected in ((6, None, 6), (3, None, 3), (6, False, 3)):
        assert pair_round_robin(robin(4, rounds), 1, double=double).rounds == expected


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
        (lambda: pair_round_robin(robin(4, 3), 1, constraints=Constraints(fixed=((0, 1),))),
         "fixes all boards"),
        (lambda: pair_round_robin(robin(5, 5), 1, constraints=Constraints(no_bye=True)),
         "no opponent"),
        (lambda: pair_round_robin(after(6, 5, 1), 1), "paired already"),
        (lambda: pair_round_robin(crossed(), 2, numbering="list"), "do not follow"),
    ],
)  # fmt: skip
def test_what_a_table_cannot_do(pair: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        pair()
