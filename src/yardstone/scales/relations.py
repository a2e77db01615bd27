"""The scales on which Go players are measured, and the conversion between any two.

Every scale is tied to the *grade* on the number line of `yardstone.winprob.grades`
(1 dan = 0, 1 kyu = -1), which is what the scales have in common by definition or by a
published formula. The ratings of one player on two scales need not agree with these:
they come from different games.

=========  =================================================  ==================
scale      formula, g being the grade                         range of g
=========  =================================================  ==================
grade      g                                                  30 kyu to 9 dan
egf        2100 + 100 g                                       30 kyu to 9 dan
ogs        525 exp((g + 30.5) / 23.15)                        30 kyu to 9 dan
ogs-2020   850 exp(0.032 (g + 30.5))                          30 kyu to 9 dan
goldis     2000 + 100 g (log rating in thousandths)           19 kyu to 10 dan
elo        integral of the slope of Kaniuk's model            20 kyu to 9 dan
elo-egf    (400/ln 10) (-7) ln(3300 - rating), rating of egf  30 kyu to 9 dan
=========  =================================================  ==================

Sources: EGF, *EGF Official ratings system* (europeangodatabase.eu; grades 100
points apart, 1 dan at 2100, floor -900; the expected score since 2021 is a
logistic of ``-7 ln(3300 - rating)``). OGS, rank formula of 2021
(forums.online-go.com, "2021 rating and rank adjustments"), and the one before it, by which
the ranks in records of 2020 follow from the ratings beside them. Goldis: see
`yardstone.winprob.goldis`. Elo: differences, not values, have a meaning; both
are set to 2100 at 1 dan. ``elo`` is where two players of a small difference have
Kaniuk's probability, and beyond a few grades that model and any one Elo scale
part.

Scales differ in where a number stands for a grade. The EGF's 2100 is the middle of
1 dan, which reaches from 2050 to 2150. OGS counts from the beginning: its rank 30 (1918
points) is where 1 dan begins, and 31 (2003) where 2 dan does; so does Fox, whose 1 dan is
1 to 2. Grades stand for the middle of their stretch here, and half a grade is added where
a site counts from the beginning: for OGS in its formula, for Fox in `fox_of_grade`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import pi, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import no_such
from yardstone.errors import UsageError
from yardstone.winprob.goldis import goldis_of_grade, grade_of_goldis
from yardstone.winprob.grades import format_grade
from yardstone.winprob.kaniuk import PUBLISHED, Kaniuk
from yardstone.winprob.logistic import ELO_POINTS_PER_LOGIT

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = [
    "SCALES",
    "Scale",
    "convert",
    "egf_of_grade",
    "egf_of_pro",
    "fox_of_grade",
    "grade_of_egf",
    "grade_of_fox",
    "kaniuk_elo",
]

#: Where the EGF's expected score has its pole.
_EGF_TOP = 3300.0
#: The EGF's rating of 1 dan, and the points of a grade.
_SHODAN, _EGF_GRADE = 2100.0, 100.0
#: OGS counts from 30 kyu at 0, and a rank's stretch begins with its number.
_OGS_FIRST, _OGS_STEP, _OGS_SHODAN = 525.0, 23.15, 30.5
_OGS_2020_FIRST, _OGS_2020_RATE = 850.0, 0.032
#: The same of Fox, where 1 dan is 1 to 2.
_FOX_SHODAN = 1.5


@dataclass(frozen=True, slots=True)
class Scale:
    """One scale, by its relation to the grade.

    Attributes
    ----------
    name, source, formula : str
        What it is called, where the relation comes from, and the relation for people.
    from_grade, to_grade : callable
        The relation and its inverse, on arrays.
    lowest, highest : float
        Grades between which it is defined.
    """

    name: str
    source: str
    formula: str
    from_grade: Callable[[Array], Array]
    to_grade: Callable[[Array], Array]
    lowest: float
    highest: float


def egf_of_grade(grade: ArrayLike) -> NDArray[np.float64]:
    """EGF rating at the middle of a grade: 2100 at 1 dan, 100 points a grade."""
    return _SHODAN + _EGF_GRADE * np.asarray(grade, np.float64)


def grade_of_egf(rating: ArrayLike) -> NDArray[np.float64]:
    """The inverse of `egf_of_grade`."""
    return (np.asarray(rating, np.float64) - _SHODAN) / _EGF_GRADE


def fox_of_grade(grade: ArrayLike) -> NDArray[np.float64]:
    """A grade's place on the Fox scale, on which n dan is n to n + 1 and 1 kyu 0 to 1.

    That counts ranks as Fox does; how many ranks Fox lies above other sites is measured in
    `yardstone.strength.estimate.site_scales`.
    """
    return np.asarray(grade, np.float64) + _FOX_SHODAN


def grade_of_fox(place: ArrayLike) -> NDArray[np.float64]:
    """The inverse of `fox_of_grade`."""
    return np.asarray(place, np.float64) - _FOX_SHODAN


def _ogs_of_grade(grade: Array) -> Array:
    return np.asarray(_OGS_FIRST * np.exp((grade + _OGS_SHODAN) / _OGS_STEP))


def _grade_of_ogs(rating: Array) -> Array:
    return np.asarray(_OGS_STEP * np.log(rating / _OGS_FIRST) - _OGS_SHODAN)


def _ogs_2020_of_grade(grade: Array) -> Array:
    return np.asarray(_OGS_2020_FIRST * np.exp((grade + _OGS_SHODAN) * _OGS_2020_RATE))


def _grade_of_ogs_2020(rating: Array) -> Array:
    return np.asarray(np.log(rating / _OGS_2020_FIRST) / _OGS_2020_RATE - _OGS_SHODAN)


def kaniuk_elo(grade: ArrayLike, model: Kaniuk = PUBLISHED) -> NDArray[np.float64]:
    """Elo whose slope at each grade is that of Kaniuk's probability at equality.

    Near equality p = 1/2 - Lambda / sqrt(pi), so one grade is worth
    ``(400/ln 10) (4/sqrt(pi)) sum of u_n exp(n K g)`` points; this is the
    integral, 2100 at 1 dan.
    """
    g = np.asarray(grade, np.float64)
    total = model.u[0] * g
    for n in range(1, 4):
        growth = n * model.k
        total = total + model.u[n] * (np.expm1(growth * g) / growth if growth else g)
    return np.asarray(_SHODAN + ELO_POINTS_PER_LOGIT * 4.0 / sqrt(pi) * total)


def _inverse_kaniuk_elo(elo: Array) -> Array:
    low, high = np.full(elo.shape, -100.0), np.full(elo.shape, 40.0)
    for _ in range(80):
        middle = 0.5 * (low + high)
        above = kaniuk_elo(middle) > elo
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray(0.5 * (low + high))


def _egf_elo(grade: Array) -> Array:
    rating = egf_of_grade(grade)
    with np.errstate(invalid="ignore", divide="ignore"):
        logit = -7.0 * np.log((_EGF_TOP - rating) / (_EGF_TOP - _SHODAN))
    return np.asarray(_SHODAN + ELO_POINTS_PER_LOGIT * logit)


def _inverse_egf_elo(elo: Array) -> Array:
    left = (_EGF_TOP - _SHODAN) * np.exp(-(elo - _SHODAN) / (7.0 * ELO_POINTS_PER_LOGIT))
    return grade_of_egf(_EGF_TOP - left)


#: All scales by name.
SCALES: Mapping[str, Scale] = MappingProxyType(
    {
        scale.name: scale
        for scale in (
            Scale(
                "grade",
                "Kaniuk 2011: zero-shodan units",
                "1d is 0, 1k is -1",
                lambda g: g,
                lambda g: g,
                -30.0,
                8.0,
            ),
            Scale(
                "egf",
                "EGF Official ratings system",
                "2100 + 100 g",
                egf_of_grade,
                grade_of_egf,
                -30.0,
                8.0,
            ),
            Scale(
                "ogs",
                "OGS, rating and rank adjustments of 2021",
                "525 exp((g + 30.5) / 23.15)",
                _ogs_of_grade,
                _grade_of_ogs,
                -30.0,
                8.0,
            ),
            Scale(
                "ogs-2020",
                "OGS until January 2021, as its records of 2020 have it",
                "850 exp(0.032 (g + 30.5))",
                _ogs_2020_of_grade,
                _grade_of_ogs_2020,
                -30.0,
                8.0,
            ),
            Scale(
                "goldis",
                "Pratesi, table 1",
                "2000 + 100 g",
                goldis_of_grade,
                grade_of_goldis,
                -19.0,
                9.0,
            ),
            Scale(
                "elo",
                "slope of Kaniuk's probability, 2100 at 1 dan",
                "integral of the slope",
                kaniuk_elo,
                _inverse_kaniuk_elo,
                -20.0,
                8.0,
            ),
            Scale(
                "elo-egf",
                "EGF's expected score since 2021, 2100 at 1 dan",
                "2100 - 1216 ln(1 - g / 12)",
                _egf_elo,
                _inverse_egf_elo,
                -30.0,
                8.0,
            ),
        )
    }
)


def convert(
    value: ArrayLike, source: str, target: str, *, extrapolate: bool = False
) -> NDArray[np.float64]:
    """Convert values from one of `SCALES` to another.

    Parameters
    ----------
    value : array_like
        On scale `source`; grades in zero-shodan units.
    source, target : str
        Names of scales.
    extrapolate : bool
        Allow values outside the range of either scale.

    Raises
    ------
    UsageError
        There is no such scale, or a value is outside the range of one of them.

    Examples
    --------
    >>> float(convert(2100, "egf", "grade"))
    0.0
    """
    for name in (source, target):
        if name not in SCALES:
            raise UsageError(no_such("scale", name, SCALES))
    with np.errstate(invalid="ignore", divide="ignore"):
        grade = SCALES[source].to_grade(np.asarray(value, np.float64))
    # Half a grade beyond the last one still has that grade's name.
    lowest = max(SCALES[source].lowest, SCALES[target].lowest) - 0.5
    highest = min(SCALES[source].highest, SCALES[target].highest) + 0.5
    if not extrapolate and np.any(~((grade >= lowest) & (grade <= highest))):
        raise UsageError(
            f"between {source} and {target} only grades from {format_grade(lowest + 0.5)} to "
            f"{format_grade(highest - 0.5)} can be converted"
        )
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return np.asarray(SCALES[target].from_grade(np.asarray(grade)))


def egf_of_pro(dan: ArrayLike) -> NDArray[np.float64]:
    """EGF rating of a professional rank: 2700 for 1p, 30 more for each further dan."""
    return 2700.0 + 30.0 * (np.asarray(dan, np.float64) - 1.0)
