"""``yardstone history`` and ``evaluate`` on 1, 10 and 100 million drawn games out of order.

``python -m benchmarks.large_replay 1 10`` draws so many million games of 10,000 players a
million games, at random times of five years, into partitioned Parquet in a temporary folder,
and runs both commands with ``--memory``. Beside them stands the time in which DuckDB alone
sorts the same files by time within the same memory: what any replay of them must do first.
100 million games take some 20 GB of disk while they are evaluated.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from benchmarks.large_lists import MILLION, PLAYERS, World
from benchmarks.measure import YARDSTONE, machine, print_table, run

#: Seconds of five years.
SPAN = 5 * 365 * 86_400


def write(folder: Path, millions: int, *, seed: int = 1) -> None:
    """Draw the games into ``part=.../games.parquet``, a million each, in no order of time."""
    generator = np.random.default_rng(seed)
    world = World.drawn(PLAYERS * millions, generator)
    with closing(duckdb.connect()) as connection:
        for part in range(millions):
            place = folder / f"part={part:04d}"
            place.mkdir()
            seconds = generator.integers(0, SPAN, MILLION)
            connection.register("game", {**world.games(MILLION, generator), "seconds": seconds})
            connection.execute(
                "COPY (SELECT TIMESTAMP '2020-01-01' + to_seconds(seconds) AS time, "
                "'player ' || one AS white, 'player ' || two AS black, "
                "['0-1', '1/2-1/2', '1-0'][result + 1] AS result FROM game) "
                f"TO '{place}/games.parquet' (FORMAT parquet)"
            )
            connection.unregister("game")


def sorted_alone(folder: Path, memory: str, target: Path) -> float:
    """Seconds in which DuckDB sorts the games by time into one file."""
    begin = time.perf_counter()
    options: dict[str, Any] = {"memory_limit": memory, "temp_directory": str(target.parent)}
    with closing(duckdb.connect(config=options)) as connection:
        connection.execute(
            f"COPY (SELECT time, white, black, result FROM '{folder}/*/*.parquet' "
            f"ORDER BY time) TO '{target}' (FORMAT parquet)"
        )
    target.unlink()
    return time.perf_counter() - begin


def rows(
    millions: list[int], memory: str, systems: str, folder: Path | None
) -> Iterator[tuple[str, ...]]:
    """The lines of the table."""
    for size in millions:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            games = Path(place) / "games"
            games.mkdir()
            write(games, size)
            limit = sorted_alone(games, memory, Path(place) / "sorted.parquet")
            rest: list[str | Path] = ["--memory", memory, "-q", "-o", Path(place) / "result.csv"]
            commands: dict[str, list[str | Path]] = {
                "history": ["history", games, "--top", "0", *rest],
                f"evaluate {systems}": ["evaluate", games, "--systems", systems, *rest],
            }
            for name, words in commands.items():
                cost = run([YARDSTONE, *words])
                yield (
                    name,
                    f"{size} million",
                    f"{PLAYERS * size:,}",
                    f"{cost.wall:,.0f} s",
                    f"{cost.cpu:,.0f} s",
                    f"{cost.peak / 1e9:.2f} GB",
                    f"{limit:.1f} s",
                    f"{cost.wall / limit:.1f}",
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("millions", type=int, nargs="*", default=[1, 10])
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--systems", default="elo,glicko2")
    parser.add_argument("--folder", type=Path, help="where the temporary folder is made")
    given = parser.parse_args()
    print(f"{machine()}; --memory {given.memory}\n")
    head = ("command", "games", "players", "wall", "processor", "memory", "DuckDB's sort", "ratio")
    lines = rows(given.millions, given.memory, given.systems, given.folder)
    print_table(head, lines, names=1)


if __name__ == "__main__":
    main()
