"""Intervals for the published least squares fit, from simulated games.

The weights of the published fit are no inverse variances, its few cells with the rarest
upsets move Lambda far, and a cell without any upset drops out. So neither its standard
errors nor its resampled values hold the truth as often as they say. Here the fit is
judged by what it does to games drawn from a known model, the fitted one: the profile of
the sum of squares, in units of its expected spread, is compared with the same number in
simulated tables that hold as many games in each cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import ModelError, UsageError
from yardstone.winprob.kaniuk import INITIAL, Kaniuk
from yardstone.winprob.least_squares import (
    LeastSquaresFit,
    fit_least_squares,
    profile_scale,
    sum_of_squares,
)
from yardstone.winprob.profile import interval_end
from yardstone.winprob.statistics import WinningStatistics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["Profile", "simulated_intervals", "simulated_reach"]

#: Fewest tables drawn: of twenty numbers one is beyond a 95 % bound.
_FEWEST = 39


def simulated_intervals(
    fit: LeastSquaresFit,
    statistics: WinningStatistics,
    *,
    samples: int = 200,
    level: float = 0.95,
    seed: int = 0,
    skip_lowest: bool = True,
) -> list[tuple[float, float]]:
    """An interval for each free parameter of a fit, in the order of `fit.names`.

    Parameters
    ----------
    fit : LeastSquaresFit
        By Newton's method, every coefficient at or above zero.
    statistics : WinningStatistics
        What was fitted.
    samples : int
        Tables to simulate, 39 or more. A table whose fit has no minimum is drawn
        anew; more than one in two such tables is a `ModelError`.
    level : float
        0 to 1.
    seed : int
    skip_lowest : bool
        As in the fit.

    Returns
    -------
    list of (low, high)
        `low` is 0, `high` infinite, where no end was found.
    """
    reach = simulated_reach(
        fit, statistics, samples=samples, level=level, seed=seed, skip_lowest=skip_lowest
    )
    return [
        _interval(Profile(fit, statistics, name, skip_lowest=skip_lowest), float(value), most)
        for name, value, most in zip(fit.names, fit.values, reach.tolist(), strict=True)
    ]


def simulated_reach(
    fit: LeastSquaresFit,
    statistics: WinningStatistics,
    *,
    samples: int = 200,
    level: float = 0.95,
    seed: int = 0,
    skip_lowest: bool = True,
) -> Array:
    """How far the `Profile` of each free parameter may rise within an interval.

    Parameters as in `simulated_intervals`.
    """
    if not 0.0 < level < 1.0:
        raise UsageError("a confidence level lies between 0 and 1")
    if samples < _FEWEST:
        raise UsageError(f"intervals need at least {_FEWEST} simulated tables")
    if fit.method != "newton" or np.any(fit.values < 0.0):
        raise UsageError("intervals are for fits by Newton's method with positive coefficients")
    rng = np.random.default_rng(seed)
    rows: list[list[float]] = []
    for _ in range(2 * samples):
        if len(rows) == samples:
            break
        made = _drawn(fit.model, statistics, rng)
        try:
            again = fit_least_squares(
                made, free=fit.names, start=_start(fit), skip_lowest=skip_lowest
            )
            rows.append(
                [
                    Profile(again, made, name, skip_lowest=skip_lowest)(value)
                    for name, value in zip(fit.names, fit.values, strict=True)
                ]
            )
        except ModelError:
            continue
    if len(rows) < samples:
        raise ModelError("more than half of the simulated tables have no fit")
    # The order statistic that makes the interval hold at least as often as it says.
    place = min(samples - 1, int(np.ceil(level * (samples + 1))) - 1)
    return np.asarray(np.sort(np.array(rows), axis=0)[place])


def _drawn(
    model: Kaniuk, statistics: WinningStatistics, rng: np.random.Generator
) -> WinningStatistics:
    """As many games in each cell, decided by the model."""
    grades = statistics.grades[:, None].astype(np.float64)
    p = model.probability(grades, grades + statistics.differences[None, :])
    wins = rng.binomial(np.round(statistics.games).astype(np.int64), p).astype(np.float64)
    return WinningStatistics(statistics.lowest, wins, np.round(statistics.games))


def _start(fit: LeastSquaresFit) -> Kaniuk:
    """Table 1's first point for the free parameters, those that were fixed as they were."""
    values = dict(fit.model.parameters)
    values |= {name: INITIAL.parameters[name] for name in fit.names}
    return Kaniuk.from_parameters(values)


class Profile:
    """How much the sum of squares grows when one parameter is fixed, in units of its spread."""

    def __init__(
        self,
        fit: LeastSquaresFit,
        statistics: WinningStatistics,
        name: str,
        *,
        skip_lowest: bool = True,
    ) -> None:
        self._fit, self._statistics, self._name = fit, statistics, name
        self._skip_lowest = skip_lowest
        self._scale = profile_scale(statistics, fit, name, skip_lowest=skip_lowest)

    def __call__(self, value: float) -> float:
        """At one value of the parameter; 0 at the fit."""
        values = dict(self._fit.model.parameters)
        values[self._name] = value
        others = [name for name in self._fit.names if name != self._name]
        start = Kaniuk.from_parameters(values)
        if others:
            near = fit_least_squares(
                self._statistics, free=others, start=start, skip_lowest=self._skip_lowest
            ).minimum.value
        else:
            near = sum_of_squares(self._statistics, start, skip_lowest=self._skip_lowest)
        return self._scale * (near - self._fit.minimum.value)


def _interval(profile: Profile, best: float, most: float) -> tuple[float, float]:
    def excess(value: float) -> float:
        try:
            return min(profile(value) - most, 1e6)
        except ModelError:
            return 1e6

    step = 0.1 * max(best, 0.01)
    return interval_end(excess, best, -step, 0.0), interval_end(excess, best, step, np.inf)
