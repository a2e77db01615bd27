"""How far true strengths may lie from an entry list, and what the rounds so far say of them.

A declared grade, or a rating without a deviation, is not the strength with which
somebody plays. How far it is off was measured by the results of real tournaments: the
deviation under which the games of a tournament are likeliest, strengths integrated out
(``docs/how-to/tournament-simulation.md`` has the figures). When rounds are over, their results
say more; `Strengths` combines both (Laplace's approximation).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, ModelError
from yardstone.tournament.population import GRADE_SPREAD, LOWEST_GRADE

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

    from yardstone.tournament.scores import Scores
    from yardstone.tournament.winning_laws import WinningLaw

    Values = NDArray[np.float64]

__all__ = [
    "ELO_SPREAD",
    "ENTRY_FACTOR",
    "GamesOver",
    "Strengths",
    "entry_spread",
    "most_probable",
]

#: True strengths scatter about declared grades by so many times the spread of ratings
#: within a grade: of 0.5, 1, 1.5 and 2 the likeliest in 92 events (rather too small:
#: ``studies.true_strengths``).
ENTRY_FACTOR = 1.5
#: Points of Elo by which true strengths of chess players scatter about their ratings: the
#: same study finds 30 to 47 in months of KingBase, and 30 to 42 where 60 is the truth.
ELO_SPREAD = 60.0
#: Steps of differences, in grades or points of the scale at hand.
_STEP = 1e-4
_MOST_STEPS = 100
#: A step shortened to this leads nowhere: the top is reached.
_LEAST_SHARE = 1e-6


def entry_spread(strength: Values, *, points: bool = False) -> Values:
    """Standard deviation of true strengths about an entry list, one a player.

    Parameters
    ----------
    strength : float array
        Strengths by the entry list, in grades (1 dan = 0), or in points of Elo.
    points : bool
        Whether they are points.
    """
    if points:
        return np.full(len(strength), ELO_SPREAD)
    grades = np.arange(LOWEST_GRADE, LOWEST_GRADE + len(GRADE_SPREAD))
    return ENTRY_FACTOR * np.interp(strength, grades, GRADE_SPREAD)


@dataclass(frozen=True, eq=False)
class Strengths:
    """What is known of true strengths: normal, with these means; frozen.

    Attributes
    ----------
    mean : float array (players,)
    root : float array (players, players) or (players,)
        Lower triangular root of the covariance, or deviations of independent strengths.
    """

    mean: Values
    root: Values

    @property
    def deviation(self) -> Values:
        """Standard deviation of each."""
        if self.root.ndim == 1:
            return self.root
        return np.asarray(np.sqrt((self.root**2).sum(axis=1)))

    @property
    def exact(self) -> bool:
        """Whether nothing is uncertain."""
        return not self.root.any()

    def draw(self, rng: Generator) -> Values:
        """Strengths that may be the true ones."""
        if self.exact:
            return self.mean
        noise = rng.standard_normal(len(self.mean))
        return self.mean + (self.root * noise if self.root.ndim == 1 else self.root @ noise)

    @classmethod
    def known(
        cls,
        strength: Values,
        deviation: ArrayLike,
        chance: WinningLaw,
        played: Scores,
        rounds: int,
    ) -> Strengths:
        """Strengths by the entry list, corrected by the rounds that are over.

        Parameters
        ----------
        strength : float array (players,)
            By the entry list.
        deviation : float or float array (players,)
            Of the true ones about it; 0: the list is exact.
        chance : callable
            Win probability.
        played : Scores
        rounds : int
            How many are over.

        Raises
        ------
        InputError
            A deviation is negative or not a number.
        ModelError
            No most probable strengths are found.
        """
        sigma = np.broadcast_to(np.asarray(deviation, np.float64), strength.shape).copy()
        if not (np.isfinite(sigma) & (sigma >= 0.0)).all():
            raise InputError("a deviation of strengths is a number, and not negative")
        games = GamesOver.of(played, rounds, chance)
        if not len(games.first) or not sigma.any():
            return cls(strength, sigma)
        # Who is known exactly gets a spread too small to matter.
        sigma = np.maximum(sigma, 1e-6 * sigma.max())
        mean, precision = most_probable(games, strength, sigma)
        return cls(mean, np.linalg.cholesky(np.linalg.inv(precision)))


@dataclass(frozen=True, eq=False)
class GamesOver:
    """Games that are over; frozen.

    Attributes
    ----------
    first, second : int64 arrays (games,)
        Rows of the players who moved first and second.
    score : float array (games,)
        Points of the first, 0 to 1.
    stones : float array (games,)
        Handicap stones of the first.
    chance : callable
        Win probability.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    score: Values
    stones: Values
    chance: WinningLaw

    @classmethod
    def of(cls, played: Scores, rounds: int, chance: WinningLaw) -> GamesOver:
        """The games of so many rounds."""
        one, column = np.nonzero((played.opponent >= 0) & played.played & (played.first == 1))
        over = column < rounds
        one, column = one[over], column[over]
        return cls(
            one,
            played.opponent[one, column],
            played.points2[one, column] / 2.0,
            np.maximum(-played.handicap[one, column], 0).astype(np.float64),
            chance,
        )

    def expected(self, strength: Values, shift: float = 0.0, other: float = 0.0) -> Values:
        """Expected scores if all first, or all second, players were stronger by some."""
        win, draw = self.chance(
            strength[self.first] + shift, strength[self.second] + other, self.stones
        )
        return np.clip(win + 0.5 * draw, 1e-9, 1.0 - 1e-9)

    def likelihood(self, strength: Values) -> float:
        """Logarithm, draws as half a win and half a loss."""
        p = self.expected(strength)
        return float(np.sum(self.score * np.log(p) + (1.0 - self.score) * np.log1p(-p)))


def most_probable(games: GamesOver, centre: Values, sigma: Values) -> tuple[Values, Values]:
    """Most probable strengths given games and an entry list.

    Parameters
    ----------
    games : GamesOver
    centre, sigma : float arrays (players,)
        Strengths by the entry list, and deviations of the true ones about it, above 0.

    Returns
    -------
    strength : float array (players,)
    precision : float array (players, players)
        Expected information there, that of the entry list included.

    Raises
    ------
    ModelError
        None are found.
    """
    n, step = len(centre), _STEP * float(sigma.max())

    def posterior(x: Values) -> float:
        return games.likelihood(x) - 0.5 * float(np.sum(((x - centre) / sigma) ** 2))

    x, value = centre.copy(), posterior(centre)
    for _ in range(_MOST_STEPS):
        p = games.expected(x)
        slope_1 = (games.expected(x, step) - games.expected(x, -step)) / (2.0 * step)
        slope_2 = (games.expected(x, 0.0, step) - games.expected(x, 0.0, -step)) / (2.0 * step)
        information = 1.0 / (p * (1.0 - p))
        pull = (games.score - p) * information
        pulls = (
            np.bincount(games.first, pull * slope_1, n),
            np.bincount(games.second, pull * slope_2, n),
        )
        gradient = pulls[0] + pulls[1] - (x - centre) / sigma**2
        precision = np.diag(sigma**-2.0)
        for a, b, weight in (
            (games.first, games.first, slope_1 * slope_1),
            (games.second, games.second, slope_2 * slope_2),
            (games.first, games.second, slope_1 * slope_2),
            (games.second, games.first, slope_1 * slope_2),
        ):
            np.add.at(precision, (a, b), information * weight)
        move = np.linalg.solve(precision, gradient)
        share, reached = 1.0, posterior(x + move)
        # Upsets bend the likelihood more than is expected of it: whole steps would swing.
        while share > _LEAST_SHARE:
            half = posterior(x + 0.5 * share * move)
            if reached >= value and reached >= half:
                break
            share, reached = 0.5 * share, half
        x, value = x + share * move, reached
        if np.max(np.abs(share * move) / sigma) < 1e-3 or share <= _LEAST_SHARE:
            return x, precision
    raise ModelError("no most probable strengths were found for the rounds that are over")
