"""`yardstone winprob`: the probability of win between Go grades, and its fits."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.options import Confidence, Win
from yardstone.cli.output import Output
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.winprob.models import WinningModel

__all__ = ["between"]


class ModelFigure(StrEnum):
    """Figures of the model."""

    curves = "curves"
    lam = "lambda"
    contour = "contour"


def between(
    grades: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GRADES",
            help="Player and opponent, such as 2d 4d; with --scale, numbers on that scale.",
        ),
    ] = None,
    *,
    win: Win = "fitted",
    handicap: Annotated[
        int,
        typer.Option(min=0, max=36, metavar="STONES", help="Stones of the weaker player."),
    ] = 0,
    komi: Annotated[
        float | None,
        typer.Option(
            metavar="POINTS",
            help="Komi that Black gives, the first player in an even game: 7, or none with "
            "stones, unless said otherwise.",
            show_default=False,
        ),
    ] = None,
    chance: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Find whom one grade beats with this probability (0 to 1).",
        ),
    ] = None,
    table: Annotated[
        bool,
        typer.Option("--table", help="Show all grades against opponents 1 to 9 grades stronger."),
    ] = False,
    figure: Annotated[
        ModelFigure, typer.Option(help="What --plot draws: curves, lambda or contour.")
    ] = ModelFigure.curves,
    scale: Annotated[
        str, typer.Option(help="Scale of the two players: grade, egf, ogs, goldis.")
    ] = "grade",
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Change a coefficient of the model, such as K=0.2. Repeatable.",
        ),
    ] = None,
    confidence: Confidence = "95",
    output: Output,
) -> None:
    """Give the probability that one grade beats another.

    The interval is that of the model, where its errors are known.

    Examples
    --------
    yardstone winprob 2d 4d
    yardstone winprob 5k 1d --handicap 4
    yardstone winprob 2d 4d --win kaniuk
    yardstone winprob 4k --chance 0.35
    yardstone winprob 2215 2390 --scale egf
    yardstone winprob --table --plot curves.svg
    """
    from yardstone.cli import values
    from yardstone.reports.winprob import players
    from yardstone.winprob.models import winning_model
    from yardstone.winprob.players import opponent_for, probability_between

    output.check()
    level = values.confidence(confidence)
    model, words = _changed(winning_model(win), set_ or []), grades or []
    if model.scale == "points" and (table or not words):
        raise UsageError(f"--win {model.name} goes by points, not by grades: give two ratings")
    if table and words:
        raise UsageError("--table stands without grades")
    if chance is not None and len(words) != 1:
        raise UsageError("--chance needs one grade")
    if table:
        document = players.grades_document(model, figure, handicap=handicap, komi=komi, level=level)
    elif chance is not None:
        pair = opponent_for(
            words[0], chance, model=model, scale=scale, handicap=handicap, komi=komi, level=level
        )
        document = players.pair_document(pair, figure)
    elif len(words) == 2:
        pair = probability_between(
            words[0], words[1], model=model, scale=scale, handicap=handicap, komi=komi, level=level
        )
        document = players.pair_document(pair, figure)
    elif not words and output.plot is not None:
        document = players.figure_document(model, figure, level)
        output = replace(output, quiet=True)
    else:
        raise UsageError("give two grades, such as 2d 4d")
    output.emit(document)


def _changed(model: WinningModel, settings: list[str]) -> WinningModel:
    """The model with coefficients set by hand."""
    from yardstone.winprob.models import with_coefficients

    values = {}
    for word in settings:
        name, _, number = word.partition("=")
        try:
            values[name.strip()] = float(number)
        except ValueError:
            raise UsageError(f"--set {word}: write it like K=0.2") from None
    return with_coefficients(model, values) if values else model
