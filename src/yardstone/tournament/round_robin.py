"""Round robins: everybody meets everybody, by Berger's tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from yardstone.tournament.model import Bye, Game, Tournament
from yardstone.tournament.pairing import Constraints, check_round, free_tables

#: Ways to give players their numbers in the table.
NUMBERINGS = ("list", "rating", "rank", "name", "lot")


def berger_round(players: int, round_number: int) -> list[tuple[int, int]]:
    """One round of the Berger table, as (moves first, moves second), numbers from 0.

    For an odd number of players whoever meets the last number of a larger table, `players`, is
    free. Rounds beyond the first cycle repeat it with colours exchanged, in turn. FIDE Handbook
    C.05, annex 1.

    Examples:
        >>> berger_round(4, 1), berger_round(4, 2)
        ([(0, 3), (1, 2)], [(3, 2), (0, 1)])
    """
    even = players + players % 2
    if even < 2:
        return []
    last = even - 1
    cycle, place = divmod(round_number - 1, last)
    meets_last = place * (even // 2) % last
    pairs = [(meets_last, last) if place % 2 == 0 else (last, meets_last)]
    pairs += [((meets_last + k) % last, (meets_last - k) % last) for k in range(1, even // 2)]
    return [(b, a) for a, b in pairs] if cycle % 2 else pairs


def berger_table(players: int, *, double: bool = False) -> list[list[tuple[int, int]]]:
    """All rounds of a round robin; in a double one everybody meets everybody twice.

    In a double round robin the last two rounds of the first cycle are exchanged, so that nobody has
    one colour three times running where the cycles meet.
    """
    cycle = players + players % 2 - 1
    order = list(range(1, (2 * cycle if double else cycle) + 1))
    if double and cycle > 2:
        order[cycle - 2], order[cycle - 1] = order[cycle - 1], order[cycle - 2]
    return [berger_round(players, number) for number in order]


@dataclass(frozen=True, kw_only=True)
class RoundRobin:
    """A round of a round robin."""

    tournament: Tournament
    round: int
    numbering: str  #: How players got their numbers (`NUMBERINGS`)
    numbers: tuple[int, ...]  #: The player with each number of the table
    games: tuple[Game, ...]
    byes: tuple[Bye, ...]  #: Of the player who is free, and of those whose opponent is absent
    rounds: int  #: Rounds of the whole table

    def added_to(self, tournament: Tournament) -> Tournament:
        """The tournament with this round."""
        return tournament.with_round(self.games, self.byes)


def pair_round_robin(
    tournament: Tournament,
    round_number: int | None = None,
    *,
    numbering: str | None = None,
    seed: int = 0,
    double: bool | None = None,
    constraints: Constraints | None = None,
) -> RoundRobin:
    """A round of the Berger table.

    Args:
        round_number: By default the first round in which nobody is paired.
        numbering: One of `NUMBERINGS`. By default the first of them that earlier rounds follow.
        seed: Of the lot, which must stay the same for all rounds.
        double: Whether everybody meets everybody twice; by default if there are rounds enough.
        constraints: Only absent players, byes for their opponents and open results can be demanded
            of a table.

    Raises:
        InputError: There are fewer opponents than rounds, earlier rounds follow no such table, or
            boards are demanded that the table does not have.
    """
    constraints = constraints or Constraints()
    if round_number is None:
        round_number = tournament.next_round
    check_round(tournament, round_number, constraints)
    if constraints.fixed or constraints.forbidden or constraints.bye is not None:
        raise tournament.error(
            "the table of a round robin fixes all boards and byes",
            hint="pair by another system to choose boards by hand",
        )
    playing = {p for game in tournament.games for p in game.players}
    rounds = range(1, tournament.rounds + 1)
    members = [
        row
        for row, player in enumerate(tournament.players)
        if row in playing or any(player.takes_part(number) for number in rounds)
    ]
    n = len(members)
    cycle = n + n % 2 - 1
    twice = tournament.rounds >= 2 * cycle if double is None else double
    table = berger_table(n, double=twice)
    if n < 2 or round_number > len(table):
        raise tournament.error(
            f"round {round_number} cannot be paired: a {'double ' if twice else ''}round robin "
            f"of {n} players has {len(table) if n > 1 else 0} rounds"
        )
    if tournament.round_games(round_number):
        raise tournament.error(f"round {round_number} is paired already")
    earlier = {
        (game.round, frozenset(game.players))
        for game in tournament.games
        if game.round < round_number
    }
    for name in NUMBERINGS if numbering is None else (numbering,):
        numbers = _numbered(tournament, members, name, seed)
        planned = {
            (number, frozenset(numbers[k] for k in pair if k < n))
            for number, pairs in enumerate(table[: round_number - 1], 1)
            for pair in pairs
        }
        if earlier <= planned:
            break
    else:
        raise tournament.error(
            "earlier rounds do not follow the table of a round robin",
            hint="name the order of the numbers, or pair by another system",
        )
    here = {
        row
        for row in numbers
        if tournament.players[row].takes_part(round_number) and row not in constraints.absent
    }
    here -= {bye.player for bye in tournament.byes if bye.round == round_number}
    pairs, byes = [], []
    for one, two in table[round_number - 1]:
        rows = [numbers[k] for k in (one, two) if k < n]
        present = [row for row in rows if row in here]
        if len(present) == 2:
            pairs.append((rows[0], rows[1]))
        elif present:
            byes.append(Bye(round_number, present[0]))
    if byes and constraints.no_bye:
        who = tournament.name_of(byes[0].player)
        raise tournament.error(f"round {round_number}: {who} has no opponent")
    games = tuple(
        Game(round=round_number, table=at, first=first, second=second)
        for at, (first, second) in zip(free_tables((), len(pairs)), pairs, strict=True)
    )
    return RoundRobin(
        tournament=tournament,
        round=round_number,
        numbering=name,
        numbers=numbers,
        games=games,
        byes=tuple(byes),
        rounds=len(table),
    )


def _numbered(
    tournament: Tournament, members: Sequence[int], numbering: str, seed: int
) -> tuple[int, ...]:
    players = [tournament.players[row] for row in members]
    keys: dict[str, list[Any]] = {
        "rating": [np.inf if p.rating is None else -p.rating for p in players],
        "rank": [np.inf if p.rank is None else -p.rank for p in players],
        "name": [p.full_name.casefold() for p in players],
    }
    order: Iterable[int] = range(len(members))
    if numbering == "lot":
        order = np.random.default_rng(seed).permutation(len(members))
    elif numbering in keys:
        order = sorted(order, key=keys[numbering].__getitem__)
    return tuple(members[k] for k in order)
