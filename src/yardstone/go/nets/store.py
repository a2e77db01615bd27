"""Networks that are there: the included one and the user's folder; adding, removing, finding."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from yardstone.errors import InputError
from yardstone.files import cache_folder, replaced, unwritable
from yardstone.go.nets.layers import (
    Attention,
    Block,
    Bottleneck,
    FeedForward,
    GlobalPooling,
    RmsNorm,
)
from yardstone.go.nets.model_file import Header, read_header, read_model
from yardstone.go.rules import KNOWLEDGE
from yardstone.parallel import Track

#: Names the network to take where none is given: a file, or a name in the folder.
ENVIRONMENT = "YARDSTONE_NET"

#: The small network that comes with Yardstone: taken where there is no other.
INCLUDED = Path(__file__).parent / "data" / "yardstone-b6c64.bin.gz"

_ENDINGS = (".bin.gz", ".txt.gz", ".bin", ".txt", ".gz")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,199}")


@dataclass(frozen=True, slots=True)
class StoredNetwork:
    """The included network, or a file in the user's folder.

    `name` is the file's name without its ending, `size` in bytes; `header` is what its beginning
    says, or `problem` why it is no network.
    """

    name: str
    path: Path
    size: int
    header: Header | None
    problem: str | None

    @property
    def sha256(self) -> str:
        """The SHA-256 of the file, in hexadecimal."""
        return file_sha256(self.path)

    @property
    def included(self) -> bool:
        """Whether it comes with Yardstone."""
        return self.path == INCLUDED


def networks_folder() -> Path:
    """Where networks are kept: ``yardstone/nets`` in the user's cache.

    That is ``$XDG_CACHE_HOME``, or ``~/.cache`` where it is not set.
    """
    return cache_folder() / "nets"


def network_name(file: str | os.PathLike[str]) -> str:
    """The name of a network file without its ending."""
    name = Path(file).name
    return name.removesuffix(_ending(name))


def _ending(name: str) -> str:
    lower = name.lower()
    return next((name[-len(each) :] for each in _ENDINGS if lower.endswith(each)), "")


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None


def _described(path: Path) -> StoredNetwork:
    name, size = network_name(path), path.stat().st_size
    try:
        return StoredNetwork(name, path, size, read_header(path), None)
    except InputError as error:
        return StoredNetwork(name, path, size, None, error.message)


def _files() -> list[Path]:
    folder = networks_folder()
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    return [p for p in paths if _ending(p.name) and not p.name.startswith(".") and p.is_file()]


def list_networks() -> list[StoredNetwork]:
    """The included network and those in the user's folder, as far as their beginnings tell."""
    return [_described(path) for path in (INCLUDED, *_files())]


def _named(name: str) -> Path | None:
    names = {name, full_name(name)}
    paths = (INCLUDED, *_files())
    return next((path for path in paths if names & {network_name(path), path.name}), None)


def stored_network(name: str) -> StoredNetwork:
    """The network of this name: the included one, or one in the user's folder.

    Raises InputError where there is none.
    """
    path = _named(name)
    if path is None:
        raise InputError(f"there is no network {name!r}", hint=_known_names())
    return _described(path)


def _known_names() -> str:
    return f"there are: {', '.join(network_name(path) for path in (INCLUDED, *_files()))}"


def find_network(network: str | os.PathLike[str] | None = None) -> Path:
    """The file of the network that is meant.

    Args:
        network: A file, or the name of a network in the user's folder or of the included one.
            Without it the environment variable YARDSTONE_NET says which, or else it is the only one
            in the folder, or the included one if there is none.

    Raises:
        InputError: There is no such network, or it is not clear which is meant.
    """
    where = ""
    if network is None and os.environ.get(ENVIRONMENT):
        network, where = os.environ[ENVIRONMENT], f"{ENVIRONMENT}: "
    if network is not None:
        text = os.fspath(network)
        path = Path(text)
        if path.is_dir():
            raise InputError(f"{where}is a folder, not a network", file=text)
        file = path if path.exists() else _named(text)
        if file is None:
            raise InputError(f"{where}no such network file", file=text, hint=_known_names())
        return file
    files = _files()
    if len(files) > 1:
        raise InputError(
            "no network is given, and several are kept",
            hint=f"name one (--net NAME), or set {ENVIRONMENT}; {_known_names()}",
        )
    return files[0] if files else INCLUDED


def add_network(
    file: str | os.PathLike[str], *, name: str | None = None, replace: bool = False
) -> StoredNetwork:
    """Copy a network into the user's folder, once it has been read whole.

    Args:
        file: A network file.
        name: What to call it; by default the file's name.
        replace: Take the place of another network of that name.

    Raises:
        InputError: The file is no network, or another one of that name is there.
    """
    source = Path(file)
    model = read_model(source)
    target = _place_for(name or network_name(source), source.name, model.sha256, replace=replace)
    if target.exists() and file_sha256(target) == model.sha256:
        return _described(target)
    with replaced(target) as temporary:
        shutil.copyfile(source, temporary)
        if file_sha256(temporary) != model.sha256:
            raise InputError("changed while it was copied", file=str(source))
    _take_others_away(target)
    return _described(target)


def _place_for(name: str, file_name: str, sha256: str | None, *, replace: bool) -> Path:
    """Where a network of this name goes, if it may; the folder is made."""
    if _NAME.fullmatch(name) is None:
        raise InputError(
            f"{name!r} cannot be the name of a network",
            hint="letters, digits and . _ + - only, at most 200",
        )
    folder = networks_folder()
    target = folder / (name + (_ending(file_name).lower() or ".bin.gz"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", file=str(folder)) from None
    other = _named(name)
    if other == INCLUDED and replace:
        raise InputError(
            "this network comes with Yardstone, and stays",
            file=str(other),
            hint="give the new one another --name",
        )
    if other is not None and not replace and (sha256 is None or file_sha256(other) != sha256):
        raise InputError(
            f"another network is called {name!r}",
            file=str(other),
            hint="give it another --name, or --replace the old one",
        )
    return target if other is None or replace else other


def _take_others_away(target: Path) -> None:
    for ending in _ENDINGS:
        other = target.with_name(network_name(target) + ending)
        if other != target:
            other.unlink(missing_ok=True)


def remove_network(name: str) -> Path:
    """Delete a network from the user's folder, and say which file it was.

    Raises InputError where there is none of this name, it cannot be deleted, or it comes with
    Yardstone.
    """
    path = stored_network(name).path
    if path == INCLUDED:
        raise InputError("this network comes with Yardstone, and stays", file=str(path))
    try:
        path.unlink()
    except OSError as error:
        raise InputError(f"cannot be deleted: {error.strerror}", file=str(path)) from None
    return path


_LARGEST = 4 << 30
_RECEIVED_PIECE = 1 << 18
_PATIENCE = 60.0
_HEX = re.compile(r"[0-9a-f]{64}")


class _Wanted(NamedTuple):
    url: str
    name: str
    file_name: str
    sha256: str | None


def download_network(
    name_or_url: str,
    *,
    sha256: str | None = None,
    name: str | None = None,
    replace: bool = False,
) -> StoredNetwork:
    """Download a network into the user's folder.

    What has come before an interruption is kept and continued by the next call. A file
    takes its place only once it is whole, has its checksum and can be read.

    Args:
        name_or_url: A name of `yardstone.go.nets.store.KNOWN`, or an address.
        sha256: The checksum of the file, for an address; a known network has its own.
        name: What to call it; by default the file's name.
        replace: Take the place of another network of that name.

    Raises:
        InputError: The network is not known, cannot be fetched, is not what it should be, or
            another one of its name is there.
    """
    wanted = _wanted(name_or_url, sha256, name)
    target = _place_for(wanted.name, wanted.file_name, wanted.sha256, replace=replace)
    if wanted.sha256 is not None and target.exists() and file_sha256(target) == wanted.sha256:
        return stored_network(network_name(target))
    mark = hashlib.sha256(wanted.url.encode()).hexdigest()[:12]
    part = target.with_name(f".{target.name}.{mark}.part")
    try:
        _fetch(wanted.url, part)
        _verify(wanted, part)
        with replaced(target) as temporary:
            part.replace(temporary)
        _take_others_away(target)
    except OSError as error:
        raise unwritable(error, part) from None
    return stored_network(network_name(target))


def _wanted(name_or_url: str, sha256: str | None, name: str | None) -> _Wanted:
    if sha256 is not None and _HEX.fullmatch(sha256.lower()) is None:
        raise InputError(f"{sha256!r} is not a SHA-256", hint="64 hexadecimal digits")
    if "://" not in name_or_url:
        known = known_network(name_or_url)
        if sha256 is not None and sha256.lower() != known.sha256:
            raise InputError(f"the SHA-256 of {known.name} is {known.sha256}", hint="leave it out")
        return _Wanted(known.url, name or known.name, f"{known.name}.bin.gz", known.sha256)
    try:
        split = urlsplit(name_or_url)
    except ValueError:  # of brackets
        split = urlsplit("")
    if split.scheme not in ("https", "http") or not split.hostname:
        raise InputError(f"{name_or_url!r} is not an address of the web", hint="https://...")
    file_name = Path(unquote(split.path)).name
    if not file_name:
        raise InputError("the address names no file", file=name_or_url)
    checksum = None if sha256 is None else sha256.lower()
    return _Wanted(name_or_url, name or network_name(file_name), file_name, checksum)


def _fetch(url: str, part: Path) -> None:
    """Fetch what is still missing of a file."""
    # These take long to import, and few downloads are made.
    import http.client
    import urllib.error
    import urllib.request

    class SaferRedirects(urllib.request.HTTPRedirectHandler):
        """Follows redirections, but never from an encrypted connection to a plain one."""

        def redirect_request(
            self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
        ) -> Any:
            """Return the request to make instead."""
            scheme = urlsplit(newurl).scheme
            if scheme not in ("http", "https") or (req.type == "https" and scheme != "https"):
                raise InputError(f"leads to {newurl}, which is not encrypted", file=req.full_url)
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    broken = (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError)
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"User-Agent": "yardstone"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        with urllib.request.build_opener(SaferRedirects).open(request, timeout=_PATIENCE) as reply:
            _receive(reply, url, part, have)
    except urllib.error.HTTPError as error:
        if error.code == 416 and have:  # nothing is missing, or what is there is something else
            error.close()
            if error.headers.get("Content-Range", "").endswith(f"/{have}"):
                return
            part.unlink()
            _fetch(url, part)
            return
        error.close()
        raise InputError(
            f"the server answers {error.code} {error.reason}", file=url, hint="check the address"
        ) from None
    except broken as error:
        reason = getattr(error, "reason", None) or str(error) or type(error).__name__
        raise InputError(
            f"the download broke off: {reason}",
            file=url,
            hint="call again: what has come is kept" if part.exists() else "is the network up?",
        ) from None


def _receive(reply: Any, url: str, part: Path, have: int) -> None:
    if have and not (
        reply.status == 206 and reply.headers.get("Content-Range", "").startswith(f"bytes {have}-")
    ):
        have = 0  # the server begins at the beginning
    length = reply.headers.get("Content-Length", "")
    whole = have + int(length) if length.isdecimal() else 0
    if whole > _LARGEST:
        raise InputError("is larger than any network", file=url)
    track = Track("Downloading", whole)
    with part.open("ab" if have else "wb") as file:
        while piece := reply.read(_RECEIVED_PIECE):
            have += len(piece)
            if have > _LARGEST:
                raise InputError("is larger than any network", file=url)
            file.write(piece)
            track(have)
    if whole and have < whole:
        import http.client

        raise http.client.IncompleteRead(b"", whole - have)


def _verify(wanted: _Wanted, part: Path) -> None:
    """Check what has come; if it is wrong nothing of it is kept."""
    try:
        if wanted.sha256 is not None and (actual := file_sha256(part)) != wanted.sha256:
            raise InputError(
                f"its SHA-256 is {actual}, not {wanted.sha256}",
                file=wanted.url,
                hint="nothing of it was kept",
            )
        read_model(part)
    except InputError as error:
        part.unlink()
        if error.file == str(part):
            raise InputError(error.message, file=wanted.url, hint=error.hint) from None
        raise


_REPOSITORY = "https://raw.githubusercontent.com/lightvector/KataGo/v1.17.2/cpp/tests/models/"
_RELEASE = "https://github.com/lightvector/KataGo/releases/download/v1.4.5/"
_TRAINING = "https://media.katagotraining.org/uploaded/networks/models/kata1/"


@dataclass(frozen=True, slots=True)
class KnownNetwork:
    """A network that can be downloaded by name, full or short, with the SHA-256 of its file."""

    name: str
    short: str
    url: str
    sha256: str
    about: str


KNOWN = (
    KnownNetwork(
        "g170-b6c96-s175395328-d26788732",
        "b6c96",
        _REPOSITORY + "g170-b6c96-s175395328-d26788732.bin.gz",
        "f5d32604e3675c480c7c8f6aa579a1ea857135628a0afccc8fa56330fbacd38d",
        "6 blocks, 4 MB: the fastest, also in the examples of this guide",
    ),
    KnownNetwork(
        "g170e-b20c256x2-s5303129600-d1228401921",
        "b20c256",
        _RELEASE + "g170e-b20c256x2-s5303129600-d1228401921.bin.gz",
        "7c8a84ed9ee737e9c7e741a08bf242d63db37b648e7f64942f3a8b1b5101e7c2",
        "20 blocks: the last of its size of the run of 2020",
    ),
    KnownNetwork(
        "g170-b30c320x2-s4824661760-d1229536699",
        "b30c320",
        _RELEASE + "g170-b30c320x2-s4824661760-d1229536699.bin.gz",
        "1e601446c870228932d44c8ad25fd527cb7dbf0cf13c3536f5c37cff1993fee6",
        "30 blocks: the last of its size of the run of 2020",
    ),
    KnownNetwork(
        "g170-b40c256x2-s5095420928-d1229425124",
        "b40c256",
        _RELEASE + "g170-b40c256x2-s5095420928-d1229425124.bin.gz",
        "2b3a78981d2b6b5fae1cf8972e01bf3e48d2b291bc5e52ef41c9b65c53d59a71",
        "40 blocks: the strongest of the run of 2020",
    ),
    KnownNetwork(
        "kata1-b18c384nbt-s9996604416-d4316597426",
        "b18c384nbt",
        _TRAINING + "kata1-b18c384nbt-s9996604416-d4316597426.bin.gz",
        "9d7a6afed8ff5b74894727e156f04f0cd36060a24824892008fbb6e0cba51f1d",
        "18 nested blocks: KataGo's own advice for most machines",
    ),
)


def known_network(name: str) -> KnownNetwork:
    """The network of this full or short name; InputError if there is none."""
    known = next((each for each in KNOWN if name in (each.short, each.name)), None)
    if known is None:
        names = ", ".join(each.short for each in KNOWN)
        raise InputError(
            f"no network is known as {name!r}", hint=f"one of {names}, or an address (https://...)"
        )
    return known


def full_name(name: str) -> str:
    """The full name of a network that is known by this short name; else the name itself."""
    return next((each.name for each in KNOWN if each.short == name), name)


_KINDS = {
    Attention: "attention",
    FeedForward: "feed-forward",
    Bottleneck: "nested bottleneck",
    GlobalPooling: "global pooling",
}


def _all_blocks(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Bottleneck):
            yield from _all_blocks(block.blocks)


def describe_file(network: str | Path | None = None) -> dict[str, Any]:
    """The properties of a network that a user may want to know.

    Without a name it is the one that `find_network` finds.

    Returns:
        ``name``, ``version``, ``kind``, ``blocks`` and ``channels`` of the trunk, ``block_kinds``
            (how many of each, nested ones included), ``parameters``, ``activation`` and ``norm`` at
            the trunk's end, ``policies``, ``pass_alive_under_suicide``, ``knows`` (the conditions
            that it was trained for; None for all), ``sha256``, ``size`` in bytes and ``file``.
    """
    file = find_network(network)
    model = read_model(file)
    blocks = _all_blocks(model.trunk.blocks)
    kinds = Counter(_KINDS.get(type(block), "residual") for block in blocks)
    nested = "nested bottleneck" in kinds
    kind = "transformer" if "attention" in kinds else "convolutional"
    norm = model.trunk.norm
    rms = "spatial root mean square" if isinstance(norm, RmsNorm) and norm.spatial else ""
    return {
        "name": model.name,
        "version": model.version,
        "kind": f"nested {kind}" if nested else kind,
        "blocks": len(model.trunk.blocks),
        "channels": model.trunk.channels,
        "block_kinds": dict(kinds),
        "parameters": model.parameters,
        "activation": str(model.trunk.activation),
        "norm": rms or ("root mean square" if isinstance(norm, RmsNorm) else "batch"),
        "policies": model.policy.final_conv.outputs,
        "pass_alive_under_suicide": model.pass_alive_under_suicide,
        "knows": str(KNOWLEDGE[model.sha256]) if model.sha256 in KNOWLEDGE else None,
        "sha256": model.sha256,
        "size": file.stat().st_size,
        "file": str(file),
    }
