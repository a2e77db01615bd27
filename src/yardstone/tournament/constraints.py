"""What the organiser demands of a round, and why it may be impossible."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError
from yardstone.tournament.model import Result

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.tournament.entrants import Entrants
    from yardstone.tournament.matching import Matching
    from yardstone.tournament.model import Game, Tournament

__all__ = [
    "Constraints",
    "allowed_boards",
    "check_round",
    "fixed_pairs",
    "free_tables",
    "impossible",
    "round_to_pair",
    "to_be_paired",
]

#: So many names stand in an error.
_NAMES = 8


@dataclass(frozen=True, kw_only=True)
class Constraints:
    """What the organiser demands of a round. Players are named by their numbers from 0.

    Attributes
    ----------
    fixed : tuple of (int, int)
        Boards that must be.
    forbidden : tuple of (int, int)
        Boards that must not be.
    absent : frozenset of int
        Players who do not take part, beside those whom the file says to be absent.
    bye : int or None
        Who stays without an opponent.
    no_bye : bool
        Refuse a field of odd size.
    rematch : bool
        Allow games between players who have met before.
    open_results : bool
        Pair although results of earlier rounds are missing; such games count nothing.
    """

    fixed: tuple[tuple[int, int], ...] = ()
    forbidden: tuple[tuple[int, int], ...] = ()
    absent: frozenset[int] = frozenset()
    bye: int | None = None
    no_bye: bool = False
    rematch: bool = False
    open_results: bool = False


def round_to_pair(tournament: Tournament) -> int:
    """The first round in which nobody is paired yet."""
    paired = {game.round for game in tournament.games}
    number = 1
    while number in paired:
        number += 1
    return number


def check_round(tournament: Tournament, number: int, constraints: Constraints) -> None:
    """Refuse a round that does not exist, comes too early, or follows open results."""
    where = tournament.file or None
    if not 1 <= number <= tournament.rounds:
        raise InputError(
            f"round {number} cannot be paired: the tournament has {tournament.rounds} rounds",
            file=where,
            hint="change the number of rounds first" if number > tournament.rounds else None,
        )
    if number > 1 and not any(game.round == number - 1 for game in tournament.games):
        raise InputError(f"round {number} cannot be paired before round {number - 1}", file=where)
    open_games = [
        game for game in tournament.games if game.round < number and game.result is Result.unknown
    ]
    if open_games and not constraints.open_results:
        game = open_games[0]
        names = (tournament.players[p].full_name for p in (game.first, game.second))
        raise InputError(
            f"{_count(len(open_games), 'game')} of earlier rounds without a result: "
            f"round {game.round}, table {game.table}, {' - '.join(names)}",
            file=where,
            line=game.line or None,
            hint="enter the results, or allow open ones",
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def to_be_paired(tournament: Tournament, number: int, constraints: Constraints) -> list[int]:
    """Numbers of the players who have neither a game nor a bye in the round."""
    busy = {p for game in tournament.round_games(number) for p in (game.first, game.second)}
    busy |= {bye.player for bye in tournament.byes if bye.round == number}
    for pair in constraints.fixed:
        for player in pair:
            who = tournament.players[player].full_name
            if player in busy:
                raise InputError(f"{who} is paired already in round {number}")
            if player in constraints.absent or not tournament.players[player].takes_part(number):
                raise InputError(f"{who} does not take part in round {number}")
    return [
        row
        for row, player in enumerate(tournament.players)
        if player.takes_part(number) and row not in busy and row not in constraints.absent
    ]


def fixed_pairs(entrants: Entrants, constraints: Constraints) -> list[tuple[int, int]]:
    """Rows of the boards that must be; the bye as the row behind the last."""
    row = {int(player): number for number, player in enumerate(entrants.players)}
    banned = {frozenset(pair) for pair in constraints.forbidden}
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    for pair in constraints.fixed:
        names = " - ".join(entrants.tournament.players[p].full_name for p in pair)
        if pair[0] == pair[1]:
            raise InputError(f"board {names}: a player cannot meet himself")
        if frozenset(pair) in banned:
            raise InputError(f"board {names} is both fixed and forbidden")
        for player in pair:
            if player in taken:
                who = entrants.tournament.players[player].full_name
                raise InputError(f"{who} is on two fixed boards")
            taken.add(player)
        pairs.append((row[pair[0]], row[pair[1]]))
    if constraints.bye is not None:
        who = entrants.tournament.players[constraints.bye].full_name
        if len(entrants) % 2 == 0:
            raise InputError(f"no bye for {who}: the number of players is even")
        if constraints.bye not in row:
            raise InputError(f"no bye for {who}, who is not to be paired")
        if constraints.bye in taken:
            raise InputError(f"{who} is on a fixed board and cannot have the bye")
        pairs.append((row[constraints.bye], len(entrants)))
    return pairs


def allowed_boards(entrants: Entrants, constraints: Constraints) -> NDArray[np.bool_]:
    """Which boards may be, by rows; the row behind the last is the bye."""
    n = len(entrants)
    whole = n + n % 2
    allowed = np.ones((whole, whole), np.bool_)
    np.fill_diagonal(allowed, False)
    if not constraints.rematch:
        allowed[:n, :n] &= entrants.met == 0
    row = {int(player): number for number, player in enumerate(entrants.players)}
    for a, b in constraints.forbidden:
        if a in row and b in row:
            allowed[row[a], row[b]] = allowed[row[b], row[a]] = False
    for a, b in constraints.fixed:
        allowed[row[a], row[b]] = allowed[row[b], row[a]] = True
    return allowed


def impossible(entrants: Entrants, matching: Matching, constraints: Constraints) -> InputError:
    """Why there is no pairing: whom the players concerned could meet."""
    n = len(entrants)

    def names(rows: Iterable[int]) -> str:
        listed = [entrants.name(row) if row < n else "the bye" for row in rows]
        more = f" and {len(listed) - _NAMES} more" if len(listed) > _NAMES else ""
        return ", ".join(listed[:_NAMES]) + more

    singles = [group[0] for group in matching.crowd if len(group) == 1]
    others = len(matching.crowd) - len(singles)
    who = names(singles) + (f" and {_count(others, 'other group')}" if others and singles else "")
    if not singles:
        who = f"{others} groups of players ({names(matching.crowd[0])}; ...)"
    if not matching.bottleneck:
        reason = f"{who}: no opponent is left"
        if len(matching.crowd[0]) > 1:
            reason = f"{names(matching.crowd[0])} could only meet each other, and are an odd number"
    else:
        reason = f"{who} could only meet {names(matching.bottleneck)}"
    hint = (
        "forbid fewer boards" if constraints.rematch else "allow rematches, or forbid fewer boards"
    )
    return InputError(
        f"round {entrants.round} cannot be paired: {reason}",
        file=entrants.tournament.file or None,
        hint=hint,
    )


def free_tables(kept: Collection[Game], needed: int) -> list[int]:
    """The lowest numbers of tables that are not in use."""
    taken = {game.table for game in kept}
    tables: list[int] = []
    number = 1
    while len(tables) < needed:
        if number not in taken:
            tables.append(number)
        number += 1
    return tables
