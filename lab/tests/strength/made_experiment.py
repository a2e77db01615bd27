"""A small experiment with made games: lists of moves, a table of results, a description."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lab.tests.strength.made_run import SMALL
from tests.go.games import random_game

LETTERS = "abcdefghi"
DESCRIPTION = """
name = "made"
folder = "work"

[games]
moves = ["moves.txt"]
results = "results.tsv"
key = "id"
result = "result"
clock = "clock"
columns = ["size"]

[filters]
size = 9
first_pass = 0

[judge]
sure = 0.5001

[features]
net = "{network}"
komi = 6.5

[ratings]
advance = 2

[sets]
training = 30
validation = 20
test = 20
exhibition = -1
newcomer_games = 4
least_games = 1

[models]
window = 40
pooled = ["head", "pick", "mean"]
threads = 1
basic = {basic}
full = {full}

[table]
hidden = [0, 2]
replicates = 50
"""


def write_games(folder: Path, games: int = 180, players: int = 12, seed: int = 5) -> None:
    """Games of players of whom those with low numbers win more often."""
    generator = np.random.default_rng(seed)
    lines, rows = [], ["id\ttime\twhite\tblack\tresult\tclock\tsize"]
    for number in range(games):
        white, black = generator.choice(players, 2, replace=False)
        first_wins = generator.random() < 1.0 / (1.0 + np.exp(0.4 * (black - white)))
        how = ("Resign", "3.5", "Time")[number % 3]
        if number == 7:
            how = "Offline"
        day, minute = divmod(number, 20)
        time = f"2020-03-{day + 1:02d} 10:{minute:02d}"
        winner = "B" if first_wins else "W"
        clock = "3/3 0m" if number == 11 else "30/3 5m"
        rows.append(f"{1000 + number}\t{time}\tp{white}\tp{black}\t{winner}+{how}\t{clock}\t9")
        game = random_game(number, size=9, moves=24)
        pairs = zip(game.moves.tolist(), game.colours.tolist(), strict=True)
        moves = "".join(f";{'BW'[colour - 1]}[{point(move)}]" for move, colour in pairs)
        lines.append(f"{1000 + number}\t{moves}")
    (folder / "moves.txt").write_text("\n".join(lines) + "\n")
    (folder / "results.tsv").write_text("\n".join(rows) + "\n")


def point(move: int) -> str:
    """A point of a 9x9 board as SGF has it."""
    return "" if move < 0 else LETTERS[move % 9] + LETTERS[move // 9]


def write_experiment(folder: Path, network: Path, *, models: bool = True) -> Path:
    """The description, beside the games."""
    inline = f"{{ {SMALL} }}" if models else "false"
    path = folder / "experiment.toml"
    path.write_text(DESCRIPTION.format(network=network, basic=inline, full=inline))
    return path
