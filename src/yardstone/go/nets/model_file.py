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
import os
from dataclasses import fields
from pathlib import Path

from yardstone.errors import InputError
from yardstone.go.nets import _blocks
from yardstone.go.nets._blocks import LayerReader
from yardstone.go.nets._tokens import Tokens
from yardstone.go.nets.layers import (
    MetadataEncoder,
    NetworkModel,
    Norm,
    PolicyHead,
    Scaling,
    Trunk,
    ValueHead,
)
from yardstone.records.streams import ByteStream, StreamLimits

__all__ = ["GLOBAL", "SPATIAL", "VERSIONS", "Header", "read_header", "read_model"]

#: Planes and numbers that the networks take as input.
SPATIAL, GLOBAL = 22, 19

#: Model versions that are read.
VERSIONS = range(8, 18)

#: Weights hardly compress; a file that expands further than this is not a network.
LIMITS = StreamLimits(ratio=40.0, extra=64 << 20)
_LARGEST_FILE = 4 << 30
_METADATA_INPUTS = 192
_HEADER = 1 << 12


class Header:
    """The first lines of a network file.

    Attributes
    ----------
    name : str
        The name within the file.
    version, blocks, channels : int
        Model version, blocks and channels of the trunk.
    """

    def __init__(self, name: str, version: int, blocks: int, channels: int) -> None:
        self.name = name
        self.version = version
        self.blocks = blocks
        self.channels = channels


def read_model(path: str | os.PathLike[str]) -> NetworkModel:
    """Read a network file of KataGo.

    Parameters
    ----------
    path : path
        The file. Whether it is compressed, and whether its arrays are binary or text,
        the content tells.

    Raises
    ------
    InputError
        The file cannot be read, is damaged or cut short, expands like no network does,
        or is of a version that is not read.
    """
    file = os.fspath(path)
    packed = _packed(Path(file))
    data = _unpacked(packed, file)
    return _model(Tokens(data, file), hashlib.sha256(packed).hexdigest())


def read_header(path: str | os.PathLike[str]) -> Header:
    """Read only the beginning of a network file: its name, version and size.

    Raises
    ------
    InputError
        As `read_model`, as far as the beginning tells.
    """
    file = os.fspath(path)
    try:
        raw = Path(file).open("rb", buffering=0)  # noqa: SIM115 (the stream closes it)
    except OSError as error:
        raise _unreadable(file, error) from None
    with ByteStream(raw, file, 0, LIMITS) as stream:
        tokens = Tokens(stream.peek(_HEADER)[:_HEADER], file)
    name, version, _, _, _ = _opening(tokens)
    _, blocks, channels, _ = _trunk_opening(tokens, version)
    return Header(name, version, blocks, channels)


def _unreadable(file: str, error: OSError) -> InputError:
    return InputError(
        f"cannot be read: {error.strerror}", file=file, hint="check the name and its rights"
    )


def _packed(path: Path) -> bytes:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise InputError("is larger than any network", file=str(path))
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(str(path), error) from None


def _unpacked(packed: bytes, file: str) -> bytes:
    stream = ByteStream(io.BytesIO(packed), file, len(packed), LIMITS)
    if stream.compression is None:
        return packed
    data = b"".join(stream.pieces())
    if stream.damage is not None:
        raise InputError(stream.damage, file=file, hint="download it again")
    return data


def _opening(tokens: Tokens) -> tuple[str, int, Scaling, int, bool]:
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
    metadata, suicide = 0, False
    if version >= 15:
        metadata = tokens.whole("the version of the metadata encoder", 0, 1)
        suicide = bool(tokens.whole("the choice of pass-alive inputs", 0, 1))
        _unused(tokens, 6)
    return name, version, scaling, metadata, suicide


def _unused(tokens: Tokens, count: int) -> None:
    """Room for options of later versions, all of them 0 so far."""
    for _ in range(count):
        tokens.whole("an option that no known network uses", 0, 0)


def _model(tokens: Tokens, sha256: str) -> NetworkModel:
    name, version, scaling, metadata, suicide = _opening(tokens)
    layers = LayerReader(tokens, version)
    trunk = _trunk(layers, metadata)
    policy = _policy(layers, trunk.channels)
    value = _value(layers, trunk.channels)
    tokens.end()
    return NetworkModel(
        name, version, sha256, scaling, suicide, trunk, policy, value, layers.parameters
    )


def _trunk_opening(tokens: Tokens, version: int) -> tuple[str, int, int, bool]:
    name = tokens.word("the name of the trunk")
    blocks = tokens.whole("the number of blocks", 1, _blocks.MOST_BLOCKS)
    channels = tokens.whole("the number of channels", 1, _blocks.MOST_CHANNELS)
    for _ in range(4):  # widths inside the blocks, which say it themselves
        tokens.whole("a number of channels", 0, _blocks.MOST_CHANNELS)
    rms = False
    if version >= 15:
        rms = bool(tokens.whole("the kind of the trunk's normalisation", 0, 1))
        _unused(tokens, 5)
    return name, blocks, channels, rms


def _trunk(layers: LayerReader, metadata: int) -> Trunk:
    name, blocks, channels, rms = _trunk_opening(layers.tokens, layers.version)
    conv = layers.convolution(SPATIAL, channels)
    from_globals = layers.linear(GLOBAL, channels)
    encoder = _metadata(layers, channels) if metadata else None
    stack = layers.blocks(blocks, channels, depth=0)
    norm: Norm = layers.rms_norm(channels) if rms else layers.batch_norm(channels)
    return Trunk(name, channels, conv, from_globals, encoder, stack, norm, layers.activation())


def _metadata(layers: LayerReader, channels: int) -> MetadataEncoder:
    name = layers.tokens.word("the name of the metadata encoder")
    inputs = layers.tokens.whole("its number of inputs", _METADATA_INPUTS, _METADATA_INPUTS)
    first = layers.linear(inputs)
    first_bias = layers.bias(first.shape[1])
    one = layers.activation()
    second = layers.linear(first.shape[1])
    second_bias = layers.bias(second.shape[1])
    two = layers.activation()
    third = layers.linear(second.shape[1], channels)
    return MetadataEncoder(name, inputs, first, first_bias, one, second, second_bias, two, third)


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
    conv = layers.convolution(channels)
    pool_conv = layers.convolution(channels)
    pooled = pool_conv.outputs
    pool_norm = layers.batch_norm(pooled)
    pool_activation = layers.activation()
    pool_to_bias = layers.linear(3 * pooled, conv.outputs)
    norm = layers.batch_norm(conv.outputs)
    activation = layers.activation()
    final_conv = layers.convolution(conv.outputs, policies)
    head = (
        name,
        conv,
        pool_conv,
        pool_norm,
        pool_activation,
        pool_to_bias,
        norm,
        activation,
        final_conv,
    )
    if layers.version < 15:
        return PolicyHead(*head, layers.linear(3 * pooled, policies))
    return PolicyHead(
        *head,
        layers.linear(3 * pooled, conv.outputs),
        layers.bias(conv.outputs),
        layers.activation(),
        layers.linear(conv.outputs, policies),
    )


def _value(layers: LayerReader, channels: int) -> ValueHead:
    name = layers.tokens.word("the name of the value head")
    if layers.version >= 17:
        _unused(layers.tokens, 3)
    scores = 6 if layers.version >= 9 else 4
    conv = layers.convolution(channels)
    norm = layers.batch_norm(conv.outputs)
    activation = layers.activation()
    first = layers.linear(3 * conv.outputs)
    hidden = first.shape[1]
    return ValueHead(
        name,
        conv,
        norm,
        activation,
        first,
        layers.bias(hidden),
        layers.activation(),
        layers.linear(hidden, 3),
        layers.bias(3),
        layers.linear(hidden, scores),
        layers.bias(scores),
        layers.convolution(conv.outputs, 1),
    )
