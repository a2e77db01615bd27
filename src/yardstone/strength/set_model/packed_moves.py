"""Sets of moves in memory: each move once, and which moves each set has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

__all__ = ["MovesLike", "PackedMoves", "alike", "pack"]

#: Rows that are read from disk at once.
_READ = 1 << 16


class MovesLike(Protocol):
    """Sets of moves that may lie on disk."""

    @property
    def features(self) -> Any:
        """Rows of features, float16 or float32 [moves, channels]; may lie on disk."""

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows of all sets, one set after the other, oldest first."""

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each set begins in `rows`, and the end of the last."""


@dataclass(frozen=True, eq=False)
class PackedMoves:
    """Sets of moves in memory; frozen.

    Attributes
    ----------
    features : float16 or float32 [moves, channels]
        Of all moves that occur in a set.
    rows : int64 [k]
        Moves of the sets, one set after the other, oldest first.
    starts : int64 [sets + 1]
        Where each set begins in `rows`, and the end of the last.
    """

    features: NDArray[np.floating[Any]]
    rows: Ints
    starts: Ints

    def __len__(self) -> int:
        """Number of sets."""
        return len(self.starts) - 1

    @property
    def channels(self) -> int:
        """Features of a move."""
        return int(self.features.shape[1])

    def lengths(self) -> Ints:
        """Moves of each set."""
        return np.diff(self.starts)

    def indices(
        self, sets: Ints, *, sample: int = 0, generator: Generator | None = None
    ) -> tuple[Ints, NDArray[np.bool_] | None]:
        """Rows of `features` of some sets, side by side, the shorter ones filled up.

        Parameters
        ----------
        sets : int64 [b]
        sample : int
            Take at most so many moves of each, chosen by `generator`; 0 for all.

        Returns
        -------
        int64 [b, n]
            n is the longest length, at least 1; what is no move points at row 0.
        bool [b, n] or None
            True where there is a move; None if there is one everywhere.
        """
        lengths = self.starts[sets + 1] - self.starts[sets]
        if sample and generator is not None and lengths.max(initial=0) > sample:
            return self._sampled(sets, lengths, sample, generator)
        places = np.arange(max(int(lengths.max(initial=0)), 1))
        there = places < lengths[:, None]
        positions = np.where(there, self.starts[sets][:, None] + places, 0)
        moves = self.rows[positions] if len(self.rows) else np.zeros_like(positions)
        if there.all():
            return moves, None
        return np.where(there, moves, 0), there

    def _sampled(
        self, sets: Ints, lengths: Ints, sample: int, generator: Generator
    ) -> tuple[Ints, NDArray[np.bool_] | None]:
        places = np.zeros((len(sets), sample), np.int64)
        there = np.zeros((len(sets), sample), np.bool_)
        for place, (which, length) in enumerate(zip(sets, lengths, strict=True)):
            rows = self.rows[self.starts[which] : self.starts[which + 1]]
            if length > sample:
                rows = rows[generator.choice(length, sample, replace=False)]
            places[place, : len(rows)] = rows
            there[place, : len(rows)] = True
        return places, None if there.all() else there

    def moments(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Mean and deviation of each feature over the moves; a deviation of 0 becomes 1."""
        total = np.zeros(self.channels)
        square = np.zeros(self.channels)
        for first in range(0, len(self.features), _READ):
            part = self.features[first : first + _READ].astype(np.float64)
            total += part.sum(0)
            square += np.square(part).sum(0)
        number = max(len(self.features), 1)
        mean = total / number
        deviation = np.sqrt(np.maximum(square / number - np.square(mean), 0))
        deviation[deviation < 1e-6] = 1
        return mean.astype(np.float32), deviation.astype(np.float32)


def pack(moves: MovesLike, window: int | None = None) -> PackedMoves:
    """Bring sets of moves into memory, each move once, in the precision that they have.

    Parameters
    ----------
    moves : MoveSets
    window : int, optional
        Keep only so many moves of each set, the latest ones.

    Notes
    -----
    A feature that is not a number (a move that the rules forbid has no policy) is 0.
    """
    starts = np.asarray(moves.starts, np.int64)
    rows = np.asarray(moves.rows, np.int64)
    if window is not None:
        lengths = np.diff(starts)
        kept = np.minimum(lengths, window)
        drop = np.repeat(lengths - kept, lengths)
        rows = rows[np.arange(len(rows)) - np.repeat(starts[:-1], lengths) >= drop]
        starts = np.concatenate([[0], np.cumsum(kept)])
    used, place = np.unique(rows, return_inverse=True)
    source = moves.features
    kind = np.float16 if source.dtype == np.float16 else np.float32
    features = np.empty((len(used), source.shape[1]), kind)
    for first in range(0, len(used), _READ):
        part = np.asarray(source[used[first : first + _READ]])
        features[first : first + len(part)] = np.nan_to_num(part, nan=0.0)
    return PackedMoves(features, place.astype(np.int64), starts)


def alike(lengths: Ints, moves: int) -> Iterator[Ints]:
    """Split sets, or games, into groups of like length so that little is filled up.

    Parameters
    ----------
    lengths : int64 [n] or [n, k]
        Moves of each set, or of each of the k sets that must stay together.
    moves : int
        A group has at most so many places for moves, but at least one row.

    Yields
    ------
    int64 [b]
        Row numbers; together all rows, the shortest first.
    """
    width = 1 if lengths.ndim == 1 else lengths.shape[1]
    longest = lengths if lengths.ndim == 1 else lengths.max(1)
    order = np.argsort(longest, kind="stable")
    first = 0
    while first < len(order):
        last = first + 1
        while last < len(order) and (last + 1 - first) * width * longest[order[last]] <= moves:
            last += 1
        yield order[first:last]
        first = last
