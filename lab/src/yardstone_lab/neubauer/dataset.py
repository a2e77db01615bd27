"""What models from moves learn from and are asked about: sets of moves with labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone_lab.neubauer.recent_moves import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Integers = NDArray[np.int64]

__all__ = ["Labelled", "MoveSets"]

#: So many features are added up at a time.
_COLUMNS = 16


@dataclass(frozen=True, eq=False)
class MoveSets:
    """The recent moves of both players of each of g games.

    Attributes
    ----------
    features : float16 or float32 array [moves, width]
        Features of moves, perhaps mapped from disk.
    rows : int64 [k]
        Rows of `features`, of one side after the other, the oldest move first.
    starts : int64 [2 * g + 1]
        Side s (0 Black, 1 White) of game i has the rows
        ``rows[starts[2 * i + s]:starts[2 * i + s + 1]]``.
    """

    features: NDArray[Any]
    rows: Integers
    starts: Integers

    def __post_init__(self) -> None:
        """Refuse arrays that do not go together."""
        if self.features.ndim != 2:
            raise InputError(f"features have the shape {self.features.shape}, not [moves, width]")
        if len(self.starts) % 2 != 1 or self.starts[0] != 0 or self.starts[-1] != len(self.rows):
            raise InputError("the starts of the sides do not go with the rows")
        if (np.diff(self.starts) < 0).any():
            raise InputError("a side has fewer than no moves")
        if len(self.rows) and not 0 <= self.rows.min() <= self.rows.max() < len(self.features):
            raise InputError(f"a row lies outside the {len(self.features)} moves with features")

    def __len__(self) -> int:
        """Number of games."""
        return len(self.starts) // 2

    @property
    def width(self) -> int:
        """Features of a move."""
        return int(self.features.shape[1])

    def lengths(self) -> Integers:
        """Number of moves of each side, Black's and White's of the first game first: [2 * g]."""
        return np.diff(self.starts)

    def padded(
        self, sides: NDArray[np.integer[Any]], window: int | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """The moves of some sides as one array.

        Parameters
        ----------
        sides : int array [b]
            Twice the number of the game, plus 1 for White's side.
        window : int, optional
            Only the last so many moves of each.

        Returns
        -------
        features : float32 [b, n, width]
            n is the number of moves of the longest side, 1 if none has a move; what
            stands after a side's moves is 0.
        present : bool [b, n]
            True where there is a move.
        """
        start, stop = self.starts[sides], self.starts[np.asarray(sides) + 1]
        if window is not None:
            if window < 1:
                raise UsageError(f"a window has at least 1 move, not {window}")
            start = np.maximum(start, stop - window)
        length = stop - start
        longest = max(int(length.max(initial=0)), 1)
        present = np.arange(longest) < length[:, None]
        table = np.zeros((len(length), longest, self.width), np.float32)
        table[present] = self.features[self.rows[ranges(start, length)]]
        return table, present

    def means(self, window: int | None = None) -> Array:
        """Mean features of each side, 0 for one without moves: [2 * g, width]."""
        start, stop = self.starts[:-1], self.starts[1:]
        if window is not None:
            start = np.maximum(start, stop - window)
        length = stop - start
        sums = np.empty((len(length), self.width))
        from scipy.sparse import csr_matrix

        taken = self.rows[ranges(start, length)]
        used, place = np.unique(taken, return_inverse=True)
        ends = np.concatenate([[0], np.cumsum(length)])
        ones = np.ones(len(taken))
        adding = csr_matrix((ones, place.ravel(), ends), shape=(len(length), len(used)))
        for begin in range(0, self.width, _COLUMNS):
            block = slice(begin, begin + _COLUMNS)
            sums[:, block] = adding @ self.features[used, block].astype(np.float64)
        average: Array = sums / np.maximum(length, 1)[:, None]
        return average

    def select(self, games: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> MoveSets:
        """The sets of some games."""
        chosen = np.asarray(games)
        if chosen.dtype == np.bool_:
            chosen = np.flatnonzero(chosen)
        sides = (2 * chosen[:, None] + np.array([0, 1])).ravel().astype(np.int64)
        length = self.lengths()[sides]
        rows = self.rows[ranges(self.starts[sides], length)]
        return MoveSets(self.features, rows, np.concatenate([[0], np.cumsum(length)]))

    def compact(self) -> MoveSets:
        """The same with only the features that are used, in memory."""
        used, rows = np.unique(self.rows, return_inverse=True)
        return MoveSets(np.ascontiguousarray(self.features[used]), rows.ravel(), self.starts)


@dataclass(frozen=True, eq=False)
class Labelled:
    """Games with the recent moves, the score, and the rating labels of both players.

    Attributes
    ----------
    moves : MoveSets
    score : float32 [g]
        Points of Black: 1, 0.5 or 0.
    labels : float64 [g, 2]
        Rating labels of Black and of White: Glicko-2 points, unless `normalised`.
    """

    moves: MoveSets
    score: NDArray[np.float32]
    labels: Array

    def __post_init__(self) -> None:
        """Refuse arrays that do not go together."""
        games = len(self.moves)
        if self.score.shape != (games,) or self.labels.shape != (games, 2):
            raise InputError(
                f"scores {self.score.shape} and labels {self.labels.shape} "
                f"do not go with the moves of {games} games"
            )

    def __len__(self) -> int:
        """Number of games."""
        return len(self.score)

    def normalisation(self) -> tuple[float, float]:
        """Mean and standard deviation of the labels (Neubauer 2024, section 4.7.1)."""
        if len(self) < 1:
            raise UsageError("it takes two labels to normalise by")
        return float(self.labels.mean()), float(self.labels.std(ddof=1))

    def normalised(self, mean: float, deviation: float) -> Labelled:
        """The same with labels less `mean`, over `deviation`."""
        if not deviation > 0.0:
            raise UsageError(f"labels cannot be divided by a deviation of {deviation:g}")
        return replace(self, labels=(self.labels - mean) / deviation)

    def select(self, games: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> Labelled:
        """Some of the games."""
        return Labelled(self.moves.select(games), self.score[games], self.labels[games])

    @staticmethod
    def joined(parts: Sequence[Labelled]) -> Labelled:
        """Several of the same features as one."""
        first = parts[0].moves.features
        if any(part.moves.features is not first for part in parts):
            raise UsageError("sets of moves can be joined if they share their features")
        starts = [np.zeros(1, np.int64)]
        for part in parts:
            starts.append(part.moves.starts[1:] + starts[-1][-1])
        moves = MoveSets(
            first,
            np.concatenate([part.moves.rows for part in parts]),
            np.concatenate(starts),
        )
        return Labelled(
            moves,
            np.concatenate([part.score for part in parts]),
            np.concatenate([part.labels for part in parts]),
        )
