"""Files that go to other machines with the work, and folders that all machines must share.

A file is sent through Ray's store of objects, once a machine, and kept there under the
digest of its content: the same file is not sent again.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from yardstone import files
from yardstone.errors import InputError

__all__ = ["CarriedFile", "carried", "check_shared", "kept_copy", "marked"]

#: Bytes that are put into one object, so that no machine needs the whole in memory twice.
_PIECE = 64 << 20


class CarriedFile(NamedTuple):
    """A file on its way: its path where it comes from, its content, and where that is sent."""

    path: str
    sha256: str
    pieces: tuple[Any, ...]


def carried(ray: Any, paths: Iterable[str | os.PathLike[str]]) -> tuple[CarriedFile, ...]:
    """Put files where all machines can get them."""
    sent = []
    for path in paths:
        digest = hashlib.sha256()
        pieces = []
        try:
            with Path(path).open("rb") as file:
                while piece := file.read(_PIECE):
                    digest.update(piece)
                    pieces.append(ray.put(piece))
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None
        sent.append(CarriedFile(os.fspath(path), digest.hexdigest(), tuple(pieces)))
    return tuple(sent)


def kept_copy(ray: Any, file: CarriedFile) -> Path:
    """Where the file lies on this machine; it is fetched if it is not there."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache"
    copy = cache / "yardstone" / "cluster" / file.sha256 / Path(file.path).name
    if not copy.exists():
        try:
            copy.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot be made: {error.strerror}", file=str(copy.parent)) from None
        with files.replaced(copy) as temporary, temporary.open("wb") as target:
            for piece in file.pieces:
                target.write(ray.get(piece))
    return copy


@contextmanager
def marked(folders: Sequence[Path], mark: str) -> Iterator[None]:
    """Lay a mark into folders, by which other machines see that theirs are the same ones."""
    marks = [folder / f".{mark}" for folder in folders]
    try:
        for each in marks:
            each.touch()
        yield
    except OSError as error:
        raise InputError(f"cannot be written to: {error.strerror}", file=error.filename) from error
    finally:
        for each in marks:
            each.unlink(missing_ok=True)


def check_shared(folders: Sequence[Path], mark: str) -> None:
    """Refuse to work where a folder is not the one of the machine that asked.

    Raises
    ------
    InputError
        It is not there, or another one.
    """
    for folder in folders:
        if not (folder / f".{mark}").exists():
            raise InputError(
                f"this folder is not on {platform.node()}",
                file=str(folder),
                hint="this work needs a folder that all machines of the cluster share, under one "
                "name: NFS or the like",
            )
