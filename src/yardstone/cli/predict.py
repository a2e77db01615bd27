"""`yardstone predict`: what a game between two players is expected to bring."""

from __future__ import annotations

from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.options import (
    Columns,
    Dates,
    First,
    Parameters,
    RatedPaths,
    Results,
    SkipUnread,
    System,
)

if TYPE_CHECKING:
    from yardstone.evaluation.forecast import Forecast
    from yardstone.ratings.result import Estimate

__all__ = ["predict"]

#: Players with fewer games than this are named as little known.
FEW_GAMES = 10


class PredictFormat(StrEnum):
    """How the forecast is written."""

    text = "text"
    json = "json"


def predict(
    first: Annotated[str, typer.Argument(help="Who moves first.", show_default=False)],
    second: Annotated[str, typer.Argument(help="The opponent.", show_default=False)],
    paths: RatedPaths = None,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Take the ratings that `yardstone history` saved."),
    ] = None,
    system: System = None,
    parameter: Parameters = None,
    advantage: Annotated[
        float | None,
        typer.Option(
            metavar="POINTS", help="Worth of moving first and of handicap. [default: the system's]"
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Take the ratings as exact: chances further from even."),
    ] = False,
    columns: Columns = None,
    side: First = None,
    results: Results = None,
    dates: Dates = None,
    skip_unread: SkipUnread = False,
    form: Annotated[PredictFormat, typer.Option("--format", help="How to write it.")] = (
        PredictFormat.text
    ),
) -> None:
    """Predict the game of two players from the ratings of the games before.

    Examples
    --------
    yardstone predict Ann Bob games.csv
    yardstone predict Ann Bob --state club.ratings --format json
    """
    from yardstone.cli import values
    from yardstone.cli.history import rated_games, takes_levels
    from yardstone.cli.reading import Source, read_games
    from yardstone.evaluation.forecast import forecast

    pool = None
    if paths:
        source = Source(
            paths,
            columns=values.columns(columns or []),
            first=side,
            results=results,
            skip_unread=skip_unread,
            dates=dates,
            levels=takes_levels(system, state),
        )
        pool = read_games(source, quiet=True)
    rated, notes = rated_games(pool, state, system, parameter or [])
    found = forecast(rated, first, second, advantage=advantage, exact=exact)
    if form is PredictFormat.json:
        print(_json(found, rated.name), end="")
    else:
        print(_text(found, rated.name, notes, exact=exact), end="")


def _json(found: Forecast, system: str) -> str:
    from yardstone.reports.json_out import as_json

    def estimate(value: Estimate) -> dict[str, float | None]:
        known = isfinite(value.deviation)
        return {"rating": value.value, "deviation": value.deviation if known else None}

    return as_json(
        {
            "format": 1,
            "system": system,
            "first": {
                "player": found.first,
                **estimate(found.first_rating),
                "games": found.first_games,
            },
            "second": {
                "player": found.second,
                **estimate(found.second_rating),
                "games": found.second_games,
            },
            "expected": found.expected,
            "win": found.win,
            "draw": found.draw,
            "loss": found.loss,
            "reversed_expected": found.reversed_expected,
            "low": found.low if isfinite(found.low) else None,
            "high": found.high if isfinite(found.high) else None,
            "confidence": found.confidence,
            "integrated": found.integrated,
        }
    )


def _uncertainty(found: Forecast, system: str, *, exact: bool) -> str:
    """What the chances have in them of the uncertainty of the ratings."""
    if isfinite(found.low):
        return (
            "This is the mean over what the ratings may truly be; with the true ones it lies "
            f"between {100 * found.low:.0f} and {100 * found.high:.0f} % "
            f"({100 * found.confidence:g} %)."
        )
    if found.integrated:
        return (
            "This is the mean over what the ratings may truly be. "
            f"{system} has no deviations, so there is no interval."
        )
    if exact:
        return "The ratings are taken as exact (--exact), so chances lie too far from even."
    return (
        f"{system} says nothing of how far its ratings may be off: they are taken as exact, so "
        "chances may lie too far from even."
    )


def _text(found: Forecast, system: str, notes: list[str], *, exact: bool) -> str:
    from yardstone.reports.aligned import aligned

    def row(name: str, rating: Estimate, games: int) -> list[str]:
        spread = f"{rating.deviation:.1f}" if isfinite(rating.deviation) else "–"
        return [name, f"{rating.value:.1f}", spread, f"{games:,}"]

    table = [
        ["", "Rating", "Deviation", "Games"],
        row(found.first, found.first_rating, found.first_games),
        row(found.second, found.second_rating, found.second_games),
    ]
    lines = [*aligned(table, left={0}), ""]
    lines.append(
        f"{found.first}, moving first, is expected to score {100 * found.expected:.1f} % "
        f"against {found.second} (by {system})."
    )
    if found.draw:
        lines.append(
            f"Win {100 * found.win:.1f} %, draw {100 * found.draw:.1f} %, "
            f"loss {100 * found.loss:.1f} %."
        )
    if abs(found.reversed_expected - found.expected) > 0.0005:
        lines.append(f"Moving second: {100 * found.reversed_expected:.1f} %.")
    lines.append(_uncertainty(found, system, exact=exact))
    few = [
        f"{name} has {games} game{'' if games == 1 else 's'}"
        for name, games in (
            (found.first, found.first_games),
            (found.second, found.second_games),
        )
        if games < FEW_GAMES
    ]
    if few:
        lines.append(f"Mind: {' and '.join(few)}, so little is known.")
    return "\n".join([*lines, *notes]) + "\n"
