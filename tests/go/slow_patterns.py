"""The straightforward search for patterns: every position against every way to lie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from yardstone.go.board import Board
from yardstone.go.inputs import game_positions
from yardstone.go.patterns import GameIndex, Pattern
from yardstone.go.points import PASS
from yardstone.go.rules import Rules
from yardstone.records.go_game import GoGame


def crowded_game(seed: int, *, size: int, moves: int) -> GoGame:
    """A game of random moves that goes on when the board is full: it captures and comes back."""
    random = np.random.default_rng(seed)
    board = Board(size, Rules(ko="simple"))
    played = []
    for _ in range(moves):
        free = [p for p in random.permutation(size**2).tolist() if board.legal(p)]
        played.append(free[0] if free and random.random() > 0.02 else PASS)
        board.play(played[-1])
    return GoGame(
        size=size,
        komi=6.5,
        moves=np.array(played, np.int16),
        colours=(1 + np.arange(moves) % 2).astype(np.int8),
        black=f"Ann {seed}",
        white="Bob",
        black_rank="3k",
        result="W+R",
        winner=2,
        date=np.datetime64("2024-01-01", "s") + np.timedelta64(seed, "D"),
    )


def slow_search(
    patterns: Sequence[Pattern], index: GameIndex, games: Iterable[int]
) -> set[tuple[int, int, int, int, int]]:
    """Pattern, way to lie, game, first and last position of every run in some games."""
    ways = []
    for number, pattern in enumerate(patterns):
        for way, (_, board) in enumerate(pattern.placements()):
            known = np.flatnonzero(board != 7)
            ways.append((number, way, known, board[known]))
    result = set()
    for game in games:
        stones = game_positions(index.game(game)).stones
        for number, way, known, wanted in ways:
            stands = ((wanted >> stones[:, known]) & 1).all(axis=1)
            ends = np.flatnonzero(np.diff(stands, prepend=False, append=False)).reshape(-1, 2)
            result |= {(number, way, game, first, end - 1) for first, end in ends.tolist()}
    return result
