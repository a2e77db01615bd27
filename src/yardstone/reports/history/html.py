"""Ratings over time as one self-contained web page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.reports.charts.history import history_chart
from yardstone.reports.evaluation.html import Section, html_page, picture
from yardstone.reports.history.report import headline
from yardstone.reports.history.text import (
    curve_table,
    finding_sections,
    interval_note,
    present_table,
)

if TYPE_CHECKING:
    from yardstone.reports.history.report import History

__all__ = ["html_history"]


def html_history(history: History, *, title: str, version: str) -> str:
    """The report as an HTML document that needs nothing but itself."""
    sections = []
    if history.curves:
        names = ", ".join(curve.player for curve in history.curves)
        drawn = [(picture(history_chart(history)), f"Ratings over time of {names}")]
        sections.append(Section(table=curve_table(history), pictures=drawn))
    sections.append(Section("Present ratings", table=present_table(history), left=1))
    sections += [Section(title, lines, table) for title, lines, table in finding_sections(history)]
    if history.notes:
        sections.append(Section("Notes", history.notes))
    lead = [headline(history), interval_note(history)]
    return html_page(title, lead, sections, version=version)
