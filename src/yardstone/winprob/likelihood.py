"""Fits to the results of games by binomial likelihood, with profile likelihood intervals.

Each game counts by what it says, so that rare meetings at large differences, or
of weak players, can be used as they are: no ratio of 0 or 1 has to be left out,
and no weight has to be chosen. A fit may use colour, komi and handicap games.

An interval, of a coefficient or of a probability that follows from them, holds the values at
which the best likelihood of everything else falls short of the best of all by no more than
half a quantile of chi-squared. It needs no symmetry: near zero, where all coefficients but
those of colour must stop, it is one-sided.

The two minimisers, damped Newton and conjugate gradient, take a function that gives value,
gradient and a curvature matrix (second derivatives, exact or approximate) at a point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import no_such
from yardstone.errors import ConvergenceError, ModelError, NoGamesError, UsageError
from yardstone.grades import EVEN_KOMI
from yardstone.winprob.kaniuk import (
    ALL_PARAMETERS,
    INITIAL,
    MAY_BE_NEGATIVE,
    POWERS,
    TABLE_1,
    GradeModel,
    Kaniuk,
    basis,
    lapse_slope,
    log_probabilities,
    lower_bounds,
    places,
)

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats
    from yardstone.winprob.statistics import WinningStatistics

    Objective = Callable[[Floats], tuple[float, Floats, Floats]]

#: A share of unexplained results starts here and never falls below `_LEAST_LAPSE`.
_FIRST_LAPSE, _LEAST_LAPSE = 0.02, 1e-6
_ALIKE = 1e-5  #: Log-likelihoods no further apart are alike.
#: First points tried in place of table 1's: the likelihood can have several maxima.
_OTHER_STARTS = (
    Kaniuk.from_parameters({"u0": 0.04, "v0": 0.004, "u1": 0.1, "u3": 0.02, "K": 0.1}),
    Kaniuk.from_parameters({"u0": 0.0, "v0": 0.004, "u1": 0.15, "u3": 0.05, "K": 0.05}),
)


@dataclass(frozen=True, eq=False, repr=False)
class GradedGames:
    """Decided games between grades, alike ones added up; frozen."""

    #: Grades in zero-shodan units; `first` is Black where colour is known.
    first: Floats
    second: Floats
    #: As in `GradeModel.probability`.
    handicap: Floats
    komi: Floats
    #: Wins of `first`, and games.
    wins: Floats
    games: Floats

    def __repr__(self) -> str:
        return f"<GradedGames: {self.games.sum():.0f} games in {len(self.games)} cells>"

    @classmethod
    def from_columns(
        cls,
        first: Floats,
        second: Floats,
        first_won: Flags,
        handicap: Floats,
        komi: Floats,
        weight: Floats | None = None,
    ) -> GradedGames:
        """Add up games that agree in everything but the result; `weight` is 1 by default."""
        count: Floats = np.ones(len(first)) if weight is None else weight
        table = np.column_stack([first, second, handicap, komi]).astype(np.float64)
        cells, where = np.unique(table, axis=0, return_inverse=True)
        where = where.ravel()
        wins = np.asarray(np.bincount(where, count * first_won, len(cells)), np.float64)
        games = np.asarray(np.bincount(where, count, len(cells)), np.float64)
        first, second, handicap, komi = np.ascontiguousarray(cells.T)
        return cls(first, second, handicap, komi, wins, games)

    @classmethod
    def from_statistics(cls, statistics: WinningStatistics) -> GradedGames:
        """Winning statistics, but for the lowest row, as games of the weaker; colours unknown."""
        rows, columns = np.nonzero(statistics.games)
        rows, columns = rows[rows > 0], columns[rows > 0]
        first = (statistics.lowest + rows).astype(np.float64)
        return cls(
            first,
            first + columns + 1,
            np.zeros(len(rows)),
            np.full(len(rows), EVEN_KOMI),
            statistics.wins[rows, columns],
            statistics.games[rows, columns],
        )

    def log_likelihood(self, model: GradeModel) -> float:
        """Of all results under a model (without the binomial coefficients)."""
        log_win, log_loss, _, _, _ = log_probabilities(
            model.vector, model.link, self.first, self.second, self.handicap, self.komi
        )
        return float(_times(self.wins, log_win) + _times(self.games - self.wins, log_loss))


def _times(count: Floats, logarithm: Floats) -> float:
    """Sum of products where nothing times minus infinity is nothing."""
    some = count > 0
    return float(count[some] @ logarithm[some])


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """What a fit to games or statistics found."""

    names: tuple[str, ...]  #: The free parameters, in the order of `covariance`.
    covariance: Floats  #: Of the free parameters; NaN where a bound holds.
    minimum: Minimum  #: Of what was minimised.

    @property
    def values(self) -> Floats:
        """The free parameters."""
        return self.minimum.point

    @property
    def standard_errors(self) -> Floats:
        """One standard error of each free parameter; NaN where a bound holds."""
        return np.sqrt(np.diag(self.covariance))

    def __repr__(self) -> str:
        triples = zip(self.names, self.values, self.standard_errors, strict=True)
        found = ", ".join(f"{name} {value:.4g} ± {error:.2g}" for name, value, error in triples)
        return f"<{type(self).__name__}: {found}>"


def free_names(free: Iterable[str], known: Sequence[str], noun: str) -> tuple[str, ...]:
    """The names in their usual order, each known and at least one; else `UsageError`."""
    chosen = set(free)
    if unknown := chosen - set(known):
        raise UsageError(no_such(noun, min(unknown), known))
    if not chosen:
        raise UsageError(f"at least one {noun} must be free")
    return tuple(name for name in known if name in chosen)


@dataclass(frozen=True, eq=False, repr=False)
class LikelihoodFit(Fit):
    """Result of `fit_likelihood`.

    `covariance` is the inverse of the Fisher information, `minimum` that of the negative
    log-likelihood.
    """

    model: GradeModel  #: The fitted model.
    games: GradedGames  #: What was fitted.
    #: Where the other first points led, if elsewhere: the lower peaks, or equal ones.
    other_peaks: tuple[LikelihoodFit, ...] = ()

    @property
    def log_likelihood(self) -> float:
        """At the fit."""
        return -self.minimum.value

    @property
    def aic(self) -> float:
        """Akaike's criterion: smaller is better."""
        return 2.0 * (len(self.names) + self.minimum.value)


def fit_likelihood(
    games: GradedGames,
    *,
    free: Iterable[str] = TABLE_1,
    start: GradeModel | None = None,
    tolerance: float = 1e-10,
) -> LikelihoodFit:
    """Fit a model to the results of games by maximum likelihood.

    Args:
        games: The results.
        free: Names of `ALL_PARAMETERS` to be fitted; the others stay as in `start`. All but
            ``black`` and ``komi`` stay at or above zero.
        start: First point, and the link; table 1's "initial" by default. Where the free
            coefficients are that one's, two others are tried as well, and the best of the three
            fits is kept.
        tolerance: The fit is done when another step promises no more log-likelihood.
    """
    names = free_names(free, ALL_PARAMETERS, "parameter")
    if not games.games.sum() > 0:
        raise NoGamesError("there is no decided game between players of known grades")
    begin = start or GradeModel(INITIAL)
    first = _fit_from(games, names, begin, tolerance)
    begins = begin.core.parameters
    if "K" not in names or any(
        begins[name] != INITIAL.parameters[name] for name in names if name in begins
    ):
        return first
    fits = [first]
    for core in _OTHER_STARTS:
        values = dict(begin.core.parameters)
        values |= {name: core.parameters[name] for name in names if name in values}
        other = GradeModel(Kaniuk.from_parameters(values), begin.extras, begin.link)
        with suppress(ConvergenceError):
            fits.append(_fit_from(games, names, other, tolerance))
    # u1 at one K can do all that u3 does at a third of it: among equals the first counts.
    least = min(fit.minimum.value for fit in fits)
    best = next(fit for fit in fits if fit.minimum.value <= least + _ALIKE)
    apart = tuple(
        fit
        for fit in fits
        if fit is not best and not np.allclose(fit.values, best.values, rtol=1e-2, atol=1e-4)
    )
    return replace(best, other_peaks=apart)


def _fit_from(
    games: GradedGames, names: tuple[str, ...], begin: GradeModel, tolerance: float
) -> LikelihoodFit:
    """The fit to which one first point leads."""
    base, index, lapse = begin.vector, places(names), ALL_PARAMETERS.index("lapse")
    if lapse in index and base[lapse] == 0.0:
        base[lapse] = _FIRST_LAPSE
    losses = games.games - games.wins

    def objective(values: Floats, *, curved: bool = True) -> tuple[float, Floats, Floats]:
        vector = base.copy()
        vector[index] = values
        bad = np.inf, np.full(len(values), np.inf), np.eye(len(values))
        if not 0.0 <= vector[lapse] < 1.0:
            return bad
        with np.errstate(over="ignore", invalid="ignore"):
            log_win, log_loss, win_slope, loss_slope, jacobian = log_probabilities(
                vector, begin.link, games.first, games.second, games.handicap, games.komi
            )
            value = -(_times(games.wins, log_win) + _times(losses, log_loss))
            if not np.isfinite(value):
                return bad
            wins_by = win_slope * jacobian
            loss_by = loss_slope * jacobian
            if lapse in index:
                wins_by[lapse] = lapse_slope(log_win, vector[lapse])
                loss_by[lapse] = lapse_slope(log_loss, vector[lapse])
            wins_by, loss_by = wins_by[index], loss_by[index]
            win, loss = np.exp(log_win), np.exp(log_loss)
            gradient = -(wins_by @ games.wins + loss_by @ losses)
            information = (wins_by * (games.games * win)) @ wins_by.T
            information += (loss_by * (games.games * loss)) @ loss_by.T
            if curved:
                pull = win_slope * games.wins + loss_slope * losses
                curvature = gap_curvature(vector, games.first, games.second, pull)
                information -= curvature[np.ix_(index, index)]
        if not (np.all(np.isfinite(gradient)) and np.all(np.isfinite(information))):
            return bad
        return value, gradient, information

    lower = lower_bounds(names)
    if "lapse" in names:
        lower[names.index("lapse")] = _LEAST_LAPSE
    first = objective(base[index], curved=False)
    if not np.isfinite(first[0]):
        raise ModelError("the results are impossible under the model the fit starts from")
    sizes = np.sqrt(np.maximum(np.diag(first[2]), 1e-12))

    def scaled(values: Floats, *, curved: bool = True) -> tuple[float, Floats, Floats]:
        value, gradient, information = objective(values / sizes, curved=curved)
        return value, gradient / sizes, information / np.outer(sizes, sizes)

    begin_at, bounds = base[index] * sizes, lower * sizes
    try:
        minimised = damped_newton(scaled, begin_at, bounds, tolerance=1e-9, gain=tolerance)
    except ConvergenceError:  # far from the minimum the full curvature can mislead
        plain = partial(scaled, curved=False)
        minimised = damped_newton(plain, begin_at, bounds, tolerance=1e-9, gain=tolerance)
    point = minimised.point / sizes
    value, gradient, information = objective(point, curved=False)
    vector = base.copy()
    vector[index] = point
    inside = point > lower
    covariance = np.full(information.shape, np.nan)
    covariance[np.ix_(inside, inside)] = np.linalg.pinv(
        information[np.ix_(inside, inside)], hermitian=True
    )
    minimum = Minimum(point, value, gradient, information, minimised.path)
    model = GradeModel.from_vector(vector, begin.link)
    return LikelihoodFit(names, covariance, minimum, model, games)


def gap_curvature(vector: Floats, first: Floats, second: Floats, pull: Floats) -> Floats:
    """Second derivatives of Lambda in Kaniuk's coefficients, summed with weights `pull`.

    Those of colour and handicap are left out: the steps of the fit do without.
    """
    _, weaker, terms = basis(first, second, vector[8])
    total = np.zeros((len(vector), len(vector)))
    total[8, :8] = total[:8, 8] = POWERS * (terms @ (pull * weaker))
    total[8, 8] = pull @ (((vector[:8] * POWERS**2) @ terms) * weaker**2)
    return total


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where a minimiser stopped."""

    point: Floats  #: At the minimum; the gradient is zero except where a bound holds.
    value: float  #: Smallest value.
    gradient: Floats
    curvature: Floats
    path: tuple[tuple[float, float], ...]  #: At the start and after each step.

    @property
    def steps(self) -> int:
        """Number of steps taken."""
        return len(self.path) - 1


def damped_newton(
    objective: Objective,
    start: Floats,
    lower: Floats,
    *,
    tolerance: float = 1e-10,
    gain: float = 0.0,
    most_steps: int = 500,
) -> Minimum:
    """Minimise above lower bounds by Newton steps with Levenberg's damping.

    Args:
        objective: Value, gradient, curvature at a point.
        start, lower (arrays): First point and its lower bounds (-inf where free).
        tolerance: On the size of the gradient over the parameters that no bound holds.
        gain: Also done when a Newton step promises to lower the value by no more.
        most_steps: After so many, `ConvergenceError`.
    """
    point = np.maximum(start, lower)
    value, gradient, curvature = objective(point)
    damping, enough = 1e-3, 1e-14 if gain > 0.0 else 0.0
    path = []
    for _ in range(most_steps):
        free = ~((point <= lower) & (gradient > 0.0))
        size = float(np.linalg.norm(gradient[free]))
        path.append((value, size))
        if size <= tolerance:
            return Minimum(point, value, gradient, curvature, tuple(path))
        free = _not_pushed_out(point, lower, gradient, curvature, free)
        block = curvature[np.ix_(free, free)]
        diagonal = np.abs(np.diag(block)) + 1e-300
        newton = _step(block, gradient[free])
        if (
            newton is not None
            and -0.5 * float(gradient[free] @ newton) <= enough * abs(value) + gain
        ):
            return Minimum(point, value, gradient, curvature, tuple(path))
        while True:
            step = _step(block + np.diag(damping * diagonal), gradient[free])
            trial = point.copy()
            if step is not None:
                trial[free] = np.maximum(point[free] + step, lower[free])
                new = objective(trial)
                # Where the value has no digits left, the gradient decides.
                close = new[0] <= value + 1e-13 * abs(value)
                if new[0] < value - 1e-13 * abs(value) or (
                    close and np.linalg.norm(new[1][free]) < size
                ):
                    damping = _next_damping(damping, value - new[0], gradient[free], block, step)
                    break
            damping = max(damping * 10.0, 1e-14)
            if damping > 1e12:
                # Where a Newton step would gain less than the rounding of the value, it is found.
                last = np.linalg.lstsq(block, gradient[free], rcond=None)[0]
                if float(gradient[free] @ last) < 1e-11 * max(1.0, abs(value)):
                    return Minimum(point, value, gradient, curvature, tuple(path))
                raise ConvergenceError(f"the fit stopped at a gradient of {size:.2g}")
        point, (value, gradient, curvature) = trial, new
    raise ConvergenceError(f"no minimum after {most_steps} steps (gradient {path[-1][1]:.2g})")


def _not_pushed_out(
    point: Floats, lower: Floats, gradient: Floats, curvature: Floats, free: Flags
) -> Flags:
    """The free parameters less those at a bound that a Newton step would push below it."""
    while True:
        step = _step(curvature[np.ix_(free, free)], gradient[free])
        if step is None:
            return free
        out = np.zeros(len(point), np.bool_)
        out[free] = (point[free] <= lower[free]) & (step < 0.0)
        if not out.any():
            return free
        free = free & ~out


def _next_damping(
    damping: float, gained: float, gradient: Floats, curvature: Floats, step: Floats
) -> float:
    """Less damping where the step kept its promise, more where it did not."""
    promised = -float(gradient @ step + 0.5 * step @ curvature @ step)
    if gained < 0.25 * promised:
        return max(4.0 * damping, 0.1)
    if gained < 0.75 * promised:
        return damping
    return damping / 10.0 if damping > 1e-14 else 0.0


def _step(matrix: Floats, gradient: Floats) -> Floats | None:
    """Newton step, or None where the matrix is not positive definite."""
    scale = 1.0 / np.sqrt(np.maximum(np.abs(np.diag(matrix)), 1e-300))
    try:
        np.linalg.cholesky(scaled := matrix * np.outer(scale, scale))
        step: Floats = -scale * np.linalg.solve(scaled, scale * gradient)
    except np.linalg.LinAlgError:  # singular matrices can pass the factorisation by rounding
        return None
    return step


_TOLERANCE = 1e-6  #: Profile fits are done when another step promises no more log-likelihood.
#: Steps outwards, each 1.3 times the last, before an end counts as not to be found.
_MOST_STEPS = 40
_MOST_PULL = 35.0  #: Logarithm of the most imagined games that pull a probability.
_FAR = 1e6  #: Stands for a likelihood that is nowhere near.


def _drop(level: float) -> float:
    from scipy.stats import chi2

    if not 0.0 < level < 1.0:
        raise UsageError("a confidence level lies between 0 and 1")
    return 0.5 * float(chi2.ppf(level, 1))


def parameter_shortfall(fit: LikelihoodFit, name: str, value: float) -> float:
    """Log-likelihood that is lost at best when one parameter has this value."""
    if name not in fit.names:
        raise UsageError(f"{name!r} was not free in this fit")
    return min(_shortfall(fit, peak, name, value) for peak in (fit, *fit.other_peaks))


def _shortfall(fit: LikelihoodFit, peak: LikelihoodFit, name: str, value: float) -> float:
    """The same on the slope of one peak."""
    others = [other for other in fit.names if other != name]
    vector = peak.model.vector
    vector[ALL_PARAMETERS.index(name)] = value
    model = GradeModel.from_vector(vector, fit.model.link)
    if not others:
        return -fit.games.log_likelihood(model) - fit.minimum.value
    try:
        near = fit_likelihood(fit.games, free=others, start=model, tolerance=_TOLERANCE)
    except (ConvergenceError, ModelError):  # so far out that nothing is finite
        return _FAR
    return min(near.minimum.value - fit.minimum.value, _FAR)


def parameter_interval(fit: LikelihoodFit, name: str, level: float = 0.95) -> tuple[float, float]:
    """Profile likelihood interval of one parameter.

    Where the likelihood has several peaks that are high enough, it reaches over all of them.
    Returns low, high: `low` is 0 where the likelihood never falls short downwards, `high` infinite
    where it never does so upwards.
    """
    if name not in fit.names:
        raise UsageError(f"{name!r} was not free in this fit")
    drop, where = _drop(level), fit.names.index(name)
    floor = -np.inf if name in MAY_BE_NEGATIVE else 0.0
    low, high = np.inf, -np.inf
    for peak in (fit, *fit.other_peaks):
        best = float(peak.values[where])
        if peak.minimum.value - fit.minimum.value > drop or low <= best <= high:
            continue

        def excess(value: float, peak: LikelihoodFit = peak) -> float:
            return _shortfall(fit, peak, name, value) - drop

        error = float(peak.standard_errors[where])
        step = error if np.isfinite(error) and error > 0 else 0.1 * max(abs(best), 0.01)
        step = min(step, max(abs(best), 0.1))
        low = min(low, interval_end(excess, best, -step, floor))
        high = max(high, interval_end(excess, best, step, 1.0 if name == "lapse" else np.inf))
    return low, high


def interval_end(excess: Callable[[float], float], best: float, step: float, limit: float) -> float:
    """Where `excess` crosses zero on one side of `best`; `limit` where it does not."""
    from scipy.optimize import brentq

    size, near, far = abs(step), best, best
    for _ in range(_MOST_STEPS):
        near, far = far, far + step
        far = max(far, limit) if step < 0.0 else min(far, limit)
        if far == near:
            return limit
        if excess(far) > 0.0:
            return float(brentq(excess, *sorted((near, far)), xtol=1e-3 * size))
        step *= 1.3
    return limit


def probability_interval(
    fit: LikelihoodFit, first: float, second: float, level: float = 0.95
) -> tuple[float, float]:
    """Profile likelihood interval of the probability that one grade beats another.

    Of an even game with the usual komi. Imagined games between the two grades, all won or all lost,
    pull the fit along the points that are best for each probability, until the likelihood of the
    true games has fallen far enough. `first`, `second`: grades in zero-shodan units. `level`: 0 to
    1. Returns low, high: 0 or 1 where no number of imagined games would be enough.
    """
    from scipy.optimize import brentq

    if first == second and "black" not in fit.names:
        half = float(fit.model.probability(first, second))
        return half, half
    drop = _drop(level)

    def pulled(log_games: float, won: bool) -> GradeModel:
        more = float(np.exp(log_games))
        row = (first, second, 0.0, EVEN_KOMI, more if won else 0.0, more)
        columns = (getattr(fit.games, field.name) for field in fields(GradedGames))
        games = GradedGames(*map(np.append, columns, row))
        return fit_likelihood(games, free=fit.names, start=fit.model, tolerance=_TOLERANCE).model

    def excess(log_games: float, won: bool) -> float:
        try:
            model = pulled(log_games, won)
        except (ConvergenceError, ModelError):
            return _FAR
        return -fit.games.log_likelihood(model) - fit.minimum.value - drop

    ends = []
    for won, limit in ((False, 0.0), (True, 1.0)):
        low, high = -5.0, 0.0
        while high < _MOST_PULL and excess(high, won) <= 0.0:
            low, high = high, high + 2.5
        if high >= _MOST_PULL:
            ends.append(limit)
            continue
        at = float(brentq(excess, low, high, args=(won,), xtol=0.01))
        ends.append(float(pulled(at, won).probability(first, second)))
    return ends[0], ends[1]
