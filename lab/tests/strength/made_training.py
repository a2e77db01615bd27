"""Games of made players whose moves tell how strong they are, to train on."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

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
