"""Arrays on disk: one container for all, numpy's npz with plain arrays and perhaps one JSON text.

A file may come from anybody: what it holds is counted before it is read, no pickle is
ever opened, and whatever is wrong with it ends as one `InputError` that names the file.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from yardstone.display import Displayed
from yardstone.errors import InputError, MissingFileError, YardstoneError
from yardstone.files import replaced

if TYPE_CHECKING:
    import zipfile

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]
Times = NDArray[np.datetime64]

Key = TypeVar("Key")
Row = TypeVar("Row")


T = TypeVar("T")

_FORMAT = "format"
_LONGEST_TEXT = 256 << 20
_PIECE = 1 << 20
#: A file may hold so many times its own size, and so many bytes beyond; zeros pack 1000 to 1.
_EXPANDS, _EXTRA = 100, 256 << 20
#: So many elements may take no byte at all.
_MOST_EMPTY = 1 << 20


@dataclass(frozen=True, slots=True)
class ArrayFile:
    """A kind of file."""

    name: str  #: What it is, for messages: "this is no saved history".
    #: The number of its format: files of another number are refused. None for files that say none.
    format: int | None = None
    text: str = ""  #: The array that holds the JSON text; empty for files without one.
    kind: str = ""  #: A mark in that text, for files that travel.
    most_bytes: int = 64 << 30  #: `most_bytes`, `most_arrays`: more than any such file holds.
    most_arrays: int = 1 << 20
    compressed: bool = True  #: Compressing saves half, and takes seconds where much is written.
    hint: str | None = None  #: What to do about a file that is none.

    def write(
        self,
        path: Path,
        arrays: Mapping[str, NDArray[Any]],
        about: Mapping[str, Any] | None = None,
    ) -> None:
        """Write arrays and what the text says, whole or not at all.

        Raises:
            InputError: The file cannot be written.
        """
        members = dict(arrays)
        if self.text:
            marks: dict[str, Any] = {"kind": self.kind} if self.kind else {}
            if self.format is not None:
                marks[_FORMAT] = self.format
            text = json.dumps({**marks, **(about or {})}, allow_nan=not self.kind)
            members[self.text] = np.frombuffer(text.encode(), np.uint8)
        elif self.format is not None:
            members[_FORMAT] = np.array(self.format)
        save = np.savez_compressed if self.compressed else np.savez
        with replaced(path) as temporary, temporary.open("wb") as file:
            save(file, allow_pickle=False, **members)

    def read(self, path: Path, make: Callable[[StoredArrays, dict[str, Any]], T]) -> T:
        """Make something of a file's arrays and of what its text says.

        Whatever `make` raises because the arrays are not what it needs (KeyError,
        ValueError and so on) says that the file is none of this kind.

        Raises:
            InputError: There is no such file, or it is something else, damaged or too large.
        """
        import zipfile

        file = str(path)
        try:
            with path.open("rb") as source, zipfile.ZipFile(source) as archive:
                arrays = StoredArrays(archive, self.text)
                sizes = [info.file_size for info in archive.infolist()]
                most = min(self.most_bytes, _EXPANDS * path.stat().st_size + _EXTRA)
                if len(sizes) > self.most_arrays or sum(sizes) > most:
                    raise ValueError("too large")
                return make(arrays, self._about(arrays))
        except FileNotFoundError:
            raise MissingFileError("there is no such file", file=file) from None
        except InputError as error:
            if error.file is not None:
                raise
            raise InputError(error.message, file=file, hint=error.hint or self.hint) from None
        except YardstoneError as error:
            raise InputError(f"damaged: {error}", file=file, hint=self.hint) from None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", file=file) from None
        except Exception as error:
            # Damage has many names, here, in zipfile and its packings, in numpy (SystemError
            # and TokenError among them) and in who takes the arrays.
            raise InputError(f"this is no {self.name}", file=file, hint=self.hint) from error

    def _about(self, arrays: StoredArrays) -> dict[str, Any]:
        """What the text says, once kind and format are known to be right."""
        about: dict[str, Any] = {}
        if self.text:
            text: Any = json.loads(arrays.text(self.text))
            if not isinstance(text, dict) or (self.kind and text["kind"] != self.kind):
                raise ValueError("another kind")
            about = text
        if self.format is not None:
            number = about[_FORMAT] if self.text else int(arrays[_FORMAT])
            if number != self.format:
                raise InputError("it was saved by another version")
        return about


class StoredArrays(Mapping[str, "NDArray[Any]"]):
    """The arrays of an open file by name; each is read when it is asked for."""

    def __init__(self, archive: zipfile.ZipFile, text: str = "") -> None:
        self._archive = archive
        self._members = {
            info.filename.removesuffix(".npy"): info
            for info in archive.infolist()
            if info.filename.endswith(".npy") and info.filename != f"{text}.npy"
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __getitem__(self, name: str) -> NDArray[Any]:
        with self._archive.open(self._members[name]) as file:
            shape, fortran, kind = _header(file)
            array = _data(file, shape, kind, fortran=fortran)
        if array is None:
            raise ValueError(f"{name} is cut off")
        return array

    def text(self, name: str) -> bytes:
        """The bytes of a text."""
        with self._archive.open(f"{name}.npy") as file:
            shape, _, kind = _header(file)
            if kind != np.uint8 or len(shape) != 1:
                raise ValueError("no text")
            return file.read(_LONGEST_TEXT)

    def finite(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
        """An array of finite numbers of float16 or float32; InputError if it is none.

        The shape is compared before anything is read, so that it bounds the memory.
        """
        if name not in self._members:
            raise InputError(f"damaged: {name} is missing")
        with self._archive.open(self._members[name]) as file:
            there, fortran, kind = _header(file, objects=True)
            if there != shape or kind not in (np.float16, np.float32):
                raise InputError(f"damaged: {name} has another shape than its settings ask for")
            array = _data(file, shape, kind, fortran=fortran)
        if array is None:
            raise InputError(f"damaged: {name} is cut off")
        if not np.isfinite(array).all():
            raise InputError(f"damaged: {name} has numbers that are not finite")
        return array.astype(np.float32)


def _header(
    file: IO[bytes], *, objects: bool = False
) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = npy.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(version)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, kind = read(file)
    if any(length < 0 for length in shape) or (kind.hasobject and not objects):
        raise ValueError("no plain array")
    if kind.itemsize == 0 and math.prod(shape) > _MOST_EMPTY:
        raise ValueError("an array of nothing")
    return shape, fortran, kind


def _data(
    file: IO[bytes], shape: tuple[int, ...], kind: np.dtype[Any], *, fortran: bool
) -> NDArray[Any] | None:
    """What stands behind a header; None if it breaks off, before much memory is taken."""
    size = math.prod(shape) * kind.itemsize
    data = bytearray()
    while len(data) < size:
        piece = file.read(min(_PIECE, size - len(data)))
        if not piece:
            return None
        data += piece
    array = np.frombuffer(data, kind) if size else np.empty(math.prod(shape), kind)
    return array.reshape(shape[::-1]).T if fortran else array.reshape(shape)


def map_array(path: Path, *, hint: str | None = None) -> NDArray[Any]:
    """An array in numpy's own format (npy), mapped from disk and read-only.

    Raises:
        InputError: The file cannot be read, or holds no plain array.
    """
    try:
        if path.stat().st_size == 0:
            raise ValueError("the file is empty")
        try:
            return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        except ValueError:
            array = np.asarray(np.load(path, allow_pickle=False))
            if array.size == 0:  # without rows there is nothing that could be mapped
                return array
            raise
    except Exception as error:  # damage has many names in numpy
        raise InputError(f"cannot be read: {error}", file=str(path), hint=hint) from None


def equal_fields(one: Any, other: Any) -> bool:
    """Whether two dataclasses of one type hold the same; unknown numbers are equal.

    Examples:
        >>> from yardstone.ratings.result import Estimate
        >>> equal_fields(Estimate(1.0, float("nan")), Estimate(1.0, float("nan")))
        True
    """
    return type(one) is type(other) and all(
        _same(getattr(one, part.name), getattr(other, part.name))
        for part in fields(one)
        if part.compare
    )


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        one, other = np.asarray(one), np.asarray(other)
        unknown = one.dtype.kind in "fcmM" and other.dtype.kind in "fcmM"
        return bool(np.array_equal(one, other, equal_nan=unknown))
    if is_dataclass(one) and not isinstance(one, type):
        return equal_fields(one, other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, Sequence) and not isinstance(one, str) and isinstance(other, Sequence):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other or (one != one and other != other))


class DisplayedRows(Displayed, ABC, Generic[Key, Row]):
    """A dataclass that is a sequence of rows, each found by its name too; equal in all or not."""

    @abstractmethod
    def _keys(self) -> Sequence[Key]: ...

    @abstractmethod
    def _row(self, key: Key) -> Row: ...

    @abstractmethod
    def _named(self, name: str) -> Key:
        """The key of that name; an error if there is none."""

    def __len__(self) -> int:
        return len(self._keys())

    def __iter__(self) -> Iterator[Row]:
        return map(self._row, self._keys())

    @overload
    def __getitem__(self, key: str | int) -> Row: ...

    @overload
    def __getitem__(self, key: slice) -> Sequence[Row]: ...

    def __getitem__(self, key: str | int | slice) -> Row | Sequence[Row]:
        if isinstance(key, str):
            return self._row(self._named(key))
        if isinstance(key, slice):
            return [self._row(each) for each in self._keys()[key]]
        return self._row(self._keys()[key])

    def __eq__(self, other: object) -> bool:
        return equal_fields(self, other) if isinstance(other, type(self)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return str(self)
