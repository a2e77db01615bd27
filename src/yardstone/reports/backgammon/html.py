"""Analysed matches as one self-contained web page, and the trend as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.backgammon.summary import WINDOW, moving_means
from yardstone.reports.backgammon.report import (
    AnalysisReport,
    blunder_table,
    decision_table,
    headline,
    notes,
    player_table,
    unusable,
)
from yardstone.reports.evaluation.html import Section, html_page, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from yardstone.backgammon.summary import PlayerSummary

__all__ = ["html_report", "trend_plot"]

#: Players in the picture, and the fewest matches for a trend.
DRAWN, FEWEST = 4, 5
#: Refused files named on the page.
NAMED = 500
_COLOURS = ("#1f6fb4", "#d1495b", "#2e8b57", "#e08e0b")


def html_report(report: AnalysisReport, *, title: str, version: str) -> str:
    """The report as an HTML document that needs nothing but itself."""
    sections = [Section(table=player_table(report))]
    drawn = [player for player in report.players if len(player.matches) >= FEWEST][:DRAWN]
    if drawn:
        names = ", ".join(player.name for player in drawn)
        about = f"Ratings of single matches and moving means over time of {names}"
        sections.append(Section("Trend", pictures=[(picture(trend_plot(report)), about)]))
    sections.append(
        Section(
            "Errors by kind of decision",
            ["The number of errors of each kind, and their share of all that was lost."],
            decision_table(report),
        )
    )
    if report.blunders:
        lines = ["In normalised equity. Paste position and match ID into GNU Backgammon."]
        sections.append(Section("Worst blunders", lines, blunder_table(report), left=1))
    if lines := unusable(report):
        more = [f"… and {len(lines) - NAMED:,} more"] if len(lines) > NAMED else []
        sections.append(Section(f"Files without a match: {len(lines):,}", [*lines[:NAMED], *more]))
    return html_page(title, [headline(report), *notes(report)], sections, version=version)


def trend_plot(report: AnalysisReport) -> Figure:
    """Draw each match's rating as a dot, and the moving mean of 20 matches with its band.

    Of up to four players with at least five matches: against the date where most
    matches have one, those without are then left out; else against their number.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawn = [player for player in report.players if len(player.matches) >= FEWEST][:DRAWN]
    figure = Figure(figsize=(9.0, 4.8), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    dates = [match.date for player in drawn for match, _ in player.matches]
    dated = 2 * sum(date is not None for date in dates) > len(dates)
    for player, colour in zip(drawn, _COLOURS, strict=False):
        _draw(axes, player, report.level, colour, dated=dated)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
    axes.grid(axis="y", color="#e5e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_ylabel("Rating", fontsize=9)
    axes.set_xlabel("" if dated else "Matches", fontsize=9)
    figure.suptitle(
        f"Ratings by errors: matches, and means of {WINDOW} with {100 * report.level:g} % bands",
        fontsize=11,
        x=0.01,
        ha="left",
    )
    if drawn:
        for text in axes.legend(fontsize=8, frameon=False, loc="best").get_texts():
            text.set_parse_math(False)
        _limit(axes, drawn)
    return figure


def _draw(axes: Axes, player: PlayerSummary, level: float, colour: str, *, dated: bool) -> None:
    ratings = player.match_ratings
    x: np.ndarray = np.arange(1, len(ratings) + 1)
    if dated:
        x = np.array([match.date for match, _ in player.matches], "datetime64[D]")
        x, ratings = x[~np.isnat(x)], ratings[~np.isnat(x)]
    perfect = player.rating.value - player.relative.value
    trend = moving_means(ratings, perfect, level=level)
    axes.plot(x, ratings, ".", color=colour, alpha=0.35, markeredgewidth=0)
    steady = np.arange(len(trend)) >= FEWEST - 1  # the first few means wander
    mean, low, high = (
        np.array([getattr(found, name) for found in trend], np.float64)
        for name in ("value", "low", "high")
    )
    axes.plot(x[steady], mean[steady], color=colour, linewidth=1.5, label=player.name)
    axes.fill_between(x[steady], low[steady], high[steady], color=colour, alpha=0.15, linewidth=0)


def _limit(axes: Axes, drawn: list[PlayerSummary]) -> None:
    """Leave the most extreme matches outside, so that the means can be seen."""
    ratings = np.concatenate([player.match_ratings for player in drawn])
    ratings = ratings[np.isfinite(ratings)]
    if len(ratings):
        low, high = np.percentile(ratings, [1.0, 100.0])
        room = 0.06 * max(high - low, 1.0)
        axes.set_ylim(low - room, high + room)
