"""The ratings of trick plays as a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.charts.chart import Axis, Chart, Guide, Mark, Panel, Points, Stroke
from yardstone.strength.rank.ranks import GROUP_EDGES

if TYPE_CHECKING:
    from yardstone.strength.trickplay.problem_files import RatedProblems

__all__ = ["trickplay_chart"]

#: Up to so many problems are named beside their line.
_NAMED = 100


def trickplay_chart(report: RatedProblems) -> Chart:
    """Draw both ratings of each problem on a line, the lowest failure at the bottom.

    The dashed line is the mean rating of the refutations. Neubauer 2024, figure 7.5.
    """
    rate = report.scale.rating
    pairs = sorted(
        (rate(problem.failure.rating), rate(problem.refutation.rating), problem.problem.name)
        for problem in report.compared
        if problem.failure is not None and problem.refutation is not None
    )[::-1]
    failure = np.array([pair[0] for pair in pairs])
    refutation = np.array([pair[1] for pair in pairs])
    rows = np.arange(len(pairs))
    marks: list[Mark] = []
    for surprising in (False, True):
        here = (refutation <= failure) == surprising
        # Lines apart from each other: a gap follows each.
        x = np.column_stack([failure, refutation, np.full(len(pairs), np.nan)])[here].ravel()
        dash = (2.0, 2.5) if surprising else ()
        marks.append(Stroke(x, np.repeat(rows[here], 3), "line", width=1.2, dash=dash))
    if len(pairs):
        mean = float(refutation.mean())
        marks.append(Guide(x=mean, name="Mean of the refutations", colour="c2"))
    marks += [
        Points(failure, rows, "c1", "Failure"),
        Points(refutation, rows, "c2", "Refutation", shape="diamond"),
    ]
    named = len(pairs) <= _NAMED
    y = Axis(scale="category", names=[pair[2] if named else "" for pair in pairs])
    panel = Panel(Axis(f"Rating ({report.scale.title})", grid=True), y, marks, top=_ranks(report))
    words = "Ratings of the failure and the refutation of each problem"
    return Chart([panel], words=words, height=(16.0 if named else 6.0) * max(len(pairs), 6))


def _ranks(report: RatedProblems) -> Axis | None:
    """Ranks along the top, where they begin; none if the scale has no ranks."""
    if report.scale.rank(1.0) is None:
        return None
    scale = report.scale
    return Axis(
        "Rank",
        ticks=[
            (scale.rating(rank), str(scale.rank(rank + 0.01)).split()[0])
            for rank in GROUP_EDGES[scale.basis][1:-1].tolist()
        ],
    )
