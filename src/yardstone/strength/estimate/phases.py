"""Strength by phase of the game, on the footing of the strength from all moves.

The distribution of a strength from few moves is broad, so that its mean lies towards the
middle of the scale, the more so the fewer the moves: means from three phases can all lie
on one side of the mean from all moves. So each phase is asked another question: what
would all the player's moves say, if they looked as those of this phase do? That strength
is where the scores of the phase's moves are the usual ones, along the one direction in
which the scores of all moves tell the player's strength. What all moves have to say there
is the sum of what the phases have, so that their strength lies between the phases'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.strength.move_phases import PHASES as MODEL_PHASES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.model_scale import ModelScale

    Array = NDArray[np.float64]

__all__ = ["phase_means"]

#: Strengths at which scores are compared: they are carried on beyond the scale, so that
#: the sum of the phases is still their sum there.
_FAR, _STEP = 12.0, 0.05
#: The direction is the difference of what is usual so many ranks below and above.
_SIDE = 0.5


def phase_means(scale: ModelScale, parts: Array, whole: Array) -> Array:
    """What all moves would say if they looked as those of each part do.

    Parameters
    ----------
    scale : ModelScale
    parts : float64 [p, phases + 1 + k]
        Statistics of the parts (`StrengthModel.part_statistics`), summed over the games.
    whole : float64 [phases + 1 + k]
        Statistics of all moves.

    Returns
    -------
    float64 [p]
        Means on the scale; that of `whole` lies between them. A part without moves
        has that of `whole`.
    """
    spread, edges = scale.spread, scale.edges
    if not whole[:MODEL_PHASES].any():
        return np.full(len(parts), scale.moments(scale.density(whole))[0])
    columns = MODEL_PHASES + 1 + spread.columns.astype(np.int64)
    counts = whole[:MODEL_PHASES]
    strengths = np.arange(edges[0] - _FAR, edges[-1] + _FAR + _STEP, _STEP)
    usual = spread.usual_of(strengths)
    likeliest = scale.strengths[int(np.argmax(scale.density(whole)))]
    mode = float(np.clip(likeliest, edges[0] + _SIDE, edges[-1] - _SIDE))
    below, above = spread.usual_of(np.array([mode - _SIDE, mode + _SIDE]))
    slope = counts @ (above - below)
    direction = np.linalg.solve(spread.covariance(whole), slope)
    along = usual @ direction

    def place(statistics: Array) -> float:
        """Where the scores along the direction are the usual ones."""
        expected = np.maximum.accumulate(along @ statistics[:MODEL_PHASES])
        # Where stronger players score no more, the weakest of them stand for all.
        grows = np.concatenate([[True], np.diff(expected) > 0.0])
        score = statistics[columns] @ direction
        strength = np.interp(score, expected[grows], strengths[grows])
        return float(np.clip(strength, edges[0], edges[-1]))

    here = place(whole)
    at = np.array([here, *(place(part) if part[:MODEL_PHASES].sum() else here for part in parts)])
    moved = np.repeat(whole[None], len(at), axis=0)
    for each in scale.spreads:
        own = MODEL_PHASES + 1 + each.columns.astype(np.int64)
        expected = np.einsum("p,rpk->rk", counts, each.usual_of(at))
        moved[:, own] = whole[own] + expected - expected[0]
    means, _ = scale.moments(scale.density(moved))
    return np.asarray(means[1:])
