"""Games, a network and a model for tests of estimates: small, random, and real in kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tests.go.games import random_game
from tests.go.random_net import Shape, write_network
from yardstone.go.nets.network import Network, load_network
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import write_sgf
from yardstone.strength.model import StrengthModel


@dataclass(frozen=True)
class Case:
    """A network with a model that was made for it."""

    file: Path
    network: Network
    model: StrengthModel
    model_file: Path


def make_case(folder: Path, given: StrengthModel | None = None) -> Case:
    """A random network as wide as a model, and the model, by default the shipped one, for it."""
    given = given or StrengthModel.load()
    shape = Shape(10, ("residual",), channels=given.scorer.channels)
    file = write_network(folder / "tiny.bin.gz", shape, 1)
    network = load_network(file, threads=1)
    card = {"name": "tiny", "network": network.name, "sha256": network.sha256}
    model = StrengthModel(given.scorer, list(given.scales.values()), card)
    model.save(folder / "model.npz")
    return Case(file, network, StrengthModel.load(folder / "model.npz"), folder / "model.npz")


def game(seed: int, black: str, white: str, *, moves: int = 64, day: int | None = None) -> GoGame:
    """A game on 19x19; without a day its date is unknown."""
    date = np.datetime64("NaT" if day is None else f"2024-03-{day + 1:02d}", "s")
    made = random_game(seed, size=19, moves=moves, passes=2)
    return replace(made, file=f"{seed}.sgf", line=1, black=black, white=white, date=date)


def sgf(made: GoGame) -> str:
    return write_sgf(made)
