"""Trainings and searches of strength networks: pictures and texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.reports.aligned import aligned_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from yardstone.lab.neubauer.network.search_run import SearchRun
    from yardstone.lab.neubauer.network.set_transformer_numpy import StrengthNetwork
    from yardstone.lab.neubauer.network.training_log import History

__all__ = ["runs_json", "runs_text", "search_plot", "trained_text", "training_plot"]

#: Score, rating and regularisation losses of training, then those of validation.
_STACKED = ("#bcd9f0", "#4a94cf", "#1c3f6e")
_VALIDATION, _RATINGS, _BEST = "#c2333a", "#d98a1f", "#6b7280"
#: A shape for each iteration, in the thesis' order, and a colour.
_SHAPES = ("o", "s", "D", "v", "X", "^", "P", "*")
_COLOURS = ("#8a8f98", "#c2560c", "#2f8f5b", "#1f6fb4", "#7a3fa0")
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


def training_plot(history: History, *, title: str = "Training") -> Figure:
    """How a training went, after figures 5.1 and 5.5.

    The three losses of every step are stacked in blue; lines are the losses of the
    validation games after each epoch, and a mark the epoch that was kept.

    Parameters
    ----------
    history : History
    title : str
    """
    figure, (axes,) = _figure(7.0, 4.2, 1)
    epochs = np.array([epoch.epoch for epoch in history.epochs])
    steps = np.array(history.steps).reshape(-1, 3)
    top = 0.0
    if len(steps):
        # A step stands at its share of its epoch; many steps are averaged to what is seen.
        width = max(1, len(steps) // 1500)
        whole = len(steps) // width * width
        shown = steps[:whole].reshape(-1, width, 3).mean(1)
        place = (np.arange(len(shown)) + 0.5) * width * max(epochs[-1], 1) / len(steps)
        names = ("score", "ratings", "regularisation")
        labels = [f"training: {name}" for name in names]
        axes.stackplot(place, shown.T, labels=labels, colors=_STACKED, linewidth=0)
        top = float(np.quantile(shown.sum(1), 0.995))
    score = np.array([epoch.validation_loss for epoch in history.epochs])
    ratings = np.array([epoch.validation_rating_loss for epoch in history.epochs])
    axes.plot(epochs, ratings, color=_RATINGS, linewidth=1.6, label="validation: ratings")
    axes.plot(epochs, score, color=_VALIDATION, linewidth=1.8, label="validation: score")
    best = history.best
    axes.plot(best.epoch, best.validation_loss, "o", color=_VALIDATION, markersize=7)
    axes.annotate(
        f"epoch {best.epoch}: {best.validation_loss:.4f}",
        (best.epoch, best.validation_loss),
        xytext=(6, 8),
        textcoords="offset points",
        fontsize=8,
        bbox={"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": "none", "alpha": 0.8},
    )
    later = np.concatenate([score[1:], ratings[1:], [top]])
    axes.set_ylim(0, 1.15 * float(np.nanmax(later[np.isfinite(later)], initial=0.1)))
    axes.set_xlim(0, max(int(epochs[-1]), 1))
    axes.set_xlabel("Epoch")
    axes.set_ylabel("Loss")
    axes.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    return figure


def search_plot(
    runs: Sequence[SearchRun],
    *,
    limits: tuple[float, float] | None = None,
    title: str = "Search for hyperparameters",
) -> Figure:
    """The lowest validation loss of each training against each setting (figures 5.2 to 5.4).

    Parameters
    ----------
    runs : sequence of SearchRun
        Those that failed or were given up are left out.
    limits : (float, float), optional
        Only losses between these, as figure 5.4 has it.
    title : str
    """
    from matplotlib.ticker import MultipleLocator

    done = [run for run in runs if math.isfinite(run.loss)]
    shown = [run for run in done if limits is None or limits[0] <= run.loss <= limits[1]]
    varied = [
        item for item in _SEARCHED if len({getattr(run.settings, item[0]) for run in done}) > 1
    ] or [_SEARCHED[0]]
    columns = min(2, len(varied))
    rows = -(-len(varied) // columns)
    figure, all_axes = _figure(4.0 * columns, 0.7 + 2.1 * rows, len(varied), columns)
    iterations = sorted({run.iteration for run in done})
    lowest = min(done, key=lambda run: run.loss, default=None)
    for axes, (name, label, log) in zip(all_axes, varied, strict=True):
        for place, iteration in enumerate(iterations):
            here = [run for run in shown if run.iteration == iteration]
            axes.scatter(
                [getattr(run.settings, name) for run in here],
                [run.loss for run in here],
                marker=_SHAPES[place % len(_SHAPES)],
                facecolors="none",
                edgecolors=_COLOURS[place % len(_COLOURS)],
                linewidths=1.1,
                s=26,
                label=f"iteration {iteration}",
            )
        if lowest is not None:
            axes.axvline(getattr(lowest.settings, name), color="#d1d5db", linewidth=1.0, zorder=0)
        if log:
            axes.set_xscale("log")
            _plain_ticks(axes)
        if name == "depth":
            axes.xaxis.set_major_locator(MultipleLocator(1))
        if limits is not None:
            axes.set_ylim(*limits)
        axes.set_xlabel(label, fontsize=9)
        axes.tick_params(labelsize=8)
    for axes in all_axes[::columns]:
        axes.set_ylabel("validation loss", fontsize=9)
    if len(iterations) > 1:
        handles, names = all_axes[0].get_legend_handles_labels()
        figure.legend(
            handles, names, loc="outside lower center", ncols=5, fontsize=8, frameon=False
        )
    left_out = len(runs) - len(shown)
    if left_out:
        title += f": {len(shown)} of {len(runs)} trainings"
    figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    return figure


def _plain_ticks(axes: Axes) -> None:
    """A logarithmic axis with plain numbers at 1, 2 and 5."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axes.get_xlim()
    few = high > 1000 * low
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0,) if few else (1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _figure(width: float, height: float, number: int, columns: int = 1) -> tuple[Figure, list[Any]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    rows = -(-number // columns)
    axes = [figure.add_subplot(rows, columns, place + 1) for place in range(number)]
    for each in axes:
        each.spines[["top", "right"]].set_visible(False)
    return figure, axes


def trained_text(network: StrengthNetwork) -> str:
    """What came out of a training, in a few lines."""
    card = network.card
    return (
        f"{card['parameters']:,} parameters, {network.channels} features a move\n"
        f"trained on {card['training_games']:,} games, best after epoch {card['epoch']} "
        f"of {card['epochs']}\n"
        f"validation on {card['validation_games']:,} games: log-likelihood "
        f"{-card['validation_loss']:.4f}, accuracy {100 * card['accuracy']:.1f} %\n"
    )


def runs_text(runs: Sequence[SearchRun]) -> str:
    """All trainings of a search, the best first."""
    head = ("run", "loss", "accuracy", "epochs", "η₀", "β", "τ_r", "τ_θ", "l", "d", "d_q", "m", "N")
    rows: list[Sequence[str]] = [head]
    for run in sorted(runs, key=lambda run: run.loss):
        s = run.settings
        failed = not math.isfinite(run.loss)
        rows.append(
            (
                f"{run.iteration}.{run.number:02d}",
                "–" if failed else f"{run.loss:.4f}",
                "–" if failed else f"{100 * run.accuracy:.1f} %",
                f"{run.best_epoch}/{run.epochs_done}",
                f"{s.learning_rate:.2e}",
                f"{s.decay:.4f}",
                f"{s.rating_loss:.3g}",
                f"{s.regularisation:.3g}",
                *map(str, (s.depth, s.width, s.query_width, s.inducing_points, s.window)),
            )
        )
    return aligned_text(rows, left={0})


def runs_json(runs: Sequence[SearchRun]) -> list[dict[str, object]]:
    """All trainings of a search, the best first, as plain values."""
    found: list[dict[str, object]] = []
    for run in sorted(runs, key=lambda run: run.loss):
        failed = not math.isfinite(run.loss)
        found.append(
            {
                "iteration": run.iteration,
                "number": run.number,
                "loss": None if failed else run.loss,
                "accuracy": None if failed else run.accuracy,
                "best_epoch": run.best_epoch,
                "epochs_done": run.epochs_done,
                "seconds": run.seconds,
                "failure": run.failure or None,
                "folder": run.folder,
                "settings": run.settings.as_dict(),
            }
        )
    return found
