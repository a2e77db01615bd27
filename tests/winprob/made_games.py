"""Games and counts made by the published model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lab.studies.winning.simulation import european_games, simulate_pool, simulate_statistics
from yardstone.grades import format_grade
from yardstone.winprob.kaniuk import PUBLISHED, TABLE_1
from yardstone.winprob.statistics import WinningStatistics

Array = NDArray[np.float64]
TRUTH = np.array([PUBLISHED.parameters[name] for name in TABLE_1])


def made(games: float = 400_000, seed: int = 1) -> WinningStatistics:
    return simulate_statistics(PUBLISHED, european_games(games), seed=seed)


def exact(games: float = 1e7) -> WinningStatistics:
    """Counts in which every ratio is the model's."""
    table = european_games(games)
    grades = np.arange(-20.0, 7.0)[:, None]
    wins = table * PUBLISHED.probability(grades, grades + np.arange(1.0, 5.0))
    return WinningStatistics(-20, wins, table)


def write_games(path: Path) -> Path:
    """Write dated simulated games of ten years and thirty events."""
    pool = simulate_pool(PUBLISHED, european_games(8_000), begin="2001-01-01", seed=1)
    assert pool.time is not None
    with path.open("w") as out:
        out.write("black,white,b_rank,w_rank,result,date,event\n")
        for k in range(len(pool)):
            first, second = (pool.columns[f"{side}_grade"][k] for side in ("first", "second"))
            out.write(
                f"p{first:.0f},p{second:.0f},{format_grade(first)},{format_grade(second)},"
                f"{'B+' if pool.score[k] else 'W+'},{pool.time[k].astype('datetime64[D]')},"
                f"e{k % 30}\n"
            )
    return path
