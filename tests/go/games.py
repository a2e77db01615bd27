"""Games and a small network for tests of what networks say of games."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from tests.go.random_net import ALL_SHAPES, write_network
from yardstone.go.board import Board
from yardstone.go.points import BLACK, PASS, opponent
from yardstone.go.rules import TROMP_TAYLOR
from yardstone.records.go_game import GoGame


def small_network(folder: Path, *, seed: int = 1) -> Path:
    """The file of a random network, small enough for tests."""
    return write_network(folder / f"random{seed}.bin.gz", ALL_SHAPES["v10"], seed)


@cache
def random_game(seed: int, *, size: int = 9, moves: int = 40, passes: int = 0) -> GoGame:
    """A game of random legal moves; all games of one size begin with the same two."""
    random = np.random.default_rng(seed)
    board = Board(size, TROMP_TAYLOR)
    played: list[int] = []
    colour = BLACK
    for number in range(moves):
        legal = np.flatnonzero(board.legal_moves(colour)[: size * size])
        point = int(random.choice(legal)) if number > 1 and len(legal) else number * (size + 1)
        board.play(point, colour)
        played.append(point)
        colour = opponent(colour)
    played += [PASS] * passes
    colours = [BLACK if k % 2 == 0 else opponent(BLACK) for k in range(len(played))]
    return GoGame(
        file="games.sgf", line=seed, number=seed, size=size, komi=6.5,
        moves=np.array(played, np.int16), colours=np.array(colours, np.int8),
        black=f"Player {seed % 3}", white=f"Player {3 + seed % 2}", result="B+R", winner=BLACK,
        date=np.datetime64("2024-01-01", "s") + np.timedelta64(seed % 5, "D"),
    )  # fmt: skip
