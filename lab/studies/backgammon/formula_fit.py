"""A whole formula fitted to simulated matches: both parts of the study in one, with its errors."""

from __future__ import annotations

import numpy as np

from yardstone.backgammon.formulas import Formula, Weight
from yardstone.errors import ModelError
from yardstone_lab.vandendoel.choices import Averaging, CloseRule, FitMethod, StudyModel
from yardstone_lab.vandendoel.fit import StudyFit, fit_study
from yardstone_lab.vandendoel.tables import StudyTable

__all__ = ["FORMULA_DRAWS", "fit_formula", "formula_of_fits"]

#: Draws for the covariance of a formula.
FORMULA_DRAWS = 1000


def fit_formula(
    table: StudyTable,
    name: str,
    rule: CloseRule = CloseRule.new,
    averaging: Averaging = Averaging.matches,
    *,
    draws: int = FORMULA_DRAWS,
    seed: int = 1,
) -> Formula:
    """The weights of EPM and EPC from Part II, and that of EPD from Part I, on mean results.

    Args:
        table: With matches of both parts, each of two lengths or more.
        name: Of the formula.
        rule, averaging: How decisions are counted and rates averaged.
        draws, seed: So often the matches of each cell are drawn anew for the covariance.

    Raises:
        NoGamesError: A part is not there.
        ModelError: The matches do not determine the formula.
    """
    one, two = (
        fit_study(table, model, FitMethod.chance, rule, averaging, draws=draws, seed=seed)
        for model in StudyModel
    )
    return formula_of_fits(one, two, name)


def formula_of_fits(decision: StudyFit, bilinear: StudyFit, name: str) -> Formula:
    """The formula of a fit to Part I and one to Part II.

    The covariance is that of the draws times `StudyFit.misfit`, for what the form of the
    functions does not catch. The parts share no match.

    Raises:
        ModelError: The matches do not determine a number of it.
    """
    covariance = np.zeros((6, 6))
    covariance[:4, :4] = bilinear.misfit * bilinear.covariance
    covariance[4:, 4:] = decision.misfit * decision.covariance
    weights = [each.weight for fit in (bilinear, decision) for each in fit.coefficients]
    numbers = [number for weight in weights for number in (weight.constant, weight.inverse)]
    if not (np.isfinite(numbers).all() and np.isfinite(covariance).all()):
        raise ModelError(
            "the matches do not determine the formula: each part needs several settings, at two "
            "lengths or more"
        )
    move, cube, all_decisions = (Weight(w.constant, w.inverse) for w in weights)
    rows = tuple(tuple(row) for row in covariance.tolist())
    return Formula(move, cube, all_decisions, name, rows)
