"""A checkpoint of a training: arrays and one JSON text in an npz file, no pickles."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone.arrays import ArrayFile
from yardstone_lab.neubauer.network.training_log import History

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["read_checkpoint", "write_checkpoint"]

_FILE = ArrayFile(
    "checkpoint, or a damaged one", text="about", compressed=False, hint="remove it to begin anew"
)


def write_checkpoint(
    path: Path, arrays: Mapping[str, NDArray[np.float32]], about: Mapping[str, Any]
) -> None:
    """Write a checkpoint whole, or not at all, so that one can be killed at any time."""
    _FILE.write(path, arrays, about)


def read_checkpoint(path: Path) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """Read what `write_checkpoint` wrote.

    Raises
    ------
    InputError
        The file is something else, or damaged.
    """
    return _FILE.read(
        path,
        lambda arrays, about: (
            dict(arrays),
            {
                "fingerprint": about["fingerprint"],
                "history": History.from_text(about["history"]),
                "steps": [(float(a), float(b), float(c)) for a, b, c in about["steps"]],
            },
        ),
    )
