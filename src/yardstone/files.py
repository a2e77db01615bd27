"""Writes whole files: into a temporary one beside the target, which then replaces it.

And keeps two processes from working in the same place. A process that is killed may leave
its temporary file; the next one that writes the same file takes it over, so that they never
pile up. Which of them are still in use, a lock on each tells: it goes with its process.
"""

from __future__ import annotations

import errno
import io
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from yardstone.errors import InputError, MissingFileError, YardstoneError
from yardstone.signals import Deferred

#: Seconds between two attempts at a lock.
_AGAIN = 0.05
#: Bytes that a file's name can have.
_LONGEST_NAME = 255
_SCRATCH = "yardstone-scratch-"
#: Files that another process writes for this one, and how each is handed over (`yardstone.cell`).
HANDED_OVER: dict[Path, Callable[[Path], None]] = {}
#: Whether files can be renamed and removed while they are open; under Windows they cannot.
_OPEN_FILES_MOVE = hasattr(os, "O_NOFOLLOW")
#: What a file system answers that has no locks.
_WITHOUT_LOCKS = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL})
#: What numpy says of a file that takes no more.
_CUT = re.compile(r"\d+ requested and \d+ written")
#: What can be done about an error of the system.
_HINTS = {
    errno.ENOSPC: "free some space, or name a file on another disk",
    errno.EDQUOT: "free some space, or name a file on another disk",
    errno.EFBIG: "the limit of the shell (ulimit -f) or of the disk is smaller",
    errno.EROFS: "name a file in a folder that can be written to",
    errno.EACCES: "name a file in a folder that you may write to",
    errno.EPERM: "name a file in a folder that you may write to",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.ENOENT: "was the folder removed?",
}


def unwritable(error: OSError, path: str | os.PathLike[str]) -> InputError:
    """The error that says which file cannot be written, why, and what can be done."""
    number, text = error.errno or 0, str(error)
    reason = error.strerror or text
    if not number and _CUT.fullmatch(text):
        number, reason = errno.ENOSPC, "the disk took only a part of it"
    elif not number:  # DuckDB gives the words of the system
        number = next((each for each in _HINTS if os.strerror(each) in text), 0)
        reason = os.strerror(number) if number else text
    hint = _HINTS.get(number)
    return InputError(f"cannot be written: {reason}", file=os.fspath(path), hint=hint)


def followed(path: str | os.PathLike[str]) -> Path:
    """The file that a path leads to: what a symbolic link names, or else the path itself."""
    return Path(os.path.realpath(path)) if Path(path).is_symlink() else Path(path)


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Give a temporary path whose file takes the place of `path` once it is complete.

    If anything fails, `path` stays as it was and the temporary file goes. What a symbolic
    link names is replaced, and the link stays. A pipe or a device gets the whole file once
    it is complete.

    Raises:
        InputError: The file cannot be written.
    """
    if path.is_dir():
        raise InputError("this is a folder", file=str(path), hint="name a file")
    try:
        handed = HANDED_OVER.get(path.absolute())
        if handed is not None or _flows(path):
            with scratch_folder() as folder:
                temporary = folder / f"output{path.suffix}"
                yield temporary
                _pour(temporary, path) if handed is None else handed(temporary)
            return
        target = followed(path)
        with _temporary(target) as temporary:
            yield temporary
            with temporary.open("rb+") as file:  # Windows writes out only what may be written to
                os.fsync(file.fileno())
            mode = target.stat().st_mode if target.exists() else 0o666 & ~_umask()
            temporary.chmod(mode & 0o777)
            temporary.replace(target)
        sync_folder(target.parent)
    except YardstoneError:
        raise
    except OSError as error:
        raise unwritable(error, path) from error


def _flows(path: Path) -> bool:
    """Whether there is nothing to replace: a pipe, a device, or what a process has open."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    if not stat.S_ISREG(mode):
        return True
    folder = os.path.realpath(path.parent)
    return folder == "/dev" or folder.startswith("/proc/")


def _pour(source: Path, path: Path) -> None:
    with source.open("rb") as file, os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND), "wb") as to:
        shutil.copyfileobj(file, to, 1 << 20)


@contextmanager
def _temporary(target: Path) -> Iterator[Path]:
    """An empty file beside `target`, which goes unless it is renamed."""
    with Deferred() as signals:
        path, handle = _made_beside(target)
        try:
            with signals.let_through():
                yield path
        finally:
            with suppress(OSError):  # it was renamed, or the error before says more
                path.unlink()
            if handle is not None:
                os.close(handle)


def _made_beside(target: Path) -> tuple[Path, int | None]:
    """A new file, and the handle that locks it; None where no lock can tell whose it is."""
    try:
        if _OPEN_FILES_MOVE:
            return _locked_beside(target)
    except OSError as error:
        if error.errno not in _WITHOUT_LOCKS:
            raise
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=target.suffix)
    os.close(handle)
    return Path(name), None


def _locked_beside(target: Path) -> tuple[Path, int]:
    for number in range(10_000):
        path = target.with_name(_part_name(target.name, number))
        handle = _taken(path)
        if handle is not None:
            return path, handle
    raise OSError(errno.EEXIST, "too many temporary files beside it")


def _part_name(name: str, number: int) -> str:
    ending = f".part{number or ''}{Path(name).suffix}"
    if len(os.fsencode(f".{name}{ending}")) <= _LONGEST_NAME:
        return f".{name}{ending}"
    import hashlib  # seldom needed, and slow to load

    short = hashlib.blake2b(os.fsencode(name), digest_size=16).hexdigest()
    return f".{short}{ending if len(os.fsencode(ending)) < len(short) else '.part'}"


def _taken(path: Path) -> int | None:
    """A handle of the file, new or left by a dead process; None if it belongs to another."""
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError:
            if os.path.lexists(path):
                return None
            raise
        ours = False
        try:
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid():
                return None
            if not _lock_handle(handle):
                return None
            ours = _still(path, handle)
            if ours:
                try:
                    os.ftruncate(handle, 0)
                    os.fchmod(handle, 0o600)
                except OSError:
                    ours = False
                    path.unlink()
                    raise
                return handle
        finally:
            if not ours:
                os.close(handle)  # whoever had it has just renamed or removed it: again


def _lock_handle(handle: int) -> bool:
    """Lock an open file until it is closed; return False if another process has locked it."""
    from filelock import lock_descriptor  # it takes longer to import than a command to start

    return lock_descriptor(handle, blocking=False)


def _still(path: Path, handle: int) -> bool:
    """Whether the path still leads to what the handle holds."""
    try:
        now = path.lstat()
    except FileNotFoundError:
        return False
    held = os.fstat(handle)
    return (now.st_ino, now.st_dev) == (held.st_ino, held.st_dev)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where its file system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole."""
    with replaced(path) as temporary:
        temporary.write_bytes(data)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole, in UTF-8."""
    write_bytes(path, text.encode("utf-8"))


def cache_folder() -> Path:
    """Where Yardstone keeps what it need not get or compute again: ``yardstone`` in the cache.

    The user's cache is ``$XDG_CACHE_HOME``, or ``~/.cache`` where it is not set.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache"
    return cache / "yardstone"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for temporary files, which goes in the end.

    Those that killed processes left are removed on the way.

    Raises:
        InputError: It cannot be made, or is full.
    """
    try:
        base = Path(tempfile.gettempdir())
        _sweep(base)
        with Deferred() as signals:
            folder, handle = _new_folder(base)
            try:
                with signals.let_through():
                    yield folder
            finally:
                if handle is not None:
                    os.close(handle)
                shutil.rmtree(folder, ignore_errors=True)
    except YardstoneError:
        raise
    except OSError as error:
        if error.errno not in _HINTS or error.errno == errno.ENOENT:
            raise
        place = error.filename or tempfile.gettempdir()
        raise InputError(
            f"no room for temporary files: {error.strerror}",
            file=str(place),
            hint="free some space, or set TMPDIR to another folder",
        ) from error


def _new_folder(base: Path) -> tuple[Path, int | None]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=base))
        try:
            handle = _lock_folder(folder)
        except FileNotFoundError:  # swept before it was locked
            continue
        except OSError as error:
            if error.errno not in _WITHOUT_LOCKS:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            return folder, None
        if handle is not None:
            return folder, handle


def _lock_folder(folder: Path) -> int | None:
    """The handle of the locked file in a scratch folder; None if another process has it."""
    path = folder / ".lock"
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    ours = False
    try:
        ours = _lock_handle(handle) and _still(path, handle)
        return handle if ours else None
    finally:
        if not ours:
            os.close(handle)


def _sweep(base: Path) -> None:
    """Remove the folders of dead processes of this user."""
    user = getattr(os, "geteuid", int)()
    with suppress(OSError), os.scandir(base) as entries:
        for entry in entries:
            if not entry.name.startswith(_SCRATCH) or not entry.is_dir(follow_symlinks=False):
                continue
            with suppress(OSError):
                if entry.stat(follow_symlinks=False).st_uid != user:
                    continue
                handle = _lock_folder(Path(entry.path))
                if handle is None:
                    continue
                # Under the lock: whoever has just made the folder must not take it meanwhile.
                shutil.rmtree(entry.path, ignore_errors=True)
                os.close(handle)
                if os.name == "nt":  # where no open file is removed
                    shutil.rmtree(entry.path, ignore_errors=True)


@contextmanager
def changing(path: str | os.PathLike[str], *, wait: float = 10.0) -> Iterator[None]:
    """Hold the lock of a file that is read, changed and written, whatever links lead to it.

    Raises:
        InputError: Another process holds it for longer, or there is no such folder.
    """
    target = followed(path)
    if not target.parent.is_dir():
        raise InputError("there is no such folder", file=str(target.parent))
    name = f".{target.name}.lock"
    with locked(target.parent, f"changing {target.name}", name=name, wait=wait):
        yield


@contextmanager
def locked(folder: Path, doing: str, *, name: str = ".lock", wait: float = 0.0) -> Iterator[None]:
    """Hold the lock of this name in a folder, so that no other process works there.

    Args:
        doing: What another process would be doing there, such as "training here".
        name: Of the file that is locked.
        wait: Seconds to wait for the other process.

    Raises:
        InputError: Another process holds the lock, or the folder cannot be written to.
    """
    until = time.monotonic() + wait
    with Deferred() as signals:
        while (file := _lock(folder / name)) is None:
            if time.monotonic() > until:
                raise InputError(
                    f"another process is {doing}",
                    file=str(folder),
                    hint="wait for it, or name another folder",
                )
            with signals.let_through():
                time.sleep(_AGAIN)
        with file:
            try:
                with signals.let_through():
                    yield
            finally:
                with suppress(OSError):
                    Path(file.name).unlink()


def _lock(path: Path) -> IO[str] | None:
    """The file, locked; None if another process holds it."""
    while True:
        try:
            file = path.open("w")
        except OSError as error:
            raise unwritable(error, path.parent) from error
        try:
            if not _lock_handle(file.fileno()):
                file.close()
                return None
        except OSError as error:
            if error.errno not in _WITHOUT_LOCKS:  # without locks, others are not kept away
                file.close()
                raise
        if _still(path, file.fileno()):
            return file
        file.close()  # whoever held it has just removed it: it is free


#: Modules that write text files with these endings.
_PACKERS = {
    ".bz2": "bz2",
    ".xz": "lzma",
    ".zst": "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd",
}


def zstd_module() -> ModuleType:
    """Python's module for Zstandard, or before Python 3.14 the package that stands for it."""
    return import_module(_PACKERS[".zst"])


@contextmanager
def open_text(path: Path) -> Iterator[IO[str]]:
    """A text file to write to, in UTF-8; compressed if its ending is .gz, .zst, .bz2 or .xz.

    The same text comes to the same bytes: no time and no name stands in them.
    """
    ending = path.suffix.lower()
    if ending == ".gz":
        import gzip

        with (
            path.open("wb") as raw,
            gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
            io.TextIOWrapper(packed, "utf-8", newline="\n") as file,
        ):
            yield file
        return
    open_ = import_module(_PACKERS[ending]).open if ending in _PACKERS else open
    with open_(path, "wt", encoding="utf-8", newline="\n") as file:
        yield file


def read_bytes(path: Path, most: int, what: str, *, name: str | None = None) -> bytes:
    """The bytes of a file that is `what`, at most so many; `name` is what messages call it.

    Raises:
        MissingFileError: There is no such file.
        InputError: It cannot be read, or is larger.
    """
    file = name or str(path)
    try:
        with path.open("rb") as stream:
            data = stream.read(most + 1)
    except FileNotFoundError:
        raise MissingFileError("there is no such file", file=file) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=file) from error
    if len(data) > most:
        raise InputError(f"too large for {what}: more than {most >> 10:,} KiB", file=file)
    return data


#: A page of text; a file beyond this is something else.
_LARGEST = 1 << 16
#: A key of many parts (a.b.c) takes the reader of TOML time and memory with their square.
_MOST_PARTS = 100
_LONG_KEY = re.compile(
    rb"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){%d}""" % _MOST_PARTS
)


def read_toml(path: Path) -> dict[str, Any]:
    """What stands in a file of TOML.

    Raises:
        InputError: It cannot be read, is not TOML, or is far longer than people write.
    """
    import tomllib

    data = read_bytes(path, _LARGEST, "a file of settings")
    if (key := _LONG_KEY.search(data)) is not None:
        raise InputError(
            f"a name of more than {_MOST_PARTS} parts",
            file=str(path),
            line=data.count(b"\n", 0, key.start()) + 1,
            hint="give each name of a list a line of its own",
        )
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # tomllib's error is one of these
        raise InputError(f"is not TOML: {error}", file=str(path)) from None
