"""Simulated tournaments as charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.charts.chart import Axis, Bars, Chart, Panel, Points

if TYPE_CHECKING:
    from yardstone.tournament.forecast import TournamentForecast

__all__ = ["forecast_chart", "variants_chart"]

#: Standard errors to either side of an interval of 95 %.
_NORMAL_95 = 1.959963984540054


def forecast_chart(forecast: TournamentForecast, *, top: int = 32) -> Chart:
    """Chance of each place, as a map: the likeliest winners on top."""
    order = np.lexsort([forecast.mean_place, -forecast.first])[: top or None]
    last = int(np.flatnonzero(forecast.places[order].sum(axis=0) > 0.0).max()) + 1
    last = min(last, max(2 * len(order), 12))
    share = forecast.places[order, :last]
    row, place = (index.ravel() for index in np.indices(share.shape))
    highest = max(float(share.max()), 1e-12)
    names = [forecast.names[k] for k in order]
    titles = [
        f"{names[k]}, place {p + 1}: {100 * chance:.1f} %"
        for k, p, chance in zip(row, place, share.ravel(), strict=True)
    ]
    cells = Bars(
        place + 0.5, place + 1.5, row - 0.5, row + 0.5,
        opacity=(share / highest).ravel(), gap=1.0, titles=titles if len(titles) <= 1024 else (),
    )  # fmt: skip
    means = Points(forecast.mean_place[order], np.arange(len(order)), "c2", "mean place")
    panel = Panel(
        Axis("place", low=0.5, high=last + 0.5, whole=True),
        Axis(scale="category", names=names),
        [cells, means],
    )
    return Chart(
        [panel],
        words="Probability of each place for each player",
        height=20.0 * max(len(order), 3),
        shading=("c1", "share of tournaments: 0", f"{100 * highest:.0f} %"),
    )


def variants_chart(forecasts: Sequence[tuple[str, TournamentForecast]], *, name: str) -> Chart:
    """Two measures by variant: how often the strongest wins, and the order."""
    panels = []
    for measure, scale, label in (
        ("strongest wins", 100.0, "strongest player wins, per cent"),
        ("order", 1.0, "rank correlation with true strength"),
    ):
        values = np.array([forecast.measure(measure) for _, forecast in forecasts]) * scale
        reach = _NORMAL_95 * values[:, 1]
        interval = values[:, 0] - reach, values[:, 0] + reach
        points = Points(np.arange(len(forecasts)), values[:, 0], along=interval)
        x = Axis(name, scale="category", names=[label for label, _ in forecasts])
        panels.append(Panel(x, Axis(label, grid=True), [points]))
    words = f"How often the strongest wins, and the order, by {name}"
    return Chart(panels, words=words, columns=2, height=220.0)
