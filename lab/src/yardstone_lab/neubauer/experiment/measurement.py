"""How good the models of an experiment are: measures with their uncertainty."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import NoGamesError, UsageError
from yardstone.evaluation.metrics import (
    CalibrationCurve,
    Measures,
    calibrate,
    correct,
    log_likelihoods,
)
from yardstone.evaluation.metrics import measure as measures_of
from yardstone.evaluation.uncertainty import Bootstrap, MeanInterval, bootstrap
from yardstone_lab.neubauer.experiment.questions import GLICKO, TUNED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone_lab.neubauer.experiment.questions import ExperimentPredictions
    from yardstone_lab.neubauer.experiment.run import ExperimentResult

    Array = NDArray[np.float64]

__all__ = [
    "Cell",
    "Performance",
    "RatingErrors",
    "performance",
    "rating_errors",
    "Measurement",
    "figure_data",
    "measure",
]

#: The metrics of the table, each game's value being from a function of score and expected.
_METRICS: dict[str, Callable[[Array, Array], Array]] = {
    "accuracy": correct,
    "log_likelihood": log_likelihoods,
}
#: No probability is taken to be surer than this where logarithms are resampled.
_EDGE = 1e-12


@dataclass(frozen=True, eq=False)
class Cell:
    """How one system predicted the games of one set; frozen."""

    system: str
    letter: str
    last: int  #: How many of both players' last games were seen; -1 for all.
    metrics: Measures
    interval: dict[str, MeanInterval]  #: Of ``accuracy`` and ``log_likelihood``.
    ahead: dict[str, MeanInterval]  #: The same less that of the system that all are compared with.
    #: 1 if that is surely above zero, -1 if surely below, else 0: at the level of all comparisons
    #: of the table together.
    sure: dict[str, int]
    calibration: CalibrationCurve

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "system": self.system,
            "set": self.letter,
            "games_seen": None if self.last < 0 else self.last,
            **self.metrics.as_dict(),
            "intervals": {name: _ends(each) for name, each in self.interval.items()},
            "ahead": {name: _ends(each) for name, each in self.ahead.items()},
            "sure": dict(self.sure),
            "calibration": self.calibration.as_dict(),
        }


@dataclass(frozen=True, eq=False)
class Performance:
    """All cells of the table; frozen."""

    cells: tuple[Cell, ...]  #: Set after set, the systems in their order.
    confidence: float  #: Level of the intervals.
    base: str  #: The system that all are compared with.
    comparisons: int  #: So many differences are looked at, for which what is called sure allows.

    def cell(self, system: str, letter: str, last: int = -1) -> Cell:
        """One cell."""
        for each in self.cells:
            if (each.system, each.letter, each.last) == (system, letter, last):
                return each
        raise KeyError(f"{system} on {letter}, {last} games seen")

    @property
    def systems(self) -> list[str]:
        """Their names, in order."""
        return list(dict.fromkeys(each.system for each in self.cells))

    @property
    def parts(self) -> list[tuple[str, int]]:
        """The sets, each with how many games were seen."""
        return list(dict.fromkeys((each.letter, each.last) for each in self.cells))


def performance(
    predictions: ExperimentPredictions,
    *,
    base: str = GLICKO,
    replicates: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Performance:
    """Measure every system on every set.

    Args:
        base: The system that all are compared with.
        replicates: Of the bootstrap, which resamples players.
        confidence: Level of all intervals, 0 to 1.

    Returns:
        A prediction that was certain and wrong makes a log-likelihood minus infinity; where it is
            resampled it counts as one of 10**-12. Intervals are each at the level by itself; a
            difference is called sure if it lies so many standard errors from zero that of all the
            differences together (every other system, on every set) so rarely one would by chance
            (Bonferroni, with a normal distribution).
    """
    names = list(predictions.expected)
    if base not in names:
        raise UsageError(f"there is no system {base!r}, but {', '.join(names)}")
    compared = names.index(base)
    comparisons = max((len(names) - 1) * len(predictions.questions.parts), 1)
    far = NormalDist().inv_cdf(1.0 - 0.5 * (1.0 - confidence) / comparisons)
    cells: list[Cell] = []
    for letter, last in predictions.questions.parts:
        here = np.flatnonzero(predictions.questions.of(letter, last))
        score = predictions.score[here]
        table = [predictions.expected[name][here] for name in names]
        one, other = predictions.players[here].T.copy()
        players = one, other
        spread = {}
        for metric, value in _METRICS.items():
            inner = [np.clip(expected, _EDGE, 1.0 - _EDGE) for expected in table]
            values = np.array([value(score, expected) for expected in inner])
            spread[metric] = bootstrap(values, *players, replicates=replicates, seed=seed)
        for k, name in enumerate(names):
            own, ahead = np.zeros(len(names)), np.zeros(len(names))
            own[k] = 1.0
            ahead[k] += 1.0
            ahead[compared] -= 1.0
            cells.append(
                Cell(
                    name,
                    letter,
                    last,
                    measures_of(score, table[k]),
                    {m: each.interval(own, confidence) for m, each in spread.items()},
                    {m: each.interval(ahead, confidence) for m, each in spread.items()},
                    {m: _sure(each, ahead, far) for m, each in spread.items()},
                    calibrate(score, table[k], players=players),
                )
            )
    return Performance(tuple(cells), confidence, base, comparisons)


def _sure(spread: Bootstrap, contrast: Array, far: float) -> int:
    """Whether a difference lies so many standard errors above zero, or below it."""
    away, error = float(spread.mean @ contrast), spread.standard_error(contrast)
    return int(np.sign(away)) if abs(away) > far * error else 0


@dataclass(frozen=True, eq=False)
class RatingErrors:
    """Ratings before games against the labels, by range of the label; frozen."""

    system: str
    edges: Array  #: [ranges + 1]
    players: NDArray[np.int64]  #: [ranges]: ratings in each range.
    bias: Array  #: [ranges]: mean of rating less label; NaN where there is none.
    deviation: Array  #: [ranges]: root mean square of the same.
    correlation: float  #: Of all ratings with all labels.

    def as_dict(self) -> dict[str, Any]:
        """Plain values; None where there is no rating."""
        ranges = zip(
            self.edges[:-1], self.edges[1:], self.players, self.bias, self.deviation, strict=True
        )
        return {
            "system": self.system,
            "correlation": _plain(self.correlation),
            "ranges": [
                {
                    "low": float(low),
                    "high": float(high),
                    "ratings": int(n),
                    "bias": _plain(b),
                    "deviation": _plain(d),
                }
                for low, high, n, b, d in ranges
            ],
        }


def rating_errors(
    predictions: ExperimentPredictions, system: str, letter: str, edges: Array | None = None
) -> RatingErrors:
    """How far a system's ratings lie from the labels (Neubauer 2024, sections 6.1 and 6.2).

    Args:
        system: One of those with ratings.
        letter: The set.
        edges (float64 array): Of the ranges; by default every 200 points around the labels.

    Raises:
        NoGamesError: The set has no game with a rating.
    """
    here = predictions.questions.of(letter)
    labels = predictions.labels[here].ravel()
    ratings = predictions.ratings[system][here].ravel()
    rated = ~np.isnan(ratings)
    labels, ratings = labels[rated], ratings[rated]
    if not len(labels):
        raise NoGamesError(f"{system} has no rating in the set {letter}")
    if edges is None:
        low, high = np.floor(labels.min() / 200.0), np.ceil(labels.max() / 200.0)
        edges = 200.0 * np.arange(low, max(high, low + 1.0) + 1.0)
    place = np.clip(np.searchsorted(edges, labels, side="right") - 1, 0, len(edges) - 2)
    number = np.bincount(place, minlength=len(edges) - 1)
    error = ratings - labels
    with np.errstate(invalid="ignore"):
        bias = np.bincount(place, error, len(edges) - 1) / number
        square = np.bincount(place, error**2, len(edges) - 1) / number
    varied = len(labels) > 1 and labels.std() > 0.0 and ratings.std() > 0.0
    correlation = float(np.corrcoef(labels, ratings)[0, 1]) if varied else float("nan")
    return RatingErrors(system, edges, number, bias, np.sqrt(square), correlation)


def _ends(mean: MeanInterval) -> list[float]:
    return [mean.estimate, mean.low, mean.high]


def _plain(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


#: Systems that are no models of strength.
_EVEN, _FUTURE = "50:50", "Future Glicko-2"


@dataclass(frozen=True, eq=False)
class Measurement:
    """The performance of all systems; frozen."""

    outcome: ExperimentResult
    compared: Sequence[Performance]  #: With Glicko-2, and with the tuned one if it was asked for.
    errors: Sequence[RatingErrors]  #: Of the systems that rate, on the test games.

    @property
    def tested(self) -> bool:
        """Whether there are test games."""
        return bool(self.outcome.predictions.questions.of("E").any())

    def as_dict(self) -> dict[str, Any]:
        """All that is known of the experiment, as plain values."""
        outcome = self.outcome
        return {
            "name": outcome.experiment.name,
            "versions": {
                "yardstone": version("yardstone"),
                "numpy": np.__version__,
                "python": platform.python_version(),
            },
            "games": len(outcome.pool),
            "players": len(outcome.pool.players),
            **outcome.facts,
            "systems": dict(outcome.predictions.about),
            "cells": [cell.as_dict() for cell in self.compared[0].cells],
            "ratings": [each.as_dict() for each in self.errors],
        }


def measure(outcome: ExperimentResult) -> Measurement:
    """Measure an experiment as its description asks."""
    table, predictions = outcome.experiment.table, outcome.predictions
    compared = [
        performance(
            predictions,
            base=base,
            replicates=table.replicates,
            confidence=table.confidence,
            seed=table.seed,
        )
        for base in (GLICKO, TUNED)
        if base in predictions.expected
    ]
    tested = predictions.questions.of("E").any()
    rated = [name for name in predictions.ratings if tested and name != _FUTURE]
    return Measurement(outcome, compared, [rating_errors(predictions, name, "E") for name in rated])


def figure_data(
    outcome: ExperimentResult,
) -> Iterator[tuple[str, str, NDArray[np.float64], NDArray[np.float64]]]:
    """Of every system what figures 5.6 to 5.9 draw: file name, system, and two columns.

    ``scores-…`` come with results and expected scores, ``ratings-…`` with ratings and labels.
    """
    predictions = outcome.predictions
    here = predictions.questions.of("E")
    for name, expected in predictions.expected.items():
        if name == _EVEN:
            continue
        slug = re.sub("[^a-z0-9]+", "-", name.lower())
        yield f"scores-{slug}", name, predictions.score[here], expected[here]
        if name in predictions.ratings and name != _FUTURE:
            ratings, labels = predictions.ratings[name][here], predictions.labels[here]
            yield f"ratings-{slug}", name, ratings.ravel(), labels.ravel()
