"""The ratings of trick plays as a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from yardstone.reports.trickplay.text import (
    conclusion,
    found_conclusion,
    found_table,
    problem_table,
    surprises,
)

if TYPE_CHECKING:
    from yardstone.reports.trickplay.report import TrickplayReport
    from yardstone.strength.trickplay.completion import Completion

__all__ = ["html_found", "html_trickplay"]


def html_trickplay(report: TrickplayReport, *, version: str) -> str:
    """The table, the picture and the surprising cases as a page that needs no other file."""
    from yardstone.reports.charts.trickplay import trickplay_chart
    from yardstone.reports.evaluation.html import Section, html_page, picture

    lead, *facts = conclusion(report)
    shown = "Ratings of the failure and the refutation of each problem"
    sections = [
        Section(paragraphs=facts, pictures=[(picture(trickplay_chart(report)), shown)]),
        Section("Problems", table=problem_table(report)),
    ]
    if cases := surprises(report):
        sections.append(Section("Surprising cases", cases))
    return html_page("Trick plays", [lead], sections, version=version)


def html_found(
    completions: Sequence[Completion], games: int, positions: int, *, version: str
) -> str:
    """Where problems were found, as a page."""
    from yardstone.reports.evaluation.html import Section, html_page

    section = Section(table=found_table(completions))
    lead = found_conclusion(completions, games, positions)
    return html_page("Problems found in games", lead, [section], version=version)
