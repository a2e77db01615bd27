"""Made games whose moves tell who is strong, trainings and experiments on them, and the command."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.go.games import random_game
from yardstone.cli.commands import application
from yardstone.evaluation.splits import Labels
from yardstone.pool import Pool
from yardstone_lab.neubauer.experiment.games import save_pool
from yardstone_lab.neubauer.experiment.sets import save_labels
from yardstone_lab.neubauer.moves import Labelled, MoveSets
from yardstone_lab.neubauer.network.strength_network import Hyperparameters

#: A network and a training that take a second.
TINY = Hyperparameters(
    depth=1, width=8, query_width=4, inducing_points=3, window=30, batch=8,
    steps=3, epochs=3, patience=2, learning_rate=3e-3,
)  # fmt: skip


class LazyModule:
    """A module that is imported when something of it is asked for: torch takes its time."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith(("__", "_mock")):  # pytest looks at all that a file has
            raise AttributeError(attribute)
        return getattr(import_module(self.name), attribute)


torch: Any = LazyModule("torch")
set_transformer: Any = LazyModule("yardstone_lab.neubauer.network.set_transformer")
set_training: Any = LazyModule("yardstone_lab.neubauer.set_training")


def made_games(
    games: int, *, seed: int = 0, channels: int = 5, players: int = 20, longest: int = 25
) -> Labelled:
    """Games between players; each feature of a move is noise and a share of the strength."""
    generator = np.random.default_rng(seed)
    known = np.random.default_rng(1234)
    strength, share = known.normal(size=players), known.normal(size=channels)
    moves = 60
    noise = generator.normal(size=(players * moves, channels))
    features = noise + 0.5 * np.repeat(strength, moves)[:, None] * share
    black = generator.integers(players, size=games)
    white = (black + generator.integers(1, players, size=games)) % players
    rows: list[np.ndarray] = []
    for player in np.column_stack([black, white]).ravel():
        number = generator.integers(0, longest + 1)
        rows.append(player * moves + np.sort(generator.choice(moves, number, replace=False)))
    starts = np.concatenate([[0], np.cumsum([len(each) for each in rows])])
    wins = 1 / (1 + np.exp(-1.5 * (strength[black] - strength[white])))
    return Labelled(
        MoveSets(features.astype(np.float16), np.concatenate(rows).astype(np.int64), starts),
        (generator.random(games) < wins).astype(np.float32),
        1600 + 200 * np.column_stack([strength[black], strength[white]]),
    )


def command(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[str, str]:
    """What `yardstone strength` prints on both streams."""
    words = [str(each) for each in arguments]
    application("strength")(args=words, prog_name="strength", standalone_mode=False)
    return capsys.readouterr()


RUN = """
folder = "work"
[games]
records = ["games.sgf"]
[models]
window = 9
basic = {{ {small} }}
full = false
[table]
hidden = [1]
"""
SMALL = (
    "depth = 1, width = 8, query_width = 4, inducing_points = 3, "
    "batch = 8, steps = 3, epochs = 2, learning_rate = 0.003"
)
TRAINING, VALIDATION = 60, 30


def write_run(folder: Path) -> Path:
    """The description, beside its folder with made games."""
    file = folder / "experiment.toml"
    file.write_text(RUN.format(small=SMALL))
    games = made_games(TRAINING + VALIDATION, channels=6)
    number = len(games)
    work = folder / "work"
    for name in ("winners", "sets", "labels", "moves"):
        (work / name).mkdir(parents=True)
    players = tuple(f"p{k}" for k in range(2 * number))
    sides = np.arange(2 * number, dtype=np.int32).reshape(-1, 2)
    pool = Pool(players, sides[:, 0].copy(), sides[:, 1].copy(), games.score.astype(np.float64))
    save_pool(pool, work / "winners" / "pool.npz")
    np.save(work / "sets" / "mark.npy", np.repeat(["T", "V"], [TRAINING, VALIDATION]))
    ahead = np.zeros(number, np.int64)
    labels = Labels(games.labels[:, 0], games.labels[:, 1], ahead, ahead, 10)
    save_labels(labels, work / "labels" / "labels.npz")
    np.save(work / "moves" / "head.npy", games.moves.features)
    np.save(work / "moves" / "pick.npy", np.tile(games.moves.features, 2))
    np.savez(work / "moves" / "recent.npz", rows=games.moves.rows, starts=games.moves.starts)
    return file


LETTERS = "abcdefghi"
EXPERIMENT = """
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
        moves = "".join(
            f";{'BW'[colour - 1]}[{LETTERS[move % 9] + LETTERS[move // 9] if move >= 0 else ''}]"
            for move, colour in pairs
        )
        lines.append(f"{1000 + number}\t{moves}")
    (folder / "moves.txt").write_text("\n".join(lines) + "\n")
    (folder / "results.tsv").write_text("\n".join(rows) + "\n")


def write_experiment(folder: Path, network: Path, *, models: bool = True) -> Path:
    """The description, beside the games."""
    inline = f"{{ {SMALL} }}" if models else "false"
    path = folder / "experiment.toml"
    path.write_text(EXPERIMENT.format(network=network, basic=inline, full=inline))
    return path
