"""A plan for 7 million games of features and 7 billion results on 10 and 100 machines.

``python -m benchmarks.cluster_plan FIGURES`` takes the figures that ``python -m
benchmarks.cluster_overhead --net FILE --json FIGURES`` measured, on a quiet machine, and prints
a table with what limits each plan. Results are counted by pairs on one machine at
``--results`` games a second (see ``benchmarks/large_lists.py``): joint fits need the counts
alone, and sequential systems replay game by game and cannot be split.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

GAMES, RESULTS = 7_000_000, 7_000_000_000
MACHINES = (1, 10, 100)
#: Games of a batch, cores of a machine, bytes a second of its network and of the one disk.
BATCH, CORES, NETWORK, DISK = 16, 32, 1.25e9, 1e9
HOUR = 3600.0


def features(figures: dict[str, float], machines: int) -> dict[str, float]:
    """Hours that each part of the work takes by itself, all games together."""
    sent = GAMES * (figures["bytes a game in"] + figures["bytes a game out"])
    return {
        "processors": GAMES * figures["seconds a game"] / (machines * CORES) / HOUR,
        "the driver's tasks": GAMES / BATCH * figures["driver seconds a task"] / HOUR,
        "the driver's network": sent / NETWORK / HOUR,
        "its disk": 2 * GAMES * figures["bytes a game out"] / DISK / HOUR,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("figures", type=Path)
    parser.add_argument("--results", type=float, help="results read and counted a second")
    options = parser.parse_args()
    figures = json.loads(options.figures.read_text())
    parts = [features(figures, machines) for machines in MACHINES]
    print(f"Hours for features of {GAMES:,} games, machines of {CORES} cores:\n")
    print("| machines | " + " | ".join(parts[0]) + " | limit |")
    print("|---:|" + "---:|" * len(parts[0]) + "---|")
    for machines, part in zip(MACHINES, parts, strict=True):
        hours = " | ".join(f"{value:.1f}" for value in part.values())
        print(f"| {machines} | {hours} | {max(part, key=lambda name: part[name])} |")
    size = GAMES * figures["bytes a game out"] / 1e12
    print(f"\nThe store takes {size:.1f} TB, twice that while it is put together.")
    if options.results is not None:
        print(
            f"\n{RESULTS:,} results are read and counted by one machine in "
            f"{RESULTS / options.results / HOUR:.1f} hours; more machines do not help: the reading "
            "is one stream, and a replay in order of time cannot be split."
        )


if __name__ == "__main__":
    main()
