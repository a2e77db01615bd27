"""The figures of Kaniuk's paper, from data or from a model."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np

from yardstone.errors import UsageError
from yardstone.grades import format_grade
from yardstone.reports.charts.chart import (
    Axis,
    Band,
    Chart,
    Guide,
    Label,
    Mark,
    Panel,
    Points,
    Stroke,
)
from yardstone.winprob.kaniuk import PUBLISHED, GradeModel, Kaniuk, gap_of_probability
from yardstone.winprob.model import WinningModel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.winprob.statistics import WinningStatistics

    Array = NDArray[np.float64]

__all__ = [
    "FIGURES",
    "contour_chart",
    "curves_chart",
    "difference_name",
    "difference_style",
    "gap_chart",
    "model_chart",
]

#: Grades that the figures reach over.
_LOWEST, _HIGHEST = -20, 6
#: Levels of the map of probabilities, in per cent.
_LEVELS = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99)


class _Law(Protocol):
    """What gives a probability between grades."""

    def probability(self, first: ArrayLike, second: ArrayLike) -> Array:
        """That the first wins."""
        ...


def difference_style(difference: int) -> tuple[str, tuple[float, ...]]:
    """Blue and full against weaker opponents, orange and dashed against stronger ones."""
    return ("c1", "c3", "c6", "c7")[min(abs(difference), 4) - 1] if difference < 0 else (
        "c2", "c5", "c4", "ink"
    )[min(difference, 4) - 1], (() if difference < 0 else (6.0, 3.0))  # fmt: skip


def _grades(label: str = "grade (zero-shodan units)") -> Axis:
    ticks = [
        (float(grade), f"{grade}: {format_grade(grade)}".replace("-", "−"))
        for grade in range(_LOWEST, _HIGHEST + 1)
        if grade % 4 == 0 or grade == _HIGHEST
    ]
    return Axis(label, _LOWEST - 0.5, _HIGHEST + 0.5, ticks=ticks, grid=True)


def difference_name(difference: int) -> str:
    """Return what a curve of this difference of grades is called."""
    return f"d = {difference:+d}".replace("-", "−")


def curves_chart(
    statistics: WinningStatistics | None = None,
    model: _Law | None = PUBLISHED,
    *,
    title: str = "",
    level: float = 0.95,
) -> Chart:
    """Win probability by grade, one curve for each difference (figure 1).

    Dots with bars of one standard error are measured ratios, extended to weaker
    opponents by equation 1; lines are the model, with the interval of its average over events
    where it has one.
    """
    grades = np.arange(_LOWEST, _HIGHEST + 1)
    fine = np.linspace(_LOWEST, _HIGHEST, 300)
    marks: list[Mark] = [Guide(y=0.5)]
    for d in (-4, -3, -2, -1, 1, 2, 3, 4):
        colour, dash = difference_style(d)
        if statistics is not None:
            ratio, error = _measured(statistics, grades, d)
            x = grades + 0.06 * d
            marks.append(Points(x, ratio, colour, size=2.4, along=(ratio - error, ratio + error)))
            if model is None:
                marks.append(Stroke(x, ratio, colour, difference_name(d), 1.0, dash))
        if model is not None:
            curve = model.probability(fine, fine + d)
            if isinstance(model, WinningModel):
                ends = model.interval(grades, grades + d, level=level, average=True)
                if ends is not None:
                    marks.append(Band(grades, *ends, colour, opacity=0.12))
            marks.append(Stroke(fine, curve, colour, difference_name(d), 1.6, dash))
    y = Axis("win probability", low=0.0, high=1.0, grid=True)
    panel = Panel(_grades(), y, marks, direct=True)
    return Chart([panel], title or "Win probability against d stones stronger", height=380.0)


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


def gap_chart(
    statistics: WinningStatistics | None = None,
    model: Kaniuk | GradeModel | None = PUBLISHED,
    *,
    title: str = "",
) -> Chart:
    """Lambda by grade for opponents 1 to 4 stones stronger (figure 2)."""
    grades = np.arange(_LOWEST, _HIGHEST + 1)
    fine = np.linspace(_LOWEST, _HIGHEST, 300)
    marks: list[Mark] = []
    for d in range(1, 5):
        colour, _ = difference_style(d)
        name = f"d = {d}"
        if statistics is not None:
            measured, error = _measured(statistics, grades, d)
            inside = (measured > 0.0) & (measured < 1.0)
            gap = np.full(len(grades), np.nan)
            gap[inside] = gap_of_probability(measured[inside])
            spread = np.sqrt(np.pi) * np.exp(np.minimum(gap**2, 50.0)) * error
            marks.append(Points(grades, gap, colour, size=2.4, along=(gap - spread, gap + spread)))
            if model is None:
                marks.append(Stroke(grades, gap, colour, name, 1.0))
        if model is not None:
            marks.append(Stroke(fine, model.strength_gap(fine, fine + d), colour, name, 1.6))
    panel = Panel(_grades(), Axis("Λ(r, r + d)", -0.15, 2.0, grid=True), marks, direct=True)
    return Chart([panel], title or "Λ against d stones stronger", height=340.0)


def contour_chart(model: _Law = PUBLISHED, *, title: str = "") -> Chart:
    """Per cent by average grade and difference, in canonical coordinates (figure 6).

    Points a and b are the paper's examples: 5 dan against 1 dan, 8 kyu against 6 kyu.
    """
    grade, difference = np.linspace(_LOWEST, _HIGHEST, 261), np.linspace(-9.0, 9.0, 481)
    g, d = np.meshgrid(grade, difference, indexing="ij")
    per_cent = 100.0 * model.probability(g - 0.5 * d, g + 0.5 * d)
    # At a grade the chance falls with the difference, so each level has one place or none.
    lines = {
        level: np.array(
            [np.interp(-level, -row, difference, left=-9.0, right=9.0) for row in per_cent]
        )
        for level in _LEVELS
    }
    marks: list[Mark] = []
    edges = [np.full(len(grade), 9.0), *lines.values(), np.full(len(grade), -9.0)]
    centres = [0.5, *(0.5 * (a + b) for a, b in pairwise(_LEVELS)), 99.5]
    for upper, lower, chance in zip(edges[:-1], edges[1:], centres, strict=True):
        colour = "c1" if chance > 50.0 else "c2"
        marks.append(Band(grade, lower, upper, colour, opacity=0.7 * abs(chance - 50.0) / 50.0))
    for level, line in lines.items():
        inside = np.where(np.abs(line) < 9.0, line, np.nan)
        marks.append(Stroke(grade, inside, "ink", width=1.6 if level == 50 else 0.8))
        known = np.flatnonzero(np.isfinite(inside))
        if len(known):
            at = known[int(0.45 * (len(known) - 1))]
            place = float(grade[at]), float(line[at])
            marks.append(Label(*place, f"{level}", "middle", size=10.0, up=-3.5))
    for name, (x, y) in {"a": (2.0, -4.0), "b": (-7.0, 2.0)}.items():
        marks.append(Points(x, y, "ink", size=3.5))
        marks.append(Label(x, y, name, bold=True, right=6.0, up=5.0))
    axis = _grades("average grade g (zero-shodan units)")
    x_axis = Axis(axis.label, _LOWEST, _HIGHEST, ticks=axis.ticks)
    panel = Panel(x_axis, Axis("difference d = opponent less player", -9.0, 9.0), marks)
    return Chart([panel], title or "Win probability, per cent", height=400.0)


#: Figures that need no data, by name.
FIGURES = ("curves", "lambda", "contour")


def model_chart(name: str, model: WinningModel, level: float = 0.95) -> Chart:
    """One of `FIGURES` of a model.

    Raises
    ------
    UsageError
        There is no such figure, or the model has no Lambda to be drawn.
    """
    if name == "curves":
        return curves_chart(model=model, level=level)
    if name == "contour":
        return contour_chart(model)
    if name != "lambda":
        raise UsageError(f"no figure is called {name!r} (there are {', '.join(FIGURES)})")
    if not isinstance(model.law, GradeModel):
        raise UsageError(f"the model {model.name} has no Lambda: draw curves or contour")
    return gap_chart(model=model.law)
