"""The games of a pool as rows with the names of their players, for whoever writes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.records.column_roles import has_role
from yardstone.records.decoding import clean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

__all__ = ["PIECE", "column_name", "column_types", "games_of"]

#: Games handed over at once.
PIECE = 4096
_SQL = {"i": "BIGINT", "u": "BIGINT", "f": "DOUBLE", "b": "BOOLEAN", "M": "TIMESTAMP"}


def games_of(pool: Pool) -> Iterator[dict[str, Any]]:
    """Each game as a dictionary; None where nothing is known."""
    names = [clean(name) for name in pool.players]
    for start in range(0, len(pool), PIECE):
        part = slice(start, start + PIECE)
        columns = [_plain(column[part]) for column in pool.columns.values()]
        times = None if pool.time is None else [_moment(t) for t in pool.time[part]]
        sides = zip(
            pool.first[part].tolist(),
            pool.second[part].tolist(),
            pool.score[part].tolist(),
            strict=True,
        )
        for row, (first, second, score) in enumerate(sides):
            game: dict[str, Any] = {
                "first": names[first],
                "second": names[second],
                "score": int(score) if score != 0.5 else score,
            }
            if times is not None:
                game["time"] = times[row]
            for name, column in zip(pool.columns, columns, strict=True):
                game[column_name(name)] = column[row]
            yield game


def column_name(name: str) -> str:
    """A further column's name; one that would be taken for players or result gets another."""
    return f"written_{name}" if has_role(name) else name


def column_types(pool: Pool) -> dict[str, str]:
    """The columns of such rows with their types in SQL."""
    types = {"first": "VARCHAR", "second": "VARCHAR", "score": "DOUBLE"}
    if pool.time is not None:
        types["time"] = "TIMESTAMP"
    for name, column in pool.columns.items():
        types[column_name(name)] = _SQL.get(column.dtype.kind, "VARCHAR")
    return types


def _plain(column: NDArray[Any]) -> list[Any]:
    if column.dtype.kind == "M":
        return [_moment(value) for value in column]
    if column.dtype.kind == "f":
        return [None if np.isnan(value) else value for value in column.tolist()]
    values: list[Any] = column.tolist()
    if column.dtype.kind in "iub":
        return values
    return [value or None for value in values]


def _moment(time: np.datetime64) -> str | None:
    if np.isnat(time):
        return None
    return str(time.astype("datetime64[s]")).removesuffix("T00:00:00")
