"""The Elo system: one number a player, moved by a share of each surprise.

Elo 1978, *The Rating of Chessplayers, Past and Present*; Neubauer 2024, section 3.1.2. The rating
changes by K times the difference between the points scored and the points expected (equation 3.3).
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from math import inf, log, sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np

from yardstone.choices import check_fields
from yardstone.errors import UsageError
from yardstone.ratings.sequential import Arrays, Games, Period, Predictions, Sequential
from yardstone.winprob.laws import logistic, normal_cdf

if TYPE_CHECKING:
    from yardstone.arrays import Floats
    from yardstone.ratings.egf import Handicap


@dataclass(frozen=True, slots=True)
class KFactor:
    """K by games and rating, as the World Chess Federation (FIDE) has it."""

    #: K of a player with fewer than so many games.
    new: float = 40.0
    new_games: int = 30
    usual: float = 20.0  #: K of the others.
    #: K of a player who has once reached this rating.
    top: float = 10.0
    top_rating: float = 2400.0
    limit: float = 700.0  #: K times the number of games of a period is at most this.

    def __post_init__(self) -> None:
        check_fields(self, infinite=("top_rating", "limit"))
        if min(self.new, self.usual, self.top, self.new_games, self.limit) < 0.0:
            raise UsageError(f"K and its limits must not be negative: {self}")

    def numbers(self) -> Floats:
        """The attributes in order."""
        return np.array(astuple(self))


FIDE = KFactor()  #: FIDE's rule: 40 for the first 30 games, 20 below 2400, 10 from 2400 on.


@dataclass(frozen=True, kw_only=True)
class Elo(Sequential):
    """Elo's rating system.

    Args:
        k: Points for a surprise of one point: one for all, or by games and rating (`FIDE`).
        initial: Rating of a newcomer.
        curve ({"logistic", "normal"}): Expected score from the difference d: 1/(1 + 10^(-d/400)),
            or Elo's own normal curve Phi(d/(200 sqrt 2)) (Neubauer 2024, equation 3.2).
        scale_points: The 400 of the logistic curve; the normal one has half of it.
        furthest: A difference beyond this counts as this (FIDE: 400).
        period ({"game", "event", "day", "week", "month", "quarter", "year"} or float): Games rated
            at once, all from the ratings at the start: each by itself, those of an event, of a part
            of the calendar, or of so many days.
        event_column: Column that names the events.
        first_advantage: Rating points for moving first.
        handicap: Where handicap stones and komi are found, and what they are worth.

    Examples:
        >>> from yardstone.pool import Pool
        >>> pool = Pool.from_names(["Ann", "Bob"], ["Bob", "Ann"], [1, 1])
        >>> replay = Elo(k=32).replay(pool)
        >>> replay.expected.round(3), replay.ratings["Ann"].value.__round__(2)
        (array([0.5  , 0.454]), 1498.53)
    """

    k: float | KFactor = 20.0
    initial: float = 1500.0
    curve: Literal["logistic", "normal"] = "logistic"
    scale_points: float = 400.0
    furthest: float = inf
    period: Period = "game"
    event_column: str = "event"
    first_advantage: float = 0.0
    handicap: Handicap | None = None

    _above_zero = ("scale_points", "furthest")
    _not_negative = ("k",)

    @property
    def _steepness(self) -> float:
        return 1.0 / self.scale_points if self.curve == "normal" else log(10.0) / self.scale_points

    def _newcomers(self, number: int) -> Arrays:
        arrays: Arrays = {"rating": np.full(number, self.initial, np.float64)}
        if isinstance(self.k, KFactor):
            arrays["played"] = np.zeros(number, np.int32)
            arrays["top"] = np.zeros(number, np.bool_)
        return arrays

    def _play(self, arrays: Arrays, games: Games) -> Predictions:
        from yardstone.ratings import _steps

        law = arrays["rating"], self._steepness, self.curve == "normal", self.furthest
        if isinstance(self.k, KFactor):
            # Whoever begins there has reached it, whatever comes of the first game.
            arrays["top"] |= arrays["rating"] >= self.k.top_rating
            steps = _steps.EloByRule(*law, self.k.numbers(), arrays["played"], arrays["top"])
        else:
            steps = _steps.Elo(*law, self.k)
        record = games.record()
        steps.replay(games.rounds, record)
        return Predictions.of(record)

    def _chance(self, first: Floats, second: Floats, ahead: Floats, variance: Floats) -> Floats:
        difference = first + ahead - second
        difference = np.clip(difference, -self.furthest, self.furthest)
        if self.curve == "normal":
            return normal_cdf(difference * self._steepness * sqrt(2.0))
        return logistic(difference * self._steepness)
