"""The handicap that makes a game even by a model of winning: stones, komi, tie.

Stones come first: the whole number with which a game without komi is nearest to even, the
smaller of two that are equally near. Komi makes up the rest, to the half point; below zero
it is given by White. A half point of komi and a tie are one: 6 points with ties to White
decide as 6.5 do.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, Literal

import numpy as np

from yardstone.choices import check_number
from yardstone.errors import UsageError
from yardstone.winprob.grades import MOST_KOMI, MOST_STONES

if TYPE_CHECKING:
    from yardstone.winprob.models import WinningModel

__all__ = ["Chance", "HandicapProposal", "chance_of", "propose_handicap", "tie_and_komi"]

_HALVINGS = 60
#: Points of komi that may make up the rest beside the nearest whole stones; more says that
#: the model's formula has come to its end.
_MOST_REST = 50.0
#: Two handicaps whose chances differ by less from an even game are equally near.
_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Chance:
    """A probability with its interval.

    Attributes
    ----------
    probability : float
    low, high : float or None
        Ends of the interval; None where nothing is known of the model's error.
    """

    probability: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class HandicapProposal:
    """A handicap by one model.

    Attributes
    ----------
    model : str
        Its name.
    about : str
        What it is, in one line.
    stones : int
        Stones of the weaker player, who is Black; 1 means that he only moves first.
    komi : int
        Points that Black gives; below zero White gives them.
    tie : {"black", "white"}
        Who wins when the points are equal then.
    half_point_komi : float
        The same as one komi without ties.
    exact_stones : float or None
        Stones without komi that make the game exactly even; None where Black would then have
        less than the first move.
    chance : Chance
        Black's, with this handicap, by the model itself.
    without_komi : Chance
        The same for the stones alone, without komi.
    outside : bool
        Whether the players are outside what the model was made for.
    """

    model: str
    about: str
    stones: int
    komi: int
    tie: Literal["black", "white"]
    half_point_komi: float
    exact_stones: float | None
    chance: Chance
    without_komi: Chance
    outside: bool


def chance_of(
    model: WinningModel,
    black: float,
    white: float,
    *,
    stones: float,
    komi: float,
    level: float = 0.95,
) -> Chance:
    """Black's chance with its interval; grades in zero-shodan units."""
    value = float(model.probability(black, white, handicap=stones, komi=komi))
    ends = model.interval(black, white, handicap=stones, komi=komi, level=level)
    if ends is None:
        return Chance(value)
    return Chance(value, float(ends[0]), float(ends[1]))


def propose_handicap(
    model: WinningModel,
    black: float,
    white: float,
    *,
    stones: int | None = None,
    level: float = 0.95,
) -> HandicapProposal:
    """The handicap that makes a game even.

    Parameters
    ----------
    model : WinningModel
        On grades.
    black, white : float
        Grades of the weaker and the stronger player, in zero-shodan units.
    stones : int, optional
        Fix the stones and leave the rest to komi.
    level : float
        Of the intervals.

    Raises
    ------
    UsageError
        The model is not on grades, or the players lie too far apart.

    Examples
    --------
    >>> from yardstone.winprob.models import winning_model
    >>> even = propose_handicap(winning_model("egf"), black=-4, white=1)
    >>> even.stones, even.half_point_komi, even.exact_stones
    (5, -6.5, 5.5)
    """
    if model.scale != "grades":
        raise UsageError(f"{model.name}: rating points have no handicap stones")
    most = MOST_KOMI
    if stones is None:
        stones, most = _nearest_stones(model, black, white), _MOST_REST
    else:
        check_number("stones", stones, least=1, most=MOST_STONES, whole=True)
    exact = _even_komi(model, black, white, stones, most)
    if exact is None:
        if most < MOST_KOMI:
            raise UsageError(
                f"{model.name}: no komi makes {stones} stones even; the players are outside what "
                "the model was made for"
            )
        raise UsageError(
            f"{model.name}: {stones} stones are too few or too many: a komi of more than "
            f"{MOST_KOMI:g} points has no meaning"
        )
    komi, tie, half = tie_and_komi(exact)
    return HandicapProposal(
        model.name,
        model.about,
        stones,
        komi,
        tie,
        half,
        _exact_stones(model, black, white),
        chance_of(model, black, white, stones=stones, komi=half, level=level),
        chance_of(model, black, white, stones=stones, komi=0.0, level=level),
        bool(model.extrapolates(black, white)),
    )


def tie_and_komi(exact: float) -> tuple[int, Literal["black", "white"], float]:
    """Whole points that Black gives, who wins ties, and both as one half point.

    The half point nearest to the exact komi; of two the one nearer to zero.

    Examples
    --------
    >>> tie_and_komi(6.8), tie_and_komi(7.0), tie_and_komi(-0.4)
    ((6, 'white', 6.5), (6, 'white', 6.5), (0, 'black', -0.5))
    """
    rounded = round(abs(exact), 6)
    whole = floor(rounded)
    if whole == rounded and whole > 0:
        whole -= 1
    if exact < 0.0:
        return -whole, "black", -(whole + 0.5)
    return whole, "white", whole + 0.5


def _nearest_stones(model: WinningModel, black: float, white: float) -> int:
    every = np.arange(1, MOST_STONES + 1)
    p = model.probability(black, white, handicap=every, komi=0.0)
    if p[-1] < 0.5:
        raise UsageError(
            f"{model.name}: the players lie too far apart for a handicap: {MOST_STONES} stones "
            f"would leave Black {100.0 * p[-1]:.2g} % (are both on the same scale?)"
        )
    off = np.abs(p - 0.5)
    return int(every[np.flatnonzero(off <= off.min() + _EQUAL)[0]])


def _exact_stones(model: WinningModel, black: float, white: float) -> float | None:
    """Stones without komi with which the game is even, fractions of one included."""

    def ahead(stones: float) -> float:
        return float(model.probability(black, white, handicap=stones, komi=0.0)) - 0.5

    low, high = 1.0, float(MOST_STONES)
    if ahead(low) > _EQUAL or ahead(high) < 0.0:
        return None
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if ahead(middle) > 0.0 else (middle, high)
    return round(0.5 * (low + high), 9)


def _even_komi(
    model: WinningModel, black: float, white: float, stones: int, most: float
) -> float | None:
    """The komi that makes a game with so many stones even; None beyond `most` points."""
    low, high = -most, most

    def ahead(komi: float) -> float:
        return float(model.probability(black, white, handicap=stones, komi=komi)) - 0.5

    if ahead(low) < _EQUAL or ahead(high) > -_EQUAL:
        return None
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if ahead(middle) > 0.0 else (low, middle)
    return 0.5 * (low + high)
