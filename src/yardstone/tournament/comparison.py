"""Rounds as they were paired, beside what the weights say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError
from yardstone.kernels import Loops, weighed
from yardstone.tournament._pairing import pair_weights
from yardstone.tournament.constraints import Constraints, allowed_boards, impossible
from yardstone.tournament.entrants import enter
from yardstone.tournament.matching import maximum_matching
from yardstone.tournament.model import ByeKind
from yardstone.tournament.pairing import Pairing, made_pairing
from yardstone.tournament.pairing_rules import CRITERIA, PairingRules

if TYPE_CHECKING:
    from yardstone.tournament.model import Tournament
    from yardstone.tournament.pairing import PairedBoard

__all__ = ["Difference", "RoundComparison", "compare_rounds", "differences", "recorded_round"]


@dataclass(frozen=True, eq=False)
class RoundComparison:
    """A round as it was paired, as the weights pair it, and the exchanges between both."""

    recorded: Pairing
    ours: Pairing
    exchanges: tuple[Difference, ...]

    @property
    def same(self) -> int:
        """Boards that are the same in both."""
        changed = (board for exchange in self.exchanges for board in exchange.recorded)
        return len(self.recorded.boards) - sum(board.second >= 0 for board in changed)


@weighed(
    Loops.PAIRING, lambda tournament, *_, **__: len(tournament.players) ** 2 * tournament.rounds
)
def compare_rounds(
    tournament: Tournament, round_number: int | None = None, *, rules: PairingRules | None = None
) -> tuple[RoundComparison, ...]:
    """Pair a recorded round again, by default each of them, and say what differs.

    Raises
    ------
    InputError
        No round is recorded yet, or that one is not.
    """
    rounds = [round_number] if round_number else sorted({game.round for game in tournament.games})
    if not rounds:
        raise InputError("no round is recorded yet", file=tournament.file)
    comparisons = []
    for number in rounds:
        recorded, ours = recorded_round(tournament, number, rules=rules)
        comparisons.append(RoundComparison(recorded, ours, differences(recorded, ours)))
    return tuple(comparisons)


def recorded_round(
    tournament: Tournament, round_number: int, *, rules: PairingRules | None = None
) -> tuple[Pairing, Pairing]:
    """A round as it was paired, and as it would be paired from the same state.

    Both pair the same players: those who had a game or the bye. Rematches are allowed
    if the recorded round has any.

    Returns
    -------
    recorded, ours : Pairing
    """
    rules = rules or PairingRules.of(tournament)
    games = tournament.round_games(round_number)
    byes = [
        bye.player
        for bye in tournament.byes
        if bye.round == round_number and bye.kind is ByeKind.paired
    ]
    if not games:
        raise InputError(
            f"round {round_number} has no games to compare with", file=tournament.file or None
        )
    if len(byes) > 1:
        raise InputError(f"round {round_number} has {len(byes)} byes", file=tournament.file or None)
    players = [*byes, *(p for game in games for p in (game.first, game.second))]
    entrants = enter(tournament.before(round_number), round_number, rules, players)
    weights = pair_weights(entrants.entries, entrants.met, entrants.packed)
    row = {int(player): number for number, player in enumerate(entrants.players)}
    n = len(entrants)
    mate = np.full(n + n % 2, n, np.int64)
    rematch = False
    for game in games:
        a, b = row[game.first], row[game.second]
        mate[a], mate[b] = b, a
        rematch |= bool(entrants.met[a, b])
    if byes:
        mate[n] = row[byes[0]]
    allowed = allowed_boards(entrants, Constraints(rematch=rematch))
    tables = list(range(1, n // 2 + 1))
    matching = maximum_matching(weights, allowed)
    if matching.alone:
        raise impossible(entrants, matching, Constraints(rematch=rematch))
    recorded = made_pairing(entrants, mate, tables, (), allowed, weights, ())
    actual = {frozenset((g.first, g.second)): g for g in games}
    as_played = tuple(
        replace(
            board,
            table=actual[board.players].table,
            first=actual[board.players].first,
            second=actual[board.players].second,
            handicap=actual[board.players].handicap,
        )
        for board in recorded.boards
    )
    ours = made_pairing(entrants, matching.mate, tables, (), allowed, weights, ())
    return replace(recorded, boards=as_played), ours


@dataclass(frozen=True, slots=True)
class Difference:
    """Players who are paired differently, without all others: one connected exchange.

    Attributes
    ----------
    recorded, ours : tuple of PairedBoard
        The boards of these players in both pairings.
    gain : int
        By how much ours weigh more; negative if less.
    gains : dict of str to int
        By criterion, those that differ.
    """

    recorded: tuple[PairedBoard, ...]
    ours: tuple[PairedBoard, ...]
    gain: int
    gains: dict[str, int]


def differences(recorded: Pairing, ours: Pairing) -> tuple[Difference, ...]:
    """The exchanges that lead from one pairing to the other, in the order of tables.

    Both pair the same players. Where nothing but the numbers of tables, the colours or
    the handicap differ, a board counts as the same.
    """
    theirs = {player: board for board in recorded.all_boards for player in board.players}
    mine = {player: board for board in ours.all_boards for player in board.players}
    exchanges = []
    done: set[int] = set()
    for start in recorded.all_boards:
        if start.players & done or mine[min(start.players)].players == start.players:
            continue
        group: set[int] = set()
        left = set(start.players)
        while left:
            player = left.pop()
            group.add(player)
            left |= (theirs[player].players | mine[player].players) - group
        done |= group
        before = tuple(b for b in recorded.all_boards if b.players <= group)
        after = tuple(b for b in ours.all_boards if b.players <= group)
        gains = {
            name: sum(b.values[name] for b in after) - sum(b.values[name] for b in before)
            for name in CRITERIA
        }
        named = {name: gain for name, gain in gains.items() if gain}
        exchanges.append(Difference(before, after, sum(named.values()), named))
    return tuple(exchanges)
