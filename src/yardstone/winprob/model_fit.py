"""A fit of the model with all that is said of it: intervals, probabilities, errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from yardstone.errors import UsageError
from yardstone.winprob.grade_model import GradeModel, Link
from yardstone.winprob.kaniuk import PUBLISHED, TABLE_1, Kaniuk
from yardstone.winprob.least_squares import (
    LeastSquaresFit,
    fit_least_squares,
    rms_by_difference,
)
from yardstone.winprob.least_squares_intervals import simulated_intervals
from yardstone.winprob.likelihood import GradedGames, LikelihoodFit, fit_likelihood
from yardstone.winprob.profile import parameter_interval, probability_interval
from yardstone.winprob.winning_fit import fit_winning_model, model_of_counts

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.winprob.models import WinningModel
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
    winning : WinningModel
        The fit as a model that commands take and files hold.
    """

    fit: LeastSquaresFit | LikelihoodFit
    parameters: Sequence[FittedParameter]
    probabilities: Sequence[FittedProbability]
    errors: Sequence[DifferenceError]
    statistics: WinningStatistics | None
    winning: WinningModel

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
        return _of_statistics(fit_likelihood(games, free=free), statistics, pairs, level)
    if pairs:
        raise UsageError("--probability is for --method likelihood")
    fit = fit_least_squares(statistics, free=free, method=method)
    intervals: list[FitInterval | None] = [None] * len(fit.names)
    if simulated:
        ends = simulated_intervals(fit, statistics, samples=simulated, level=level, seed=seed)
        intervals = [FitInterval(*pair, level, "simulated tables") for pair in ends]
    errors = _errors(statistics, fit.model)
    winning = model_of_counts(GradeModel(fit.model, {"stone": 1.0}), statistics)
    return ModelFit(fit, _parameters(fit, intervals), (), errors, statistics, winning)


def fit_all_games(
    pool: Pool,
    *,
    free: Iterable[str] = TABLE_1,
    link: Link = "erf",
    event_games: float | None = None,
    pairs: Pairs = (),
    level: float = 0.95,
) -> ModelFit:
    """Fit the model by likelihood to all decided games, handicap games too.

    Intervals count events, or players where there are no events. With too few of either they
    are those of the profile likelihood, which takes the games as independent.

    Parameters
    ----------
    pool, free, link, event_games
        As for `yardstone.winprob.winning_fit.fit_winning_model`.
    pairs, level
        As for `fit_statistics`.
    """
    winning_fit = fit_winning_model(pool, free=free, link=link, event_games=event_games)
    fit, region = winning_fit.fit, winning_fit.model.region
    if region is None:
        independent = "profile likelihood, games taken as independent"
        return _of_likelihood(fit, None, winning_fit.model, pairs, level, method=independent)
    method = f"over {region.clusters}"
    intervals = [
        FitInterval(*region.coefficient_interval(name, level), level, method) for name in fit.names
    ]
    probabilities = []
    for one, two in pairs:
        low, high = region.interval(one, two, level=level)
        ends = FitInterval(float(low), float(high), level, method)
        p = float(fit.model.probability(one, two))
        probabilities.append(FittedProbability(one, two, p, ends))
    return ModelFit(fit, _parameters(fit, intervals), probabilities, [], None, winning_fit.model)


def _of_statistics(
    fit: LikelihoodFit, statistics: WinningStatistics, pairs: Pairs, level: float
) -> ModelFit:
    stones = GradeModel(fit.model.core, {**fit.model.extras, "stone": 1.0}, fit.model.link)
    winning = model_of_counts(stones, statistics)
    return _of_likelihood(fit, statistics, winning, pairs, level, method="profile likelihood")


def _of_likelihood(
    fit: LikelihoodFit,
    statistics: WinningStatistics | None,
    winning: WinningModel,
    pairs: Pairs,
    level: float,
    *,
    method: str,
) -> ModelFit:
    def interval(ends: tuple[float, float]) -> FitInterval:
        return FitInterval(*ends, level, method)

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
    return ModelFit(fit, parameters, probabilities, errors, statistics, winning)


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
