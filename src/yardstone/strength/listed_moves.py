"""Moves that an estimate lists: the costliest ones, and those that say most of strength."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone.go.inputs import game_positions
from yardstone.go.losses import FirstLook, LossEffort, Losses, move_losses
from yardstone.go.points import BLACK, PASS, WHITE, point_name
from yardstone.go.rules import TROMP_TAYLOR, Conditions
from yardstone.strength.players import KOMI, EvaluatedGame

if TYPE_CHECKING:
    from yardstone.arrays import Longs
    from yardstone.go.nets.network import Network
    from yardstone.strength.evidence import Evidence
    from yardstone.strength.model import StrengthModel


#: What is spent on losses of a game, unless told otherwise: six tenths of what its positions take.
EFFORT = LossEffort(share=0.6)
#: Points that a move must cost to be listed, and how many moves are.
COSTLY, _COSTLIEST = 3.0, 5
#: Moves listed of each kind: for a stronger player, and for a weaker one.
_EACH = 3
#: Ranks that a move must move the estimate by: less does not show in a rating.
_VISIBLE = 0.1
#: What a move says changes under the symmetries of the board: one standard deviation, for
#: each rank that the player's moves say on average (root mean square), and how many of them
#: it takes. From ``python -m lab.studies.move_losses effects``.
_NOISE, _NOISES = 0.33, 3.0
#: Moves before one that is listed, and after it, so that a reader can follow.
_BEFORE, _AFTER = 3, 4
_COLOURS = {BLACK: "black", WHITE: "white"}


def player_losses(
    games: Sequence[tuple[EvaluatedGame, int]], network: Network, effort: LossEffort | None = None
) -> list[Losses]:
    """What the player's moves cost in each of some games.

    `games`: each with the player's colour. `network`: that has seen them.
    """
    looked = []
    for evaluated, colour in games:
        moves = len(evaluated.white_lead) - 1
        number = evaluated.features.number.astype(np.int64)
        best = np.full(moves, PASS, np.int16)
        best[number - 1] = evaluated.best
        own = np.zeros(moves, np.bool_)
        own[number[evaluated.features.colour == colour] - 1] = True
        looked.append(
            FirstLook(
                evaluated.game,
                Conditions(TROMP_TAYLOR, KOMI),
                evaluated.white_winrate,
                evaluated.white_lead,
                best,
                own,
            )
        )
    return move_losses(looked, network, EFFORT if effort is None else effort)


@dataclass(frozen=True, slots=True)
class ListedMove:
    """A move with what it cost."""

    game: int  #: Place of the game in the estimate.
    move: int  #: Its number in the game, from 1.
    colour: int
    point: int
    #: What it cost, and one standard deviation of that; None where the game was decided.
    points_lost: float | None
    error: float | None
    #: Probability that the network gave to it; None where the rules forbid it.
    policy: float | None
    best: int  #: What the network, or a search, finds better.

    def as_dict(self, evaluated: EvaluatedGame) -> dict[str, Any]:
        """Plain values, with the position before the move."""
        size = evaluated.game.size
        more = {}
        if isinstance(self, IndicativeMove):
            more = {"effect": round(self.effect, 2), "noise": round(self.noise, 3)}
        return {
            "game": self.game,
            "move": self.move,
            "colour": _COLOURS[self.colour],
            "point": point_name(self.point, size),
            "policy": None if self.policy is None else round(self.policy, 4),
            "best": point_name(self.best, size),
            **more,
            "points_lost": None if self.points_lost is None else round(self.points_lost, 1),
            "error": None if self.error is None else round(self.error, 1),
            "position": _position(self.move, self.best, evaluated),
        }


@dataclass(frozen=True, slots=True)
class CostlyMove(ListedMove):
    """A move that cost more than noise explains."""


@dataclass(frozen=True, slots=True)
class IndicativeMove(ListedMove):
    """A move that says more of its player's strength than noise explains."""

    effect: float  #: Ranks that it moves the estimate by; more is stronger.
    noise: float  #: One standard deviation of that.


def _position(move: int, best: int, evaluated: EvaluatedGame) -> dict[str, Any]:
    """The board before a move, and what the move, the better one and the next ones take."""
    game = evaluated.game
    positions = game_positions(game).stones
    before, last = positions[move - 1], min(move + _AFTER, len(game.moves))

    def names(points: Longs) -> list[str]:
        return [point_name(int(p), game.size) for p in points]

    def step(k: int) -> dict[str, Any]:
        point = int(game.moves[k])
        taken = names(_taken(positions[k], positions[k + 1]))
        colour = _COLOURS[int(game.colours[k])]
        return {"colour": colour, "point": point_name(point, game.size), "takes": taken}

    moves = np.append(game.moves[: move - 1], best).astype(game.moves.dtype)
    other = game_positions(replace(game, moves=moves, colours=game.colours[:move]))
    best_takes = [] if other.illegal_at >= 0 else names(_taken(before, other.stones[move]))
    return {
        "size": game.size,
        "black": names(np.flatnonzero(before == BLACK)),
        "white": names(np.flatnonzero(before == WHITE)),
        "before": [step(k)["point"] for k in range(max(move - 1 - _BEFORE, 0), move - 1)],
        "steps": [step(k) for k in range(move - 1, last)],
        "best_takes": best_takes,
    }


def _taken(before: NDArray[Any], after: NDArray[Any]) -> Longs:
    """The points whose stones a move takes off the board."""
    return np.flatnonzero((before != 0) & (after == 0))


def costliest_moves(evidence: Evidence, losses: Sequence[Losses]) -> tuple[CostlyMove, ...]:
    """The moves that cost most, the worst first: none that noise may explain.

    `evidence`: of the player's moves. `losses`: of each of its games.
    """
    costly = []
    for row in range(len(evidence)):
        number, move = int(evidence.game[row]), int(evidence.number[row])
        lost = losses[number]
        if lost.visits[move - 1] and lost.above_noise(COSTLY)[move - 1]:
            costly.append(
                CostlyMove(
                    **_facts(evidence, row),
                    points_lost=float(lost.points[move - 1]),
                    error=float(lost.error[move - 1]),
                    best=int(lost.best[move - 1]),
                )
            )
    costly.sort(key=lambda each: each.points_lost or 0.0, reverse=True)
    return tuple(costly[:_COSTLIEST])


def indicative_moves(
    evidence: Evidence,
    model: StrengthModel,
    evaluated: Sequence[tuple[EvaluatedGame, int]],
    losses: Sequence[Losses],
    scale: str,
) -> tuple[IndicativeMove, ...]:
    """The moves that say most of strength on a scale, up or down, the loudest first.

    Only those that say more than noise. One that costs points is no example of strength,
    whoever plays such moves, and the network's own choice is none of weakness: they are
    left out.
    """
    effects = np.asarray(model.move_scores(evidence, scale), np.float64)
    if not len(effects):
        return ()
    noise = _NOISE * float(np.sqrt((effects**2).mean()))
    least = max(_VISIBLE, _NOISES * noise)
    indicative: list[IndicativeMove] = []
    order = np.argsort(-np.abs(effects), kind="stable")
    for row in order[np.abs(effects[order]) >= least].tolist():
        number, move = int(evidence.game[row]), int(evidence.number[row])
        lost = float(losses[number].points[move - 1])
        features = evaluated[number][0].features
        best = int(evaluated[number][0].best[np.flatnonzero(features.number == move)[0]])
        up = effects[row] > 0.0
        if (lost >= COSTLY) if up else best == int(evidence.point[row]):
            continue
        if sum((each.effect > 0.0) == up for each in indicative) < _EACH:
            indicative.append(
                IndicativeMove(
                    **_facts(evidence, row),
                    effect=float(effects[row]),
                    noise=noise,
                    points_lost=None if np.isnan(lost) else lost,
                    error=None if np.isnan(lost) else float(losses[number].error[move - 1]),
                    best=best,
                )
            )
    return tuple(indicative)


def _facts(evidence: Evidence, row: int) -> dict[str, Any]:
    policy = float(evidence.policy[row])
    return {
        "game": int(evidence.game[row]),
        "move": int(evidence.number[row]),
        "colour": int(evidence.colour[row]),
        "point": int(evidence.point[row]),
        "policy": policy if np.isfinite(policy) else None,
    }
