"""Which games of a match belong together: those of one opening, once with each side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Manner", "find_pairing", "grouped", "rank_within"]

Manner: TypeAlias = Literal["columns", "round", "position", "order", "none"]

#: What a tag says where it says nothing.
_UNKNOWN = {"", "?", "-"}


def find_pairing(
    columns: Mapping[str, NDArray[Any]], moved: NDArray[np.bool_]
) -> tuple[Manner, tuple[str, ...], NDArray[np.int64] | None]:
    """How games can be paired, the surest way first; see `yardstone.pentanomial`.

    Parameters
    ----------
    columns : mapping of str to arrays
        What is known of the games, in their order.
    moved : bool array
        Whether the first player moved first.

    Returns
    -------
    manner : str
    by : tuple of str
        Columns in which the games of a pair agree.
    group : int64 array or None
        Equal numbers where games belong together; None where the columns say it.
    """
    named = {name.casefold(): name for name in reversed(list(columns))}
    event = [named["event"]] if "event" in named else []
    positions = _column(columns, named.get("fen"))
    rounds = _column(columns, named.get("round"))
    if rounds is not None:
        group = grouped([*(columns[name] for name in event), rounds], len(moved))
        if _swapped_once(group, moved) and _alike(group, positions):
            return "round", (*event, named["round"]), group
    if positions is not None:
        group = grouped([*(columns[name] for name in event), positions], len(moved))
        if _mostly_paired(group, moved):
            return "position", (*event, named["fen"]), group
    group = _each_two(grouped([columns[name] for name in event], len(moved)))
    if _swapped_once(group, moved) and _alike(group, positions):
        return "order", tuple(event), group
    return "none", (), None


def grouped(columns: Sequence[NDArray[Any]], games: int) -> NDArray[np.int64]:
    """Equal numbers for games that agree in all columns."""
    group = np.zeros(games, np.int64)
    for column in columns:
        values, code = np.unique(column, return_inverse=True)
        _, group = np.unique(group * len(values) + code, return_inverse=True)
    return group.astype(np.int64)


def _column(columns: Mapping[str, NDArray[Any]], name: str | None) -> NDArray[Any] | None:
    """A column that says something of every game."""
    if name is None:
        return None
    column = columns[name]
    if column.dtype.kind == "f":
        return None if np.isnan(column).any() else column
    if column.dtype.kind in "iub":
        return column
    return None if {str(value) for value in column.tolist()} & _UNKNOWN else column


def _swapped_once(group: NDArray[np.int64], moved: NDArray[np.bool_]) -> bool:
    """Whether groups have two games at most, some have two, and those have sides swapped."""
    sizes = np.bincount(group)
    first = np.bincount(group, moved)
    return bool(sizes.max() == 2 and (first[sizes == 2] == 1).all())


def _mostly_paired(group: NDArray[np.int64], moved: NDArray[np.bool_]) -> bool:
    first = np.bincount(group, moved)
    return bool(4 * np.minimum(first, np.bincount(group) - first).sum() >= len(moved))


def _alike(group: NDArray[np.int64], positions: NDArray[Any] | None) -> bool:
    """Whether the games of each group begin from one position, as far as that is known."""
    if positions is None:
        return True
    return bool(grouped([group, positions], len(group)).max() == group.max())


def _each_two(group: NDArray[np.int64]) -> NDArray[np.int64]:
    """Numbers of each two games that follow one another within their group."""
    return grouped([group, rank_within(group) // 2], len(group))


def rank_within(group: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many of its own group came before each; groups are numbers from 0."""
    order = np.argsort(group, kind="stable")
    start = np.flatnonzero(np.diff(group[order], prepend=-1))
    rank = np.empty(len(group), np.int64)
    rank[order] = np.arange(len(group)) - np.repeat(start, np.diff(np.append(start, len(group))))
    return rank
