"""The figures of Kaniuk's paper, from data or from a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.winprob.grades import format_grade
from yardstone.winprob.kaniuk import PUBLISHED, Kaniuk, gap_of_probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from yardstone.lab.kaniuk.trace import Trace
    from yardstone.winprob.statistics import WinningStatistics

    Array = NDArray[np.float64]

__all__ = [
    "FIGURES",
    "coefficient_trace_plot",
    "contour_plot",
    "curves_plot",
    "gap_plot",
    "model_plot",
    "probability_trace_plot",
]

_GREY = "#6b7280"
#: From 4 stones weaker (won easily) to 4 stones stronger.
_COLOURS = ("#08519c", "#3182bd", "#6baed6", "#9ecae1", "#9ca3af")
_COLOURS_STRONGER = ("#fdae6b", "#fd8d3c", "#e6550d", "#a63603")


def _figure(width: float, height: float, columns: int = 1) -> tuple[Figure, list[Axes]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    made = figure.subplots(1, columns, squeeze=False, sharey=columns > 1)
    return figure, list(made[0])


def _plain(axes: Axes) -> None:
    axes.grid(color="#e5e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)


def _colour(difference: int) -> str:
    if difference <= 0:
        return _COLOURS[min(4, difference + 4)] if difference >= -4 else _COLOURS[0]
    return _COLOURS_STRONGER[min(4, difference) - 1]


def _name(difference: int) -> str:
    return f"$P_{{{difference}}}$"


def _grade_axis(axes: Axes, lowest: int, highest: int) -> None:
    ticks = [g for g in range(lowest, highest + 1) if g % 4 == 0 or g == highest]
    axes.set_xticks(ticks, [f"{g}\n{format_grade(g)}" for g in ticks])
    axes.set_xlabel("grade (zero-shodan units)", fontsize=9)


def curves_plot(
    statistics: WinningStatistics | None = None,
    model: Kaniuk | None = PUBLISHED,
    *,
    title: str = "",
    lowest: int = -20,
    highest: int = 6,
) -> Figure:
    """Probability of win by grade, one curve for each difference (figure 1).

    Dots with bars of one standard error are measured ratios, extended to weaker
    opponents by equation 1; lines are the model.
    """
    figure, (axes,) = _figure(7.4, 4.8)
    grades = np.arange(lowest, highest + 1)
    fine = np.linspace(lowest, highest, 300)
    for d in range(-4, 5):
        if d == 0:
            continue
        colour = _colour(d)
        if model is not None:
            axes.plot(fine, model.probability(fine, fine + d), color=colour, linewidth=1.4)
        if statistics is not None:
            measured, error = _measured(statistics, grades, d)
            axes.errorbar(
                grades + 0.06 * d,
                measured,
                yerr=error,
                fmt="o",
                markersize=3.2,
                linewidth=0.8,
                color=colour,
            )
            if model is None:
                axes.plot(grades + 0.06 * d, measured, color=colour, linewidth=0.8)
        axes.plot([], [], "o-", color=colour, label=_name(d))
    if model is not None:
        _name_ends(axes, model, highest)
    else:
        axes.legend(fontsize=8, ncols=2, frameon=False)
    axes.axhline(0.5, color=_GREY, linewidth=0.8, linestyle=":")
    axes.set_ylim(0.0, 1.0)
    _grade_axis(axes, lowest, highest)
    axes.set_ylabel("probability of win", fontsize=9)
    _plain(axes)
    figure.suptitle(title or "Probability of win against d stones stronger", fontsize=11)
    return figure


def _name_ends(axes: Axes, model: Kaniuk, grade: int) -> None:
    """Write the name of each curve at its right end, clear of the others."""
    least, place = 0.04, -1.0
    for d in (4, 3, 2, 1, -1, -2, -3, -4):
        place = max(place + least, float(model.probability(grade, grade + d)))
        axes.annotate(
            _name(d),
            (grade + 0.15, place),
            fontsize=8,
            color=_colour(d),
            va="center",
            annotation_clip=False,
        )


def _measured(
    statistics: WinningStatistics, grades: NDArray[np.int64], d: int
) -> tuple[Array, Array]:
    """Ratios and standard errors at grades, NaN where nothing is known."""
    most = statistics.games.shape[1]
    table, errors = statistics.extended(), statistics.standard_error()
    ratio, error = np.full(len(grades), np.nan), np.full(len(grades), np.nan)
    for k, grade in enumerate(grades):
        row, weak = grade - statistics.lowest, min(grade, grade + d) - statistics.lowest
        if 0 <= row < len(table) and weak >= 0 and abs(d) <= most:
            ratio[k] = table[row, most + d]
            error[k] = errors[weak, abs(d) - 1]
    return ratio, np.where(np.isnan(ratio), np.nan, error)


def gap_plot(
    statistics: WinningStatistics | None = None,
    model: Kaniuk | None = PUBLISHED,
    *,
    title: str = "",
    lowest: int = -20,
    highest: int = 6,
) -> Figure:
    """Lambda by grade for opponents 1 to 4 stones stronger (figure 2)."""
    figure, (axes,) = _figure(7.4, 4.6)
    grades = np.arange(lowest, highest + 1)
    fine = np.linspace(lowest, highest, 300)
    for d in range(1, 5):
        colour = _colour(d)
        if model is not None:
            axes.plot(fine, model.strength_gap(fine, fine + d), color=colour, linewidth=1.4)
        if statistics is not None:
            measured, error = _measured(statistics, grades, d)
            inside = (measured > 0.0) & (measured < 1.0)
            gap = np.full(len(grades), np.nan)
            gap[inside] = gap_of_probability(measured[inside])
            spread = np.sqrt(np.pi) * np.exp(np.minimum(gap**2, 50.0)) * error
            axes.errorbar(
                grades, gap, yerr=spread, fmt="o", markersize=3.2, linewidth=0.8, color=colour
            )
        axes.plot([], [], color=colour, label=f"d = {d}")
    axes.legend(fontsize=8, frameon=False, loc="upper left")
    axes.set_ylim(-0.15, 2.0)
    _grade_axis(axes, lowest, highest)
    axes.set_ylabel("$\\Lambda(r, r + d)$", fontsize=9)
    _plain(axes)
    figure.suptitle(title or "$\\Lambda$ against d stones stronger", fontsize=11)
    return figure


def probability_trace_plot(
    found: Trace, *, modelled: bool, title: str = "", note: str = ""
) -> Figure:
    """Probabilities over the years for each grade followed (figures 3 and 5).

    Parameters
    ----------
    found : Trace
    modelled : bool
        From each window's fit (figure 5), or the ratios as measured (figure 3).
    title, note : str
        `note` stands below the picture; say there if the games are simulated.
    """
    figure, axes = _figure(8.4, 4.4, len(found.grades))
    values = found.modelled if modelled else found.measured
    for k, (panel, grade) in enumerate(zip(axes, found.grades, strict=True)):
        for j, d in enumerate(found.differences):
            if d == 0:
                continue
            panel.plot(
                found.years,
                values[:, k, j],
                "-" if modelled else ".-",
                color=_colour(int(d)),
                linewidth=1.3,
                label=f"$p_{{{d}}}$",
            )
        panel.set_title(format_grade(grade), fontsize=10)
        panel.set_ylim(0.0, 1.0)
        panel.set_xlabel("last year of the window", fontsize=9)
        _whole_years(panel)
        _plain(panel)
    axes[0].set_ylabel("probability of win", fontsize=9)
    axes[-1].legend(fontsize=7, frameon=False, ncols=2, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.suptitle(title or ("Model" if modelled else "Measured"), fontsize=11)
    _note(figure, note)
    return figure


def coefficient_trace_plot(found: Trace, *, title: str = "", note: str = "") -> Figure:
    """Fitted coefficients over the years (figure 4)."""
    figure, (axes,) = _figure(7.4, 4.4)
    colours = ("#1f6fb4", "#d9480f", "#2b8a3e", "#862e9c", "#495057", "#e67700", "#0b7285")
    for j, name in enumerate(found.names):
        small = name in ("v0", "v1", "v2", "v3")
        factor = 10.0 if small else 1.0
        label = f"10 {name}" if small else name
        axes.plot(
            found.years,
            factor * found.coefficients[:, j],
            "o-",
            markersize=3.5,
            linewidth=1.1,
            color=colours[j % len(colours)],
            label=label,
        )
    axes.set_ylim(bottom=0.0)
    _whole_years(axes)
    axes.set_xlabel("last year of the window", fontsize=9)
    axes.set_ylabel("coefficient", fontsize=9)
    axes.legend(fontsize=8, frameon=False, ncols=len(found.names), loc="upper right")
    _plain(axes)
    figure.suptitle(title or "Coefficients of the fit to each window", fontsize=11)
    _note(figure, note)
    return figure


def _whole_years(axes: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _note(figure: Figure, note: str) -> None:
    if note:
        figure.supxlabel(note, fontsize=8, color=_GREY)


def contour_plot(model: Kaniuk = PUBLISHED, *, title: str = "") -> Figure:
    """Per cent by average grade and difference, in canonical coordinates (figure 6).

    Points a and b are the paper's examples: 5 dan against 1 dan, 8 kyu against 6 kyu.
    """
    from scipy.special import erfc

    figure, (axes,) = _figure(7.4, 5.2)
    g, d = np.meshgrid(np.linspace(-20.0, 6.0, 261), np.linspace(-9.0, 9.0, 241))
    per_cent = 50.0 * erfc(model.canonical(g, d))
    levels = [1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99]
    axes.contourf(g, d, per_cent, levels=[0, *levels, 100], cmap="RdYlBu", alpha=0.55)
    lines = axes.contour(g, d, per_cent, levels=levels, colors="#374151", linewidths=0.8)
    axes.clabel(lines, fontsize=7, fmt="%g")
    for name, (x, y) in {"a": (2.0, -4.0), "b": (-7.0, 2.0)}.items():
        axes.plot(x, y, "o", color="black", markersize=4)
        axes.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points", weight="bold")
    _grade_axis(axes, -20, 6)
    axes.set_xlabel("average grade g (zero-shodan units)", fontsize=9)
    axes.set_ylabel("difference d = opponent less player", fontsize=9)
    axes.tick_params(labelsize=8)
    figure.suptitle(title or "Probability of win, per cent", fontsize=11)
    return figure


#: Figures that need no data, by name.
FIGURES = ("curves", "lambda", "contour")


def model_plot(name: str, model: Kaniuk = PUBLISHED) -> Figure:
    """One of `FIGURES` of a model."""
    if name == "curves":
        return curves_plot(model=model)
    if name == "lambda":
        return gap_plot(model=model)
    if name == "contour":
        return contour_plot(model)
    raise UsageError(f"no figure is called {name!r} (there are {', '.join(FIGURES)})")
