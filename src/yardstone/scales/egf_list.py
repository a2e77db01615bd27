"""The list of all players of the European Go Federation, and a line through it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, NoGamesError
from yardstone.records.decoding import decode
from yardstone.records.sources import find_sources
from yardstone.winprob.grades import parse_grades

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["EgfPlayer", "GradeFit", "egf_players", "fit_grades", "list_lines", "read_egf_list"]

_MAX_BYTES = 64 << 20
#: A line of the list: number, name, country, club, grade, promotion, rating. Nothing in it is
#: looked at twice, whatever the line.
_LINE = re.compile(
    r"\s*+(\d++)\s++(\S++(?:\s\S++)*+)\s\s++(\S\S)\s++(\S++)\s++(\d{1,2}[kdp])\s++(\S++)"
    r"\s++(-?\d{1,6})\s++\d++(?:\s++\w++)?\s*+"
)


@dataclass(frozen=True, slots=True)
class EgfPlayer:
    """A line of the list; what is not known is ``xx`` in it.

    Attributes
    ----------
    line : int
        From 1.
    number, name, country, club, grade : str
    rating : float
    """

    line: int
    number: str
    name: str
    country: str
    club: str
    grade: str
    rating: float


def list_lines(path: str | os.PathLike[str]) -> list[str]:
    """The lines of a list of players, compressed or not.

    Raises
    ------
    InputError
        It cannot be read, or is far longer than any list.
    """
    sources = find_sources([path], [".txt", ".html", ".htm", ".lst"])
    if len(sources) != 1:
        raise InputError(f"{len(sources)} files are meant", file=str(path), hint="name one")
    return decode(sources[0].content(_MAX_BYTES)).splitlines()


def egf_players(lines: Iterable[str]) -> Iterator[EgfPlayer]:
    """The players in these lines; other lines are passed over."""
    for line, text in enumerate(lines, 1):
        if (row := _LINE.fullmatch(text)) is not None:
            yield EgfPlayer(line, row[1], row[2], row[3], row[4], row[5], float(row[7]))


def read_egf_list(path: str | os.PathLike[str]) -> tuple[list[str], NDArray[np.float64]]:
    """Grades and ratings from the EGF's list of all players.

    Parameters
    ----------
    path : path
        The list as published (``allworld_lp``), compressed or not.

    Returns
    -------
    grades, ratings
        Grades as written, professional ranks among them.
    """
    players = list(egf_players(list_lines(path)))
    if not players:
        raise InputError("no player was found in the list", file=str(path))
    return [player.grade for player in players], np.array([player.rating for player in players])


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
