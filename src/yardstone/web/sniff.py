"""What a file is: told by its first bytes, and by its ending where these leave a doubt."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

from yardstone.errors import InputError
from yardstone.records.archives import ArchiveLimits, members_of
from yardstone.records.formats import FORMATS, HEAD, endings_of, for_web
from yardstone.records.sources import COMPRESSED, Source, unpacked_name
from yardstone.records.streams import StreamLimits
from yardstone.web.kinds import KINDS
from yardstone.web.names import file_label
from yardstone.web.problems import RequestProblem
from yardstone.web.settings import Limits

__all__ = ["ENDINGS", "FILES", "HEAD", "format_of", "look"]

#: What the kinds of job are made of.
_TAKEN = list(dict.fromkeys(name for kind in KINDS.values() for name in kind.formats))
_NAMED = [FORMATS[name] for name in _TAKEN if name in FORMATS]
#: The files that can be sent, in words.
FILES = " or ".join(", ".join(each.name.upper() for each in _NAMED).rsplit(", ", 1)) + " files"
#: Endings of them, and of what they can be packed into.
ENDINGS = (*endings_of(_NAMED), ".txt", ".zip", *COMPRESSED)
_FOREIGN = (
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"Rar!", "a RAR archive: pack it as zip"),
    (b"7z\xbc\xaf", "a 7z archive: pack it as zip"),
    (b"SQLite format 3", "a database: export it as CSV"),
    (b"PAR1", "a Parquet file: export it as CSV"),
)


def format_of(head: bytes, name: str) -> str:
    """The format of a file that is no archive, by its first bytes; '' if it is none of ours."""
    format = "" if _foreign(head) else for_web(head, name)
    return format if format in _TAKEN else ""


def _foreign(head: bytes) -> str:
    """What a file is that is none of ours, in words; '' if nobody knows."""
    return next((what for magic, what in _FOREIGN if head.startswith(magic)), "")


def look(path: Path, name: str, limits: Limits, entries: int = 0) -> tuple[str, Counter[str]]:
    """The format of an uploaded file, and how many files of each format it holds.

    Archives are not unpacked, but the beginning of each file in them is read; a zip
    archive gets the ending ``.zip``. `entries` is the number of files in archives that
    were looked at before.

    Raises
    ------
    RequestProblem
        It is no file that can be used.
    """
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip", _members(path.rename(path.with_suffix(".zip")), name, limits, entries)
    head = _first_bytes(path, name, limits)
    if not head.strip():
        raise RequestProblem(422, "empty", "This file is empty.", "Choose another one.", file=name)
    format = format_of(head, unpacked_name(name))
    if not format:
        what = _foreign(head)
        raise RequestProblem(
            415,
            "unknown_format",
            f"This is {what}." if what else "This is not a record of games that can be read here.",
            f"Send {FILES}, or a zip archive of them.",
            file=name,
        )
    return format, Counter({format: 1})


def _first_bytes(path: Path, name: str, limits: Limits) -> bytes:
    try:
        with Source(name, path).open(_stream_limits(limits)) as stream:
            head = stream.peek(HEAD)[:HEAD]
            if not head and stream.damage:
                raise InputError(stream.damage)
            return head
    except InputError as error:
        raise RequestProblem(
            422, "damaged", f"{_capital(error.message)}.", "Pack it again.", file=name
        ) from None


def _stream_limits(limits: Limits) -> StreamLimits:
    return StreamLimits(limits.ratio, HEAD * 64)


def _members(path: Path, name: str, limits: Limits, entries: int) -> Counter[str]:
    """How many files of each format a zip archive holds; '' counts the others."""
    formats: Counter[str] = Counter()
    bounds = ArchiveLimits(max(limits.zip_entries - entries, 0), limits.ratio, HEAD * 64)
    nested = 0
    trouble = ""
    try:
        # Under this name, whatever the file is called.
        for member in members_of(path, bounds):
            if member.is_archive:
                nested += 1
                continue
            label = file_label(member.name, limits.name_length)
            try:
                with closing(member.open()) as data:
                    formats[format_of(data.read(HEAD), label)] += 1
            except OSError as error:
                formats[""] += 1
                trouble = str(error.strerror)
    except InputError as error:
        raise RequestProblem(
            422,
            "bad_archive",
            f"{_capital(error.message)}.",
            "Pack fewer files, or send them without an archive.",
            file=name,
        ) from None
    if formats.total() == formats[""]:
        if trouble:
            code = "encrypted" if "encrypted" in trouble else "damaged"
            raise RequestProblem(
                422, code, f"Nothing can be unpacked: {trouble}.", "Pack it again.", file=name
            )
        if nested:
            raise RequestProblem(
                422,
                "nested_archive",
                "This archive holds only archives.",
                "Unpack the inner ones first.",
                file=name,
            )
        raise RequestProblem(
            422,
            "nothing_usable",
            "There are no records of games in this archive.",
            f"Pack {FILES}.",
            file=name,
        )
    return formats


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
