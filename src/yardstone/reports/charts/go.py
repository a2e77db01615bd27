"""Winrate and lead over the moves of games, as charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.points import BLACK
from yardstone.reports.charts.chart import Axis, Band, Chart, Guide, Mark, Panel, Points, Stroke
from yardstone.reports.go.titles import game_title

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.analysis import AnalysedGames, GameAnalysis

__all__ = ["MOST_GAMES", "game_chart"]

#: Games in one picture.
MOST_GAMES = 8


def game_chart(report: AnalysedGames) -> Chart:
    """Draw White's winrate and lead after each move, a row of two panels a game.

    Dots mark mistakes, filled for Black's and open for White's; dotted lines part
    the phases. Of many games the first `MOST_GAMES` are drawn, and the note says so.
    """
    games = list(report.games[:MOST_GAMES])
    note = f"Network {report.network}. Dots: moves that cost {report.mistake:g} points or more, and"
    note += " more than noise explains (filled: Black’s, open: White’s)."
    if len(report.games) > len(games):
        note += f" The first {len(games)} of {len(report.games):,} games."
    panels = [panel for game in games for panel in _panels(report, game)]
    words = "White’s winrate and lead after each move"
    return Chart(panels, words=words, note=note, columns=2, height=190.0)


def _panels(report: AnalysedGames, game: GameAnalysis) -> tuple[Panel, Panel]:
    """Of the winrate, where Black's share lies above the line, and of the lead."""
    moves = np.arange(len(game) + 1)
    share, lead = 100.0 * game.white_winrate, game.white_lead
    phases = [
        Guide(x=float(end), dash=(1.5, 3.0))
        for end in report.phases.ends(game.game.size)
        if 0 < end < len(game)
    ]
    across = Axis("move", low=0.0, high=float(max(len(game), 1)), whole=True)
    known = lead[np.isfinite(lead)]
    least, most = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    room = 0.05 * (most - least)
    return (
        Panel(
            across,
            Axis("White wins, %", low=0.0, high=100.0),
            [
                Band(moves, share, 100.0, "black", opacity=0.75),
                Band(moves, 0.0, share, "white", opacity=0.9),
                Guide(y=50.0),
                *phases,
                Stroke(moves, share, width=1.6),
                *_mistakes(report, game, share),
            ],
            game_title(game),
        ),
        Panel(
            across,
            Axis(
                "White leads, points",
                low=min(least - room, -5.0),
                high=max(most + room, 5.0),
                grid=True,
            ),
            [Guide(y=0.0), *phases, Stroke(moves, lead, width=1.6), *_mistakes(report, game, lead)],
            " ",
        ),
    )


def _mistakes(report: AnalysedGames, game: GameAnalysis, curve: NDArray[np.float32]) -> list[Mark]:
    bad = game.mistakes(report.mistake)
    marks: list[Mark] = []
    for black in (True, False):
        moves = bad[(game.colour[bad] == BLACK) == black] + 1
        marks.append(Points(moves, curve[moves], "c2", size=3.2, hollow=not black))
    return marks
