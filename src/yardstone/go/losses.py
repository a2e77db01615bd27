"""What moves cost, so that it can be believed: losses against the network's best move.

The lead before a move less the lead after it is a poor loss: the two positions differ in
who is to move, which a network that does not search never allows for exactly, and it
often sees a fight only when it is over. So the position after the move is compared with
that after the best move instead, with the same side to move, and where a move seems to
have cost something both are searched (`yardstone.go.search`), each position turned by
another symmetry of the board.

A loss is never below 0: nobody gains against best play, and what is negative is noise.
Where a game is decided a move has no loss: with more than 95 % to win, or less than 5 %,
before and after the move, points that are given away decide nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.go.points import WHITE
from yardstone.go.search import Line, Tree, evaluate_lines, grow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.conditions import Conditions
    from yardstone.go.nets.network import Network
    from yardstone.records.go_game import GoGame

    Floats = NDArray[np.float32]

__all__ = ["DECIDED", "VISITS", "FirstLook", "LossEffort", "Losses", "move_losses"]

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
    """How much is spent on losses.

    Attributes
    ----------
    visits : int
        Positions seen on either side of a comparison, at most; 0 for no search.
    share : float or None
        New positions seen in a game, at most, for each of its positions; None for no limit.
    """

    visits: int = VISITS
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

    Attributes
    ----------
    game : GoGame
    conditions : Conditions
        Rules and komi that the network was told.
    white_winrate, white_lead : float32 [m + 1]
        Before each move and after the last.
    best : int16 [m]
        The move that the network likes best; -1 is a pass.
    wanted : bool [m]
        The moves whose losses are asked for.
    """

    game: GoGame
    conditions: Conditions
    white_winrate: Floats
    white_lead: Floats
    best: NDArray[np.int16]
    wanted: NDArray[np.bool_]

    @property
    def mover_winrates(self) -> Floats:
        """Winrate of who made each move, before it and after it: [m, 2]."""
        both = np.column_stack([self.white_winrate[:-1], self.white_winrate[1:]])
        white = (self.game.colours[: len(both)] == WHITE)[:, None]
        return np.where(white, both, 1.0 - both).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """What the moves of a game cost their players.

    Attributes
    ----------
    points : float32 [m]
        Points, 0 or more; NaN where the game is decided, and for moves not asked for.
    error : float32 [m]
        One standard deviation of each.
    win : float32 [m]
        Winrate that each cost, 0 to 1; NaN likewise.
    best : int16 [m]
        The move that is better, or the network's choice where none is.
    decided : bool [m]
        Whether the game was decided.
    visits : int32 [m]
        Positions that were searched on either side; 0 without a search.
    """

    points: Floats
    error: Floats
    win: Floats
    best: NDArray[np.int16]
    decided: NDArray[np.bool_]
    visits: NDArray[np.int32]

    def above_noise(self, points: float) -> NDArray[np.bool_]:
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
    """Losses of the moves of games.

    Parameters
    ----------
    games : sequence of FirstLook
    network : Network
        The one that has looked at them.
    effort : LossEffort, optional

    Returns
    -------
    list of Losses
        One a game.
    """
    spend = LossEffort() if effort is None else effort
    losses_of = [_undecided(game) for game in games]
    compared = _compare(games, losses_of, network)
    if spend.visits:
        share = np.inf if spend.share is None else spend.share
        budgets = [
            share * len(game.white_lead) - number
            for game, number in zip(games, compared, strict=True)
        ]
        _search(games, losses_of, network, spend.visits, budgets)
    return losses_of


def _undecided(game: FirstLook) -> Losses:
    """Losses of 0 where the network's own choice was played, unknown elsewhere."""
    number = len(game.white_lead) - 1
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
        visits=np.zeros(number, np.int32),
    )


def _compare(
    games: Sequence[FirstLook], losses_of: Sequence[Losses], network: Network
) -> list[int]:
    """Compare each move with the network's choice, both looked at once; how many in each game."""
    rows = [
        (number, int(place))
        for number, (game, losses) in enumerate(zip(games, losses_of, strict=True))
        for place in np.flatnonzero(
            ~np.isnan(losses.points)
            & (game.best != game.game.moves[: len(game.best)].astype(np.int16))
        )
    ]
    lines = [
        Line(games[n].game, games[n].conditions, place, (int(games[n].best[place]),))
        for n, place in rows
    ]
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
    """Search the moves that may have cost something, in each game the most suspicious first.

    All are searched a little, and then those that still seem to have cost something more. What
    is spent on a game depends on that game alone, so that it is not looked at anew beside
    others; the trees of all games grow together.
    """
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
    return [
        _Suspect(
            number,
            place,
            Tree(game.game, game.conditions, place + 1),
            Tree(game.game, game.conditions, place, int(game.game.moves[place])),
        )
        for place in order.tolist()
    ]


def _until_answered(game: FirstLook) -> Floats:
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
