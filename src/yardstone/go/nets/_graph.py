"""Puts the nodes of an ONNX graph together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper

from yardstone.go.nets.layers import Activation, BatchNorm, Convolution

__all__ = ["OnnxGraph"]

#: Operators of this version of ONNX: the first with Mish.
OPSET = 18
_FORMAT = 9


class OnnxGraph:
    """A graph under construction; values are known by their names.

    Parameters
    ----------
    name : str
        Of the graph.
    mish : bool
        Use the operator Mish; else it is spelt out in others.
    """

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
        """The product of x and tanh(log(1 + exp(x))), without its slow logarithm.

        With e = exp(x) and w = e (e + 2) the hyperbolic tangent is w / (w + 2); beyond 40
        it is 1 in any case, and w would overflow.
        """
        two = self.constant(np.float32(2.0))
        power = self.add("Exp", self.add("Min", value, self.constant(np.float32(40.0))))
        wide = self.add("Mul", power, self.add("Add", power, two))
        return self.add("Mul", value, self.add("Div", wide, self.add("Add", wide, two)))

    def batch_norm(self, value: str, norm: BatchNorm) -> str:
        """Scale and bias of each channel."""
        zeros = self.constant(np.zeros(norm.channels, np.float32))
        ones = self.constant(np.ones(norm.channels, np.float32))
        scale, bias = self.constant(norm.scale), self.constant(norm.bias)
        return self.add("BatchNormalization", value, scale, bias, zeros, ones, epsilon=0.0)

    def convolution(
        self, value: str, conv: Convolution, norm: BatchNorm | None = None, *, bias: bool = True
    ) -> str:
        """A convolution, with a normalisation that follows it put into its weights.

        Without `bias` that of the normalisation is left to the caller.
        """
        weights = conv.weights
        parts = [value]
        if norm is not None:
            weights = weights * norm.scale[:, None, None, None]
        parts.append(self.constant(weights))
        if norm is not None and bias:
            parts.append(self.constant(norm.bias))
        height, width = (
            step * (side // 2)
            for step, side in zip(conv.dilation, conv.weights.shape[2:], strict=True)
        )
        return self.add(
            "Conv",
            *parts,
            kernel_shape=list(conv.weights.shape[2:]),
            dilations=list(conv.dilation),
            pads=[height, width, height, width],
        )

    def linear(
        self, value: str, weights: NDArray[np.float32], bias: NDArray[np.float32] | None = None
    ) -> str:
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
            opset_imports=[helper.make_opsetid("", OPSET)],
        )
