"""Pictures of simulated tournaments and of the studies made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.figure import FigureDrawing
from yardstone.reports.tournament.intervals import NORMAL_95

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from yardstone.lab.tournaments.pairing_quality import Quality
    from yardstone.lab.tournaments.tiebreaks import TiebreakComparison
    from yardstone.lab.tournaments.weight_search import WeightSearch
    from yardstone.tournament.forecast import Forecast

__all__ = ["forecast_chart", "quality_chart", "search_chart", "ties_chart", "variants_chart"]

_BLUE, _GREY, _ORANGE = "#1f6fb4", "#6b7280", "#c2560c"
_LONGEST_NAME = 28


def forecast_chart(forecast: Forecast) -> FigureDrawing:
    """Chance of each place, as a map: the likeliest winners on top."""
    return FigureDrawing(lambda: _forecast_figure(forecast))


def variants_chart(forecasts: Sequence[tuple[str, Forecast]], *, name: str) -> FigureDrawing:
    """Two measures by variant: how often the strongest wins, and the order."""
    return FigureDrawing(lambda: _variants_figure(forecasts, name=name))


def ties_chart(comparison: TiebreakComparison) -> FigureDrawing:
    """Share of right answers of each tie-break, with intervals of 95 %."""
    return FigureDrawing(lambda: _ties_figure(comparison))


def quality_chart(qualities: Sequence[Quality]) -> FigureDrawing:
    """The rms error of ratings as tournaments go by."""
    return FigureDrawing(lambda: _quality_figure(qualities))


def search_chart(search: WeightSearch) -> FigureDrawing:
    """The rms error of every trial, and the lowest so far."""
    return FigureDrawing(lambda: _search_figure(search))


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _forecast_figure(forecast: Forecast, *, top: int = 32) -> Figure:
    order = np.lexsort([forecast.mean_place, -forecast.first])[: top or None]
    last = int(np.flatnonzero(forecast.places[order].sum(axis=0) > 0.0).max()) + 1
    last = min(last, max(2 * len(order), 12))
    figure, axes = _figure(8.0, 1.4 + 0.24 * len(order))
    shown = 100.0 * forecast.places[order, :last]
    image = axes.imshow(shown, aspect="auto", cmap="Blues", vmin=0.0, interpolation="nearest")
    axes.plot(forecast.mean_place[order] - 1.0, np.arange(len(order)), "o", ms=4, color=_ORANGE)
    axes.set_yticks(np.arange(len(order)), [_short(forecast.names[row]) for row in order])
    axes.set_xlim(-0.5, last - 0.5)
    step = max(1, last // 12)
    axes.set_xticks(np.arange(0, last, step), [str(p + 1) for p in range(0, last, step)])
    axes.set_xlabel("place (dot: mean)")
    figure.colorbar(image, ax=axes, label="per cent of tournaments", shrink=0.8)
    return figure


def _variants_figure(forecasts: Sequence[tuple[str, Forecast]], *, name: str) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    place = np.arange(len(forecasts))
    for axes, measure, scale, label in zip(
        figure.subplots(1, 2),
        ("strongest wins", "order"),
        (100.0, 1.0),
        ("strongest player wins, per cent", "rank correlation with true strength"),
        strict=True,
    ):
        values = np.array([forecast.measure(measure) for _, forecast in forecasts]) * scale
        axes.errorbar(
            place, values[:, 0], NORMAL_95 * values[:, 1], fmt="o", color=_BLUE, capsize=3
        )
        axes.set_xticks(place, [label for label, _ in forecasts])
        axes.set_xlim(-0.5, len(forecasts) - 0.5)
        axes.set_xlabel(name)
        axes.set_ylabel(label)
        axes.grid(axis="y", alpha=0.3)
    return figure


def _ranked(
    names: Sequence[str], values: Sequence[float], errors: Sequence[float], label: str
) -> tuple[Figure, Axes]:
    """Values with intervals, one below the other."""
    figure, axes = _figure(7.0, 1.2 + 0.32 * len(names))
    place = np.arange(len(names))
    reach = NORMAL_95 * np.asarray(errors)
    axes.errorbar(values, place, xerr=reach, fmt="o", color=_BLUE, capsize=3)
    axes.set_yticks(place, [_short(name) for name in names])
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.grid(axis="x", alpha=0.3)
    return figure, axes


def _ties_figure(comparison: TiebreakComparison) -> Figure:
    scores = comparison.scores
    figure, axes = _ranked(
        [s.name for s in scores],
        [100.0 * s.value for s in scores],
        [100.0 * s.error for s in scores],
        "tied pairs in the true order, per cent (95 %)",
    )
    axes.axvline(50.0, color=_GREY, ls=":", lw=1)
    axes.text(50.0, 1.01, "by lot", color=_GREY, ha="center", transform=axes.get_xaxis_transform())
    return figure


def _quality_figure(qualities: Sequence[Quality]) -> Figure:
    figure, axes = _figure(9.0, 4.2)
    for each in qualities:
        number = np.arange(1, len(each.course) + 1)
        label = f"{each.name} ({each.rms:.1f} ± {each.reach * each.error:.1f})"
        axes.plot(number, each.course, lw=1.5, label=label)
    axes.set_xlabel("tournaments")
    axes.set_ylabel("rms error of the ratings, points")
    axes.set_ylim(bottom=0.0)
    axes.grid(alpha=0.3)
    title = "rms error of the second half (95 %)"
    figure.legend(loc="outside right upper", frameon=False, title=title, fontsize="small")
    return figure


def _search_figure(search: WeightSearch) -> Figure:
    figure, axes = _figure(7.0, 3.8)
    number = [trial.number for trial in search.trials]
    rms = np.array([trial.rms for trial in search.trials])
    axes.plot(number, rms, "o", ms=4, color=_BLUE, label="trial")
    axes.step(number, np.minimum.accumulate(rms), where="post", color=_ORANGE, label="lowest")
    axes.set_xlabel("trial (0: the usual rules)")
    axes.set_ylabel("rms error of the ratings, points")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    return figure
