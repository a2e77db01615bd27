"""A chart of each subject: everything on the sheet, in every format, with hostile names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.evaluation.games import played
from tests.reports.pictures import check_files, texts
from tests.web.made_results import backgammon_result, go_result
from yardstone.errors import InputError, UsageError
from yardstone.evaluation.backtest import evaluate
from yardstone.evaluation.history import RatingHistory, rating_curves
from yardstone.evaluation.ledger import Ledger
from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.rating_list import RatingList, summarise
from yardstone.reports import strength, winprob
from yardstone.reports.backgammon import trend_chart
from yardstone.reports.chart import Chart, Stroke
from yardstone.reports.evaluation import calibration_chart
from yardstone.reports.history import history_chart
from yardstone.reports.rating_list import rating_list_chart
from yardstone.reports.simulation import forecast_chart, variants_chart
from yardstone.tournament.forecast import TournamentForecast
from yardstone.winprob.model import winning_model

HOSTILE = "<script>alert(1)</script> & $x$ _a_ 陳 \x07"


def forecast(players: int) -> TournamentForecast:
    places = np.full((players, players), 1.0 / players)
    names = (HOSTILE, *(f"Player {k}" for k in range(1, players)))
    flat = np.zeros(players)
    measures = {"strongest wins": np.array([0.0, 1.0, 1.0]), "order": np.array([0.5, 0.7, 0.6])}
    return TournamentForecast(names, flat, flat, 3, places, flat, measures, ("points",))


def estimate_charts(scale: str) -> list[Chart]:
    plain, words = go_result(14), "A strength"
    if scale != "fox":
        plain["scale"] = scale
        for part in (plain, *plain["by_game"], *(game["running"] for game in plain["by_game"])):
            part |= {name: 1900.0 + 60.0 * part[name] for name in ("low", "rating", "high")}
    return [
        strength.estimate_chart(plain),
        strength.scale_chart(plain, words),
        strength.rank_chart(plain, words),
        strength.game_chart(plain["by_game"][0], words, marked=[57, 58]),
    ]


def histories(players: int, chosen: int, **options: Any) -> Chart:
    pool = played(40 * players, players, 1)
    pool = replace(pool, players=(HOSTILE, *pool.players[1:]), **options)
    ledger = Ledger.begin("elo" if "time" in options else "glicko2", pool)
    curves = rating_curves(ledger.pool, ledger.replay, pool.players[:chosen])
    return history_chart(RatingHistory(ledger, curves))


def rating_lists() -> list[Chart]:
    names = [HOSTILE, "w" * 300, "C"]
    pool = Pool.from_names(names, [*names[1:], names[0]], [1, 0.5, 0])
    return [rating_list_chart(summarise(BradleyTerry().fit(pool), pool))]


SUBJECTS: dict[str, Callable[[], list[Chart]]] = {
    "estimate": lambda: estimate_charts("fox"),
    "estimate on another scale": lambda: estimate_charts("egf"),
    "trend": lambda: [trend_chart(backgammon_result(60)), trend_chart(backgammon_result(2))],
    "models": lambda: [
        winprob.model_chart(name, winning_model("kaniuk")) for name in winprob.FIGURES
    ],
    "forecast": lambda: [forecast_chart(forecast(40)), forecast_chart(forecast(1))],
    "variants": lambda: [variants_chart([("3", forecast(4)), ("4", forecast(5))], name="rounds")],
    "calibration": lambda: [calibration_chart(evaluate(played(200, 12, 1), ["elo", "glicko2"]))],
    "history": lambda: [histories(15, 12), histories(5, 1, time=None)],
    "rating list": rating_lists,
}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_subject_in_every_format(subject: str, tmp_path: Path) -> None:
    for chart in SUBJECTS[subject]():
        check_files(chart, tmp_path)


def test_what_pictures_show() -> None:
    chart = histories(15, 12)
    assert "the first 10 of 12 players" in chart.title
    assert sum(isinstance(mark, Stroke) for mark in chart.panels[0].marks) == 10
    timeless = histories(5, 1, time=None)
    assert ("bands" in timeless.title, "Games played" in texts(timeless)) == (False, True)
    plain = go_result(2)
    said = texts(strength.rank_chart(plain, "Ranks"))
    shares = [100.0 * each["probability"] for each in plain["probabilities"]]
    assert {f"{share:.0f}" for share in shares if share >= 0.5} <= set(said)
    game = plain["by_game"][0]
    assert "f-c2" not in strength.game_chart(game, "A game").svg()
    assert "f-c2" in strength.game_chart(game, "A game", marked=[int(game["numbers"][3])]).svg()


def test_a_rating_list_shows_the_largest_group_and_is_cut(
    report: RatingList, large: RatingList, tmp_path: Path
) -> None:
    chart = rating_list_chart(report)
    said = " ".join(texts(chart))
    for words in ("Ratings with 95 % intervals", "Engine 07", "1 other group cannot be compared"):
        assert words in said
    assert "Lone A" not in said
    for top, shown in ((None, 60), (300, 65)):
        cut = texts(rating_list_chart(large, top=top))
        assert sum(text.startswith("Engine") for text in cut) == shown
        assert ("top 60 of 65 players" in " ".join(cut)) == (top is None)
    check_files(rating_list_chart(large), tmp_path)
    with pytest.raises(UsageError, match="picture"):
        chart.save(tmp_path / "list.txt")
    for ending in ("svg", "png"):
        with pytest.raises(InputError):
            chart.save(tmp_path / "gone" / f"list.{ending}")
