from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.cli.calls import Command
from tests.go.nets.server import serve
from tests.go.random_net import ALL_SHAPES, Shape, network_bytes, write_network
from yardstone.go.nets import store

INCLUDED = store.network_name(store.INCLUDED)


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    monkeypatch.delenv("YARDSTONE_NET", raising=False)
    return home / "yardstone" / "nets"


def test_a_life_of_networks(cache: Path, run: Command) -> None:
    lines = run("go nets list").out.splitlines()
    assert lines[1].split()[:4] == [INCLUDED, "8", "6", "64"]
    assert lines[2] == f"{INCLUDED} comes with Yardstone."
    assert lines[3].startswith(f"No other network in {cache}: `yardstone go nets download")
    one = write_network(run.folder / "one.bin.gz", ALL_SHAPES["v8"])
    assert run("go nets add one.bin.gz").out == f"Added one: {cache}/one.bin.gz\n"
    for name, shape in (("x", Shape(17)), ("y", Shape(8))):
        write_network(run.folder / f"{name}.bin", shape)
    run("go nets add x.bin --name two")
    assert "--replace" in run("go nets add y.bin --name two", status=1).err
    run("go nets add y.bin --name two --replace")
    checksum = hashlib.sha256(one.read_bytes()).hexdigest()
    lines = run("go nets list").out.splitlines()
    assert lines[0].split() == ["network", "version", "blocks", "channels", "size", "SHA-256"]
    words = lines[2].split()
    assert (words[:4], words[-1]) == (["one", "8", "2", "16"], checksum[:12])
    rows = run.rows("go nets list")
    assert [row["name"] for row in rows] == [INCLUDED, "one", "two"]
    assert rows[1]["sha256"] == checksum
    # All of them are there, or none is removed.
    assert "no network 'none'" in run("go nets remove two none", status=1).err
    assert run("go nets remove one two").out.count("Removed ") == 2
    assert [row["name"] for row in run.json("go nets list")] == [INCLUDED]
    (cache / "notes.txt").write_text("some notes")
    assert "notes: is not a network of KataGo" in run("go nets list").out
    assert "network" in run("go nets add game.sgf", status=1).err


def test_a_network_in_detail_and_a_download(cache: Path, run: Command) -> None:
    write_network(run.folder / "one.bin.gz", ALL_SHAPES["v17-fixed"])
    text = run("go nets show one.bin.gz").out
    for words in (
        "random-17-1\n", "3 (1 attention, 1 feed-forward, 1 residual)",
        "spatial root mean square", "as if suicide were legal",
    ):  # fmt: skip
        assert words in text
    run("go nets add one.bin.gz")
    result = run.json("go nets show")
    assert (result["file"], result["policies"]) == (str(cache / "one.bin.gz"), 4)
    write_network(run.folder / "human.bin", Shape(15, metadata=True))
    said = run("go nets show human.bin", status=1).err
    assert "wants to know the players' ranks" in said
    data = network_bytes(Shape(8))
    checksum = hashlib.sha256(data).hexdigest()
    with serve() as site:
        site.files["/net.bin"] = data
        line = f"go nets download {site.url}/net.bin --quiet --sha256"
        assert run(line, checksum).out == f"Downloaded net: {cache}/net.bin\nSHA-256 {checksum}\n"
        assert "SHA-256 is" in run(f"{line} {'0' * 64} --name b", status=1).err
    assert "g170-b6c96-s175395328-d26788732" in run("go nets list --known").out
    (first, *_) = run.json("go nets list --known")
    assert first["url"].startswith("https://")
