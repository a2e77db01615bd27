"""`yardstone predict`: what a game between two players is expected to bring."""

from __future__ import annotations

from typing import Annotated

import typer

from yardstone.cli import values
from yardstone.cli.games import GameOptions
from yardstone.cli.options import Confidence
from yardstone.cli.output import TableOutput
from yardstone.cli.systems import RatedGamesPaths, SystemOptions

__all__ = ["predict"]


def predict(
    player: Annotated[
        str, typer.Argument(metavar="FIRST", help="Who moves first.", show_default=False)
    ],
    opponent: Annotated[
        str, typer.Argument(metavar="SECOND", help="The opponent.", show_default=False)
    ],
    paths: RatedGamesPaths = None,
    *,
    rating: SystemOptions,
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
    confidence: Confidence = "95",
    games: GameOptions,
    out: TableOutput,
) -> None:
    """Predict the game of two players from the ratings of the games before.

    Examples
    --------
    yardstone predict Ann Bob games.csv
    yardstone predict Ann Bob --state club.ratings --format json
    """
    from yardstone.evaluation.prediction import predict as predict_game
    from yardstone.reports.forecast import forecast_document

    level = values.confidence(confidence)
    out.check()
    forecast = predict_game(
        **rating.read(paths, games, quiet=True),
        player=player,
        opponent=opponent,
        advantage=advantage,
        exact=exact,
        confidence=level,
    )
    out.emit(forecast_document(forecast))
