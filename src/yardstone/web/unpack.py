"""In a worker: from what was sent to plain files under numbers, within limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from yardstone.errors import InputError
from yardstone.pool import Skipped, SkipReport
from yardstone.records.archives import ArchiveLimits, members_of
from yardstone.records.sources import Source, unpacked_name
from yardstone.records.streams import StreamLimits
from yardstone.web.names import file_label
from yardstone.web.problems import RequestProblem
from yardstone.web.settings import Limits
from yardstone.web.sniff import HEAD, format_of

__all__ = ["Unpacked", "unpack"]

_PIECE = 1 << 18
#: Added to the bytes that an archive may expand to.
_EXTRA = 1 << 20


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A plain file.

    Attributes
    ----------
    label : str
        What the visitor called it, with the archive's name before it.
    path : Path
        Where it is.
    format : str
        What its first bytes and its ending say.
    """

    label: str
    path: Path
    format: str

    @property
    def source(self) -> Source:
        """Where to read it from, under the visitor's name for it."""
        return Source(self.label, self.path)


@dataclass
class _Unpacking:
    folder: Path
    formats: Sequence[str]
    limits: Limits
    skipped: SkipReport
    left: int
    files: list[Unpacked] = field(default_factory=list)

    def skip(self, label: str, reason: str) -> None:
        self.skipped.add(Skipped(label, 0, reason))

    def take(self, label: str, pieces: Iterator[bytes]) -> None:
        """Keep a file if it is of use."""
        head = b""
        for piece in pieces:
            head += piece
            if len(head) >= HEAD:
                break
        name = format_of(head[:HEAD], label)
        if name not in self.formats:
            self.skip(label, "not of the kind that is wanted" if name else "no file of games")
            return
        ending = "sgf" if name.startswith("sgf") else name
        path = self.folder / f"{len(self.files):06d}.{ending}"
        size = 0
        with path.open("wb") as out:
            for piece in _chained(head, pieces):
                size += len(piece)
                if size > self.left:
                    raise RequestProblem(
                        413,
                        "too_large",
                        f"The files unpack to more than {self.limits.unpacked_bytes >> 20} MiB.",
                        "Send fewer of them.",
                        file=label,
                    )
                if size > self.limits.file_bytes * 4:
                    break
                out.write(piece)
        self.left -= size
        if size > self.limits.file_bytes * 4:
            path.unlink()
            self.skip(label, "too long when unpacked")
            return
        self.files.append(Unpacked(label, path, name))


def _chained(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from rest


def unpack(
    upload: Path,
    files: Sequence[dict[str, Any]],
    formats: Sequence[str],
    folder: Path,
    limits: Limits,
    skipped: SkipReport,
) -> list[Unpacked]:
    """Put the files of an upload that are of some formats into a folder.

    Raises
    ------
    RequestProblem
        None is of use, or they are too many or too large.
    """
    work = _Unpacking(folder, formats, limits, skipped, limits.unpacked_bytes)
    members = 0
    for number, file in enumerate(files):
        path, label = upload / f"{number:04d}", str(file["name"])
        if file["format"] == "unknown":
            work.skip(label, str(file.get("reason") or "no file of games"))
        elif file["format"] == "zip":
            members = _unpack_zip(work, path.with_suffix(".zip"), label, members)
        else:
            _unpack_one(work, path, label)
    if not work.files:
        raise RequestProblem(
            422,
            "nothing_usable",
            "No file can be used.",
            skipped.details[0].reason if skipped.details else "Send other files.",
        )
    return work.files


def _unpack_zip(work: _Unpacking, path: Path, label: str, members: int) -> int:
    limits = work.limits
    try:
        for member in members_of(path, ArchiveLimits(limits.zip_entries, limits.ratio, _EXTRA)):
            members += 1
            if members > limits.zip_entries:
                raise RequestProblem(
                    413,
                    "too_many_files",
                    f"More than {limits.zip_entries:,} files are packed.",
                    "Send fewer of them.",
                    file=label,
                )
            name = f"{label}/{file_label(member.name, limits.name_length)}"
            if member.is_archive:
                work.skip(name, "an archive within an archive is not opened")
                continue
            try:
                with closing(member.open()) as data:
                    work.take(name, _pieces(data))
            except OSError as error:
                work.skip(name, str(error.strerror or error))
    except InputError as error:
        raise InputError(error.message, file=label, hint=error.hint) from None
    return members


def _unpack_one(work: _Unpacking, path: Path, label: str) -> None:
    limits = StreamLimits(work.limits.ratio, _EXTRA)
    with Source(label, path).open(limits) as stream:
        work.take(unpacked_name(label), stream.pieces())
        if stream.damage:
            work.skip(label, stream.damage)


def _pieces(data: IO[bytes]) -> Iterator[bytes]:
    while piece := data.read(_PIECE):
        yield piece
