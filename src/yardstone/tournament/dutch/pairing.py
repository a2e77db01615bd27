"""A round paired by FIDE's Dutch system."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError
from yardstone.kernels import Loops, weighed
from yardstone.tournament.constraints import (
    Constraints,
    check_round,
    free_tables,
    round_to_pair,
    to_be_paired,
)
from yardstone.tournament.dutch.best_matchings import Level
from yardstone.tournament.dutch.brackets import RoundPairs, pair_brackets
from yardstone.tournament.dutch.colours import ColourReason, allocate
from yardstone.tournament.dutch.criteria import PairTable
from yardstone.tournament.dutch.field import DutchField, PieceColour, dutch_field
from yardstone.tournament.model import Bye, ByeKind, Game

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.tournament.dutch.best_matchings import BestMatchings
    from yardstone.tournament.dutch.brackets import BracketReport
    from yardstone.tournament.model import Tournament

__all__ = ["DutchBoard", "DutchPairing", "allowed_pairs", "initial_colour", "made", "pair_dutch"]

#: So many names stand in an error.
_NAMES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class DutchBoard:
    """A game, or the bye.

    Attributes
    ----------
    table : int
        From 1; 0 for the bye.
    first, second : int
        Numbers of the players; `first` has White. `second` is -1 for the bye.
    reason : ColourReason or None
        What decided the colours; None for the bye and for boards fixed by hand.
    bracket : int
        Number of the bracket in which it was paired, from 0; -1 if fixed by hand.
    """

    table: int
    first: int
    second: int
    reason: ColourReason | None = None
    bracket: int = -1

    @property
    def players(self) -> frozenset[int]:
        """Both players, or the one with the bye."""
        return frozenset((self.first, self.second) if self.second >= 0 else (self.first,))


@dataclass(frozen=True, eq=False, kw_only=True)
class DutchPairing:
    """Result of `pair_dutch`.

    Attributes
    ----------
    field : DutchField
        The players with their state before the round.
    initial : PieceColour
        The initial colour.
    drawn : bool
        Whether it was drawn by lot now.
    boards : tuple of DutchBoard
        By tables.
    bye : DutchBoard or None
    kept : tuple of Game
        Games of the round that stood already.
    pairs : RoundPairs
        The brackets with their criteria.
    allowed : bool array (n, n) or, for odd n, (n + 1, n + 1)
        Which pairs could be, by places in the field; the last row is the bye.
    first : tuple of Level
        Criteria that came before those of the rules.
    """

    field: DutchField
    initial: PieceColour
    drawn: bool
    boards: tuple[DutchBoard, ...]
    bye: DutchBoard | None
    kept: tuple[Game, ...]
    pairs: RoundPairs
    allowed: NDArray[np.bool_]
    first: tuple[Level, ...] = ()

    @property
    def round(self) -> int:
        """The round that is paired."""
        return self.field.round

    @property
    def brackets(self) -> tuple[BracketReport, ...]:
        """The brackets from the top."""
        return self.pairs.brackets

    @cached_property
    def all_boards(self) -> tuple[DutchBoard, ...]:
        """The boards, and the bye behind them if there is one."""
        return self.boards if self.bye is None else (*self.boards, self.bye)

    def games(self) -> tuple[Game, ...]:
        """The boards as games without a result."""
        return tuple(
            Game(round=self.round, table=board.table, first=board.first, second=board.second)
            for board in self.boards
        )

    def added_to(self, tournament: Tournament) -> Tournament:
        """The tournament with these games, the bye, and the initial colour if it was drawn."""
        byes = () if self.bye is None else (Bye(self.round, self.bye.first),)
        colour = "white" if self.initial is PieceColour.white else "black"
        swiss = replace(tournament.swiss, initial_colour=colour) if self.drawn else tournament.swiss
        return replace(tournament.with_round(self.games(), byes), swiss=swiss)


def initial_colour(tournament: Tournament, seed: int = 0) -> tuple[PieceColour, bool]:
    """The initial colour of a tournament, and whether it had to be drawn.

    It is what the file says; else what the first round shows; else a lot.
    """
    if tournament.swiss.initial_colour:
        return PieceColour[tournament.swiss.initial_colour], False
    for number in range(1, tournament.last_round + 1):
        players = [p for g in tournament.round_games(number) for p in (g.first, g.second)]
        if not players:
            continue
        byes = [
            bye.player
            for bye in tournament.byes
            if bye.round == number and bye.kind is ByeKind.paired
        ]
        order = dutch_field(tournament.before(number), number, [*players, *byes]).players
        for place, each in enumerate(sorted(order, key=lambda p: p.number)):
            game = tournament.game_of.get((number, each.player))
            if game is not None and game.known_colour:
                white = (game.first == each.player) == (place % 2 == 0)
                return (PieceColour.white if white else PieceColour.black), False
        break
    lot = np.random.default_rng(seed).integers(2)
    return (PieceColour.white if lot else PieceColour.black), True


@weighed(Loops.PAIRING, lambda tournament, *_, **__: 30 * len(tournament.players) ** 2)
def pair_dutch(
    tournament: Tournament,
    round_number: int | None = None,
    *,
    constraints: Constraints | None = None,
    seed: int = 0,
) -> DutchPairing:
    """Pair a round by the rules of FIDE's Dutch system.

    FIDE Handbook C.04.3, the version applied from 2026: criteria C1 to C21, then the order
    in which its candidates are tried. Games of the round that stand already are kept.

    Parameters
    ----------
    tournament : Tournament
    round_number : int, optional
        By default the first round in which nobody is paired.
    constraints : Constraints, optional
        Boards fixed and forbidden, absent players, the bye. Boards fixed by hand are no
        part of the pairing by rules.
    seed : int
        Of the lot for the initial colour, where the tournament has none.

    Raises
    ------
    InputError
        The round cannot be paired; the message says why.
    """
    constraints = constraints or Constraints()
    number = round_to_pair(tournament) if round_number is None else round_number
    check_round(tournament, number, constraints)
    kept = tournament.round_games(number)
    waiting = to_be_paired(tournament, number, constraints)
    if not waiting:
        raise InputError(
            f"round {number}: no players are left to pair", file=tournament.file or None
        )
    if constraints.no_bye and len(waiting) % 2:
        raise InputError(
            f"round {number}: {len(waiting)} players, an odd number",
            file=tournament.file or None,
            hint="allow a bye, or let a player sit out",
        )
    by_hand = _checked_by_hand(tournament, constraints, waiting)
    before = tournament.before(number)
    everybody = dutch_field(before, number, waiting)
    players = replace(
        everybody, players=tuple(p for p in everybody.players if p.player not in by_hand)
    )
    allowed, first = allowed_pairs(players, constraints)
    if len(players.players) % 2 and constraints.bye is not None:
        raise InputError("the bye is given by hand, and the other players are odd in number")
    pairs = pair_brackets(players, allowed, first=first)
    if not isinstance(pairs, RoundPairs):
        raise _impossible(players, pairs, constraints)
    initial, drawn = initial_colour(tournament, seed)
    pairing = made(everybody, players, pairs, allowed, constraints, initial, drawn, kept)
    return replace(pairing, first=tuple(first))


def _checked_by_hand(
    tournament: Tournament, constraints: Constraints, waiting: list[int]
) -> set[int]:
    """Players on fixed boards, and who has the bye by hand."""
    taken: set[int] = set()
    banned = {frozenset(pair) for pair in constraints.forbidden}
    for pair in constraints.fixed:
        names = " - ".join(tournament.players[p].full_name for p in pair)
        if pair[0] == pair[1]:
            raise InputError(f"board {names}: a player cannot meet himself")
        if frozenset(pair) in banned:
            raise InputError(f"board {names} is both fixed and forbidden")
        for player in pair:
            if player in taken:
                raise InputError(f"{tournament.players[player].full_name} is on two fixed boards")
            taken.add(player)
    if constraints.bye is not None:
        who = tournament.players[constraints.bye].full_name
        if len(waiting) % 2 == 0:
            raise InputError(f"no bye for {who}: the number of players is even")
        if constraints.bye not in waiting:
            raise InputError(f"no bye for {who}, who is not to be paired")
        if constraints.bye in taken:
            raise InputError(f"{who} is on a fixed board and cannot have the bye")
        taken.add(constraints.bye)
    return taken


def allowed_pairs(
    players: DutchField, constraints: Constraints
) -> tuple[NDArray[np.bool_], list[Level]]:
    """Pairs that may be, and the criteria that come before those of the rules."""
    table = PairTable(players.players)
    allowed = table.allowed.copy()
    levels = []
    place = players.row_of
    if constraints.rematch:
        met = np.zeros(allowed.shape, np.int64)
        for row, each in enumerate(players.players):
            for other in each.opponents:
                if other in place:
                    met[row, place[other]] = 1
        allowed |= met > 0
        levels.append(Level("C1", -met, table.size // 2))
    forbidden = [frozenset(pair) for pair in constraints.forbidden]
    forbidden += players.tournament.swiss.forbidden_in(players.round)
    for group in forbidden:
        rows = [place[player] for player in group if player in place]
        allowed[np.ix_(rows, rows)] = False
    return allowed, levels


def made(
    everybody: DutchField,
    players: DutchField,
    pairs: RoundPairs,
    allowed: NDArray[np.bool_],
    constraints: Constraints,
    initial: PieceColour,
    drawn: bool,
    kept: tuple[Game, ...],
) -> DutchPairing:
    """The pairing with its colours and tables.

    Tables are numbered by the score of the higher-ranked player, the score of both, and
    the pairing number (C.04.2, D.9).
    """
    n = len(players.players)
    entries = everybody.players
    bracket_of = {row: number for number, each in enumerate(pairs.brackets)
                  for pair in each.pairs for row in pair}  # fmt: skip
    rows = [(a, b, bracket_of[a]) for a, b in enumerate(pairs.mate) if a < b < n]
    place = everybody.row_of
    unordered = [
        (place[players.players[a].player], place[players.players[b].player], k) for a, b, k in rows
    ]
    by_hand = {frozenset(pair): pair for pair in constraints.fixed}
    for pair in constraints.fixed:
        a, b = sorted(place[player] for player in pair)
        unordered.append((a, b, -1))

    def importance(item: tuple[int, int, int]) -> tuple[float, float, int]:
        one, two = entries[item[0]], entries[item[1]]
        higher = min((one, two), key=lambda p: (-p.points, p.number))
        return -higher.points, -min(one.points, two.points), higher.number

    unordered.sort(key=importance)
    boards = []
    for table, (a, b, number) in zip(free_tables(kept, len(unordered)), unordered, strict=True):
        higher, lower = entries[a], entries[b]
        fixed = by_hand.get(frozenset((higher.player, lower.player)))
        colour, reason = allocate(higher, lower, initial)
        first, second = higher.player, lower.player
        if fixed is not None:
            first, second = fixed
        elif colour is PieceColour.black:
            first, second = second, first
        boards.append(
            DutchBoard(
                table=table,
                first=first,
                second=second,
                reason=None if fixed is not None else reason,
                bracket=number,
            )
        )
    bye = None
    if n % 2:
        row = pairs.mate.index(n)
        last = next(k for k, each in enumerate(pairs.brackets) if row in each.downfloaters)
        bye = DutchBoard(table=0, first=players.players[row].player, second=-1, bracket=last)
    elif constraints.bye is not None:
        bye = DutchBoard(table=0, first=constraints.bye, second=-1)
    return DutchPairing(
        field=players,
        initial=initial,
        drawn=drawn,
        boards=tuple(boards),
        bye=bye,
        kept=kept,
        pairs=pairs,
        allowed=allowed,
    )


def _impossible(players: DutchField, best: BestMatchings, constraints: Constraints) -> InputError:
    def names(rows: Iterable[int]) -> str:
        n = len(players.players)
        listed = [players.name(row) if row < n else "the bye" for row in rows]
        more = f" and {len(listed) - _NAMES} more" if len(listed) > _NAMES else ""
        return ", ".join(listed[:_NAMES]) + more

    singles = names(group[0] for group in best.crowd if len(group) == 1)
    reason = f"{singles or names(best.crowd[0])}: no opponent is left"
    if best.bottleneck:
        reason = f"{singles or names(best.crowd[0])} could only meet {names(best.bottleneck)}"
    hint = "forbid fewer boards" if constraints.rematch else "allow rematches, or fix boards"
    return InputError(
        f"round {players.round} cannot be paired by the absolute criteria: {reason}",
        file=players.tournament.file or None,
        hint=hint,
    )
