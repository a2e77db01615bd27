from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.go.nets.server import Site, serve
from tests.go.random_net import Shape, network_bytes
from yardstone.errors import InputError
from yardstone.go.nets import find_network, load_network, store
from yardstone.go.nets.store import INCLUDED, KNOWN, KnownNetwork, download_network, known_network
from yardstone.parallel import context

DATA = gzip.compress(network_bytes(Shape(8)), mtime=0)
SUM = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def site() -> Iterator[Site]:
    with serve() as running:
        running.files["/nets/small.bin.gz"] = DATA
        yield running


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("YARDSTONE_NET", raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "yardstone" / "nets"


def left(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir())


def test_a_download(site: Site, cache: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    with context(progress=lambda *each: seen.append(each)):
        got = download_network(f"{site.url}/nets/small.bin.gz", sha256=SUM.upper())
    assert got.path == cache / "small.bin.gz"
    assert got.path.read_bytes() == DATA
    assert seen[-1] == ("Downloading", len(DATA), len(DATA))
    assert left(cache) == ["small.bin.gz"]
    assert load_network("small").version == 8
    download_network(f"{site.url}/nets/small.bin.gz", sha256=SUM)
    assert len(site.asked) == 1  # it was there
    named = download_network(f"{site.url}/nets/small.bin.gz?token=x", name="other")
    assert named.path.name == "other.bin.gz"


def test_a_known_network(site: Site, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = KnownNetwork("full-name", "short", f"{site.url}/nets/small.bin.gz", SUM, "a test")
    monkeypatch.setattr("yardstone.go.nets.store.KNOWN", (network,))
    assert download_network("short").path == cache / "full-name.bin.gz"
    assert find_network("short") == cache / "full-name.bin.gz"
    assert download_network("full-name", name="mine").name == "mine"
    with pytest.raises(InputError, match="the SHA-256 of full-name"):
        download_network("short", sha256="0" * 64)
    with pytest.raises(InputError, match="one of short, or an address"):
        download_network("nothing")


def test_the_list_of_known_networks() -> None:
    for network in KNOWN:
        assert re.fullmatch("[0-9a-f]{64}", network.sha256)
        assert network.url.startswith("https://")
        assert network.url.endswith(f"/{network.name}.bin.gz")
        assert known_network(network.short) is known_network(network.name) is network
    assert len({network.sha256 for network in KNOWN}) == len(KNOWN)


def test_an_interrupted_download_goes_on(site: Site, cache: Path) -> None:
    site.breaks_after = 50_000
    url = f"{site.url}/nets/small.bin.gz"
    with pytest.raises(InputError, match=r"broke off.*what has come is kept"):
        download_network(url, sha256=SUM)
    (part,) = left(cache)
    assert part.endswith(".part")
    assert (cache / part).stat().st_size == 50_000
    assert find_network() == INCLUDED
    site.breaks_after = None
    assert download_network(url, sha256=SUM).path.read_bytes() == DATA
    assert site.asked[-1][1] == "bytes=50000-"
    assert left(cache) == ["small.bin.gz"]
    # So it does from a server that gives no parts, and of a part that is whole or too long.
    kept = cache / part
    for left_over, ranges in ((DATA[:50_000], False), (DATA, True), (DATA + b"more", True)):
        (cache / "small.bin.gz").unlink()
        kept.write_bytes(left_over)
        site.ranges = ranges
        assert download_network(url, sha256=SUM).path.read_bytes() == DATA
        assert left(cache) == ["small.bin.gz"]


def test_a_file_that_is_not_what_it_should_be(site: Site, cache: Path) -> None:
    url = f"{site.url}/nets/small.bin.gz"
    with pytest.raises(InputError, match=f"SHA-256 is {SUM}, not 0000.*nothing of it was kept"):
        download_network(url, sha256="0" * 64)
    assert left(cache) == []
    for data in (b"<html>Sign in</html>", gzip.compress(network_bytes(Shape(8))[:-9]), b""):
        site.files["/nets/small.bin.gz"] = data
        with pytest.raises(InputError, match=re.escape(url)):
            download_network(url)
        assert left(cache) == []


def test_servers_that_do_not_help(site: Site, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="answers 404"):
        download_network(f"{site.url}/nets/none.bin.gz")
    site.moved["/old/small.bin.gz"] = f"{site.url}/nets/small.bin.gz"
    assert download_network(f"{site.url}/old/small.bin.gz").size == len(DATA)
    site.moved["/old/evil.bin.gz"] = "ftp://127.0.0.1/evil.bin.gz"
    with pytest.raises(InputError, match="not encrypted"):
        download_network(f"{site.url}/old/evil.bin.gz")
    site.claims = 5 << 30
    with pytest.raises(InputError, match="larger than any network"):
        download_network(f"{site.url}/nets/small.bin.gz", name="large")
    monkeypatch.setattr(store, "_LARGEST", 20_000)
    site.claims = None
    with pytest.raises(InputError, match="larger than any network"):
        download_network(f"{site.url}/nets/small.bin.gz", name="large")
    closed = site.url
    site.url = ""
    for address, message in [
        ("ftp://host/net.bin.gz", "not an address of the web"),
        ("file:///etc/passwd", "not an address of the web"),
        ("https:///net.bin.gz", "not an address of the web"),
        (f"{closed}/", "names no file"),
        (f"{closed}/%2e%2e", "cannot be the name"),
    ]:
        with pytest.raises(InputError, match=message):
            download_network(address)
    with pytest.raises(InputError, match="not a SHA-256"):
        download_network(f"{closed}/x.bin.gz", sha256="abc")
    with serve() as running:
        gone = running.url
    with pytest.raises(InputError, match=r"broke off.*is the network up"):
        download_network(f"{gone}/net.bin.gz")


def test_another_network_of_that_name_is_kept(site: Site, cache: Path) -> None:
    url = f"{site.url}/nets/small.bin.gz"
    download_network(url)
    site.files["/nets/small.bin.gz"] = gzip.compress(network_bytes(Shape(9)))
    with pytest.raises(InputError, match="another network is called 'small'"):
        download_network(url)
    assert (cache / "small.bin.gz").read_bytes() == DATA
    download_network(url, replace=True)
    assert load_network("small").version == 9
