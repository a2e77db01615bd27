"""An experiment as charts: its data (figures 4.1 to 4.6) and its predictions (5.6 to 5.9).

The numbers are those of the figures in Neubauer 2024 that they are made after.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.reports.chart import Axis, Bars, Chart, Guide, Mark, Panel, Points, Stroke

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["label_chart", "length_chart", "loss_chart", "rating_chart", "score_chart"]

#: Colours of classes of players.
_CLASSES = ("c2", "c7", "c1", "c3", "c5")
#: Cells across of a map of many ratings.
_CELLS = 45


def label_chart(classes: Mapping[str, Array], *, title: str = "Rating labels") -> Chart:
    """Figure 4.1: how rating labels are spread, a colour a class of players.

    Parameters
    ----------
    classes : mapping of str to float64 arrays
        The labels of each class, in rating points.
    title : str
    """
    everything = np.concatenate(list(classes.values()))
    edges = np.histogram_bin_edges(everything, bins=60)
    base = np.zeros(len(edges) - 1)
    marks: list[Mark] = []
    for place, (name, values) in enumerate(classes.items()):
        density = np.histogram(values, edges)[0] / (len(everything) * (edges[1] - edges[0]))
        entry = f"{name} ({len(values):,})" if len(classes) > 1 else ""
        colour = _CLASSES[place % len(_CLASSES)]
        marks.append(Bars(edges[:-1], edges[1:], base, base + density, colour, entry, gap=0.5))
        base = base + density
    panel = Panel(Axis("rating label, points"), Axis("density", low=0.0, grid=True), marks)
    return Chart([panel], f"{title}: {len(everything):,}", height=240.0)


def loss_chart(
    classes: Mapping[str, Array], *, low: float, high: float, label: str, bins: int = 85
) -> Chart:
    """Figures 4.2 and 4.3: how much moves lose, by class of players.

    Parameters
    ----------
    classes : mapping of str to float64 arrays
        What each move of the players of each class lost.
    low, high : float
        What is drawn in full; the bars beside it hold the shares beyond.
    label : str
        Of the axis.
    bins : int
        Steps between `low` and `high`.
    """
    edges = np.linspace(low, high, bins + 1)
    middle = 0.5 * (edges[1:] + edges[:-1])
    inside = {
        name: np.histogram(values, edges)[0] / (len(values) * (edges[1] - edges[0]))
        for name, values in classes.items()
        if len(values)
    }
    top = max((float(density.max()) for density in inside.values()), default=0.0) or 1.0
    reach = high - low
    slot = 0.07 * reach / max(len(classes), 1)
    marks: list[Mark] = []
    notes = []
    for place, (name, density) in enumerate(inside.items()):
        values, colour = classes[name], _CLASSES[place % len(_CLASSES)]
        entry = f"{name} ({len(values):,} moves)"
        marks.append(Stroke(middle, density, colour, entry, 1.5))
        # Shares beyond the ends, on a scale of their own: the whole height is all moves.
        below, above = float(np.mean(values < low)), float(np.mean(values > high))
        for share, left in (
            (below, low - 0.1 * reach + place * slot),
            (above, high + 0.03 * reach + place * slot),
        ):
            marks.append(Bars(left, left + slot, 0.0, share * top, colour, gap=1.0))
        notes.append(f"{name}: {100 * below:.1f} % below, {100 * above:.1f} % above")
    x = Axis(f"{label} (bars: share of moves beyond)", low - 0.13 * reach, high + 0.13 * reach)
    panel = Panel(x, Axis("density", low=0.0, high=1.05 * top, grid=True), marks)
    note = f"Beyond {low:g} and {high:g}: {'; '.join(notes)}." if notes else ""
    return Chart([panel], words=f"Density of the {label} in moves", note=note)


def length_chart(moves: NDArray[Any], *, what: str = "counted games") -> Chart:
    """Figure 4.6: how many moves games have, with the mean."""
    last = max(int(moves.max()), 1)
    step = max(1, last // 120)
    edges = np.arange(0, last + 2 * step, step)
    games = np.histogram(moves, edges)[0]
    mean = float(moves.mean())
    bars = Bars(edges[:-1], edges[1:], 0.0, games, gap=0.5)
    panel = Panel(
        Axis("moves", low=0.0),
        Axis("games", low=0.0, whole=True, grid=True),
        [bars, Guide(x=mean, text=f"mean {mean:.0f}", colour="ink")],
    )
    return Chart([panel], f"{len(moves):,} {what}", height=220.0)


def rating_chart(rating: Array, label: Array, *, name: str) -> Chart:
    """Figures 5.6 and 5.8: ratings before the games against the labels.

    Parameters
    ----------
    rating, label : float64 arrays
        In points, both players of every game.
    name : str
        Of the system.
    """
    low = float(min(rating.min(), label.min()))
    high = float(max(rating.max(), label.max()))
    edges = np.linspace(low, high if high > low else low + 1.0, _CELLS + 1)
    counts = np.histogram2d(label, rating, [edges, edges])[0]
    column, row = np.nonzero(counts)
    here = counts[column, row]
    shade = np.log1p(here) / np.log1p(here.max())
    cells = Bars(
        edges[column], edges[column + 1], edges[row], edges[row + 1], opacity=0.08 + 0.92 * shade
    )
    borders = np.quantile(label, np.linspace(0.0, 1.0, 13))
    twelfth = np.clip(np.searchsorted(borders, label, side="right") - 1, 0, 11)
    number = np.bincount(twelfth, minlength=12)
    with np.errstate(invalid="ignore"):
        x = np.bincount(twelfth, label, 12) / number
        y = np.bincount(twelfth, rating, 12) / number
    entry = "mean rating of a twelfth of the labels"
    ends = float(edges[0]), float(edges[-1])
    panel = Panel(
        Axis("rating label", *ends),
        Axis(f"rating by {name}", *ends),
        [
            cells,
            Stroke([low, high], [low, high], "soft", width=1.0, dash=(4.0, 3.0)),
            Stroke(x, y, "c2", entry, 1.4),
            Points(x, y, "c2", entry),
        ],
        square=True,
    )
    words = f"Ratings by {name} against the labels"
    shading = ("c1", "ratings in a cell: 1", f"{int(here.max()):,} (logarithmic)")
    return Chart([panel], words=words, widths=(560.0, 360.0), shading=shading)


def score_chart(score: Array, expected: Array, *, name: str) -> Chart:
    """Figures 5.7 and 5.9: expected scores of games that White won, and that Black won.

    Orange is where the system was surest and wrong: an expected score of the winner
    below one quarter.
    """
    edges = np.linspace(0.0, 1.0, 41)
    panels = []
    for won, who in ((0.0, "White"), (1.0, "Black")):
        values = expected[score == won]
        counts = np.histogram(values, edges)[0]
        middle = 0.5 * (edges[1:] + edges[:-1])
        wrong, lost = (
            places > 0.75 if won == 0.0 else places < 0.25 for places in (middle, values)
        )
        share = 100.0 * float(lost.mean()) if len(values) else 0.0
        marks = [
            Bars(edges[:-1][here], edges[1:][here], 0.0, counts[here], colour, gap=0.5)
            for here, colour in ((~wrong, "c1"), (wrong, "c2"))
        ]
        title = f"{who} won: {len(values):,} games, {share:.1f} % orange"
        x = Axis(f"Black's expected score by {name}", low=0.0, high=1.0)
        panels.append(Panel(x, Axis("games", low=0.0, whole=True, grid=True), marks, title))
    words = f"Expected scores by {name} of games that White won, and that Black won"
    return Chart(panels, words=words, columns=2, height=200.0)
