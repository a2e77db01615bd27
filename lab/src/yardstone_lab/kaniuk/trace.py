"""How ratios, coefficients and probabilities move over the years (figures 3 to 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import ModelError, NoGamesError
from yardstone.winprob.kaniuk import INITIAL, TABLE_1, Kaniuk
from yardstone.winprob.least_squares import fit_least_squares
from yardstone.winprob.statistics import windows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

    Array = NDArray[np.float64]

__all__ = ["Trace", "trace"]


@dataclass(frozen=True, eq=False)
class Trace:
    """Results of a moving window; NaN where a window has too few games.

    Attributes
    ----------
    years : int array (windows,)
        Last year of each window.
    grades : tuple of int
        The grades followed.
    differences : int array
        -D .. D, 0 among them.
    measured : array (windows, grades, differences)
        Win ratios, extended by equation 1 (figure 3).
    names : tuple of str
        The fitted coefficients.
    coefficients : array (windows, names)
        Of each window's fit (figure 4).
    modelled : array (windows, grades, differences)
        Probabilities from those coefficients (figure 5).
    games : array (windows,)
        Games counted in each window.
    """

    years: NDArray[np.int64]
    grades: tuple[int, ...]
    differences: NDArray[np.int64]
    measured: Array
    names: tuple[str, ...]
    coefficients: Array
    modelled: Array
    games: Array


def trace(
    pool: Pool,
    *,
    years: int = 5,
    first_end: int | None = None,
    last_end: int | None = None,
    grades: Sequence[int] = (-10, 1),
    free: Iterable[str] = TABLE_1,
    start: Kaniuk = INITIAL,
) -> Trace:
    """Fit each window of `years` years on its own (Kaniuk 2011, section 5).

    Parameters
    ----------
    pool : Pool
        Dated games with grades.
    years, first_end, last_end
        As in `yardstone.winprob.statistics.windows`.
    grades : sequence of int
        The grades to follow: 10 kyu and 2 dan as in the paper.
    free, start
        As in `fit_least_squares`.
    """
    chosen = frozenset(free)
    names = tuple(name for name in start.parameters if name in chosen)
    rows: list[tuple[int, Array, Array, Array, float]] = []
    differences = np.arange(-4, 5)
    for year, statistics in windows(pool, years=years, first_end=first_end, last_end=last_end):
        measured = statistics.extended()[[grade - statistics.lowest for grade in grades]]
        try:
            fit = fit_least_squares(statistics, free=names, start=start)
        except (ModelError, NoGamesError):
            values = np.full(len(names), np.nan)
            modelled = np.full(measured.shape, np.nan)
        else:
            values = fit.values
            at = np.array(grades, np.float64)[:, None]
            modelled = fit.model.probability(at, at + differences)
        rows.append((year, measured, values, modelled, float(statistics.games.sum())))
    if not rows:
        raise NoGamesError(f"the games span less than {years} years")
    return Trace(
        np.array([row[0] for row in rows]),
        tuple(grades),
        differences,
        np.array([row[1] for row in rows]),
        names,
        np.array([row[2] for row in rows]),
        np.array([row[3] for row in rows]),
        np.array([row[4] for row in rows]),
    )
