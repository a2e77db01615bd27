"""How well formulas, old and refitted, predict matches that were left out of the fit.

A formula turns the error rates of two players into a chance. The rates come from the
matches it may see, the chances are held against those it may not. The score of a match
is the log score with its luck-adjusted result P in place of 0 or 1:
-(P log p + (1 - P) log(1 - p)). It is linear in P, and P is an unbiased estimate of the
true chance, so its mean estimates the mean log score without the noise of the dice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone import parallel
from yardstone.errors import NoGamesError, UsageError
from yardstone.winprob import fibs
from yardstone_lab.vandendoel.cells import Cells, is_part_one, is_part_two, make_cells
from yardstone_lab.vandendoel.choices import Averaging, CloseRule, LeftOut, StudyModel
from yardstone_lab.vandendoel.fit import fit_chance, has_spread
from yardstone_lab.vandendoel.predictions import log_score
from yardstone_lab.vandendoel.table import StudyTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    #: From the cells of the matches that may be seen: chances of the first players.
    Predictor = Callable[[Cells], Array]

__all__ = ["Comparison", "FormulaScore", "compare_formulas"]

#: Chances are kept so far from 0 and 1 that no single match costs more than 14.
EDGE = 1e-6


@dataclass(frozen=True, slots=True)
class FormulaScore:
    """How a formula did.

    Attributes
    ----------
    name : str
    log_score : float
        Mean of -(P log p + (1 - P) log(1 - p)), P the luck-adjusted result; less is better.
    outcome_score : float
        The same with the plain result, 1 or 0.
    difference, difference_error : float
        Of `log_score` from that of the first formula, with the standard error of the
        mean difference over the matches.
    """

    name: str
    log_score: float
    outcome_score: float
    difference: float
    difference_error: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Scores of all formulas on the same matches; the first is the one to compare with.

    Attributes
    ----------
    matches : int
    rule : CloseRule
    left_out : LeftOut
    parts : int
        In so many parts everything was judged.
    scores : tuple of FormulaScore
    """

    matches: int
    rule: CloseRule
    left_out: LeftOut
    parts: int
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

    Parameters
    ----------
    table : StudyTable
        Only matches of Part I and Part II are used.
    rule : CloseRule
        Which cube decisions count as close.
    left_out : LeftOut
        With `lengths`, the functions of 1/N must serve a length that no fit has seen;
        the error rates at that length are known, since they are the formula's input.
    folds : int
        Into so many parts the matches of each cell are dealt.
    seed : int
        Of that deal.

    Raises
    ------
    NoGamesError
        There are no such matches.
    UsageError
        There are fewer than two parts, or only one length to leave out.
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
