"""Files that visitors sent or named: their names, what they are, unpacked or fetched."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any

from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.parallel import Track
from yardstone.pool import Skipped, SkipReport
from yardstone.records.decoding import clean
from yardstone.records.formats import FORMATS, HEAD, endings_of, for_web
from yardstone.records.ogs import OGS, GameSelection, fetch_ogs_games
from yardstone.records.sources import (
    COMPRESSED,
    ArchiveLimits,
    Source,
    StreamLimits,
    members_of,
    unpacked_name,
)
from yardstone.web.database import file_name
from yardstone.web.kinds import KINDS
from yardstone.web.problems import refusal
from yardstone.web.settings import Limits, Settings


def file_label(name: str, length: int) -> str:
    r"""The last part of a file's name, without anything that could do harm, not too long.

    It is only shown: files are stored under numbers.

    Examples:
        >>> file_label("..\\..\\etc/passwd", 120), file_label("C:\\games\\a.sgf", 120)
        ('passwd', 'a.sgf')
        >>> file_label("/", 120), file_label("a" * 30 + ".sgf", 12)
        ('file', 'aaaaaaa….sgf')
    """
    last = clean(unicodedata.normalize("NFC", name)).replace("\\", "/").rstrip("/")
    last = last.rpartition("/")[2].strip()
    if last in ("", ".", ".."):
        return "file"
    if len(last) <= length:
        return last
    stem, dot, ending = last.rpartition(".")
    if not dot or len(ending) > 8:
        return last[: length - 1] + "…"
    return stem[: length - len(ending) - 2] + "…." + ending


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


def _format_of(head: bytes, name: str) -> str:
    """The format of a file that is no archive, by its first bytes; '' if it is none of ours."""
    format = "" if _foreign(head) else for_web(head, name)
    return format if format in _TAKEN else ""


def _foreign(head: bytes) -> str:
    """What a file is that is none of ours, in words; '' if nobody knows."""
    return next((what for magic, what in _FOREIGN if head.startswith(magic)), "")


def look(path: Path, name: str, limits: Limits, entries: int = 0) -> tuple[str, Counter[str]]:
    """The format of an uploaded file, and how many files of each format it holds.

    Archives are not unpacked, but the beginning of each file in them is read; a zip archive gets
    the ending ``.zip``. `entries` is the number of files in archives that were looked at before.
    Raises RequestProblem if it is no file that can be used.
    """
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip", _members(path.rename(path.with_suffix(".zip")), name, limits, entries)
    try:
        with Source(name, path).open(StreamLimits(limits.ratio, _LOOKED)) as stream:
            head = stream.peek(HEAD)[:HEAD]
            if not head and stream.damage:
                raise InputError(stream.damage)
    except InputError as error:
        raise refusal("damaged", message=_begun(error.message), file=name) from None
    if not head.strip():
        raise refusal("empty", file=name)
    format = _format_of(head, unpacked_name(name))
    if not format:
        what = _foreign(head) or "not a record of games that can be read here"
        raise refusal("unknown_format", what=what, files=FILES, file=name)
    return format, Counter({format: 1})


def _begun(message: str) -> str:
    return message[:1].upper() + message[1:]


def _members(path: Path, name: str, limits: Limits, entries: int) -> Counter[str]:
    """How many files of each format a zip archive holds; '' counts the others."""
    formats: Counter[str] = Counter()
    reasons: list[str] = []

    def count(label: str, data: IO[bytes]) -> None:
        formats[_format_of(data.read(HEAD), label)] += 1

    bounds = ArchiveLimits(max(limits.zip_entries - entries, 0), limits.ratio, _LOOKED)
    try:
        _walk(path, bounds, limits, count, lambda label, reason: reasons.append(reason))
    except InputError as error:
        raise refusal("bad_archive", message=_begun(error.message), file=name) from None
    if formats.total() > formats[""]:
        return formats
    if troubles := [reason for reason in reasons if reason != _NESTED]:
        code = "encrypted" if "encrypted" in troubles[-1] else "damaged"
        raise refusal(code, message=f"Nothing can be unpacked: {troubles[-1]}", file=name)
    if reasons:
        raise refusal("nested_archive", file=name)
    raise refusal("nothing_usable/archive", files=FILES, file=name)


def _walk(
    path: Path,
    bounds: ArchiveLimits,
    limits: Limits,
    take: Callable[[str, IO[bytes]], None],
    skip: Callable[[str, str], None],
) -> int:
    """Take each file in a zip archive, or skip it and say why; how many there are."""
    number = 0
    for member in members_of(path, bounds):
        number += 1
        label = file_label(member.name, limits.name_length)
        if member.is_archive:
            skip(label, _NESTED)
            continue
        try:
            with closing(member.open()) as data:
                take(label, data)
        except OSError as error:
            skip(label, str(error.strerror or error))
    return number


_NESTED = "an archive within an archive is not opened"


#: Bytes to which an archive may expand while one looks at the beginning of its files.
_LOOKED = HEAD * 64
_PIECE = 1 << 18
#: Added to the bytes that an archive may expand to.
_EXTRA = 1 << 20


@dataclass(slots=True)
class Unpacked(Source):
    """A plain file: what the visitor called it, with its archive before it, and its format."""

    format: str = ""


def unpack(
    upload: Path,
    files: Sequence[dict[str, Any]],
    formats: Sequence[str],
    folder: Path,
    limits: Limits,
    skipped: SkipReport,
) -> list[Unpacked]:
    """Put the files of an upload that are of some formats into a folder.

    Raises RequestProblem if none is of use, or they are too many or too large.
    """
    unpacked: list[Unpacked] = []
    left, members = limits.unpacked_bytes, 0

    def skip(label: str, reason: str) -> None:
        skipped.add(Skipped(label, 0, reason))

    def take(label: str, pieces: Iterator[bytes]) -> None:
        nonlocal left
        head = b""
        while len(head) < HEAD and (piece := next(pieces, b"")):
            head += piece
        name = _format_of(head[:HEAD], label)
        if name not in formats:
            skip(label, "not of the kind that is wanted" if name else "no file of games")
            return
        ending = "sgf" if name.startswith("sgf") else name
        path = folder / f"{len(unpacked):06d}.{ending}"
        size, longest = 0, limits.file_bytes * 4
        with path.open("wb") as out:
            for piece in chain([head], pieces):
                size += len(piece)
                if size > left:
                    most = limits.unpacked_bytes >> 20
                    raise refusal("too_large/unpacked", most=most, file=label)
                if size > longest:
                    break
                out.write(piece)
        left -= size
        if size > longest:
            path.unlink()
            skip(label, "too long when unpacked")
        else:
            unpacked.append(Unpacked(label, path, format=name))

    def take_zip(label: str, path: Path) -> int:
        bounds = ArchiveLimits(max(limits.zip_entries - members, 0), limits.ratio, _EXTRA)
        try:
            return _walk(
                path,
                bounds,
                limits,
                lambda name, data: take(f"{label}/{name}", iter(partial(data.read, _PIECE), b"")),
                lambda name, reason: skip(f"{label}/{name}", reason),
            )
        except InputError as error:
            raise InputError(error.message, file=label, hint=error.hint) from None

    for number, file in enumerate(files):
        path, label = upload / file_name(number, file["format"]), str(file["name"])
        if file["format"] == "unknown":
            skip(label, str(file.get("reason") or "no file of games"))
        elif file["format"] == "zip":
            members += take_zip(label, path)
        else:
            with Source(label, path).open(StreamLimits(limits.ratio, _EXTRA)) as stream:
                take(unpacked_name(label), stream.pieces())
                if stream.damage:
                    skip(label, stream.damage)
    if not unpacked:
        hint = skipped.details[0].reason if skipped.details else "Send other files."
        raise refusal("nothing_usable", hint=hint)
    return unpacked


def import_games(
    settings: Settings,
    user: str,
    folder: Path,
    skipped: SkipReport,
) -> tuple[str, list[Unpacked]]:
    """Fetch the latest games of a user of OGS: the name as OGS writes it, and the files.

    Raises RequestProblem if the importer is off, or the name cannot be; InputError if the games
    cannot be fetched.
    """
    if "ogs" not in settings.importers:
        raise refusal("no_importer")
    limits = settings.limits
    selection = GameSelection(
        games=limits.import_games,
        file_bytes=limits.import_bytes,
        seconds=float(limits.import_seconds),
    )
    Track("fetching")(0)
    try:
        games = fetch_ogs_games(user, folder, selection=selection, url=settings.importer_url or OGS)
    except (NoGamesError, UsageError) as error:
        raise refusal("no_games", reason=error) from None
    for words in games.left_out:
        skipped.add(Skipped("OGS", 0, words))
    return games.user, [Unpacked(path.name, path, format="sgf") for path in games.files]
