"""The bytes of a file, decompressed as they are read."""

from __future__ import annotations

import codecs
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

from yardstone.errors import InputError

__all__ = ["LONGEST_MAGIC", "ByteStream", "StreamLimits", "compression_of"]

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


def compression_of(head: bytes) -> str | None:
    """How a file that begins so is compressed; None if it is not."""
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """How far a file may expand: `ratio` times its size plus `extra` bytes; else what to do."""

    ratio: float = 1000.0
    extra: int = 64 << 20
    hint: str = "unpack it yourself if that is right"

    def check(self, expanded: int, size: int, name: str) -> None:
        """Refuse a file of this size and name that expands to more bytes than it may."""
        if expanded > self.ratio * size + self.extra:
            raise InputError(
                f"expands to more than {self.ratio:g} times its size",
                file=name,
                hint=self.hint,
            )


class ByteStream:
    """The decompressed bytes of a file.

    Parameters
    ----------
    raw : unbuffered binary file
        The file as it stands.
    name : str
        What errors call it.
    size : int
        Its size, 0 if unknown.
    limits : StreamLimits
        How far it may expand.

    Attributes
    ----------
    compression : str or None
        What it is compressed with; the content tells, not the name.
    consumed : int
        How much of the file itself has been read.
    damage : str or None
        Set when compressed data break off; what came before was still given.
    """

    def __init__(self, raw: IO[bytes], name: str, size: int, limits: StreamLimits) -> None:
        self.name = name
        self.size = size
        self.consumed = 0
        self.damage: str | None = None
        self._raw: Any = raw
        self._limits = limits
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
            self._pieces = self._unpacked(self.compression, _Packed(self._head, self._read))
            self._head = b""

    def __enter__(self) -> ByteStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, unless it is standard input."""
        if self._raw is not sys.stdin.buffer:
            self._raw.close()

    def peek(self, size: int) -> bytes:
        """The next bytes, which stay in the stream."""
        while len(self._head) < size and (piece := self._next_piece()):
            self._head += piece
        return self._head[:size]

    def skip(self, size: int) -> None:
        """Leave out bytes seen with `peek`."""
        self._head = self._head[size:]

    def readinto(self, view: memoryview) -> int:
        """Fill the view; fewer bytes come only at the end."""
        filled = 0
        while filled < len(view):
            if self._head or self._pieces is not None:
                self._head = self._head or self._next_piece()
                taken = min(len(self._head), len(view) - filled)
                view[filled : filled + taken] = self._head[:taken]
                self._head = self._head[taken:]
            else:
                taken = self._readinto(view[filled:])
            if not taken:
                break
            filled += taken
        return filled

    def pieces(self) -> Iterator[bytes]:
        """All that remains, piece by piece."""
        while piece := self._head or self._next_piece():
            self._head = b""
            yield piece

    def recode(self, encoding: str) -> None:
        """Give UTF-8 from here on for text in another encoding."""
        decoder = codecs.getincrementaldecoder(encoding)("replace")
        before = self._pieces
        head, self._head = self._head, b""

        def recoded() -> Iterator[bytes]:
            piece = head
            while piece:
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
            self.skip(3)
        elif len(head) >= 4:
            zeros = [head[0::2].count(0), head[1::2].count(0)]
            half = len(head) // 2
            if zeros[1] > 0.9 * half and zeros[0] < 0.1 * half:
                self.recode("utf-16-le")
            elif zeros[0] > 0.9 * half and zeros[1] < 0.1 * half:
                self.recode("utf-16-be")

    def _readinto(self, view: memoryview) -> int:
        return self._count(lambda: self._raw.readinto(view) or 0)

    def _next_piece(self) -> bytes:
        return self._read() if self._pieces is None else next(self._pieces, b"")

    def _read(self) -> bytes:
        data: list[bytes] = []

        def read() -> int:
            data.append(self._raw.read(_CHUNK) or b"")
            return len(data[-1])

        self._count(read)
        return data[0]

    def _count(self, read: Callable[[], int]) -> int:
        try:
            size = read()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=self.name) from None
        self.consumed += size
        return size

    def _unpacked(self, kind: str, packed: _Packed) -> Iterator[bytes]:
        unpack, errors = _unpacker(kind)
        unpacked = 0
        try:
            for piece in unpack(packed):
                unpacked += len(piece)
                self._limits.check(unpacked, self.consumed, self.name)
                if piece:
                    yield piece
        except errors as error:
            self.damage = f"damaged {kind} data: {error}"


class _Packed:
    """A compressed file with its first bytes put back."""

    def __init__(self, head: bytes, read: Callable[[], bytes]) -> None:
        self._head = head
        self._read = read

    def read(self, size: int = -1) -> bytes:
        """Some bytes, at most `size` if that is not negative; none at the end."""
        data = self._head or self._read()
        if size < 0:
            size = len(data)
        self._head = data[size:]
        return data[:size]


_Unpacker = Callable[[_Packed], Iterator[bytes]]


def _unpacker(kind: str) -> tuple[_Unpacker, tuple[type[Exception], ...]]:
    """The generator that unpacks, and what it raises on damaged data."""
    if kind == "gzip":
        return _gunzip, (zlib.error, EOFError)
    if kind == "bzip2":
        import bz2

        return lambda packed: _unpack(packed, bz2.BZ2Decompressor), (OSError, ValueError, EOFError)
    if kind == "xz":
        import lzma

        return lambda packed: _unpack(packed, lzma.LZMADecompressor), (lzma.LZMAError, EOFError)
    import zstandard

    return _unzstd, (zstandard.ZstdError, EOFError)


def _gunzip(packed: _Packed) -> Iterator[bytes]:
    machine = None
    data = b""
    while True:
        data = data or packed.read()
        if machine is None:
            data = data.lstrip(b"\0")  # archives on tapes are padded so
            if not data:
                return
            machine = zlib.decompressobj(wbits=31)
        piece = machine.decompress(data, _PIECE)
        if not data and not piece:
            raise EOFError("they break off")
        yield piece
        data = machine.unconsumed_tail
        if machine.eof:
            data, machine = machine.unused_data, None


def _unpack(packed: _Packed, new: Callable[[], Any]) -> Iterator[bytes]:
    machine = None
    data = b""
    while True:
        if machine is None or machine.needs_input:
            data = data or packed.read()
            if not data:
                break
        machine = machine or new()
        piece = machine.decompress(data, _PIECE)
        data = b""
        yield piece
        if machine.eof:
            data, machine = machine.unused_data, None
    if machine is not None:
        raise EOFError("they break off")


def _unzstd(packed: _Packed) -> Iterator[bytes]:
    import zstandard

    with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as reader:  # type: ignore[arg-type]
        while piece := reader.read(_CHUNK):
            yield piece
