"""Models of sets made from random numbers, for tests."""

from __future__ import annotations

import numpy as np

from tests.strength.rank_cases import CHANNELS, random_evidence
from yardstone.strength.set_scorer import INPUTS, SetScorer
from yardstone.strength.set_transformer import NetworkSize, parameter_shapes
from yardstone_lab.neubauer.sides import input_moments

__all__ = ["OUTPUTS", "SETTINGS", "random_scorer"]

SETTINGS = NetworkSize(depth=2, width=6, query_width=5, inducing_points=3)
OUTPUTS = 4


def random_scorer(inputs: str = "full", seed: int = 0) -> SetScorer:
    """A network with random weights."""
    random = np.random.default_rng(seed)
    see = INPUTS[inputs]

    def drawn(shape: tuple[int, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        # As they are in a file, so that a saved model is the same.
        return random.normal(0.0, 0.5, shape).astype(np.float16).astype(np.float32)

    shapes = parameter_shapes(SETTINGS, see.channels(CHANNELS), OUTPUTS)
    network = {name: drawn(shape) for name, shape in shapes.items()}
    mean, deviation = input_moments(see(random_evidence([200], seed=9)))
    return SetScorer(network, mean, deviation, drawn((SETTINGS.width,)))
