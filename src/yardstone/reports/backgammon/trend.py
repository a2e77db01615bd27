"""How the ratings of backgammon players moved, as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.backgammon.summary import WINDOW
from yardstone.reports.figure import FigureDrawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from yardstone.reports.document import Drawing

__all__ = ["trend_chart", "with_trend"]

#: Players in the picture, and the fewest matches for a trend.
DRAWN, FEWEST = 4, 5
_COLOURS = ("#1f6fb4", "#d1495b", "#2e8b57", "#e08e0b")

Plain = Mapping[str, Any]


def with_trend(plain: Plain) -> list[Plain]:
    """The players whose trend is drawn."""
    return [
        player
        for player in plain["players"]
        if sum(match["rating"] is not None for match in player["trend"]) >= FEWEST
    ][:DRAWN]


def trend_chart(plain: Plain) -> Drawing:
    """Each match's rating as a dot, and the moving mean of 20 matches with its band.

    `plain` is the JSON value of an analysis. Against the date where most matches have one,
    those without are then left out; else against their number.
    """
    return FigureDrawing(lambda: _figure(plain))


def _figure(plain: Plain) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    players = with_trend(plain)
    figure = Figure(figsize=(9.0, 4.8), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    dates = [match["date"] for player in players for match in player["trend"]]
    dated = 2 * sum(date is not None for date in dates) > len(dates)
    for player, colour in zip(players, _COLOURS, strict=False):
        _draw(axes, player, colour, dated=dated)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
    axes.grid(axis="y", color="#e5e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_ylabel("Rating", fontsize=9)
    axes.set_xlabel("" if dated else "Matches", fontsize=9)
    figure.suptitle(
        f"Ratings by errors: matches, and means of {WINDOW} with "
        f"{100 * plain['confidence']:g} % bands",
        fontsize=11,
        x=0.01,
        ha="left",
    )
    if players:
        for text in axes.legend(fontsize=8, frameon=False, loc="best").get_texts():
            text.set_parse_math(False)
        _limit(axes, players)
    return figure


def _draw(axes: Axes, player: Plain, colour: str, *, dated: bool) -> None:
    matches = [match for match in player["trend"] if match["date"] or not dated]
    x: np.ndarray = np.arange(1, len(matches) + 1)
    if dated:
        x = np.array([match["date"] for match in matches], "datetime64[D]")
    ratings = np.array([match["rating"] for match in matches], np.float64)
    mean, low, high = (
        np.array([match["moving_mean"][name] for match in matches], np.float64)
        for name in ("value", "low", "high")
    )
    axes.plot(x, ratings, ".", color=colour, alpha=0.35, markeredgewidth=0)
    steady = np.arange(len(matches)) >= FEWEST - 1  # the first few means wander
    axes.plot(x[steady], mean[steady], color=colour, linewidth=1.5, label=player["player"])
    axes.fill_between(x[steady], low[steady], high[steady], color=colour, alpha=0.15, linewidth=0)


def _limit(axes: Axes, players: list[Plain]) -> None:
    """Leave the most extreme matches outside, so that the means can be seen."""
    known = [m["rating"] for p in players for m in p["trend"] if m["rating"] is not None]
    if known:
        low, high = np.percentile(known, [1.0, 100.0])
        room = 0.06 * max(high - low, 1.0)
        axes.set_ylim(low - room, high + room)
