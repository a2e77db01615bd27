"""Mutations that know a little of what they change.

Bytes are flipped, cut, repeated and spliced as every fuzzer does. Besides, what is packed
is unpacked first and packed again (zip, gzip and their like, the arrays of numpy, JSON),
so that a checksum does not hide what lies behind it, and text is changed by words, numbers,
lines and depth.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from tests.fuzz.packed import PACKINGS
from tests.fuzz.trees import changed_json

__all__ = ["Plan", "mutant", "mutate", "plans"]

Plan = tuple[int, list[int]]

_INTERESTING = (
    b"\0", b"\xff", b"\xff\xff\xff\xff", b"\x7f", b"\x80", b"\xc3", b"\xef\xbb\xbf", b"\xff\xfe",
    b"\r", b"\n", b"\r\n", b"\t", b"\"", b"'", b"\\", b"\x1b[2J", "\u202e".encode(),
    "\u2028".encode(), "\ud7ff".encode(), "\U0001f600".encode(), b"(", b"[", b"{", b"<", b";",
    b",", b"=", b"%", b"#", b"..", b"/", b"NaN", b"inf", b"-0", b"null",
)  # fmt: skip
_NUMBERS = (
    "0", "-1", "1", "-0.0", "nan", "inf", "-Infinity", "1e309", "1e-320", "2147483648",
    "-2147483649", "9223372036854775808", "18446744073709551616", "9" * 40, "9" * 5000, "0x10",
    "1_000", "1e5", "0.1", "1/2", "٣", "10000000", "99999", "256", "65536",
)  # fmt: skip
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_OPENERS = (b"(", b"[", b"{", b"<a>", b'{"a":', b"(;", b"((", b'"', b"(B[aa]", b"${")
_Change = Callable[[bytearray, random.Random, Sequence[bytes]], None]


def mutate(
    data: bytes, rng: random.Random, others: Sequence[bytes] = (), words: Sequence[str] = ()
) -> bytes:
    """A changed copy: what is packed is mostly changed inside."""
    if rng.random() < 0.85:
        for packing in PACKINGS:
            if packing.is_packed(data):
                inside = packing.changed(data, rng, lambda part: mutate(part, rng, others, words))
                if inside is not None:
                    return inside
        if data[:1] in (b"{", b"[") and rng.random() < 0.7:
            changed = changed_json(data, rng)
            if changed is not None:
                return changed
    result = bytearray(data)
    for _ in range(1 + int(rng.expovariate(0.7))):
        if words and rng.random() < 0.15:
            _insert(result, rng.choice(words).encode(), rng)
        else:
            rng.choice(_CHANGES)(result, rng, others)
    return bytes(result)


def plans(seeds: int) -> st.SearchStrategy[Plan]:
    """Which of so many seeds is changed, and by which steps: numbers from which chance begins."""
    steps = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4)
    return st.tuples(st.integers(0, seeds - 1), steps)


def mutant(plan: Plan, seeds: Sequence[bytes], words: Sequence[str], most: int) -> bytes:
    """What a plan makes of these seeds, at most so many bytes of it."""
    first, steps = plan
    data = seeds[first]
    for step in steps:
        data = mutate(data, random.Random(step), seeds, words)
    return data[:most]


def _place(data: bytearray, rng: random.Random) -> int:
    return rng.randint(0, len(data))


def _span(data: bytearray, rng: random.Random) -> tuple[int, int]:
    start = _place(data, rng)
    return start, min(len(data), start + 1 + int(rng.expovariate(1 / 20)))


def _insert(data: bytearray, piece: bytes, rng: random.Random) -> None:
    place = _place(data, rng)
    data[place:place] = piece


def _flip(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _byte(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    if data:
        data[rng.randrange(len(data))] = rng.randrange(256)


def _interesting(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    start, end = _span(data, rng)
    data[start : rng.choice((start, end))] = rng.choice(_INTERESTING)


def _cut(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    start, end = _span(data, rng)
    del data[start : rng.choice((end, len(data))) if rng.random() < 0.2 else end]


def _repeat(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    start, end = _span(data, rng)
    data[end:end] = data[start:end] * rng.choice((1, 2, 10, 200, 2000))


def _splice(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    other = rng.choice(others) if others else bytes(data)
    start = rng.randint(0, len(other))
    piece = other[start : start + 1 + int(rng.expovariate(1 / 100))]
    begin, end = _span(data, rng)
    data[begin : rng.choice((begin, end))] = piece


def _number(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    if numbers := list(_NUMBER.finditer(data)):
        span = rng.choice(numbers).span()
        data[slice(*span)] = rng.choice(_NUMBERS).encode()


def _line(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    lines = bytes(data).splitlines(keepends=True)
    if not lines:
        return
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    change = rng.randrange(3)
    if change == 0:
        lines[first], lines[second] = lines[second], lines[first]
    elif change == 1:
        lines.insert(first, lines[second])
    else:
        del lines[first]
    data[:] = b"".join(lines)


def _deep(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    _insert(data, rng.choice(_OPENERS) * rng.choice((3, 50, 1100, 5000)), rng)


_CHANGES: tuple[_Change, ...] = (
    _flip, _byte, _interesting, _interesting, _cut, _repeat, _splice, _splice, _number, _number,
    _line, _line, _deep,
)  # fmt: skip
