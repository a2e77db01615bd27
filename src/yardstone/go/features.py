"""Features of moves: what a network says of a game, a row a move.

*head* features are six numbers from the network's usual outputs before and after the
move (Neubauer 2024, section 4.5); *pick* is the trunk at the move's point (section
4.2, after its last normalisation and activation, in the position before the move,
from the mover's view, the board as it lies); *after* the same in the position after
the move, from the opponent's view; *candidates* the trunk at the other points that
the network likes best, with their policy as *chances*; *mean* the trunk's mean over
the board and *trunk* the whole of it. Passes have no features.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.points import WHITE
from yardstone.go.requests import moves_before_passes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.evaluator import NetworkAnswer
    from yardstone.go.position import Assessment
    from yardstone.records.go_game import GoGame

__all__ = ["HEAD", "POINTS", "GameFeatures", "head_features", "move_features"]

#: Names of the head features, in their order.
HEAD = ("winrate", "lead", "policy", "best_policy", "win_loss", "point_loss")
#: One of the head features of points is so many points.
POINTS = 10.0
_POINT = 1.0 / POINTS


def head_features(
    assessment: Assessment, colours: NDArray[np.int8], moves: NDArray[np.int16]
) -> NDArray[np.float32]:
    """The six head features of each move of a game.

    Parameters
    ----------
    assessment : Assessment
        Of the m + 1 positions before, between and after the moves.
    colours : int8 [m]
        Who moved.
    moves : int16 [m]
        Where; -1 is a pass.

    Returns
    -------
    float32 [m, 6]
        From the mover's view: winrate after the move less 0.5; lead after it times
        0.1; the policy's probability of the move less 0.5; the greatest probability
        of any move less 0.5; the winrate that the move cost; the points it cost times
        0.1. A move that the rules forbid has no policy: NaN.
    """
    number = np.arange(len(moves))
    white = colours == WHITE
    before, after = assessment.white_expected[:-1], assessment.white_expected[1:]
    mine_before = np.where(white, before, 1.0 - before)
    mine_after = np.where(white, after, 1.0 - after)
    lead = np.where(white, 1.0, -1.0)[:, None] * np.column_stack(
        [assessment.white_lead[:-1], assessment.white_lead[1:]]
    )
    policy = assessment.policy[:-1]
    best = np.nanmax(policy, axis=1) if len(moves) else np.empty(0, np.float32)
    return np.column_stack(
        [
            mine_after - 0.5,
            _POINT * lead[:, 1],
            policy[number, moves] - 0.5,
            best - 0.5,
            mine_before - mine_after,
            _POINT * (lead[:, 0] - lead[:, 1]),
        ]
    ).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class GameFeatures:
    """Features of the n moves of a game: Black's in order, then White's.

    Attributes
    ----------
    game : GoGame
    number : int16 [n]
        Number of each move in the game, from 1.
    colour : int8 [n]
        Who made it: 1 Black, 2 White.
    point : int16 [n]
        Where.
    features : dict of str to arrays
        ``head`` float32 [n, 6]; ``pick``, ``after``, ``mean`` float16 [n, channels],
        ``candidates`` [n, 5, channels] with ``chances`` [n, 5] and ``trunk`` float16
        [n, channels, size, size] as asked.
    white_winrate, white_lead : float
        As the network sees the game's last position, before the passes that end it.
    """

    game: GoGame
    number: NDArray[np.int16]
    colour: NDArray[np.int8]
    point: NDArray[np.int16]
    features: dict[str, NDArray[np.float32] | NDArray[np.float16]]
    white_winrate: float
    white_lead: float


def move_features(answer: NetworkAnswer) -> GameFeatures:
    """Features from the answer to a question about a game, asked with ``trunk``.

    If the question leaves positions at the beginning out, so do the features their moves.
    """
    game: GoGame = answer.question.about.game
    points = answer.question.points
    if points is None:
        raise ValueError("the question did not ask for features")
    positions = answer.question.encoded.positions
    first = int(positions[0]) if len(positions) else 0
    moves, colours = game.moves[first:].astype(np.int16), game.colours[first:].astype(np.int8)
    head = head_features(answer.assessment, colours, moves)
    rows = np.flatnonzero(points >= 0)
    order = np.argsort(colours[rows], kind="stable")  # Black is 1, White 2
    rows = rows[order]
    features: dict[str, NDArray[np.float32] | NDArray[np.float16]] = {"head": head[rows]}
    for kind, values in answer.features.items():
        features[kind] = values[order]
    end = max(moves_before_passes(game) - first, 0)
    return GameFeatures(
        game=game,
        number=(rows + first + 1).astype(np.int16),
        colour=colours[rows],
        point=moves[rows],
        features=features,
        white_winrate=float(answer.assessment.white_expected[end]),
        white_lead=float(answer.assessment.white_lead[end]),
    )
