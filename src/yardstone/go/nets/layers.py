"""What a KataGo network consists of: layers, blocks, trunk and heads, as plain arrays.

Shapes follow the names: *in* and *out* are numbers of channels. All arrays are float32
and read-only. A batch of activations is [n, channels, size, size].
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from yardstone.arrays import Floats32


class Activation(StrEnum):
    """A function applied to each value."""

    identity = "identity"
    relu = "relu"
    mish = "mish"
    silu = "silu"


@dataclass(frozen=True, slots=True)
class Convolution:
    """Weights [out, in, height, width] of a convolution that keeps the size of the board."""

    name: str
    weights: Floats32
    dilation: tuple[int, int] = (1, 1)

    @property
    def inputs(self) -> int:
        """Channels that go in."""
        return int(self.weights.shape[1])

    @property
    def outputs(self) -> int:
        """Channels that come out."""
        return int(self.weights.shape[0])


@dataclass(frozen=True, slots=True)
class BatchNorm:
    """Per channel `scale` times the value plus `bias`: statistics and weights in one."""

    name: str
    scale: Floats32
    bias: Floats32

    @property
    def channels(self) -> int:
        """Channels that it takes."""
        return len(self.scale)


@dataclass(frozen=True, slots=True)
class RmsNorm:
    """Division by the root of the mean square of a point's channels, then `scale` and `bias`.

    With `spatial` the mean is taken over all points of the board as well.
    """

    name: str
    scale: Floats32
    bias: Floats32 | None
    epsilon: float
    spatial: bool = False

    @property
    def channels(self) -> int:
        """Channels that it takes."""
        return len(self.scale)


Norm: TypeAlias = BatchNorm | RmsNorm


@dataclass(frozen=True, slots=True)
class Residual:
    """Two convolutions, each after normalisation and activation, added to what came in."""

    name: str
    pre_norm: BatchNorm
    pre_activation: Activation
    conv: Convolution
    mid_norm: BatchNorm
    mid_activation: Activation
    final_conv: Convolution


@dataclass(frozen=True, slots=True)
class GlobalPooling:
    """A residual block in which some channels are pooled over the board into biases.

    `pool_to_bias` is [3 × pooled, out]: mean, mean scaled by the size of the board, maximum.
    """

    name: str
    pre_norm: BatchNorm
    pre_activation: Activation
    conv: Convolution
    pool_conv: Convolution
    pool_norm: BatchNorm
    pool_activation: Activation
    pool_to_bias: Floats32
    mid_norm: BatchNorm
    mid_activation: Activation
    final_conv: Convolution


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """Blocks of fewer channels between two 1x1 convolutions, added to what came in."""

    name: str
    pre_norm: BatchNorm
    pre_activation: Activation
    pre_conv: Convolution
    blocks: tuple[Block, ...]
    post_norm: BatchNorm
    post_activation: Activation
    post_conv: Convolution


@dataclass(frozen=True, slots=True)
class Rope:
    """Rotary position: each pair of query and key channels turns with the point's place.

    `frequencies` is [heads of keys, pairs, 2], radians a column and a row, where learnt;
    else it is None and `theta` gives them, the first half of the pairs turning with the row.
    """

    frequencies: Floats32 | None = None
    theta: float = 0.0


@dataclass(frozen=True, slots=True)
class Attention:
    """Attention of every point to every point, added to what came in.

    `heads` of queries share `key_heads` of keys and values in groups of equal size.
    """

    name: str
    heads: int
    key_heads: int
    key_size: int
    value_size: int
    norm: RmsNorm
    query: Floats32
    key: Floats32
    value: Floats32
    out: Floats32
    rope: Rope | None


@dataclass(frozen=True, slots=True)
class FeedForward:
    """Three linear layers at each point (SwiGLU), added to what came in.

    The SiLU of `first` times `gate` goes through `second`.
    """

    name: str
    norm: RmsNorm
    first: Floats32
    gate: Floats32
    second: Floats32


Block: TypeAlias = Residual | GlobalPooling | Bottleneck | Attention | FeedForward


@dataclass(frozen=True, slots=True)
class Trunk:
    """All but the heads. `from_globals` is [global inputs, channels]."""

    name: str
    channels: int
    conv: Convolution
    from_globals: Floats32
    blocks: tuple[Block, ...]
    norm: Norm
    activation: Activation


@dataclass(frozen=True, slots=True)
class PolicyHead:
    """Where to move. The first channel of its output is the policy proper.

    `pass_bias`, `pass_activation` and `pass_second` exist from version 15 on.
    """

    name: str
    conv: Convolution
    pool_conv: Convolution
    pool_norm: BatchNorm
    pool_activation: Activation
    pool_to_bias: Floats32
    norm: BatchNorm
    activation: Activation
    final_conv: Convolution
    pool_to_pass: Floats32
    pass_bias: Floats32 | None = None
    pass_activation: Activation = Activation.identity
    pass_second: Floats32 | None = None


@dataclass(frozen=True, slots=True)
class ValueHead:
    """Who wins (win, loss, no result), by how much, and whose each point will be."""

    name: str
    conv: Convolution
    norm: BatchNorm
    activation: Activation
    first: Floats32
    first_bias: Floats32
    first_activation: Activation
    value: Floats32
    value_bias: Floats32
    score: Floats32
    score_bias: Floats32
    ownership: Convolution


@dataclass(frozen=True, slots=True)
class Scaling:
    """What raw outputs of the value head are multiplied with to become points.

    Files of version 13 and later hold these numbers, the defaults are those before.
    """

    td_score: float = 20.0
    score_mean: float = 20.0
    score_stdev: float = 20.0
    lead: float = 20.0
    variance_time: float = 40.0
    shortterm_value_error: float = 0.25
    shortterm_score_error: float = 30.0


@dataclass(frozen=True, slots=True)
class NetworkModel:
    """A network of KataGo of version 8 to 17 as its file describes it.

    `sha256` is of the file as it stands, in hexadecimal; `parameters` counts the numbers that were
    learnt. With `pass_alive_under_suicide` inputs about pass-alive areas are to be computed as if
    suicide were legal.
    """

    name: str
    version: int
    sha256: str
    scaling: Scaling
    pass_alive_under_suicide: bool
    trunk: Trunk
    policy: PolicyHead
    value: ValueHead
    parameters: int
