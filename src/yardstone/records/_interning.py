"""A table of distinct byte strings, numbered in order of first appearance.

Open addressing over plain arrays, so that compiled loops can fill it: `arena`
holds the strings one after another, `starts` where each begins, `hashes` their
hashes, and `slots` the numbers plus one (0 = free). Strings are looked at eight
bytes at a time, so seven bytes behind them must belong to their array.
"""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from yardstone.kernels import bare_kernel
from yardstone.records._pgn_bytes import WORD, word_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)


class StringTable(NamedTuple):
    """The arrays of a table of strings, for compiled loops."""

    seed: np.uint64
    arena: NDArray[np.uint8]
    starts: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    slots: NDArray[np.int32]


@bare_kernel
def _word(buf: NDArray[np.uint8], i: int, length: int) -> np.uint64:
    """Up to eight bytes as one number."""
    word = word_at(buf, i)
    if length >= WORD:
        return word
    return word & ((np.uint64(1) << np.uint64(8 * length)) - np.uint64(1))


@bare_kernel
def hash_bytes(buf: NDArray[np.uint8], i: int, length: int, seed: np.uint64) -> np.uint64:
    """A hash that nobody can foresee who does not know the seed."""
    value = seed ^ np.uint64(length)
    for k in range(0, length, WORD):
        value = (value ^ _word(buf, i + k, length - k)) * MULTIPLIER
        value ^= value >> HALF
    value *= MULTIPLIER
    return value ^ (value >> HALF)


@bare_kernel
def rehash(hashes: NDArray[np.uint64], count: int, slots: NDArray[np.int32]) -> None:
    """Fill empty `slots` with the numbers of `count` known strings."""
    mask = np.uint64(len(slots) - 1)
    for number in range(count):
        slot = np.int64(hashes[number] & mask)
        while slots[slot] != 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = number + 1


@bare_kernel
def intern(buf: NDArray[np.uint8], i: int, length: int, count: int, table: StringTable) -> int:
    """The number of the string at `i`; `count` if it is new, and then it is added."""
    seed, arena, starts, hashes, slots = table
    value = hash_bytes(buf, i, length, seed)
    slot = np.int64(value & np.uint64(len(slots) - 1))
    while slots[slot] != 0:
        number = int(slots[slot]) - 1
        start = starts[number]
        if hashes[number] == value and starts[number + 1] - start == length:
            same = True
            for k in range(0, length, WORD):
                same &= _word(arena, start + k, length - k) == _word(buf, i + k, length - k)
            if same:
                return number
        slot = (slot + 1) & (len(slots) - 1)
    start = starts[count]
    for k in range(length):
        arena[start + k] = buf[i + k]
    starts[count + 1] = start + length
    hashes[count] = value
    slots[slot] = count + 1
    return count


class Interned:
    """The arrays of such a table, and their growth.

    Attributes
    ----------
    count : int
        Number of strings; kept by whoever calls `intern`.
    """

    def __init__(self) -> None:
        self.seed = np.uint64(int.from_bytes(os.urandom(8), "little"))
        self.count = 0
        self.arena = np.empty(1 << 16, np.uint8)
        self.starts = np.zeros(8193, np.int64)
        self.hashes = np.empty(8192, np.uint64)
        self.slots = np.zeros(16384, np.int32)

    @property
    def table(self) -> StringTable:
        """The arrays as they are now."""
        return StringTable(self.seed, self.arena, self.starts, self.hashes, self.slots)

    def reserve(self, strings: int, size: int) -> None:
        """Make room for so many more strings of so many bytes together."""
        need = int(self.starts[self.count]) + size + WORD
        if need > len(self.arena):
            self.arena = _grown(self.arena, max(need, 2 * len(self.arena)))
        need = self.count + strings
        if need > len(self.hashes):
            capacity = 1 << need.bit_length()
            self.hashes = _grown(self.hashes, capacity)
            self.starts = _grown(self.starts, capacity + 1)
            self.slots = np.zeros(2 * capacity, np.int32)
            with np.errstate(over="ignore"):
                rehash(self.hashes, self.count, self.slots)

    def __getitem__(self, number: int) -> bytes:
        return self.arena[self.starts[number] : self.starts[number + 1]].tobytes()

    def strings(self) -> list[bytes]:
        """All strings, by number."""
        whole = self.arena[: self.starts[self.count]].tobytes()
        ends = self.starts[: self.count + 1].tolist()
        return [whole[a:b] for a, b in pairwise(ends)]


def _grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    larger = np.zeros(size, array.dtype)
    larger[: len(array)] = array
    return larger
