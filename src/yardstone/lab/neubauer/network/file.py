"""The file of a strength network: npz, with arrays and one JSON text, and no pickles.

A file may come from anybody, so nothing is read before its size is known: the settings
are checked first, and from them follows what arrays there must be and of what shape.
"""

from __future__ import annotations

import json
import math
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy

from yardstone.errors import InputError, UsageError, YardstoneError
from yardstone.files import replaced
from yardstone.lab.neubauer.network.hyperparameters import Hyperparameters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Shapes = Callable[[Hyperparameters, int], dict[str, tuple[int, ...]]]

__all__ = ["INPUT", "read_network", "write_network"]

_FORMAT = 1
_KIND = "yardstone strength network"
_ABOUT = "about"
#: Arrays of networks that standardise their inputs; not trained, but measured.
INPUT = ("input.mean", "input.deviation")
#: More than any network has; a file that says so is damaged, or hostile.
_MOST_PARAMETERS = 1 << 26
_MOST_CHANNELS = 1 << 14
_LONGEST_ABOUT = 1 << 20
_MEND = "take a file that `yardstone strength train` made"


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
    text = json.dumps(
        {"kind": _KIND, "format": _FORMAT, "settings": settings.as_dict(), **about},
        allow_nan=False,
    )
    halves[_ABOUT] = np.frombuffer(text.encode(), np.uint8)
    with replaced(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **halves)


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
    file = str(path)
    try:
        with path.open("rb") as source, zipfile.ZipFile(source) as archive:
            about = _read_about(archive)
            settings = Hyperparameters.from_dict(about["settings"])
            wanted = shapes(settings, about["channels"])
            if sum(math.prod(shape) for shape in wanted.values()) > _MOST_PARAMETERS:
                raise InputError("it is too large", file=file, mend=_MEND)
            names = {info.filename for info in archive.infolist()}
            if any(f"{name}.npy" in names for name in INPUT):
                wanted |= dict.fromkeys(INPUT, (about["channels"],))
            arrays = {name: _read_array(archive, name, shape) for name, shape in wanted.items()}
    except FileNotFoundError:
        raise InputError("there is no such file", file=file) from None
    except InputError as error:
        if error.file is not None:
            raise
        raise InputError(error.message, file=file, mend=_MEND) from None
    except YardstoneError as error:
        raise InputError(f"damaged: {error}", file=file, mend=_MEND) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=file) from None
    except (
        KeyError, ValueError, TypeError, EOFError, MemoryError, OverflowError, RecursionError,
        NotImplementedError, RuntimeError, SyntaxError, zipfile.BadZipFile, zlib.error,
    ):  # fmt: skip
        raise InputError("this is no strength network", file=file, mend=_MEND) from None
    return settings, arrays, about


def _read_about(archive: zipfile.ZipFile) -> dict[str, Any]:
    if archive.getinfo(f"{_ABOUT}.npy").file_size > _LONGEST_ABOUT:
        raise ValueError("too long")
    with archive.open(f"{_ABOUT}.npy") as file:
        shape, kind = _header(file)
        if kind != np.uint8 or len(shape) != 1:
            raise ValueError("no text")
        about = json.loads(file.read(_LONGEST_ABOUT))
    if about["kind"] != _KIND:
        raise ValueError(about["kind"])
    if about["format"] != _FORMAT:
        raise InputError("it was saved by another version")
    channels = about["channels"]
    if type(channels) is not int or not 1 <= channels <= _MOST_CHANNELS:
        raise ValueError(channels)
    about["mean"], about["deviation"] = float(about["mean"]), float(about["deviation"])
    if not (math.isfinite(about["mean"]) and 0 < about["deviation"] < math.inf):
        raise InputError("damaged: the scale of its ratings is of no use")
    if not isinstance(about["card"], dict) or not isinstance(about["settings"], dict):
        raise TypeError("card")
    return dict(about)


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = npy.read_magic(file)
    if version != (1, 0):
        raise ValueError(version)
    shape, fortran, kind = npy.read_array_header_1_0(file)
    if fortran and len(shape) > 1:
        raise ValueError("order")
    return shape, kind


def _read_array(
    archive: zipfile.ZipFile, name: str, wanted: tuple[int, ...]
) -> NDArray[np.float32]:
    try:
        info = archive.getinfo(f"{name}.npy")
    except KeyError:
        raise InputError(f"damaged: {name} is missing") from None
    with archive.open(info) as file:
        shape, kind = _header(file)
        if shape != wanted or kind not in (np.float16, np.float32):
            raise InputError(f"damaged: {name} has another shape than its settings ask for")
        size = math.prod(shape) * kind.itemsize
        found = file.read(size)
    if len(found) != size:
        raise InputError(f"damaged: {name} is cut off")
    array = np.frombuffer(found, kind).reshape(shape).astype(np.float32)
    if not np.isfinite(array).all():
        raise InputError(f"damaged: {name} has numbers that are not finite")
    return array
