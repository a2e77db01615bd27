"""Conversions between the scales on which Go players are measured.

Every scale is tied to the *grade* in zero-shodan units (1 dan = 0, 1 kyu = -1),
which is what the scales have in common by definition or by a published formula.
The ratings of one player on two scales need not agree with these: they come from
different games.

=========  =================================================  ==================
scale      formula, g being the grade                         range of g
=========  =================================================  ==================
grade      g                                                  30 kyu to 9 dan
egf        2100 + 100 g                                       30 kyu to 9 dan
ogs        525 exp((g + 30) / 23.15)                          30 kyu to 9 dan
goldis     2000 + 100 g (log rating in thousandths)           19 kyu to 10 dan
elo        integral of the slope of Kaniuk's model            20 kyu to 9 dan
elo-egf    (400/ln 10) (-7) ln(3300 - rating), rating of egf  30 kyu to 9 dan
=========  =================================================  ==================

Sources: EGF, *EGF Official ratings system* (europeangodatabase.eu; grades 100
points apart, 1 dan at 2100, floor -900; the expected score since 2021 is a
logistic of ``-7 ln(3300 - rating)``). OGS, rank formula of 2021
(forums.online-go.com, "2021 rating and rank adjustments"). Goldis: see
`yardstone.winprob.goldis`. Elo: differences, not values, have a meaning; both
are set to 2100 at 1 dan. ``elo`` is where two players of a small difference have
Kaniuk's probability, and beyond a few grades that model and any one Elo scale
part.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import pi, sqrt
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import no_such
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.winprob.grades import format_grade, parse_grades
from yardstone.winprob.kaniuk import PUBLISHED, Kaniuk
from yardstone.winprob.logistic import ELO_POINTS_PER_LOGIT

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = [
    "SCALES",
    "GradeFit",
    "Scale",
    "convert",
    "egf_of_pro",
    "fit_grades",
    "kaniuk_elo",
    "read_egf_list",
]

#: Where the EGF's expected score has its pole.
_EGF_TOP = 3300.0
_SHODAN = 2100.0


@dataclass(frozen=True, slots=True)
class Scale:
    """One scale, by its relation to the grade.

    Attributes
    ----------
    name, source : str
        What it is called, and where the relation comes from.
    from_grade, to_grade : callable
        The relation and its inverse, on arrays.
    lowest, highest : float
        Grades between which it is defined.
    """

    name: str
    source: str
    from_grade: Callable[[Array], Array]
    to_grade: Callable[[Array], Array]
    lowest: float
    highest: float


def _linear(shodan: float) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    return lambda g: shodan + 100.0 * g, lambda value: (value - shodan) / 100.0


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
    rating = 2100.0 + 100.0 * grade
    with np.errstate(invalid="ignore", divide="ignore"):
        logit = -7.0 * np.log((_EGF_TOP - rating) / (_EGF_TOP - _SHODAN))
    return np.asarray(_SHODAN + ELO_POINTS_PER_LOGIT * logit)


def _inverse_egf_elo(elo: Array) -> Array:
    left = (_EGF_TOP - _SHODAN) * np.exp(-(elo - _SHODAN) / (7.0 * ELO_POINTS_PER_LOGIT))
    return (_EGF_TOP - left - 2100.0) / 100.0


#: All scales by name.
SCALES: Mapping[str, Scale] = MappingProxyType(
    {
        scale.name: scale
        for scale in (
            Scale("grade", "Kaniuk 2011: zero-shodan units", lambda g: g, lambda g: g, -30.0, 8.0),
            Scale("egf", "EGF Official ratings system", *_linear(2100.0), -30.0, 8.0),
            Scale(
                "ogs",
                "OGS, rating and rank adjustments of 2021",
                lambda g: 525.0 * np.exp((g + 30.0) / 23.15),
                lambda rating: 23.15 * np.log(rating / 525.0) - 30.0,
                -30.0,
                8.0,
            ),
            Scale("goldis", "Pratesi, table 1", *_linear(2000.0), -19.0, 9.0),
            Scale(
                "elo",
                "slope of Kaniuk's probability, 2100 at 1 dan",
                kaniuk_elo,
                _inverse_kaniuk_elo,
                -20.0,
                8.0,
            ),
            Scale(
                "elo-egf",
                "EGF's expected score since 2021, 2100 at 1 dan",
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


#: A line of the EGF's list: number, name, country, club, grade, promotion, rating.
EGF_LINE = re.compile(
    r"^\s*(\d+)\s+(.+?)\s{2,}(\S\S)\s+(\S+)\s+(\d+[kdp])\s+(\S+)\s+(-?\d+)\s+\d+(?:\s+\w+)?\s*$"
)


def read_egf_list(path: str | os.PathLike[str]) -> tuple[list[str], NDArray[np.float64]]:
    """Grades and ratings from the EGF's list of all players.

    Parameters
    ----------
    path : path
        The list as published (``allworld_lp``), plain or ``.gz``.

    Returns
    -------
    grades, ratings
        Grades as written, professional ranks among them.
    """
    content = Path(path).read_bytes()
    if content.startswith(b"\x1f\x8b"):
        import gzip

        content = gzip.decompress(content)
    lines = content.decode("utf-8", "replace").splitlines()
    rows = [found for line in lines if (found := EGF_LINE.match(line))]
    if not rows:
        raise InputError("no player was found in the list", file=str(path))
    grades, ratings = [row[5] for row in rows], [float(row[7]) for row in rows]
    return grades, np.array(ratings)


@dataclass(frozen=True, eq=False)
class GradeFit:
    """Straight lines between declared grade and rating; frozen.

    Attributes
    ----------
    players : int
        Number of players.
    slope, intercept : float
        ``rating = intercept + slope * grade``: least squares of rating on grade.
    slope_error, intercept_error : float
        Standard errors, allowing for a spread that depends on the grade.
    deviation : float
        Standard deviation of the ratings about that line.
    correlation : float
        Between grade and rating.
    grade_slope : float
        Grades a rating point (least squares of grade on rating).
    grades, count, mean, spread : arrays
        For each grade: players, mean rating, standard deviation.
    """

    players: int
    slope: float
    intercept: float
    slope_error: float
    intercept_error: float
    deviation: float
    correlation: float
    grade_slope: float
    grades: Array
    count: NDArray[np.int64]
    mean: Array
    spread: Array


def fit_grades(
    grades: list[str] | Array,
    ratings: Array,
    *,
    lowest: float = -20.0,
    highest: float = 6.0,
) -> GradeFit:
    """Fit ratings to grades, for players from `lowest` to `highest` (20 kyu to 7 dan).

    Parameters
    ----------
    grades : list of str or array
        As in `read_egf_list`, or in zero-shodan units; professionals are left out.
    ratings : array
        One a player.
    """
    grade = parse_grades(grades) if isinstance(grades, list) else np.asarray(grades, np.float64)
    keep = (grade >= lowest) & (grade <= highest) & np.isfinite(ratings)
    x, y = grade[keep], np.asarray(ratings, np.float64)[keep]
    labels, number, count = np.unique(x, return_inverse=True, return_counts=True)
    if len(labels) < 2 or len(x) < 3:
        raise NoGamesError("a line needs players of at least two grades")
    design = np.column_stack([np.ones(len(x)), x])
    bread = np.linalg.inv(design.T @ design)
    intercept, slope = bread @ (design.T @ y)
    residual = y - design @ np.array([intercept, slope])
    covariance = bread @ ((design.T * residual**2) @ design) @ bread
    mean = np.bincount(number, y) / count
    spread = np.sqrt(np.bincount(number, (y - mean[number]) ** 2) / np.maximum(count - 1, 1))
    centred_x, centred_y = x - x.mean(), y - y.mean()
    product = float(centred_x @ centred_y)
    return GradeFit(
        len(x),
        float(slope),
        float(intercept),
        float(sqrt(covariance[1, 1])),
        float(sqrt(covariance[0, 0])),
        float(np.sqrt(residual @ residual / (len(x) - 2))),
        product / float(np.sqrt((centred_x @ centred_x) * (centred_y @ centred_y))),
        product / float(centred_y @ centred_y),
        labels,
        count,
        mean,
        spread,
    )
