from __future__ import annotations

import gzip
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from tests.go.random_net import (
    ALL_SHAPES,
    AttentionShape,
    Nested,
    Shape,
    network_bytes,
    write_network,
)
from yardstone.errors import InputError
from yardstone.go.nets import read_model
from yardstone.go.nets.layers import Bottleneck, NetworkModel, Scaling
from yardstone.go.nets.model_file import Tokens, read_header
from yardstone.go.nets.store import describe_file


def read(tmp_path: Path, data: bytes, name: str = "net.bin") -> NetworkModel:
    (tmp_path / name).write_bytes(data)
    return read_model(tmp_path / name)


@pytest.mark.parametrize("name", ALL_SHAPES)
def test_text_and_binary_files_hold_the_same(name: str, tmp_path: Path) -> None:
    """The content tells the kind of file, not its name."""
    shape = ALL_SHAPES[name]
    binary = read_model(write_network(tmp_path / "net.bin.gz", shape))
    data = gzip.compress(network_bytes(replace(shape, text=True)))
    text = read(tmp_path, data, "net.bin")
    assert (binary.version, binary.pass_alive_under_suicide) == (shape.version, shape.suicide)
    assert len(binary.trunk.blocks) == len(shape.blocks)
    assert text.sha256 != binary.sha256
    np.testing.assert_equal(asdict(text), {**asdict(binary), "sha256": text.sha256})


def test_what_a_network_is_like(tmp_path: Path) -> None:
    read(tmp_path, network_bytes(ALL_SHAPES["v17-mixed"]))
    facts = describe_file(tmp_path / "net.bin")
    assert facts["kind"] == "nested transformer"
    kinds = {"nested bottleneck": 3, "attention": 1, "feed-forward": 1, "global pooling": 1}
    assert facts["block_kinds"] == {**kinds, "residual": 1}
    assert (facts["activation"], facts["norm"], facts["policies"]) == ("mish", "batch", 2)
    assert read_header(tmp_path / "net.bin") == (facts["name"], 17, 2, 16)
    model = read(tmp_path, network_bytes(ALL_SHAPES["v16-silu"]))
    assert describe_file(tmp_path / "net.bin")["norm"] == "spatial root mean square"
    assert model.policy.final_conv.outputs == 4
    assert model.scaling == Scaling(19.0, 21.0, 18.0, 22.0, 41.0, 0.3, 140.0)
    nested = model.trunk.blocks[1]
    assert isinstance(nested, Bottleneck)
    assert len(nested.blocks) == 3
    usual = read(tmp_path, network_bytes(Shape(12))).scaling
    assert usual == Scaling(20.0, 20.0, 20.0, 20.0, 40.0, 0.25, 30.0)


def change(data: bytes, old: bytes, new: bytes) -> bytes:
    assert old in data
    return data.replace(old, new, 1)


def number_changed(layer: bytes, ahead: int, number: float) -> bytes:
    """The network with one number of a layer changed, whose array begins so many bytes on."""
    place = DATA.index(b"@BIN@", DATA.index(layer)) + 5 + ahead
    assert DATA[place - 5 : place] == b"@BIN@"
    return DATA[:place] + np.float32(number).tobytes() + DATA[place + 4 :]


def deep(levels: int) -> bytes:
    block = Nested(("residual",))
    for _ in range(levels - 1):
        block = Nested((block,))
    return network_bytes(Shape(17, blocks=(block,)))


DATA = network_bytes(Shape(17, activation="MISH"))


CONV = b"conv1\n5\n5\n22\n16"


def test_what_is_no_network_is_one_clear_error(tmp_path: Path) -> None:
    gated = network_bytes(Shape(17, blocks=("swiglu",)))
    for data, message in (
        (b"", "ends before the name"),
        (b"net", "ends before the model version"),
        (b"<!DOCTYPE html>\n<html>", "not a network of KataGo"),
        (b"\x00" * 500, "not a word"),
        (b"n" * 200 + DATA[DATA.index(b"\n") :], "not a word"),
        (b"net\n7\n22\n19\n", "version 7 is too old"),
        (b"net\n18\n22\n19\n", "version 18 is not known yet"),
        (b"net\n8\n13\n19\n", "number of input planes is 13, not 22"),
        (change(DATA, b"19.0\n", b"-1\n"), "the scale of td_score is -1"),
        (change(DATA, b"19.0\n", b"nan\n"), "the scale of td_score is nan"),
        (change(DATA, b"trunk\n2\n", b"trunk\n0\n"), "number of blocks is 0"),
        (change(DATA, b"trunk\n2\n", b"trunk\n1001\n"), "blocks is 1001, not 1 to 1000"),
        (change(DATA, b"trunk\n2\n", b"trunk\n3\n"), "blocks of kind 'trunk-norm'"),
        (change(DATA, CONV, b"conv1\n4\n5\n22\n16"), "must be odd"),
        (change(DATA, CONV, b"conv1\n5\n65\n22\n16"), "width of the filter is 65, not 1 to 63"),
        (change(DATA, CONV, b"conv1\n5\n5\n22\n17"), "outputs is 17, not 16"),
        (change(DATA, CONV, b"conv1\n5\n5\n22\n6e4"), "not a whole number"),
        (
            change(DATA, CONV, b"conv1\n63\n63\n22\n16"),
            "ends within the 1,397,088 weights of conv1",
        ),
        (change(DATA, b"ACTIVATION_MISH", b"ACTIVATION_TANH"), "'ACTIVATION_TANH' is not known"),
        (change(DATA, b"0.001", b"0"), "epsilon is 0"),
        (change(DATA, b"@BIN@", b"@BIX@"), "conv1 is not a number"),
        (change(DATA, b"policyhead\n2\n", b"policyhead\n3\n"), "number of policies is 3"),
        (DATA + b"more", "more data follow"),
        (DATA[:-10], "ends within the 8 weights of ownership"),
        (DATA[: len(DATA) // 2], "ends within"),
        (number_changed(b"conv1\n", 0, np.inf), "a weight of conv1 is not finite"),
        (number_changed(b"block0/pre-norm\n", 4 * 16 + 6, -1), "pre-norm: a variance is negative"),
        (gzip.compress(DATA)[:-2000], "damaged gzip"),
        (gzip.compress(b"net\n8\n" + b" " * (80 << 20), 1), "expands to more than 40 times"),
        (deep(9), "nested more than 8 deep"),
        (
            network_bytes(Shape(17, blocks=(AttentionShape(3, 2, 4, 4),))),
            "3 heads cannot share 2",
        ),
        (
            network_bytes(Shape(17, blocks=(AttentionShape(2, 2, 5, 4),))),
            "5 channels do not make",
        ),
        (change(gated, b"block0\n16\n32\n1\n", b"block0\n16\n32\n0\n"), "whether it is gated is 0"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            read(tmp_path, data)
        assert (caught.value.file, bool(caught.value.hint)) == (str(tmp_path / "net.bin"), True)
    for data in (deep(8), b"n" * 199 + DATA[DATA.index(b"\n") :]):
        read(tmp_path, data)
    for reader in (read_model, read_header):
        with pytest.raises(InputError, match="No such file"):
            reader(tmp_path / "none.bin.gz")
    with pytest.raises(InputError, match="cannot be read"):
        read_model(tmp_path)
    # With the square of these blanks this would take hours.
    with pytest.raises(InputError, match="ends within the 2 weights"):
        Tokens(b"1 " + b"\t" * (1 << 22), "x").array("a", 2)
