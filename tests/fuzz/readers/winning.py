"""Winning statistics and models of winning."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.fuzz.targets import FUZZ, Target, Wrong
from yardstone.winprob.model import read_model
from yardstone.winprob.statistics import read_statistics, statistics_of_files

__all__ = ["TARGETS"]


def read_winning_statistics(path: Path) -> None:
    """A page, its text or CSV; and adding up."""
    statistics = read_statistics(path)
    if not np.isfinite(statistics.games.sum()):
        raise Wrong("the number of games is not finite")
    statistics + statistics


def read_winning_model(path: Path) -> None:
    """A model, which then predicts."""
    model = read_model(path)
    if not np.isfinite(model.law.probability(0.0, 2.0)).all():
        raise Wrong("a chance is not finite")


def files() -> dict[str, bytes]:
    """Counts, and games with grades."""
    folders = (FUZZ / "corpus" / name for name in ("winning-statistics", "table-graded-games"))
    return {path.name: path.read_bytes() for folder in folders for path in folder.glob("*.csv")}


TARGETS = (
    Target("winning-files", lambda path: statistics_of_files([path]), ".csv", made=files),
    Target("winning-model", read_winning_model, ".json"),
    Target("winning-statistics", read_winning_statistics, ".txt"),
)
