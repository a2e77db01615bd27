"""Calibration as a picture: what happened against what was predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from yardstone.evaluation.result import Evaluation, Scored

__all__ = ["calibration_plot"]

#: Systems in one picture: more panels than these cannot be read.
MOST_PANELS = 9
_BLUE, _GREY = "#1f6fb4", "#6b7280"


def calibration_plot(found: Evaluation) -> Figure:
    """Draw, for each system, mean scores against mean predictions in groups of games.

    On the diagonal predictions are right. Lines are intervals; the grey shape
    below shows where predictions lie.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = found.ranked[:MOST_PANELS]
    across = min(len(shown), 3)
    down = -(-len(shown) // across)
    figure = Figure(figsize=(3.1 * across + 0.4, 3.3 * down + 0.8), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).ravel()
    for panel, scored in zip(panels, shown, strict=False):
        _draw(panel, scored)
    for panel in panels[len(shown) :]:
        panel.set_visible(False)
    title = f"Calibration on {found.games:,} games"
    if len(shown) < len(found.ranked):
        title += f": the best {len(shown)} of {len(found.ranked)} systems"
    figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    figure.supxlabel("Predicted score of the player who moves first", fontsize=9)
    figure.supylabel("Mean score", fontsize=9)
    return figure


def _draw(panel: Axes, scored: Scored) -> None:
    groups = scored.calibration
    panel.plot([0, 1], [0, 1], color=_GREY, linewidth=0.8, linestyle="--")
    width = np.maximum(groups.high - groups.low, 0.004)
    density = groups.games / width
    panel.bar(
        groups.low,
        0.18 * density / density.max(),
        width=width,
        align="edge",
        color="#e5e7eb",
    )
    panel.vlines(
        groups.predicted, groups.observed_low, groups.observed_high, color=_BLUE, linewidth=1.2
    )
    panel.plot(groups.predicted, groups.observed, "o", color=_BLUE, markersize=4)
    panel.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    panel.set_title(scored.name, fontsize=9, loc="left", parse_math=False)
    slope = "" if groups.slope != groups.slope else f"slope {groups.slope:.2f}, "
    panel.text(
        0.97,
        0.22,
        f"{slope}error {groups.error:.3f}",
        ha="right",
        fontsize=7.5,
        color=_GREY,
        transform=panel.transAxes,
    )
    panel.tick_params(labelsize=8)
    panel.spines[["top", "right"]].set_visible(False)
