"""Weights of errors fitted to matches, and how well formulas predict results left out.

The model is van den Doel's: the first player is

    R = (m0 + m1/N) (EPM' - EPM) + (c0 + c1/N) (EPC' - EPC)

FIBS points ahead, primes being the second player's rates, and wins with probability
P = 1/(1 + 10^(-R sqrt(N)/2000)). He averaged hundreds of matches of two fixed players
before he fitted R; where every match has other players there is one result a match,
so the four numbers are found as the maximum of the likelihood of all results.

Two results can be explained: who *won*, and the *luck-adjusted* result, whose noise is
a third of that. The second lies beside 0 to 1 at times, and its likelihood is
p log P + (1 - p) log(1 - P) all the same: its maximum needs no more than that the mean
of p be P (a quasi-likelihood).

Two kinds of rates can explain them: those made *in* the match itself, or a player's
rates over his *other* matches (`yardstone_lab.vandendoel.predictions.other_rates`). The
first say what the match was worth given how it was played; only the second are known
beforehand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from yardstone.backgammon.formulas import PUBLISHED, Formula, Weight
from yardstone.errors import ConvergenceError, ModelError
from yardstone.parallel import spawn_generators
from yardstone.winprob import fibs
from yardstone.winprob.laws import log_logistic, logistic
from yardstone_lab.vandendoel.people_table import MatchTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

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
    """Coefficients found in matches; frozen.

    Attributes
    ----------
    model : str
    names : tuple of str
        Of the coefficients: ``m0`` + ``m1``/N is the weight of EPM, ``c0`` + ``c1``/N
        that of EPC, ``d0`` + ``d1``/N that of EPD, ``scale`` a factor of a formula.
    values : float64 array
    covariance : float64 array
        Of the values: the sandwich, which holds whatever the noise, by match.
    bootstrap : float64 array, shape (samples, coefficients)
        Values from resampled matches; empty if none were asked for.
    matches : int
    formula : Formula
    """

    model: WeightModel
    names: tuple[str, ...]
    values: Floats
    covariance: Floats
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

    Parameters
    ----------
    table : MatchTable
    model : {"moves-and-cube", "moves-and-cube-constant", "decisions", "scaled"}
        What is estimated.
    target : {"luck-adjusted", "won"}
        What is explained.
    rates : (epm, epc, epd), optional
        Each of shape (matches, 2); by default those of the match itself.
    clusters : int array, optional
        Matches of one number belong together: the covariance and the bootstrap keep
        them so.
    samples : int
        Bootstrap samples.
    seed : int
        Of the bootstrap.
    base : Formula
        For the model ``scaled``.
    name : str
        Of the formula found.

    Raises
    ------
    ModelError
        The matches do not determine the coefficients.
    ConvergenceError
        The method did not reach its tolerance.
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
