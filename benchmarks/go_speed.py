"""How long `yardstone go` takes: a game analysed, and features of many games.

``python -m benchmarks.go_speed --net FILE`` measures

- the whole command ``yardstone go analyse`` on a game of 250 moves, start-up included,
  in fresh processes, with its processor time: where other programs want the same cores,
  that over the number of cores is the better figure;
- what of it is start-up: the same with a game of one move;
- features of games (``--games FILES``; random ones by default) taken into a store by one
  process, in both precisions, with all kinds that a rank model takes, against the limit: the
  network alone on the same number of positions.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.measure import YARDSTONE, machine, run
from yardstone.examples import example
from yardstone.go.evaluator import BATCH
from yardstone.go.feature_store import PARTS
from yardstone.go.features import Batch, ExtractionSettings, make_part
from yardstone.go.nets import load_network
from yardstone.go.nets.engines import PRECISIONS
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import SgfReader, read_games, write_sgf
from yardstone.strength.evidence import KINDS

EXAMPLE = example("professional.sgf")
MOVES = 250
ROUNDS = 5


def shortened(moves: int) -> GoGame:
    """The beginning of the example game."""
    (game,) = read_games(EXAMPLE)
    return replace(game, moves=game.moves[:moves], colours=game.colours[:moves])


def analysis(net: str, folder: Path) -> None:
    """Time the command on a long and on a very short game."""
    for moves, name in ((MOVES, f"a game of {MOVES} moves"), (1, "start-up: a game of one move")):
        file = folder / f"{moves}.sgf"
        file.write_text(write_sgf(shortened(moves)))
        command: list[str | Path] = [YARDSTONE, "go", "analyse", file, "--net", net, "--no-cache"]
        rounds = [run(command) for _ in range(ROUNDS)]
        wall = sorted(cost.wall for cost in rounds)
        used = median(cost.cpu for cost in rounds)
        print(
            f"{name}: {median(wall):.2f} s (best {wall[0]:.2f} s), {used:.2f} s of processor time"
        )


def extraction(net: str, files: Sequence[str], precision: str, folder: Path) -> None:
    """Processor time of features against the network alone, in one process."""
    source = SgfReader(*files) if files else [shortened(MOVES)]
    games = tuple(replace(game, properties={}) for game, _ in zip(source, range(16), strict=False))
    store = folder / f"store-{precision}"
    (store / PARTS).mkdir(parents=True)
    settings = ExtractionSettings(net=net, precision=precision, trunk=KINDS)
    make_part(Batch(0, "", games[:1], settings))  # loads the network
    begun = time.process_time()
    make_part(Batch(1, "", games, settings))
    taken = time.process_time() - begun
    positions = sum(len(game.moves) + 1 for game in games)
    network = load_network(net, precision=precision, threads=1)
    spatial = (np.random.default_rng(1).random((BATCH, 22, 19, 19)) < 0.1).astype(np.float32)
    spatial[:, 0] = 1.0
    numbers = np.zeros((BATCH, 19), np.float32)
    network.evaluate(spatial, numbers, trunk=True)
    begun = time.process_time()
    for _ in range(8):
        network.evaluate(spatial, numbers, trunk=True)
    limit = 8 * BATCH / (time.process_time() - begun)
    speed = positions / taken
    print(
        f"{network.engine} {precision}: features of {len(games)} games, {positions:,} positions: "
        f"{speed:.0f} positions a second, {60.0 * len(games) / taken:.0f} games a minute on one "
        f"core; the network alone {limit:.0f}: ratio {speed / limit:.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--net", required=True, help="a network file")
    parser.add_argument("--games", nargs="*", default=(), help="SGF files")
    given = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        analysis(given.net, Path(folder))
        for precision in PRECISIONS:
            extraction(given.net, given.games, precision, Path(folder))


if __name__ == "__main__":
    main()
