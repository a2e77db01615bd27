"""Strengths over time: what whole-history rating finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError
from yardstone.ratings.result import Estimate, Ratings

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Curve", "WholeHistoryRatings"]

_NONE, _UNKNOWN = Estimate(0.0), Estimate(float("nan"))


@dataclass(frozen=True, eq=False)
class Curve:
    """One player's ratings over time.

    Attributes
    ----------
    time : datetime64[s] array, or float64 array without times
        Days on which he played (without times: the numbers of his games).
    rating, deviation : float64 arrays
        The rating of each day, from all games before and after it, and its deviation.
    """

    time: NDArray[Any]
    rating: NDArray[np.float64]
    deviation: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True, eq=False, repr=False)
class WholeHistoryRatings(Ratings):
    """Ratings of all players on all days on which they played; frozen.

    `rating` and `deviation` are those of each player's last day; NaN for a player
    without games.

    Attributes
    ----------
    start : int64 array (players + 1,)
        Where each player's days begin in the next three.
    time, day_rating, day_deviation : arrays
        All days of all players, as in `Curve`.
    component : int32 array (players,)
        Players of equal number are joined by games, 0 the largest such group, -1
        without games. Different groups share a scale only through the prior.
    first_advantage, draw_rate : Estimate
        Rating points for moving first; draw rate of equal opponents (NaN where draws
        count as half a win).
    w2 : float
        The drift: variance a day, in squared points.
    average, prior_deviation : float
        Where the prior of each player's first day lies, and how wide it is.
    reference : str
        What the deviations are relative to: ``"mean"``, ``"prior"``, or ``"others"``
        for deviations that take all other players' strengths for known.
    log_posterior : float
        Logarithm of the posterior density at the ratings, up to a constant.
    converged_in : int
        Newton steps taken.
    notes : tuple of str
        Plain statements that a reader of the ratings must know.
    """

    start: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    time: NDArray[Any] = field(default_factory=lambda: np.zeros(0))
    day_rating: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    day_deviation: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    component: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    first_advantage: Estimate = _NONE
    draw_rate: Estimate = _UNKNOWN
    w2: float = 0.0
    average: float = 0.0
    prior_deviation: float = 0.0
    reference: str = "mean"
    log_posterior: float = 0.0
    converged_in: int = 0
    notes: Sequence[str] = ()

    def curve(self, player: str) -> Curve:
        """The history of a player; InputError if there is none of that name."""
        row = self.index(player)
        days = slice(self.start[row], self.start[row + 1])
        return Curve(self.time[days], self.day_rating[days], self.day_deviation[days])

    def at(self, time: np.datetime64 | str | float) -> Ratings:
        """Ratings at any moment, with what was known at the end.

        On a day of play those of that day. Between two such days the rating goes
        straight from one to the other and the variance has the drift's bridge on top;
        after the last day the variance grows by the drift, before the first one too
        (never beyond the prior's). Players without games get the prior.
        """
        dated = self.time.dtype.kind == "M"
        try:
            moment = np.datetime64(str(time), "s") if dated else float(time)
        except (TypeError, ValueError):
            raise InputError(f"{time!r} is not a date or time") from None
        days = self.time.astype(np.int64) / 86_400.0 if dated else self.time.astype(np.float64)
        now = float(np.asarray(moment).astype(np.int64)) / 86_400.0 if dated else float(moment)
        rating = np.full(len(self), self.average)
        deviation = np.full(len(self), self.prior_deviation)
        for row in range(len(self)):
            low, high = int(self.start[row]), int(self.start[row + 1])
            if low < high:
                rating[row], deviation[row] = self._between(days, low, high, now)
        return Ratings(self.players, rating, deviation, self.scale)

    def _between(
        self, days: NDArray[np.float64], low: int, high: int, now: float
    ) -> tuple[float, float]:
        after = low + int(np.searchsorted(days[low:high], now))
        rating, deviation = self.day_rating, self.day_deviation
        if after < high and days[after] == now:
            return float(rating[after]), float(deviation[after])
        if low < after < high:
            length = days[after] - days[after - 1]
            share = (now - days[after - 1]) / length
            middle = (1.0 - share) * rating[after - 1] + share * rating[after]
            variance = (1.0 - share) * deviation[after - 1] ** 2 + share * deviation[after] ** 2
            variance += self.w2 * length * share * (1.0 - share)
            return float(middle), float(np.sqrt(variance))
        edge = low if after == low else high - 1
        variance = deviation[edge] ** 2 + self.w2 * abs(now - days[edge])
        if after == low:
            variance = min(variance, max(deviation[edge], self.prior_deviation) ** 2)
        return float(rating[edge]), float(np.sqrt(variance))
