"""Time to pair a round, and the matching alone beside another implementation.

    python -m benchmarks.pairing_speed [--players 64 256 1000]

Weights are those of a McMahon tournament after three rounds. The matching is timed
beside that of rustworkx, an implementation in Rust of Galil's algorithm, on the same
weights; both find the same total, which is checked.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from yardstone.tournament._matching import Forest
from yardstone.tournament._pairing import CRITERIA, ENTRANT, pair_field, place_groups, row_values
from yardstone.tournament.model import PairingRules


def field(
    players: int, rules: PairingRules, rounds: int
) -> tuple[NDArray[np.void], NDArray[np.int8]]:
    """Entries and meetings after some rounds with winners drawn by lot."""
    rng = np.random.default_rng(1)
    entries = np.zeros(players, ENTRANT)
    met = np.zeros((players, players), np.int8)
    rank = rng.integers(-20, 5, players)
    entries["rank"] = rank
    entries["initial"] = np.clip(rank, rules.floor, rules.bar) - rules.zero
    entries["club"] = entries["club_group"] = rng.integers(0, 30, players)
    entries["country"] = rng.integers(0, 8, players)
    entries["lot"] = rng.permutation(players) * 1009
    for number in range(1, rounds + 2):
        entries["mms"] = 2 * entries["initial"] + entries["wins"]
        entries["score"] = entries["mms"]
        order = np.lexsort((entries["lot"], -rank, -entries["score"]))
        entries["order"][order] = np.arange(players)
        if number > rounds:
            break
        _, first, second, _, _ = pair_field(entries, met, rules.numbers(number))
        met[first, second] += 1
        met[second, first] += 1
        won = rng.random(len(first)) < 0.5
        entries["wins"][first] += 2 * won
        entries["wins"][second] += 2 * ~won
        entries["balance"][first] -= 1
        entries["balance"][second] += 1
    return entries, met


def fastest(work: Callable[[], object], repeats: int) -> float:
    """Processor seconds of the fastest of some runs; everything here runs on one thread."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def peer(weights: NDArray[np.int64]) -> tuple[float, int]:
    """Processor seconds and weight of rustworkx on the same graph, built beforehand."""
    import rustworkx

    n = len(weights)
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(n))
    graph.add_edges_from([(i, j, int(weights[i, j])) for i in range(n) for j in range(i)])
    start = time.process_time()
    result = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    spent = time.process_time() - start
    return spent, sum(int(weights[i, j]) for i, j in result)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--players", type=int, nargs="+", default=[64, 256, 1000])
    given = parser.parse_args()
    rules = PairingRules.preset("mcmahon", bar=3, floor=-20)
    print("players  round (ms)  matching (ms)  rustworkx (ms)  ratio")
    for players in given.players:
        entries, met = field(players, rules, 3)
        numbers = rules.numbers(4)
        repeats = 20 if players <= 300 else 3
        whole = fastest(lambda: pair_field(entries.copy(), met, numbers), repeats)  # noqa: B023
        place_groups(entries, numbers)
        rows = [row_values(entries, row, met, numbers) for row in range(players)]
        weights = np.array([sum(values[name] for name in CRITERIA) for values in rows])
        apart = ~np.eye(players, dtype=np.bool_)
        edges = (
            np.arange(players + 1) * (players - 1),
            np.nonzero(apart)[1].astype(np.int32),
            2 * weights[apart],
        )
        matching = fastest(lambda: Forest(*edges).match(), repeats)  # noqa: B023
        mate = Forest(*edges).match()[1]
        theirs, total = peer(weights)
        if 2 * total != int(weights[np.arange(players), mate].sum()):
            raise SystemExit("the two matchings do not weigh the same")
        print(
            f"{players:7d}  {1e3 * whole:10.2f}  {1e3 * matching:13.2f}"
            f"  {1e3 * theirs:14.1f}  {theirs / matching:5.0f}"
        )


if __name__ == "__main__":
    main()
