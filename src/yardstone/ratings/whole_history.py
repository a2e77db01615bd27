"""Whole-history rating: every player's strength on every day, from all games at once.

Coulom 2008, "Whole-History Rating: A Bayesian Rating System for Players of
Time-Varying Strength". Strengths drift as Wiener processes (his equation 8 and
section 2.3); the most probable histories are found by Newton's method.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, log, pi
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Flags, Floats, Ints, Longs
from yardstone.choices import check_number
from yardstone.errors import ConvergenceError, InputError, ModelError, NoGamesError, UsageError
from yardstone.pool import Pool, StoredPool
from yardstone.ratings._history import HistoryLearner, Posterior
from yardstone.ratings.joint import PlayerPriors, Prior
from yardstone.ratings.layout import DayGames, Forecasts, Layout, lay_out
from yardstone.ratings.result import Estimate, Ratings, Replay
from yardstone.ratings.sequential import (
    SECONDS_PER_DAY,
    Predictor,
    State,
    match_players,
    never_back,
    order_of_time,
)
from yardstone.winprob.laws import ELO_POINTS_PER_LOGIT, draw_probability, logistic

if TYPE_CHECKING:
    from yardstone.ratings.egf import Handicap

#: What to keep, expected scores, and beliefs of each game.
Learned = tuple[dict[str, NDArray[Any]], Floats, Floats]

_NONE, _UNKNOWN = Estimate(0.0), Estimate(float("nan"))


@dataclass(frozen=True, eq=False)
class Curve:
    """One player's ratings over time."""

    time: NDArray[Any]  #: Days on which he played (without times: the numbers of his games).
    #: The rating of each day, from all games before and after it, and its deviation.
    rating: Floats
    deviation: Floats

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True, eq=False, repr=False)
class WholeHistoryRatings(Ratings):
    """Ratings of all players on all days on which they played; frozen.

    `rating` and `deviation` are those of each player's last day; NaN for a player without games.
    """

    #: (players + 1,): Where each player's days begin in the next three.
    start: Longs = field(default_factory=lambda: np.zeros(1, np.int64))
    #: All days of all players, as in `Curve`.
    time: NDArray[Any] = field(default_factory=lambda: np.zeros(0))
    day_rating: Floats = field(default_factory=lambda: np.zeros(0))
    day_deviation: Floats = field(default_factory=lambda: np.zeros(0))
    #: (players,): Players joined by games, 0 the largest group, -1 without; by the prior else.
    component: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    #: Rating points for moving first; draw rate of equal opponents (NaN where draws count as half a
    #: win).
    first_advantage: Estimate = _NONE
    draw_rate: Estimate = _UNKNOWN
    w2: float = 0.0  #: The drift: variance a day, in squared points.
    #: Where the prior of each player's first day lies, and how wide it is.
    average: float = 0.0
    prior_deviation: float = 0.0
    #: As in `WholeHistory`, or ``"others"``: all other players' strengths are taken for known.
    reference: str = "mean"
    log_posterior: float = 0.0  #: Logarithm of the density at the ratings, up to a constant.
    converged_in: int = 0  #: Newton steps taken.
    notes: Sequence[str] = ()  #: Plain statements that a reader of the ratings must know.

    def curve(self, player: str) -> Curve:
        """The history of a player; InputError if there is none of that name."""
        row = self.index(player)
        days = slice(self.start[row], self.start[row + 1])
        return Curve(self.time[days], self.day_rating[days], self.day_deviation[days])

    def at(self, time: np.datetime64 | str | float) -> Ratings:
        """Ratings at any moment, with what was known at the end.

        On a day of play those of that day. Between two such days the rating goes
        straight from one to the other and the variance has the drift's bridge on top;
        after the last day the variance grows by the drift, before the first one too
        (never beyond the prior's). Players without games get the prior.
        """
        dated = self.time.dtype.kind == "M"
        try:
            moment = np.datetime64(str(time), "s") if dated else float(time)
        except (TypeError, ValueError):
            raise InputError(f"{time!r} is not a date or time") from None
        days = self.time.astype(np.int64) / 86_400.0 if dated else self.time.astype(np.float64)
        now = float(np.asarray(moment).astype(np.int64)) / 86_400.0 if dated else float(moment)
        rating = np.full(len(self), self.average, np.float64)
        deviation = np.full(len(self), self.prior_deviation, np.float64)
        for row in range(len(self)):
            low, high = int(self.start[row]), int(self.start[row + 1])
            if low < high:
                rating[row], deviation[row] = self._between(days, low, high, now)
        return Ratings(self.players, rating, deviation, self.scale)

    def _between(self, days: Floats, low: int, high: int, now: float) -> tuple[float, float]:
        after = low + int(np.searchsorted(days[low:high], now))
        rating, deviation = self.day_rating, self.day_deviation
        if after < high and days[after] == now:
            return float(rating[after]), float(deviation[after])
        if low < after < high:
            length = days[after] - days[after - 1]
            share = (now - days[after - 1]) / length
            middle = (1.0 - share) * rating[after - 1] + share * rating[after]
            variance = (1.0 - share) * deviation[after - 1] ** 2 + share * deviation[after] ** 2
            variance += self.w2 * length * share * (1.0 - share)
            return float(middle), float(np.sqrt(variance))
        edge = low if after == low else high - 1
        variance = deviation[edge] ** 2 + self.w2 * abs(now - days[edge])
        if after == low:
            variance = min(variance, max(deviation[edge], self.prior_deviation) ** 2)
        return float(rating[edge]), float(np.sqrt(variance))


#: What is said of games that do not fit in memory.
ALL_AT_ONCE = "it weighs all games at once, and these do not fit in memory"
MORE_MEMORY = "take another system, fewer games, or give more with --memory"
POINTS = ELO_POINTS_PER_LOGIT  #: Rating points of one logit.
#: What is known of w and tau before any game when they are learned game by game.
PRIOR_INFORMATION = (12.0, 10.0)


class Remembering(Predictor):
    """Base of the systems that weigh all games so far."""

    average: float
    prior_deviation: float
    first_advantage: float | Literal["auto"]
    draw_rate: float | Literal["auto"] | None
    handicap: Handicap | None
    resolution: float = 1.0  #: Games within so many days share a strength.

    _above_zero = ("prior_deviation", "half_life", "w2", "resolution", "refit_days")
    _infinite = ("half_life",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.draw_rate, str | None):
            check_number("draw_rate", self.draw_rate, above=0.0, below=1.0)

    @property
    def _prior(self) -> float:
        """Precision of the prior, in logits."""
        return (POINTS / self.prior_deviation) ** 2

    def _shared(self, *, draws: bool) -> tuple[Floats, Flags]:
        """First-move advantage and tau to start from, and which of them are free."""
        w_free = self.first_advantage == "auto"
        w = 0.0 if isinstance(self.first_advantage, str) else self.first_advantage / POINTS
        if self.draw_rate is None or not draws:
            return np.array([w, np.nan]), np.array([w_free, False])
        rate = 0.5 if isinstance(self.draw_rate, str) else self.draw_rate
        tau = log((1.0 - rate) / rate)
        return np.array([w, tau]), np.array([w_free, self.draw_rate == "auto"])

    def lay_out(self, games: Played, players: int) -> tuple[Layout, DayGames]:
        """Layout of all games, and the games with the day of each.

        Without times each player's days are counted in his own games.
        """
        if len(games.seconds):
            length = round(self.resolution * SECONDS_PER_DAY)
            day = np.floor_divide(games.seconds, length) * (length / SECONDS_PER_DAY)
        else:
            day = np.arange(len(games.first), dtype=np.float64)
        with_days = DayGames(games.first, games.second, games.score, day)
        layout = lay_out(with_days, games.shift / POINTS, players)
        if not len(games.seconds):
            nodes = np.arange(len(layout.node_day))
            counted = nodes - np.repeat(layout.node_start[:-1], np.diff(layout.node_start))
            layout = layout._replace(node_day=counted.astype(np.float64))
        return layout, with_days

    def start(self, players: Sequence[str] = ()) -> State:
        """The state before any game."""
        return State(repr(self), tuple(players))

    def advance(self, state: State, pool: Pool) -> tuple[State, Replay]:
        """Go on from a state with the games of a pool, none before the state's last.

        New players join. The result is that of one replay of all games if the games of a day stand
        together. The state holds all games, for they go on to be weighed; they are not replayed.
        """
        if isinstance(pool, StoredPool):
            raise InputError(ALL_AT_ONCE, hint=MORE_MEMORY)
        self._check_maker(state)
        until = never_back(state, pool)
        players, number = match_players(state.players, pool.players)
        order = order_of_time(pool)
        shift = None if self.handicap is None else self.handicap.advantage(pool)
        games = in_order(pool, order, number, shift)
        if begin := len(state.arrays.get("games_first", ())):
            earlier = Played(*(state.arrays[f"games_{name}"] for name in Played._fields))
            if (pool.time is not None) != (len(earlier.seconds) > 0):
                raise InputError("either all games have times, those of the state too, or none")
            both: Any = zip(earlier, games, strict=True)
            games = Played(*map(np.concatenate, both))
        arrays, expected, beliefs = self._go_on(state, games, begin, players)
        arrays |= {f"games_{name}": column for name, column in games._asdict().items()}
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
    def _go_on(self, state: State, games: Played, begin: int, players: tuple[str, ...]) -> Learned:
        """Predict and learn the games from number `begin` on; beliefs are (games, 5)."""

    @abstractmethod
    def ratings(self, state: State) -> Ratings:
        """Ratings of a state, as of each player's last game; the prior's without games."""

    def _chance(self, first: Floats, second: Floats, ahead: Floats, variance: Floats) -> Floats:
        difference = (first + ahead - second) / POINTS
        return logistic(difference / np.sqrt(1.0 + 3.0 * (variance / POINTS**2) / pi**2))

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
        return super().expected_score(ratings, first, second, advantage=advantage)


@dataclass(frozen=True, kw_only=True)
class WholeHistory(Remembering):
    """Whole-history rating.

    Args:
        w2 (float or "auto"): The drift: variance of a strength a day later, in squared rating
            points. "auto" takes the most probable one (for `fit` only).
        average, prior_deviation: Normal prior of each player's strength on his first day, in
            points.
        priors: Other priors for some players: what their moves, or grades elsewhere, say.
        first_advantage (float or "auto"): Rating points for moving first.
        draw_rate (float, "auto" or None): Draw rate of equal opponents (Davidson's law); None
            counts a draw as half a win and half a loss. A pool without draws has none in any case.
        handicap: Where handicap stones and komi are found, and what they are worth.
        resolution: Games within so many days share a strength.
        deviations ({"joint", "conditional", "none"}): Posterior deviations; or those that take all
            other players' strengths for known, as Coulom's do, which are too small; or none.
        reference ({"mean", "prior"}): What joint deviations are relative to: the mean of all
            strengths, for games only tell of differences; or the prior, which holds the common
            level.
        samples, seed: With more than 1500 player-days, the part of the joint variances that the
            other players cause is estimated from so many random draws.
        refit_days: `replay` makes a full fit each time so many days have passed. Without, only the
            players of a game learn from it at once.
        window: In `replay`, only so many days of a player's past are weighed anew after a game.

    Notes:
        Games need no times: then each player's strength drifts by `w2` with each of his
        games. The prior puts players on one scale whom no games join; `component` and
        `notes` of the result tell.

    Examples:
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
        super().__post_init__()
        PlayerPriors.check(self.priors)
        if self.samples < 1 or (self.window is not None and self.window < 2):
            raise UsageError("there must be at least one sample and two days in a window")

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

        Raises `NoGamesError`: the pool is empty. Raises `InputError`: only some games have a time,
        or a column is missing. Raises `ConvergenceError`, `ModelError`: there is no solution, or it
        was not found.
        """
        pool = pool.select(pool.first != pool.second)  # games against oneself tell nothing
        if not len(pool):
            raise NoGamesError("there are no games to rate")
        shift = None if self.handicap is None else self.handicap.advantage(pool)
        games = in_order(pool, order_of_time(pool), None, shift)
        layout, _ = self.lay_out(games, len(pool.players))
        drawn = float(np.mean(pool.score == 0.5))
        shared, free = self._shared(draws=drawn > 0.0)
        if free[1]:  # the draw rate of equals is at least that of all: start near it
            start = min(max(drawn, 0.01), 0.9)
            shared[1] = log((1.0 - start) / start)
        w2 = 14.0 if isinstance(self.w2, str) else self.w2
        fit = HistoryFit(
            layout,
            shared,
            free,
            w2 / POINTS**2,
            self._player_priors(pool.players),
        )
        if self.w2 == "auto":
            fit_drift(fit)
        else:
            fit.climb()
        return self._result(pool, fit)

    def _result(self, pool: Pool, fit: HistoryFit) -> WholeHistoryRatings:
        from yardstone.ratings.connectivity import strong_components

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
        component = strong_components(counts, played, names=pool.players, weak=True)
        notes: tuple[str, ...] = ()
        if (groups := int(component.max(initial=-1)) + 1) > 1:
            notes = (
                f"{int((component > 0).sum())} players in {groups - 1} groups are linked to the "
                "largest group by no game: only the prior relates them to it.",
            )
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
                POINTS * fit.shared[0], POINTS * np.sqrt(shared[0]), fit.free[0]
            ),
            draw_rate=_estimate(rate, rate * (1.0 - rate) * np.sqrt(shared[1]), fit.free[1]),
            w2=fit.w2 * POINTS**2,
            average=self.average,
            prior_deviation=self.prior_deviation,
            reference=self.reference if self.deviations == "joint" else "others",
            log_posterior=fit.log_posterior(),
            converged_in=fit.steps,
            notes=notes,
        )

    def _go_on(self, state: State, games: Played, begin: int, players: tuple[str, ...]) -> Learned:
        if self.w2 == "auto":
            raise UsageError("a replay cannot know the drift beforehand: fit it on earlier games")
        layout, dated = self.lay_out(games, len(players))
        shared, free = self._shared(draws=True)
        stop = layout.node_start[:-1].copy()
        days = len(layout.node_day)
        nodes = {"strength": np.zeros(days), "pivot": np.ones(days), "off": np.zeros(days)}
        others: dict[str, Floats] = {
            "variance": np.zeros(len(players)),
            "shared": shared,
            "known": np.array(PRIOR_INFORMATION),
            "fitted": np.array(dated.day[:1] if len(dated.day) else [0.0]),
        }
        if begin:
            before = state.arrays["node_start"]
            played = np.diff(before)
            moved = np.repeat(layout.node_start[: len(played)] - before[:-1], played)
            stop[: len(played)] += played
            for name, column in nodes.items():
                column[np.arange(len(moved)) + moved] = state.arrays[name]
            for name, column in others.items():
                column[: len(state.arrays[name])] = state.arrays[name]
        forecasts = Forecasts.of(len(games.first) - begin)
        posterior = Posterior(
            layout,
            stop,
            self.w2 / POINTS**2,
            self._player_priors(players),
            np.zeros(2, np.bool_),  # full fits leave w and tau as they are
            nodes["off"],
            nodes["pivot"],
        )
        learner = HistoryLearner(
            posterior,
            days + 2 if self.window is None else self.window,
            inf if self.refit_days is None else self.refit_days,
            others["variance"],
            others["fitted"],
            *(dated, begin, nodes["strength"], shared, others["known"], free, forecasts),
        )
        if not learner.replay():
            raise ConvergenceError("a full fit within the replay did not converge")
        return {"node_start": layout.node_start, **nodes, **others}, *forecasts

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


class Played(NamedTuple):
    """Games in order of time; `seconds` is empty without times, `shift` are points of handicap."""

    first: Ints
    second: Ints
    score: Floats
    seconds: Longs
    shift: Floats


def in_order(pool: Pool, order: Longs | None, number: Ints | None, shift: Floats | None) -> Played:
    """The games of a pool in order of time, its players renumbered."""
    place: Any = slice(None) if order is None else order
    first, second = pool.first[place], pool.second[place]
    if number is not None:
        first, second = number[first], number[second]
    return Played(
        np.array(first),
        np.array(second),
        np.array(pool.score[place]),
        np.zeros(0, np.int64) if pool.time is None else pool.time.astype(np.int64)[place],
        np.zeros(len(pool)) if shift is None else shift[place],
    )


#: Up to so many unknowns the Hessian is treated as a full matrix.
FULL_MATRIX_LIMIT = 1500
_TOLERANCE = 1e-9
_MAX_STEPS = 60
#: Beyond so many logits the first-move advantage or the draw parameter has no estimate.
_RUNAWAY = 12.0
#: Stochastic Lanczos quadrature for the logarithm of a determinant: probes and steps.
_PROBES, _LANCZOS_STEPS = 8, 25
_SOLVED = 1e-3  #: Systems in H are solved to this for deviations.
#: Where the drift is looked for, in squared logits a day, and how closely (in its logarithm).
_DRIFT_RANGE, _DRIFT_ACCURACY = (1e-8, 1.0), 0.01


class HistoryFit:
    """A layout with the strengths `x` (logits) that fit it.

    `shared` are w (logits) and tau (NaN: draws are half a win), `free` says whether they are
    unknown; `w2` is the drift in squared logits a day, `prior` mean and precision of each first
    day.
    """

    def __init__(
        self, layout: Layout, shared: Floats, free: Flags, w2: float, prior: Floats
    ) -> None:
        self.layout, self.shared, self.free, self.prior = layout, shared, free, prior
        self.x = np.zeros(len(layout.node_day))
        self.posterior = Posterior(layout, layout.node_start[1:].copy(), w2, prior, free)
        self.steps = 0

    @property
    def w2(self) -> float:
        """Drift in squared logits a day."""
        return float(self.posterior.w2)

    def climb(self) -> None:
        """Find the maximum; ConvergenceError if that fails."""
        converged, self.steps, last = self.posterior.climb(
            self.x, self.shared, _TOLERANCE, _MAX_STEPS
        )
        for value, name in zip(self.shared, ("first-move advantage", "draw rate"), strict=True):
            if abs(value) > _RUNAWAY:
                raise ModelError(f"the {name} has no finite estimate: fix it")
        if not converged:
            raise ConvergenceError(
                f"the strengths still moved by {last:.3g} logits after {self.steps} steps"
            )
        self.linearise()

    def linearise(self) -> Floats:
        """Fill the Hessian where the strengths are now; returns the gradient."""
        gradient = np.zeros(len(self.x) + 2)
        self.posterior.linearise(self.x, self.shared, gradient)
        return gradient

    def log_posterior(self) -> float:
        """Log posterior at the strengths, up to a constant."""
        return float(self.posterior.log_posterior(self.x, self.shared))

    def full_matrix(self) -> Floats:
        """The Hessian as a matrix, over nodes and the free ones of w and tau."""
        size = len(self.x) + 2
        matrix, unit, column = np.zeros((size, size)), np.zeros(size), np.zeros(size)
        for k in range(size):
            unit[k] = 1.0
            self.posterior.multiply(unit, column)
            matrix[:, k] = column
            unit[k] = 0.0
        kept = np.append(np.ones(len(self.x), np.bool_), self.free)
        inner: Floats = matrix[np.ix_(kept, kept)]
        return inner

    def conditional_variance(self) -> Floats:
        """Variance of each strength, all other players' strengths given."""
        variance = np.zeros(len(self.x))
        self.posterior.conditional_variance(variance)
        return variance

    def variance(
        self, samples: int, seed: int, *, with_level: bool = True
    ) -> tuple[Floats, Floats]:
        """Posterior variance of each strength, and of w and tau (NaN where not free).

        Without the level: given the mean of all strengths. By inversion for a small pool; for a
        large one the variance given the other players is exact, and that of its mean is estimated
        from `samples` draws (Rao and Blackwell), but for the part of the common level.
        """
        shared = np.full(2, np.nan)
        n = len(self.x)
        if n <= FULL_MATRIX_LIMIT:
            inverse = np.linalg.inv(self.full_matrix())
            diagonal = np.diag(inverse).copy()
            shared[self.free] = diagonal[n:]
            along = inverse[:n, :n].sum(axis=1)
            return diagonal[:n] - (0.0 if with_level else along**2 / along.sum()), shared
        generator = np.random.default_rng(seed)
        moved = np.zeros(n)
        size = n + 2
        noise, solved, alone = np.ones(size), np.zeros(size), np.zeros(size)
        noise[-2:] = 0.0
        self._solve(noise, solved)
        self.posterior.solve_blocks(noise, alone)
        along = solved[:-2].copy()  # covariance of each strength with the sum of all
        mean_along = along - alone[:-2]  # and of what the other players make of each
        level = float(along.sum())  # variance of that sum
        for _ in range(samples):
            normal = generator.standard_normal(len(self.layout.score) + len(self.x))
            self.posterior.draw_noise(normal, noise)
            self._solve(noise, solved)
            self.posterior.solve_blocks(noise, alone)
            moved += ((solved - alone)[:-2] - mean_along * (solved[:-2].sum() / level)) ** 2
        for k in np.flatnonzero(self.free):
            noise[:] = 0.0
            noise[n + k] = 1.0
            self._solve(noise, solved)
            shared[k] = solved[n + k]
        variance = self.conditional_variance() + mean_along**2 / level + moved / samples
        return variance - (0.0 if with_level else along**2 / level), shared

    def _solve(self, right: Floats, out: Floats) -> None:
        if not self.posterior.solve_all(right, _SOLVED, out):
            raise ConvergenceError("a system of equations for the deviations was not solved")

    def log_evidence(self) -> float:
        """Laplace's approximation of the log-probability of all results, up to a constant."""
        layout = self.layout
        step = np.diff(layout.node_day)
        inner = np.ones(len(step), np.bool_)
        played = layout.node_start[:-1] < layout.node_start[1:]
        firsts = layout.node_start[:-1][played]
        inner[firsts[firsts > 0] - 1] = False
        width = np.log(self.w2 * step[inner]).sum() - np.log(self.prior[played, 1]).sum()
        return self.log_posterior() - 0.5 * float(width) - 0.5 * self._log_determinant()

    def _log_determinant(self) -> float:
        if len(self.x) <= FULL_MATRIX_LIMIT:
            return float(np.linalg.slogdet(self.full_matrix())[1])
        total = self.posterior.log_determinant_of_blocks()
        generator = np.random.default_rng(0)  # the same probes each time: a smooth function
        free = np.append(np.ones(len(self.x)), self.free)
        for _ in range(_PROBES):
            probe = generator.choice((-1.0, 1.0), len(free)) * free
            alpha, beta, length2 = self.posterior.lanczos(probe, _LANCZOS_STEPS)
            value, vector = np.linalg.eigh(np.diag(alpha) + np.diag(beta, 1) + np.diag(beta, -1))
            total += length2 * float(vector[0] ** 2 @ np.log(np.maximum(value, 1e-12))) / _PROBES
        return float(total)


def fit_drift(fit: HistoryFit) -> None:
    """Set the drift to where the results are most probable, and climb there."""
    from scipy.optimize import minimize_scalar

    def against(log_w2: float) -> float:
        fit.posterior.w2 = float(np.exp(log_w2))
        fit.climb()
        return -fit.log_evidence()

    low, high = np.log(_DRIFT_RANGE)
    optimum = minimize_scalar(
        against, bounds=(low, high), method="bounded", options={"xatol": _DRIFT_ACCURACY}
    )
    fit.posterior.w2 = float(np.exp(optimum.x))
    fit.climb()
