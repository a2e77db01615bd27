"""Speed of the inputs of Go networks, and the rate that feature extraction needs.

    python -m benchmarks.inputs_speed
    python -m benchmarks.inputs_speed --moves TYGEM.zip --games 200

Games are made at random, or read from an archive of lines ``;B[pd];W[dd]...`` as
Tygem's are. Each figure is processor time of one core, the best of three. The limit
is 10,000 positions a second; moving zeros of the size of the planes is measured
beside it, since nothing can be faster.
"""

from __future__ import annotations

import argparse
import re
import time
import zipfile
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from yardstone.go.board import Board
from yardstone.go.inputs import SPATIAL, encode_game, game_positions
from yardstone.go.points import BLACK, PASS, opponent
from yardstone.go.rules import NAMED_RULES, Rules
from yardstone.records.go_game import GoGame

LIMIT = 10_000
ROUNDS = 3


def random_games(number: int) -> list[list[int]]:
    """Games of random moves that fill no eyes: full of captures, kos and short ladders."""
    games = []
    for generator in np.random.default_rng(20260101).spawn(number):
        board = Board(19, NAMED_RULES["chinese"])
        moves: list[int] = []
        colour = BLACK
        while len(moves) < 250:
            point = int(generator.integers(361))
            if board.legal(point, colour):
                board.play(point, colour)
                moves.append(point)
                colour = opponent(colour)
        games.append(moves)
    return games


def read_games(path: Path, number: int) -> list[list[int]]:
    with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as lines:
        return [
            [
                (p[1] - 97) * 19 + p[0] - 97 if p else PASS
                for p in re.findall(rb";[BW]\[([a-s]{0,2})\]", line)
            ]
            for line in islice(lines, number)
        ]


def encode_all(games: list[list[int]], rules: Rules, packed: bool) -> None:
    for moves in games:
        encode_game(19, moves=moves, rules=rules, packed=packed)


def best(work: Callable[[], object]) -> float:
    """Return seconds of processor time, of the best round."""
    work()
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--moves", type=Path, help="archive of games")
    parser.add_argument("--games", type=int, default=100)
    options = parser.parse_args()
    games = (
        read_games(options.moves, options.games) if options.moves else random_games(options.games)
    )
    positions = sum(len(moves) + 1 for moves in games)
    print(f"{len(games)} games, {positions} positions")
    for name in ("tromp-taylor", "chinese", "japanese"):
        rules = NAMED_RULES[name]
        for packed in (False, True):
            rate = positions / best(partial(encode_all, games, rules, packed))
            kind = "packed" if packed else "float32"
            print(f"{name:13} {kind:8} {rate:8.0f} positions/s  {rate / LIMIT:5.2f} of the limit")

    records = [
        GoGame(
            file="",
            line=0,
            number=number,
            size=19,
            komi=7.5,
            moves=np.array(moves, np.int16),
            colours=(np.arange(len(moves)) % 2 + 1).astype(np.int8),
        )
        for number, moves in enumerate(games)
    ]
    rate = positions / best(lambda: [game_positions(game) for game in records])
    print(f"{'stones and keys only':22} {rate:8.0f} positions/s")

    def fill() -> None:
        for moves in games:
            np.zeros((len(moves) + 1, SPATIAL, 361), np.uint8).astype(np.float32)

    print(f"{'zeros of that size':22} {positions / best(fill):8.0f} positions/s")


if __name__ == "__main__":
    main()
