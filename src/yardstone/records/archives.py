"""Archives read in place: the members of zip and tar files, with limits.

Nothing is ever unpacked to disk, so names of members can do no harm. An archive may
lie about what it holds: how many members it has, how far it expands and how much of
each member is read are limited.
"""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from yardstone.errors import InputError
from yardstone.records.decoding import clean
from yardstone.records.streams import ByteStream, StreamLimits

__all__ = ["ARCHIVES", "ArchiveLimits", "ArchiveTooLarge", "Member", "is_archive", "members_of"]

_TAR_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
#: Endings of files that are archives.
ARCHIVES = (".zip", *_TAR_ENDINGS)
_OTHER_ARCHIVES = (*ARCHIVES, ".7z", ".rar", ".lzh", ".lha", ".arj", ".cab")
_END_RECORD = b"PK\x05\x06"
_LONGEST_COMMENT = 1 << 16


class ArchiveTooLarge(InputError):
    """An archive that holds more than the limits allow."""


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """How much an archive may hold.

    Attributes
    ----------
    members : int
        Files in it.
    ratio, extra
        All its files together may have `ratio` times its own size plus `extra` bytes.
    """

    members: int = 2_000_000
    ratio: float = 200.0
    extra: int = 64 << 20


@dataclass(slots=True)
class Member:
    """One file of an archive.

    Attributes
    ----------
    name : str
        Its name within the archive, without control characters.
    size : int
        Bytes of the archive that it takes, as far as that is known.
    """

    name: str
    size: int
    _archive: _Zip | _Tar
    _key: Any

    @property
    def is_archive(self) -> bool:
        """Whether this is an archive itself; those are not looked into."""
        return self.name.lower().endswith(_OTHER_ARCHIVES)

    def open(self) -> IO[bytes]:
        """Its bytes; trouble while they are read is an `OSError`."""
        return self._archive.open(self._key)


def is_archive(name: str | os.PathLike[str]) -> bool:
    """Whether a file's ending says that it is an archive."""
    return os.fspath(name).lower().endswith(ARCHIVES)


def members_of(path: Path, limits: ArchiveLimits | None = None) -> Iterator[Member]:
    """The files in an archive, in its order.

    Raises
    ------
    InputError
        If it is damaged or holds more than the limits allow.
    """
    limits = limits or ArchiveLimits()
    archive = _Zip(path) if path.name.lower().endswith(".zip") else _Tar(path)
    allowed = limits.ratio * path.stat().st_size + limits.extra
    total = 0
    for count, (name, size, packed, key) in enumerate(archive.entries(limits), start=1):
        total += size
        if count > limits.members:
            raise _too_many(path, limits)
        if total > allowed:
            raise ArchiveTooLarge(
                f"its files would expand to more than {limits.ratio:g} times its size",
                file=str(path),
                hint="unpack it yourself if that is right",
            )
        if not _hidden(name):
            yield Member(clean(name), packed, archive, key)


def _too_many(path: Path, limits: ArchiveLimits) -> ArchiveTooLarge:
    return ArchiveTooLarge(
        f"this archive holds more than {limits.members} files",
        file=str(path),
        hint="unpack it and read the folder",
    )


def _hidden(name: str) -> bool:
    """Whether this is a file of the system that packed the archive, not of the user."""
    parts = name.split("/")
    return parts[0] == "__MACOSX" or parts[-1].startswith(".") or not parts[-1]


@dataclass(slots=True)
class _Zip:
    path: Path
    _open: zipfile.ZipFile | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.path = state["path"]
        self._open = None

    def _file(self) -> zipfile.ZipFile:
        if self._open is None:
            try:
                self._open = zipfile.ZipFile(self.path)
            except (OSError, NotImplementedError) as error:
                raise InputError(f"cannot be read: {error}", file=str(self.path)) from None
            except Exception as error:  # damage has many names in zipfile
                raise InputError(
                    f"damaged zip archive: {error}",
                    file=str(self.path),
                    hint="download or copy it again",
                ) from None
        return self._open

    def entries(self, limits: ArchiveLimits) -> Iterator[tuple[str, int, int, Any]]:
        """Name, size, packed size and key of each file."""
        if _listed(self.path) > limits.members:
            raise _too_many(self.path, limits)
        for entry in self._file().infolist():
            if entry.filename and not entry.is_dir():
                yield _decoded(entry), entry.file_size, entry.compress_size, entry

    def open(self, key: zipfile.ZipInfo) -> IO[bytes]:
        """The bytes of one file."""
        try:
            return _Unzipping(self._file().open(key))  # type: ignore[return-value]
        except OSError:
            raise
        except Exception as error:  # of zipfile and each of its packings
            raise OSError(0, _reason(error)) from None


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())
    if "encrypted" in text or "password" in text:
        return "it is encrypted"
    return f"damaged or unknown packing: {text}"


def _listed(path: Path) -> int:
    """How many files the end of a zip file says it lists; their list is at least so long."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _LONGEST_COMMENT - 22))
        tail = file.read()
    place = tail.rfind(_END_RECORD)
    if place < 0 or len(tail) < place + 16:
        return 0
    # An entry of the list takes at least 46 bytes, whatever number is written there.
    listing = int.from_bytes(tail[place + 12 : place + 16], "little")
    return (listing if listing != 0xFFFFFFFF else size) // 46


def _decoded(entry: zipfile.ZipInfo) -> str:
    """The name, where the archive does not say that it is UTF-8 although it is."""
    if entry.flag_bits & 0x800 or entry.filename.isascii():
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return entry.filename


class _Unzipping:
    """A file in a zip archive whose errors are all `OSError`."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw

    def read(self, size: int = -1) -> bytes:
        try:
            return self._raw.read(size)
        except OSError:
            raise
        except Exception as error:  # of zipfile and each of its packings
            raise OSError(0, _reason(error)) from None

    def readinto(self, view: memoryview) -> int:
        data = self.read(len(view))
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._raw.close()


@dataclass(slots=True)
class _Tar:
    """A tar file, read from its beginning to its end; going back means beginning again."""

    path: Path
    _next: int = 0
    _open: tarfile.TarFile | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.path = state["path"]
        self._next = 0
        self._open = None

    def entries(self, limits: ArchiveLimits) -> Iterator[tuple[str, int, int, Any]]:
        """Name, size, packed size (taken to be the size) and number of each file."""
        self._rewind(limits)
        while (entry := self._following()) is not None:
            if entry.isfile():
                yield entry.name, entry.size, entry.size, self._next - 1
        self._close()

    def open(self, key: int) -> IO[bytes]:
        """The bytes of one file."""
        if self._open is None or self._next > key:
            self._rewind(ArchiveLimits())
        entry = self._following()
        while entry is not None and self._next <= key:
            entry = self._following()
        if entry is None or self._open is None:
            raise OSError(0, "the archive has changed")
        try:
            file = self._open.extractfile(entry)
            return io.BytesIO(b"" if file is None else file.read())
        except Exception as error:  # damage has many names in tarfile
            raise OSError(0, f"damaged tar archive: {error}") from None

    def _rewind(self, limits: ArchiveLimits) -> None:
        self._close()
        raw = self.path.open("rb", buffering=0)
        stream = ByteStream(
            raw, str(self.path), self.path.stat().st_size, StreamLimits(limits.ratio, limits.extra)
        )
        try:
            self._open = tarfile.open(fileobj=_Reading(stream), mode="r|")  # noqa: SIM115
        except InputError:
            stream.close()
            raise
        except Exception as error:
            stream.close()
            raise InputError(
                f"damaged tar archive: {error}",
                file=str(self.path),
                hint="download or copy it again",
            ) from None
        self._next = 0

    def _following(self) -> tarfile.TarInfo | None:
        if self._open is None:
            return None
        try:
            entry = self._open.next()
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"damaged tar archive: {error}", file=str(self.path)) from None
        self._next += 1
        self._open.members = []  # type: ignore[attr-defined]  # tarfile would keep them all
        return entry

    def __del__(self) -> None:
        self._close()

    def _close(self) -> None:
        if self._open is not None:
            stream = self._open.fileobj
            self._open.close()
            if stream is not None:
                stream.close()
            self._open = None


class _Reading(io.RawIOBase):
    """A stream of bytes as a file that can only be read on."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        data = bytearray(size)
        filled = self._stream.readinto(memoryview(data))
        return bytes(data[:filled])

    def close(self) -> None:
        self._stream.close()
        super().close()
