"""The columns of a rating list as people read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from yardstone.ratings.result import Status

if TYPE_CHECKING:
    from yardstone.ratings.rating_list import RatingList

__all__ = ["Column", "columns", "rating_text"]

_MARKS = {Status.PERFECT_WINNER: ">", Status.PERFECT_LOSER: "<"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, its cells, and how soon it gives way (0 never)."""

    heading: str
    cell: Callable[[int], str]
    gives_way: int = 0
    left: bool = False


def rating_text(report: RatingList, row: int) -> str:
    """A rating, marked > or < where it is a bound."""
    value = float(report.ratings.rating[row])
    mark = _MARKS.get(Status(int(report.ratings.status[row])), "")
    return f"{mark}{round(value, 1) + 0.0:.1f}" if isfinite(value) else "–"


def columns(report: RatingList) -> list[Column]:
    """The columns of the list; a narrow screen drops those that give way first."""
    ratings = report.ratings

    def half_width(row: int) -> str:
        reach = report.half_width(row)
        if not isfinite(reach):
            return "–"
        return f"{reach:.1f}" if reach else "fixed"

    def ranks(row: int) -> str:
        low, high = int(report.rank_low[row]), int(report.rank_high[row])
        return "–" if not low else f"{low}" if low == high else f"{low}–{high}"

    def share(row: int, points: float) -> str:
        games = float(ratings.games[row])
        return f"{100.0 * points / games:.1f}" if games else "–"

    shown = [
        Column("Rank", lambda row: str(int(report.rank[row]) or "–")),
        Column("Player", lambda row: ratings.players[row], left=True),
        Column("Rating", lambda row: rating_text(report, row)),
        Column("±", half_width),
    ]
    if report.rank_high.any():
        shown.append(Column("Range", ranks, gives_way=3))
    shown += [
        Column("Games", lambda row: f"{int(ratings.games[row]):,}", gives_way=2),
        Column("Score %", lambda row: share(row, float(ratings.points[row])), gives_way=4),
        Column("Draws %", lambda row: share(row, float(ratings.draws[row])), gives_way=1),
    ]
    return shown
