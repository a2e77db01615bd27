"""Ratings from results and moves: both apart, and together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.reports.document import Column, Lines, Picture, Section, Table
from yardstone.reports.words import known
from yardstone.strength.fusion.sources import RatingSources, rating_sources

if TYPE_CHECKING:
    from yardstone.evaluation.history import RatingHistory

__all__ = ["fusion_section", "plain_sources"]

#: Players in the picture.
DRAWN = 40
_WORDS = (
    "Moves: what the moves of all games show by themselves. Results: what the results say by "
    "themselves. Both: the rating, which may lie beyond the two, for each of them begins at a "
    "newcomer's. ± is one standard deviation, as the system reckons it. With few "
    "games the moves weigh most, with many the results."
)


def fusion_section(history: RatingHistory) -> Section:
    """What results say of the chosen or listed players, what moves say, and both."""
    sources = rating_sources(history.rated)
    ratings = history.rated.ratings
    rows = [ratings.index(curve.player) for curve in history.curves] or list(history.listed())
    picture = Picture(
        partial(_drawing, history, sources, rows[:DRAWN]),
        "Ratings from moves, from results, and from both",
    )
    return Section("Moves and results", [picture, _table(history, sources, rows), Lines([_WORDS])])


def _drawing(history: RatingHistory, sources: RatingSources, rows: Sequence[int]) -> Any:
    from yardstone.reports.charts.fusion import sources_chart

    return sources_chart(sources, history.rated.ratings.players, rows)


def _table(history: RatingHistory, sources: RatingSources, rows: Sequence[int]) -> Table:
    players, games = history.rated.ratings.players, history.played

    def estimate(name: str) -> Any:
        values, spread = getattr(sources, name), getattr(sources, f"{name}_deviation")
        return lambda row: f"{values[row]:.0f} ± {spread[row]:.0f}"

    def by_moves(row: int) -> str:
        return str(estimate("moves")(row)) if sources.number[row] else "–"

    return Table(
        [
            Column("", lambda row: players[row], "Player"),
            Column("", by_moves, "Moves", left=False),
            Column("", estimate("results"), "Results", left=False),
            Column("", estimate("both"), "Both", left=False),
            Column("", lambda row: int(games[row]), "Games", "integer", gives_way=2),
            Column("", lambda row: int(sources.number[row]), "Moves seen", "integer", gives_way=1),
        ],
        rows,
        noun="player",
        caption="What moves say, what results say, and both",
    )


def plain_sources(history: RatingHistory) -> list[dict[str, Any]]:
    """The same of all listed players as plain values."""
    sources = rating_sources(history.rated)
    players = history.rated.ratings.players
    names = ("moves", "results", "both")
    return [
        {
            "player": players[row],
            "moves_seen": int(sources.number[row]),
            **{
                name: {
                    "rating": known(float(getattr(sources, name)[row])),
                    "deviation": known(float(getattr(sources, f"{name}_deviation")[row])),
                }
                for name in names
                if name != "moves" or sources.number[row]
            },
        }
        for row in np.asarray(history.listed()).tolist()
    ]
