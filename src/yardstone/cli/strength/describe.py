"""`yardstone strength describe`: pictures of the data that models learn from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.replay import Replay
    from yardstone.reports.charts.chart import Chart

    Array = NDArray[np.float64]

__all__ = ["describe"]

#: What figures 4.2 and 4.3 draw in full: points, and winrate.
_POINTS, _WINRATE = (-2.0, 15.0), (-0.1, 0.3)


def describe(
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA...",
            help="An experiment (TOML) that was run, a store of features, or files of results.",
        ),
    ],
    folder: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where the pictures go."),
    ],
    ending: Annotated[
        str, typer.Option("--type", metavar="TYPE", help="Of the pictures: svg, png or pdf.")
    ] = "svg",
    classes: Annotated[
        str,
        typer.Option(
            metavar="POINTS",
            help="Bounds between classes of players, in rating points: 1500,1900.",
        ),
    ] = "",
) -> None:
    """Draw the data: labels, what moves lose, how ratings settle, lengths of games.

    Draws what can be drawn of DATA: labels.svg, points.svg, winrates.svg,
    deviations.svg, settling.svg, lengths.svg (figures 4.1 to 4.6 of Neubauer 2024).

    Examples
    --------
    yardstone strength describe experiment.toml -o figures
    """
    if ending not in ("svg", "png", "pdf"):
        raise UsageError(f"pictures are of the type svg, png or pdf, not {ending!r}")
    edges = _edges(classes)
    from yardstone.cli.startup import load_numba

    load_numba()
    first = Path(data[0])
    if first.suffix.lower() == ".toml":
        figures = _experiment(data, edges)
    elif (first / "store.json").exists():
        figures = _store(data)
    else:
        figures = _results(data, edges)
    _save(figures, folder, ending)


def _edges(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise UsageError(f"--classes is {text!r}; it must be numbers such as 1500,1900") from None


def _alone(data: list[str], what: str) -> Path:
    if len(data) > 1:
        raise UsageError(f"one {what} at a time, please")
    return Path(data[0])


def _experiment(data: list[str], edges: list[float]) -> dict[str, Chart]:
    """Pictures of an experiment: of its training games and of its whole pool."""
    from yardstone.lab.neubauer.experiment.configuration import read_experiment
    from yardstone.lab.neubauer.experiment.description import described

    found = described(read_experiment(_alone(data, "experiment")))
    figures = _pool(found.pool, found.replay, edges, found.labels)
    figures |= _losses(found.points(edges), found.winrates(edges))
    return figures


def _store(data: list[str]) -> dict[str, Chart]:
    from yardstone.go.feature_store import FeatureStore
    from yardstone.go.features import HEAD
    from yardstone.lab.neubauer.experiment.classes import losses_by_rank
    from yardstone.lab.neubauer.experiment.stochastic import POINTS
    from yardstone.reports.charts.experiment import length_chart

    store = FeatureStore.open(_alone(data, "store"))
    points = losses_by_rank(store, HEAD.index("point_loss"))
    points = {name: POINTS * values for name, values in points.items()}
    figures = _losses(points, losses_by_rank(store, HEAD.index("win_loss")))
    figures["lengths"] = length_chart(store.games["moves"], what="games")
    return figures


def _results(data: list[str], edges: list[float]) -> dict[str, Chart]:
    from yardstone import records
    from yardstone.evaluation.splits import judged_games
    from yardstone.ratings.glicko2 import Glicko2

    pool, _ = judged_games(records.read(*data, first="black", times=True))
    return _pool(pool, Glicko2().replay(pool), edges)


def _pool(
    pool: Pool, replay: Replay, edges: list[float], labels: Array | None = None
) -> dict[str, Chart]:
    """Figures 4.1, 4.4, 4.5 and, where lengths are known, 4.6."""
    import numpy as np

    from yardstone.evaluation.labels import rating_labels
    from yardstone.evaluation.settling import deviations_by_games, ratings_by_games
    from yardstone.lab.neubauer.experiment.classes import ratings_in_classes
    from yardstone.reports.charts.experiment import label_chart, length_chart
    from yardstone.reports.charts.history import deviations_chart, ratings_by_games_chart

    if labels is None:
        found = rating_labels(pool, replay)
        values, title = np.concatenate([found.first, found.second]), "Rating labels of all games"
    else:
        values, title = labels, "Rating labels of the training games"
    inside = ratings_in_classes(values, edges)
    low, high = np.quantile(values, [0.005, 0.995])
    bounds = np.arange(50.0 * np.floor(low / 50.0), 50.0 * np.ceil(high / 50.0) + 51.0, 50.0)
    figures = {
        "labels": label_chart({name: values[here] for name, here in inside.items()}, title=title),
        "deviations": deviations_chart(deviations_by_games(pool, replay)),
        "settling": ratings_by_games_chart(ratings_by_games(pool, replay, bounds)),
    }
    if "moves" in pool.columns:
        counted = pool.columns.get("decision")
        here = np.ones(len(pool), np.bool_) if counted is None else counted == "counted"
        if here.any():
            what = "games" if counted is None else "counted games"
            figures["lengths"] = length_chart(pool.columns["moves"][here], what=what)
    return figures


def _losses(points: dict[str, Array], winrates: dict[str, Array]) -> dict[str, Chart]:
    """Figures 4.2 and 4.3."""
    from yardstone.reports.charts.experiment import loss_chart

    return {
        "points": loss_chart(points, low=_POINTS[0], high=_POINTS[1], label="points lost"),
        "winrates": loss_chart(winrates, low=_WINRATE[0], high=_WINRATE[1], label="winrate lost"),
    }


def _save(figures: dict[str, Chart], folder: Path, ending: str) -> None:

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", file=str(folder)) from error
    for name, figure in figures.items():
        path = folder / f"{name}.{ending}"
        figure.save(path)
        print(path)
