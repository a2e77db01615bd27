"""Whole-history rating: every player's strength on every day, from all games at once.

Coulom 2008, "Whole-History Rating: A Bayesian Rating System for Players of
Time-Varying Strength". Strengths drift as Wiener processes (his equation 8 and
section 2.3); the most probable histories are found by Newton's method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, log, pi
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from yardstone.errors import ConvergenceError, NoGamesError, UsageError
from yardstone.ratings._schedule import SECONDS_PER_DAY, order_of_time
from yardstone.ratings.history import WholeHistoryRatings
from yardstone.ratings.replay import Replay
from yardstone.ratings.result import Estimate, Ratings
from yardstone.ratings.sequential import match_players, never_back
from yardstone.ratings.state import State
from yardstone.winprob.davidson import draw_probability
from yardstone.winprob.logistic import ELO_POINTS_PER_LOGIT

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.pool import Pool
    from yardstone.ratings._whr_fit import Fit
    from yardstone.ratings.handicap import Handicap

    Floats = NDArray[np.float64]

__all__ = ["WholeHistory"]

_POINTS = ELO_POINTS_PER_LOGIT
#: What is known of w and tau before any game when they are learned one by one.
_PRIOR_INFORMATION = (12.0, 10.0)


@dataclass(frozen=True, kw_only=True)
class WholeHistory:
    """Whole-history rating.

    Parameters
    ----------
    w2 : float or "free"
        The drift: variance of a strength a day later, in squared rating points. "free"
        takes the most probable one (for `fit` only).
    average, prior_deviation : float
        Normal prior of each player's strength on his first day, in points.
    first_advantage : float or "free"
        Rating points for moving first.
    draw_rate : float, "free" or None
        Draw rate of equal opponents (Davidson's law); None counts a draw as half a
        win and half a loss. A pool without draws has none in any case.
    handicap : Handicap, optional
        Where handicap stones and komi are found, and what they are worth.
    resolution : float
        Games within so many days share a strength.
    deviations : {"joint", "conditional", "none"}
        Posterior deviations; or those that take all other players' strengths for
        known, as Coulom's do, which are too small; or none.
    samples, seed : int
        With more than 1500 player-days, the part of the joint variances that the other
        players cause is estimated from so many random draws.
    refit_days : float, optional
        `replay` makes a full fit each time so many days have passed. Without, only the
        players of a game learn from it at once.
    window : int, optional
        In `replay`, only so many days of a player's past are weighed anew after a game.

    Notes
    -----
    Games need no times: then each player's strength drifts by `w2` with each of his
    games. The prior puts players on one scale whom no games join; `component` and
    `notes` of the result tell.

    Examples
    --------
    >>> import numpy as np
    >>> from yardstone.pool import Pool
    >>> time = np.array(["2024-01-01", "2024-06-01"], "datetime64[s]")
    >>> pool = Pool.from_names(["Ann", "Bob"], ["Bob", "Ann"], [1, 1], time=time)
    >>> WholeHistory(w2=100.0).fit(pool).curve("Ann").rating.round(1)
    array([1518.2, 1481.8])
    """

    w2: float | Literal["free"] = 14.0
    average: float = 1500.0
    prior_deviation: float = 250.0
    first_advantage: float | Literal["free"] = 0.0
    draw_rate: float | Literal["free"] | None = "free"
    handicap: Handicap | None = None
    resolution: float = 1.0
    deviations: Literal["joint", "conditional", "none"] = "joint"
    samples: int = 64
    seed: int = 0
    refit_days: float | None = None
    window: int | None = None

    scale = "elo"

    def __post_init__(self) -> None:
        if self.w2 != "free" and not (isfinite(self.w2) and self.w2 > 0.0):
            raise UsageError(f"w2 must be positive, not {self.w2}")
        if not (isfinite(self.prior_deviation) and self.prior_deviation > 0.0):
            raise UsageError(f"the prior's deviation must be positive, not {self.prior_deviation}")
        if isinstance(self.draw_rate, float | int) and not 0.0 < self.draw_rate < 1.0:
            raise UsageError(f"the draw rate must lie between 0 and 1, not at {self.draw_rate}")
        if not (isfinite(self.resolution) and self.resolution > 0.0):
            raise UsageError(f"the resolution must be positive, not {self.resolution}")
        if self.deviations not in ("joint", "conditional", "none"):
            raise UsageError(f"no deviations are called {self.deviations!r}")
        if self.samples < 1 or (self.window is not None and self.window < 2):
            raise UsageError("there must be at least one sample and two days in a window")
        if self.refit_days is not None and not self.refit_days > 0.0:
            raise UsageError(f"refit_days must be positive, not {self.refit_days}")

    @property
    def _prior(self) -> float:
        return (_POINTS / self.prior_deviation) ** 2

    def _shared(self, draws: bool) -> tuple[Floats, bool, bool]:
        """First-move advantage and tau to start from, and which of them are free."""
        w_free = self.first_advantage == "free"
        w = 0.0 if isinstance(self.first_advantage, str) else self.first_advantage / _POINTS
        if self.draw_rate is None or not draws:
            return np.array([w, np.nan]), w_free, False
        rate = 0.5 if isinstance(self.draw_rate, str) else self.draw_rate
        return np.array([w, log((1.0 - rate) / rate)]), w_free, self.draw_rate == "free"

    def _day(self, seconds: NDArray[np.int64]) -> Floats:
        length = round(self.resolution * SECONDS_PER_DAY)
        return np.floor_divide(seconds, length) * (length / SECONDS_PER_DAY)

    def fit(self, pool: Pool) -> WholeHistoryRatings:
        """Rate every player on every day of a pool, in any order.

        Raises
        ------
        NoGamesError
            The pool is empty.
        InputError
            Only some games have a time, or a column is missing.
        ConvergenceError, ModelError
            There is no solution, or it was not found.
        """
        from yardstone.ratings._whr_fit import Fit, fit_drift, new_hessian
        from yardstone.ratings._whr_state import in_order, lay_out_all

        if not len(pool):
            raise NoGamesError("there are no games to rate")
        shift = None if self.handicap is None else self.handicap.advantage(pool)
        games = in_order(pool, order_of_time(pool), None, shift)
        layout, _ = lay_out_all(games, len(pool.players), self._day, shift_unit=_POINTS)
        shared, w_free, tau_free = self._shared(bool((pool.score == 0.5).any()))
        w2 = 14.0 if isinstance(self.w2, str) else self.w2
        fit = Fit(
            layout,
            np.zeros(len(layout.node_day)),
            shared,
            new_hessian(layout, w_free=w_free, tau_free=tau_free),
            w2 / _POINTS**2,
            self._prior,
        )
        if self.w2 == "free":
            fit_drift(fit)
        else:
            fit.climb()
        return self._result(pool, fit)

    def _result(self, pool: Pool, fit: Fit) -> WholeHistoryRatings:
        from yardstone.ratings.connectivity import weak_components

        nodes = len(fit.x)
        shared = np.full(2, np.nan)
        if self.deviations == "joint":
            variance, shared = fit.variance(self.samples, self.seed)
        elif self.deviations == "conditional":
            variance = fit.conditional_variance()
        else:
            variance = np.full(nodes, np.nan)
        rating, deviation = self.average + _POINTS * fit.x, _POINTS * np.sqrt(variance)
        start = fit.layout.node_start
        seen, last = start[1:] > start[:-1], start[1:] - 1
        counts = pool.pair_counts()
        component = weak_components(counts, seen, names=pool.players)
        time: NDArray[Any] = fit.layout.node_day
        if pool.time is not None:
            time = np.round(time * SECONDS_PER_DAY).astype(np.int64).astype("datetime64[s]")
        rate = float("nan") if np.isnan(fit.shared[1]) else 1.0 / (1.0 + np.exp(fit.shared[1]))
        return WholeHistoryRatings(
            pool.players,
            np.where(seen, rating[last], np.nan),
            np.where(seen, deviation[last], np.nan),
            self.scale,
            start=start,
            time=time,
            day_rating=rating,
            day_deviation=deviation,
            component=component,
            first_advantage=_estimate(
                _POINTS * fit.shared[0], _POINTS * np.sqrt(shared[0]), fit.hessian.free[0]
            ),
            draw_rate=_estimate(rate, rate * (1.0 - rate) * np.sqrt(shared[1]), fit.hessian.free[1]),
            w2=fit.w2 * _POINTS**2,
            average=self.average,
            prior_deviation=self.prior_deviation,
            log_posterior=fit.log_posterior(),
            converged_in=fit.steps,
            notes=_notes(component),
        )

    def replay(self, pool: Pool) -> Replay:
        """Predict each game from the games of earlier days, in order of time.

        After each day the histories of those who played are fitted again, the other
        players' given; see `refit_days`.
        """
        return self.advance(self.start(pool.players), pool)[1]

    def start(self, players: Sequence[str] = ()) -> State:
        """The state before any game."""
        return State(repr(self), tuple(players))

    def advance(self, state: State, pool: Pool) -> tuple[State, Replay]:
        """Go on from a state with the games of a pool, none before the state's last.

        The result is that of one replay of all games if a day's games stand together.
        The state holds all games: they go on to be weighed, but are not replayed.
        """
        from yardstone.ratings import _whr_state as kept
        from yardstone.ratings._whr_fit import new_hessian
        from yardstone.ratings._whr_replay import replay

        if self.w2 == "free":
            raise UsageError("a replay cannot know the drift beforehand: fit it on earlier games")
        if state.system != repr(self):
            raise UsageError(f"the state was made by {state.system}, not by {self!r}")
        until = never_back(state, pool)
        players, number = match_players(state.players, pool.players)
        order = order_of_time(pool)
        shift = None if self.handicap is None else self.handicap.advantage(pool)
        memory = kept.recall(state, len(players), dated=pool.time is not None)
        begin = len(memory.games.first)
        games = kept.join(memory.games, kept.in_order(pool, order, number, shift))
        layout, day = kept.lay_out_all(games, len(players), self._day, shift_unit=_POINTS)
        shared, w_free, tau_free = self._shared(True)
        known = np.array(_PRIOR_INFORMATION)
        if begin:
            shared, known = memory.shared, memory.known
        hessian = new_hessian(layout, w_free=False, tau_free=False)
        x, variance, stop = kept.spread_out(memory, layout, hessian)
        n = len(games.first) - begin
        expected, found = np.empty(n), np.empty((n, 5))
        fitted = np.array([memory.fitted if begin else (day[0] if n else 0.0)])
        if not replay(
            layout, games.first, games.second, games.score, day, begin, stop, x, variance,
            shared, known, np.array([w_free, tau_free]), self.w2 / _POINTS**2, self._prior, 1,
            len(x) + 2 if self.window is None else self.window,
            inf if self.refit_days is None else self.refit_days,
            fitted, 1e-6, 60, hessian, expected, found,
        ):  # fmt: skip
            raise ConvergenceError("a full fit within the replay did not converge")
        after = kept.keep(
            state.system, players, games, until, layout, x, variance, shared, known, fitted, hessian
        )
        return after, self._told(order, expected, found, self.ratings(after))

    def _told(
        self, order: NDArray[np.int64] | None, expected: Floats, found: Floats, ratings: Ratings
    ) -> Replay:
        place = slice(None) if order is None else np.argsort(order)
        expected, found = expected[place], found[place]
        rate = np.exp(-np.logaddexp(0.0, found[:, 4]))
        return Replay(
            expected,
            self.average + _POINTS * found[:, 0],
            self.average + _POINTS * found[:, 2],
            ratings,
            _POINTS * np.sqrt(found[:, 1]),
            _POINTS * np.sqrt(found[:, 3]),
            None if self.draw_rate is None else draw_probability(expected, rate),
        )

    def ratings(self, state: State) -> Ratings:
        """Ratings of a state, as of each player's last game; the prior's without games."""
        n = len(state.players)
        rating, deviation = np.full(n, self.average), np.full(n, self.prior_deviation)
        if "strength" in state.arrays:
            start, x = state.arrays["node_start"], state.arrays["strength"]
            seen = start[1:] > start[:-1]
            rating[seen] += _POINTS * x[start[1:][seen] - 1]
            deviation[seen] = _POINTS * np.sqrt(state.arrays["variance"][seen])
        return Ratings(state.players, rating, deviation, self.scale)

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
        of the parameters, 0 if they are free.
        """
        if advantage is None:
            advantage = 0.0 if isinstance(self.first_advantage, str) else self.first_advantage
        difference = np.subtract(np.add(first_rating, advantage), second_rating) / _POINTS
        variance = (np.square(first_deviation) + np.square(second_deviation)) / _POINTS**2
        shrunk = difference / np.sqrt(1.0 + 3.0 * variance / pi**2)
        return np.asarray(np.exp(-np.logaddexp(0.0, -shrunk)), np.float64)

    def expected_score(
        self, ratings: Ratings, first: str, second: str, *, advantage: float | None = None
    ) -> float:
        """Expected score of `first`, moving first, against `second`.

        Under `WholeHistoryRatings` the advantage is by default the one found. Raises
        InputError for an unknown name.
        """
        if advantage is None and isinstance(ratings, WholeHistoryRatings):
            advantage = ratings.first_advantage.value
        one, other = ratings[first], ratings[second]
        deviations = [0.0 if np.isnan(each.deviation) else each.deviation for each in (one, other)]
        return float(self.probability(one.value, other.value, *deviations, advantage=advantage))


def _estimate(value: float, deviation: float, free: bool) -> Estimate:
    return Estimate(float(value), float(deviation) if free else 0.0)


def _notes(component: NDArray[np.int32]) -> tuple[str, ...]:
    groups = int(component.max(initial=-1)) + 1
    if groups < 2:
        return ()
    apart = int((component > 0).sum())
    return (
        f"{apart} players in {groups - 1} groups are joined to the largest group by no game: "
        "only the prior relates them to it.",
    )
