"""Ratings from moves, from results and from both, as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.charts.chart import Axis, Chart, Mark, Panel, Points

if TYPE_CHECKING:
    from yardstone.strength.fusion.sources import RatingSources

__all__ = ["sources_chart"]

#: The three estimates: their name, colour and shape, and how far above a player's line they stand.
_KINDS = (
    ("moves", "c2", "diamond", -0.25),
    ("results", "c3", "square", 0.0),
    ("both", "c1", "circle", 0.25),
)


def sources_chart(sources: RatingSources, players: Sequence[str], rows: Sequence[int]) -> Chart:
    """Draw three estimates of each player, a line being one deviation on each side.

    Parameters
    ----------
    sources : RatingSources
    players : sequence of str
    rows : sequence of int
        Which of them, from above.
    """
    chosen = np.asarray(rows, np.int64)
    place = np.arange(len(chosen))
    marks: list[Mark] = []
    for name, colour, shape, above in _KINDS:
        shown = sources.number[chosen] > 0 if name == "moves" else np.ones(len(chosen), np.bool_)
        rating = getattr(sources, name)[chosen][shown]
        reach = getattr(sources, f"{name}_deviation")[chosen][shown]
        marks.append(
            Points(
                rating,
                place[shown] + above,
                colour,
                name=name.capitalize(),
                shape=shape,
                across=(rating - reach, rating + reach),
            )
        )
    names = [players[row] for row in rows]
    panel = Panel(Axis("Rating", grid=True), Axis(scale="category", names=names), marks)
    return Chart(
        [panel],
        "Ratings from moves, from results, and from both, with one deviation",
        height=34.0 * max(len(rows), 4),
    )
