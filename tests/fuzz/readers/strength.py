"""Calibrations of estimates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.fuzz.targets import Target, Wrong
from yardstone.strength.calibration import Calibration

__all__ = ["TARGETS"]


def read_calibration(path: Path) -> None:
    """A calibration, which then converts."""
    calibration = Calibration.load(path)
    rating = calibration.rating(np.array([0.0, 5.0]))
    if not np.isfinite(rating).all():
        raise Wrong("a rating is not finite")


def calibrations() -> dict[str, bytes]:
    """A calibration."""
    line = Calibration(
        "A site", "points", "", "fox", 9, 50.0, 900.0, 2.0, 9.0, 80.0, 70.0, 0.8, -5.0, 8.0
    )
    return {"calibration": _saved(line.save)}


def _saved(save: Callable[[Path], None]) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        save(path)
        return path.read_bytes()


TARGETS = (Target("strength-calibration", read_calibration, ".json", made=calibrations),)
