"""Mutations of bytes, of text, and inside of what is packed, so that no checksum hides it."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import re
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from typing import Any

from yardstone.files import zstd_module

_PIECES = (
    b"\0", b"\xff", b"\xff\xff\xff\xff", b"\x7f", b"\x80", b"\xc3", b"\xef\xbb\xbf", b"\xff\xfe",
    b"\r", b"\n", b"\r\n", b"\t", b"\"", b"'", b"\\", b"\x1b[2J", "\u202e".encode(),
    "\u2028".encode(), "\ud7ff".encode(), "\U0001f600".encode(), b"(", b"[", b"{", b"<", b";",
    b",", b"=", b"%", b"#", b"..", b"/", b"NaN", b"inf", b"-0", b"null",
)  # fmt: skip
#: What long inputs are made of, and great depth.
_REPEATED = (
    b'"', b"'", b"(", b"[", b"{", b",", b";", b" ", b"\n", b"0", b"a", b"\\", b"<", b"<!--", b"&",
    b"\r", b"\t", b"-", b'""', b"=", b"a,", b"1 ", b"{}", b"(;", b"\xc3\xa9",
    b"<a>", b'{"a":', b"((", b"(B[aa]", b"${",
)  # fmt: skip
_NUMBERS = (
    "0", "-1", "1", "-0.0", "nan", "inf", "-Infinity", "1e309", "1e-320", "2147483648",
    "-2147483649", "9223372036854775808", "18446744073709551616", "9" * 40, "9" * 5000, "0x10",
    "1_000", "1e5", "0.1", "1/2", "٣", "10000000", "99999", "256", "65536",
)  # fmt: skip
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
#: What happens to a record of a file that is kept, sent and edited.
DAMAGE = tuple("byte byte piece cut cut twice line line lost lost swap encode ends".split())
_CHANGES = [*"byte piece cut repeat splice splice number number deep".split(), *DAMAGE]
#: What parts fields and records, or stands around them.
_SIGNS = re.compile(rb"[][(){}<>\"',;:|\t\n/=]")
_FIELDS = re.compile(rb"[^][(){}<>\"',;:|\t\n/=]+")
_ENCODINGS = "latin-1 cp1252 cp437 utf-8-sig utf-16-le utf-16 shift_jis".split()
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 0.5, 1e308, float("nan"), float("inf"), 2**31, 2**63, 2**64,
    10**40, 10**4000, "", "x", "nan", "1", "\u202e\x1b[2J", "a" * 5000, "\ud800", [], {},
    [[]], [1, 2], {"a": 1}, "2024-01-01", "9999-99-99", -(2**63), "../x", "/dev/null",
)  # fmt: skip
_NAMES = ("", "/", "../x", "a" * 300, "x.zip", "a/b", "\u202ex", "con", "x.npy", ".", "a\nb")
#: Parts of an array's head, and what may stand there instead.
_TYPES = "<f8 <f4 <i8 |u1 |O <U9 |S3 <M8[s] <m8 <c16 |b1 >f8 |V4 <f2 <U999999999".split()
_SHAPES = "() (0,) (1,) (2,) (-1,) (999999999999,) (1,1) (2,0) (10**9,10**9)".split()
_HEAD = (
    (r"(?<='descr': )[^,]+", [f"'{each}'" for each in (*_TYPES, "")]),
    (r"\(.*\)", _SHAPES),
    ("False", ["True"]),
)
_CELLS = (
    *(struct.pack("<d", each) for each in (float("inf"), float("nan"), 1e308, -1.0, 0.5)),
    *(struct.pack("<q", each) for each in (-1, 0, 2**31, 2**63 - 1, -(2**63))),
    *(struct.pack("<i", each) for each in (-1, 2**31 - 1)),
    struct.pack("<f", float("nan")),
)
_LARGEST = 1 << 20
_Inside = Callable[[bytes], bytes]


def mutants(
    seeds: Sequence[bytes],
    words: Sequence[str],
    most: int,
    rng: random.Random,
    ways: Sequence[str] = (),
) -> Iterator[bytes]:
    """Yield seeds that were changed a few times; once or twice, and only in these `ways`."""
    while True:
        data = rng.choice(seeds)
        if ways:
            changed = bytearray(data)
            for _ in range(rng.choice((1, 1, 2))):
                _change(changed, rng, seeds, ways)
            yield bytes(changed)
            continue
        for _ in range(rng.randint(1, 4)):
            data = mutate(data, rng, seeds, words)
        yield data[:most]


def repeated(seeds: Sequence[bytes], rng: random.Random, size: int = 1 << 18) -> Iterator[bytes]:
    """Yield a seed's beginning, and then one piece of it, or of what means something, repeated."""
    while True:
        seed = rng.choice(seeds)
        start = rng.randint(0, len(seed))
        line = rng.choice(seed.splitlines(keepends=True) or [b"x"])
        some = seed[start : start + rng.randint(1, 12)]
        piece = rng.choice((rng.choice(_REPEATED), some, line, seed)) or b"x"
        head = seed[: rng.choice((0, start, len(seed)))]
        yield (head + piece * (size // len(piece)))[:size]


def mutate(
    data: bytes, rng: random.Random, others: Sequence[bytes] = (), words: Sequence[str] = ()
) -> bytes:
    for offset, mark, change in _PACKED:
        if data.startswith(mark, offset) and rng.random() < 0.8:
            # Whatever a damaged file does to the library that opens it.
            with suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return change(data, rng, lambda part: mutate(part, rng, others, words))
    result = bytearray(data)
    for _ in range(1 + int(rng.expovariate(0.7))):
        if words and rng.random() < 0.15:
            place = rng.randint(0, len(result))
            result[place:place] = rng.choice(words).encode()
        else:
            _change(result, rng, others)
    return bytes(result)


def _change(
    data: bytearray, rng: random.Random, others: Sequence[bytes], ways: Sequence[str] = _CHANGES
) -> None:
    start = rng.randint(0, len(data))
    end = min(len(data), start + 1 + int(rng.expovariate(1 / 20)))
    numbers, lines = list(_NUMBER.finditer(data)), bytes(data).splitlines(keepends=True)
    match rng.choice(ways):
        case "byte" if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
        case "piece":
            data[start : rng.choice((start, end))] = rng.choice(_PIECES)
        case "cut":
            del data[start : rng.choice((*[end] * 9, len(data)))]
        case "repeat":
            data[end:end] = data[start:end] * rng.choice((1, 2, 10, 200, 2000))
        case "splice":
            other = rng.choice([*others, bytes(data)])
            begin = rng.randint(0, len(other))
            piece = other[begin : begin + 1 + int(rng.expovariate(1 / 100))]
            data[start : rng.choice((start, end))] = piece
        case "number" if numbers:
            data[slice(*rng.choice(numbers).span())] = rng.choice(_NUMBERS).encode()
        case "line" if lines:
            line, place = lines.pop(rng.randrange(len(lines))), rng.randint(0, len(lines))
            lines[place:place] = [line] * rng.choice((0, 1, 2))
            data[:] = b"".join(lines)
        case "deep":
            data[start:start] = rng.choice(_REPEATED) * rng.choice((3, 50, 1100, 5000))
        case "twice":
            data[end:end] = data[start:end]
        case "lost" if signs := [*_SIGNS.finditer(data)]:
            del data[slice(*rng.choice(signs).span())]
        case "swap" if len(fields := [*_FIELDS.finditer(data)]) > 1:
            later, first = sorted(rng.sample(fields, 2), key=lambda field: -field.start())
            data[slice(*later.span())] = first[0]
            data[slice(*first.span())] = later[0]
        case "encode":
            part = bytes(data[start:end]) if rng.random() < 0.5 else bytes(data)
            text = part.decode("utf-8", "replace").encode(rng.choice(_ENCODINGS), "replace")
            data[:] = data.replace(part, text, 1) if part else data
        case "ends":
            data[:] = data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"", b" ", b"\n\n")))


def _json(data: bytes, rng: random.Random, inside: _Inside) -> bytes:
    tree = [json.loads(data)]
    for _ in range(1 + int(rng.expovariate(1.0))):
        holder, key = rng.choice(list(_places(tree)))
        value, change = holder[key], rng.random()
        if change < 0.1 and holder is not tree:
            del holder[key]
        elif change < 0.15 and isinstance(holder, dict):
            holder[rng.choice(("", "x", "__class__", f"{key} "))] = value
        elif change < 0.2 and isinstance(value, list):
            holder[key] = value * 3
        elif change < 0.5 and isinstance(value, (int, float)):
            holder[key] = value + rng.choice((-1, 1, 0.5, 1000))
        elif change < 0.5 and isinstance(value, str):
            cut = value[: rng.randint(0, len(value))]
            holder[key] = cut + rng.choice(("", "x", "\x07", "é", " ", value))
        else:
            holder[key] = deepcopy(rng.choice(_VALUES))  # the next change must not change it
    text = json.dumps(tree[0], ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.06:
        text = text.replace(rng.choice("01"), rng.choice("[9") * 5000, 1)
    return text.encode(errors="surrogatepass")


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(node) if isinstance(node, dict) else range(len(node)):
        yield node, key
        if isinstance(node[key], (dict, list)):
            yield from _places(node[key])


def _zip(data: bytes, rng: random.Random, inside: _Inside) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = [info for info in archive.infolist()[:50] if info.file_size < _LARGEST]
        members = [(info.filename, archive.read(info)) for info in infos]
    place = rng.randrange(len(members))
    name, content = members[place]
    changes = [[(name, inside(content))]] * 12 + [[(rng.choice(_NAMES), content)]]
    members[place : place + 1] = rng.choice([*changes, [], [(name, content)] * 2])
    kind = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED] * 7 + [zipfile.ZIP_BZIP2, 14])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", kind) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, kind)
    result = bytearray(packed.getvalue())
    for _ in range(rng.choice((*[0] * 9, 3))):  # what the directory says, beside what is there
        place = rng.randrange(max(result.rfind(b"PK\1\2"), 0), len(result))
        result[place] = rng.choice((0, 1, 255, 127, 8, 14))
    return bytes(result)


def _tar(data: bytes, rng: random.Random, inside: _Inside) -> bytes:
    packed = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(data)) as archive,
        tarfile.open(fileobj=packed, mode="w") as changed,
    ):
        infos = [info for info in archive.getmembers()[:50] if info.isfile()]
        contents = [archive.extractfile(info).read(_LARGEST) for info in infos]  # type: ignore[union-attr]
        place = rng.randrange(len(infos))
        match rng.choice(["inside"] * 12 + ["name", "kind", "size"]):
            case "inside":
                contents[place] = inside(contents[place])
            case "name":
                infos[place].name = rng.choice(_NAMES)
            case "kind":
                infos[place].type = rng.choice((b"1", b"2", b"3", b"5", b"x", b"L", b"S", b"\0"))
            case "size":
                size = rng.choice(("-1", "x", "9" * 20))
                infos[place].pax_headers = {"size": size, "path": "a" * 300}
        for info, content in zip(infos, contents, strict=True):
            info.size = len(content)
            changed.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def _stream(data: bytes, rng: random.Random, inside: _Inside) -> bytes:
    kinds = {b"\x1f": gzip, b"B": bz2, b"\x28": zstd_module()}
    module: Any = kinds.get(data[:1], lzma)
    with module.open(io.BytesIO(data)) as file:
        return bytes(module.compress(inside(file.read(_LARGEST))))


def _npy(data: bytes, rng: random.Random, inside: _Inside) -> bytes:
    length = int.from_bytes(data[8:10], "little")
    head, body = data[10 : 10 + length].decode("latin-1").strip(), bytearray(data[10 + length :])
    change = rng.random()
    if "'|u1'" in head and bytes(body[:1]) in (b"{", b"[") and change < 0.8:
        body = bytearray(inside(bytes(body)))
        head = re.sub(r"\(.*\)", f"({len(body)},)", head)
    elif change < 0.33:
        pattern, others = rng.choice(_HEAD)
        other = rng.choice(others)
        head = re.sub(pattern, lambda _: other, head)
    elif change < 0.36:
        head = inside(head.encode()).decode("latin-1")
    elif change < 0.4:
        del body[rng.randint(0, len(body)) :]
    else:
        cell = rng.choice(_CELLS)
        step = rng.choice((len(cell), 4, 1))
        place = step * rng.randint(0, max(0, len(body) // step - 1))
        body[place : place + len(cell)] = cell[: max(0, len(body) - place)]
    text = head.encode("latin-1")
    text = text.ljust(-(-(len(text) + 11) // 64) * 64 - 11) + b"\n"
    return data[:8] + len(text).to_bytes(2, "little") + text + bytes(body)


#: Where the mark of something packed stands, the mark, and what changes something inside.
_PACKED: tuple[tuple[int, bytes, Callable[[bytes, random.Random, _Inside], bytes]], ...] = (
    (0, b"PK\3\4", _zip),
    (0, b"\x1f\x8b", _stream),
    (0, b"BZh", _stream),
    (0, b"\xfd7zXZ", _stream),
    (0, b"\x28\xb5\x2f\xfd", _stream),
    (0, b"\x93NUMPY\1\0", _npy),
    (257, b"ustar", _tar),
    (0, b"{", _json),
    (0, b"[", _json),
)
