"""The regression of ranks on what the moves of a side of a game say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.strength.evidence import PHASES
from yardstone.strength.rank_scorer import MoveScorer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.rank_scorer import Lift
    from yardstone_lab.neubauer.rank.pool import RankPool

    Floats = NDArray[np.float32]
    Array = NDArray[np.float64]

__all__ = ["Regression"]

_TINY = 1e-9
_RARE = 1e-4


class Regression:
    """Ridge regression whose moments are summed by fold, so that each is made once.

    Targets are regressed on the mean values of a side's moves: of the whole game, by phase,
    and lifted.

    Parameters
    ----------
    pool : RankPool
    lift : Lift
        That made the pool.
    prior_moves : float
        Moves without a say, added to those of each side.
    target : float [s, t]
        Of each side: indicators of its rank group, or its rank.
    weight : float [s]
        How much each side counts; 1 on average.
    """

    def __init__(
        self, pool: RankPool, lift: Lift, prior_moves: float, target: Array, weight: Array
    ) -> None:
        self._lift = lift
        self._weight = weight.astype(np.float32)
        counts = pool.counts.astype(np.float32)
        share = self._weight[:, None] * counts
        self._mean = np.zeros((2, PHASES, lift.values + lift.lifted), np.float32)
        self._values, self._lifted = pool.values.copy(), pool.lifted.copy()
        for colour in (0, 1):
            rows = pool.colour == colour + 1
            total = np.maximum(share[rows].sum(axis=0), 1.0)[:, None]
            own = self._weight[rows, None, None]
            mean_values = (own * pool.values[rows]).sum(axis=0, dtype=np.float64) / total
            mean_lifted = (own * pool.lifted[rows]).sum(axis=0, dtype=np.float64) / total
            self._mean[colour] = np.concatenate([mean_values, mean_lifted], axis=1)
            here = counts[rows][:, :, None]
            self._values[rows] -= here * mean_values.astype(np.float32)
            self._lifted[rows] -= here * mean_lifted.astype(np.float32)
        whole = 1.0 / (counts.sum(axis=1) + np.float32(prior_moves))[:, None]
        parts = [
            self._values.sum(axis=1),
            *(self._values[:, phase] for phase in range(PHASES)),
            self._lifted.sum(axis=1),
        ]
        width = (1 + PHASES) * lift.values + lift.lifted
        self._design = np.empty((len(pool), width), np.float32)
        self._scale = np.empty(width, np.float32)
        begin = 0
        for sums in parts:
            columns = slice(begin, begin + sums.shape[1])
            x = sums * whole
            deviation = x.std(axis=0, dtype=np.float64)
            # What hardly ever happens must not become large.
            least = _RARE * float(np.abs(x).max(initial=0.0)) + _TINY
            self._scale[columns] = 1.0 / (deviation + least)
            np.multiply(x, self._scale[columns], out=self._design[:, columns])
            begin = columns.stop
        mean = np.average(target, axis=0, weights=weight)
        self._target = (target - mean).astype(np.float32)

    def moments(self, rows: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Weighted products of the design with itself and with the target, over some sides."""
        x = self._design[rows]
        weighted = (x * self._weight[rows, None]).T
        return np.asarray(weighted @ x), np.asarray(weighted @ self._target[rows], np.float32)

    def solve(
        self, gram: Floats, cross: Floats, *, ridge: float, by_phase: float, lifted: float
    ) -> tuple[Floats, Floats]:
        """Weights from summed moments.

        Parameters
        ----------
        gram, cross
            Sums of what `moments` gave.
        ridge : float
            Penalty of the values of the whole game, as a share of a value's variance.
        by_phase, lifted : float
            How much weaker the values by phase, and each kind of lifted values, count
            before the penalty: theirs is ``ridge`` divided by the square.

        Returns
        -------
        float32 [phases, v, t]
            Of the values, by phase.
        float32 [e, t]
            Of the lifted values.
        """
        from scipy.linalg import cho_factor, cho_solve

        regularised = gram.copy()
        values = self._lift.values
        blocks = np.array(self._lift.blocks)
        weight = np.concatenate(
            [
                np.ones(values),
                np.full(PHASES * values, by_phase),
                np.repeat(lifted * np.sqrt(self._lift.channels / blocks), blocks),
            ]
        )
        penalty = ridge * len(self._design) / weight**2
        regularised[np.diag_indices(len(gram))] += penalty.astype(np.float32)
        factor = cho_factor(regularised, lower=True, overwrite_a=True, check_finite=False)
        weights = cho_solve(factor, cross, check_finite=False) * self._scale[:, None]
        parts = weights[: (1 + PHASES) * values].reshape(1 + PHASES, values, -1)
        return (
            (parts[:1] + parts[1:]).astype(np.float32),
            weights[(1 + PHASES) * values :].astype(np.float32),
        )

    def phase_scores(self, weights: tuple[Floats, Floats], rows: NDArray[np.bool_]) -> Array:
        """Summed scores of the sides' moves by phase: float64 [s, phases, t]."""
        by_phase, lifted = weights
        scores = np.einsum("spv,pvk->spk", self._values[rows], by_phase, optimize=True)
        return np.asarray(scores + self._lifted[rows] @ lifted, np.float64)

    def scorer(self, weights: tuple[Floats, Floats], directions: Array) -> MoveScorer:
        """What scores moves with some weights, turned to other directions.

        Parameters
        ----------
        weights
            From `solve`.
        directions : float64 [t, k]
        """
        turn = directions.astype(np.float32)
        linear, lifted = weights[0] @ turn, weights[1] @ turn
        values = self._lift.values
        centre = np.einsum("cpv,pvk->cpk", self._mean[..., :values], linear)
        centre += self._mean[..., values:] @ lifted
        return MoveScorer(self._lift, linear, lifted, centre.astype(np.float32))
