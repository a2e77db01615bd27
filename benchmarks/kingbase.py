"""A large real file from end to end: ``yardstone rate`` on 880,012 games of chess.

``python -m benchmarks.kingbase kingbase_1990_2012.tsv.gz``; the file holds the columns
date, white, black, result. Without it the same is done on simulated games.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import games
from benchmarks.measure import YARDSTONE, in_turn, machine


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", type=Path, nargs="?", help="a file of games")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    path = arguments.games or games.write(games.MILLION)
    tiny = games.write(games.TINY)
    out = games.FOLDER / "list.csv"
    costs = in_turn(
        {
            "start-up": [YARDSTONE, "rate", tiny, "--quiet", "-o", out],
            "the whole list": [YARDSTONE, "rate", path, "--quiet", "-o", out],
        },
        arguments.rounds,
    )
    print(f"{machine()}; {path.name}; medians of {arguments.rounds} runs.")
    for what, cost in costs.items():
        print(
            f"{what:<16} {cost.wall:6.2f} s by the clock, {cost.cpu:6.2f} s of the processor, "
            f"{cost.peak / 1e6:6.0f} MB at the peak"
        )


if __name__ == "__main__":
    main()
