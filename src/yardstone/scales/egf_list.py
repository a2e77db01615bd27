"""The list of all players of the European Go Federation, and a line through it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, NoGamesError
from yardstone.winprob.grades import parse_grades

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["EGF_LINE", "GradeFit", "fit_grades", "read_egf_list"]

#: A line of the list: number, name, country, club, grade, promotion, rating.
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
    rows = [row for line in lines if (row := EGF_LINE.match(line))]
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
