"""Calibrations of estimates."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.fuzz.targets import Target, Wrong, saved
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
    return {"calibration": saved(line.save)}


TARGETS = (Target("strength-calibration", read_calibration, ".json", made=calibrations),)
