"""Ratings over time, and how they settle, as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.history.report import curve_reach

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from yardstone.evaluation.curves import Curve
    from yardstone.evaluation.settling import DeviationsByGames, RatingsByGames
    from yardstone.reports.history.report import History

__all__ = ["deviations_plot", "history_plot", "ratings_by_games_plot"]

#: Curves in one picture: more colours than these cannot be told apart.
MOST_CURVES = 10
_COLOURS = (
    "#1f6fb4", "#d1495b", "#2e8b57", "#e08e0b", "#7b4ea3",
    "#17a2a2", "#8c564b", "#c2518f", "#6b7280", "#9aa21c",
)  # fmt: skip
_BLUE, _GREY = "#1f6fb4", "#6b7280"


def _figure(width: float, height: float) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
    axes.grid(axis="y", color="#e5e7eb", linewidth=0.8)
    axes.set_axisbelow(True)


def history_plot(history: History) -> Figure:
    """Draw the ratings of the chosen players, each with its band.

    Against time where it is known, else against the number of games. A point of a
    curve is the rating with which a game was predicted; the last one is the present
    rating.
    """
    figure = _figure(9.0, 4.8)
    axes = figure.add_subplot()
    shown = history.curves[:MOST_CURVES]
    dated = bool(shown) and all(curve.time is not None for curve in shown)
    banded = False
    for curve, colour in zip(shown, _COLOURS, strict=False):
        banded |= _draw(axes, curve, curve_reach(history, curve), colour, dated=dated)
    _plain(axes)
    axes.set_ylabel("Rating", fontsize=9)
    axes.set_xlabel("" if dated else "Games played", fontsize=9)
    title = f"Ratings by {history.rated.name}"
    if banded:
        title += f" with {100 * history.confidence:g} % bands"
    if len(shown) < len(history.curves):
        title += f": the first {len(shown)} of {len(history.curves)} players"
    figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    if shown:
        legend = axes.legend(fontsize=8, frameon=False, loc="best")
        for text in legend.get_texts():
            text.set_parse_math(False)
    return figure


def _draw(
    axes: Axes, curve: Curve, reach: NDArray[np.float64], colour: str, *, dated: bool
) -> bool:
    """Draw one curve; True if it has a band."""
    rating = np.append(curve.rating, curve.after[-1])
    x: Sequence[object] | np.ndarray
    if dated and curve.time is not None:
        x = np.append(curve.time, curve.time[-1])
    else:
        x = np.arange(len(rating))
    axes.plot(x, rating, color=colour, linewidth=1.3, label=curve.player)
    if not np.isfinite(reach).any():
        return False
    low, high = rating - reach, rating + reach
    axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
    return True


def deviations_plot(found: DeviationsByGames) -> Figure:
    """Rating deviations by games played: a sample and the mean (Neubauer 2024, figure 4.4)."""
    figure = _figure(7.0, 4.2)
    axes = figure.add_subplot()
    games = np.arange(len(found.mean))
    axes.plot(
        np.repeat(games, found.sample.shape[1]),
        found.sample.ravel(),
        ".",
        color=_GREY,
        alpha=0.35,
        markersize=4,
        markeredgewidth=0,
        rasterized=True,
        label=f"up to {found.sample.shape[1]} players",
    )
    axes.plot(games, found.mean, color=_BLUE, linewidth=1.8, label="mean of all players")
    axes.set_xlabel("Games played", fontsize=9)
    axes.set_ylabel("Rating deviation", fontsize=9)
    axes.set_ylim(bottom=0)
    _plain(axes)
    axes.legend(fontsize=8, frameon=False)
    return figure


def ratings_by_games_plot(found: RatingsByGames, labels: Sequence[str] | None = None) -> Figure:
    """Distribution of ratings or ranks by games played (Neubauer 2024, figure 4.5).

    Parameters
    ----------
    found : RatingsByGames
    labels : sequence of str, optional
        Names of the classes; by default the edges are numbers on the axis.
    """
    figure = _figure(7.0, 4.8)
    axes = figure.add_subplot()
    most = len(found.share)
    edges = np.arange(len(found.edges)) if labels is not None else found.edges
    mesh = axes.pcolormesh(
        np.arange(most + 1) + 0.5,
        edges,
        100.0 * found.share.T,
        cmap="Blues",
        vmin=0.0,
        rasterized=True,
    )
    bar = figure.colorbar(mesh, ax=axes)
    bar.set_label("Players, %", fontsize=9)
    bar.ax.tick_params(labelsize=8)
    if labels is not None:
        step = max(len(labels) // 15, 1)
        axes.set_yticks(np.arange(len(labels))[::step] + 0.5, list(labels)[::step])
    axes.set_xlabel("Games played", fontsize=9)
    axes.set_ylabel("Rating" if labels is None else "Rank", fontsize=9)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    return figure
