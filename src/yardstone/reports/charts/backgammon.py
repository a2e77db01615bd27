"""How the ratings of backgammon players moved, as a chart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from yardstone.backgammon.matches import WINDOW
from yardstone.reports.charts.chart import Axis, Band, Chart, Mark, Panel, Points, Stroke
from yardstone.reports.charts.colours import SERIES

__all__ = ["trend_chart", "with_trend"]

#: Players in the picture, and the fewest matches for a trend.
DRAWN, FEWEST = 4, 5

Plain = Mapping[str, Any]


def with_trend(plain: Plain) -> list[Plain]:
    """The players whose trend is drawn."""
    return [
        player
        for player in plain["players"]
        if sum(match["rating"] is not None for match in player["trend"]) >= FEWEST
    ][:DRAWN]


def trend_chart(plain: Plain) -> Chart:
    """Each match's rating as a dot, and the moving mean of 20 matches with its band.

    `plain` is the JSON value of an analysis. Against the date where most matches have one,
    those without are then left out; else against their number.
    """
    players = with_trend(plain)
    dates = [match["date"] for player in players for match in player["trend"]]
    dated = 2 * sum(date is not None for date in dates) > len(dates)
    dots: list[Mark] = []
    bands: list[Mark] = []
    lines: list[Mark] = []
    for player, colour in zip(players, SERIES, strict=False):
        matches = [match for match in player["trend"] if match["date"] or not dated]
        x = np.arange(1, len(matches) + 1)
        if dated:
            x = np.array([match["date"] for match in matches], "datetime64[D]")
        rating = np.array([match["rating"] for match in matches], np.float64)
        mean, low, high = (
            np.array([match["moving_mean"][name] for match in matches], np.float64)
            for name in ("value", "low", "high")
        )
        steady = slice(FEWEST - 1, None)  # the first few means wander
        dots.append(Points(x, rating, colour, size=2.0, opacity=0.4))
        bands.append(Band(x[steady], low[steady], high[steady], colour))
        lines.append(Stroke(x[steady], mean[steady], colour, player["player"]))
    title = (
        f"Ratings by errors: matches, and means of {WINDOW} with {100 * plain['confidence']:g} % "
        "bands"
    )
    low_end, high_end = _reach(players)
    panel = Panel(
        Axis(scale="date") if dated else Axis("Matches", whole=True),
        Axis("Rating", low=low_end, high=high_end, grid=True),
        [*dots, *bands, *lines],
        direct=True,
    )
    note = "" if players else f"No player has {FEWEST} rated matches."
    return Chart([panel], title, note=note, height=340.0)


def _reach(players: list[Plain]) -> tuple[float | None, float | None]:
    """Leave the most extreme matches outside, so that the means can be seen."""
    known = [m["rating"] for p in players for m in p["trend"] if m["rating"] is not None]
    if not known:
        return None, None
    low, high = np.percentile(known, [1.0, 100.0])
    room = 0.06 * max(high - low, 1.0)
    return float(low - room), float(high + room)
