"""Winning statistics and models of winning."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.fuzz.targets import Target, Wrong
from yardstone.winprob.model_file import read_model
from yardstone.winprob.statistics_files import read_statistics

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


TARGETS = (
    Target("winning-model", read_winning_model, ".json"),
    Target("winning-statistics", read_winning_statistics, ".txt"),
)
