"""A chart of each subject: everything on the sheet, in every format, with hostile names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.evaluation.games import played
from tests.reports.pictures import check_files, texts
from tests.web.made_results import backgammon_result, go_result
from yardstone.evaluation.backtest import evaluate
from yardstone.reports import strength, winprob
from yardstone.reports.backgammon import trend_chart
from yardstone.reports.chart import Chart
from yardstone.reports.evaluation import calibration_chart
from yardstone.reports.simulation import (
    forecast_chart,
    variants_chart,
)
from yardstone.tournament.forecast import TournamentForecast
from yardstone.winprob.model import winning_model

HOSTILE = "<script>alert(1)</script> & $x$ \x07"


def forecast(players: int) -> TournamentForecast:
    places = np.full((players, players), 1.0 / players)
    names = (HOSTILE, *(f"Player {k}" for k in range(1, players)))
    flat = np.zeros(players)
    measures = {"strongest wins": np.array([0.0, 1.0, 1.0]), "order": np.array([0.5, 0.7, 0.6])}
    return TournamentForecast(names, flat, flat, 3, places, flat, measures, ("points",))


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


def calibration() -> list[Chart]:
    return [calibration_chart(evaluate(played(400, 12, 1), ["elo", "glicko2"]))]


SUBJECTS: dict[str, Callable[[], list[Chart]]] = {
    "estimate": lambda: estimate_charts("fox"),
    "estimate on another scale": lambda: estimate_charts("egf"),
    "trend": lambda: [trend_chart(backgammon_result(60)), trend_chart(backgammon_result(2))],
    "models": lambda: [
        winprob.model_chart(name, winning_model("kaniuk")) for name in winprob.FIGURES
    ],
    "forecast": lambda: [forecast_chart(forecast(40)), forecast_chart(forecast(1))],
    "variants": lambda: [variants_chart([("3", forecast(4)), ("4", forecast(5))], name="rounds")],
    "calibration": calibration,
}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_subject_in_every_format(subject: str, tmp_path: Path) -> None:
    for chart in SUBJECTS[subject]():
        check_files(chart, tmp_path)


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
