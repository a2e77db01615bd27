"""The straightforward search for patterns: every position against every way to lie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from yardstone.go import _board
from yardstone.go.board import set_up
from yardstone.go.points import PASS, neighbours, point_array
from yardstone.kernels import kernel
from yardstone.records.go_game import GoGame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.patterns import GameIndex, Pattern

    Ints = NDArray[np.int32]


@kernel
def _compare(
    stones: Ints, points: Ints, wanted: Ints, starts: Ints, open_runs: Ints, moves: int
) -> int:
    """Compare a position with every placement; open_runs holds where each run began, or -1."""
    standing = 0
    for k in range(len(starts) - 1):
        stands = True
        for place in range(starts[k], starts[k + 1]):
            if not wanted[place] >> stones[points[place]] & 1:
                stands = False
                break
        standing += stands
        if stands and open_runs[k] < 0:
            open_runs[k] = moves
        elif not stands and open_runs[k] >= 0:
            open_runs[k] = -2 - open_runs[k]
    return standing


@kernel
def search_game(
    board: Ints,
    near: Ints,
    moves: Ints,
    colours: Ints,
    log: Ints,
    points: Ints,
    wanted: Ints,
    starts: Ints,
    runs: Ints,
) -> int:
    """Play a game and write every run of positions: the placement, first and last position."""
    open_runs = np.full(len(starts) - 1, -1, np.int32)
    number = 0
    for played in range(len(moves) + 1):
        _compare(board[_board.COLOUR], points, wanted, starts, open_runs, played)
        for k in range(len(open_runs)):
            if open_runs[k] <= -2:
                runs[number, 0] = k
                runs[number, 1] = -2 - open_runs[k]
                runs[number, 2] = played - 1
                open_runs[k] = -1
                number += 1
        if played < len(moves) and moves[played] != PASS:
            _board.play(board, near, moves[played], colours[played], log, 0)
    for k in range(len(open_runs)):
        if open_runs[k] >= 0:
            runs[number, 0] = k
            runs[number, 1] = open_runs[k]
            runs[number, 2] = len(moves)
            number += 1
    return number


def crowded_game(seed: int, *, size: int, moves: int) -> GoGame:
    """A game of random moves that goes on when the board is full: it captures and comes back."""
    random = np.random.default_rng(seed)
    board, near = set_up(size, point_array(()), point_array(())), neighbours(size)
    log = np.zeros(_board.LONGEST_ENTRY, np.int32)
    played = []
    for number in range(moves):
        colour = 1 + number % 2
        free = [p for p in range(size**2) if _board.can_be_played(board, near, p, colour)]
        point = int(random.choice(free)) if free and random.random() > 0.02 else PASS
        if point != PASS:
            _board.play(board, near, point, colour, log, 0)
        played.append(point)
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


class SlowSearch:
    """Patterns with all their placements, in the order of `Pattern.placements`."""

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        boards = [turned for pattern in patterns for _, turned in pattern.placements()]
        self.owner = [
            (number, way)
            for number, pattern in enumerate(patterns)
            for way in range(len(pattern.placements()))
        ]
        known = []
        for board in boards:
            points = np.flatnonzero(board != 7)
            stones = np.isin(board[points], (2, 4))
            known.append(points[np.argsort(~stones, kind="stable")])  # stones first: they differ
        self.points = np.concatenate(known).astype(np.int32)
        self.wanted = np.concatenate(
            [board[points] for board, points in zip(boards, known, strict=True)]
        ).astype(np.int32)
        self.starts = np.cumsum([0, *map(len, known)]).astype(np.int32)
        self._runs = np.empty((1 << 16, 3), np.int32)
        self._log = np.zeros(_board.LONGEST_ENTRY, np.int32)

    def game(self, game: GoGame) -> NDArray[np.int32]:
        """Runs in one game: rows of placement, first and last position."""
        board = set_up(game.size, point_array(game.setup_black), point_array(game.setup_white))
        number = search_game(
            board,
            neighbours(game.size),
            point_array(game.moves),
            game.colours.astype(np.int32),
            self._log,
            self.points,
            self.wanted,
            self.starts,
            self._runs,
        )
        return self._runs[:number].copy()

    def index(self, index: GameIndex, games: Iterable[int]) -> set[tuple[int, int, int, int, int]]:
        """Pattern, placement, game, first and last position of every run in some games."""
        result = set()
        for number in games:
            for placement, first, last in self.game(index.game(number)).tolist():
                pattern, way = self.owner[placement]
                result.add((pattern, way, number, first, last))
        return result
