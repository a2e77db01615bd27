"""Tables of analysed matches: what fits need of each match, without GNU Backgammon."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, NoGamesError
from yardstone.records.sources import Source
from yardstone_lab.vandendoel.table import ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["MatchTable", "read_match_table"]

_CUBE_ERRORS = ("missed_double", "wrong_double", "wrong_take", "wrong_pass")
_NEEDED = ("length", "player_1", "player_2", "winner", "luck_adjusted_1")


@dataclass(frozen=True)
class MatchTable:
    """Matches with a winner, as arrays with one entry a match; frozen.

    Attributes
    ----------
    length : float64 array
        Points to win.
    players : array of str, shape (matches, 2)
    score : float64 array
        1 where the first player won, else 0.
    luck_adjusted : float64 array
        Luck-adjusted result of the first player as a probability.
    chequer, cube : float64 arrays, shape (matches, 2)
        Sums of errors of both players, in normalised equity.
    unforced, close : float64 arrays, shape (matches, 2)
        Unforced moves, and close cube decisions.
    """

    length: Floats
    players: NDArray[Any]
    score: Floats
    luck_adjusted: Floats
    chequer: Floats
    cube: Floats
    unforced: Floats
    close: Floats

    def __len__(self) -> int:
        return len(self.length)

    def select(self, keep: NDArray[Any]) -> MatchTable:
        """The matches where `keep` is true, or those of its numbers."""
        return MatchTable(**{name: getattr(self, name)[keep] for name in self.__dataclass_fields__})

    @property
    def epm(self) -> Floats:
        """Errors per unforced move, shape (matches, 2); 0 without a move."""
        return ratio(self.chequer, self.unforced)

    @property
    def epc(self) -> Floats:
        """Errors per close cube decision, shape (matches, 2); 0 without one."""
        return ratio(self.cube, self.close)

    @property
    def epd(self) -> Floats:
        """Errors per decision, shape (matches, 2); 0 without one."""
        return ratio(self.chequer + self.cube, self.unforced + self.close)


def read_match_table(path: Path, *, close: str = "close") -> MatchTable:
    """Read the table that ``yardstone backgammon analyse --table`` writes, also packed with gzip.

    Rows without a winner and money sessions are left out.

    Parameters
    ----------
    path : Path
    close : {"close", "close_2003"}
        Which rule counts close cube decisions: GNU Backgammon's, or that of 2003.

    Raises
    ------
    InputError
        The file cannot be read, or a column is missing or holds no number.
    """
    try:
        text = Source(str(path), path).content().decode("utf-8")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"cannot be read: {error}", file=str(path)) from None
    missing = [name for name in _NEEDED if rows and name not in rows[0]]
    if missing:
        raise InputError(
            f"there is no column {missing[0]!r}",
            file=str(path),
            hint="make it with yardstone backgammon analyse --table",
        )
    values = []
    for line, row in enumerate(rows, 2):
        try:
            if row["winner"] and row["luck_adjusted_1"] and float(row["length"]) >= 1.0:
                values.append(_numbers(row, close))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"no such number: {error}", file=str(path), line=line) from None
    if not values:
        raise NoGamesError("there is no match with a winner in it", file=str(path))
    columns = [np.array(column) for column in zip(*values, strict=True)]
    return MatchTable(*columns)


def _numbers(row: Mapping[str, str], close: str) -> tuple[Any, ...]:
    """One row in the order of `MatchTable`."""

    def both(*names: str) -> list[float]:
        return [sum(float(row[f"{name}_{side}"]) for name in names) for side in (1, 2)]

    return (
        float(row["length"]),
        [row["player_1"], row["player_2"]],
        float({"1": 1.0, "2": 0.0}[row["winner"]]),
        float(row["luck_adjusted_1"]),
        both("chequer"),
        both(*_CUBE_ERRORS),
        both("unforced"),
        both(close),
    )
