"""Positions of one or two stones, and what KataGo's networks say of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from yardstone.go.inputs import encode_game
from yardstone.go.points import point_number
from yardstone.go.rules import parse_rules

#: What KataGo says of them, by network: see `benchmarks.ask_katago`.
FACTS = Path(__file__).with_name("katago_facts.json")
#: Points whose policy and ownership are kept there, as fractions of the board.
_PLACES = ((0.0, 0.0), (0.3, 0.7), (0.5, 0.4), (0.9, 0.2), (1.0, 1.0))


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

    def inputs(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Spatial [1, 22, size, size] and global [1, 19] inputs."""
        moves = [point_number(move, self.size) for move in self.moves]
        rules = parse_rules(self.rules)
        last = [len(moves)]
        encoded = encode_game(self.size, moves=moves, komi=self.komi, rules=rules, positions=last)
        return encoded.spatial.astype(np.float32), encoded.globals


def places(size: int) -> list[tuple[int, int]]:
    """Rows and columns of the points that are kept."""
    return [(round(row * (size - 1)), round(column * (size - 1))) for row, column in _PLACES]


POSITIONS = (
    Opening("19x19", 19, 7.5, "tromp-taylor", ("D4", "Q10")),
    Opening("9x9", 9, 6.5, "japanese", ("C3",)),
    Opening("12x12", 12, 5.5, "tromp-taylor", ("D4", "K9")),
)
