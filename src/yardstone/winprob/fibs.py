"""The probability of winning a backgammon match by the formula of FIBS, and its inverse.

FIBS, the First Internet Backgammon Server, gives the weaker of two players, D rating
points apart, the chance 1/(1 + 10^(D sqrt(N)/2000)) in a match to N points (its help
page "formula"). Van den Doel writes the same as P = 1/(1 + 10^(R sqrt(N)/2000)) for a
rating difference R: so his P is the chance of whoever is R points *behind*. Here the
difference is always that of the player whose chance is asked for, first minus second.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from yardstone.errors import UsageError
from yardstone.winprob.laws import logistic, logit

if TYPE_CHECKING:
    from yardstone.arrays import Floats

#: A lead of so many points, divided by the root of the length, means odds of ten to one.
POINTS = 2000.0
UNIT = 4.0  #: Points for a sure loss that was won, in a match to one point, with experience.
#: A newcomer's ratings move five times as fast, and as fast as others from 400 on.
FIRST_FACTOR, RAMP = 5.0, 100.0


def checked_length(length: ArrayLike) -> Floats:
    """The lengths of matches as an array; UsageError below 1 point."""
    points = np.asarray(length, np.float64)
    if not ((points >= 1.0) & (points < np.inf)).all():
        raise UsageError("the length of a match is a number of points, 1 or more")
    return points


def steepness(length: ArrayLike) -> Floats:
    """Log odds that a rating point is worth in a match to `length` points."""
    return np.sqrt(checked_length(length)) * (log(10.0) / POINTS)


def probability(first: ArrayLike, second: ArrayLike, length: ArrayLike) -> Floats:
    """Probability that `first` beats `second` in a match.

    `first`, `second`: ratings. Shapes broadcast. `length`: points to win, from 1. Raises
    `UsageError` if a length is below 1 or no number.

    Examples:
        >>> probability(1850, 1750, [1, 5, 7]).round(3)
        array([0.529, 0.564, 0.576])
    """
    return logistic(np.subtract(first, second) * steepness(length))


def difference(chance: ArrayLike, length: ArrayLike) -> Floats:
    """Rating points that a player is ahead who wins with this probability.

    The inverse of `probability`; infinite at 0 and 1. `chance`: probability of a win, 0 to 1. A
    luck-adjusted result can leave these bounds, so take the mean of several before asking.
    `length`: points to win, from 1. Shapes broadcast. Raises `UsageError` if a probability lies
    outside of 0 to 1, or a length is below 1.

    Examples:
        >>> float(difference(0.6, 5).round(1))
        157.5
    """
    p = np.asarray(chance, np.float64)
    if not ((p >= 0.0) & (p <= 1.0)).all():
        raise UsageError("a probability lies between 0 and 1")
    return np.asarray(logit(p) / steepness(length), np.float64)
