"""Turns a network into an ONNX graph for one size of board.

Inputs are ``spatial`` [n, 22, size, size] and ``globals`` [n, 19]; outputs are

``policy`` [n, size² + 1]
    Logits of the first policy for every point, row by row, and for passing.
``value`` [n, 3]
    Logits of win, loss and no result for the side to move.
``score`` [n, 4] or [n, 6]
    Before scaling: mean, deviation, lead, variance of the time left and, from version 9
    on, short-term errors of value and score.
``trunk`` [n, channels, size, size]
    After the trunk's last normalisation and activation.
``ownership`` [n, size, size]
    Before the hyperbolic tangent; positive for the side to move.

A graph is for one size of board, and all boards of a batch fill it: so no mask is
needed, what depends on the size is constant, and pooled means fold into one matrix. The
number of positions in a batch is open.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import InputError, UsageError
from yardstone.go.nets._attention import add_attention, add_feed_forward, add_rms_norm
from yardstone.go.nets._graph import OnnxGraph
from yardstone.go.nets._planes import ChannelPlanes, PointPlanes
from yardstone.go.nets.layers import (
    Attention,
    BatchNorm,
    Block,
    Bottleneck,
    Convolution,
    FeedForward,
    GlobalPooling,
    NetworkModel,
    PolicyHead,
    Residual,
    RmsNorm,
    ValueHead,
)
from yardstone.go.nets.model_file import GLOBAL, SPATIAL

if TYPE_CHECKING:
    from onnx import ModelProto

__all__ = ["OUTPUTS", "SIZES", "build_heads", "build_network", "build_trunk"]

#: Sizes of board that the networks know.
SIZES = range(2, 20)

#: Names of all outputs.
OUTPUTS = ("policy", "value", "score", "trunk", "ownership")


def build_network(
    model: NetworkModel,
    size: int,
    outputs: Collection[str] = OUTPUTS,
    *,
    mish: bool = True,
    by_points: bool = False,
) -> ModelProto:
    """Build the graph of a whole network.

    Parameters
    ----------
    model : NetworkModel
        The network.
    size : int
        Size of the board, 2 to 19.
    outputs : collection of str
        Which outputs it has.
    mish : bool
        Whether the operator Mish may be used; else it is spelt out.
    by_points : bool
        Spell convolutions out as products of matrices, which processors compute in less time,
        and graphics cards in more.
    """
    graph, builder = _begin(model, size, mish, by_points)
    trunk = builder.trunk(model)
    builder.outputs(model, trunk, outputs)
    return graph.finish()


def build_trunk(model: NetworkModel, size: int, *, mish: bool = True) -> ModelProto:
    """Build the graph of the trunk alone: its one output is ``trunk``."""
    graph, builder = _begin(model, size, mish)
    builder.outputs(model, builder.trunk(model), ("trunk",))
    return graph.finish()


def build_heads(
    model: NetworkModel, size: int, outputs: Collection[str], *, mish: bool = True
) -> ModelProto:
    """Build the graph of the heads, whose input is ``trunk``."""
    graph, builder = _begin(model, size, mish)
    trunk = builder.planes.begin(graph.input("trunk", ("n", model.trunk.channels, size, size)))
    builder.outputs(model, trunk, [name for name in outputs if name != "trunk"])
    return graph.finish()


def _begin(
    model: NetworkModel, size: int, mish: bool, by_points: bool = False
) -> tuple[OnnxGraph, _Builder]:
    if size not in SIZES:
        raise UsageError(f"boards of size {size} are not supported: 2 to 19 are")
    if model.trunk.metadata is not None:
        raise InputError(
            f"{model.name} wants to know the players' ranks with every position",
            hint="take a network that is not made to imitate people",
        )
    graph = OnnxGraph(model.name, mish=mish)
    planes = PointPlanes(graph, size) if by_points else ChannelPlanes(graph, size)
    return graph, _Builder(graph, size, planes)


def _is_sequence(block: Block) -> bool:
    """Whether a block works on [n, points, channels]."""
    return isinstance(block, Attention | FeedForward)


class _Builder:
    """Adds the parts of a network to a graph."""

    def __init__(self, graph: OnnxGraph, size: int, planes: ChannelPlanes | PointPlanes) -> None:
        self.graph = graph
        self.size = size
        self.planes = planes
        #: How KataGo centres and scales the size of a board.
        self.width = (size - 14.0) * 0.1

    def trunk(self, model: NetworkModel) -> str:
        """From the inputs to the trunk's last activation."""
        graph, trunk = self.graph, model.trunk
        spatial = graph.input("spatial", ("n", SPATIAL, self.size, self.size))
        numbers = graph.input("globals", ("n", GLOBAL))
        value = graph.add(
            "Add",
            self.planes.begin(graph.convolution(spatial, trunk.conv)),
            self.planes.per_channel(graph.linear(numbers, trunk.from_globals)),
        )
        value, flat = self._blocks(value, trunk.blocks, trunk.channels)
        if isinstance(trunk.norm, RmsNorm):
            value = value if flat else self.planes.flat(value, trunk.channels)
            value = add_rms_norm(graph, value, trunk.norm)
            value = self.planes.square(graph.activation(value, trunk.activation), trunk.channels)
            return value
        value = self.planes.square(value, trunk.channels) if flat else value
        return graph.activation(self.planes.batch_norm(value, trunk.norm), trunk.activation)

    def outputs(self, model: NetworkModel, trunk: str, outputs: Collection[str]) -> None:
        """The heads, as far as their outputs are wanted."""
        unknown = set(outputs) - set(OUTPUTS)
        if unknown:
            raise UsageError(f"there is no output {min(unknown)!r}: {', '.join(OUTPUTS)}")
        size, graph = self.size, self.graph
        if "policy" in outputs:
            graph.output("policy", self._policy(model.policy, trunk), ("n", size * size + 1))
        if not {"value", "score", "ownership"}.isdisjoint(outputs):
            self._value(model.value, trunk, outputs)
        if "trunk" in outputs:
            whole = self.planes.finish(trunk)
            graph.output("trunk", whole, ("n", model.trunk.channels, size, size))

    def _blocks(self, value: str, blocks: tuple[Block, ...], channels: int) -> tuple[str, bool]:
        """All blocks, and whether their output is [n, points, channels]."""
        flat = False
        for block in blocks:
            if _is_sequence(block) != flat:
                value = (
                    self.planes.square(value, channels)
                    if flat
                    else self.planes.flat(value, channels)
                )
                flat = not flat
            value = self._block(value, block)
        return value, flat

    def _block(self, value: str, block: Block) -> str:
        graph = self.graph
        if isinstance(block, Attention):
            return add_attention(graph, value, block, self.size)
        if isinstance(block, FeedForward):
            return add_feed_forward(graph, value, block)
        normed = graph.activation(
            self.planes.batch_norm(value, block.pre_norm), block.pre_activation
        )
        if isinstance(block, Residual):
            mid = self.planes.convolution(normed, block.conv, block.mid_norm)
            inner = graph.activation(mid, block.mid_activation)
            return graph.add("Add", value, self.planes.convolution(inner, block.final_conv))
        if isinstance(block, GlobalPooling):
            mid = graph.add(
                "Add",
                self.planes.convolution(normed, block.conv, block.mid_norm, bias=False),
                self._pooled_bias(self._pool(normed, block), block.pool_to_bias, block.mid_norm),
            )
            inner = graph.activation(mid, block.mid_activation)
            return graph.add("Add", value, self.planes.convolution(inner, block.final_conv))
        return graph.add("Add", value, self._bottleneck(normed, block))

    def _bottleneck(self, normed: str, block: Bottleneck) -> str:
        graph, channels = self.graph, block.pre_conv.outputs
        inner, flat = self._blocks(
            self.planes.convolution(normed, block.pre_conv), block.blocks, channels
        )
        inner = self.planes.square(inner, channels) if flat else inner
        normed = graph.activation(
            self.planes.batch_norm(inner, block.post_norm), block.post_activation
        )
        return self.planes.convolution(normed, block.post_conv)

    def _pool(self, value: str, block: GlobalPooling | PolicyHead) -> str:
        """Mean and maximum of each pooled channel: [n, 2 × channels]."""
        graph = self.graph
        convolved = self.planes.convolution(value, block.pool_conv, block.pool_norm)
        value = graph.activation(convolved, block.pool_activation)
        return graph.add("Concat", self.planes.mean(value), self.planes.largest(value), axis=1)

    def _pooled_weights(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """For mean and maximum alone: the mean scaled by the size is a multiple of the mean."""
        plain, scaled, most = np.split(weights.astype(np.float64), 3)
        return np.concatenate([plain + self.width * scaled, most]).astype(np.float32)

    def _pooled_bias(self, pooled: str, weights: NDArray[np.float32], norm: BatchNorm) -> str:
        """What pooled channels add to each channel, before and with its normalisation."""
        merged = self._pooled_weights(weights) * norm.scale
        return self.planes.per_channel(self.graph.linear(pooled, merged, norm.bias))

    def _policy(self, head: PolicyHead, trunk: str) -> str:
        graph = self.graph
        pooled = self._pool(trunk, head)
        value = graph.add(
            "Add",
            self.planes.convolution(trunk, head.conv, head.norm, bias=False),
            self._pooled_bias(pooled, head.pool_to_bias, head.norm),
        )
        first = Convolution(head.final_conv.name, head.final_conv.weights[:1])
        moves = self.planes.convolution(graph.activation(value, head.activation), first)
        passing = self._passing(head, pooled)
        return graph.add("Concat", self._of_points(moves), passing, axis=1)

    def _of_points(self, value: str) -> str:
        """From planes of one channel to [n, points]."""
        return self.graph.reshape(self.planes.finish(value), 0, self.size * self.size)

    def _passing(self, head: PolicyHead, pooled: str) -> str:
        weights = self._pooled_weights(head.pool_to_pass)
        if head.pass_second is None:
            return self.graph.linear(pooled, weights[:, :1])
        hidden = self.graph.linear(pooled, weights, head.pass_bias)
        active = self.graph.activation(hidden, head.pass_activation)
        return self.graph.linear(active, head.pass_second[:, :1])

    def _value(self, head: ValueHead, trunk: str, outputs: Collection[str]) -> None:
        graph = self.graph
        value = graph.activation(
            self.planes.convolution(trunk, head.conv, head.norm), head.activation
        )
        mean = self.planes.mean(value)
        plain, scaled, squared = np.split(head.first.astype(np.float64), 3)
        weights = plain + self.width * scaled + (self.width**2 - 0.1) * squared
        hidden = graph.activation(
            graph.linear(mean, weights.astype(np.float32), head.first_bias), head.first_activation
        )
        if "value" in outputs:
            graph.output("value", graph.linear(hidden, head.value, head.value_bias), ("n", 3))
        if "score" in outputs:
            scores = head.score.shape[1]
            graph.output("score", graph.linear(hidden, head.score, head.score_bias), ("n", scores))
        if "ownership" in outputs:
            owned = self.planes.convolution(value, head.ownership)
            shaped = graph.reshape(self._of_points(owned), 0, self.size, self.size)
            graph.output("ownership", shaped, ("n", self.size, self.size))
