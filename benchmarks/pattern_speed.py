"""How fast patterns are found in games, against a straightforward search.

``python -m benchmarks.pattern_speed INDEX PROBLEMS`` takes an index (``yardstone
trickplay index``) and problems, and looks for all of them at once, under eight
symmetries and with both colours, in one thread each:

- the search of Yardstone over the whole index;
- that of the tests over some of its games: it plays each game, compiled, and compares all
  positions at once, in numpy, with every way in which a pattern can lie.

Both must find the same matches in the games that both have searched.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from benchmarks.measure import machine
from tests.go.slow_board import slow_search
from yardstone import parallel
from yardstone.go.patterns import GameIndex, find_patterns
from yardstone.strength.trickplay import read_problems

ROUNDS = 5


def main() -> None:
    """Measure, and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("index", help="from `yardstone trickplay index`")
    parser.add_argument("problems", nargs="+", help="SGF or text files of problems")
    parser.add_argument("--bounds", help="the part of the board that the problems show")
    parser.add_argument("--games", type=int, default=500, help="games for the slow search")
    chosen = parser.parse_args()
    index = GameIndex(chosen.index)
    patterns = [p.pattern for p in read_problems(*chosen.problems, bounds=chosen.bounds)[0]]
    ways = sum(len(pattern.placements()) for pattern in patterns)
    print(f"{machine()}; {len(index):,} games, {index.positions:,} positions")
    print(f"{len(patterns)} patterns, {ways} ways to lie")

    step = max(len(index) // chosen.games, 1)
    some = list(range(0, len(index), step))[: chosen.games]
    positions = sum(len(index.game(number).moves) + 1 for number in some)
    with parallel.context(workers=1):
        find_patterns(index, patterns)
    fast_rates, slow_rates = [], []
    for _ in range(ROUNDS):
        began = time.process_time()
        with parallel.context(workers=1):
            matches = find_patterns(index, patterns)
        fast_rates.append(index.positions / (time.process_time() - began))
        began = time.process_time()
        expected = slow_search(patterns, index, some)
        slow_rates.append(positions / (time.process_time() - began))

    result = {
        (pattern, way, game, first, last)
        for pattern, match in enumerate(matches)
        for way, game, first, last in zip(
            match.way.tolist(),
            match.game.tolist(),
            match.first.tolist(),
            match.last.tolist(),
            strict=True,
        )
        if game in set(some)
    }
    if result != expected:
        sys.exit(f"the two searches differ: {len(result ^ expected)} matches")
    fast, naive = float(np.median(fast_rates)), float(np.median(slow_rates))
    print(f"Yardstone:       {fast / 1e6:8.2f} million positions a second")
    print(f"straightforward: {naive / 1e6:8.2f} million positions a second")
    print(f"ratio:           {fast / naive:8.1f}")
    print(f"the same {len(expected)} matches in {len(some)} games that both searched")


if __name__ == "__main__":
    main()
