"""What the systems share that weigh all games so far, each time anew.

Whole-history rating and the Bradley-Terry model with decaying weights: normal
priors, Davidson's draws, a first-move advantage that may be learned, and states that
hold the games themselves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import log, pi
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from yardstone.choices import check_fields
from yardstone.errors import InputError, UsageError
from yardstone.ratings.replay import Replay
from yardstone.ratings.result import Estimate, Ratings
from yardstone.ratings.sequential import match_players, never_back
from yardstone.ratings.state import State
from yardstone.records.stored import StoredPool
from yardstone.winprob.davidson import draw_probability
from yardstone.winprob.logistic import ELO_POINTS_PER_LOGIT, logistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.pool import Pool
    from yardstone.ratings._played import Played
    from yardstone.ratings.handicap import Handicap

    Floats = NDArray[np.float64]

__all__ = ["ALL_AT_ONCE", "MORE_MEMORY", "POINTS", "PRIOR_INFORMATION", "Remembering"]

#: What is said of games that do not fit in memory.
ALL_AT_ONCE = "it weighs all games at once, and these do not fit in memory"
MORE_MEMORY = "take another system, fewer games, or give more with --memory"
#: Rating points of one logit.
POINTS = ELO_POINTS_PER_LOGIT
#: What is known of w and tau before any game when they are learned game by game.
PRIOR_INFORMATION = (12.0, 10.0)


class Remembering(ABC):
    """Base of the systems that weigh all games so far."""

    average: float
    prior_deviation: float
    first_advantage: float | Literal["auto"]
    draw_rate: float | Literal["auto"] | None
    handicap: Handicap | None

    #: Name of the scale of the ratings.
    scale = "elo"

    def _check(self) -> None:
        """Raise UsageError for parameters out of range."""
        check_fields(self, infinite=("half_life",))
        if not self.prior_deviation > 0.0:
            raise UsageError(f"the prior's deviation must be positive, not {self.prior_deviation}")
        if not isinstance(self.draw_rate, str | None) and not 0.0 < self.draw_rate < 1.0:
            raise UsageError(f"the draw rate must be between 0 and 1, not {self.draw_rate}")

    @property
    def _prior(self) -> float:
        """Precision of the prior, in logits."""
        return (POINTS / self.prior_deviation) ** 2

    def _shared(self, *, draws: bool) -> tuple[Floats, NDArray[np.bool_]]:
        """First-move advantage and tau to start from, and which of them are free."""
        w_free = self.first_advantage == "auto"
        w = 0.0 if isinstance(self.first_advantage, str) else self.first_advantage / POINTS
        if self.draw_rate is None or not draws:
            return np.array([w, np.nan]), np.array([w_free, False])
        rate = 0.5 if isinstance(self.draw_rate, str) else self.draw_rate
        tau = log((1.0 - rate) / rate)
        return np.array([w, tau]), np.array([w_free, self.draw_rate == "auto"])

    def replay(self, pool: Pool) -> Replay:
        """Predict each game from the games of earlier days, in order of time.

        After each day those who played get new ratings, the other players' given.
        Raises InputError if only some games have a time.
        """
        return self.advance(self.start(pool.players), pool)[1]

    def start(self, players: Sequence[str] = ()) -> State:
        """The state before any game."""
        return State(repr(self), tuple(players))

    def advance(self, state: State, pool: Pool) -> tuple[State, Replay]:
        """Go on from a state with the games of a pool, none before the state's last.

        New players join. The result is that of one replay of all games if the games
        of a day stand together. The state holds all games, for they go on to be
        weighed; they are not replayed.
        """
        from yardstone.ratings import _played
        from yardstone.ratings.schedule import order_of_time

        if isinstance(pool, StoredPool):
            raise InputError(ALL_AT_ONCE, hint=MORE_MEMORY)
        if state.system != repr(self):
            raise UsageError(f"the state was made by {state.system}, not by {self!r}")
        until = never_back(state, pool)
        players, number = match_players(state.players, pool.players)
        order = order_of_time(pool)
        shift = None if self.handicap is None else self.handicap.advantage(pool)
        before = _played.recall(state.arrays, dated=pool.time is not None)
        games = _played.join(before, _played.in_order(pool, order, number, shift))
        arrays, expected, beliefs = self._go_on(state, games, len(before.first), players)
        arrays |= _played.as_arrays(games)
        after = State(state.system, players, arrays, len(games.first), until)
        place = slice(None) if order is None else np.argsort(order)
        expected, beliefs = expected[place], beliefs[place]
        draw = None
        if self.draw_rate is not None:
            draw = draw_probability(expected, logistic(-beliefs[:, 4]))
        return after, Replay(
            expected,
            self.average + POINTS * beliefs[:, 0],
            self.average + POINTS * beliefs[:, 2],
            self.ratings(after),
            POINTS * np.sqrt(beliefs[:, 1]),
            POINTS * np.sqrt(beliefs[:, 3]),
            draw,
        )

    @abstractmethod
    def _go_on(
        self, state: State, games: Played, begin: int, players: tuple[str, ...]
    ) -> tuple[dict[str, NDArray[Any]], Floats, Floats]:
        """Predict and learn the games from number `begin` on.

        Returns what to keep besides the games, the expected scores, and strength and
        variance of both players and tau: shape (games, 5).
        """

    @abstractmethod
    def ratings(self, state: State) -> Ratings:
        """Ratings of a state, as of each player's last game; the prior's without games."""

    def learned(self, state: State) -> tuple[float, float]:
        """First-move advantage (points) and draw rate (NaN without) that a state has learned."""
        w, tau = state.arrays["shared"] if "shared" in state.arrays else self._shared(draws=True)[0]
        return float(w * POINTS), float(logistic(-tau))

    def probability(
        self,
        first_rating: ArrayLike,
        second_rating: ArrayLike,
        first_deviation: ArrayLike = 0.0,
        second_deviation: ArrayLike = 0.0,
        *,
        advantage: ArrayLike | None = None,
    ) -> Floats:
        """Expected score of a player who moves first, both deviations considered.

        `advantage` are rating points for handicap and moving first; by default those
        of the parameters, 0 if they are free. Deviations shrink the difference as in
        Glicko.
        """
        if advantage is None:
            advantage = 0.0 if isinstance(self.first_advantage, str) else self.first_advantage
        difference = np.subtract(np.add(first_rating, advantage), second_rating) / POINTS
        variance = (np.square(first_deviation) + np.square(second_deviation)) / POINTS**2
        shrunk = difference / np.sqrt(1.0 + 3.0 * variance / pi**2)
        return logistic(shrunk)

    def expected_score(
        self, ratings: Ratings, first: str, second: str, *, advantage: float | None = None
    ) -> float:
        """Expected score of `first`, moving first, against `second`.

        If a fit found the first-move advantage, that is the default. Raises InputError
        for an unknown name.
        """
        estimate = getattr(ratings, "first_advantage", None)
        if advantage is None and isinstance(estimate, Estimate):
            advantage = estimate.value
        one, other = ratings[first], ratings[second]
        deviations = [0.0 if np.isnan(each.deviation) else each.deviation for each in (one, other)]
        return float(self.probability(one.value, other.value, *deviations, advantage=advantage))
