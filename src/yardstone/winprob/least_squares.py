"""Kaniuk's fit: weighted least squares on Lambda, and what the paper lacks.

The function minimised (Kaniuk 2011, section 4) is

    F(q) = sum over r, d of w_r (Lambda(r, d) - Lambda_rd)^2,
    r = -20 .. 6, d = -4 .. 4,

Lambda_rd being the measured ratio put through equation 4, and w_r the
cumulated counts of `WinningStatistics.weights`. The cells of 20 kyu players are
left out. A cell (r, d) and its mirror (r + d, -d) hold the same games, so F is a
sum over d > 0 with weight ``w_r + w_(r+d)``. A ratio of 0 or 1 has no finite
Lambda and is left out too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np

from yardstone.choices import check_choice, no_such
from yardstone.errors import ModelError, UsageError
from yardstone.winprob._minimise import Minimum, conjugate_gradient, damped_newton
from yardstone.winprob.kaniuk import (
    INITIAL,
    PARAMETERS,
    TABLE_1,
    Kaniuk,
    basis,
    gap_of_probability,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.winprob.statistics import WinningStatistics

    Array = NDArray[np.float64]

__all__ = [
    "LeastSquaresFit",
    "fit_least_squares",
    "profile_scale",
    "rms_by_difference",
    "sum_of_squares",
]


@dataclass(frozen=True, eq=False, repr=False)
class LeastSquaresFit:
    """Result of `fit_least_squares`.

    Attributes
    ----------
    model : Kaniuk
        The fitted model.
    names : tuple of str
        The free parameters, in the order of `covariance`.
    covariance : array
        Of the free parameters, from the binomial spread of the ratios
        (a sandwich: the weights are not the inverse variances).
    minimum : Minimum
        Value, gradient and path.
    method : str
        ``"newton"`` or ``"conjugate"``.
    cells, games : int, float
        Cells used and games in them.
    left_out : int
        Cells with games whose ratio is 0 or 1.
    """

    model: Kaniuk
    names: tuple[str, ...]
    covariance: Array
    minimum: Minimum
    method: str
    cells: int
    games: float
    left_out: int

    @property
    def values(self) -> Array:
        """The free parameters."""
        return self.minimum.point

    @property
    def standard_errors(self) -> Array:
        """One standard error of each free parameter; NaN where positivity holds it at 0.

        By linearisation: u3 and K scatter more than that, to one side. Intervals are in
        `yardstone.winprob.least_squares_intervals`.
        """
        return np.sqrt(np.diag(self.covariance))

    @property
    def cycles(self) -> int:
        """Rounds of as many line searches as parameters (conjugate gradient only)."""
        return -(-self.minimum.steps // len(self.names))

    @property
    def gradient_size(self) -> float:
        """Size of the gradient at the minimum."""
        return self.minimum.path[-1][1]

    def __repr__(self) -> str:
        pairs = zip(self.names, self.values, self.standard_errors, strict=True)
        return "<LeastSquaresFit: " + ", ".join(f"{n} {v:.4g} ± {e:.2g}" for n, v, e in pairs) + ">"


@dataclass(frozen=True, eq=False)
class _FittedCells:
    """The cells that enter F, one entry each with d > 0."""

    weaker: Array
    stronger: Array
    ratio: Array
    games: Array
    gap: Array
    weight: Array
    left_out: int


def _cells(statistics: WinningStatistics, skip_lowest: bool) -> _FittedCells:
    weights = statistics.weights(skip_lowest=skip_lowest)
    rows, columns = np.nonzero(statistics.games > 0)
    strong = rows + columns + 1
    keep = strong < len(weights)
    if skip_lowest:
        keep &= rows > 0
    rows, columns, strong = rows[keep], columns[keep], strong[keep]
    ratio = statistics.ratio()[rows, columns]
    inside = (ratio > 0.0) & (ratio < 1.0)
    left_out = int(np.sum(~inside))
    rows, columns, strong, ratio = rows[inside], columns[inside], strong[inside], ratio[inside]
    return _FittedCells(
        (statistics.lowest + rows).astype(np.float64),
        (statistics.lowest + strong).astype(np.float64),
        ratio,
        statistics.games[rows, columns],
        gap_of_probability(ratio),
        weights[rows] + weights[strong],
        left_out,
    )


def _full(names: tuple[str, ...], values: Array, fixed: Kaniuk) -> Array:
    vector = np.array([fixed.parameters[name] for name in PARAMETERS])
    vector[[PARAMETERS.index(name) for name in names]] = values
    return vector


def _gap_and_jacobian(cells: _FittedCells, full: Array, index: list[int]) -> tuple[Array, Array]:
    _, weaker, terms = basis(cells.weaker, cells.stronger, full[8])
    powers = np.repeat(np.arange(4.0), 2)
    growth = ((full[:8] * powers) @ terms) * weaker
    return full[:8] @ terms, np.vstack([terms, growth])[index]


def _exact_curvature(cells: _FittedCells, full: Array, index: list[int]) -> Array:
    """Second derivatives of F, with the curvature of Lambda in K."""
    _, weaker, terms = basis(cells.weaker, cells.stronger, full[8])
    powers = np.repeat(np.arange(4.0), 2)
    excess = 2.0 * cells.weight * (full[:8] @ terms - cells.gap)
    jacobian = np.vstack([terms, ((full[:8] * powers) @ terms) * weaker])
    curvature = 2.0 * (jacobian * cells.weight) @ jacobian.T
    cross = powers * (terms @ (excess * weaker))
    curvature[8, :8] += cross
    curvature[:8, 8] += cross
    curvature[8, 8] += excess @ (((full[:8] * powers**2) @ terms) * weaker**2)
    return curvature[np.ix_(index, index)]


def fit_least_squares(
    statistics: WinningStatistics,
    *,
    free: Iterable[str] = TABLE_1,
    start: Kaniuk = INITIAL,
    method: Literal["newton", "conjugate"] = "newton",
    positive: bool = True,
    skip_lowest: bool = True,
    tolerance: float = 1e-10,
) -> LeastSquaresFit:
    """Fit coefficients to measured ratios as Kaniuk did.

    Parameters
    ----------
    statistics : WinningStatistics
        The counts.
    free : iterable of str
        Names of `PARAMETERS` to be fitted; the others stay as in `start`.
    start : Kaniuk
        First point; table 1's "initial" by default.
    method : {"newton", "conjugate"}
        Damped Newton steps, which need some ten evaluations, or the published
        conjugate gradient. Both end in the same place where that has no negative
        coefficient.
    positive : bool
        Keep every coefficient at or above zero (Newton only; conjugate
        gradient, as published, has no bounds and can end below zero, where the
        paper allows no coefficient to be).
    skip_lowest : bool
        Leave out the lowest grade, 20 kyu.
    tolerance : float
        On the size of the gradient.
    """
    check_choice("the method", method, ("newton", "conjugate"))
    chosen = set(free)
    if unknown := chosen - set(PARAMETERS):
        raise UsageError(no_such("coefficient", min(unknown), PARAMETERS))
    names = tuple(name for name in PARAMETERS if name in chosen)
    if not names:
        raise UsageError("at least one coefficient must be free")
    cells = _cells(statistics, skip_lowest)
    if len(cells.gap) < len(names):
        raise ModelError(
            f"{len(cells.gap)} usable cells do not determine {len(names)} coefficients"
        )
    index = [PARAMETERS.index(name) for name in names]

    def objective(values: Array) -> tuple[float, Array, Array]:
        full = _full(names, values, start)
        with np.errstate(over="ignore", invalid="ignore"):
            gap, jacobian = _gap_and_jacobian(cells, full, index)
            excess = cells.weight * (gap - cells.gap)
            value = float(excess @ (gap - cells.gap))
            gradient = 2.0 * jacobian @ excess
            curvature = _exact_curvature(cells, full, index)
        if not (np.isfinite(value) and np.all(np.isfinite(curvature))):
            return np.inf, np.full(len(values), np.inf), np.eye(len(values))
        return value, gradient, curvature

    first = np.array([start.parameters[name] for name in names])
    if method == "conjugate":
        minimum = conjugate_gradient(objective, first, tolerance=tolerance)
    else:
        lower = np.full(len(names), 0.0 if positive else -np.inf)
        minimum = damped_newton(objective, first, lower, tolerance=tolerance)
    full = _full(names, minimum.point, start)
    return LeastSquaresFit(
        Kaniuk.from_parameters(dict(zip(PARAMETERS, full, strict=True))),
        names,
        _sandwich(cells, full, index, minimum, bounded=positive and method == "newton"),
        minimum,
        method,
        len(cells.gap),
        float(cells.games.sum()),
        cells.left_out,
    )


def _sandwich(
    cells: _FittedCells, full: Array, index: list[int], minimum: Minimum, *, bounded: bool
) -> Array:
    """Covariance of the free parameters; NaN rows where a bound holds."""
    inside = minimum.point > 0.0 if bounded else np.ones(len(index), np.bool_)
    part = [i for i, keep in zip(index, inside, strict=True) if keep]
    covariance = np.full((len(index), len(index)), np.nan)
    if not part:
        return covariance
    bread, meat = _bread_and_meat(cells, full, part)
    covariance[np.ix_(inside, inside)] = bread @ meat @ bread
    return covariance


def _bread_and_meat(cells: _FittedCells, full: Array, index: list[int]) -> tuple[Array, Array]:
    """Inverse curvature of F, and the spread of its gradient by chance."""
    from scipy.special import erfc

    gap, jacobian = _gap_and_jacobian(cells, full, index)
    # Spread of a cell's Lambda from that of its ratio, at the fitted probability.
    p = 0.5 * erfc(gap)
    variance = np.pi * np.exp(2.0 * gap**2) * p * (1.0 - p) / cells.games
    meat = (jacobian * (4.0 * cells.weight**2 * variance)) @ jacobian.T
    # The curvature without the residuals, which would make it scatter.
    curvature = 2.0 * (jacobian * cells.weight) @ jacobian.T
    bread: Array = np.asarray(np.linalg.pinv(curvature, hermitian=True), np.float64)
    return bread, meat


def sum_of_squares(
    statistics: WinningStatistics, model: Kaniuk, *, skip_lowest: bool = True
) -> float:
    """F of a model: what `fit_least_squares` minimises."""
    cells = _cells(statistics, skip_lowest)
    gap = model.strength_gap(cells.weaker, cells.stronger)
    return float(cells.weight @ (gap - cells.gap) ** 2)


def profile_scale(
    statistics: WinningStatistics, fit: LeastSquaresFit, name: str, *, skip_lowest: bool = True
) -> float:
    """What turns an increase of F, one parameter fixed, into squared standard errors of it.

    Parameters that positivity holds at zero count as fixed there, but for the one named.
    """
    where = fit.names.index(name)
    inside = fit.values > 0.0
    inside[where] = True
    index = [PARAMETERS.index(each) for each, kept in zip(fit.names, inside, strict=True) if kept]
    full = np.array([fit.model.parameters[each] for each in PARAMETERS])
    bread, meat = _bread_and_meat(_cells(statistics, skip_lowest), full, index)
    place = int(inside[:where].sum())
    spread = float((bread @ meat @ bread)[place, place])
    return 2.0 * float(bread[place, place]) / spread if spread > 0.0 else 0.0


def rms_by_difference(
    statistics: WinningStatistics, model: Kaniuk, *, lowest: int = -12, highest: int = 6
) -> tuple[Array, Array]:
    """Root mean square error of the model's probability for each difference.

    Over the grades `lowest` to `highest` (12 kyu to 7 dan, both players), every
    cell alike, as in Kaniuk 2011, section 4.

    Returns
    -------
    rms, expected : arrays (differences,)
        What is found, and what chance alone would give a true model.
    """
    ratio = statistics.ratio()
    grades = statistics.grades.astype(np.float64)
    rms, expected = [], []
    for column, d in enumerate(statistics.differences):
        keep = (grades >= lowest) & (grades + d <= highest) & np.isfinite(ratio[:, column])
        p = model.probability(grades[keep], grades[keep] + d)
        games = statistics.games[keep, column]
        measured = np.mean((ratio[keep, column] - p) ** 2) if keep.any() else np.nan
        chance = np.mean(p * (1.0 - p) / games) if keep.any() else np.nan
        rms.append(sqrt(measured))
        expected.append(sqrt(chance))
    return np.array(rms), np.array(expected)
