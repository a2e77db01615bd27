"""Fits to the results of games by binomial likelihood.

Each game counts by what it says, so that rare meetings at large differences, or
of weak players, can be used as they are: no ratio of 0 or 1 has to be left out,
and no weight has to be chosen. A fit may use colour, komi and handicap games.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import no_such
from yardstone.errors import ConvergenceError, ModelError, NoGamesError, UsageError
from yardstone.winprob._minimise import Minimum, damped_newton
from yardstone.winprob.grade_model import (
    ALL_PARAMETERS,
    GradeModel,
    lapse_slope,
    log_probabilities,
)
from yardstone.winprob.head_start import EVEN_KOMI
from yardstone.winprob.kaniuk import INITIAL, TABLE_1, Kaniuk, basis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.winprob.statistics import WinningStatistics

    Array = NDArray[np.float64]

__all__ = ["GradedGames", "LikelihoodFit", "fit_likelihood"]

#: A share of unexplained results starts here and never falls below `_LEAST_LAPSE`.
_FIRST_LAPSE, _LEAST_LAPSE = 0.02, 1e-6
MAY_BE_NEGATIVE = ("black", "komi")
#: Log-likelihoods no further apart are alike.
_ALIKE = 1e-5
#: First points tried in place of table 1's: the likelihood can have several maxima.
_OTHER_STARTS = (
    Kaniuk.from_parameters({"u0": 0.04, "v0": 0.004, "u1": 0.1, "u3": 0.02, "K": 0.1}),
    Kaniuk.from_parameters({"u0": 0.0, "v0": 0.004, "u1": 0.15, "u3": 0.05, "K": 0.05}),
)


@dataclass(frozen=True, eq=False, repr=False)
class GradedGames:
    """Decided games between grades, alike ones added up; frozen.

    Attributes
    ----------
    first, second : float64 arrays
        Grades in zero-shodan units; `first` is Black where colour is known.
    handicap, komi : float64 arrays
        As in `GradeModel.probability`.
    wins, games : float64 arrays
        Wins of `first`, and games.
    """

    first: Array
    second: Array
    handicap: Array
    komi: Array
    wins: Array
    games: Array

    def __repr__(self) -> str:
        return f"<GradedGames: {self.games.sum():.0f} games in {len(self.games)} cells>"

    @classmethod
    def from_columns(
        cls,
        first: Array,
        second: Array,
        first_won: NDArray[np.bool_],
        handicap: Array,
        komi: Array,
        weight: Array | None = None,
    ) -> GradedGames:
        """Add up games that agree in everything but the result; `weight` is 1 by default."""
        count: Array = np.ones(len(first)) if weight is None else weight
        table = np.column_stack([first, second, handicap, komi]).astype(np.float64)
        cells, where = np.unique(table, axis=0, return_inverse=True)
        where = where.ravel()
        wins = np.asarray(np.bincount(where, count * first_won, len(cells)), np.float64)
        games = np.asarray(np.bincount(where, count, len(cells)), np.float64)
        first, second, handicap, komi = np.ascontiguousarray(cells.T)
        return cls(first, second, handicap, komi, wins, games)

    @classmethod
    def from_statistics(
        cls, statistics: WinningStatistics, *, skip_lowest: bool = True
    ) -> GradedGames:
        """Winning statistics as games of the weaker player; colours unknown."""
        rows, columns = np.nonzero(statistics.games)
        if skip_lowest:
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


def _times(count: Array, logarithm: Array) -> float:
    """Sum of products where nothing times minus infinity is nothing."""
    some = count > 0
    return float(count[some] @ logarithm[some])


@dataclass(frozen=True, eq=False, repr=False)
class LikelihoodFit:
    """Result of `fit_likelihood`.

    Attributes
    ----------
    model : GradeModel
        The fitted model.
    names : tuple of str
        Free parameters, in the order of `covariance`.
    covariance : array
        Inverse of the Fisher information; NaN where a bound holds.
    minimum : Minimum
        Of the negative log-likelihood.
    games : GradedGames
        What was fitted.
    other_peaks : tuple of LikelihoodFit
        Where the other first points led, if elsewhere: the lower peaks, or equal ones.
    """

    model: GradeModel
    names: tuple[str, ...]
    covariance: Array
    minimum: Minimum
    games: GradedGames
    other_peaks: tuple[LikelihoodFit, ...] = ()

    @property
    def values(self) -> Array:
        """The free parameters."""
        return self.minimum.point

    @property
    def standard_errors(self) -> Array:
        """One standard error of each; NaN where a bound holds."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def log_likelihood(self) -> float:
        """At the fit."""
        return -self.minimum.value

    @property
    def aic(self) -> float:
        """Akaike's criterion: smaller is better."""
        return 2.0 * (len(self.names) + self.minimum.value)

    def __repr__(self) -> str:
        pairs = zip(self.names, self.values, self.standard_errors, strict=True)
        return "<LikelihoodFit: " + ", ".join(f"{n} {v:.4g} ± {e:.2g}" for n, v, e in pairs) + ">"


def fit_likelihood(
    games: GradedGames,
    *,
    free: Iterable[str] = TABLE_1,
    start: GradeModel | None = None,
    tolerance: float = 1e-10,
) -> LikelihoodFit:
    """Fit a model to the results of games by maximum likelihood.

    Parameters
    ----------
    games : GradedGames
        The results.
    free : iterable of str
        Names of `ALL_PARAMETERS` to be fitted; the others stay as in `start`.
        All but ``black`` and ``komi`` stay at or above zero.
    start : GradeModel, optional
        First point, and the link; table 1's "initial" by default. Where the free coefficients
        are that one's, two others are tried as well, and the best of the three fits is kept.
    tolerance : float
        The fit is done when another step promises no more log-likelihood.
    """
    chosen = set(free)
    if unknown := chosen - set(ALL_PARAMETERS):
        raise UsageError(no_such("parameter", min(unknown), ALL_PARAMETERS))
    names = tuple(name for name in ALL_PARAMETERS if name in chosen)
    if not names:
        raise UsageError("at least one parameter must be free")
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
    chosen = set(names)
    base = begin.vector
    if "lapse" in chosen and base[ALL_PARAMETERS.index("lapse")] == 0.0:
        base[ALL_PARAMETERS.index("lapse")] = _FIRST_LAPSE
    index = [ALL_PARAMETERS.index(name) for name in names]
    lapse = ALL_PARAMETERS.index("lapse")
    losses = games.games - games.wins

    def objective(values: Array, *, curved: bool = True) -> tuple[float, Array, Array]:
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
                information -= _curvature(vector, games, pull)[np.ix_(index, index)]
        if not (np.all(np.isfinite(gradient)) and np.all(np.isfinite(information))):
            return bad
        return value, gradient, information

    lower = np.array([-np.inf if name in MAY_BE_NEGATIVE else 0.0 for name in names])
    if "lapse" in names:
        lower[names.index("lapse")] = _LEAST_LAPSE
    first = objective(base[index], curved=False)
    if not np.isfinite(first[0]):
        raise ModelError("the results are impossible under the model the fit starts from")
    sizes = np.sqrt(np.maximum(np.diag(first[2]), 1e-12))

    def scaled(values: Array, *, curved: bool = True) -> tuple[float, Array, Array]:
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
    return LikelihoodFit(
        GradeModel.from_vector(vector, begin.link), names, covariance, minimum, games
    )


def _curvature(vector: Array, games: GradedGames, pull: Array) -> Array:
    """Second derivatives of Lambda in Kaniuk's coefficients, summed with weights `pull`.

    Those of colour and handicap are left out: the steps of the fit do without.
    """
    _, weaker, terms = basis(games.first, games.second, vector[8])
    powers = np.repeat(np.arange(4.0), 2)
    total = np.zeros((len(vector), len(vector)))
    total[8, :8] = total[:8, 8] = powers * (terms @ (pull * weaker))
    total[8, 8] = pull @ (((vector[:8] * powers**2) @ terms) * weaker**2)
    return total
