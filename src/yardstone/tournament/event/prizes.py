"""The prize list: by place, by group of grades, and by wins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from yardstone.choices import check_number
from yardstone.errors import UsageError
from yardstone.grades import format_grade
from yardstone.tournament.model import Result, Tournament
from yardstone.tournament.standings_table import Standings, standings


@dataclass(frozen=True, slots=True, kw_only=True)
class Prize:
    """A prize of one player."""

    group: str  #: What it is for: "Place", "1d and stronger", "4 wins"
    place: int  #: Place within the group; shared by tied players. 0 for wins.
    shared: bool  #: Whether others have the same place
    line: int  #: Row of the standings, from 0
    player: int  #: Number of the player
    wins: int  #: Games won, those by forfeit among them; a bye is none
    money: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class PrizeList:
    """Result of `prize_list`."""

    table: Standings  #: By which it was made
    prizes: tuple[Prize, ...]  #: By groups
    open_results: int  #: Results that are missing in the rounds that are paired
    rounds_to_come: int  #: Rounds that are not paired yet

    @property
    def final(self) -> bool:
        """Whether nothing is to come."""
        return not self.open_results and not self.rounds_to_come


def prize_list(
    tournament: Tournament,
    *,
    places: int = 3,
    groups: Sequence[int] | None = None,
    group_places: int = 1,
    wins: int | None = None,
    money: Sequence[float] = (),
    once: bool = False,
    criteria: str | None = None,
) -> PrizeList:
    """Who gets a prize by the standings.

    Players with equal scores in all criteria share a place, and the money of the places that they
    take up in equal parts.

    Args:
        places: Places with a prize.
        groups: The lowest grades of groups with prizes of their own (1 dan = 0), the strongest
            first; those below the last are a group as well. By default the categories of the
            tournament.
        group_places: Places with a prize in each group.
        wins: Everybody with so many wins gets a prize.
        money: For the first places.
        once: Whether players with a prize for their place get none in their group.
        criteria: By default those of the tournament.
    """
    check_number("places", places, least=0, whole=True)
    check_number("places of a group", group_places, least=1, whole=True)
    if any(not 0 <= each < 1e9 for each in money):
        raise UsageError("money is a list of amounts such as 300,200,100")
    if not any(game.result is not Result.unknown for game in tournament.games):
        raise tournament.error("nobody has played yet")
    table = standings(tournament, round_number=tournament.last_round, criteria=criteria)
    order = [int(row) for row in table.order]
    games = tournament.games
    won = [sum(g.points(r) == 1 for g in games if r in g.players) for r in order]
    ranks = [tournament.players[row].rank for row in order]

    def prize(group: str, line: int, place: int = 0, *, shared: bool = False) -> Prize:
        player, wins = order[line], won[line]
        return Prize(group=group, place=place, shared=shared, line=line, player=player, wins=wins)

    def prizes_of(group: str, lines: Sequence[int], most: int) -> Iterator[Prize]:
        at = 0
        while at < min(len(lines), most):
            level = table.values[lines[at]]
            same = [x for x in lines[at:] if np.array_equal(table.values[x], level, equal_nan=True)]
            yield from (prize(group, line, at + 1, shared=len(same) > 1) for line in same)
            at += len(same)

    whole = range(len(order))
    prizes = list(prizes_of("Place", whole, max(places, len(money))))
    if money:
        shares = Counter(prize.place for prize in prizes)
        prizes = [
            replace(p, money=sum(money[p.place - 1 :][: shares[p.place]]) / shares[p.place])
            for p in prizes
        ]
    holders = {prize.line for prize in prizes} if once else set()
    for name, low, high in _bands(tournament.scoring.categories if groups is None else groups):
        band = [line for line, rank in enumerate(ranks) if rank is not None and low <= rank <= high]
        prizes += prizes_of(name, [line for line in band if line not in holders], group_places)
    if wins is not None:
        group = f"{wins} {'win' if wins == 1 else 'wins'} or more"
        winners = sorted((line for line in whole if won[line] >= wins), key=lambda at: -won[at])
        prizes += [prize(group, line) for line in winners]
    return PrizeList(
        table=table,
        prizes=tuple(prizes),
        open_results=sum(game.result is Result.unknown for game in tournament.games),
        rounds_to_come=tournament.rounds - tournament.last_round,
    )


def _bands(limits: Sequence[int]) -> list[tuple[str, int, int]]:
    """Name, lowest and highest grade of each group."""
    if not limits:
        return []
    ordered = sorted(set(limits), reverse=True)
    bands = [(f"{format_grade(ordered[0])} and stronger", ordered[0], 99)]
    for above, low in pairwise(ordered):
        high = above - 1
        name = format_grade(low) if low == high else f"{format_grade(high)} to {format_grade(low)}"
        bands.append((name, low, high))
    last = ordered[-1] - 1
    return [*bands, (f"{format_grade(last)} and weaker", -99, last)]
