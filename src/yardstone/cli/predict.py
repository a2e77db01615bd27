"""`yardstone predict`: what a game between two players is expected to bring."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from yardstone.cli import values
from yardstone.cli.games import GameOptions
from yardstone.cli.go.options import NetworkOptions
from yardstone.cli.moves import MovesOptions
from yardstone.cli.options import Confidence, Memory
from yardstone.cli.output import TableOutput
from yardstone.cli.systems import RatedGamesPaths, SystemOptions

__all__ = ["predict"]


def predict(
    player: Annotated[
        str, typer.Argument(metavar="FIRST", help="The player who moves first.", show_default=False)
    ],
    opponent: Annotated[
        str, typer.Argument(metavar="SECOND", help="The opponent.", show_default=False)
    ],
    paths: RatedGamesPaths = None,
    *,
    rating: SystemOptions,
    moves: MovesOptions,
    network: NetworkOptions,
    advantage: Annotated[
        float | None,
        typer.Option(
            metavar="POINTS",
            help="Advantage of moving first and of handicap. [default: the system's]",
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="Take the ratings as exact, which moves the prediction away from even."
        ),
    ] = False,
    confidence: Confidence = "95",
    memory: Memory = None,
    games: GameOptions,
    out: TableOutput,
) -> None:
    """Predict a game between two players from the games so far.

    Examples
    --------
    yardstone predict 'Fizbo 2' 'Jonny 8.1' league.csv
    yardstone predict 'Jonny 8.1' 'Fizbo 2' league.csv --system elo --format json
    """
    from yardstone.evaluation.prediction import predict as predict_game
    from yardstone.reports.forecast import forecast_document

    level = values.confidence(confidence)
    out.check()
    given, notes = rating.read(paths, games, moves, network, memory=memory, quiet=True)
    forecast = predict_game(
        **given,
        player=player,
        opponent=opponent,
        advantage=advantage,
        exact=exact,
        confidence=level,
    )
    out.emit(forecast_document(replace(forecast, notes=[*forecast.notes, *notes])))
