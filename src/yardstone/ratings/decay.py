"""Bradley-Terry with decaying weights: a plain and strong baseline.

The joint model of `BradleyTerry` by maximum likelihood, in which a game counts the
less the older it is: half after `half_life` days. Strengths have a normal prior, so
everybody has a rating and what was long ago fades into it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import NoGamesError, UsageError
from yardstone.pool import PairCounts, Pool
from yardstone.ratings._history import FadingLearner
from yardstone.ratings.layout import Forecasts
from yardstone.ratings.result import JointRatings, Ratings
from yardstone.ratings.sequential import SECONDS_PER_DAY, State, order_of_time
from yardstone.ratings.whole_history import (
    POINTS,
    PRIOR_INFORMATION,
    Learned,
    Played,
    Remembering,
)

if TYPE_CHECKING:
    from yardstone.arrays import Floats
    from yardstone.ratings.egf import Handicap


@dataclass(frozen=True, kw_only=True)
class DecayingBradleyTerry(Remembering):
    """Bradley-Terry with weights that halve after some time.

    Args:
        half_life: Days after which a game counts half; without times, games of the pool. May be
            infinite.
        average, prior_deviation: Normal prior of each player's strength, in points.
        first_advantage (float or "auto"): Rating points for moving first.
        draw_rate (float, "auto" or None): Draw rate of equal opponents (Davidson's law); None
            counts a draw as half a win and half a loss (for `replay`; `fit` always uses the law).
        handicap: Where handicap stones and komi are found, and what they are worth (`replay` only).

    Examples:
        >>> from yardstone.pool import Pool
        >>> pool = Pool.from_names(["Ann", "Bob"], ["Bob", "Ann"], [1, 1])
        >>> DecayingBradleyTerry(half_life=1.0).fit(pool)["Bob"].value > 1500
        True
    """

    half_life: float = 365.0
    average: float = 1500.0
    prior_deviation: float = 250.0
    first_advantage: float | Literal["auto"] = 0.0
    draw_rate: float | Literal["auto"] | None = "auto"
    handicap: Handicap | None = None

    def fit(self, pool: Pool, at: np.datetime64 | str | None = None) -> JointRatings:
        """Rate the players of a pool as of a moment (by default that of its last game).

        Games after that moment do not count. Raises as `BradleyTerry.fit` does.
        """
        from yardstone.ratings.bradley_terry import BradleyTerry

        order_of_time(pool)  # complains if only some games have a time
        pool = pool.select(pool.first != pool.second)  # games against oneself tell nothing
        if not len(pool):
            raise NoGamesError("there are no games to rate")
        if pool.time is None:
            if at is not None:
                raise UsageError("without times the only moment is the end")
            age = np.arange(len(pool), dtype=np.float64)[::-1]
        else:
            moment = pool.time.max() if at is None else np.array(at, "datetime64[s]")
            age = (moment - pool.time).astype(np.int64) / SECONDS_PER_DAY
        weight = np.where(age >= 0.0, np.exp2(-np.maximum(age, 0.0) / self.half_life), 0.0)
        n = len(pool.players)
        pair, place = np.unique(pool.first.astype(np.int64) * n + pool.second, return_inverse=True)

        def total(score: float) -> Floats:
            return np.bincount(place, weight * (pool.score == score), len(pair)).astype(np.float64)

        wins, draws, losses = total(1.0), total(0.5), total(0.0)
        first, second = (pair // n).astype(np.int32), (pair % n).astype(np.int32)
        model = BradleyTerry(
            average=self.average,
            join=self.prior_deviation,
            method="likelihood",
            first_advantage=self.first_advantage,
            draw_rate="auto" if self.draw_rate is None or not draws.any() else self.draw_rate,
            scale=POINTS * log(0.76 / 0.24),
        )
        counts = PairCounts(n, first, second, wins, draws, losses)
        return replace(model.fit_counts(pool.players, counts), scale=self.scale)

    def _go_on(self, state: State, games: Played, begin: int, players: tuple[str, ...]) -> Learned:
        number = len(players)
        layout, dated = self.lay_out(games, number)
        shared, free = self._shared(draws=True)
        arrays: dict[str, NDArray[Any]] = {
            "strength": np.zeros(number),
            "precision": np.full(number, self._prior),
            "last": np.zeros(number),
            "shared": shared,
            "known": np.array(PRIOR_INFORMATION),
        }
        for name in arrays.keys() & state.arrays.keys():
            arrays[name][: len(state.arrays[name])] = state.arrays[name]
        entries = len(layout.score)
        day, opponent = np.empty(entries), np.empty(entries, np.int32)
        for side, others in ((0, games.second), (1, games.first)):
            day[layout.own[:, side]] = dated.day
            opponent[layout.own[:, side]] = others
        end = layout.entry_start[:-1] + np.bincount(games.first[:begin], minlength=number)
        end += np.bincount(games.second[:begin], minlength=number)
        forecasts = Forecasts.of(len(games.first) - begin)
        learner = FadingLearner(
            *(layout, (day, opponent), end, log(2.0) / self.half_life, self._prior),
            *(arrays["precision"], arrays["last"]),
            *(dated, begin, arrays["strength"], shared, arrays["known"], free, forecasts),
        )
        learner.replay()
        return arrays, *forecasts

    def ratings(self, state: State) -> Ratings:
        """Ratings of a state, as of each player's last game; the prior's without games."""
        n = len(state.players)
        rating, deviation = np.full((n, 2), [self.average, self.prior_deviation], np.float64).T
        if "strength" in state.arrays:
            rating += POINTS * state.arrays["strength"]
            deviation = POINTS / np.sqrt(state.arrays["precision"])
        return Ratings(state.players, rating, deviation, self.scale)
