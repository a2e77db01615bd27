"""Winrate and lead over the moves of games, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.points import BLACK
from yardstone.reports.go.analysis import game_title
from yardstone.reports.plot import font_families

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from yardstone.go.analysis import GameAnalysis
    from yardstone.reports.go.analysis import AnalysisReport

__all__ = ["MOST_GAMES", "game_plot"]

#: Games in one picture.
MOST_GAMES = 8
_BLACK, _WHITE_SIDE, _LINE, _GREY, _RED = "#374151", "#f3f4f6", "#1f6fb4", "#6b7280", "#d9480f"


def game_plot(report: AnalysisReport) -> Figure:
    """Draw White's winrate and lead after each move, a row of two panels a game.

    Dots mark mistakes, filled for Black's and open for White's; dotted lines part
    the phases. Of many games the first `MOST_GAMES` are drawn, and the title says so.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    games = list(report.games[:MOST_GAMES])
    rows = max(len(games), 1)
    figure = Figure(figsize=(10.5, 0.7 + 2.9 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, 2, squeeze=False)
    for (left, right), found in zip(panels, games, strict=False):
        _winrate(left, report, found)
        _lead(right, report, found)
        name = _short(game_title(found))
        left.set_title(name, fontsize=9.5, loc="left", parse_math=False, fontfamily=font_families())
        for axes in (left, right):
            _phases(axes, report, found)
            axes.set_xlim(0, max(len(found), 1))
            axes.set_xlabel("move", fontsize=8.5)
            axes.xaxis.get_major_locator().set_params(integer=True)
            axes.tick_params(labelsize=8)
            axes.spines[["top", "right"]].set_visible(False)
    note = f"network {report.network}; dots: moves that cost {report.mistake:g} points or more, and"
    note += " more than noise explains (filled: Black's, open: White's)"
    if len(report.games) > len(games):
        note += f"; the first {len(games)} of {len(report.games):,} games"
    figure.supxlabel(note, fontsize=7.5, color=_GREY, x=0.01, ha="left", parse_math=False)
    return figure


def _winrate(axes: Axes, report: AnalysisReport, found: GameAnalysis) -> None:
    """Black's share of the panel lies above the line, White's below it."""
    moves = np.arange(len(found) + 1)
    share = 100.0 * found.white_winrate
    axes.fill_between(moves, share, 100.0, color=_BLACK, linewidth=0)
    axes.fill_between(moves, 0.0, share, color=_WHITE_SIDE, linewidth=0)
    axes.plot(moves, share, color=_LINE, linewidth=1.3)
    axes.axhline(50.0, color=_GREY, linewidth=0.8, linestyle="--")
    axes.set_ylim(0.0, 100.0)
    axes.set_ylabel("White wins, %", fontsize=8.5)
    _mark_mistakes(axes, report, found, share)


def _lead(axes: Axes, report: AnalysisReport, found: GameAnalysis) -> None:
    moves = np.arange(len(found) + 1)
    axes.grid(axis="y", color="#e5e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.plot(moves, found.white_lead, color=_LINE, linewidth=1.3)
    axes.axhline(0.0, color=_GREY, linewidth=0.8, linestyle="--")
    least, most = axes.get_ylim()
    axes.set_ylim(min(least, -5.0), max(most, 5.0))
    axes.set_ylabel("White leads, points", fontsize=8.5)
    _mark_mistakes(axes, report, found, found.white_lead)


def _mark_mistakes(
    axes: Axes, report: AnalysisReport, found: GameAnalysis, curve: np.ndarray
) -> None:
    bad = found.mistakes(report.mistake)
    for black, face in ((True, _RED), (False, "white")):
        chosen = bad[(found.colour[bad] == BLACK) == black] + 1
        if not len(chosen):  # an empty line that is not clipped would upset the layout
            continue
        axes.plot(
            chosen,
            curve[chosen],
            "o",
            markersize=4,
            markerfacecolor=face,
            markeredgecolor=_RED,
            markeredgewidth=0.9,
            clip_on=False,
        )


def _phases(axes: Axes, report: AnalysisReport, found: GameAnalysis) -> None:
    for end in report.phases.ends(found.game.size):
        if 0 < end < len(found):
            axes.axvline(end, color=_GREY, linewidth=0.8, linestyle=":")


def _short(text: str) -> str:
    return text if len(text) <= 70 else text[:69] + "…"
