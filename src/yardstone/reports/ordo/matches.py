"""What two players did against each other, both colours together."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from yardstone.pool import PairCounts

__all__ = ["OpponentResults", "matches_by_player"]


@dataclass(slots=True)
class OpponentResults:
    """Results of a player against one opponent."""

    opponent: int
    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def percent(self) -> float:
        """Points per game in per cent."""
        return 100.0 * (self.wins + self.draws / 2) / self.games

    @classmethod
    def sum_of(cls, matches: Iterable[OpponentResults]) -> OpponentResults:
        """All of a player's matches together; the opponent is -1."""
        total = cls(-1)
        for match in matches:
            total.wins += match.wins
            total.draws += match.draws
            total.losses += match.losses
        return total


def matches_by_player(counts: PairCounts) -> dict[int, list[OpponentResults]]:
    """The matches of each player."""
    table: defaultdict[int, dict[int, OpponentResults]] = defaultdict(dict)
    columns = (counts.first, counts.second, counts.wins, counts.draws, counts.losses)
    for first, second, wins, draws, losses in zip(*(c.tolist() for c in columns), strict=True):
        match = table[first].setdefault(second, OpponentResults(second))
        match.wins += int(wins)
        match.draws += int(draws)
        match.losses += int(losses)
        if first == second:
            continue
        match = table[second].setdefault(first, OpponentResults(first))
        match.wins += int(losses)
        match.draws += int(draws)
        match.losses += int(wins)
    return {player: list(opponents.values()) for player, opponents in table.items()}
