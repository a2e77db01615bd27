"""Tables of style features of players, in the format of the program Orange.

Three lines of headings (names, kinds, and ``class`` or ``meta`` for what is no
feature), then a line a player, fields apart by tabulators. So are the features of
Moudřík, Baudiš and Neruda 2015 stored: stones by distance from the border, captures,
who answers whom, and how games ended, each averaged over a player's games.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, NoGamesError
from yardstone.pool import SkipReport
from yardstone.records.decoding import clean, decode
from yardstone.records.sources import Source, find_sources

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["StyleTable", "read_style"]

_HEADINGS = 3
#: A table may not be larger than this, decompressed, nor have more columns.
_MOST_BYTES = 256 << 20
_MOST_COLUMNS = 4096


@dataclass(frozen=True, eq=False)
class StyleTable:
    """Features of players; frozen.

    Attributes
    ----------
    features : float64 [n, d]
    strength : float64 [n]
        What is to be predicted, in ranks; NaN where it is not known.
    names : tuple of str
        Of the features.
    players : tuple of str
        What the table calls each player (or sample of games); empty where it does not.
    """

    features: Array
    strength: Array
    names: tuple[str, ...]
    players: tuple[str, ...]

    def __len__(self) -> int:
        """Number of players."""
        return len(self.features)

    def __repr__(self) -> str:
        return f"<StyleTable: {len(self.names)} features of {len(self)} players>"

    def select(self, rows: NDArray[Any]) -> StyleTable:
        """Some of the players."""
        chosen = np.asarray(rows)
        if chosen.dtype == np.bool_:
            chosen = np.flatnonzero(chosen)
        return StyleTable(
            self.features[chosen],
            self.strength[chosen],
            self.names,
            tuple(self.players[row] for row in chosen),
        )


def read_style(*paths: str | os.PathLike[str]) -> StyleTable:
    """Read one table, or several with different features of the same players.

    Parameters
    ----------
    *paths : path
        Files (.tab), compressed or not, or folders and archives of them. Players stand
        in the same order in all of them.

    Returns
    -------
    StyleTable
        With the features of all files side by side.

    Raises
    ------
    InputError
        A file is no such table, a field is no number, or two files are not of the same
        players; the message names the line.
    """
    parts = [_read(source) for source in find_sources(paths, [".tab"], SkipReport())]
    if not parts:
        raise NoGamesError("there is no table of style features (.tab)")
    (file, first), rest = parts[0], parts[1:]
    for other, table in rest:
        if len(table) != len(first):
            raise InputError(
                f"has {len(table):,} players, but {file} has {len(first):,}", file=other
            )
        apart = [row for row in range(len(first)) if table.players[row] != first.players[row]]
        known = np.isfinite(first.strength) & np.isfinite(table.strength)
        differ = np.flatnonzero(known & (table.strength != first.strength))
        if apart or len(differ):
            row = apart[0] if apart else int(differ[0])
            raise InputError(
                f"this player is another one than in {file}",
                file=other,
                line=row + _HEADINGS + 1,
                hint="give the players in the same order in all tables",
            )
    tables = [first, *(table for _, table in rest)]
    strength = first.strength.copy()
    for table in tables[1:]:
        strength = np.where(np.isfinite(strength), strength, table.strength)
    return StyleTable(
        np.hstack([table.features for table in tables]),
        strength,
        tuple(name for table in tables for name in table.names),
        first.players,
    )


def _read(source: Source) -> tuple[str, StyleTable]:
    lines = _lines(source)
    if len(lines) <= _HEADINGS:
        raise InputError("has no player: three lines of headings come first", file=source.name)
    names, kinds, roles = (_fields(line) for line in lines[:_HEADINGS])
    if len(names) > _MOST_COLUMNS:
        raise InputError(f"has more than {_MOST_COLUMNS} columns", file=source.name, line=1)
    roles += [""] * (len(names) - len(roles))
    if len(kinds) != len(names) or len(roles) != len(names):
        raise InputError(
            f"the headings have {len(names)}, {len(kinds)} and {len(roles)} fields",
            file=source.name,
            line=2,
            hint="this is not a table with the headings of Orange",
        )
    columns = [c for c, role in enumerate(roles) if not role and kinds[c].startswith("c")]
    target = next((c for c, role in enumerate(roles) if role == "class"), None)
    named = next((c for c, role in enumerate(roles) if role == "meta" and kinds[c] == "string"), -1)
    if not columns:
        raise InputError("has no column of numbers that is a feature", file=source.name, line=3)
    features, strength, players = [], [], []
    for number, line in enumerate(lines[_HEADINGS:], start=_HEADINGS + 1):
        fields = _fields(line)
        if len(fields) != len(names):
            raise InputError(
                f"has {len(fields)} fields in place of {len(names)}", file=source.name, line=number
            )
        features.append([_number(fields[c], names[c], source.name, number) for c in columns])
        known = target is not None and fields[target] not in ("", "?")
        strength.append(
            _number(fields[target], names[target], source.name, number)
            if known and target is not None
            else np.nan
        )
        players.append(fields[named] if named >= 0 else "")
    return source.name, StyleTable(
        np.array(features, np.float64),
        np.array(strength, np.float64),
        tuple(names[c] for c in columns),
        tuple(players),
    )


def _lines(source: Source) -> list[str]:
    text = decode(source.content(_MOST_BYTES))
    return [line.rstrip("\r") for line in text.rstrip("\r\n").split("\n")]


def _fields(line: str) -> list[str]:
    return [clean(field) for field in line.split("\t")]


def _number(text: str, name: str, file: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise InputError(
            f"{name!r} is {text!r} in place of a number",
            file=file,
            line=line,
            hint="leave the player out, or fill the field",
        )
    return value
