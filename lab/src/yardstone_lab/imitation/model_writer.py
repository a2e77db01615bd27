"""Writes network files that KataGo and `yardstone.go.nets.model_file` read, of version 8.

Version 8 has residual blocks, some of them with global pooling, and ReLU throughout. A
normalisation is written with a mean of 0 and a variance of 1: what it does is in its
scale and bias.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

from yardstone.errors import UsageError
from yardstone.files import replaced
from yardstone.go.nets.layers import (
    Activation,
    BatchNorm,
    Block,
    Convolution,
    GlobalPooling,
    NetworkModel,
    PolicyHead,
    Residual,
    Trunk,
    ValueHead,
)
from yardstone.go.nets.model_file import GLOBAL, SPATIAL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["VERSION", "model_bytes", "write_model"]

#: The model version that is written.
VERSION = 8


def write_model(path: Path, model: NetworkModel) -> None:
    """Write a network, compressed as ``.bin.gz``; whole or not at all.

    Raises
    ------
    UsageError
        It has what version 8 does not know.
    """
    data = gzip.compress(model_bytes(model), 9, mtime=0)
    with replaced(path) as temporary:
        temporary.write_bytes(data)


def model_bytes(model: NetworkModel) -> bytes:
    """The file, not compressed; see `write_model`."""
    if model.version != VERSION:
        raise UsageError(f"a network of version {model.version} cannot be written, only {VERSION}")
    writer = _Writer()
    writer.words(model.name, model.version, SPATIAL, GLOBAL)
    writer.trunk(model.trunk)
    writer.policy(model.policy)
    writer.value(model.value)
    return b"".join(writer.parts)


class _Writer:
    """The words and arrays of a file, one after the other."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def words(self, *values: object) -> None:
        self.parts += [f"{value}\n".encode() for value in values]

    def array(self, values: NDArray[np.float32]) -> None:
        self.parts.append(b"@BIN@" + values.astype("<f4").tobytes() + b"\n")

    def convolution(self, conv: Convolution) -> None:
        height, width = conv.weights.shape[2:]
        self.words(conv.name, height, width, conv.inputs, conv.outputs, *conv.dilation)
        self.array(conv.weights.transpose(2, 3, 1, 0))

    def norm(self, norm: BatchNorm) -> None:
        self.words(norm.name, norm.channels, "1e-20", 1, 1)
        self.array(0.0 * norm.scale)
        self.array(0.0 * norm.scale + 1.0)
        self.array(norm.scale)
        self.array(norm.bias)

    def activation(self, name: str, kind: Activation) -> None:
        if kind is not Activation.relu:
            raise UsageError(f"{name}: version {VERSION} knows no {kind}")
        self.words(name)

    def linear(self, name: str, weights: NDArray[np.float32]) -> None:
        self.words(name, *weights.shape)
        self.array(weights)

    def bias(self, name: str, bias: NDArray[np.float32]) -> None:
        self.words(name, len(bias))
        self.array(bias)

    def trunk(self, trunk: Trunk) -> None:
        if trunk.metadata is not None or not isinstance(trunk.norm, BatchNorm):
            raise UsageError(f"{trunk.name}: more than version {VERSION} knows")
        widths = [trunk.channels] * 5
        self.words(trunk.name, len(trunk.blocks), *widths)
        self.convolution(trunk.conv)
        self.linear("globals", trunk.from_globals)
        for block in trunk.blocks:
            self.block(block)
        self.norm(trunk.norm)
        self.activation("trunk-activation", trunk.activation)

    def block(self, block: Block) -> None:
        if not isinstance(block, Residual | GlobalPooling):
            raise UsageError(f"{block.name}: version {VERSION} knows no such block")
        pooled = isinstance(block, GlobalPooling)
        self.words("gpool_block" if pooled else "ordinary_block", block.name)
        self.norm(block.pre_norm)
        self.activation(f"{block.name}-first", block.pre_activation)
        self.convolution(block.conv)
        if isinstance(block, GlobalPooling):
            self.convolution(block.pool_conv)
            self.norm(block.pool_norm)
            self.activation(f"{block.name}-pooled", block.pool_activation)
            self.linear(f"{block.name}-bias", block.pool_to_bias)
        self.norm(block.mid_norm)
        self.activation(f"{block.name}-second", block.mid_activation)
        self.convolution(block.final_conv)

    def policy(self, head: PolicyHead) -> None:
        self.words(head.name)
        self.convolution(head.conv)
        self.convolution(head.pool_conv)
        self.norm(head.pool_norm)
        self.activation("policy-pooled", head.pool_activation)
        self.linear("policy-bias", head.pool_to_bias)
        self.norm(head.norm)
        self.activation("policy-activation", head.activation)
        self.convolution(head.final_conv)
        self.linear("policy-pass", head.pool_to_pass)

    def value(self, head: ValueHead) -> None:
        self.words(head.name)
        self.convolution(head.conv)
        self.norm(head.norm)
        self.activation("value-activation", head.activation)
        self.linear("value-first", head.first)
        self.bias("value-first-bias", head.first_bias)
        self.activation("value-first-activation", head.first_activation)
        self.linear("value-result", head.value)
        self.bias("value-result-bias", head.value_bias)
        self.linear("value-score", head.score)
        self.bias("value-score-bias", head.score_bias)
        self.convolution(head.ownership)
