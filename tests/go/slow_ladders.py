"""Ladders read to the end, without any shortcut."""

from __future__ import annotations

from tests.go.slow_board import Point, SlowBoard
from yardstone.go.points import opponent

Stones = dict[Point, int]


class _Reader:
    def __init__(self, size: int, target: Point) -> None:
        self.size = size
        self.target = target
        self.deepest = size * size * 3 // 2

    def on(self, stones: Stones) -> SlowBoard:
        board = SlowBoard.__new__(SlowBoard)
        board.size = self.size
        board.stones = stones
        return board

    def play(
        self, stones: Stones, point: Point, colour: int, ko: Point | None
    ) -> tuple[Stones, Point | None] | None:
        """Return the stones after a move and the point of a ko, or None if it is illegal."""
        board = self.on(stones)
        after = board.after(point, colour)
        if point == ko or point not in after:
            return None
        gone = [stone for stone in stones if stone not in after]
        group, edge = self.on(after).group(point)
        is_ko = len(gone) == 1 and len(group) == 1 and len(edge) == 1
        return after, gone[0] if is_ko else None

    def prisoners_nearby(self, stones: Stones) -> set[Point]:
        """Liberties of chains in atari beside the target."""
        board = self.on(stones)
        result = set()
        for stone in board.group(self.target)[0]:
            for other in board.around(stone):
                if stones.get(other) == opponent(stones[self.target]):
                    edge = board.group(other)[1]
                    if len(edge) == 1:
                        result |= edge
        return result

    def is_mouth(self, stones: Stones, point: Point) -> bool:
        """Whether the attacker takes exactly one stone there, out of a full eye."""
        board = self.on(stones)
        near = board.around(point)
        if any(stones.get(p) != stones[self.target] for p in near):
            return False
        weak = [board.group(p) for p in near if len(board.group(p)[1]) == 1]
        return len(weak) == 1 and len(weak[0][0]) == 1

    def gains(self, stones: Stones, point: Point) -> bool:
        after = self.on(stones).after(point, stones[self.target])
        return point in after and len(self.on(after).group(point)[1]) >= 3

    def defend(self, stones: Stones, ko: Point | None, depth: int) -> bool:
        if depth >= self.deepest:
            return True
        edge = self.on(stones).group(self.target)[1]
        if len(edge) >= 2 or ko is not None:
            return False
        for point in edge | self.prisoners_nearby(stones):
            after = self.play(stones, point, stones[self.target], ko)
            if after is not None and not self.attack(*after, depth + 1):
                return False
        return True

    def attack(self, stones: Stones, ko: Point | None, depth: int) -> bool:
        if depth >= self.deepest:
            return True
        edge = self.on(stones).group(self.target)[1]
        if len(edge) != 2:
            return len(edge) < 2
        if all(
            self.is_mouth(stones, point) and not self.gains(stones, point) for point in edge
        ) and not self.prisoners_nearby(stones):
            return True
        return any(self.catches(stones, point, ko, depth + 1) for point in edge)

    def catches(self, stones: Stones, point: Point, ko: Point | None, depth: int) -> bool:
        after = self.play(stones, point, opponent(stones[self.target]), ko)
        return after is not None and self.defend(*after, depth)

    def first_defence(self, stones: Stones) -> bool:
        return self.defend(stones, None, 0)

    def first_attack(self, stones: Stones, ko: Point | None) -> set[Point]:
        """Moves that catch a chain of two liberties; kos work for it at its first move."""
        result = set()
        for point in self.on(stones).group(self.target)[1]:
            after = self.play(stones, point, opponent(stones[self.target]), ko)
            if after is not None and self.defend(after[0], None, 0):
                result.add(point)
        return result


def caught_stones(
    stones: Stones, size: int, ko: Point | None
) -> tuple[set[Point], dict[int, set[Point]]]:
    """All stones that are caught, and by colour the moves that catch chains of two liberties."""
    caught: set[Point] = set()
    catching: dict[int, set[Point]] = {1: set(), 2: set()}
    for target, colour in stones.items():
        reader = _Reader(size, target)
        edge = reader.on(stones).group(target)[1]
        if len(edge) == 1 and reader.first_defence(stones):
            caught.add(target)
        elif len(edge) == 2 and (moves := reader.first_attack(stones, ko)):
            caught.add(target)
            catching[colour] |= moves
    return caught, catching
