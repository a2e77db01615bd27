"""Where records come from: files, folders, archives, patterns, standard input."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from yardstone.errors import InputError
from yardstone.pool import Skipped, SkipReport
from yardstone.records.archives import ARCHIVES, Member, is_archive, members_of
from yardstone.records.streams import ByteStream, Limits

__all__ = ["Source", "find_sources"]

#: Files named where none of a folder can be read.
_SHOWN = 5
COMPRESSED = (".gz", ".zst", ".bz2", ".xz")


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
    """

    name: str
    path: Path | None
    _kept: ByteStream | None = None
    member: Member | None = None

    @property
    def ending(self) -> str:
        """The ending that tells the format, without that of the compression."""
        suffixes = Path(self.name.lower()).suffixes
        if suffixes and suffixes[-1] in COMPRESSED:
            suffixes.pop()
        return suffixes[-1] if suffixes else ""

    @property
    def size(self) -> int:
        """Its size in bytes; 0 if unknown."""
        if self.member is not None:
            return self.member.size
        try:
            return 0 if self.path is None else self.path.stat().st_size
        except OSError:
            return 0

    def open(self, limits: Limits | None = None) -> ByteStream:
        """Its bytes, decompressed."""
        if self._kept is not None:
            return self._kept
        if self.member is not None:
            try:
                return ByteStream(
                    self.member.open(), self.name, self.member.size, limits or Limits()
                )
            except OSError as error:
                raise InputError(f"cannot be read: {error.strerror}", file=self.name) from None
        if self.path is None:
            return ByteStream(sys.stdin.buffer, self.name, 0, limits or Limits())
        try:
            raw = self.path.open("rb", buffering=0)
            size = os.fstat(raw.fileno()).st_size
        except OSError as error:
            raise InputError(
                f"cannot be read: {error.strerror}",
                file=self.name,
                mend="check the name and its rights",
            ) from None
        return ByteStream(raw, self.name, size, limits or Limits())

    def keep(self, stream: ByteStream) -> None:
        """Have this stream given by `open`, for what cannot be opened twice."""
        self._kept = stream


def find_sources(
    paths: Sequence[str | os.PathLike[str]],
    endings: Iterable[str],
    skipped: SkipReport | None = None,
) -> list[Source]:
    """The files meant by paths, folders, archives, patterns and ``-`` (standard input).

    A folder means all files below it whose ending is one of `endings`, compressed
    or not, in order of their paths, and a zip or tar archive means such files in it.
    Archives within archives are not opened, only named in `skipped`.
    """
    found = _found(paths, endings)
    if not any(source.path is not None and is_archive(source.path) for source in found):
        return found
    known = tuple(ending + packed for ending in sorted(endings) for packed in ("", *COMPRESSED))
    sources: list[Source] = []
    for source in found:
        if source.path is not None and is_archive(source.path):
            sources += _in_archive(source.path, source.name, known, skipped)
        else:
            sources.append(source)
    return sources


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


def _found(paths: Sequence[str | os.PathLike[str]], endings: Iterable[str]) -> list[Source]:
    known = tuple(ending + packed for ending in sorted(endings) for packed in ("", *COMPRESSED))
    known += ARCHIVES
    sources: list[Source] = []
    for path in paths:
        text = os.fspath(path)
        if text == "-":
            if any(source.path is None for source in sources):
                raise InputError("standard input can be read only once", file="-")
            sources.append(Source("<stdin>", None))
            continue
        place = Path(text)
        if place.is_dir():
            sources += _in_folder(place, known)
        elif place.exists() or not glob.has_magic(text):
            if not place.exists():
                raise InputError("no such file", file=text, mend="check its name")
            sources.append(Source(text, place))
        else:
            sources += _matching(text, known)
    return sources


def _in_folder(folder: Path, known: tuple[str, ...]) -> list[Source]:
    found = sorted(
        file for file in folder.rglob("*") if file.name.lower().endswith(known) and file.is_file()
    )
    if not found:
        names = [file.name for file in sorted(folder.rglob("*")) if file.is_file()]
        raise _nothing("folder", str(folder), names, known)
    return [Source(str(file), file) for file in found]


def _nothing(kind: str, name: str, files: Sequence[str], known: Sequence[str]) -> InputError:
    """What to say of a folder or archive without a file that can be read."""
    if not files:
        return InputError(f"this {kind} is empty", file=name)
    endings = [ending for ending in known if ending not in ARCHIVES]
    plain = [ending for ending in endings if not ending.endswith(COMPRESSED)]
    there = ", ".join(PurePath(file).name for file in files[:_SHOWN])
    more = f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
    return InputError(
        f"no file of results in this {kind}, only {there}{more}",
        file=name,
        mend=f"name the files themselves, or give them an ending such as {' '.join(plain)}",
    )


def _matching(pattern: str, known: tuple[str, ...]) -> list[Source]:
    sources: list[Source] = []
    for name in sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207 (absolute patterns)
        file = Path(name)
        sources += _in_folder(file, known) if file.is_dir() else [Source(name, file)]
    if not sources:
        raise InputError("no file matches this pattern", file=pattern)
    return sources
