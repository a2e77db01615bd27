"""Columns that lie on disk: arrays mapped from temporary files, looked at piece by piece.

What is mapped and has been looked at counts as memory of the process until it is let go, so
whoever goes over a long column takes it by `pieces` and copies each with `taken`. For an
array in memory the same two cost nothing; one loop serves both.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import weakref
from collections.abc import Callable, Iterator
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import InputError

_Texts = NDArray[Any]

#: So many entries of a column are looked at together.
PIECE = 1 << 18


def pieces(number: int, size: int = PIECE, *, begin: int = 0) -> Iterator[slice]:
    """The places from `begin` to `number` in slices of so many.

    Examples:
        >>> list(pieces(5, 2))
        [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    for start in range(begin, number, size):
        yield slice(start, min(start + size, number))


def on_disk(values: Any) -> bool:
    """Whether this is a column that lies on disk."""
    return isinstance(values, np.memmap | CodedTexts)


def taken(values: Any, at: slice) -> Any:
    """A piece of a column, in memory; of an array in memory it is no copy."""
    piece = values[at]
    if isinstance(values, np.memmap):
        piece = np.array(piece)
        let_go(values)
    return piece


def computed(value: Callable[[slice], NDArray[Any]], like: Any, dtype: Any) -> NDArray[Any]:
    """A column of what a function gives for each piece of another; on disk if that one is."""
    if not on_disk(like):
        return np.asarray(value(slice(0, len(like))), dtype)
    column = column_on_disk(len(like), dtype)
    for at in pieces(len(column)):
        column[at] = value(at)
        let_go(column)
    return column


def rows_of(values: Any, rows: Any) -> NDArray[Any]:
    """Some entries of a column by their numbers or a mask, in memory."""
    chosen = np.array(values[rows])
    let_go(values)
    return chosen


def let_go(values: Any) -> None:
    """Give back the memory in which a mapped column was looked at or written."""
    mapped = getattr(values, "_mmap", None)
    if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def column_on_disk(number: int, dtype: Any) -> NDArray[Any]:
    """A column of so many entries, to be written.

    `TMPDIR` says on which disk. Nothing is left there, however the process ends.

    Raises:
        InputError: There is no room.
    """
    kind = np.dtype(dtype)
    if not number:
        return np.zeros(0, kind)
    with _temporary() as file:
        try:
            take_room(file, number * kind.itemsize)
        except OSError as error:
            raise _no_room(error) from None
        return np.memmap(file, kind, "r+", shape=(number,))


def take_room(file: IO[bytes], size: int) -> None:
    """Make a file so many bytes long, all of which the disk has: it is to be mapped.

    A map that finds no room later would end the process.
    """
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
    else:
        file.truncate(size)


def _temporary() -> IO[bytes]:
    """A file without a name, which goes with its last user."""
    try:
        return tempfile.TemporaryFile(buffering=0)
    except OSError as error:
        raise _no_room(error) from None


def _no_room(error: OSError) -> InputError:
    return InputError(
        f"games cannot be kept there for the time being: {error.strerror or error}",
        file=tempfile.gettempdir(),
        hint="name a folder on a disk with more room in the environment variable TMPDIR",
    )


class Growing:
    """A column on disk that is being written, entry after entry."""

    def __init__(self, dtype: Any) -> None:
        self.dtype, self.number = np.dtype(dtype), 0
        self._file = _temporary()
        weakref.finalize(self, self._file.close)

    def add(self, values: NDArray[Any]) -> None:
        """Write further entries."""
        try:
            np.ascontiguousarray(values, self.dtype).tofile(self._file)
        except OSError as error:
            raise _no_room(error) from None
        self.number += len(values)

    def column(self) -> NDArray[Any]:
        """What was written, to be read; nothing can be added any more."""
        with self._file as file:
            if not self.number:
                return np.zeros(0, self.dtype)
            return np.memmap(file, self.dtype, "r+", shape=(self.number,))


class CodedTexts:
    """A column of texts on disk: the number of each entry's text, and all texts once."""

    dtype = np.dtypes.StringDType()
    ndim = 1

    def __init__(self, code: NDArray[np.int32], texts: _Texts) -> None:
        self.code, self.texts = code, texts

    def __len__(self) -> int:
        return len(self.code)

    @property
    def shape(self) -> tuple[int]:
        """As of an array."""
        return (len(self.code),)

    def __getitem__(self, at: Any) -> _Texts:
        code = taken(self.code, at) if isinstance(at, slice) else self.code[at]
        return np.asarray(self.texts[code])

    def part(self, at: slice) -> CodedTexts:
        """Some of the entries, still on disk."""
        return CodedTexts(self.code[at], self.texts)


def column_part(column: Any, at: slice) -> Any:
    """Some entries of a column, on disk where it is on disk."""
    return column.part(at) if isinstance(column, CodedTexts) else column[at]
