"""Entry lists for simulated tournaments: real ones, and synthetic ones like them.

Strengths and grades are numbers of grades, 1 dan = 0; ratings are those of the
European Go Federation, on which 1 dan is 2100 and a grade 100 points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.scales import egf_of_grade, grade_of_egf

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from yardstone.tournament.model import Tournament

__all__ = [
    "APPEARANCES",
    "GRADE_SPREAD",
    "LOWEST_GRADE",
    "EntryList",
    "known_strength",
    "synthetic_field",
]

LOWEST_GRADE = -20

#: Tournaments that players of each grade, 20 kyu to 8 dan, had taken part in: sums over
#: the list of the European Go Federation of 9 November 2014. Its 20 kyu, where all
#: newcomers begin, is given the number of 19 kyu.
APPEARANCES = np.array(
    [
        3079, 3079, 4364, 3877, 4398, 5682, 5237, 5459, 6879, 5667,
        9242, 7934, 12754, 12144, 15918, 17593, 16281, 17846, 18227, 22072,
        25312, 19297, 19357, 14781, 10774, 6250, 2972, 252,
    ],
    np.float64,
)  # fmt: skip

#: Standard deviation of ratings within a grade, in grades: 20 kyu to 8 dan, among the
#: players of that list with at least ten tournaments, the last of them since 2010,
#: smoothed to a straight line down to 4 dan.
GRADE_SPREAD = np.interp(np.arange(LOWEST_GRADE, 8), [-20.0, 3.0, 6.0], [1.2, 0.65, 0.5])


@dataclass(frozen=True, slots=True)
class EntryList:
    """The players of a tournament, with what the organiser knows and what he does not.

    Attributes
    ----------
    names : tuple of str
        One a player.
    grade : array of int, shape (n,)
        Grade with which each enters, 1 dan = 0.
    rating : array of float, shape (n,)
        Rating with which each enters, in points of the EGF.
    strength : array of float, shape (n,)
        True strength, in grades.
    club, country : arrays of int, shape (n,)
        Numbers of clubs and countries; -1 for none.
    """

    names: tuple[str, ...]
    grade: NDArray[np.int64]
    rating: NDArray[np.float64]
    strength: NDArray[np.float64]
    club: NDArray[np.int64]
    country: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.names)


def synthetic_field(
    number: int,
    rng: Generator,
    *,
    lowest: int = LOWEST_GRADE,
    highest: int = 6,
    spread: float = 1.0,
    clubs: int = 0,
    countries: int = 0,
) -> EntryList:
    """A field as European tournaments have it.

    Grades are drawn as often as they take part (`APPEARANCES`), strengths from a
    normal distribution about the grade (`GRADE_SPREAD`), as Hiddema proposes for his
    test of tie-breaks; the rating with which a player enters is that of the grade.

    Parameters
    ----------
    number : int
        Players.
    rng : numpy.random.Generator
        Source of chance.
    lowest, highest : int
        Grades between which to draw, 1 dan = 0: from 20 kyu (-20) to 8 dan (7) at most.
    spread : float
        Factor on the deviation of strengths about grades; 0: strengths are the grades.
    clubs, countries : int
        Number of clubs and of countries over which players are spread evenly.

    Raises
    ------
    UsageError
        If there are no such grades, or nobody.
    """
    if number < 1:
        raise UsageError(f"a field of {number} players cannot be made")
    if not LOWEST_GRADE <= lowest <= highest < LOWEST_GRADE + len(APPEARANCES):
        raise UsageError("grades are drawn from 20k to 8d, the lowest first")
    if not (spread >= 0.0 and np.isfinite(spread)):
        raise UsageError(f"the spread of strengths must not be negative: {spread}")
    grades = np.arange(lowest, highest + 1)
    share = APPEARANCES[grades - LOWEST_GRADE]
    grade = np.sort(rng.choice(grades, number, p=share / share.sum()))[::-1].copy()
    deviation = spread * GRADE_SPREAD[grade - LOWEST_GRADE]
    strength = grade + deviation * rng.standard_normal(number)
    return EntryList(
        names=tuple(f"Player {place}" for place in range(1, number + 1)),
        grade=grade,
        rating=egf_of_grade(grade),
        strength=strength,
        club=_drawn(clubs, number, rng),
        country=_drawn(countries, number, rng),
    )


def _drawn(groups: int, number: int, rng: Generator) -> NDArray[np.int64]:
    if groups < 1:
        return np.full(number, -1)
    return rng.integers(groups, size=number)


def known_strength(tournament: Tournament, *, points: bool = False) -> NDArray[np.float64]:
    """Strengths of a tournament's players as the entry list tells them.

    In grades, from the rating on the European scale or else the grade; with `points`
    the ratings as they stand.

    Raises
    ------
    InputError
        If a player has neither; with `points`, if one has no rating.
    """
    strength = np.empty(len(tournament.players))
    for row, player in enumerate(tournament.players):
        if player.rating is not None:
            strength[row] = player.rating
        elif player.rank is not None and not points:
            strength[row] = egf_of_grade(player.rank)
        else:
            raise InputError(
                f"{player.full_name} has {'no rating' if points else 'neither grade nor rating'}",
                file=tournament.file or None,
                line=player.line or None,
                hint="enter one",
            )
    return strength if points else grade_of_egf(strength)
