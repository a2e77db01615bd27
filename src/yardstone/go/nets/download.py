"""Downloads networks into the user's folder: resumable, verified, all or nothing."""

from __future__ import annotations

import hashlib
import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from yardstone.errors import InputError
from yardstone.files import unwritable
from yardstone.go.nets.catalogue import known_network
from yardstone.go.nets.model_file import read_model
from yardstone.go.nets.store import (
    StoredNetwork,
    file_sha256,
    network_name,
    place_for,
    settle,
    stored_network,
)

__all__ = ["download_network"]

#: Called with the bytes that are there and all bytes (0 if unknown).
Progress = Callable[[int, int], object]

_LARGEST = 4 << 30
_PIECE = 1 << 18
_PATIENCE = 60.0
_HEX = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is to be fetched."""

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
    progress: Progress | None = None,
) -> StoredNetwork:
    """Download a network into the user's folder.

    What has come before an interruption is kept and continued by the next call. A file
    takes its place only once it is whole, has its checksum and can be read.

    Parameters
    ----------
    name_or_url : str
        A name of `yardstone.go.nets.catalogue.KNOWN`, or an address.
    sha256 : str, optional
        The checksum of the file, for an address; a known network has its own.
    name : str, optional
        What to call it; by default the file's name.
    replace : bool
        Take the place of another network of that name.
    progress : callable, optional
        Called with the bytes that are there and all bytes (0 if unknown).

    Raises
    ------
    InputError
        The network is not known, cannot be fetched, is not what it should be, or another
        one of its name is there.
    """
    wanted = _wanted(name_or_url, sha256, name)
    target = place_for(wanted.name, wanted.file_name, wanted.sha256, replace=replace)
    if wanted.sha256 is not None and target.exists() and file_sha256(target) == wanted.sha256:
        return stored_network(network_name(target))
    mark = hashlib.sha256(wanted.url.encode()).hexdigest()[:12]
    part = target.with_name(f".{target.name}.{mark}.part")
    try:
        _fetch(wanted.url, part, progress)
        _verify(wanted, part)
        settle(part, target)
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


class _SaferRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirections, but never from an encrypted connection to a plain one."""

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Any:
        """The request to make instead."""
        scheme = urlsplit(newurl).scheme
        if scheme not in ("http", "https") or (req.type == "https" and scheme != "https"):
            raise InputError(f"leads to {newurl}, which is not encrypted", file=req.full_url)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _fetch(url: str, part: Path, progress: Progress | None) -> None:
    """Fetch what is still missing of a file."""
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"User-Agent": "yardstone"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        with urllib.request.build_opener(_SaferRedirects).open(request, timeout=_PATIENCE) as reply:
            _receive(reply, url, part, have, progress)
    except urllib.error.HTTPError as error:
        if error.code == 416 and have:  # nothing is missing, or what is there is something else
            error.close()
            if error.headers.get("Content-Range", "").endswith(f"/{have}"):
                return
            part.unlink()
            _fetch(url, part, progress)
            return
        error.close()
        raise InputError(
            f"the server answers {error.code} {error.reason}", file=url, hint="check the address"
        ) from None
    except (
        urllib.error.URLError,
        http.client.HTTPException,
        ConnectionError,
        TimeoutError,
    ) as error:
        reason = getattr(error, "reason", None) or str(error) or type(error).__name__
        raise InputError(
            f"the download broke off: {reason}",
            file=url,
            hint="call again: what has come is kept" if part.exists() else "is the network up?",
        ) from None


def _receive(reply: Any, url: str, part: Path, have: int, progress: Progress | None) -> None:
    if have and not (
        reply.status == 206 and reply.headers.get("Content-Range", "").startswith(f"bytes {have}-")
    ):
        have = 0  # the server begins at the beginning
    length = reply.headers.get("Content-Length", "")
    whole = have + int(length) if length.isdecimal() else 0
    if whole > _LARGEST:
        raise InputError("is larger than any network", file=url)
    with part.open("ab" if have else "wb") as file:
        while piece := reply.read(_PIECE):
            have += len(piece)
            if have > _LARGEST:
                raise InputError("is larger than any network", file=url)
            file.write(piece)
            if progress is not None:
                progress(have, whole)
    if whole and have < whole:
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
