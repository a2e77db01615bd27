"""Files of matches: named ones, those in folders, and those inside archives.

What stands in an archive is untrusted: only plain files are taken out of it, under
names of our own, and only so many of such a size.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from yardstone.errors import InputError
from yardstone.files import scratch_folder
from yardstone.records.archives import (
    ArchiveLimits,
    ArchiveTooLarge,
    Member,
    is_archive,
    members_of,
)
from yardstone.records.sources import COMPRESSED, Source, find_files, plain_ending

__all__ = ["ENDINGS", "UnpackLimits", "MatchFile", "MatchFiles"]

#: Endings of matches in folders and archives: those that GNU Backgammon imports.
ENDINGS = (
    ".mat", ".txt", ".sgf", ".sgg", ".gam", ".pos", ".tmg",
    ".oldmoves", ".empire", ".party", ".bgroom", ".snowietxt",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class UnpackLimits:
    """How much is read.

    Attributes
    ----------
    file : int
        Bytes of one file of a match.
    total : int
        Bytes that all archives together may unpack to.
    number : int
        Files in all archives together; other members count as well.
    """

    file: int = 4 << 20
    total: int = 1 << 30
    number: int = 200_000


@dataclass(frozen=True, slots=True)
class MatchFile:
    """A file of one match.

    Attributes
    ----------
    name : str
        What reports call it; a member of an archive has the archive's name before it.
    path : Path
        Where its bytes are.
    problem : str
        Why it cannot be used; empty if nothing is wrong with it yet.
    data : bytes, optional
        Its bytes, where they came from another machine.
    """

    name: str
    path: Path
    problem: str = ""
    data: bytes | None = field(default=None, repr=False)

    @property
    def ending(self) -> str:
        """Its ending in lower case, without that of a compression."""
        return plain_ending(self.name)


class MatchFiles(Sequence[MatchFile]):
    """The files meant by paths; what is packed lies unpacked until this is closed.

    Parameters
    ----------
    paths : sequence of paths
        Files of any name, folders (all files below them with one of `ENDINGS`),
        patterns, and archives (zip, tar, compressed tar). Single files may be
        compressed with gzip, Zstandard, bzip2 or xz.
    limits : UnpackLimits
        How much is read.

    Raises
    ------
    InputError
        A path means nothing, or an archive cannot be read or holds too much.
    """

    def __init__(
        self, paths: Sequence[str | os.PathLike[str]], limits: UnpackLimits | None = None
    ) -> None:
        self._limits = limits or UnpackLimits()
        self._open = ExitStack()
        self._folder = self._open.enter_context(scratch_folder())
        self._unpacked = 0
        self._members = 0
        self._files: list[MatchFile] = []
        try:
            for path in paths:
                for source in find_files(path, ENDINGS):
                    self._add(source)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Delete what was unpacked."""
        self._open.close()

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, place: int) -> MatchFile:  # type: ignore[override]
        return self._files[place]

    def _add(self, source: Source) -> None:
        path = source.path
        assert path is not None
        if is_archive(path):
            self._add_archive(path)
        elif path.name.lower().endswith(COMPRESSED):
            self._unpack(source)
        elif not path.is_file():
            self._files.append(MatchFile(source.name, path, "not a regular file"))
        else:
            too_long = path.stat().st_size > self._limits.file
            self._files.append(MatchFile(source.name, path, self._too_long if too_long else ""))

    @property
    def _too_long(self) -> str:
        return f"longer than {self._limits.file >> 10} KiB: not a match"

    def _add_archive(self, path: Path) -> None:
        """Unpack the matches of an archive; of a damaged one what comes before the damage."""
        members: list[Member] = []
        try:
            for member in members_of(path, ArchiveLimits(self._limits.number, math.inf)):
                self._count(str(path), 1, 0)
                members.append(member)
        except ArchiveTooLarge:
            raise
        except (InputError, OSError) as error:
            reason = error.message if isinstance(error, InputError) else error.strerror
            problem = f"this archive cannot be read: {reason}"
            self._files.append(MatchFile(str(path), path, problem))
        for member in members:
            source = Source(f"{path}/{member.name}", None, member=member)
            if source.ending in ENDINGS:
                self._unpack(source)

    def _unpack(self, source: Source) -> None:
        """Copy what is packed, whatever it claims about its size."""
        place = self._folder / f"{len(self._files)}{source.ending}"
        size, problem = 0, ""
        try:
            with source.open() as stream, place.open("wb") as out:
                for piece in stream.pieces():
                    size += len(piece)
                    if size > self._limits.file:
                        problem = self._too_long
                        break
                    out.write(piece)
                problem = problem or stream.damage or ""
        except InputError as error:
            problem = f"cannot be unpacked: {error.message}"
        if problem:
            place.write_bytes(b"")
        self._count(source.name, int(source.member is None), min(size, self._limits.file))
        self._files.append(MatchFile(source.name, place, problem))

    def _count(self, name: str, members: int, size: int) -> None:
        self._members += members
        self._unpacked += size
        limits = self._limits
        if self._members > limits.number:
            raise InputError(f"more than {limits.number:,} files are packed", file=name)
        if self._unpacked > limits.total:
            raise InputError(
                f"unpacks to more than {limits.total >> 20} MiB", file=name, hint="split it"
            )
