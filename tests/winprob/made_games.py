"""Games made by the published model, as a table."""

from __future__ import annotations

from pathlib import Path

from lab.studies.winning.simulation import european_games, simulate_pool
from yardstone.grades import format_grade
from yardstone.winprob.kaniuk import PUBLISHED


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
