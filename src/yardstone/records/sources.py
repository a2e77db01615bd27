"""Where records come from: files, folders, archives, patterns, standard input.

`find_sources` finds the files, members of zip and tar archives among them; `ByteStream`
gives their bytes, decompressed as they are read and within limits. Archives are read in
place: nothing is unpacked to disk, so names of members can do no harm. One may lie about what
it holds, so how many members it has, how far it expands and how much is read are limited.
"""

from __future__ import annotations

import codecs
import csv
import glob
import io
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any

from yardstone.errors import InputError, MissingFileError
from yardstone.files import zstd_module
from yardstone.parallel import Track, current
from yardstone.pool import Skipped, SkipReport
from yardstone.records.decoding import clean, decode, plain_cell
from yardstone.records.options import check_unread

if TYPE_CHECKING:
    import tarfile
    import zipfile

_MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
)
#: So many bytes tell how a file is compressed.
LONGEST_MAGIC = 6
_CHUNK = 1 << 18
_PIECE = 1 << 20
#: Of a file that is read at once.
_MOST_BYTES = 1 << 30


#: In UTF-16 so many letters in a row would all be rare ones.
_OTHER_TEXT = re.compile(rb"[ -~]{64}")


def compression_of(head: bytes) -> str | None:
    """How a file that begins so is compressed; None if it is not."""
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """How far a file may expand: `ratio` times its size plus `extra` bytes; else what to do."""

    ratio: float = 1000.0
    extra: int = 64 << 20
    hint: str = "unpack it yourself if that is right"

    def most(self, size: int) -> int:
        """Return to how many bytes a file of this size may expand."""
        return int(min(self.ratio * size + self.extra, 2**62))  # the ratio may be infinite

    def check(self, expanded: int, size: int, name: str) -> None:
        """Refuse a file of this size and name that expands to more bytes than it may."""
        if expanded > self.most(size):
            raise self.error(name)

    def error(self, name: str) -> InputError:
        """Return the error for a file of this name that expands too far."""
        reason = f"expands to more than {self.ratio:g} times its size"
        return InputError(reason, file=name, hint=self.hint)


@contextmanager
def _readable(name: str, hint: str | None = None) -> Iterator[None]:
    """Name the file in errors of the system while it is read."""
    try:
        yield
    except FileNotFoundError:
        raise MissingFileError("no such file", file=name, hint="check its name") from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=name, hint=hint) from None


def check_size(size: int, most: int, name: str) -> None:
    """Refuse a file of this name that has more bytes than it may."""
    if size > most:
        raise InputError(f"is larger than {most >> 20} MiB", file=name)


class ByteStream(io.RawIOBase):
    """The decompressed bytes of a file, an unbuffered binary one of `size` bytes (0 if unknown).

    `name` is what errors call it; of the file so much is read at most as `limit` says.

    Attributes:
        compression: What it is compressed with; the content tells, not the name.
        consumed: How much of the file itself has been read.
        damage: Set when compressed data break off; what came before was still given.
    """

    def __init__(
        self, raw: Any, name: str, size: int, limits: StreamLimits, limit: int = sys.maxsize
    ) -> None:
        self.name = name
        self.size = size
        self.consumed = 0
        self.damage: str | None = None
        self._raw = raw
        self._limits = limits
        self._limit = limit
        self._pieces: Iterator[bytes] | None = None
        self._head = b""
        try:
            while len(self._head) < LONGEST_MAGIC and (data := self._read()):
                self._head += data
        except InputError:
            self.close()
            raise
        self.compression = compression_of(self._head)
        if self.compression is not None:
            packed = chain([self._head], iter(self._read, b""))
            self._pieces = self._unpacked(self.compression, packed)
            self._head = b""

    def close(self) -> None:
        """Close the file, unless it is standard input."""
        if not self.closed and self._raw is not getattr(sys.stdin, "buffer", None):
            self._raw.close()
        super().close()

    def peek(self, size: int) -> bytes:
        """The next bytes, which stay in the stream."""
        while len(self._head) < size and (piece := self._next_piece()):
            self._head += piece
        return self._head[:size]

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer; fewer bytes come only at the end."""
        view, filled = memoryview(buffer), 0
        while filled < len(view):
            if self._head or self._pieces is not None:
                self._head = self._head or self._next_piece()
                taken = min(len(self._head), len(view) - filled)
                view[filled : filled + taken] = self._head[:taken]
                self._head = self._head[taken:]
            else:
                with _readable(self.name):
                    room = view[filled:][: self._limit - self.consumed]
                    taken = self._raw.readinto(room) or 0
                self.consumed += taken
            if not taken:
                break
            filled += taken
        return filled

    def pieces(self) -> Iterator[bytes]:
        """All that remains, piece by piece."""
        while piece := self._head or self._next_piece():
            self._head = b""
            yield piece

    def rest(self, most: int) -> bytes:
        """All that remains at once; InputError if that is more than `most` bytes."""
        data = bytearray()
        for piece in self.pieces():
            data += piece
            check_size(len(data), most, self.name)
        return bytes(data)

    def recode(self, encoding: str) -> None:
        """Give UTF-8 from here on for text in UTF-16; InputError where there is other text."""
        decoder = codecs.getincrementaldecoder(encoding)("replace")
        before = self._pieces
        head, self._head = self._head, b""

        def recoded() -> Iterator[bytes]:
            piece, line = head, 1
            while piece:
                if other := _OTHER_TEXT.search(piece):
                    line += piece.count(b"\n", 0, other.start())
                    reason, hint = "here is no UTF-16 as before", "save it as UTF-8"
                    raise InputError(reason, file=self.name, line=line, hint=hint)
                line += piece.count(b"\n")
                yield decoder.decode(piece).encode("utf-8", "replace")
                piece = self._read() if before is None else next(before, b"")
            yield decoder.decode(b"", final=True).encode("utf-8", "replace")

        self._pieces = (piece for piece in recoded() if piece)

    def recode_utf16(self) -> None:
        """Have UTF-16 recoded, and a byte order mark left out."""
        head = self.peek(256)
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            self.recode("utf-16")
        elif head.startswith(b"\xef\xbb\xbf"):
            self._head = self._head[3:]
        elif len(head) >= 4:
            zeros = [head[0::2].count(0), head[1::2].count(0)]
            half = len(head) // 2
            if zeros[1] > 0.9 * half and zeros[0] < 0.1 * half:
                self.recode("utf-16-le")
            elif zeros[0] > 0.9 * half and zeros[1] < 0.1 * half:
                self.recode("utf-16-be")

    def _next_piece(self) -> bytes:
        return self._read() if self._pieces is None else next(self._pieces, b"")

    def _read(self) -> bytes:
        with _readable(self.name):
            data: bytes = self._raw.read(min(_CHUNK, self._limit - self.consumed)) or b""
        self.consumed += len(data)
        return data

    def _unpacked(self, kind: str, packed: Iterator[bytes]) -> Iterator[bytes]:
        new, errors = _decompressor(kind)
        unpacked = 0
        try:
            for piece in _unpack(new, packed):
                unpacked += len(piece)
                self._limits.check(unpacked, self.consumed, self.name)
                if piece:
                    yield piece
        except InputError:  # a ValueError, too, as is what bzip2 raises
            raise
        except errors as error:
            self.damage = f"damaged {kind} data: {error}"


def _decompressor(kind: str) -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    """What unpacks one stream of the kind, and what it raises on damaged data."""
    if kind == "gzip":
        return partial(zlib.decompressobj, wbits=31), (zlib.error, EOFError)
    if kind == "bzip2":
        import bz2

        return bz2.BZ2Decompressor, (OSError, ValueError, EOFError)
    if kind == "xz":
        import lzma

        return lzma.LZMADecompressor, (lzma.LZMAError, EOFError)
    zstd = zstd_module()
    return zstd.ZstdDecompressor, (zstd.ZstdError, EOFError)


def _unpack(new: Callable[[], Any], packed: Iterator[bytes]) -> Iterator[bytes]:
    machine = None
    data = b""
    while True:
        hungry = machine is None or getattr(machine, "needs_input", True)
        if hungry:
            data = data or next(packed, b"")
        if machine is None:
            data = data.lstrip(b"\0")  # archives on tapes are padded so
            if not data:
                return
            machine = new()
        piece = machine.decompress(data, _PIECE)
        if hungry and not data and not piece:
            raise EOFError("they break off")
        yield piece
        data = getattr(machine, "unconsumed_tail", b"")
        if machine.eof:
            data, machine = machine.unused_data, None


_TAR_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
#: Endings of files that are archives.
ARCHIVES = (".zip", *_TAR_ENDINGS)
_OTHER_ARCHIVES = (*ARCHIVES, ".7z", ".rar", ".lzh", ".lha", ".arj", ".cab")
_END_RECORD, _END_RECORD_64 = b"PK\x05\x06", b"PK\x06\x07"
_LONGEST_COMMENT = 1 << 16


class ArchiveTooLarge(InputError):
    """An archive that holds more than the limits allow."""


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """How many files an archive may hold; together `ratio` times its size plus `extra` bytes."""

    members: int = 2_000_000
    ratio: float = 200.0
    extra: int = 64 << 20

    @property
    def stream(self) -> StreamLimits:
        """The same limits for all its files as one stream."""
        return StreamLimits(self.ratio, self.extra)


@dataclass(slots=True)
class Member:
    """One file of an archive."""

    name: str  #: within the archive, without control characters
    size: int  #: bytes of the archive that it takes, as far as that is known
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

    Raises InputError if it is damaged or holds more than the limits allow.
    """
    limits = limits or ArchiveLimits()
    archive = _Zip(path) if path.name.lower().endswith(".zip") else _Tar(path)
    allowed = limits.stream.most(path.stat().st_size)
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


@contextmanager
def _damage(kind: str, path: Path, hint: str | None = None) -> Iterator[None]:
    """Name the archive in errors of its library, where damage has many names."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"damaged {kind} archive: {error}", file=str(path), hint=hint) from None


@dataclass(slots=True)
class _Zip:
    path: Path
    _open: zipfile.ZipFile | None = field(default=None, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Zip, (self.path,)

    def _file(self) -> zipfile.ZipFile:
        import zipfile

        if self._open is None:
            with _damage("zip", self.path, hint="download or copy it again"):
                try:
                    self._open = zipfile.ZipFile(self.path)
                except (OSError, NotImplementedError) as error:
                    raise InputError(f"cannot be read: {error}", file=str(self.path)) from None
        return self._open

    def entries(self, limits: ArchiveLimits) -> Iterator[tuple[str, int, int, Any]]:
        """Name, size, packed size and key of each file."""
        if _listed(self.path, limits.members) > limits.members:
            raise _too_many(self.path, limits)
        for entry in self._file().infolist():
            if entry.filename and not entry.is_dir():
                yield _decoded(entry), entry.file_size, entry.compress_size, entry

    def open(self, key: zipfile.ZipInfo) -> IO[bytes]:
        """The bytes of one file."""
        with _as_os_error():
            return _Unzipping(self._file().open(key))  # type: ignore[return-value]


@contextmanager
def _as_os_error(damage: str = "damaged or unknown packing") -> Iterator[None]:
    """Make what tarfile, zipfile and each of its packings raise an `OSError`."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        locked = "encrypted" in text or "password" in text
        reason = "it is encrypted" if locked else f"{damage}: {text}"
        raise OSError(0, reason) from None


def _listed(path: Path, most: int) -> int:
    """How many files the list of a zip file holds, counted to one more than `most`."""
    before = max(0, path.stat().st_size - _LONGEST_COMMENT - 22 - 76)
    with path.open("rb") as file:
        file.seek(before)
        tail = file.read()
        place = tail.rfind(_END_RECORD)
        if place < 0 or len(tail) < place + 16:
            return 0
        end, listing = before + place, int.from_bytes(tail[place + 12 : place + 16], "little")
        if place >= 76 and tail[place - 20 : place - 16] == _END_RECORD_64:
            end, listing = end - 76, int.from_bytes(tail[place - 36 : place - 28], "little")
        # An entry of the list takes at least 46 bytes, whatever number is written there.
        if listing // 46 <= most:
            return listing // 46
        file.seek(max(0, end - listing))
        count = 0
        while count <= most and len(lengths := file.read(46)[28:34]) == 6 and listing > 0:
            more = sum(int.from_bytes(lengths[at : at + 2], "little") for at in (0, 2, 4))
            file.seek(more, os.SEEK_CUR)
            listing -= 46 + more
            count += 1
    return count


def _decoded(entry: zipfile.ZipInfo) -> str:
    """The name, where the archive does not say that it is UTF-8 although it is."""
    if entry.flag_bits & 0x800 or entry.filename.isascii():
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return entry.filename


class _Unzipping(io.BufferedIOBase):
    """A file in a zip archive whose errors are all `OSError`."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw

    def read(self, size: int | None = -1, /) -> bytes:
        with _as_os_error():
            return self._raw.read(-1 if size is None else size)

    def close(self) -> None:
        self._raw.close()
        super().close()


@dataclass(slots=True)
class _Tar:
    """A tar file, read from its beginning to its end; going back means beginning again."""

    path: Path
    _next: int = 0
    _open: tarfile.TarFile | None = field(default=None, repr=False)
    _stream: ByteStream | None = field(default=None, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Tar, (self.path,)

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
        with _as_os_error("damaged tar archive"):
            file = self._open.extractfile(entry)
            return io.BytesIO(b"" if file is None else file.read())

    def _rewind(self, limits: ArchiveLimits) -> None:
        import tarfile

        self._close()
        raw = self.path.open("rb", buffering=0)
        size = self.path.stat().st_size
        self._stream = ByteStream(raw, str(self.path), size, limits.stream)
        with _damage("tar", self.path, hint="download or copy it again"):
            self._open = tarfile.open(fileobj=self._stream, mode="r|")  # noqa: SIM115
        self._next = 0

    def _following(self) -> tarfile.TarInfo | None:
        if self._open is None:
            return None
        with _damage("tar", self.path):
            entry = self._open.next()
        self._next += 1
        self._open.members = []  # type: ignore[attr-defined]  # tarfile would keep them all
        return entry

    def __del__(self) -> None:
        self._close()

    def _close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None
        if self._stream is not None:
            self._stream.close()
            self._stream = None


#: Files named where none of a folder can be read.
_LISTED = 5
#: Endings of compressed files.
COMPRESSED = (".gz", ".zst", ".bz2", ".xz")
StrPath = str | os.PathLike[str]
_REMOTE = re.compile(r"(?:https?|s3|s3a|gs|gcs|r2|az|abfss|hf)://", re.IGNORECASE)


def plain_ending(name: str) -> str:
    """The ending of a file's name that tells the format, without that of the compression.

    Examples:
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
    """One place to read from."""

    name: str  #: what messages call it
    path: Path | None  #: None for standard input and for a file in an archive
    kept: ByteStream | None = None  #: given by `open`, where it cannot be opened twice
    member: Member | None = None
    limit: int | None = None  #: only so many bytes of the file are read
    #: its bytes, as they lie in the file, where it came from another machine
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
        if self.kept is not None:
            return self.kept
        size, limit = self.size, sys.maxsize
        if self.data is not None:
            raw: Any = io.BytesIO(self.data)
        elif self.member is not None:
            with _readable(self.name):
                raw = self.member.open()
        elif self.path is None:
            raw = sys.stdin.buffer
        else:
            with _readable(self.name, "check the name and the permissions"):
                raw = self.path.open("rb", buffering=0)
            if self.limit is not None:
                size = limit = self.limit
        return ByteStream(raw, self.name, size, limits or StreamLimits(), limit)

    def content(self, most: int = _MOST_BYTES) -> bytes:
        """All its bytes, decompressed; InputError if more than `most`, or if they break off."""
        with self.open() as stream:
            data = stream.rest(most)
            if stream.damage is not None:
                raise InputError(stream.damage, file=self.name)
        return data

    def loaded(self) -> Source:
        """The same with its bytes in it, to be read on another machine, or InputError."""
        if self.data is not None:
            return self
        with _readable(self.name):
            if self.member is not None:
                with closing(self.member.open()) as packed:
                    data = packed.read(_MOST_BYTES + 1)
            elif self.path is not None and self.kept is None:
                with self.path.open("rb") as file:
                    data = file.read(_MOST_BYTES + 1 if self.limit is None else self.limit)
            else:
                data = self.content()
        check_size(len(data), _MOST_BYTES, self.name)
        return Source(self.name, None, data=data)


def in_turn(sources: Sequence[Source]) -> Iterator[tuple[Source, Callable[[int], None]]]:
    """Each source, with what to call while it is read, with the bytes of it that were."""
    watched = current().progress is not None  # sizes in archives cost something
    sizes = [source.size if watched else 0 for source in sources]
    track, done = Track("reading", sum(sizes)), 0

    def tell(read: int) -> None:
        track(done + read)

    for source, size in zip(sources, sizes, strict=True):
        yield source, tell
        done += size
        tell(0)


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
    pattern = glob.has_magic(text)
    names = [text]
    if not place.exists():
        names = sorted(glob.glob(text, recursive=True)) if pattern else []  # noqa: PTH207 (absolute patterns)
    if not names and pattern:
        raise MissingFileError("no file matches this pattern", file=text)
    if not names:
        raise MissingFileError("no such file", file=text, hint="check its name")
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
    files = sorted(file for file in _below(folder) if not file.name.startswith("."))
    sources = [Source(str(file), file) for file in files if file.name.lower().endswith(known)]
    if not sources:
        raise _nothing("folder", str(folder), [file.name for file in files], known)
    return sources


def _below(folder: Path) -> Iterator[Path]:
    """The files below a folder, however deep; links to folders are not followed."""
    waiting = [os.fspath(folder)]
    while waiting:
        place = waiting.pop()
        with _readable(place), suppress(PermissionError), os.scandir(place) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif (file := Path(entry.path)).is_file():
                    yield file


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


#: Where counts of two are equal in the first line, the first of them parts its cells.
_DELIMITERS = ";,\t|"
_MOST_ROWS = 1_000_000


def delimited_rows(
    path: str | os.PathLike[str], skipped: SkipReport, *, most: int = 64 << 20
) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """A small table of texts: its header, and its rows with the lines at which they begin.

    Commas, semicolons, tabs or bars part the cells, whichever the first line that is not blank,
    the header, has most of. The file may be compressed, ``-`` is standard input, `most` its
    bytes. Blank rows are left out, short ones filled up, and `skipped` takes those with more
    cells than the header has, or quotes that do not match. Raises InputError where it is
    no table, has no header, or where so much is left out as no table of games may lack.
    """
    file = os.fspath(path)
    source = Source("standard input", None) if file == "-" else Source(file, Path(file))
    text = decode(source.content(most).removeprefix(b"\xef\xbb\xbf"))
    head = next((line for line in text.splitlines() if line.strip()), "")
    form: Any = {"delimiter": max(_DELIMITERS, key=head.count)}
    lines = io.StringIO(text, newline="").readlines()
    header: list[str] = []
    rows: list[tuple[int, list[str]]] = []
    line = 0
    try:
        for line, raw in _table_rows(lines, form):
            cells = [plain_cell(clean(cell)) for cell in raw or ()]
            if raw is None:
                skipped.add(Skipped(file, line, "its quotes do not match"))
            elif not any(cells):
                continue
            elif not header:
                header = cells
            elif any(cells[len(header) :]):
                expected = f"{len(cells)} cells where {len(header)} were expected"
                skipped.add(Skipped(file, line, expected))
            else:
                rows.append((line, cells[: len(header)] + [""] * (len(header) - len(cells))))
            if len(rows) > _MOST_ROWS:
                raise InputError(f"more than {_MOST_ROWS:,} rows", file=file)
    except csv.Error as error:
        raise InputError(f"is no table: {error}", file=file, line=line + 1) from None
    if not header:
        raise InputError("the table has no rows", file=file)
    check_unread(skipped, len(rows), file=file, skip_unread=None)
    return header, rows


def _table_rows(
    lines: Sequence[str], form: Mapping[str, Any]
) -> Iterator[tuple[int, list[str] | None]]:
    """Yield each row with the line at which it begins; None for one whose quotes do not match.

    Such a row may go on to the next quote; if what it takes along are rows, they are given.
    """
    reader, begin, width = csv.reader(lines, **form), 1, 0
    for raw in reader:
        line, begin = begin, reader.line_num + 1
        within = [next(csv.reader([each], **form), []) for each in lines[line : begin - 1]]
        if within and width and all(len(cells) == width for cells in within if cells):
            yield line, None
            yield from enumerate(within, line + 1)
        else:
            width = width or (len(raw) if any(map(str.strip, raw)) else 0)
            yield line, raw if sound_quotes(lines[line - 1 : begin - 1], raw, form) else None


def sound_quotes(lines: Sequence[str], cells: Sequence[str], form: Mapping[str, Any]) -> bool:
    """Return whether these cells are what the lines say; quotes may be letters within a cell."""
    if not any(form["delimiter"] in cell for cell in cells):
        return True
    try:
        return sum(1 for _ in csv.reader(lines, **form, strict=True)) == 1
    except csv.Error:
        return False
