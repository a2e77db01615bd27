"""Van den Doel's figures, redrawn from a study with error bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.backgammon.formulas import PUBLISHED
from yardstone.lab.vandendoel.cells import LEVEL
from yardstone.lab.vandendoel.fit import Model, StudyFit
from yardstone.reports.backgammon.study import formula_rating, published_weight

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["coefficient_plot", "part_one_plot", "part_two_plot"]

_BLUE, _RED, _GREEN, _GREY = "#1f6fb4", "#c2410c", "#15803d", "#6b7280"
#: Panels beside each other.
_COLUMNS = 3


def _panels(number: int, height: float = 2.9) -> tuple[Figure, list[Axes]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(number, _COLUMNS)
    rows = -(-number // columns)
    figure = Figure(figsize=(3.5 * columns + 0.4, height * rows + 0.8), layout="constrained")
    FigureCanvasAgg(figure)
    made = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axes in made[number:]:
        axes.set_visible(False)
    return figure, made[:number]


def _plain(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=9)
    axes.grid(color="#e5e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)


def _bars(rating: Array, low: Array, high: Array) -> tuple[NDArray[np.bool_], Array]:
    """Which points can be drawn, and how far their bars reach down and up (or to the edge)."""
    drawn = np.isfinite(rating)
    finite = np.concatenate([values[np.isfinite(values)] for values in (rating, low, high)])
    least, most = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    down = rating - np.where(np.isfinite(low), low, least)
    up = np.where(np.isfinite(high), high, most) - rating
    return drawn, np.maximum(np.array([down, up])[:, drawn], 0.0)


def part_one_plot(fit: StudyFit, *, level: float = LEVEL) -> Figure:
    """Rating difference against the difference of error rates, a panel for each length.

    Dots with intervals are the cells; pairings of which neither player is free of noise
    are squares. Lines: the fit at this length, and the published formula.
    """
    cells = fit.cells
    lengths = np.unique(cells.length)
    x = np.diff(cells.decision_error, axis=1)[:, 0]
    low, high = cells.rating_interval(level)
    noisy = np.array([setting.first.chequer_noise > 0.0 for setting in cells.settings])
    figure, panels = _panels(len(lengths))
    for k, (length, axes) in enumerate(zip(lengths, panels, strict=True)):
        mine = cells.length == length
        end = np.array([0.0, 1.05 * x[mine].max()])
        axes.plot(end, published_weight("a", length) * end, "--", color=_GREY, linewidth=1.2)
        axes.plot(end, fit.coefficients[0].values[k] * end, color=_RED, linewidth=1.2)
        for rows, marker in ((mine & ~noisy, "o"), (mine & noisy, "s")):
            drawn, reach = _bars(cells.rating[rows], low[rows], high[rows])
            axes.errorbar(
                x[rows][drawn],
                cells.rating[rows][drawn],
                yerr=reach,
                fmt=marker,
                markersize=4,
                color=_BLUE if marker == "o" else _GREEN,
                elinewidth=1.0,
                capsize=2,
            )
        _plain(axes, f"{length:.0f} point{'s' if length > 1 else ''}")
        axes.set_xlabel("DEPD", fontsize=8)
        axes.set_ylabel("R", fontsize=8)
    _legend(
        figure,
        [
            ("o", _BLUE, "one player free of noise"),
            ("s", _GREEN, "both with noise"),
            ("-", _RED, "fit"),
            ("--", _GREY, "11971 + 23681/N"),
        ],
    )
    figure.suptitle(f"Rating difference and error rate, {100 * level:g} % intervals", fontsize=11)
    return figure


def part_two_plot(fit: StudyFit, *, level: float = LEVEL) -> Figure:
    """Measured rating differences with what both published formulas and the fit say."""
    cells = fit.cells
    lengths = np.unique(cells.length)
    x = np.diff(cells.decision_error, axis=1)[:, 0]
    low, high = cells.rating_interval(level)
    by_part_one = formula_rating(cells, Model.decision)
    by_part_two = formula_rating(cells, Model.bilinear)
    figure, panels = _panels(len(lengths))
    for length, axes in zip(lengths, panels, strict=True):
        mine = cells.length == length
        drawn, reach = _bars(cells.rating[mine], low[mine], high[mine])
        axes.errorbar(
            x[mine][drawn],
            cells.rating[mine][drawn],
            yerr=reach,
            fmt="o",
            markersize=4,
            color=_GREEN,
            elinewidth=1.0,
            capsize=2,
        )
        axes.plot(x[mine], by_part_one[mine], "x", color=_RED, markersize=5)
        axes.plot(x[mine], by_part_two[mine], "x", color=_BLUE, markersize=5)
        axes.plot(x[mine], fit.fitted[mine], "_", color="black", markersize=8)
        _plain(axes, f"{length:.0f} points")
        axes.set_xlabel("DEPD", fontsize=8)
        axes.set_ylabel("R", fontsize=8)
    _legend(
        figure,
        [
            ("o", _GREEN, "measured"),
            ("x", _RED, "a(N) DEPD, published"),
            ("x", _BLUE, "a2(N) DEPM + b(N) DEPC, published"),
            ("_", "black", "fit"),
        ],
    )
    figure.suptitle(
        f"Rating difference with separate cube errors, {100 * level:g} % intervals", fontsize=11
    )
    return figure


def coefficient_plot(fit: StudyFit) -> Figure:
    """N a(N), or N a2(N) and N b(N), against the length, with the straight lines through them."""
    figure, panels = _panels(len(fit.coefficients), height=3.4)
    for found, axes in zip(fit.coefficients, panels, strict=True):
        lengths = np.array(found.lengths, np.float64)
        known = np.isfinite(found.values)
        axes.errorbar(
            lengths[known],
            (lengths * found.values)[known],
            yerr=np.nan_to_num(lengths * found.errors)[known],
            fmt="o",
            markersize=4,
            color=_BLUE,
            capsize=2,
        )
        line = np.linspace(0.0, 1.05 * lengths.max(), 2)
        axes.plot(
            line, found.weight.constant * line + found.weight.inverse, color=_RED, linewidth=1.2
        )
        weight = {"a": PUBLISHED.decision, "a2": PUBLISHED.move, "b": PUBLISHED.cube}[found.name]
        axes.plot(line, weight.constant * line + weight.inverse, "--", color=_GREY, linewidth=1.2)
        _plain(axes, f"N {found.name}(N)")
        axes.set_xlabel("match length N", fontsize=8)
    _legend(
        figure,
        [("o", _BLUE, "± one standard error"), ("-", _RED, "fit"), ("--", _GREY, "published")],
    )
    return figure


def _legend(figure: Figure, entries: list[tuple[str, str, str]]) -> None:
    from matplotlib.lines import Line2D

    handles = []
    for mark, colour, label in entries:
        handle = Line2D([], [], color=colour, label=label, markersize=5)
        if mark == "--":
            handle.set_linestyle("--")
        elif mark != "-":
            handle.set_linestyle("none")
            handle.set_marker(mark)
        handles.append(handle)
    figure.legend(
        handles=handles, loc="outside lower center", ncols=len(entries), fontsize=8, frameon=False
    )
