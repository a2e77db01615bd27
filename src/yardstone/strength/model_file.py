"""The file of a rank model: npz with plain arrays and its card as JSON, no pickles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from yardstone.arrays import ArrayFile, StoredArrays
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]

Made = TypeVar("Made")

__all__ = ["read_arrays", "write_arrays"]

#: More bytes or arrays than these has no model: a file that holds more is hostile.
_FILE = ArrayFile(
    "rank model",
    format=2,
    text="card",
    kind="yardstone rank model",
    most_bytes=64 << 20,
    most_arrays=256,
    hint="take a file that Yardstone saved",
)
#: Of a number: what is computed from larger ones leaves the range of float32.
_TOO_LARGE = 1e12


def write_arrays(
    path: Path,
    small: Mapping[str, NDArray[np.floating[Any]]],
    exact: Mapping[str, NDArray[np.floating[Any]]],
    card: Mapping[str, Any],
) -> None:
    """Write arrays, some of them as float16, and a card; whole or not at all."""
    with np.errstate(over="ignore"):  # it is found below
        arrays: Arrays = {name: value.astype(np.float16) for name, value in small.items()}
    arrays |= {name: np.asarray(value, np.float64) for name, value in exact.items()}
    for name, value in arrays.items():
        if not _usable(value):
            raise UsageError(f"{name} has numbers that the file cannot hold")
    _FILE.write(path, arrays, {"card": dict(card)})


def read_arrays(path: Path, make: Callable[[Arrays, dict[str, Any]], Made]) -> Made:
    """What is made of the arrays and the card that `write_arrays` wrote.

    Parameters
    ----------
    path : Path
    make : callable
        Of the arrays and the card; raises ValueError, KeyError or TypeError if they are
        not those of a model.

    Raises
    ------
    InputError
        There is no such file, or it is no model.
    """

    def model(stored: StoredArrays, about: dict[str, Any]) -> Made:
        if not isinstance(about["card"], dict):
            raise ValueError("card")
        arrays = dict(stored)
        if not all(value.dtype.kind == "f" for value in arrays.values()):
            raise ValueError("not numbers")
        if not all(_usable(value) for value in arrays.values()):
            raise ValueError("not finite, or too large for a model")
        return make(arrays, about["card"])

    return _FILE.read(path, model)


def _usable(value: NDArray[np.floating[Any]]) -> bool:
    return bool(np.isfinite(value).all()) and float(np.abs(value).max(initial=0.0)) < _TOO_LARGE
