"""Van den Doel's formulas, fitted to matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp, hypot
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone import parallel
from yardstone.backgammon.formulas import Weight
from yardstone.backgammon.gnubg import TIMEOUT, find_gnubg
from yardstone.errors import ConvergenceError, NoGamesError
from yardstone.winprob import fibs
from yardstone.winprob.laws import normal_cdf
from yardstone_lab.vandendoel.choices import Averaging, CloseRule, FitMethod, StudyModel
from yardstone_lab.vandendoel.play import MatchSetting, PlayedMatches, in_rounds, play_jobs
from yardstone_lab.vandendoel.tables import Cells, StudyTable, from_results, make_cells

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = [
    "DRAWS",
    "Coefficient",
    "StudyFit",
    "fit_cells",
    "fit_chance",
    "fit_study",
    "has_spread",
    "Bump",
    "chance_of_largest",
    "find_bumps",
    "Playing",
    "StudyResult",
    "fit_models",
    "play_study",
]

#: Draws for the errors unless told otherwise.
DRAWS = 200
#: Most steps of Gauss and Newton, and the relative change at which they end.
STEPS, TOLERANCE = 100, 1e-10
#: Below this share of its largest singular value a direction counts as undetermined.
RANK = 1e-9


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient at each length and as a function of it."""

    name: str  #: ``a``, ``a2`` or ``b``.
    lengths: tuple[int, ...]
    #: `values`, `errors`: at each length, with standard errors; NaN where the cells do not
    #: determine it.
    values: tuple[float, ...]
    errors: tuple[float, ...]
    weight: Weight  #: constant + inverse/N; NaN with fewer than two lengths.
    #: `constant_error`, `inverse_error`, `correlation`: standard errors of the two, and how they go
    #: together.
    constant_error: float
    inverse_error: float
    correlation: float


@dataclass(frozen=True, eq=False, repr=False)
class StudyFit:
    """A fit with everything it stands on."""

    model: StudyModel  #: `model`, `method`, `rule`, `averaging`: what was fitted, and how.
    method: FitMethod
    rule: CloseRule
    averaging: Averaging
    cells: Cells  #: The cells of this model, also those left out.
    #: (c,): cells that the fit could use: by rating points only those with a finite rating.
    used: NDArray[np.bool_]
    coefficients: tuple[Coefficient, ...]
    fitted: Array  #: (c,): rating difference by the coefficient of each length.
    smooth: Array  #: (c,): rating difference by the functions of the length.
    #: (2k, 2k): of constant and inverse of each coefficient, in order, from the draws; NaN without.
    covariance: Array

    def __repr__(self) -> str:
        return f"<StudyFit: {self.model}, {self.method}, {len(self.cells)} cells>"

    def chi_square(self, rating: Array) -> tuple[float, int]:
        """Sum of squared deviations of mean results from this rating, and number of cells.

        In standard errors; NaN if a rating is. Cells without a standard error stay out.
        """
        good = has_spread(self.cells)
        if np.isnan(rating[good]).any():
            return float("nan"), int(good.sum())
        off = self.cells.deviations(rating)[good]
        return float(off @ off), int(good.sum())

    @property
    def misfit(self) -> float:
        """Squared deviations from the functions of the length by what chance gives; at least 1.

        Where the cells scatter more than their errors say, the variance of what is
        fitted to them is so many times as large.
        """
        squares, number = self.chi_square(self.smooth)
        freedom = number - 2 * len(self.coefficients)
        return max(1.0, squares / freedom) if freedom > 0 else float("nan")


def fit_study(
    table: StudyTable,
    model: StudyModel,
    method: FitMethod = FitMethod.chance,
    rule: CloseRule = CloseRule.new,
    averaging: Averaging = Averaging.matches,
    *,
    draws: int = DRAWS,
    seed: int = 1,
) -> StudyFit:
    """Fit one model to the cells that belong to it, at each length and as functions of 1/N.

    Args:
        model: `decision` uses the cells of Part I, `bilinear` those of Part II.
        method, rule, averaging: See `FitMethod`, `CloseRule` and `Averaging`.
        draws: So many times the matches of each cell are drawn anew for the errors; 0 for none.
        seed: Of those draws.

    Raises:
        NoGamesError: No cell belongs to this model.
    """
    cells = make_cells(table, rule, averaging)
    belongs = cells.belongs(model)
    if not belongs.any():
        part = "I" if model is StudyModel.decision else "II"
        raise NoGamesError(f"the table has no matches of Part {part}")
    cells = cells.select(belongs)
    lengths = np.unique(cells.length)
    best = fit_cells(cells, model, method)
    drawn = np.full((draws, *best.shape), np.nan)
    mine = np.isin(
        table.setting, [k for k, setting in enumerate(table.settings) if setting in cells.settings]
    )
    table = table.take(mine)
    for draw, generator in enumerate(parallel.spawn_generators(seed, draws)):
        again = make_cells(table, rule, averaging, times=_draw(table, generator))
        try:
            drawn[draw] = fit_cells(again, model, method)
        except ConvergenceError:
            continue  # such a draw says nothing, and stays out of the errors
    spread = _spread(drawn)
    coefficients = tuple(
        Coefficient(
            name,
            tuple(int(length) for length in lengths),
            tuple(best[k, 2:].tolist()),
            tuple(spread[k, 2:].tolist()),
            Weight(float(best[k, 0]), float(best[k, 1])),
            float(spread[k, 0]),
            float(spread[k, 1]),
            _correlation(drawn[:, k, 0], drawn[:, k, 1]),
        )
        for k, name in enumerate(model.names)
    )
    terms = cells.terms(model)
    at = np.searchsorted(lengths, cells.length)
    smooth = sum(c.weight(cells.length) * terms[:, k] for k, c in enumerate(coefficients))
    return StudyFit(
        model,
        method,
        rule,
        averaging,
        cells,
        _usable(cells, method),
        coefficients,
        np.sum(best[:, 2:][:, at].T * terms, axis=1),
        np.asarray(smooth),
        _covariance(drawn[:, :, :2].reshape(draws, 2 * len(model.names))),
    )


def fit_cells(cells: Cells, model: StudyModel, method: FitMethod) -> Array:
    """The coefficients alone: a row each, with constant, inverse, and the value at each length.

    The lengths are those of the cells, in order. NaN where nothing is determined.

    Raises:
        ConvergenceError: The fit of mean results found no end.
    """
    lengths = np.unique(cells.length)
    terms = cells.terms(model)
    usable = _usable(cells, method)
    k = len(model.names)
    coefficients = np.full((k, 2 + len(lengths)), np.nan)
    errors = np.full((k, len(lengths)), np.nan)
    for at, length in enumerate(lengths):
        rows = usable & (cells.length == length)
        coefficients[:, 2 + at], errors[:, at] = _solve(cells.select(rows), terms[rows], method)
    if method is FitMethod.chance:
        inverse = 1.0 / cells.length[usable, None]
        both = np.hstack([terms[usable], terms[usable] * inverse])
        joint, _ = _solve(cells.select(usable), both, method)
        coefficients[:, 0], coefficients[:, 1] = joint[:k], joint[k:]
        return coefficients
    for row in range(k):
        known = np.isfinite(coefficients[row, 2:]) & np.isfinite(errors[row])
        line = np.column_stack([lengths, np.ones(len(lengths))])[known]
        weights = np.ones(known.sum())
        if method is FitMethod.weighted:
            weights = 1.0 / (lengths[known] * errors[row, known])
        heights = lengths[known] * coefficients[row, 2:][known]
        coefficients[row, :2], _ = _least_squares(line, heights, weights)
    return coefficients


def has_spread(cells: Cells) -> NDArray[np.bool_]:
    """Cells whose mean result has a standard error: with two different matches or more."""
    return np.isfinite(cells.chance_error) & (cells.chance_error > 0.0)


def _usable(cells: Cells, method: FitMethod) -> NDArray[np.bool_]:
    if method is FitMethod.chance:
        return has_spread(cells)
    good = np.isfinite(cells.rating)
    if method is FitMethod.weighted:
        good &= np.isfinite(cells.rating_error) & (cells.rating_error > 0.0)
    return good


def _solve(cells: Cells, terms: Array, method: FitMethod) -> tuple[Array, Array]:
    """Coefficients of the columns of `terms`, and their standard errors."""
    if method is FitMethod.published:
        return _least_squares(terms, cells.rating, np.ones(len(cells)))
    if method is FitMethod.weighted:
        return _least_squares(terms, cells.rating, 1.0 / cells.rating_error)
    return fit_chance(cells, terms)


def _least_squares(terms: Array, values: Array, weights: Array) -> tuple[Array, Array]:
    """Minimise the squares of weights * (values - terms x); NaN if not determined."""
    unknown = np.full(terms.shape[1], np.nan)
    if len(values) < terms.shape[1]:
        return unknown, unknown
    scale = np.linalg.norm(weights[:, None] * terms, axis=0)
    if not (scale > 0.0).all():
        return unknown, unknown
    left = weights[:, None] * terms / scale
    solution, _, rank, _ = np.linalg.lstsq(left, weights * values, rcond=RANK)
    if rank < terms.shape[1]:
        return unknown, unknown
    variance = np.diag(np.linalg.inv(left.T @ left))
    return solution / scale, np.sqrt(variance) / scale


def fit_chance(cells: Cells, terms: Array) -> tuple[Array, Array]:
    """Fit ratings `terms` x to mean results, each by its standard error, by Gauss and Newton.

    Args:
        cells: All must have a finite standard error above zero (`has_spread`).
        terms (float64 array (c, k)): What the rating difference is made of.

    Returns:
        tuple of float64 arrays (k,): The coefficients and their standard errors; NaN if they are
            not determined.

    Raises:
        ConvergenceError: It found no end.
    """
    weights = 1.0 / cells.chance_error
    slope = fibs.steepness(cells.length)

    def expected(x: Array) -> Array:
        return fibs.probability(terms @ x, 0.0, cells.length)

    def loss(x: Array) -> float:
        return float(np.sum((weights * (cells.chance - expected(x))) ** 2))

    x = np.zeros(terms.shape[1])
    best = loss(x)
    for _ in range(STEPS):
        p = expected(x)
        gradient = (slope * p * (1.0 - p))[:, None] * terms
        step, errors = _least_squares(gradient, cells.chance - p, weights)
        if not np.isfinite(step).all():
            return np.full(len(x), np.nan), np.full(len(x), np.nan)
        size = _halved(loss, x, step, best)
        x = x + size * step
        best = loss(x)
        if np.linalg.norm(size * step) <= TOLERANCE * np.linalg.norm(x):
            return x, errors
    raise ConvergenceError(f"the fit of {len(cells)} mean results did not end in {STEPS} steps")


def _halved(loss: Callable[[Array], float], x: Array, step: Array, best: float) -> float:
    """The largest of 1, 1/2, 1/4, ... of a step that does not lose; 0 if none does."""
    size = 1.0
    while size > TOLERANCE:
        if loss(x + size * step) <= best:
            return size
        size /= 2.0
    return 0.0


def _draw(table: StudyTable, generator: Generator) -> Array:
    """How often each match is drawn, when each cell draws as many matches as it has."""
    order = np.argsort(table.setting, kind="stable")
    sizes = np.bincount(table.setting)
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    places = starts + np.floor(generator.random(len(table)) * np.repeat(sizes, sizes)).astype(int)
    times = np.zeros(len(table))
    np.add.at(times, order[places], 1.0)
    return times


def _spread(drawn: Array) -> Array:
    """Standard deviation over the draws that gave a number."""
    known = np.isfinite(drawn).sum(axis=0)
    filled = np.where(np.isfinite(drawn), drawn, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = filled.sum(axis=0) / known
        off = np.where(np.isfinite(drawn), drawn - mean, 0.0)
        return np.where(known > 1, np.sqrt((off**2).sum(axis=0) / (known - 1)), np.nan)


def _covariance(drawn: Array) -> Array:
    """Of the columns, over the draws that gave all numbers."""
    known = drawn[np.isfinite(drawn).all(axis=1)]
    if len(known) < 3:
        return np.full((drawn.shape[1], drawn.shape[1]), np.nan)
    return np.atleast_2d(np.cov(known, rowvar=False))


def _correlation(one: Array, two: Array) -> float:
    both = np.isfinite(one) & np.isfinite(two)
    if both.sum() < 3:
        return float("nan")
    return float(np.corrcoef(one[both], two[both])[0, 1])


@dataclass(frozen=True, slots=True)
class Bump:
    """R/DEPD at one length, of two kinds of pairings."""

    length: int
    #: `free`, `free_error`: where one player is free of noise, with the standard error.
    free: float
    free_error: float
    noisy: float  #: `noisy`, `noisy_error`: where both have noise.
    noisy_error: float

    @property
    def deviations(self) -> float:
        """Standard errors by which the pairings with noise lie above the others."""
        return (self.noisy - self.free) / hypot(self.free_error, self.noisy_error)

    def ratio_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Interval of `noisy` over `free`: how large a bump these matches leave possible."""
        from scipy.special import ndtri

        error = hypot(self.free_error / self.free, self.noisy_error / self.noisy)
        reach = float(ndtri(0.5 + 0.5 * level)) * error
        ratio = self.noisy / self.free
        return ratio * exp(-reach), ratio * exp(reach)


def chance_of_largest(bumps: Sequence[Bump]) -> float:
    """How often chance alone makes the largest of so many deviations as large."""
    largest = max(abs(bump.deviations) for bump in bumps)
    return float(1.0 - (1.0 - 2.0 * normal_cdf(-largest)) ** len(bumps))


def find_bumps(cells: Cells) -> list[Bump]:
    """Compare both kinds of pairings of Part I, at each length that has both.

    The errors are those of the mean results; those of the error rates, some tenth as
    large, stay out.
    """
    free = np.array([setting.first.chequer_noise == 0.0 for setting in cells.settings])
    bumps = []
    for length in np.unique(cells.length):
        here = (cells.length == length) & has_spread(cells)
        if not (here & free).any() or not (here & ~free).any():
            continue
        numbers = []
        for rows in (here & free, here & ~free):
            some = cells.select(rows)
            value, error = fit_chance(some, np.diff(some.decision_error, axis=1))
            numbers += [float(value[0]), float(error[0])]
        bumps.append(Bump(int(length), *numbers))
    return bumps


@dataclass(frozen=True, slots=True)
class Playing:
    """How matches of a study are played."""

    matches: int = 100  #: Of each setting.
    seed: int = 1  #: Of dice and noise.
    processes: int | None = None  #: Of GNU Backgammon at a time.
    timeout: float = TIMEOUT  #: Seconds until a match is given up.
    program: Path | None = None  #: GNU Backgammon.
    frozen: bool = True  #: Matches that can be repeated; needs libfaketime.
    export: bool = False  #: Keep the moves of each match.


@dataclass(frozen=True)
class StudyResult:
    """What the matches of some settings show."""

    played: PlayedMatches
    rule: CloseRule
    cells: Cells | None  #: None if there is no match.
    fits: list[StudyFit]  #: Of the models whose cells are there, if they were asked for.


def play_study(
    settings: Sequence[MatchSetting],
    path: Path,
    playing: Playing,
    *,
    rule: CloseRule = CloseRule.new,
    fits: bool = False,
) -> StudyResult:
    """Play the matches that a results file lacks, and average all of these settings.

    Args:
        path: The results file.
        rule: Which cube decisions count as close.
        fits: Fit the formulas too.
    """
    with parallel.context(workers=playing.processes):
        played = play_jobs(
            in_rounds(settings, playing.matches, playing.seed),
            path,
            program=find_gnubg(playing.program),
            frozen=playing.frozen,
            timeout=playing.timeout,
            export=playing.export,
        )
    if not played.played + played.kept:
        return StudyResult(played, rule, None, [])
    table = _only(from_results([path]), settings)
    cells = make_cells(table, rule)
    return StudyResult(played, rule, cells, fit_models(table, rule=rule) if fits else [])


def _only(table: StudyTable, settings: Sequence[MatchSetting]) -> StudyTable:
    """The matches of these settings, at every depth they were analysed at."""
    kept = {replace(setting, analyses=(p,)) for setting in settings for p in setting.analyses}
    return table.take(np.array([each in kept for each in table.settings])[table.setting])


def fit_models(
    table: StudyTable,
    models: Iterable[StudyModel] = tuple(StudyModel),
    method: FitMethod = FitMethod.chance,
    rule: CloseRule = CloseRule.new,
    averaging: Averaging = Averaging.matches,
    *,
    draws: int = DRAWS,
    seed: int = 1,
) -> list[StudyFit]:
    """Fits of the models that the table has matches of; see `fit_study`."""
    fits = []
    for model in models:
        try:
            fits.append(fit_study(table, model, method, rule, averaging, draws=draws, seed=seed))
        except NoGamesError:
            continue
    return fits
