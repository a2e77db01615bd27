"""The file of a rank model: npz with plain arrays and its card as JSON, no pickles."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.files import replaced

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]

__all__ = ["read_arrays", "write_arrays"]

_FORMAT = 2
_KIND = "yardstone rank model"
_CARD = "card"
#: More than any model has, in bytes and arrays: a file that holds more is hostile.
_LARGEST = 64 << 20
_MOST = 64
_MEND = "take a file that Yardstone saved"


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
        if not np.isfinite(value).all():
            raise UsageError(f"{name} has numbers that the file cannot hold")
    text = json.dumps({"kind": _KIND, "format": _FORMAT, "card": dict(card)}, allow_nan=False)
    arrays[_CARD] = np.frombuffer(text.encode(), np.uint8)
    with replaced(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def read_arrays(path: Path, check: Callable[[Arrays], None]) -> tuple[Arrays, dict[str, Any]]:
    """Read what `write_arrays` wrote.

    Parameters
    ----------
    path : Path
    check : callable
        Called with the arrays; raises ValueError, KeyError or TypeError if they are not
        those of a model.

    Raises
    ------
    InputError
        There is no such file, or it is no model.
    """
    file = str(path)
    try:
        with path.open("rb") as source:
            with zipfile.ZipFile(source) as archive:
                sizes = [info.file_size for info in archive.infolist()]
            if len(sizes) > _MOST or sum(sizes) > _LARGEST:
                raise ValueError("too large")
            source.seek(0)
            with np.load(source, allow_pickle=False) as found:
                arrays = {name: np.asarray(found[name]) for name in found.files}
        about = json.loads(arrays.pop(_CARD).tobytes())
        if about["kind"] != _KIND or not isinstance(about["card"], dict):
            raise ValueError(about["kind"])
        if about["format"] != _FORMAT:
            raise InputError("it was saved by another version", file=file, mend=_MEND)
        if not all(value.dtype.kind == "f" for value in arrays.values()):
            raise ValueError("not numbers")
        if not all(np.isfinite(value).all() for value in arrays.values()):
            raise ValueError("not finite")
        check(arrays)
    except FileNotFoundError:
        raise InputError("there is no such file", file=file) from None
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=file) from None
    except (
        KeyError, ValueError, TypeError, EOFError, MemoryError, OverflowError, RecursionError,
        NotImplementedError, RuntimeError, SyntaxError, IndexError, AttributeError,
        np.linalg.LinAlgError, zipfile.BadZipFile, zlib.error,
    ):  # fmt: skip
        raise InputError("this is no rank model", file=file, mend=_MEND) from None
    return arrays, about["card"]
