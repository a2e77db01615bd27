"""Models of sets made from random numbers, and their equations written out in loops, for tests."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.strength.rank_cases import CHANNELS, random_evidence
from yardstone.strength.set_scorer import INPUTS, SetScorer
from yardstone.strength.set_transformer import NetworkSize, parameter_shapes

__all__ = ["OUTPUTS", "SETTINGS", "plain_layers", "random_scorer"]

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


# --- the equations, a number at a time ---------------------------------------------------

Vector = list[float]
Matrix = list[Vector]


def times(matrix: Matrix, vector: Vector) -> Vector:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def plus(one: Vector, other: Vector) -> Vector:
    return [a + b for a, b in zip(one, other, strict=True)]


def layer_norm(x: Vector, gain: Vector, shift: Vector) -> Vector:
    mean = sum(x) / len(x)
    variance = sum((a - mean) ** 2 for a in x) / len(x)
    scale = 1 / math.sqrt(variance + 1e-5)
    return [g * (a - mean) * scale + b for a, g, b in zip(x, gain, shift, strict=True)]


def attend(q: Vector, keys: Matrix, values: Matrix) -> Vector:
    """AT(q, k, v) of section 2.2.4."""
    logits = [sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q)) for k in keys]
    odds = [math.exp(z) for z in logits]
    total = sum(odds)
    return [
        sum(o / total * v[i] for o, v in zip(odds, values, strict=True))
        for i in range(len(values[0]))
    ]


def attention_block(arrays: Mapping[str, Any], name: str, queries: Matrix, h: Matrix) -> Matrix:
    """Eq. 4.4 and 4.5."""
    part = {key.removeprefix(name + "."): a for key, a in arrays.items() if key.startswith(name)}
    keys = [times(part["key.weight"], x) for x in h]
    values = [times(part["value.weight"], x) for x in h]
    result = []
    for q in queries:
        at = attend(times(part["query.weight"], q), keys, values)
        inner = layer_norm(plus(q, at), part["first_norm.weight"], part["first_norm.bias"])
        dense = plus(times(part["dense.weight"], inner), part["dense.bias"])
        residual = plus(inner, [max(0.0, a) for a in dense])
        result.append(layer_norm(residual, part["second_norm.weight"], part["second_norm.bias"]))
    return result


def plain_layers(arrays: Mapping[str, Any], depth: int, x: Matrix) -> list[Matrix]:
    """Eq. 4.6 to 4.8: encoded moves, then both halves of each block, pooled, the outputs."""
    plain = {name: array.astype(float).tolist() for name, array in arrays.items()}
    h = [times(plain["encode.weight"], row) for row in x]
    layers = [h]
    for number in range(depth):
        name = f"blocks.{number}"
        points = plain[f"{name}.points"]
        seen = attention_block(plain, f"{name}.gather", points, h)
        h = attention_block(plain, f"{name}.spread", h, seen)
        layers += [seen, h]
    pooled = attention_block(plain, "pool", plain["seed"], h)
    return [*layers, pooled, [times(plain["rate.weight"], pooled[0])]]
