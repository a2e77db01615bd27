"""Trainings and searches of strength networks as charts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.chart import (
    Axis,
    Band,
    Chart,
    Guide,
    Label,
    Mark,
    Panel,
    Points,
    Stroke,
)
from yardstone.reports.panels import SERIES

if TYPE_CHECKING:
    from yardstone_lab.neubauer.network.search_run import SearchRun
    from yardstone_lab.neubauer.network.training_log import History

__all__ = ["search_chart", "training_chart"]

#: Shades of the losses of training, the lowest first.
_STACKED = (
    ("training: score", 0.25),
    ("training: ratings", 0.5),
    ("training: regularisation", 0.9),
)
#: A shape for each iteration, in the thesis' order.
_SHAPES = ("circle", "square", "diamond", "down", "cross", "up", "plus", "right")
#: Settings in the order of the thesis' figures: name, label, whether on a log scale.
_SEARCHED = (
    ("learning_rate", "initial learning rate η₀", True),
    ("decay", "learning rate decay β", False),
    ("rating_loss", "rating loss scaling factor τ_r", True),
    ("regularisation", "regularisation factor τ_θ", True),
    ("depth", "depth l", False),
    ("width", "hidden dimensions d", False),
    ("query_width", "query dimensions d_q", False),
    ("inducing_points", "inducing points m", False),
    ("window", "window N", False),
)


def training_chart(history: History, *, title: str = "Training") -> Chart:
    """How a training went, after figures 5.1 and 5.5.

    The three losses of every step are stacked in blue; lines are the losses of the
    validation games after each epoch, and a mark the epoch that was kept.

    Parameters
    ----------
    history : History
    title : str
    """
    epochs = np.array([epoch.epoch for epoch in history.epochs])
    steps = np.array(history.steps).reshape(-1, 3)
    marks: list[Mark] = []
    top = 0.0
    if len(steps):
        # A step stands at its share of its epoch; many steps are averaged to what is seen.
        width = max(1, len(steps) // 700)
        whole = len(steps) // width * width
        means = steps[:whole].reshape(-1, width, 3).mean(1)
        place = (np.arange(len(means)) + 0.5) * width * max(epochs[-1], 1) / len(steps)
        levels = np.column_stack([np.zeros(len(means)), np.cumsum(means, axis=1)])
        for k, (name, shade) in enumerate(_STACKED):
            marks.append(Band(place, levels[:, k], levels[:, k + 1], "c1", name, shade))
        top = float(np.quantile(means.sum(1), 0.995))
    score = np.array([epoch.validation_loss for epoch in history.epochs])
    ratings = np.array([epoch.validation_rating_loss for epoch in history.epochs])
    best = history.best
    marks += [
        Stroke(epochs, ratings, "c5", "validation: ratings"),
        Stroke(epochs, score, "c2", "validation: score", 2.0),
        Points([best.epoch], [best.validation_loss], "c2", size=5.0),
    ]
    last = max(int(epochs[-1]), 1)
    words = f"epoch {best.epoch}: {best.validation_loss:.4f}"
    late = best.epoch > 0.7 * last
    anchor, right = ("end", -7.0) if late else ("start", 7.0)
    marks.append(
        Label(best.epoch, best.validation_loss, words, anchor, bold=True, right=right, up=7.0)
    )
    later = np.concatenate([score[1:], ratings[1:], [top]])
    highest = 1.15 * float(np.nanmax(later[np.isfinite(later)], initial=0.1))
    x = Axis("Epoch", low=0.0, high=float(last), whole=True)
    panel = Panel(x, Axis("Loss", low=0.0, high=highest, grid=True), marks)
    return Chart([panel], title, height=300.0)


def search_chart(
    runs: Sequence[SearchRun],
    *,
    limits: tuple[float, float] | None = None,
    title: str = "Search for hyperparameters",
) -> Chart:
    """The lowest validation loss of each training against each setting (figures 5.2 to 5.4).

    Parameters
    ----------
    runs : sequence of SearchRun
        Those that failed or were given up are left out.
    limits : (float, float), optional
        Only losses between these, as figure 5.4 has it.
    title : str
    """
    done = [run for run in runs if math.isfinite(run.loss)]
    drawn = [run for run in done if limits is None or limits[0] <= run.loss <= limits[1]]
    varied = [
        item for item in _SEARCHED if len({getattr(run.settings, item[0]) for run in done}) > 1
    ] or [_SEARCHED[0]]
    iterations = sorted({run.iteration for run in done})
    lowest = min(done, key=lambda run: run.loss, default=None)
    low, high = limits or (None, None)
    panels = []
    for name, label, log in varied:
        marks: list[Mark] = []
        if lowest is not None:
            marks.append(Guide(x=getattr(lowest.settings, name), colour="line", dash=()))
        for place, iteration in enumerate(iterations):
            here = [run for run in drawn if run.iteration == iteration]
            marks.append(
                Points(
                    [getattr(run.settings, name) for run in here],
                    [run.loss for run in here],
                    SERIES[place % len(SERIES)],
                    f"iteration {iteration}" if len(iterations) > 1 else "",
                    _SHAPES[place % len(_SHAPES)],
                    hollow=True,
                )
            )
        x = Axis(label, scale="log" if log else "linear", whole=name == "depth")
        panels.append(Panel(x, Axis("validation loss", low, high), marks))
    left_out = len(runs) - len(drawn)
    if left_out:
        title += f": {len(drawn)} of {len(runs)} trainings"
    return Chart(panels, title, columns=2, height=170.0)
