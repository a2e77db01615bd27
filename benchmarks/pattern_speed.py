"""How fast patterns are found in games, against a straightforward compiled search.

``python -m benchmarks.pattern_speed INDEX PROBLEMS`` takes an index (``yardstone
trickplay index``) and problems, and looks for all of them at once, under eight
symmetries and with both colours, in one thread each:

- the search of Yardstone over the whole index;
- the other over some of its games: it plays each game, compiled, and compares every
  position with every way in which a pattern can lie, stones first, until one differs.

Both must find the same matches in the games that both have searched.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import machine
from yardstone import parallel
from yardstone.arrays import Ints
from yardstone.go import _board
from yardstone.go.board import set_up
from yardstone.go.patterns import GameIndex, Pattern, find_patterns
from yardstone.go.points import PASS, neighbours, point_array
from yardstone.kernels import kernel
from yardstone.records.go_game import GoGame
from yardstone.strength.trickplay import read_problems

ROUNDS = 5


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


def main() -> None:
    """Measure, and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("index", help="from `yardstone trickplay index`")
    parser.add_argument("problems", nargs="+", help="SGF or text files of problems")
    parser.add_argument("--bounds", help="the part of the board that the problems show")
    parser.add_argument("--games", type=int, default=500, help="games for the slow search")
    chosen = parser.parse_args()
    index = GameIndex(chosen.index)
    patterns = [p.pattern for p in read_problems(*chosen.problems, bounds=chosen.bounds)[0]]
    ways = sum(len(pattern.placements()) for pattern in patterns)
    print(f"{machine()}; {len(index):,} games, {index.positions:,} positions")
    print(f"{len(patterns)} patterns, {ways} ways to lie")

    slow = SlowSearch(patterns)
    step = max(len(index) // chosen.games, 1)
    some = list(range(0, len(index), step))[: chosen.games]
    games = [index.game(number) for number in some]
    positions = sum(len(game.moves) + 1 for game in games)
    slow.game(games[0])
    with parallel.context(workers=1):
        find_patterns(index, patterns)
    fast_rates, slow_rates = [], []
    for _ in range(ROUNDS):
        began = time.process_time()
        with parallel.context(workers=1):
            matches = find_patterns(index, patterns)
        fast_rates.append(index.positions / (time.process_time() - began))
        began = time.process_time()
        for game in games:
            slow.game(game)
        slow_rates.append(positions / (time.process_time() - began))

    expected = slow.index(index, some)
    result = {
        (pattern, way, game, first, last)
        for pattern, match in enumerate(matches)
        for way, game, first, last in zip(
            match.way.tolist(),
            match.game.tolist(),
            match.first.tolist(),
            match.last.tolist(),
            strict=True,
        )
        if game in set(some)
    }
    if result != expected:
        sys.exit(f"the two searches differ: {len(result ^ expected)} matches")
    fast, naive = float(np.median(fast_rates)), float(np.median(slow_rates))
    print(f"Yardstone:       {fast / 1e6:8.2f} million positions a second")
    print(f"straightforward: {naive / 1e6:8.2f} million positions a second")
    print(f"ratio:           {fast / naive:8.1f}")
    print(f"the same {len(expected)} matches in {len(some)} games that both searched")


if __name__ == "__main__":
    main()
