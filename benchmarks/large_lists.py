"""``yardstone rate`` on 1, 10 and 100 million drawn games in partitioned Parquet.

``python -m benchmarks.large_lists 1 10 100`` draws so many million games of 10,000 players a
million games into a temporary folder (100 million: 2 GB of disk), rates them with
``--memory``, and prints time, memory at the peak and pairs; beside it the time in which DuckDB
alone counts the results of each two names in the same files, which no reading can beat by
much. Players differ much in how often they play (log-normal, sigma 1.5) and meet others of
about their strength, so that most pairs meet once: the hardest case for counts of pairs.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np

from benchmarks.measure import YARDSTONE, machine, print_table, run

if TYPE_CHECKING:
    from numpy.typing import NDArray

MILLION = 1_000_000
#: Players for each million games.
PLAYERS = 10_000
#: Points of a standard deviation of strength, of moving first, and the law's draw rate.
SPREAD, ADVANTAGE, DRAW_RATE = 200.0, 35.0, 0.3
#: Rating points for one unit of log odds.
LOGIT = 175.25


@dataclass(frozen=True)
class World:
    """Players in order of strength; `share` adds up how often they play."""

    strength: NDArray[np.float64]
    share: NDArray[np.float64]
    number: NDArray[np.int64]

    @classmethod
    def drawn(cls, players: int, generator: np.random.Generator) -> World:
        """So many players."""
        activity = np.cumsum(np.exp(1.5 * generator.standard_normal(players)))
        return cls(
            np.sort(SPREAD * generator.standard_normal(players)),
            activity / activity[-1],
            generator.permutation(players),
        )

    def games(self, number: int, generator: np.random.Generator) -> dict[str, NDArray[Any]]:
        """So many games of players who are near each other in strength."""
        last = len(self.share) - 1
        here = generator.random(number)
        near = (here + 0.05 * generator.standard_normal(number)) % 1.0
        first = np.minimum(np.searchsorted(self.share, here), last)
        second = np.minimum(np.searchsorted(self.share, near), last)
        second = np.where(second == first, np.where(first < last, first + 1, 0), second)
        logit = (self.strength[first] + ADVANTAGE - self.strength[second]) / LOGIT
        p = 1.0 / (1.0 + np.exp(-logit))
        u2 = ((1.0 - DRAW_RATE) / DRAW_RATE) ** 2
        root = np.sqrt((1.0 - 2.0 * p) ** 2 + 4.0 * u2 * p * (1.0 - p))
        draw = 4.0 * p * (1.0 - p) / (1.0 + root)
        luck = generator.random(number)
        won = luck < p - 0.5 * draw
        result = np.where(won, 2, np.where(luck < p + 0.5 * draw, 1, 0))
        return {"one": self.number[first], "two": self.number[second], "result": result}


def write(folder: Path, millions: int, *, seed: int = 1) -> World:
    """Draw the games into ``part=.../games.parquet``, a million each."""
    generator = np.random.default_rng(seed)
    world = World.drawn(PLAYERS * millions, generator)
    with closing(duckdb.connect()) as connection:
        for part in range(millions):
            place = folder / f"part={part:04d}"
            place.mkdir()
            connection.register("game", world.games(MILLION, generator))
            connection.execute(
                "COPY (SELECT 'player ' || one AS white, 'player ' || two AS black, "
                "['0-1', '1/2-1/2', '1-0'][result + 1] AS result FROM game) "
                f"TO '{place}/games.parquet' (FORMAT parquet)"
            )
            connection.unregister("game")
    return world


def counted(folder: Path) -> tuple[float, int]:
    """Seconds in which DuckDB alone counts the results of the pairs, and how many there are."""
    begin = time.perf_counter()
    with closing(duckdb.connect(config={"memory_limit": "4GB"})) as connection:
        row = connection.execute(
            "SELECT count(*) FROM (SELECT white, black, count(*) FILTER (result = '1-0'), "
            "count(*) FILTER (result = '0-1'), count(*) "
            f"FROM '{folder}/*/*.parquet' GROUP BY white, black)"
        ).fetchone()
    return time.perf_counter() - begin, int(row[0]) if row is not None else 0


def within(table: Path, world: World) -> tuple[int, float]:
    """Rated players, and the share whose interval of 95 % holds their true strength."""
    with closing(duckdb.connect()) as connection:
        data = connection.execute(
            "SELECT CAST(substr(player, 8) AS BIGINT) AS number, rating, deviation "
            f"FROM '{table}' WHERE status = 'rated' AND component = 1 AND deviation IS NOT NULL"
        ).fetchnumpy()
    true = np.empty(len(world.strength))
    true[world.number] = world.strength
    number, rating, deviation = (
        np.ma.getdata(data[name]) for name in ("number", "rating", "deviation")
    )
    error = rating - true[number]
    # Intervals are relative to the mean of the group.
    held = np.abs(error - error.mean()) < 1.959964 * deviation
    return len(number), float(held.mean())


def rows(millions: list[int], memory: str, folder: Path | None) -> Iterator[tuple[str, ...]]:
    """The lines of the table."""
    for size in millions:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            games, table = Path(place) / "games", Path(place) / "list.parquet"
            games.mkdir()
            world = write(games, size)
            limit, pairs = counted(games)
            cost = run([YARDSTONE, "rate", games, "--memory", memory, "-q", "-o", table])
            rated, held = within(table, world)
            yield (
                f"{size} million",
                f"{PLAYERS * size:,}",
                f"{pairs:,}",
                f"{cost.wall:,.0f} s",
                f"{cost.cpu:,.0f} s",
                f"{cost.peak / 1e9:.2f} GB",
                f"{limit:.1f} s",
                f"{cost.wall / limit:.1f}",
                f"{rated:,}",
                f"{100 * held:.1f} %",
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("millions", type=int, nargs="*", default=[1, 10])
    parser.add_argument("--memory", default="3GB")
    parser.add_argument("--folder", type=Path, help="where the temporary folder is made")
    arguments = parser.parse_args()
    print(f"{machine()}; yardstone rate FOLDER --memory {arguments.memory} -q -o list.parquet\n")
    head = ("games", "players", "pairs", "wall", "processor", "memory", "DuckDB's count", "ratio",
            "rated", "95 % intervals that hold")  # fmt: skip
    print_table(head, rows(arguments.millions, arguments.memory, arguments.folder))


if __name__ == "__main__":
    main()
