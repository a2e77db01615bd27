"""The network that imitates players, and the file of KataGo's form that it is written to."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import MissingExtraError, UsageError
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
    Scaling,
    Trunk,
    ValueHead,
)
from yardstone.go.nets.model_file import GLOBAL, SPATIAL
from yardstone.strength.site_scales import GROUP_EDGES
from yardstone_lab.imitation.games import BANDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone_lab.imitation.games import ImitationSettings

    Floats = NDArray[np.float32]

__all__ = [
    "VERSION",
    "model_bytes",
    "write_model",
    "SIGNS",
    "ImitationNetwork",
    "Outputs",
]

#: The model version that is written.
VERSION = 8


def write_model(path: Path, model: NetworkModel) -> None:
    """Write a network, compressed as ``.bin.gz``; whole or not at all.

    Raises:
        UsageError: It has what version 8 does not know.
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
        if not isinstance(trunk.norm, BatchNorm):
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


try:
    import torch
    from torch import Tensor, nn
except ImportError as error:  # tested by a process that has no torch
    raise MissingExtraError("torch") from error


_POLICY, _VALUE, _HIDDEN = 32, 32, 64
#: Numbers of a move that the strength of its player is told from.
SIGNS = _HIDDEN
_SCORES = 4
#: Which of the four scores is which.
_MEAN, _LEAD = 0, 2
_POOLED_EVERY = 3
_MOMENTUM = 0.01


def _convolution(inputs: int, outputs: int, side: int) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, side, padding=side // 2, bias=False)


def _norm(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, momentum=_MOMENTUM)


def _pooled(x: Tensor) -> Tensor:
    """Mean and maximum of each channel: [n, 2 × channels]."""
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


class _ResidualBlock(nn.Module):
    """Two convolutions, added to what came in; with `pooled` channels pooled into biases."""

    def __init__(self, channels: int, pooled: int) -> None:
        super().__init__()
        regular = channels - pooled
        self.pre_norm = _norm(channels)
        self.conv = _convolution(channels, regular, 3)
        self.mid_norm = _norm(regular)
        self.final_conv = _convolution(regular, channels, 3)
        self.pool_conv = _convolution(channels, pooled, 3) if pooled else None
        if pooled:
            self.pool_norm = _norm(pooled)
            self.pool_to_bias = nn.Linear(2 * pooled, regular, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        normed = torch.relu(self.pre_norm(x))
        middle = self.conv(normed)
        if self.pool_conv is not None:
            pooled = _pooled(torch.relu(self.pool_norm(self.pool_conv(normed))))
            middle = middle + self.pool_to_bias(pooled)[:, :, None, None]
        added: Tensor = self.final_conv(torch.relu(self.mid_norm(middle)))
        return x + added


class Outputs:
    """What the network says of n positions.

    Attributes:
        trunk: tensor [n, channels, 361].
        policy (tensor [n, 362]): Logits of all players' choices.
        tastes (tensor [n, tastes, 361]): What the bands' choices differ by.
        value (tensor [n, 3]): Logits of win, loss and no result.
        scores: tensor [n, 4].
    """

    __slots__ = ("policy", "scores", "tastes", "trunk", "value")

    def __init__(
        self, trunk: Tensor, policy: Tensor, tastes: Tensor, value: Tensor, scores: Tensor
    ) -> None:
        self.trunk = trunk
        self.policy = policy
        self.tastes = tastes
        self.value = value
        self.scores = scores

    @property
    def lead(self) -> Tensor:
        """Before scaling: 20 points are 1."""
        return self.scores[:, _LEAD]

    @property
    def mean_score(self) -> Tensor:
        """Before scaling."""
        return self.scores[:, _MEAN]


class ImitationNetwork(nn.Module):
    """The network and its heads.

    Args:
        teacher: Width of the last layer of a teacher, which is foretold as well; 0 if there is
            none.
    """

    def __init__(self, settings: ImitationSettings, teacher: int = 0) -> None:
        super().__init__()
        channels = settings.channels
        self.conv = _convolution(SPATIAL, channels, 3)
        self.from_globals = nn.Linear(GLOBAL, channels, bias=False)
        self.blocks = nn.ModuleList(
            _ResidualBlock(channels, channels // 4 if number % _POOLED_EVERY == 1 else 0)
            for number in range(settings.blocks)
        )
        self.norm = _norm(channels)
        self.policy_conv = _convolution(channels, _POLICY, 1)
        self.policy_pool = _convolution(channels, _POLICY, 1)
        self.policy_pool_norm = _norm(_POLICY)
        self.policy_to_bias = nn.Linear(2 * _POLICY, _POLICY, bias=False)
        self.policy_norm = _norm(_POLICY)
        self.policy_final = _convolution(_POLICY, 1, 1)
        self.policy_pass = nn.Linear(2 * _POLICY, 1, bias=False)
        self.value_conv = _convolution(channels, _VALUE, 1)
        self.value_norm = _norm(_VALUE)
        self.value_first = nn.Linear(_VALUE, _HIDDEN)
        self.value_result = nn.Linear(_HIDDEN, 3)
        self.value_score = nn.Linear(_HIDDEN, _SCORES)
        self.taste_conv = _convolution(channels, settings.tastes, 1)
        self.bands = nn.Parameter(torch.zeros(len(BANDS), settings.tastes))
        self.move_first = nn.Linear(3 * channels, _HIDDEN)
        groups = sum(len(edges) - 1 for edges in GROUP_EDGES.values())
        self.strength = nn.Linear(_HIDDEN, groups)
        self.teacher = nn.Linear(channels, teacher) if teacher else None

    def forward(self, spatial: Tensor, numbers: Tensor) -> Outputs:
        """Inputs [n, 22, 19, 19] and [n, 19]."""
        x = self.conv(spatial) + self.from_globals(numbers)[:, :, None, None]
        for block in self.blocks:
            x = block(x)
        trunk = torch.relu(self.norm(x))
        pooled = _pooled(torch.relu(self.policy_pool_norm(self.policy_pool(trunk))))
        inner = self.policy_conv(trunk) + self.policy_to_bias(pooled)[:, :, None, None]
        points = self.policy_final(torch.relu(self.policy_norm(inner))).flatten(1)
        policy = torch.cat([points, self.policy_pass(pooled)], 1)
        value = torch.relu(self.value_norm(self.value_conv(trunk))).mean((2, 3))
        value = torch.relu(self.value_first(value))
        return Outputs(
            trunk.flatten(2),
            policy,
            self.taste_conv(trunk).flatten(2),
            self.value_result(value),
            self.value_score(value),
        )

    def choices(self, outputs: Outputs, band: Tensor) -> Tensor:
        """Logits [n, 362] of the choices of a band [n] in each position."""
        own = torch.einsum("nt,ntp->np", self.bands[band], outputs.tastes.float())
        return outputs.policy.float() + nn.functional.pad(own, (0, 1))

    def taught(self, outputs: Outputs) -> Tensor:
        """What the teacher's last layer is, standardised: [n, 361, teacher]."""
        assert self.teacher is not None
        result: Tensor = self.teacher(outputs.trunk.transpose(1, 2))
        return result

    def ranks(self, outputs: Outputs, point: Tensor, moves: int) -> Tensor:
        """Logits [sides, groups] from as many moves of each side, one side after the other.

        `point` [n] is where each of them was played.
        """
        each = self.signs(outputs, point).view(-1, moves, _HIDDEN)
        result: Tensor = self.strength(each.mean(1))
        return result

    def signs(self, outputs: Outputs, point: Tensor) -> Tensor:
        """What moves say of how strong their players are: [n, 64], to be averaged over a side."""
        trunk = outputs.trunk.float()
        rows = torch.arange(len(point))
        chances = torch.softmax(outputs.policy.float()[:, :-1], 1)
        usual = torch.einsum("ncp,np->nc", trunk, chances)
        picked = trunk[rows, :, point]
        looks = torch.cat([picked, picked - usual, trunk.mean(2)], 1)
        result: Tensor = torch.relu(self.move_first(looks))
        return result

    def model(self, name: str) -> NetworkModel:
        """The trunk and KataGo's heads, with the statistics of the training."""
        blocks = tuple(
            _exported_block(f"block{number}", block) for number, block in enumerate(self.blocks)
        )
        trunk = Trunk(
            "trunk",
            self.norm.num_features,
            _exported("conv1", self.conv),
            _matrix(self.from_globals),
            blocks,
            _exported_norm("trunk-norm", self.norm),
            Activation.relu,
        )
        policy = PolicyHead(
            "policyhead",
            _exported("policy-conv", self.policy_conv),
            _exported("policy-pool", self.policy_pool),
            _exported_norm("policy-pool-norm", self.policy_pool_norm),
            Activation.relu,
            _for_pooled(self.policy_to_bias),
            _exported_norm("policy-norm", self.policy_norm),
            Activation.relu,
            _exported("policy-final", self.policy_final),
            _for_pooled(self.policy_pass),
        )
        first = _matrix(self.value_first)
        value = ValueHead(
            "valuehead",
            _exported("value-conv", self.value_conv),
            _exported_norm("value-norm", self.value_norm),
            Activation.relu,
            np.concatenate([first, 0.0 * first, 0.0 * first]),
            _array(self.value_first.bias),
            Activation.relu,
            _matrix(self.value_result),
            _array(self.value_result.bias),
            _matrix(self.value_score),
            _array(self.value_score.bias),
            Convolution("ownership", np.zeros((1, _VALUE, 1, 1), np.float32)),
        )
        parameters = sum(each.numel() for each in self.parameters())
        return NetworkModel(name, VERSION, "", Scaling(), False, trunk, policy, value, parameters)


def _array(values: Tensor) -> Floats:
    return np.ascontiguousarray(values.detach().float().numpy())


def _matrix(layer: nn.Linear) -> Floats:
    return np.ascontiguousarray(_array(layer.weight).T)


def _for_pooled(layer: nn.Linear) -> Floats:
    """Weights for mean, mean scaled by the size of the board, and maximum."""
    mean, most = np.split(_matrix(layer), 2)
    return np.concatenate([mean, 0.0 * mean, most])


def _exported(name: str, layer: nn.Module) -> Convolution:
    weight = layer.weight
    assert isinstance(weight, Tensor)
    return Convolution(name, _array(weight))


def _exported_norm(name: str, layer: nn.BatchNorm2d) -> BatchNorm:
    assert layer.running_mean is not None
    assert layer.running_var is not None
    scale = _array(layer.weight) / np.sqrt(_array(layer.running_var) + layer.eps)
    bias = _array(layer.bias) - _array(layer.running_mean) * scale
    return BatchNorm(name, scale.astype(np.float32), bias.astype(np.float32))


def _exported_block(name: str, block: nn.Module) -> Residual | GlobalPooling:
    assert isinstance(block, _ResidualBlock)
    relu = Activation.relu
    pre, mid = (
        _exported_norm(f"{name}/{part}", norm)
        for part, norm in (("pre", block.pre_norm), ("mid", block.mid_norm))
    )
    conv = _exported(f"{name}/conv", block.conv)
    final = _exported(f"{name}/final", block.final_conv)
    if block.pool_conv is None:
        return Residual(name, pre, relu, conv, mid, relu, final)
    pool = _exported(f"{name}/pool", block.pool_conv)
    norm = _exported_norm(f"{name}/pool-norm", block.pool_norm)
    weights = _for_pooled(block.pool_to_bias)
    return GlobalPooling(name, pre, relu, conv, pool, norm, relu, weights, mid, relu, final)
