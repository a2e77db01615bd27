"""An extraction in a process of its own, to be killed: STORE NETWORK GAMES WORKERS."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.go.games import random_game
from yardstone.go.features import ExtractionSettings, extract_features
from yardstone.parallel import context


def run(store: Path, network: Path, games: int, workers: int) -> None:
    """Extract picks and means of so many games."""
    with context(workers=workers):
        extract_features(
            lambda: [random_game(k, moves=30) for k in range(games)],
            store,
            ExtractionSettings(net=str(network), trunk=("pick", "mean", "candidates"), batch=2),
        )


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
