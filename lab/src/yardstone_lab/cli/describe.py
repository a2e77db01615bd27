"""`yardstone strength describe`: pictures of the data that models learn from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from yardstone.cli.declare import argument, option
from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from yardstone.reports.chart import Chart

__all__ = ["describe"]


def describe(
    data: list[str] = argument(
        "An experiment (TOML) that was run, a store of features, or files of results.",
        metavar="DATA...",
    ),
    folder: Path = option(
        "Folder for the charts.", "--output", "-o", default=..., metavar="FOLDER"
    ),
    ending: str = option(
        "Format of the charts: svg, png or pdf.", "--type", default="svg", metavar="TYPE"
    ),
    classes: str = option(
        "Bounds between classes of players, in rating points: 1500,1900.",
        default="",
        metavar="POINTS",
    ),
) -> None:
    """Plot the data: labels, losses of moves, settling of ratings.

    Draws what can be drawn of DATA: labels.svg, points.svg, winrates.svg,
    deviations.svg, settling.svg, lengths.svg (figures 4.1 to 4.6 of Neubauer 2024).

    Examples
    --------
    yardstone strength describe experiment.toml -o figures
    """
    if ending not in ("svg", "png", "pdf"):
        raise UsageError(f"pictures are of the type svg, png or pdf, not {ending!r}")
    edges = _edges(classes)

    from yardstone_lab.neubauer.description import describe_data
    from yardstone_lab.reports.games_data import data_charts

    _save(data_charts(describe_data(data, edges)), folder, ending)


def _edges(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise UsageError(f"--classes is {text!r}; it must be numbers such as 1500,1900") from None


def _save(figures: dict[str, Chart], folder: Path, ending: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", file=str(folder)) from error
    for name, figure in figures.items():
        path = folder / f"{name}.{ending}"
        figure.save(path)
        print(path)
