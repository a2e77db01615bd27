"""Containers that mutations open: compressed streams, archives, the arrays of numpy."""

from __future__ import annotations

import ast
import bz2
import gzip
import io
import lzma
import random
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["PACKINGS", "Packing"]

_Inside = Callable[[bytes], bytes]
_LARGEST = 1 << 20
_NAMES = ("", "/", "../x", "a" * 300, "x.zip", "a/b", "\u202ex", "con", "x.npy", ".", "a\nb")
_KINDS = (
    "<f8", "<f4", "<i8", "|u1", "|O", "<U9", "|S3", "<M8[s]", "<m8", "<c16", "|b1", ">f8", "|V4",
    "<f2", "<U999999999", "",
)  # fmt: skip
_SHAPES = ("()", "(0,)", "(1,)", "(-1,)", "(999999999999,)", "(1, 1)", "(2, 0)", "(10**9, 10**9)")
_CELLS = (
    struct.pack("<d", float("inf")), struct.pack("<d", float("nan")), struct.pack("<d", 1e308),
    struct.pack("<q", -1), struct.pack("<q", 2**31), struct.pack("<q", 2**63 - 1),
    struct.pack("<q", -(2**63)), struct.pack("<f", float("nan")), struct.pack("<i", -1),
    struct.pack("<d", -1.0), b"\0" * 8, struct.pack("<i", 2**31 - 1), struct.pack("<d", 0.5),
)  # fmt: skip


@dataclass(frozen=True)
class Packing:
    """How something is packed.

    Attributes:
        mark: How such data begin.
        change: Opens it, changes something inside, and closes it again.
        offset: Where the mark stands.
    """

    mark: bytes
    change: Callable[[bytes, random.Random, _Inside], bytes]
    offset: int = 0

    def is_packed(self, data: bytes) -> bool:
        """Whether the data look so."""
        return data.startswith(self.mark, self.offset)

    def changed(self, data: bytes, rng: random.Random, inside: _Inside) -> bytes | None:
        """The data with something inside changed; None if they cannot be opened."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self.change(data, rng, inside)
        except Exception:  # whatever a damaged file does to the library that opens it
            return None


def _zip(data: bytes, rng: random.Random, inside: _Inside) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [
            (info.filename, archive.read(info) if info.file_size < _LARGEST else b"")
            for info in archive.infolist()[:50]
        ]
    packing = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    if members:
        place = rng.randrange(len(members))
        name, content = members[place]
        change = rng.random()
        if change < 0.8:
            members[place] = (name, inside(content))
        elif change < 0.86:
            members[place] = (rng.choice(_NAMES), content)
        elif change < 0.9:
            del members[place]
        elif change < 0.95:
            members.append((name, rng.choice(members)[1]))
        else:
            packing = rng.choice((zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", packing) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, packing)
    result = packed.getvalue()
    if rng.random() < 0.1:  # what the directory says, beside what is there
        result = _patched(result, rng, result.rfind(b"PK\1\2"))
    return result


def _patched(data: bytes, rng: random.Random, start: int) -> bytes:
    patched = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        patched[rng.randrange(max(start, 0), len(patched))] = rng.choice((0, 1, 255, 127, 8, 14))
    return bytes(patched)


def _tar(data: bytes, rng: random.Random, inside: _Inside) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        members = [
            (info, archive.extractfile(info).read(_LARGEST))  # type: ignore[union-attr]
            for info in archive.getmembers()[:50]
            if info.isfile()
        ]
    place = rng.randrange(len(members))
    info, content = members[place]
    change = rng.random()
    if change < 0.75:
        members[place] = (info, inside(content))
    elif change < 0.85:
        info.name = rng.choice(_NAMES)
    elif change < 0.95:
        info.type = rng.choice((b"1", b"2", b"3", b"5", b"x", b"L", b"S", b"\0"))
    else:
        info.pax_headers = {"size": rng.choice(("-1", "x", "9" * 20)), "path": "a" * 300}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for info, content in members:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def _gzip(data: bytes, rng: random.Random, inside: _Inside) -> bytes:
    with gzip.open(io.BytesIO(data)) as file:
        return gzip.compress(inside(file.read(_LARGEST)), 1, mtime=0)


def _bzip2(data: bytes, rng: random.Random, inside: _Inside) -> bytes:
    with bz2.open(io.BytesIO(data)) as file:
        return bz2.compress(inside(file.read(_LARGEST)), 1)


def _xz(data: bytes, rng: random.Random, inside: _Inside) -> bytes:
    with lzma.open(io.BytesIO(data)) as file:
        return lzma.compress(inside(file.read(_LARGEST)), preset=0)


def _zstandard(data: bytes, rng: random.Random, inside: _Inside) -> bytes:
    import zstandard

    content = zstandard.ZstdDecompressor().decompress(data, _LARGEST)
    return zstandard.ZstdCompressor(1).compress(inside(content))


def _npy(data: bytes, rng: random.Random, inside: _Inside) -> bytes:
    """An array: its kind, its shape or its numbers; a text that is kept in one as text."""
    length = int.from_bytes(data[8:10], "little")
    head, body = data[10 : 10 + length], bytearray(data[10 + length :])
    about = ast.literal_eval(head.decode("latin-1"))
    kind, shape = repr(about["descr"]), repr(about["shape"])
    order = about["fortran_order"]
    change = rng.random()
    if kind == "'|u1'" and bytes(body[:1]) in (b"{", b"[") and change < 0.8:
        body = bytearray(inside(bytes(body)))
        shape = f"({len(body)},)"
    elif change < 0.12:
        kind = repr(rng.choice(_KINDS))
    elif change < 0.3:
        shape = rng.choice((*_SHAPES, shape.replace("1", "2"), shape.replace("2", "3")))
    elif change < 0.33:
        order = not order
    elif change < 0.36:
        return data[:10] + inside(head) + bytes(body)
    elif change < 0.4:
        del body[rng.randint(0, len(body)) :]
    else:
        cell = rng.choice(_CELLS)
        step = rng.choice((len(cell), 4, 1))
        for _ in range(rng.choice((1, 1, 3))):
            place = step * rng.randint(0, max(0, len(body) // step - 1))
            body[place : place + len(cell)] = cell[: max(0, len(body) - place)]
    text = f"{{'descr': {kind}, 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    text = text.ljust(-(-(len(text) + 11) // 64) * 64 - 11) + b"\n"
    return b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text + bytes(body)


PACKINGS = (
    Packing(b"PK\3\4", _zip),
    Packing(b"\x1f\x8b", _gzip),
    Packing(b"BZh", _bzip2),
    Packing(b"\xfd7zXZ", _xz),
    Packing(b"\x28\xb5\x2f\xfd", _zstandard),
    Packing(b"\x93NUMPY\1\0", _npy),
    Packing(b"ustar", _tar, 257),
)
