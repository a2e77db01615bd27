"""Figures of Kaniuk's paper that follow a fit through the years."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.grades import format_grade
from yardstone.reports.chart import Axis, Chart, Mark, Panel, Points, Stroke
from yardstone.reports.winprob import difference_name, difference_style

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone_lab.kaniuk.trace import Trace

__all__ = ["coefficient_trace_chart", "probability_trace_chart"]


def probability_trace_chart(
    trace: Trace, *, modelled: bool, title: str = "", note: str = ""
) -> Chart:
    """Probabilities over the years for each grade followed (figures 3 and 5).

    Parameters
    ----------
    trace : Trace
    modelled : bool
        From each window's fit (figure 5), or the ratios as measured (figure 3).
    title, note : str
        `note` stands below the picture; say there if the games are simulated.
    """
    values = trace.modelled if modelled else trace.measured
    panels = []
    for k, grade in enumerate(trace.grades):
        marks: list[Mark] = []
        for j, d in enumerate(trace.differences):
            if d == 0:
                continue
            colour, dash = difference_style(int(d))
            name = difference_name(int(d))
            marks.append(Stroke(trace.years, values[:, k, j], colour, name, 1.5, dash))
            if not modelled:
                marks.append(Points(trace.years, values[:, k, j], colour, name, size=2.0))
        x = Axis("last year of the window", ticks=_years(trace.years))
        y = Axis("win probability", low=0.0, high=1.0, grid=True)
        panels.append(Panel(x, y, marks, format_grade(grade)))
    title = title or ("Model" if modelled else "Measured")
    return Chart(panels, title, note=note, columns=3, height=260.0)


def coefficient_trace_chart(trace: Trace, *, title: str = "", note: str = "") -> Chart:
    """Fitted coefficients over the years (figure 4)."""
    marks: list[Mark] = []
    for j, name in enumerate(trace.names):
        small = name in ("v0", "v1", "v2", "v3")
        label = f"10 {name}" if small else name
        colour, shape = f"c{j % 7 + 1}", ("circle", "square", "diamond", "up")[j % 4]
        values = (10.0 if small else 1.0) * trace.coefficients[:, j]
        marks.append(Stroke(trace.years, values, colour, label, 1.3))
        marks.append(Points(trace.years, values, colour, label, shape, 3.0))
    x = Axis("last year of the window", ticks=_years(trace.years))
    panel = Panel(x, Axis("coefficient", low=0.0, grid=True), marks)
    title = title or "Coefficients of the fit to each window"
    return Chart([panel], title, note=note, height=300.0)


def _years(years: NDArray[np.int64]) -> list[tuple[float, str]]:
    """Years without a comma in them."""
    return [(float(year), str(int(year))) for year in np.unique(years)]
