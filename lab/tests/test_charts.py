"""Every chart of the laboratory can be drawn, and written in every format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.reports.pictures import check_files
from yardstone.reports.chart import Chart
from yardstone_lab.reports import strength
from yardstone_lab.reports.tournament import circuit_chart, event_chart
from yardstone_lab.tournaments.pairing import CircuitQuality, EventQuality

HOSTILE = "<script>alert(1)</script> & $x$ \x07"


def normal(mean: float, count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(mean, 150.0, count)


def circuit_qualities() -> list[CircuitQuality]:
    course = np.linspace(20.0, 40.0, 30)
    return [
        CircuitQuality(
            name=f"McMahon, {k}",
            rms=30.0 + k,
            error=2.0,
            ahead=0.5,
            ahead_error=0.2,
            replicates=8,
            drift=0.0,
            centred=1.0,
            scatter=1.0,
            course=course + k,
        )
        for k in range(9)
    ]


def event_qualities() -> list[EventQuality]:
    return [
        EventQuality(
            name=f"McMahon, {k}",
            rms=0.8,
            error=0.01,
            ahead=0.001 * k,
            ahead_error=0.001,
            replicates=8,
            entry=0.9,
            order=0.6,
            order_error=0.01,
            order_ahead=0.01 * k,
            order_ahead_error=0.01,
            pairs=1000,
        )
        for k in range(9)
    ]


def experiment_charts() -> list[Chart]:
    classes = {"weak": normal(1200, 400, 1), HOSTILE: normal(1500, 300, 2), "none": np.empty(0)}
    losses = {name: np.abs(values) / 200.0 for name, values in classes.items()}
    labels = normal(1500, 500, 3)
    score = (labels > 1500).astype(np.float64)
    return [
        strength.label_chart(classes),
        strength.loss_chart(losses, low=-2.0, high=7.0, label="points lost"),
        strength.length_chart(np.arange(40, 320)),
        strength.rating_chart(labels + normal(0, 500, 4) / 3.0, labels, name=HOSTILE),
        strength.score_chart(score, np.linspace(0.05, 0.95, 500), name="Glicko-2"),
    ]


SUBJECTS: dict[str, Callable[[], list[Chart]]] = {
    "experiment": experiment_charts,
    "circuit qualities": lambda: [circuit_chart(circuit_qualities())],
    "event qualities": lambda: [event_chart(event_qualities())],
}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_subject_in_every_format(subject: str, tmp_path: Path) -> None:
    for chart in SUBJECTS[subject]():
        check_files(chart, tmp_path)
