"""A fit of the model with all that is said of it: intervals, probabilities, errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from yardstone.errors import UsageError
from yardstone.lab.kaniuk.least_squares import (
    LeastSquaresFit,
    fit_least_squares,
    rms_by_difference,
)
from yardstone.lab.kaniuk.least_squares_intervals import simulated_intervals
from yardstone.winprob.game_columns import GameColumns
from yardstone.winprob.grade_model import GradeModel
from yardstone.winprob.kaniuk import INITIAL, PUBLISHED, TABLE_1, Kaniuk
from yardstone.winprob.likelihood import GradedGames, LikelihoodFit, fit_likelihood
from yardstone.winprob.profile import parameter_interval, probability_interval

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.winprob.statistics import WinningStatistics

__all__ = [
    "DifferenceError",
    "FitInterval",
    "FittedParameter",
    "FittedProbability",
    "ModelFit",
    "fit_all_games",
    "fit_statistics",
]

Pairs = Sequence[tuple[float, float]]
FitMethod = Literal["likelihood", "newton", "conjugate"]


@dataclass(frozen=True, slots=True)
class FitInterval:
    """An interval; either end may be infinite. `method` says in words where it comes from."""

    low: float
    high: float
    level: float
    method: str


@dataclass(frozen=True, slots=True)
class FittedParameter:
    """A coefficient, its interval if there is one, and what was published."""

    name: str
    value: float
    published: float | None
    interval: FitInterval | None


@dataclass(frozen=True, slots=True)
class FittedProbability:
    """How often one grade beats another by the fit."""

    first: float
    second: float
    probability: float
    interval: FitInterval


@dataclass(frozen=True, slots=True)
class DifferenceError:
    """Root mean square error of the probability at a difference of grades; NaN if unknown."""

    difference: int
    rms: float
    by_chance: float
    published_model: float


@dataclass(frozen=True, eq=False)
class ModelFit:
    """A fit, and what it says.

    Attributes
    ----------
    fit : LeastSquaresFit or LikelihoodFit
    parameters : sequence of FittedParameter
    probabilities : sequence of FittedProbability
        Of the pairs that were named.
    errors : sequence of DifferenceError
        Empty for a fit to single games.
    statistics : WinningStatistics, optional
        What was fitted, if not single games.
    """

    fit: LeastSquaresFit | LikelihoodFit
    parameters: Sequence[FittedParameter]
    probabilities: Sequence[FittedProbability]
    errors: Sequence[DifferenceError]
    statistics: WinningStatistics | None

    @property
    def model(self) -> Kaniuk:
        """The coefficients that were fitted."""
        model = self.fit.model
        return model.core if isinstance(model, GradeModel) else model


def fit_statistics(
    statistics: WinningStatistics,
    *,
    method: FitMethod = "likelihood",
    free: Iterable[str] = TABLE_1,
    pairs: Pairs = (),
    simulated: int = 0,
    level: float = 0.95,
    seed: int = 0,
) -> ModelFit:
    """Fit the model to winning statistics.

    Parameters
    ----------
    statistics : WinningStatistics
    method : {"likelihood", "newton", "conjugate"}
        Binomial likelihood, or least squares on ratios as published by one of two ways.
    free : iterable of str
        Coefficients.
    pairs : sequence of (grade, grade)
        Likelihood: probabilities that are wanted, with intervals.
    simulated : int
        Newton: tables to simulate for intervals, 39 or more; 0 for no intervals.
    level : float
        Of intervals, 0 to 1.
    seed : int
        Of the simulated tables.
    """
    if method == "likelihood":
        games = GradedGames.from_statistics(statistics)
        return _of_likelihood(fit_likelihood(games, free=free), statistics, pairs, level)
    if pairs:
        raise UsageError("--probability is for --method likelihood")
    fit = fit_least_squares(statistics, free=free, method=method)
    intervals: list[FitInterval | None] = [None] * len(fit.names)
    if simulated:
        ends = simulated_intervals(fit, statistics, samples=simulated, level=level, seed=seed)
        intervals = [FitInterval(*pair, level, "simulated tables") for pair in ends]
    errors = _errors(statistics, fit.model)
    return ModelFit(fit, _parameters(fit, intervals), (), errors, statistics)


def fit_all_games(
    pool: Pool, *, free: Iterable[str] = TABLE_1, pairs: Pairs = (), level: float = 0.95
) -> ModelFit:
    """Fit the model by likelihood to all decided games, handicap games too.

    Parameters as for `fit_statistics`; the terms of `GradeModel` may be free.
    """
    names = tuple(free)
    start = GradeModel(INITIAL, {"stone": 1.0} if "stone" in names else {})
    games = GameColumns.from_pool(pool).graded()
    return _of_likelihood(fit_likelihood(games, free=names, start=start), None, pairs, level)


def _of_likelihood(
    fit: LikelihoodFit, statistics: WinningStatistics | None, pairs: Pairs, level: float
) -> ModelFit:
    def interval(ends: tuple[float, float]) -> FitInterval:
        return FitInterval(*ends, level, "profile likelihood")

    parameters = _parameters(
        fit, [interval(parameter_interval(fit, name, level)) for name in fit.names]
    )
    probabilities = [
        FittedProbability(
            one,
            two,
            float(fit.model.probability(one, two)),
            interval(probability_interval(fit, one, two, level)),
        )
        for one, two in pairs
    ]
    errors = [] if statistics is None else _errors(statistics, fit.model.core)
    return ModelFit(fit, parameters, probabilities, errors, statistics)


def _parameters(
    fit: LeastSquaresFit | LikelihoodFit, intervals: Sequence[FitInterval | None]
) -> list[FittedParameter]:
    published = PUBLISHED.parameters
    return [
        FittedParameter(name, float(value), published.get(name), interval)
        for name, value, interval in zip(fit.names, fit.values, intervals, strict=True)
    ]


def _errors(statistics: WinningStatistics, model: Kaniuk) -> list[DifferenceError]:
    rms, expected = rms_by_difference(statistics, model)
    of_published, _ = rms_by_difference(statistics, PUBLISHED)
    columns = zip(statistics.differences, rms, expected, of_published, strict=True)
    return [DifferenceError(int(d), *map(float, values)) for d, *values in columns]
