"""`Teacher`: another network, whose view of the positions is learnt beside the moves.

What a person chose says little of a position: one point of 361. A network that is there already
says how likely each point is, who wins and by how much, and what it makes of each point in its
last layer, so that far fewer positions teach as much (Hinton, Vinyals and Dean 2015, Distilling
the knowledge in a neural network; Romero and others 2015, FitNets).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone_lab.imitation.games import SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.nets.network import Network
    from yardstone_lab.imitation.batches import TrainingBatch

    Floats = NDArray[np.float32]

__all__ = ["Lesson", "Teacher"]

_LEAST_DEVIATION = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What a teacher says of n positions, for the player to move.

    Attributes
    ----------
    policy : float32 [n, 362]
        Probabilities of the legal moves.
    won : float32 [n]
        Probability of winning.
    lead : float32 [n]
        Points ahead.
    trunk : float32 [n, channels, 361]
        The last layer, standardised.
    """

    policy: Floats
    won: Floats
    lead: Floats
    trunk: Floats


class Teacher:
    """A network that teaches another.

    Parameters
    ----------
    network : Network
    usual : TrainingBatch
        Positions that say how its last layer usually is.

    Attributes
    ----------
    channels : int
        Width of the last layer.
    """

    def __init__(self, network: Network, usual: TrainingBatch) -> None:
        self.network = network
        self.channels = network.channels
        self._mean, self._deviation = np.float32(0.0), np.float32(1.0)
        layer = self(usual).trunk.astype(np.float64)
        mean, deviation = layer.mean(axis=(0, 2)), layer.std(axis=(0, 2))
        self._mean = mean.astype(np.float32)[:, None]
        self._deviation = np.maximum(deviation, _LEAST_DEVIATION).astype(np.float32)[:, None]

    def __call__(self, batch: TrainingBatch) -> Lesson:
        """What it says of the positions of a batch."""
        output = self.network.evaluate(batch.spatial.astype(np.float32), batch.numbers, trunk=True)
        logits = np.where(batch.legal, output.policy_logits, -np.inf)
        policy = np.exp(logits - logits.max(axis=1, keepdims=True))
        value = np.exp(output.value_logits[:, :2] - output.value_logits[:, :2].max(1)[:, None])
        assert output.trunk is not None
        trunk = output.trunk.reshape(len(batch), self.channels, SIZE * SIZE)
        return Lesson(
            (policy / policy.sum(axis=1, keepdims=True)).astype(np.float32),
            (value[:, 0] / value.sum(axis=1)).astype(np.float32),
            output.lead.astype(np.float32),
            ((trunk - self._mean) / self._deviation).astype(np.float32),
        )
