"""A checkpoint of a training: arrays and one JSON text in an npz file, no pickles."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError
from yardstone.files import replaced

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_checkpoint", "write_checkpoint"]


def write_checkpoint(
    path: Path, arrays: Mapping[str, NDArray[np.float32]], about: Mapping[str, Any]
) -> None:
    """Write a checkpoint whole, or not at all, so that one can be killed at any time."""
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    with replaced(path) as temporary, temporary.open("wb") as file:
        np.savez(file, about=text, allow_pickle=False, **arrays)


def read_checkpoint(path: Path) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """Read what `write_checkpoint` wrote.

    Raises
    ------
    InputError
        The file is something else, or damaged.
    """
    try:
        with path.open("rb") as source, np.load(source, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(arrays.pop("about").tobytes())
        return arrays, {name: about[name] for name in ("fingerprint", "history", "steps")}
    except (OSError, KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile, zlib.error):
        raise InputError(
            "this is no checkpoint, or a damaged one",
            file=str(path),
            mend="remove it to begin anew",
        ) from None
