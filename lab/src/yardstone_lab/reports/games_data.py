"""The data that models learn from as charts: figures 4.1 to 4.6 of Neubauer 2024."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.reports.history import deviations_chart, ratings_by_games_chart
from yardstone_lab.reports.charts.experiment import label_chart, length_chart, loss_chart

if TYPE_CHECKING:
    from yardstone.reports.chart import Chart
    from yardstone_lab.neubauer.description import DataDescription

__all__ = ["data_charts"]

#: What figures 4.2 and 4.3 draw in full: points, and winrate.
_POINTS, _WINRATE = (-2.0, 15.0), (-0.1, 0.3)


def data_charts(data: DataDescription) -> dict[str, Chart]:
    """The charts of what there is to draw, by name."""
    charts: dict[str, Chart] = {}
    if data.labels:
        games = "the training games" if data.training else "all games"
        charts["labels"] = label_chart(data.labels, title=f"Rating labels of {games}")
    if data.deviations is not None:
        charts["deviations"] = deviations_chart(data.deviations)
    if data.settling is not None:
        charts["settling"] = ratings_by_games_chart(data.settling)
    if data.lengths is not None:
        charts["lengths"] = length_chart(
            data.lengths, what="counted games" if data.counted else "games"
        )
    for name, losses, (low, high), label in (
        ("points", data.points, _POINTS, "points lost"),
        ("winrates", data.winrates, _WINRATE, "winrate lost"),
    ):
        if losses:
            charts[name] = loss_chart(losses, low=low, high=high, label=label)
    return charts
