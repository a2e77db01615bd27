"""Writes whole files: into a temporary one beside the target, which then replaces it.

And keeps two processes from working in the same place.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from yardstone.errors import InputError

__all__ = ["locked", "open_text", "replaced", "write_text"]

#: Seconds between two attempts at a lock.
_AGAIN = 0.05


@contextmanager
def replaced(path: Path, *, name: str | None = None) -> Iterator[Path]:
    """Give a temporary path whose file takes the place of `path` once it is complete.

    If anything fails, `path` stays as it was and the temporary file goes.

    Parameters
    ----------
    path : Path
    name : str, optional
        Of the temporary file, where a lock keeps others from it: what a killed process
        left is then replaced, and does not pile up.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    if path.exists() and not path.is_file():  # a pipe or a device has nothing to replace
        if path.is_dir():
            raise InputError("this is a folder", file=str(path), hint="name a file")
        yield path
        return
    temporary: Path | None = None
    try:
        temporary = _temporary(path, name)
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        mode = path.stat().st_mode if path.exists() else 0o666 & ~_umask()
        temporary.chmod(mode & 0o777)
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=str(path)) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _temporary(path: Path, name: str | None) -> Path:
    """An empty file beside `path`."""
    if name is None:
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=path.suffix)
        os.close(handle)
        return Path(made)
    temporary = path.parent / name
    temporary.unlink(missing_ok=True)
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    return temporary


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def write_text(path: Path, text: str) -> None:
    """Write a text file whole, in UTF-8."""
    with replaced(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def locked(folder: Path, doing: str, *, name: str = ".lock", wait: float = 0.0) -> Iterator[None]:
    """Hold the lock of this name in a folder, so that no other process works there.

    Parameters
    ----------
    folder : Path
    doing : str
        What another process would be doing there, such as "training here".
    name : str
        Of the file that is locked.
    wait : float
        Seconds to wait for the other process.

    Raises
    ------
    InputError
        Another process holds the lock, or the folder cannot be written to.
    """
    until = time.monotonic() + wait
    while (file := _lock(folder / name)) is None:
        if time.monotonic() > until:
            raise InputError(
                f"another process is {doing}",
                file=str(folder),
                hint="wait for it, or name another folder",
            )
        time.sleep(_AGAIN)
    with file:
        try:
            yield
        finally:
            Path(file.name).unlink(missing_ok=True)


def _lock(path: Path) -> IO[str] | None:
    """The file, locked; None if another process holds it."""
    import fcntl

    while True:
        try:
            file = path.open("w")
        except OSError as error:
            raise InputError(
                f"cannot be written to: {error.strerror or error}", file=str(path.parent)
            ) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            return None
        try:
            if os.fstat(file.fileno()).st_ino == path.stat().st_ino:
                return file
        except FileNotFoundError:
            pass
        file.close()  # whoever held it has just removed it: it is free


def open_text(path: Path) -> IO[str]:
    """A text file to write to, in UTF-8; compressed if its ending is .gz, .zst, .bz2 or .xz."""
    ending = path.suffix.lower()
    if ending == ".gz":
        import gzip

        return gzip.open(path, "wt", encoding="utf-8", newline="\n")
    if ending == ".bz2":
        import bz2

        return bz2.open(path, "wt", encoding="utf-8", newline="\n")
    if ending == ".xz":
        import lzma

        return lzma.open(path, "wt", encoding="utf-8", newline="\n")
    if ending == ".zst":
        import zstandard

        file: IO[str] = zstandard.open(path, "wt", encoding="utf-8", newline="\n")
        return file
    return path.open("w", encoding="utf-8", newline="\n")
