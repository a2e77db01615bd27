"""Whole-history rating: every player's strength on every day, from all games at once.

Coulom 2008, "Whole-History Rating: A Bayesian Rating System for Players of
Time-Varying Strength". Strengths drift as Wiener processes (his equation 8 and
section 2.3); the most probable histories are found by Newton's method.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, log
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from yardstone.errors import ConvergenceError, NoGamesError, UsageError
from yardstone.ratings.history import WholeHistoryRatings
from yardstone.ratings.joint_replay import POINTS, PRIOR_INFORMATION, Remembering
from yardstone.ratings.priors import PlayerPriors, Prior
from yardstone.ratings.result import Estimate, Ratings
from yardstone.ratings.schedule import SECONDS_PER_DAY, order_of_time
from yardstone.winprob.logistic import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings._played import Played
    from yardstone.ratings._whr_fit import Fit
    from yardstone.ratings.handicap import Handicap
    from yardstone.ratings.state import State

    Floats = NDArray[np.float64]

__all__ = ["WholeHistory"]


@dataclass(frozen=True, kw_only=True)
class WholeHistory(Remembering):
    """Whole-history rating.

    Parameters
    ----------
    w2 : float or "auto"
        The drift: variance of a strength a day later, in squared rating points. "auto"
        takes the most probable one (for `fit` only).
    average, prior_deviation : float
        Normal prior of each player's strength on his first day, in points.
    priors : PlayerPriors, optional
        Other priors for some players: what their moves, or grades elsewhere, say.
    first_advantage : float or "auto"
        Rating points for moving first.
    draw_rate : float, "auto" or None
        Draw rate of equal opponents (Davidson's law); None counts a draw as half a
        win and half a loss. A pool without draws has none in any case.
    handicap : Handicap, optional
        Where handicap stones and komi are found, and what they are worth.
    resolution : float
        Games within so many days share a strength.
    deviations : {"joint", "conditional", "none"}
        Posterior deviations; or those that take all other players' strengths for
        known, as Coulom's do, which are too small; or none.
    reference : {"mean", "prior"}
        What joint deviations are relative to: the mean of all strengths, for games
        only tell of differences; or the prior, which holds the common level.
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
    array([1512.6, 1475.1])
    """

    w2: float | Literal["auto"] = 14.0
    average: float = 1500.0
    prior_deviation: float = 250.0
    priors: PlayerPriors | None = None
    first_advantage: float | Literal["auto"] = 0.0
    draw_rate: float | Literal["auto"] | None = "auto"
    handicap: Handicap | None = None
    resolution: float = 1.0
    deviations: Literal["joint", "conditional", "none"] = "joint"
    reference: Literal["mean", "prior"] = "mean"
    samples: int = 32
    seed: int = 0
    refit_days: float | None = None
    window: int | None = None

    def __post_init__(self) -> None:
        self._check()
        PlayerPriors.check(self.priors)
        if self.w2 != "auto" and not (isfinite(self.w2) and self.w2 > 0.0):
            raise UsageError(f"w2 must be positive, not {self.w2}")
        if not (isfinite(self.resolution) and self.resolution > 0.0):
            raise UsageError(f"the resolution must be positive, not {self.resolution}")
        if self.samples < 1 or (self.window is not None and self.window < 2):
            raise UsageError("there must be at least one sample and two days in a window")
        if self.refit_days is not None and not self.refit_days > 0.0:
            raise UsageError(f"refit_days must be positive, not {self.refit_days}")

    def _day(self, seconds: NDArray[np.int64]) -> Floats:
        length = round(self.resolution * SECONDS_PER_DAY)
        return np.floor_divide(seconds, length) * (length / SECONDS_PER_DAY)

    def _beliefs(self, players: tuple[str, ...]) -> Floats:
        """Mean and deviation of each player's prior, in points: (players, 2)."""
        priors = PlayerPriors({}) if self.priors is None else self.priors
        return priors.arrays(players, Prior(self.average, self.prior_deviation))

    def _player_priors(self, players: tuple[str, ...]) -> Floats:
        """Mean in logits from the average, and precision, of each prior: (players, 2)."""
        mean, deviation = self._beliefs(players).T
        return np.column_stack([(mean - self.average) / POINTS, (POINTS / deviation) ** 2])

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
        from yardstone.ratings._played import in_order, lay_out_all
        from yardstone.ratings._whr_fit import Fit, fit_drift, new_hessian

        pool = pool.select(pool.first != pool.second)  # games against oneself tell nothing
        if not len(pool):
            raise NoGamesError("there are no games to rate")
        shift = None if self.handicap is None else self.handicap.advantage(pool)
        games = in_order(pool, order_of_time(pool), None, shift)
        layout, _ = lay_out_all(games, len(pool.players), self._day, POINTS)
        drawn = float(np.mean(pool.score == 0.5))
        shared, free = self._shared(draws=drawn > 0.0)
        if free[1]:  # the draw rate of equals is at least that of all: start near it
            start = min(max(drawn, 0.01), 0.9)
            shared[1] = log((1.0 - start) / start)
        w2 = 14.0 if isinstance(self.w2, str) else self.w2
        fit = Fit(
            layout,
            np.zeros(len(layout.node_day)),
            shared,
            new_hessian(layout, free),
            w2 / POINTS**2,
            self._player_priors(pool.players),
        )
        if self.w2 == "auto":
            fit_drift(fit)
        else:
            fit.climb()
        return self._result(pool, fit)

    def _result(self, pool: Pool, fit: Fit) -> WholeHistoryRatings:
        from yardstone.ratings.connectivity import weak_components

        nodes = len(fit.x)
        shared = np.full(2, np.nan)
        if self.deviations == "joint":
            variance, shared = fit.variance(
                self.samples, self.seed, with_level=self.reference == "prior"
            )
        elif self.deviations == "conditional":
            variance = fit.conditional_variance()
        else:
            variance = np.full(nodes, np.nan)
        rating, deviation = self.average + POINTS * fit.x, POINTS * np.sqrt(variance)
        start = fit.layout.node_start
        played, last = start[1:] > start[:-1], start[1:] - 1
        counts = pool.pair_counts()
        component = weak_components(counts, played, names=pool.players)
        time: NDArray[Any] = fit.layout.node_day
        if pool.time is not None:
            time = np.round(time * SECONDS_PER_DAY).astype(np.int64).astype("datetime64[s]")
        rate = float(logistic(-fit.shared[1]))  # NaN where draws count as half a win
        return WholeHistoryRatings(
            pool.players,
            np.where(played, rating[last], np.nan),
            np.where(played, deviation[last], np.nan),
            self.scale,
            start=start,
            time=time,
            day_rating=rating,
            day_deviation=deviation,
            component=component,
            first_advantage=_estimate(
                POINTS * fit.shared[0], POINTS * np.sqrt(shared[0]), fit.hessian.free[0]
            ),
            draw_rate=_estimate(
                rate, rate * (1.0 - rate) * np.sqrt(shared[1]), fit.hessian.free[1]
            ),
            w2=fit.w2 * POINTS**2,
            average=self.average,
            prior_deviation=self.prior_deviation,
            reference=self.reference if self.deviations == "joint" else "others",
            log_posterior=fit.log_posterior(),
            converged_in=fit.steps,
            notes=_notes(component),
        )

    def _go_on(
        self, state: State, games: Played, begin: int, players: tuple[str, ...]
    ) -> tuple[dict[str, NDArray[Any]], Floats, Floats]:
        from yardstone.ratings._played import lay_out_all
        from yardstone.ratings._whr_fit import new_hessian
        from yardstone.ratings._whr_replay import Forecasts, Learner, Pace, replay
        from yardstone.ratings._whr_terms import Model

        if self.w2 == "auto":
            raise UsageError("a replay cannot know the drift beforehand: fit it on earlier games")
        layout, dated = lay_out_all(games, len(players), self._day, POINTS)
        hessian = new_hessian(layout, np.zeros(2, np.bool_))
        x, variance = np.zeros(len(layout.node_day)), np.zeros(len(players))
        stop = layout.node_start[:-1].copy()
        shared, free = self._shared(draws=True)
        known, fitted = (
            np.array(PRIOR_INFORMATION),
            np.array(dated.day[:1] if len(dated.day) else [0.0]),
        )
        if begin:
            old = state.arrays
            days = np.diff(old["node_start"])
            earlier = len(days)
            moved = np.repeat(layout.node_start[:earlier] - old["node_start"][:-1], days)
            place = np.arange(len(moved)) + moved
            x[place], hessian.pivot[place], hessian.off[place] = (
                old["strength"], old["pivot"], old["off"],
            )  # fmt: skip
            variance[:earlier] = old["variance"]
            stop = stop + np.append(days, np.zeros(len(players) - earlier, np.int64))
            shared, known = old["shared"].copy(), old["known"].copy()
            fitted = old["fitted"].copy()
        n = len(games.first) - begin
        forecasts = Forecasts(np.empty(n), np.empty((n, 5)))
        pace = Pace(
            len(x) + 2 if self.window is None else self.window,
            inf if self.refit_days is None else self.refit_days,
        )
        learner = Learner(stop, x, variance, shared, known, free, fitted)
        model = Model(self.w2 / POINTS**2, self._player_priors(players))
        if not replay(layout, dated, begin, learner, model, pace, hessian, forecasts):
            raise ConvergenceError("a full fit within the replay did not converge")
        arrays: dict[str, NDArray[Any]] = {
            "node_start": layout.node_start,
            "strength": x,
            "pivot": hessian.pivot,
            "off": hessian.off,
            "variance": variance,
            "shared": shared,
            "known": known,
            "fitted": fitted,
        }
        return arrays, *forecasts

    def ratings(self, state: State) -> Ratings:
        """Ratings of a state, as of each player's last game; the prior's without games."""
        rating, deviation = self._beliefs(state.players).T.copy()
        if "strength" in state.arrays:
            start, x = state.arrays["node_start"], state.arrays["strength"]
            played = start[1:] > start[:-1]
            rating[played] = self.average + POINTS * x[start[1:][played] - 1]
            deviation[played] = POINTS * np.sqrt(state.arrays["variance"][played])
        return Ratings(state.players, rating, deviation, self.scale)


def _estimate(value: float, deviation: float, free: bool) -> Estimate:
    return Estimate(float(value), float(deviation) if free else 0.0)


def _notes(component: NDArray[np.int32]) -> tuple[str, ...]:
    groups = int(component.max(initial=-1)) + 1
    if groups < 2:
        return ()
    apart = int((component > 0).sum())
    return (
        f"{apart} players in {groups - 1} groups are linked to the largest group by no game: "
        "only the prior relates them to it.",
    )
