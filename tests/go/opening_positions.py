"""Positions of one or two stones with KataGo's inputs written by hand.

They need no board, so that networks can be tested by themselves. Points count from the
top left, row by row; a position holds what GTP needs to set it up as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

#: What KataGo says of them, by network: see `benchmarks.ask_katago`.
FACTS = Path(__file__).with_name("katago_facts.json")
#: Points whose policy and ownership are kept there, as fractions of the board.
_PLACES = ((0.0, 0.0), (0.3, 0.7), (0.5, 0.4), (0.9, 0.2), (1.0, 1.0))
_COLUMNS = "ABCDEFGHJKLMNOPQRST"


@dataclass(frozen=True)
class Opening:
    """The first moves of a game, Black first, far from each other and from captures."""

    name: str
    size: int
    komi: float
    rules: str
    moves: tuple[str, ...]

    @property
    def white_to_move(self) -> bool:
        """Whose turn it is."""
        return len(self.moves) % 2 == 1

    def point(self, move: str) -> tuple[int, int]:
        """Row and column of a move in GTP's words."""
        return self.size - int(move[1:]), _COLUMNS.index(move[0])

    def inputs(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Spatial [1, 22, size, size] and global [1, 19] inputs."""
        planes = np.zeros((22, self.size, self.size), np.float32)
        planes[0] = 1.0
        for ago, move in enumerate(reversed(self.moves)):
            row, column = self.point(move)
            own = ago % 2 == 1
            planes[1 if own else 2, row, column] = 1.0
            planes[9 + ago, row, column] = 1.0
            if self.rules == "tromp-taylor" and len(self.moves) > 1:
                planes[18 if own else 19, row, column] = 1.0  # area: so far only the stones
        numbers = np.zeros(19, np.float32)
        own_komi = self.komi if self.white_to_move else -self.komi
        if self.rules == "japanese":  # every move costs a point, so that area is no matter
            own_komi += len(self.moves) % 2
        numbers[5] = own_komi / 20.0
        if self.rules == "tromp-taylor":
            numbers[6], numbers[7], numbers[8] = 1.0, 0.5, 1.0
            numbers[18] = _wave(own_komi, even=self.size % 2 == 0)
        else:  # Japanese: simple ko, territory, no points in seki
            numbers[9] = numbers[10] = 1.0
        return planes[None], numbers[None]


def _wave(komi: float, *, even: bool) -> float:
    """The triangular wave over komi that rises where a draw is possible."""
    above = (komi if even else komi - 1.0) % 2.0
    return above if above < 0.5 else 1.0 - above if above < 1.5 else above - 2.0


def places(size: int) -> list[tuple[int, int]]:
    """Rows and columns of the points that are kept."""
    return [(round(row * (size - 1)), round(column * (size - 1))) for row, column in _PLACES]


POSITIONS = (
    Opening("19x19", 19, 7.5, "tromp-taylor", ("D4", "Q10")),
    Opening("9x9", 9, 6.5, "japanese", ("C3",)),
    Opening("12x12", 12, 5.5, "tromp-taylor", ("D4", "K9")),
)
