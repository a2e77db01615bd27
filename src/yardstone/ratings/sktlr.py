"""SKT-LR: Goldis' log ratings from results and margins.

The article names the ingredients of a rating procedure, "averaging results of
several games, damping the effects on established ratings of scattered game
results", and leaves it at that. This is one made of them:

- The system predicts the margin of any game: with D the log rating difference
  and S = 10**|D| stones, an even game ends ``komi (S - 1)`` points in favour of
  the stronger, and a handicap takes off what it is worth by the same rule.
- A real margin scatters about that by a normal deviation (`margin_deviation`).
  A game known only by its winner says on which side of zero that margin fell; so
  does a margin beyond `margin_limit`, played out after the game was decided.
- A player's rating has a deviation of its own. The move after a game is the
  surprise times the player's share of the doubt: established ratings hardly
  move (damping), new ones jump. Games of the same time, a tournament's, say, are
  judged by the ratings before it and act together (averaging).
- Each game adds a little doubt (`drift`), so that ratings can follow players.

It is Kalman's filter with the slope of the margin at the rated difference, and
moment matching where only the winner is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.choices import check_number
from yardstone.grades import parse_grades
from yardstone.ratings.egf import stones_and_komi
from yardstone.ratings.result import Ratings
from yardstone.ratings.sequential import (
    SECONDS_PER_DAY,
    Arrays,
    Games,
    Places,
    Predictions,
    Schedule,
    Sequential,
    State,
)
from yardstone.winprob.goldis import (
    KOMI,
    MARGIN_DEVIATION,
    STONE,
    even_game_margin,
    expected_margin,
    goldis_of_grade,
)
from yardstone.winprob.laws import normal_cdf, normal_log_cdf

if TYPE_CHECKING:
    from yardstone.arrays import Floats, Ints
    from yardstone.pool import Pool


@dataclass(frozen=True)
class SktLr(Sequential):
    """Sequential ratings on Goldis' scale, in thousandths; frozen.

    Columns of the pool used where they are: ``handicap``, ``komi``, ``margin`` (points
    Black won by, komi counted; NaN if not known), and ``first_grade`` and
    ``second_grade`` (texts such as ``4k``, or zero-shodan units) for the first rating of
    newcomers. Games of one time act together; without times each acts by itself.
    """

    start_rating: float = 1500.0  #: Rating of a newcomer whose grade is not known.
    start_deviation: float = 400.0  #: Its deviation; by grade it is `grade_deviation`.
    grade_deviation: float = 200.0  #: See there.
    #: Newcomers with a rating of their own, at `grade_deviation`.
    initial: Mapping[str, float] = field(default_factory=dict)
    margin_deviation: float = MARGIN_DEVIATION  #: Scatter of a game's margin, in points.
    margin_limit: float = 40.0  #: Margins beyond it count as it (a resignation has none at all).
    drift: float = 5.0  #: Deviation added to a player's rating for each game, in rating points.
    #: As in `yardstone.winprob.goldis`.
    komi: float = KOMI
    base: float = STONE
    use_margins: bool = True  #: Whether to look at the column ``margin``.

    period = 1.0 / SECONDS_PER_DAY  # games of one second act together
    scale = "goldis"
    _positive = ("variance",)
    _above_zero = (
        *("start_deviation", "grade_deviation"),
        *("margin_deviation", "margin_limit", "komi"),
    )
    _not_negative = ("drift",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("base", self.base, above=1.0)

    def win_probability(
        self,
        difference: ArrayLike,
        *,
        deviation: ArrayLike = 0.0,
        handicap: ArrayLike = 0.0,
        given_komi: ArrayLike | None = None,
    ) -> Floats:
        """Probability that Black wins.

        `difference`: Black's rating less White's. `deviation`: Of that difference. `handicap`,
        `given_komi`: As in `expected_margin`; no komi named is the fair one.
        """
        margin, spread = self._forecast(difference, deviation, handicap, given_komi)
        return normal_cdf(margin / spread)

    def _chance(self, first: Floats, second: Floats, ahead: Floats, variance: Floats) -> Floats:
        return self.win_probability(first + ahead - second, deviation=np.sqrt(variance))

    def margin(self, first_rating: ArrayLike, second_rating: ArrayLike) -> Floats:
        """Points by which the first player is expected to win an even game."""
        gap = np.subtract(first_rating, second_rating)
        return even_game_margin(gap, komi=self.komi, base=self.base)

    def _forecast(
        self,
        difference: ArrayLike,
        deviation: ArrayLike,
        handicap: ArrayLike,
        given_komi: ArrayLike | None,
    ) -> tuple[Floats, Floats]:
        margin = expected_margin(
            difference,
            handicap=handicap,
            given_komi=self.komi if given_komi is None else given_komi,
            komi=self.komi,
            base=self.base,
        )
        slope = self._slope(np.asarray(difference, np.float64))
        return margin, np.hypot(self.margin_deviation, slope * np.asarray(deviation, np.float64))

    def _slope(self, difference: Floats) -> Floats:
        """Points of margin for one point of rating."""
        growth = log(self.base) / 100.0
        return np.asarray(self.komi * growth * np.exp(growth * np.abs(difference)))

    def _newcomers(self, number: int) -> Arrays:
        # A rating that is not known yet: that of the grade in a player's first game.
        return {"rating": np.full(number, np.nan), "variance": np.full(number, np.nan)}

    def _beginners(self, players: tuple[str, ...]) -> Arrays:
        arrays = self._newcomers(len(players))
        for player, name in enumerate(players):
            if name in self.initial:
                arrays["rating"][player] = self.initial[name]
                arrays["variance"][player] = self.grade_deviation**2
        return arrays

    def _seed(self, arrays: Arrays, place: Places, rating: Floats, deviation: Floats) -> None:
        super()._seed(arrays, place, rating, deviation)
        known = ~np.isnan(rating)
        spread = np.where(np.isnan(deviation), self.start_deviation, deviation)
        arrays["variance"][place[known]] = spread[known] ** 2

    def ratings(self, state: State) -> Ratings:
        """The ratings of a state; a player without games has the rating of a newcomer."""
        known = ~np.isnan(state.arrays["rating"])
        rating = np.where(known, state.arrays["rating"], self.start_rating)
        variance = np.where(known, state.arrays["variance"], self.start_deviation**2)
        return Ratings(state.players, rating, np.sqrt(variance), self.scale)

    def _schedule(self, pool: Pool) -> Schedule:
        dated = pool.time is not None and not np.isnat(pool.time).all()
        return super()._schedule(pool) if dated else Schedule()

    def _play(self, arrays: Arrays, games: Games) -> Predictions:
        size, plan, pool = len(games), games.schedule, games.pool
        handicap, komi = (plan.take(each) for each in stones_and_komi(pool))
        given = np.where(np.isnan(komi), self.komi, komi)
        margin = np.full(size, np.nan)
        if self.use_margins and "margin" in pool.columns:
            margin = plan.take(np.asarray(pool.columns["margin"], np.float64))
        grade, names = np.full((size, 2), np.nan), ("first_grade", "second_grade")
        if set(names) <= set(pool.columns):
            columns = [_grades(pool.columns[name]) for name in names]
            grade = plan.take(np.column_stack(columns))
        rating, variance = arrays["rating"], arrays["variance"]
        record = games.record(deviations=True)
        starts = plan.start if len(plan.start) else np.arange(size + 1)
        for begin, end in pairwise(starts.tolist()):
            at = slice(begin, end)
            one, two = games.rounds.first[at], games.rounds.second[at]
            seat = np.concatenate([one, two])
            self._enter(rating, variance, seat, grade[at].T.ravel())
            deviation = np.sqrt(variance[seat]).reshape(2, -1)
            record.before[at] = np.stack([rating[one], deviation[0], rating[two], deviation[1]], 1)
            difference = rating[one] - rating[two]
            doubt = variance[one] + variance[two]
            forecast, spread = self._forecast(difference, np.sqrt(doubt), handicap[at], given[at])
            record.expected[at] = normal_cdf(forecast / spread)
            pull, weight = self._lesson(
                forecast, spread, self._slope(difference), margin[at], games.rounds.score[at]
            )
            # Averaging: all games of the period act on the ratings before it.
            who, place = np.unique(seat, return_inverse=True)
            pull, weight = np.concatenate([pull, -pull]), np.tile(weight, 2)
            # What the opponent's doubt leaves of a game for this player.
            left = 1.0 - weight * variance[seat]
            damped = 1.0 / (1.0 / variance[who] + np.bincount(place, weight / left))
            rating[who] += damped * np.bincount(place, pull / left)
            variance[who] = damped + np.bincount(place) * self.drift**2
        return Predictions.of(record)

    def _enter(self, rating: Floats, variance: Floats, seat: Ints, grade: Floats) -> None:
        """Give those who play their first game a rating: that of their grade, if it is known."""
        new = np.flatnonzero(np.isnan(rating[seat]))[::-1]  # the first of several stays
        known = np.isfinite(grade[new])
        by_grade = np.maximum(goldis_of_grade(grade[new]), 0.0)
        rating[seat[new]] = np.where(known, by_grade, self.start_rating)
        variance[seat[new]] = np.where(known, self.grade_deviation, self.start_deviation) ** 2

    def _lesson(
        self, forecast: Floats, spread: Floats, slope: Floats, margin: Floats, score: Floats
    ) -> tuple[Floats, Floats]:
        """Derivative of each game's log probability by Black's rating, and minus the second."""
        known = np.isfinite(margin) & (np.abs(margin) <= self.margin_limit)
        surprise = np.where(known, margin, 0.0) - forecast
        pull, weight = surprise / spread, np.ones(len(forecast))
        for side, won in ((1.0, score == 1.0), (-1.0, score == 0.0)):
            # A margin past the limit says no more than that it was that large.
            least = np.where(np.isfinite(margin), self.margin_limit, 0.0)
            z = (side * forecast - least) / spread
            ratio = np.exp(-0.5 * z**2 - 0.5 * log(2.0 * np.pi) - normal_log_cdf(z))
            which = won & ~known
            pull = np.where(which, side * ratio, pull)
            weight = np.where(which, ratio * (ratio + z), weight)
        drawn = ~known & (score == 0.5)
        pull = np.where(drawn, -forecast / spread, pull)
        return pull * slope / spread, weight * (slope / spread) ** 2


def _grades(column: NDArray[Any]) -> Floats:
    """Grades in zero-shodan units, from numbers in such units or from texts; NaN if unknown."""
    if column.dtype.kind in "fiu":
        return column.astype(np.float64)
    return parse_grades([str(grade) for grade in column.tolist()])
