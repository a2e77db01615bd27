"""Files of matches: named ones, those in folders, and those inside archives.

What stands in an archive is untrusted: only plain files are taken out of it, under
names of our own, and only so many of such a size.
"""

from __future__ import annotations

import glob
import lzma
import os
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from yardstone.errors import InputError
from yardstone.records.decoding import clean
from yardstone.records.sources import COMPRESSED, Source

__all__ = ["ENDINGS", "UnpackLimits", "MatchFile", "MatchFiles"]

#: Endings of matches in folders and archives: those that GNU Backgammon imports.
ENDINGS = (
    ".mat", ".txt", ".sgf", ".sgg", ".gam", ".pos", ".tmg",
    ".oldmoves", ".empire", ".party", ".bgroom", ".snowietxt",
)  # fmt: skip
#: What reading a damaged archive raises.
_DAMAGE = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError)
_TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")


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
    """

    name: str
    path: Path
    problem: str = ""

    @property
    def ending(self) -> str:
        """Its ending in lower case, without that of a compression."""
        name = self.name.lower()
        for packed in COMPRESSED:
            name = name.removesuffix(packed)
        return Path(name).suffix


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
        self._folder = tempfile.TemporaryDirectory(prefix="yardstone-matches-")
        self._unpacked = 0
        self._members = 0
        self._files: list[MatchFile] = []
        try:
            for path in paths:
                self._add(os.fspath(path))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Delete what was unpacked."""
        self._folder.cleanup()

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, place: int) -> MatchFile:  # type: ignore[override]
        return self._files[place]

    def __iter__(self) -> Iterator[MatchFile]:
        return iter(self._files)

    def _add(self, text: str) -> None:
        path = Path(text)
        if path.is_dir():
            self._add_folder(path)
        elif path.exists():
            self._add_file(path)
        elif glob.has_magic(text):
            found = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 (absolute patterns)
            if not found:
                raise InputError("no file matches this pattern", file=text)
            for name in found:
                if Path(name).is_dir():
                    self._add_folder(Path(name))
                else:
                    self._add_file(Path(name))
        else:
            raise InputError("no such file", file=text, mend="check its name")

    def _add_folder(self, folder: Path) -> None:
        known = tuple(end + packed for end in ENDINGS for packed in ("", *COMPRESSED))
        wanted = (*known, *_TAR, ".zip")
        found = sorted(path for path in folder.rglob("*") if path.name.lower().endswith(wanted))
        found = [path for path in found if path.is_file()]
        if not found:
            raise InputError(
                "no match in this folder", file=str(folder), mend="known: " + " ".join(ENDINGS)
            )
        for path in found:
            self._add_file(path)

    def _add_file(self, path: Path) -> None:
        name = path.name.lower()
        if name.endswith(_TAR):
            self._add_tar(path)
        elif name.endswith(".zip"):
            self._add_zip(path)
        elif name.endswith(COMPRESSED):
            self._add_compressed(path)
        elif not path.is_file():
            self._files.append(MatchFile(str(path), path, "this is no plain file"))
        elif path.stat().st_size > self._limits.file:
            self._files.append(MatchFile(str(path), path, self._too_long))
        else:
            self._files.append(MatchFile(str(path), path))

    @property
    def _too_long(self) -> str:
        return f"longer than {self._limits.file >> 10} KiB: this is no match"

    def _add_compressed(self, path: Path) -> None:
        source = Source(str(path), path)
        place = self._place(source.ending)
        size = 0
        with source.open() as stream, place.open("wb") as out:
            for piece in stream.pieces():
                size += len(piece)
                if size > self._limits.file:
                    break
                out.write(piece)
        problem = self._too_long if size > self._limits.file else ""
        self._count(str(path), 1, min(size, self._limits.file))
        self._files.append(MatchFile(str(path), place, problem or stream.damage or ""))

    def _add_tar(self, path: Path) -> None:
        with self._reading(path), tarfile.open(path) as archive:
            for member in archive:
                self._count(str(path), 1, member.size)
                if member.isreg() and member.name.lower().endswith(ENDINGS):
                    data = archive.extractfile(member)
                    if data is not None:
                        self._take(f"{path}/{clean(member.name)}", data)

    def _add_zip(self, path: Path) -> None:
        with self._reading(path), zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                self._count(str(path), 1, 0)
                if entry.is_dir() or not entry.filename.lower().endswith(ENDINGS):
                    continue
                name = f"{path}/{clean(entry.filename)}"
                try:
                    self._take(name, archive.open(entry))
                except (*_DAMAGE, NotImplementedError, RuntimeError) as error:
                    self._files.append(
                        MatchFile(name, self._place(""), f"cannot be unpacked: {error}")
                    )

    @contextmanager
    def _reading(self, archive: Path) -> Iterator[None]:
        """Name a damaged archive among the files; what came before the damage stays."""
        try:
            yield
        except (*_DAMAGE, OSError) as error:
            reason = getattr(error, "strerror", None) or str(error) or "it breaks off"
            self._files.append(
                MatchFile(str(archive), archive, f"this archive cannot be read: {reason}")
            )

    def _take(self, name: str, data: IO[bytes]) -> None:
        """Copy one member of an archive, whatever it claims about its size."""
        place = self._place(Path(name.lower()).suffix)
        with data:
            content = data.read(self._limits.file + 1)
        self._count(name, 0, len(content))
        too_long = len(content) > self._limits.file
        place.write_bytes(b"" if too_long else content)
        self._files.append(MatchFile(name, place, self._too_long if too_long else ""))

    def _place(self, ending: str) -> Path:
        return Path(self._folder.name) / f"{len(self._files)}{ending}"

    def _count(self, name: str, members: int, size: int) -> None:
        self._members += members
        self._unpacked += size
        limits = self._limits
        if self._members > limits.number:
            raise InputError(f"more than {limits.number:,} files are packed", file=name)
        if self._unpacked > limits.total:
            raise InputError(
                f"unpacks to more than {limits.total >> 20} MiB", file=name, mend="split it"
            )
