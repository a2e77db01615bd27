"""Files of networks: reading, keeping, finding, downloading."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from tests.go.nets.server import Site, serve
from tests.go.random_net import (
    ALL_SHAPES,
    AttentionShape,
    BlockShape,
    Nested,
    Shape,
    network_bytes,
    write_network,
)
from yardstone.errors import InputError
from yardstone.go.nets import find_network, load_network, read_model, store
from yardstone.go.nets.layers import Bottleneck, NetworkModel, Scaling
from yardstone.go.nets.model_file import Tokens, read_header
from yardstone.go.nets.store import describe_file
from yardstone.parallel import context


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("YARDSTONE_NET", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "cache" / "yardstone" / "nets"


def kept() -> list[store.StoredNetwork]:
    """Those in the user's folder, after the included one."""
    _, *others = store.list_networks()
    assert not any(each.included for each in others)
    return others


def test_the_included_network(cache: Path, tmp_path: Path) -> None:
    included = store.list_networks()[0]
    assert (included.path, included.included, included.problem) == (store.INCLUDED, True, None)
    assert load_network(included.name, threads=1).sha256 == included.sha256
    with pytest.raises(InputError, match="comes with Yardstone, and stays"):
        store.remove_network(included.name)
    assert store.add_network(store.INCLUDED).path == store.INCLUDED  # it is there already
    other = write_network(tmp_path / store.INCLUDED.name, Shape(8))
    for forced, message in ((False, "another network is called"), (True, "comes with Yardstone")):
        with pytest.raises(InputError, match=message):
            store.add_network(other, replace=forced)
    assert store.INCLUDED.exists()
    assert not cache.exists() or not list(cache.iterdir())


def test_the_folder(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.networks_folder() == cache
    monkeypatch.setenv("HOME", str(tmp_path))
    for value in ("", "relative/folder"):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        assert store.networks_folder() == tmp_path / ".cache" / "yardstone" / "nets"
    for file in ("b6.bin.gz", "b6.txt", "b6.BIN", "some/b6.gz", "b6"):
        assert store.network_name(file) == "b6"
    assert store.network_name("g170-b6.c96.bin.gz") == "g170-b6.c96"


def test_adding_listing_and_removing(cache: Path, tmp_path: Path) -> None:
    one = write_network(tmp_path / "one.bin.gz", Shape(8))
    two = write_network(tmp_path / "two.txt", Shape(12, text=True, blocks=("residual",) * 3))
    added = [store.add_network(one), store.add_network(two, name="second"), store.add_network(one)]
    assert [each.path.name for each in added] == ["one.bin.gz", "second.txt", "one.bin.gz"]
    first, second = kept()
    assert (first.name, first.size, first.problem) == ("one", one.stat().st_size, None)
    headers = [each.header and each.header[1:] for each in (first, second)]
    assert headers == [(8, 2, 16), (12, 3, 16)]
    assert first.path.read_bytes() == one.read_bytes()
    assert left(cache) == ["one.bin.gz", "second.txt"]
    assert first.path.stat().st_mode & 0o777 == 0o644
    assert store.remove_network("second") == cache / "second.txt"
    assert [network.name for network in kept()] == ["one"]
    for name in ("second", "../../../one.bin.gz"):
        with pytest.raises(InputError, match=r"no network .*there are: yardstone-b6c64, one\)"):
            store.remove_network(name)
    # Another of the same name.
    other = write_network(tmp_path / "one.bin", Shape(9))
    with pytest.raises(InputError, match="another network is called 'one'") as caught:
        store.add_network(other)
    assert caught.value.file == str(cache / "one.bin.gz")
    assert store.add_network(other, replace=True).path == cache / "one.bin"
    assert [network.path.name for network in kept()] == ["one.bin"]
    for name in ("../up", ".hidden", "a b", "x" * 201):
        with pytest.raises(InputError, match="cannot be the name"):
            store.add_network(one, name=name)
    assert store.add_network(one, name="x" * 200).name == "x" * 200


def test_what_is_no_network(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "damaged.bin.gz"
    damaged.write_bytes(gzip.compress(network_bytes(Shape(8))[:-10]))
    with pytest.raises(InputError, match="ends within"):
        store.add_network(damaged)
    assert not cache.exists()
    # Files that somebody put there.
    cache.mkdir(parents=True)
    (cache / "notes.txt").write_text("not a network at all")
    (cache / ".one.bin.gz.1234.part").write_bytes(b"half")
    good = write_network(cache / "good.bin", Shape(8))
    problems = {each.name: each.problem for each in kept()}
    assert problems == {"good": None, "notes": "is not a network of KataGo"}
    monkeypatch.setenv("XDG_CACHE_HOME", str(damaged))
    with pytest.raises(InputError, match="cannot be made"):
        store.add_network(good)


def test_finding(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for network in store.KNOWN:
        assert re.fullmatch(rf"https://.*/{network.name}\.bin\.gz", network.url)
        assert store.known_network(network.short) is store.known_network(network.name) is network
    assert find_network() == find_network(store.network_name(store.INCLUDED)) == store.INCLUDED
    file = write_network(tmp_path / "mine.bin.gz", Shape(8))
    assert find_network(file) == file
    stored = store.add_network(file, name="stored").path
    assert find_network() == stored
    assert find_network("stored") == find_network("stored.bin.gz") == stored
    assert load_network().file == str(stored)
    short = store.add_network(file, name=store.KNOWN[0].name).path
    assert find_network(store.KNOWN[0].short) == short
    with pytest.raises(InputError, match=r"several .*there are: yardstone-b6c64, g170.*, stored"):
        find_network()
    for value, found in (("stored", stored), (str(file), file)):
        monkeypatch.setenv("YARDSTONE_NET", value)
        assert find_network() == found
        assert find_network("stored") == stored
    monkeypatch.setenv("YARDSTONE_NET", "nowhere")
    with pytest.raises(InputError, match="nowhere: YARDSTONE_NET: no such network file"):
        find_network()
    with pytest.raises(InputError, match="is a folder"):
        find_network(tmp_path)


DATA = gzip.compress(network_bytes(Shape(8)), mtime=0)
SUM = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def site() -> Iterator[Site]:
    with serve() as running:
        running.files["/nets/small.bin.gz"] = DATA
        yield running


def left(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir())


def test_a_download(site: Site, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int, int]] = []
    url = f"{site.url}/nets/small.bin.gz"
    with context(progress=lambda *each: seen.append(each)):
        got = store.download_network(url, sha256=SUM.upper())
    assert (got.path, got.path.read_bytes()) == (cache / "small.bin.gz", DATA)
    assert seen[-1] == ("Downloading", len(DATA), len(DATA))
    assert left(cache) == ["small.bin.gz"]
    store.download_network(url, sha256=SUM)
    assert len(site.asked) == 1  # it was there
    assert store.download_network(f"{url}?token=x", name="other").path.name == "other.bin.gz"
    # A known network, by its short name.
    network = store.KnownNetwork("full-name", "short", url, SUM, "a test")
    monkeypatch.setattr("yardstone.go.nets.store.KNOWN", (network,))
    assert store.download_network("short").path == cache / "full-name.bin.gz"
    assert find_network("short") == cache / "full-name.bin.gz"
    assert store.download_network("full-name", name="mine").name == "mine"
    with pytest.raises(InputError, match="the SHA-256 of full-name"):
        store.download_network("short", sha256="0" * 64)
    with pytest.raises(InputError, match="one of short, or an address"):
        store.download_network("nothing")
    # Another of that name is kept.
    site.files["/nets/small.bin.gz"] = gzip.compress(network_bytes(Shape(9)))
    with pytest.raises(InputError, match="another network is called 'small'"):
        store.download_network(url)
    assert (cache / "small.bin.gz").read_bytes() == DATA
    store.download_network(url, replace=True)
    assert load_network("small").version == 9


def test_an_interrupted_download_goes_on(site: Site, cache: Path) -> None:
    site.breaks_after = 50_000
    url = f"{site.url}/nets/small.bin.gz"
    with pytest.raises(InputError, match=r"broke off.*what has come is kept"):
        store.download_network(url, sha256=SUM)
    (part,) = cache.iterdir()
    assert (part.suffix, part.read_bytes()) == (".part", DATA[:50_000])
    assert find_network() == store.INCLUDED
    site.breaks_after = None
    # From a server that gives no parts, too, and of a part that is whole or too long.
    for left_over, ranges in (
        (DATA[:50_000], True), (DATA[:50_000], False), (DATA, True), (DATA + b"more", True),
    ):  # fmt: skip
        part.write_bytes(left_over)
        site.ranges = ranges
        assert store.download_network(url, sha256=SUM).path.read_bytes() == DATA
        if len(site.asked) == 2:
            assert site.asked[-1][1] == "bytes=50000-"
        assert left(cache) == ["small.bin.gz"]
        (cache / "small.bin.gz").unlink()


def test_servers_that_do_not_help(site: Site, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"{site.url}/nets/small.bin.gz"
    with pytest.raises(InputError, match=f"SHA-256 is {SUM}, not 0000.*nothing of it was kept"):
        store.download_network(url, sha256="0" * 64)
    for data in (b"<html>Sign in</html>", gzip.compress(network_bytes(Shape(8))[:-9]), b""):
        site.files["/nets/small.bin.gz"] = data
        with pytest.raises(InputError, match=re.escape(url)):
            store.download_network(url)
        assert left(cache) == []
    site.files["/nets/small.bin.gz"] = DATA
    site.moved["/old/small.bin.gz"] = url
    assert store.download_network(f"{site.url}/old/small.bin.gz").size == len(DATA)
    site.moved["/old/evil.bin.gz"] = "ftp://127.0.0.1/evil.bin.gz"
    for address, message in (
        (f"{site.url}/nets/none.bin.gz", "answers 404"),
        (f"{site.url}/old/evil.bin.gz", "not encrypted"),
        ("ftp://host/net.bin.gz", "not an address of the web"),
        ("file:///etc/passwd", "not an address of the web"),
        ("https:///net.bin.gz", "not an address of the web"),
        (f"{site.url}/", "names no file"),
        (f"{site.url}/%2e%2e", "cannot be the name"),
    ):
        with pytest.raises(InputError, match=message):
            store.download_network(address)
    with pytest.raises(InputError, match="not a SHA-256"):
        store.download_network(url, sha256="abc")
    for claims, largest in ((5 << 30, store._LARGEST), (None, 20_000)):
        site.claims = claims
        monkeypatch.setattr(store, "_LARGEST", largest)
        with pytest.raises(InputError, match="larger than any network"):
            store.download_network(url, name="large")
    with serve() as running:
        gone = running.url
    with pytest.raises(InputError, match=r"broke off.*is the network up"):
        store.download_network(f"{gone}/net.bin.gz")


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


NETWORK = network_bytes(Shape(17, activation="MISH"))
REST = NETWORK[NETWORK.index(b"\n") :]
CONV = b"conv1\n5\n5\n22\n16"


def change(old: bytes, new: bytes, data: bytes = NETWORK) -> bytes:
    assert old in data
    return data.replace(old, new, 1)


def number_changed(layer: bytes, ahead: int, number: float) -> bytes:
    """The network with one number of a layer changed, whose array begins so many bytes on."""
    place = NETWORK.index(b"@BIN@", NETWORK.index(layer)) + 5 + ahead
    assert NETWORK[place - 5 : place] == b"@BIN@"
    return NETWORK[:place] + np.float32(number).tobytes() + NETWORK[place + 4 :]


def of_blocks(*blocks: BlockShape) -> bytes:
    return network_bytes(Shape(17, blocks=blocks))


def deep(levels: int) -> bytes:
    block: BlockShape = "residual"
    for _ in range(levels):
        block = Nested((block,))
    return of_blocks(block)


def test_what_is_no_network_is_one_clear_error(tmp_path: Path) -> None:
    gates = b"block0\n16\n32\n%d\n"
    for data, message in (
        (b"", "ends before the name"), (b"net", "ends before the model version"),
        (b"<!DOCTYPE html>\n<html>", "not a network of KataGo"), (b"\x00" * 500, "not a word"),
        (b"n" * 200 + REST, "not a word"), (b"net\n7\n22\n19\n", "version 7 is too old"),
        (b"net\n18\n22\n19\n", "version 18 is not known yet"),
        (b"net\n8\n13\n19\n", "number of input planes is 13, not 22"),
        (change(b"19.0\n", b"-1\n"), "the scale of td_score is -1"),
        (change(b"19.0\n", b"nan\n"), "the scale of td_score is nan"),
        (change(b"trunk\n2\n", b"trunk\n0\n"), "number of blocks is 0"),
        (change(b"trunk\n2\n", b"trunk\n1001\n"), "blocks is 1001, not 1 to 1000"),
        (change(b"trunk\n2\n", b"trunk\n3\n"), "blocks of kind 'trunk-norm'"),
        (change(CONV, b"conv1\n4\n5\n22\n16"), "must be odd"),
        (change(CONV, b"conv1\n5\n65\n22\n16"), "width of the filter is 65, not 1 to 63"),
        (change(CONV, b"conv1\n5\n5\n22\n17"), "outputs is 17, not 16"),
        (change(CONV, b"conv1\n5\n5\n22\n6e4"), "not a whole number"),
        (change(CONV, b"conv1\n63\n63\n22\n16"), "ends within the 1,397,088 weights of conv1"),
        (change(b"ACTIVATION_MISH", b"ACTIVATION_TANH"), "'ACTIVATION_TANH' is not known"),
        (change(b"0.001", b"0"), "epsilon is 0"), (NETWORK + b"more", "more data follow"),
        (change(b"@BIN@", b"@BIX@"), "conv1 is not a number"),
        (change(b"policyhead\n2\n", b"policyhead\n3\n"), "number of policies is 3"),
        (NETWORK[:-10], "ends within the 8 weights of ownership"),
        (number_changed(b"conv1\n", 0, np.inf), "a weight of conv1 is not finite"),
        (number_changed(b"block0/pre-norm\n", 4 * 16 + 6, -1), "pre-norm: a variance is negative"),
        (gzip.compress(NETWORK)[:-2000], "damaged gzip"), (deep(9), "nested more than 8 deep"),
        (gzip.compress(b"net\n8\n" + b" " * (80 << 20), 1), "expands to more than 40 times"),
        (of_blocks(AttentionShape(3, 2, 4, 4)), "3 heads cannot share 2"),
        (of_blocks(AttentionShape(2, 2, 5, 4)), "5 channels do not make"),
        (change(gates % 1, gates % 0, of_blocks("swiglu")), "whether it is gated is 0"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message) as caught:
            read(tmp_path, data)
        assert (caught.value.file, bool(caught.value.hint)) == (str(tmp_path / "net.bin"), True)
    for data in (deep(8), b"n" * 199 + REST):
        read(tmp_path, data)
    for reader in (read_model, read_header):
        with pytest.raises(InputError, match="No such file"):
            reader(tmp_path / "none.bin.gz")
    with pytest.raises(InputError, match="cannot be read"):
        read_model(tmp_path)
    # With the square of these blanks this would take hours.
    with pytest.raises(InputError, match="ends within the 2 weights"):
        Tokens(b"1 " + b"\t" * (1 << 22), "x").array("a", 2)
