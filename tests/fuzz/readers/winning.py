"""Winning statistics and models of winning."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.targets import FUZZ, Target, contents, finite
from yardstone.winprob.model import read_model
from yardstone.winprob.statistics import read_statistics, statistics_of_files


def read_winning_statistics(path: Path) -> None:
    statistics = read_statistics(path)
    finite(statistics.games.sum(), "number of games")
    statistics + statistics


def files() -> dict[str, bytes]:
    folders = (FUZZ / "corpus" / name for name in ("winning-statistics", "table-graded-games"))
    return {
        name: data for each in folders for name, data in contents(each).items() if "csv" in name
    }


TARGETS = (
    Target("winning-files", lambda path: statistics_of_files([path]), ".csv", made=files),
    Target(
        "winning-model",
        lambda path: finite(read_model(path).law.probability(0.0, 2.0), "chance"),
        ".json",
    ),
    Target("winning-statistics", read_winning_statistics, ".txt"),
)
