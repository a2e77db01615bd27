"""Where records come from: files, folders, archives, patterns, standard input."""

from __future__ import annotations

import glob
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from yardstone.errors import InputError, MissingFileError
from yardstone.pool import Skipped, SkipReport
from yardstone.records.archives import ARCHIVES, Member, is_archive, members_of
from yardstone.records.streams import ByteStream, StreamLimits

__all__ = ["COMPRESSED", "Source", "find_files", "find_sources", "plain_ending", "unpacked_name"]

#: Files named where none of a folder can be read.
_LISTED = 5
#: Endings of compressed files.
COMPRESSED = (".gz", ".zst", ".bz2", ".xz")
StrPath = str | os.PathLike[str]
_REMOTE = re.compile(r"(?:https?|s3|s3a|gs|gcs|r2|az|abfss|hf)://", re.IGNORECASE)


def plain_ending(name: str) -> str:
    """The ending of a file's name that tells the format, without that of the compression.

    Examples
    --------
    >>> plain_ending("Games.PGN.gz"), plain_ending("games")
    ('.pgn', '')
    """
    return PurePath(unpacked_name(name).lower()).suffix


def unpacked_name(name: str) -> str:
    """The name of a compressed file when it is unpacked."""
    ending = PurePath(name).suffix
    return name.removesuffix(ending) if ending.lower() in COMPRESSED else name


@dataclass(slots=True)
class Source:
    """One place to read from.

    Attributes
    ----------
    name : str
        What messages call it.
    path : Path or None
        The file; None for standard input and for a file in an archive.
    member : Member, optional
        The file in an archive.
    limit : int, optional
        Only so many bytes of the file are read.
    data : bytes, optional
        Its bytes, as they lie in the file, where it came from another machine.
    """

    name: str
    path: Path | None
    _kept: ByteStream | None = None
    member: Member | None = None
    limit: int | None = None
    data: bytes | None = None

    @property
    def ending(self) -> str:
        """The ending that tells the format, without that of the compression."""
        return plain_ending(self.name)

    @property
    def size(self) -> int:
        """Its size in bytes; 0 if unknown."""
        if self.data is not None:
            return len(self.data)
        if self.member is not None:
            return self.member.size
        try:
            return 0 if self.path is None else self.path.stat().st_size
        except OSError:
            return 0

    def open(self, limits: StreamLimits | None = None) -> ByteStream:
        """Its bytes, decompressed."""
        if self._kept is not None:
            return self._kept
        if self.data is not None:
            stream = io.BytesIO(self.data)
            return ByteStream(stream, self.name, len(self.data), limits or StreamLimits())
        if self.member is not None:
            try:
                return ByteStream(
                    self.member.open(), self.name, self.member.size, limits or StreamLimits()
                )
            except OSError as error:
                raise InputError(f"cannot be read: {error.strerror}", file=self.name) from None
        if self.path is None:
            return ByteStream(sys.stdin.buffer, self.name, 0, limits or StreamLimits())
        try:
            raw = self.path.open("rb", buffering=0)
            size = os.fstat(raw.fileno()).st_size if self.limit is None else self.limit
        except OSError as error:
            raise InputError(
                f"cannot be read: {error.strerror}",
                file=self.name,
                hint="check the name and the permissions",
            ) from None
        part: Any = raw if self.limit is None else _Beginning(raw, self.limit)
        return ByteStream(part, self.name, size, limits or StreamLimits())

    def content(self, most: int = 1 << 30) -> bytes:
        """All its bytes, decompressed.

        Raises InputError where there are more than `most`, or they break off.
        """
        data = bytearray()
        with self.open() as stream:
            for piece in stream.pieces():
                data += piece
                if len(data) > most:
                    raise InputError(f"is larger than {most >> 20} MiB", file=self.name)
            if stream.damage is not None:
                raise InputError(stream.damage, file=self.name)
        return bytes(data)

    def loaded(self, most: int = 1 << 30) -> Source:
        """The same with its bytes in it, to be read on another machine.

        Raises InputError where it cannot be read, or has more than `most` bytes.
        """
        if self.data is not None:
            return self
        try:
            if self.member is not None:
                with closing(self.member.open()) as packed:
                    data = packed.read(most + 1)
            elif self.path is not None and self._kept is None:
                with self.path.open("rb") as file:
                    data = file.read(most + 1 if self.limit is None else self.limit)
            else:
                data = self.content()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=self.name) from None
        if len(data) > most:
            raise InputError(f"is larger than {most >> 20} MiB", file=self.name)
        return Source(self.name, None, data=data)

    def keep(self, stream: ByteStream) -> None:
        """Have this stream given by `open`, for what cannot be opened twice."""
        self._kept = stream


class _Beginning(io.RawIOBase):
    """The first bytes of a file."""

    def __init__(self, file: io.FileIO, limit: int) -> None:
        self._file = file
        self._left = limit

    def readable(self) -> bool:
        return True

    def readinto(self, view: Any) -> int:
        size = self._file.readinto(memoryview(view)[: self._left]) or 0
        self._left -= size
        return size

    def close(self) -> None:
        self._file.close()
        super().close()


def find_sources(
    paths: Sequence[StrPath | Source],
    endings: Iterable[str],
    skipped: SkipReport | None = None,
) -> list[Source]:
    """The files meant by paths, folders, archives, patterns and ``-`` (standard input).

    A folder means all files below it whose ending is one of `endings`, compressed
    or not, in order of their paths, and a zip or tar archive means such files in it.
    Archives within archives are not opened, only named in `skipped`. A source stands for
    itself.
    """
    known = _packed(endings)
    sources: list[Source] = []
    for path in paths:
        if isinstance(path, Source):
            sources.append(path)
        elif os.fspath(path) != "-":
            for source in find_files(path, endings):
                if source.path is not None and is_archive(source.path):
                    sources += _in_archive(source.path, source.name, known, skipped)
                else:
                    sources.append(source)
        elif any(source.path is None and source.member is None for source in sources):
            raise InputError("standard input can be read only once", file="-")
        else:
            sources.append(Source("<stdin>", None))
    return sources


def _packed(endings: Iterable[str]) -> tuple[str, ...]:
    """Endings with and without those of compression."""
    return tuple(ending + packed for ending in sorted(endings) for packed in ("", *COMPRESSED))


def find_files(path: StrPath, endings: Iterable[str]) -> Iterator[Source]:
    """The files that a path, folder or pattern means; archives stand for themselves."""
    text = os.fspath(path)
    known = (*_packed(endings), *ARCHIVES)
    place = Path(text)
    if (remote := _REMOTE.match(text)) is not None and not place.exists():
        raise InputError(
            f"a file behind {remote[0]} is read by a query",
            file=text,
            hint=f"--query \"SELECT * FROM '{text}'\"",
        )
    if place.exists() or not glob.has_magic(text):
        if not place.exists():
            raise MissingFileError("no such file", file=text, hint="check its name")
        names = [text]
    else:
        names = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 (absolute patterns)
        if not names:
            raise MissingFileError("no file matches this pattern", file=text)
    for name in names:
        file = Path(name)
        yield from _in_folder(file, known) if file.is_dir() else [Source(name, file)]


def _in_archive(
    path: Path, name: str, known: tuple[str, ...], skipped: SkipReport | None
) -> list[Source]:
    sources = []
    for member in members_of(path):
        place = f"{name}/{member.name}"
        if member.name.lower().endswith(known):
            sources.append(Source(place, None, member=member))
        elif member.is_archive and skipped is not None:
            skipped.add(Skipped(place, 0, "an archive within an archive is not opened"))
    if not sources:
        raise _nothing("archive", name, [member.name for member in members_of(path)], known)
    return sources


def _in_folder(folder: Path, known: tuple[str, ...]) -> list[Source]:
    files = sorted(
        file for file in folder.rglob("*") if file.is_file() and not file.name.startswith(".")
    )
    sources = [Source(str(file), file) for file in files if file.name.lower().endswith(known)]
    if not sources:
        raise _nothing("folder", str(folder), [file.name for file in files], known)
    return sources


def _nothing(kind: str, name: str, files: Sequence[str], known: Sequence[str]) -> InputError:
    """What to say of a folder or archive without a file that can be read."""
    if not files:
        return InputError(f"this {kind} is empty", file=name)
    endings = [ending for ending in known if ending not in ARCHIVES]
    plain = [ending for ending in endings if not ending.endswith(COMPRESSED)]
    there = ", ".join(PurePath(file).name for file in files[:_LISTED])
    more = f" and {len(files) - _LISTED} more" if len(files) > _LISTED else ""
    return InputError(
        f"no file of results in this {kind}, only {there}{more}",
        file=name,
        hint=f"name the files themselves, or give them an ending such as {' '.join(plain)}",
    )
