"""The training of a network that imitates players as a chart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.chart import Axis, Chart, Panel, Stroke

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["imitation_chart"]


def imitation_chart(losses: Mapping[str, NDArray[np.float64]], *, title: str = "Training") -> Chart:
    """How a training went: log-loss of the moves, and share of first choices.

    Parameters
    ----------
    losses : mapping of str to float64 [lines]
        The columns of `losses.csv` (`yardstone_lab.imitation.training.read_losses`).
    title : str
    """
    step = losses["step"]
    x = Axis("Step", low=0.0, high=float(step.max(initial=1.0)), whole=True)
    loss = Panel(
        x,
        Axis("Log-loss", grid=True),
        [
            Stroke(step, losses["move"], "c1", "move, by the player's rank", 2.0),
            Stroke(step, losses["policy"], "c2", "policy of all, or of the teacher"),
        ],
    )
    top = Panel(
        x,
        Axis("First choice right, %", low=0.0, grid=True),
        [Stroke(step, 100.0 * losses["top"], "c1", "", 2.0)],
    )
    return Chart([loss, top], title, columns=2, height=240.0)
