"""The moves that spoke most for a stronger player, or for a weaker one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.go.points import BLACK, WHITE, point_name
from yardstone.go.replay import game_positions

if TYPE_CHECKING:
    from yardstone.strength.estimate.seen import SeenGame
    from yardstone.strength.evidence import Evidence
    from yardstone.strength.rank.model import RankModel

__all__ = ["SpokenMove", "spoken_moves"]

#: Moves listed of each kind: for a stronger player, and for a weaker one.
_EACH = 5
#: Moves before the one that spoke, listed so that a reader can follow.
_BEFORE = 3


@dataclass(frozen=True, slots=True)
class SpokenMove:
    """A move and how it speaks.

    Attributes
    ----------
    game : int
        Place of the game in the estimate.
    move : int
        Its number in the game, from 1.
    colour, point : int
    effect : float
        Ranks that it moves the estimate by; more is stronger.
    points_lost : float
        What it cost, as the network sees it.
    policy : float or None
        Probability that the network gave to it; None where the rules forbid it.
    best : int
        The network's choice.
    """

    game: int
    move: int
    colour: int
    point: int
    effect: float
    points_lost: float
    policy: float | None
    best: int

    def as_dict(self, seen: SeenGame) -> dict[str, Any]:
        """Plain values, with the position before the move."""
        game = seen.game
        stones = game_positions(game).stones[self.move - 1]
        before = range(max(self.move - 1 - _BEFORE, 0), self.move - 1)

        def names(colour: int) -> list[str]:
            return [point_name(int(p), game.size) for p in np.flatnonzero(stones == colour)]

        return {
            "game": self.game,
            "move": self.move,
            "colour": "white" if self.colour == WHITE else "black",
            "point": point_name(self.point, game.size),
            "effect": round(self.effect, 3),
            "points_lost": round(self.points_lost, 2) + 0.0,
            "policy": None if self.policy is None else round(self.policy, 4),
            "best": point_name(self.best, game.size),
            "position": {
                "size": game.size,
                "black": names(BLACK),
                "white": names(WHITE),
                "before": [point_name(int(game.moves[k]), game.size) for k in before],
            },
        }


def spoken_moves(
    evidence: Evidence, model: RankModel, seen: Sequence[tuple[SeenGame, int]]
) -> tuple[SpokenMove, ...]:
    """The moves that spoke most, for a stronger and for a weaker player, the loudest first."""
    effects = np.asarray(model.move_scores(evidence), np.float64)
    order = np.argsort(effects, kind="stable")
    weaker = [int(row) for row in order[:_EACH] if effects[row] < 0.0]
    stronger = [int(row) for row in order[::-1][:_EACH] if effects[row] > 0.0]
    rows = sorted(weaker + stronger, key=lambda row: -abs(effects[row]))
    found = []
    for row in rows:
        number, move = int(evidence.game[row]), int(evidence.number[row])
        game = seen[number][0]
        place = int(np.flatnonzero(game.features.number == move)[0])
        policy, lost = evidence.head[row, 2] + 0.5, 10.0 * evidence.head[row, 5]
        found.append(
            SpokenMove(
                game=number,
                move=move,
                colour=int(evidence.colour[row]),
                point=int(evidence.point[row]),
                effect=float(effects[row]),
                points_lost=float(np.nan_to_num(lost)),
                policy=float(policy) if np.isfinite(policy) else None,
                best=int(game.best[place]),
            )
        )
    return tuple(found)
