"""How long an estimate from ten games takes, start-up included, and its parts.

``python -m benchmarks.estimate_speed --net FILE`` measures the whole command
``yardstone strength estimate --no-cache`` in fresh processes on ten games of 250 moves (random
legal ones, or the first ten of ``--games FILES`` with ``--player NAME``); its parts, in one
process; and in the same run the limit: the network alone on as many positions as it was asked
about. 8 s on two cores are asked for. Then the same with kept evaluations, nine games having
been seen before, and all ten. Where other programs want the same cores, look at the ratios.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.measure import YARDSTONE, machine, print_table, run
from tests.go.games import random_game
from yardstone.go.evaluator import BATCH
from yardstone.go.nets import load_network
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import SgfReader, write_sgf
from yardstone.strength.estimation import LEVEL
from yardstone.strength.evidence import evidence_of_games
from yardstone.strength.listed_moves import player_losses
from yardstone.strength.model import StrengthModel
from yardstone.strength.players import colour_of, evaluate_games, model_network
from yardstone.strength.strengths import supported_scales

GAMES, MOVES = 10, 250
ASKED = 8.0


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


class Parts:
    """What the parts of an estimate take, and how much of each is the network."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, float, float, int]] = []
        self._seconds, self._positions = 0.0, 0

    @property
    def seconds(self) -> float:
        """Of all parts."""
        return sum(row[1] for row in self.rows)

    @property
    def positions(self) -> int:
        """That the network was asked about."""
        return sum(row[3] for row in self.rows)

    def watch(self, network: Any) -> None:
        """Count what the network is asked."""
        evaluate = network.evaluate

        def watched(spatial: Any, numbers: Any, **settings: bool) -> Any:
            start = time.perf_counter()
            result = evaluate(spatial, numbers, **settings)
            self._seconds += time.perf_counter() - start
            self._positions += len(spatial)
            return result

        network.evaluate = watched

    def take(self, name: str, part: Callable[[], Any]) -> Any:
        """Do a part."""
        start, seconds, positions = time.perf_counter(), self._seconds, self._positions
        result = part()
        took = time.perf_counter() - start
        self.rows.append((name, took, self._seconds - seconds, self._positions - positions))
        return result


def parts_of(file: Path, player: str, net: str) -> Parts:
    """The parts of an estimate, in this process."""
    parts = Parts()

    def ready() -> tuple[StrengthModel, Any]:
        model = StrengthModel.load()
        network = model_network(model, net, cache=False)
        parts.watch(network)
        return model, network

    games = parts.take("reading the games", lambda: list(SgfReader(file)))
    model, network = parts.take("loading the model and the network", ready)
    skipped = SkipReport()

    def sides() -> list[Any]:
        seen = evaluate_games(games, network, skipped=skipped)
        return [(game, colour_of(game.game, player)) for game in seen]

    seen = parts.take("looking at all positions", sides)
    losses = parts.take("losses of moves", lambda: player_losses(seen, network))
    looked, colours = zip(*seen, strict=True)

    def strengths() -> list[Any]:
        evidence = evidence_of_games([game.features for game in looked], colours)
        raters = supported_scales(model, LEVEL).values()
        return [rater.measure(evidence, seen, losses) for rater in raters]

    parts.take("strength, from what was seen", strengths)
    return parts


def one_more(command: Sequence[str | Path], before: Path, after: Path, rounds: int) -> list[float]:
    """Seconds of a command with kept evaluations: other games seen before, and the same."""
    with tempfile.TemporaryDirectory() as folder:
        kept, home = Path(folder) / "kept", Path(folder) / "home"
        os.environ["XDG_CACHE_HOME"] = str(kept)
        run([*command, before])
        os.environ["XDG_CACHE_HOME"] = str(home)
        costs = []
        for _ in range(rounds):
            shutil.copytree(kept, home)
            costs.append([run([*command, after]).wall for _ in range(2)])
            shutil.rmtree(home)
    return [median(pair[k] for pair in costs) for k in range(2)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--net", required=True)
    parser.add_argument("--games", nargs="*", default=[])
    parser.add_argument("--player", default="Anna")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(machine())
    games = chosen_games(options.games, options.player)
    with tempfile.TemporaryDirectory() as folder:
        file, fewer = Path(folder) / "games.sgf", Path(folder) / "fewer.sgf"
        file.write_text("\n".join(map(write_sgf, games)), encoding="utf-8")
        fewer.write_text("\n".join(map(write_sgf, games[:-1])), encoding="utf-8")
        command: list[str | Path] = [YARDSTONE, "strength", "estimate"]
        command += ["--player", options.player, "--net", options.net]
        costs = [run([*command, file, "--no-cache"]) for _ in range(options.rounds)]
        wall, cpu = median(cost.wall for cost in costs), median(cost.cpu for cost in costs)
        parts = parts_of(file, options.player, options.net)
        alone, alone_cpu = limit(options.net, parts.positions)
        more, again = one_more(command, fewer, file, options.rounds)
    moves = sum(len(game.moves) for game in games)
    cores = os.cpu_count() or 1
    print(
        f"{len(games)} games, {moves:,} moves: {wall:.1f} s, {cpu / cores:.1f} s of processor time "
        f"a core; {ASKED:g} s asked for"
    )
    start = ("starting, and the terminal", wall - parts.seconds, 0.0, 0)
    print_table(
        ["part", "seconds", "of which the network", "positions"],
        [
            [name, f"{took:.2f}", f"{network:.2f}", f"{positions:,}"]
            for name, took, network, positions in [start, *parts.rows]
        ],
        names=1,
    )
    print(
        f"the network alone on {parts.positions:,} positions: {alone:.1f} s; the command takes "
        f"{wall / alone:.2f} times that, {cpu / alone_cpu:.2f} times by processor time"
    )
    print(
        f"one more game than the {len(games) - 1} seen before: {more:.1f} s; again: {again:.1f} s"
    )


if __name__ == "__main__":
    main()
