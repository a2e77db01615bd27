"""Profile likelihood intervals: of coefficients, and of probabilities that follow from them.

An interval holds the values at which the best likelihood of everything else falls
short of the best of all by no more than half a quantile of chi-squared. It needs no
symmetry: near zero, where all coefficients but those of colour must stop, it is one-sided.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from yardstone.errors import ConvergenceError, ModelError, UsageError
from yardstone.winprob.grade_model import ALL_PARAMETERS, GradeModel
from yardstone.winprob.head_start import EVEN_KOMI
from yardstone.winprob.likelihood import (
    MAY_BE_NEGATIVE,
    GradedGames,
    LikelihoodFit,
    fit_likelihood,
)

__all__ = ["interval_end", "parameter_interval", "parameter_shortfall", "probability_interval"]

#: Profile fits are done when another step promises no more log-likelihood.
_TOLERANCE = 1e-6
#: Steps outwards, each 1.3 times the last, before an end counts as not to be found.
_MOST_STEPS = 40
#: Logarithm of the most imagined games that pull a probability.
_MOST_PULL = 35.0
#: Stands for a likelihood that is nowhere near.
_FAR = 1e6


def _drop(level: float) -> float:
    from scipy.stats import chi2

    if not 0.0 < level < 1.0:
        raise UsageError("a confidence level lies between 0 and 1")
    return 0.5 * float(chi2.ppf(level, 1))


def parameter_shortfall(fit: LikelihoodFit, name: str, value: float) -> float:
    """Log-likelihood that is lost at best when one parameter has this value."""
    if name not in fit.names:
        raise UsageError(f"{name!r} was not free in this fit")
    return min(_shortfall(fit, peak, name, value) for peak in (fit, *fit.other_peaks))


def _shortfall(fit: LikelihoodFit, peak: LikelihoodFit, name: str, value: float) -> float:
    """The same on the slope of one peak."""
    others = [other for other in fit.names if other != name]
    vector = peak.model.vector
    vector[ALL_PARAMETERS.index(name)] = value
    model = GradeModel.from_vector(vector, fit.model.link)
    if not others:
        return -fit.games.log_likelihood(model) - fit.minimum.value
    try:
        near = fit_likelihood(fit.games, free=others, start=model, tolerance=_TOLERANCE)
    except (ConvergenceError, ModelError):  # so far out that nothing is finite
        return _FAR
    return min(near.minimum.value - fit.minimum.value, _FAR)


def parameter_interval(fit: LikelihoodFit, name: str, level: float = 0.95) -> tuple[float, float]:
    """Profile likelihood interval of one parameter.

    Where the likelihood has several peaks that are high enough, it reaches over all of
    them.

    Returns
    -------
    low, high : float
        `low` is 0 where the likelihood never falls short downwards, `high` infinite
        where it never does so upwards.
    """
    if name not in fit.names:
        raise UsageError(f"{name!r} was not free in this fit")
    drop = _drop(level)
    where = fit.names.index(name)
    floor = -np.inf if name in MAY_BE_NEGATIVE else 0.0
    low, high = np.inf, -np.inf
    for peak in (fit, *fit.other_peaks):
        best = float(peak.values[where])
        if peak.minimum.value - fit.minimum.value > drop or low <= best <= high:
            continue
        excess = partial(_excess, fit, peak, name, drop)
        error = float(peak.standard_errors[where])
        step = error if np.isfinite(error) and error > 0 else 0.1 * max(abs(best), 0.01)
        step = min(step, max(abs(best), 0.1))
        low = min(low, interval_end(excess, best, -step, floor))
        high = max(high, interval_end(excess, best, step, 1.0 if name == "lapse" else np.inf))
    return low, high


def _excess(fit: LikelihoodFit, peak: LikelihoodFit, name: str, drop: float, value: float) -> float:
    return _shortfall(fit, peak, name, value) - drop


def interval_end(excess: Callable[[float], float], best: float, step: float, limit: float) -> float:
    """Where `excess` crosses zero on one side of `best`; `limit` where it does not."""
    from scipy.optimize import brentq

    size, near, far = abs(step), best, best
    for _ in range(_MOST_STEPS):
        near, far = far, far + step
        far = max(far, limit) if step < 0.0 else min(far, limit)
        if far == near:
            return limit
        if excess(far) > 0.0:
            return float(brentq(excess, *sorted((near, far)), xtol=1e-3 * size))
        step *= 1.3
    return limit


def probability_interval(
    fit: LikelihoodFit, first: float, second: float, level: float = 0.95
) -> tuple[float, float]:
    """Profile likelihood interval of the probability that one grade beats another.

    Of an even game with the usual komi. Imagined games between the two grades, all won
    or all lost, pull the fit along the points that are best for each probability, until
    the likelihood of the true games has fallen far enough.

    Parameters
    ----------
    fit : LikelihoodFit
    first, second : float
        Grades in zero-shodan units.
    level : float
        0 to 1.

    Returns
    -------
    low, high : float
        0 or 1 where no number of imagined games would be enough.
    """
    from scipy.optimize import brentq

    if first == second and "black" not in fit.names:
        half = float(fit.model.probability(first, second))
        return half, half
    drop = _drop(level)

    def pulled(log_games: float, won: bool) -> GradeModel:
        more = float(np.exp(log_games))
        row = (first, second, 0.0, EVEN_KOMI, more if won else 0.0, more)
        columns = ("first", "second", "handicap", "komi", "wins", "games")
        games = GradedGames(
            *(
                np.append(getattr(fit.games, name), value)
                for name, value in zip(columns, row, strict=True)
            )
        )
        return fit_likelihood(games, free=fit.names, start=fit.model, tolerance=_TOLERANCE).model

    def excess(log_games: float, won: bool) -> float:
        try:
            model = pulled(log_games, won)
        except (ConvergenceError, ModelError):
            return _FAR
        return -fit.games.log_likelihood(model) - fit.minimum.value - drop

    ends = []
    for won, limit in ((False, 0.0), (True, 1.0)):
        low, high = -5.0, 0.0
        while high < _MOST_PULL and excess(high, won) <= 0.0:
            low, high = high, high + 2.5
        if high >= _MOST_PULL:
            ends.append(limit)
            continue
        at = float(brentq(excess, low, high, args=(won,), xtol=0.01))
        ends.append(float(pulled(at, won).probability(first, second)))
    return ends[0], ends[1]
