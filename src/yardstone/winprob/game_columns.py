"""Decided games between grades, one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError
from yardstone.winprob.head_start import usual_komi
from yardstone.winprob.likelihood import GradedGames

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

    Array = NDArray[np.float64]

__all__ = ["GameColumns", "between_grades"]


@dataclass(frozen=True, eq=False)
class GameColumns:
    """Decided games one by one, with what a fold may be made of.

    Attributes
    ----------
    first, second, handicap, komi : float64 arrays
        As in `GradedGames`.
    first_won : bool array
        Results.
    group : int array
        Games of equal number stay in one fold (a tournament, for example).
    """

    first: Array
    second: Array
    handicap: Array
    komi: Array
    first_won: NDArray[np.bool_]
    group: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def from_pool(
        cls, pool: Pool, *, group: str | None = None, lowest: float = -30.0, highest: float = 8.0
    ) -> GameColumns:
        """Decided games between players of known grades.

        Parameters
        ----------
        pool : Pool
            With ``first_grade``, ``second_grade`` and, where known,
            ``handicap`` and ``komi``; files name the komi of the even games beside
            handicap games too, so those count as without.
        group : str, optional
            Column whose values make the groups; none makes every game its own.
        lowest, highest : float
            Grades outside (30 kyu to 9 dan) are left out as no real grades.
        """
        if group is not None and group not in pool.columns:
            raise InputError(f"the games have no column {group!r}")
        keep = between_grades(pool, lowest=lowest, highest=highest)
        size = len(pool)
        first, second = (
            np.asarray(pool.columns[name], np.float64) for name in ("first_grade", "second_grade")
        )
        handicap = np.asarray(pool.columns.get("handicap", np.zeros(size)), np.float64)
        komi = np.asarray(pool.columns.get("komi", np.full(size, np.nan)), np.float64)
        komi = np.where((handicap > 0) | ~np.isfinite(komi), usual_komi(handicap), komi)
        number = np.arange(size)
        if group is not None:
            number = np.unique(pool.columns[group], return_inverse=True)[1].ravel()
        return cls(first, second, handicap, komi, pool.score == 1.0, number).select(keep)

    def select(self, keep: NDArray[np.bool_]) -> GameColumns:
        """Only the games where `keep` is true."""
        return GameColumns(
            self.first[keep],
            self.second[keep],
            self.handicap[keep],
            self.komi[keep],
            self.first_won[keep],
            self.group[keep],
        )

    def graded(self, weight: Array | None = None) -> GradedGames:
        """The games added up; with weights each counts as so many."""
        return GradedGames.from_columns(
            self.first, self.second, self.first_won, self.handicap, self.komi, weight
        )

    def group_weights(self, most: float) -> Array:
        """Weights under which a group of n games counts as ``n / (1 + n / most)``.

        Those of games whose results correlate by 1 / `most` within a group: no group, however
        large, counts as more than `most` independent games.
        """
        _, number, size = np.unique(self.group, return_inverse=True, return_counts=True)
        return np.asarray(1.0 / (1.0 + size[number.ravel()] / most), np.float64)


def between_grades(pool: Pool, *, lowest: float = -30.0, highest: float = 8.0) -> NDArray[np.bool_]:
    """Which games are decided, and between players of known grades.

    Raises
    ------
    InputError
        The games have no grades.
    """
    for name in ("first_grade", "second_grade"):
        if name not in pool.columns:
            raise InputError(f"the games have no column {name!r}")
    first, second = (
        np.asarray(pool.columns[name], np.float64) for name in ("first_grade", "second_grade")
    )
    handicap = np.asarray(pool.columns.get("handicap", np.zeros(len(pool))), np.float64)
    known = (np.minimum(first, second) >= lowest) & (np.maximum(first, second) <= highest)
    return np.asarray(known & (pool.score != 0.5) & (handicap >= 0))
