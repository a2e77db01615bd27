"""A board written to be read, slowly: what the compiled one is compared with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from yardstone.go.points import BLACK, EMPTY, PASS, opponent
from yardstone.go.rules import Rules

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

    def regions(self) -> Iterator[tuple[set[Point], set[int]]]:
        """Empty regions, and the colours that they touch."""
        seen: set[Point] = set()
        for point in np.ndindex(self.size, self.size):
            if point not in self.stones and point not in seen:
                region, _ = self.group((point[0], point[1]))
                seen |= region
                near = {p for q in region for p in self.around(q)}
                yield region, {self.stones[p] for p in near if p in self.stones}


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
