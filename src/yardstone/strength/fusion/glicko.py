"""Strength from moves and from results in one rating.

A newcomer has no results, but soon some moves; a regular has results, and what his
moves say is worth less and less beside them. The rating that a player's earlier moves
give, with its deviation, is the prior; results are learned on top of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.ratings.glicko import CENTRE, POINTS, Glicko2
from yardstone.ratings.joint import PlayerPriors, Prior
from yardstone.ratings.result import Ratings
from yardstone.ratings.sequential import Predictions

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.ratings.sequential import Arrays, Games, State

    Array = NDArray[np.float64]

__all__ = ["COLUMNS", "GlickoFromMoves", "fuse"]

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
) -> tuple[Array, Array]:
    """Put a prior from moves in the place of the prior that ratings began with.

    Works on the ratings of any system that starts everyone from one normal prior and
    tells deviations: Glicko-2, whole-history rating.

    Parameters
    ----------
    rating, deviation : array of floats
        From results, with the system's own prior in them.
    moves_rating, moves_deviation : array of floats
        The prior from moves, in the same points. NaN, and a deviation not below the
        base's, say nothing.
    base : Prior
        What the system took for the prior of a newcomer.

    Returns
    -------
    rating, deviation : float64 arrays

    Raises
    ------
    InputError
        A deviation is not positive.

    Examples
    --------
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

    Parameters
    ----------
    columns : tuple of 4 str, or None
        Columns of the pool with rating and deviation (points) that the moves of
        *earlier* games give the first player, then the second; NaN where no moves are
        known. The system cannot see where they come from: estimates that know later
        games would cheat. None: the pool has no such columns.
    priors : PlayerPriors, optional
        Of players some of whose moves are known before the first game of the pool.
    initial, initial_deviation : float
        Of players without any moves. Estimates less sure than this say nothing.

    Notes
    -----
    All other parameters are those of `Glicko2`; the rating period is the single game.
    The prior enters as a normal density, divided by that of a newcomer, which the
    ratings already hold. Only what results say drifts by the volatility: the estimate
    is of recent moves each time.

    Examples
    --------
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
        if not isfinite(self.initial):
            raise UsageError(f"the rating of a newcomer must be finite, not {self.initial}")

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
        rating: NDArray[np.float64],
        deviation: NDArray[np.float64],
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

    def _priors_of(self, arrays: Arrays, games: Games) -> Array:
        """Mean and variance of both players' priors before each game, on mu's scale: (games, 4).

        NaN where nothing is known. What is kept of moves is brought up to the last game.
        """
        priors = np.full((len(games), 4), np.nan)
        for place, name in enumerate(self.columns or ()):
            if name not in games.pool.columns:
                raise InputError(
                    f"the games have no column {name!r}",
                    hint="give the estimates from earlier moves, or columns=None",
                )
            try:
                values = games.schedule.take(games.pool.columns[name]).astype(np.float64)
            except (TypeError, ValueError):
                raise InputError(
                    f"the column {name!r} holds something that is not a number"
                ) from None
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
        from yardstone.strength.fusion._glicko_kernels import FusedPlayers, Priors, replay

        rule = Priors(self.tau, self._clock(games), self._priors_of(arrays, games))
        players = FusedPlayers(*(arrays[name] for name in FusedPlayers._fields))
        record = games.record(deviations=True)
        replay(games.rounds, rule, players, record)
        return Predictions.of(record, centre=CENTRE, points=POINTS)
