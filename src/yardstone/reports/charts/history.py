"""Ratings over time, and how they settle, as charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.charts.chart import Axis, Band, Bars, Chart, Mark, Panel, Points, Stroke
from yardstone.reports.charts.colours import series_style

if TYPE_CHECKING:
    from yardstone.evaluation.findings import DeviationsByGames, RatingsByGames
    from yardstone.evaluation.history import RatingCurve, RatingHistory

__all__ = ["deviations_chart", "history_chart", "ratings_by_games_chart"]

#: Curves in one picture: more than these cannot be told apart.
MOST_CURVES = 10
#: A curve that lasts for less of the whole time is a stroke upwards.
SHORTEST_SPAN = 0.1
#: Bands in one picture.
MOST_BANDS = 4


def history_chart(history: RatingHistory) -> Chart:
    """Draw the ratings of the chosen players, or of the highest, each with its band.

    More than a few bands would hide each other, so many curves go without.

    Against time where it is known, else against the number of games; so it is as well for
    the highest, where each of them played in so short a time that nothing of it could be
    seen. A point of a curve is the rating with which a game was predicted, or without bands
    the first of a moment; the last one is the present rating.
    """
    curves = history.drawn[:MOST_CURVES]
    banded = len(curves) <= MOST_BANDS
    dated = _dated(curves, chosen=bool(history.curves))
    bands: list[Mark] = []
    lines: list[Mark] = []
    for place, curve in enumerate(curves):
        rating = np.append(curve.rating, curve.after[-1])
        x = np.arange(len(rating))
        if dated and curve.time is not None:
            x = np.append(curve.time, curve.time[-1])
        if dated and not banded:
            x, begins = np.unique(x, return_index=True)
            rating = np.append(rating[begins[:-1]], rating[-1])
        colour, dash = series_style(place)
        lines.append(Stroke(x, rating, colour, curve.player, 1.5, dash))
        reach = history.half_widths(curve)
        if banded and np.isfinite(reach).any():
            bands.append(Band(x, rating - reach, rating + reach, colour, opacity=0.13))
    title = f"Ratings by {history.rated.name}"
    if bands:
        title += f" with {100 * history.confidence:g} % bands"
    if not history.curves:
        title += f": the {len(curves)} highest"
        if history.settled > 1:
            title += f" with at least {history.settled} games"
    elif len(curves) < len(history.curves):
        title += f": the first {len(curves)} of {len(history.curves)} players"
    x_axis = Axis(scale="date") if dated else Axis("Games played", whole=True)
    panel = Panel(x_axis, Axis("Rating", grid=True), [*bands, *lines], direct=True)
    return Chart([panel], title, height=340.0)


def _dated(curves: Sequence[RatingCurve], *, chosen: bool) -> bool:
    """Whether to draw curves against time: where it is known, and long enough to be seen."""
    times = [curve.time for curve in curves if curve.time is not None]
    if not times or len(times) < len(curves):
        return False
    spans = [float((time[-1] - time[0]).astype(np.int64)) for time in times]
    whole = max(time[-1] for time in times) - min(time[0] for time in times)
    return chosen or float(np.median(spans)) >= SHORTEST_SPAN * float(whole.astype(np.int64))


def deviations_chart(deviations: DeviationsByGames) -> Chart:
    """Rating deviations by games played: a sample and the mean (Neubauer 2024, figure 4.4)."""
    games, players = np.arange(len(deviations.mean)), deviations.sample.shape[1]
    marks: list[Mark] = [
        Points(
            np.repeat(games, players),
            deviations.sample.ravel(),
            "soft",
            f"up to {players} players",
            size=1.6,
            opacity=0.35,
        ),
        Stroke(games, deviations.mean, "c1", "mean of all players", 2.2),
    ]
    panel = Panel(
        Axis("Games played", whole=True), Axis("Rating deviation", low=0.0, grid=True), marks
    )
    return Chart([panel], words="Rating deviations by games played")


def ratings_by_games_chart(by_games: RatingsByGames, labels: Sequence[str] | None = None) -> Chart:
    """Distribution of ratings or ranks by games played (Neubauer 2024, figure 4.5).

    Parameters
    ----------
    by_games : RatingsByGames
    labels : sequence of str, optional
        Names of the classes; by default the edges are numbers on the axis.
    """
    edges = np.arange(len(by_games.edges)) if labels is not None else np.asarray(by_games.edges)
    share = np.nan_to_num(by_games.share)
    highest = max(float(share.max(initial=0.0)), 1e-12)
    games, classes = np.indices(share.shape)
    cells = Bars(
        games.ravel() + 0.5,
        games.ravel() + 1.5,
        edges[classes.ravel()],
        edges[classes.ravel() + 1],
        opacity=(share / highest).ravel(),
    )
    ends = float(edges[0]), float(edges[-1])
    if labels is None:
        y = Axis("Rating", *ends)
    else:
        step = max(len(labels) // 15, 1)
        middles = [(place + 0.5, label) for place, label in enumerate(labels)][::step]
        y = Axis("Rank", *ends, ticks=middles)
    x = Axis("Games played", low=0.5, high=len(share) + 0.5, whole=True)
    return Chart(
        [Panel(x, y, [cells])],
        words="Distribution of ratings by games played",
        height=360.0,
        shading=("c1", "Players: 0", f"{100 * highest:{'.0f' if highest > 0.1 else '.2g'}} %"),
    )
