"""Transformer blocks as nodes of an ONNX graph; activations are [n, points, channels]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yardstone.go.nets._graph import OnnxGraph
from yardstone.go.nets.layers import Activation, Attention, FeedForward, RmsNorm, Rope

__all__ = ["add_attention", "add_feed_forward", "add_rms_norm", "rope_angles"]


def add_rms_norm(graph: OnnxGraph, value: str, norm: RmsNorm) -> str:
    """Normalise by the root of the mean square, of each point or of all points."""
    axes = graph.constant(np.array([1, 2] if norm.spatial else [-1], np.int64))
    square = graph.add("Mul", value, value)
    mean = graph.add("ReduceMean", square, axes, keepdims=1)
    root = graph.add("Sqrt", graph.add("Add", mean, graph.constant(np.float32(norm.epsilon))))
    scaled = graph.add("Mul", graph.add("Div", value, root), graph.constant(norm.scale))
    return scaled if norm.bias is None else graph.add("Add", scaled, graph.constant(norm.bias))


def rope_angles(rope: Rope, key_heads: int, pairs: int, size: int) -> NDArray[np.float64]:
    """By how much each pair of channels turns at each point: [heads of keys, points, pairs]."""
    rows, columns = (each.ravel() for each in np.mgrid[:size, :size])
    if rope.frequencies is not None:
        by_place = rope.frequencies.astype(np.float64)[:, None]
        angles: NDArray[np.float64] = (
            columns[:, None] * by_place[..., 0] + rows[:, None] * by_place[..., 1]
        )
        return angles
    half = pairs // 2
    place = np.arange(pairs)
    by_row = place < half
    frequency = rope.theta ** (-2.0 * np.where(by_row, place, place - half) / pairs)
    turned = np.where(by_row, rows[:, None], columns[:, None]) * frequency
    return np.broadcast_to(turned, (key_heads, *turned.shape))


def _halves(weights: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """First members of all pairs before second members, within each head.

    Queries and keys are reordered alike, so their products stay what they were.
    """
    columns = weights.shape[1]
    order = np.arange(columns).reshape(heads, -1, 2).transpose(0, 2, 1).ravel()
    return weights[:, order]


def _turn(graph: OnnxGraph, value: str, angles: NDArray[np.float64]) -> str:
    """Rotate the pairs of [n, heads, points, 2 × pairs] by [heads, points, pairs]."""
    pairs = angles.shape[-1]
    cosine, sine = np.cos(angles), np.sin(angles)
    straight = graph.constant(np.concatenate([cosine, cosine], axis=-1))
    across = graph.constant(np.concatenate([-sine, sine], axis=-1))
    first, second = graph.split(value, [pairs, pairs], axis=3)
    swapped = graph.add("Concat", second, first, axis=3)
    return graph.add("Add", graph.add("Mul", value, straight), graph.add("Mul", swapped, across))


def add_attention(graph: OnnxGraph, value: str, block: Attention, size: int) -> str:
    """Let every point look at every point; heads of queries share those of keys."""
    points, group = size * size, block.heads // block.key_heads
    query = block.query * np.float32(block.key_size**-0.5)
    key = block.key
    if block.rope is not None:
        query, key = _halves(query, block.heads), _halves(key, block.key_heads)
    normed = add_rms_norm(graph, value, block.norm)

    def heads(weights: NDArray[np.float32], number: int) -> str:
        flat = graph.add("MatMul", normed, graph.constant(weights))
        return graph.transpose(graph.reshape(flat, 0, points, number, -1), 0, 2, 1, 3)

    queries, keys = heads(query, block.heads), heads(key, block.key_heads)
    if block.rope is not None:
        angles = rope_angles(block.rope, block.key_heads, block.key_size // 2, size)
        queries = _turn(graph, queries, np.repeat(angles, group, axis=0))
        keys = _turn(graph, keys, angles)
    values = heads(block.value, block.key_heads)
    if group > 1:
        queries = graph.reshape(queries, 0, block.key_heads, group * points, block.key_size)
    scores = graph.add("MatMul", queries, graph.transpose(keys, 0, 1, 3, 2))
    attended = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), values)
    if group > 1:
        attended = graph.reshape(attended, 0, block.heads, points, block.value_size)
    flat = graph.reshape(graph.transpose(attended, 0, 2, 1, 3), 0, points, -1)
    return graph.add("Add", value, graph.add("MatMul", flat, graph.constant(block.out)))


def add_feed_forward(graph: OnnxGraph, value: str, block: FeedForward) -> str:
    """Three linear layers at each point."""
    normed = add_rms_norm(graph, value, block.norm)
    first = graph.add("MatMul", normed, graph.constant(block.first))
    gate = graph.add("MatMul", normed, graph.constant(block.gate))
    hidden = graph.add("Mul", graph.activation(first, Activation.silu), gate)
    return graph.add("Add", value, graph.add("MatMul", hidden, graph.constant(block.second)))
