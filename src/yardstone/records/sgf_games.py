"""From an SGF record to a `GoGame`, with what servers and programs write amiss put right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from yardstone.records import _sgf_moves as line
from yardstone.records._sgf_scan import BREAKS_OFF, NOT_CLOSED, UNESCAPED
from yardstone.records.decoding import clean
from yardstone.records.go_game import BLACK, UNKNOWN, WHITE, GoGame
from yardstone.records.handicaps import handicap_setup
from yardstone.records.sgf_records import SgfRecord, property_values
from yardstone.records.sgf_values import (
    WRITER,
    parse_board_size,
    parse_go_date,
    parse_komi,
    parse_winner,
    split_rank,
)

if TYPE_CHECKING:
    from yardstone.records._sgf_scan import PropertyRows

__all__ = ["GameBuilder", "Unusable"]

#: Boards of other sizes are not supported.
SMALLEST, LARGEST = 2, 19
_SERVER_KOMI = {"japanese": 6.5, "chinese": 7.5}
_WHOLE_NUMBER = re.compile(r"\s*(\d{1,3})(?!\d)")
_MARGIN = re.compile(r"[BbWw]\+(\d+(?:\.\d+)?)\s*$")
_TROUBLES = (
    (line.BAD_MOVE, "a move off the board: the moves end before it"),
    (line.LATE_SETUP, "stones set up between moves: the moves end there"),
    (line.SEVERAL_POINTS, "several points in one move: the first was used"),
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

    def __init__(self) -> None:
        self.repaired: Counter[str] = Counter()
        self._out = np.zeros(line.OUT, np.int64)
        self._reserve(1 << 10)

    def _reserve(self, rows: int) -> None:
        self._moves = np.empty(rows, np.int16)
        self._colours = np.empty(rows, np.int8)
        self._times = np.empty(rows, np.float32)

    def game(self, record: SgfRecord) -> GoGame:
        """The game on the record's main line.

        Raises
        ------
        Unusable
            If it is of another kind or on a board that is not supported.
        """
        rows = record.rows
        if rows.flags:
            self._count(rows.flags, _FLAGS)
        if rows.nodes == 0:
            raise Unusable("the record is empty")
        root = property_values(record.data, rows.table[: rows.root_rows])
        return self.line(record, root, rows.table)

    def line(
        self, record: SgfRecord, properties: Mapping[str, tuple[str, ...]], rows: PropertyRows
    ) -> GoGame:
        """The game on one line of a record, whose root has these properties."""
        size = _size(properties)
        if len(rows) > len(self._moves):
            self._reserve(2 * len(rows))
        board = np.zeros(size * size, np.int8)
        line.read_main(
            np.frombuffer(record.data, np.uint8), rows, size, board,
            self._moves, self._colours, self._times, self._out,
        )  # fmt: skip
        played, to_play, trouble, _, times, bad_setup = self._out.tolist()
        if trouble:
            self._count(trouble, _TROUBLES)
        if bad_setup:
            self.repaired["a stone set up off the board"] += bad_setup
        moves = self._moves[:played].copy()
        colours = self._colours[:played].copy()
        clocks = self._times[:played].copy() if times else None
        black = white = _NO_STONES
        if board.any():
            black = np.flatnonzero(board == BLACK).astype(np.int16)
            white = np.flatnonzero(board == WHITE).astype(np.int16)
        handicap = _handicap(properties)
        setup = handicap_setup(size, handicap, black, white, moves, colours, to_play)
        if setup.hint is not None:
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
        result = _text(properties, "RE")
        black_name, black_rank = self._player(properties, "PB", "BR")
        white_name, white_rank = self._player(properties, "PW", "WR")
        return GoGame(
            record.file,
            record.line,
            record.number,
            size,
            self._komi(properties, handicap, result),
            handicap,
            _text(properties, "RU"),
            black,
            white,
            to_play,
            moves,
            colours,
            black_name,
            white_name,
            black_rank,
            white_rank,
            _text(properties, "BT"),
            _text(properties, "WT"),
            result,
            parse_winner(result) if result else UNKNOWN,
            parse_go_date(_text(properties, "DT")),
            _text(properties, "EV"),
            _text(properties, "PC"),
            clocks,
            MappingProxyType(dict(properties)),
        )

    def _count(self, flags: int, meanings: tuple[tuple[int, str], ...]) -> None:
        self.repaired.update(what for flag, what in meanings if flags & flag)

    def _player(
        self, properties: Mapping[str, tuple[str, ...]], name: str, rank: str
    ) -> tuple[str, str]:
        """Name and rank of a player."""
        written, ranked = _text(properties, name), _text(properties, rank)
        if properties.get("AP", ("",))[0] == WRITER:
            return written, ranked
        player = split_rank(written, ranked)
        if player[0] != written:
            self.repaired["rank removed from a name"] += 1
        return player

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


def _handicap(properties: Mapping[str, tuple[str, ...]]) -> int:
    match = _WHOLE_NUMBER.match(_text(properties, "HA"))
    return min(int(match[1]), LARGEST * LARGEST) if match is not None else 0


def _from_fox(properties: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether the Fox server wrote it: it says so, or names GNU Go and has TC and TT."""
    programs = "".join(properties.get("AP", ())).lower()
    if "foxwq" in programs:
        return True
    return programs.startswith("gnu") and "TC" in properties and "TT" in properties
