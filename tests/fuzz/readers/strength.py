"""Calibrations of estimates, and collections of problems."""

from __future__ import annotations

import numpy as np

from tests.fuzz.targets import EXAMPLES, Target, finite, saved
from yardstone.strength.calibration import Calibration
from yardstone.strength.trickplay.problems import read_problems

PROBLEMS = (EXAMPLES / "trickplay.txt").read_bytes()


def calibrations() -> dict[str, bytes]:
    line = Calibration(
        "A site", "points", "", "fox", 9, 50.0, 900.0, 2.0, 9.0, 80.0, 70.0, 0.8, -5.0, 8.0
    )
    return {"calibration": saved(line.save)}


TARGETS = (
    Target(
        "strength-calibration",
        lambda path: finite(Calibration.load(path).rating(np.array([0.0, 5.0]))),
        ".json",
        made=calibrations,
    ),
    Target("strength-problems-sgf", read_problems, ".sgf"),
    Target("strength-problems-text", read_problems, ".txt", made=lambda: {"": PROBLEMS}),
)
