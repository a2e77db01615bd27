"""A short best-first search of many positions at a time, one network call for all of them.

Each position has a tree of its own. In each round every tree that is still to grow
walks down to a new position: from node to node to the child of the greatest value plus
a bonus for moves that the policy likes and that were seldom tried (PUCT; Rosin 2011,
Silver and others 2017). All new positions of a round go to the network together, each
turned by another symmetry of the board, so that the mean over a tree is also a mean
over symmetries. What a node is worth is the mean of all that was seen below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import atan, pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.inputs import encode_game
from yardstone.go.points import PASS, SYMMETRIES, WHITE, opponent
from yardstone.go.position import assess, can_end_without_result
from yardstone.go.symmetries import evaluate_turned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.conditions import Conditions
    from yardstone.go.inputs import Encoded
    from yardstone.go.nets.network import Network
    from yardstone.records.go_game import GoGame

__all__ = ["Line", "Node", "Tree", "evaluate_lines", "grow"]

#: Weight of the bonus for moves that were seldom tried.
_EXPLORATION = 1.1
#: What a move that was not tried is worth less than its parent, at most.
_FIRST_PLAY = 0.2
#: Weight of points beside winning, and points over which it levels off.
_POINTS_WEIGHT, _POINTS_SCALE = 0.3, 19.0
#: Moves of a position that are considered at all, by policy.
_WIDTH = 12
#: Positions that go to the network together.
_BATCH = 96


@dataclass(slots=True, eq=False)
class Node:
    """A position in a tree.

    Attributes
    ----------
    move : int
        That led here; -1 is a pass.
    colour : int
        Who is to move here.
    prior : float
        The policy's probability of the move.
    visits : int
        Positions seen here and below.
    win, lead : float
        Sums over them of White's expected score and lead.
    children : list of Node
        Empty until the position has been seen.
    """

    move: int
    colour: int
    prior: float
    visits: int = 0
    win: float = 0.0
    lead: float = 0.0
    children: list[Node] = field(default_factory=list)

    @property
    def mean_win(self) -> float:
        """White's expected score, 0 to 1; of a node that was visited."""
        return self.win / self.visits

    @property
    def mean_lead(self) -> float:
        """White's lead in points; of a node that was visited."""
        return self.lead / self.visits


class Tree:
    """The search of one position of a game.

    Parameters
    ----------
    game : GoGame
    conditions : Conditions
        Rules and komi that the network is told.
    position : int
        The number of moves played: 0 is the beginning.
    without : int, optional
        A move that is left out at the root.
    first : int
        The symmetry that the root is turned by; the next position by the next, and so on.

    Attributes
    ----------
    root : Node
    leads : list of float
        White's lead in every position seen, in the order in which they were.
    """

    def __init__(
        self,
        game: GoGame,
        conditions: Conditions,
        position: int,
        without: int | None = None,
        first: int = 0,
    ) -> None:
        self.game = game
        self.conditions = conditions
        self.position = position
        self.without = without
        self.first = first
        self.root = Node(PASS, side_to_move(game, position), 1.0)
        self.leads: list[float] = []

    def best(self) -> Node | None:
        """The child of the root that was visited most; None if none was."""
        visited = [child for child in self.root.children if child.visits]
        return max(visited, key=lambda child: child.visits, default=None)

    def descend(self) -> list[Node]:
        """The way to the next position to be seen, the root first."""
        path = [self.root]
        while path[-1].visits and path[-1].children:
            path.append(self._next(path[-1]))
        return path

    def _next(self, node: Node) -> Node:
        side = 1.0 if node.colour == WHITE else -1.0
        tried = sum(child.prior for child in node.children if child.visits)
        untried = self._worth(node, side) - _FIRST_PLAY * sqrt(tried)
        bonus = _EXPLORATION * sqrt(max(node.visits - 1, 1))

        def value(child: Node) -> float:
            worth = self._worth(child, side) if child.visits else untried
            return worth + bonus * child.prior / (1 + child.visits)

        return max(node.children, key=value)

    def _worth(self, node: Node, side: float) -> float:
        """What a node is worth to a side (1 White, -1 Black): chances, and points."""
        around = self.leads[0] if self.leads else 0.0
        points = (2.0 / pi) * atan((node.mean_lead - around) / _POINTS_SCALE)
        return side * (2.0 * node.mean_win - 1.0 + _POINTS_WEIGHT * points)

    def expand(
        self, path: Sequence[Node], win: float, lead: float, policy: NDArray[np.float32]
    ) -> None:
        """Take in what the network said of the last position of a path."""
        leaf = path[-1]
        if not leaf.visits:
            leaf.children = self._children(path, policy)
        for node in path:
            node.visits += 1
            node.win += win
            node.lead += lead
        self.leads.append(lead)

    def _children(self, path: Sequence[Node], policy: NDArray[np.float32]) -> list[Node]:
        leaf = path[-1]
        if len(path) > 2 and path[-1].move == PASS and path[-2].move == PASS:
            return []  # the game is over
        chances = np.nan_to_num(policy)
        if leaf is self.root and self.without is not None:
            chances[self.without] = 0.0  # a pass is -1, and stands last
        order = np.argsort(-chances, kind="stable")[:_WIDTH]
        order = order[chances[order] > 0.0]
        total = float(chances[order].sum())
        passing = len(policy) - 1
        return [
            Node(
                PASS if point == passing else int(point),
                opponent(leaf.colour),
                float(chances[point]) / total,
            )
            for point in order
        ]


def grow(trees: Sequence[Tree], network: Network, visits: int) -> int:
    """Let trees grow to so many positions each.

    Parameters
    ----------
    trees : sequence of Tree
    network : Network
    visits : int
        Positions that each tree has seen afterwards; those that have more stay.

    Returns
    -------
    int
        Positions that the network evaluated.
    """
    evaluated = 0
    while growing := [tree for tree in trees if tree.root.visits < visits]:
        for start in range(0, len(growing), _BATCH):
            evaluated += _round(growing[start : start + _BATCH], network)
    return evaluated


def _round(trees: Sequence[Tree], network: Network) -> int:
    """One more position for each of these trees."""
    paths = [tree.descend() for tree in trees]
    lines = [
        Line(
            tree.game,
            tree.conditions,
            tree.position,
            tuple(node.move for node in path[1:]),
            (tree.first + tree.root.visits) % SYMMETRIES,
        )
        for tree, path in zip(trees, paths, strict=True)
    ]
    for tree, path, evaluation in zip(trees, paths, evaluate_lines(lines, network), strict=True):
        tree.expand(path, *evaluation)
    return len(trees)


@dataclass(frozen=True, slots=True)
class Line:
    """A position that a network is to see: one of a game, and moves from there.

    Attributes
    ----------
    game : GoGame
    conditions : Conditions
    position : int
        Moves of the game that have been played.
    moves : tuple of int
        That follow: the first is made by who moved there in the game, then in turn.
    symmetry : int
        How the position is turned before it is shown, 0 to 7.
    """

    game: GoGame
    conditions: Conditions
    position: int
    moves: tuple[int, ...] = ()
    symmetry: int = 0


def evaluate_lines(
    lines: Sequence[Line], network: Network
) -> list[tuple[float, float, NDArray[np.float32]]]:
    """White's expected score and lead, and the policy, in each of some positions."""
    outlooks: list[tuple[float, float, NDArray[np.float32]] | None] = [None] * len(lines)
    for size in sorted({line.game.size for line in lines}):  # a call takes boards of one size
        places = [place for place, line in enumerate(lines) if line.game.size == size]
        for start in range(0, len(places), _BATCH):
            some = places[start : start + _BATCH]
            for place, outlook in zip(
                some, _evaluated([lines[k] for k in some], network), strict=True
            ):
                outlooks[place] = outlook
    return [outlook for outlook in outlooks if outlook is not None]


def _evaluated(
    lines: Sequence[Line], network: Network
) -> Iterator[tuple[float, float, NDArray[np.float32]]]:
    encoded = [_encoded(line) for line in lines]
    outputs, logits = evaluate_turned(
        network,
        np.concatenate([each.spatial for each in encoded]).astype(np.float32, copy=False),
        np.concatenate([each.globals for each in encoded]),
        np.array([line.symmetry for line in lines]),
    )
    scores = np.column_stack([outputs.lead, outputs.score_mean]).astype(np.float32)
    for row, (line, each) in enumerate(zip(lines, encoded, strict=True)):
        here = slice(row, row + 1)
        assessment = assess(
            logits[here],
            outputs.value_logits[here],
            scores[here],
            each.to_play,
            each.legal,
            without_result=can_end_without_result(line.conditions.rules),
        )
        yield (
            float(assessment.white_expected[0]),
            float(assessment.white_lead[0]),
            assessment.policy[0],
        )


def _encoded(line: Line) -> Encoded:
    game, end = line.game, line.position
    first = side_to_move(game, end)
    turns = [first if k % 2 == 0 else opponent(first) for k in range(len(line.moves) + 1)]
    return encode_game(
        game.size,
        game.setup_black,
        game.setup_white,
        np.concatenate([game.moves[:end], np.array(line.moves, game.moves.dtype)]),
        np.concatenate([game.colours[:end], np.array(turns[:-1], game.colours.dtype)]),
        line.conditions.komi,
        line.conditions.rules,
        positions=[end + len(line.moves)],
        to_play=turns[-1],
        packed=True,
    )


def side_to_move(game: GoGame, position: int) -> int:
    """Who is to move after so many moves of a game."""
    if position < len(game.moves):
        return int(game.colours[position])
    return opponent(int(game.colours[-1])) if len(game.colours) else game.to_play
