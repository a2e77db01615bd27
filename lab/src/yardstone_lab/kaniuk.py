"""Kaniuk's model through the years, and beside others on games that it has not seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import check_choice, plural
from yardstone.clusters import clustered_interval, clustered_mean
from yardstone.errors import ModelError, NoGamesError, UsageError
from yardstone.winprob.games import GameColumns
from yardstone.winprob.kaniuk import (
    INITIAL,
    PUBLISHED,
    TABLE_1,
    GradeModel,
    Kaniuk,
    Link,
    log_probabilities,
)
from yardstone.winprob.least_squares import fit_least_squares
from yardstone.winprob.likelihood import fit_likelihood
from yardstone.winprob.statistics import WinningStatistics, windows

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
                form.fit(training.by_ratings()), left_out.by_ratings()
            )
        return loss
    try:
        model = form.fit(training)
    except ModelError:
        model = _AS_PUBLISHED
    return game_log_loss(model, left_out)


def game_log_loss(model: GradeModel, games: GameColumns) -> Array:
    """Negative log of the probability that a model gives to each result."""
    log_win, log_loss, _, _, _ = log_probabilities(
        model.vector, model.link, games.first, games.second, games.handicap, games.komi
    )
    return -np.where(games.first_won, log_win, log_loss)


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
        years, first_end, last_end: As in `yardstone.winprob.statistics.windows`.
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
