"""Errors of matches by kind, with what each is said to cost: a table of people's and of programs'.

GNU Backgammon gives each error twice: in normalised equity, of which error rates are made,
and in the match winning chance that it says was lost. The table keeps both, for each player
of each match and each kind of error, beside the result with luck taken out; and the larger
cube errors one by one.
"""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, NoGamesError
from yardstone.records.sources import Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "KINDS_OF_CUBE_ERRORS",
    "CubeErrors",
    "match_rows",
    "read_cube_errors",
    "read_sizes",
    "rows_text",
    "size_rows",
]

#: Kinds of cube errors, and the names of GNU Backgammon's counts that make up each.
KINDS_OF_CUBE_ERRORS: Mapping[str, tuple[str, ...]] = {
    "missed_double": ("missed-double-below-cp", "missed-double-above-cp"),
    "wrong_double": ("wrong-double-below-dp", "wrong-double-above-tg"),
    "wrong_take": ("wrong-take",),
    "wrong_pass": ("wrong-drop",),
}
_PLAYER = (
    "unforced",
    "close",
    "close_2003",
    "chequer",
    "chequer_cost",
    *(f"{kind}{what}" for kind in KINDS_OF_CUBE_ERRORS for what in ("s", "_error", "_cost")),
)
_MATCH = ("source", "length", "first", "second", "won", "luck_adjusted")
#: Columns of a row a match.
COLUMNS = (*_MATCH, *(f"{side}_{name}" for side in ("first", "second") for name in _PLAYER))
#: Columns of a row a cube error.
SIZES = ("source", "kind", "error", "length", "away", "opponent_away", "cube")


@dataclass(frozen=True, eq=False, repr=False)
class CubeErrors:
    """Matches with a winner; arrays of two columns have both players, frozen.

    Attributes:
        source (array of str (n,)): Who played: a name for each group of matches.
        length (float64 array (n,)): Points to win.
        players: array of str (n, 2).
        won (float64 array (n,)): 1 where the first player won, else 0.
        luck_adjusted (float64 array (n,)): The first player's chance with luck taken out; may leave
            0 to 1.
        unforced, close, close_2003 (float64 arrays (n, 2)): Unforced moves, and close cube
            decisions by the rules of 2006 and 2003.
        chequer, chequer_cost (float64 arrays (n, 2)): Errors of moves: normalised equity, and match
            winning chance said to be lost.
        cube, cube_cost (float64 arrays (n, 2, 4)): The same of cube decisions, by
            `KINDS_OF_CUBE_ERRORS`.
        numbers (float64 array (n, 2, 4)): Numbers of cube errors.
    """

    source: NDArray[Any]
    length: Floats
    players: NDArray[Any]
    won: Floats
    luck_adjusted: Floats
    unforced: Floats
    close: Floats
    close_2003: Floats
    chequer: Floats
    chequer_cost: Floats
    cube: Floats
    cube_cost: Floats
    numbers: Floats

    def __len__(self) -> int:
        return len(self.length)

    def __repr__(self) -> str:
        return f"<CubeErrors: {len(self)} matches>"

    def select(self, rows: NDArray[Any]) -> CubeErrors:
        """Some of the matches: a mask, or their numbers."""
        return CubeErrors(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def of(self, source: str) -> CubeErrors:
        """The matches of one source."""
        return self.select(self.source == source)


def match_rows(records: Iterable[Mapping[str, Any]], source: str) -> Iterator[dict[str, Any]]:
    """Rows of the matches with a winner among analyses or results of simulated matches.

    Args:
        records: Lines of a file that ``yardstone backgammon analyse --ledger`` wrote, or of results
            of ``yardstone backgammon play``, of which the first depth of analysis counts.
        source: Who played.
    """
    for record in records:
        match = _of_analysis(record) if "status" in record else _of_results(record)
        if match is None:
            continue
        length, names, won, analysis = match
        stats = analysis["stats"]
        row: dict[str, Any] = {
            "source": source,
            "length": length,
            "first": names[0],
            "second": names[1],
            "won": int(won),
            "luck_adjusted": _short(0.5 + stats["X"]["dice"]["luck-adjusted-result"]),
        }
        for side, who in (("first", "X"), ("second", "O")):
            moves, cube = stats[who]["moves"], stats[who]["cube"]
            values = {
                "unforced": moves["unforced-moves"],
                "close": cube["close-cube"],
                "close_2003": analysis["close"][who]["close-2003"],
                "chequer": _short(moves["error-skill"]),
                "chequer_cost": _short(moves["error-cost"]),
            }
            for kind, names_there in KINDS_OF_CUBE_ERRORS.items():
                values[f"{kind}s"] = sum(cube[name] for name in names_there)
                for what, ending in (("error", "skill"), ("cost", "cost")):
                    total = sum(cube[f"err-{name}-{ending}"] for name in names_there)
                    values[f"{kind}_{what}"] = _short(total)
            row |= {f"{side}_{name}": values[name] for name in _PLAYER}
        yield row


def _of_analysis(record: Mapping[str, Any]) -> tuple[int, list[str], bool, Any] | None:
    """Length, names, whether the first won, and the analysis; None without a winner."""
    if record["status"] != "analysed":
        return None
    match, analysis = record["found"]["match"], record["found"]["analysis"]
    games, length = match["games"], int(match["length"])
    points = [
        games[0].get(f"score-{who}", 0) + sum(g["points-won"] for g in games if g["winner"] == who)
        for who in "XO"
    ]
    if not length or max(points) < length:
        return None
    return length, list(match["names"]), points[0] > points[1], analysis


def _of_results(record: Mapping[str, Any]) -> tuple[int, list[str], bool, Any] | None:
    if "failed" in record:
        return None
    analysis = next(iter(record["analyses"].values()))
    return int(record["length"]), ["first", "second"], record["winner"] == "X", analysis


def size_rows(records: Iterable[Mapping[str, Any]], source: str) -> Iterator[dict[str, Any]]:
    """The larger cube errors of analysed matches, one a row, with the score of the player."""
    for record in records:
        if record.get("status") != "analysed":
            continue
        for error in record["found"]["errors"]:
            kind = error["kind"].replace(" ", "_")
            if kind not in KINDS_OF_CUBE_ERRORS:
                continue
            cube, length, scores = _decoded(error["match"])
            if not length:
                continue
            side = error["player"]
            yield {
                "source": source,
                "kind": kind,
                "error": _short(error["error"]),
                "length": length,
                "away": length - scores[side],
                "opponent_away": length - scores[1 - side],
                "cube": cube,
            }


def _decoded(match_id: str) -> tuple[int, int, tuple[int, int]]:
    """Cube, length and scores of GNU Backgammon's match ID."""
    bits = int.from_bytes(base64.b64decode(match_id), "little")
    length, one, two = (bits >> start & 0x7FFF for start in (21, 36, 51))
    return 1 << (bits & 15), length, (one, two)


def _short(value: float) -> str:
    """A number of GNU Backgammon's in single precision, as short as it can be."""
    return str(np.float32(value))


def rows_text(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = COLUMNS) -> str:
    """Rows as CSV; `read_cube_errors` and `read_sizes` read them back."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a file of JSON lines."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def read_cube_errors(path: Path) -> CubeErrors:
    """Read a table of matches, packed or not.

    Raises:
        InputError: It cannot be read, or a row of it is wrong.
        NoGamesError: There is no match.
    """
    rows = _rows(path, COLUMNS)
    if not rows:
        raise NoGamesError("there is no match", file=str(path))

    def column(name: str) -> Floats:
        values = np.array([float(row[name]) for row in rows])
        if not np.isfinite(values).all():
            raise ValueError(f"{name} is not finite")
        return values

    def both(name: str) -> Floats:
        return np.column_stack([column(f"first_{name}"), column(f"second_{name}")])

    def kinds(what: str) -> Floats:
        return np.stack([both(f"{kind}{what}") for kind in KINDS_OF_CUBE_ERRORS], axis=-1)

    try:
        return CubeErrors(
            np.array([row["source"] for row in rows]),
            column("length"),
            np.array([[row["first"], row["second"]] for row in rows]),
            column("won"),
            column("luck_adjusted"),
            *(both(name) for name in ("unforced", "close", "close_2003")),
            *(both(name) for name in ("chequer", "chequer_cost")),
            *(kinds(what) for what in ("_error", "_cost", "s")),
        )
    except (TypeError, ValueError) as error:  # a short row has None
        raise InputError(f"no such number: {error}", file=str(path)) from None


def read_sizes(path: Path) -> list[dict[str, Any]]:
    """Read the larger cube errors: rows of `SIZES`, with numbers as numbers."""
    words = ("source", "kind")
    return [
        {name: row[name] if name in words else float(row[name]) for name in SIZES}
        for row in _rows(path, SIZES)
    ]


def _rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    try:
        text = Source(str(path), path).content().decode("utf-8")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"cannot be read: {error}", file=str(path)) from None
    missing = [name for name in columns if rows and name not in rows[0]]
    if missing:
        raise InputError(f"there is no column {missing[0]!r}", file=str(path))
    return rows
