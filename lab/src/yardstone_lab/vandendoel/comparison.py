"""Van den Doel's formulas beside refitted ones, on people and programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from yardstone import parallel
from yardstone.backgammon.formulas import PUBLISHED, Formula, Weight
from yardstone.errors import ConvergenceError, ModelError, NoGamesError, UsageError
from yardstone.parallel import spawn_generators
from yardstone.winprob import fibs
from yardstone.winprob.laws import log_logistic, logistic
from yardstone_lab.vandendoel.choices import Averaging, CloseRule, LeftOut, StudyModel
from yardstone_lab.vandendoel.fit import fit_chance, has_spread
from yardstone_lab.vandendoel.tables import (
    Cells,
    MatchTable,
    StudyTable,
    is_part_one,
    is_part_two,
    make_cells,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Array = NDArray[np.float64]
    #: From the cells of the matches that may be seen: chances of the first players.
    Predictor = Callable[[Cells], Array]

__all__ = [
    "MODELS",
    "WeightFit",
    "WeightModel",
    "Target",
    "fit_weights",
    "formula_of",
    "maximise",
    "results_of",
    "terms",
    "ResultPrediction",
    "cross_validate",
    "folds_by_player",
    "log_score",
    "rarer_player",
    "Comparison",
    "FormulaScore",
    "compare_formulas",
]

Target = Literal["won", "luck-adjusted"]
WeightModel = Literal["moves-and-cube", "decisions", "moves-and-cube-constant", "scaled"]

#: What each model estimates.
MODELS: Mapping[str, tuple[str, ...]] = {
    "moves-and-cube": ("m0", "m1", "c0", "c1"),
    "moves-and-cube-constant": ("m0", "c0"),
    "decisions": ("d0", "d1"),
    "scaled": ("scale",),
}
#: Newton's method has converged when no log likelihood moves by more, per match.
TOLERANCE = 1e-12
MOST_STEPS = 100


def terms(
    model: WeightModel,
    epm: Floats,
    epc: Floats,
    epd: Floats,
    length: Floats,
    *,
    base: Formula = PUBLISHED,
) -> Floats:
    """Rating points for one unit of each coefficient of a model: shape (matches, coefficients).

    Rates have shape (matches, 2); ``scaled`` is a formula times one number.
    """
    move, cube, decision = (rates[:, 1] - rates[:, 0] for rates in (epm, epc, epd))
    if model == "moves-and-cube":
        columns = [move, move / length, cube, cube / length]
    elif model == "moves-and-cube-constant":
        columns = [move, cube]
    elif model == "decisions":
        columns = [decision, decision / length]
    else:
        columns = [base.move(length) * move + base.cube(length) * cube]
    return np.column_stack(columns)


def formula_of(
    model: WeightModel, values: Floats, name: str, *, base: Formula = PUBLISHED
) -> Formula:
    """The formula with these coefficients; what the model leaves out is that of `base`."""
    v = [float(value) for value in values]
    if model == "moves-and-cube":
        return Formula(Weight(v[0], v[1]), Weight(v[2], v[3]), base.decision, name)
    if model == "moves-and-cube-constant":
        return Formula(Weight(v[0], 0.0), Weight(v[1], 0.0), base.decision, name)
    if model == "decisions":
        return Formula(base.move, base.cube, Weight(v[0], v[1]), name)
    return base.times(v[0], name)


@dataclass(frozen=True)
class WeightFit:
    """Coefficients found in matches; frozen."""

    model: WeightModel
    #: Of the coefficients: ``m0`` + ``m1``/N is the weight of EPM, ``c0`` + ``c1``/N that of EPC,
    #: ``d0`` + ``d1``/N that of EPD, ``scale`` a factor of a formula.
    names: tuple[str, ...]
    values: Floats
    covariance: Floats  #: Of the values: the sandwich, which holds whatever the noise, by match.
    #: (samples, coefficients): values from resampled matches; empty if none were asked for.
    bootstrap: Floats
    matches: int
    formula: Formula

    @property
    def errors(self) -> Floats:
        """Standard errors, from the sandwich."""
        return np.sqrt(np.diag(self.covariance))

    def weight(self, of: Literal["move", "cube", "decision"], length: float) -> tuple[float, float]:
        """A weight at a length, and its standard error."""
        letter = {"move": "m", "cube": "c", "decision": "d"}[of]
        factors = np.array(
            [{f"{letter}0": 1.0, f"{letter}1": 1.0 / length}.get(name, 0.0) for name in self.names]
        )
        return float(factors @ self.values), float(np.sqrt(factors @ self.covariance @ factors))


def fit_weights(
    table: MatchTable,
    *,
    model: WeightModel = "moves-and-cube",
    target: Target = "luck-adjusted",
    rates: tuple[Floats, Floats, Floats] | None = None,
    clusters: NDArray[np.int64] | None = None,
    samples: int = 0,
    seed: int = 0,
    base: Formula = PUBLISHED,
    name: str = "refitted",
) -> WeightFit:
    """Maximum of the likelihood of the results.

    Args:
        model ({"moves-and-cube", "moves-and-cube-constant", "decisions", "scaled"}): What is
            estimated.
        target ({"luck-adjusted", "won"}): What is explained.
        rates (epm, epc, epd): Each of shape (matches, 2); by default those of the match itself.
        clusters (int array): Matches of one number belong together: the covariance and the
            bootstrap keep them so.
        samples: Bootstrap samples.
        seed: Of the bootstrap.
        base: For the model ``scaled``.
        name: Of the formula found.

    Raises:
        ModelError: The matches do not determine the coefficients.
        ConvergenceError: The method did not reach its tolerance.
    """
    epm, epc, epd = rates or (table.epm, table.epc, table.epd)
    slope = fibs.steepness(table.length)
    design = terms(model, epm, epc, epd, table.length, base=base) * slope[:, None]
    result = results_of(table, target)
    values, hessian = maximise(design, result)
    residual = result - logistic(design @ values)
    scores = design * residual[:, None]
    groups = np.arange(len(table)) if clusters is None else clusters
    _, place = np.unique(groups, return_inverse=True)
    count = int(place.max()) + 1
    summed = np.zeros((count, design.shape[1]))
    np.add.at(summed, place, scores)
    inverse = np.linalg.inv(hessian)
    covariance = inverse @ (summed.T @ summed) @ inverse * (count / max(count - 1, 1))
    drawn = np.zeros((0, design.shape[1]))
    if samples:
        drawn = _bootstrap(design, result, place, count, samples, seed)
    return WeightFit(
        model,
        MODELS[model],
        values,
        covariance,
        drawn,
        len(table),
        formula_of(model, values, name, base=base),
    )


def results_of(table: MatchTable, target: Target) -> Floats:
    """The results of the first player that are to be explained."""
    return table.score if target == "won" else table.luck_adjusted


def maximise(design: Floats, result: Floats, weight: Floats | None = None) -> tuple[Floats, Floats]:
    """Newton's method from zero, halving steps that go too far; the values and the Hessian."""
    weight = np.ones(len(result)) if weight is None else weight
    # Columns of very different size are brought to one scale.
    size = np.sqrt((design**2).mean(axis=0))
    if not (size > 0.0).all():
        raise ModelError("no match tells anything about one of the coefficients")
    scaled = design / size

    def likelihood(x: Floats) -> float:
        ahead = scaled @ x
        return float(weight @ (result * ahead + log_logistic(-ahead)))

    x = np.zeros(design.shape[1])
    here = likelihood(x)
    for _ in range(MOST_STEPS):
        chance = logistic(scaled @ x)
        gradient = scaled.T @ (weight * (result - chance))
        hessian = (scaled * (weight * chance * (1.0 - chance))[:, None]).T @ scaled
        if np.linalg.cond(hessian) > 1e12:
            raise ModelError("the matches do not determine the weights of the errors")
        step = np.linalg.solve(hessian, gradient)
        factor = 1.0
        while (there := likelihood(x + factor * step)) < here and factor > 1e-8:
            factor *= 0.5
        gain, here = there - here, there
        x = x + factor * step
        if abs(gain) <= TOLERANCE * max(weight.sum(), 1.0):
            return x / size, hessian * np.outer(size, size)
    raise ConvergenceError(f"no maximum of the likelihood after {MOST_STEPS} steps")


def _bootstrap(
    design: Floats,
    result: Floats,
    place: NDArray[np.int64],
    count: int,
    samples: int,
    seed: int,
) -> Floats:
    """Fits to clusters drawn with replacement."""
    fits = np.empty((samples, design.shape[1]))
    for row, generator in enumerate(spawn_generators(seed, samples)):
        drawn = np.bincount(generator.integers(0, count, count), minlength=count)
        fits[row] = maximise(design, result, drawn[place].astype(np.float64))[0]
    return fits


@dataclass(frozen=True)
class ResultPrediction:
    """How well results that were left out were predicted; frozen."""

    name: str
    score: Floats  #: Of each match: p log P + (1 - p) log(1 - P), in nats; more is better.

    @property
    def mean(self) -> float:
        """Mean log score a match."""
        return float(self.score.mean())

    def ahead_of(
        self, other: ResultPrediction, clusters: NDArray[np.int64] | None = None
    ) -> tuple[float, float]:
        """Mean gain over another prediction of the same matches, and its standard error."""
        gain = self.score - other.score
        groups = np.arange(len(gain)) if clusters is None else clusters
        _, place = np.unique(groups, return_inverse=True)
        sums = np.bincount(place, gain - gain.mean())
        n = len(sums)
        error = np.sqrt((sums**2).sum() * (n / max(n - 1, 1))) / len(gain)
        return float(gain.mean()), float(error)


def log_score(chance: Floats, result: Floats) -> Floats:
    """p log P + (1 - p) log(1 - P) of each match, in nats."""
    return np.asarray(result * np.log(chance) + (1.0 - result) * np.log1p(-chance), np.float64)


def rarer_player(table: MatchTable) -> NDArray[np.int64]:
    """A number for each match: that of the one of its two players with fewer matches.

    Where one player meets many, the matches of an opponent stay together so.
    """
    names, place = np.unique(table.players, return_inverse=True)
    place = place.reshape(table.players.shape)
    played = np.bincount(place.ravel(), minlength=len(names))
    rarer = np.where(played[place[:, 0]] <= played[place[:, 1]], place[:, 0], place[:, 1])
    return np.asarray(rarer, np.int64)


def folds_by_player(table: MatchTable, folds: int, seed: int) -> NDArray[np.int64]:
    """A fold for each match, all of a `rarer_player` in one: new to the fits of the others."""
    rarer = rarer_player(table)
    generator = np.random.default_rng(seed)
    fold = generator.permutation(int(rarer.max()) + 1) % folds
    return np.asarray(fold[rarer], np.int64)


def cross_validate(
    table: MatchTable,
    formulas: Mapping[str, Formula],
    models: Mapping[str, WeightModel],
    folds: NDArray[np.int64],
    *,
    target: Target = "luck-adjusted",
    test: Target = "won",
    rates: tuple[Floats, Floats, Floats] | None = None,
    by_decisions: frozenset[str] = frozenset(),
) -> list[ResultPrediction]:
    """Log scores of matches left out: of given formulas, and of models fitted to the others.

    Args:
        formulas: Used as they are.
        models: Fitted to all folds but one, and used on that one.
        folds (int array): Fold of each match.
        target, test ({"luck-adjusted", "won"}): What the models are fitted to, and what the score
            is about.
        rates (epm, epc, epd): As in `fit_weights`.
        by_decisions: Formulas used through EPD in place of EPM and EPC.

    Returns:
        First ``even``, one half for every match.
    """
    epm, epc, epd = rates or (table.epm, table.epc, table.epd)
    slope = fibs.steepness(table.length)
    result = results_of(table, test)
    predictions = [ResultPrediction("even", log_score(np.full(len(table), 0.5), result))]
    for name, formula in formulas.items():
        if name in by_decisions:
            ahead = formula.decision(table.length) * (epd[:, 1] - epd[:, 0])
        else:
            ahead = formula.difference((epm[:, 0], epc[:, 0]), (epm[:, 1], epc[:, 1]), table.length)
        predictions.append(ResultPrediction(name, log_score(logistic(ahead * slope), result)))
    for name, model in models.items():
        design = terms(model, epm, epc, epd, table.length) * slope[:, None]
        chance = np.empty(len(table))
        for fold in np.unique(folds):
            test_part = folds == fold
            values, _ = maximise(design[~test_part], results_of(table, target)[~test_part])
            chance[test_part] = logistic(design[test_part] @ values)
        predictions.append(ResultPrediction(name, log_score(chance, result)))
    return predictions


#: Chances are kept so far from 0 and 1 that no single match costs more than 14.
EDGE = 1e-6


@dataclass(frozen=True, slots=True)
class FormulaScore:
    """How a formula did."""

    name: str
    #: Mean of -(P log p + (1 - P) log(1 - p)), P the luck-adjusted result; less is better.
    log_score: float
    outcome_score: float  #: The same with the plain result, 1 or 0.
    #: `difference`, `difference_error`: of `log_score` from that of the first formula, with the
    #: standard error of the mean difference over the matches.
    difference: float
    difference_error: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Scores of all formulas on the same matches; the first is the one to compare with."""

    matches: int
    rule: CloseRule
    left_out: LeftOut
    parts: int  #: In so many parts everything was judged.
    scores: tuple[FormulaScore, ...]


@dataclass(frozen=True, slots=True)
class _Split:
    """One turn: matches that give the error rates, a length that no fit may see, matches judged."""

    training: NDArray[np.bool_]
    hidden: int | None
    judged: NDArray[np.bool_]

    def fitted(self, cells: Cells) -> NDArray[np.bool_]:
        """Cells that a fit may see."""
        return np.ones(len(cells), bool) if self.hidden is None else cells.length != self.hidden


def compare_formulas(
    table: StudyTable,
    rule: CloseRule = CloseRule.new,
    left_out: LeftOut = LeftOut.matches,
    *,
    folds: int = 10,
    seed: int = 1,
) -> Comparison:
    """FormulaScore the published formulas and refitted ones on matches left out.

    Args:
        table: Only matches of Part I and Part II are used.
        rule: Which cube decisions count as close.
        left_out: With `lengths`, the functions of 1/N must serve a length that no fit has seen; the
            error rates at that length are known, since they are the formula's input.
        folds: Into so many parts the matches of each cell are dealt.
        seed: Of that deal.

    Raises:
        NoGamesError: There are no such matches.
        UsageError: There are fewer than two parts, or only one length to leave out.
    """
    known = np.array([is_part_one(s) or is_part_two(s) for s in table.settings])
    table = table.take(known[table.setting])
    if not len(table):
        raise NoGamesError("the table has no matches of Part I or Part II")
    names = list(_predictors(fitting=False))
    chances = np.full((len(names), len(table)), np.nan)
    splits = list(_splits(table, left_out, folds, seed))
    for split in splits:
        cells = make_cells(table.take(split.training), rule, Averaging.matches)
        cells = cells.select(has_spread(cells))
        row = _rows_of(table, cells)
        judged = split.judged & (row >= 0)
        for k, predict in enumerate(_predictors(cells.select(split.fitted(cells))).values()):
            chances[k, judged] = predict(cells)[row[judged]]
    scored = np.isfinite(chances).all(axis=0)
    if not scored.any():
        raise NoGamesError("no setting has enough matches to leave some out")
    p = np.clip(chances[:, scored], EDGE, 1.0 - EDGE)
    by_luck = -log_score(p, table.luck_adjusted[scored])
    by_outcome = -log_score(p, table.won[scored] * 1.0)
    off = by_luck - by_luck[0]
    number = int(scored.sum())
    error = off.std(axis=1, ddof=1) / np.sqrt(number) if number > 1 else np.full(len(names), np.nan)
    return Comparison(
        number,
        rule,
        left_out,
        len(splits),
        tuple(
            FormulaScore(name, *(float(values[k]) for values in columns))
            for k, name in enumerate(names)
            for columns in [(by_luck.mean(1), by_outcome.mean(1), off.mean(1), error)]
        ),
    )


def _predictors(cells: Cells | None = None, *, fitting: bool = True) -> dict[str, Predictor]:
    """The formulas by name; those to be fitted are fitted to these cells."""
    columns = {
        "a(N)": _decision,
        "a2(N), b(N)": _bilinear,
        "a2(N), b(N), cube errors per move": _per_move,
        "a2(N), b(N), c(N) for EPC squared": _with_square,
    }
    published = {
        "a(N), published": StudyModel.decision,
        "a2(N), b(N), published": StudyModel.bilinear,
    }

    def old(name: str) -> Predictor:
        def predict(cells: Cells) -> Array:
            return fibs.probability(cells.published_rating(published[name]), 0.0, cells.length)

        return predict

    def new(name: str) -> Predictor:
        terms = columns[name]
        coefficients = np.zeros(0)
        if cells is not None and fitting:
            coefficients, _ = fit_chance(cells, _with_inverse(terms(cells), cells))

        def predict(cells: Cells) -> Array:
            return fibs.probability(
                _with_inverse(terms(cells), cells) @ coefficients, 0.0, cells.length
            )

        return predict

    return {name: old(name) for name in published} | {
        f"{name}, refitted": new(name) for name in columns
    }


def _decision(cells: Cells) -> Array:
    return cells.terms(StudyModel.decision)


def _bilinear(cells: Cells) -> Array:
    return cells.terms(StudyModel.bilinear)


def _with_inverse(terms: Array, cells: Cells) -> Array:
    return np.hstack([terms, terms / cells.length[:, None]])


def _per_move(cells: Cells) -> Array:
    return np.hstack(
        [np.diff(cells.move_error, axis=1), np.diff(cells.cube_error_per_move, axis=1)]
    )


def _with_square(cells: Cells) -> Array:
    """Cube errors that cost less and less (or more and more) as there are more of them."""
    squares = np.diff(cells.cube_error**2, axis=1)
    return np.hstack([_bilinear(cells), squares])


def _splits(table: StudyTable, left_out: LeftOut, folds: int, seed: int) -> Iterator[_Split]:
    if left_out is LeftOut.matches:
        if folds < 2:
            raise UsageError(f"{folds} parts: leave out one of 2 or more")
        part = _deal(table, folds, seed)
        for k in range(folds):
            yield _Split(part != k, None, part == k)
        return
    length = np.array([setting.length for setting in table.settings])[table.setting]
    lengths = np.unique(length)
    if len(lengths) < 3:
        raise UsageError("leaving out a length needs three or more")
    for one in lengths:
        yield _Split(np.ones(len(table), bool), int(one), length == one)


def _deal(table: StudyTable, folds: int, seed: int) -> NDArray[np.int64]:
    """A part for each match: those of a setting are dealt out evenly, in random order."""
    (generator,) = parallel.spawn_generators(seed, 1)
    # The order of the table must not matter, so the deal goes by the matches' own numbers.
    order = np.lexsort((table.number, table.seed, table.setting))
    shuffled = order[np.lexsort((generator.random(len(table)), table.setting[order]))]
    sizes = np.bincount(table.setting[shuffled])
    place = np.arange(len(table)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    part = np.empty(len(table), np.int64)
    part[shuffled] = place % folds
    return part


def _rows_of(table: StudyTable, cells: Cells) -> NDArray[np.int64]:
    """The cell of each match; -1 where its setting has none."""
    rows = {setting: row for row, setting in enumerate(cells.settings)}
    return np.array([rows.get(setting, -1) for setting in table.settings])[table.setting]
