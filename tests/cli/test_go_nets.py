from __future__ import annotations

import csv
import hashlib
import io
import json
from pathlib import Path

import pytest

from tests.go.nets.server import serve
from tests.go.random_net import ALL_SHAPES, Shape, network_bytes, write_network
from yardstone.cli.commands import application
from yardstone.errors import InputError
from yardstone.go.nets import store

INCLUDED = store.network_name(store.INCLUDED)


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    application("go", "nets")(
        args=[str(a) for a in arguments], prog_name="nets", standalone_mode=False
    )
    return capsys.readouterr().out


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("YARDSTONE_NET", raising=False)
    return tmp_path / "cache" / "yardstone" / "nets"


def test_a_life_of_networks(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = run(capsys, "list").splitlines()
    assert lines[1].split()[:4] == [INCLUDED, "8", "6", "64"]
    assert lines[2] == f"{INCLUDED} comes with Yardstone."
    assert lines[3].startswith(f"No other network in {cache}: `yardstone go nets download")
    one = write_network(tmp_path / "one.bin.gz", ALL_SHAPES["v8"])
    assert run(capsys, "add", one) == f"Added one: {cache}/one.bin.gz\n"
    run(capsys, "add", write_network(tmp_path / "x.bin", Shape(17)), "--name", "two")
    lines = run(capsys, "list").splitlines()
    assert lines[0].split() == ["network", "version", "blocks", "channels", "size", "SHA-256"]
    assert lines[2].split()[:4] == ["one", "8", "2", "16"]
    assert lines[3].split()[:4] == ["two", "17", "2", "16"]
    assert lines[2].split()[-1] == hashlib.sha256(one.read_bytes()).hexdigest()[:12]
    rows = list(csv.DictReader(io.StringIO(run(capsys, "list", "--format", "csv"))))
    assert [row["name"] for row in rows] == [INCLUDED, "one", "two"]
    assert rows[1]["sha256"] == hashlib.sha256(one.read_bytes()).hexdigest()
    result = json.loads(run(capsys, "list", "--format", "json"))
    assert [row["blocks"] for row in result] == [6, 2, 2]
    run(capsys, "remove", "one")
    lines = run(capsys, "list").splitlines()
    assert [line.split()[0] for line in lines[1:-2]] == [INCLUDED, "two"]
    assert lines[-1] == f"The others are in {cache}."
    with pytest.raises(InputError, match="no network 'one'"):
        run(capsys, "remove", "two", "one")
    assert run(capsys, "remove", "two").startswith("Removed")


def test_a_network_in_detail(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_network(tmp_path / "one.bin.gz", ALL_SHAPES["v17-fixed"])
    text = run(capsys, "show", file)
    assert "random-17-1\n" in text
    assert "3 (1 attention, 1 feed-forward, 1 residual)" in text
    assert "spatial root mean square" in text
    assert "as if suicide were legal" in text
    run(capsys, "add", file)
    result = json.loads(run(capsys, "show", "--format", "json"))
    assert result["file"] == str(cache / "one.bin.gz")
    assert result["policies"] == 4
    human = write_network(tmp_path / "human.bin", Shape(15, metadata=True))
    with pytest.raises(InputError, match="wants to know the players' ranks"):
        run(capsys, "show", human)


def test_a_download(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = network_bytes(Shape(8))
    checksum = hashlib.sha256(data).hexdigest()
    with serve() as site:
        site.files["/net.bin"] = data
        text = run(capsys, "download", f"{site.url}/net.bin", "--sha256", checksum, "--quiet")
        assert text == f"Downloaded net: {cache}/net.bin\nSHA-256 {checksum}\n"
        with pytest.raises(InputError, match="SHA-256 is"):
            run(capsys, "download", f"{site.url}/net.bin", "--name", "b", "--sha256", "0" * 64)


def test_known_networks(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "list", "--known")
    assert "g170-b6c96-s175395328-d26788732" in text
    result = json.loads(run(capsys, "list", "--known", "--format", "json"))
    assert result[0]["url"].startswith("https://")
    assert "short,url" in run(capsys, "list", "--known", "--format", "csv").replace("name,", "", 1)


def test_what_is_no_network(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "game.sgf").write_text("(;GM[1]FF[4];B[pd])")
    with pytest.raises(InputError, match="network"):
        run(capsys, "add", tmp_path / "game.sgf")
    cache.mkdir(parents=True)
    (cache / "notes.txt").write_text("some notes")
    assert "notes: is not a network of KataGo" in run(capsys, "list")
