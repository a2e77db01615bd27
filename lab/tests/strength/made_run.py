"""The folder of an experiment that has been run as far as its recent moves."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lab.tests.strength.made_training import made_games
from yardstone.evaluation.splits import Labels
from yardstone.pool import Pool
from yardstone_lab.neubauer.experiment.games import save_pool
from yardstone_lab.neubauer.experiment.sets import save_labels

DESCRIPTION = """
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
    file.write_text(DESCRIPTION.format(small=SMALL))
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
