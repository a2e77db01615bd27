"""Shows a network each position under a symmetry of its own, as a search does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.kept_answers import NetworkOutputs, evaluate_kept
from yardstone.go.nets.averaging import turned
from yardstone.go.points import symmetry_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.nets.network import Network

    Floats = NDArray[np.float32]

__all__ = ["evaluate_turned"]


def evaluate_turned(
    network: Network, spatial: Floats, numbers: Floats, symmetries: NDArray[np.int64]
) -> tuple[NetworkOutputs, Floats]:
    """What a network says of positions that it is shown turned.

    Parameters
    ----------
    network : Network
    spatial : float32 [n, 22, size, size]
    numbers : float32 [n, 19]
        The global inputs.
    symmetries : int [n]
        0 to 7: how each position is turned.

    Returns
    -------
    evaluation : NetworkOutputs
        Of the turned positions.
    policy : float32 [n, size² + 1]
        Its policy logits, turned back.
    """
    output = evaluate_kept(network, turned(spatial, symmetries), numbers)
    policy = output.policy_logits.copy()
    table = symmetry_points(int(spatial.shape[-1]))
    for row, symmetry in enumerate(symmetries.tolist()):
        policy[row, :-1] = output.policy_logits[row][table[symmetry]]
    return output, policy
