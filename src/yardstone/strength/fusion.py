"""`Fusion`: the rating system in which everybody starts from their moves.

A game's result is learned from after the game, and so are its moves: what they say of both
players stands in columns of the pool beside the result, and the system adds it up for each
player as it goes. So no prediction can know moves of its own game or of a later one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.choices import check_number
from yardstone.errors import ConvergenceError, InputError, NoGamesError, UsageError
from yardstone.evaluation.metrics import log_likelihood
from yardstone.ratings.glicko import CENTRE, POINTS, Glicko2
from yardstone.ratings.joint import PlayerPriors, Prior
from yardstone.ratings.result import Ratings
from yardstone.ratings.sequential import Arrays, Games, Predictions, Sequential, State
from yardstone.winprob.laws import logistic

if TYPE_CHECKING:
    from yardstone.arrays import Floats, Longs
    from yardstone.pool import Pool


#: Columns of a pool: what each side's moves in earlier games say, and how surely.
COLUMNS = (
    "first_moves_rating",
    "first_moves_deviation",
    "second_moves_rating",
    "second_moves_deviation",
)


def fuse(
    rating: ArrayLike,
    deviation: ArrayLike,
    moves_rating: ArrayLike,
    moves_deviation: ArrayLike,
    base: Prior,
) -> tuple[Floats, Floats]:
    """Put a prior from moves in the place of the prior that ratings began with.

    Works on the ratings of any system that starts everyone from one normal prior and tells
    deviations: Glicko-2, whole-history rating. `rating`, `deviation`: from results, with the
    system's own prior in them. `moves_rating`, `moves_deviation`: the prior from moves, in the same
    points. NaN, and a deviation not below the base's, say nothing. `base`: what the system took for
    the prior of a newcomer. Raises `InputError` if a deviation is not positive.

    Examples:
        >>> rating, deviation = fuse(1500.0, 350.0, 1800.0, 100.0, Prior(1500.0, 350.0))
        >>> round(float(rating), 6), round(float(deviation), 6)
        (1800.0, 100.0)
    """
    mean, spread = np.asarray(rating, np.float64), np.asarray(deviation, np.float64)
    moves_mean = np.asarray(moves_rating, np.float64)
    moves_spread = np.asarray(moves_deviation, np.float64)
    if (spread <= 0.0).any() or (moves_spread <= 0.0).any():
        raise InputError("a deviation is not positive")
    with np.errstate(invalid="ignore"):
        says = np.isfinite(moves_mean) & (moves_spread < base.deviation)
    own, usual = 1.0 / np.square(spread), 1.0 / base.deviation**2
    stated = 1.0 / np.square(np.where(says, moves_spread, base.deviation))
    weighted = np.where(says, stated * np.where(says, moves_mean, 0.0) - usual * base.mean, 0.0)
    precision = own + (stated - usual)
    return (own * mean + weighted) / precision, 1.0 / np.sqrt(precision)


@dataclass(frozen=True, kw_only=True)
class GlickoFromMoves(Glicko2):
    """Glicko-2 whose players start from what their moves say.

    Before each game the prior of both players may be another one, for more of their
    moves are known by then. It stands where Glicko-2 has the rating and deviation of a
    newcomer, as if it had been known from the first game on; what the results so far
    have taught is kept apart from it. Without priors this is Glicko-2.

    Args:
        columns: Columns of the pool with rating and deviation (points) that the moves of *earlier*
            games give the first player, then the second; NaN where no moves are known. The system
            cannot see where they come from: estimates that know later games would cheat. None: the
            pool has no such columns.
        priors: Of players some of whose moves are known before the first game of the pool.
        initial, initial_deviation: Of players without any moves. Estimates less sure than this say
            nothing.

    Notes:
        All other parameters are those of `Glicko2`; the rating period is the single game.
        The prior enters as a normal density, divided by that of a newcomer, which the
        ratings already hold. Only what results say drifts by the volatility: the estimate
        is of recent moves each time.

    Examples:
        >>> from yardstone.pool import Pool
        >>> pool = Pool.from_names(["Ann"], ["Bob"], [1])
        >>> system = GlickoFromMoves(columns=None, priors=PlayerPriors({"Ann": (1800.0, 100.0)}))
        >>> replay = system.replay(pool)
        >>> replay.first_rating.round(6), replay.expected.round(3)
        (array([1800.]), array([0.756]))
    """

    columns: tuple[str, str, str, str] | None = COLUMNS
    priors: PlayerPriors | None = None

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        PlayerPriors.check(self.priors)
        if self.period != "game":
            raise UsageError(
                f"priors from moves change with every game, so the period is 'game', "
                f"not {self.period!r}"
            )

    def _newcomers(self, number: int) -> Arrays:
        arrays = super()._newcomers(number)
        arrays["base"] = np.column_stack([arrays["mu"], arrays["phi2"]])
        arrays["moves"] = np.zeros((number, 2))
        return arrays

    def _beginners(self, players: tuple[str, ...]) -> Arrays:
        arrays = self._newcomers(len(players))
        if self.priors is not None:
            usual = Prior(self.initial, self.initial_deviation)
            beliefs = self.priors.arrays(players, usual)
            self._seed(arrays, np.arange(len(players)), beliefs[:, 0], beliefs[:, 1])
        return arrays

    def _seed(
        self,
        arrays: Arrays,
        place: NDArray[np.integer[Any]],
        rating: Floats,
        deviation: Floats,
    ) -> None:
        super()._seed(arrays, place, rating, deviation)
        arrays["base"][place] = np.column_stack([arrays["mu"][place], arrays["phi2"][place]])

    def ratings(self, state: State) -> Ratings:
        """The ratings of a state, with what was last known from moves."""
        arrays = state.arrays
        precision = 1.0 / arrays["phi2"] + arrays["moves"][:, 0]
        mean = (arrays["mu"] / arrays["phi2"] + arrays["moves"][:, 1]) / precision
        return Ratings(
            state.players, CENTRE + POINTS * mean, POINTS / np.sqrt(precision), self.scale
        )

    def _priors_of(self, arrays: Arrays, games: Games) -> Floats:
        """Mean and variance of both players' priors before each game, on mu's scale; NaN: none."""
        priors = np.full((len(games), 4), np.nan)
        hint = "give the estimates from earlier moves, or columns=None"
        for place, name in enumerate(self.columns or ()):
            values = games.schedule.take(_numbers(games.pool, name, hint))
            if place % 2 == 0:
                values = np.where(np.isinf(values), np.nan, values)
                priors[:, place] = (values - CENTRE) / POINTS
            else:
                if (values <= 0.0).any():
                    raise InputError(f"the column {name!r} has a deviation that is not positive")
                priors[:, place] = np.square(values / POINTS)
        unknown = np.isnan(priors)
        for side in (0, 2):
            priors[unknown[:, side] | unknown[:, side + 1], side : side + 2] = np.nan
        return priors

    def _play(self, arrays: Arrays, games: Games) -> Predictions:
        from yardstone.strength._fusion import FromMoves

        names = ("mu", "phi2", "volatility", "last", "base", "moves")
        kept = (arrays[name] for name in names)
        priors = self._priors_of(arrays, games)
        record = games.record(deviations=True)
        FromMoves(*kept, self._clock(games), self.tau, priors).replay(games.rounds, record)
        return Predictions.of(record, centre=CENTRE, points=POINTS)


#: Columns of a pool: how many moves of the first player in a game were looked at, and what
#: strength they show; then the second player's.
MOVE_COLUMNS = (
    "first_moves",
    "first_moves_strength",
    "second_moves",
    "second_moves_strength",
)
#: What moves are worth in points of Glicko-2 ratings, by the scale of the shipped model on which
#: strengths are: of 325 people of the Online Go Server (the study ``fusion_newcomers``), judged
#: on that server's scale by what was learnt from others.
SHIPPED: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "fox": {"strength": 0.4, "slope": 133.0, "noise": 294.0, "half_moves": 60.0},
        "ogs": {"strength": -11.4, "slope": 64.0, "noise": 166.0, "half_moves": 13.0},
    }
)
_NO_COLUMN = (
    "give the records of the games with --moves, or columns with the number of moves and the "
    "strength that they show"
)


@dataclass(frozen=True, kw_only=True)
class Fusion(GlickoFromMoves):
    """Glicko-2 in which the moves of earlier games say where a player starts; frozen.

    Columns of the pool: ``first_moves`` and ``second_moves``, how many moves of each player
    were looked at in a game (0 or NaN: none), and ``first_moves_strength`` and
    ``second_moves_strength``, the strength that they show, on any scale.
    `yardstone.strength.fusion_moves` makes them of SGF files and stores of features. What
    is known of a player before a game is the mean over all moves in earlier games.

    Args:
        strength: What the moves of a player of rating `level` show.
        slope: Rating points for each unit of strength: very many moves are a measurement of a
            player's rating, `level` + `slope` (shown - `strength`).
        noise: Deviation of that measurement in points: what moves do not show of a player's
            results.
        half_moves: Moves after which half of what moves can tell is known.
        source: Whose strengths these are: the model and its scale. Of other strengths the numbers
            above do not hold.
        level: Rating of the average player whose moves are known; by default `initial`.
        columns, priors: As they are: `GlickoFromMoves` takes such.

    Notes:
        `strength`, `slope`, `noise` and `half_moves` are by default those of `SHIPPED` for
        strengths on the scale of OGS; `fit_fusion` finds them for other games. The others are
        those of Glicko-2.

    Examples:
        >>> from dataclasses import replace
        >>> from yardstone.pool import Pool
        >>> pool = Pool.from_names(["Ann", "Ann"], ["Bob", "Cem"], [0, 0])
        >>> shown = np.array([120.0, 120.0]), np.array([6.0, 6.0]), np.zeros(2), np.zeros(2)
        >>> pool = replace(pool, columns=dict(zip(MOVE_COLUMNS, shown, strict=True)))
        >>> system = Fusion(strength=1.0, slope=100.0, noise=150.0, half_moves=60.0)
        >>> replay = system.replay(pool)
        >>> replay.first_rating.round()  # before the first game nothing is known of Ann
        array([1500., 1649.])
    """

    strength: float = SHIPPED["ogs"]["strength"]
    slope: float = SHIPPED["ogs"]["slope"]
    noise: float = SHIPPED["ogs"]["noise"]
    half_moves: float = SHIPPED["ogs"]["half_moves"]
    level: float | None = None
    source: str = ""
    columns: tuple[str, str, str, str] | None = None

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        if self.columns is not None or self.priors is not None:
            raise UsageError("fusion takes neither columns of ratings nor priors of players")
        check_number("slope", self.slope, least=0.0)
        for name in ("half_moves", "noise"):
            check_number(name, getattr(self, name), above=0.0)

    @property
    def moves_prior(self) -> MovesPrior:
        """What moves say of a rating, together with what is known of newcomers."""
        newcomers, noise = self.initial_deviation**2, self.noise**2
        return MovesPrior(
            centre=self.strength,
            level=self.initial if self.level is None else self.level,
            slope=self.slope * newcomers / (newcomers + noise),
            half=self.half_moves,
            deviation=sqrt(newcomers * noise / (newcomers + noise)),
            base=Prior(self.initial, self.initial_deviation),
        )

    def remarks(self, pool: Pool) -> tuple[str, ...]:
        """In how many games moves are known, and what is made of them."""
        number, _ = moves_of_pool(pool)
        known = int((number > 0).any(axis=1).sum())
        level = self.initial if self.level is None else self.level
        return (
            *super().remarks(pool),
            f"Moves are known of {known:,} of {len(pool):,} games.",
            f"Moves: a strength of {self.strength:.2f} is {level:.0f} points, and each unit "
            f"{self.slope:.0f} more, ± {self.noise:.0f} by very many moves; "
            f"{self.half_moves:.0f} moves tell half of that.",
        )

    def _newcomers(self, number: int) -> Arrays:
        return {**super()._newcomers(number), "shown": np.zeros((number, 2))}

    def _priors_of(self, arrays: Arrays, games: Games) -> Floats:
        from yardstone.strength._fusion import earlier_moves

        number, strength = (games.schedule.take(each) for each in moves_of_pool(games.pool))
        rounds = games.rounds
        before = earlier_moves(rounds.first, rounds.second, number, strength, arrays["shown"])
        priors = np.empty((len(games), 4))
        priors[:, 0::2], priors[:, 1::2] = self._units(before[:, :, 0], before[:, :, 1])
        return priors

    def _play(self, arrays: Arrays, games: Games) -> Predictions:
        predictions = super()._play(arrays, games)
        # The moves of each player's last game count for the ratings after it.
        mean, variance = self._units(*arrays["shown"].T)
        base_mean, base_variance = arrays["base"].T
        precision = 1.0 / variance - 1.0 / base_variance
        says = precision > 0.0
        arrays["moves"][:, 0] = np.where(says, precision, 0.0)
        arrays["moves"][:, 1] = np.where(says, mean / variance - base_mean / base_variance, 0.0)
        return predictions

    def _units(self, number: Floats, total: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the prior by moves, on mu's scale; NaN without moves."""
        mean, deviation = self.moves_prior.prior(_mean(number, total), number)
        known = number > 0.0
        return (
            np.where(known, (mean - CENTRE) / POINTS, np.nan),
            np.where(known, np.square(deviation / POINTS), np.nan),
        )


def moves_of_pool(pool: Pool) -> tuple[Floats, Floats]:
    """Of both sides of each game the number of moves and the strength: [games, 2] each.

    A pool without the columns has no moves. Raises `InputError` if some of the columns are missing,
    or hold something else.
    """
    present = [name for name in MOVE_COLUMNS if name in pool.columns]
    if not present:
        return np.zeros((len(pool), 2)), np.zeros((len(pool), 2))
    values = np.column_stack([_numbers(pool, name, _NO_COLUMN) for name in MOVE_COLUMNS])
    number, strength = values[:, 0::2], values[:, 1::2]
    if (number < 0.0).any() or np.isinf(number).any():
        raise InputError("a number of moves is negative or infinite")
    known = (number > 0.0) & np.isfinite(strength)
    return np.where(known, number, 0.0), np.where(known, strength, 0.0)


def _numbers(pool: Pool, name: str, hint: str) -> Floats:
    """A column of a pool; an empty cell is not a number."""
    if name not in pool.columns:
        raise InputError(f"the games have no column {name!r}", hint=hint)
    column = pool.columns[name]
    if column.dtype.kind not in "biuf":  # a table with empty cells
        column = np.where(column == "", "nan", column)
    try:
        return np.asarray(column.astype(np.float64))
    except (TypeError, ValueError):
        raise InputError(f"the column {name!r} holds something that is not a number") from None


def moves_by_player(pool: Pool) -> tuple[Floats, Floats]:
    """How many moves of each player are known, and the mean strength (NaN without): [players]."""
    number, strength = moves_of_pool(pool)
    moves, total = np.zeros(len(pool.players)), np.zeros(len(pool.players))
    for side, player in enumerate((pool.first, pool.second)):
        np.add.at(moves, player, number[:, side])
        np.add.at(total, player, number[:, side] * strength[:, side])
    return moves, _mean(moves, total)


def sides_before(pool: Pool) -> tuple[Floats, Floats]:
    """What the moves of earlier games show of both players of each game of a whole history.

    `pool`: in order of time. Returns strength, number [games, 2]: the mean strength (NaN without
    moves), and on how many moves it rests.
    """
    from yardstone.strength._fusion import earlier_moves

    number, strength = moves_of_pool(pool)
    shown = np.zeros((len(pool.players), 2))
    before = earlier_moves(pool.first, pool.second, number, strength, shown)
    return _mean(before[:, :, 0], before[:, :, 1]), before[:, :, 0]


def _mean(number: Floats, total: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(total / np.where(number > 0.0, number, np.nan))


#: The fit is drawn towards a slope of 1, half the base's deviation and so many moves,
#: as if a game or two had said so: a handful of games must not decide.
_MOVES = 100.0
#: Standard deviations of what it is drawn to: of the logarithm of slope and moves, of the
#: logit of the deviation, and of the level in deviations of the base.
_WIDTHS = (1.0, 2.0, 1.5, 0.5)
#: Slopes below this share are none at all.
_LEAST = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """What is known of both players of g games before each; frozen."""

    #: [g, 2]: from results, of the first player and the second: a newcomer's where there are none.
    rating: Floats
    deviation: Floats
    #: [g, 2]: what a model says of their earlier moves, in points; any number without moves.
    moves_rating: Floats
    moves: Longs  #: [g, 2]: how many moves that rests upon.

    def __post_init__(self) -> None:
        """Refuse arrays that do not go together."""
        arrays = (self.rating, self.deviation, self.moves_rating, self.moves)
        if any(array.shape != (len(self.rating), 2) for array in arrays):
            shapes = ", ".join(str(array.shape) for array in arrays)
            raise InputError(f"what is known of both sides has the shapes {shapes}, not [g, 2]")

    def __len__(self) -> int:
        """Number of games."""
        return len(self.rating)

    def select(self, games: NDArray[Any]) -> Sides:
        """Some of the games."""
        return Sides(
            self.rating[games], self.deviation[games], self.moves_rating[games], self.moves[games]
        )


@dataclass(frozen=True, slots=True)
class MovesPrior:
    """Turns a model's rating from n moves into a normal prior; frozen.

    With r = n/(n + `half`) the prior has

    - mean: base mean + r (`level` - base mean + `slope` (rating - `centre`))
    - variance: base variance - r (base variance - `deviation` squared)

    so without moves it is the base, and with very many only `deviation` is left, which
    no number of moves takes away: what the moves do not tell of a player's results.
    """

    centre: float  #: What the model says of the average player, in its points.
    #: What that player's rating by results is: who has played before is not the newcomer that the
    #: base stands for.
    level: float
    slope: float  #: Points of the results' scale for each point of the model.
    half: float  #: Moves after which half of all that moves can tell is known.
    deviation: float  #: Points.
    base: Prior  #: Of a newcomer, on the results' scale.

    def prior(self, rating: ArrayLike, moves: ArrayLike) -> tuple[Floats, Floats]:
        """Mean and deviation of the prior for ratings from so many moves; shapes broadcast.

        `rating`: what the model says, in its points; NaN counts as no moves.
        """
        x, n = np.broadcast_arrays(np.asarray(rating, np.float64), np.asarray(moves, np.float64))
        n = np.where(np.isfinite(x), n, 0.0)
        x = np.where(n > 0.0, x, self.centre)
        with np.errstate(invalid="ignore"):
            trust = np.where(n > 0.0, n / (n + self.half), 0.0)
        usual = self.base.mean
        mean = usual + trust * (self.level - usual + self.slope * (x - self.centre))
        widest = self.base.deviation**2
        variance = widest - trust * (widest - self.deviation**2)
        return np.asarray(mean), np.sqrt(variance)

    def fused(self, sides: Sides) -> tuple[Floats, Floats]:
        """Rating and deviation of both sides from results and moves: [g, 2] each."""
        mean, deviation = self.prior(sides.moves_rating, sides.moves)
        return fuse(sides.rating, sides.deviation, mean, deviation, self.base)

    def expected(self, sides: Sides, system: Sequential) -> Floats:
        """Expected score of the first player of each game, from results and moves: [g]."""
        return _expected(*self.fused(sides), system)

    def from_moves_alone(self, sides: Sides, system: Sequential) -> Floats:
        """The same without any results: [g]."""
        return _expected(*self.prior(sides.moves_rating, sides.moves), system)


def fit_moves_prior(sides: Sides, score: ArrayLike, system: Sequential, base: Prior) -> MovesPrior:
    """The prior under which these results are most likely.

    Raises `NoGamesError` if no side has any moves.

    Args:
        sides: Of the games to fit to. No prediction that is to be judged later may be among them,
            and the model should not have been trained on them: it would be thought too sure.
        score (float [g]): Of the first player.
        system: Predicts from ratings and deviations; the one that `sides` come from.
        base: That system's prior of a newcomer.
    """
    from scipy.optimize import minimize

    points = np.asarray(score, np.float64)
    if len(points) != len(sides):
        raise InputError(f"{len(points)} scores do not go with {len(sides)} games")
    known = (sides.moves > 0) & np.isfinite(sides.moves_rating)
    if not known.any():
        raise NoGamesError("no player of these games has earlier moves")
    centre = float(sides.moves_rating[known].mean())
    level = float(sides.rating[known].mean())

    def made(unknowns: Floats) -> MovesPrior:
        slope, half, share, above = unknowns
        return MovesPrior(
            centre,
            level + float(above) * base.deviation,
            float(np.exp(slope)),
            float(_MOVES * np.exp(half)),
            float(base.deviation * logistic(share)),
            base,
        )

    def against(unknowns: Floats) -> float:
        pull = float(np.sum(np.square(unknowns / np.array(_WIDTHS))))
        likely = log_likelihood(points, made(unknowns).expected(sides, system))
        return pull / len(points) - likely

    optimum = minimize(
        against,
        np.zeros(4),
        method="Nelder-Mead",
        bounds=[(np.log(_LEAST), 4.0), (-12.0, 8.0), (-6.0, 8.0), (-4.0, 4.0)],
        options={"xatol": 1e-3, "fatol": 1e-8, "maxiter": 4000, "maxfev": 4000},
    )
    if not optimum.success:
        raise ConvergenceError(f"the prior from moves was not found: {optimum.message}")
    return made(optimum.x)


def _expected(rating: Floats, deviation: Floats, system: Sequential) -> Floats:
    return system.probability(rating[:, 0], rating[:, 1], deviation[:, 0], deviation[:, 1])
