from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.go.random_net import Shape, network_bytes, write_network
from yardstone.errors import InputError
from yardstone.go.nets import find_network, load_network
from yardstone.go.nets.store import (
    INCLUDED,
    KNOWN,
    StoredNetwork,
    add_network,
    file_sha256,
    list_networks,
    network_name,
    networks_folder,
    remove_network,
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("YARDSTONE_NET", raising=False)
    return tmp_path / "cache" / "yardstone" / "nets"


def kept() -> list[StoredNetwork]:
    """Those in the user's folder, after the included one."""
    included, *others = list_networks()
    assert included.included
    assert not any(each.included for each in others)
    return others


def test_the_included_network(cache: Path, tmp_path: Path) -> None:
    included = list_networks()[0]
    assert (included.path, included.problem) == (INCLUDED, None)
    assert included.size < 4e6
    assert load_network(included.name, threads=1).sha256 == included.sha256
    with pytest.raises(InputError, match="comes with Yardstone, and stays"):
        remove_network(included.name)
    assert add_network(INCLUDED).path == INCLUDED  # it is there already
    other = write_network(tmp_path / INCLUDED.name, Shape(8))
    with pytest.raises(InputError, match="another network is called"):
        add_network(other)
    with pytest.raises(InputError, match="comes with Yardstone"):
        add_network(other, replace=True)
    assert INCLUDED.exists()
    assert not cache.exists() or not list(cache.iterdir())


def test_the_folder(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert networks_folder() == cache
    for value in ("", "relative/folder"):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        monkeypatch.setenv("HOME", str(tmp_path))
        assert networks_folder() == tmp_path / ".cache" / "yardstone" / "nets"
    assert kept() == []
    for file in ("b6.bin.gz", "b6.txt", "b6.BIN", "some/b6.gz", "b6"):
        assert network_name(file) == "b6"
    assert network_name("g170-b6.c96.bin.gz") == "g170-b6.c96"


def test_adding_listing_and_removing(cache: Path, tmp_path: Path) -> None:
    one = write_network(tmp_path / "one.bin.gz", Shape(8))
    two = write_network(tmp_path / "two.txt", Shape(12, text=True, blocks=("residual",) * 3))
    assert add_network(one).path == cache / "one.bin.gz"
    assert add_network(two, name="second").path == cache / "second.txt"
    assert add_network(one).name == "one"  # again: it is there already
    first, second = kept()
    assert (first.name, first.size, first.problem) == ("one", one.stat().st_size, None)
    assert first.header is not None
    assert second.header is not None
    assert (first.header.version, first.header.blocks, first.header.channels) == (8, 2, 16)
    assert (second.header.version, second.header.blocks) == (12, 3)
    assert file_sha256(first.path) == file_sha256(one)
    assert sorted(path.name for path in cache.iterdir()) == ["one.bin.gz", "second.txt"]
    assert first.path.stat().st_mode & 0o777 == 0o644
    assert remove_network("second") == cache / "second.txt"
    assert [network.name for network in kept()] == ["one"]
    with pytest.raises(
        InputError, match=r"no network 'second' \(there are: yardstone-b6c64, one\)"
    ):
        remove_network("second")
    with pytest.raises(InputError, match="no network"):
        remove_network("../../../one.bin.gz")


def test_another_network_of_the_same_name(cache: Path, tmp_path: Path) -> None:
    one = write_network(tmp_path / "net.bin.gz", Shape(8))
    other = write_network(tmp_path / "net.bin", Shape(9))
    add_network(one)
    with pytest.raises(InputError, match="another network is called 'net'") as caught:
        add_network(other)
    assert caught.value.file == str(cache / "net.bin.gz")
    assert add_network(other, replace=True).path == cache / "net.bin"
    assert [network.path.name for network in kept()] == ["net.bin"]
    assert add_network(one, name="old").name == "old"
    for name in ("../up", ".hidden", "a b", "x" * 201):
        with pytest.raises(InputError, match="cannot be the name"):
            add_network(one, name=name)
    assert add_network(one, name="x" * 200).name == "x" * 200


def test_what_is_no_network(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "damaged.bin.gz"
    damaged.write_bytes(gzip.compress(network_bytes(Shape(8))[:-10]))
    with pytest.raises(InputError, match="ends within"):
        add_network(damaged)
    assert not cache.exists()
    # Files that somebody put there.
    cache.mkdir(parents=True)
    (cache / "notes.txt").write_text("not a network at all")
    (cache / ".one.bin.gz.1234.part").write_bytes(b"half")
    write_network(cache / "good.bin", Shape(8))
    good, notes = kept()
    assert (good.name, good.problem) == ("good", None)
    assert (notes.header, notes.problem) == (None, "is not a network of KataGo")
    monkeypatch.setenv("XDG_CACHE_HOME", str(damaged))
    with pytest.raises(InputError, match="cannot be made"):
        add_network(write_network(tmp_path / "net.bin", Shape(8)))


def test_finding(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_network() == find_network(network_name(INCLUDED)) == INCLUDED
    file = write_network(tmp_path / "mine.bin.gz", Shape(8))
    assert find_network(file) == file
    stored = add_network(file, name="stored").path
    assert find_network() == stored
    assert find_network("stored") == find_network("stored.bin.gz") == stored
    assert load_network().file == str(stored)
    short = add_network(file, name=KNOWN[0].name).path
    assert find_network(KNOWN[0].short) == short
    with pytest.raises(
        InputError, match=r"several are kept .*there are: yardstone-b6c64, g170.*, stored"
    ):
        find_network()
    monkeypatch.setenv("YARDSTONE_NET", "stored")
    assert find_network() == stored
    monkeypatch.setenv("YARDSTONE_NET", str(file))
    assert find_network() == file
    assert find_network("stored") == stored
    monkeypatch.setenv("YARDSTONE_NET", "nowhere")
    with pytest.raises(InputError, match="nowhere: YARDSTONE_NET: no such network file"):
        find_network()
    with pytest.raises(InputError, match="is a folder"):
        find_network(tmp_path)
