"""Writes networks with random weights in KataGo's file format, of every version and block.

Equal seeds and shapes give equal bytes, so that what KataGo says of such a network can
be kept as a few numbers (``python -m benchmarks.ask_katago`` asks it again).
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np


@dataclass(frozen=True)
class Nested:
    """A nested bottleneck of these blocks."""

    blocks: tuple[BlockShape, ...]


@dataclass(frozen=True)
class AttentionShape:
    """An attention block; `rope` is none, learnt or fixed."""

    heads: int
    key_heads: int
    key_size: int
    value_size: int
    rope: str = "learnt"


#: "residual", "pooling", "swiglu", or one with settings.
BlockShape: TypeAlias = str | Nested | AttentionShape


@dataclass(frozen=True)
class Shape:
    """What a random network looks like."""

    version: int
    blocks: tuple[BlockShape, ...] = ("residual", "pooling")
    channels: int = 16
    activation: str = "RELU"
    trunk_norm: str = "batch"
    policies: int | None = None
    filter: tuple[int, int] = (3, 3)
    dilation: tuple[int, int] = (1, 1)
    metadata: bool = False
    suicide: bool = False
    text: bool = False


_NESTED = Nested(("residual", "pooling", "residual"))
_TRANSFORMER = (AttentionShape(4, 2, 8, 6), "swiglu")
_FIXED = (AttentionShape(2, 2, 12, 4, "fixed"), "swiglu", "residual")
_MIXED = (
    Nested((AttentionShape(3, 1, 5, 7, "none"), "swiglu", "pooling")),
    Nested((Nested(("residual",)),)),
)

#: One of each version, with every kind of block, activation and normalisation among them.
ALL_SHAPES = {
    "v8": Shape(8, filter=(5, 5)),
    "v9": Shape(9),
    "v10": Shape(10, blocks=("pooling", "residual", "pooling")),
    "v11-mish": Shape(11, activation="MISH"),
    "v12-nested": Shape(12, blocks=(_NESTED, _NESTED), activation="MISH"),
    "v13-identity": Shape(13, activation="IDENTITY"),
    "v14-nested": Shape(14, blocks=(_NESTED, "pooling", "residual"), activation="MISH"),
    "v15-rms": Shape(15, blocks=(_NESTED,), activation="MISH", trunk_norm="rms"),
    "v16-silu": Shape(16, blocks=("residual", _NESTED), activation="SILU", trunk_norm="spatial"),
    "v17-transformer": Shape(17, blocks=_TRANSFORMER * 2, activation="SILU", trunk_norm="rms"),
    "v17-fixed": Shape(17, blocks=_FIXED, activation="MISH", trunk_norm="spatial", policies=4,
                       suicide=True),
    "v17-mixed": Shape(17, blocks=_MIXED, activation="MISH"),
}  # fmt: skip


class _Writer:
    """The words and arrays of a file, one after the other."""

    def __init__(self, shape: Shape, seed: int) -> None:
        self.shape = shape
        self.generator = np.random.default_rng([seed, 20260101])
        self.parts: list[bytes] = []

    def words(self, *values: object) -> None:
        self.parts += [f"{value}\n".encode() for value in values]

    def array(self, values: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> None:
        if self.shape.text:
            self.parts.append(" ".join(f"{value:.9g}" for value in values.ravel()).encode())
        else:
            self.parts.append(b"@BIN@" + values.astype("<f4").tobytes())
        self.parts.append(b"\n")

    def normal(self, deviation: float, *shape: int) -> None:
        self.array(self.generator.normal(0.0, deviation, shape).astype(np.float32))

    def convolution(
        self, name: str, side: tuple[int, int], inputs: int, outputs: int, gain: float = 1.0
    ) -> None:
        dilation = self.shape.dilation if side != (1, 1) else (1, 1)
        self.words(name, *side, inputs, outputs, *dilation)
        self.normal(gain * (side[0] * side[1] * inputs) ** -0.5, *side, inputs, outputs)

    def batch_norm(self, name: str, channels: int) -> None:
        has_scale = int(self.generator.integers(0, 2))
        self.words(name, channels, "0.001", has_scale, 1)
        self.normal(0.3, channels)
        self.array(self.generator.uniform(0.5, 1.5, channels).astype(np.float32))
        if has_scale:
            self.array(self.generator.uniform(-0.3, 1.3, channels).astype(np.float32))
        self.normal(0.3, channels)

    def scales(self, name: str, channels: int, *settings: object) -> None:
        self.words(name, channels, "1e-06", *settings)
        self.array(self.generator.uniform(0.5, 1.5, channels).astype(np.float32))

    def activation(self, name: str, kind: str | None = None) -> None:
        self.words(name)
        if self.shape.version >= 11:
            self.words(f"ACTIVATION_{kind or self.shape.activation}")

    def normed(self, name: str, channels: int) -> None:
        self.batch_norm(f"{name}-norm", channels)
        self.activation(f"{name}-act")

    def linear(self, name: str, inputs: int, outputs: int, deviation: float = 1.0) -> None:
        self.words(name, inputs, outputs)
        self.normal(deviation * inputs**-0.5, inputs, outputs)

    def bias(self, name: str, channels: int) -> None:
        self.words(name, channels)
        self.normal(0.3, channels)

    def block(self, name: str, block: BlockShape, channels: int) -> None:
        side = self.shape.filter
        if isinstance(block, Nested):
            inner = max(1, channels // 2)
            self.words("nested_bottleneck_block", name, len(block.blocks))
            self.normed(f"{name}/pre", channels)
            self.convolution(f"{name}/down", (1, 1), channels, inner)
            for number, each in enumerate(block.blocks):
                self.block(f"{name}/{number}", each, inner)
            self.normed(f"{name}/post", inner)
            self.convolution(f"{name}/up", (1, 1), inner, channels)
        elif isinstance(block, AttentionShape):
            self.attention(name, block, channels)
        elif block == "swiglu":
            self.words("transformer_ffn_block", name, channels, 2 * channels, 1)
            self.scales(f"{name}/norm", channels)
            for part in ("first", "gate"):
                self.linear(f"{name}/{part}", channels, 2 * channels)
            self.linear(f"{name}/second", 2 * channels, channels)
        else:
            pools = block == "pooling"
            regular, pooled = channels - channels // 4 * pools, channels // 2
            self.words("gpool_block" if pools else "ordinary_block", name)
            self.normed(f"{name}/pre", channels)
            self.convolution(f"{name}/conv", side, channels, regular)
            if pools:
                self.convolution(f"{name}/pool-conv", side, channels, pooled)
                self.normed(f"{name}/pool", pooled)
                self.linear(f"{name}/pool-linear", 3 * pooled, regular)
            self.normed(f"{name}/mid", regular)
            self.convolution(f"{name}/final", side, regular, channels)

    def attention(self, name: str, block: AttentionShape, channels: int) -> None:
        turns, learnt = block.rope != "none", block.rope == "learnt"
        self.words("transformer_attention_block", name, block.heads, block.key_heads)
        self.words(block.key_size, block.value_size, int(turns), int(learnt))
        self.scales(f"{name}/norm", channels)
        self.linear(f"{name}/q", channels, block.heads * block.key_size, 2.0)
        self.linear(f"{name}/k", channels, block.key_heads * block.key_size, 2.0)
        self.linear(f"{name}/v", channels, block.key_heads * block.value_size)
        self.linear(f"{name}/out", block.heads * block.value_size, channels)
        if learnt:
            self.words(f"{name}/rope", block.key_heads, block.key_size // 2, 2)
            self.normal(0.5, block.key_heads, block.key_size // 2, 2)
        elif turns:
            self.words(f"{name}/rope", "50.0")

    def trunk(self) -> None:
        shape, channels = self.shape, self.shape.channels
        self.words("trunk", len(shape.blocks), channels, channels, channels, channels, channels)
        if shape.version >= 15:
            self.words(0 if shape.trunk_norm == "batch" else 1, 0, 0, 0, 0, 0)
        self.convolution("conv1", (5, 5), 22, channels, gain=3.0)
        self.linear("ginputw", 19, channels)
        for number, block in enumerate(shape.blocks):
            self.block(f"block{number}", block, channels)
        if shape.trunk_norm == "batch":
            self.batch_norm("trunk-norm", channels)
        else:
            self.scales("trunk-norm", channels, int(shape.trunk_norm == "spatial"), 0)
            self.normal(0.3, channels)
        self.activation("trunk-act")

    def policy(self) -> None:
        version, channels = self.shape.version, self.shape.channels
        policies = 1 if version < 12 else 4 if version == 16 else self.shape.policies or 2
        self.words("policyhead")
        if version >= 17:
            self.words(policies, 0, 0, 0)
        hidden, pooled = 8, 6
        self.convolution("p1", (1, 1), channels, hidden)
        self.convolution("g1", (1, 1), channels, pooled)
        self.normed("g1", pooled)
        self.linear("g1-linear", 3 * pooled, hidden)
        self.normed("p1", hidden)
        self.convolution("p2", (1, 1), hidden, policies, gain=3.0)
        self.linear("pass", 3 * pooled, policies if version < 15 else hidden)
        if version >= 15:
            self.bias("pass-bias", hidden)
            self.activation("pass-act")
            self.linear("pass2", hidden, policies)

    def value(self) -> None:
        version, hidden, wide = self.shape.version, 8, 12
        self.words("valuehead")
        if version >= 17:
            self.words(0, 0, 0)
        scores = 4 if version < 9 else 6
        self.convolution("v1", (1, 1), self.shape.channels, hidden)
        self.normed("v1", hidden)
        self.linear("v2", 3 * hidden, wide)
        self.bias("v2-bias", wide)
        self.activation("v2-act")
        self.linear("v3", wide, 3)
        self.bias("v3-bias", 3)
        self.linear("sv3", wide, scores)
        self.bias("sv3-bias", scores)
        self.convolution("ownership", (1, 1), hidden, 1)


def network_bytes(shape: Shape, seed: int = 1) -> bytes:
    """The file, not compressed."""
    writer = _Writer(shape, seed)
    writer.words(f"random-{shape.version}-{seed}", shape.version, 22, 19)
    if shape.version >= 13:
        writer.words("19.0", "21.0", "18.0", "22.0", "41.0", "0.3", "140.0")
    if shape.version >= 15:
        writer.words(int(shape.metadata), int(shape.suicide), 0, 0, 0, 0, 0, 0)
    writer.trunk()
    writer.policy()
    writer.value()
    return b"".join(writer.parts)


def write_network(path: Path, shape: Shape, seed: int = 1) -> Path:
    """Write the file, compressed if its name ends with ``.gz``."""
    data = network_bytes(shape, seed)
    path.write_bytes(gzip.compress(data, 1, mtime=0) if path.suffix == ".gz" else data)
    return path
