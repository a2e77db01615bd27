"""Averages over symmetries of the board: what a network says of a position shown several ways.

A network is not quite the same under the eight symmetries: what it says of a position turned
round differs a little from what it says of the position as it lies. That difference is noise,
and averaging over several symmetries takes some of it away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.go.nets.postprocess import NetworkOutput
from yardstone.go.points import SYMMETRIES, symmetry_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

__all__ = ["averaged", "check_symmetries", "turned"]

#: The symmetries, in the order in which they are taken: as it lies, a quarter turn, a half
#: turn, the other quarter turn, then the same with the board seen from behind.
_ORDER = (0, 5, 3, 6, 4, 1, 7, 2)


def check_symmetries(number: int) -> int:
    """Return the number of symmetries; UsageError unless it is 1 to 8."""
    if not 1 <= number <= SYMMETRIES:
        raise UsageError(f"symmetries is {number}; it must be 1 to {SYMMETRIES}")
    return number


def turned(planes: Floats, symmetries: NDArray[np.int64]) -> Floats:
    """Planes of positions, each turned by a symmetry.

    Parameters
    ----------
    planes : float32 [n, planes, size, size]
    symmetries : int [n]
        0 to 7, as `yardstone.go.points.symmetry_points` numbers them.

    Returns
    -------
    float32 [n, planes, size, size]
    """
    size = planes.shape[-1]
    flat = planes.reshape(len(planes), planes.shape[1], size * size)
    out = np.empty_like(flat)
    table = symmetry_points(size)
    for row, symmetry in enumerate(symmetries.tolist()):
        out[row][:, table[symmetry]] = flat[row]
    return out.reshape(planes.shape)


def averaged(
    evaluate: Callable[[Floats], NetworkOutput], spatial: Floats, number: int
) -> NetworkOutput:
    """What a network says of positions, averaged over symmetries and turned back.

    Parameters
    ----------
    evaluate : callable
        Gives what it says of planes.
    spatial : float32 [n, planes, size, size]
    number : int
        How many symmetries, 1 to 8: the first as the board lies, the second a quarter turn.

    Returns
    -------
    NetworkOutput
        Of the policy the mean probability, as its logarithm; of all else the mean: of the
        value that of its logits, of the trunk and the ownership that at each point.
    """
    if number == 1:
        return evaluate(spatial)
    size = int(spatial.shape[-1])
    sums: dict[str, Floats | None] = {}
    for symmetry in _ORDER[:number]:
        each = np.full(len(spatial), symmetry, np.int64)
        output = evaluate(turned(spatial, each))
        points = symmetry_points(size)[symmetry]
        for field in fields(NetworkOutput):
            values = getattr(output, field.name)
            if values is not None:
                values = _turned_back(field.name, values, points)
                before = sums.get(field.name)
                values = values if before is None else before + values
            sums[field.name] = values
    mean = {name: None if total is None else total / number for name, total in sums.items()}
    policy = mean["policy_logits"]
    assert policy is not None
    tiny = np.finfo(np.float32).tiny
    mean["policy_logits"] = np.log(np.maximum(policy, tiny))
    return NetworkOutput(**mean)  # type: ignore[arg-type]


def _turned_back(name: str, values: Floats, points: NDArray[np.int32]) -> Floats:
    """One output of turned positions as the board lies; of the policy its probabilities."""
    if name == "policy_logits":
        chances = np.exp(values - values.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        return np.concatenate([chances[:, :-1][:, points], chances[:, -1:]], axis=1)
    if name in ("trunk", "ownership"):
        flat = values.reshape(*values.shape[:-2], -1)
        return np.ascontiguousarray(flat[..., points].reshape(values.shape))
    return values
