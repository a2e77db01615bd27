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
    points = np.concatenate([known for _, _, known, _ in ways])
    values = np.concatenate([wanted for *_, wanted in ways])
    starts = np.cumsum([0, *(len(known) for _, _, known, _ in ways)])[:-1]
    result = set()
    for game in games:
        bits = 1 << game_positions(index.game(game)).stones
        # Where a point never is as it must be, a pattern cannot stand.
        hopeful = np.bitwise_or.reduce(bits)[points] & values != 0
        for k in np.flatnonzero(np.logical_and.reduceat(hopeful, starts)).tolist():
            number, way, known, wanted = ways[k]
            stands = (bits[:, known] & wanted != 0).all(axis=1)
            ends = np.flatnonzero(np.diff(stands, prepend=False, append=False)).reshape(-1, 2)
            result |= {(number, way, game, first, end - 1) for first, end in ends.tolist()}
    return result
