"""The words for what happens in a tournament: systems, results and byes."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["ByeKind", "Result", "System"]


class System(StrEnum):
    """How the rounds are paired."""

    mcmahon = "mcmahon"
    swiss = "swiss"
    round_robin = "round-robin"
    cup = "cup"
    other = "other"


class Result(StrEnum):
    """How a game ended."""

    unknown = "unknown"
    first_wins = "first wins"
    second_wins = "second wins"
    draw = "draw"
    both_win = "both win"
    both_lose = "both lose"
    first_half = "first half"  # half a point against nothing, by decision of the arbiter
    second_half = "second half"

    @property
    def points(self) -> tuple[float, float]:
        """Points of the first and of the second player; 0 while unknown."""
        return _POINTS[self]

    @property
    def reversed(self) -> Result:
        """The same result with the sides exchanged."""
        return _REVERSED.get(self, self)


_POINTS = {
    Result.unknown: (0.0, 0.0),
    Result.first_wins: (1.0, 0.0),
    Result.second_wins: (0.0, 1.0),
    Result.draw: (0.5, 0.5),
    Result.both_win: (1.0, 1.0),
    Result.both_lose: (0.0, 0.0),
    Result.first_half: (0.5, 0.0),
    Result.second_half: (0.0, 0.5),
}
_REVERSED = {
    Result.first_wins: Result.second_wins,
    Result.second_wins: Result.first_wins,
    Result.first_half: Result.second_half,
    Result.second_half: Result.first_half,
}


class ByeKind(StrEnum):
    """Why a player has no opponent in a round although it is over."""

    paired = "bye"  # nobody was left over to play: the bye that pairing gives
    full = "full-point bye"
    half = "half-point bye"
    zero = "zero-point bye"  # absence announced before the round
