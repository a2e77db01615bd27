"""Glicko: Elo with a deviation that says how far a rating can be trusted.

Glickman 1995, "The Glicko system"; 1999, "Parameter estimation in large dynamic
paired comparison experiments". Equations are those of the former.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.choices import check_fields
from yardstone.errors import UsageError
from yardstone.ratings.schedule import Period, check_period
from yardstone.ratings.sequential import Games, Predictions, Sequential
from yardstone.winprob.logistic import ELO_POINTS_PER_LOGIT, logistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.ratings.handicap import Handicap
    from yardstone.ratings.sequential import Arrays
    from yardstone.ratings.state import State

__all__ = ["Glicko"]

_Q = 1.0 / ELO_POINTS_PER_LOGIT


@dataclass(frozen=True, kw_only=True)
class Glicko(Sequential):
    """Glickman's Glicko.

    Parameters
    ----------
    initial, initial_deviation : float
        Rating and deviation of a newcomer.
    drift : float
        The paper's c: after t periods without games a deviation RD has grown to
        sqrt(RD^2 + c^2 t), at most to `initial_deviation`. 34.6 takes a deviation of 50
        back to 350 in 100 periods.
    min_deviation : float
        No deviation falls below this, so that ratings go on moving (Glickman: 30).
    period : {"game", "day", "week", "month", "quarter", "year", "event"} or float
        The rating period: one game, a part of the calendar, so many days, or the games
        of an event.
    idle_days : float, optional
        With single games and events, the days that count as one period of ageing; None:
        deviations do not age.
    event_column : str
        Column that names the events.
    first_advantage : float
        Rating points for moving first.
    handicap : Handicap, optional
        Where handicap stones and komi are found, and what they are worth.

    Examples
    --------
    >>> from yardstone.pool import Pool
    >>> pool = Pool.from_names(["Ann", "Bob"], ["Bob", "Cem"], [1, 0.5])
    >>> Glicko().replay(pool).ratings["Ann"]
    Estimate(value=1662.2..., deviation=290.2...)
    """

    initial: float = 1500.0
    initial_deviation: float = 350.0
    drift: float = 34.6
    min_deviation: float = 30.0
    period: Period = "game"
    idle_days: float | None = 30.0
    event_column: str = "event"
    first_advantage: float = 0.0
    handicap: Handicap | None = None

    scale = "glicko"
    _positive = ("variance",)

    def __post_init__(self) -> None:
        check_fields(self)
        check_period(self.period)
        if not (isfinite(self.initial_deviation) and self.initial_deviation > 0.0):
            raise UsageError(f"the deviation must be positive, not {self.initial_deviation}")
        if not (self.drift >= 0.0 and self.min_deviation >= 0.0):
            raise UsageError("neither the drift nor the lowest deviation may be negative")
        if self.idle_days is not None and not self.idle_days > 0.0:
            raise UsageError(f"idle_days must be a positive number of days, not {self.idle_days}")

    def _newcomers(self, number: int) -> Arrays:
        return {
            "rating": np.full(number, self.initial),
            "variance": np.full(number, self.initial_deviation**2),
            "last": np.full(number, np.inf),
        }

    def _seed(
        self,
        arrays: Arrays,
        place: NDArray[np.integer[Any]],
        rating: NDArray[np.float64],
        deviation: NDArray[np.float64],
    ) -> None:
        super()._seed(arrays, place, rating, deviation)
        known = ~np.isnan(deviation)
        arrays["variance"][place[known]] = deviation[known] ** 2

    def _deviation(self, state: State) -> NDArray[np.float64]:
        deviation: NDArray[np.float64] = np.sqrt(state.arrays["variance"])
        return deviation

    def _clock(self, games: Games) -> NDArray[np.float64]:
        """Time of each batch in periods; empty if deviations do not age."""
        plan = games.schedule
        if len(plan.number):
            return plan.number.astype(np.float64)
        if self.idle_days is None or games.pool.time is None:
            return np.zeros(0)
        days = games.days() / self.idle_days
        return days[plan.start[:-1]] if len(plan.start) else days

    def _play(self, arrays: Arrays, games: Games) -> Predictions:
        from yardstone.ratings.glicko_kernels import GlickoPlayers, GlickoRule, no_sums, replay

        rule = GlickoRule(
            self._clock(games), self.drift**2, self.initial_deviation**2, self.min_deviation**2
        )
        rating = arrays["rating"]
        players = GlickoPlayers(rating, arrays["variance"], arrays["last"], no_sums(len(rating)))
        record = games.record(deviations=True)
        replay(games.rounds, rule, players, record)
        return Predictions.of(record)

    def probability(
        self,
        first_rating: ArrayLike,
        second_rating: ArrayLike,
        first_deviation: ArrayLike = 0.0,
        second_deviation: ArrayLike = 0.0,
        *,
        advantage: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """Expected score of a player who moves first, both deviations considered."""
        ahead = self.first_advantage if advantage is None else advantage
        difference = np.subtract(np.add(first_rating, ahead), second_rating)
        variance = np.square(first_deviation) + np.square(second_deviation)
        certain = 1.0 / np.sqrt(1.0 + 3.0 * (_Q / pi) ** 2 * variance)
        return logistic(certain * _Q * difference)
