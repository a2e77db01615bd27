"""Pairs the next round of a tournament."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError
from yardstone.kernels import Loops, weighed
from yardstone.tournament._pairing import board_values, bye_values, pair_weights, side_list
from yardstone.tournament.constraints import (
    Constraints,
    allowed_boards,
    check_round,
    fixed_pairs,
    free_tables,
    impossible,
    round_to_pair,
    to_be_paired,
)
from yardstone.tournament.entrants import Entrants, enter
from yardstone.tournament.matching import maximum_matching
from yardstone.tournament.model import Bye, Game, Tournament
from yardstone.tournament.pairing_rules import CRITERIA, PairingRules

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "PairedBoard",
    "Pairing",
    "made_pairing",
    "pair_round",
    "values_of",
]


@dataclass(frozen=True, kw_only=True)
class PairedBoard:
    """A proposed game.

    Attributes
    ----------
    table : int
        From 1.
    first, second : int
        Numbers of the players; `first` moves first. `second` is -1 for the bye.
    handicap : int
        Stones given to `first`.
    values : mapping of str to int
        What the board is worth by each criterion.
    fixed : bool
        Demanded by hand.
    """

    table: int
    first: int
    second: int
    handicap: int
    values: Mapping[str, int]
    fixed: bool = False

    @property
    def weight(self) -> int:
        """Sum of the values."""
        return sum(self.values.values())

    @property
    def players(self) -> frozenset[int]:
        """Both players, or the one with the bye."""
        return frozenset((self.first, self.second) if self.second >= 0 else (self.first,))


@dataclass(frozen=True, eq=False)
class Pairing:
    """A round's boards with their weights.

    Attributes
    ----------
    entrants : Entrants
        Who was paired, with their state before the round.
    boards : tuple of PairedBoard
        By tables.
    bye : PairedBoard or None
        Of the player without an opponent.
    kept : tuple of Game
        Games of the round that stood already and were left alone.
    allowed : bool array (n, n) or, for odd n, (n + 1, n + 1)
        Which boards could be, by rows of the entrants; the last row is the bye.
    weights : int64 array of the same shape
    """

    entrants: Entrants
    boards: tuple[PairedBoard, ...]
    bye: PairedBoard | None
    kept: tuple[Game, ...]
    allowed: NDArray[np.bool_]
    weights: NDArray[np.int64]

    @property
    def round(self) -> int:
        """The round that is paired."""
        return self.entrants.round

    @property
    def all_boards(self) -> tuple[PairedBoard, ...]:
        """The boards, and the bye behind them if there is one."""
        return self.boards if self.bye is None else (*self.boards, self.bye)

    @property
    def weight(self) -> int:
        """Sum of the weights of all boards; that of the bye counts as well."""
        return sum(board.weight for board in self.all_boards)

    @cached_property
    def values(self) -> dict[str, int]:
        """Total value by each criterion."""
        return {name: sum(board.values[name] for board in self.all_boards) for name in CRITERIA}

    @cached_property
    def mate(self) -> NDArray[np.int64]:
        """The opponent of each entrant by row; the number of rows stands for the bye."""
        row = self.row_of
        mate = np.full(len(self.entrants), len(self.entrants), np.int64)
        for board in self.boards:
            a, b = row[board.first], row[board.second]
            mate[a], mate[b] = b, a
        return mate

    @cached_property
    def row_of(self) -> dict[int, int]:
        """Row of each entrant by the player's number."""
        return {int(player): row for row, player in enumerate(self.entrants.players)}

    def games(self) -> tuple[Game, ...]:
        """The boards as games without a result."""
        return tuple(
            Game(
                round=self.round,
                table=board.table,
                first=board.first,
                second=board.second,
                handicap=board.handicap,
            )
            for board in self.boards
        )

    def added_to(self, tournament: Tournament) -> Tournament:
        """The tournament with these games, and the bye, in the round."""
        byes = () if self.bye is None else (Bye(self.round, self.bye.first),)
        return tournament.with_round(self.games(), byes)


@weighed(Loops.PAIRING, lambda tournament, *_, **__: len(tournament.players) ** 2)
def pair_round(
    tournament: Tournament,
    round_number: int | None = None,
    *,
    rules: PairingRules | None = None,
    constraints: Constraints | None = None,
) -> Pairing:
    """The pairing of the largest weight for a round.

    Games of the round that stand already are kept, and only those players are paired
    who have neither a game nor a bye in it: late entries, for example.

    Parameters
    ----------
    tournament : Tournament
    round_number : int, optional
        By default the first round in which nobody is paired.
    rules : PairingRules, optional
        By default the tournament's own.
    constraints : Constraints, optional
        Boards fixed and forbidden, absent players, the bye.

    Raises
    ------
    InputError
        What is demanded cannot be: no such round, open results, a player fixed twice,
        nobody to pair, an odd field without a bye, or players who could only meet the
        same few opponents. The message says whom it concerns.
    """
    constraints = constraints or Constraints()
    number = round_to_pair(tournament) if round_number is None else round_number
    rules = rules or PairingRules.of(tournament)
    check_round(tournament, number, constraints)
    kept = tournament.round_games(number)
    players = to_be_paired(tournament, number, constraints)
    if not players:
        raise InputError(
            f"round {number}: no players are left to pair",
            file=tournament.file or None,
            hint="it is paired already; take its boards back to pair it again" if kept else None,
        )
    entrants = enter(tournament.before(number), number, rules, players)
    if constraints.no_bye and len(entrants) % 2:
        raise InputError(
            f"round {number}: {len(entrants)} players, an odd number",
            file=tournament.file or None,
            hint="allow a bye, or let a player sit out",
        )
    fixed = fixed_pairs(entrants, constraints)
    allowed = allowed_boards(entrants, constraints)
    for a, b in fixed:
        allowed[[a, b], :] = allowed[:, [a, b]] = False
        allowed[a, b] = allowed[b, a] = True
    weights = pair_weights(entrants.entries, entrants.met, entrants.packed)
    matching = maximum_matching(weights, allowed)
    if matching.alone:
        raise impossible(entrants, matching, constraints)
    tables = free_tables(kept, len(entrants) // 2)
    return made_pairing(entrants, matching.mate, tables, kept, allowed, weights, fixed)


def values_of(entrants: Entrants, a: int, b: int) -> dict[str, int]:
    """What the board of two rows is worth by each criterion; b behind the last is the bye."""
    values = np.zeros(len(CRITERIA), np.int64)
    if b >= len(entrants):
        bye_values(entrants.entries, a, entrants.packed, values)
    else:
        met = int(entrants.met[a, b])
        board_values(entrants.entries, a, b, met, entrants.packed, values)
    return dict(zip(CRITERIA, values.tolist(), strict=True))


def made_pairing(
    entrants: Entrants,
    mate: NDArray[np.int64],
    tables: list[int],
    kept: tuple[Game, ...],
    allowed: NDArray[np.bool_],
    weights: NDArray[np.int64],
    fixed: Collection[tuple[int, int]],
) -> Pairing:
    """The pairing in which every row has the partner that `mate` names."""
    n = len(entrants)
    by_hand = {frozenset(pair) for pair in fixed}
    first, second, stones = side_list(entrants.entries, mate[:n], entrants.packed)
    player = entrants.players
    boards = tuple(
        PairedBoard(
            table=table,
            first=int(player[a]),
            second=int(player[b]),
            handicap=int(handicap),
            values=values_of(entrants, int(a), int(b)),
            fixed=frozenset((int(a), int(b))) in by_hand,
        )
        for table, a, b, handicap in zip(tables, first, second, stones, strict=True)
    )
    bye = None
    if n % 2:
        row = int(np.flatnonzero(mate[:n] == n)[0])
        bye = PairedBoard(
            table=0,
            first=int(player[row]),
            second=-1,
            handicap=0,
            values=values_of(entrants, row, n),
            fixed=frozenset((row, n)) in by_hand,
        )
    return Pairing(entrants, boards, bye, kept, allowed, weights)
