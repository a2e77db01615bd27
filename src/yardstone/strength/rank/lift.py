"""`Lift`: products and random features of the values of a move, for a linear model.

A linear model of the values sees no interplay between them. So the values are lifted:
the trunk at the move times how likely the move and the best move were, squares, and
rectified random projections (Rahimi and Recht 2008, Weighted sums of random kitchen
sinks) of all values, of the trunk at the move, and of what that gains over the moves
that the network would have played.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from yardstone.strength.rank.values import SCALARS, move_policy, move_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence

    Floats = NDArray[np.float32]

__all__ = ["Lift", "random_lift"]

#: Values further from the mean than this many deviations count as that far: what the
#: model has never met must not carry it away.
CLIP = 8.0
_LEAST = 1e-4
_PRODUCTS = 5
_LEAST_DEVIATION = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Lift:
    """Weights that standardise and lift v = 4 channels + scalars values of a move.

    Attributes
    ----------
    mean, deviation : float32 [v]
        Of the values in training.
    pick_weights : float32 [channels, a]
        Random projections of the trunk at a point.
    pick_bias : float32 [a]
    weights : float32 [v, b]
        Random projections of all values.
    bias : float32 [b]
    """

    mean: Floats
    deviation: Floats
    pick_weights: Floats
    pick_bias: Floats
    weights: Floats
    bias: Floats

    @property
    def channels(self) -> int:
        """Width of the trunk."""
        return len(self.pick_weights)

    @property
    def values(self) -> int:
        """Number of values of a move."""
        return len(self.mean)

    @property
    def blocks(self) -> tuple[int, ...]:
        """Widths of the kinds of lifted values."""
        return (*[self.channels] * _PRODUCTS, *[len(self.pick_bias)] * 2, len(self.bias))

    @property
    def lifted(self) -> int:
        """Number of lifted values of a move."""
        return sum(self.blocks)

    def arrays(self) -> dict[str, Floats]:
        """The weights by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __call__(self, evidence: Evidence) -> tuple[Floats, Floats]:
        """Values and lifted values of each move.

        Returns
        -------
        float32 [n, v]
            Standardised, none of them further out than `CLIP`.
        float32 [n, lifted]
        """
        x = self._standardised(move_values(evidence), slice(None))
        c = self.channels
        pick, expected = x[:, :c], x[:, 3 * c : 4 * c]
        log_policy, log_best = (
            x[:, 4 * c + SCALARS.index(name), None] for name in ("log_policy", "log_best")
        )
        gain = pick - expected
        at_pick = np.maximum(pick @ self.pick_weights + self.pick_bias, 0.0)
        everything = [
            pick * log_policy,
            pick * log_best,
            gain * log_policy,
            gain**2,
            pick**2,
            at_pick,
            at_pick - self._expected(evidence, at_pick),
            np.maximum(x @ self.weights + self.bias, 0.0),
        ]
        return x, np.concatenate(everything, axis=1)

    def _standardised(self, values: Floats, which: slice) -> Floats:
        away = (values - self.mean[which]) / self.deviation[which]
        return np.asarray(np.clip(away, -CLIP, CLIP))

    def _expected(self, evidence: Evidence, at_pick: Floats) -> Floats:
        """Mean of the projections at the candidates and the move, weighted with the policy."""
        shape = evidence.candidates.shape
        candidates = self._standardised(
            evidence.candidates.reshape(-1, self.channels).astype(np.float32),
            slice(self.channels),
        )
        found = np.maximum(candidates @ self.pick_weights + self.pick_bias, 0.0)
        policy, chances = move_policy(evidence), evidence.chances.astype(np.float32)
        total = np.maximum(chances.sum(axis=1) + policy, _LEAST)
        mean = np.matmul((chances / total[:, None])[:, None], found.reshape(*shape[:2], -1))[:, 0]
        return np.asarray(mean + (policy / total)[:, None] * at_pick)


def random_lift(
    values: Floats, channels: int, *, pick_units: int, units: int, random: np.random.Generator
) -> Lift:
    """A lift with random weights for moves like some.

    Parameters
    ----------
    values : float32 [n, v]
        Values of some moves (`move_values`).
    channels : int
    pick_units, units : int
        Projections of the trunk at a point, and of all values.
    random : numpy.random.Generator
    """

    def weights(rows: int, columns: int) -> tuple[Floats, Floats]:
        # The weights have the precision that they are kept in.
        drawn = random.normal(size=(rows, columns)) / np.sqrt(rows)
        bias = random.normal(size=columns) / 2.0
        return (
            drawn.astype(np.float16).astype(np.float32),
            bias.astype(np.float16).astype(np.float32),
        )

    mean = values.mean(axis=0, dtype=np.float64).astype(np.float16).astype(np.float32)
    deviation = np.maximum(values.std(axis=0, dtype=np.float64), _LEAST_DEVIATION)
    return Lift(
        mean,
        deviation.astype(np.float16).astype(np.float32),
        *weights(channels, pick_units),
        *weights(values.shape[1], units),
    )
