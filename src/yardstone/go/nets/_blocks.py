"""Reads the layers and blocks of a model file, each checked against its neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yardstone.go.nets._tokens import Tokens
from yardstone.go.nets.layers import (
    Activation,
    Attention,
    BatchNorm,
    Block,
    Bottleneck,
    Convolution,
    FeedForward,
    GlobalPooling,
    Residual,
    RmsNorm,
    Rope,
)

__all__ = ["MOST_BLOCKS", "MOST_CHANNELS", "LayerReader"]

MOST_BLOCKS = 1000
MOST_CHANNELS = 1 << 16
_WIDEST_FILTER = 63
_DEEPEST = 8

_ACTIVATIONS = {f"ACTIVATION_{each.upper()}": each for each in Activation}


class LayerReader:
    """Reads layers in the order of the file.

    Parameters
    ----------
    tokens : Tokens
        The file.
    version : int
        Its model version.

    Attributes
    ----------
    parameters : int
        Learnt numbers read so far: statistics of batch norms are not learnt.
    """

    def __init__(self, tokens: Tokens, version: int) -> None:
        self.tokens = tokens
        self.version = version
        self._statistics = 0

    @property
    def parameters(self) -> int:
        """Learnt numbers read so far."""
        return self.tokens.numbers - self._statistics

    def _matches(self, what: str, name: str, actual: int, expected: int | None) -> None:
        if expected is not None and actual != expected:
            raise self.tokens.fail(f"{name}: {what} is {actual}, not {expected}")

    def convolution(self, inputs: int, outputs: int | None = None) -> Convolution:
        """A convolution of so many channels; None takes any number."""
        tokens = self.tokens
        name = tokens.word("the name of a convolution")
        height = tokens.whole(f"{name}: height of the filter", 1, _WIDEST_FILTER)
        width = tokens.whole(f"{name}: width of the filter", 1, _WIDEST_FILTER)
        if height % 2 == 0 or width % 2 == 0:
            raise tokens.fail(f"{name}: the filter is {height}x{width}, its sides must be odd")
        ins = tokens.whole(f"{name}: number of inputs", 1, MOST_CHANNELS)
        self._matches("number of inputs", name, ins, inputs)
        outs = tokens.whole(f"{name}: number of outputs", 1, MOST_CHANNELS)
        self._matches("number of outputs", name, outs, outputs)
        dilation = (
            tokens.whole(f"{name}: dilation", 1, _WIDEST_FILTER),
            tokens.whole(f"{name}: dilation", 1, _WIDEST_FILTER),
        )
        weights = tokens.array(name, height, width, ins, outs)
        return Convolution(name, np.ascontiguousarray(weights.transpose(3, 2, 0, 1)), dilation)

    def batch_norm(self, channels: int) -> BatchNorm:
        """A normalisation by statistics of the training, made one scale and one bias."""
        tokens = self.tokens
        name = tokens.word("the name of a normalisation")
        size = tokens.whole(f"{name}: number of channels", 1, MOST_CHANNELS)
        self._matches("number of channels", name, size, channels)
        epsilon = tokens.real(f"{name}: epsilon")
        has_scale = tokens.whole(f"{name}: whether it scales", 0, 1)
        has_bias = tokens.whole(f"{name}: whether it has a bias", 0, 1)
        mean = tokens.array(f"{name} (mean)", size).astype(np.float64)
        variance = tokens.array(f"{name} (variance)", size).astype(np.float64)
        self._statistics += 2 * size
        if not (variance + epsilon > 0.0).all():
            raise tokens.fail(f"{name}: a variance is negative")
        scale = tokens.array(f"{name} (scale)", size) if has_scale else 1.0
        bias = tokens.array(f"{name} (bias)", size) if has_bias else 0.0
        merged = scale / np.sqrt(variance + epsilon)
        return BatchNorm(name, merged.astype(np.float32), (bias - merged * mean).astype(np.float32))

    def rms_norm(self, channels: int) -> RmsNorm:
        """The normalisation at the end of the trunk of some transformers."""
        tokens = self.tokens
        name = tokens.word("the name of a normalisation")
        size = tokens.whole(f"{name}: number of channels", 1, MOST_CHANNELS)
        self._matches("number of channels", name, size, channels)
        epsilon = tokens.real(f"{name}: epsilon")
        spatial = bool(tokens.whole(f"{name}: whether it is spatial", 0, 1))
        tokens.whole(f"{name}: size of its groups", 0, 0)
        scale = tokens.array(f"{name} (scale)", size)
        return RmsNorm(name, scale, tokens.array(f"{name} (bias)", size), epsilon, spatial)

    def _block_norm(self, channels: int) -> RmsNorm:
        """The normalisation at the beginning of a transformer block."""
        tokens = self.tokens
        name = tokens.word("the name of a normalisation")
        size = tokens.whole(f"{name}: number of channels", 1, MOST_CHANNELS)
        self._matches("number of channels", name, size, channels)
        epsilon = tokens.real(f"{name}: epsilon")
        return RmsNorm(name, tokens.array(name, size), None, epsilon)

    def activation(self) -> Activation:
        """An activation; before version 11 all were ReLU."""
        name = self.tokens.word("the name of an activation")
        if self.version < 11:
            return Activation.relu
        kind = self.tokens.word(f"{name}: its kind")
        if kind not in _ACTIVATIONS:
            raise self.tokens.fail(f"{name}: activation {kind!r} is not known")
        return _ACTIVATIONS[kind]

    def linear(self, inputs: int, outputs: int | None = None) -> NDArray[np.float32]:
        """A matrix [in, out]."""
        tokens = self.tokens
        name = tokens.word("the name of a linear layer")
        ins = tokens.whole(f"{name}: number of inputs", 1, MOST_CHANNELS)
        self._matches("number of inputs", name, ins, inputs)
        outs = tokens.whole(f"{name}: number of outputs", 1, MOST_CHANNELS)
        self._matches("number of outputs", name, outs, outputs)
        return tokens.array(name, ins, outs)

    def bias(self, channels: int) -> NDArray[np.float32]:
        """A vector added to the output of a linear layer."""
        name = self.tokens.word("the name of a bias")
        size = self.tokens.whole(f"{name}: number of channels", 1, MOST_CHANNELS)
        self._matches("number of channels", name, size, channels)
        return self.tokens.array(name, size)

    def blocks(self, count: int, channels: int, *, depth: int) -> tuple[Block, ...]:
        """So many blocks, each of which takes and gives `channels`."""
        if depth > _DEEPEST:
            raise self.tokens.fail(f"blocks are nested more than {_DEEPEST} deep")
        return tuple(self._block(channels, depth) for _ in range(count))

    def _block(self, channels: int, depth: int) -> Block:
        kind = self.tokens.word("the kind of a block")
        if kind == "ordinary_block":
            return self._residual(channels)
        if kind == "gpool_block":
            return self._global_pooling(channels)
        if kind == "nested_bottleneck_block":
            return self._bottleneck(channels, depth)
        if kind == "transformer_attention_block":
            return self._attention(channels)
        if kind == "transformer_ffn_block":
            return self._feed_forward(channels)
        raise self.tokens.fail(f"blocks of kind {kind!r} are not known")

    def _residual(self, channels: int) -> Residual:
        name = self.tokens.word("the name of a block")
        pre = self.batch_norm(channels)
        pre_activation = self.activation()
        conv = self.convolution(channels)
        mid = self.batch_norm(conv.outputs)
        mid_activation = self.activation()
        final = self.convolution(conv.outputs, channels)
        return Residual(name, pre, pre_activation, conv, mid, mid_activation, final)

    def _global_pooling(self, channels: int) -> GlobalPooling:
        name = self.tokens.word("the name of a block")
        pre = self.batch_norm(channels)
        pre_activation = self.activation()
        conv = self.convolution(channels)
        pool_conv = self.convolution(channels)
        pool_norm = self.batch_norm(pool_conv.outputs)
        pool_activation = self.activation()
        pool_to_bias = self.linear(3 * pool_conv.outputs, conv.outputs)
        mid = self.batch_norm(conv.outputs)
        mid_activation = self.activation()
        final = self.convolution(conv.outputs, channels)
        return GlobalPooling(
            name,
            pre,
            pre_activation,
            conv,
            pool_conv,
            pool_norm,
            pool_activation,
            pool_to_bias,
            mid,
            mid_activation,
            final,
        )

    def _bottleneck(self, channels: int, depth: int) -> Bottleneck:
        name = self.tokens.word("the name of a block")
        count = self.tokens.whole(f"{name}: number of blocks", 1, MOST_BLOCKS)
        pre = self.batch_norm(channels)
        pre_activation = self.activation()
        pre_conv = self.convolution(channels)
        blocks = self.blocks(count, pre_conv.outputs, depth=depth + 1)
        post = self.batch_norm(pre_conv.outputs)
        post_activation = self.activation()
        post_conv = self.convolution(pre_conv.outputs, channels)
        return Bottleneck(
            name, pre, pre_activation, pre_conv, blocks, post, post_activation, post_conv
        )

    def _attention(self, channels: int) -> Attention:
        tokens = self.tokens
        name = tokens.word("the name of a block")
        heads = tokens.whole(f"{name}: number of heads", 1, MOST_CHANNELS)
        key_heads = tokens.whole(f"{name}: number of heads of keys", 1, MOST_CHANNELS)
        if heads % key_heads:
            raise tokens.fail(f"{name}: {heads} heads cannot share {key_heads} heads of keys")
        key_size = tokens.whole(f"{name}: channels of a key", 1, MOST_CHANNELS)
        value_size = tokens.whole(f"{name}: channels of a value", 1, MOST_CHANNELS)
        turns = tokens.whole(f"{name}: whether it uses rotary positions", 0, 1)
        learnt = tokens.whole(f"{name}: whether their frequencies are learnt", 0, 1)
        if turns and key_size % 2:
            raise tokens.fail(f"{name}: keys of {key_size} channels do not make pairs")
        norm = self._block_norm(channels)
        query = self.linear(channels, heads * key_size)
        key = self.linear(channels, key_heads * key_size)
        value = self.linear(channels, key_heads * value_size)
        out = self.linear(heads * value_size, channels)
        rope = self._rope(name, key_heads, key_size // 2, learnt=bool(learnt)) if turns else None
        return Attention(
            name, heads, key_heads, key_size, value_size, norm, query, key, value, out, rope
        )

    def _rope(self, name: str, key_heads: int, pairs: int, *, learnt: bool) -> Rope:
        tokens = self.tokens
        tokens.word(f"{name}: the name of its rotary positions")
        if not learnt:
            return Rope(theta=tokens.real(f"{name}: base of its frequencies"))
        tokens.whole(f"{name}: heads of its frequencies", key_heads, key_heads)
        tokens.whole(f"{name}: pairs of its frequencies", pairs, pairs)
        tokens.whole(f"{name}: directions of its frequencies", 2, 2)
        return Rope(tokens.array(f"{name} (frequencies)", key_heads, pairs, 2))

    def _feed_forward(self, channels: int) -> FeedForward:
        tokens = self.tokens
        name = tokens.word("the name of a block")
        size = tokens.whole(f"{name}: number of channels", 1, MOST_CHANNELS)
        self._matches("number of channels", name, size, channels)
        hidden = tokens.whole(f"{name}: hidden channels", 1, MOST_CHANNELS)
        tokens.whole(f"{name}: whether it is gated", 1, 1)  # KataGo itself runs no other
        norm = self._block_norm(channels)
        first = self.linear(channels, hidden)
        gate = self.linear(channels, hidden)
        return FeedForward(name, norm, first, gate, self.linear(hidden, channels))
