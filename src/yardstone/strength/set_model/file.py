"""The file of a strength network: npz, with arrays and one JSON text, and no pickles.

A file may come from anybody, so nothing is read before its size is known: the settings
are checked first, and from them follows what arrays there must be and of what shape.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import ArrayFile, StoredArrays
from yardstone.errors import InputError, UsageError
from yardstone.strength.set_model.hyperparameters import Hyperparameters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Shapes = Callable[[Hyperparameters, int], dict[str, tuple[int, ...]]]

__all__ = ["INPUT", "read_network", "write_network"]

_FILE = ArrayFile(
    "strength network",
    format=1,
    text="about",
    kind="yardstone strength network",
    hint="take a file that `yardstone strength train` made",
)
#: Arrays of networks that standardise their inputs; not trained, but measured.
INPUT = ("input.mean", "input.deviation")
#: More than any network has; a file that says so is damaged, or hostile.
_MOST_PARAMETERS = 1 << 26
_MOST_CHANNELS = 1 << 14


def write_network(
    path: Path,
    settings: Hyperparameters,
    arrays: Mapping[str, NDArray[np.float32]],
    about: Mapping[str, Any],
) -> None:
    """Write a network whole, or not at all."""
    halves = {}
    for name, array in arrays.items():
        # Inputs may be small or large numbers: their scale keeps all its digits.
        half = array.astype(np.float32 if name in INPUT else np.float16)
        if not np.isfinite(half).all():
            raise UsageError(f"{name} has numbers that float16 cannot hold")
        halves[name] = half
    _FILE.write(path, halves, {"settings": settings.as_dict(), **about})


def read_network(
    path: Path, shapes: Shapes
) -> tuple[Hyperparameters, dict[str, NDArray[np.float32]], dict[str, Any]]:
    """Read a network; `shapes` tells the arrays that its settings ask for.

    Returns
    -------
    Hyperparameters
    mapping of names to float32 arrays
    mapping
        ``channels``, ``mean`` and ``deviation`` (finite floats) and ``card``.

    Raises
    ------
    InputError
        There is no such file, or it is no network, or damaged.
    """

    def network(
        stored: StoredArrays, about: dict[str, Any]
    ) -> tuple[Hyperparameters, dict[str, NDArray[np.float32]], dict[str, Any]]:
        _check(about)
        settings = Hyperparameters.from_dict(about["settings"])
        parts = shapes(settings, about["channels"])
        if sum(math.prod(shape) for shape in parts.values()) > _MOST_PARAMETERS:
            raise InputError("it is too large")
        if any(name in stored for name in INPUT):
            parts |= dict.fromkeys(INPUT, (about["channels"],))
        return settings, {n: stored.finite(n, shape) for n, shape in parts.items()}, about

    return _FILE.read(path, network)


def _check(about: dict[str, Any]) -> None:
    """Raise an error for what a network cannot say of itself; its scale becomes two floats."""
    channels = about["channels"]
    if type(channels) is not int or not 1 <= channels <= _MOST_CHANNELS:
        raise ValueError(channels)
    about["mean"], about["deviation"] = float(about["mean"]), float(about["deviation"])
    if not (math.isfinite(about["mean"]) and 0 < about["deviation"] < math.inf):
        raise InputError("damaged: the scale of its ratings is of no use")
    if not isinstance(about["card"], dict) or not isinstance(about["settings"], dict):
        raise TypeError("card")
