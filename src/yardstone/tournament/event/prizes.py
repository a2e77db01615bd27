"""The prize list: by place, by group of grades, and by wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import check_number
from yardstone.errors import InputError, UsageError
from yardstone.grades import format_grade
from yardstone.tournament.model import Result, Tournament
from yardstone.tournament.standings_table import standings

if TYPE_CHECKING:
    from yardstone.tournament.standings_table import Standings

__all__ = ["Prize", "PrizeList", "prize_list"]


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
        raise InputError("nobody has played yet", file=tournament.file or None)
    table = standings(tournament, round_number=tournament.last_round, criteria=criteria)
    order = [int(row) for row in table.order]
    won = {row: _wins(tournament, row) for row in order}
    whole = list(range(len(order)))
    prizes = _of_group(table, "Place", whole, max(places, len(money)), won, money)
    holders = {prize.player for prize in prizes}
    limits = tournament.scoring.categories if groups is None else tuple(groups)
    for name, low, high in _bands(limits):
        lines = [line for line in whole if _within(tournament, order[line], low, high)]
        if once:
            lines = [line for line in lines if order[line] not in holders]
        prizes += _of_group(table, name, lines, group_places, won, ())
    if wins is not None:
        prizes += [
            Prize(
                group=f"{wins} {'win' if wins == 1 else 'wins'} or more",
                place=0,
                shared=False,
                line=line,
                player=order[line],
                wins=won[order[line]],
            )
            for line in sorted(whole, key=lambda at: (-won[order[at]], at))
            if won[order[line]] >= wins
        ]
    return PrizeList(
        table=table,
        prizes=tuple(prizes),
        open_results=sum(game.result is Result.unknown for game in tournament.games),
        rounds_to_come=tournament.rounds - tournament.last_round,
    )


def _wins(tournament: Tournament, row: int) -> int:
    return sum(
        game.points(row) == 1 for game in tournament.games if row in (game.first, game.second)
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


def _within(tournament: Tournament, row: int, low: int, high: int) -> bool:
    rank = tournament.players[row].rank
    return rank is not None and low <= rank <= high


def _of_group(
    table: Standings,
    group: str,
    lines: Sequence[int],
    places: int,
    won: dict[int, int],
    money: Sequence[float],
) -> list[Prize]:
    """The prizes of some lines of the standings, tied players with the same place."""
    prizes: list[Prize] = []
    at = 0
    while at < len(lines) and at < places:
        same = [
            line
            for line in lines[at:]
            if np.array_equal(table.values[line], table.values[lines[at]], equal_nan=True)
        ]
        purse = sum(money[at : at + len(same)])
        prizes += [
            Prize(
                group=group,
                place=at + 1,
                shared=len(same) > 1,
                line=line,
                player=int(table.order[line]),
                wins=won[int(table.order[line])],
                money=purse / len(same) if money else None,
            )
            for line in same
        ]
        at += len(same)
    return prizes
