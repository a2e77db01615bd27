"""What moves cost, so that it can be believed: losses against the network's best move.

The lead before a move less the lead after it is a poor loss: the two positions differ in
who is to move, which a network that does not search never allows for exactly, and it
often sees a fight only when it is over. So the position after the move is compared with
that after the best move instead, with the same side to move, and where a move seems to
have cost something both are searched, each position turned by
another symmetry of the board.

A loss is never below 0: nobody gains against best play, and what is negative is noise.
Where a game is decided a move has no loss: with more than 95 % to win, or less than 5 %,
before and after the move, points that are given away decide nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import atan, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Flags, Floats32, Ints
from yardstone.errors import UsageError
from yardstone.go.evaluator import BATCH, assess_answers, can_end_without_result, evaluate_turned
from yardstone.go.inputs import Encoded, encode_game
from yardstone.go.nets.network import Network
from yardstone.go.points import PASS, SYMMETRIES, WHITE, opponent
from yardstone.go.rules import Conditions
from yardstone.records.go_game import GoGame

#: A game is decided where one side wins with more than this before and after a move.
DECIDED = 0.95
#: Positions that are seen on either side of a comparison, unless told otherwise.
VISITS = 16
#: Positions seen first, to tell which moves are worth more.
_FIRST = 8
#: Share of a limited search that is kept for those.
_LATER = 0.3
#: Moves that seem to have cost so many points are searched.
_SUSPECT = 2.0
#: What is lost until a move has been answered makes it suspect as well, at this weight.
_ANSWER_WEIGHT = 0.5
#: Errors of a loss (one standard deviation) in points: without a search, and with one.
#: From ``python -m lab.studies.move_losses``.
_PLAIN_ERROR = (1.0, 1.0)
_SEARCHED_ERROR = (0.7, 1.25)
#: A loss is told from noise where it is so many times its error.
_ERRORS = 2.0


@dataclass(frozen=True, slots=True)
class LossEffort:
    """How much is spent on losses."""

    #: Positions seen on either side of a comparison, at most; 0 for no search.
    visits: int = VISITS
    #: New positions seen in a game, at most, for each of its positions; None for no limit.
    share: float | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be spent."""
        if self.visits < 0:
            raise UsageError(f"{self.visits} visits: it must be 0 or more")
        if self.share is not None and self.share < 0.0:
            raise UsageError(f"a share of {self.share:g}: it must be 0 or more")


@dataclass(frozen=True, slots=True, eq=False)
class FirstLook:
    """A game of m moves whose positions a network has looked at once.

    `conditions` are those that it was told. `white_winrate` and `white_lead` [m + 1] are before
    each move and after the last, `best` [m] is the move that it likes best (-1 a pass); losses are
    asked for where `wanted` [m].
    """

    game: GoGame
    conditions: Conditions
    white_winrate: Floats32
    white_lead: Floats32
    best: NDArray[np.int16]
    wanted: Flags

    @property
    def mover_winrates(self) -> Floats32:
        """Winrate of who made each move, before it and after it: [m, 2]."""
        both = np.column_stack([self.white_winrate[:-1], self.white_winrate[1:]])
        white = (self.game.colours[: len(both)] == WHITE)[:, None]
        return np.where(white, both, 1.0 - both).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """What the moves of a game cost their players."""

    #: [m]: points, 0 or more; NaN where the game is decided, and for moves not asked for.
    points: Floats32
    error: Floats32  #: [m]: one standard deviation of each.
    win: Floats32  #: [m]: winrate that each cost, 0 to 1; NaN likewise.
    best: NDArray[np.int16]  #: [m]: the move that is better, or the network's choice where none is.
    decided: Flags  #: Whether the game was decided.
    #: [m]: positions that were searched on either side; 0 without a search.
    visits: Ints

    def above_noise(self, points: float) -> Flags:
        """Which moves cost at least so many points, and more than noise explains: bool [m]."""
        with np.errstate(invalid="ignore"):
            return np.asarray((self.points >= points) & (self.points >= _ERRORS * self.error))


@dataclass(slots=True, eq=False)
class _Suspect:
    """A move that may have cost something, and its two trees once it is searched."""

    game: int
    place: int
    after: Tree
    instead: Tree


def move_losses(
    games: Sequence[FirstLook], network: Network, effort: LossEffort | None = None
) -> list[Losses]:
    """Losses of the moves of games, one a game; `network` is the one that has looked at them."""
    spend = LossEffort() if effort is None else effort
    losses_of = [_undecided(game) for game in games]
    compared = _compare(games, losses_of, network)
    if spend.visits:
        share = np.inf if spend.share is None else spend.share
        looked = zip(games, compared, strict=True)
        budgets = [share * len(game.white_lead) - number for game, number in looked]
        _search(games, losses_of, network, spend.visits, budgets)
    return losses_of


def _undecided(game: FirstLook) -> Losses:
    """Losses of 0 where the network's own choice was played, unknown elsewhere."""
    winrate = game.mover_winrates
    decided = np.asarray((winrate > DECIDED).all(axis=1) | (winrate < 1.0 - DECIDED).all(axis=1))
    asked = game.wanted & ~decided
    blank = np.where(asked, np.float32(0.0), np.float32(np.nan))
    return Losses(
        points=blank,
        error=np.where(asked, np.float32(_PLAIN_ERROR[0]), np.float32(np.nan)),
        win=blank.copy(),
        best=game.best.copy(),
        decided=decided,
        visits=np.zeros(len(decided), np.int32),
    )


def _compare(
    games: Sequence[FirstLook], losses_of: Sequence[Losses], network: Network
) -> list[int]:
    """Compare each move with the network's choice, both looked at once; how many in each game."""
    rows: list[tuple[int, int]] = []
    lines = []
    for number, (game, losses) in enumerate(zip(games, losses_of, strict=True)):
        other = game.best != game.game.moves[: len(game.best)].astype(np.int16)
        for place in np.flatnonzero(~np.isnan(losses.points) & other).tolist():
            rows.append((number, place))
            lines.append(Line(game.game, game.conditions, place, (int(game.best[place]),)))
    for (number, place), (win, lead, _) in zip(rows, evaluate_lines(lines, network), strict=True):
        game, losses = games[number], losses_of[number]
        sign = _sign(game.game, place)
        lost = sign * (lead - float(game.white_lead[place + 1]))
        losses.points[place] = max(lost, 0.0)
        losses.win[place] = max(sign * (win - float(game.white_winrate[place + 1])), 0.0)
        losses.error[place] = np.hypot(_PLAIN_ERROR[0], _PLAIN_ERROR[1] * losses.points[place])
    counts = Counter(number for number, _ in rows)
    return [counts[number] for number in range(len(games))]


def _sign(game: GoGame, place: int) -> float:
    return 1.0 if int(game.colours[place]) == WHITE else -1.0


def _search(
    games: Sequence[FirstLook],
    losses_of: Sequence[Losses],
    network: Network,
    visits: int,
    budgets: Sequence[float],
) -> None:
    """Search what may have cost something a little, and what still seems to have more."""
    # What is spent on a game depends on that game alone; the trees of all grow together.
    first = min(_FIRST, visits)
    chosen: list[list[_Suspect]] = []
    for number, budget in enumerate(budgets):
        most = _affordable((1.0 - _LATER * (visits > first)) * budget, _cost(0, first))
        chosen.append(_suspects(number, games[number], losses_of[number])[:most])
    _grow(chosen, games, losses_of, network, first)
    if visits > first:
        later = []
        for suspects, losses, budget in zip(chosen, losses_of, budgets, strict=True):
            left = budget - len(suspects) * _cost(0, first)
            again = [move for move in suspects if losses.points[move.place] >= _SUSPECT]
            again.sort(key=lambda move: -losses.points[move.place])
            later.append(again[: _affordable(left, _cost(first, visits))])
        _grow(later, games, losses_of, network, visits)


def _cost(begin: int, end: int) -> int:
    """New positions of a comparison, from so many visits on; the roots have been looked at."""
    return 2 * (end - max(begin, 1))


def _affordable(budget: float, cost: int) -> int | None:
    """How many at this cost; None for any number."""
    return None if np.isinf(budget) or not cost else max(int(budget // cost), 0)


def _grow(
    chosen: Sequence[Sequence[_Suspect]],
    games: Sequence[FirstLook],
    losses_of: Sequence[Losses],
    network: Network,
    visits: int,
) -> None:
    """Search moves of all games further, and enter what is found."""
    moves = [move for suspects in chosen for move in suspects]
    grow([tree for move in moves for tree in (move.after, move.instead)], network, visits)
    for move in moves:
        _take(games[move.game], losses_of[move.game], move)


def _suspects(number: int, game: FirstLook, losses: Losses) -> list[_Suspect]:
    """Moves of a game that may have cost something, the most suspicious first."""
    suspicion = np.fmax(losses.points, _ANSWER_WEIGHT * _until_answered(game))
    suspicion[np.isnan(losses.points)] = 0.0
    places = np.flatnonzero(suspicion >= _SUSPECT)
    order = places[np.argsort(-suspicion[places], kind="stable")]
    tree = partial(Tree, game.game, game.conditions)
    return [
        _Suspect(number, place, tree(place + 1), tree(place, int(game.game.moves[place])))
        for place in order.tolist()
    ]


def _until_answered(game: FirstLook) -> Floats32:
    """Points lost from before each move to after its answer: the same side is to move."""
    lead, colours = game.white_lead, game.game.colours[: len(game.white_lead) - 1]
    lost = np.zeros(len(colours), np.float32)
    if len(colours) > 1:
        sign = np.where(colours[:-1] == WHITE, 1.0, -1.0)
        lost[:-1] = np.where(colours[1:] != colours[:-1], sign * (lead[:-2] - lead[2:]), 0.0)
    return lost


def _take(game: FirstLook, losses: Losses, move: _Suspect) -> None:
    """Enter what the search says of a move."""
    place, after, best = move.place, move.after, move.instead.best()
    if best is None:
        return
    sign = _sign(game.game, place)
    lost = sign * (best.mean_lead - after.root.mean_lead)
    chances = [sign * (node.mean_win - 0.5) + 0.5 for node in (best, after.root)]
    spread = np.hypot(np.std(after.leads), np.std(move.instead.leads))
    losses.visits[place] = after.root.visits
    losses.best[place] = best.move if lost > 0.0 else game.game.moves[place]
    if min(chances) > DECIDED or max(chances) < 1.0 - DECIDED:
        losses.decided[place] = True
        losses.points[place] = losses.error[place] = losses.win[place] = np.nan
        return
    losses.points[place] = max(lost, 0.0)
    losses.win[place] = max(chances[0] - chances[1], 0.0)
    losses.error[place] = np.hypot(
        _SEARCHED_ERROR[0], _SEARCHED_ERROR[1] * spread / sqrt(after.root.visits)
    )


#: Weight of the bonus for moves that were seldom tried.
_EXPLORATION = 1.1
#: What a move that was not tried is worth less than its parent, at most.
_FIRST_PLAY = 0.2
#: Weight of points beside winning, and points over which it levels off.
_POINTS_WEIGHT, _POINTS_SCALE = 0.3, 19.0
#: Moves of a position that are considered at all, by policy.
_WIDTH = 12


@dataclass(slots=True, eq=False)
class Node:
    """A position in a tree: the move that led here (-1 a pass), and who is to move, `colour`.

    `prior` is the policy's probability of the move, `visits` counts the positions seen here and
    below, `win` and `lead` sum White's expected score and lead over them.
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
    """The search of one position of a game, after so many moves.

    Of the root the move `without` is left out. It is turned by the symmetry `first`, the next
    position by the next, and so on. `leads` has White's lead in every position seen, in their
    order.
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
        self.root = Node(PASS, _side_to_move(game, position), 1.0)
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

    def expand(self, path: Sequence[Node], win: float, lead: float, policy: Floats32) -> None:
        """Take in what the network said of the last position of a path."""
        leaf = path[-1]
        if not leaf.visits:
            leaf.children = self._children(path, policy)
        for node in path:
            node.visits += 1
            node.win += win
            node.lead += lead
        self.leads.append(lead)

    def _children(self, path: Sequence[Node], policy: Floats32) -> list[Node]:
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
        colour = opponent(leaf.colour)
        return [
            Node(PASS if point == passing else int(point), colour, float(chances[point]) / total)
            for point in order
        ]


def grow(trees: Sequence[Tree], network: Network, visits: int) -> int:
    """Let trees grow to so many positions each, where they have fewer; returns how many it took."""
    evaluated = 0
    while growing := [tree for tree in trees if tree.root.visits < visits]:
        paths = [tree.descend() for tree in growing]
        lines = [
            Line(
                tree.game,
                tree.conditions,
                tree.position,
                tuple(node.move for node in path[1:]),
                (tree.first + tree.root.visits) % SYMMETRIES,
            )
            for tree, path in zip(growing, paths, strict=True)
        ]
        seen = evaluate_lines(lines, network)
        for tree, path, evaluation in zip(growing, paths, seen, strict=True):
            tree.expand(path, *evaluation)
        evaluated += len(growing)
    return evaluated


@dataclass(frozen=True, slots=True)
class Line:
    """A position for a network: one of a game, after so many moves, and moves from there.

    The first of `moves` is made by who moved there in the game, then they alternate. `symmetry`
    turns the position before it is shown, 0 to 7.
    """

    game: GoGame
    conditions: Conditions
    position: int
    moves: tuple[int, ...] = ()
    symmetry: int = 0


def evaluate_lines(lines: Sequence[Line], network: Network) -> list[tuple[float, float, Floats32]]:
    """White's expected score and lead, and the policy, in each of some positions."""
    seen: dict[int, tuple[float, float, Floats32]] = {}
    for size in sorted({line.game.size for line in lines}):  # a call takes boards of one size
        places = [place for place, line in enumerate(lines) if line.game.size == size]
        for start in range(0, len(places), BATCH):
            some = places[start : start + BATCH]
            seen |= zip(some, _evaluated([lines[k] for k in some], network), strict=True)
    return [seen[place] for place in range(len(lines))]


def _evaluated(lines: Sequence[Line], network: Network) -> Iterator[tuple[float, float, Floats32]]:
    encoded = [_encoded(line) for line in lines]
    answers = evaluate_turned(
        network,
        np.concatenate([each.spatial for each in encoded]),
        np.concatenate([each.globals for each in encoded]),
        np.array([line.symmetry for line in lines]),
    )
    seen = assess_answers(
        answers,
        np.concatenate([each.to_play for each in encoded]),
        np.concatenate([each.legal for each in encoded]),
        np.array([can_end_without_result(line.conditions.rules) for line in lines]),
    )
    yield from zip(seen.white_expected.tolist(), seen.white_lead.tolist(), seen.policy, strict=True)


def _encoded(line: Line) -> Encoded:
    game, end = line.game, line.position
    first = _side_to_move(game, end)
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


def _side_to_move(game: GoGame, position: int) -> int:
    """Who is to move after so many moves of a game."""
    if position < len(game.moves):
        return int(game.colours[position])
    return opponent(int(game.colours[-1])) if len(game.colours) else game.to_play
