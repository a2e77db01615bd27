"""Kaniuk's fit: weighted least squares on Lambda, and what the paper lacks.

The function minimised (Kaniuk 2011, section 4) is

    F(q) = sum over r, d of w_r (Lambda(r, d) - Lambda_rd)^2,
    r = -20 .. 6, d = -4 .. 4,

Lambda_rd being the measured ratio put through equation 4, and w_r the cumulated counts of
`WinningStatistics.weights`. The cells of 20 kyu players are left out. A cell (r, d) and its mirror
(r + d, -d) hold the same games, so F is a sum over d > 0 with weight ``w_r + w_(r+d)``. A ratio of
0 or 1 has no finite Lambda and is left out too.

These weights are no inverse variances, the few cells with the rarest upsets move Lambda far,
and a cell without any upset drops out. So neither the standard errors nor resampled values
hold the truth as often as they say. Intervals come from simulated games instead
(`simulated_intervals`): the fit is judged by what it does to games drawn from a known model,
the fitted one. The profile of the sum of squares, in units of its expected spread, is compared
with the same number in simulated tables that hold as many games in each cell.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from yardstone.choices import check_choice
from yardstone.errors import ConvergenceError, ModelError, UsageError
from yardstone.winprob.fit import (
    FitInterval,
    ModelFit,
    errors_by_difference,
    fitted_parameters,
    model_of_counts,
)
from yardstone.winprob.kaniuk import (
    INITIAL,
    PARAMETERS,
    POWERS,
    TABLE_1,
    GradeModel,
    Kaniuk,
    basis,
    gap_of_probability,
    places,
)
from yardstone.winprob.laws import normal_cdf
from yardstone.winprob.likelihood import (
    Fit,
    Minimum,
    damped_newton,
    free_names,
    gap_curvature,
    interval_end,
)
from yardstone.winprob.statistics import WinningStatistics

if TYPE_CHECKING:
    from yardstone.arrays import Floats
    from yardstone.winprob.likelihood import Objective


@dataclass(frozen=True, eq=False, repr=False)
class LeastSquaresFit(Fit):
    """Result of `fit_least_squares`.

    `covariance` comes from the binomial spread of the ratios (a sandwich: the weights are not the
    inverse variances), by linearisation: u3 and K scatter more than that, to one side;
    `simulated_intervals` gives intervals.
    """

    model: Kaniuk  #: The fitted model.
    method: str  #: ``"newton"`` or ``"conjugate"``.
    cells: int  #: That were used.
    games: float  #: In them.
    left_out: int  #: Cells with games whose ratio is 0 or 1.

    @property
    def cycles(self) -> int:
        """Rounds of as many line searches as parameters (conjugate gradient only)."""
        return -(-self.minimum.steps // len(self.names))

    @property
    def gradient_size(self) -> float:
        """Size of the gradient at the minimum."""
        return self.minimum.path[-1][1]


@dataclass(frozen=True, eq=False)
class _FittedCells:
    """The cells that enter F, one entry each with d > 0."""

    weaker: Floats
    stronger: Floats
    games: Floats
    gap: Floats
    weight: Floats
    left_out: int


def _cells(statistics: WinningStatistics) -> _FittedCells:
    weights, ratios = statistics.weights(), statistics.ratio()
    rows, columns = np.nonzero(statistics.games > 0)
    counted = (rows + columns + 1 < len(weights)) & (rows > 0)
    rows, columns = rows[counted], columns[counted]
    inside = (ratios[rows, columns] > 0.0) & (ratios[rows, columns] < 1.0)
    rows, columns = rows[inside], columns[inside]
    strong, ratio = rows + columns + 1, ratios[rows, columns]
    return _FittedCells(
        (statistics.lowest + rows).astype(np.float64),
        (statistics.lowest + strong).astype(np.float64),
        statistics.games[rows, columns],
        gap_of_probability(ratio),
        weights[rows] + weights[strong],
        int(np.sum(~inside)),
    )


def _gap_and_jacobian(cells: _FittedCells, full: Floats) -> tuple[Floats, Floats]:
    _, weaker, terms = basis(cells.weaker, cells.stronger, full[8])
    growth = ((full[:8] * POWERS) @ terms) * weaker
    return full[:8] @ terms, np.vstack([terms, growth])


def fit_least_squares(
    statistics: WinningStatistics,
    *,
    free: Iterable[str] = TABLE_1,
    start: Kaniuk = INITIAL,
    method: Literal["newton", "conjugate"] = "newton",
    positive: bool = True,
    tolerance: float = 1e-10,
) -> LeastSquaresFit:
    """Fit coefficients to measured ratios as Kaniuk did.

    Args:
        statistics: The counts.
        free: Names of `PARAMETERS` to be fitted; the others stay as in `start`.
        start: First point; table 1's "initial" by default.
        method ({"newton", "conjugate"}): Damped Newton steps, which need some ten evaluations, or
            the published conjugate gradient. Both end in the same place where that has no negative
            coefficient.
        positive: Keep every coefficient at or above zero (Newton only; conjugate gradient, as
            published, has no bounds and can end below zero, where the paper allows no coefficient
            to be).
        tolerance: On the size of the gradient.
    """
    check_choice("the method", method, ("newton", "conjugate"))
    names = free_names(free, PARAMETERS, "coefficient")
    cells = _cells(statistics)
    if len(cells.gap) < len(names):
        raise ModelError(
            f"{len(cells.gap)} usable cells do not determine {len(names)} coefficients"
        )
    index = places(names)
    full = np.array([*start.linear, start.k])
    first = full[index]

    def objective(values: Floats) -> tuple[float, Floats, Floats]:
        full[index] = values
        with np.errstate(over="ignore", invalid="ignore"):
            gap, jacobian = _gap_and_jacobian(cells, full)
            excess = cells.weight * (gap - cells.gap)
            value = float(excess @ (gap - cells.gap))
            gradient = 2.0 * jacobian[index] @ excess
            pull = 2.0 * cells.weight * (gap - cells.gap)
            curvature = 2.0 * (jacobian * cells.weight) @ jacobian.T
            curvature += gap_curvature(full, cells.weaker, cells.stronger, pull)
            curvature = curvature[np.ix_(index, index)]
        if not (np.isfinite(value) and np.all(np.isfinite(curvature))):
            return np.inf, np.full(len(values), np.inf), np.eye(len(values))
        return value, gradient, curvature

    if method == "conjugate":
        minimum = conjugate_gradient(objective, first, tolerance=tolerance)
    else:
        lower = np.full(len(names), 0.0 if positive else -np.inf)
        minimum = damped_newton(objective, first, lower, tolerance=tolerance)
    full[index] = minimum.point
    bounded = positive and method == "newton"
    inside = minimum.point > 0.0 if bounded else np.ones(len(index), np.bool_)
    covariance = np.full((len(index), len(index)), np.nan)
    if inside.any():
        bread, meat = _bread_and_meat(cells, full, np.array(index)[inside].tolist())
        covariance[np.ix_(inside, inside)] = bread @ meat @ bread
    return LeastSquaresFit(
        names,
        covariance,
        minimum,
        Kaniuk.from_parameters(dict(zip(PARAMETERS, full, strict=True))),
        method,
        len(cells.gap),
        float(cells.games.sum()),
        cells.left_out,
    )


def _bread_and_meat(cells: _FittedCells, full: Floats, index: list[int]) -> tuple[Floats, Floats]:
    """Inverse curvature of F, and the spread of its gradient by chance."""
    gap, jacobian = _gap_and_jacobian(cells, full)
    jacobian = jacobian[index]
    # Spread of a cell's Lambda from that of its ratio, at the fitted probability.
    p = normal_cdf(-np.sqrt(2.0) * gap)
    variance = np.pi * np.exp(2.0 * gap**2) * p * (1.0 - p) / cells.games
    meat = (jacobian * (4.0 * cells.weight**2 * variance)) @ jacobian.T
    # The curvature without the residuals, which would make it scatter.
    curvature = 2.0 * (jacobian * cells.weight) @ jacobian.T
    bread: Floats = np.asarray(np.linalg.pinv(curvature, hermitian=True), np.float64)
    return bread, meat


def fit_published(
    statistics: WinningStatistics,
    *,
    method: Literal["newton", "conjugate"] = "newton",
    free: Iterable[str] = TABLE_1,
    simulated: int = 0,
    level: float = 0.95,
    seed: int = 0,
) -> ModelFit:
    """Fit by least squares, with what the fit says beside what was published.

    Args:
        method, free: As for `fit_least_squares`.
        simulated: Newton: tables to simulate for intervals, 39 or more; 0 for no intervals.
        level: Of intervals, 0 to 1.
        seed: Of the simulated tables.
    """
    fit = fit_least_squares(statistics, free=free, method=method)
    intervals: list[FitInterval | None] = [None] * len(fit.names)
    if simulated:
        ends = simulated_intervals(fit, statistics, samples=simulated, level=level, seed=seed)
        intervals = [FitInterval(*pair, level, "simulated tables") for pair in ends]
    errors = errors_by_difference(statistics, fit.model)
    winning = model_of_counts(GradeModel(fit.model, {"stone": 1.0}), statistics)
    return ModelFit(fit, fitted_parameters(fit, intervals), (), errors, statistics, winning)


def sum_of_squares(statistics: WinningStatistics, model: Kaniuk) -> float:
    """F of a model: what `fit_least_squares` minimises."""
    cells = _cells(statistics)
    gap = model.strength_gap(cells.weaker, cells.stronger)
    return float(cells.weight @ (gap - cells.gap) ** 2)


def profile_scale(statistics: WinningStatistics, fit: LeastSquaresFit, name: str) -> float:
    """What turns an increase of F, one parameter fixed, into squared standard errors of it.

    Parameters that positivity holds at zero count as fixed there, but for the one named.
    """
    where = fit.names.index(name)
    inside = fit.values > 0.0
    inside[where] = True
    index = places(np.array(fit.names)[inside])
    bread, meat = _bread_and_meat(
        _cells(statistics), np.array([*fit.model.linear, fit.model.k]), index
    )
    place = int(inside[:where].sum())
    spread = float((bread @ meat @ bread)[place, place])
    return 2.0 * float(bread[place, place]) / spread if spread > 0.0 else 0.0


_FEWEST = 39  #: Fewest tables drawn: of twenty numbers one is beyond a 95 % bound.


def simulated_intervals(
    fit: LeastSquaresFit,
    statistics: WinningStatistics,
    *,
    samples: int = 200,
    level: float = 0.95,
    seed: int = 0,
) -> list[tuple[float, float]]:
    """An interval for each free parameter of a fit, in the order of `fit.names`.

    `low` is 0, `high` infinite, where no end was found.

    Args:
        fit: By Newton's method, every coefficient at or above zero.
        statistics: What was fitted.
        samples: Tables to simulate, 39 or more. A table whose fit has no minimum is drawn anew;
            more than one in two such tables is a `ModelError`.
        level: 0 to 1.
    """
    reach = simulated_reach(fit, statistics, samples=samples, level=level, seed=seed)
    return [
        _interval(Profile(fit, statistics, name), float(value), most)
        for name, value, most in zip(fit.names, fit.values, reach.tolist(), strict=True)
    ]


def simulated_reach(
    fit: LeastSquaresFit,
    statistics: WinningStatistics,
    *,
    samples: int = 200,
    level: float = 0.95,
    seed: int = 0,
) -> Floats:
    """How far the `Profile` of each free parameter may rise within an interval.

    Parameters as in `simulated_intervals`.
    """
    if not 0.0 < level < 1.0:
        raise UsageError("a confidence level lies between 0 and 1")
    if samples < _FEWEST:
        raise UsageError(f"intervals need at least {_FEWEST} simulated tables")
    if fit.method != "newton" or np.any(fit.values < 0.0):
        raise UsageError("intervals are for fits by Newton's method with positive coefficients")
    rng = np.random.default_rng(seed)
    # Table 1's first point for the free parameters, those that were fixed as they were.
    first = {name: INITIAL.parameters[name] for name in fit.names}
    start = Kaniuk.from_parameters({**fit.model.parameters, **first})
    rows: list[list[float]] = []
    for _ in range(2 * samples):
        if len(rows) == samples:
            break
        made = _drawn(fit.model, statistics, rng)
        with suppress(ModelError):
            again = fit_least_squares(made, free=fit.names, start=start)
            values = zip(fit.names, fit.values, strict=True)
            rows.append([Profile(again, made, name)(value) for name, value in values])
    if len(rows) < samples:
        raise ModelError("more than half of the simulated tables have no fit")
    # The order statistic that makes the interval hold at least as often as it says.
    place = min(samples - 1, int(np.ceil(level * (samples + 1))) - 1)
    return np.asarray(np.sort(np.array(rows), axis=0)[place])


def _drawn(
    model: Kaniuk, statistics: WinningStatistics, rng: np.random.Generator
) -> WinningStatistics:
    """As many games in each cell, decided by the model."""
    grades = statistics.grades[:, None].astype(np.float64)
    p = model.probability(grades, grades + statistics.differences[None, :])
    wins = rng.binomial(np.round(statistics.games).astype(np.int64), p).astype(np.float64)
    return WinningStatistics(statistics.lowest, wins, np.round(statistics.games))


class Profile:
    """How much the sum of squares grows when one parameter is fixed, in units of its spread."""

    def __init__(self, fit: LeastSquaresFit, statistics: WinningStatistics, name: str) -> None:
        self._fit, self._statistics, self._name = fit, statistics, name
        self._scale = profile_scale(statistics, fit, name)

    def __call__(self, value: float) -> float:
        """At one value of the parameter; 0 at the fit."""
        others = [name for name in self._fit.names if name != self._name]
        start = Kaniuk.from_parameters({**self._fit.model.parameters, self._name: value})
        if others:
            near = fit_least_squares(self._statistics, free=others, start=start).minimum.value
        else:
            near = sum_of_squares(self._statistics, start)
        return self._scale * (near - self._fit.minimum.value)


def _interval(profile: Profile, best: float, most: float) -> tuple[float, float]:
    def excess(value: float) -> float:
        try:
            return min(profile(value) - most, 1e6)
        except ModelError:
            return 1e6

    step = 0.1 * max(best, 0.01)
    return interval_end(excess, best, -step, 0.0), interval_end(excess, best, step, np.inf)


def conjugate_gradient(
    objective: Objective, start: Floats, *, tolerance: float = 1e-10, most_searches: int = 5000
) -> Minimum:
    """Minimise by conjugate gradients (Polak and Ribière) with exact line searches.

    Restarted with the steepest descent after as many line searches as there are
    parameters: such a round is a *cycle*. Each step of the path is one search.
    """
    point = start.astype(np.float64)
    value, gradient, curvature = objective(point)
    direction = -gradient
    path = [(value, float(np.linalg.norm(gradient)))]
    for search in range(1, most_searches + 1):
        if path[-1][1] <= tolerance:
            return Minimum(point, value, gradient, curvature, tuple(path))
        if gradient @ direction >= 0.0:
            direction = -gradient
        point, (value, new, curvature) = _line_search(
            objective, point, direction, value, gradient, curvature
        )
        path.append((value, float(np.linalg.norm(new))))
        if search % len(start) == 0:
            direction = -new
        else:
            factor = max(0.0, float(new @ (new - gradient)) / float(gradient @ gradient))
            direction = -new + factor * direction
        gradient = new
    raise ConvergenceError(
        f"no minimum after {most_searches} line searches (gradient {path[-1][1]:.2g})"
    )


def _line_search(
    objective: Objective,
    point: Floats,
    direction: Floats,
    value: float,
    gradient: Floats,
    curvature: Floats,
) -> tuple[Floats, tuple[float, Floats, Floats]]:
    """The minimum along a direction, by Newton and secant steps on the slope."""
    slope = float(gradient @ direction)
    length = -slope / max(float(direction @ curvature @ direction), 1e-300)
    best = objective(point + length * direction)
    while not best[0] < value + 1e-12 * abs(value) and length > 1e-18:
        length *= 0.5
        best = objective(point + length * direction)
    lengths, slopes = [0.0, length], [slope, float(best[1] @ direction)]
    for _ in range(12):
        if abs(slopes[-1]) <= 1e-9 * abs(slope) or slopes[-1] == slopes[-2]:
            break
        (a, b), (ga, gb) = lengths[-2:], slopes[-2:]
        length = b - gb * (b - a) / (gb - ga)
        if not 0.0 < length < 8.0 * max(lengths):
            break
        trial = objective(point + length * direction)
        if trial[0] > best[0] + 1e-12 * abs(best[0]):
            break
        best = trial
        lengths.append(length)
        slopes.append(float(trial[1] @ direction))
    return point + lengths[-1] * direction, best
