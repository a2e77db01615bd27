"""How well the systems of an experiment did, and what it leaves in its folder."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone_lab.neubauer.experiment.performance import performance, rating_errors
from yardstone_lab.neubauer.experiment.predictions import GLICKO, TUNED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone_lab.neubauer.experiment.performance import Performance, RatingErrors
    from yardstone_lab.neubauer.experiment.run import ExperimentResult

__all__ = ["Measurement", "figure_data", "measure"]

#: Systems that are no models of strength.
_EVEN, _FUTURE = "50:50", "Future Glicko-2"


@dataclass(frozen=True, eq=False)
class Measurement:
    """The performance of all systems; frozen.

    Attributes
    ----------
    outcome : ExperimentResult
    compared : sequence of Performance
        With Glicko-2, and with the tuned one if it was asked for.
    errors : sequence of RatingErrors
        Of the systems that rate, on the test games.
    """

    outcome: ExperimentResult
    compared: Sequence[Performance]
    errors: Sequence[RatingErrors]

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
