"""Asks KataGo for the inputs that it makes of positions, and keeps them for the tests.

``python -m benchmarks.ask_inputs PROGRAM`` runs the program built from
``katago_inputs.cpp`` on positions of random games and stores them in
``tests/go/katago_inputs.json.gz``. What is there comes from KataGo 1.17.2.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.go.slow_board import random_moves
from yardstone.go.board import Board
from yardstone.go.points import BLACK, WHITE, opponent
from yardstone.go.rules import NAMED_RULES, parse_rules

FACTS = Path(__file__).parents[1] / "tests" / "go" / "katago_inputs.json.gz"

OTHER_RULES = (
    "koSIMPLEscoreTERRITORYtaxNONEsui1",
    "koPOSITIONALscoreAREAtaxSEKIsui1",
    "koSITUATIONALscoreTERRITORYtaxALLsui0whbN-1",
    "koSIMPLEscoreAREAtaxNONEsui1button1whbN-1",
)
RULES = (*NAMED_RULES, *OTHER_RULES)
SIZES = (2, 3, 4, 5, 5, 6, 7, 8, 9, 9, 13)
GAMES = 90


def make_position(seed: int) -> dict[str, Any]:
    """Return some position of a random game, with or without stones set up."""
    random = np.random.default_rng([20260101, seed])
    size = int(random.choice(SIZES))
    length = int(random.integers(0, 2 * size * size))
    moves = random_moves(seed, size, length, passes=float(random.choice([0.01, 0.05, 0.3])))
    colours = [BLACK if k % 2 == 0 else WHITE for k in range(length)]
    black: list[int] = []
    white: list[int] = []
    if seed % 3 == 0:
        # Make the first moves the stones of a handicap, or of a position.
        start = int(random.integers(0, min(length, size) + 1))
        board = Board(size, parse_rules("koSIMPLE"))
        for move, colour in zip(moves[:start], colours, strict=False):
            board.play(move, colour)
        stones = board.stones
        black = np.flatnonzero(stones == BLACK).tolist()
        white = np.flatnonzero(stones == WHITE).tolist() if seed % 2 else []
        moves, colours = moves[start:], colours[start:]
        if not white:
            bare = Board(size, parse_rules("koSIMPLE"), setup_black=black)
            last = next(
                (
                    k
                    for k, (m, c) in enumerate(zip(moves, colours, strict=True))
                    if not ok(bare, m, c)
                ),
                len(moves),
            )
            moves, colours = moves[:last], colours[:last]
    last_mover = colours[-1] if colours else WHITE
    return {
        "size": size,
        "komi": float(random.integers(-30, 31)) / 2,
        "rules": RULES[seed % len(RULES)],
        "setup_black": black,
        "setup_white": white,
        "moves": moves,
        "colours": colours,
        "to_play": opponent(last_mover),
    }


def ok(board: Board, move: int, colour: int) -> bool:
    """Play a move if it is legal."""
    if not board.legal(move, colour):
        return False
    board.play(move, colour)
    return True


def as_line(position: dict[str, Any]) -> str:
    """Return a position as the program reads it."""
    played = [n for pair in zip(position["colours"], position["moves"], strict=True) for n in pair]
    words = [position["size"], position["komi"], position["rules"]]
    for name in ("setup_black", "setup_white"):
        words += [len(position[name]), *position[name]]
    words += [len(position["moves"]), *played, position["to_play"]]
    return " ".join(map(str, words))


def main() -> None:
    """Ask, and store the answers."""
    positions = [make_position(seed) for seed in range(GAMES)]
    text = "\n".join(map(as_line, positions)) + "\n"
    done = subprocess.run([sys.argv[1]], input=text.encode(), capture_output=True, check=True)
    answer, place = done.stdout, 0

    def take(dtype: str, count: int) -> np.ndarray[Any, Any]:
        nonlocal place
        taken = np.frombuffer(answer, dtype, count, place)
        place += taken.nbytes
        return taken

    for position in positions:
        area = position["size"] ** 2
        position["planes"] = np.packbits(take("u1", 22 * area)).tobytes().hex()
        position["globals"] = take("<f4", 19).tolist()
        position["legal"] = take("u1", area).tolist()
        position["white_lead"] = float(take("<f4", 1)[0])
    assert place == len(answer)
    data = "\n".join(json.dumps(position) for position in positions).encode()
    FACTS.write_bytes(gzip.compress(data, mtime=0))


if __name__ == "__main__":
    main()
