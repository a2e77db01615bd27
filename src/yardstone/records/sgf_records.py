"""From the bytes of a file to its SGF records, one after another, within limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from yardstone.records import _sgf_scan as scan
from yardstone.records.sgf_charsets import find_charset
from yardstone.records.sgf_text import plain_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.records.streams import ByteStream

__all__ = ["SgfRecord", "RecordReader", "Rows", "SgfLimits", "property_name", "property_values"]

_FIRST_ROWS = 1 << 12
#: So many bytes may be part of "(;GM[" when the others have not been read.
_TAIL = 64
#: What stands between records only where the beginning of one is damaged.
_OF_A_RECORD = re.compile(rb"\b(?:PB|PW|RE)\[")


@dataclass(frozen=True, slots=True)
class SgfLimits:
    """What a file may demand.

    Attributes
    ----------
    game : int
        Bytes of one record, all its variations included.
    lines : int
        Lines of play of one record, where each becomes a game.
    nodes : int
        Nodes on all those lines together.
    """

    game: int = 32 << 20
    lines: int = 10_000
    nodes: int = 20_000_000


class Rows:
    """What the scan of one record found.

    Attributes
    ----------
    table : int64 array [values, 4]
        A row for each value of a property, in the order of the file.
    parents : int32 array
        The node before each node, -1 for the root (whole trees only).
    nodes, root_rows, flags, end : int
        How many nodes there are, how many rows tell of the root, what is odd, and where
        the record ends.
    """

    def __init__(self, *, main_only: bool) -> None:
        self.main_only = main_only
        self._room = np.empty((_FIRST_ROWS, scan.COLUMNS), np.int64)
        self.parents = np.empty(0 if main_only else _FIRST_ROWS, np.int32)
        self._stack = np.empty(0 if main_only else _FIRST_ROWS, np.int32)
        self._out = np.zeros(scan.OUT, np.int64)
        self.table: scan.PropertyRows = self._room[:0]
        self.end = self.nodes = self.root_rows = self.flags = 0

    def scan(self, buf: NDArray[np.uint8], start: int, *, final: bool) -> bool:
        """Scan the record at `start`; false if it goes on behind the end of the buffer."""
        while True:
            status = scan.scan_game(
                buf, start, final, self.main_only, self._room, self.parents, self._stack, self._out
            )
            if status == scan.ROWS_FULL:
                self._room = np.empty((2 * len(self._room), scan.COLUMNS), np.int64)
            elif status == scan.NODES_FULL:
                self.parents = np.empty(2 * len(self.parents), np.int32)
            elif status == scan.DEPTH_FULL:
                self._stack = np.empty(2 * len(self._stack), np.int32)
            else:
                break
        out = self._out.tolist()
        self.end, self.nodes = out[scan.END], out[scan.NODES]
        self.root_rows, self.flags = out[scan.ROOT_ROWS], out[scan.FLAGS]
        self.table = self._room[: out[scan.ROWS]]
        return bool(status == scan.DONE)


def property_values(data: bytes, rows: scan.PropertyRows) -> dict[str, tuple[str, ...]]:
    """The properties in rows, by name; `data` is what the rows have places in."""
    values: dict[str, list[str]] = {}
    for code, _, start, end in rows.tolist():
        values.setdefault(property_name(code), []).append(plain_text(data[start:end]))
    return {name: tuple(texts) for name, texts in values.items()}


@dataclass(frozen=True, slots=True)
class SgfRecord:
    """One record of a file.

    Attributes
    ----------
    file, line, number
        Its place.
    data : bytes
        Bytes in UTF-8, in which the rows have their places.
    rows : Rows
        Its properties; they hold until the next record is read.
    charset : str
        The encoding it was in.
    """

    file: str
    line: int
    number: int
    data: bytes
    rows: Rows
    charset: str


@cache
def _name(code: int) -> str:
    return code.to_bytes((code.bit_length() + 7) // 8, "big").decode("ascii")


def property_name(code: int) -> str:
    """The name of a property from its number."""
    return _name(code) if code < 1 << 16 else _name.__wrapped__(code)


class RecordReader:
    """Reads the records of files.

    Parameters
    ----------
    limits : SgfLimits
        What a file may demand.
    main_only : bool
        Look at the main line only.
    skip : callable
        Called with file, line and reason for what cannot be read.
    """

    def __init__(
        self, limits: SgfLimits, *, main_only: bool, skip: Callable[[str, int, str], object]
    ) -> None:
        self._limits = limits
        self._rows = Rows(main_only=main_only)
        self._skip = skip

    def records(
        self, stream: ByteStream, progress: Callable[[int], object] | None = None
    ) -> Iterator[SgfRecord]:
        """The records of one file.

        `progress` is called with the bytes of the file read so far.
        """
        stream.recode_utf16()
        window = _Window(stream)
        number = 0
        sure = False  # behind a record that was too long only a certain beginning counts
        while True:
            place = scan.find_game(window.buffer, window.at, len(window.data), sure)
            if not sure and _OF_A_RECORD.search(window.data, window.at, place):
                self._skip(stream.name, window.line, "the beginning of a record is damaged")
            if place == len(window.data):
                window.at = max(window.at, place - _TAIL)
                if window.final:
                    break
                window.more(1)
                if progress is not None:
                    progress(stream.consumed)
                continue
            window.at = place
            if self._rows.scan(window.buffer, place, final=window.final):
                number += 1
                sure = False
                yield self._record(window, stream.name, number)
                window.at = self._rows.end
            elif len(window.data) - place > self._limits.game:
                number += 1
                self._skip(
                    stream.name, window.line, f"a record longer than {self._limits.game} bytes"
                )
                window.at = len(window.data)
                sure = True
            else:
                window.more(len(window.data) - place)
                if progress is not None:
                    progress(stream.consumed)
        if number == 0:
            self._skip(stream.name, 0, "no SGF records in this file")
        if stream.damage is not None:
            self._skip(stream.name, window.line, stream.damage)

    def _record(self, window: _Window, file: str, number: int) -> SgfRecord:
        data, rows = window.data, self._rows
        end = rows.end
        extent = data[window.at : end] if window.at > 0 or end < len(data) else data
        charset = find_charset(extent)
        if charset != "utf-8":
            text = extent.decode(charset, "replace").encode("utf-8", "replace")
            rows.scan(np.frombuffer(text, np.uint8), 0, final=True)
            record = SgfRecord(file, window.line, number, text, rows, charset)
            rows.end = end
            return record
        return SgfRecord(file, window.line, number, data, rows, charset)


class _Window:
    """The part of a file that is in memory: what is not yet understood, and some more."""

    def __init__(self, stream: ByteStream) -> None:
        self._pieces = stream.pieces()
        self._lines_at = 0
        self._line = 1
        self.at = 0
        self.final = False
        self._set(next(self._pieces, b""))
        self._next = next(self._pieces, b"")
        self.final = not self._next

    def _set(self, data: bytes) -> None:
        self.data = data
        self.buffer = np.frombuffer(data, np.uint8)

    @property
    def line(self) -> int:
        """The line of the file that `at` is in."""
        self._line += self.data.count(b"\n", self._lines_at, self.at)
        self._lines_at = self.at
        return self._line

    def more(self, size: int) -> None:
        """Forget what lies before `at`, and read so many bytes more, or all there are."""
        _ = self.line
        parts = [self.data[self.at :]]
        while self._next and size > 0:
            parts.append(self._next)
            size -= len(self._next)
            self._next = next(self._pieces, b"")
        self.final = not self._next
        self._set(b"".join(parts))
        self.at = self._lines_at = 0
