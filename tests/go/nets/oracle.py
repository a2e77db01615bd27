"""A network computed by hand in numpy, loop by loop, to compare engines with.

It takes the layers as `read_model` gives them and nothing else of the package: no graph,
no folding of layers. Everything is float64.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from yardstone.go.nets import layers

#: Type checkers lose track of mixed arithmetic here; the tests see the numbers.
Array: TypeAlias = Any


def _activate(x: Array, kind: layers.Activation) -> Array:
    if kind is layers.Activation.relu:
        return np.maximum(x, 0.0)
    if kind is layers.Activation.mish:
        return x * np.tanh(np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0.0))
    if kind is layers.Activation.silu:
        return x / (1.0 + np.exp(-x))
    return x


def _convolve(x: Array, conv: layers.Convolution) -> Array:
    """Sum over the filter of shifted boards, with zeros beyond the edge."""
    outs, _, height, width = conv.weights.shape
    down, right = conv.dilation[0] * (height // 2), conv.dilation[1] * (width // 2)
    rows, columns = x.shape[2:]
    wide = np.pad(x, ((0, 0), (0, 0), (down, down), (right, right)))
    out = np.zeros((len(x), outs, rows, columns))
    for i in range(height):
        for j in range(width):
            top, left = i * conv.dilation[0], j * conv.dilation[1]
            part = wide[:, :, top : top + rows, left : left + columns]
            out += np.einsum("nchw,oc->nohw", part, conv.weights[:, :, i, j].astype(float))
    return out


def _batch_norm(x: Array, norm: layers.BatchNorm) -> Array:
    return x * norm.scale[:, None, None] + norm.bias[:, None, None]


def _rms_norm(x: Array, norm: layers.RmsNorm) -> Array:
    axes = (1, 2, 3) if norm.spatial else (1,)
    x = x / np.sqrt((x**2).mean(axis=axes, keepdims=True) + norm.epsilon)
    x = x * norm.scale[:, None, None]
    return x if norm.bias is None else x + norm.bias[:, None, None]


def _norm(x: Array, norm: layers.Norm) -> Array:
    return _rms_norm(x, norm) if isinstance(norm, layers.RmsNorm) else _batch_norm(x, norm)


def _pool(x: Array) -> Array:
    """Mean, mean scaled by the board's size, maximum."""
    mean, size = x.mean(axis=(2, 3)), math.sqrt(x.shape[2] * x.shape[3])
    return np.concatenate([mean, mean * (size - 14.0) * 0.1, x.max(axis=(2, 3))], axis=1)


def _attention(x: Array, block: layers.Attention) -> Array:
    n, _, rows, columns = x.shape
    points = rows * columns
    normed = _rms_norm(x, block.norm).reshape(n, -1, points)

    def project(weights: Any, heads: int, size: int) -> Array:
        return np.einsum("ncp,co->nop", normed, weights.astype(float)).reshape(
            n, heads, size, points
        )

    queries = project(block.query, block.heads, block.key_size)
    keys = project(block.key, block.key_heads, block.key_size)
    values = project(block.value, block.key_heads, block.value_size)
    group = block.heads // block.key_heads
    seen = np.empty((n, block.heads, block.value_size, points))
    for head in range(block.heads):
        shared = head // group
        query = _rotate(queries[:, head], block, shared, columns)
        key = _rotate(keys[:, shared], block, shared, columns)
        scores = np.einsum("ndq,ndk->nqk", query, key) / math.sqrt(block.key_size)
        weights = np.exp(scores - scores.max(axis=2, keepdims=True))
        weights /= weights.sum(axis=2, keepdims=True)
        seen[:, head] = np.einsum("nqk,nvk->nvq", weights, values[:, shared])
    out = np.einsum("nvp,vo->nop", seen.reshape(n, -1, points), block.out.astype(float))
    return x + out.reshape(x.shape)


def _rotate(x: Array, block: layers.Attention, head: int, columns: int) -> Array:
    """Turn neighbouring channels as complex numbers."""
    if block.rope is None:
        return x
    out = np.empty_like(x)
    pairs = block.key_size // 2
    for point in range(x.shape[2]):
        row, column = divmod(point, columns)
        for pair in range(pairs):
            if block.rope.frequencies is not None:
                by_column, by_row = block.rope.frequencies[head, pair].astype(float)
                angle = column * by_column + row * by_row
            else:
                place, along = (pair, row) if pair < pairs // 2 else (pair - pairs // 2, column)
                angle = along * block.rope.theta ** (-2.0 * place / pairs)
            turned = (x[:, 2 * pair, point] + 1j * x[:, 2 * pair + 1, point]) * np.exp(1j * angle)
            out[:, 2 * pair, point], out[:, 2 * pair + 1, point] = turned.real, turned.imag
    return out


def _feed_forward(x: Array, block: layers.FeedForward) -> Array:
    normed = _rms_norm(x, block.norm)
    first = np.einsum("nchw,co->nohw", normed, block.first.astype(float))
    gate = np.einsum("nchw,co->nohw", normed, block.gate.astype(float))
    hidden = _activate(first, layers.Activation.silu) * gate
    return x + np.einsum("nchw,co->nohw", hidden, block.second.astype(float))


def _block(x: Array, block: layers.Block) -> Array:
    if isinstance(block, layers.Attention):
        return _attention(x, block)
    if isinstance(block, layers.FeedForward):
        return _feed_forward(x, block)
    normed = _activate(_batch_norm(x, block.pre_norm), block.pre_activation)
    if isinstance(block, layers.Bottleneck):
        inner = _convolve(normed, block.pre_conv)
        for each in block.blocks:
            inner = _block(inner, each)
        inner = _activate(_batch_norm(inner, block.post_norm), block.post_activation)
        return x + _convolve(inner, block.post_conv)
    mid = _convolve(normed, block.conv)
    if isinstance(block, layers.GlobalPooling):
        pooled = _batch_norm(_convolve(normed, block.pool_conv), block.pool_norm)
        pooled = _pool(_activate(pooled, block.pool_activation))
        mid = mid + (pooled @ block.pool_to_bias.astype(float))[:, :, None, None]
    else:
        assert isinstance(block, layers.Residual)
    mid = _activate(_batch_norm(mid, block.mid_norm), block.mid_activation)
    return x + _convolve(mid, block.final_conv)


def forward(model: layers.NetworkModel, spatial: Array, numbers: Array) -> dict[str, Array]:
    """All outputs of a network: policy, value, score, trunk and ownership."""
    trunk, policy, value = model.trunk, model.policy, model.value
    x = _convolve(spatial.astype(float), trunk.conv)
    x = x + (numbers @ trunk.from_globals.astype(float))[:, :, None, None]
    for block in trunk.blocks:
        x = _block(x, block)
    x = _activate(_norm(x, trunk.norm), trunk.activation)

    pooled = _batch_norm(_convolve(x, policy.pool_conv), policy.pool_norm)
    pooled = _pool(_activate(pooled, policy.pool_activation))
    moves = _convolve(x, policy.conv)
    moves = moves + (pooled @ policy.pool_to_bias.astype(float))[:, :, None, None]
    moves = _convolve(
        _activate(_batch_norm(moves, policy.norm), policy.activation), policy.final_conv
    )
    passing = pooled @ policy.pool_to_pass.astype(float)
    if policy.pass_second is not None:
        assert policy.pass_bias is not None
        passing = _activate(passing + policy.pass_bias, policy.pass_activation)
        passing = passing @ policy.pass_second.astype(float)

    v = _activate(_batch_norm(_convolve(x, value.conv), value.norm), value.activation)
    mean, wide = v.mean(axis=(2, 3)), math.sqrt(v.shape[2] * v.shape[3]) - 14.0
    pooled = np.concatenate([mean, mean * wide * 0.1, mean * (wide**2 * 0.01 - 0.1)], axis=1)
    hidden = _activate(
        pooled @ value.first.astype(float) + value.first_bias, value.first_activation
    )
    return {
        "policy": np.concatenate([moves[:, 0].reshape(len(x), -1), passing[:, :1]], axis=1),
        "value": hidden @ value.value.astype(float) + value.value_bias,
        "score": hidden @ value.score.astype(float) + value.score_bias,
        "trunk": x,
        "ownership": _convolve(v, value.ownership)[:, 0],
    }
