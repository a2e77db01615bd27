"""Reads the network files of KataGo: ``.bin.gz``, ``.bin``, ``.txt.gz`` and ``.txt``.

The format is a sequence of words, and of arrays either in binary, after the mark
``@BIN@``, or as words. KataGo reads it in ``cpp/neuralnet/desc.cpp``, which is the only
definition that there is. Model versions 8 to 17 take the same inputs (version 7 of them)
and are read here; what each version added:

====  =====================================================================
9     short-term errors of value and score (10 and 14 change their scale)
11    activations are named: identity, ReLU, Mish, SiLU
12    a second, optimistic policy
13    the file says how outputs are scaled
15    a hidden layer for passing; a metadata encoder; root-mean-square norms
16    predictions of winrate and score for each move
17    transformer blocks
====  =====================================================================
"""

from __future__ import annotations

import hashlib
import io
import math
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from yardstone.arrays import Floats32
from yardstone.errors import InputError
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
    Norm,
    PolicyHead,
    Residual,
    RmsNorm,
    Rope,
    Scaling,
    Trunk,
    ValueHead,
)
from yardstone.records.sources import ByteStream, StreamLimits

#: Planes and numbers that the networks take as input.
SPATIAL, GLOBAL = 22, 19

#: Model versions that are read.
VERSIONS = range(8, 18)

#: Weights hardly compress; a file that expands further than this is not a network.
_LIMITS = StreamLimits(ratio=40.0, extra=64 << 20)
_LARGEST_FILE = 4 << 30
_HEADER = 1 << 12


T = TypeVar("T")


class Header(NamedTuple):
    """The first lines of a network file: its own name, version, and size of the trunk."""

    name: str
    version: int
    blocks: int
    channels: int


def read_model(path: str | os.PathLike[str]) -> NetworkModel:
    """Read a network file of KataGo.

    Args:
        path: The file. Whether it is compressed, and whether its arrays are binary or text, the
            content tells.

    Raises:
        InputError: The file cannot be read, is damaged or cut short, expands like no network does,
            or is of a version that is not read.
    """
    file = os.fspath(path)
    with _readable(file):
        if Path(file).stat().st_size > _LARGEST_FILE:
            raise InputError("is larger than any network", file=file)
        packed = data = Path(file).read_bytes()
    stream = ByteStream(io.BytesIO(packed), file, len(packed), _LIMITS)
    if stream.compression is not None:
        data = b"".join(stream.pieces())
        if stream.damage is not None:
            raise InputError(stream.damage, file=file, hint="download it again")
    return _model(Tokens(data, file), hashlib.sha256(packed).hexdigest())


def read_header(path: str | os.PathLike[str]) -> Header:
    """Read only the beginning of a network file; raises InputError as `read_model` does."""
    file = os.fspath(path)
    with _readable(file):
        raw = Path(file).open("rb", buffering=0)  # noqa: SIM115 (the stream closes it)
    with ByteStream(raw, file, 0, _LIMITS) as stream:
        tokens = Tokens(stream.peek(_HEADER)[:_HEADER], file)
    name, version, _, _ = _opening(tokens)
    _, blocks, channels, _ = _trunk_opening(tokens, version)
    return Header(name, version, blocks, channels)


@contextmanager
def _readable(file: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", file=file, hint="check the name and its rights"
        ) from None


def _opening(tokens: Tokens) -> tuple[str, int, Scaling, bool]:
    """What stands before the trunk; a file of something else fails here."""
    name = tokens.word("the name of the network")
    word = tokens.word("the model version")
    if not (word.isdecimal() and len(word) < 6):
        raise tokens.fail("is not a network of KataGo")
    version = int(word)
    if version not in VERSIONS:
        older = version < VERSIONS.start
        raise InputError(
            f"model version {version} is {'too old' if older else 'not known yet'}",
            file=tokens.file,
            hint=f"take a network of version {VERSIONS.start} to {VERSIONS.stop - 1}",
        )
    tokens.whole("the number of input planes", SPATIAL, SPATIAL)
    tokens.whole("the number of global inputs", GLOBAL, GLOBAL)
    scaling = Scaling()
    if version >= 13:
        scaling = Scaling(*(tokens.real(f"the scale of {each.name}") for each in fields(Scaling)))
    suicide = False
    if version >= 15:
        if tokens.whole("the version of the metadata encoder", 0, 1):
            raise InputError(
                "wants to know the players' ranks with every position",
                file=tokens.file,
                hint="take a network that is not made to imitate people",
            )
        suicide = bool(tokens.whole("the choice of pass-alive inputs", 0, 1))
        _unused(tokens, 6)
    return name, version, scaling, suicide


def _unused(tokens: Tokens, count: int) -> None:
    """Room for options of later versions, all of them 0 so far."""
    for _ in range(count):
        tokens.whole("an option that no known network uses", 0, 0)


def _model(tokens: Tokens, sha256: str) -> NetworkModel:
    name, version, scaling, suicide = _opening(tokens)
    layers = LayerReader(tokens, version)
    trunk = _trunk(layers)
    heads = _policy(layers, trunk.channels), _value(layers, trunk.channels)
    tokens.end()
    return NetworkModel(name, version, sha256, scaling, suicide, trunk, *heads, layers.parameters)


def _trunk_opening(tokens: Tokens, version: int) -> tuple[str, int, int, bool]:
    name = tokens.word("the name of the trunk")
    blocks = tokens.whole("the number of blocks", 1, MOST_BLOCKS)
    channels = tokens.whole("the number of channels", 1, MOST_CHANNELS)
    for _ in range(4):  # widths inside the blocks, which say it themselves
        tokens.whole("a number of channels", 0, MOST_CHANNELS)
    rms = False
    if version >= 15:
        rms = bool(tokens.whole("the kind of the trunk's normalisation", 0, 1))
        _unused(tokens, 5)
    return name, blocks, channels, rms


def _trunk(layers: LayerReader) -> Trunk:
    name, blocks, channels, rms = _trunk_opening(layers.tokens, layers.version)
    conv = layers.convolution(SPATIAL, channels)
    from_globals = layers.linear(GLOBAL, channels)
    stack = layers.blocks(blocks, channels, depth=0)
    norm: Norm = layers.rms_norm(channels) if rms else layers.batch_norm(channels)
    return Trunk(name, channels, conv, from_globals, stack, norm, layers.activation())


def _policy_channels(layers: LayerReader) -> int:
    if layers.version < 12:
        return 1
    if layers.version < 16:
        return 2
    if layers.version == 16:
        return 4
    channels = layers.tokens.whole("the number of policies", 2, 4)
    if channels == 3:
        raise layers.tokens.fail("the number of policies is 3, not 2 or 4")
    _unused(layers.tokens, 3)
    return channels


def _policy(layers: LayerReader, channels: int) -> PolicyHead:
    name = layers.tokens.word("the name of the policy head")
    policies = _policy_channels(layers)
    conv, pool_conv = layers.convolution(channels), layers.convolution(channels)
    pooled, inner = 3 * pool_conv.outputs, conv.outputs
    head = PolicyHead(
        name,
        conv,
        pool_conv,
        *layers.normed(pool_conv.outputs),
        layers.linear(pooled, inner),
        *layers.normed(inner),
        layers.convolution(inner, policies),
        layers.linear(pooled, policies if layers.version < 15 else inner),
    )
    if layers.version < 15:
        return head
    return replace(
        head,
        pass_bias=layers.bias(inner),
        pass_activation=layers.activation(),
        pass_second=layers.linear(inner, policies),
    )


def _value(layers: LayerReader, channels: int) -> ValueHead:
    name = layers.tokens.word("the name of the value head")
    if layers.version >= 17:
        _unused(layers.tokens, 3)
    scores = 6 if layers.version >= 9 else 4
    conv = layers.convolution(channels)
    normed = layers.normed(conv.outputs)
    first = layers.linear(3 * conv.outputs)
    hidden = first.shape[1]
    return ValueHead(
        name,
        conv,
        *normed,
        first,
        first_bias=layers.bias(hidden),
        first_activation=layers.activation(),
        value=layers.linear(hidden, 3),
        value_bias=layers.bias(3),
        score=layers.linear(hidden, scores),
        score_bias=layers.bias(scores),
        ownership=layers.convolution(conv.outputs, 1),
    )


_SPACE = b" \t\r\n\v\f"
_WORD = re.compile(rb"[ \t\r\n\v\f]*([^ \t\r\n\v\f]+)")
_LETTERS = re.compile(rb"[^ \t\r\n\v\f]+")
_BINARY = b"@BIN@"
_LONGEST_WORD = 200
_LONGEST_GAP = 100


class Tokens:
    """Reads a model file, unpacked, from its beginning to its end; errors name `file`.

    `numbers` says how many weights have been read.
    """

    def __init__(self, data: bytes, file: str) -> None:
        self._data = data
        self._place = 0
        self.file = file
        self.numbers = 0

    def fail(self, message: str) -> InputError:
        """An error about this file."""
        return InputError(
            message, file=self.file, hint="take a whole network file of KataGo (.bin.gz)"
        )

    def word(self, what: str) -> str:
        """The next word."""
        match = _WORD.match(self._data, self._place, self._place + _LONGEST_GAP + _LONGEST_WORD)
        if match is None:
            raise self.fail(f"ends before {what}")
        if len(match[1]) >= _LONGEST_WORD or not match[1].isascii():
            raise self.fail(f"{what} is not a word: not a network file, or a damaged one")
        self._place = match.end()
        return match[1].decode()

    def whole(self, what: str, least: int, most: int) -> int:
        """The next word, a whole number within bounds."""
        number = self._number(what, int, "a whole number")
        if not least <= number <= most:
            raise self.fail(f"{what} is {number}, not {least} to {most}")
        return number

    def real(self, what: str) -> float:
        """The next word, a positive finite number."""
        number = self._number(what, float, "a number")
        if not 0.0 < number < 3.4e38:
            raise self.fail(f"{what} is {number}, not a positive number")
        return number

    def _number(self, what: str, kind: Callable[[str], T], name: str) -> T:
        word = self.word(what)
        try:
            return kind(word)
        except ValueError:
            raise self.fail(f"{what} is {word!r}, not {name}") from None

    def array(self, what: str, *shape: int) -> Floats32:
        """The next array: in binary after a mark, or as words."""
        count = math.prod(shape)
        if count > len(self._data) - self._place:
            raise self.fail(f"ends within the {count:,} weights of {what}")
        gap = self._data[self._place : self._place + _LONGEST_GAP]
        begin = self._place + len(gap) - len(gap.lstrip(_SPACE))
        if self._data.startswith(_BINARY, begin):
            begin += len(_BINARY)
            self._place = begin + 4 * count
            if self._place > len(self._data):
                raise self.fail(f"ends within the {count:,} weights of {what}")
            values = np.frombuffer(self._data, "<f4", count, begin).astype(np.float32, copy=False)
        else:
            values = self._text(what, count)
        if not np.isfinite(values).all():
            raise self.fail(f"a weight of {what} is not finite")
        self.numbers += count
        return values.reshape(shape)

    def _text(self, what: str, count: int) -> Floats32:
        def numbers() -> Iterator[float]:
            for word in islice(_LETTERS.finditer(self._data, self._place), count):
                self._place = word.end()
                yield float(word[0])

        try:
            with np.errstate(over="ignore"):
                values = np.fromiter(numbers(), np.float32)
        except ValueError:
            raise self.fail(f"a weight of {what} is not a number") from None
        if len(values) < count:
            raise self.fail(f"ends within the {count:,} weights of {what}")
        return values

    def end(self) -> None:
        """Nothing but space may follow."""
        if self._data[self._place :].strip(_SPACE):
            raise self.fail("more data follow the network")


MOST_BLOCKS = 1000
MOST_CHANNELS = 1 << 16
_WIDEST_FILTER = 63
_DEEPEST = 8

_ACTIVATIONS = {f"ACTIVATION_{each.upper()}": each for each in Activation}


class LayerReader:
    """Reads layers in the order of a file of this model version."""

    def __init__(self, tokens: Tokens, version: int) -> None:
        self.tokens = tokens
        self.version = version
        self._statistics = 0

    @property
    def parameters(self) -> int:
        """Learnt numbers read so far: statistics of batch norms are not learnt."""
        return self.tokens.numbers - self._statistics

    def _named(self, what: str) -> str:
        return self.tokens.word(f"the name of {what}")

    def _size(self, name: str, what: str, expected: int | None) -> int:
        """A number of channels; of any size where none is expected."""
        actual = self.tokens.whole(f"{name}: {what}", 1, MOST_CHANNELS)
        if expected is not None and actual != expected:
            raise self.tokens.fail(f"{name}: {what} is {actual}, not {expected}")
        return actual

    def convolution(self, inputs: int, outputs: int | None = None) -> Convolution:
        """A convolution of so many channels; None takes any number."""
        tokens = self.tokens
        name = self._named("a convolution")
        height = tokens.whole(f"{name}: height of the filter", 1, _WIDEST_FILTER)
        width = tokens.whole(f"{name}: width of the filter", 1, _WIDEST_FILTER)
        if height % 2 == 0 or width % 2 == 0:
            raise tokens.fail(f"{name}: the filter is {height}x{width}, its sides must be odd")
        ins = self._size(name, "number of inputs", inputs)
        outs = self._size(name, "number of outputs", outputs)
        down, right = (tokens.whole(f"{name}: dilation", 1, _WIDEST_FILTER) for _ in range(2))
        weights = tokens.array(name, height, width, ins, outs)
        return Convolution(name, np.ascontiguousarray(weights.transpose(3, 2, 0, 1)), (down, right))

    def _norm(self, channels: int) -> tuple[str, float]:
        """Name and epsilon of a normalisation of so many channels."""
        name = self._named("a normalisation")
        self._size(name, "number of channels", channels)
        return name, self.tokens.real(f"{name}: epsilon")

    def batch_norm(self, size: int) -> BatchNorm:
        """A normalisation by statistics of the training, made one scale and one bias."""
        tokens = self.tokens
        name, epsilon = self._norm(size)
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

    def normed(self, channels: int) -> tuple[BatchNorm, Activation]:
        """A normalisation, and the activation that follows it."""
        return self.batch_norm(channels), self.activation()

    def rms_norm(self, size: int) -> RmsNorm:
        """The normalisation at the end of the trunk of some transformers."""
        tokens = self.tokens
        name, epsilon = self._norm(size)
        spatial = bool(tokens.whole(f"{name}: whether it is spatial", 0, 1))
        tokens.whole(f"{name}: size of its groups", 0, 0)
        scale = tokens.array(f"{name} (scale)", size)
        return RmsNorm(name, scale, tokens.array(f"{name} (bias)", size), epsilon, spatial)

    def _block_norm(self, channels: int) -> RmsNorm:
        """The normalisation at the beginning of a transformer block."""
        name, epsilon = self._norm(channels)
        return RmsNorm(name, self.tokens.array(name, channels), None, epsilon)

    def activation(self) -> Activation:
        """An activation; before version 11 all were ReLU."""
        name = self.tokens.word("the name of an activation")
        if self.version < 11:
            return Activation.relu
        kind = self.tokens.word(f"{name}: its kind")
        if kind not in _ACTIVATIONS:
            raise self.tokens.fail(f"{name}: activation {kind!r} is not known")
        return _ACTIVATIONS[kind]

    def linear(self, inputs: int, outputs: int | None = None) -> Floats32:
        """A matrix [in, out]."""
        name = self._named("a linear layer")
        ins = self._size(name, "number of inputs", inputs)
        return self.tokens.array(name, ins, self._size(name, "number of outputs", outputs))

    def bias(self, channels: int) -> Floats32:
        """A vector added to the output of a linear layer."""
        name = self._named("a bias")
        return self.tokens.array(name, self._size(name, "number of channels", channels))

    def blocks(self, count: int, channels: int, *, depth: int) -> tuple[Block, ...]:
        """So many blocks, each of which takes and gives `channels`."""
        if depth > _DEEPEST:
            raise self.tokens.fail(f"blocks are nested more than {_DEEPEST} deep")
        return tuple(self._block(channels, depth) for _ in range(count))

    def _block(self, channels: int, depth: int) -> Block:
        kinds: dict[str, Callable[[str, int], Block]] = {
            "ordinary_block": self._residual,
            "gpool_block": self._global_pooling,
            "nested_bottleneck_block": partial(self._bottleneck, depth=depth),
            "transformer_attention_block": self._attention,
            "transformer_ffn_block": self._feed_forward,
        }
        kind = self.tokens.word("the kind of a block")
        if kind not in kinds:
            raise self.tokens.fail(f"blocks of kind {kind!r} are not known")
        return kinds[kind](self._named("a block"), channels)

    def _residual(self, name: str, channels: int) -> Residual:
        pre = self.normed(channels)
        conv = self.convolution(channels)
        mid = self.normed(conv.outputs)
        return Residual(name, *pre, conv, *mid, self.convolution(conv.outputs, channels))

    def _global_pooling(self, name: str, channels: int) -> GlobalPooling:
        pre = self.normed(channels)
        conv, pool_conv = self.convolution(channels), self.convolution(channels)
        return GlobalPooling(
            name,
            *pre,
            conv,
            pool_conv,
            *self.normed(pool_conv.outputs),
            self.linear(3 * pool_conv.outputs, conv.outputs),
            *self.normed(conv.outputs),
            self.convolution(conv.outputs, channels),
        )

    def _bottleneck(self, name: str, channels: int, depth: int) -> Bottleneck:
        count = self.tokens.whole(f"{name}: number of blocks", 1, MOST_BLOCKS)
        pre = self.normed(channels)
        conv = self.convolution(channels)
        blocks = self.blocks(count, conv.outputs, depth=depth + 1)
        post = self.normed(conv.outputs)
        return Bottleneck(name, *pre, conv, blocks, *post, self.convolution(conv.outputs, channels))

    def _attention(self, name: str, channels: int) -> Attention:
        tokens = self.tokens
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
        widths = heads * key_size, key_heads * key_size, key_heads * value_size
        query, key, value = (self.linear(channels, width) for width in widths)
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

    def _feed_forward(self, name: str, channels: int) -> FeedForward:
        tokens = self.tokens
        self._size(name, "number of channels", channels)
        hidden = tokens.whole(f"{name}: hidden channels", 1, MOST_CHANNELS)
        tokens.whole(f"{name}: whether it is gated", 1, 1)  # KataGo itself runs no other
        norm = self._block_norm(channels)
        first, gate = self.linear(channels, hidden), self.linear(channels, hidden)
        return FeedForward(name, norm, first, gate, self.linear(hidden, channels))
