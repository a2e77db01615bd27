"""A file of named arrays that are used where they lie, without being read into memory.

The file begins with a mark, the length of a description and the description (JSON):
facts, and the type, shape and place of each array. A file made by somebody else, or
damaged, is refused before an array is used.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.disk import take_room
from yardstone.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MARK", "map_arrays", "write_arrays"]

MARK = b"yardstone games\n"
_LENGTH = struct.Struct("<Q")
_ALIGN = 64
_LONGEST_DESCRIPTION = 16 << 20
_TYPES = ("uint8", "int8", "uint16", "int16", "int32", "float32", "int64", "uint64")

#: Makes an array in the place that it is given.
Filler = Callable[["NDArray[Any]"], object]


def write_arrays(
    path: Path,
    facts: Mapping[str, Any],
    arrays: Mapping[str, tuple[str, tuple[int, ...], Filler]],
) -> None:
    """Write a file of arrays, each of which is filled in its place.

    Parameters
    ----------
    path : Path
    facts : mapping
        Plain values that go into the description.
    arrays : mapping of str to (type, shape, filler)
        `filler` is given the array, all zeros, in the order of the mapping.
    """
    described: dict[str, Any] = {}
    offset = 0
    for name, (kind, shape, _) in arrays.items():
        described[name] = {"type": kind, "shape": list(shape), "offset": offset}
        length = int(np.prod(shape)) * np.dtype(kind).itemsize
        offset += -(-length // _ALIGN) * _ALIGN
    text = json.dumps({**facts, "arrays": described}, ensure_ascii=False).encode()
    start = -(-(len(MARK) + _LENGTH.size + len(text)) // _ALIGN) * _ALIGN
    with path.open("wb") as file:
        file.write(MARK + _LENGTH.pack(len(text)) + text)
        take_room(file, start + offset)
    for name, (kind, shape, fill) in arrays.items():
        if not int(np.prod(shape)):
            continue
        place = start + described[name]["offset"]
        array = np.memmap(path, kind, "r+", place, shape)
        fill(array)
        array.flush()
        del array


def map_arrays(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The facts of a file and its arrays, mapped into memory.

    Raises
    ------
    InputError
        The file cannot be read, or is not such a file, or breaks off.
    """
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            head = file.read(len(MARK) + _LENGTH.size)
            if head[: len(MARK)] != MARK or len(head) < len(MARK) + _LENGTH.size:
                raise InputError(
                    "this is not an index of games",
                    file=str(path),
                    hint="make one with: yardstone trickplay index",
                )
            (length,) = _LENGTH.unpack(head[len(MARK) :])
            if length > min(_LONGEST_DESCRIPTION, size):
                raise _damaged(path)
            text = file.read(length)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(path)) from error
    try:
        facts = json.loads(text)
        described = facts.pop("arrays")
        start = -(-(len(head) + length) // _ALIGN) * _ALIGN
        return facts, {
            str(name): _mapped(path, size, start, about) for name, about in described.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _damaged(path) from error


def _mapped(path: Path, size: int, start: int, about: Mapping[str, Any]) -> NDArray[Any]:
    kind, shape, offset = about["type"], tuple(about["shape"]), about["offset"]
    whole = all(type(number) is int and number >= 0 for number in (*shape, offset))
    if kind not in _TYPES or len(shape) > 2 or not whole or offset % _ALIGN:
        raise ValueError("not an array")
    number = 1
    for length in shape:
        number *= length
    if number == 0:
        return np.zeros(shape, kind)
    if start + offset + number * np.dtype(kind).itemsize > size:
        raise _damaged(path)
    return np.memmap(path, kind, "r", start + offset, shape)


def _damaged(path: Path) -> InputError:
    return InputError(
        "this index of games is damaged or breaks off", file=str(path), hint="make it again"
    )
