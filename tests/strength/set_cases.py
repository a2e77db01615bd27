"""Models of sets made from random numbers, for tests."""

from __future__ import annotations

import numpy as np

from tests.strength.rank_cases import CHANNELS, random_evidence
from yardstone.strength.set_model.hyperparameters import Hyperparameters
from yardstone.strength.set_model.inputs import INPUTS
from yardstone.strength.set_model.scorer import SetScorer
from yardstone.strength.set_model.set_transformer import parameter_shapes

SETTINGS = Hyperparameters(depth=2, width=6, query_width=5, inducing_points=3)
OUTPUTS = 4


def random_scorer(inputs: str = "full", seed: int = 0, outputs: int = OUTPUTS) -> SetScorer:
    """A network with random weights."""
    random = np.random.default_rng(seed)
    see = INPUTS[inputs]
    channels = see.channels(CHANNELS)
    arrays = {
        name: random.normal(0.0, 0.5, shape).astype(np.float32)
        for name, shape in parameter_shapes(SETTINGS, channels, outputs).items()
    }
    mean, deviation = see.moments(see(random_evidence([200], seed=9)))
    arrays |= {"input.mean": mean, "input.deviation": deviation}
    arrays["pool.usual"] = random.normal(size=SETTINGS.width).astype(np.float32)
    return SetScorer(inputs, SETTINGS, arrays, {"network": "tiny"})
