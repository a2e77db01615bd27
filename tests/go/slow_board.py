"""A board and a search for patterns written to be read, slowly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from yardstone.go.board import Board
from yardstone.go.inputs import game_positions
from yardstone.go.patterns import GameIndex, Pattern
from yardstone.go.points import BLACK, EMPTY, PASS, opponent
from yardstone.go.rules import Rules
from yardstone.records.go_game import GoGame

Point = tuple[int, int]


class SlowBoard:
    """Stones as a dictionary, chains by flood fill, all earlier boards in lists."""

    def __init__(self, size: int, rules: Rules, to_play: int = BLACK) -> None:
        self.size = size
        self.rules = rules
        self.stones: dict[Point, int] = {}
        self.lost = {1: 0, 2: 0}
        self.past: list[tuple[frozenset[tuple[Point, int]], int]] = []
        self.mover = opponent(to_play)
        self._note(to_play)

    def _note(self, to_play: int) -> None:
        self.past.append((frozenset(self.stones.items()), to_play))

    def around(self, point: Point) -> list[Point]:
        row, column = point
        near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        return [p for p in near if 0 <= p[0] < self.size and 0 <= p[1] < self.size]

    def group(self, point: Point) -> tuple[set[Point], set[Point]]:
        """All points of one colour that hang together, and their empty neighbours."""
        colour = self.stones.get(point, EMPTY)
        group = {point}
        todo = [point]
        edge: set[Point] = set()
        while todo:
            for other in self.around(todo.pop()):
                there = self.stones.get(other, EMPTY)
                if there == colour and other not in group:
                    group.add(other)
                    todo.append(other)
                elif there == EMPTY:
                    edge.add(other)
        return group, edge

    def after(self, point: Point, colour: int) -> dict[Point, int]:
        """The stones after a move, whatever forbids it."""
        board = SlowBoard.__new__(SlowBoard)
        board.size = self.size
        board.stones = {**self.stones, point: colour}
        for other in self.around(point):
            if board.stones.get(other, EMPTY) == opponent(colour):
                group, edge = board.group(other)
                if not edge:
                    for stone in group:
                        del board.stones[stone]
        group, edge = board.group(point)
        if not edge:
            for stone in group:
                del board.stones[stone]
        return board.stones

    def is_legal(self, number: int, colour: int) -> bool:
        if number == PASS:
            return True
        point = divmod(number, self.size)
        if self.stones.get(point, EMPTY) != EMPTY:
            return False
        after = self.after(point, colour)
        if point not in after:
            group = {*self.stones} - {*after}
            if not group or not self.rules.suicide:
                return False
        board = frozenset(after.items())
        # A simple ko takes back one stone, on the board before the opponent's move.
        if (
            len(self.past) > 1
            and colour != self.mover
            and board == self.past[-2][0]
            and len(self.past[-1][0] - self.past[-2][0]) == 1
            and len(self.past[-2][0] - self.past[-1][0]) == 1
        ):
            return False
        if self.rules.ko == "positional":
            return all(board != earlier for earlier, _ in self.past)
        if self.rules.ko == "situational":
            return (board, opponent(colour)) not in self.past
        return True

    def play(self, number: int, colour: int) -> None:
        if number != PASS:
            point = divmod(number, self.size)
            before = {**self.stones, point: colour}
            self.stones = self.after(point, colour)
            for stone, loser in before.items():
                self.lost[loser] += stone not in self.stones
        self.mover = colour
        self._note(opponent(colour))


def random_moves(seed: int, size: int, number: int, passes: float = 0.03) -> list[int]:
    """Moves of a game, possible ones on a bare board; own eyes are seldom filled."""
    random = np.random.default_rng(seed)
    board = SlowBoard(size, Rules(ko="simple"))
    colour = BLACK
    moves: list[int] = []
    for _ in range(number):
        choice = PASS
        if random.random() >= passes:
            for place in random.permutation(size * size).tolist():
                near = board.around(divmod(place, size))
                eye = all(board.stones.get(p) == colour for p in near)
                if board.is_legal(place, colour) and not (eye and random.random() < 0.95):
                    choice = place
                    break
        board.play(choice, colour)
        moves.append(choice)
        colour = opponent(colour)
    return moves


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
        size=size, komi=6.5, moves=np.array(played, np.int16),
        colours=(1 + np.arange(moves) % 2).astype(np.int8), black=f"Ann {seed}", white="Bob",
        black_rank="3k", result="W+R", winner=2,
        date=np.datetime64("2024-01-01", "s") + np.timedelta64(seed, "D"),
    )  # fmt: skip


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
