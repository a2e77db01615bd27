"""Two ways to lay a network's planes out in memory, and the operators of each.

`ChannelPlanes` are [n, channels, size, size], as convolutions of ONNX take them. `PointPlanes`
are [size, size, n, channels]: there a convolution of 3 x 3 points is computed by the method of
Winograd, from four outputs of six inputs in each direction (Lavin and Gray 2016), with a quarter
of the multiplications, and all that it takes are products of matrices. That is as exact up to
rounding, and on processors half as fast again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yardstone.go.nets._graph import OnnxGraph
from yardstone.go.nets.layers import BatchNorm, Convolution

__all__ = ["ChannelPlanes", "PointPlanes"]

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
_FROM_WEIGHTS = np.array(
    [[6, 0, 0], [-4, -4, -4], [-4, 4, -4], [1, 2, 4], [1, -2, 4], [0, 0, 24]], np.float64
) / np.array([[24], [24], [24], [24], [24], [24]], np.float64)
_TO_OUTPUTS = np.array(
    [[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]],
    np.float64,
)


class ChannelPlanes:
    """Planes [n, channels, size, size].

    Parameters
    ----------
    graph : OnnxGraph
        That the operators are added to.
    size : int
        Size of the board.
    """

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
        """A convolution, with a normalisation that follows it put into its weights.

        Without `bias` that of the normalisation is left to the caller.
        """
        return self.graph.convolution(value, conv, norm, bias=bias)

    def batch_norm(self, value: str, norm: BatchNorm) -> str:
        """Scale and bias of each channel."""
        return self.graph.batch_norm(value, norm)

    def mean(self, value: str) -> str:
        """Of each channel: [n, channels]."""
        return self.graph.reshape(self.graph.add("GlobalAveragePool", value), 0, -1)

    def largest(self, value: str) -> str:
        """Of each channel: [n, channels]."""
        return self.graph.reshape(self.graph.add("GlobalMaxPool", value), 0, -1)

    def flat(self, value: str, channels: int) -> str:
        """To [n, points, channels]."""
        flat = self.graph.reshape(value, 0, channels, self.size * self.size)
        return self.graph.transpose(flat, 0, 2, 1)

    def square(self, value: str, channels: int) -> str:
        """From [n, points, channels]."""
        turned = self.graph.transpose(value, 0, 2, 1)
        return self.graph.reshape(turned, 0, channels, self.size, self.size)


class PointPlanes:
    """Planes [size, size, n, channels].

    Parameters
    ----------
    graph : OnnxGraph
        That the operators are added to.
    size : int
        Size of the board.
    """

    def __init__(self, graph: OnnxGraph, size: int) -> None:
        self.graph = graph
        self.size = size
        to_products, self._to_outputs = _along_a_side(size)
        self._to_products, self._products = graph.constant(to_products), len(to_products)
        self._transformed: dict[str, str] = {}

    def begin(self, value: str) -> str:
        """From [n, channels, size, size]."""
        return self.graph.transpose(value, 2, 3, 0, 1)

    def finish(self, value: str) -> str:
        """To [n, channels, size, size]."""
        return self.graph.transpose(value, 2, 3, 0, 1)

    def per_channel(self, value: str) -> str:
        """From [n, channels] to what can be added to planes."""
        return value

    def convolution(
        self, value: str, conv: Convolution, norm: BatchNorm | None = None, *, bias: bool = True
    ) -> str:
        """A convolution, with a normalisation that follows it put into its weights.

        Without `bias` that of the normalisation is left to the caller.
        """
        sides = conv.weights.shape[2:]
        if sides not in ((1, 1), (3, 3)) or (sides == (3, 3) and tuple(conv.dilation) != (1, 1)):
            return self.begin(self.graph.convolution(self.finish(value), conv, norm, bias=bias))
        weights = conv.weights.astype(np.float64)
        if norm is not None:
            weights = weights * norm.scale[:, None, None, None]
        if sides == (1, 1):
            product = self.graph.add("MatMul", value, self._matrix(weights[:, :, 0, 0].T))
        else:
            product = self._by_products(value, weights)
        if norm is None or not bias:
            return product
        return self.graph.add("Add", product, self.graph.constant(norm.bias))

    def _matrix(self, weights: NDArray[np.float64]) -> str:
        return self.graph.constant(np.ascontiguousarray(weights))

    def _by_products(self, value: str, weights: NDArray[np.float64]) -> str:
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
        multiplied = graph.add("MatMul", self._transformed[value], self._matrix(matrices[:, None]))
        back = graph.constant(self._to_outputs)
        columns = graph.add("MatMul", back, graph.reshape(multiplied, products, products, -1))
        both = graph.add("MatMul", back, graph.reshape(columns, products, -1))
        return graph.reshape(both, self.size, self.size, -1, outputs)

    def batch_norm(self, value: str, norm: BatchNorm) -> str:
        """Scale and bias of each channel."""
        scaled = self.graph.add("Mul", value, self.graph.constant(norm.scale))
        return self.graph.add("Add", scaled, self.graph.constant(norm.bias))

    def mean(self, value: str) -> str:
        """Of each channel: [n, channels]."""
        return self._over_points("ReduceMean", value)

    def largest(self, value: str) -> str:
        """Of each channel: [n, channels]."""
        return self._over_points("ReduceMax", value)

    def _over_points(self, operator: str, value: str) -> str:
        return self.graph.add(
            operator, value, self.graph.constant(np.array([0, 1], np.int64)), keepdims=0
        )

    def flat(self, value: str, channels: int) -> str:
        """To [n, points, channels]."""
        flat = self.graph.reshape(value, self.size * self.size, -1, channels)
        return self.graph.transpose(flat, 1, 0, 2)

    def square(self, value: str, channels: int) -> str:
        """From [n, points, channels]."""
        turned = self.graph.transpose(value, 1, 0, 2)
        return self.graph.reshape(turned, self.size, self.size, -1, channels)


def _along_a_side(size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The matrices from a line of points to the products of its tiles, and back.

    The products are in the order of the six of a tile, and within each in that of the tiles.
    """
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
