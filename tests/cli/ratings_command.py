"""Runs commands that replay rating systems, and the files that their tests read."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.evaluation.games import played


def write_games(path: Path, games: int = 1200, players: int = 25, **options: float) -> Path:
    """A table of made-up games with dates."""
    pool = played(games, players, 7, draws=0.2, **options)  # type: ignore[arg-type]
    assert pool.time is not None
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["white", "black", "result", "date", "event"])
        texts = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
        for game in range(len(pool)):
            writer.writerow(
                [
                    pool.players[pool.first[game]],
                    pool.players[pool.second[game]],
                    texts[float(pool.score[game])],
                    str(pool.time[game]).replace("T", " "),
                    pool.columns["event"][game],
                ]
            )
    return path
