"""A rating list as a chart: ratings with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.ratings.result import Status
from yardstone.reports.charts.chart import Axis, Chart, Panel, Points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.rating_list import RatingList

__all__ = ["rating_list_chart"]

#: Players in a picture unless more are asked for.
PLAYERS = 60


def rating_list_chart(report: RatingList, *, top: int | None = None) -> Chart:
    """Draw the ratings of the largest group, the strongest on top.

    A dot is a rating, the line through it its interval; a triangle marks
    where a perfect score has an even chance. Other groups have a level of their own, so
    they are not drawn beside it.

    Parameters
    ----------
    report : RatingList
    top : int, optional
        Draw only the strongest so many; 60 by default. What is left out is said.
    """
    ratings = report.ratings
    group = next((group for group in report.groups if group.number > 0), None)
    everyone = np.array(group.rows if group else (), np.int64)
    everyone = everyone[np.isfinite(ratings.rating[everyone])]
    rows = everyone[: PLAYERS if top is None else top]
    rating, status = ratings.rating[rows], ratings.status[rows]
    place = np.arange(len(rows))
    reach = np.nan_to_num(report.deviations * ratings.deviation[rows])
    normal = status == Status.NORMAL
    marks = [
        Points(
            rating[normal],
            place[normal],
            across=(rating[normal] - reach[normal], rating[normal] + reach[normal]),
        )
    ]
    for kind, shape in ((Status.PERFECT_WINNER, "right"), (Status.PERFECT_LOSER, "left")):
        bound = status == kind
        marks.append(Points(rating[bound], place[bound], "soft", shape=shape, size=4.5))
    title = f"Ratings with {report.level} intervals"
    if len(rows) < len(everyone):
        title += f": top {len(rows)} of {len(everyone)} players"
    names = [ratings.players[row] for row in rows]
    panel = Panel(Axis("Rating", grid=True), Axis(scale="category", names=names), marks)
    if len(rows) > 40:  # the scale is at hand at either end of a long list
        panel = Panel(panel.x, panel.y, marks, top=Axis())
    return Chart([panel], title, note=_note(report, status), height=18.0 * max(len(rows), 4))


def _note(report: RatingList, status: NDArray[np.int8]) -> str:
    parts = [f"Intervals are relative to {report.relative_to}."]
    if report.ratings.components > 1:
        rest = report.ratings.components - 1
        parts.append(
            f"Only the largest group is drawn: {rest} other group{'s' * (rest > 1)} "
            "cannot be compared with it."
        )
    if (status != Status.NORMAL).any():
        parts.append("Triangles won or lost every game, and stand where that has an even chance.")
    return " ".join(parts)
