"""Calibration as a chart: what happened against what was predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.charts.chart import Axis, Bars, Chart, Label, Mark, Panel, Points, Stroke

if TYPE_CHECKING:
    from yardstone.evaluation.comparison import Evaluation, Scored

__all__ = ["calibration_chart"]

#: Systems in one picture: more panels than these cannot be read.
MOST_PANELS = 9


def calibration_chart(evaluation: Evaluation) -> Chart:
    """Draw, for each system, mean scores against mean predictions in groups of games.

    On the diagonal predictions are right. Lines are intervals; the grey shape
    below shows where predictions lie.
    """
    systems = evaluation.ranked[:MOST_PANELS]
    title = f"Calibration on {evaluation.games:,} games"
    if len(systems) < len(evaluation.ranked):
        title += f": the best {len(systems)} of {len(evaluation.ranked)} systems"
    return Chart(
        [_panel(scored) for scored in systems],
        title,
        words=f"{title}: mean scores against predictions",
        note="Across: the predicted score of the player who moves first; up: the mean score. Grey: "
        "where the predictions lie.",
        columns=3,
        widths=(80.0 + 227.0 * min(max(len(systems), 1), 3), 360.0),
    )


def _panel(scored: Scored) -> Panel:
    groups = scored.calibration
    width = np.maximum(groups.high - groups.low, 0.004)
    density = groups.games / width
    slope = "" if groups.slope != groups.slope else f"slope {groups.slope:.2f}, "
    words = f"{slope}error {groups.error:.3f}"
    marks: list[Mark] = [
        Bars(groups.low, groups.low + width, 0.0, 0.18 * density / density.max(), "grid"),
        Stroke([0.0, 1.0], [0.0, 1.0], "soft", width=1.0, dash=(4.0, 3.0)),
        Points(
            groups.predicted,
            groups.observed,
            along=(groups.observed_low, groups.observed_high),
        ),
        Label(0.98, 0.22, words, "end", "soft"),
    ]
    ends = Axis(low=0.0, high=1.0, ticks=[(k / 4, f"{k / 4:g}") for k in range(5)])
    return Panel(ends, ends, marks, scored.name, square=True)
