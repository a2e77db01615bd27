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

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

from yardstone.arrays import Floats, Floats32
from yardstone.errors import UsageError
from yardstone.go.nets.layers import (
    Activation,
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
    Rope,
    ValueHead,
)
from yardstone.go.nets.model_file import GLOBAL, SPATIAL
from yardstone.go.points import check_size

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

    Args:
        model: The network.
        size: Size of the board, 2 to 19.
        outputs: Which outputs it has.
        mish: Whether the operator Mish may be used; else it is spelt out.
        by_points: Spell convolutions out as products of matrices, which processors compute in less
            time, and graphics cards in more.
    """
    graph, builder = _begin(model, check_size(size), mish, by_points)
    builder.outputs(model, builder.trunk(model), outputs)
    return graph.finish()


def build_heads(model: NetworkModel, size: int, outputs: Collection[str]) -> ModelProto:
    """Build the graph of the heads, whose input is ``trunk``."""
    graph, builder = _begin(model, size, mish=True)
    trunk = builder.planes.begin(graph.input("trunk", ("n", model.trunk.channels, size, size)))
    builder.outputs(model, trunk, [name for name in outputs if name != "trunk"])
    return graph.finish()


def _begin(
    model: NetworkModel, size: int, mish: bool, by_points: bool = False
) -> tuple[OnnxGraph, _Builder]:
    graph = OnnxGraph(model.name, mish=mish)
    planes = (PointPlanes if by_points else ChannelPlanes)(graph, size)
    return graph, _Builder(graph, size, planes)


#: Blocks that work on [n, points, channels].
_FLAT = (Attention, FeedForward)


class _Builder:
    """Adds the parts of a network to a graph."""

    def __init__(self, graph: OnnxGraph, size: int, planes: ChannelPlanes) -> None:
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
        wanted = isinstance(trunk.norm, RmsNorm)
        value = self._blocks(value, trunk.blocks, trunk.channels, flat=wanted)
        if isinstance(trunk.norm, RmsNorm):
            normed = add_rms_norm(graph, value, trunk.norm)
            return self.planes.square(graph.activation(normed, trunk.activation), trunk.channels)
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

    def _blocks(
        self, value: str, blocks: tuple[Block, ...], channels: int, *, flat: bool = False
    ) -> str:
        """All blocks; their output is planes, or `flat`: [n, points, channels]."""
        is_flat = False
        for block in (*blocks, None):
            if (wanted := flat if block is None else isinstance(block, _FLAT)) != is_flat:
                change = self.planes.flat if wanted else self.planes.square
                value, is_flat = change(value, channels), wanted
            value = value if block is None else self._block(value, block)
        return value

    def _block(self, value: str, block: Block) -> str:
        graph = self.graph
        if isinstance(block, Attention):
            return add_attention(graph, value, block, self.size)
        if isinstance(block, FeedForward):
            return add_feed_forward(graph, value, block)
        normed = graph.activation(
            self.planes.batch_norm(value, block.pre_norm), block.pre_activation
        )
        if isinstance(block, Bottleneck):
            return graph.add("Add", value, self._bottleneck(normed, block))
        if isinstance(block, Residual):
            mid = self.planes.convolution(normed, block.conv, block.mid_norm)
        else:
            mid = graph.add(
                "Add",
                self.planes.convolution(normed, block.conv, block.mid_norm, bias=False),
                self._pooled_bias(self._pool(normed, block), block.pool_to_bias, block.mid_norm),
            )
        inner = graph.activation(mid, block.mid_activation)
        return graph.add("Add", value, self.planes.convolution(inner, block.final_conv))

    def _bottleneck(self, normed: str, block: Bottleneck) -> str:
        graph, channels = self.graph, block.pre_conv.outputs
        inner = self._blocks(
            self.planes.convolution(normed, block.pre_conv), block.blocks, channels
        )
        normed = graph.activation(
            self.planes.batch_norm(inner, block.post_norm), block.post_activation
        )
        return self.planes.convolution(normed, block.post_conv)

    def _pool(self, value: str, block: GlobalPooling | PolicyHead) -> str:
        """Mean and maximum of each pooled channel: [n, 2 × channels]."""
        graph = self.graph
        convolved = self.planes.convolution(value, block.pool_conv, block.pool_norm)
        value = graph.activation(convolved, block.pool_activation)
        parts = self.planes.pooled(value, "Mean"), self.planes.pooled(value, "Max")
        return graph.add("Concat", *parts, axis=1)

    def _pooled_weights(self, weights: Floats32) -> Floats32:
        """For mean and maximum alone: the mean scaled by the size is a multiple of the mean."""
        plain, scaled, most = np.split(weights.astype(np.float64), 3)
        return np.concatenate([plain + self.width * scaled, most]).astype(np.float32)

    def _pooled_bias(self, pooled: str, weights: Floats32, norm: BatchNorm) -> str:
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
        mean = self.planes.pooled(value, "Mean")
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


def add_rms_norm(graph: OnnxGraph, value: str, norm: RmsNorm) -> str:
    """Normalise by the root of the mean square, of each point or of all points."""
    axes = graph.constant(np.array([1, 2] if norm.spatial else [-1], np.int64))
    square = graph.add("Mul", value, value)
    mean = graph.add("ReduceMean", square, axes, keepdims=1)
    root = graph.add("Sqrt", graph.add("Add", mean, graph.constant(np.float32(norm.epsilon))))
    scaled = graph.add("Mul", graph.add("Div", value, root), graph.constant(norm.scale))
    return scaled if norm.bias is None else graph.add("Add", scaled, graph.constant(norm.bias))


def rope_angles(rope: Rope, key_heads: int, pairs: int, size: int) -> Floats:
    """By how much each pair of channels turns at each point: [heads of keys, points, pairs]."""
    rows, columns = (each.ravel() for each in np.mgrid[:size, :size])
    if rope.frequencies is not None:
        by_place = rope.frequencies.astype(np.float64)[:, None]
        angles: Floats = columns[:, None] * by_place[..., 0] + rows[:, None] * by_place[..., 1]
        return angles
    half = pairs // 2
    place = np.arange(pairs)
    by_row = place < half
    frequency = rope.theta ** (-2.0 * np.where(by_row, place, place - half) / pairs)
    turned = np.where(by_row, rows[:, None], columns[:, None]) * frequency
    return np.broadcast_to(turned, (key_heads, *turned.shape))


def _halves(weights: Floats32, heads: int) -> Floats32:
    """First members of all pairs before second members, within each head of queries or keys."""
    order = np.arange(weights.shape[1]).reshape(heads, -1, 2).transpose(0, 2, 1).ravel()
    return weights[:, order]


def _turn(graph: OnnxGraph, value: str, angles: Floats) -> str:
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

    def heads(weights: Floats32, number: int) -> str:
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


#: Operators of this version of ONNX: the first with Mish.
_OPSET = 18
_FORMAT = 9


class OnnxGraph:
    """A graph under construction; without `mish` that operator is spelt out in others."""

    def __init__(self, name: str, *, mish: bool) -> None:
        self._name = name
        self._mish = mish
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._known: dict[tuple[object, ...], str] = {}
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    def input(self, name: str, shape: Sequence[int | str]) -> str:
        """Declare an input; sides given by name are open."""
        self._inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def output(self, name: str, value: str, shape: Sequence[int | str]) -> None:
        """Declare an output and name it."""
        self._nodes.append(helper.make_node("Identity", [value], [name]))
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def constant(self, values: Any) -> str:
        """A constant; small ones that are equal are kept once."""
        array = np.ascontiguousarray(values)
        if array.dtype.kind == "f":
            array = array.astype(np.float32)
        key = (array.dtype.str, array.shape, array.tobytes()) if array.size <= 16 else None
        if key is not None and key in self._known:
            return self._known[key]
        name = f"w{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(array, name))
        if key is not None:
            self._known[key] = name
        return name

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output and give that output's name."""
        name = f"v{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def split(self, value: str, parts: Sequence[int], axis: int) -> list[str]:
        """Cut a value into parts along an axis."""
        number = len(self._nodes)
        names = [f"v{number}_{part}" for part in range(len(parts))]
        sizes = self.constant(np.array(parts, np.int64))
        self._nodes.append(helper.make_node("Split", [value, sizes], names, axis=axis))
        return names

    def reshape(self, value: str, *shape: int) -> str:
        """Another shape; 0 keeps a side, -1 is what remains."""
        return self.add("Reshape", value, self.constant(np.array(shape, np.int64)))

    def transpose(self, value: str, *order: int) -> str:
        """The axes in another order."""
        return self.add("Transpose", value, perm=list(order))

    def activation(self, value: str, kind: Activation) -> str:
        """Apply an activation."""
        if kind is Activation.relu:
            return self.add("Relu", value)
        if kind is Activation.silu:
            return self.add("Mul", value, self.add("Sigmoid", value))
        if kind is Activation.mish:
            return self.add("Mish", value) if self._mish else self._spelt_mish(value)
        return value

    def _spelt_mish(self, value: str) -> str:
        """x tanh(log(1 + e)), e = exp(x), is x w / (w + 2), w = e (e + 2); from 40 on it is x."""
        two = self.constant(np.float32(2.0))
        power = self.add("Exp", self.add("Min", value, self.constant(np.float32(40.0))))
        wide = self.add("Mul", power, self.add("Add", power, two))
        return self.add("Mul", value, self.add("Div", wide, self.add("Add", wide, two)))

    def convolution(
        self, value: str, conv: Convolution, norm: BatchNorm | None = None, *, bias: bool = True
    ) -> str:
        """A convolution, with a normalisation that follows it put into its weights.

        Without `bias` that of the normalisation is left to the caller.
        """
        weights, sides = conv.weights, conv.weights.shape[2:]
        if norm is not None:
            weights = weights * norm.scale[:, None, None, None]
        parts = [value, self.constant(weights)]
        if norm is not None and bias:
            parts.append(self.constant(norm.bias))
        pads = [step * (side // 2) for step, side in zip(conv.dilation, sides, strict=True)]
        return self.add(
            "Conv", *parts, kernel_shape=list(sides), dilations=list(conv.dilation), pads=2 * pads
        )

    def linear(self, value: str, weights: Floats32, bias: Floats32 | None = None) -> str:
        """A linear layer of a matrix [n, in]."""
        parts = [value, self.constant(weights)]
        if bias is not None:
            parts.append(self.constant(bias))
        return self.add("Gemm", *parts)

    def finish(self) -> ModelProto:
        """The whole model."""
        graph = helper.make_graph(
            self._nodes, self._name, self._inputs, self._outputs, self._constants
        )
        return helper.make_model(
            graph,
            producer_name="yardstone",
            ir_version=_FORMAT,
            opset_imports=[helper.make_opsetid("", _OPSET)],
        )


#: Outputs of a tile in one direction, and the inputs that they depend on.
_OUTPUTS, _INPUTS = 4, 6
#: From six inputs to six products, from three weights, and from the products to four outputs:
#: at the places 0, 1, -1, 2, -2 and infinity.
_FROM_INPUTS = np.array(
    [
        [4, 0, -5, 0, 1, 0],
        [0, -4, -4, 1, 1, 0],
        [0, 4, -4, -1, 1, 0],
        [0, -2, -1, 2, 1, 0],
        [0, 2, -1, -2, 1, 0],
        [0, 4, 0, -5, 0, 1],
    ],
    np.float64,
)
_FROM_WEIGHTS = (
    np.array([[6, 0, 0], [-4, -4, -4], [-4, 4, -4], [1, 2, 4], [1, -2, 4], [0, 0, 24]], np.float64)
    / 24.0
)
_TO_OUTPUTS = np.array(
    [[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]],
    np.float64,
)


class ChannelPlanes:
    """Planes [n, channels, size, size] in a graph."""

    def __init__(self, graph: OnnxGraph, size: int) -> None:
        self.graph = graph
        self.size = size

    def begin(self, value: str) -> str:
        """From [n, channels, size, size]."""
        return value

    def finish(self, value: str) -> str:
        """To [n, channels, size, size]."""
        return value

    def per_channel(self, value: str) -> str:
        """From [n, channels] to what can be added to planes."""
        return self.graph.reshape(value, 0, -1, 1, 1)

    def convolution(
        self, value: str, conv: Convolution, norm: BatchNorm | None = None, *, bias: bool = True
    ) -> str:
        """As `OnnxGraph.convolution`."""
        return self.graph.convolution(value, conv, norm, bias=bias)

    def batch_norm(self, value: str, norm: BatchNorm) -> str:
        """Scale and bias of each channel."""
        nothing = np.zeros(norm.channels, np.float32)
        parts = map(self.graph.constant, (norm.scale, norm.bias, nothing, nothing + 1))
        return self.graph.add("BatchNormalization", value, *parts, epsilon=0.0)

    def pooled(self, value: str, kind: str) -> str:
        """The Mean or Max of each channel: [n, channels]."""
        name = "GlobalAveragePool" if kind == "Mean" else "GlobalMaxPool"
        return self.graph.reshape(self.graph.add(name, value), 0, -1)

    def flat(self, value: str, channels: int) -> str:
        """To [n, points, channels]."""
        flat = self.graph.reshape(value, 0, channels, self.size * self.size)
        return self.graph.transpose(flat, 0, 2, 1)

    def square(self, value: str, channels: int) -> str:
        """From [n, points, channels]."""
        turned = self.graph.transpose(value, 0, 2, 1)
        return self.graph.reshape(turned, 0, channels, self.size, self.size)


class PointPlanes(ChannelPlanes):
    """Planes [size, size, n, channels] in a graph."""

    def __init__(self, graph: OnnxGraph, size: int) -> None:
        super().__init__(graph, size)
        to_products, self._to_outputs = _along_a_side(size)
        self._to_products, self._products = graph.constant(to_products), len(to_products)
        self._transformed: dict[str, str] = {}

    def begin(self, value: str) -> str:
        """From [n, channels, size, size]."""
        return self.graph.transpose(value, 2, 3, 0, 1)

    finish = begin

    def per_channel(self, value: str) -> str:
        """From [n, channels] to what can be added to planes."""
        return value

    def convolution(
        self, value: str, conv: Convolution, norm: BatchNorm | None = None, *, bias: bool = True
    ) -> str:
        """As `OnnxGraph.convolution`."""
        sides = conv.weights.shape[2:]
        if sides not in ((1, 1), (3, 3)) or (sides == (3, 3) and tuple(conv.dilation) != (1, 1)):
            return self.begin(self.graph.convolution(self.finish(value), conv, norm, bias=bias))
        weights = conv.weights.astype(np.float64)
        if norm is not None:
            weights = weights * norm.scale[:, None, None, None]
        if sides == (1, 1):
            product = self.graph.add("MatMul", value, self.graph.constant(weights[:, :, 0, 0].T))
        else:
            product = self._by_products(value, weights)
        if norm is None or not bias:
            return product
        return self.graph.add("Add", product, self.graph.constant(norm.bias))

    def _by_products(self, value: str, weights: Floats) -> str:
        """A convolution of 3 x 3 points: to products, one matrix for each, to outputs."""
        graph, products, tiles = self.graph, self._products, self._products // _INPUTS
        outputs, inputs = weights.shape[:2]
        if value not in self._transformed:
            rows = graph.add("MatMul", self._to_products, graph.reshape(value, self.size, -1))
            both = graph.add(
                "MatMul", self._to_products, graph.reshape(rows, products, self.size, -1)
            )
            self._transformed[value] = graph.reshape(both, _INPUTS, tiles, _INPUTS, -1, inputs)
        matrices = np.einsum("ak,oikl,bl->abio", _FROM_WEIGHTS, weights, _FROM_WEIGHTS)
        multiplied = graph.add(
            "MatMul", self._transformed[value], self.graph.constant(matrices[:, None])
        )
        back = graph.constant(self._to_outputs)
        columns = graph.add("MatMul", back, graph.reshape(multiplied, products, products, -1))
        both = graph.add("MatMul", back, graph.reshape(columns, products, -1))
        return graph.reshape(both, self.size, self.size, -1, outputs)

    def batch_norm(self, value: str, norm: BatchNorm) -> str:
        """Scale and bias of each channel."""
        scaled = self.graph.add("Mul", value, self.graph.constant(norm.scale))
        return self.graph.add("Add", scaled, self.graph.constant(norm.bias))

    def pooled(self, value: str, kind: str) -> str:
        """The Mean or Max of each channel: [n, channels]."""
        axes = self.graph.constant(np.array([0, 1], np.int64))
        return self.graph.add(f"Reduce{kind}", value, axes, keepdims=0)

    def flat(self, value: str, channels: int) -> str:
        """To [n, points, channels]."""
        flat = self.graph.reshape(value, self.size * self.size, -1, channels)
        return self.graph.transpose(flat, 1, 0, 2)

    def square(self, value: str, channels: int) -> str:
        """From [n, points, channels]."""
        turned = self.graph.transpose(value, 1, 0, 2)
        return self.graph.reshape(turned, self.size, self.size, -1, channels)


def _along_a_side(size: int) -> tuple[Floats, Floats]:
    """The matrices from a line of points to products, six by tiles, and from them back."""
    tiles = -(-size // _OUTPUTS)
    there = np.zeros((_INPUTS, tiles, size))
    back = np.zeros((size, _INPUTS, tiles))
    for tile in range(tiles):
        first = _OUTPUTS * tile
        for k in range(_INPUTS):
            if 0 <= first + k - 1 < size:
                there[:, tile, first + k - 1] = _FROM_INPUTS[:, k]
        for k in range(min(_OUTPUTS, size - first)):
            back[first + k, :, tile] = _TO_OUTPUTS[k]
    return there.reshape(-1, size), back.reshape(size, -1)
