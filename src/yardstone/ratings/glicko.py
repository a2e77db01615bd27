"""Glicko: Elo with a deviation that says how far a rating can be trusted.

Glickman 1995, "The Glicko system"; 1999, "Parameter estimation in large dynamic
paired comparison experiments". Equations are those of the former.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, pi
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from yardstone.errors import UsageError
from yardstone.ratings.result import Ratings
from yardstone.ratings.sequential import (
    Arrays,
    Games,
    Period,
    Places,
    Predictions,
    Sequential,
    State,
)
from yardstone.winprob.laws import ELO_POINTS_PER_LOGIT, logistic

if TYPE_CHECKING:
    from yardstone.arrays import Floats
    from yardstone.pool import Pool
    from yardstone.ratings.egf import Handicap


_Q = 1.0 / ELO_POINTS_PER_LOGIT


@dataclass(frozen=True, kw_only=True)
class Glicko(Sequential):
    """Glickman's Glicko.

    Args:
        initial, initial_deviation: Rating and deviation of a newcomer.
        drift: The paper's c: after t periods without games a deviation RD has grown to sqrt(RD^2 +
            c^2 t), at most to `initial_deviation`. 34.6 takes a deviation of 50 back to 350 in 100
            periods.
        min_deviation: No deviation falls below this, so that ratings go on moving (Glickman: 30).
        period ({"game", "day", "week", "month", "quarter", "year", "event"} or float): The rating
            period: one game, a part of the calendar, so many days, or the games of an event.
        idle_days: With single games and events, the days that count as one period of ageing; None:
            deviations do not age.
        event_column: Column that names the events.
        first_advantage: Rating points for moving first.
        handicap: Where handicap stones and komi are found, and what they are worth.

    Examples:
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
    _above_zero = ("initial_deviation", "idle_days")
    _not_negative = ("drift", "min_deviation")

    def _newcomers(self, number: int) -> Arrays:
        return {
            "rating": np.full(number, self.initial, np.float64),
            "variance": np.full(number, self.initial_deviation**2, np.float64),
            "last": np.full(number, np.inf),
        }

    def _seed(self, arrays: Arrays, place: Places, rating: Floats, deviation: Floats) -> None:
        super()._seed(arrays, place, rating, deviation)
        known = ~np.isnan(deviation)
        arrays["variance"][place[known]] = deviation[known] ** 2

    def _deviation(self, state: State) -> Floats:
        deviation: Floats = np.sqrt(state.arrays["variance"])
        return deviation

    def _play(self, arrays: Arrays, games: Games) -> Predictions:
        from yardstone.ratings import _steps

        kept = arrays["rating"], arrays["variance"], arrays["last"]
        squares = self.drift**2, self.initial_deviation**2, self.min_deviation**2
        record = games.record(deviations=True)
        _steps.Glicko(*kept, games.clock(self.idle_days), *squares).replay(games.rounds, record)
        return Predictions.of(record)

    def _chance(self, first: Floats, second: Floats, ahead: Floats, variance: Floats) -> Floats:
        difference = first + ahead - second
        certain = 1.0 / np.sqrt(1.0 + 3.0 * (_Q / pi) ** 2 * variance)
        return logistic(certain * _Q * difference)


#: Points of one unit of mu (the paper rounds it to 173.7178), and the points of mu = 0.
POINTS = ELO_POINTS_PER_LOGIT
CENTRE = 1500.0


@dataclass(frozen=True, kw_only=True)
class Glicko2(Sequential):
    """Glickman's Glicko-2.

    Args:
        initial, initial_deviation, initial_volatility: Rating and deviation (points) and volatility
            (the paper's sigma) of a newcomer.
        tau: How much the volatility may change: 0.3 to 1.2; 0 keeps it.
        period ({"game", "day", "week", "month", "quarter", "year", "event"} or float): The rating
            period: one game, as on servers and in Neubauer 2024; a part of the calendar or so many
            days, as Glickman means it; or the games of an event.
        idle_days: With single games and events, so many days without a game age the deviation as
            one period without games would. None: it does not age with time. Calendar periods always
            age it by their number.
        max_deviation: Idleness does not raise a deviation beyond this.
        event_column: Column that names the events.
        first_advantage: Rating points for moving first.
        handicap: Where handicap stones and komi are found, and what they are worth.

    Notes:
        Expected scores use both deviations (Neubauer 2024, equation 3.4, with Glickman's
        sign). With single games each game adds one period's drift to the deviation, idle
        or not (step 6); without `idle_days` nothing else does.

    Examples:
        >>> from yardstone.pool import Pool
        >>> pool = Pool.from_names(["Ann", "Bob"], ["Bob", "Cem"], [1, 0.5])
        >>> Glicko2().replay(pool).ratings["Ann"]
        Estimate(value=1662.3..., deviation=290.3...)
    """

    initial: float = 1500.0
    initial_deviation: float = 350.0
    initial_volatility: float = 0.06
    tau: float = 0.5
    period: Period = "game"
    idle_days: float | None = None
    max_deviation: float = inf
    event_column: str = "event"
    first_advantage: float = 0.0
    handicap: Handicap | None = None

    scale = "glicko"
    _positive = ("phi2", "volatility")
    _above_zero: ClassVar[tuple[str, ...]] = (
        "initial_deviation",
        "initial_volatility",
        "idle_days",
    )
    _not_negative = ("tau",)

    def _limits(self) -> Floats:
        """Lowest and highest rating, deviation (points) and volatility."""
        return np.array([-inf, inf, 0.0, inf, 0.0, inf])

    def _newcomers(self, number: int) -> Arrays:
        return {
            "mu": np.full(number, (self.initial - CENTRE) / POINTS),
            "phi2": np.full(number, (self.initial_deviation / POINTS) ** 2),
            "volatility": np.full(number, self.initial_volatility, np.float64),
            "last": np.full(number, np.inf),
        }

    def _seed(self, arrays: Arrays, place: Places, rating: Floats, deviation: Floats) -> None:
        known = ~np.isnan(rating)
        arrays["mu"][place[known]] = (rating[known] - CENTRE) / POINTS
        known = ~np.isnan(deviation)
        arrays["phi2"][place[known]] = (deviation[known] / POINTS) ** 2

    def ratings(self, state: State) -> Ratings:
        """The ratings of a state; deviations as of each player's last game."""
        rating = CENTRE + POINTS * state.arrays["mu"]
        return Ratings(state.players, rating, POINTS * np.sqrt(state.arrays["phi2"]), self.scale)

    def _clock(self, games: Games) -> tuple[Floats, float, float]:
        """How deviations age with the periods of these games, as `_steps.Glicko2` takes it."""
        active = 1.0 if len(games.schedule.number) else 0.0
        return (games.clock(self.idle_days), active, (self.max_deviation / POINTS) ** 2)

    def _ahead(self, pool: Pool) -> Floats:
        """How far `first` is ahead, in units of mu."""
        return super()._ahead(pool) / POINTS

    def _ratio(self, games: Games) -> Floats:
        """By what each game multiplies Black's rating; empty if nothing does."""
        return np.zeros(0)

    def _play(self, arrays: Arrays, games: Games) -> Predictions:
        from yardstone.ratings import _steps

        limits = self._limits()
        limits[:2] = (limits[:2] - CENTRE) / POINTS
        limits[2:4] = (limits[2:4] / POINTS) ** 2
        kept = (arrays[name] for name in ("mu", "phi2", "volatility", "last"))
        steps = _steps.Glicko2(
            *kept, self._clock(games), self.tau, limits, self._ratio(games), -CENTRE / POINTS
        )
        record = games.record(deviations=True)
        steps.replay(games.rounds, record)
        return Predictions.of(record, centre=CENTRE, points=POINTS)

    def _chance(self, first: Floats, second: Floats, ahead: Floats, variance: Floats) -> Floats:
        """Expected score (Neubauer 2024, equation 3.4)."""
        difference = (first + ahead - second) / POINTS
        certain = 1.0 / np.sqrt(1.0 + 3.0 * variance / (pi * POINTS) ** 2)
        return logistic(certain * difference)


@dataclass(frozen=True, kw_only=True)
class OGS(Glicko2):
    """Glicko-2 with the limits of the Online Go Server.

    Args:
        min_rating, max_rating: Floor and ceiling of ratings.
        min_deviation, most_deviation: Limits of deviations, in points.
        min_volatility, max_volatility: Limits of volatilities.
        ranks_per_log: Ranks for a factor of e in the rating: the server's rank is 23.15 ln(r/525).
            A handicap of h stones multiplies Black's rating by exp(h/ranks_per_log), as White sees
            it, and divides White's, as Black sees it; the points of `handicap` are not used.

    Notes:
        The other parameters are those of `Glicko2`. The server's own predictions scale
        the difference by Black's deviation alone; here both count.
    """

    min_rating: float = 100.0
    max_rating: float = 6000.0
    min_deviation: float = 30.0
    most_deviation: float = 500.0
    min_volatility: float = 0.01
    max_volatility: float = 0.15
    ranks_per_log: float = 23.15

    scale = "ogs"
    _above_zero = (*Glicko2._above_zero, "ranks_per_log")

    def __post_init__(self) -> None:
        super().__post_init__()
        lowest, highest = self._limits()[::2], self._limits()[1::2]
        if not (lowest <= highest).all():
            raise UsageError("a lower limit lies above the upper one")

    def _limits(self) -> Floats:
        deviation = (self.min_deviation, self.most_deviation)
        volatility = (self.min_volatility, self.max_volatility)
        return np.array([self.min_rating, self.max_rating, *deviation, *volatility])

    def _ratio(self, games: Games) -> Floats:
        stones = None if self.handicap is None else self.handicap.stones(games.pool)
        if stones is None:
            return np.zeros(0)
        ratio: Floats = np.exp(games.schedule.take(stones) / self.ranks_per_log)
        return ratio

    def _ahead(self, pool: Pool) -> Floats:
        """That of the first move alone: handicap multiplies ratings here."""
        return np.full(len(pool), self.first_advantage / POINTS)

    def _chance(
        self,
        first: Floats,
        second: Floats,
        ahead: Floats,
        variance: Floats,
        stones: ArrayLike = 0.0,
    ) -> Floats:
        ratio = np.exp(np.divide(stones, self.ranks_per_log))
        return super()._chance(first * ratio, second, ahead, variance)
