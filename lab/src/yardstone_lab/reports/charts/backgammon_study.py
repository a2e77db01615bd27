"""Van den Doel's figures, redrawn from a study with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.chart import Axis, Chart, Mark, Panel, Points, Stroke
from yardstone_lab.vandendoel.cells import LEVEL, published_weight
from yardstone_lab.vandendoel.choices import StudyModel
from yardstone_lab.vandendoel.fit import StudyFit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["coefficient_chart", "part_one_chart", "part_two_chart"]

_DASH = (5.0, 3.0)


def _measured(
    fit: StudyFit, rows: NDArray[np.bool_], level: float, style: tuple[str, str, str]
) -> Points:
    """Rating differences of cells with their intervals."""
    low, high = (end[rows] for end in fit.cells.rating_interval(level))
    rating = fit.cells.rating[rows]
    low, high = (np.where(np.isnan(end), rating, end) for end in (low, high))
    return Points(fit.cells.depd[rows], rating, *style, 3.2, along=(low, high))


def _panel(length: float, marks: list[Mark]) -> Panel:
    title = f"{length:.0f} point{'s' if length > 1 else ''}"
    x = Axis("DEPD", grid=True)
    return Panel(x, Axis("R", grid=True), marks, title)


def part_one_chart(fit: StudyFit, *, level: float = LEVEL) -> Chart:
    """Rating difference against the difference of error rates, a panel for each length.

    Dots with intervals are the cells; pairings of which neither player is free of noise
    are squares. Lines: the fit at this length, and the published formula.
    """
    cells = fit.cells
    noisy = np.array([setting.first.chequer_noise > 0.0 for setting in cells.settings])
    panels = []
    for place, length in enumerate(np.unique(cells.length)):
        here = cells.length == length
        end = np.array([0.0, 1.05 * fit.cells.depd[here].max()])
        by_formula = published_weight("a")(length) * end
        by_fit = fit.coefficients[0].values[place] * end
        marks: list[Mark] = [
            Stroke(end, by_formula, "soft", "11971 + 23681/N", 1.3, _DASH),
            Stroke(end, by_fit, "c2", "fit", 1.5),
            _measured(fit, here & ~noisy, level, ("c1", "one player free of noise", "circle")),
            _measured(fit, here & noisy, level, ("c3", "both with noise", "square")),
        ]
        panels.append(_panel(float(length), marks))
    title = f"Rating difference and error rate, {100 * level:g} % intervals"
    return Chart(panels, title, columns=3, height=200.0)


def part_two_chart(fit: StudyFit, *, level: float = LEVEL) -> Chart:
    """Measured rating differences with what both published formulas and the fit say."""
    by_part_one = fit.cells.published_rating(StudyModel.decision)
    by_part_two = fit.cells.published_rating(StudyModel.bilinear)
    panels = []
    for length in np.unique(fit.cells.length):
        here = fit.cells.length == length
        x = fit.cells.depd[here]
        marks: list[Mark] = [
            _measured(fit, here, level, ("c3", "measured", "circle")),
            Points(x, by_part_one[here], "c2", "a(N) DEPD, published", shape="cross"),
            Points(x, by_part_two[here], "c1", "a2(N) DEPM + b(N) DEPC, published", shape="plus"),
            Points(x, fit.fitted[here], "ink", "fit", shape="dash"),
        ]
        panels.append(_panel(float(length), marks))
    title = f"Rating difference with separate cube errors, {100 * level:g} % intervals"
    return Chart(panels, title, columns=3, height=200.0)


def coefficient_chart(fit: StudyFit) -> Chart:
    """N a(N), or N a2(N) and N b(N), against the length, with the straight lines through them."""
    panels = []
    for coefficient in fit.coefficients:
        lengths = np.array(coefficient.lengths, np.float64)
        values = lengths * coefficient.values
        reach = np.nan_to_num(lengths * coefficient.errors)
        ends = np.linspace(0.0, 1.05 * lengths.max(), 2)
        ours, theirs = coefficient.weight, published_weight(coefficient.name)
        marks: list[Mark] = [
            Stroke(ends, theirs.constant * ends + theirs.inverse, "soft", "published", 1.3, _DASH),
            Stroke(ends, ours.constant * ends + ours.inverse, "c2", "fit", 1.5),
            Points(
                lengths,
                values,
                "c1",
                "± one standard error",
                along=(values - reach, values + reach),
            ),
        ]
        x = Axis("match length N", grid=True)
        panels.append(Panel(x, Axis(grid=True), marks, f"N {coefficient.name}(N)"))
    words = "Coefficients of the formula times the match length, against it"
    return Chart(panels, words=words, columns=2, height=240.0)
