"""Winning statistics: how often the weaker player wins, by grade and difference.

``W(r, d)`` is the share of even games that a player of grade r won against one
of grade r + d, d = 1, 2, ...: the *weaker* player's wins (Kaniuk 2011, section
2). Grades are in zero-shodan units (1 dan = 0, 1 kyu = -1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, NoGamesError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

__all__ = ["WinningStatistics", "even_games", "windows"]


@dataclass(frozen=True, eq=False, repr=False)
class WinningStatistics:
    """Wins of the weaker player and games, by grade and grade difference; frozen.

    Attributes
    ----------
    lowest : int
        Grade of the first row, in zero-shodan units.
    wins, games : float64 arrays (grades, differences)
        Row i is grade ``lowest + i``, column j is difference ``j + 1``.
    label : str
        Where the games come from, for headings.
    """

    lowest: int
    wins: NDArray[np.float64]
    games: NDArray[np.float64]
    label: str = ""

    def __post_init__(self) -> None:
        wins = np.ascontiguousarray(self.wins, np.float64)
        games = np.ascontiguousarray(self.games, np.float64)
        if wins.shape != games.shape or wins.ndim != 2:
            raise InputError("wins and games must be tables of one shape")
        if np.any(wins < 0) or np.any(wins > games):
            raise InputError("there cannot be more wins than games")
        object.__setattr__(self, "wins", wins)
        object.__setattr__(self, "games", games)

    def __repr__(self) -> str:
        label = f" of {self.label}" if self.label else ""
        return f"<WinningStatistics{label}: {self.games.sum():.0f} games>"

    @classmethod
    def from_games(
        cls,
        first: NDArray[np.float64],
        second: NDArray[np.float64],
        first_won: NDArray[np.bool_],
        *,
        lowest: int = -20,
        highest: int = 6,
        differences: int = 4,
        label: str = "",
    ) -> WinningStatistics:
        """Count games, given both grades and whether `first` won.

        Left out are games between equals, beyond `differences`, and with a
        grade outside `lowest` to `highest` (20 kyu to 7 dan) or not whole.
        """
        weaker = np.minimum(first, second)
        difference = np.abs(first - second)
        keep = (
            (weaker >= lowest)
            & (np.maximum(first, second) <= highest)
            & (difference >= 1)
            & (difference <= differences)
            & (first == np.floor(first))
            & (second == np.floor(second))
        )
        row = (weaker[keep] - lowest).astype(np.int64)
        column = difference[keep].astype(np.int64) - 1
        weaker_won = (first_won == (first < second))[keep]
        shape = (highest - lowest + 1, differences)
        games, wins = np.zeros(shape), np.zeros(shape)
        np.add.at(games, (row, column), 1.0)
        np.add.at(wins, (row[weaker_won], column[weaker_won]), 1.0)
        return cls(lowest, wins, games, label)

    @classmethod
    def from_pool(
        cls,
        pool: Pool,
        *,
        lowest: int = -20,
        highest: int = 6,
        differences: int = 4,
        begin: str | np.datetime64 | None = None,
        end: str | np.datetime64 | None = None,
        label: str = "",
    ) -> WinningStatistics:
        """Count the even, decided games of a pool with grades.

        Parameters
        ----------
        pool : Pool
            With columns ``first_grade`` and ``second_grade`` (zero-shodan
            units, NaN if unknown); ``handicap``, if there, must be 0.
        lowest, highest, differences
            As in `from_games`.
        begin, end : date, optional
            First and last day counted; games without a date are then left out.
        """
        keep = even_games(pool)
        for bound, later in ((begin, False), (end, True)):
            if bound is None:
                continue
            if pool.time is None:
                raise UsageError("the games have no dates, so no period can be chosen")
            day = np.datetime64(str(bound)).astype("datetime64[D]")
            keep &= pool.time < day + 1 if later else pool.time >= day
        return cls.from_games(
            np.asarray(pool.columns["first_grade"], np.float64)[keep],
            np.asarray(pool.columns["second_grade"], np.float64)[keep],
            pool.score[keep] == 1.0,
            lowest=lowest,
            highest=highest,
            differences=differences,
            label=label,
        )

    @property
    def grades(self) -> NDArray[np.int64]:
        """Grade of each row."""
        return self.lowest + np.arange(len(self.games))

    @property
    def differences(self) -> NDArray[np.int64]:
        """Difference of each column: 1, 2, ..."""
        return 1 + np.arange(self.games.shape[1])

    def ratio(self) -> NDArray[np.float64]:
        """W(r, d); NaN where there is no game."""
        with np.errstate(invalid="ignore"):
            return self.wins / np.where(self.games > 0, self.games, np.nan)

    def standard_error(self) -> NDArray[np.float64]:
        """Binomial standard error of each ratio, from counts with one of each added."""
        share = (self.wins + 1.0) / (self.games + 2.0)
        return np.where(self.games > 0, np.sqrt(share * (1 - share) / (self.games + 2.0)), np.nan)

    def extended(self) -> NDArray[np.float64]:
        """Probability of a win for d = -D .. D by equation 1; column D is d = 0.

        ``P(r, r + d) = W(r, d)``, ``P(r, r - d) = 1 - W(r - d, d)`` and
        ``P(r, r) = 0.5``; NaN where nothing is known.
        """
        rows, most = self.games.shape
        ratio = self.ratio()
        table = np.full((rows, 2 * most + 1), np.nan)
        table[:, most] = 0.5
        table[:, most + 1 :] = ratio
        for d in range(1, most + 1):
            table[d:, most - d] = 1.0 - ratio[: rows - d, d - 1]
        return table

    def weights(self, *, skip_lowest: bool = True) -> NDArray[np.float64]:
        """Weight of each grade in the published fit (Kaniuk 2011, section 4).

        The games of all grades from the lowest up to this one, divided by the
        largest such sum. With `skip_lowest`, the first row (20 kyu, where
        players below 20 kyu stand too) counts nothing and weighs nothing.
        """
        games = self.games.sum(axis=1)
        if skip_lowest:
            games = games.copy()
            games[0] = 0.0
        total = np.cumsum(games)
        if not total[-1] > 0:
            raise NoGamesError("no game to weigh the grades by")
        weights: NDArray[np.float64] = total / total[-1]
        return weights

    def __add__(self, other: WinningStatistics) -> WinningStatistics:
        if self.lowest != other.lowest or self.games.shape != other.games.shape:
            raise UsageError("only statistics of the same grades and differences can be added")
        return WinningStatistics(self.lowest, self.wins + other.wins, self.games + other.games)

    def resampled(self, rng: np.random.Generator) -> WinningStatistics:
        """The same number of games drawn with replacement from these."""
        cells = np.concatenate([self.wins.ravel(), (self.games - self.wins).ravel()])
        total = cells.sum()
        drawn = rng.multinomial(round(float(total)), cells / total).astype(np.float64)
        wins, losses = drawn.reshape(2, *self.games.shape)
        return WinningStatistics(self.lowest, wins, wins + losses, self.label)


def even_games(pool: Pool) -> NDArray[np.bool_]:
    """Which games are even, decided, and between players of known grades."""
    for name in ("first_grade", "second_grade"):
        if name not in pool.columns:
            raise InputError(
                f"the games have no column {name!r}",
                hint="grades such as 4k or 2d of both players are needed",
            )
    known = np.isfinite(np.asarray(pool.columns["first_grade"], np.float64)) & np.isfinite(
        np.asarray(pool.columns["second_grade"], np.float64)
    )
    keep: NDArray[np.bool_] = known & (pool.score != 0.5)
    if "handicap" in pool.columns:
        keep &= np.asarray(pool.columns["handicap"], np.float64) == 0
    return keep


def windows(
    pool: Pool,
    *,
    years: int = 5,
    first_end: int | None = None,
    last_end: int | None = None,
    lowest: int = -20,
    highest: int = 6,
    differences: int = 4,
) -> Iterator[tuple[int, WinningStatistics]]:
    """Statistics over a moving window of whole years (Kaniuk 2011, section 5).

    Yields
    ------
    year, statistics
        The window ends on 31 December of `year` and begins on 1 January
        `years` years earlier, so that it holds `years` calendar years.
    """
    if years < 1:
        raise UsageError("a window holds at least one year")
    if pool.time is None or np.all(np.isnat(pool.time)):
        raise UsageError("the games have no dates, so no window can move over them")
    played = pool.time[~np.isnat(pool.time)].astype("datetime64[Y]").astype(np.int64) + 1970
    earliest = int(played.min()) + years - 1
    for year in range(first_end or earliest, (last_end or int(played.max())) + 1):
        yield (
            year,
            WinningStatistics.from_pool(
                pool,
                lowest=lowest,
                highest=highest,
                differences=differences,
                begin=f"{year - years + 1:04d}-01-01",
                end=f"{year:04d}-12-31",
                label=f"{year - years + 1} to {year}",
            ),
        )
