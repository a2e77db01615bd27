"""Finds patterns in the games of an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yardstone import parallel
from yardstone.arrays import Ints
from yardstone.errors import InputError, UsageError
from yardstone.go.patterns import _match
from yardstone.go.patterns.index import GameIndex, SizeGroup
from yardstone.go.patterns.pattern import Pattern, Placement

#: Words of 64 games that are searched at once.
_WORDS = 64
#: More ways to lie than this would take the memory of the machine.
_MOST_PLACEMENTS = 2_000_000
#: Matches for which there is room at first.
FIRST_ROOM = 1 << 12
#: Matches of a pattern that are kept unless more are asked for.
MOST = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Where a pattern stands: n runs of positions, in the order of the games."""

    game: Ints  #: [n]: numbers of the games in the index.
    #: `first`, `last` [n]: moves played before the first and the last position of the run.
    first: Ints
    last: Ints
    way: Ints  #: [n]: which of `placements`.
    placements: tuple[Placement, ...]  #: The ways in which the pattern can lie.
    total: int  #: Number of all runs, those that were not kept included.

    def __len__(self) -> int:
        """Number of runs that are kept."""
        return len(self.game)


class PlacedPatterns(NamedTuple):
    """How each placement lies: its points, and the columns of the bits that it needs.

    Those of placement k are from starts[k] to starts[k + 1]; `colours` has a bit for each
    colour that a point may have.
    """

    points: NDArray[np.int16]
    colours: NDArray[np.uint8]
    starts: Ints
    columns: NDArray[np.int16]
    column_starts: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Prepared:
    """The placements of all patterns in the form that the compiled search takes."""

    placed: PlacedPatterns
    pattern: Ints
    way: Ints


def find_patterns(
    index: GameIndex,
    patterns: Sequence[Pattern],
    *,
    also: Sequence[Sequence[int]] | None = None,
    most: int = MOST,
) -> list[Matches]:
    """Find every run of positions in which a pattern stands, all patterns at once.

    A pattern is looked for under the eight symmetries of the board, with the colours as
    they are and exchanged, and, where it is loose, on all lines. Captured stones are
    gone: positions are compared as they stood on the board.

    Args:
        also: For each pattern further points that must stay on the board where it is moved.
        most: Runs that are kept of each pattern: the first ones. All are counted.

    Returns:
        One for each pattern, in their order.
    """
    beside: Sequence[Sequence[int]] = [()] * len(patterns) if also is None else also
    ways = [pattern.placements(points) for pattern, points in zip(patterns, beside, strict=True)]
    if sum(map(len, ways)) > _MOST_PLACEMENTS:
        raise UsageError("too many loose patterns at once: search for fewer of them")
    pieces_of: list[list[Ints]] = [[] for _ in patterns]
    totals = np.zeros(len(patterns), np.int64)
    jobs: list[tuple[SizeGroup, _Prepared, int]] = []
    for size in sorted({pattern.size for pattern in patterns}):
        group = index.group(size)
        if group is None:
            continue
        chosen = [k for k, pattern in enumerate(patterns) if pattern.size == size]
        prepared = _prepare(chosen, ways, size)
        jobs += [(group, prepared, first) for first in range(0, len(group.indexed.bits), _WORDS)]
    results = parallel.map(
        partial(_search_share, str(index.path)), jobs, what="searching", threads=True,
        engine="local",
    )  # fmt: skip
    for (group, prepared, _), rows in zip(jobs, results, strict=True):
        numbers = prepared.pattern[rows[:, _match.PLACEMENT]]
        for pattern in np.unique(numbers).tolist():
            own = rows[numbers == pattern]
            room = max(most - int(totals[pattern]), 0)
            totals[pattern] += len(own)
            own = own[:room].copy()
            own[:, _match.GAME] += group.first
            own[:, _match.PLACEMENT] = prepared.way[own[:, _match.PLACEMENT]]
            pieces_of[pattern].append(own)
    matches = []
    for pieces, way, total in zip(pieces_of, ways, totals.tolist(), strict=True):
        rows = np.concatenate([np.empty((0, _match.MATCH), np.int32), *pieces])
        columns = (_match.GAME, _match.FIRST, _match.LAST, _match.PLACEMENT)
        game, first, last, ways_of = (rows[:, k].copy() for k in columns)
        placements = tuple(placement for placement, _ in way)
        matches.append(Matches(game, first, last, ways_of, placements, total))
    return matches


def _prepare(
    chosen: Sequence[int], ways: Sequence[list[tuple[Placement, NDArray[np.uint8]]]], size: int
) -> _Prepared:
    """Put stones first, which come late, then empty points by their distance, soon taken."""
    points, colours, columns, pattern, way = [], [], [], [], []
    lengths, column_lengths = [0], [0]
    for number in chosen:
        for place, (_, board) in enumerate(ways[number]):
            known = np.flatnonzero(board != 7)
            stones = np.isin(board[known], (2, 4))
            row, column = np.divmod(known, size)
            apart = np.abs(row[:, None] - row[stones]) + np.abs(column[:, None] - column[stones])
            order = known[np.argsort(apart.min(axis=1), kind="stable")]
            points.append(order)
            colours.append(board[order])
            white = board[known[stones]] == 4
            columns.append(known[stones] + white * size**2)
            lengths.append(len(order))
            column_lengths.append(int(stones.sum()))
            pattern.append(number)
            way.append(place)
    return _Prepared(
        PlacedPatterns(
            np.concatenate(points).astype(np.int16),
            np.concatenate(colours).astype(np.uint8),
            np.cumsum(lengths).astype(np.int32),
            np.concatenate(columns).astype(np.int16),
            np.cumsum(column_lengths).astype(np.int32),
        ),
        np.array(pattern, np.int32),
        np.array(way, np.int32),
    )


def _search_share(file: str, job: tuple[SizeGroup, _Prepared, int]) -> Ints:
    """Search some words of games; the room for matches grows as it is needed."""
    group, prepared, word = job
    end = min(word + _WORDS, len(group.indexed.bits))
    pieces: list[Ints] = []
    room = np.empty((FIRST_ROOM, _match.MATCH), np.int32)
    while word < end:
        reached, number = _match.search((word, end), group.indexed, prepared.placed, room)
        if reached == _match.DAMAGED:
            raise InputError("this index of games is damaged", file=file, hint="make it again")
        pieces.append(room[:number].copy())
        if reached < end and 2 * number <= len(room):
            room = np.empty((2 * len(room), _match.MATCH), np.int32)
        word = reached
    return np.concatenate(pieces)
