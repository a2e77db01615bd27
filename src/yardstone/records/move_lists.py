"""Games from lists of moves: a line a game, an identifier and the moves as SGF.

Collections often split games in two: a table of players and results, and a list of
moves such as ``75803708 TAB ;B[pd];W[dd]``. `read_moves` joins them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.pool import Pool, Skipped, SkipReport
from yardstone.records.decoding import clean, decode
from yardstone.records.go_game import BLACK, DRAWN, WHITE, GoGame
from yardstone.records.sgf_games import GameBuilder, Unusable
from yardstone.records.sgf_records import Rows, SgfRecord
from yardstone.records.sources import Source, find_sources

if TYPE_CHECKING:
    from yardstone.records.streams import ByteStream

__all__ = ["MoveListReader", "read_moves"]

StrPath = str | os.PathLike[str]
#: Longer lines are no games.
_LONGEST_LINE = 1 << 20
_SIDES = {1.0: (BLACK, "B+"), 0.0: (WHITE, "W+"), 0.5: (DRAWN, "0")}
#: Columns of the pool that go into a game, and the properties they are.
_TEXTS = {
    "black_rank": "BR", "white_rank": "WR", "rules": "RU", "event": "EV", "place": "PC",
    "komi": "KM", "handicap": "HA", "size": "SZ",
}  # fmt: skip


class MoveListReader:
    r"""Reads games from lists of moves; iterating gives one after another.

    Parameters
    ----------
    *paths : str, path or Source
        Files of any ending, folders, patterns, or zip and tar archives, all of whose
        files are read. Each line is an identifier and, behind a tab, a comma or
        blanks, the moves in SGF.
    results : Pool, optional
        Who played and who won: a pool whose ``first`` is Black, with a column named
        `key`. Its columns komi, handicap, size, rules, black_rank, white_rank, event
        and place are used where it has them. Games it does not know are skipped.
    key : str
        The column of `results` that identifies games.
    progress : callable, optional
        Called with the bytes read so far and all bytes (0 if unknown).

    Attributes
    ----------
    skipped : SkipReport
        Lines that were left out.

    Examples
    --------
    >>> import pathlib, tempfile, yardstone
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "moves").write_text("7\t;B[pd];W[dd]\n8\t;B[qd]\n")
    >>> pool = yardstone.Pool.from_names(["Ann"], ["Bob"], [1], columns={"id": ["7"]})
    >>> reader = MoveListReader(folder / "moves", results=pool, key="id")
    >>> [(game.black, game.moves.tolist()) for game in reader], reader.skipped.reasons
    ([('Ann', [72, 60])], Counter({'not in the table of results': 1}))
    """

    def __init__(
        self,
        *paths: StrPath | Source,
        results: Pool | None = None,
        key: str = "game_id",
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        if not paths:
            raise UsageError("no files given")
        self.skipped = SkipReport()
        self._sources = find_sources(paths, [""], self.skipped)
        self._results = results
        self._rows_of: dict[str, int] = {}
        self._progress = progress
        if results is not None:
            if key not in results.columns:
                known = ", ".join(results.columns) or "none"
                raise UsageError(f"the results have no column {key!r}, only {known}")
            values = results.columns[key].tolist()
            self._rows_of = {_identifier(value): row for row, value in enumerate(values)}

    def __iter__(self) -> Iterator[GoGame]:
        builder, rows = GameBuilder(), Rows(main_only=True)
        total = sum(source.size for source in self._sources)
        done = 0
        for source in self._sources:
            try:
                yield from self._games(source, builder, rows)
            except InputError as error:
                self.skipped.add(Skipped(source.name, 0, error.message))
            done += source.size
            if self._progress is not None:
                self._progress(done, total)
        self.skipped.repaired.update(builder.repaired)

    def _games(self, source: Source, builder: GameBuilder, rows: Rows) -> Iterator[GoGame]:
        with source.open() as stream:
            for number, line in enumerate(_lines(stream), start=1):
                identifier, moves = _split(line)
                if not line.strip() or (number == 1 and not moves):  # names of columns
                    continue
                try:
                    if not moves:
                        raise Unusable("no moves in this line")
                    if len(line) > _LONGEST_LINE:
                        raise Unusable(f"a line longer than {_LONGEST_LINE} bytes")
                    properties = self._properties(identifier)
                    rows.scan(np.frombuffer(moves, np.uint8), 0, final=True)
                    record = SgfRecord(source.name, number, 1, moves, rows, "utf-8")
                    yield builder.line(record, properties, rows.table)
                except Unusable as trouble:
                    self.skipped.add(
                        Skipped(source.name, number, trouble.reason), kind=trouble.kind
                    )
            if stream.damage is not None:
                self.skipped.add(Skipped(source.name, 0, stream.damage))

    def _properties(self, identifier: str) -> MappingProxyType[str, tuple[str, ...]]:
        """What the table of results says of a game, as SGF has it."""
        texts = {"GN": identifier}
        pool = self._results
        if pool is not None:
            row = self._rows_of.get(identifier)
            if row is None:
                raise Unusable(
                    f"game {identifier[:40]!r} is not in the table of results",
                    "not in the table of results",
                )
            texts["PB"] = pool.players[pool.first[row]]
            texts["PW"] = pool.players[pool.second[row]]
            texts["RE"] = _SIDES[float(pool.score[row])][1]
            if pool.time is not None and not np.isnat(pool.time[row]):
                texts["DT"] = str(pool.time[row]).replace("T", " ")
            for name, tag in _TEXTS.items():
                if name in pool.columns and (text := _plain(pool.columns[name][row])):
                    texts[tag] = text
        return MappingProxyType({name: (text,) for name, text in texts.items()})


def read_moves(
    *paths: StrPath, results: Pool | None = None, key: str = "game_id"
) -> Iterator[GoGame]:
    """The games in lists of moves, joined to a table of results; see `MoveListReader`."""
    return iter(MoveListReader(*paths, results=results, key=key))


def _identifier(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


def _plain(value: Any) -> str:
    text = _identifier(value)
    return "" if text == "nan" else text


def _split(line: bytes) -> tuple[str, bytes]:
    """The identifier of a line, and its moves."""
    place = next((k for k, c in enumerate(line[:256]) if c in b";("), -1)
    if place < 0:
        return "", b""
    return clean(decode(line[:place])).strip("\"', "), line[place:]


def _lines(stream: ByteStream) -> Iterator[bytes]:
    """Lines without their ends; what is too long comes cut, but longer than allowed."""
    left = b""
    for piece in stream.pieces():
        lines = (left + piece).split(b"\n")
        left = lines.pop()
        yield from lines
        if len(left) > _LONGEST_LINE:
            left = left[: _LONGEST_LINE + 1]
    if left:
        yield left
