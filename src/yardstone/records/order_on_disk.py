"""Games on disk put in order of time, by pieces that fit in memory.

The times of a sample tell where games are cut in parts; every game is written to its part,
in the order given, and each part is sorted by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.disk import CodedTexts, column_on_disk, column_part, let_go, pieces, taken

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["dated_columns", "distributed", "sorted_columns", "time_rises"]

#: Games that are sorted together; a sample of so many times a part says where parts are cut.
_PART, _SAMPLED = 1 << 20, 64


def dated_columns(columns: Mapping[str, Any], games: int) -> dict[str, Any]:
    """The columns without the games whose time is unknown."""
    kept = {name: _room(column, games) for name, column in columns.items()}
    end = 0
    for at in pieces(len(columns["time"])):
        known = ~np.isnat(taken(columns["time"], at))
        begin, end = end, end + int(known.sum())
        for name, column in columns.items():
            _plain(kept[name])[begin:end] = taken(_plain(column), at)[known]
            let_go(_plain(kept[name]))
    return kept


def _plain(column: Any) -> Any:
    """The numbers of a column."""
    return column.code if isinstance(column, CodedTexts) else column


def _room(column: Any, games: int) -> Any:
    """A column of the same kind for so many games."""
    room = column_on_disk(games, _plain(column).dtype)
    return CodedTexts(room, column.texts) if isinstance(column, CodedTexts) else room


def time_rises(time: NDArray[np.datetime64]) -> bool:
    """Whether no game is earlier than the one before it."""
    last = time[:1]
    for at in pieces(len(time)):
        here = np.concatenate([last, taken(time, at)])
        if (here[1:] < here[:-1]).any():
            return False
        last = here[-1:]
    return True


def sorted_columns(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns in order of time, equal times in the order given."""
    time = _plain(columns["time"])
    edges = _edges(time)
    part_of = partial(_part_of, time, edges)
    result, end = distributed(columns, part_of, len(edges) + 1)
    size = np.diff(end, prepend=0)
    for number in np.flatnonzero(size > 1):
        if 0 < number < len(edges) and edges[number] - edges[number - 1] == 1:
            continue  # games of one moment stand as they came
        _sort_part(result, slice(int(end[number] - size[number]), int(end[number])))
    return result


def distributed(
    columns: Mapping[str, Any], part_of: Callable[[slice], NDArray[np.integer]], parts: int
) -> tuple[dict[str, Any], NDArray[np.int64]]:
    """The columns with the games of each part together, and where each part ends.

    `part_of` gives the parts of some games; within a part the games stand as they came.
    """
    games = len(next(iter(columns.values())))
    result = {name: _room(column, games) for name, column in columns.items()}
    size = np.zeros(parts, np.int64)
    for at in pieces(games, _PART):
        size += np.bincount(part_of(at), minlength=parts)
    end = np.cumsum(size)
    cursor = end - size
    for at in pieces(games, _PART):
        part = part_of(at)
        order = np.argsort(part, kind="stable")
        here = np.bincount(part, minlength=len(size))
        stop = np.cumsum(here)
        for name, column in columns.items():
            values, target = taken(_plain(column), at)[order], _plain(result[name])
            for number in np.flatnonzero(here):
                begin = cursor[number]
                target[begin : begin + here[number]] = values[
                    stop[number] - here[number] : stop[number]
                ]
            let_go(target)
        cursor += here
    return result, end


def _edges(time: NDArray[np.datetime64]) -> NDArray[np.int64]:
    """Moments that cut games in parts of about `_PART`, frequent moments by themselves."""
    number = -(-len(time) // _PART)
    sample = np.sort(np.array(time[:: max(len(time) // (_SAMPLED * number), 1)]).astype(np.int64))
    let_go(time)
    cuts = sample[_SAMPLED::_SAMPLED] if number > 1 else sample[:0]
    return np.unique(np.concatenate([cuts, cuts + 1]))


def _part_of(
    time: NDArray[np.datetime64], edges: NDArray[np.int64], at: slice
) -> NDArray[np.integer]:
    part = np.searchsorted(edges, taken(time, at).astype(np.int64), side="right")
    return np.asarray(part, np.int16 if len(edges) < 1 << 15 else np.int32)


def _sort_part(columns: Mapping[str, Any], at: slice) -> None:
    """Sort some of the games, in place."""
    if at.stop - at.start > 4 * _PART:  # the sample was unlucky
        part = {name: column_part(column, at) for name, column in columns.items()}
        for name, column in sorted_columns(part).items():
            for here in pieces(len(column)):
                _plain(part[name])[here] = taken(_plain(column), here)
        return
    time = taken(_plain(columns["time"]), at)
    order = np.argsort(time, kind="stable")
    for column in columns.values():
        values = _plain(column)
        values[at] = taken(values, at)[order]
        let_go(values)
