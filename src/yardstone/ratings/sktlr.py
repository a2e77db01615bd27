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
from math import log
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import check_fields
from yardstone.errors import InputError, UsageError
from yardstone.ratings.replay import Replay
from yardstone.ratings.result import Ratings
from yardstone.winprob.goldis import KOMI, STONE, even_game_margin

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.pool import Pool

    Array = NDArray[np.float64]

__all__ = ["SktLr", "expected_margin"]


def expected_margin(
    difference: ArrayLike,
    *,
    handicap: ArrayLike = 0.0,
    given_komi: ArrayLike = KOMI,
    komi: float = KOMI,
    base: float = STONE,
) -> NDArray[np.float64]:
    """Points by which Black is expected to win, komi counted.

    Parameters
    ----------
    difference : array_like
        Black's rating less White's.
    handicap : array_like
        Black's stones; 0 and 1 are one move.
    given_komi : array_like
        What Black gives; not looked at from one stone on, where it is 0.
    komi : float
        Fair komi, which is also what one stone is worth here.
    base : float
        Ratio of strengths between ranks.
    """
    stones = np.asarray(handicap, np.float64)
    given = np.where(stones >= 1.0, 0.0, np.asarray(given_komi, np.float64))
    help_points = komi * (np.maximum(stones, 1.0) - 1.0) + (komi - given)
    return even_game_margin(difference, komi=komi, base=base) + help_points


@dataclass(frozen=True, slots=True)
class SktLr:
    """Sequential ratings on Goldis' scale, in thousandths; frozen.

    Attributes
    ----------
    start : float
        Rating of a newcomer whose grade is not known.
    start_deviation : float
        Its deviation; `grade_deviation` is that of a newcomer rated by grade.
    grade_deviation : float
        See there.
    initial : mapping of name to rating
        Newcomers with a rating of their own, at `grade_deviation`.
    margin_deviation : float
        Scatter of a game's margin, in points.
    margin_limit : float
        Margins beyond it count as it (a resignation has none at all).
    drift : float
        Deviation added to a player's rating for each game, in rating points.
    komi, base : float
        As in `yardstone.winprob.goldis`.
    use_margins : bool
        Whether to look at the column ``margin``.
    """

    start: float = 1500.0
    start_deviation: float = 400.0
    grade_deviation: float = 200.0
    initial: Mapping[str, float] = field(default_factory=dict)
    margin_deviation: float = 20.0
    margin_limit: float = 40.0
    drift: float = 5.0
    komi: float = KOMI
    base: float = STONE
    use_margins: bool = True

    def __post_init__(self) -> None:
        check_fields(self)
        positive = (
            self.start_deviation,
            self.grade_deviation,
            self.margin_deviation,
            self.margin_limit,
            self.komi,
        )
        if min(positive) <= 0.0 or self.drift < 0.0 or not self.base > 1.0:
            raise UsageError("deviations, limit and komi must be positive, the base above 1")

    def expected_score(
        self,
        difference: ArrayLike,
        *,
        deviation: ArrayLike = 0.0,
        handicap: ArrayLike = 0.0,
        given_komi: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """Probability that Black wins.

        Parameters
        ----------
        difference : array_like
            Black's rating less White's.
        deviation : array_like
            Of that difference.
        handicap, given_komi
            As in `expected_margin`; no komi named is the fair one.
        """
        from scipy.special import ndtr

        margin, spread = self._forecast(difference, deviation, handicap, given_komi)
        return np.asarray(ndtr(margin / spread))

    def _forecast(
        self,
        difference: ArrayLike,
        deviation: ArrayLike,
        handicap: ArrayLike,
        given_komi: ArrayLike | None,
    ) -> tuple[Array, Array]:
        margin = expected_margin(
            difference,
            handicap=handicap,
            given_komi=self.komi if given_komi is None else given_komi,
            komi=self.komi,
            base=self.base,
        )
        slope = self._slope(np.asarray(difference, np.float64))
        return margin, np.hypot(self.margin_deviation, slope * np.asarray(deviation, np.float64))

    def _slope(self, difference: Array) -> Array:
        """Points of margin for one point of rating."""
        growth = log(self.base) / 100.0
        return np.asarray(self.komi * growth * np.exp(growth * np.abs(difference)))

    def replay(self, pool: Pool) -> Replay:
        """Predict each game, then learn from it, in order of time.

        Columns used where they are: ``handicap``, ``komi``, ``margin`` (points
        Black won by, komi counted; NaN if not known), and ``first_grade`` and
        ``second_grade`` (zero-shodan units) for the first rating of newcomers.
        Games without a time come one by one, in the order of the pool.
        """
        from scipy.special import ndtr

        order, ends = _periods(pool)
        size = len(pool)
        handicap = _column(pool, "handicap", 0.0)
        given = _column(pool, "komi", self.komi)
        margin = _column(pool, "margin", np.nan)
        if not self.use_margins:
            margin = np.full(size, np.nan)
        if np.any(handicap < 0):
            raise InputError("a handicap cannot be negative")
        rating, variance = self._newcomers(pool)
        kept = {name: np.empty(size) for name in ("expected", "r1", "r2", "d1", "d2")}
        begin = 0
        for end in ends:
            games = order[begin:end]
            begin = end
            one, two = pool.first[games], pool.second[games]
            kept["r1"][games], kept["r2"][games] = rating[one], rating[two]
            kept["d1"][games], kept["d2"][games] = np.sqrt(variance[one]), np.sqrt(variance[two])
            difference = rating[one] - rating[two]
            doubt = variance[one] + variance[two]
            forecast, spread = self._forecast(
                difference, np.sqrt(doubt), handicap[games], given[games]
            )
            kept["expected"][games] = ndtr(forecast / spread)
            pull, weight = self._lesson(
                forecast, spread, self._slope(difference), margin[games], pool.score[games]
            )
            # Averaging: all games of the period act on the ratings before it.
            seat = np.concatenate([one, two])
            who, place = np.unique(seat, return_inverse=True)
            pull, weight = np.concatenate([pull, -pull]), np.tile(weight, 2)
            # What the opponent's doubt leaves of a game for this player.
            left = 1.0 - weight * variance[seat]
            damped = 1.0 / (1.0 / variance[who] + np.bincount(place, weight / left))
            rating[who] += damped * np.bincount(place, pull / left)
            variance[who] = damped + np.bincount(place) * self.drift**2
        return Replay(
            expected=kept["expected"],
            first_rating=kept["r1"],
            second_rating=kept["r2"],
            ratings=Ratings(pool.players, rating, np.sqrt(variance), "goldis"),
            first_deviation=kept["d1"],
            second_deviation=kept["d2"],
        )

    def _lesson(
        self, forecast: Array, spread: Array, slope: Array, margin: Array, score: Array
    ) -> tuple[Array, Array]:
        """Derivative of each game's log probability by Black's rating, and its loss of doubt.

        The second is minus the second derivative, which a known margin makes
        ``slope**2 / spread**2``.
        """
        from scipy.special import log_ndtr

        known = np.isfinite(margin) & (np.abs(margin) <= self.margin_limit)
        surprise = np.where(known, margin, 0.0) - forecast
        pull, weight = surprise / spread, np.ones(len(forecast))
        for side, won in ((1.0, score == 1.0), (-1.0, score == 0.0)):
            # A margin past the limit says no more than that it was that large.
            least = np.where(np.isfinite(margin), self.margin_limit, 0.0)
            z = (side * forecast - least) / spread
            ratio = np.exp(-0.5 * z**2 - 0.5 * log(2.0 * np.pi) - log_ndtr(z))
            which = won & ~known
            pull = np.where(which, side * ratio, pull)
            weight = np.where(which, ratio * (ratio + z), weight)
        drawn = ~known & (score == 0.5)
        pull = np.where(drawn, -forecast / spread, pull)
        return pull * slope / spread, weight * (slope / spread) ** 2

    def _newcomers(self, pool: Pool) -> tuple[Array, Array]:
        """First rating and variance of every player."""
        rating = np.full(len(pool.players), float(self.start))
        variance = np.full(len(pool.players), float(self.start_deviation) ** 2)
        grade = np.full(len(pool.players), np.nan)
        if {"first_grade", "second_grade"} <= set(pool.columns):
            # Latest first, so that the grade of the first game is the one that stays.
            games = _periods(pool)[0][::-1]
            who = np.column_stack([pool.first[games], pool.second[games]]).ravel()
            said = [pool.columns[name][games] for name in ("first_grade", "second_grade")]
            grade[who] = np.column_stack(said).astype(np.float64).ravel()
        known = np.isfinite(grade)
        rating[known] = np.maximum(2000.0 + 100.0 * grade[known], 0.0)
        variance[known] = self.grade_deviation**2
        for player, name in enumerate(pool.players):
            if name in self.initial:
                rating[player] = self.initial[name]
                variance[player] = self.grade_deviation**2
        return rating, variance


def _column(pool: Pool, name: str, missing: float) -> Array:
    if name not in pool.columns:
        return np.full(len(pool), missing)
    values = np.asarray(pool.columns[name], np.float64)
    return np.where(np.isfinite(values), values, missing)


def _periods(pool: Pool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Games in order of time, and where each period ends in that order."""
    size = len(pool)
    if pool.time is None:
        return np.arange(size), np.arange(1, size + 1)
    order = np.argsort(pool.time, kind="stable")
    time = pool.time[order]
    last = np.append(time[1:] != time[:-1], True)[:size]  # NaT differs from every NaT
    return order, np.flatnonzero(last) + 1
