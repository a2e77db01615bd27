"""From the bytes of a file to its SGF records within limits, and from a record to a `GoGame`.

What servers and programs write amiss is put right on the way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from yardstone.records._sgf import (
    BAD_MOVE,
    BREAKS_OFF,
    CUT_VALUE,
    LATE_SETUP,
    NOT_CLOSED,
    SEVERAL_POINTS,
    UNESCAPED,
    Rows,
    find_game,
    read_main,
)
from yardstone.records.decoding import clean, find_charset, plain_text
from yardstone.records.go_game import (
    BLACK,
    TEXTS,
    UNKNOWN,
    WHITE,
    WRITER,
    GoGame,
    handicap_setup,
    parse_board_size,
    parse_go_date,
    parse_komi,
    parse_winner,
    split_rank,
)

if TYPE_CHECKING:
    from yardstone.records.sources import ByteStream


#: A row for each value of a property: see `Rows`.
PropertyRows = NDArray[np.int64]

#: So many bytes may be part of "(;GM[" when the others have not been read.
_TAIL = 64
#: What stands between records only where the beginning of one is damaged.
_OF_A_RECORD = re.compile(rb"\b(?:PB|PW|RE)\[")


@dataclass(frozen=True, slots=True)
class SgfLimits:
    """What a file may demand."""

    game: int = 32 << 20  #: Bytes of one record, all its variations included.
    lines: int = 10_000  #: Lines of play of one record, where each becomes a game.
    nodes: int = 20_000_000  #: Nodes on all those lines together.


def property_values(data: bytes, rows: PropertyRows) -> dict[str, tuple[str, ...]]:
    """The properties in rows, by name; `data` is what the rows have places in."""
    values: dict[str, list[str]] = {}
    for code, _, start, end in rows.tolist():
        values.setdefault(property_name(code), []).append(plain_text(data[start:end]))
    return {name: tuple(texts) for name, texts in values.items()}


@dataclass(frozen=True, slots=True)
class SgfRecord:
    """One record of a file, `number` in it."""

    file: str
    line: int
    number: int
    data: bytes  #: in UTF-8; the rows have their places in it
    rows: Rows  #: its properties; they hold until the next record is read


@lru_cache(maxsize=1 << 12)
def property_name(code: int) -> str:
    """The name of a property from its number."""
    return code.to_bytes((code.bit_length() + 7) // 8, "big").decode("ascii")


def read_records(
    stream: ByteStream,
    rows: Rows,
    limits: SgfLimits,
    skip: Callable[[str, int, str], object],
    tell: Callable[[int], None],
) -> Iterator[SgfRecord]:
    """The records of one file, each scanned into `rows`.

    `skip` is called with file, line and reason for what cannot be read, `tell` with the bytes of
    the file read so far.
    """
    stream.recode_utf16()
    window = _Window(stream)
    number = 0
    sure = False  # behind a record that was too long only a certain beginning counts
    while True:
        place = find_game(window.data, window.at, sure)
        if not sure and _OF_A_RECORD.search(window.data, window.at, place):
            skip(stream.name, window.line, "the beginning of a record is damaged")
        found = place < len(window.data)
        window.at = place if found else max(window.at, place - _TAIL)
        if not found and window.final:
            break
        if found and rows.scan(window.data, place, final=window.final):
            number += 1
            sure = False
            yield _record(window, rows, stream.name, number)
            window.at = rows.end
        elif len(window.data) - place > limits.game:
            number += 1
            skip(stream.name, window.line, f"a record longer than {limits.game} bytes")
            window.at = len(window.data)
            sure = True
        else:
            window.more(len(window.data) - place or 1)
            tell(stream.consumed)
    if number == 0:
        skip(stream.name, 0, "no SGF records in this file")
    if stream.damage is not None:
        skip(stream.name, window.line, stream.damage)


def _record(window: _Window, rows: Rows, file: str, number: int) -> SgfRecord:
    data, end = window.data, rows.end
    extent = data[window.at : end] if window.at > 0 or end < len(data) else data
    charset = find_charset(extent)
    if charset != "utf-8":
        data = extent.decode(charset, "replace").encode("utf-8", "replace")
        rows.scan(data, 0, final=True)
        rows.end = end
    return SgfRecord(file, window.line, number, data, rows)


class _Window:
    """The part of a file that is in memory: what is not yet understood, and some more."""

    def __init__(self, stream: ByteStream) -> None:
        self._pieces = stream.pieces()
        self._next = next(self._pieces, b"")
        self._lines_at = self.at = 0
        self._line = 1
        self.data = b""
        self.more(1)

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
        self.data = b"".join(parts)
        self.at = self._lines_at = 0


#: Boards of other sizes are not supported.
SMALLEST, LARGEST = 2, 19
_SERVER_KOMI = {"japanese": 6.5, "chinese": 7.5}
_WHOLE_NUMBER = re.compile(r"\s*(\d{1,3})(?!\d)")
_MARGIN = re.compile(r"[BbWw]\+(\d+(?:\.\d+)?)\s*$")
_TROUBLES = (
    (BAD_MOVE, "a move off the board: the moves end before it"),
    (LATE_SETUP, "stones set up between moves: the moves end there"),
    (SEVERAL_POINTS, "several points in one move: the first was used"),
)
_FLAGS = (
    (BREAKS_OFF, "the record is cut short"),
    (NOT_CLOSED, "the record is not closed"),
    (UNESCAPED, "brackets in a text were not escaped"),
)


class Unusable(Exception):
    """Why a record is no game that can be read."""

    def __init__(self, reason: str, kind: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind or reason


class GameBuilder:
    """Makes games from records, and counts what it repaired in `repaired`."""

    def __init__(self, repaired: Counter[str]) -> None:
        self.repaired = repaired

    def game(self, record: SgfRecord) -> GoGame:
        """The game on the record's main line; raises Unusable if it is of another kind or size."""
        rows = record.rows
        if rows.flags:
            self._count(rows.flags, _FLAGS)
        root = property_values(record.data, rows.table[: rows.root_rows])
        return self.line(record, root, rows.table)

    def line(
        self, record: SgfRecord, properties: Mapping[str, tuple[str, ...]], rows: PropertyRows
    ) -> GoGame:
        """The game on one line of a record, whose root has these properties."""
        if record.rows.flags & CUT_VALUE:
            raise Unusable("a text of the root goes on behind its closing bracket")
        size = _size(properties)
        moves, colours, clocks, board, to_play, trouble, bad_setup = read_main(
            record.data, rows, size
        )
        if trouble:
            self._count(trouble, _TROUBLES)
        if bad_setup:
            self.repaired["a stone set up off the board"] += bad_setup
        black = white = _NO_STONES
        if board is not None:
            black = np.flatnonzero(board == BLACK).astype(np.int16)
            white = np.flatnonzero(board == WHITE).astype(np.int16)
        stones = _WHOLE_NUMBER.match(_text(properties, "HA"))
        handicap = 0 if stones is None else min(int(stones[1]), LARGEST * LARGEST)
        setup = handicap_setup(size, handicap, black, white, moves, colours, to_play)
        if setup is not None:
            self.repaired[setup.hint] += 1
            keep = setup.keep
            moves, colours = moves[keep], colours[keep]
            clocks = None if clocks is None else clocks[keep]
            black, handicap = setup.black, setup.handicap
        if not to_play:
            if len(colours):
                to_play = int(colours[0])
            else:
                to_play = WHITE if handicap >= 2 and len(black) else BLACK
        texts = {name: _text(properties, tag) for name, tag in TEXTS.items()}
        black_name, white_name, result = (_text(properties, tag) for tag in ("PB", "PW", "RE"))
        if len({parse_winner(text) for text in properties.get("RE", ())} - {UNKNOWN}) > 1:
            result = " and ".join(map(clean, properties["RE"]))  # which names no winner
        if properties.get("AP", ("",))[0] != WRITER:
            names = black_name, white_name
            black_name, texts["black_rank"] = split_rank(black_name, texts["black_rank"])
            white_name, texts["white_rank"] = split_rank(white_name, texts["white_rank"])
            if shortened := (names[0] != black_name) + (names[1] != white_name):
                self.repaired["rank removed from a name"] += shortened
        return GoGame(
            file=record.file,
            line=record.line,
            number=record.number,
            size=size,
            komi=self._komi(properties, handicap, result),
            handicap=handicap,
            setup_black=black,
            setup_white=white,
            to_play=to_play,
            moves=moves,
            colours=colours,
            black=black_name,
            white=white_name,
            result=result,
            winner=parse_winner(result) if result else UNKNOWN,
            date=parse_go_date(_text(properties, "DT")),
            time_left=clocks,
            properties=MappingProxyType(dict(properties)),
            **texts,
        )

    def _count(self, flags: int, meanings: tuple[tuple[int, str], ...]) -> None:
        self.repaired.update(what for flag, what in meanings if flags & flag)

    def _komi(
        self, properties: Mapping[str, tuple[str, ...]], handicap: int, result: str
    ) -> float | None:
        if "KM" not in properties:
            return None
        komi, repair = parse_komi(properties["KM"][0])
        if komi == 0.0 and handicap == 0 and _from_fox(properties):
            margin = _MARGIN.match(result)
            if margin is None or float(margin[1]) % 1:
                komi = _SERVER_KOMI.get(_text(properties, "RU").lower(), komi)
                repair = "komi 0 of Fox in even games"
        if repair is not None:
            self.repaired[repair] += 1
        return komi


_NO_STONES = np.empty(0, np.int16)


def _text(properties: Mapping[str, tuple[str, ...]], name: str) -> str:
    values = properties.get(name)
    return clean(values[0]) if values else ""


def _size(properties: Mapping[str, tuple[str, ...]]) -> int:
    kind = _text(properties, "GM")
    if kind.isdigit() and kind.lstrip("0") != "1":
        raise Unusable(f"GM[{kind[:8]}] is not Go", "not a game of Go")
    written = _text(properties, "SZ")
    if not written:
        return LARGEST
    size = parse_board_size(written)
    if size is None:
        raise Unusable(f"board size {written[:20]!r} is not understood", "unknown board size")
    columns, rows = size
    if columns != rows or not SMALLEST <= columns <= LARGEST:
        raise Unusable(
            f"a board of {columns} x {rows} is not supported, only square ones of "
            f"{SMALLEST} to {LARGEST} lines",
            "board size not supported",
        )
    return columns


def _from_fox(properties: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether the Fox server wrote it: it says so, or names GNU Go and has TC and TT."""
    programs = "".join(properties.get("AP", ())).lower()
    if "foxwq" in programs:
        return True
    return programs.startswith("gnu") and "TC" in properties and "TT" in properties
