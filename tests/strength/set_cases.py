"""Models of sets made from random numbers, and their equations written out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tests.strength.rank_cases import CHANNELS, random_evidence
from yardstone.strength.set_scorer import INPUTS, SetScorer
from yardstone.strength.set_transformer import NetworkSize, parameter_shapes

Array = NDArray[np.float64]
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
    rows = see(random_evidence([200], seed=9))
    mean, deviation = np.nanmean(rows, axis=0), np.nanstd(rows, axis=0) + 0.1
    mean, deviation = (each.astype(np.float16).astype(np.float32) for each in (mean, deviation))
    return SetScorer(network, mean, deviation, drawn((SETTINGS.width,)))


def layer_norm(x: Array, gain: Array, shift: Array) -> Array:
    return np.asarray(gain * (x - x.mean()) / np.sqrt(x.var() + 1e-5) + shift)


def attention_block(arrays: Mapping[str, Array], name: str, queries: Array, h: Array) -> Array:
    """Eq. 4.4 and 4.5, a query at a time; AT(q, k, v) is of section 2.2.4."""
    part = {key.removeprefix(name + "."): a for key, a in arrays.items() if key.startswith(name)}
    keys, values = h @ part["key.weight"].T, h @ part["value.weight"].T
    result = []
    for q in queries:
        odds = np.exp(keys @ (part["query.weight"] @ q) / np.sqrt(keys.shape[1]))
        at = odds / odds.sum() @ values
        inner = layer_norm(q + at, part["first_norm.weight"], part["first_norm.bias"])
        dense = part["dense.weight"] @ inner + part["dense.bias"]
        residual = inner + np.maximum(dense, 0.0)
        result.append(layer_norm(residual, part["second_norm.weight"], part["second_norm.bias"]))
    return np.array(result)


def plain_layers(arrays: Mapping[str, Any], depth: int, x: ArrayLike) -> list[Array]:
    """Eq. 4.6 to 4.8: encoded moves, then both halves of each block, pooled, the outputs."""
    plain = {name: np.asarray(array, np.float64) for name, array in arrays.items()}
    h = np.asarray(x) @ plain["encode.weight"].T
    layers = [h]
    for number in range(depth):
        name = f"blocks.{number}"
        seen = attention_block(plain, f"{name}.gather", plain[f"{name}.points"], h)
        h = attention_block(plain, f"{name}.spread", h, seen)
        layers += [seen, h]
    pooled = attention_block(plain, "pool", plain["seed"], h)
    return [*layers, pooled, pooled @ plain["rate.weight"].T]
