"""Every chart of the laboratory can be drawn, and written in every format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.evaluation.games import played
from tests.reports.pictures import check_files
from yardstone.errors import ModelError
from yardstone.ratings.elo import Elo
from yardstone.ratings.glicko import Glicko2
from yardstone.reports.chart import Chart
from yardstone_lab.neubauer.description import deviations_by_games, ratings_by_games
from yardstone_lab.reports import strength
from yardstone_lab.reports.tournament import circuit_chart, event_chart
from yardstone_lab.tournaments.pairing import CircuitQuality, EventQuality

HOSTILE = "<script>alert(1)</script> & $x$ \x07"


def normal(mean: float, count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(mean, 150.0, count)


def tournament_charts() -> list[Chart]:
    fixed: dict[str, Any] = {"error": 2.0, "replicates": 8, "ahead_error": 0.2}
    circuit = fixed | {"ahead": 0.5, "drift": 0.0, "centred": 1.0, "scatter": 1.0}
    event = fixed | {"rms": 0.8, "entry": 0.9, "order": 0.6, "pairs": 1000}
    event |= {"order_error": 0.01, "order_ahead_error": 0.01}
    course = np.linspace(20.0, 40.0, 30)
    names = [(k, f"McMahon, {k}") for k in range(9)]
    circuits = [
        CircuitQuality(name=name, rms=30.0 + k, course=course + k, **circuit) for k, name in names
    ]
    events = [
        EventQuality(name=name, ahead=0.001 * k, order_ahead=0.01 * k, **event) for k, name in names
    ]
    return [circuit_chart(circuits), event_chart(events)]


def experiment_charts() -> list[Chart]:
    classes = {"weak": normal(1200, 40, 1), HOSTILE: normal(1500, 30, 2), "none": np.empty(0)}
    losses = {name: np.abs(values) / 200.0 for name, values in classes.items()}
    labels = normal(1500, 50, 3)
    score = (labels > 1500).astype(np.float64)
    pool = played(200, 20, 4)
    replay = Glicko2().replay(pool)
    shares = ratings_by_games(pool, replay, np.arange(900.0, 2101.0, 100.0))
    return [
        strength.label_chart(classes),
        strength.loss_chart(losses, low=-2.0, high=7.0, label="points lost"),
        strength.length_chart(np.arange(40, 320)),
        strength.rating_chart(labels + normal(0, 50, 4) / 3.0, labels, name=HOSTILE),
        strength.score_chart(score, np.linspace(0.05, 0.95, 50), name="Glicko-2"),
        strength.deviations_chart(deviations_by_games(pool, replay)),
        strength.ratings_by_games_chart(shares),
        strength.ratings_by_games_chart(shares, [f"{edge:.0f}" for edge in shares.edges[:-1]]),
    ]


@pytest.mark.parametrize("charts", [tournament_charts, experiment_charts])
def test_every_chart_in_every_format(charts: Callable[[], list[Chart]], tmp_path: Path) -> None:
    for chart in charts():
        check_files(chart, tmp_path)


def test_deviations_fall_and_ratings_spread_with_games() -> None:
    pool = played(1500, 50, 6)
    replay = Glicko2().replay(pool)
    result = deviations_by_games(pool, replay, most=30, sample=20)
    assert result.mean[0] == pytest.approx(350.0, rel=1e-12)
    assert np.all(np.diff(result.mean) < 0.0)
    assert (result.players[0], result.sample.shape) == (50, (31, 20))
    with pytest.raises(ModelError, match="no deviations"):
        deviations_by_games(pool, Elo().replay(pool))
    shares = ratings_by_games(pool, replay, np.linspace(500, 2500, 21), most=20)
    np.testing.assert_allclose(shares.share.sum(axis=1), 1.0)
    assert shares.players[0] == 50
    halves = ratings_by_games(pool, replay, np.array([0.0, 1.0, 2.0]), convert=lambda r: r / 1500.0)
    assert halves.share.shape == (50, 2)
