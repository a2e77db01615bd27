from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.evaluation.games import played
from tests.reports.pictures import check, texts
from yardstone.evaluation.history import RatingHistory, rating_curves
from yardstone.evaluation.ledger import Ledger
from yardstone.reports.chart import Stroke
from yardstone.reports.history import (
    MOST_CURVES,
    history_chart,
)
from yardstone_lab.neubauer.description import deviations_by_games, ratings_by_games
from yardstone_lab.reports.strength import deviations_chart, ratings_by_games_chart


def test_too_many_curves_are_cut_and_it_is_said() -> None:
    ledger = Ledger.begin("glicko2", played(600, 15, 1))
    curves = rating_curves(ledger.pool, ledger.replay, ledger.pool.players[:12])
    chart = history_chart(RatingHistory(ledger, curves))
    assert f"the first {MOST_CURVES} of 12 players" in chart.title
    assert sum(isinstance(mark, Stroke) for mark in chart.panels[0].marks) == MOST_CURVES
    check(chart)
    assert set(ledger.pool.players[:MOST_CURVES]) <= set(texts(chart))


def test_no_bands_without_deviations_and_no_dates_without_times() -> None:
    pool = played(200, 5, 2)
    timeless = Ledger.begin(
        "elo", pool.__class__(pool.players, pool.first, pool.second, pool.score)
    )
    curves = rating_curves(timeless.pool, timeless.replay, ["0.1"])
    chart = history_chart(RatingHistory(timeless, curves))
    assert "bands" not in chart.title
    assert "Games played" in texts(chart)


def test_names_are_not_taken_for_mathematics(tmp_path: Path) -> None:
    pool = played(50, 3, 3)
    names = ("$x^2$", "_a_", "b")
    named = pool.__class__(names, pool.first, pool.second, pool.score, pool.time)
    ledger = Ledger.begin("elo", named)
    curves = rating_curves(ledger.pool, ledger.replay, ["$x^2$"])
    history_chart(RatingHistory(ledger, curves)).save(tmp_path / "a.svg")
    assert "$x^2$" in (tmp_path / "a.svg").read_text()


def test_pictures_of_settling(tmp_path: Path) -> None:
    ledger = Ledger.begin("glicko2", played(1500, 60, 4))
    deviations = deviations_chart(deviations_by_games(ledger.pool, ledger.replay))
    check(deviations)
    deviations.save(tmp_path / "deviations.svg")
    edges = np.arange(900.0, 2101.0, 100.0)
    shares = ratings_by_games(ledger.pool, ledger.replay, edges)
    labels = [f"{edge:.0f}" for edge in edges[:-1]]
    for chart in (ratings_by_games_chart(shares, labels), ratings_by_games_chart(shares)):
        check(chart)
        chart.save(tmp_path / "ranks.png")
    assert (tmp_path / "ranks.png").stat().st_size > 5000
