"""What a scalar of the rank model is, and what scalars are computed from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence

    Floats = NDArray[np.float32]

__all__ = ["LEAST", "MoveFacts", "Scalar", "goes_on"]

#: No probability counts as less than this.
LEAST = 1e-4
_SIZE = 19
#: Points beyond this say nothing more of a close game.
_SOME = 8.0


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number that the rank model looks at in each move.

    Attributes
    ----------
    name : str
    source : str
        What it comes from: ``head``, ``candidates``, ``point`` or ``course``.
    compute : callable
        Takes `MoveFacts` of n moves, gives n values.
    """

    name: str
    source: str
    compute: Callable[[MoveFacts], NDArray[Any]]


class MoveFacts:
    """What the scalars of moves are computed from, each computed once."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.chances = evidence.chances.astype(np.float32)
        self._course: dict[tuple[str, int], NDArray[Any]] = {}

    @cached_property
    def policy(self) -> Floats:
        """Policy of the move; 0 where the rules forbid it."""
        return np.asarray(np.clip(np.nan_to_num(self.evidence.policy, nan=0.0), 0.0, 1.0))

    @cached_property
    def best(self) -> Floats:
        """The greatest policy of any move."""
        return np.asarray(np.clip(np.nan_to_num(self.evidence.best_policy), LEAST, 1.0))

    @cached_property
    def log_policy(self) -> Floats:
        """Logarithm of the move's policy."""
        return np.log(np.maximum(self.policy, LEAST))

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """How many of the candidates have more policy than the move."""
        return np.asarray((self.chances > self.policy[:, None]).sum(axis=1))

    @cached_property
    def all_chances(self) -> Floats:
        """Policy of the move and of the candidates."""
        return np.column_stack([self.policy, self.chances])

    @cached_property
    def shares(self) -> tuple[Floats, Floats]:
        """The move's and the candidates' shares of their policy: [n], [n, 5]."""
        total = np.maximum(self.chances.sum(axis=1) + self.policy, LEAST)
        return self.policy / total, self.chances / total[:, None]

    @cached_property
    def loss(self) -> Floats:
        """Points that the move cost; negative for gains."""
        return np.nan_to_num(self.evidence.points_lost)

    @cached_property
    def lost(self) -> Floats:
        """Points that it cost, 0 or more."""
        return np.maximum(self.loss, 0.0)

    @cached_property
    def some(self) -> Floats:
        """The same, cut off."""
        return np.minimum(self.lost, _SOME)

    @cached_property
    def win_loss(self) -> Floats:
        """Winrate that the move cost; negative for gains."""
        return np.nan_to_num(self.evidence.winrate_lost)

    @cached_property
    def lost_win(self) -> Floats:
        """Winrate that it cost, 0 or more."""
        return np.maximum(self.win_loss, 0.0)

    @cached_property
    def lead(self) -> Floats:
        """Points that the player is ahead by before the move."""
        return np.nan_to_num(self.evidence.lead_before)

    @cached_property
    def winrate(self) -> Floats:
        """The player's winrate before the move."""
        return np.nan_to_num(self.evidence.winrate_before)

    @cached_property
    def close(self) -> Floats:
        """1 in an even game, 0 in a decided one."""
        return np.asarray(4.0 * self.winrate * (1.0 - self.winrate))

    @cached_property
    def ahead(self) -> Floats:
        """1 where the player is sure to win, -1 where to lose."""
        return np.asarray(2.0 * self.winrate - 1.0)

    @cached_property
    def row_column(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the move is."""
        return np.divmod(self.evidence.point.astype(np.int64), _SIZE)

    @cached_property
    def line(self) -> NDArray[np.int64]:
        """Lines between the point and the nearest edge."""
        row, column = self.row_column
        return np.minimum(np.minimum(row, _SIZE - 1 - row), np.minimum(column, _SIZE - 1 - column))

    @cached_property
    def follows(self) -> NDArray[np.bool_]:
        """Whether the row before it is the player's move before."""
        follows = np.zeros(len(self.evidence), bool)
        follows[1:] = goes_on(self.evidence, 1)[:-1]
        return follows

    @cached_property
    def steps(self) -> NDArray[np.float64]:
        """How far the point is from that of the row before."""
        row, column = self.row_column
        steps = np.zeros(len(self.evidence))
        steps[1:] = np.hypot(np.diff(row), np.diff(column))
        return steps

    def fall(self, what: str, steps: int) -> NDArray[Any]:
        """How far the ``lead`` or the ``winrate`` falls until so many own moves later.

        NaN where the evidence does not go on so far.
        """
        if (what, steps) not in self._course:
            values = getattr(self, what)
            falls = values - np.roll(values, -steps)
            self._course[what, steps] = np.where(goes_on(self.evidence, steps), falls, np.nan)
        return self._course[what, steps]


def goes_on(evidence: Evidence, steps: int) -> NDArray[np.bool_]:
    """Whether the row so many further on is the player's move so many later: bool [n]."""
    there = np.zeros(len(evidence), bool)
    number = evidence.number.astype(np.int64)
    same_game = evidence.game[steps:] == evidence.game[:-steps]
    there[:-steps] = same_game & (number[steps:] == number[:-steps] + 2 * steps)
    return there
