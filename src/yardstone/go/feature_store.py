"""`FeatureStore`: features of the moves of many games, mapped from disk.

A store is a folder. ``store.json`` says how it was made, ``games.csv`` has a row a
game, ``skipped.csv`` the games that were left out and why. Each array has a file in
numpy's format with a row a move: ``number``, ``colour`` and ``point`` tell the move,
``head`` and whatever of ``pick``, ``after``, ``candidates`` (with ``chances``),
``mean`` and ``trunk`` was asked for its features.
Moves lie in the order of the games; within a game Black's come first, then White's,
so that what a player did in a game is one piece of each array.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from sys import maxsize
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from yardstone import files
from yardstone.arrays import ArrayFile, map_array
from yardstone.errors import InputError, UsageError
from yardstone.go.points import BLACK, WHITE
from yardstone.parallel import Track
from yardstone.pool import Skipped
from yardstone.records.decoding import csv_lines, plain_cell

#: The file that says how a store was made.
ABOUT = "store.json"
FORMAT = 2
_MOVES = ("number", "colour", "point")


def read_about(folder: Path) -> dict[str, Any]:
    """What a store says of itself.

    Raises InputError where it is no store, or one of another version of Yardstone.
    """
    path = folder / ABOUT
    try:
        about = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(
            "this is not a store of features",
            file=str(folder),
            hint="make one with `yardstone go features`",
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be read: {error}", file=str(path)) from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise InputError(
            "this store is of another version", file=str(path), hint="make it anew from the games"
        )
    # Those of version 0.1 do not say how many ways the network was shown each position.
    return {"symmetries": 1, **about}


class FeatureStore:
    """Features of moves on disk; nothing is read before it is needed.

    `FeatureStore.open` opens one that `yardstone go features` made.

    Attributes:
        path: Its folder.
        settings: How it was made: ``network``, ``sha256``, ``channels``, ``rules``, ``engine``,
            ``precision`` and so on.
        kinds: The kinds of features that it has: ``head``, then those of the trunk.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self.path = path
        self.settings = MappingProxyType(dict(about))
        chances = ("chances",) if "candidates" in about["trunk"] else ()
        self.kinds = ("head", *about["trunk"], *chances)
        self._arrays: dict[str, NDArray[Any]] = {}

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> FeatureStore:
        """Open a complete store.

        Raises:
            InputError: It is no store, not complete, or damaged.
        """
        folder = Path(path)
        about = read_about(folder)
        if not about.get("complete"):
            raise InputError(
                "this store is not complete",
                file=str(folder),
                hint="run the same command again to go on with it",
            )
        try:
            store = cls(folder, about)
            moves = about["moves"]
            numbers = (moves, about["games"])
            if not all(type(number) is int and 0 <= number <= maxsize for number in numbers):
                raise TypeError("moves")
        except (KeyError, TypeError):
            raise InputError("damaged", file=str(folder / ABOUT)) from None
        for name in (*_MOVES, *store.kinds):
            rows = len(store.array(name)) if store.array(name).ndim else 0
            if rows != moves:
                raise InputError(
                    f"has {rows:,} rows in place of {moves:,}",
                    file=str(folder / f"{name}.npy"),
                    hint="make the store anew",
                )
        return store

    def __len__(self) -> int:
        """Number of games."""
        return int(self.settings["games"])

    def __repr__(self) -> str:
        kinds = ", ".join(self.kinds)
        moves = int(self.settings["moves"])
        return f"<FeatureStore: {kinds} of {moves:,} moves of {len(self):,} games>"

    def array(self, name: str) -> NDArray[Any]:
        """One array for all moves, mapped from disk, read-only.

        Args:
            name: ``number``, ``colour`` or ``point`` (of each move) or a kind of features: ``head``
                float32 [moves, 6] (`yardstone.go.features.HEAD` names the six), ``pick``, ``after``
                and ``mean`` float16 [moves, channels], ``candidates`` float16 [moves, 5, channels]
                and ``chances`` [moves, 5], ``trunk`` float16 [moves, channels, size, size].
        """
        if name not in self._arrays:
            if name not in (*_MOVES, *self.kinds):
                raise UsageError(
                    f"the store has no {name!r}, but {', '.join((*_MOVES, *self.kinds))}"
                )
            path = self.path / f"{name}.npy"
            self._arrays[name] = map_array(path, hint="make the store anew")
        return self._arrays[name]

    @cached_property
    def games(self) -> Mapping[str, NDArray[Any]]:
        """The table of games by column, an entry a game.

        ``file``, ``line``, ``game`` (its number in the file), ``name`` (the record's
        GN, or what a list of moves calls the game), ``black``, ``white``,
        ``black_rank``, ``white_rank``, ``date`` (datetime64[s]), ``result``, ``winner``
        (1 Black, 2 White, 0 unknown, -1 a draw), ``size``, ``komi``, ``rules`` (both as
        the network was told), ``handicap``, ``moves`` (of the record),
        ``white_winrate``, ``white_lead`` (as the network sees the end), and where its
        rows lie: Black's from ``black_start`` to ``white_start``, White's from there
        to ``end``.
        """
        path = self.path / "games.csv"
        columns: dict[str, list[str]] = {name: [] for name in GAME_COLUMNS}
        try:
            with path.open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    for name, cells in columns.items():
                        cells.append(plain_cell(row[name]))
            return MappingProxyType({name: _column(name, cells) for name, cells in columns.items()})
        except (OSError, ArithmeticError, ValueError, KeyError, TypeError, csv.Error) as error:
            raise InputError(
                f"cannot be read: {error}", file=str(path), hint="make the store anew"
            ) from None

    def rows(self, game: int, colour: int | None = None) -> slice:
        """Where the moves of a game lie, or of one colour of it (1 Black, 2 White)."""
        starts = (self.games["black_start"], self.games["white_start"], self.games["end"])
        black, white, end = (int(column[game]) for column in starts)
        if colour is None:
            return slice(black, end)
        if colour not in (BLACK, WHITE):
            raise UsageError(f"{colour} is not a colour: 1 is Black, 2 is White")
        return slice(black, white) if colour == BLACK else slice(white, end)

    def features(self, game: int, kind: str = "pick", colour: int | None = None) -> NDArray[Any]:
        """Features of the moves of a game, or of one colour of it.

        Args:
            game: Its place in `games`.
            kind: One of `kinds`.
            colour: 1 Black, 2 White; both, Black first, if not given.
        """
        if kind not in self.kinds:
            raise UsageError(f"the store has no {kind!r}, but {', '.join(self.kinds)}")
        return self.array(kind)[self.rows(game, colour)]

    @cached_property
    def players(self) -> Mapping[str, Sequence[tuple[int, int]]]:
        """For each name its games with the colour, in the order of their dates.

        Games without a date come last, in the order of the store.
        """
        order = np.argsort(self.games["date"], kind="stable")  # NaT goes to the end
        played: dict[str, list[tuple[int, int]]] = {}
        for game in order.tolist():
            for side, colour in (("black", BLACK), ("white", WHITE)):
                played.setdefault(self.games[side][game], []).append((game, colour))
        return MappingProxyType(played)


def _column(name: str, cells: list[str]) -> NDArray[Any]:
    """A column of the table of games."""
    if name == "date":
        return np.array([cell or "NaT" for cell in cells], "datetime64[s]")
    kinds: dict[type, Any] = {str: object, int: np.int64, float: np.float64}
    kind = GAME_COLUMNS[name]
    return np.array([kind(cell) for cell in cells], kinds[kind])


#: The folder of parts within a store, gone when the store is complete.
PARTS = "parts"
#: A batch of games: ``fingerprint``, ``games`` (rows of the table, with places in the part) and
#: ``skipped``, and arrays with a row a move until they are put together.
PART = ArrayFile(
    "part of a store of features",
    text="about",
    compressed=False,
    hint="remove it and run the command again",
)
_UNFINISHED = ".unfinished"
_SKIPPED = ("file", "line", "reason")

#: Columns of the table of games and what they hold.
GAME_COLUMNS: Mapping[str, type] = {
    "file": str,
    "line": int,
    "game": int,
    "name": str,
    "black": str,
    "white": str,
    "black_rank": str,
    "white_rank": str,
    "date": str,
    "result": str,
    "winner": int,
    "size": int,
    "komi": float,
    "rules": str,
    "handicap": int,
    "moves": int,
    "white_winrate": float,
    "white_lead": float,
    "black_start": int,
    "white_start": int,
    "end": int,
}


def part_file(store: Path, number: int) -> Path:
    """Where a part lies."""
    return store / PARTS / f"{number:08d}.npz"


def merge(store: Path, number: int, unread: Sequence[Skipped] = ()) -> tuple[int, int, int]:
    """Put parts 0 to `number` - 1 together.

    `unread` are records that were left out before. Returns how many games, moves and
    records left out there are.
    """
    abouts = [PART.read(part_file(store, k), lambda _, about: about) for k in range(number)]
    ends = [about["games"][-1]["end"] if about["games"] else 0 for about in abouts]
    starts = np.cumsum([0, *ends]).tolist()
    games: list[dict[str, Any]] = []
    skipped = [asdict(record) for record in unread]
    for place in Track("putting together", number).over(range(number)):
        about, start, file = abouts[place], starts[place], part_file(store, place)
        for name, values in PART.read(file, lambda arrays, _: dict(arrays)).items():
            _copy(store / f"{name}.npy{_UNFINISHED}", values, start, starts[-1])
        PART.write(file, {}, about)  # after a kill nothing is copied again
        for row in about["games"]:
            at = {name: start + row[name] for name in ("black_start", "white_start", "end")}
            games.append({**row, **at})
        skipped += about["skipped"]
    for unfinished in store.glob(f"*{_UNFINISHED}"):
        unfinished.rename(unfinished.with_suffix(""))
    files.write_text(store / "games.csv", _table(tuple(GAME_COLUMNS), games))
    files.write_text(store / "skipped.csv", _table(_SKIPPED, skipped))
    return len(games), starts[-1], len(skipped)


def _copy(path: Path, values: NDArray[Any], start: int, rows: int) -> None:
    """Write some rows of an array to their place in its file."""
    header = io.BytesIO()
    kind = {"descr": values.dtype.str, "fortran_order": False, "shape": (rows, *values.shape[1:])}
    npy.write_array_header_1_0(header, kind)
    with path.open("r+b" if path.exists() else "wb") as file:
        file.write(header.getvalue())
        file.seek(header.tell() + start * values.itemsize * math.prod(values.shape[1:]))
        values.tofile(file)
        file.flush()
        os.fsync(file.fileno())


def _table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(csv_lines(columns, ([row[name] for name in columns] for row in rows)))
