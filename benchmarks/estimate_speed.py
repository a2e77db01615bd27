"""How long an estimate from ten games takes, start-up included.

``python -m benchmarks.estimate_speed --net FILE`` measures the whole command
``yardstone strength estimate`` in fresh processes on ten games of 250 moves (random legal
ones, or the first ten of ``--games FILES`` with ``--player NAME``), and in the same run the
limit: the network alone on as many positions as the games have different ones. 20 s on two
cores are asked for. Where other programs want the same cores, processor time over the
number of cores is the better figure.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.measure import YARDSTONE, machine, run
from tests.go.games import random_game
from yardstone.go.nets import load_network
from yardstone.go.replay import game_positions
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import SgfReader, write_sgf
from yardstone.strength.estimate.players import colour_of

GAMES, MOVES = 10, 250
ASKED = 20.0
BATCH = 64


def chosen_games(files: Sequence[str], player: str) -> list[GoGame]:
    """Ten games of the player: from files, or random ones."""
    if files:
        games = [game for game in SgfReader(*files) if colour_of(game, player)]
        return games[:GAMES]
    made = [random_game(seed, size=19, moves=MOVES) for seed in range(GAMES)]
    return [replace(game, black=player, white=f"Other {n}") for n, game in enumerate(made)]


def limit(net: str, positions: int) -> tuple[float, float]:
    """Seconds, of the clock and of the processor, of the network alone."""
    network = load_network(net)
    spatial = np.zeros((BATCH, 22, 19, 19), np.float32)
    spatial[:, 0] = 1.0
    spatial[:, 1:3] = np.random.default_rng(0).random((BATCH, 2, 19, 19)) < 0.2
    numbers = np.zeros((BATCH, 19), np.float32)
    network.evaluate(spatial, numbers, trunk=True)
    start, cpu = time.perf_counter(), time.process_time()
    for first in range(0, positions, BATCH):
        count = min(BATCH, positions - first)
        network.evaluate(spatial[:count], numbers[:count], trunk=True)
    return time.perf_counter() - start, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--net", required=True)
    parser.add_argument("--games", nargs="*", default=[])
    parser.add_argument("--player", default="Anna")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(machine())
    games = chosen_games(options.games, options.player)
    keys = [game_positions(game).keys[:, 0] for game in games]
    different = len(np.unique(np.concatenate(keys)))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "games.sgf"
        file.write_text("\n".join(map(write_sgf, games)), encoding="utf-8")
        command: list[str | Path] = [YARDSTONE, "strength", "estimate", file]
        command += ["--player", options.player, "--net", options.net]
        run(command)  # the first call on a machine compiles
        costs = [run(command) for _ in range(options.rounds)]
    wall, cpu = median(cost.wall for cost in costs), median(cost.cpu for cost in costs)
    alone, alone_cpu = limit(options.net, different)
    cores = os.cpu_count() or 1
    moves = sum(len(game.moves) for game in games)
    print(f"{len(games)} games, {moves:,} moves, {different:,} different positions")
    print(
        f"the command: {wall:.1f} s ({ASKED:g} s asked for), {cpu:.1f} s of processor time, "
        f"{cpu / cores:.1f} s a core"
    )
    print(
        f"the network alone: {alone:.1f} s, {alone_cpu:.1f} s of processor time; the command "
        f"takes {wall / alone:.2f} times that, {cpu / alone_cpu:.2f} times by processor time"
    )


if __name__ == "__main__":
    main()
