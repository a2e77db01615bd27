"""The reports and charts of Kaniuk's model through the years."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.grades import format_grade
from yardstone.reports.chart import Axis, Chart, Mark, Panel, Points, Stroke
from yardstone.reports.document import Column, Document, Lines, Picture, Section, Table
from yardstone.reports.winprob import difference_name, difference_style, fit_document
from yardstone.reports.words import known, known_values, per_cent, picked
from yardstone.winprob.fit import ModelFit
from yardstone_lab.least_squares import LeastSquaresFit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.reports.drawing import Drawn
    from yardstone_lab.kaniuk import CrossValidation, FormScore, Gain, Trace


def probability_trace_chart(
    trace: Trace, *, modelled: bool, title: str = "", note: str = ""
) -> Chart:
    """Probabilities over the years for each grade followed (figures 3 and 5).

    Args:
        modelled: From each window's fit (figure 5), or the ratios as measured (figure 3).
        title, note: `note` stands below the picture; say there if the games are simulated.
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


def comparison_document(comparison: CrossValidation, *, level: float = 0.95) -> Document:
    """Scores of every form on games left out; gains on even and on handicap games apart."""
    games, groups = comparison.parts(), comparison.groups
    scores = comparison.scores(level)
    table = _comparison_table(scores, comparison.chosen, games)
    unit = "events" if groups < games["all"] else "games"
    notes = [
        f"Gain: less log loss a game than the first row, with a {per_cent(level)} interval over "
        f"{groups:,} {unit}.",
        "* the simplest form within one standard error of the best. A handicap stone counts as "
        "a grade where it is not fitted: the published coefficients are for even games.",
    ]

    def plain() -> dict[str, Any]:
        return {
            "games": games,
            "groups": groups,
            "chosen": comparison.chosen,
            "level": level,
            "candidates": [
                {
                    "name": score.name,
                    "log_loss": score.log_loss,
                    "brier": score.brier,
                    "gain": {part: known_values(gain) for part, gain in score.gains.items()},
                }
                for score in scores
            ],
        }

    return Document(
        "Forms of the model",
        [f"{games['all']:,} games, each predicted by a fit that has not seen it"],
        [Section(blocks=[table]), Section(blocks=[Lines(notes)])],
        records=table,
        plain=plain,
    )


def _comparison_table(scores: list[FormScore], chosen: str, games: dict[str, int]) -> Table:
    parts = ["even", "handicap"] if len(games) == 3 else [next(p for p in games if p != "all")]

    def gain_columns(part: str) -> list[Column]:
        def end(name: str) -> Column:
            kept = "gain" if name == "value" else f"gain_{name}"
            return Column(
                f"{kept}_{part}", lambda row: getattr(row.gains[part], name), kind="number"
            )

        heading = f"gain, {games[part]:,} {part} games"
        text = Column("", lambda row: _gain(row.gains[part]), heading if part in parts else "")
        return [text, *map(end, ("value", "low", "high"))]

    def name(row: FormScore) -> str:
        return ("* " if row.name == chosen else "  ") + row.name

    columns = [
        Column("form", lambda row: row.name, "form", show=name),
        Column("log_loss", lambda row: row.log_loss, "log loss", "number", ".4f"),
        Column("brier", lambda row: row.brier, "Brier", "number", ".4f"),
        *(column for part in games for column in gain_columns(part)),
    ]
    return Table(columns, scores, noun="form")


def _gain(gain: Gain) -> str:
    if gain.low is None:
        return f"{gain.value:+.4f} (too few groups)"
    return f"{gain.value:+.4f} ({gain.low:+.4f} to {gain.high:+.4f})"


#: What can be drawn, by name.
FIGURES: dict[str, Callable[[Trace], Drawn]] = {
    "coefficients": coefficient_trace_chart,
    "measured": lambda trace: probability_trace_chart(trace, modelled=False),
    "model": lambda trace: probability_trace_chart(trace, modelled=True),
}


def trace_document(trace: Trace, figure: str = "coefficients") -> Document:
    """Coefficients of each window, and the three figures; `figure` is that of ``-o FILE.svg``."""

    def picture(draw: Callable[[Trace], Drawn]) -> Picture:
        return Picture(lambda: draw(trace))

    note = (
        "By least squares, as published, which has no intervals of its own: `winprob fit --from "
        "--to` has those of a window."
    )
    table = _trace_table(trace)
    return Document(
        "Trace",
        sections=[
            Section(blocks=[table, Lines([note])]),
            Section(blocks=[picture(draw) for draw in FIGURES.values()]),
        ],
        records=table,
        plain=lambda: _plain(trace),
        drawing=lambda: FIGURES[figure](trace),
    )


def _trace_table(trace: Trace) -> Table:
    def coefficient(place: int, name: str) -> Column:
        def show(row: int) -> str:
            value = trace.coefficients[row, place]
            return "-" if isnan(value) else f"{value:.4f}"

        value = lambda row: float(trace.coefficients[row, place])  # noqa: E731
        return Column(name, value, name, "number", show=show)

    columns = [
        Column("year", lambda row: int(trace.years[row]), "year", "integer", "d", left=True),
        Column("games", lambda row: float(trace.games[row]), "games", "number", ".0f"),
        *(coefficient(place, name) for place, name in enumerate(trace.names)),
    ]
    return Table(columns, range(len(trace.years)), noun="window")


def _plain(trace: Trace) -> list[dict[str, Any]]:
    """One dictionary a window."""
    rows = []
    for k, year in enumerate(trace.years):
        row: dict[str, Any] = {"year": int(year), "games": float(trace.games[k])}
        row["coefficients"] = {
            name: {"value": known(trace.coefficients[k, j])} for j, name in enumerate(trace.names)
        }
        for name, table in (("measured", trace.measured), ("model", trace.modelled)):
            row[name] = {
                format_grade(grade): {
                    str(int(d)): known(table[k, g, j]) for j, d in enumerate(trace.differences)
                }
                for g, grade in enumerate(trace.grades)
            }
        rows.append(row)
    return rows


def published_document(result: ModelFit) -> Document:
    """The document of a fit by least squares."""
    fit = result.fit
    assert isinstance(fit, LeastSquaresFit)
    facts = picked(fit, "method", "steps=minimum.steps", "cycles", "gradient=gradient_size")
    facts |= picked(fit, "sum_of_squares=minimum.value", "cells", "cells_left_out=left_out")
    facts |= picked(fit, "games") | ({} if fit.method == "conjugate" else {"cycles": None})
    return fit_document(result, about=_about(result, fit), facts=facts)


def _about(result: ModelFit, fit: LeastSquaresFit) -> list[str]:
    steps = f"{fit.minimum.steps} Newton steps"
    if fit.method == "conjugate":
        steps = f"{fit.minimum.steps} line searches of conjugate gradient ({fit.cycles} cycles)"
    left_out = f" ({fit.left_out} with a ratio of 0 or 1 left out)" if fit.left_out else ""
    lines = [
        f"{fit.games:.0f} games in {fit.cells} cells{left_out}; {steps}, "
        f"gradient {fit.gradient_size:.1e}."
    ]
    if result.parameters[0].interval is None:
        lines.append(
            "Least squares has no intervals of its own: --bootstrap 200 (with newton) simulates "
            "them, `yardstone winprob fit` has some."
        )
    if any(row.value < 0.0 for row in result.parameters):
        lines.append(
            "Conjugate gradient has no bounds: the paper allows no negative coefficient; newton "
            "keeps them."
        )
    return lines
