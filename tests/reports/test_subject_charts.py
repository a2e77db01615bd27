"""A chart of each subject: everything on the sheet, in every format, with hostile names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.evaluation.games import played
from tests.reports.pictures import check, texts
from tests.web.made_results import backgammon_result, go_result
from yardstone.evaluation.backtest import evaluate
from yardstone.lab.tournaments.circuits import CircuitQuality
from yardstone.lab.tournaments.single_events import EventQuality
from yardstone.reports.charts import experiment, strength, winprob
from yardstone.reports.charts.backgammon import trend_chart
from yardstone.reports.charts.calibration import calibration_chart
from yardstone.reports.charts.chart import Chart
from yardstone.reports.charts.tournament import (
    circuit_chart,
    event_chart,
    forecast_chart,
    variants_chart,
)
from yardstone.tournament.forecast import TournamentForecast
from yardstone.winprob.models import winning_model

HOSTILE = "<script>alert(1)</script> & $x$ \x07"


def normal(mean: float, count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(mean, 150.0, count)


def forecast(players: int) -> TournamentForecast:
    places = np.full((players, players), 1.0 / players)
    names = (HOSTILE, *(f"Player {k}" for k in range(1, players)))
    flat = np.zeros(players)
    measures = {"strongest wins": np.array([0.0, 1.0, 1.0]), "order": np.array([0.5, 0.7, 0.6])}
    return TournamentForecast(names, flat, flat, 3, places, flat, measures, ("points",))


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


def estimate_charts(scale: str) -> list[Chart]:
    plain = go_result(14)
    words = "A strength"
    if scale != "fox":
        parts = [plain, *plain["by_game"], *(game["running"] for game in plain["by_game"])]
        for part in parts:
            for name in ("low", "rating", "high"):
                part[name] = 1900.0 + 60.0 * part[name]
        plain["scale"] = scale
    return [
        strength.estimate_chart(plain),
        strength.scale_chart(plain, words),
        strength.rank_chart(plain, words),
        strength.game_chart(plain["by_game"][0], words, marked=[57, 58]),
    ]


def experiment_charts() -> list[Chart]:
    classes = {"weak": normal(1200, 400, 1), HOSTILE: normal(1500, 300, 2), "none": np.empty(0)}
    losses = {name: np.abs(values) / 200.0 for name, values in classes.items()}
    labels = normal(1500, 500, 3)
    score = (labels > 1500).astype(np.float64)
    return [
        experiment.label_chart(classes),
        experiment.loss_chart(losses, low=-2.0, high=7.0, label="points lost"),
        experiment.length_chart(np.arange(40, 320)),
        experiment.rating_chart(labels + normal(0, 500, 4) / 3.0, labels, name=HOSTILE),
        experiment.score_chart(score, np.linspace(0.05, 0.95, 500), name="Glicko-2"),
    ]


def calibration() -> list[Chart]:
    return [calibration_chart(evaluate(played(400, 12, 1), ["elo", "glicko2"]))]


SUBJECTS: dict[str, Callable[[], list[Chart]]] = {
    "estimate": lambda: estimate_charts("fox"),
    "estimate on another scale": lambda: estimate_charts("egf"),
    "trend": lambda: [trend_chart(backgammon_result(60)), trend_chart(backgammon_result(2))],
    "experiment": experiment_charts,
    "models": lambda: [
        winprob.model_chart(name, winning_model("kaniuk")) for name in winprob.FIGURES
    ],
    "forecast": lambda: [forecast_chart(forecast(40)), forecast_chart(forecast(1))],
    "variants": lambda: [variants_chart([("3", forecast(4)), ("4", forecast(5))], name="rounds")],
    "circuit qualities": lambda: [circuit_chart(circuit_qualities())],
    "event qualities": lambda: [event_chart(event_qualities())],
    "calibration": calibration,
}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_subject_in_every_format(subject: str, tmp_path: Path) -> None:
    for chart in SUBJECTS[subject]():
        check(chart)
        for ending in ("svg", "png", "pdf"):
            chart.save(tmp_path / f"chart.{ending}")
            assert (tmp_path / f"chart.{ending}").stat().st_size > 500
        root = ElementTree.parse(tmp_path / "chart.svg").getroot()
        assert not list(root.iter("{http://www.w3.org/2000/svg}script"))
        assert root[0].text  # the title says what is drawn


def test_marked_moves_stand_out() -> None:
    game = go_result(1)["by_game"][0]
    plain = strength.game_chart(game, "A game").svg()
    marked = strength.game_chart(game, "A game", marked=[int(game["numbers"][3])]).svg()
    assert "f-c2" not in plain
    assert "f-c2" in marked


def test_probabilities_of_ranks_are_written() -> None:
    plain = go_result(2)
    said = texts(strength.rank_chart(plain, "Ranks"))
    for each in plain["probabilities"]:
        share = 100.0 * each["probability"]
        assert (f"{share:.0f}" in said) or share < 0.5
