"""Analysed games as one web page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from yardstone.reports.charts.go import game_chart
from yardstone.reports.evaluation.html import Section, html_page, picture
from yardstone.reports.go.analysis import game_title
from yardstone.reports.go.analysis_text import (
    conditions,
    legend,
    mistake_table,
    move_table,
    place_line,
    totals_table,
)

if TYPE_CHECKING:
    from yardstone.go.analysis import GameAnalysis
    from yardstone.reports.go.analysis import AnalysisReport

__all__ = ["html_analysis"]

#: Mistakes that are listed for each game.
_MISTAKES = 20


def _mistakes(
    report: AnalysisReport, found: GameAnalysis
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Paragraphs and a table; the first only if there is no mistake."""
    if not len(found.mistakes(report.mistake)):
        return ["No move stands out from the noise."], ()
    return (), mistake_table(report, found, _MISTAKES)


def html_analysis(report: AnalysisReport, *, moves: bool, title: str, version: str) -> str:
    """The games as an HTML document, with their pictures."""
    sections = []
    for found in report.games:
        alone = replace(report, games=[found])
        sections += [
            Section(
                game_title(found),
                [*place_line(found), *conditions(report, found)],
                totals_table(report.totals(found), players=True),
                pictures=[(picture(game_chart(alone)), "White's winrate and lead after each move")],
            ),
            Section(
                f"Moves that cost {report.mistake:g} points or more",
                *_mistakes(report, found),
                left=2,
            ),
        ]
        if moves:
            sections.append(Section("All moves", table=move_table(found), left=2))
    if len(report.games) > 1:
        table = totals_table(report.players(), players=True)
        sections.append(Section("All games, by player", table=table))
    return html_page(title, [" ".join(legend(report))], sections, version=version)
