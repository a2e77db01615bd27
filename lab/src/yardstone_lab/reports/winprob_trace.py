"""Ratios and coefficients through a moving window of years."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import TYPE_CHECKING, Any

from yardstone.grades import format_grade
from yardstone.reports.document import Column, Document, Lines, Picture, Section, Table
from yardstone.reports.words import known
from yardstone_lab.reports.charts.winprob import coefficient_trace_chart, probability_trace_chart

if TYPE_CHECKING:
    from yardstone.reports.document import Drawing
    from yardstone_lab.kaniuk.trace import Trace

__all__ = ["FIGURES", "trace_document"]

#: What can be drawn, by name.
FIGURES: dict[str, Callable[[Trace], Drawing]] = {
    "coefficients": coefficient_trace_chart,
    "measured": lambda trace: probability_trace_chart(trace, modelled=False),
    "model": lambda trace: probability_trace_chart(trace, modelled=True),
}


def trace_document(trace: Trace, figure: str = "coefficients") -> Document:
    """Coefficients of each window, and the three figures; `figure` is that of ``--plot``."""

    def picture(draw: Callable[[Trace], Drawing]) -> Picture:
        return Picture(lambda: draw(trace))

    note = (
        "By least squares, as published, which has no intervals of its own: `winprob fit --from "
        "--to` has those of a window."
    )
    table = _table(trace)
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


def _table(trace: Trace) -> Table:
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
