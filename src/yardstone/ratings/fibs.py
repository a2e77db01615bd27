"""The rating system of FIBS, the First Internet Backgammon Server, for matches of any length.

Its help page "formula": the winner gains and the loser loses 4 K sqrt(N) times the
probability that the winner would have lost, in a match to N points, where K falls
from 5 to 1 as a player's experience, the sum of the lengths played, grows to 400.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from yardstone.choices import check_number
from yardstone.errors import InputError, UsageError
from yardstone.ratings.sequential import Arrays, Games, Period, Predictions, Sequential
from yardstone.winprob import fibs

if TYPE_CHECKING:
    from yardstone.arrays import Floats
    from yardstone.pool import Pool
    from yardstone.ratings.egf import Handicap


class MatchSystem(Sequential):
    """A system of matches, which are predicted by their length with the curve of FIBS."""

    length: float
    scale_points: float = fibs.POINTS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.first_advantage != 0.0 or self.handicap is not None:
            raise UsageError("there is neither a first-move advantage nor a handicap")
        check_number("length", self.length, least=1.0)

    def _chance(
        self,
        first: Floats,
        second: Floats,
        ahead: Floats,
        variance: Floats,
        length: ArrayLike | None = None,
    ) -> Floats:
        points = (first - second + ahead) * (fibs.POINTS / self.scale_points)
        return fibs.probability(points, 0.0, self.length if length is None else length)


@dataclass(frozen=True, kw_only=True)
class FIBS(MatchSystem):
    """The FIBS system.

    Args:
        length_column: Column of the pool with the points to win in each match.
        length: Length of all matches in a pool without that column, and of those in `probability`.
        initial: Rating of a newcomer.
        k: Points for a surprise of one in a match to one point, between old hands.
        first_factor, ramp: K of a player is max(1, first_factor - experience/ramp), experience
            counted with the match that is rated.
        scale_points: Points ahead that mean odds of ten to one in a match to one point.
        period ({"game", "event", "day", "week", "month", "quarter", "year"} or float): Matches
            rated at once, all from the ratings at the start.
        event_column: Column that names the events.
        first_advantage, handicap: Must be 0 and None: the dice decide who begins.

    Examples:
        >>> from yardstone.pool import Pool
        >>> lengths = {"length": [5, 7]}
        >>> pool = Pool.from_names(["Ann", "Bob"], ["Bob", "Eve"], [1, 1], columns=lengths)
        >>> replay = FIBS().replay(pool)
        >>> replay.expected.round(3), replay.ratings["Ann"].value.__round__(2)
        (array([0.5  , 0.483]), 1522.14)
    """

    length_column: str = "length"
    length: float = 1.0
    initial: float = 1500.0
    k: float = fibs.UNIT
    first_factor: float = fibs.FIRST_FACTOR
    ramp: float = fibs.RAMP
    scale_points: float = fibs.POINTS
    period: Period = "game"
    event_column: str = "event"
    first_advantage: float = 0.0
    handicap: Handicap | None = None

    scale = "fibs"
    _above_zero = ("scale_points", "ramp")
    _not_negative = ("k", "first_factor")

    def _newcomers(self, number: int) -> Arrays:
        return {"rating": np.full(number, self.initial, np.float64), "experience": np.zeros(number)}

    def _play(self, arrays: Arrays, games: Games) -> Predictions:
        from yardstone.ratings import _steps

        steepness = log(10.0) / self.scale_points
        length = match_lengths(games.pool, self.length_column, self.length)
        root = np.sqrt(games.schedule.take(length))
        rule = root, steepness, self.k, self.first_factor, self.ramp
        record = games.record()
        _steps.FIBS(arrays["rating"], arrays["experience"], *rule).replay(games.rounds, record)
        return Predictions.of(record)


def match_lengths(pool: Pool, column: str, length: float) -> Floats:
    """Points to win in each match of a pool: those of the column, or `length` without it.

    Raises InputError where a match has no length of 1 point or more.
    """
    values = pool.columns.get(column)
    if values is None:
        return np.full(len(pool), length)
    try:
        points = values.astype(np.float64)
    except ValueError:
        points = np.full(len(values), np.nan)
    bad = ~(np.isfinite(points) & (points >= 1.0))
    if bad.any():
        raise InputError(
            f"{int(bad.sum())} of {len(bad)} matches have no length of 1 point or more in "
            f"the column {column!r}",
            hint="leave out money games and anything else that is not a match",
        )
    return points
