"""From what a model says of moves to a prior of the player's rating, and how sure it is.

Models of strength from moves say little of how wrong they are, and they were made to be
right on their own, not beside results. So the prior is fitted to be of use there: its
level, slope and deviation, and how both depend on the number of moves are those under which
the results of some games, predicted from earlier results and earlier moves together,
are most likely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import ConvergenceError, InputError, NoGamesError
from yardstone.evaluation.metrics import log_likelihood
from yardstone.ratings.joint import Prior
from yardstone.strength.fusion.glicko import fuse
from yardstone.winprob.laws import logistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.ratings.sequential import Sequential

    Array = NDArray[np.float64]

__all__ = ["MovesPrior", "Sides", "fit_moves_prior"]

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
    """What is known of both players of g games before each; frozen.

    Attributes
    ----------
    rating, deviation : float64 [g, 2]
        From results, of the first player and the second: a newcomer's where there are
        none.
    moves_rating : float64 [g, 2]
        What a model says of their earlier moves, in points; any number without moves.
    moves : int64 [g, 2]
        How many moves that rests upon.
    """

    rating: Array
    deviation: Array
    moves_rating: Array
    moves: NDArray[np.int64]

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

    Attributes
    ----------
    centre : float
        What the model says of the average player, in its points.
    level : float
        What that player's rating by results is: who has played before is not the
        newcomer that the base stands for.
    slope : float
        Points of the results' scale for each point of the model.
    half : float
        Moves after which half of all that moves can tell is known.
    deviation : float
        Points.
    base : Prior
        Of a newcomer, on the results' scale.
    """

    centre: float
    level: float
    slope: float
    half: float
    deviation: float
    base: Prior

    def prior(self, rating: ArrayLike, moves: ArrayLike) -> tuple[Array, Array]:
        """Mean and deviation of the prior for ratings from so many moves; shapes broadcast.

        Parameters
        ----------
        rating : array of floats
            What the model says, in its points; NaN counts as no moves.
        moves : array of int
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

    def fused(self, sides: Sides) -> tuple[Array, Array]:
        """Rating and deviation of both sides from results and moves: [g, 2] each."""
        mean, deviation = self.prior(sides.moves_rating, sides.moves)
        return fuse(sides.rating, sides.deviation, mean, deviation, self.base)

    def expected(self, sides: Sides, system: Sequential) -> Array:
        """Expected score of the first player of each game, from results and moves: [g]."""
        return _expected(*self.fused(sides), system)

    def from_moves_alone(self, sides: Sides, system: Sequential) -> Array:
        """The same without any results: [g]."""
        return _expected(*self.prior(sides.moves_rating, sides.moves), system)


def fit_moves_prior(sides: Sides, score: ArrayLike, system: Sequential, base: Prior) -> MovesPrior:
    """The prior under which these results are most likely.

    Parameters
    ----------
    sides : Sides
        Of the games to fit to. No prediction that is to be judged later may be among
        them, and the model should not have been trained on them: it would be thought
        too sure.
    score : float [g]
        Of the first player.
    system : Sequential
        Predicts from ratings and deviations; the one that `sides` come from.
    base : Prior
        That system's prior of a newcomer.

    Raises
    ------
    NoGamesError
        No side has any moves.
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

    def made(unknowns: Array) -> MovesPrior:
        slope, half, share, above = unknowns
        return MovesPrior(
            centre,
            level + float(above) * base.deviation,
            float(np.exp(slope)),
            float(_MOVES * np.exp(half)),
            float(base.deviation * logistic(share)),
            base,
        )

    def against(unknowns: Array) -> float:
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


def _expected(rating: Array, deviation: Array, system: Sequential) -> Array:
    return system.probability(rating[:, 0], rating[:, 1], deviation[:, 0], deviation[:, 1])
