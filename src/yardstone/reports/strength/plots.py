"""Pictures of an experiment: its data (figures 4.1 to 4.6) and its predictions (5.6 to 5.9).

The numbers are those of the figures in Neubauer 2024 that they are made after.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = [
    "label_plot",
    "length_plot",
    "loss_plot",
    "rating_plot",
    "score_plot",
]

_BLUE, _GREY, _RED = "#1f6fb4", "#6b7280", "#c2333a"
_CLASSES = ("#c2333a", "#8a8f98", "#1f6fb4", "#2f8f5b", "#c2560c")


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def label_plot(classes: Mapping[str, Array], *, title: str = "Rating labels") -> Figure:
    """Figure 4.1: how rating labels are spread, a colour a class of players.

    Parameters
    ----------
    classes : mapping of str to float64 arrays
        The labels of each class, in rating points.
    title : str
    """
    figure, axes = _figure(7.0, 3.6)
    everything = np.concatenate(list(classes.values()))
    edges = np.histogram_bin_edges(everything, bins=60)
    width = edges[1] - edges[0]
    weights = [np.full(len(v), 1.0 / (len(everything) * width)) for v in classes.values()]
    axes.hist(
        list(classes.values()),
        bins=list(edges),
        weights=weights,
        stacked=True,
        color=[_CLASSES[k % len(_CLASSES)] for k in range(len(classes))],
        label=[f"{name} ({len(values):,})" for name, values in classes.items()],
    )
    axes.set_xlabel("rating label, points")
    axes.set_ylabel("density")
    axes.set_title(f"{title}: {len(everything):,}", fontsize=10, loc="left")
    if len(classes) > 1:
        axes.legend(frameon=False, fontsize="small")
    return figure


def loss_plot(
    classes: Mapping[str, Array], *, low: float, high: float, label: str, bins: int = 85
) -> Figure:
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
    figure, axes = _figure(7.0, 3.8)
    edges = np.linspace(low, high, bins + 1)
    middle = 0.5 * (edges[1:] + edges[:-1])
    reach = high - low
    slot = 0.06 * reach / max(len(classes), 1)
    top = 0.0
    shares = []
    for k, (name, values) in enumerate(classes.items()):
        if not len(values):
            continue
        inside = np.histogram(values, edges)[0] / (len(values) * (edges[1] - edges[0]))
        top = max(top, float(inside.max()))
        colour = _CLASSES[k % len(_CLASSES)]
        axes.plot(middle, inside, color=colour, lw=1.4, label=f"{name} ({len(values):,} moves)")
        shares.append((k, colour, float(np.mean(values < low)), float(np.mean(values > high))))
    # Shares beyond the ends, on a scale of their own: the whole height is all moves.
    for k, colour, below, above in shares:
        for share, place in (
            (below, low - 0.1 * reach + k * slot),
            (above, high + 0.04 * reach + k * slot),
        ):
            axes.bar(place, share * top, slot, align="edge", color=colour)
            if share >= 0.0005:
                axes.text(
                    place + 0.5 * slot,
                    share * top,
                    f" {100 * share:.1f} %",
                    rotation=90,
                    fontsize=6,
                    ha="center",
                    va="bottom",
                    color=_GREY,
                )
    axes.set_xlim(low - 0.13 * reach, high + 0.13 * reach)
    axes.set_ylim(0.0, 1.05 * top if top else 1.0)
    axes.set_xlabel(f"{label} (bars: share of moves beyond)")
    axes.set_ylabel("density")
    axes.legend(frameon=False, fontsize="small")
    return figure


def length_plot(moves: NDArray[Any], *, what: str = "counted games") -> Figure:
    """Figure 4.6: how many moves games have, with the mean."""
    figure, axes = _figure(7.0, 3.4)
    last = max(int(moves.max()), 1)
    step = max(1, last // 120)
    axes.hist(moves, bins=list(range(0, last + 2 * step, step)), color=_BLUE)
    mean = float(moves.mean())
    axes.axvline(mean, color=_GREY, ls="--", lw=1)
    axes.text(
        mean,
        1.01,
        f"mean {mean:.0f}",
        color=_GREY,
        ha="center",
        fontsize=8,
        transform=axes.get_xaxis_transform(),
    )
    axes.set_xlabel("moves")
    axes.set_ylabel("games")
    axes.set_title(f"{len(moves):,} {what}", fontsize=10, loc="left", pad=14)
    return figure


def rating_plot(rating: Array, label: Array, *, name: str) -> Figure:
    """Figures 5.6 and 5.8: ratings before the games against the labels.

    Parameters
    ----------
    rating, label : float64 arrays
        In points, both players of every game.
    name : str
        Of the system.
    """
    figure, axes = _figure(5.2, 4.8)
    low = float(min(rating.min(), label.min()))
    high = float(max(rating.max(), label.max()))
    drawn = axes.hexbin(
        label,
        rating,
        gridsize=45,
        extent=(low, high, low, high),
        mincnt=1,
        cmap="Blues",
        bins="log",
    )
    axes.plot([low, high], [low, high], color=_GREY, lw=0.9, ls="--")
    edges = np.quantile(label, np.linspace(0.0, 1.0, 13))
    place = np.clip(np.searchsorted(edges, label, side="right") - 1, 0, 11)
    number = np.bincount(place, minlength=12)
    with np.errstate(invalid="ignore"):
        axes.plot(
            np.bincount(place, label, 12) / number,
            np.bincount(place, rating, 12) / number,
            "o-",
            ms=4,
            lw=1.2,
            color=_RED,
            label="mean rating of a twelfth of the labels",
        )
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.set_aspect("equal")
    axes.set_xlabel("rating label")
    axes.set_ylabel(f"rating by {name}")
    axes.legend(frameon=False, fontsize=7, loc="upper left")
    figure.colorbar(drawn, ax=axes, label="ratings", shrink=0.8)
    return figure


def score_plot(score: Array, expected: Array, *, name: str) -> Figure:
    """Figures 5.7 and 5.9: expected scores of games that White won, and that Black won.

    Red is where the system was surest and wrong: an expected score of the winner
    below one quarter.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 3.4), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, 2, sharey=True)
    edges = np.linspace(0.0, 1.0, 41)
    middle = 0.5 * (edges[1:] + edges[:-1])
    for axes, won, who in zip(panels, (0.0, 1.0), ("White", "Black"), strict=True):
        values = expected[score == won]
        counts = np.histogram(values, edges)[0]
        wrong = middle > 0.75 if won == 0.0 else middle < 0.25
        axes.bar(
            middle, counts, width=0.025, color=np.where(wrong, _RED, _BLUE).tolist(), linewidth=0
        )
        lost = values > 0.75 if won == 0.0 else values < 0.25
        share = 100.0 * float(lost.mean()) if len(values) else 0.0
        axes.set_title(f"{who} won: {len(values):,} games, {share:.1f} % red", fontsize=9)
        axes.set_xlabel(f"Black's expected score by {name}")
        axes.set_xlim(0.0, 1.0)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("games")
    return figure
