"""Kaniuk's model through the years, and beside others on games that it has not seen.

The paper's own approximation of the error function, Fairclough's ``tanh(a x + b x^3)`` (equation
10), is within 3.3e-4 (the paper says 6e-4) and can be inverted in closed form (equation 11). But a
small probability is a difference from 1, and there the *relative* error has no bound: a
probability of 1.1e-5 comes out as half of that. So it is refused beyond `ERF_LIMIT`, a probability
of 0.36 %, where the tail is wrong by 5 %.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import sqrt, tanh
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from yardstone.choices import check_choice, plural
from yardstone.clusters import clustered_interval, clustered_mean
from yardstone.errors import InputError, ModelError, NoGamesError, UsageError
from yardstone.grades import parse_grades
from yardstone.winprob.games import GameColumns
from yardstone.winprob.kaniuk import (
    INITIAL,
    PUBLISHED,
    TABLE_1,
    GradeModel,
    Kaniuk,
    Link,
    floats,
    gap_of_probability,
    log_probabilities,
)
from yardstone.winprob.laws import logistic, normal_log_cdf
from yardstone.winprob.likelihood import fit_likelihood
from yardstone.winprob.scales import egf_players, list_lines
from yardstone.winprob.statistics import WinningStatistics
from yardstone_lab.least_squares import fit_least_squares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

    Array = NDArray[np.float64]

__all__ = [
    "CANDIDATES",
    "RATINGS",
    "ModelForm",
    "FormScore",
    "CrossValidation",
    "Gain",
    "cross_validate",
    "Trace",
    "trace",
    "windows",
    "by_ratings",
    "ERF_LIMIT",
    "erf_approximation",
    "erfinv_approximation",
    "approximate_probability",
    "canonical",
    "opponent",
    "resampled",
    "read_egf_list",
    "GradeFit",
    "fit_grades",
    "cubic",
    "log_probability",
]

COLOUR = ("black", "stone")
#: Grades that a handicap stone is worth in forms that do not fit it: European usage.
USUAL_STONE = 1.0


#: How a candidate's parameters are found.
METHODS = ("likelihood", "least squares", "ratings", "none")


@dataclass(frozen=True, slots=True)
class ModelForm:
    """A form to be fitted."""

    name: str  #: For tables.
    free: tuple[str, ...] = ()  #: Parameters fitted; none for coefficients taken as they are.
    #: First point of the fit, or the model itself.
    start: GradeModel = field(default_factory=GradeModel)
    #: ``"likelihood"``, ``"least squares"``, ``"ratings"`` (likelihood, of ratings in hundreds of
    #: points where both players have one) or ``"none"``.
    method: str = "likelihood"

    def __post_init__(self) -> None:
        check_choice("the method", self.method, METHODS)

    def fit(self, games: GameColumns) -> GradeModel:
        """The model fitted to games."""
        if self.method == "none":
            return self.start
        if self.method == "least squares":
            even = games.handicap == 0
            statistics = WinningStatistics.from_games(
                games.first[even], games.second[even], games.first_won[even]
            )
            fit = fit_least_squares(statistics, free=self.free, start=self.start.core)
            return GradeModel(fit.model, self.start.extras, self.start.link)
        return fit_likelihood(games.graded(), free=self.free, start=self.start).model


def _start(link: Link = "erf", core: Kaniuk = INITIAL) -> GradeModel:
    return GradeModel(core, {"stone": USUAL_STONE}, link)


#: The published coefficients, which say nothing of handicap games: a stone a grade.
_AS_PUBLISHED = _start(core=PUBLISHED)
#: A start for the plain logistic: Lambda proportional to the difference alone.
_PLAIN = _start("logistic", Kaniuk.from_parameters({"u0": 0.1}))

#: The forms compared by default, simplest first.
CANDIDATES: tuple[ModelForm, ...] = (
    ModelForm("published", start=_AS_PUBLISHED, method="none"),
    ModelForm("published, least squares", TABLE_1, _start(), "least squares"),
    ModelForm("plain logistic", ("u0",), _PLAIN),
    ModelForm("likelihood", TABLE_1, _start()),
    ModelForm("logistic link", TABLE_1, _start("logistic")),
    ModelForm("lapse", (*TABLE_1, "lapse"), _start()),
    ModelForm("logistic link, lapse", (*TABLE_1, "lapse"), _start("logistic")),
    ModelForm("lapse, low grades", (*TABLE_1, "lapse", "low"), _start()),
    ModelForm("lapse, colour, handicap", (*TABLE_1, "lapse", *COLOUR), _start()),
    ModelForm(
        "lapse, low grades, colour, handicap",
        (*TABLE_1, "lapse", "low", *COLOUR),
        _start(),
    ),
    ModelForm(
        "lapse, low grades, colour, komi, handicap",
        (*TABLE_1, "lapse", "low", "komi", *COLOUR),
        _start(),
    ),
)


#: The entrant for games with ratings: a logistic on their difference, with stones in points.
RATINGS = ModelForm("ratings where they stand", ("u0", "stone"), _PLAIN, "ratings")
#: What forecasts the other games for it.
_WITHOUT_RATINGS = ModelForm("likelihood", TABLE_1, _start())


@dataclass(frozen=True, slots=True)
class Gain:
    """How much less log loss a game a form has than the first; no ends with too few groups."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class FormScore:
    """Mean scores of a form, and its gains on all games, even ones and handicap games."""

    name: str
    log_loss: float
    brier: float
    gains: Mapping[str, Gain]


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Scores of each candidate on the games left out."""

    names: tuple[str, ...]  #: The candidates.
    #: (candidates, games): negative log of the probability given to what happened (nats).
    log_loss: Array
    brier: Array  #: (candidates, games): squared error of the probability.
    games: GameColumns  #: The games, in the order given.
    #: The simplest candidate whose mean log loss lies within one standard error (of the difference)
    #: of the best.
    chosen: str
    folds: int  #: Parts that the games were divided into.

    @property
    def groups(self) -> int:
        """Number of groups of games."""
        return len(np.unique(self.games.group))

    def _parts(self) -> dict[str, NDArray[np.bool_]]:
        even = self.games.handicap == 0
        parts = {"all": np.ones(len(even), np.bool_), "even": even, "handicap": ~even}
        return {part: where for part, where in parts.items() if where.any()}

    def parts(self) -> dict[str, int]:
        """Numbers of all games, even ones and handicap games, those that there are."""
        return {part: int(where.sum()) for part, where in self._parts().items()}

    def scores(self, level: float = 0.95) -> list[FormScore]:
        """Each candidate's scores, with its gains over the first and their intervals."""
        means, baseline = self.mean(), self.names[0]

        def gain(name: str, where: NDArray[np.bool_]) -> Gain:
            ends = self.gain_interval(name, baseline, where, level=level)
            return Gain(self.gain(name, baseline, where)[0], *(ends or (None, None)))

        return [
            FormScore(
                name, *means[name], {part: gain(name, w) for part, w in self._parts().items()}
            )
            for name in self.names
        ]

    def mean(self, where: NDArray[np.bool_] | None = None) -> Mapping[str, tuple[float, float]]:
        """Mean log loss and Brier score of each candidate, over games `where`."""
        keep = np.ones(len(self.games), np.bool_) if where is None else where
        return {
            name: (float(self.log_loss[i, keep].mean()), float(self.brier[i, keep].mean()))
            for i, name in enumerate(self.names)
        }

    def gain(
        self, name: str, over: str, where: NDArray[np.bool_] | None = None
    ) -> tuple[float, float]:
        """How much less log loss a game `name` has than `over`, with a standard error.

        The error counts groups, not games, where there is more than one group.
        """
        mean, error, _ = clustered_mean(*self._differences(name, over, where))
        return mean, error

    def _differences(
        self, name: str, over: str, where: NDArray[np.bool_] | None
    ) -> tuple[Array, NDArray[np.int64]]:
        keep = np.ones(len(self.games), np.bool_) if where is None else where
        i, j = self.names.index(name), self.names.index(over)
        group = self.games.group[keep]
        if len(np.unique(group)) < 2:
            group = np.arange(len(group))
        return (self.log_loss[j] - self.log_loss[i])[keep], group

    def gain_interval(
        self,
        name: str,
        over: str,
        where: NDArray[np.bool_] | None = None,
        *,
        level: float = 0.95,
    ) -> tuple[float, float] | None:
        """Interval of `gain`, by Student's t over the groups; None where there are too few.

        Groups count for as many as they are worth (`yardstone.clusters`). The
        fits to k - 1 of k parts of the games have most games in common, so their chance
        does not average out: the variance is 1 + k / (k - 1) times that over the groups
        (Nadeau and Bengio 2003, Inference for the generalization error, section 3).
        """
        widening = sqrt(1.0 + self.folds / (self.folds - 1.0))
        differences = self._differences(name, over, where)
        return clustered_interval(*differences, level, widening=widening)


def _folds(group: NDArray[np.int64], folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Fold of each game: groups dealt out in random order to the smallest fold."""
    labels, number, size = np.unique(group, return_inverse=True, return_counts=True)
    if len(labels) < folds:
        raise UsageError(
            f"{plural(len(labels), 'group')} of games cannot be dealt to {folds} folds"
        )
    filled = np.zeros(folds)
    fold_of = np.empty(len(labels), np.int64)
    for label in sorted(rng.permutation(len(labels)), key=lambda i: -size[i]):
        fold_of[label] = int(np.argmin(filled))
        filled[fold_of[label]] += size[label]
    return fold_of[number]


def cross_validate(
    games: GameColumns,
    *,
    candidates: Sequence[ModelForm] | None = None,
    folds: int = 10,
    seed: int = 0,
) -> CrossValidation:
    """Score candidates on games left out, and choose one.

    Args:
        games: Decided games. Games of one group never stand on both sides.
        candidates: Simplest first; by default `CANDIDATES`, and `RATINGS` if there are any. A
            candidate that cannot be fitted to a training part is scored with the published model
            there.
        folds: Number of parts.
        seed: For dealing the groups out.
    """
    if len(games) == 0:
        raise NoGamesError("there is no decided game between players of known grades")
    if candidates is None:
        candidates = (*CANDIDATES, RATINGS) if games.rated.any() else CANDIDATES
    fold = _folds(games.group, folds, np.random.default_rng(seed))
    log_loss = np.empty((len(candidates), len(games)))
    for part in range(folds):
        test = fold == part
        training, left_out = games.select(~test), games.select(test)
        for i, candidate in enumerate(candidates):
            log_loss[i, test] = _forecast_loss(candidate, training, left_out)
    brier = (1.0 - np.exp(-log_loss)) ** 2
    names = tuple(candidate.name for candidate in candidates)
    result = CrossValidation(names, log_loss, brier, games, names[0], folds)
    means = log_loss.mean(axis=1)
    best = names[int(np.argmin(means))]
    for name in names:
        gain, error = result.gain(best, name)
        if gain <= error:
            return CrossValidation(names, log_loss, brier, games, name, folds)
    return CrossValidation(names, log_loss, brier, games, best, folds)


def _forecast_loss(form: ModelForm, training: GameColumns, left_out: GameColumns) -> Array:
    """Log loss of a form's fit to the training games on each of those left out."""
    if form.method == "ratings":
        loss = _forecast_loss(_WITHOUT_RATINGS, training, left_out)
        with suppress(ModelError, NoGamesError):  # then too few are rated
            loss[left_out.rated] = game_log_loss(
                form.fit(by_ratings(training)), by_ratings(left_out)
            )
        return loss
    try:
        model = form.fit(training)
    except ModelError:
        model = _AS_PUBLISHED
    return game_log_loss(model, left_out)


def by_ratings(games: GameColumns) -> GameColumns:
    """The rated games, with ratings in hundreds of points where grades stand."""
    rated = games.select(games.rated)
    if rated.ratings is None:
        return rated
    return replace(rated, first=rated.ratings[0] / 100.0, second=rated.ratings[1] / 100.0)


def game_log_loss(model: GradeModel, games: GameColumns) -> Array:
    """Negative log of the probability that a model gives to each result."""
    log_win, log_loss, _, _, _ = log_probabilities(
        model.vector, model.link, games.first, games.second, games.handicap, games.komi
    )
    return -np.where(games.first_won, log_win, log_loss)


def windows(
    pool: Pool, *, years: int = 5, first_end: int | None = None, last_end: int | None = None
) -> Iterator[tuple[int, WinningStatistics]]:
    """Statistics over a moving window of whole years (Kaniuk 2011, section 5).

    The window ends on 31 December of the year that stands before the statistics and begins on 1
    January, so that it holds `years` calendar years.
    """
    if years < 1:
        raise UsageError("a window holds at least one year")
    if pool.time is None or np.all(np.isnat(pool.time)):
        raise UsageError("the games have no dates, so no window can move over them")
    played = pool.time[~np.isnat(pool.time)].astype("datetime64[Y]").astype(np.int64) + 1970
    ends = first_end or int(played.min()) + years - 1, (last_end or int(played.max())) + 1
    for year in range(*ends):
        first = year - years + 1
        begin, end = f"{first:04d}-01-01", f"{year:04d}-12-31"
        label = f"{first} to {year}"
        yield year, WinningStatistics.from_pool(pool, begin=begin, end=end, label=label)


@dataclass(frozen=True, eq=False)
class Trace:
    """Results of a moving window; NaN where a window has too few games."""

    years: NDArray[np.int64]  #: (windows,): last year of each window.
    grades: tuple[int, ...]  #: The grades followed.
    differences: NDArray[np.int64]  #: -D .. D, 0 among them.
    #: (windows, grades, differences): win ratios, extended by equation 1 (figure 3).
    measured: Array
    names: tuple[str, ...]  #: The fitted coefficients.
    coefficients: Array  #: (windows, names): of each window's fit (figure 4).
    #: (windows, grades, differences): probabilities from those coefficients (figure 5).
    modelled: Array
    games: Array  #: (windows,): games counted in each window.


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

    Args:
        pool: Dated games with grades.
        years, first_end, last_end: As in `windows`.
        grades: The grades to follow: 10 kyu and 2 dan as in the paper.
        free, start: As in `fit_least_squares`.
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


#: Fairclough's two constants.
FAIRCLOUGH_A = 1.129324
FAIRCLOUGH_B = 0.100303
#: The paper prints 3.875 and 0.6856; these are what its formulas give.
FAIRCLOUGH_D = sqrt(4.0 * FAIRCLOUGH_A / (3.0 * FAIRCLOUGH_B))
FAIRCLOUGH_C = 3.0 / (FAIRCLOUGH_A * FAIRCLOUGH_D)
ERF_LIMIT = 1.9  #: Largest argument of `erf_approximation` that is accepted.


def erf_approximation(x: ArrayLike, *, tails: bool = False) -> Array:
    """Approximate error function (equation 10).

    Raises `UsageError` for arguments beyond `ERF_LIMIT`, unless `tails` is set to show what the
    approximation does there.
    """
    value = np.asarray(x, np.float64)
    if not tails and np.any(np.abs(value) > ERF_LIMIT):
        raise UsageError(
            f"Fairclough's approximation of erf is refused beyond {ERF_LIMIT}: a tail probability "
            "would be wrong by more than 5 %; use the exact function"
        )
    return np.tanh(FAIRCLOUGH_A * value + FAIRCLOUGH_B * value**3)


def erfinv_approximation(y: ArrayLike, *, tails: bool = False) -> Array:
    """Approximate inverse (equation 11): the exact inverse of `erf_approximation`.

    Arguments as there; `y` may go up to ``erf_approximation(ERF_LIMIT)``.
    """
    value = np.asarray(y, np.float64)
    if not tails and np.any(
        np.abs(value) > tanh(FAIRCLOUGH_A * ERF_LIMIT + FAIRCLOUGH_B * ERF_LIMIT**3) + 1e-15
    ):
        raise UsageError("Fairclough's approximation of the inverse is refused in the tails")
    with np.errstate(divide="ignore"):
        return FAIRCLOUGH_D * np.sinh(np.arcsinh(FAIRCLOUGH_C * np.arctanh(value)) / 3.0)


def approximate_probability(
    model: Kaniuk, first: ArrayLike, second: ArrayLike, *, tails: bool = False
) -> Array:
    """`Kaniuk.probability` with Fairclough's error function (equation 10)."""
    gap = model.strength_gap(first, second)
    erf_approximation(gap, tails=tails)  # refuses the tails
    # (1 - tanh y)/2 = 1/(1 + exp(2 y)), without the cancellation.
    return logistic(-2.0 * (FAIRCLOUGH_A * gap + FAIRCLOUGH_B * gap**3))


def canonical(model: Kaniuk, average: ArrayLike, difference: ArrayLike) -> Array:
    """Lambda in canonical coordinates g = (r + s)/2 and d = s - r (equation 9)."""
    g, d = floats(average, difference)
    weaker = g - 0.5 * np.abs(d)
    total = np.zeros(d.shape)
    for n in range(4):
        total += cubic(model, n, d) * np.exp(n * model.k * weaker)
    return total


def read_egf_list(path: str | os.PathLike[str]) -> tuple[list[str], Array]:
    """Grades and ratings from the EGF's list of all players.

    `path`: the list as published (``allworld_lp``), compressed or not. Returns grades as
    written, professional ranks among them, and ratings.
    """
    players = list(egf_players(list_lines(path)))
    if not players:
        raise InputError("no player was found in the list", file=str(path))
    return [player.grade for player in players], np.array([player.rating for player in players])


@dataclass(frozen=True, eq=False)
class GradeFit:
    """Straight lines between declared grade and rating; frozen."""

    players: int  #: Number of players.
    #: ``rating = intercept + slope * grade``: least squares of rating on grade.
    slope: float
    intercept: float
    #: Standard errors, allowing for a spread that depends on the grade.
    slope_error: float
    intercept_error: float
    deviation: float  #: Standard deviation of the ratings about that line.
    correlation: float  #: Between grade and rating.
    grade_slope: float  #: Grades a rating point (least squares of grade on rating).
    #: For each grade: players, mean rating, standard deviation.
    grades: Array
    count: NDArray[np.int64]
    mean: Array
    spread: Array


def fit_grades(
    grades: list[str] | Array, ratings: Array, *, lowest: float = -20.0, highest: float = 6.0
) -> GradeFit:
    """Fit ratings to grades, for players from `lowest` to `highest` (20 kyu to 7 dan).

    `grades`: as in `read_egf_list`, or in zero-shodan units; professionals are left out. `ratings`:
    one a player.
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


def cubic(model: Kaniuk, n: int, x: ArrayLike) -> Array:
    """The cubic h_n (equation 6), an odd function."""
    value = np.asarray(x, np.float64)
    return model.u[n] * value + model.v[n] * value**3


def log_probability(model: Kaniuk, first: ArrayLike, second: ArrayLike) -> Array:
    """Natural logarithm of `Kaniuk.probability`, finite where that underflows."""
    return normal_log_cdf(-sqrt(2.0) * model.strength_gap(first, second))


def opponent(model: Kaniuk, first: ArrayLike, probability: ArrayLike) -> Array:
    """Grade of the opponent whom `first` beats with the given probability.

    The inverse of `Kaniuk.probability` in its second argument, by bisection to the
    last digits; the coefficients must not be negative.
    """
    r, p = floats(first, probability)
    if np.any(~((p > 0.0) & (p < 1.0))):
        raise UsageError("a probability to be inverted lies strictly between 0 and 1")
    if min(*model.u, *model.v, model.k) < 0.0 or not max(*model.u, *model.v) > 0.0:
        raise UsageError("only a model whose probability falls steadily can be inverted")
    target = gap_of_probability(p)
    low, high = r - 1.0, r + 1.0
    for _ in range(60):
        too_high = model.strength_gap(r, low) > target
        too_low = model.strength_gap(r, high) < target
        if not np.any(too_high | too_low):
            break
        low = np.where(too_high, r + 2.0 * (low - r), low)
        high = np.where(too_low, r + 2.0 * (high - r), high)
    else:
        raise UsageError("no opponent, however weak, is beaten that surely under this model")
    while np.any(high - low > 1e-14 * (1.0 + np.abs(r))):
        middle = 0.5 * (low + high)
        above = model.strength_gap(r, middle) > target
        if np.all((middle == low) | (middle == high)):
            break
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray(0.5 * (low + high))


def resampled(statistics: WinningStatistics, rng: np.random.Generator) -> WinningStatistics:
    """The same number of games drawn with replacement from these."""
    cells = np.concatenate([statistics.wins.ravel(), (statistics.games - statistics.wins).ravel()])
    total = cells.sum()
    drawn = rng.multinomial(round(float(total)), cells / total).astype(np.float64)
    wins, losses = drawn.reshape(2, *statistics.games.shape)
    return WinningStatistics(statistics.lowest, wins, wins + losses, statistics.label)
